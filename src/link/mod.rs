//! Floor 6: one job — open a document, plan it — and the two places it can run in: the page itself for small documents, the
//! worker for large ones.

#[cfg(target_arch = "wasm32")]
mod bench;
#[cfg(target_arch = "wasm32")]
mod client;
mod desk;
#[cfg(target_arch = "wasm32")]
mod server;

#[cfg(target_arch = "wasm32")]
pub use client::{Client, Heard};
pub use desk::{Desk, Done, Failure, IMPORTED, Job, Opened, Planned, Source};
#[cfg(target_arch = "wasm32")]
pub use server::serve;
