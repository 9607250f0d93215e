//! Floor 6: one job — open a document, plan it — and the worker that does it for the page.

// What a browser program exports it also carries: the page must not export the planners.
#[cfg(all(target_arch = "wasm32", feature = "engine"))]
mod bench;
#[cfg(target_arch = "wasm32")]
mod client;
mod desk;
mod diagram;
#[cfg(all(target_arch = "wasm32", feature = "engine"))]
mod draw;
mod export;
mod listener;
mod measure;
mod packed;
mod readers;
#[cfg(target_arch = "wasm32")]
mod server;
mod timing;

#[cfg(target_arch = "wasm32")]
pub use client::{Client, Heard};
pub use desk::{Desk, Done, Failure, IMPORTED, Job, MANY, Opened, Planned, Request, Source, shown_as_read};
pub use diagram::{BOX, Boxed, Diagram, DiagramBox, MAX_BOXES, diagram};
pub use export::{Export, stem};
pub use listener::{Deaf, Listener, Progress};
pub use measure::{
    Best, Cell, Choice, Column, Counted, Entry, FIELDS, Field, Form, GraphRow, GrowthLine, Measure, Measured,
    Measurement, Point, Sheet, Task, Vary, curves, growth_chart, histogram, peaks, points, ranked, refused_by_all,
    sweep_chart, varies,
};
pub use packed::{Carried, MAX_LINK, pack};
pub use readers::{read, read_packed};
#[cfg(target_arch = "wasm32")]
pub use server::serve;
pub use timing::Timing;

/// Name of the worker that serves the page, so that the module knows itself in it.
#[cfg(target_arch = "wasm32")]
const WORKER: &str = "memplan";
