//! Exercises. Where may the next buffer go, and what is to be said of a guess? And
//! instances to practise on.
//!
//! Everything here is plain data: the page asks, lessons ask, and tests ask without either.
//!
//! | file | contents |
//! |---|---|
//! | `places`, `options`, `ask`, `judge`, `score` | questions about a run, and what is said of a guess |
//! | `figure` | figures that are worked out, and what is said of wrong ones |
//! | `packing`, `tray`, `hints`, `reach` | buffers of one arena moved by hand: legal places, what is in the way, undo, hints |
//! | `operators` | operators in another order, and the load that gives |
//! | `board` | the board of Break, and the search for bad boards |
//! | `link` | an exercise that a teacher made, as a link |
//! | `code` | result codes, and the check of those that students send |
//! | `dice` | numbers that are the same for the same seed everywhere |
//! | `typed` | buffers that are typed into a form |
//! | `worksheet` | two printed pages: questions with a grid, and answers with the plans |
//! | `activity` | the kinds of exercises and games, a file each |
//! | `variant` | a seed → an instance that has the property wanted |

pub mod activity;
pub mod board;
pub mod board_file;
pub mod code;
mod dice;
pub mod figure;
pub mod hints;
mod judge;
pub mod link;
pub mod operators;
mod options;
pub mod packing;
mod places;
mod reach;
mod score;
pub mod tray;
pub mod typed;
pub mod variant;
mod wording;
pub mod worksheet;

pub use judge::{Judged, MAX_BUFFERS, Rule, Verdict, choices, is_question, judge, refusal, rule_of};
pub use options::options;
pub use places::{Kind, Place, places, realised};
pub use score::{Answer, Answers, Given, Missed, Score};
pub use wording::{beside, ceilings, place_in_words, question};
