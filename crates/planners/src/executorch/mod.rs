//! ExecuTorch's memory planning: `naive`, `greedy` with shared objects, the older `greedy` by
//! closest size, the suite that keeps the best of several, the two planners for limited memories of
//! the Cadence backend, and `banked_greedy`, which `banked`(mod@banked) describes.
//!
//! **From**: pytorch/executorch 1.5.1 (3b606839), `exir/memory_planning.py` and
//! `backends/cadence/aot/memory_planning.py`; the older planner from v0.5.0 (484a4ab5),
//! `exir/memory_planning.py`.
//!
//! **Rule**: every arena (`mem_id`, 1 if none is named) by itself. *naive*: order of the input,
//! each at the end of its arena. *greedy*: large before small by sizes rounded to 16, of equal
//! sizes the last one of the input first. The first shared object, in order of creation, in which
//! nobody is alive at the same time takes it at its start. If there is none, the first object with
//! room above the highest byte in use during its life (`allow_overlapping_allocations`; without it
//! this step is left out). Else a new object of exactly its size, above the others. *closest*:
//! order of the input; of the free objects the one of closest size, the first of equals, enlarged
//! if it is too small. An object counts as used as soon as it is the pick for a moment, even if a
//! closer one beats it. *suite*: the smallest sum of arenas, the first of equals. *hierarchy*:
//! large before small, ties in order of the input; the first memory with a place.
//!
//! **Time and alignment**: closed ranges of node indices in the original, where a result begins at
//! its `memory.alloc` node, directly before its operator; [`from_graph`] derives them. On an
//! ordinary graph steps are the graph's own, which overlap in the same way; what placeholders hold
//! begins at step 0, a buffer that the program changes lives throughout, and reads that a file
//! lists as ignored (the original skips arguments that an in-place operator made) are not counted;
//! the plan notes it if bytes are lost by it. Sizes are rounded up to 16, or to a larger alignment
//! that the problem asks for.
//!
//! **Cost**: greedy O(n · objects · log n), closest O(n · objects), naive O(n), hierarchy O(n · l²)
//! for `l` alive together: after every step past one in the way all are looked at again, as in the
//! original.
//!
//! **Does badly**: an object has the size of its first and largest tenant for good. A of 96 bytes
//! dies, then B and C of 64 are alive together: one takes A's object, where 32 bytes stay unused,
//! the other needs an object of 64. That is 160 bytes for a bound of 128.
//!
//! **Differs from the original**: weights are constants and stay outside the plan, as there; on an
//! ordinary graph no branch space is reserved, no padding added, and a buffer that the program
//! changes is planned like everything else unless a placeholder states what it is. There, no
//! `mem_id` and `mem_id` 1 are one arena; here they are two memories, each with an arena 1.

mod banked;
pub mod bound;
mod closest;
pub mod from_graph;
mod greedy;
mod hierarchy;
mod naive;
mod objects;
mod ordinary;
mod rules;
mod spec;
mod stage;
mod suite;
#[cfg(test)]
mod tests;

use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, Group, Info, Input, Needs, OptionKind, OptionSpec, Options, PlanError,
    Planner, Source,
};
use memplan_core::base::Message;
use memplan_core::graph::Format;
use memplan_core::graph::Graph;
use memplan_core::plan::Plan;
use memplan_core::problem::{MemoryId, Problem, Scope};
use memplan_core::trace::{Decides, Event, Explanation, Note, Outcome, Probe, StatePanel};
use ordinary::{Naming, Task, join_arenas};

pub use banked::{Bank, banked};
pub use hierarchy::{Memory, Search, hierarchy};
use rules::quoted;

pub use rules::Rules;
pub use spec::{ALIGN, Answer, Assigned, BankFault, Base, DEFAULT_ARENA, Refusal, Settings, Spec};
pub use stage::Stage;
pub use suite::{Algorithm, Tried, suite};

const SYSTEM: &str = "ExecuTorch";
const CORE: Source =
    Source { repository: "pytorch/executorch", version: "1.5.1 (3b606839)", file: "exir/memory_planning.py" };
const SIZES: OptionSpec = OptionSpec {
    key: "sizes",
    original: "sym_shape_eval_pass",
    kind: OptionKind::Choice(&["hint", "upper"]),
    default: "hint",
};
const RULES: OptionSpec = OptionSpec { key: "rules", original: "spec.mem_id", kind: OptionKind::List, default: "" };
const STACKING: OptionSpec =
    OptionSpec { key: "stacking", original: "allow_overlapping_allocations", kind: OptionKind::Flag, default: "true" };
const ALGORITHMS: OptionSpec = OptionSpec {
    key: "algorithms",
    original: "algo_list",
    kind: OptionKind::List,
    default: "greedy;greedy_no_overlap;naive",
};
const SEARCH: OptionSpec = OptionSpec {
    key: "search",
    original: "mem_algo",
    kind: OptionKind::Choice(&["position", "gap"]),
    default: "position",
};
const SRAM: OptionSpec = memory_size("sram", "1048576");
const DRAM: OptionSpec = memory_size("dram", "1099511627776");
const BANKS: OptionSpec = OptionSpec {
    key: "banks",
    original: "TargetMemoryMap",
    kind: OptionKind::List,
    default: "fast=1048576;slow=1099511627776",
};
const SRAM_ID: u32 = 1;
const DRAM_ID: u32 = 2;

/// The size of a memory in bytes, an entry of `MemoryConfig.memory_sizes`.
const fn memory_size(key: &'static str, default: &'static str) -> OptionSpec {
    let kind = OptionKind::Whole { min: 0, max: memplan_core::base::MAX_SAFE };
    OptionSpec { key, original: "memory_sizes", kind, default }
}

/// Every planner of this system has the same state panels.
const ARENA_OBJECTS: Explanation = Explanation { panels: &[StatePanel::ArenaObjects], ..Explanation::USUAL };
const ONE_BY_ONE: (Decides, &str) = (Decides::Outcome(Outcome::Apart), "naive");
const PICK: &[(Decides, &str)] = &[(Decides::Everything, "pick_shared_obj")];

const fn info(
    id: &'static str,
    name: &'static str,
    options: &'static [OptionSpec],
    example: &'static str,
    case: Case,
) -> Info {
    Info {
        id,
        system: SYSTEM,
        name,
        source: CORE,
        needs: Needs::Intervals,
        options,
        complexity: Complexity::Objects,
        align: ALIGN,
        sweeps: false,
        ranked: true,
        example,
        case,
        evidence: Evidence::Golden { system: "executorch", planners: &["greedy", "greedy_no_overlap"] },
        explanation: Explanation {
            functions: PICK,
            headlines: &[Outcome::NewStorage, Outcome::Reuse, Outcome::Gap],
            ..ARENA_OBJECTS
        },
        ..Info::BASE
    }
}

static NAIVE: Info = Info {
    complexity: Complexity::Linear,
    evidence: Evidence::Golden { system: "executorch", planners: &["naive"] },
    explanation: Explanation { functions: &[ONE_BY_ONE], headlines: &[Outcome::Apart], ..ARENA_OBJECTS },
    ..info(
        "executorch-naive",
        "naive",
        &[SIZES, RULES, BRANCH_SAFE],
        "teaching",
        Case { options: &[], peak: 64, best: 32 },
    )
};

static GREEDY: Info = Info {
    formats: &[Format::ExecuTorch],
    complexity: Complexity::SortedObjects,
    ..info(
        "executorch-greedy",
        "greedy",
        &[STACKING, SIZES, RULES, BRANCH_SAFE],
        "mobilenet_v2",
        Case { options: &[], peak: 160, best: 128 },
    )
};

static CLOSEST: Info = Info {
    source: Source { version: "0.5.0 (484a4ab5)", ..CORE },
    sweeps: true,
    group: Group::Historical,
    evidence: Evidence::Golden { system: "executorch", planners: &["greedy_v0.5"] },
    explanation: Explanation {
        functions: PICK,
        headlines: &[Outcome::NewStorage, Outcome::Reuse, Outcome::Enlarge],
        ..ARENA_OBJECTS
    },
    ..info(
        "executorch-greedy-v0.5",
        "greedy, v0.5",
        &[SIZES, RULES, BRANCH_SAFE],
        "mobilenet_v2",
        Case { options: &[], peak: 608, best: 400 },
    )
};

static SUITE: Info = Info {
    complexity: Complexity::SortedObjects,
    evidence: Evidence::Golden { system: "executorch", planners: &["suite[naive,greedy]", "suite[greedy,naive]"] },
    explanation: Explanation {
        functions: &[ONE_BY_ONE, PICK[0]],
        headlines: &[Outcome::Apart, Outcome::NewStorage, Outcome::Reuse, Outcome::Enlarge, Outcome::Gap],
        ..ARENA_OBJECTS
    },
    ..info(
        "executorch-suite",
        "algorithm suite",
        &[ALGORITHMS, SIZES, RULES, BRANCH_SAFE],
        "mobilenet_v2",
        Case { options: &[("algorithms", "naive;greedy")], peak: 64, best: 32 },
    )
};

static HIERARCHY: Info = Info {
    source: Source { file: "backends/cadence/aot/memory_planning.py", ..CORE },
    complexity: Complexity::LiveSquared,
    evidence: Evidence::Golden {
        system: "executorch",
        planners: &["cadence_position_greedy", "cadence_greedy_heuristic"],
    },
    explanation: Explanation {
        functions: &[
            (Decides::SearchBy("PositionBasedGreedyWithHierarchy"), "PositionBasedGreedyWithHierarchy.plan_spec"),
            (Decides::SearchBy("GreedyWithHeuristic"), "GreedyWithHeuristic.plan_spec"),
        ],
        headlines: &[Outcome::AtEnd, Outcome::Gap],
        ..ARENA_OBJECTS
    },
    ..info(
        "executorch-hierarchy",
        "Cadence",
        &[SEARCH, SRAM, DRAM, SIZES, BRANCH_SAFE],
        "resnet18",
        Case { options: &[("sram", "96")], peak: 192, best: 192 },
    )
};

static BANKED: Info = Info {
    source: Source {
        version: "pull request 21821 (1dab68c88876b9d396acbb8b3908f61b84635229)",
        file: "exir/banked_memory_planning.py",
        ..CORE
    },
    complexity: Complexity::SortedObjects,
    evidence: Evidence::Golden { system: "banked_greedy", planners: &["banked_greedy", "banked_greedy_no_overlap"] },
    explanation: Explanation {
        functions: &[(Decides::Everything, "BankedGreedy")],
        headlines: &[Outcome::NewStorage, Outcome::Reuse, Outcome::Gap],
        ..ARENA_OBJECTS
    },
    ..info(
        "executorch-banked",
        "banked_greedy",
        &[BANKS, STACKING, SIZES, RULES, BRANCH_SAFE],
        "resnet18",
        Case { options: &[("banks", "fast=512;slow=4096")], peak: 1536, best: 1024 },
    )
};

/// Planners by name, data sheet, what they do to a problem before it is planned, and how they plan.
macro_rules! planners {
    ($($(#[$doc:meta])* $name:ident: $info:ident, $prepare:expr, $plan:expr;)*) => {$(
        $(#[$doc])*
        pub struct $name;

        impl $name {
            /// Its data sheet.
            pub const INFO: &'static Info = &$info;
        }

        impl Planner for $name {
            fn info(&self) -> &'static Info {
                Self::INFO
            }

            fn prepare(
                &self,
                problem: &mut Problem,
                graph: Option<&Graph>,
                _: &Scope,
                options: &Options,
            ) -> Result<Option<Graph>, PlanError> {
                $prepare(problem, graph, options)
            }

            fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
                $plan(input, options, probe)
            }
        }
    )*};
}

planners! {
    /// Each buffer at the end of its arena.
    Naive: NAIVE, raise, |input, options, probe| plan_with(Algorithm::Naive, input, options, probe);
    /// Large before small, in shared objects.
    Greedy: GREEDY, raise, |input, options: &Options, probe| {
        let stacking = options.flag(STACKING.key);
        plan_with(if stacking { Algorithm::Greedy } else { Algorithm::GreedyNoOverlap }, input, options, probe)
    };
    /// The greedy of v0.5: the free object of closest size.
    Closest: CLOSEST, raise, |input, options, probe| plan_with(Algorithm::Closest, input, options, probe);
    /// The best of several algorithms.
    Suite: SUITE, raise, plan_by_suite;
    /// The planners of the Cadence backend for limited memories.
    Hierarchy: HIERARCHY, raise, plan_in_memories;
    /// Greedy across a map of memory banks.
    Banked: BANKED, join_and_raise, plan_in_banks;
}

/// Raises every size to its upper bound if the options ask for that; the order of the nodes stays.
fn raise(problem: &mut Problem, graph: Option<&Graph>, options: &Options) -> Result<Option<Graph>, PlanError> {
    if let Some(graph) = graph.filter(|_| options.get(SIZES.key) == "upper") {
        bound::raise(problem, graph)?;
    }
    Ok(None)
}

/// The same once the arenas of each device are one.
fn join_and_raise(problem: &mut Problem, graph: Option<&Graph>, options: &Options) -> Result<Option<Graph>, PlanError> {
    if let Some(graph) = graph {
        join_arenas(problem, graph);
    }
    raise(problem, graph, options)
}

fn arena_name(mem_id: u32) -> String {
    format!("arena {mem_id}")
}

/// Plans with one algorithm.
fn plan_with(algorithm: Algorithm, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
    let task = Task::new(input, options, Naming::Arenas)?;
    task.plan(probe, arena_name, |group, stage| {
        algorithm.run(&task.groups[group].specs, &task.settings, &task.branches, stage)
    })
}

fn plan_by_suite(input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
    let algorithms = read_algorithms(options.get(ALGORITHMS.key))?;
    let task = Task::new(input, options, Naming::Arenas)?;
    let mut winners = Vec::new();
    for group in &task.groups {
        let tried = suite(&algorithms, &group.specs, &task.settings, &task.branches)
            .map_err(|refusal| refusal.explain(task.problem))?;
        let memory = group.arenas.values().next().map_or(0, |memory| memory.0);
        for (number, (algorithm, total)) in tried.totals.iter().enumerate() {
            let note = algorithm.note();
            probe.event(Event::Note { note, subject: memory, a: number as u64 + 1, b: *total });
        }
        let (number, total) = (tried.winner as u64 + 1, tried.answer.total());
        probe.event(Event::Note { note: Note::SuiteKept, subject: memory, a: number, b: total });
        winners.push(tried);
    }
    task.plan(probe, arena_name, |group, stage| {
        let tried = &winners[group];
        let settings = Settings { reserved: tried.reserved.clone(), ..task.settings.clone() };
        tried.totals[tried.winner].0.run(&task.groups[group].specs, &settings, &task.branches, stage)
    })
}

fn plan_in_memories(input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
    let search = if options.get(SEARCH.key) == "gap" { Search::Gap } else { Search::Position };
    let mut task = Task::new(input, options, Naming::Apart)?;
    let align = task.settings.align;
    let memory = |mem_id, spec: OptionSpec| Memory { mem_id, size: options.whole(spec.key), align };
    let memories = [memory(SRAM_ID, SRAM), memory(DRAM_ID, DRAM)];
    for group in &mut task.groups {
        let stands_for = group.arenas.values().next().copied().unwrap_or(MemoryId(0));
        group.arenas = memories.iter().map(|memory| (memory.mem_id, stands_for)).collect();
    }
    let name = |mem_id| (if mem_id == SRAM_ID { "SRAM" } else { "DRAM" }).to_string();
    task.plan(probe, name, |group, stage| {
        hierarchy(&task.groups[group].specs, &memories, search, &task.branches, stage)
    })
}

fn plan_in_banks(input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
    let banks = Bank::read_all(options.get(BANKS.key))?;
    let mut task = Task::new(input, options, Naming::Pins)?;
    for group in &mut task.groups {
        let stands_for = group.specs.first().map_or(MemoryId(0), |spec| task.problem.buffers[spec.buffer].memory);
        let pins = group.specs.iter().filter_map(|spec| spec.mem_id);
        group.arenas = banks.iter().map(|bank| bank.mem_id).chain(pins).map(|id| (id, stands_for)).collect();
    }
    let named = |mem_id: u32| banks.iter().find(|bank| bank.mem_id == mem_id).map(|bank| bank.name.clone());
    let name = |mem_id| named(mem_id).unwrap_or_else(|| arena_name(mem_id));
    let stacking = options.flag(STACKING.key);
    task.plan(probe, name, |group, stage| {
        banked(&task.groups[group].specs, &banks, &task.settings, stacking, &task.branches, stage)
    })
}

/// The algorithms of a suite, divided by commas, semicolons or blanks.
fn read_algorithms(text: &str) -> Result<Vec<Algorithm>, PlanError> {
    let words: Vec<&str> =
        text.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|word| !word.is_empty()).collect();
    let unknown: Vec<&str> = words.iter().copied().filter(|word| Algorithm::from_name(word).is_none()).collect();
    let refused = |unknown: &[&str]| {
        let known: Vec<&str> = Algorithm::ALL.iter().map(|algorithm| algorithm.name()).collect();
        let message = Message::new("fault.executorch-algorithm").count("n", unknown.len() as u64);
        Err(PlanError::Refused(message.text("words", quoted(unknown)).text("known", known.join(", "))))
    };
    if words.is_empty() {
        refused(&[text])
    } else if !unknown.is_empty() {
        refused(&unknown)
    } else {
        Ok(words.into_iter().filter_map(Algorithm::from_name).collect())
    }
}
