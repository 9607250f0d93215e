//! Events with checkpoints. Any moment is computed from the last checkpoint before it.
//!
//! First fit with the five buffers of [`memplan_core::problem`]: 24 events in five decisions. A
//! frame is the state after some number of events. Each mark below is a frame of the level: it
//! stands after the last event that the frame includes.
//!
//! ```text
//! decision   |a        |b      |c          |d    |e          |
//! event       B k o P G B k P G B r k k P G B k P B r r r k P
//! all        ^   ^     ^   ^   ^   ^ ^ ^   ^   ^ ^   ^ ^ ^ ^ ^    16 frames
//! decisions  ^         ^       ^           ^     ^           ^    6 frames
//! outcomes   ^         ^       ^           ^                 ^    5 frames
//!
//! B begin   r release   k free block looked at   o pool opened   P place   G the pool grows
//! ```
//!
//! `d` opens no pool and raises no peak, so it has no frame among the outcomes; `e` has one as the
//! last decision.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};

use memplan_core::base::PartedVec;
use memplan_core::plan::{Place, PoolId};
use memplan_core::problem::{BufferId, Problem};
use memplan_core::trace::{Event, Note, Outcome, Tree};

/// How finely the stepper counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Every place looked at, every release, every placement.
    All,
    /// One frame a placement.
    #[default]
    Decisions,
    /// New pools, growths of the peak, and the end. Where buffers are pushed up after the last
    /// placement, each push that raises the peak is a frame.
    Outcomes,
}

impl Level {
    /// All levels, the finest first.
    pub const ALL: [Level; 3] = [Level::All, Level::Decisions, Level::Outcomes];

    /// Name in links and files.
    pub const fn name(self) -> &'static str {
        match self {
            Level::All => "all",
            Level::Decisions => "decisions",
            Level::Outcomes => "outcomes",
        }
    }

    /// Returns the level with this name.
    pub fn from_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// The events from the moment a planner turns to a buffer (`Begin`) up to the moment it turns to
/// the next, or to the end of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The buffer that is placed.
    pub buffer: BufferId,
    /// Events `begin..end` of the timeline.
    pub begin: u32,
    /// First event after it.
    pub end: u32,
    /// How the placement came about.
    pub outcome: Outcome,
    /// The pool that the buffer went to.
    pub pool: PoolId,
    /// The peak over all pools after this decision, in bytes.
    pub peak: u64,
    /// Whether the peak rose.
    pub grew: bool,
}

impl Decision {
    /// Returns true if the placement opened a new pool: an arena or a storage.
    pub fn opens_pool(&self) -> bool {
        matches!(self.outcome, Outcome::NewPool | Outcome::NewStorage)
    }
}

/// What the events up to a moment have changed: places, releases, pools and trees.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// Places recorded so far. In a tree run earlier offsets may have moved since: [`super::Frame`]
    /// lays the tree out.
    pub places: PartedVec<BufferId, Option<Place>>,
    /// Buffers whose storage has been given back.
    pub released: PartedVec<BufferId, bool>,
    /// All pools opened so far.
    pub pools: Vec<PoolState>,
    /// The allocation trees.
    pub tree: Tree,
    /// How many placements there were.
    pub placed: u32,
    /// Whether addresses are final.
    pub finalized: bool,
}

/// A pool as the events so far describe it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PoolState {
    /// Index of its memory or device, as the planner counts them.
    pub memory: u32,
    /// Whether it may grow after it was opened.
    pub growing: bool,
    /// End of its highest buffer.
    pub end: u64,
}

impl Moment {
    fn new(problem: &Problem) -> Moment {
        let buffers = problem.buffers.len();
        Moment {
            places: PartedVec::from_elem(None, buffers),
            released: PartedVec::from_elem(false, buffers),
            ..Moment::default()
        }
    }

    /// Applies one event.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Release { buffer } => self.released[buffer] = true,
            Event::Tree(edit) => self.tree.apply(edit),
            Event::OpenPool { pool, memory, growing } => {
                self.pool(pool).memory = memory;
                self.pool(pool).growing = growing;
            }
            Event::Place { buffer, pool, offset, .. } => {
                self.pool(pool);
                self.places[buffer] = Some(Place { pool: PoolId(pool), offset });
                self.placed += 1;
            }
            Event::Grow { pool, to, .. } => self.pool(pool).end = to,
            Event::Move { buffer, pool, offset } => {
                self.pool(pool);
                self.places[buffer] = Some(Place { pool: PoolId(pool), offset });
            }
            Event::Finalize => self.finalized = true,
            Event::Begin { .. }
            | Event::Block { .. }
            | Event::InTheWay { .. }
            | Event::AskPool { .. }
            | Event::AskTemporal { .. }
            | Event::AskSpatial { .. }
            | Event::AtEnd { .. }
            | Event::AskStorage { .. }
            | Event::Refs { .. }
            | Event::Lane { .. }
            | Event::Note { .. } => {}
        }
    }

    fn pool(&mut self, pool: u32) -> &mut PoolState {
        let pool = pool as usize;
        if self.pools.len() <= pool {
            self.pools.resize(pool + 1, PoolState::default());
        }
        &mut self.pools[pool]
    }

    /// Sum of the ends of all pools.
    pub fn peak(&self) -> u64 {
        self.pools.iter().map(|pool| pool.end).sum()
    }
}

/// The events of one run, and how to reach any moment of it.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// In the order in which they were emitted.
    pub events: Vec<Event>,
    /// In order of their events.
    pub decisions: Vec<Decision>,
    /// Number of events applied at each frame of the levels.
    all: Vec<u32>,
    outcomes: Vec<u32>,
    checkpoints: Vec<(u32, Moment)>,
    /// The state that was asked for last, with its number of events: the next one mostly follows
    /// it.
    recent: RefCell<Option<(u32, Moment)>>,
}

/// Fewest decisions between checkpoints. Applying one decision takes well under a microsecond, so
/// few checkpoints far apart seek fast and stay small. In tests they lie close together.
const MIN_GAP: usize = if cfg!(test) { 3 } else { 512 };
/// Most checkpoints besides the one at event 0.
const MAX_CHECKPOINTS: usize = 16;

impl Timeline {
    /// Prepares the events of a run over `problem`.
    pub fn new(events: Vec<Event>, problem: &Problem) -> Timeline {
        TimelineBuilder::new(events, problem).finish()
    }

    /// Number of frames of a level; frame 0 is the state before anything is placed.
    pub fn frames(&self, level: Level) -> u32 {
        match level {
            Level::All => self.all.len() as u32,
            Level::Decisions => self.decisions.len() as u32 + 1,
            Level::Outcomes => self.outcomes.len() as u32,
        }
    }

    /// Returns the number of events applied at a frame. A frame beyond the last one is treated as
    /// the last.
    pub fn events_at(&self, level: Level, frame: u32) -> u32 {
        let stop = |stops: &[u32]| stops.get(frame as usize).or(stops.last()).copied().unwrap_or(0);
        match level {
            Level::All => stop(&self.all),
            Level::Outcomes => stop(&self.outcomes),
            Level::Decisions => match (frame as usize).min(self.decisions.len()) {
                0 => 0,
                decision => self.decisions[decision - 1].end,
            },
        }
    }

    /// The frame of a level that shows the moment after `events` events, or the last one before it.
    pub fn frame_at(&self, level: Level, events: u32) -> u32 {
        let last = |stops: &[u32]| stops.partition_point(|&stop| stop <= events).saturating_sub(1) as u32;
        match level {
            Level::All => last(&self.all),
            Level::Outcomes => last(&self.outcomes),
            Level::Decisions => self.decisions.partition_point(|decision| decision.end <= events) as u32,
        }
    }

    /// The decision that the moment after `events` events belongs to.
    pub fn decision_at(&self, events: u32) -> Option<usize> {
        self.decisions.partition_point(|decision| decision.begin < events).checked_sub(1)
    }

    /// The decision that places a buffer.
    pub fn decision_of(&self, buffer: BufferId) -> Option<usize> {
        self.decisions.iter().position(|decision| decision.buffer == buffer)
    }

    /// Returns the last checkpoint at or before `events`.
    fn checkpoint_before(&self, events: u32) -> &(u32, Moment) {
        let index = self.checkpoints.partition_point(|(at, _)| *at <= events) - 1;
        &self.checkpoints[index]
    }

    /// Number of events before the first checkpoint after one that has so many.
    pub(super) fn checkpoint_after(&self, events: u32) -> Option<u32> {
        let index = self.checkpoints.partition_point(|(at, _)| *at <= events);
        self.checkpoints.get(index).map(|(at, _)| *at)
    }

    /// Returns the state after `events` events, computed from the last checkpoint before it, or
    /// from the state asked for last if that is nearer.
    pub fn state(&self, events: u32) -> Moment {
        let (at, state) = self.checkpoint_before(events);
        let recent = self.recent.take().filter(|(recent, _)| (*at..=events).contains(recent));
        let (at, mut state) = recent.unwrap_or_else(|| (*at, state.clone()));
        self.advance(&mut state, at, events);
        self.recent.replace(Some((events, state.clone())));
        state
    }

    /// Moves a state that stands after `at` events to the moment after `events`. Continues from
    /// `at` if `events` is not earlier and no checkpoint lies between; otherwise starts at the last
    /// checkpoint before `events`.
    pub fn seek(&self, state: &mut Moment, at: u32, events: u32) {
        let (checkpoint, _) = self.checkpoint_before(events);
        if at <= events && *checkpoint <= at {
            self.advance(state, at, events);
        } else {
            *state = self.state(events);
        }
    }

    fn advance(&self, state: &mut Moment, from: u32, to: u32) {
        self.events[from as usize..to as usize].iter().for_each(|&event| state.apply(event));
    }
}

/// Builds a [`Timeline`] in portions, so that a large run does not block the page.
#[derive(Clone, Debug)]
pub struct TimelineBuilder {
    timeline: Timeline,
    /// Decisions from one checkpoint to the next.
    gap: usize,
    /// Number of events that were looked at, and the state after them.
    applied: usize,
    state: Moment,
    /// Ends of the pools, and their sum.
    ends: Vec<u64>,
    peak: u64,
    /// Whether the present decision opens a pool.
    opens: bool,
    /// Number of events up to the end of the last placement, if that opened a pool or raised the
    /// peak and has no frame among the outcomes yet: buffers may be pushed up after it.
    settled: Option<u32>,
    /// Whether the peak rose since the last buffer that was pushed up.
    raised: bool,
}

impl TimelineBuilder {
    /// Begins with the events of a run over `problem`.
    pub fn new(events: Vec<Event>, problem: &Problem) -> TimelineBuilder {
        let decisions = events.iter().filter(|event| matches!(event, Event::Begin { .. })).count();
        let state = Moment::new(problem);
        let timeline = Timeline {
            events,
            decisions: Vec::with_capacity(decisions),
            all: vec![0],
            outcomes: vec![0],
            checkpoints: vec![(0, state.clone())],
            recent: RefCell::default(),
        };
        let gap = MIN_GAP.max(decisions.div_ceil(MAX_CHECKPOINTS));
        TimelineBuilder {
            timeline,
            gap,
            applied: 0,
            state,
            ends: Vec::new(),
            peak: 0,
            opens: false,
            settled: None,
            raised: false,
        }
    }

    /// Goes on by at most so many events and returns whether there are more.
    pub fn go_on(&mut self, events: usize) -> bool {
        let all = self.timeline.events.len();
        let to = self.applied.saturating_add(events).min(all);
        while self.applied < to {
            self.take(self.timeline.events[self.applied]);
        }
        to < all
    }

    /// Goes on to the end.
    pub fn finish(mut self) -> Timeline {
        while self.go_on(usize::MAX) {}
        self.close();
        let outcomes = &mut self.timeline.outcomes;
        let last = self.timeline.decisions.last().map(|decision| decision.end);
        outcomes.extend(last.filter(|end| outcomes.last() != Some(end)));
        self.timeline
    }

    fn take(&mut self, event: Event) {
        if let Event::Begin { buffer } = event {
            self.close();
            self.timeline.decisions.push(Decision {
                buffer,
                begin: self.applied as u32,
                end: 0,
                outcome: Outcome::Nothing,
                pool: PoolId(0),
                peak: self.peak,
                grew: false,
            });
        }
        self.state.apply(event);
        self.applied += 1;
        let end = self.applied as u32;
        match event {
            Event::Note { note, .. } if note.leads() => {}
            Event::Release { .. }
            | Event::Block { .. }
            | Event::AskPool { .. }
            | Event::AskTemporal { .. }
            | Event::AskSpatial { .. }
            | Event::AskStorage { .. }
            | Event::Refs { .. }
            | Event::Note { .. }
            | Event::AtEnd { .. } => self.timeline.all.push(end),
            _ => {}
        }
        // Events before the first `Begin` get frames but belong to no decision.
        let Some(decision) = self.timeline.decisions.last_mut() else { return };
        decision.end = end;
        match event {
            Event::Place { outcome, pool, .. } => {
                decision.outcome = outcome;
                decision.pool = PoolId(pool);
            }
            Event::Grow { pool, to, .. } => {
                let pool = pool as usize;
                if self.ends.len() <= pool {
                    self.ends.resize(pool + 1, 0);
                }
                self.peak = self.peak - self.ends[pool] + to;
                self.ends[pool] = to;
                decision.grew = true;
                decision.peak = self.peak;
                self.raised = true;
            }
            Event::OpenPool { .. } => self.opens = true,
            Event::Finalize => {
                self.settled = (self.opens || decision.grew).then_some(end - 1);
                self.raised = false;
            }
            // Each push that raises the peak is an outcome.
            Event::Note { note: Note::Lifted, .. } if std::mem::take(&mut self.raised) => {
                self.timeline.outcomes.extend(self.settled.take());
                self.timeline.outcomes.push(end);
            }
            _ => {}
        }
    }

    /// Ends the present decision.
    fn close(&mut self) {
        let timeline = &mut self.timeline;
        let Some(decision) = timeline.decisions.last() else { return };
        if timeline.all.last() != Some(&decision.end) {
            timeline.all.push(decision.end);
        }
        if (std::mem::take(&mut self.opens) || decision.grew) && timeline.outcomes.last() != Some(&decision.end) {
            timeline.outcomes.push(decision.end);
        }
        if timeline.decisions.len().is_multiple_of(self.gap) {
            timeline.checkpoints.push((decision.end, self.state.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::problem::{five_buffers, sample};
    use memplan_core::trace::Recorder;
    use memplan_planners::{self as planner, Input};

    #[test]
    fn a_state_does_not_depend_on_what_was_asked_before() {
        let problem = sample(40, 3);
        let first_fit = planner::find("first-fit").expect("registered");
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: None };
        first_fit.plan(input, &first_fit.info().defaults(), &mut recorder).expect("applicable");
        let timeline = Timeline::new(recorder.events, &problem);
        let count = timeline.events.len() as u32;
        let states: Vec<Moment> = (0..=count).map(|events| timeline.clone().state(events)).collect();
        for step in [1, 7, 40, count / 2] {
            let there: Vec<u32> = (0..=count).step_by(step as usize).collect();
            for &events in there.iter().chain(there.iter().rev()) {
                assert!(timeline.state(events) == states[events as usize], "{events} in steps of {step}");
            }
        }
    }

    #[test]
    fn each_push_that_raises_the_peak_is_an_outcome() {
        // Two pushes raise the peak, one moves below what lies above it.
        let problem = five_buffers::problem();
        let mut events = Vec::new();
        for (number, buffer) in problem.buffers.ids().enumerate() {
            events.push(Event::Begin { buffer });
            events.extend((number == 0).then_some(Event::OpenPool { pool: 0, memory: 0, growing: true }));
            events.push(Event::Place { outcome: Outcome::Gap, buffer, pool: 0, offset: 0 });
            events.extend((number == 0).then_some(Event::Grow { pool: 0, from: 0, to: 8 }));
        }
        let placed = events.len() as u32;
        events.push(Event::Finalize);
        let mut lifts = Vec::new();
        for (number, grown) in [(1, Some((8, 16))), (2, None), (3, Some((16, 32)))] {
            let buffer = BufferId(number);
            events.push(Event::Move { buffer, pool: 0, offset: 8 });
            events.extend(grown.map(|(from, to)| Event::Grow { pool: 0, from, to }));
            events.push(Event::Note { note: Note::Lifted, subject: number, a: 0, b: 8 });
            lifts.extend(grown.map(|_| events.len() as u32));
            events.push(Event::Note { note: Note::RoundColor, subject: number, a: 1, b: 0 });
        }
        let end = events.len() as u32;
        let stops = |events: Vec<Event>| {
            let timeline = Timeline::new(events, &problem);
            let frames = 0..timeline.frames(Level::Outcomes);
            frames.map(|frame| timeline.events_at(Level::Outcomes, frame)).collect::<Vec<u32>>()
        };
        // The last placement raised nothing, the first one opened the arena.
        assert_eq!(stops(events.clone()), [0, 4, lifts[0], lifts[1], end]);
        // If it had, it would come before the pushes.
        events.insert(placed as usize, Event::Grow { pool: 0, from: 8, to: 9 });
        let later = |at: u32| at + 1;
        assert_eq!(stops(events), [0, 4, placed + 1, later(lifts[0]), later(lifts[1]), later(end)]);
    }

    #[test]
    fn the_picture_of_events_and_frames_is_true() {
        let problem = five_buffers::problem();
        let first_fit = planner::find("first-fit").expect("registered");
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: None };
        first_fit.plan(input, &first_fit.info().defaults(), &mut recorder).expect("applicable");
        let timeline = Timeline::new(recorder.events, &problem);
        let letter = |event: &Event| match event {
            Event::Begin { .. } => 'B',
            Event::Release { .. } => 'r',
            Event::Block { .. } => 'k',
            Event::OpenPool { .. } => 'o',
            Event::Place { .. } => 'P',
            Event::Grow { .. } => 'G',
            _ => '?',
        };
        let events: String = timeline.events.iter().flat_map(|event| [' ', letter(event)]).collect();
        let mut begins = vec![' '; 2 * timeline.events.len()];
        for decision in &timeline.decisions {
            let at = 2 * decision.begin as usize;
            begins[at] = '|';
            begins[at + 1] = problem.buffers[decision.buffer].name.chars().next().expect("a name");
        }
        let begins: String = begins.into_iter().collect();
        let marks = |level: Level| {
            let mut marks = vec![' '; 2 * timeline.events.len() + 1];
            (0..timeline.frames(level)).for_each(|frame| marks[2 * timeline.events_at(level, frame) as usize] = '^');
            let marks: String = marks.into_iter().collect();
            format!("{:<11}{marks}    {} frames", level.name(), timeline.frames(level))
        };
        let mut lines = vec![format!("decision   {begins}|"), format!("event      {events}")];
        lines.extend(Level::ALL.map(marks));
        five_buffers::assert_in_comments(include_str!("timeline.rs"), &lines);
    }
}
