//! A static file server for the built page, in the root and in any sub-folder alike.

use std::cell::RefCell;
use std::collections::HashMap;
use std::convert::Infallible;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use flate2::Compression;
use flate2::read::GzEncoder;
use http::{HeaderValue, Request, Response, StatusCode, Uri, header};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::task::LocalSet;

/// The sub-folder whose files are sent packed, as most hosts send them.
const PACKED: &str = "packed";

/// How the folder of a version begins, which `cargo xtask finish` names after what it holds.
const VERSION: &str = "build-";

/// The path of an empty document.
pub const BLANK: &str = "blank";

/// Serves a folder for as long as it lives.
pub struct Server {
    port: u16,
    /// Dropped to end the thread.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// # Errors
    /// A sentence when no port can be opened.
    pub fn start(folder: &Path) -> Result<Server, String> {
        let folder = folder.to_path_buf();
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let thread = thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime starts");
            LocalSet::new().block_on(&runtime, async {
                let opened = TcpListener::bind("127.0.0.1:0").await;
                let port = opened.as_ref().ok().and_then(|listener| listener.local_addr().ok());
                // Whoever asked is waiting for it.
                let _ = tell.send(port.map(|address| address.port()));
                let Ok(listener) = opened else { return };
                tokio::select! {
                    () = serve(listener, folder) => {}
                    _ = stopped => {}
                }
            });
        });
        let port = told.recv().ok().flatten().ok_or("No port to serve from.")?;
        Ok(Server { port, stop: Some(stop), thread: Some(thread) })
    }

    /// The origin of all that is served, as a page tells it.
    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The address of the root, with a slash at its end.
    pub fn address(&self) -> String {
        format!("{}/", self.origin())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        // A thread that panicked has said so itself.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Files as they were packed when first asked for. A host packs a file once, not for every visitor.
type Packed = RefCell<HashMap<PathBuf, Bytes>>;

/// Every connection is a task of its own: a browser opens some and leaves them idle.
async fn serve(listener: TcpListener, folder: PathBuf) {
    let packed: Rc<Packed> = Rc::default();
    while let Ok((stream, _)) = listener.accept().await {
        let (folder, packed) = (folder.clone(), packed.clone());
        tokio::task::spawn_local(async move {
            let service = service_fn(move |request: Request<Incoming>| {
                let response = answer(request.uri(), &folder, &packed);
                async move { Ok::<_, Infallible>(response) }
            });
            // A browser that went away needs no answer.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

fn answer(uri: &Uri, folder: &Path, packed: &Packed) -> Response<Full<Bytes>> {
    let path = uri.path();
    let is_packed = path.split('/').any(|folder| folder == PACKED);
    let body = Some(folder)
        .filter(|_| !is_withheld(path, uri.query()))
        .and_then(|folder| find(folder, path))
        .and_then(|file| Some((if is_packed { gzip(&file, packed) } else { read(&file) }?, mime(&file))));
    let (status, mime, body) = match body {
        Some((body, mime)) => (StatusCode::OK, mime, body),
        None if path.strip_prefix('/') == Some(BLANK) => (StatusCode::OK, "text/html; charset=utf-8", Bytes::new()),
        // A tab without an icon of its own asks for one; its absence is no fault of the page.
        None if path.ends_with("/favicon.ico") => (StatusCode::NO_CONTENT, "image/x-icon", Bytes::new()),
        None => (StatusCode::NOT_FOUND, "text/plain", Bytes::from_static(b"not here")),
    };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    if is_packed && status == StatusCode::OK {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(mime));
    if status == StatusCode::OK && is_of_a_version(path) {
        // A browser then also keeps what it made of the programs, and does not compile them again
        // for every test.
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("max-age=86400, immutable"));
    }
    response
}

/// Whether a file is never another one under the same path, as long as the page is not built again.
fn is_of_a_version(path: &str) -> bool {
    path.split('/').any(|folder| folder.starts_with(VERSION))
}

fn read(file: &Path) -> Option<Bytes> {
    fs::read(file).ok().map(Bytes::from)
}

fn gzip(file: &Path, packed: &Packed) -> Option<Bytes> {
    if let Some(known) = packed.borrow().get(file) {
        return Some(known.clone());
    }
    let mut bytes = Vec::new();
    GzEncoder::new(fs::File::open(file).ok()?, Compression::default()).read_to_end(&mut bytes).ok()?;
    let bytes = Bytes::from(bytes);
    packed.borrow_mut().insert(file.to_path_buf(), bytes.clone());
    Some(bytes)
}

/// Whether a path lies in a sub-folder that is named after it, as `without-reader.js/reader.js`:
/// the first attempt to fetch it fails, further ones have a query.
fn is_withheld(path: &str, query: Option<&str>) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or_default();
    query.is_none() && folders.split('/').any(|folder| folder.strip_prefix("without-") == Some(name))
}

/// The file for a path. Leading folders that do not exist are taken for the sub-folder that the
/// page is served from.
fn find(folder: &Path, path: &str) -> Option<PathBuf> {
    let wanted = if path.ends_with('/') { format!("{path}index.html") } else { path.to_string() };
    let mut rest = wanted.trim_start_matches('/');
    loop {
        let inside = Path::new(rest).components().all(|part| matches!(part, Component::Normal(_)));
        let file = folder.join(rest);
        if inside && file.is_file() {
            return Some(file);
        }
        rest = rest.split_once('/')?.1;
    }
}

fn mime(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("webmanifest") => "application/manifest+json",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sub_folder_serves_the_same_files() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let here = Some(folder.join("src/lib.rs"));
        assert_eq!(find(folder, "/src/lib.rs"), here);
        assert_eq!(find(folder, "/sub/dir/src/lib.rs"), here);
        assert_eq!(find(folder, "/../e2e/src/lib.rs"), here, "what leads out of the folder is looked for inside");
        assert_eq!(find(folder, "/sub/none.rs"), None);
    }

    #[test]
    fn files_of_a_version_are_kept_by_browsers() {
        assert!(is_of_a_version("/packed/build-0123/app.js") && !is_of_a_version("/packed/index.html"));
    }

    #[test]
    fn a_folder_withholds_the_file_that_it_is_named_after_once() {
        assert!(is_withheld("/without-lib.rs/src/lib.rs", None));
        assert!(!is_withheld("/without-lib.rs/src/lib.rs", Some("1")));
        assert!(!is_withheld("/without-lib.rs/src/page.rs", None) && !is_withheld("/src/lib.rs", None));
    }
}
