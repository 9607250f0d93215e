//! PyTorch Inductor's pool planner: a tree of temporal and spatial splits for each pool of memory.
//!
//! **From**: pytorch/pytorch 2.15.0 (d0f2af8b), `torch/_inductor/codegen/memory_planning.py`,
//! classes `MemoryPlanner`, `AllocationPools`, `AllocationPool`, `TemporalSplit`, `SpatialSplit`.
//! It runs for inference graphs when `config.memory_planning` is on.
//!
//! **Rule**: outputs first, small before large, each in a pool of its own size (option
//! `memory_pool` changes that). Then all others, large before small, longer life first, ties in
//! order of allocation. Each is offered to the pools in order of creation. A temporal node passes a
//! buffer to a child only when exactly one child overlaps it in time; with none it takes the buffer
//! itself if its slot is large enough; with two it refuses. A spatial node offers to its lower
//! half, then to its upper one. Only the upper-most slot of the last growing pool may be enlarged;
//! what fits nowhere goes to that pool's end.
//!
//! **Time and alignment**: half-open ranges. The original counts *steps of memory lines*
//! ([`lines`]); on an ordinary graph every operator output is one buffer, allocated before its node
//! and freed after its last reader, and steps are the graph's own. Starts are multiples of 64
//! bytes.
//!
//! **Cost**: O(n · depth of the tree · log n), where the original asks every child of every node on
//! the way (`crossings`). With `branch_safe` it is O(n · nodes of the tree).
//!
//! **Does badly**: a slot is as high as its highest tenant, whatever lives beneath at the moment.
//! In the example `teaching`, G (64 bytes) goes on top although 72 bytes are free during its whole
//! life: no node stands for them.
//!
//! **Differs from the original**: with `branch_safe`, a child that holds a buffer which no path of
//! the graph orders against the new one counts like a child that overlaps it in time, so the two
//! never share bytes. Sizes are evaluated for given symbol values instead of being kept as
//! expressions; offsets for other values come from laying out the same tree again. Memories of one
//! device (`mem_id`), which the original does not know, have pools of their own.

mod crossings;
mod groups;
mod halves;
pub mod lines;
mod pools;
mod search;

use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, Info, Input, Needs, OptionKind, OptionSpec, Options, PlanError, Planner,
    Source,
};
use memplan_core::graph::Kind;
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole, Unplanned};
use memplan_core::problem::MemoryId;
use memplan_core::trace::{Decides, Event, Explanation, Outcome, Probe};

pub use groups::{Group, MemoryPool, placement_order};
pub use pools::{PoolState, Pools, Route};

/// Alignment of every start, `ALIGN_BYTES` of the original.
pub const ALIGN: u64 = 64;

/// Inductor's pools with allocation trees.
pub struct InductorTree;

/// Name in links, files and on the command line.
pub const ID: &str = "inductor-tree";

static INFO: Info = Info {
    id: ID,
    system: "Inductor",
    name: "AllocationTree",
    source: Source {
        repository: "pytorch/pytorch",
        version: "2.15.0 (d0f2af8b)",
        file: "torch/_inductor/codegen/memory_planning.py",
    },
    needs: Needs::Graph,
    options: &[
        OptionSpec {
            key: "memory_pool",
            original: "config.memory_pool",
            kind: OptionKind::Choice(&["none", "intermediates", "outputs", "combined"]),
            default: "intermediates",
        },
        BRANCH_SAFE,
    ],
    complexity: Complexity::Tree,
    align: ALIGN,
    sweeps: false,
    ranked: true,
    example: "teaching",
    case: Case { options: &[], peak: 160, best: 128 },
    evidence: Evidence::Golden { system: "inductor", planners: &["memory_plan", "allocation_pools"] },
    explanation: Explanation {
        functions: &[
            (Decides::Outcome(Outcome::AtEnd), "AllocationPool.allocate_at_end"),
            (Decides::Outcome(Outcome::NewPool), "AllocationPools.allocate"),
            (Decides::Everything, "TemporalSplit._allocate"),
        ],
        ..Explanation::USUAL
    },
    ..Info::BASE
};

impl InductorTree {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for InductorTree {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        super::applicable(&INFO, input.graph.is_some()).map_err(PlanError::NotApplicable)?;
        let problem = input.problem;
        let mode = MemoryPool::from_name(options.get("memory_pool"));
        let align = problem.buffers.iter().map(|buffer| buffer.align).fold(ALIGN, u64::max);
        let mut plan = Plan::empty(problem);
        let mut groups = Vec::new();
        for (id, buffer) in problem.buffers.enumerate() {
            // Graph inputs and weights belong to the caller: they get no AllocateLine.
            match buffer.kind {
                Kind::Input => plan.unplanned.push((id, Unplanned::InputOfCaller)),
                Kind::Weight => plan.unplanned.push((id, Unplanned::WeightIsConstant)),
                Kind::Intermediate | Kind::Output => {
                    groups.push(Group {
                        buffer: id,
                        size: buffer.size,
                        begin: buffer.live.start,
                        end: buffer.live.end,
                        is_output: buffer.kind == Kind::Output,
                        // The original knows devices only. Memories of one device are kept apart
                        // like devices.
                        device: buffer.memory.0,
                        earliest_available: None,
                    });
                }
            }
        }
        let branches = super::branches(input, options)?;
        let mut pools = Pools::new(mode, align, probe).within(branches);
        pools.allocate_all(&groups)?;
        let (tree, states) = pools.finish();
        probe.event(Event::Finalize);

        let names = final_names(&states);
        let layouts = tree.layouts(align, |buffer| problem.buffers[buffer].size);
        for (index, (state, layout)) in states.iter().zip(layouts).enumerate() {
            for region in layout.regions {
                if let memplan_core::trace::TreeNode::Leaf { buffer } = tree.nodes[region.node] {
                    plan.places[buffer] = Some(Place { pool: PoolId(index as u32), offset: region.offset });
                }
            }
            plan.pools.push(Pool {
                name: names[index].clone(),
                size: layout.bytes,
                device: problem.memories[MemoryId(state.device)].device.clone(),
                role: if state.can_expand { PoolRole::Growing } else { PoolRole::Fixed },
            });
        }
        Ok(plan)
    }
}

/// `pool0`, `pool1`, … counted over the devices in the order in which each got its first pool, as
/// the original does.
pub fn final_names(states: &[PoolState]) -> Vec<String> {
    let mut devices = Vec::new();
    for state in states {
        if !devices.contains(&state.device) {
            devices.push(state.device);
        }
    }
    let rank = |device: u32| devices.iter().position(|&other| other == device).unwrap_or(0);
    let mut order: Vec<usize> = (0..states.len()).collect();
    order.sort_by_key(|&index| (rank(states[index].device), index));
    let mut names = vec![String::new(); states.len()];
    for (number, index) in order.into_iter().enumerate() {
        names[index] = format!("pool{number}");
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::problem::{Problem, Scope, five_buffers, lifetimes};
    use memplan_core::trace::{Outcome, Recorder, Silent, Tree, TreeNode, TreeNodeId};
    use memplan_formats::import::{self, Document};

    fn teaching() -> memplan_core::graph::Graph {
        let file = include_bytes!("../../../../www/graphs/teaching.json");
        match import::read(file, import::Answers::default()).map(|read| read.document) {
            Ok(Document::Graph(graph)) => graph,
            _ => panic!("the example is a graph"),
        }
    }

    #[test]
    fn the_worked_example_on_graph_steps() {
        let graph = teaching();
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = InductorTree.plan(input, &INFO.defaults(), &mut recorder).expect("applicable");
        let name = |id| problem.buffers[id].name.as_str();
        let begun = |event: &Event| if let Event::Begin { buffer } = event { Some(name(*buffer)) } else { None };
        let order: Vec<&str> = recorder.events.iter().filter_map(begun).collect();
        assert_eq!(order, ["A", "B", "C", "H", "D", "E", "F", "G"]);
        let offset = |name: &str| plan.places[problem.buffer_named(name).expect("named")].map(|place| place.offset);
        let offsets = ["A", "B", "C", "H", "D", "E", "F", "G"].map(offset);
        assert_eq!(offsets, [0, 1024, 0, 1024, 640, 1024, 1536, 1792].map(Some));
        assert_eq!(plan.peak(&problem), 1856);
        assert_eq!(memplan_core::plan::check(&problem, &plan), []);
        assert_eq!(InductorTree.plan(input, &INFO.defaults(), &mut Silent), Ok(plan));
    }

    /// A node as the pictures write it.
    fn written(tree: &Tree, problem: &Problem, node: TreeNodeId) -> String {
        match &tree.nodes[node] {
            TreeNode::Leaf { buffer } => problem.buffers[*buffer].name.clone(),
            TreeNode::Empty { bytes } => format!("□{}", bytes / five_buffers::KIB),
            TreeNode::Temporal { children } => {
                let children: Vec<String> = children.iter().map(|&child| written(tree, problem, child)).collect();
                format!("T[{}]", children.join(", "))
            }
            TreeNode::Spatial { left, right } => {
                format!("S({} / {})", written(tree, problem, *left), written(tree, problem, *right))
            }
        }
    }

    #[test]
    fn the_picture_of_the_tree_is_true() {
        let (graph, problem) = (five_buffers::graph(), five_buffers::problem());
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = InductorTree.plan(input, &INFO.defaults(), &mut recorder).expect("applicable");
        let mut tree = Tree::default();
        let (mut trees, mut outcomes) = (Vec::new(), Vec::new());
        for event in recorder.events {
            match event {
                Event::Tree(edit) => tree.apply(edit),
                Event::Place { buffer, outcome, .. } => {
                    trees.push(format!(" {}", written(&tree, &problem, tree.roots[0])));
                    outcomes.push((problem.buffers[buffer].name.clone(), outcome));
                }
                _ => {}
            }
        }
        use Outcome::{AtEnd, Exact, NewPool, Split};
        let wanted = [("e", NewPool), ("c", Split), ("a", Split), ("b", AtEnd), ("d", Exact)];
        assert_eq!(outcomes, wanted.map(|(name, outcome)| (name.to_string(), outcome)));
        // Long trees stand below the name of their buffer.
        trees.insert(3, "b  meets c and a".into());
        trees.insert(5, "d  meets c alone".into());
        five_buffers::assert_in_comments(include_str!("pools.rs"), &trees);
        let offsets: Vec<u64> = plan.places.iter().flatten().map(|place| place.offset / five_buffers::KIB).collect();
        five_buffers::assert_in_comments(include_str!("pools.rs"), &five_buffers::drawn(&offsets));
    }

    #[test]
    fn branches_are_kept_parallel_when_asked() {
        let file = include_bytes!("../../../../www/graphs/two_branches.json");
        let Ok(Document::Graph(graph)) = import::read(file, import::Answers::default()).map(|read| read.document)
        else {
            panic!("the example is a graph")
        };
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let input = Input { problem: &problem, graph: Some(&graph) };
        let run = |branch_safe: &str| {
            let options = INFO.options([("branch_safe", branch_safe)]).expect("declared");
            let mut recorder = Recorder::default();
            let plan = InductorTree.plan(input, &options, &mut recorder).expect("applicable");
            assert_eq!(memplan_core::plan::check(&problem, &plan), []);
            (plan, recorder.events)
        };
        let place = |plan: &Plan, name: &str| {
            let id = problem.buffer_named(name).expect("named");
            let place = plan.places[id].expect("placed");
            (place.pool, place.offset, place.offset + problem.buffers[id].size)
        };
        let share = |plan: &Plan, a: &str, b: &str| {
            let (a, b) = (place(plan, a), place(plan, b));
            a.0 == b.0 && a.1.max(b.1) < a.2.min(b.2)
        };
        let refused = |events: &[Event]| {
            let parallel = |event: &&Event| {
                matches!(event, Event::AskTemporal { verdict: memplan_core::trace::Verdict::Parallel, .. })
            };
            events.iter().filter(parallel).count()
        };
        // The wide branch runs first: conv2d_1 is dead when conv2d_2 begins the narrow one.
        let (plan, events) = run("false");
        assert!(share(&plan, "conv2d_1", "conv2d_2"));
        assert_eq!(refused(&events), 0);
        let (safe, events) = run("true");
        assert!(!share(&safe, "conv2d_1", "conv2d_2"));
        assert!(share(&safe, "conv2d_2", "conv2d_3"), "one after the other in the same branch");
        assert!(refused(&events) > 0);
        assert!(safe.peak(&problem) > plan.peak(&problem));
    }
}
