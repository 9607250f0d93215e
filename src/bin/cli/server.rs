//! Serves the page and a few files on this machine, to whoever has the link: `Site` decides what is answered, and nothing that a
//! request says becomes part of a path.

use std::borrow::Cow;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::SystemTime;

use tiny_http::{Header, Method, Request, Response, Server};

use super::page::{INDEX, PageFiles};

/// The policy of the static page (Trunk.toml). No other page may frame this one.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self' https:; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Leads the page to a file again once it has changed. Part of the page only where files are watched.
const WATCH_SCRIPT: &str = include_str!("watch.js");

/// Requests that are answered at the same time.
const WORKERS: usize = 4;

/// What is served.
pub struct Site {
    /// The page.
    pub page: PageFiles,
    /// The files that were named, and nothing beside them.
    pub files: Vec<Watched>,
    /// The first part of every path. Only who has the link knows it.
    pub token: String,
    /// What the header `Host` must be: a page of another name that leads to this machine has another one.
    pub host: String,
    /// Whether the page opens a file again once it has changed.
    pub watches: bool,
}

/// A file, and how often it was seen to change.
pub struct Watched {
    path: PathBuf,
    seen: Mutex<Seen>,
}

struct Seen {
    version: u32,
    /// The state that the version stands for.
    state: State,
    /// The state when it was last looked at. A file that is still being written changes from look to look.
    last: State,
}

/// Bytes and time of the last change.
type State = Option<(u64, SystemTime)>;

impl Watched {
    pub fn new(path: PathBuf) -> Watched {
        let state = state(&path);
        Watched { path, seen: Mutex::new(Seen { version: 0, state, last: state }) }
    }

    /// The number of the file's version. It rises once a changed file was seen twice in the same state.
    fn version(&self) -> u32 {
        let now = state(&self.path);
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if now.is_some() && now == seen.last && now != seen.state {
            seen.state = now;
            seen.version += 1;
        }
        seen.last = now;
        seen.version
    }
}

fn state(path: &PathBuf) -> State {
    let data = fs::metadata(path).ok()?;
    Some((data.len(), data.modified().ok()?))
}

/// What a request gets.
enum Answer {
    /// A file and its type.
    Found(Cow<'static, [u8]>, &'static str),
    /// A status that says why not.
    Refused(u16),
}

impl Site {
    /// Answers requests until the program ends.
    pub fn serve(&self, server: &Server) {
        std::thread::scope(|scope| {
            for _ in 0..WORKERS {
                scope.spawn(|| server.incoming_requests().for_each(|request| self.respond(request)));
            }
        });
    }

    fn respond(&self, request: Request) {
        let (body, kind, status) = match self.answer(&request) {
            Answer::Found(body, kind) => (body, kind, 200),
            Answer::Refused(status) => (Cow::Borrowed(&b""[..]), "text/plain", status),
        };
        let headers = [
            ("Content-Type", kind),
            ("Content-Security-Policy", POLICY),
            ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
        ];
        let length = body.len();
        let body = std::io::Cursor::new(body);
        let response = Response::new(status.into(), Vec::new(), body, Some(length), None);
        let response = headers.iter().filter_map(|(name, value)| Header::from_bytes(*name, *value).ok()).fold(
            // The page shows how much of a file is there, so that its length is said.
            response.with_chunked_threshold(usize::MAX),
            Response::with_header,
        );
        // Who asked has gone: nobody is left to be told.
        let _ = request.respond(response);
    }

    fn answer(&self, request: &Request) -> Answer {
        let mut hosts = request.headers().iter().filter(|header| header.field.equiv("Host"));
        let is_this_host = hosts.next().is_some_and(|header| header.value.as_str() == self.host);
        if !is_this_host || hosts.next().is_some() {
            return Answer::Refused(403);
        }
        let inside = request.url().strip_prefix('/').and_then(|path| path.strip_prefix(&*self.token));
        let Some(path) = inside.and_then(|path| path.strip_prefix('/')) else { return Answer::Refused(403) };
        if !matches!(request.method(), Method::Get | Method::Head) {
            return Answer::Refused(405);
        }
        let path = path.split(['?', '#']).next().unwrap_or_default();
        self.find(path).map_or(Answer::Refused(404), |(body, kind)| Answer::Found(body, kind))
    }

    /// A path below the token.
    fn find(&self, path: &str) -> Option<(Cow<'static, [u8]>, &'static str)> {
        if let Some(file) = path.strip_prefix("files/") {
            // The number of the file; its version and its name are for the page and for the eye.
            let number: usize = file.split('/').next()?.parse().ok()?;
            let bytes = fs::read(&self.files.get(number)?.path).ok()?;
            return Some((bytes.into(), "application/octet-stream"));
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
