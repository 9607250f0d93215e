//! A portfolio: runs planners that give addresses one after the other and keeps the smallest plan.
//!
//! **From**: our own; the idea is as old as heuristics.
//! **Rule**: the list goes from cheap to expensive: by size, by birth, by breadth, XLA's six,
//! TVM's, a beam, an exact search of a few nodes, then the climbs. The first of equals is kept, so
//! that the plan is the simplest one that does. When a plan reaches the lower bound, or the one
//! that the exact search proves, nothing else runs: it is optimal. A planner whose passes would go
//! beyond the limit of work is skipped, which is reported; the climbs share what is left.
//! **Time and alignment**: those of the planner that wins. All are given only the alignment that
//! the input asks for.
//! **Cost**: the sum of all, and once more for the winner unless that is the exact search; at most
//! option `work` times a constant. The exact search may visit more nodes in proportion when `work`
//! is a multiple of its default.
//! **Does badly**: it asks many before it asks one that can prove. Sizes 3, 3, 1, 2, 1, 3, 3 live
//! [0,1), [0,2), [1,3), [1,4), [2,4), [3,5), [4,5): the bound is 6, no plan is below 7; the first
//! planner finds 7, and eight more run before the exact search proves it.
//! **Differs**: nothing to differ from.

use std::ops::ControlFlow;

use super::climb::report_bound;
use super::exact::usual_nodes;
use super::{
    BRANCH_SAFE, Case, Complexity, Contender, Effort, Evidence, Group, Info, Input, Needs, OptionKind, OptionSpec,
    Options, PlanError, Planner, REGISTRY, Source, Work, orders, way,
};
use memplan_core::plan::{Place, Plan, Proof};
use memplan_core::problem::lower_bound;
use memplan_core::trace::{Event, Note, Probe};

/// The portfolio.
pub struct Best;

/// Its name in links, files and on the command line.
pub const ID: &str = "best";

/// Millions of neighbours that take some seconds.
const USUAL_WORK: &str = "70";

static INFO: Info = Info {
    id: ID,
    system: "memplan",
    name: "portfolio",
    source: Source { repository: "", version: "", file: "" },
    needs: Needs::Intervals,
    options: &[
        OptionSpec { key: "searches", original: "searches", kind: OptionKind::Flag, default: "true" },
        OptionSpec {
            key: "work",
            original: "work",
            kind: OptionKind::Whole { min: 1, max: 1_000_000 },
            default: USUAL_WORK,
        },
        BRANCH_SAFE,
    ],
    complexity: Complexity::Sum,
    align: 1,
    sweeps: false,
    ranked: true,
    example: "two_branches",
    case: Case { options: &[], peak: 7, best: 7 },
    evidence: Evidence::Stated("evidence.best"),
    effort: Effort::Search,
    group: Group::Search,
    ..Info::BASE
};

impl Best {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

/// Planners that take part, in the order in which they run.
fn contenders() -> Vec<(&'static dyn Planner, Contender)> {
    let contends = |planner: &&'static dyn Planner| Some((*planner, planner.info().contender?));
    let mut contenders: Vec<_> = REGISTRY.iter().filter_map(contends).collect();
    contenders.sort_by_key(|(_, contender)| contender.turn);
    contenders
}

impl Planner for Best {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let mut bound = lower_bound(input.problem);
        let pairs = orders::conflicts(input.problem).iter().map(|&count| u64::from(count)).sum::<u64>() / 2;
        let mut left = options.whole("work").saturating_mul(1_000_000);
        let times = (options.whole("work") / USUAL_WORK.parse().unwrap_or(1)).max(1);
        // Three quarters of what an exact search takes by itself.
        let most = usual_nodes(input.problem) / 4 * 3;
        let mut best: Option<Winning> = None;
        let mut kept = None;
        for (planner, Contender { work, .. }) in contenders() {
            let info = planner.info();
            if info.effort == Effort::Search && !options.flag("searches") {
                continue;
            }
            let note = |note, a| Event::Note { note, subject: way(info.id), a, b: 0 };
            let (cost, own) = match work {
                Work::Passes(passes) => (passes.saturating_mul(pairs), None),
                Work::Nodes { passes, .. } => (times.saturating_mul(passes).saturating_mul(pairs), None),
                // Half of a climb's work goes to its second run, which reports it.
                Work::Part(part) => (left / part, Some(left / part / 2 / 1_000_000)),
            };
            // The first contender always runs, so there is always a plan.
            let is_too_dear =
                cost > left || own.is_some_and(|own| own == 0 || own.saturating_mul(1_000_000) < 8 * pairs);
            if best.is_some() && is_too_dear {
                probe.event(note(Note::SkipWay, 0));
                continue;
            }
            left = left.saturating_sub(cost);
            let own = own.map(|own| own.max(1).to_string());
            let given = [(BRANCH_SAFE.key, options.get(BRANCH_SAFE.key))];
            let nodes = if let Work::Nodes { nodes, .. } = work { Some(times * nodes.min(most)) } else { None };
            let nodes = nodes.map(|nodes| nodes.to_string());
            let given = given.into_iter().chain(own.iter().map(|own| ("work", own.as_str())));
            let given = given.chain(nodes.iter().map(|nodes| ("nodes", nodes.as_str())));
            let Ok(theirs) = info.options(given) else { continue };
            let mut trying = Trying { probe, bound, kept: &mut kept, recorded: nodes.is_some().then(Vec::new) };
            let plan = planner.plan(input, &theirs, &mut trying)?;
            let recorded = trying.recorded;
            let total = plan.peak(input.problem);
            if let Proof::Optimal { bound: proved } | Proof::Best { bound: proved } = plan.proof {
                bound = bound.max(proved);
            }
            probe.event(note(Note::TryWay, total));
            if best.as_ref().is_none_or(|best| total < best.total) {
                let offset = |place: &Option<Place>| place.map_or(0, |place| place.offset);
                kept = Some((total, plan.places.iter().map(offset).collect()));
                Trying { probe, bound, kept: &mut kept, recorded: None }.offer();
                best =
                    Some(Winning { total, planner, options: theirs, run: recorded.map(|recorded| (plan, recorded)) });
            }
            if total <= bound {
                break;
            }
        }
        let Some(Winning { total, planner, options, run }) = best else { return Ok(Plan::empty(input.problem)) };
        probe.event(Event::Note { note: Note::KeepWay, subject: way(planner.info().id), a: total, b: 0 });
        report_bound(total, bound, probe);
        let proof = if total <= bound { Proof::Optimal { bound } } else { Proof::Best { bound } };
        let mut winner = Winner(probe);
        let plan = match run {
            Some((plan, recorded)) => {
                recorded.into_iter().for_each(|event| winner.event(event));
                plan
            }
            None => planner.plan(input, &options, &mut winner)?,
        };
        Ok(Plan { proof, ..plan })
    }
}

/// The contender with the smallest plan so far.
struct Winning {
    total: u64,
    planner: &'static dyn Planner,
    options: Options,
    /// Plan and events of an exact search, which reports no candidates, so its events are few.
    /// `None` for all other planners: their events are too many to keep for every contender, so the
    /// winner runs once more.
    run: Option<(Plan, Vec<Event>)>,
}

/// The probe of a contender. It withholds the contender's events, and offers the best plan of
/// earlier contenders to the outer probe until that accepts it.
struct Trying<'a> {
    probe: &'a mut dyn Probe,
    bound: u64,
    /// Peak and offsets of the best plan that the receiver has not accepted yet.
    kept: &'a mut Option<(u64, Vec<u64>)>,
    /// The events so far, if they are kept.
    recorded: Option<Vec<Event>>,
}

impl Trying<'_> {
    fn offer(&mut self) {
        if let Some((peak, offsets)) = &*self.kept
            && self.probe.best(*peak, self.bound, &mut || offsets.clone())
        {
            *self.kept = None;
        }
    }
}

impl Probe for Trying<'_> {
    fn event(&mut self, event: Event) {
        if let Some(recorded) = &mut self.recorded {
            recorded.push(event);
        }
    }

    fn wants_detail(&self, decision: u32) -> bool {
        self.recorded.is_some() && self.probe.wants_detail(decision)
    }

    fn pulse(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        self.offer();
        self.probe.pulse(done, total)
    }

    fn best(&mut self, peak: u64, bound: u64, offsets: &mut dyn FnMut() -> Vec<u64>) -> bool {
        let is_better = self.kept.as_ref().is_none_or(|(least, _)| peak < *least);
        !is_better || self.probe.best(peak, bound.max(self.bound), offsets)
    }
}

/// Forwards the events of the winner, except its notes on its own tries and on the bound: the
/// portfolio emits its own.
struct Winner<'a>(&'a mut dyn Probe);

impl Probe for Winner<'_> {
    fn event(&mut self, event: Event) {
        let is_own =
            matches!(event, Event::Note { note: Note::TryWay | Note::KeepWay | Note::AtBound | Note::AboveBound, .. });
        if !is_own {
            self.0.event(event);
        }
    }

    fn wants_detail(&self, decision: u32) -> bool {
        self.0.wants_detail(decision)
    }

    fn pulse(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        self.0.pulse(done, total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{buffer, problem};
    use memplan_core::problem::{Problem, sample};
    use memplan_core::trace::Recorder;

    fn run(problem: &Problem, given: &[(&str, &str)]) -> (u64, Vec<(Note, u32, u64)>) {
        let options = INFO.options(given.iter().copied()).expect("declared");
        let mut recorder = Recorder::default();
        let plan = Best.plan(Input { problem, graph: None }, &options, &mut recorder).expect("applicable");
        assert_eq!(memplan_core::plan::check(problem, &plan), []);
        let note = |event: &Event| match *event {
            Event::Note { note, subject, a, .. } => Some((note, subject, a)),
            _ => None,
        };
        (plan.peak(problem), recorder.events.iter().filter_map(note).collect())
    }

    #[test]
    fn contenders_run_one_after_the_other() {
        let turns: Vec<u8> = contenders().iter().map(|(_, contender)| contender.turn).collect();
        assert_eq!(turns, (0..12).collect::<Vec<u8>>());
    }

    #[test]
    fn the_bound_ends_it() {
        let problem = problem(vec![buffer("a", 4, 0, 1), buffer("b", 2, 0, 2)]);
        let (peak, emitted) = run(&problem, &[]);
        assert_eq!(peak, 6);
        let size = way("greedy-by-size");
        assert_eq!(emitted, [(Note::TryWay, size, 6), (Note::KeepWay, size, 6), (Note::AtBound, 0, 6)]);
    }

    #[test]
    fn it_is_as_good_as_the_best_of_its_list() {
        for seed in 0..4 {
            let problem = sample(60, seed);
            let (peak, emitted) = run(&problem, &[("searches", "false")]);
            let tried: Vec<u64> = emitted.iter().filter(|(note, ..)| *note == Note::TryWay).map(|&(.., a)| a).collect();
            assert_eq!(tried.iter().copied().min(), Some(peak));
            let (least, _) = run(&problem, &[]);
            assert!(least <= peak);
        }
    }

    #[test]
    fn what_is_too_dear_is_skipped_and_told() {
        let problem = sample(4_000, 1);
        let (_, emitted) = run(&problem, &[("work", "1")]);
        assert!(emitted.iter().any(|&(note, ..)| note == Note::SkipWay));
        assert_eq!(emitted[0].0, Note::TryWay, "one always runs");
    }
}
