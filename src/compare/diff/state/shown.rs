//! Two documents beside each other.

use std::rc::Rc;

use crate::open::state::document::{Bytes, Document, Origin};
use memplan_core::base::Message;
use memplan_core::graph::Graph;
use memplan_core::plan::faults;
use memplan_core::problem::BufferId;
use memplan_engine::{Carried, Diffed, DiffedRow};
use memplan_formats::import::Answers;
use memplan_replay::Run;
use memplan_replay::diff::{Group, SideFigures};
use memplan_scene::Index;

/// The older document: the open one is compared with it.
#[derive(Clone, PartialEq, Debug)]
pub struct Older {
    /// Where it came from.
    pub origin: Origin,
    /// The file.
    pub bytes: Bytes,
    /// What was answered about it.
    pub choices: Answers,
}

impl From<&Document> for Older {
    fn from(document: &Document) -> Older {
        Older { origin: document.origin.clone(), bytes: document.bytes.clone(), choices: document.choices.clone() }
    }
}

/// Both plans with what differs between them.
#[derive(Debug)]
pub struct DiffShown {
    /// Name of the pair.
    pub name: String,
    /// Id of the planner of both.
    pub planner: String,
    /// Both runs with what the scene knows of them, the old one first.
    pub sides: [(Rc<Run>, Rc<Index>); 2],
    /// Figures of both.
    pub figures: [SideFigures; 2],
    /// Why the peaks are no verdict: a plan breaks rules, or the new one leaves out more buffers.
    pub objection: Option<Message>,
    /// Whether they have too little in common for a list.
    pub unrelated: bool,
    /// The list.
    pub rows: Vec<DiffedRow>,
    /// What made the peak rise or fall.
    pub sentences: Vec<Message>,
    /// What the list leaves out.
    pub details: Vec<Message>,
    /// Matched steps `(old, new)`; none of two that have too little in common.
    pub steps: Vec<(u32, u32)>,
    /// A comment on a change.
    pub markdown: String,
    /// The older document for a link.
    pub packed: Carried,
}

impl PartialEq for DiffShown {
    /// Equal to itself alone: comparing plans would take as long as drawing them.
    fn eq(&self, other: &DiffShown) -> bool {
        std::ptr::eq(self, other)
    }
}

impl DiffShown {
    /// Returns what an answer shows; `graph` is that of the open document.
    pub fn of(diffed: Diffed, graph: Option<&Rc<Graph>>, index: impl Fn(&Run) -> Index) -> DiffShown {
        let Diffed { name, planner, plans, packed, figures, unrelated, rows, sentences, details, steps, markdown } =
            diffed;
        let sides = plans.map(|planned| {
            // The old plan brings its own graph, if it has one.
            let run = planned.into_run(graph);
            let index = Rc::new(index(&run));
            (Rc::new(run), index)
        });
        let objection = objection([&sides[0].0, &sides[1].0]);
        DiffShown {
            name,
            planner,
            sides,
            figures,
            objection,
            unrelated,
            rows,
            sentences,
            details,
            steps: if unrelated { Vec::new() } else { steps },
            markdown,
            packed,
        }
    }

    /// Rows that are differences: those that are the same at both peaks come last.
    pub fn differences(&self) -> usize {
        self.rows.iter().filter(|row| row.group != Group::Same).count()
    }

    /// Whether nothing that is reported differs.
    pub fn is_same(&self) -> bool {
        let [old, new] = &self.figures;
        !self.unrelated && self.differences() == 0 && old.peak == new.peak && old.bound == new.bound
    }

    /// The name of a row: that of the new buffer.
    pub fn name(&self, row: &DiffedRow) -> &str {
        let of = |side: usize, id: Option<BufferId>| Some(&*self.sides[side].0.problem.buffers[id?].name);
        of(1, row.new).or_else(|| of(0, row.old)).unwrap_or_default()
    }

    /// The step of the old side that is matched to a step of the new one, or the nearest before it.
    pub fn old_step(&self, new: u32) -> u32 {
        if self.steps.is_empty() {
            return new.min(self.figures[0].steps.saturating_sub(1));
        }
        let at = self.steps.partition_point(|&(_, step)| step <= new);
        at.checked_sub(1).map_or(0, |at| self.steps[at].0)
    }
}

/// Why a lower peak of the new plan saves nothing.
fn objection([old, new]: [&Run; 2]) -> Option<Message> {
    let is_broken = |run: &Run| run.plan.misreading.is_some() || !faults(&run.problem, &run.plan).is_empty();
    if is_broken(old) || is_broken(new) {
        return Some(Message::new("diff.no-verdict"));
    }
    let more = new.metrics.left_out().saturating_sub(old.metrics.left_out());
    (more > 0 && new.metrics.placed > 0).then(|| Message::new("diff.leaves-out-more").count("n", more))
}

/// Buffers that are looked at, one of each side; none of a side that has none.
pub type Pair = [Option<BufferId>; 2];
