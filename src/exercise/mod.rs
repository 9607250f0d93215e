//! Floor 4: questions about a run. Where may the next buffer go, and what is to be said of a guess?
//!
//! Everything here is plain data: the page asks, lessons ask, and tests ask without either.

mod ask;
mod judge;
mod places;
mod score;

pub use ask::{beside, ceilings, question, told};
pub use judge::{Judged, MAX_BUFFERS, Rule, Verdict, is_question, judge, refusal, rule_of};
pub use places::{Kind, Place, places, realised};
pub use score::{Answer, Answers, Given, Missed, Score};
