//! The programming interface: read, plan, replay, check and compare, with plain values,
//! for the command line and for JavaScript (docs/javascript.md, `www/memplan.d.ts`). Only `web` has
//! types of the browser; all else is tested natively.

mod board;
mod compare;
mod diff;
mod error;
mod exercise;
mod fit;
mod run;
mod settings;
mod sheet;
mod text;
mod verify;

pub use board::{BoardRecord, worst_board};
pub use compare::{ComparisonRow, compare};
pub use diff::{DiffSettings, diff_chart, diff_model, lone_model};
pub use error::{ApiError, Code};
pub use exercise::{ExerciseRecord, QuestionRecord, exercise, graph_of};
pub use fit::{FitSettings, fit};
pub use run::{PlannedDocument, chosen, frame_number, plan, plan_file, problem, replay, run, within};
pub use settings::{CallSettings, ExerciseSettings, MAX_TRIES, PictureSettings, TRIES, level, option_values};
pub use sheet::sheet;
pub use text::say;
pub use verify::{Finding, verify};
