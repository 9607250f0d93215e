//! What must hold for every planner in the registry on any input, for replay, and for readers on
//! hostile input.

mod branches;
mod hostile;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use memplan_core::base::{PartedVec, align_up};
use memplan_core::graph::{Dim, Dtype, Graph, Kind, Node, Tensor, TensorId};
use memplan_core::plan::{Plan, Quirk, check, dependencies, metrics};
use memplan_core::problem::{Branches, BufferId, Problem, Scope, Views, lifetimes, lower_bound};
use memplan_core::text::Speech;
use memplan_core::trace::{Breach, CheckingProbe, Probe, Recorder, Silent};
use memplan_formats::export;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{
    BRANCH_SAFE, Info, Input, Made, OptionKind, Options, Planner, REGISTRY, find, origin, prepare, run,
};
use memplan_replay::{Level, Run, gap, record, why};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Sizes that collide, touch and differ by little, since ties and exact fits are where rules
/// decide.
fn sizes() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0u64), Just(64), Just(128), 1u64..40, 60u64..70, 100u64..3000]
}

/// A tensor as drawn: size, alignment, whether it is an output, which earlier tensors its node
/// reads, whether that node is a view, of another node which read it may overwrite and which it
/// ignores, and the memory: another device, an arena.
type Drawn = (u64, u32, bool, Vec<prop::sample::Index>, bool, Pick, Pick, (bool, Option<u32>));

/// One of some things, or none.
type Pick = Option<prop::sample::Index>;

/// Graphs of one node a tensor, each reading some earlier ones; some nodes are views, some may
/// overwrite what they read, some ignore it.
fn graphs() -> impl Strategy<Value = Graph> {
    let tensor = (
        sizes(),
        0u32..8,
        prop::bool::weighted(0.15),
        prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        prop::bool::weighted(0.15),
        prop::option::weighted(0.5, any::<prop::sample::Index>()),
        prop::option::weighted(0.15, any::<prop::sample::Index>()),
        (prop::bool::weighted(0.15), prop::option::weighted(0.3, 0u32..3)),
    );
    (prop::collection::vec(tensor, 1..40), 0usize..4, any::<bool>()).prop_map(|(mut drawn, inputs, arenas)| {
        // Most graphs have one arena a device, and then takeovers occur.
        drawn.iter_mut().filter(|_| !arenas).for_each(|tensor| tensor.7.1 = None);
        build(&drawn, inputs)
    })
}

fn build(drawn: &[Drawn], inputs: usize) -> Graph {
    let mut graph = Graph { name: "drawn".into(), ..Graph::default() };
    let devices = [graph.devices.push("cpu".into()), graph.devices.push("gpu".into())];
    for (index, (size, align, output, reads, view, over, ignored, (other, mem_id))) in drawn.iter().enumerate() {
        let kind = match () {
            () if index < inputs => [Kind::Input, Kind::Weight][index % 2],
            () if *output => Kind::Output,
            () => Kind::Intermediate,
        };
        let id = graph.tensors.push(Tensor {
            name: format!("t{index}"),
            dtype: Dtype::UInt8,
            shape: vec![Dim::Fixed(*size)],
            kind,
            bytes: None,
            device: devices[usize::from(*other)],
            own_device: true,
            align: (*align > 3).then(|| 1u64 << align),
            mem_id: *mem_id,
            role: None,
        });
        if matches!(kind, Kind::Input | Kind::Weight) {
            continue;
        }
        let mut attrs = BTreeMap::new();
        let reads: Vec<TensorId> =
            reads.iter().filter(|_| index > 0).map(|read| TensorId(read.index(index) as u32)).collect();
        let is_view = *view && !reads.is_empty();
        if is_view {
            attrs.insert("alias".into(), memplan_core::graph::Attr::Text("true".into()));
        }
        let slot = |pick: &Pick| pick.filter(|_| !reads.is_empty() && !is_view).map(|pick| pick.index(reads.len()));
        let (over, ignored) = (slot(over), slot(ignored));
        if let Some(slot) = over {
            // Both of a pair have as many bytes.
            let shape = graph.tensors[reads[slot]].shape.clone();
            graph.tensors[id].shape = shape;
        }
        graph.nodes.push(Node {
            name: format!("n{index}"),
            op: "op".into(),
            inputs: reads,
            outputs: vec![id],
            device: None,
            inplace: over.map(|slot| (slot as u32, 0)).into_iter().collect(),
            ignore_inputs: ignored.map(|slot| slot as u32).into_iter().collect(),
            attrs: memplan_core::graph::attrs(attrs),
        });
    }
    graph
}

fn scopes() -> impl Strategy<Value = Scope> {
    (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), 0u32..9).prop_map(
        |(inputs, outputs, weights, copies, align)| Scope {
            inputs,
            outputs,
            weights,
            views: if copies { Views::Copy } else { Views::Share },
            align: 1 << align,
            ..Scope::default()
        },
    )
}

/// The defaults, and every other value of every choice and flag by itself.
fn option_sets(planner: &dyn Planner) -> Vec<memplan_planners::Options> {
    let info = planner.info();
    let mut sets: Vec<Vec<(&str, &str)>> = vec![vec![]];
    for spec in info.options {
        let values: &[&str] = match spec.kind {
            OptionKind::Choice(choices) => choices,
            OptionKind::Flag => &["true", "false"],
            OptionKind::Whole { .. } | OptionKind::Text | OptionKind::List => &[],
        };
        sets.extend(values.iter().filter(|value| **value != spec.default).map(|value| vec![(spec.key, *value)]));
    }
    sets.iter_mut().for_each(|set| set.extend(budgets(info)));
    sets.into_iter().map(|set| info.options(set).expect("declared values are taken")).collect()
}

/// Searches are short here: their usual numbers of nodes, attempts and states take seconds even
/// when optimised. Where an original runs out of room for buffers of 0 bytes, or lets them spoil
/// its plan, it does not.
const BUDGETS: [(&str, &str); 6] = [
    ("nodes", "2000"),
    ("attempts", "30"),
    ("states", "300"),
    ("work", "1"),
    ("count_empty", "true"),
    ("guard_empty", "true"),
];

fn budgets(info: &Info) -> impl Iterator<Item = (&'static str, &'static str)> {
    BUDGETS.into_iter().filter(|(key, _)| info.options.iter().any(|spec| spec.key == *key))
}

fn quick(info: &Info) -> Options {
    info.options(budgets(info)).expect("declared values are taken")
}

/// Plans as [`run`] does, and checks the contract of the probe.
fn checked(
    planner: &dyn Planner,
    (file, graph, scope): (&Problem, &Graph, &Scope),
    options: &Options,
    probe: &mut dyn Probe,
) -> (Made, Vec<Breach>) {
    let mut problem = file.clone();
    let reordered = prepare(planner, &mut problem, Some(graph), scope, options).expect("the options can be met");
    let mut checking = CheckingProbe::new(probe, &problem);
    let input = Input { problem: &problem, graph: reordered.as_ref().or(Some(graph)) };
    let plan = planner.plan(input, options, &mut checking).expect("applicable");
    let breaches = checking.finish();
    (Made { problem, reordered, plan }, breaches)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_plan_is_valid_bounded_and_the_same_when_watched(graph in graphs(), scope in scopes()) {
        let file = lifetimes(&graph, &scope).expect("sizes are known");
        for planner in REGISTRY {
            let info = planner.info();
            for options in option_sets(*planner) {
                let (made, breaches) = checked(*planner, (&file, &graph, &scope), &options, &mut Silent);
                prop_assert_eq!(breaches, vec![], "{} {:?}", info.id, options);
                let mut recorder = Recorder::default();
                let (watched, breaches) = checked(*planner, (&file, &graph, &scope), &options, &mut recorder);
                prop_assert_eq!(breaches, vec![], "{} {:?} watched", info.id, options);
                prop_assert_eq!(&watched, &made, "{} watched", info.id);
                let (problem, plan) = (Rc::new(made.problem), made.plan);
                if info.ranked {
                    let (flagged, broken): (Vec<_>, Vec<_>) =
                        check(&problem, &plan).into_iter().partition(|violation| violation.is_quirk_of(&plan));
                    prop_assert_eq!(broken, vec![], "{} {:?}", info.id, options);
                    // An overlap is flagged only where there is one, and only where some read is
                    // ignored, or some name of a storage may be.
                    let is_there = |quirk: &Quirk| flagged.iter().any(|violation| violation.is_between(quirk.a, quirk.b));
                    prop_assert!(plan.quirks.iter().all(is_there), "{} {:?}: {:?}", info.id, options, plan.quirks);
                    prop_assert!(plan.quirks.is_empty() || ignores(&graph) || names(&graph), "{} {:?}", info.id, options);
                }
                let run = Run::new(problem.clone(), origin(info.id, info.align), plan.clone(), recorder.events);
                if info.ranked {
                    let units = ["block_size", "alignment", "align", "offset_alignment", "range_alignment"];
                    let unit = units.into_iter().map(|key| options.whole(key)).fold(info.align, u64::max);
                    let roomy: u64 = problem.buffers.iter().map(|buffer| align_up(buffer.size, buffer.align.max(unit)) + run.align.max(unit)).sum();
                    // Two that lie on the same bytes at the same step count twice in the bound.
                    let counts_twice = !plan.shared.is_empty() || !plan.quirks.is_empty();
                    prop_assert!(counts_twice || run.metrics.peak >= run.metrics.placed_lower_bound, "{} below the bound", info.id);
                    // Triton's slots do not know what no path of the graph orders; its rounds raise
                    // one such buffer above all that it meets, and the next one above that.
                    let may_rise = info.id == "triton-shared" && options.flag("branch_safe");
                    prop_assert!(may_rise || run.metrics.peak <= roomy, "{} above no sharing", info.id);
                } else {
                    prop_assert_eq!(run.metrics.peak, lower_bound(&problem));
                }
                prop_assert_eq!(run.metrics.placed + plan.unplanned.len() as u64, run.metrics.buffers);
                let last = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
                prop_assert_eq!(&last.places, &PartedVec::from(&plan.places), "{}: the last frame is the plan", info.id);
                let shown: u64 = if info.ranked { last.peak } else { run.metrics.peak };
                prop_assert_eq!(shown, run.metrics.peak, "{}: the last frame's peak", info.id);
                let found = gap(&run, u64::MAX);
                let added: u64 = found.growths.iter().map(|growth| growth.adds).sum();
                // Where storages go back to an allocator, no decision raises what is held.
                let above = if run.metrics.held.is_some() { 0 } else { found.above() };
                prop_assert_eq!(added, above, "{}: the growths are the distance to the bound", info.id);
            }
        }
    }

    #[test]
    fn branches_kept_parallel_share_no_bytes(graph in graphs(), scope in scopes()) {
        let file = lifetimes(&graph, &scope).expect("sizes are known");
        for planner in REGISTRY {
            let info = planner.info();
            let set = [(BRANCH_SAFE.key, "true")].into_iter().chain(budgets(info));
            let Ok(options) = info.options(set) else { continue };
            let made = run(*planner, &file, Some(&graph), &scope, &options, &mut Silent).expect("applicable");
            let Made { problem, reordered, plan } = made;
            let branches = Branches::of(reordered.as_ref().unwrap_or(&graph), &problem).expect("the graph is small");
            let spans: Vec<_> = plan.places.enumerate().filter_map(|(id, place)| {
                let (place, size) = (place.as_ref()?, problem.buffers[id].size);
                (size > 0).then_some((id, place.pool, place.offset, place.offset + size))
            }).collect();
            for (index, &(a, pool, from, to)) in spans.iter().enumerate() {
                for &(b, other, start, end) in &spans[index + 1..] {
                    let shares = pool == other && from < end && start < to;
                    prop_assert!(!shares || branches.allow(a, b), "{}: {a:?} and {b:?}", info.id);
                }
            }
        }
    }

    #[test]
    fn any_frame_equals_the_fold_of_its_events(graph in graphs(), jumps in prop::collection::vec(any::<prop::sample::Index>(), 1..12)) {
        let file = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        for planner in REGISTRY {
            let mut recorder = Recorder::default();
            let options = quick(planner.info());
            let made = run(*planner, &file, Some(&graph), &Scope::default(), &options, &mut recorder).expect("applicable");
            let problem = Rc::new(made.problem);
            let run = Run::new(problem.clone(), origin(planner.info().id, planner.info().align), made.plan, recorder.events);
            let mut at = 0;
            let mut state = run.timeline.state(0);
            for jump in &jumps {
                let level = Level::ALL[jump.index(3)];
                let number = jump.index(run.timeline.frames(level) as usize) as u32;
                let events = run.timeline.events_at(level, number);
                let mut fold = run.timeline.state(0);
                run.timeline.events[..events as usize].iter().for_each(|&event| fold.apply(event));
                run.timeline.seek(&mut state, at, events);
                at = events;
                prop_assert_eq!(&state, &fold);
                prop_assert_eq!(run.timeline.frame_at(level, events), number);
                // Every frame has its words and its record, whatever it is.
                let frame = run.frame(events);
                let words = why(&run, &frame);
                let said = Speech::default().say(&words.headline);
                prop_assert!(!said.contains('{') && !said.starts_with("why."), "{said}");
                record(&run, level, number, Speech::default());
            }
        }
    }

    #[test]
    fn graphs_are_read_back_as_written(graph in graphs()) {
        let read = import::read(export::graph(&graph).as_bytes(), Answers::default());
        // Devices are numbered as they are met, and `gpu` may be met first.
        let Ok(Document::Graph(read)) = read.map(|read| read.document) else { return Err(TestCaseError::fail("not a graph")) };
        prop_assert_eq!(export::graph(&read), export::graph(&graph));
        let bound = |graph: &Graph| lower_bound(&lifetimes(graph, &Scope::default()).expect("sizes are known"));
        prop_assert_eq!(bound(&read), bound(&graph));
    }
}

fn names(graph: &Graph) -> bool {
    graph.nodes.iter().any(|node| node.aliases().next().is_some())
}

fn ignores(graph: &Graph) -> bool {
    graph.nodes.iter().any(|node| !node.ignore_inputs.is_empty())
}

/// One buffer of the device and one of each of three arenas on it, one after the other: the bound
/// is their sum.
#[test]
fn memories_of_one_device_are_kept_apart() {
    let mut graph = Graph { name: "arenas".into(), ..Graph::default() };
    let device = graph.devices.push("cpu".into());
    for (index, mem_id) in [None, Some(0), Some(1), Some(2)].into_iter().enumerate() {
        let output = graph.tensors.push(Tensor {
            name: format!("t{index}"),
            dtype: Dtype::UInt8,
            shape: vec![Dim::Fixed(1024)],
            kind: Kind::Intermediate,
            bytes: None,
            device,
            own_device: true,
            align: None,
            mem_id,
            role: None,
        });
        graph.nodes.push(Node {
            name: format!("n{index}"),
            op: "op".into(),
            inputs: vec![],
            outputs: vec![output],
            device: None,
            inplace: vec![],
            ignore_inputs: vec![],
            attrs: Default::default(),
        });
    }
    let scope = Scope::default();
    let file = lifetimes(&graph, &scope).expect("sizes are known");
    for planner in REGISTRY {
        let info = planner.info();
        // Arenas of the file are pins there, and buffers that are not pinned may lie beside those
        // that are.
        if info.options.iter().any(|option| option.key == "banks") {
            continue;
        }
        for options in option_sets(*planner) {
            let made = run(*planner, &file, Some(&graph), &scope, &options, &mut Silent).expect("applicable");
            assert!(made.plan.peak(&made.problem) >= 4096, "{} {options:?}", info.id);
            assert!(!info.ranked || check(&made.problem, &made.plan).is_empty(), "{}", info.id);
        }
    }
}

/// Sizes as multiples of a larger unit lead to the same places in that unit, up to the largest sum
/// that there may be.
#[test]
fn sizes_scaled_by_a_power_of_two_lead_to_plans_scaled_alike() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..12 {
        let mut graph = graphs().new_tree(&mut runner).expect("a graph").current();
        // Small whole numbers of the largest alignment, so that rounding plays no part.
        let mut total = 0;
        for tensor in graph.tensors.iter_mut() {
            tensor.align = None;
            let Dim::Fixed(extent) = &mut tensor.shape[0] else { continue };
            *extent = *extent % 90 * 256;
            total += *extent;
        }
        let most = 51 - total.max(1).ilog2();
        let scaled = |power: u32| {
            let mut graph = graph.clone();
            graph.tensors.iter_mut().for_each(|tensor| {
                if let Dim::Fixed(extent) = &mut tensor.shape[0] {
                    *extent <<= power;
                }
            });
            graph
        };
        let scope = Scope::default();
        for planner in REGISTRY {
            let info = planner.info();
            // Memories of stated sizes do not grow with the buffers; neither do blocks, nor size
            // classes below them.
            if info
                .options
                .iter()
                .any(|option| ["sram", "banks", "block_size", "max_split_size_mb"].contains(&option.key))
            {
                continue;
            }
            let made = |graph: &Graph| {
                let file = lifetimes(graph, &scope).expect("sizes are known");
                run(*planner, &file, Some(graph), &scope, &quick(info), &mut Silent).expect("applicable")
            };
            let plain = made(&scaled(0));
            for power in [9, 26, most] {
                let large = made(&scaled(power));
                let peaks = (plain.plan.peak(&plain.problem), large.plan.peak(&large.problem));
                assert_eq!(peaks.0 << power, peaks.1, "{} by 2^{power}", info.id);
                let offsets = |plan: &Plan| -> Vec<Option<u64>> {
                    plan.places.iter().map(|place| place.map(|place| place.offset)).collect()
                };
                let grown: Vec<Option<u64>> =
                    offsets(&plain.plan).into_iter().map(|offset| offset.map(|offset| offset << power)).collect();
                assert_eq!(grown, offsets(&large.plan), "{} by 2^{power}", info.id);
            }
        }
    }
}

/// What the properties above hold for does occur: buffers taken over by each planner that has the
/// option, and overlaps that are flagged.
#[test]
fn the_drawn_graphs_lead_to_takeovers_and_flagged_overlaps() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for _ in 0..200 {
        let graph = graphs().new_tree(&mut runner).expect("a graph").current();
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let input = Input { problem: &problem, graph: Some(&graph) };
        for (id, option) in [
            ("nnvm", "inplace"),
            ("tflite-arena", "inplace"),
            ("xla-heap", "inplace"),
            ("inductor-reuse", "inplace_buffers"),
            ("executorch-greedy", ""),
        ] {
            let planner = find(id).expect("registered");
            let given = (!option.is_empty()).then_some((option, "true"));
            let options = planner.info().options(given).expect("declared");
            let plan = planner.plan(input, &options, &mut Silent).expect("applicable");
            let counts = seen.entry(id).or_default();
            counts.0 += plan.shared.len();
            counts.1 += plan.quirks.len();
        }
    }
    assert!(["nnvm", "tflite-arena", "inductor-reuse", "xla-heap"].iter().all(|id| seen[id].0 > 10), "{seen:?}");
    assert!(["nnvm", "executorch-greedy"].iter().all(|id| seen[id].1 > 10), "{seen:?}");
}
