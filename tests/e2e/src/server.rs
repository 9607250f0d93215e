//! A static file server for the built page, in the root and in any sub-folder alike.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::path::{Component, Path, PathBuf};
use std::thread::{self, JoinHandle};

use flate2::Compression;
use flate2::read::GzEncoder;
use http::{HeaderValue, StatusCode, Uri, header};
use hyper::body::Bytes;
use memplan_serve::{Answer, kind, serve};
use tokio::sync::oneshot;

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
        let opened =
            TcpListener::bind("127.0.0.1:0").and_then(|listener| Ok((listener.local_addr()?.port(), listener)));
        let (port, listener) = opened.map_err(|error| format!("No port to serve from ({error})."))?;
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            let packed = Packed::default();
            // It ends when the sender is dropped.
            let ended = serve(listener, move |request| answer(request.uri(), &folder, &packed), stopped);
            ended.map(drop).expect("the port can be used");
        });
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

fn answer(uri: &Uri, folder: &Path, packed: &Packed) -> Answer {
    let path = uri.path();
    let is_packed = path.split('/').any(|folder| folder == PACKED);
    let body = Some(folder).filter(|_| !is_withheld(path, uri.query())).and_then(|folder| find(folder, path)).and_then(
        |file| Some((if is_packed { gzip(&file, packed) } else { read(&file) }?, kind(&file.to_string_lossy()))),
    );
    let Some((body, kind)) = body else {
        let (status, kind, body) = if path.strip_prefix('/') == Some(BLANK) {
            (StatusCode::OK, "text/html; charset=utf-8", "")
        } else if path.ends_with("/favicon.ico") {
            // A tab without an icon of its own asks for one; its absence is no fault of the page.
            (StatusCode::NO_CONTENT, "image/x-icon", "")
        } else {
            (StatusCode::NOT_FOUND, "text/plain", "not here")
        };
        return memplan_serve::answer(status, kind, body);
    };
    let mut response = memplan_serve::answer(StatusCode::OK, kind, body);
    if is_packed {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    if is_of_a_version(path) {
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
