//! TensorFlow Lite's arena: what lives for the whole run at the bottom, then large before small,
//! each into the tightest gap.
//!
//! **From**: tensorflow/tensorflow, `tensorflow/lite/arena_planner.cc` (0406598),
//! `CreateTensorAllocationVector`, and `tensorflow/lite/simple_memory_arena.cc` (0e44793),
//! `SimpleMemoryArena::Allocate`.
//! **Rule**: buffers there from the first node and never freed come first, in order of the input.
//! Then large before small, equal sizes by start, then position in the input. The smallest gap that
//! is large enough, the lowest of equals; none: above the highest neighbour. A quirk decides some
//! gaps: a gap's length from its aligned start is compared with the best one's length from its
//! unaligned start, so a later gap that is in truth no smaller may win.
//! **Time and alignment**: the original counts nodes, both ends included; the graph's half-open
//! steps mean the same. Offsets are multiples of option `align` (64 bytes unless changed) and of
//! the buffer's own alignment; sizes stay as they are. With `keep_inputs` graph inputs keep their
//! place for the whole run, and with `inplace` a result may lie on an operand (see `tflite_lives`);
//! the interpreter does both, the planner of the source above only the first.
//! **Cost**: see the folder; the original walks all placed buffers for each, `O(n^2)`.
//! **Does badly**: as greedy by size; and with small buffers every start is rounded up: ten buffers
//! of 4 bytes that are alive together take 580 bytes.
//! **Differs**: a buffer that nobody reads and that is no output lives for ever in the original,
//! here only at its own step. Ties that the original leaves to an unstable sort go by position in
//! the input. Its early stop at a gap of length 0 never happens: a gap that fits is at least as
//! long as the buffer.

use std::cmp::Reverse;

use super::{Fit, Style, tflite_lives};
use crate::{
    BRANCH_SAFE, Case, Complexity, Evidence, FIXED, Info, Input, Needs, OptionKind, OptionSpec, Options, PlanError,
    Planner, Source,
};
use memplan_core::graph::Format;
use memplan_core::graph::{Kind, TensorId};
use memplan_core::plan::Plan;
use memplan_core::problem::{Buffer, BufferId};
use memplan_core::trace::{Decides, Explanation, Probe};

/// TensorFlow Lite's arena planner.
pub struct TfliteArena;

/// `kDefaultTensorAlignment` of the original.
const ALIGN: u64 = 64;

const KEEP_INPUTS: OptionSpec =
    OptionSpec { key: "keep_inputs", original: "preserve_inputs", kind: OptionKind::Flag, default: "false" };
const INPLACE: OptionSpec =
    OptionSpec { key: "inplace", original: "inplace_operator", kind: OptionKind::Flag, default: "false" };

static INFO: Info = Info {
    id: "tflite-arena",
    system: "TFLite",
    name: "ArenaPlanner",
    source: Source {
        repository: "tensorflow/tensorflow",
        version: "0e44793, 0406598",
        file: "tensorflow/lite/simple_memory_arena.cc, tensorflow/lite/arena_planner.cc",
    },
    needs: Needs::Intervals,
    options: &[
        OptionSpec {
            key: "align",
            original: "tensor_alignment",
            kind: OptionKind::Choice(&["1", "4", "16", "64"]),
            default: "64",
        },
        KEEP_INPUTS,
        INPLACE,
        FIXED,
        BRANCH_SAFE,
    ],
    complexity: Complexity::Pairs,
    align: ALIGN,
    sweeps: false,
    ranked: true,
    example: "mobilenet_v2",
    case: Case { options: &[], peak: 132, best: 12 },
    evidence: Evidence::Stated("evidence.tflite-arena"),
    explanation: Explanation {
        functions: &[(Decides::Everything, "SimpleMemoryArena::Allocate")],
        ..Explanation::USUAL
    },
    formats: &[Format::TfLite],
    ..Info::BASE
};

impl TfliteArena {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for TfliteArena {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let keep_inputs = options.flag(KEEP_INPUTS.key);
        let mut problem = input.problem.clone();
        if keep_inputs {
            tflite_lives::keep_inputs(&mut problem);
        }
        let graph = input.graph.filter(|_| options.flag(INPLACE.key));
        let pairs = graph.map(|graph| tflite_lives::take_over(&mut problem, graph));
        let input = Input { problem: &problem, graph: input.graph };
        let style = Style { fit: Fit::TightestTflite, align: options.whole("align").max(1), pads: false, pairs };
        super::plan(input, options, order(input, keep_inputs), &style, probe)
    }
}

fn order(input: Input, keep_inputs: bool) -> Vec<BufferId> {
    let problem = input.problem;
    let mut order: Vec<BufferId> = problem.buffers.ids().collect();
    let last = input.graph.and_then(|graph| graph.nodes.iter().next_back());
    let mut read_last = last.map_or_else(Vec::new, |node| node.inputs.clone());
    read_last.sort_unstable();
    order.sort_by_key(|&id| {
        let buffer = &problem.buffers[id];
        if buffer.live.start > 0 || buffer.live.end < problem.steps {
            return (1, Reverse(buffer.size), buffer.live.start, id);
        }
        let stays = keep_inputs && buffer.kind == Kind::Input || is_kept(buffer, &read_last);
        if stays { (0, Reverse(0), 0, id) } else { (1, Reverse(buffer.size), buffer.live.start, id) }
    });
    order
}

/// Whether a buffer that lives up to the end is kept there, not merely read by the last node.
/// `read_last`: what that node reads, sorted.
fn is_kept(buffer: &Buffer, read_last: &[TensorId]) -> bool {
    let is_read = buffer.tensors.iter().any(|tensor| read_last.binary_search(tensor).is_ok());
    matches!(buffer.kind, Kind::Output | Kind::Weight) || !is_read
}

#[cfg(test)]
mod tests {
    use super::super::tests::plan_of;
    use super::*;
    use crate::testing::{buffer, problem};
    use memplan_core::problem::{Scope, lifetimes};
    use memplan_core::trace::Verdict;
    use memplan_formats::import::{self, Answers, Document};

    #[test]
    fn what_lives_for_the_whole_run_comes_first_whatever_its_size() {
        let problem = problem(vec![buffer("large", 640, 0, 3), buffer("x", 64, 0, 4), buffer("y", 128, 0, 4)]);
        let (plan, order) = plan_of("tflite-arena", &problem, &[]);
        assert_eq!((order, plan), (vec!["x", "y", "large"], vec![192, 0, 64]));
    }

    #[test]
    fn what_only_the_last_node_keeps_alive_is_not_there_for_the_whole_run() {
        let file = r#"{"format":"memory-graph/1","tensors":[
            {"name":"x","dtype":"uint8","shape":[256],"kind":"input"},
            {"name":"a","dtype":"uint8","shape":[128],"kind":"intermediate"},
            {"name":"o","dtype":"uint8","shape":[64],"kind":"output"},
            {"name":"b","dtype":"uint8","shape":[192],"kind":"output"}],
            "nodes":[{"name":"n0","op":"op","inputs":["x"],"outputs":["a","o"]},
            {"name":"n1","op":"op","inputs":["a"],"outputs":["b"]}]}"#;
        let read = import::read(file.as_bytes(), Answers::default()).map(|read| read.document);
        let Ok(Document::Graph(graph)) = read else { panic!("{read:?}") };
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let names = |graph| {
            let order = order(Input { problem: &problem, graph }, false);
            order.into_iter().map(|id| problem.buffers[id].name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(names(Some(&graph)), ["o", "x", "b", "a"]);
        // Live ranges alone are not enough.
        assert_eq!(names(None), ["a", "o", "x", "b"]);
    }

    #[test]
    fn equal_sizes_go_by_start() {
        let problem = problem(vec![buffer("late", 64, 2, 4), buffer("early", 64, 1, 3), buffer("twin", 64, 1, 3)]);
        assert_eq!(plan_of("tflite-arena", &problem, &[]).1, ["early", "twin", "late"]);
    }

    #[test]
    fn small_buffers_are_rounded_apart_but_not_up() {
        let ten: Vec<_> = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map(|name| buffer(name, 4, 1, 2)).into();
        let problem = problem(ten);
        let (plan, _) = plan_of("tflite-arena", &problem, &[]);
        assert_eq!(plan.last().map(|offset| offset + 4), Some(580));
        assert_eq!(plan_of("tflite-arena", &problem, &[("align", "4")]).0.last(), Some(&36));
    }

    /// Two gaps of 96 and 100 bytes before alignment, which leaves 64 and 68. The second is the
    /// larger one either way, yet 68 is compared with 96 and wins.
    #[test]
    fn the_quirk_compares_an_aligned_gap_with_an_unaligned_one() {
        use super::super::{Ask, Gap, choose};
        let gaps =
            [Gap { start: 32, end: Some(128) }, Gap { start: 220, end: Some(324) }, Gap { start: 400, end: None }];
        let ask = Ask { size: 50, align: 64 };
        assert_eq!(gaps.map(|gap| ask.fits(gap)), [Some(64), Some(256), Some(448)]);
        assert_eq!(choose(&gaps, ask, Fit::Tightest), 0);
        assert_eq!(choose(&gaps, ask, Fit::TightestTflite), 1);
        assert_eq!(super::super::tests::verdicts(&gaps, 1, ask), [Verdict::Fits, Verdict::Chosen, Verdict::Fits]);
    }
}
