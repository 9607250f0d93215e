//! The league: planners on public instances, with every plan kept so that anybody can check it.
//!
//! `www/league` holds it. People write `entries.json` (who takes part); `memplan league` writes
//! the rest: `figures.json`, and for each instance its plans as offsets. Instances whose files may
//! be part of this repository lie in `instances`; of all others the digest says which file is
//! meant.
//!
//! | file | contents |
//! |---|---|
//! | `record` | the files of the league |
//! | `judge` | an instance and the offsets of a plan → peak and broken rules, without a planner |
//! | `measure` | an instance → the plans of all planners, with their times |
//! | `standing` | figures → ranks, proofs, what is open |
//! | `text` | figures → the tables of docs/league.md |

mod judge;
mod measure;
mod record;
mod standing;
mod text;

pub use judge::{Judged, buffers, digest, fitted, judged, of_plan};
pub use measure::measured;
pub use record::{Conditions, Entries, Entry, FORMAT, Figures, Measured, Plans, Row};
pub use standing::{Mark, Standing, distance, standing};
pub use text::with_tables;
