//! Place all blocks so that the peak is the lower bound.
//!
//! An instance has 4 to 6, 7 to 9 or 10 to 14 blocks, by difficulty. Exact search proves that a
//! plan reaches the bound; first fit misses it.

use super::{Activity, Asks, Buffers, Goals, Practice};
use crate::exercise::variant::attempt::{
    Attempt, Attempting, Candidate, InstanceConfig, Rejection, at_bound, document, placed, plan,
};
use crate::exercise::variant::facts::{Facts, Question, record_of, words_of};
use crate::exercise::variant::make;
use memplan_core::base::Message;
use memplan_core::problem::lower_bound;
use memplan_formats::import::Document;
use memplan_planners as planner;
use serde_json::json;

pub const ACTIVITY: Activity = Activity {
    name: "pack",
    title: "game.kind.pack",
    about: Some("game.about-pack"),
    asks_words: "exercise.game-pack",
    how: "exercise.how-game",
    buffers: Buffers::SeedOrDocument,
    asks: Asks::Goals(Goals {
        count: 3,
        words: Some("teach.goals-pack"),
        best: "game.your-best-bytes",
        in_turn: false,
        of_open: Some("game.as-pack"),
    }),
    hides: true,
    practice: Some(Practice { number: 2, help: "Place blocks so that the peak is the lower bound" }),
};

pub const ATTEMPT: Option<Attempting> = Some(attempt);

/// Fewer steps leave little to find out.
const FEWEST_STEPS: u32 = 3;

fn attempt(config: &mut InstanceConfig) -> Attempt {
    let (fewest, most, steps, height, left_out) =
        config.difficulty.of([(4, 6, 5, 10, 3), (7, 9, 7, 18, 3), (10, 14, 9, 24, 2)]);
    let count = config.dice.within(fewest + 1..=most + 1) as usize;
    let blocks = make::cut(config.dice, count, steps, height, left_out);
    if !(fewest as usize..=most as usize).contains(&blocks.len()) {
        return Err(Rejection::Another);
    }
    let problem = make::problem(config.name.into(), blocks, 1);
    if problem.steps < FEWEST_STEPS {
        return Err(Rejection::Another);
    }
    let bound = lower_bound(&problem);
    let first_fit = plan(planner::YARDSTICK, &problem, None).ok_or(Rejection::Another)?.peak(&problem);
    if first_fit == bound {
        return Err(Rejection::Another);
    }
    let best = at_bound(&problem).ok_or(Rejection::Another)?;
    let (document, own) = document(config.planner, problem.clone())?;
    let planner = plan(config.planner, &own, document.graph()).ok_or(Rejection::Another)?.peak(&own);
    let places = placed(&problem, &best);
    let count = problem.buffers.len();
    let question = Question {
        ask: Message::new("variant.pack-ask").count("n", count).bytes("bound", bound).bytes("fit", first_fit),
        answer: Message::new("variant.pack-answer").bytes("bound", bound).inner("places", words_of(&places, &problem)),
    };
    let record = json!({ "bound": bound, "first_fit": first_fit, "planner": planner, "places": record_of(&places) });
    let facts = Facts::Pack { bound, first_fit, planner, places };
    // Blocks are moved by hand: what the planner needs of a graph has no part in it.
    let document = Document::Buffers(problem.clone());
    Ok(Candidate { document, problem, facts, record, questions: vec![question] })
}
