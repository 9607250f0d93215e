//! Hill climbs over orders of placement: the order is changed a little, what that reaches is placed
//! anew, and the change is kept or taken back. Here is our own; `usmp` is TVM's.
//!
//! **From**: the idea of TVM USMP's `hill_climb`; nothing of it is copied.
//! **Rule**: there are six starts: size order with the tightest and with the lowest gap, birth
//! order with both, breadth order with the tightest, and the plan of a beam search as an order of
//! addresses. An attempt draws a buffer that touches the peak and one of its earlier neighbours.
//! One attempt in three puts the buffer before that neighbour. The others draw another of these or,
//! with three chances in four, an earlier neighbour of a neighbour; the two swap their positions.
//! The change is kept if the peak is at most a limit: nearly always the present peak, now and then
//! a little more, less and less so towards the end. A third of the attempts and of the work goes to
//! all starts, a third to the better half, the rest to the best. A climb without a gain for long
//! ends early; the last one goes back to its best order instead, and on from there after up to four
//! changes that are kept whatever they do. The best plan ever seen is the answer; the lower bound
//! ends everything at once.
//! **Time and alignment**: half-open steps; sizes and ends rounded up to the buffer's own
//! alignment. Every memory has its own peak, and only those above their bound are worked on.
//! **Cost**: an attempt places only what the change can reach, mostly far less than one pass. A
//! limit of work, counted in neighbours looked at, ends it early on large problems; where even the
//! list of neighbours is beyond it, only the starts are compared.
//! **Does badly**: where no plan reaches the bound it cannot know that it is done. Sizes 3, 3, 1,
//! 2, 1, 3, 3 live [0,1), [0,2), [1,3), [1,4), [2,4), [3,5), [4,5): it finds 7, the least, and goes
//! on to its last attempt, since the bound is 6.
//! **Differs**: nothing to differ from. The seed is an option, so that runs repeat.

mod field;
mod layout;
#[cfg(test)]
mod tests;
mod usmp;

use std::ops::ControlFlow;

use self::field::Field;
use self::layout::Layout;
use super::gap_fit::{self, Fit, Style};
use super::random::Random;
use super::{
    Case, Complexity, Contender, Effort, Evidence, Group, Info, Input, Needs, OptionKind, OptionSpec, Options,
    PlanError, Planner, Source, Work, orders,
};
use crate::way;
use memplan_core::base::{Id, IdVec};
use memplan_core::plan::Plan;
use memplan_core::problem::{Branches, BufferId, lower_bound};
use memplan_core::trace::{Event, Muted, Note, Probe, Silent};

pub use usmp::UsmpHillClimb;

/// Our own hill climb.
pub struct HillClimb;

/// Millions of neighbours that may be looked at.
pub(super) const WORK: OptionSpec =
    OptionSpec { key: "work", original: "work", kind: OptionKind::Whole { min: 1, max: 1_000_000 }, default: "300" };

/// Pairs of neighbours for which there is memory on a small machine: 128 MB.
const MAX_PAIRS: usize = 8_000_000;

static INFO: Info = Info {
    id: "hill-climb",
    system: "memplan",
    name: "hill climb",
    source: Source { repository: "", version: "", file: "" },
    needs: Needs::Intervals,
    options: &[
        OptionSpec {
            key: "attempts",
            original: "attempts",
            kind: OptionKind::Whole { min: 1, max: 10_000_000 },
            default: "4000",
        },
        OptionSpec { key: "seed", original: "seed", kind: OptionKind::Whole { min: 0, max: 1 << 32 }, default: "1" },
        WORK,
        super::BRANCH_SAFE,
    ],
    complexity: Complexity::Attempts,
    align: 1,
    sweeps: false,
    ranked: true,
    example: "unet_512",
    case: Case { options: &[], peak: 7, best: 7 },
    evidence: Evidence::Stated("evidence.climb"),
    effort: Effort::Search,
    contender: Some(Contender { turn: 11, work: Work::Part(1) }),
    group: Group::Search,
    ..Info::BASE
};

impl HillClimb {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

/// Where a climb begins.
struct Start {
    name: &'static str,
    order: Vec<BufferId>,
    fit: Fit,
}

impl Planner for HillClimb {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let branches = super::branches(input, options)?;
        let starts = starts(input, options, probe)?;
        let work = options.whole(WORK.key).saturating_mul(1_000_000);
        let (order, fit, total) = match field(input, &branches, work) {
            Some(field) => {
                let request = Request { attempts: options.whole("attempts"), seed: options.whole("seed"), work };
                let mut offer = Offer::new(input, options, &field);
                let winner = search(&field, &starts, &request, &mut offer, probe)?;
                winner.map_or_else(Answer::default, |(order, fit, total)| (buffers(&field, &order), fit, total))
            }
            None => best_start(input, options, &starts, probe)?,
        };
        finish(input, options, order, fit, total, probe)
    }
}

/// An order with its rule for gaps and the peak that it leads to.
type Answer = (Vec<BufferId>, Fit, u64);

/// The orders to begin with, of both families: by size and by birth.
fn starts(input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Vec<Start>, PlanError> {
    let problem = input.problem;
    let beam = super::beam::Beam::INFO.options([(super::BRANCH_SAFE.key, options.get(super::BRANCH_SAFE.key))]);
    let beam = beam.map(|options| super::beam::Beam.plan(input, &options, &mut Muted(probe)));
    let mut by_address: Vec<BufferId> = problem.buffers.ids().collect();
    if let Ok(plan) = beam {
        let plan = plan?;
        by_address.sort_by_key(|&id| (plan.places[id].map(|place| place.offset), problem.buffers[id].live.start, id));
    }
    let start = |name, order: &[BufferId], fit| Start { name, order: order.to_vec(), fit };
    let (size, birth) = (orders::by_size(problem), super::free_list::births(problem, "size"));
    Ok(vec![
        start("size, tightest", &size, Fit::Tightest),
        start("size, lowest", &size, Fit::Lowest),
        start("birth, tightest", &birth, Fit::Tightest),
        start("birth, lowest", &birth, Fit::Lowest),
        start("breadth, tightest", &orders::by_breadth(problem), Fit::Tightest),
        // In order of address with the lowest gap no buffer ends up higher than it was.
        start("beam, lowest", &by_address, Fit::Lowest),
    ])
}

/// One pass for each start, where swaps are beyond the budget.
fn best_start(input: Input, options: &Options, starts: &[Start], probe: &mut dyn Probe) -> Result<Answer, PlanError> {
    let mut best: Option<(u64, &Start)> = None;
    for start in starts {
        let style = Style { fit: start.fit, align: 1, pads: true, pairs: None };
        let plan = gap_fit::plan(input, options, start.order.clone(), &style, &mut Muted(probe))?;
        let total = plan.peak(input.problem);
        probe.event(Event::Note { note: Note::Climbed, subject: way(start.name), a: total, b: total });
        if best.is_none_or(|(least, _)| total < least) {
            best = Some((total, start));
        }
    }
    probe.event(Event::Note { note: Note::ClimbWork, subject: 0, a: 0, b: 0 });
    Ok(best.map_or_else(Answer::default, |(total, start)| (start.order.clone(), start.fit, total)))
}

/// What the search is allowed.
struct Request {
    attempts: u64,
    seed: u64,
    work: u64,
}

/// One of the climbs with the best that it has seen.
struct Climb<'a> {
    name: u32,
    layout: Layout<'a>,
    random: Random,
    /// Highest end in each memory now.
    peaks: Vec<u64>,
    from: u64,
    least: u64,
    best: Vec<u32>,
    /// Attempts that lowered the least peak: number, peak before and after.
    gains: Vec<(u64, u64, u64)>,
    /// Attempts since the last of these.
    idle: usize,
}

/// The best order that any climb finds, with its rule for gaps.
fn search(
    field: &Field,
    starts: &[Start],
    request: &Request,
    offer: &mut Offer,
    probe: &mut dyn Probe,
) -> Result<Option<(Vec<u32>, Fit, u64)>, PlanError> {
    let mut climbs: Vec<Climb> = Vec::new();
    for (start, number) in starts.iter().zip(1..) {
        climbs.push(Climb::new(field, start, Random::new(request.seed.wrapping_add(number << 32))));
    }
    let mut emitted = Emitted::default();
    let mut done = 0;
    // All climbs, the better half, the best.
    for (round, alive) in [starts.len(), starts.len().div_ceil(2), 1].into_iter().enumerate() {
        climbs.sort_by_key(|climb| climb.least);
        let left = request.attempts - done;
        let spent: u64 = climbs.iter().map(|climb| climb.layout.work).sum();
        let share = |left: u64| left / (3 - round as u64) / alive as u64;
        let (each, work) = (share(left), share(request.work.saturating_sub(spent)));
        for at in 0..alive {
            let before = climbs[at].layout.work;
            for _ in 0..each {
                if climbs[at].is_stuck() && alive == 1 {
                    climbs[at].shake();
                }
                let more = climbs[at].layout.work - before;
                if climbs[at].least <= field.bound() || climbs[at].is_stuck() || more >= work {
                    break;
                }
                emitted.pulse(done, request.attempts, probe)?;
                let left = |done: u64, all: u64| 1.0 - done.min(all) as f64 / all as f64;
                let spent: u64 = climbs.iter().map(|climb| climb.layout.work).sum();
                climbs[at].attempt(done, left(done, request.attempts).min(left(spent, request.work)));
                let climb = &climbs[at];
                offer.make(climb.least, &climb.best, climb.layout.fit, probe);
                done += 1;
            }
        }
    }
    climbs.sort_by_key(|climb| climb.least);
    let spent: u64 = climbs.iter().map(|climb| climb.layout.work).sum();
    for climb in &climbs {
        probe.event(Event::Note { note: Note::Climbed, subject: climb.name, a: climb.from, b: climb.least });
    }
    let Some(winner) = climbs.into_iter().next() else { return Ok(None) };
    for &(attempt, from, to) in &winner.gains {
        emitted.taken(attempt, from, to, probe);
    }
    let note = if spent >= request.work { Note::ClimbWork } else { Note::ClimbEnd };
    probe.event(Event::Note { note, subject: done as u32, a: 0, b: 0 });
    Ok(Some((winner.best, winner.layout.fit, winner.least)))
}

impl<'a> Climb<'a> {
    fn new(field: &'a Field, start: &Start, random: Random) -> Climb<'a> {
        let layout = Layout::new(field, positions(field, &start.order), start.fit);
        let peaks = layout.peaks();
        let from = peaks.iter().sum();
        let best = layout.order.clone();
        Climb { name: way(start.name), layout, random, peaks, from, least: from, best, gains: Vec::new(), idle: 0 }
    }

    /// Whether so many attempts in a row gained nothing that more would be a waste.
    fn is_stuck(&self) -> bool {
        self.idle > PATIENCE * self.layout.order.len()
    }

    /// Begins anew from the best order with some changes, whatever they do to the peak.
    fn shake(&mut self) {
        let work = self.layout.work;
        self.layout = Layout::new(self.layout.field, self.best.clone(), self.layout.fit);
        self.layout.work += work;
        self.peaks = self.layout.peaks();
        for _ in 0..SHAKES {
            let bounds = &self.layout.field.bounds;
            let touching = self.layout.touching(&self.peaks, |memory| self.peaks[memory] > bounds[memory]);
            match self.draw(&touching) {
                Some(Move::Swap(a, b)) => self.layout.swap(a, b),
                Some(Move::Shift(from, to)) => self.layout.shift(from, to),
                None => continue,
            }
            self.layout.settle(u64::MAX);
            self.peaks = self.layout.peaks();
        }
        self.idle = (PATIENCE - AGAIN) * self.layout.order.len();
    }

    /// Tries one change of the order, a swap or a shift; `heat` falls from 1 to 0.
    fn attempt(&mut self, number: u64, heat: f64) {
        self.idle += 1;
        let bounds = &self.layout.field.bounds;
        let touching = self.layout.touching(&self.peaks, |memory| self.peaks[memory] > bounds[memory]);
        let Some(step) = self.draw(&touching) else { return };
        let (Move::Swap(a, _) | Move::Shift(a, _)) = step;
        let memory = self.layout.field.memories[self.layout.order[a as usize] as usize];
        let slack = if self.random.below(CHANCE) == 0 { (self.peaks[memory] as f64 * heat * SLACK) as u64 } else { 0 };
        let limit = self.peaks[memory] + slack;
        match step {
            Move::Swap(a, b) => self.layout.swap(a, b),
            Move::Shift(from, to) => self.layout.shift(from, to),
        }
        if !self.layout.settle(limit) {
            match step {
                Move::Swap(a, b) => self.layout.swap(a, b),
                Move::Shift(from, to) => self.layout.shift(to, from),
            }
            self.layout.take_back();
            return;
        }
        self.peaks = self.layout.peaks();
        let now = self.peaks.iter().sum();
        if now < self.least {
            self.idle = 0;
            self.gains.push((number, self.least, now));
            self.least = now;
            self.best.clone_from(&self.layout.order);
        }
    }

    /// What to change in the order.
    fn draw(&mut self, touching: &[u32]) -> Option<Move> {
        let top = *self.random.pick(touching)?;
        let near: Vec<u32> = self.layout.earlier(top).collect();
        let first = *self.random.pick(&near)?;
        if self.random.below(SHIFTS) == 0 {
            let places = &self.layout.places;
            return Some(Move::Shift(places[top as usize], places[first as usize]));
        }
        let second = if self.random.below(4) > 0 {
            let through = *self.random.pick(self.layout.field.neighbours(top))?;
            let far: Vec<u32> = self.layout.earlier(through).collect();
            *self.random.pick(&far)?
        } else {
            *self.random.pick(&near)?
        };
        let places = &self.layout.places;
        (first != second).then(|| Move::Swap(places[first as usize], places[second as usize]))
    }
}

/// A small change of an order, by positions.
#[derive(Clone, Copy)]
enum Move {
    /// Two buffers change places.
    Swap(u32, u32),
    /// A buffer moves from one position to another.
    Shift(u32, u32),
}

/// One attempt in so many shifts a buffer.
const SHIFTS: usize = 3;

/// Attempts without a gain, for each buffer, after which a climb ends.
const PATIENCE: usize = 100;

/// Changes at once where a climb is stuck.
const SHAKES: usize = 4;

/// Of the patience, what is left after them.
const AGAIN: usize = 10;

/// One attempt in so many may raise the peak.
const CHANCE: usize = 32;

/// By which share of it at the most, at the beginning.
const SLACK: f64 = 0.02;

/// The best plan of the climbs so far, for whoever follows them.
struct Offer<'a> {
    input: Input<'a>,
    options: &'a Options,
    field: &'a Field,
    bound: u64,
    least: u64,
    /// The order with the least peak, as long as nobody took its plan, and how it is placed.
    waiting: Option<(Vec<u32>, Fit)>,
}

impl<'a> Offer<'a> {
    fn new(input: Input<'a>, options: &'a Options, field: &'a Field) -> Offer<'a> {
        Offer { input, options, field, bound: lower_bound(input.problem), least: u64::MAX, waiting: None }
    }

    /// Offers the plan of the order that leads to a peak if it is better than those before.
    fn make(&mut self, peak: u64, order: &[u32], fit: Fit, probe: &mut dyn Probe) {
        if peak < self.least {
            self.least = peak;
            self.waiting = Some((order.to_vec(), fit));
        }
        self.again(probe);
    }

    /// Offers the best plan so far if nobody took it: whoever follows the search takes one from
    /// time to time only.
    fn again(&mut self, probe: &mut dyn Probe) {
        let Offer { input, options, field, .. } = *self;
        let Some((order, fit)) = &self.waiting else { return };
        let is_taken = probe.best(self.least, self.bound, &mut || {
            let plan = placed(input, options, buffers(field, order), *fit, &mut Silent);
            let offset = |id| plan.as_ref().ok().and_then(|plan| plan.places[id]).map_or(0, |place| place.offset);
            input.problem.buffers.ids().map(offset).collect()
        });
        if is_taken {
            self.waiting = None;
        }
    }
}

/// The reports of a climb while it runs.
#[derive(Default)]
struct Emitted {
    taken: u32,
}

impl Emitted {
    /// Most attempts reported one by one.
    const MOST: u32 = 2_000;

    fn pulse(&self, done: u64, total: u64, probe: &mut dyn Probe) -> Result<(), PlanError> {
        match probe.pulse(done, total) {
            ControlFlow::Break(()) => Err(PlanError::Cancelled),
            ControlFlow::Continue(()) => Ok(()),
        }
    }

    fn taken(&mut self, attempt: u64, from: u64, to: u64, probe: &mut dyn Probe) {
        self.taken += 1;
        if self.taken <= Self::MOST {
            let note = if to > from { Note::TakenWorse } else { Note::Taken };
            probe.event(Event::Note { note, subject: attempt as u32, a: from, b: to });
        }
    }
}

/// The neighbours of all buffers, if listing them is within the work allowed and within memory.
fn field(input: Input, branches: &Branches, work: u64) -> Option<Field> {
    Field::new(input.problem, branches, MAX_PAIRS.min(usize::try_from(work / 2).unwrap_or(MAX_PAIRS)))
}

/// An order of buffers as positions in the field; the empty ones are left out.
fn positions(field: &Field, order: &[BufferId]) -> Vec<u32> {
    let largest = field.ids.iter().map(|id| id.index() + 1).max().unwrap_or(0);
    let mut position: IdVec<BufferId, Option<u32>> = IdVec::from_elem(None, largest);
    field.ids.iter().zip(0..).for_each(|(&id, at)| position[id] = Some(at));
    order.iter().filter_map(|&id| position.get(id).copied().flatten()).collect()
}

fn buffers(field: &Field, order: &[u32]) -> Vec<BufferId> {
    order.iter().map(|&at| field.ids[at as usize]).collect()
}

/// Places all in the order found and reports it, and how far it is from the bound.
fn finish(
    input: Input,
    options: &Options,
    order: Vec<BufferId>,
    fit: Fit,
    total: u64,
    probe: &mut dyn Probe,
) -> Result<Plan, PlanError> {
    report_bound(total, lower_bound(input.problem), probe);
    placed(input, options, order, fit, probe)
}

/// The plan that an order leads to; empty buffers come last, in whatever order they are given.
fn placed(
    input: Input,
    options: &Options,
    mut order: Vec<BufferId>,
    fit: Fit,
    probe: &mut dyn Probe,
) -> Result<Plan, PlanError> {
    let buffers = &input.problem.buffers;
    order.retain(|&id| buffers[id].size > 0);
    order.extend(buffers.ids().filter(|&id| buffers[id].size == 0));
    let style = Style { fit, align: 1, pads: true, pairs: None };
    gap_fit::plan(input, options, order, &style, probe)
}

/// Says whether a peak is the bound.
pub(super) fn report_bound(total: u64, bound: u64, probe: &mut dyn Probe) {
    let note = if total == bound { Note::AtBound } else { Note::AboveBound };
    probe.event(Event::Note { note, subject: 0, a: total, b: bound });
}
