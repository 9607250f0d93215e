//! The web worker that runs the engine for the page, and both ends of the line between
//! them.
//!
//! In goes what the page asks, as a message of bytes; out come progress and an answer. Begin with
//! `received` in `server.rs`, or with [`Client`] at the end of the page.
//!
//! # The way of a file
//!
//! The page keeps a handle of a file ([`FileData`]), never its bytes. From the file picker to a
//! reader:
//!
//! | step | where | copies |
//! |---|---|---|
//! | the picker returns a `File` | page | 0: a handle |
//! | `Client::send` posts the handle beside the encoded command | page → worker | 0: handles are shared |
//! | `Blob.arrayBuffer` reads the file | browser, in the worker | 0: the bytes arrive |
//! | `Uint8Array.to_vec` | worker: browser → memory of the program `engine` | **1** |
//! | graphs, plans and buffer lists are read where the bytes lie | `engine` | 0 |
//! | other tools' files are passed to `read` as a view of that memory | `engine` → memory of the program `reader` | **2** |
//!
//! After a worker was ended the handle is read again. A gzip file is unpacked once, in `engine`,
//! and the unpacked bytes are passed on in its place. Bytes that the page has anyway (a link's
//! document, pasted text, an edited graph) are copied once more, into the array that is
//! transferred. `tests/native/copies.rs` and `tests/browser/copies.rs` count.

#![deny(unsafe_code)]
#![warn(missing_docs)]

mod client;
mod file;
mod life;
mod message;
mod packing;
mod parts;
#[cfg(target_arch = "wasm32")]
mod server;

pub use client::Client;
pub use file::FileData;
pub use life::beside;
pub use message::{Unstarted, WorkerEvent, WorkerReply, WorkerRequest};
pub use packing::{pack, unpack, with_files};
pub use parts::{Arrived, Part, take_parts};
#[cfg(target_arch = "wasm32")]
pub use server::serve;

/// Name of the page's worker, by which the program recognises that it runs in it.
const WORKER: &str = "memplan";
