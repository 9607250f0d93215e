//! Floor 6: what is done with a document: open, plan, measure, export, lay out as a diagram. The command line, JavaScript and
//! the page's worker all use it.

// What a browser program exports it also carries: the page must not export the planners.
#[cfg(all(target_arch = "wasm32", feature = "engine"))]
mod bench;
mod desk;
mod diagram;
#[cfg(all(target_arch = "wasm32", feature = "engine"))]
mod draw;
mod export;
mod listener;
mod measure;
mod packed;
mod readers;
mod timing;

pub use desk::{Desk, Done, Failure, IMPORTED, Job, MANY, NoPlan, Opened, Planned, Source, shown_as_read};
pub use diagram::{BOX, Boxed, Diagram, DiagramBox, MAX_BOXES, diagram};
pub use export::{Export, stem};
pub use listener::{Deaf, Listener, Progress};
pub use measure::{
    Best, Cell, Choice, Column, Counted, Entry, FIELDS, Field, Form, GraphRow, GrowthLine, Measure, Measured,
    Measurement, Point, Sheet, Task, Vary, curves, growth_chart, histogram, peaks, points, ranked, refused_by_all,
    sweep_chart, varies,
};
pub use packed::{Carried, MAX_LINK, pack};
#[cfg(target_arch = "wasm32")]
pub use readers::fetch as fetch_readers;
pub use readers::{read, read_packed};
pub use timing::Timing;
