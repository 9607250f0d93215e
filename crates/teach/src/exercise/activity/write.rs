//! Write a program that does what a planner does, or that stays below a peak. It is judged on
//! instances that nobody has seen.
//!
//! An instance has 6 to 8, 9 to 13 or 18 to 26 buffers of few sizes, so that gaps are filled
//! exactly and sizes are equal: who takes the last of two equal gaps gets another plan on about
//! half of the large ones. The planner's plan is none of [`RIVALS`], so that a program with a
//! simpler rule gets another one.

use super::{Activity, Asks, Buffers, Practice};
use crate::choices::RIVALS;
use crate::exercise::variant::attempt::{
    Attempt, Attempting, Candidate, InstanceConfig, Rejection, document, placed, plan,
};
use crate::exercise::variant::facts::{Facts, Question, record_of, words_of};
use crate::exercise::variant::make;
use memplan_core::base::Message;
use memplan_core::plan::{Plan, PoolRole};
use memplan_core::problem::lower_bound;
use memplan_planners as planner;
use serde_json::json;

pub const ACTIVITY: Activity = Activity {
    name: "write",
    title: "write.title",
    about: None,
    asks_words: "exercise.asks-write",
    how: "exercise.how-write",
    buffers: Buffers::Seed,
    asks: Asks::Program,
    hides: false,
    practice: Some(Practice { number: 8, help: "Write a program that does what the planner does" }),
};

pub const ATTEMPT: Option<Attempting> = Some(attempt);

/// Sizes are that many units at most.
const LARGEST: u64 = 3;

/// What a program begins with where the teacher gives nothing else.
pub const TEMPLATE: &str = "fn place(buffer, gaps) {\n    \n}\n";

fn attempt(config: &mut InstanceConfig) -> Attempt {
    if config.planner.info().storages {
        let id = config.planner.info().id;
        return Err(Rejection::Never(Message::new("write.no-addresses").text("planner", id)));
    }
    let (fewest, most, steps) = config.difficulty.of([(6, 8, 6), (9, 13, 8), (18, 26, 10)]);
    let count = config.dice.within(fewest..=most);
    let problem = make::problem(config.name.into(), make::crowd(config.dice, count, steps, LARGEST), 1);
    let (document, problem) = document(config.planner, problem)?;
    let found = plan(config.planner, &problem, document.graph()).ok_or(Rejection::Another)?;
    if found.pools.len() != 1 || found.pools.iter().any(|pool| pool.role == PoolRole::Figure) {
        return Err(Rejection::Another);
    }
    let offsets = |plan: &Plan| plan.places.iter().map(|place| place.map(|place| place.offset)).collect::<Vec<_>>();
    let rivals = RIVALS.into_iter().filter(|id| *id != config.planner.info().id).filter_map(planner::find);
    for rival in rivals {
        if plan(rival, &problem, document.graph()).is_none_or(|other| offsets(&other) == offsets(&found)) {
            return Err(Rejection::Another);
        }
    }
    let (peak, bound) = (found.peak(&problem), lower_bound(&problem));
    let places = placed(&problem, &found);
    let ask = Message::new("write.instance-ask").text("planner", config.planner.info().id);
    let questions = vec![Question { ask, answer: words_of(&places, &problem) }];
    let record = json!({ "bound": bound, "planner": peak, "places": record_of(&places) });
    Ok(Candidate { document, problem, facts: Facts::Write { peak, bound, places }, record, questions })
}
