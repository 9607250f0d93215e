//! Floor 6: the web worker that runs the engine for the page, and both ends of the line between them.

#[cfg(target_arch = "wasm32")]
mod client;
mod message;
#[cfg(target_arch = "wasm32")]
mod server;

#[cfg(target_arch = "wasm32")]
pub use client::{Client, Heard};
pub use message::Request;
#[cfg(target_arch = "wasm32")]
pub use server::serve;

/// Name of the worker that serves the page, so that the module knows itself in it.
#[cfg(target_arch = "wasm32")]
const WORKER: &str = "memplan";
