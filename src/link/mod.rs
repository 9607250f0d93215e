//! Floor 6: one job — open a document, plan it — and the worker that does it for the page.

// What a browser program exports it also carries: the page must not export the planners.
#[cfg(all(target_arch = "wasm32", feature = "engine"))]
mod bench;
#[cfg(target_arch = "wasm32")]
mod client;
mod desk;
mod diagram;
mod export;
mod packed;
#[cfg(target_arch = "wasm32")]
mod server;

#[cfg(target_arch = "wasm32")]
pub use client::{Client, Heard};
pub use desk::{Desk, Done, Failure, IMPORTED, Job, MANY, Opened, Planned, Request, Source, shown_as_read};
pub use diagram::{BOX, Boxed, Diagram, DiagramBox, MAX_BOXES, diagram};
pub use export::{Export, stem};
pub use packed::{MAX_LINK, pack};
#[cfg(target_arch = "wasm32")]
pub use server::serve;

/// Name of the worker that serves the page, so that the module knows itself in it.
#[cfg(target_arch = "wasm32")]
const WORKER: &str = "memplan";
