//! MLIR's static memory planner: in order of allocation, each buffer into the smallest gap between
//! live ones.
//!
//! **From**: llvm/llvm-project ae2d14a, `mlir/lib/Dialect/Bufferization/Transforms/`
//! `StaticMemoryPlanning.cpp`, `bestFitMemoryPlanner` and `trivialMemoryPlanner`, which the pass
//! `static-memory-planner-analysis` runs on the `memref.alloc` of a function.
//! **Rule**: buffers by start of life. A gap before a live buffer is measured from its aligned
//! start; the one above the last live buffer ends at the end of the arena. The smallest gap that is
//! large enough is taken, the lowest of equal ones. If none is, the buffer goes directly above the
//! last live one, and the arena grows. `algorithm=trivial`, the default of the pass, shares
//! nothing.
//! **Time and alignment**: half-open, as the steps of a graph. Alignment is that of the buffer, 1
//! if nothing states one, and at least option `align`.
//! **Cost**: `O((n + m) log n)` with `m` pairs of buffers alive at the same time; the original
//! walks all placed buffers for each, `O(n^2)`. With `branch_safe` all pairs are looked at.
//! **Does badly**: the order of allocation decides. Sizes 50, 100, 100 live [0,2), [1,4), [2,4):
//! the third does not fit below the second and goes above it, 250 bytes instead of 200.
//! **Differs**: each memory is an arena of its own. The default is best fit. With `branch_safe`, a
//! buffer that no path of the graph orders before the new one counts as if it still lived.

use super::arenas::Arenas;
use super::neighbours::{Neighbour, Neighbours};
use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, Info, Input, OptionKind, OptionSpec, Options, PlanError, Planner, Source,
    way,
};
use memplan_core::base::align_up;
use memplan_core::graph::Format;
use memplan_core::plan::Plan;
use memplan_core::problem::BufferId;
use memplan_core::trace::{Decides, Event, Explanation, Note, Outcome, Probe, Verdict, in_the_way};

/// MLIR's static memory planner.
pub struct MlirStatic;

const ALGORITHM: OptionSpec = OptionSpec {
    key: "algorithm",
    original: "algorithm",
    kind: OptionKind::Choice(&["best-fit", "trivial"]),
    default: "best-fit",
};
const ALIGN: OptionSpec = OptionSpec {
    key: "align",
    original: "alignment",
    kind: OptionKind::Choice(&["1", "2", "4", "8", "16", "32", "64", "128", "256"]),
    default: "1",
};

/// The function that places all buffers with `algorithm=trivial`.
const TRIVIAL: &str = "trivialMemoryPlanner";

static INFO: Info = Info {
    id: "mlir-static",
    system: "MLIR",
    name: "static memory planner",
    source: Source {
        repository: "llvm/llvm-project",
        version: "ae2d14a",
        file: "mlir/lib/Dialect/Bufferization/Transforms/StaticMemoryPlanning.cpp",
    },
    options: &[ALGORITHM, ALIGN, BRANCH_SAFE],
    complexity: Complexity::Pairs,
    sweeps: true,
    example: "unet_512",
    case: Case { options: &[], peak: 250, best: 200 },
    evidence: Evidence::Golden { system: "mlir", planners: &["mlir_static"] },
    formats: &[Format::MlirMemref],
    explanation: Explanation {
        functions: &[(Decides::SearchBy(TRIVIAL), TRIVIAL), (Decides::Everything, "bestFitMemoryPlanner")],
        headlines: &[Outcome::Apart],
        ..Explanation::USUAL
    },
    ..Info::BASE
};

impl MlirStatic {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

/// A free place: where it begins, where a buffer would begin in it, and its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Gap {
    start: u64,
    offset: u64,
    end: u64,
}

impl Gap {
    fn len(self) -> u64 {
        self.end - self.offset
    }
}

/// The places for a buffer: gaps from low to high, that at the end of the arena last, and the one
/// taken, if there is one; else it grows the arena from `top` on.
struct Places {
    gaps: Vec<Gap>,
    chosen: Option<usize>,
    top: Gap,
}

impl Planner for MlirStatic {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let branches = super::branches(input, options)?;
        let problem = input.problem;
        let shares = options.get(ALGORITHM.key) == "best-fit";
        let mut order: Vec<BufferId> = problem.buffers.ids().collect();
        order.sort_by_key(|&id| (problem.buffers[id].live.start, id));
        let mut placed = Neighbours::new(problem, &branches);
        let mut arenas = Arenas::new(problem);
        let mut near: Vec<Neighbour> = Vec::new();
        for (decision, &id) in order.iter().enumerate() {
            if probe.pulse(decision as u64, order.len() as u64).is_break() {
                return Err(PlanError::Cancelled);
            }
            probe.event(Event::Begin { buffer: id });
            if !shares && decision == 0 {
                probe.event(Event::Note { note: Note::SearchBy, subject: way(TRIVIAL), a: 0, b: 0 });
            }
            let buffer = &problem.buffers[id];
            let (size, align) = (buffer.size, buffer.align.max(options.whole(ALIGN.key)));
            if !shares {
                let offset = align_up(arenas.peak(buffer.memory), align);
                arenas.place(id, offset, if size == 0 { Outcome::Nothing } else { Outcome::Apart }, probe);
                continue;
            }
            placed.of(id, &mut near);
            let places = places(&near, (size, align), arenas.peak(buffer.memory));
            if probe.wants_detail(decision as u32) {
                show(&near, &places, size, probe);
            }
            let (offset, outcome) = match places.chosen {
                _ if size == 0 => (places.offset(), Outcome::Nothing),
                Some(_) => (places.offset(), Outcome::Gap),
                None => (places.offset(), Outcome::AtEnd),
            };
            arenas.place(id, offset, outcome, probe);
            placed.insert(id, (offset, offset + size));
        }
        Ok(arenas.into_plan())
    }
}

impl Places {
    fn offset(&self) -> u64 {
        self.chosen.map_or(self.top.offset, |chosen| self.gaps[chosen].offset)
    }
}

/// Chooses among the gaps between neighbours, which come by address, in an arena that ends at
/// `arena`.
fn places(near: &[Neighbour], (size, align): (u64, u64), arena: u64) -> Places {
    let mut gaps = Vec::new();
    let mut top = 0;
    for neighbour in near {
        let gap = Gap { start: top, offset: align_up(top, align), end: neighbour.start };
        if gap.start < gap.end {
            gaps.push(gap);
        }
        top = top.max(neighbour.end);
    }
    let top = Gap { start: top, offset: align_up(top, align), end: arena };
    if top.offset + size <= arena {
        gaps.push(top);
    }
    // Of equal ones, the lowest.
    let fits = |gap: &Gap| gap.offset < gap.end && gap.len() >= size || *gap == top;
    let fitting = gaps.iter().enumerate().filter(|(_, gap)| fits(gap));
    let chosen = fitting.min_by_key(|(number, gap)| (gap.len(), *number)).map(|(number, _)| number);
    Places { gaps, chosen, top }
}

fn show(near: &[Neighbour], places: &Places, size: u64, probe: &mut dyn Probe) {
    for neighbour in near.iter().filter(|neighbour| neighbour.is_parallel) {
        in_the_way(probe, [neighbour.buffer]);
        let room = neighbour.end - neighbour.start;
        probe.event(Event::Block { verdict: Verdict::Parallel, offset: neighbour.start, room });
    }
    for (number, gap) in places.gaps.iter().enumerate() {
        let verdict = match places.chosen {
            Some(chosen) if chosen == number => Verdict::Chosen,
            _ if gap.offset + size <= gap.end => Verdict::Fits,
            _ => Verdict::TooSmall,
        };
        probe.event(Event::Block { verdict, offset: gap.start, room: gap.end - gap.start });
    }
    if places.gaps.last() != Some(&places.top) {
        let verdict = if places.chosen.is_none() { Verdict::Chosen } else { Verdict::Fits };
        probe.event(Event::Block { verdict, offset: places.top.start, room: u64::MAX });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{buffer, plan_of, problem};
    use memplan_core::problem::{Buffer, Problem, sample};

    fn offsets(buffers: Vec<Buffer>, given: &[(&str, &str)]) -> Vec<u64> {
        plan_of("mlir-static", &problem(buffers), given).0
    }

    #[test]
    fn the_smallest_of_the_gaps_is_taken() {
        let buffers = vec![
            buffer("a", 300, 0, 6),
            buffer("p", 10, 1, 9),
            buffer("b", 100, 2, 6),
            buffer("q", 10, 3, 9),
            buffer("c", 200, 4, 6),
            buffer("r", 10, 5, 9),
            buffer("x", 90, 6, 9),
        ];
        assert_eq!(offsets(buffers.clone(), &[]), [0, 300, 310, 410, 420, 620, 310]);
        assert_eq!(offsets(buffers, &[("algorithm", "trivial")])[6], 630);
    }

    #[test]
    fn the_end_of_the_arena_is_a_gap_like_any_other() {
        // Above p are 40 bytes, below it 50: c takes the smaller ones.
        let buffers =
            |size| vec![buffer("a", 50, 0, 3), buffer("p", 10, 1, 9), buffer("b", 40, 2, 3), buffer("c", size, 3, 9)];
        assert_eq!(offsets(buffers(30), &[])[3], 60);
        assert_eq!(offsets(buffers(45), &[])[3], 0);
        // None is large enough: directly above the last live buffer, though the arena ends higher.
        assert_eq!(offsets(buffers(60), &[])[3], 60);
    }

    #[test]
    fn a_gap_is_measured_from_its_aligned_start() {
        let mut wide = buffer("wide", 16, 3, 9);
        wide.align = 64;
        let buffers = vec![buffer("a", 10, 0, 9), buffer("b", 70, 1, 3), buffer("c", 10, 2, 9), wide];
        // 64 to 80 holds 16 bytes from the aligned start on.
        assert_eq!(offsets(buffers.clone(), &[])[3], 64);
        let again = offsets(buffers, &[("align", "64")]);
        assert!(again.iter().all(|offset| offset % 64 == 0), "{again:?}");
    }

    #[test]
    fn a_buffer_without_bytes_has_a_place_and_divides_a_gap() {
        let mut none = buffer("none", 0, 3, 9);
        none.align = 64;
        let buffers =
            vec![buffer("a", 10, 0, 9), buffer("b", 90, 1, 3), buffer("c", 10, 2, 9), none, buffer("d", 40, 4, 9)];
        // The gap from 10 to 100 is two, and the upper one is the smaller.
        assert_eq!(offsets(buffers, &[])[3..], [64, 10]);
    }

    /// The original's loop: all placed buffers, sorted, one cursor.
    fn plainly(problem: &Problem) -> Vec<u64> {
        let mut order: Vec<BufferId> = problem.buffers.ids().collect();
        order.sort_by_key(|&id| problem.buffers[id].live.start);
        let mut placed: Vec<(u64, u64, u32)> = Vec::new();
        let (mut offsets, mut arena) = (vec![0; order.len()], 0);
        for id in order {
            let wanted = &problem.buffers[id];
            let alive = placed.iter().filter(|(.., end)| *end > wanted.live.start);
            let mut occupied: Vec<(u64, u64)> = alive.map(|&(from, to, _)| (from, to)).collect();
            occupied.sort_unstable();
            let (mut best, mut cursor): (Option<(u64, u64)>, u64) = (None, 0);
            for (from, to) in occupied {
                let start = align_up(cursor, wanted.align);
                if start < from && from - start >= wanted.size && best.is_none_or(|(gap, _)| from - start < gap) {
                    best = Some((from - start, start));
                }
                cursor = cursor.max(to);
            }
            let tail = align_up(cursor, wanted.align);
            if tail + wanted.size <= arena && best.is_none_or(|(gap, _)| arena - tail < gap) {
                best = Some((arena - tail, tail));
            }
            let offset = best.map_or(tail, |(_, start)| start);
            offsets[id.0 as usize] = offset;
            placed.push((offset, offset + wanted.size, wanted.live.end));
            arena = arena.max(offset + wanted.size);
        }
        offsets
    }

    #[test]
    fn it_places_as_the_plain_loop_does() {
        for seed in 0..12 {
            let mut problem = sample(150, seed);
            for (number, buffer) in problem.buffers.iter_mut().enumerate() {
                buffer.align = 1 << ((number as u64 * 7 + seed) % 7);
                buffer.size = if number % 11 == 0 { 0 } else { buffer.size };
            }
            assert_eq!(plan_of("mlir-static", &problem, &[]).0, plainly(&problem), "{seed}");
        }
    }
}
