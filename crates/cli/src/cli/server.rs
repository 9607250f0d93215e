//! Serves the page and a few files on this machine, to whoever has the link: `Site` decides what is
//! answered, and no part of a request becomes part of a path.

use std::borrow::Cow;
use std::cell::Cell;
use std::convert::Infallible;
use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::runtime::Builder;
use tokio::task::LocalSet;

use super::input::file_bytes;
use super::page::{INDEX, PageFiles};

/// The policy of the static page (Trunk.toml). No other page may frame this one.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self' https:; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Leads the page to a file again once it has changed. Part of the page only where files are
/// watched.
const WATCH_SCRIPT: &str = include_str!("watch.js");

/// Time until the next try after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// Time after which a connection is closed that asks for nothing: each takes a file descriptor.
const IDLE: Duration = Duration::from_secs(60);

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

/// Answers requests until the program ends. Every connection is a task of its own: a browser opens
/// some and leaves them idle.
///
/// # Errors
/// The port cannot be used.
pub fn serve(site: Site, listener: TcpListener) -> io::Result<()> {
    let site = Rc::new(site);
    listener.set_nonblocking(true)?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        loop {
            // A connection that ends before it began is no reason to end. Without a file descriptor
            // the next try would fail at once, too.
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let site = site.clone();
            tokio::task::spawn_local(async move {
                let answer = service_fn(|request: Request<Incoming>| {
                    let response = site.respond(&request);
                    async { Ok::<_, Infallible>(response) }
                });
                // The client has gone, so there is nobody to answer.
                let mut http = http1::Builder::new();
                http.timer(TokioTimer::new()).header_read_timeout(IDLE);
                let _ = http.serve_connection(TokioIo::new(stream), answer).await;
            });
        }
    })
}

impl Site {
    fn respond(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        let (status, body, kind) = match self.answer(request) {
            Ok((body, kind)) => (StatusCode::OK, body, kind),
            Err(status) => (status, Cow::Borrowed(&b""[..]), "text/plain"),
        };
        let mut response = Response::new(Full::new(Bytes::from(body.into_owned())));
        *response.status_mut() = status;
        let headers: [(HeaderName, &'static str); 6] = [
            (header::CONTENT_TYPE, kind),
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
    fn answer(&self, request: &Request<Incoming>) -> Result<Found, StatusCode> {
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
        self.find(path).ok_or(StatusCode::NOT_FOUND)
    }

    /// A path below the token.
    fn find(&self, path: &str) -> Option<Found> {
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

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "webmanifest" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        _ => "application/octet-stream",
    }
}
