//! Definitions of terms, each with its figures in the run that is shown.

use super::frame::Frame;
use super::run::Run;
use memplan_core::base::{Arg, Family, Message, Term, exact};
use memplan_core::plan::{Distance, Place, PoolRole};
use memplan_core::problem::BufferId;
use memplan_core::trace::TreeNode;

/// Most buffers that a definition names.
const NAMED: usize = 4;

/// The definition of a term.
#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    /// The term itself.
    pub name: Message,
    /// What it means in any run.
    pub meaning: Message,
    /// The figures of the term in this run or at this frame; none if it has none.
    pub figures: Option<Message>,
}

/// Returns the definition of a term, with the figures of a frame if one is shown.
pub fn define(term: Term, shown: Option<(&Run, &Frame)>) -> Definition {
    Definition {
        name: Message::new(Family::DEFINE_NAME.of([term.name()])),
        meaning: Message::new(Family::DEFINE.of([term.name()])),
        figures: shown.and_then(|(run, frame)| here(term, run, frame)),
    }
}

impl Run {
    /// Returns true if a frame is the last one: its peak is that of the plan.
    pub fn is_over(&self, frame: &Frame) -> bool {
        self.timeline.decisions.last().is_none_or(|last| frame.events >= last.end)
    }

    /// Returns the term for the highest end at a frame: the peak at the last one, before it the
    /// peak so far. Every picture and its legend use the same.
    pub fn peak_term(&self, frame: &Frame) -> Term {
        if self.is_over(frame) { Term::Peak } else { Term::PeakSoFar }
    }

    /// Buffers of which some bytes are in use at a step.
    fn live_at(&self, step: u32) -> Vec<BufferId> {
        self.problem.buffers.ids().filter(|&id| !self.problem.buffers[id].used_at(step).is_empty()).collect()
    }
}

fn here(term: Term, run: &Run, frame: &Frame) -> Option<Message> {
    let metrics = &run.metrics;
    match term {
        Term::Buffer | Term::LiveRange => {
            let buffer = &run.problem.buffers[frame.focus?];
            let key = if term == Term::Buffer { "define.buffer.here" } else { "define.live-range.here" };
            let message = Message::new(key).name("name", buffer.name.clone()).bytes("size", buffer.size);
            Some(message.count("first", buffer.live.start).count("last", buffer.live.end.saturating_sub(1)))
        }
        Term::Step => Some(Message::new("define.step.here").count("n", run.problem.steps)),
        Term::Load | Term::LowerBound => bound(term, run),
        Term::Peak => run.is_over(frame).then(|| match metrics.held {
            Some(held) => Message::new("define.peak.held").bytes("held", held).bytes("sum", metrics.peak),
            None => Message::new("define.peak.here").text("figure", exact(metrics.peak)).count("n", metrics.pools),
        }),
        Term::PeakSoFar => {
            let message = Message::new("define.peak-so-far.here").text("figure", exact(frame.peak));
            Some(message.count("placed", frame.placed).count("all", metrics.placed))
        }
        Term::Waste if !run.is_over(frame) => Some(Message::new("define.waste.later")),
        Term::Waste => Some(match metrics.distance() {
            Distance::At => Message::new("define.waste.none").bytes("peak", metrics.need()),
            Distance::Below(less) => {
                Message::new("define.waste.below").bytes("peak", metrics.need()).bytes("less", less)
            }
            Distance::Above(waste) => Message::new("define.waste.here")
                .text("peak", exact(metrics.need()))
                .text("bound", exact(metrics.bound()))
                .text("waste", exact(waste)),
        }),
        Term::Ratio => metrics.ratio.filter(|_| run.is_over(frame)).map(|ratio| {
            let message = Message::new("define.ratio.here").text("peak", exact(metrics.need()));
            message.text("bound", exact(metrics.bound())).text("ratio", format!("{ratio:.2}"))
        }),
        Term::Optimal | Term::BestFound => {
            metrics.proved_bound.map(|bound| Message::new("define.optimal.here").bytes("bound", bound))
        }
        Term::Placed => {
            Some(Message::new("define.placed.here").count("placed", frame.placed).count("all", metrics.placed))
        }
        Term::LeftOut => Some(Message::new("define.left-out.here").count("n", run.plan.unplanned.len() as u64)),
        Term::Pool => Some(Message::new("define.pool.here").count("n", metrics.pools)),
        Term::Arena => Some(Message::new("define.arena.here").count("n", pools(run, false))),
        Term::Storage => Some(Message::new("define.storage.here").count("n", pools(run, true))),
        Term::Offset => {
            let focus = frame.focus?;
            let (name, place) = (run.problem.buffers[focus].name.clone(), frame.places[focus]?);
            Some(Message::new("define.offset.here").name("name", name).bytes("offset", place.offset))
        }
        Term::Gap | Term::Fragmentation => gaps(run, frame),
        Term::Alignment => Some(Message::new("define.alignment.here").bytes("align", run.align)),
        Term::Candidate => {
            let visited = frame.candidates.iter().filter(|candidate| candidate.visited).count();
            Some(Message::new("define.candidate.here").count("n", visited as u64))
        }
        Term::Tree | Term::Temporal | Term::Spatial | Term::Allocation | Term::Empty => nodes(term, frame),
        Term::SharedObject | Term::Top | Term::InPlace | Term::Birth | Term::Dead | Term::Slot | Term::State => None,
        Term::FreeBlock | Term::View | Term::Key | Term::MatchWindow | Term::Chunk | Term::Conflict => None,
    }
}

/// Returns the sentence on the step of the largest load and the buffers alive there; with several
/// memories, on the bound alone.
fn bound(term: Term, run: &Run) -> Option<Message> {
    let metrics = &run.metrics;
    if term == Term::LowerBound && metrics.has_own_bound() {
        let message = Message::new("define.bound.placed").text("bound", exact(metrics.bound()));
        return Some(message.text("all", exact(metrics.lower_bound)).count("n", metrics.buffers - metrics.placed));
    }
    // With several memories each has a step of its own.
    if run.problem.memories.len() > 1 {
        let bound = exact(metrics.lower_bound);
        return (term == Term::LowerBound).then(|| Message::new("define.bound.memories").text("bound", bound));
    }
    let fullest = run.fullest();
    let step = fullest.step()?;
    let live = run.live_at(step);
    let key = match (term, live.len() <= NAMED) {
        (Term::Load, _) => "define.load.here",
        (_, true) => "define.bound.here",
        (_, false) => "define.bound.many",
    };
    let names = live.iter().take(NAMED).map(|&id| run.problem.buffers[id].name.clone()).collect();
    let message = Message::new(key).count("step", step).text("figure", exact(fullest.most));
    Some(message.count("n", live.len() as u64).with("names", Arg::Names(names)))
}

/// Returns the number of pools that are storages, or that are not.
fn pools(run: &Run, storages: bool) -> u64 {
    run.plan.pools.iter().filter(|pool| (pool.role == PoolRole::Storage) == storages).count() as u64
}

/// Returns the free bytes below the ends of the pools and the number of gaps, at the first step of
/// the frame's buffer. Storages are not counted.
fn gaps(run: &Run, frame: &Frame) -> Option<Message> {
    let step = run.problem.buffers[frame.focus?].live.start;
    let live = run.live_at(step);
    let (mut free, mut pieces) = (0, 0);
    for pool in frame.pools.iter().filter(|pool| pool.role != PoolRole::Storage) {
        let place = |id: &BufferId| frame.places[*id].filter(|place| place.pool == pool.id).map(|place| (place, *id));
        let ranges = live.iter().filter_map(place);
        let bytes = |(place, id): (Place, BufferId)| {
            let used = run.problem.buffers[id].used_at(step);
            (place.offset + used.start, place.offset + used.end)
        };
        let mut ranges: Vec<(u64, u64)> = ranges.map(bytes).collect();
        ranges.sort();
        let mut end = 0;
        for (from, to) in ranges.into_iter().chain([(pool.end, pool.end)]) {
            if from > end {
                free += from - end;
                pieces += 1;
            }
            end = end.max(to);
        }
    }
    let key = if pieces == 0 { "define.gap.none" } else { "define.gap.here" };
    Some(Message::new(key).count("step", step).bytes("free", free).count("n", pieces))
}

/// How many nodes of a kind the tree has at this frame.
fn nodes(term: Term, frame: &Frame) -> Option<Message> {
    if frame.layouts.is_empty() {
        return None;
    }
    let regions = frame.layouts.iter().flat_map(|layout| &layout.regions);
    let is_wanted = |node: &TreeNode| match term {
        Term::Temporal => matches!(node, TreeNode::Temporal { .. }),
        Term::Spatial => matches!(node, TreeNode::Spatial { .. }),
        Term::Allocation => matches!(node, TreeNode::Leaf { .. }),
        Term::Empty => matches!(node, TreeNode::Empty { .. }),
        _ => true,
    };
    let count = regions.filter(|region| is_wanted(&frame.state.tree.nodes[region.node])).count();
    Some(Message::new("define.tree.here").count("n", count as u64))
}
