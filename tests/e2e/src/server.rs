//! A static file server for the built page, in the root and in any sub-folder alike.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tiny_http::{Header, Request, Response};

/// Requests answered side by side: the page, its worker and a second window.
const THREADS: usize = 4;

/// Serves a folder for as long as it lives.
pub struct Server {
    listener: Arc<tiny_http::Server>,
    threads: Vec<JoinHandle<()>>,
    port: u16,
}

impl Server {
    /// # Errors
    /// A sentence when no port can be opened.
    pub fn start(folder: &Path) -> Result<Server, String> {
        let listener =
            tiny_http::Server::http("127.0.0.1:0").map_err(|error| format!("No port to serve from: {error}"))?;
        let port = listener.server_addr().to_ip().map(|address| address.port()).ok_or("The server has no port.")?;
        let listener = Arc::new(listener);
        let threads = (0..THREADS)
            .map(|_| {
                let (listener, folder) = (listener.clone(), folder.to_path_buf());
                thread::spawn(move || {
                    while let Ok(request) = listener.recv() {
                        answer(request, &folder);
                    }
                })
            })
            .collect();
        Ok(Server { listener, threads, port })
    }

    /// The address of the root, with a slash at its end.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Each call ends one waiting thread.
        self.threads.iter().for_each(|_| self.listener.unblock());
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so itself.
            let _ = thread.join();
        }
    }
}

fn answer(request: Request, folder: &Path) {
    let path = request.url().split(['?', '#']).next().unwrap_or_default().to_string();
    let body = find(folder, &path).and_then(|file| Some((fs::read(&file).ok()?, mime(&file))));
    // A browser that went away needs no answer.
    let _ = match body {
        Some((body, mime)) => request.respond(Response::from_data(body).with_header(content_type(mime))),
        // A tab without an icon of its own asks for one; its absence is no fault of the page.
        None if path.ends_with("/favicon.ico") => request.respond(Response::empty(204)),
        None => request.respond(Response::from_string("not here").with_status_code(404)),
    };
}

/// The file for a path. Leading folders that do not exist are taken for the sub-folder that the page is served from.
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
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

fn content_type(mime: &str) -> Header {
    Header::from_bytes("Content-Type", mime).expect("the mime types above are plain ASCII")
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
}
