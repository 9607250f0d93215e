//! Run time of a planner on a file, measured natively as in the browser.

use serde::Serialize;

use super::Engine;
use super::compare::PlannerChoice;
use super::plan::{Prepared, prepare};
use memplan_core::base::Message;
use memplan_core::problem::{Scope, lower_bound};
use memplan_core::trace::{Event, Note, Probe};
use memplan_planners::{self as planner, Input, PlanError};

/// One planner on one file.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Timing {
    /// Number of buffers.
    pub buffers: u32,
    /// Wall time of the fastest run in milliseconds, without reading the file: other load on the
    /// machine only adds to it.
    pub millis: f64,
    /// Wall time of the first run in milliseconds, which in a browser includes JIT warm-up.
    pub first: f64,
    /// Number of runs.
    pub runs: u32,
    /// Nodes that a search visited; 0 for planners that do not search.
    pub nodes: u64,
    /// Bytes; none if there is no plan or the search found none.
    pub peak: Option<u64>,
    /// Lower bound in bytes.
    pub bound: u64,
}

/// Most runs of a fast planner.
const RUNS: u32 = 1_000;

impl Engine {
    /// Runs a planner on the document, without recording events, for `span` milliseconds but at
    /// least once. `clock` returns milliseconds.
    ///
    /// # Errors
    /// The planner does not apply.
    pub fn time(&self, choice: &PlannerChoice, clock: &dyn Fn() -> f64, span: f64) -> Result<Timing, Message> {
        let document = self.document.as_ref().ok_or_else(|| Message::new("notice.crashed"))?;
        let scope = Scope::default();
        let start = clock();
        let Prepared { planner, options, problem, reordered } =
            prepare(document, &scope, &choice.planner, &choice.options)?;
        // The search for an order is part of planning, but is run only once.
        let searching = if planner::looks_for_order(&options) { clock() - start } else { 0.0 };
        let input = Input { problem: &problem, graph: reordered.as_ref().or(document.graph()) };
        let bound = lower_bound(&problem);
        let buffers = problem.buffers.len() as u32;
        let mut timing = Timing { buffers, millis: f64::MAX, first: 0.0, runs: 0, nodes: 0, peak: None, bound };
        let begin = clock();
        while timing.runs == 0 || timing.runs < RUNS && clock() - begin < span {
            let mut nodes = NodeCount::default();
            let start = clock();
            let plan = planner.plan(input, &options, &mut nodes);
            let millis = searching + clock() - start;
            timing.nodes = nodes.0.iter().map(|(_, nodes)| nodes).sum();
            timing.peak = match plan {
                Ok(plan) => Some(plan.peak(&problem)),
                Err(PlanError::Infeasible { .. } | PlanError::Undecided { .. }) => None,
                Err(error) => return Err(error.message()),
            };
            if timing.runs == 0 {
                timing.first = millis;
            }
            timing.millis = timing.millis.min(millis);
            timing.runs += 1;
        }
        Ok(timing)
    }
}

/// Nodes visited by the last search of each memory.
#[derive(Default)]
struct NodeCount(Vec<(u32, u64)>);

impl Probe for NodeCount {
    fn event(&mut self, event: Event) {
        if let Event::Note { note: Note::SearchFound | Note::SearchNone | Note::SearchOpen, subject, b, .. } = event {
            match self.0.iter_mut().find(|(memory, _)| *memory == subject) {
                Some((_, nodes)) => *nodes = b,
                None => self.0.push((subject, b)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_formats::import::{self, Answers};

    fn engine(text: &str) -> Engine {
        Engine::with_document(import::read(text.as_bytes(), Answers::default()).expect("a list of buffers").document)
    }

    /// Three buffers of four bytes and one of two, at most three of them live at a step.
    const LIST: &str = "id,lower,upper,size\na,0,2,4\nb,1,3,4\nc,2,4,4\nd,0,4,2\n";

    #[test]
    fn a_planner_is_run_until_the_time_is_over() {
        let ticks = std::cell::Cell::new(0.0);
        // Every reading of the clock takes a millisecond.
        let clock = || {
            ticks.set(ticks.get() + 1.0);
            ticks.get()
        };
        let timing = engine(LIST).time(&PlannerChoice::of("first-fit"), &clock, 10.0).expect("it applies");
        assert_eq!((timing.buffers, timing.runs, timing.nodes), (4, 4, 0));
        assert_eq!((timing.millis, timing.first), (1.0, 1.0));
        assert_eq!((timing.peak, timing.bound), (Some(10), 10));
        let once = engine(LIST).time(&PlannerChoice::of("naive"), &clock, 0.0).expect("it applies");
        assert_eq!((once.runs, once.peak), (1, Some(14)));
    }

    #[test]
    fn a_search_without_a_plan_is_timed_and_a_planner_that_does_not_apply_is_refused() {
        let clock = || 0.0;
        let timing = engine(LIST).time(&PlannerChoice::read("exact;capacity=9"), &clock, 0.0).expect("it applies");
        assert_eq!(timing.peak, None);
        assert!(engine(LIST).time(&PlannerChoice::of("inductor-reuse"), &clock, 0.0).is_err());
        assert!(engine(LIST).time(&PlannerChoice::read("exact;capacity=x"), &clock, 0.0).is_err());
    }
}
