//! IREE's LayoutSlices: in the order of the list, each slice into the smallest gap between those
//! that live at the same time.
//!
//! **From**: iree-org/iree 607f683,
//! `compiler/src/iree/compiler/Dialect/Stream/Transforms/LayoutSlices.cpp`,
//! `packStaticSlicesGreedily` and `packDynamicSlicesConservatively`. They place the slices of a
//! `stream.resource.pack`; their model was TensorFlow Lite's arena.
//! **Rule**: slices of known size first, in order of birth. A gap before a reservation is measured
//! from its aligned start; the smallest one that is large enough is taken. If none is, the slice
//! goes directly above the highest reservation that lives at the same time. Slices whose size
//! depends on symbols follow, above all others: those of the same size share bins, each slice in
//! the first bin whose slices all live at other times.
//! **Quirk**: gaps are compared by their length from the aligned start with that of the best one
//! from its unaligned start, so the later of two equal gaps wins if padding stood before the first.
//! **Time and alignment**: the original counts the last time as part of a life, which overlaps as
//! half-open steps do. Offsets are multiples of option `offset_alignment` or of the buffer's own
//! alignment, sizes are rounded up to option `range_alignment`. As in the original, the first bin
//! begins at the rounded size of what lies below, whatever the offset alignment.
//! **Cost**: `O((n + m) log n)` with `m` pairs of buffers alive at the same time, and the bins of a
//! size for each slice of unknown size. With `branch_safe` all pairs are looked at.
//! **Does badly**: the order of birth decides. Slices of 64, 128, 128 live [1,2), [1,3), [2,5): the
//! third does not fit below the second and goes above it, 320 bytes instead of 256. Bins of
//! different symbolic sizes never share.
//! **Differs**: each memory is packed by itself. With `branch_safe`, a buffer that no path of the
//! graph orders before the new one counts as if it lived at the same time.

use std::collections::BTreeMap;

use super::arenas::Arenas;
use super::neighbours::{Neighbour, Neighbours};
use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, Info, Input, OptionKind, OptionSpec, Options, PlanError, Planner, Source,
    way,
};
use memplan_core::base::{IdVec, align_up};
use memplan_core::graph::{Dim, Expr, Format, Graph};
use memplan_core::plan::Plan;
use memplan_core::problem::{Branches, BufferId, Problem};
use memplan_core::trace::{Decides, Event, Explanation, Note, Outcome, Probe, Verdict, in_the_way};

/// IREE's layout of the slices of a pack.
pub struct IreeLayoutSlices;

const ALIGNMENTS: OptionKind =
    OptionKind::Choice(&["1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1024", "2048", "4096"]);
const OFFSET_ALIGNMENT: OptionSpec =
    OptionSpec { key: "offset_alignment", original: "min_buffer_offset_alignment", kind: ALIGNMENTS, default: "64" };
const RANGE_ALIGNMENT: OptionSpec =
    OptionSpec { key: "range_alignment", original: "min_buffer_range_alignment", kind: ALIGNMENTS, default: "64" };

/// The function that places slices of known size.
const STATIC: &str = "packStaticSlicesGreedily";
/// The function that places slices whose size depends on symbols.
const DYNAMIC: &str = "packDynamicSlicesConservatively";

static INFO: Info = Info {
    id: "iree-layout-slices",
    system: "IREE",
    name: "LayoutSlices",
    source: Source {
        repository: "iree-org/iree",
        version: "607f683",
        file: "compiler/src/iree/compiler/Dialect/Stream/Transforms/LayoutSlices.cpp",
    },
    options: &[OFFSET_ALIGNMENT, RANGE_ALIGNMENT, BRANCH_SAFE],
    complexity: Complexity::Pairs,
    align: 64,
    example: "unet_512",
    case: Case { options: &[], peak: 320, best: 256 },
    evidence: Evidence::Golden { system: "iree", planners: &["iree_layout_slices"] },
    formats: &[Format::IreeStream],
    explanation: Explanation {
        functions: &[(Decides::SearchBy(DYNAMIC), DYNAMIC), (Decides::Everything, STATIC)],
        headlines: &[Outcome::Apart, Outcome::Exact],
        ..Explanation::USUAL
    },
    ..Info::BASE
};

impl IreeLayoutSlices {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

/// What a pack is laid out by, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Offsets are multiples of it, a power of two.
    pub offset_alignment: u64,
    /// Sizes are rounded up to it, a power of two.
    pub range_alignment: u64,
    /// What lies in front of everything.
    pub base: u64,
}

impl Planner for IreeLayoutSlices {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let branches = super::branches(input, options)?;
        let settings = Settings {
            offset_alignment: options.whole(OFFSET_ALIGNMENT.key),
            range_alignment: options.whole(RANGE_ALIGNMENT.key),
            base: 0,
        };
        let values = input.graph.map(|graph| unknown_sizes(graph, input.problem));
        let values = values.unwrap_or_else(|| IdVec::from_elem(None, input.problem.buffers.len()));
        layout(input.problem, &values, &branches, settings, probe)
    }
}

/// The size value of each buffer whose size depends on symbols: equal expressions are one value.
fn unknown_sizes(graph: &Graph, problem: &Problem) -> IdVec<BufferId, Option<u32>> {
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    let value = |buffer: &memplan_core::problem::Buffer| {
        let &root = buffer.tensors.first()?;
        let tensor = &graph.tensors[root];
        if tensor.bytes.is_some() || !tensor.shape.iter().any(|dim| matches!(dim, Dim::Expr(_))) {
            return None;
        }
        let text = format!("({})*{}", graph.storage_length(root), tensor.dtype.bits());
        let text = Expr::parse(&text).map_or(text, |bits| bits.normal());
        let next = known.len() as u32;
        Some(*known.entry(text).or_insert(next))
    };
    problem.buffers.iter().map(value).collect()
}

/// Lays out the buffers of every memory in the order in which they are listed. `values`: the number
/// of the size value of each buffer of unknown size.
///
/// # Errors
/// [`PlanError::Cancelled`] when the probe asks to stop.
pub fn layout(
    problem: &Problem,
    values: &IdVec<BufferId, Option<u32>>,
    branches: &Branches,
    settings: Settings,
    probe: &mut dyn Probe,
) -> Result<Plan, PlanError> {
    let mut pack = Pack {
        problem,
        branches,
        settings,
        placed: Neighbours::new(problem, branches),
        arenas: Arenas::new(problem),
        near: Vec::new(),
        decision: 0,
        by: STATIC,
    };
    let mut sizes = Vec::new();
    for memory in problem.memories.ids() {
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        for id in problem.buffers.ids().filter(|&id| problem.buffers[id].memory == memory) {
            if values[id].is_some() { unknown.push(id) } else { known.push(id) }
        }
        if known.is_empty() && unknown.is_empty() {
            continue;
        }
        let mut total = if known.is_empty() { settings.base } else { pack.place_known(&known, probe)? };
        if !unknown.is_empty() {
            total = pack.place_unknown(&unknown, values, total, probe)?;
        }
        sizes.push(total);
    }
    let mut plan = pack.arenas.into_plan();
    for (id, size) in plan.pools.ids().zip(sizes) {
        if plan.pools[id].size != size {
            probe.event(Event::Note { note: Note::ArenaFinal, subject: id.0, a: size, b: 0 });
            plan.pools[id].size = size;
        }
    }
    Ok(plan)
}

struct Pack<'a> {
    problem: &'a Problem,
    branches: &'a Branches,
    settings: Settings,
    placed: Neighbours<'a>,
    arenas: Arenas<'a>,
    near: Vec<Neighbour>,
    decision: u32,
    /// The function that placed the last slice.
    by: &'static str,
}

/// A free place: where it begins, where a slice would begin in it, and its end; that of the one
/// above all is `u64::MAX`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Gap {
    start: u64,
    offset: u64,
    end: u64,
}

/// Slices that lie in one place after the other.
struct Bin {
    offset: u64,
    slices: Vec<BufferId>,
}

impl Pack<'_> {
    /// Turns to a slice that the function `by` places, and returns whether all is to be shown.
    fn begin(&mut self, id: BufferId, by: &'static str, probe: &mut dyn Probe) -> Result<bool, PlanError> {
        if probe.pulse(self.decision.into(), self.problem.buffers.len() as u64).is_break() {
            return Err(PlanError::Cancelled);
        }
        probe.event(Event::Begin { buffer: id });
        if std::mem::replace(&mut self.by, by) != by {
            probe.event(Event::Note { note: Note::SearchBy, subject: way(by), a: 0, b: 0 });
        }
        self.decision += 1;
        Ok(probe.wants_detail(self.decision - 1))
    }

    /// Places slices of known size and returns the bytes that they take, rounded up.
    fn place_known(&mut self, ids: &[BufferId], probe: &mut dyn Probe) -> Result<u64, PlanError> {
        let mut high = 0;
        for &id in ids {
            let detail = self.begin(id, STATIC, probe)?;
            let buffer = &self.problem.buffers[id];
            let size = align_up(buffer.size, self.settings.range_alignment);
            let align = buffer.align.max(self.settings.offset_alignment);
            self.placed.of(id, &mut self.near);
            let gaps = gaps(&self.near, align, size);
            let chosen = choose(&gaps, size);
            if detail {
                show(&self.near, &gaps, chosen, size, probe);
            }
            let offset = gaps[chosen].offset;
            let outcome = match gaps[chosen].end {
                _ if size == 0 => Outcome::Nothing,
                u64::MAX => Outcome::AtEnd,
                _ => Outcome::Gap,
            };
            self.arenas.place(id, self.settings.base + offset, outcome, probe);
            self.placed.insert(id, (offset, offset + size));
            high = high.max(offset + size);
        }
        Ok(self.settings.base + align_up(high, self.settings.range_alignment))
    }

    /// Places slices of unknown size from `top` on, size by size, and returns the bytes of all.
    fn place_unknown(
        &mut self,
        ids: &[BufferId],
        values: &IdVec<BufferId, Option<u32>>,
        mut top: u64,
        probe: &mut dyn Probe,
    ) -> Result<u64, PlanError> {
        let Settings { offset_alignment, range_alignment, .. } = self.settings;
        // In the order in which the sizes are first met.
        let mut turns: BTreeMap<Option<u32>, usize> = BTreeMap::new();
        let mut groups: Vec<Vec<BufferId>> = Vec::new();
        for &id in ids {
            let turn = *turns.entry(values[id]).or_insert(groups.len());
            if turn == groups.len() {
                groups.push(Vec::new());
            }
            groups[turn].push(id);
        }
        for group in groups {
            let align = group.iter().map(|&id| self.problem.buffers[id].align).max().unwrap_or(1);
            let mut bins: Vec<Bin> = Vec::new();
            for id in group {
                let detail = self.begin(id, DYNAMIC, probe)?;
                let size = align_up(self.problem.buffers[id].size, range_alignment);
                let found = bins.iter().position(|bin| bin.slices.iter().all(|&other| !self.meets(other, id)));
                if detail {
                    self.show_bins(&bins, found, id, size, probe);
                }
                let bin = found.unwrap_or(bins.len());
                if found.is_none() {
                    let offset = align_up(top, align);
                    if detail {
                        probe.event(Event::Block { verdict: Verdict::Chosen, offset, room: u64::MAX });
                    }
                    bins.push(Bin { offset, slices: Vec::new() });
                    top = align_up(offset + size, offset_alignment);
                }
                let outcome = match found {
                    _ if size == 0 => Outcome::Nothing,
                    Some(_) => Outcome::Exact,
                    None => Outcome::Apart,
                };
                self.arenas.place(id, bins[bin].offset, outcome, probe);
                bins[bin].slices.push(id);
            }
        }
        Ok(align_up(top, range_alignment))
    }

    /// Whether two slices may not share bytes.
    fn meets(&self, placed: BufferId, new: BufferId) -> bool {
        let buffers = &self.problem.buffers;
        buffers[placed].live.meets(buffers[new].live) || !self.branches.allow(placed, new)
    }

    /// Reports the bins of a size up to the one that is taken.
    fn show_bins(&self, bins: &[Bin], found: Option<usize>, id: BufferId, room: u64, probe: &mut dyn Probe) {
        let buffers = &self.problem.buffers;
        for (number, bin) in bins.iter().enumerate().take(found.map_or(bins.len(), |found| found + 1)) {
            let alive = bin.slices.iter().copied().filter(|&other| buffers[other].live.meets(buffers[id].live));
            let alive: Vec<BufferId> = alive.collect();
            let verdict = match found {
                Some(found) if found == number => Verdict::Chosen,
                _ if alive.is_empty() => {
                    in_the_way(probe, bin.slices.iter().copied().filter(|&other| !self.branches.allow(other, id)));
                    Verdict::Parallel
                }
                _ => {
                    in_the_way(probe, alive);
                    Verdict::Overlaps
                }
            };
            probe.event(Event::Block { verdict, offset: bin.offset, room });
        }
    }
}

/// The gaps between neighbours, which come by address, and the unbounded one last. For a slice
/// without bytes, places between neighbours that touch count too.
fn gaps(near: &[Neighbour], align: u64, size: u64) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut top = 0;
    for neighbour in near {
        if top < neighbour.start || size == 0 && top == neighbour.start {
            gaps.push(Gap { start: top, offset: align_up(top, align), end: neighbour.start });
        }
        top = top.max(neighbour.end);
    }
    gaps.push(Gap { start: top, offset: align_up(top, align), end: u64::MAX });
    gaps
}

/// The index of the gap that is taken: as the original, a gap's length from its aligned start is
/// compared with the best one's from its unaligned start.
fn choose(gaps: &[Gap], size: u64) -> usize {
    let top = gaps.len() - 1;
    let mut best: Option<(usize, u64)> = None;
    for (number, gap) in gaps[..top].iter().enumerate() {
        if gap.offset + size <= gap.end && best.is_none_or(|(_, length)| gap.end - gap.offset < length) {
            best = Some((number, gap.end - gap.start));
        }
    }
    best.map_or(top, |(number, _)| number)
}

fn show(near: &[Neighbour], gaps: &[Gap], chosen: usize, size: u64, probe: &mut dyn Probe) {
    for neighbour in near.iter().filter(|neighbour| neighbour.is_parallel) {
        in_the_way(probe, [neighbour.buffer]);
        let room = neighbour.end - neighbour.start;
        probe.event(Event::Block { verdict: Verdict::Parallel, offset: neighbour.start, room });
    }
    for (number, gap) in gaps.iter().enumerate() {
        let verdict = match () {
            () if number == chosen => Verdict::Chosen,
            () if gap.end == u64::MAX || gap.offset + size <= gap.end => Verdict::Fits,
            () => Verdict::TooSmall,
        };
        let room = if gap.end == u64::MAX { u64::MAX } else { gap.end - gap.start };
        probe.event(Event::Block { verdict, offset: gap.start, room });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{buffer, plan_of, problem};
    use crate::{Input, find};
    use memplan_core::problem::{Scope, lifetimes, sample};
    use memplan_core::trace::Silent;
    use memplan_formats::import::{self, Answers, Document};

    const PLAIN: [(&str, &str); 2] = [("offset_alignment", "1"), ("range_alignment", "1")];

    #[test]
    fn a_worked_example_reuses_what_is_over() {
        let slices =
            vec![buffer("s0", 100, 0, 3), buffer("s1", 300, 1, 4), buffer("s2", 200, 3, 6), buffer("s3", 100, 4, 7)];
        assert_eq!(plan_of("iree-layout-slices", &problem(slices), &[]).0, [0, 128, 448, 0]);
    }

    #[test]
    fn a_slice_goes_behind_the_last_one_that_lives_with_it() {
        let slices = vec![
            buffer("a", 64, 0, 2),
            buffer("b", 640, 0, 2),
            buffer("c", 64, 1, 9),
            buffer("d", 64, 2, 9),
            buffer("e", 700, 2, 9),
        ];
        // Above c and d there is no gap up to the end of the arena, which was higher before.
        assert_eq!(plan_of("iree-layout-slices", &problem(slices), &PLAIN).0, [0, 64, 704, 0, 768]);
    }

    #[test]
    fn padding_before_the_first_of_two_equal_gaps_lets_the_second_win() {
        let gap = |start: u64, end| Gap { start, offset: align_up(start, 64), end };
        let gaps = [gap(32, 128), gap(256, 320), gap(400, u64::MAX)];
        assert_eq!(choose(&gaps, 64), 1);
        assert_eq!(choose(&[gap(64, 128), gap(256, 320), gap(400, u64::MAX)], 64), 0);
        assert_eq!(choose(&gaps, 100), 2);
    }

    #[test]
    fn a_slice_without_bytes_has_a_place() {
        let slices = vec![buffer("a", 64, 0, 3), buffer("none", 0, 1, 3), buffer("b", 64, 2, 4)];
        // The empty gap below a fits; b goes above a.
        assert_eq!(plan_of("iree-layout-slices", &problem(slices), &[]).0, [0, 0, 64]);
    }

    fn graph(text: &str) -> Graph {
        match import::read(text.as_bytes(), Answers::default()).map(|read| read.document) {
            Ok(Document::Graph(graph)) => graph,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn equal_expressions_share_bins_above_all_known_sizes() {
        let tensor = |name: &str, shape: &str| {
            format!(r#"{{"name":"{name}","dtype":"uint8","shape":[{shape}],"kind":"intermediate"}}"#)
        };
        let tensors =
            [tensor("a", "100"), tensor("b", "\"n\""), tensor("c", "\"2*n\""), tensor("d", "\"n\""), tensor("e", "64")];
        let text = format!(
            r#"{{"format":"memory-graph/1","symbols":{{"n":{{"hint":100}}}},"tensors":[{}],"nodes":[
            {{"name":"n0","op":"op","inputs":[],"outputs":["a","b"]}},
            {{"name":"n1","op":"op","inputs":["b"],"outputs":["c"]}},
            {{"name":"n2","op":"op","inputs":["c"],"outputs":["d"]}},
            {{"name":"n3","op":"op","inputs":["d"],"outputs":["e"]}}]}}"#,
            tensors.join(",")
        );
        let graph = graph(&text);
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let planner = find("iree-layout-slices").expect("registered");
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &planner.info().defaults(), &mut Silent).expect("applicable");
        let offsets: Vec<u64> = plan.places.iter().flatten().map(|place| place.offset).collect();
        // d takes the bin of b; c, of another size, gets one of its own. e shares with a.
        assert_eq!(offsets, [0, 128, 256, 128, 0]);
        assert_eq!(plan.pools.iter().map(|pool| pool.size).collect::<Vec<_>>(), [512]);
    }

    /// The original's loop over a list of reservations by offset.
    fn plainly(problem: &Problem, offset_alignment: u64, range_alignment: u64) -> Vec<u64> {
        let mut reserved: Vec<(u64, u64, BufferId)> = Vec::new();
        let mut offsets = Vec::new();
        for (id, slice) in problem.buffers.enumerate() {
            let size = align_up(slice.size, range_alignment);
            let (mut best, mut fit, mut top) = (None, u64::MAX, 0);
            for &(offset, length, other) in &reserved {
                if !problem.buffers[other].live.meets(slice.live) {
                    continue;
                }
                let start = align_up(top, offset_alignment);
                if start + size <= offset && offset - start < fit {
                    (best, fit) = (Some(start), offset - top);
                }
                top = top.max(offset + length);
            }
            let offset = best.unwrap_or_else(|| align_up(top, offset_alignment));
            let at = reserved.partition_point(|&(other, ..)| other < offset);
            reserved.insert(at, (offset, size, id));
            offsets.push(offset);
        }
        offsets
    }

    #[test]
    fn it_places_as_the_plain_loop_does() {
        for seed in 0..12 {
            let mut problem = sample(150, seed);
            for (number, buffer) in problem.buffers.iter_mut().enumerate() {
                buffer.align = 1;
                buffer.size = if number % 9 == 0 { 0 } else { buffer.size };
            }
            for (offset, range) in [("1", "1"), ("64", "16"), ("16", "64"), ("64", "64")] {
                let given = [("offset_alignment", offset), ("range_alignment", range)];
                let plain = plainly(&problem, offset.parse().unwrap(), range.parse().unwrap());
                assert_eq!(plan_of("iree-layout-slices", &problem, &given).0, plain, "{seed} {given:?}");
            }
        }
    }
}
