//! Floor 6: the programming interface. What the command line and JavaScript both do — read, plan, replay, check, compare —
//! as plain values; `web` gives it to JavaScript (docs/javascript.md, `www/memplan.d.ts`).
//!
//! Everything but `web` is free of web types and tested natively.

mod compare;
mod refusal;
mod run;
mod say;
mod settings;
mod sheet;
mod verify;
// What a browser program exports it also carries: the page must not export the planners.
#[cfg(all(target_arch = "wasm32", feature = "engine"))]
pub mod web;

pub use compare::{Row, compare};
pub use refusal::{Code, Refusal};
pub use run::{Ran, chosen, frame_number, plan, plan_file, problem, replay, run, within};
pub use say::{say, speech};
pub use settings::{Picture, Settings, level, option_values};
pub use sheet::sheet;
pub use verify::{Finding, verify};
