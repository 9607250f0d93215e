//! How long a planner takes on a file, measured in the same way natively and in the browser.

use serde::Serialize;

use super::Desk;
use super::desk::{Prepared, prepare};
use super::measure::Choice;
use crate::base::Message;
use crate::planner::{self, Input, PlanError};
use crate::problem::{Scope, lower_bound};
use crate::trace::{Event, Note, Probe};

/// One planner on one file.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Timing {
    pub buffers: u32,
    /// Milliseconds of the quickest run, without reading the file: whatever else a machine does only makes a run longer.
    pub millis: f64,
    /// Milliseconds of the first run, which a browser begins before it has compiled the planner with care.
    pub first: f64,
    pub runs: u32,
    /// Nodes that a search visited; 0 for planners that do not search.
    pub nodes: u64,
    /// Bytes; absent where there is no plan or none was found.
    pub peak: Option<u64>,
    pub bound: u64,
}

/// Most runs of a planner that is done at once.
const RUNS: u32 = 1_000;

impl Desk {
    /// Runs a planner on the document, silently and as often as `span` milliseconds allow, but at least once.
    ///
    /// # Errors
    /// A message when the planner does not apply.
    pub fn time(&self, choice: &Choice, clock: &dyn Fn() -> f64, span: f64) -> Result<Timing, Message> {
        let document = self.document().map_err(|_| Message::new("notice.crashed"))?;
        let scope = Scope::default();
        let start = clock();
        let Prepared { planner, options, problem, reordered } =
            prepare(document, &scope, &choice.planner, &choice.options)?;
        // The search for an order is a part of the plan; it is run once.
        let searching = if planner::looks_for_order(&options) { clock() - start } else { 0.0 };
        let input = Input { problem: &problem, graph: reordered.as_ref().or(document.graph()) };
        let bound = lower_bound(&problem);
        let buffers = problem.buffers.len() as u32;
        let mut timing = Timing { buffers, millis: f64::MAX, first: 0.0, runs: 0, nodes: 0, peak: None, bound };
        let begin = clock();
        while timing.runs == 0 || timing.runs < RUNS && clock() - begin < span {
            let mut nodes = Nodes::default();
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

/// Nodes that had been visited, by memory, when the search of it last told an answer.
#[derive(Default)]
struct Nodes(Vec<(u32, u64)>);

impl Probe for Nodes {
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
    use crate::import::{self, Answers};

    fn desk(text: &str) -> Desk {
        Desk::holding(import::read(text.as_bytes(), Answers::default()).expect("a list of buffers").document)
    }

    /// Three buffers that lie side by side, and one of which the others leave a part.
    const LIST: &str = "id,lower,upper,size\na,0,2,4\nb,1,3,4\nc,2,4,4\nd,0,4,2\n";

    #[test]
    fn a_planner_is_run_until_the_time_is_over() {
        let ticks = std::cell::Cell::new(0.0);
        // Every look at the clock takes a millisecond.
        let clock = || {
            ticks.set(ticks.get() + 1.0);
            ticks.get()
        };
        let timing = desk(LIST).time(&Choice::of("first-fit"), &clock, 10.0).expect("it applies");
        assert_eq!((timing.buffers, timing.runs, timing.nodes), (4, 4, 0));
        assert_eq!((timing.millis, timing.first), (1.0, 1.0));
        assert_eq!((timing.peak, timing.bound), (Some(10), 10));
        let once = desk(LIST).time(&Choice::of("naive"), &clock, 0.0).expect("it applies");
        assert_eq!((once.runs, once.peak), (1, Some(14)));
    }

    #[test]
    fn a_search_without_a_plan_is_timed_too_and_what_does_not_apply_is_told() {
        let clock = || 0.0;
        let timing = desk(LIST).time(&Choice::read("exact;capacity=9"), &clock, 0.0).expect("it applies");
        assert_eq!(timing.peak, None);
        assert!(desk(LIST).time(&Choice::of("inductor-reuse"), &clock, 0.0).is_err());
        assert!(desk(LIST).time(&Choice::read("exact;capacity=x"), &clock, 0.0).is_err());
    }
}
