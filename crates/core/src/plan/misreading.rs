//! Whether the reading of a file contradicts the plan that the file's own system wrote.
//!
//! A runtime obeys the plan in its file, so that plan is rarely wrong. If it breaks a rule or lies
//! below the lower bound, the reader is wrong about sizes, live ranges or takeovers.

use std::borrow::Cow;

use super::{Plan, Violation, causes, check_up_to, metrics};
use crate::base::{Arg, Message};
use crate::problem::Problem;

/// Violations after which no more are looked for.
const MOST: usize = 1_000;

/// Most buffers named where a plan is below the bound.
const NAMED: usize = 4;

/// Returns the sentence with the first contradiction between a plan and the problem that was read
/// with it; none if the plan keeps every rule and is not below the lower bound.
///
/// `states_takeovers`: the file itself lists which buffers overwrite others in place. Bytes that
/// are handed over count once then. Takeovers that the reader only infers do not lower the bound.
pub fn misreading(problem: &Problem, plan: &Plan, states_takeovers: bool) -> Option<Message> {
    if plan.places.iter().all(Option::is_none) {
        return None;
    }
    let found = check_up_to(problem, plan, MOST);
    let first = found.iter().filter(|violation| !violation.is_quirk_of(plan)).min_by_key(|violation| when(violation));
    let why = first.map(|violation| violation.message(problem)).or_else(|| below(problem, plan, states_takeovers))?;
    Some(Message::new("misread.file").inner("why", why))
}

/// Order of violations: overlaps by their first step and byte, then all that have no step.
fn when(violation: &Violation) -> (u32, u64) {
    match *violation {
        Violation::Overlap { steps, bytes, .. } => (steps.0, bytes.0),
        _ => (u32::MAX, 0),
    }
}

/// Returns the sentence about a plan that takes less than is alive at one step. Quirks are overlaps
/// that the original makes too: a plan with quirks may lie below.
fn below(problem: &Problem, plan: &Plan, states_takeovers: bool) -> Option<Message> {
    let counted = if states_takeovers { handed_over_once(problem, plan) } else { Cow::Borrowed(problem) };
    let figures = metrics(&counted, plan);
    if figures.need() >= figures.bound() || !plan.quirks.is_empty() {
        return None;
    }
    let load = causes(&counted, plan)?.load;
    let names = load.live.iter().take(NAMED).map(|cause| problem.buffers[cause.buffer].name.clone()).collect();
    let message = Message::new("misread.below").bytes("peak", figures.need()).bytes("bound", figures.bound());
    Some(message.count("step", load.step).count("n", load.live.len()).with("names", Arg::Names(names)))
}

/// Returns the problem with every takeover counted once: in the step in which both are alive, only
/// the larger of the two is.
fn handed_over_once<'a>(problem: &'a Problem, plan: &Plan) -> Cow<'a, Problem> {
    let mut counted = Cow::Borrowed(problem);
    for &(acceptor, donor) in &plan.shared {
        let (to, from) = (&problem.buffers[acceptor], &problem.buffers[donor]);
        // A donor that gives way is counted once already.
        if from.gaps.iter().any(|gap| gap.live.contains(to.live.start)) {
            continue;
        }
        let buffers = &mut counted.to_mut().buffers;
        if from.size <= to.size {
            buffers[donor].live.end = to.live.start;
        } else {
            buffers[acceptor].live.start = from.live.end;
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Arg;
    use crate::plan::{Place, Pool, PoolId, PoolRole, Quirk, QuirkKind};
    use crate::problem::{Buffer, BufferId, Live, Memory};

    fn problem(buffers: &[(u64, u32, u32)]) -> Problem {
        let buffer = |(index, &(size, start, end)): (usize, &(u64, u32, u32))| {
            Buffer::of(format!("b{index}"), size, Live::new(start, end))
        };
        Problem {
            buffers: buffers.iter().enumerate().map(buffer).collect::<Vec<_>>().into(),
            memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
            steps: 9,
            ..Problem::default()
        }
    }

    fn plan(offsets: &[u64], size: u64) -> Plan {
        let pool = Pool { name: "arena".into(), size, device: "cpu".into(), role: PoolRole::Arena };
        let place = |&offset: &u64| Some(Place { pool: PoolId(0), offset });
        Plan {
            pools: vec![pool].into(),
            places: offsets.iter().map(place).collect::<Vec<_>>().into(),
            ..Plan::default()
        }
    }

    fn why(message: Option<Message>) -> Option<Message> {
        match message?.arg("why") {
            Some(Arg::Inner(why)) => Some(*why.clone()),
            _ => None,
        }
    }

    #[test]
    fn the_first_overlap_in_time_is_named() {
        let problem = problem(&[(8, 4, 6), (8, 5, 7), (4, 0, 2), (4, 1, 3)]);
        assert_eq!(misreading(&problem, &plan(&[0, 8, 0, 4], 16), false), None);
        let found = why(misreading(&problem, &plan(&[0, 0, 2, 0], 16), false)).expect("a contradiction");
        assert_eq!(found.key, "violation.overlap");
        assert_eq!((found.arg("a"), found.arg("b")), (Some(&Arg::Name("b2".into())), Some(&Arg::Name("b3".into()))));
        assert_eq!((found.arg("live"), found.arg("span")), (Some(&Arg::Live(1, 2)), Some(&Arg::Span(2, 4))));
        let found = why(misreading(&problem, &plan(&[0, 8, 0, 4], 12), false)).expect("a contradiction");
        assert_eq!(found.key, "violation.outside-pool");
    }

    #[test]
    fn a_plan_below_the_bound_is_one_unless_the_file_states_its_takeovers() {
        // b1 overwrites b0 in the last step of b0.
        let problem = problem(&[(8, 0, 3), (8, 2, 4)]);
        let taken = |size| Plan { shared: vec![(BufferId(1), BufferId(0))], ..plan(&[0, 0], size) };
        let found = why(misreading(&problem, &taken(8), false)).expect("a contradiction");
        assert_eq!((&*found.key, found.arg("step")), ("misread.below", Some(&Arg::Count(2))));
        assert_eq!((found.arg("peak"), found.arg("bound")), (Some(&Arg::Bytes(8)), Some(&Arg::Bytes(16))));
        assert_eq!(misreading(&problem, &taken(8), true), None);
        let of_another_size = self::problem(&[(16, 0, 3), (8, 2, 4)]);
        assert_eq!(misreading(&of_another_size, &taken(16), true), None);
    }

    #[test]
    fn quirks_and_figures_are_no_contradiction() {
        let problem = problem(&[(8, 0, 3), (8, 2, 4)]);
        let quirk = Quirk { kind: QuirkKind::IgnoredRead, a: BufferId(0), b: BufferId(1) };
        assert_eq!(misreading(&problem, &Plan { quirks: vec![quirk], ..plan(&[0, 0], 8) }, false), None);
        let figure = Pool { name: "f".into(), size: 3, device: "cpu".into(), role: PoolRole::Figure };
        let figure = Plan { pools: vec![figure].into(), places: vec![None, None].into(), ..Plan::default() };
        assert_eq!(misreading(&problem, &figure, false), None);
    }
}
