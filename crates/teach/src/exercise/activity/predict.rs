//! Say where the planner puts the next buffer.
//!
//! An instance has 6 to 7, 8 to 10 or 11 to 14 buffers, by difficulty. Its places are not obvious:
//!
//! * the peak grows although something is free below the top (at least once, once, twice);
//! * lower holes are passed over (at least once, twice, three times);
//! * at least four questions have more than one place to choose from.

use super::{Activity, Asks, Buffers, Practice};
use crate::exercise::variant::attempt::{Attempt, Attempting, Candidate, InstanceConfig, Rejection, document, run};
use crate::exercise::variant::facts::{Facts, Placed, Question};
use crate::exercise::variant::make;
use crate::exercise::{is_question, places, question, realised, refusal};
use memplan_core::base::Message;
use memplan_core::plan::{PoolId, PoolRole};
use memplan_core::problem::BufferId;
use memplan_replay::{Frame, Run};
use serde_json::{Value, json};

pub const ACTIVITY: Activity = Activity {
    name: "predict",
    title: "predict.title",
    about: Some("predict.about"),
    asks_words: "exercise.asks",
    how: "exercise.how",
    buffers: Buffers::SeedOrDocument,
    asks: Asks::EveryPlace,
    hides: true,
    practice: Some(Practice { number: 1, help: "Say where the planner puts the next buffer" }),
};

pub const ATTEMPT: Option<Attempting> = Some(attempt);

/// Fewest questions with more than one place to choose from.
const QUESTIONS: usize = 4;

/// What the questions of a run have to offer.
#[derive(Default)]
struct Asked {
    growths_with_room: u32,
    passed_over: u32,
    /// Questions with more than one place to choose from.
    choices: usize,
    places: Vec<Placed>,
    questions: Vec<Question>,
}

fn attempt(config: &mut InstanceConfig) -> Attempt {
    let (fewest, most, steps, growths, passes) =
        config.difficulty.of([(6, 7, 6, 1, 1), (8, 10, 8, 1, 2), (11, 14, 10, 2, 3)]);
    let count = config.dice.within(fewest..=most);
    let problem = make::problem(config.name.into(), make::crowd(config.dice, count, steps, 12), 1);
    let (document, problem) = document(config.planner, problem)?;
    let run = run(config.planner, &problem, document.graph()).ok_or(Rejection::Another)?;
    if let Some(reason) = refusal(&run) {
        return Err(Rejection::Never(reason));
    }
    let asked = asked(&run);
    if asked.growths_with_room < growths || asked.passed_over < passes || asked.choices < QUESTIONS {
        return Err(Rejection::Another);
    }
    let Asked { growths_with_room, passed_over, places, questions, .. } = asked;
    let place = |placed: &Placed| json!({ "name": placed.name, "pool": placed.pool, "offset": placed.offset, "grew": placed.grew });
    let record = json!({
        "places": places.iter().map(place).collect::<Value>(),
        "growths_with_room": growths_with_room,
        "passed_over": passed_over,
    });
    let facts = Facts::Predict { places, growths_with_room, passed_over };
    Ok(Candidate { document, problem, facts, record, questions })
}

fn asked(run: &Run) -> Asked {
    let mut asked = Asked::default();
    for (at, decision) in (0..).zip(&run.timeline.decisions) {
        let (before, after) = (run.frame(decision.begin), run.frame(decision.end));
        let lies = after.places[decision.buffer].filter(|_| is_question(run, at));
        let Some(lies) = lies else { continue };
        let buffer = &run.problem.buffers[decision.buffer];
        let list = places(run, &before, decision.buffer);
        let grew = after.peak.saturating_sub(before.peak);
        let is_storage = run.plan.pools.get(lies.pool).is_some_and(|pool| pool.role == PoolRole::Storage);
        // Storages are taken whole: what is passed over is another storage.
        let (has_room, passes_over) = if is_storage {
            let taken = realised(&list, lies, buffer.size, grew);
            (list.len() > 1, taken.is_some_and(|taken| taken > 0))
        } else {
            let holes = holes(run, &before, decision.buffer, lies.pool);
            (!holes.is_empty(), holes.iter().any(|&from| from < lies.offset))
        };
        asked.growths_with_room += u32::from(grew > 0 && has_room);
        asked.passed_over += u32::from(passes_over);
        asked.choices += usize::from(list.len() > 1);
        asked.questions.push(Question {
            ask: question(run, decision.buffer),
            answer: answer(&buffer.name, lies, buffer.size, grew, is_storage),
        });
        asked.places.push(Placed { name: buffer.name.clone(), pool: lies.pool.0, offset: lies.offset, grew });
    }
    asked
}

fn answer(name: &str, lies: memplan_core::plan::Place, size: u64, grew: u64, is_storage: bool) -> Message {
    let key = match (is_storage, grew > 0) {
        (true, true) => "variant.goes-to-storage-grows",
        (true, false) => "variant.goes-to-storage",
        (false, true) => "variant.goes-to-grows",
        (false, false) => "variant.goes-to",
    };
    let message = Message::new(key).name("name", name).bytes("grew", grew);
    if is_storage {
        return message.count("n", lies.pool.0);
    }
    message.span("span", lies.offset, lies.offset.saturating_add(size))
}

/// Addresses at which bytes of a pool begin that are free during the whole life of a buffer, below
/// what lies highest.
fn holes(run: &Run, frame: &Frame, buffer: BufferId, pool: PoolId) -> Vec<u64> {
    let live = run.problem.buffers[buffer].live;
    let mut taken: Vec<(u64, u64)> = frame
        .places
        .enumerate()
        .filter(|(other, _)| *other != buffer && run.problem.buffers[*other].live.meets(live))
        .filter_map(|(other, place)| {
            let place = place.filter(|place| place.pool == pool)?;
            Some((place.offset, place.offset + run.problem.buffers[other].size))
        })
        .collect();
    taken.sort();
    let end = frame.pools.iter().find(|view| view.id == pool).map_or(0, |view| view.end);
    let (mut found, mut top) = (Vec::new(), 0);
    for (from, to) in taken.into_iter().chain([(end, end)]) {
        if top < from {
            found.push(top);
        }
        top = top.max(to);
    }
    found
}
