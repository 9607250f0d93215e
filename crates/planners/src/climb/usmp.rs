//! TVM's unified static memory planner, its hill climb: swaps in the order of placement near what
//! makes the peak.
//!
//! **From**: apache/tvm 01e0423, `src/tir/usmp/algo/hill_climb.cc`, `HillClimbAllocator`.
//! **Rule**: the order begins as that of `greedy_by_size`; every buffer goes to the lowest gap. An
//! attempt places all in the present order. It is taken if the total is smaller than that of the
//! last one taken, or by chance: a random number below 100 is less than
//! `50 (total - last) / total / attempt` in whole numbers. Else the swap and the placement are
//! taken back. Then two buffers are swapped: one of those that touch the peak is drawn; the first
//! is drawn from its neighbours that come earlier in the order, the second with three chances in
//! four from the neighbours of its neighbours that come earlier than these, else again from the
//! first list.
//! **Quirks** kept: a worse one that is taken by chance replaces the answer, so that it is the last
//! one taken and not the best; an equal total is not taken; when there is nothing to swap, the next
//! attempt takes back the swap of an earlier one.
//! **Time and alignment**: as `greedy_by_size`; half-open steps, sizes and ends rounded up to the
//! buffer's own alignment. Random numbers are those of glibc's `rand_r` from 0.
//! **Cost**: `attempts` times a pass over the pairs of buffers alive together; here only what a
//! swap can reach is placed anew. A limit of work, counted in neighbours looked at, ends it early
//! on large problems.
//! **Does badly**: an equal total is not taken, so it cannot cross a plain where no swap alone
//! helps. Sizes 5, 5, 5, 3, 1, 4, 2 live [0,1), [1,2), [1,3), [2,6), [2,4), [3,5), [3,6): 500
//! attempts end at 11, though another order reaches the bound, 10.
//! **Differs**: one arena a memory without size hints; the original ends in an endless loop where
//! both lists hold one buffer only, here nothing is swapped.

use super::layout::Layout;
use super::{Case, Emitted, Offer, Start, WORK, best_start, finish};
use crate::gap_fit::Fit;
use crate::{
    BRANCH_SAFE, Complexity, Contender, Effort, Evidence, Group, Info, Input, Needs, OptionKind, OptionSpec, Options,
    PlanError, Planner, Source, Work, orders,
};
use memplan_core::plan::Plan;
use memplan_core::trace::{Decides, Event, Explanation, Note, Probe};

/// TVM USMP's hill climb.
pub struct UsmpHillClimb;

static INFO: Info = Info {
    id: "usmp-hill-climb",
    system: "TVM USMP",
    name: "hill_climb",
    source: Source { repository: "apache/tvm", version: "01e0423", file: "src/tir/usmp/algo/hill_climb.cc" },
    needs: Needs::Intervals,
    options: &[
        OptionSpec {
            key: "attempts",
            original: "_max_attempts",
            kind: OptionKind::Whole { min: 1, max: 1_000_000 },
            default: "500",
        },
        OptionSpec {
            key: "memory_pressure",
            original: "memory_pressure",
            kind: OptionKind::Whole { min: 0, max: memplan_core::base::MAX_SAFE },
            default: "0",
        },
        WORK,
        BRANCH_SAFE,
    ],
    complexity: Complexity::Attempts,
    align: 1,
    sweeps: false,
    ranked: true,
    example: "two_branches",
    case: Case { options: &[], peak: 11, best: 10 },
    evidence: Evidence::Stated("evidence.climb"),
    effort: Effort::Search,
    contender: Some(Contender { turn: 10, work: Work::Part(4) }),
    explanation: Explanation {
        functions: &[(Decides::Everything, "HillClimbAllocator::greedy")],
        ..Explanation::USUAL
    },
    group: Group::Historical,
    ..Info::BASE
};

impl UsmpHillClimb {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for UsmpHillClimb {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let branches = crate::branches(input, options)?;
        let order = orders::by_size_and_conflicts(input.problem, &orders::conflicts(input.problem));
        let work = options.whole(WORK.key).saturating_mul(1_000_000);
        let (order, total) = match super::field(input, &branches, work) {
            Some(field) => {
                let layout = Layout::new(&field, super::positions(&field, &order), Fit::Lowest);
                let attempts = options.whole("attempts");
                let request = Request { attempts, wanted: options.whole("memory_pressure"), work };
                let mut offer = Offer::new(input, options, &field);
                let (order, total) = run(layout, &request, &mut offer, probe)?;
                (super::buffers(&field, &order), total)
            }
            None => {
                let only = [Start { name: "size, lowest", order, fit: Fit::Lowest }];
                let (order, _, total) = best_start(input, options, &only, probe)?;
                (order, total)
            }
        };
        finish(input, options, order, Fit::Lowest, total, probe)
    }
}

struct Request {
    attempts: u64,
    /// The total that is small enough, in bytes.
    wanted: u64,
    work: u64,
}

/// The order of the last placement that was taken, and its total.
fn run(
    mut layout: Layout,
    request: &Request,
    offer: &mut Offer,
    probe: &mut dyn Probe,
) -> Result<(Vec<u32>, u64), PlanError> {
    let mut random = RandR(0);
    let mut total = 0;
    let mut swapped = (0, 0);
    let mut answer = layout.order.clone();
    let mut emitted = Emitted::default();
    let mut attempt = 0;
    while attempt < request.attempts {
        emitted.pulse(attempt, request.attempts, probe)?;
        if layout.work > request.work {
            probe.event(Event::Note { note: Note::ClimbWork, subject: attempt as u32, a: 0, b: 0 });
            return Ok((answer, total));
        }
        layout.settle(u64::MAX);
        let now: u64 = layout.peaks().iter().sum();
        let is_taken = total == 0
            || total > now
            || u64::from(random.next() % 100)
                < (50 * u128::from(now - total) / u128::from(now)) as u64 / attempt.max(1);
        if is_taken {
            if attempt > 0 {
                emitted.taken(attempt, total, now, probe);
            }
            answer.clone_from(&layout.order);
            total = now;
            offer.make(total, &answer, Fit::Lowest, probe);
            if total <= request.wanted {
                break;
            }
        } else {
            layout.swap(swapped.1, swapped.0);
            layout.restore();
            offer.again(probe);
        }
        if let Some((a, b)) = draw(&mut layout, &mut random) {
            swapped = (a, b);
            layout.swap(a, b);
        }
        attempt += 1;
    }
    probe.event(Event::Note { note: Note::ClimbEnd, subject: attempt as u32, a: 0, b: 0 });
    Ok((answer, total))
}

/// Positions to swap; none when nothing is below the one that was drawn.
fn draw(layout: &mut Layout, random: &mut RandR) -> Option<(u32, u32)> {
    let touching = layout.touching(&layout.peaks(), |_| true);
    let top = *random.pick(&touching)?;
    let mut first: Vec<u32> = layout.earlier(top).map(|other| layout.places[other as usize]).collect();
    first.sort_unstable();
    let second = SecondLevel::new(layout, top);
    layout.work += u64::from(second.len);
    let a = *random.pick(&first)?;
    if first.len() == 1 && second.holds_only(a) {
        return None;
    }
    loop {
        let from_second = second.len > 0 && random.next() % 100 > 25;
        let b = if from_second { second.nth(random.next() % second.len) } else { *random.pick(&first)? };
        if a != b {
            return Some((a, b));
        }
        if second.len < 2 && first.len() < 2 {
            return None;
        }
    }
}

/// How often each position stands in the list of earlier neighbours of neighbours: the list itself
/// is long.
struct SecondLevel {
    counts: Vec<u32>,
    len: u32,
}

impl SecondLevel {
    fn new(layout: &Layout, top: u32) -> SecondLevel {
        let mut level = SecondLevel { counts: vec![0; layout.order.len()], len: 0 };
        for &near in layout.field.neighbours(top) {
            for far in layout.earlier(near) {
                level.counts[layout.places[far as usize] as usize] += 1;
                level.len = level.len.saturating_add(1);
            }
        }
        level
    }

    fn holds_only(&self, position: u32) -> bool {
        self.counts[position as usize] == self.len
    }

    /// The position at this index of the sorted list.
    fn nth(&self, index: u32) -> u32 {
        let mut left = index;
        for (position, &count) in self.counts.iter().enumerate() {
            if left < count {
                return position as u32;
            }
            left -= count;
        }
        0
    }
}

/// glibc's `rand_r`: three steps of a linear congruence give 11, 10 and 10 bits.
pub struct RandR(pub u32);

impl RandR {
    pub fn next(&mut self) -> u32 {
        let mut step = |bits: u32| {
            self.0 = self.0.wrapping_mul(1_103_515_245).wrapping_add(12345);
            (self.0 >> 16) % (1 << bits)
        };
        let (high, middle, low) = (step(11), step(10), step(10));
        ((high << 10 | middle) << 10) | low
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() {
            return None;
        }
        list.get(self.next() as usize % list.len())
    }
}
