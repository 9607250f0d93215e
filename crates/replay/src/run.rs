//! A finished run of a planner with everything that a replay needs.

use std::cell::OnceCell;
use std::hash::BuildHasher;
use std::rc::Rc;

use super::folds::Folds;
use super::labels::Labels;
use super::timeline::Timeline;
use memplan_core::base::{Names, align_up};
use memplan_core::graph::Graph;
use memplan_core::plan::{Dependencies, Metrics, Plan, dependencies, metrics};
use memplan_core::problem::{BufferId, Classes, Fullest, Problem, Stratum};
use memplan_core::trace::{
    DETAIL_LIMIT, Event, Explanation, IMPORTED, Note, Origin, Sentences, StatePanel, TreeNodeId, Verdict,
};

/// A finished run of a planner, ready to be stepped through.
#[derive(Debug)]
pub struct Run {
    /// The problem that was planned.
    pub problem: Rc<Problem>,
    /// Id of the planner; another text for a plan that no planner made.
    pub planner: String,
    /// Its plan.
    pub plan: Plan,
    /// Figures of the plan.
    pub metrics: Metrics,
    /// The events with what they add up to.
    pub timeline: Timeline,
    /// Alignment in force for the whole run: the planner's own or a larger one asked for.
    pub align: u64,
    /// The graph that was planned, for the names of its nodes.
    pub graph: Option<Rc<Graph>>,
    /// The decisions whose places looked at were kept, if not those at the beginning.
    pub window: Option<(u32, u32)>,
    /// Pairs of buffers that hold the same bytes at the same step.
    pub collisions: Vec<(BufferId, BufferId)>,
    /// Whether the plan lets some buffer take over the bytes of one that dies as it is made.
    pub(super) hands_over: bool,
    /// How the planner's decisions are explained.
    pub(super) explanation: &'static Explanation,
    way_name: fn(u32) -> Option<&'static str>,
    /// Worked out when first asked for.
    dependencies: OnceCell<Option<Dependencies>>,
    labels: OnceCell<Labels>,
    fullest: OnceCell<Fullest>,
    reached: OnceCell<Option<Rc<Problem>>>,
    classes: OnceCell<Option<Classes>>,
    strata: OnceCell<Vec<Stratum>>,
    /// The first buffer of each hash of a name.
    by_hash: OnceCell<Names<u64, BufferId>>,
    births: OnceCell<Births>,
    padding: OnceCell<u64>,
    pub(super) folds: Folds,
}

/// The buffers in the order in which they begin to live.
#[derive(Debug)]
struct Births {
    ids: Vec<BufferId>,
    /// How many steps the longest of them lives.
    longest: u32,
}

impl Births {
    fn of(problem: &Problem) -> Births {
        let mut ids: Vec<BufferId> = problem.buffers.ids().collect();
        ids.sort_by_key(|&id| problem.buffers[id].live.start);
        let longest = problem.buffers.iter().map(|buffer| buffer.live.end.saturating_sub(buffer.live.start)).max();
        Births { ids, longest: longest.unwrap_or(0) }
    }
}

impl PartialEq for Run {
    /// Equal to itself alone: comparing two runs would take longer than drawing them.
    fn eq(&self, other: &Run) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Run {
    /// Puts a plan and its events together.
    pub fn new(problem: Rc<Problem>, origin: Origin, plan: Plan, events: Vec<Event>) -> Run {
        let timeline = Timeline::new(events, &problem);
        let metrics = metrics(&problem, &plan);
        Run::of_timeline(problem, origin, plan, metrics, timeline)
    }

    /// Puts a plan together with its figures and with events that have been added up before.
    pub fn of_timeline(problem: Rc<Problem>, origin: Origin, plan: Plan, metrics: Metrics, timeline: Timeline) -> Run {
        let Origin { planner, align, explanation, way_name } = origin;
        let align = problem.buffers.iter().map(|buffer| buffer.align).fold(align, u64::max);
        Run {
            hands_over: !plan.shared.is_empty(),
            problem,
            planner,
            plan,
            metrics,
            timeline,
            align,
            graph: None,
            window: None,
            collisions: Vec::new(),
            explanation,
            way_name,
            dependencies: OnceCell::new(),
            labels: OnceCell::new(),
            fullest: OnceCell::new(),
            reached: OnceCell::new(),
            classes: OnceCell::new(),
            strata: OnceCell::new(),
            by_hash: OnceCell::new(),
            births: OnceCell::new(),
            padding: OnceCell::new(),
            folds: Folds::default(),
        }
    }

    /// What sentences call its planner.
    pub fn called(&self) -> &str {
        self.explanation.called.unwrap_or(&self.planner)
    }

    /// Which planner made it.
    pub(super) fn origin(&self) -> Origin {
        Origin {
            planner: self.planner.clone(),
            align: self.align,
            explanation: self.explanation,
            way_name: self.way_name,
        }
    }

    /// The same run with the graph at hand.
    pub fn with_graph(self, graph: Option<Rc<Graph>>) -> Run {
        let run =
            Run { graph, dependencies: OnceCell::new(), labels: OnceCell::new(), folds: Folds::default(), ..self };
        Run { classes: OnceCell::new(), strata: OnceCell::new(), ..run }
    }

    /// What training holds the buffers for; none if the graph is no step of training.
    pub fn classes(&self) -> Option<&Classes> {
        self.classes.get_or_init(|| Classes::of(&self.problem, self.graph.as_deref())).as_ref()
    }

    /// The bytes of each class over time; empty if the graph is no step of training.
    pub fn strata(&self) -> &[Stratum] {
        self.strata.get_or_init(|| self.classes().map_or_else(Vec::new, |classes| classes.strata(&self.problem)))
    }

    /// The last part of the key of the word for a buffer: its class in a step of training, else its
    /// kind.
    pub fn kind_name(&self, id: BufferId) -> &'static str {
        match self.classes() {
            Some(classes) => classes.class(id).name(),
            None => self.problem.buffers[id].kind.name(),
        }
    }

    /// What the plan adds to the order of the graph; none without a graph or with one that is too
    /// large.
    pub fn dependencies(&self) -> Option<&Dependencies> {
        let found = || dependencies(self.graph.as_deref()?, &self.problem, &self.plan);
        self.dependencies.get_or_init(found).as_ref()
    }

    /// The load over all steps, all memories together, and where it is largest.
    pub fn fullest(&self) -> &Fullest {
        self.fullest.get_or_init(|| Fullest::new(self.reached()))
    }

    /// The problem as far as the run got: what a program would have requested after it ran out of
    /// memory has no bytes.
    pub fn reached(&self) -> &Problem {
        let reached = self.reached.get_or_init(|| {
            self.stopped_at()?;
            let mut problem = (*self.problem).clone();
            let missing = self.plan.places.enumerate().filter(|(_, place)| place.is_none());
            missing.for_each(|(id, _)| problem.buffers[id].size = 0);
            Some(Rc::new(problem))
        });
        reached.as_deref().unwrap_or(&self.problem)
    }

    /// Returns the first buffer of this name, as [`Problem::buffer_named`] does, without looking at
    /// all of them each time.
    pub fn buffer_named(&self, name: &str) -> Option<BufferId> {
        let hash = |by_hash: &Names<u64, BufferId>, name: &str| by_hash.hasher().hash_one(name);
        let by_hash = self.by_hash.get_or_init(|| {
            let mut by_hash = Names::default();
            for (id, buffer) in self.problem.buffers.enumerate() {
                by_hash.entry(hash(&by_hash, &buffer.name)).or_insert(id);
            }
            by_hash
        });
        let first = *by_hash.get(&hash(by_hash, name))?;
        // Two names may have the same hash.
        if self.problem.buffers[first].name == name { Some(first) } else { self.problem.buffer_named(name) }
    }

    /// Returns what a buffer is called where there is little room: its name without what all names
    /// share.
    pub fn label(&self, buffer: BufferId) -> &str {
        let labels = self.labels.get_or_init(|| Labels::new(&self.problem, self.graph.as_deref()));
        labels.of(buffer).unwrap_or(&self.problem.buffers[buffer].name)
    }

    /// Returns the label of the buffer with this name; the name itself if no buffer has it.
    pub fn label_of<'a>(&'a self, name: &'a str) -> &'a str {
        self.buffer_named(name).map_or(name, |buffer| self.label(buffer))
    }

    /// Whether two buffers stand in regions of a kernel that count as running at the same time, and
    /// the planner keeps such buffers apart, whenever they live.
    pub fn are_beside(&self, one: BufferId, other: BufferId) -> bool {
        let keeps_apart = self.explanation.sentences == Sentences::Slots || self.planner == IMPORTED;
        let region = |id: BufferId| self.problem.buffers[id].kernel.as_ref()?.region;
        keeps_apart && region(one).zip(region(other)).is_some_and(|(one, other)| one.is_beside(other))
    }

    /// Whether some place was looked at and refused in a decision.
    pub fn rejected(&self, decision: usize) -> bool {
        let decision = &self.timeline.decisions[decision];
        let emitted = &self.timeline.events[decision.begin as usize..decision.end as usize];
        emitted.iter().any(|event| match event {
            Event::Block { verdict, .. } => matches!(verdict, Verdict::TooSmall | Verdict::Parallel),
            Event::Note { note: Note::MemoryFull, .. } => true,
            Event::AskStorage { verdict, .. } => !matches!(verdict, Verdict::Chosen | Verdict::Fits),
            Event::AskTemporal { verdict, .. } => {
                use Verdict::*;
                matches!(verdict, TooSmall | ManyOverlaps | ChildRefused | Parallel)
            }
            _ => false,
        })
    }

    /// Whether a buffer has a byte at an address of its pool, in the finished plan.
    pub fn lies_on(&self, buffer: BufferId, address: u64) -> bool {
        let size = self.problem.buffers[buffer].size;
        self.plan.places[buffer].is_some_and(|place| address.checked_sub(place.offset).is_some_and(|into| into < size))
    }

    /// Whether a tree node was asked, made, moved or given another child in a decision.
    pub fn touches(&self, decision: usize, node: TreeNodeId) -> bool {
        let decision = &self.timeline.decisions[decision];
        let emitted = &self.timeline.events[decision.begin as usize..decision.end as usize];
        emitted.iter().any(|event| match event {
            Event::AskTemporal { node: asked, .. } | Event::AskSpatial { node: asked, .. } => *asked == node,
            Event::Tree(edit) => edit.touches(node),
            _ => false,
        })
    }

    /// Whether the run was too long to keep every place looked at.
    pub fn is_abridged(&self) -> bool {
        self.window.is_some() || self.timeline.events.len() >= DETAIL_LIMIT
    }

    /// Whether the places looked at in a decision were kept.
    pub fn keeps_places_of(&self, decision: u32) -> bool {
        match self.window {
            Some((from, to)) => (from..to).contains(&decision),
            None => !self.is_abridged(),
        }
    }

    /// The same run, known to keep the places looked at in these decisions only.
    pub fn with_window(self, window: Option<(u32, u32)>) -> Run {
        Run { window, ..self }
    }

    /// The same run with pairs of buffers that hold the same bytes at the same step.
    #[must_use]
    pub fn with_collisions(self, collisions: Vec<(BufferId, BufferId)>) -> Run {
        Run { collisions, ..self }
    }

    /// Returns the name behind a number of [`memplan_core::trace::Slot::Way`]; nothing for one that
    /// the planner has no name for.
    pub fn way_name(&self, way: u64) -> &'static str {
        u32::try_from(way).ok().and_then(self.way_name).unwrap_or_default()
    }

    /// Whether the plan lets some buffer take over the bytes of one that dies as it is made. Known
    /// from the start, so that such places are open before the planner takes the first.
    pub fn hands_over(&self) -> bool {
        self.hands_over
    }

    /// Whether the state panel has this part.
    pub fn has_panel(&self, panel: StatePanel) -> bool {
        self.explanation.panels.contains(&panel)
    }

    /// Returns the bytes that the planner counts for a size: shared objects inside arenas hold
    /// sizes rounded up to the alignment, other planners count sizes as they are.
    pub fn counted_size(&self, size: u64) -> u64 {
        if self.has_panel(StatePanel::ArenaObjects) { align_up(size, self.align) } else { size }
    }

    /// Returns the bytes to whose multiples sizes seem rounded up: those of the alignment, as no
    /// other buffer begins between. Where each buffer keeps to its own, the next one may.
    pub fn granule(&self) -> u64 {
        if self.explanation.sentences == Sentences::Slots { 1 } else { self.align.max(1) }
    }

    /// Returns the most bytes by which a size is rounded up to the alignment.
    pub fn padding(&self) -> u64 {
        let align = self.granule();
        let most =
            || self.problem.buffers.iter().map(|buffer| (align - buffer.size % align) % align).max().unwrap_or(0);
        *self.padding.get_or_init(most)
    }

    /// The buffers that begin to live before the end of a step, the latest first, and how long the
    /// longest of all lives. Of a million buffers one that was alive shortly before is found among
    /// the first.
    pub fn born_until(&self, step: u32) -> (impl Iterator<Item = BufferId>, u32) {
        let births = self.births.get_or_init(|| Births::of(&self.problem));
        let live = |id: BufferId| self.problem.buffers[id].live;
        let end = births.ids.partition_point(|&id| live(id).start <= step);
        (births.ids[..end].iter().rev().copied(), births.longest)
    }

    /// Whether the run builds allocation trees.
    pub fn has_tree(&self) -> bool {
        self.timeline.events.iter().take(16).any(|event| matches!(event, Event::Tree(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Level;
    use crate::why::reused;
    use memplan_core::problem::{five_buffers, sample};
    use memplan_core::trace::{Recorder, Silent};
    use memplan_planners::{Input, find, origin};

    #[test]
    fn buffers_are_found_by_name_as_the_problem_finds_them() {
        let mut problem = five_buffers::problem();
        let first = problem.buffers[BufferId(1)].name.clone();
        problem.buffers[BufferId(3)].name = first.clone();
        let planner = find("naive").expect("registered");
        let plan = planner.plan(Input { problem: &problem, graph: None }, &planner.info().defaults(), &mut Silent);
        let run = Run::new(Rc::new(problem), origin("naive", 1), plan.expect("planned"), Vec::new());
        for name in run.problem.buffers.iter().map(|buffer| buffer.name.as_str()).chain(["", "no buffer"]) {
            assert_eq!(run.buffer_named(name), run.problem.buffer_named(name), "{name}");
            let expected = run.problem.buffer_named(name).map_or(name, |id| run.label(id));
            assert_eq!(run.label_of(name), expected);
        }
        assert_eq!(run.buffer_named(&first), Some(BufferId(1)), "the first of equal names");
    }

    #[test]
    fn who_used_the_bytes_last_is_found_as_if_all_were_looked_at() {
        let problem = sample(400, 3);
        let planner = find("first-fit").expect("registered");
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: None };
        let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("planned");
        let run = Run::new(Rc::new(problem), origin("first-fit", 1), plan, recorder.events);
        let mut reusing = 0;
        for number in 1..=run.timeline.decisions.len() as u32 {
            let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
            let Some((focus, place)) = frame.focus.and_then(|focus| Some((focus, frame.places[focus]?))) else {
                continue;
            };
            let wanted = &run.problem.buffers[focus];
            let ends = frame.places.enumerate().filter_map(|(id, there)| {
                let (there, buffer) = ((*there)?, &run.problem.buffers[id]);
                let meets = there.offset < place.offset + wanted.size && place.offset < there.offset + buffer.size;
                let is_before = id != focus && buffer.live.end <= wanted.live.start;
                (is_before && meets && there.pool == place.pool).then_some((buffer.live.end, id))
            });
            let expected = ends.max().map(|(_, id)| id);
            assert_eq!(reused(&run, &frame, focus), expected, "{number}");
            reusing += usize::from(expected.is_some());
        }
        assert!(reusing > 100, "{reusing}");
    }

    #[test]
    fn the_padding_is_the_most_that_a_size_is_rounded_up_by() {
        let mut problem = five_buffers::problem();
        let planner = find("naive").expect("registered");
        for (buffer, size) in problem.buffers.iter_mut().zip([1000, 64, 200, 16, 48]) {
            buffer.size = size;
        }
        let plan = planner.plan(Input { problem: &problem, graph: None }, &planner.info().defaults(), &mut Silent);
        let run = Run::new(Rc::new(problem), origin("naive", 16), plan.expect("planned"), Vec::new());
        assert_eq!((run.align, run.padding()), (16, 8));
        assert_eq!(Run { align: 1, padding: OnceCell::new(), ..run }.padding(), 0);
    }
}
