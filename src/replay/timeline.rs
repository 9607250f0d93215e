//! Events with checkpoints: the state after any event within a bounded number of steps.
//!
//! First fit with the five buffers of [`crate::problem`]: 24 events in five decisions. A frame stands between two events, on
//! all that came before it; a mark below is a frame of the level.
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
//! `d` opens no pool and raises no peak, so it has no frame among the outcomes; `e` has one as the last decision.

use serde::{Deserialize, Serialize};

use crate::base::{Arrange, IdVec};
use crate::plan::{Place, PoolId};
use crate::problem::{BufferId, Problem};
use crate::trace::{Event, Outcome, Tree};

/// How finely the stepper counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Every place looked at, every release, every placement.
    All,
    /// One frame a placement.
    #[default]
    Decisions,
    /// New pools, growths of the peak, and the end.
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

/// One placement and the events that belong to it.
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

/// What the events up to a moment have changed: places, releases, pools and trees.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// Places recorded so far. In a tree run earlier offsets may have moved since: [`super::Frame`] lays the tree out.
    pub places: IdVec<BufferId, Option<Place>>,
    /// Buffers whose storage has been given back.
    pub released: IdVec<BufferId, bool>,
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
            places: IdVec::from_elem(None, buffers),
            released: IdVec::from_elem(false, buffers),
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
#[derive(Debug)]
pub struct Timeline {
    /// In the order in which they were emitted.
    pub events: Vec<Event>,
    /// In order of their events.
    pub decisions: Vec<Decision>,
    /// Number of events applied at each frame of the levels.
    all: Vec<u32>,
    outcomes: Vec<u32>,
    checkpoints: Vec<(u32, Moment)>,
}

/// Fewest decisions between checkpoints. Applying one decision takes well under a microsecond, copying a state of ten
/// thousand buffers about a millisecond, so few checkpoints far apart seek fast and stay small.
const MIN_GAP: usize = 512;
/// Most checkpoints kept.
const MAX_CHECKPOINTS: usize = 16;

impl Timeline {
    /// Prepares the events of a run over `problem`.
    pub fn new(events: Vec<Event>, problem: &Problem) -> Timeline {
        let decisions = decisions(&events);
        let outcomes = outcome_stops(&events, &decisions);
        let all = all_stops(&events, &decisions);
        let gap = MIN_GAP.max(decisions.len().div_ceil(MAX_CHECKPOINTS));
        let mut checkpoints = vec![(0, Moment::new(problem))];
        let mut state = Moment::new(problem);
        let mut applied = 0;
        for decision in decisions.iter().skip(gap - 1).step_by(gap) {
            events[applied..decision.end as usize].iter().for_each(|&event| state.apply(event));
            applied = decision.end as usize;
            checkpoints.push((decision.end, state.clone()));
        }
        Timeline { events, decisions, all, outcomes, checkpoints }
    }

    /// Number of frames of a level; frame 0 is the state before anything is placed.
    pub fn frames(&self, level: Level) -> u32 {
        match level {
            Level::All => self.all.len() as u32,
            Level::Decisions => self.decisions.len() as u32 + 1,
            Level::Outcomes => self.outcomes.len() as u32,
        }
    }

    /// Number of events applied at a frame; frames past the last count as the last.
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

    /// Index of the first checkpoint whose distance is best for reaching `events`.
    fn checkpoint_before(&self, events: u32) -> &(u32, Moment) {
        let index = self.checkpoints.partition_point(|(at, _)| *at <= events) - 1;
        &self.checkpoints[index]
    }

    /// The state after `events` events, computed from the nearest checkpoint.
    pub fn state(&self, events: u32) -> Moment {
        let (at, state) = self.checkpoint_before(events);
        let mut state = state.clone();
        self.advance(&mut state, *at, events);
        state
    }

    /// Moves a state that stands after `at` events to the moment after `events`, by the shorter way.
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

fn decisions(events: &[Event]) -> Vec<Decision> {
    let mut decisions: Vec<Decision> = Vec::new();
    let mut ends: Vec<u64> = Vec::new();
    let mut peak = 0;
    for (index, event) in events.iter().enumerate() {
        if let Event::Begin { buffer } = *event {
            decisions.push(Decision {
                buffer,
                begin: index as u32,
                end: 0,
                outcome: Outcome::Nothing,
                pool: PoolId(0),
                peak,
                grew: false,
            });
        }
        let Some(decision) = decisions.last_mut() else { continue };
        decision.end = index as u32 + 1;
        match *event {
            Event::Place { outcome, pool, .. } => {
                decision.outcome = outcome;
                decision.pool = PoolId(pool);
            }
            Event::Grow { pool, to, .. } => {
                let pool = pool as usize;
                if ends.len() <= pool {
                    ends.resize(pool + 1, 0);
                }
                peak = peak - ends[pool] + to;
                ends[pool] = to;
                decision.grew = true;
                decision.peak = peak;
            }
            _ => {}
        }
    }
    decisions
}

fn all_stops(events: &[Event], decisions: &[Decision]) -> Vec<u32> {
    let mut stops = vec![0];
    // What a planner works out before the first placement has frames of its own.
    let first = decisions.first().map_or(events.len() as u32, |decision| decision.begin);
    let mut stop_inside = |begin: u32, end: u32| {
        for index in begin..end {
            match events[index as usize] {
                Event::Release { .. }
                | Event::Block { .. }
                | Event::AskPool { .. }
                | Event::AskTemporal { .. }
                | Event::AskSpatial { .. }
                | Event::AskStorage { .. }
                | Event::Refs { .. }
                | Event::Note { .. }
                | Event::AtEnd { .. } => stops.push(index + 1),
                _ => {}
            }
        }
    };
    stop_inside(0, first);
    for decision in decisions {
        stop_inside(decision.begin, decision.end);
    }
    stops.extend(decisions.iter().map(|decision| decision.end));
    stops.arrange();
    stops.dedup();
    stops
}

fn outcome_stops(events: &[Event], decisions: &[Decision]) -> Vec<u32> {
    let mut stops = vec![0];
    for (index, decision) in decisions.iter().enumerate() {
        let opens = events[decision.begin as usize..decision.end as usize]
            .iter()
            .any(|event| matches!(event, Event::OpenPool { .. }));
        if decision.grew || opens || index + 1 == decisions.len() {
            stops.push(decision.end);
        }
    }
    stops
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::{self, Input};
    use crate::problem::five_buffers;
    use crate::trace::Recorder;

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
