//! A server on this machine, for `memplan view` and for the tests of the page.
//!
//! In go a listener bound to a port, a function that answers a request, and a future that ends it
//! all; out come answers in HTTP/1.1. Begin reading at [`serve`].

#![deny(unsafe_code)]
#![warn(missing_docs)]

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::rc::Rc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::runtime::Builder;
use tokio::task::{LocalSet, spawn_local};

/// A request; no answer looks into its body.
pub type Asked = Request<Incoming>;

/// What is sent back.
pub type Answer = Response<Full<Bytes>>;

/// Time until the next try after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// Time after which a connection is closed that asks for nothing: each takes a file descriptor.
const IDLE: Duration = Duration::from_secs(60);

/// Answers requests until `end` is there. Every connection is a task of its own: a browser opens
/// some and leaves them idle.
///
/// # Errors
/// The port cannot be used.
pub fn serve<T>(
    listener: TcpListener,
    answer: impl Fn(&Asked) -> Answer + 'static,
    end: impl Future<Output = T>,
) -> io::Result<T> {
    let answer = Rc::new(answer);
    listener.set_nonblocking(true)?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        spawn_local(async move {
            loop {
                // A connection that ends before it began is no reason to end. Without a file
                // descriptor the next try would fail at once, too.
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                };
                let answer = answer.clone();
                let service = service_fn(move |request| {
                    let response = answer(&request);
                    async { Ok::<_, Infallible>(response) }
                });
                let mut http = http1::Builder::new();
                http.timer(TokioTimer::new()).header_read_timeout(IDLE);
                let connection = http.serve_connection(TokioIo::new(stream), service);
                // A client that has gone needs no answer.
                spawn_local(async { drop(connection.await) });
            }
        });
        Ok(end.await)
    })
}

/// An answer with a body of a type.
pub fn answer(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(body.into()));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// The type of a file of the page, by its name.
pub fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        _ => "application/octet-stream",
    }
}
