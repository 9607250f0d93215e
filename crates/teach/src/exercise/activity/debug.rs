//! Find the one fault of a plan.
//!
//! An instance has 5 to 6, 7 to 9 or 10 to 13 buffers, by difficulty. The check of plans finds
//! exactly one fault, of the kind that was planted.

use super::{Activity, Asks, Buffers, Goals, Practice};
use crate::exercise::dice::Dice;
use crate::exercise::variant::attempt::{Attempt, Attempting, Candidate, InstanceConfig, Rejection, document, plan};
use crate::exercise::variant::facts::{Facts, FaultKind, Question};
use crate::exercise::variant::make::{self, Block};
use memplan_core::base::Message;
use memplan_core::plan::{Plan, Violation, check};
use memplan_core::problem::{BufferId, Problem};
use memplan_formats::import::Document;
use memplan_planners::Planner;
use serde_json::json;

pub const ACTIVITY: Activity = Activity {
    name: "debug",
    title: "game.kind.debug",
    about: Some("game.about-debug"),
    asks_words: "exercise.game-debug",
    how: "exercise.how-game",
    buffers: Buffers::Seed,
    asks: Asks::Goals(Goals {
        count: 1,
        words: Some("teach.goals-debug"),
        best: "game.found-at",
        in_turn: false,
        of_open: None,
    }),
    hides: true,
    practice: Some(Practice { number: 5, help: "Find the one fault of a plan" }),
};

pub const ATTEMPT: Option<Attempting> = Some(attempt);

/// Alignment of every buffer, in bytes, and half of it, of which all sizes are multiples.
const ALIGN: u64 = 64;
const HALF: u64 = ALIGN / 2;

fn attempt(config: &mut InstanceConfig) -> Attempt {
    if config.planner.info().storages {
        return Err(Rejection::Never(Message::new("variant.needs-addresses")));
    }
    let (fewest, most, steps, kinds) = config.difficulty.of([(5, 6, 5, 2), (7, 9, 7, 4), (10, 13, 9, 4)]);
    let count = config.dice.within(fewest..=most);
    let blocks = make::crowd(config.dice, count, steps, 30);
    let blocks: Vec<Block> =
        blocks.into_iter().map(|block| Block { size: block.size / make::UNIT * HALF, ..block }).collect();
    let fault = *config.dice.pick(&FaultKind::ALL[..kinds]);
    let (document, problem) = document(config.planner, make::problem(config.name.into(), blocks, ALIGN))?;
    let planned = plan(config.planner, &problem, document.graph()).ok_or(Rejection::Another)?;
    if planned.places.iter().any(Option::is_none) || !check(&problem, &planned).is_empty() {
        return Err(Rejection::Another);
    }
    let broken = match fault {
        FaultKind::Overlap => moved(config.dice, &problem, &planned, ALIGN),
        FaultKind::Misaligned => moved(config.dice, &problem, &planned, HALF),
        FaultKind::AbovePeak => claimed(&problem, &planned),
        FaultKind::FreedEarly => freed_early(config, &problem, &document),
    };
    let (plan, violation) = broken.and_then(|plan| one_fault(&problem, plan, fault)).ok_or(Rejection::Another)?;
    let named = |id: &BufferId| problem.buffers[*id].name.clone();
    let buffers: Vec<String> = match violation {
        Violation::Overlap { a, b, .. } => [a, b].iter().map(named).collect(),
        Violation::Misaligned { buffer, .. } | Violation::OutsidePool { buffer, .. } => vec![named(&buffer)],
        _ => return Err(Rejection::Another),
    };
    let answer = Message::new("variant.debug-answer").inner("fault", words_of(fault));
    let question = Question {
        ask: Message::new("variant.debug-ask").count("n", problem.buffers.len()),
        answer: answer.inner("found", debug_words(&violation, &problem)),
    };
    let record = json!({ "fault": fault.name(), "buffers": buffers });
    let facts = Facts::Debug { fault, violation, buffers };
    let document = Document::Plan(problem.clone(), plan);
    Ok(Candidate { document, problem, facts, record, questions: vec![question] })
}

/// The kind of a fault in words.
fn words_of(fault: FaultKind) -> Message {
    Message::new(match fault {
        FaultKind::Overlap => "variant.fault-overlap",
        FaultKind::Misaligned => "variant.fault-misaligned",
        FaultKind::AbovePeak => "variant.fault-above-peak",
        FaultKind::FreedEarly => "variant.fault-freed-early",
    })
}

/// The plan with its only fault, if that is one of the kind wanted.
fn one_fault(problem: &Problem, plan: Plan, wanted: FaultKind) -> Option<(Plan, Violation)> {
    let mut found = check(problem, &plan);
    let violation = found.pop().filter(|_| found.is_empty())?;
    let kind = match violation {
        Violation::Overlap { a, b, steps, .. } => {
            let last = problem.buffers[a].live.end.min(problem.buffers[b].live.end);
            let is_early = steps == (last - 1, last) && problem.buffers[a].live.start != problem.buffers[b].live.start;
            if is_early { FaultKind::FreedEarly } else { FaultKind::Overlap }
        }
        Violation::Misaligned { .. } => FaultKind::Misaligned,
        Violation::OutsidePool { .. } => FaultKind::AbovePeak,
        _ => return None,
    };
    (kind == wanted).then_some((plan, violation))
}

/// The plan with one buffer at another address below the top: a multiple of `unit` and, if that is
/// not the alignment, no multiple of the alignment.
fn moved(dice: &mut Dice, problem: &Problem, plan: &Plan, unit: u64) -> Option<Plan> {
    let ids: Vec<BufferId> = problem.buffers.ids().collect();
    let id = *dice.pick(&ids);
    let mut plan = plan.clone();
    let place = plan.places[id].as_mut()?;
    let room = plan.pools.get(place.pool)?.size.checked_sub(problem.buffers[id].size)?;
    let offset = dice.below(room / unit + 1) * unit;
    let is_aligned = offset.is_multiple_of(ALIGN);
    if offset == place.offset || is_aligned != (unit == ALIGN) {
        return None;
    }
    place.offset = offset;
    Some(plan)
}

/// The plan with a pool that claims to end where all but its highest buffer do.
fn claimed(problem: &Problem, plan: &Plan) -> Option<Plan> {
    let mut ends: Vec<u64> = plan
        .places
        .enumerate()
        .filter_map(|(id, place)| place.map(|place| place.offset + problem.buffers[id].size))
        .collect();
    ends.sort();
    let claimed = *ends.get(ends.len().checked_sub(2)?)?;
    let mut plan = plan.clone();
    if plan.pools.len() != 1 {
        return None;
    }
    plan.pools.iter_mut().for_each(|pool| pool.size = claimed);
    Some(plan)
}

/// The plan of a planner that believes that one buffer dies a step earlier.
fn freed_early(config: &mut InstanceConfig, problem: &Problem, whole: &Document) -> Option<Plan> {
    let ids: Vec<BufferId> = problem.buffers.ids().collect();
    let mut believed = problem.clone();
    let buffer = &mut believed.buffers[*config.dice.pick(&ids)];
    if buffer.live.len() < 2 {
        return None;
    }
    buffer.live.end -= 1;
    // A graph would have its own idea of who reads what.
    whole.graph().is_none().then(|| planned(config.planner, &believed)).flatten()
}

fn planned(planner: &dyn Planner, problem: &Problem) -> Option<Plan> {
    plan(planner, problem, None)
}

/// A fault in the words of the question, which speaks of a claimed peak and of no pool.
pub fn debug_words(violation: &Violation, problem: &Problem) -> Message {
    let name = |id: BufferId| problem.buffers[id].name.clone();
    match *violation {
        Violation::OutsidePool { buffer, end, size } => {
            Message::new("game.debug-beyond").name("name", name(buffer)).address("end", end).bytes("peak", size)
        }
        Violation::Misaligned { buffer, offset, align } => {
            let message = Message::new("game.debug-misaligned").name("name", name(buffer));
            message.address("at", offset).bytes("align", align)
        }
        _ => violation.message(problem),
    }
}
