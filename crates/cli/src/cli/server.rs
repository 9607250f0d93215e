//! Serves the page and a few files on this machine, to whoever has the link: `Site` decides what is
//! answered, and no part of a request becomes part of a path.

use std::borrow::Cow;
use std::cell::Cell;
use std::fs;
use std::future;
use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::SystemTime;

use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use memplan_serve::{Answer, Asked, answer, kind};

use super::input::file_bytes;
use super::page::{INDEX, PageFiles};

/// The policy of the static page (Trunk.toml). No other page may frame this one.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self' https:; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Leads the page to a file again once it has changed. Part of the page only where files are
/// watched.
const WATCH_SCRIPT: &str = include_str!("watch.js");

/// What is served.
pub struct Site {
    /// The page.
    pub page: PageFiles,
    /// The files that were named, and nothing beside them.
    pub files: Vec<Watched>,
    /// The first part of every path. Only who has the link knows it.
    pub token: String,
    /// What the header `Host` must be: a page of another name that leads to this machine has
    /// another one.
    pub host: String,
    /// Whether the page opens a file again once it has changed.
    pub watches: bool,
}

/// A file, and how often it was seen to change.
pub struct Watched {
    path: PathBuf,
    seen: Cell<Seen>,
}

#[derive(Clone, Copy)]
struct Seen {
    version: u32,
    /// The state that the version stands for.
    state: Stamp,
    /// The state when it was last looked at. A file that is still being written changes from look
    /// to look.
    last: Stamp,
}

/// Bytes and time of the last change.
type Stamp = Option<(u64, SystemTime)>;

impl Watched {
    pub fn new(path: PathBuf) -> Watched {
        let state = stamp(&path);
        Watched { path, seen: Cell::new(Seen { version: 0, state, last: state }) }
    }

    /// The number of the file's version. It rises once a changed file was seen twice in the same
    /// state.
    fn version(&self) -> u32 {
        let now = stamp(&self.path);
        let mut seen = self.seen.get();
        if now.is_some() && now == seen.last && now != seen.state {
            seen.state = now;
            seen.version += 1;
        }
        seen.last = now;
        self.seen.set(seen);
        seen.version
    }
}

fn stamp(path: &PathBuf) -> Stamp {
    let data = fs::metadata(path).ok()?;
    Some((data.len(), data.modified().ok()?))
}

/// A file and its type.
type Found = (Cow<'static, [u8]>, &'static str);

/// Answers requests until the program ends.
///
/// # Errors
/// The port cannot be used.
pub fn serve(site: Site, listener: TcpListener) -> io::Result<()> {
    memplan_serve::serve(listener, move |request| site.respond(request), future::pending())
}

impl Site {
    fn respond(&self, request: &Asked) -> Answer {
        let mut response = match self.find(request) {
            Ok((body, kind)) => answer(StatusCode::OK, kind, body.into_owned()),
            Err(status) => answer(status, "text/plain", ""),
        };
        let headers: [(HeaderName, &'static str); 5] = [
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::CACHE_CONTROL, "no-store"),
        ];
        for (name, value) in headers {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }

    /// What is asked for, or the status of the refusal.
    fn find(&self, request: &Asked) -> Result<Found, StatusCode> {
        let mut hosts = request.headers().get_all(header::HOST).iter();
        let is_this_host = hosts.next().is_some_and(|host| host.as_bytes() == self.host.as_bytes());
        let names_a_host = request.uri().authority().is_some();
        if !is_this_host || hosts.next().is_some() || names_a_host {
            return Err(StatusCode::FORBIDDEN);
        }
        let path = request.uri().path();
        let inside = path.strip_prefix('/').and_then(|path| path.strip_prefix(&*self.token));
        let path = inside.and_then(|path| path.strip_prefix('/')).ok_or(StatusCode::FORBIDDEN)?;
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return Err(StatusCode::METHOD_NOT_ALLOWED);
        }
        self.file(path).ok_or(StatusCode::NOT_FOUND)
    }

    /// A path below the token.
    fn file(&self, path: &str) -> Option<Found> {
        if let Some(file) = path.strip_prefix("files/") {
            // The number of the file; its version and its name are for the page and for the eye.
            let number: usize = file.split('/').next()?.parse().ok()?;
            let bytes = file_bytes(&self.files.get(number)?.path).ok()?;
            return Some((bytes, "application/octet-stream"));
        }
        match path {
            "" | INDEX => Some((self.index()?, kind(INDEX))),
            "watch.js" if self.watches => Some((WATCH_SCRIPT.as_bytes().into(), kind(path))),
            "versions.json" if self.watches => {
                let versions: Vec<u32> = self.files.iter().map(Watched::version).collect();
                Some((format!("{versions:?}").into_bytes().into(), kind(path)))
            }
            // It would keep a page that lives only as long as this program.
            "service.js" => None,
            _ => Some((self.page.read(path)?, kind(path))),
        }
    }

    /// The page, with the script that watches.
    fn index(&self) -> Option<Cow<'static, [u8]>> {
        let page = self.page.read(INDEX)?;
        if !self.watches {
            return Some(page);
        }
        let page = String::from_utf8(page.into_owned()).ok()?;
        let script = "<script type=\"module\" src=\"./watch.js\"></script></head>";
        Some(page.replacen("</head>", script, 1).into_bytes().into())
    }
}
