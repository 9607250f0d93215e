use super::*;
use memplan_core::base::Message;
use memplan_core::graph::Graph;
use memplan_core::plan::{QuirkKind, Unplanned, check};
use memplan_core::problem::{Live, Problem, Scope, lifetimes};
use memplan_core::trace::{Recorder, Silent};
use memplan_formats::import::{self, Document};

fn read(bytes: &[u8]) -> Graph {
    match import::read(bytes, import::Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        other => panic!("not a graph: {other:?}"),
    }
}

macro_rules! recorded {
    ($name:literal) => {
        read(include_bytes!(concat!("../../../../tests/golden/data/executorch/", $name, ".graph.json.gz")))
    };
}

/// Plans with options; the plan, its problem and what was reported.
fn run(planner: &dyn Planner, graph: &Graph, given: &[(&str, &str)]) -> (Plan, Problem, Vec<Event>) {
    let problem = lifetimes(graph, &Scope::default()).expect("sizes are known");
    let options = planner.info().options(given.iter().copied()).expect("known options");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: Some(graph) };
    let plan = planner.plan(input, &options, &mut recorder).expect("planned");
    assert_eq!(planner.plan(input, &options, &mut Silent), Ok(plan.clone()), "the same when nobody listens");
    (plan, problem, recorder.events)
}

fn offsets(plan: &Plan) -> Vec<u64> {
    plan.places.iter().flatten().map(|place| place.offset).collect()
}

fn sizes(plan: &Plan) -> Vec<(&str, u64)> {
    plan.pools.iter().map(|pool| (pool.name.as_str(), pool.size)).collect()
}

#[test]
fn graph_steps_overlap_as_the_original_s_do() {
    let graph = recorded!("tiny_add_cat");
    let (plan, problem, _) = run(&Greedy, &graph, &[]);
    assert_eq!(offsets(&plan), [512, 256, 0, 768, 512, 256, 0, 256]);
    assert_eq!(sizes(&plan), [("arena 1", 896)]);
    assert_eq!(check(&problem, &plan), []);
    assert_eq!(sizes(&run(&Naive, &graph, &[]).0), [("arena 1", 1312)]);
}

#[test]
fn rules_assign_arenas_as_a_custom_pool_pass_does() {
    let graph = recorded!("custom_pool");
    let (plan, _, _) = run(&Naive, &graph, &[("rules", "kind:input=1;mul=1;add=2")]);
    assert_eq!(sizes(&plan), [("arena 1", 7 * 288), ("arena 2", 4 * 288)]);
    let options = NAIVE.options([("rules", "mul")]).expect("text is taken");
    let problem = Problem::default();
    let refused = Naive.plan(Input { problem: &problem, graph: None }, &options, &mut Silent);
    assert!(matches!(refused, Err(PlanError::Refused(_))), "{refused:?}");
}

#[test]
fn reads_after_an_in_place_operator_are_lost_and_the_overlap_is_told() {
    let graph = recorded!("reinplace_inplace_op");
    let (plan, problem, _) = run(&Greedy, &graph, &[]);
    let found = check(&problem, &plan);
    assert!(!found.is_empty(), "the recorded plan hands the bytes out again");
    assert_eq!(found.len(), plan.quirks.len());
    assert!(plan.quirks.iter().all(|quirk| quirk.kind == QuirkKind::IgnoredRead));
    let lost = problem.buffer_named("aten_addmm_default").expect("named");
    assert!(plan.quirks.iter().all(|quirk| quirk.a == lost || quirk.b == lost), "{:?}", plan.quirks);
}

#[test]
fn a_buffer_that_the_program_changes_keeps_its_bytes_to_the_end() {
    let graph = recorded!("mutable_buffers");
    let (plan, problem, _) = run(&Greedy, &graph, &[]);
    assert_eq!((check(&problem, &plan), plan.quirks.len()), (vec![], 0));
    let span = |id| plan.places[id].map(|place| place.offset..place.offset + problem.buffers[id].size);
    for name in ["b_st", "b_n"] {
        let kept = problem.buffer_named(name).expect("named");
        let own = span(kept).expect("placed");
        for other in problem.buffers.ids().filter(|other| *other != kept) {
            let there = span(other).expect("placed");
            assert!(there.end <= own.start || own.end <= there.start, "{name} and {other:?}");
        }
    }
}

#[test]
fn of_equal_gaps_the_first_is_taken() {
    let spec = |index, bytes, start, end| Spec {
        buffer: memplan_core::problem::BufferId(index),
        bytes,
        held: bytes,
        live: Live::new(start, end),
        mem_id: None,
        align: ALIGN,
        base: None,
    };
    // Two die between three that stay, and 32 bytes find two gaps of 64.
    let lives = [9, 2, 9, 2, 9].into_iter().enumerate();
    let mut specs: Vec<Spec> = lives.map(|(index, end)| spec(index as u32, 64, 0, end)).collect();
    specs.push(spec(5, 32, 4, 9));
    let mut silent = Silent;
    let branches = memplan_core::problem::Branches::default();
    let memories = [Memory { mem_id: 1, size: 4096, align: 1 }];
    let mut stage = Stage::new(&mut silent, specs.len());
    let answer = hierarchy(&specs, &memories, Search::Gap, &branches, &mut stage).expect("room for all");
    let found: Vec<u64> = answer.places.iter().flatten().map(|place| place.offset).collect();
    assert_eq!(found, [0, 64, 128, 192, 256, 64]);
}

#[test]
fn upper_bounds_reserve_more_than_is_held() {
    let graph = recorded!("dyn_batch_cnn");
    let (hint, _, _) = run(&Greedy, &graph, &[]);
    let (upper, problem, events) = run(&Greedy, &graph, &[("sizes", "upper")]);
    assert_eq!((sizes(&hint), sizes(&upper)), (vec![("arena 1", 360_464)], vec![("arena 1", 2_883_600)]));
    assert_eq!(check(&problem, &upper), []);
    assert!(events.iter().any(|event| matches!(event, Event::Note { note: Note::Bound, .. })));
    let mut raised = problem.clone();
    let options = GREEDY.options([("sizes", "upper")]).expect("known options");
    crate::prepare(&Greedy, &mut raised, Some(&graph), &Scope::default(), &options).expect("bounded");
    let input = Input { problem: &raised, graph: Some(&graph) };
    let plan = Greedy.plan(input, &options, &mut Silent).expect("planned");
    assert_eq!(plan.places, upper.places, "the same places whichever size is shown");
    let mut open = graph.clone();
    open.symbols.values_mut().for_each(|symbol| symbol.max = None);
    let (same, _, events) = run(&Greedy, &open, &[("sizes", "upper")]);
    assert_eq!(same, hint, "where there is no bound the hint is taken");
    assert!(matches!(events[0], Event::Note { note: Note::Unbounded, .. }), "and that is told first");
}

#[test]
fn a_suite_keeps_the_smallest_and_naive_spoils_those_after_it() {
    let graph = recorded!("tiny_add_cat");
    let totals = |events: &[Event]| -> Vec<(Note, u64)> {
        let note = |event: &Event| match *event {
            Event::Note { note, b, .. } => Some((note, b)),
            _ => None,
        };
        events.iter().take_while(|event| !matches!(event, Event::Begin { .. })).filter_map(note).collect()
    };
    let (plan, _, events) = run(&Suite, &graph, &[("algorithms", "greedy,naive")]);
    assert_eq!(totals(&events), [(Note::TriedGreedy, 896), (Note::TriedNaive, 1312), (Note::SuiteKept, 896)]);
    assert_eq!(sizes(&plan), [("arena 1", 896)]);
    let (plan, _, events) = run(&Suite, &graph, &[("algorithms", "naive greedy")]);
    assert_eq!(totals(&events), [(Note::TriedNaive, 1312), (Note::TriedGreedy, 2208), (Note::SuiteKept, 1312)]);
    assert_eq!(sizes(&plan), [("arena 1", 1312)]);
    for (wrong, count, words) in
        [("", 1, "“”"), ("greedy,best", 1, "“best”"), ("worst;greedy best", 2, "“worst”, “best”")]
    {
        let message = Message::new("fault.executorch-algorithm").count("n", count as u64).text("words", words);
        let known = "naive, greedy, greedy_no_overlap, greedy_v0.5";
        assert_eq!(read_algorithms(wrong), Err(PlanError::Refused(message.text("known", known))));
    }
}

#[test]
fn the_fast_memory_is_filled_first_and_both_are_limited() {
    let graph = recorded!("tiny_add_cat");
    for search in ["position", "gap"] {
        let (plan, problem, _) = run(&Hierarchy, &graph, &[("sram", "512"), ("search", search)]);
        assert!(plan.pools.iter().all(|pool| pool.size > 0), "{search}");
        assert!(plan.pools[memplan_core::plan::PoolId(0)].size <= 512, "{search}");
        assert_eq!(check(&problem, &plan), [], "{search}");
    }
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let options = HIERARCHY.options([("sram", "100"), ("dram", "200")]).expect("known options");
    let refused = Hierarchy.plan(Input { problem: &problem, graph: None }, &options, &mut Silent);
    assert_eq!(
        refused,
        Err(PlanError::Refused(
            Message::new("fault.executorch-memories-full").count("need", 256u64).count("have", 200u64)
        ))
    );
}

#[test]
fn branches_kept_parallel_share_no_bytes() {
    let graph = read(include_bytes!("../../../../www/graphs/two_branches.json"));
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let branches = memplan_core::problem::Branches::of(&graph, &problem).expect("small enough");
    for planner in [&Greedy as &dyn Planner, &Closest, &Naive, &Suite, &Hierarchy] {
        let (plan, _, _) = run(planner, &graph, &[(BRANCH_SAFE.key, "true")]);
        let spot = |id| plan.places[id].map(|place| (place.pool, place.offset, problem.buffers[id].size));
        for a in problem.buffers.ids() {
            for b in problem.buffers.ids().filter(|b| a < *b) {
                let (Some(first), Some(second)) = (spot(a), spot(b)) else { continue };
                let apart = first.0 != second.0 || first.1 + first.2 <= second.1 || second.1 + second.2 <= first.1;
                assert!(apart || branches.allow(a, b), "{}: {a:?} and {b:?}", planner.info().id);
            }
        }
    }
}

/// Specs of up to 60 steps, every step `stretch` times as long.
fn random_specs(stretch: u32) -> Vec<Spec> {
    let mut seed = 1u32;
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % below
    };
    let mut spec = |index| {
        let start = random(60);
        let bytes = u64::from(random(20)) * 16;
        let live = Live::new(start * stretch, (start + 1 + random(15)) * stretch);
        let buffer = memplan_core::problem::BufferId(index);
        Spec { buffer, bytes, held: bytes, live, mem_id: None, align: ALIGN, base: None }
    };
    (0..300).map(&mut spec).collect()
}

#[test]
fn longer_steps_change_no_place_in_a_hierarchy() {
    let branches = memplan_core::problem::Branches::default();
    let memories = [Memory { mem_id: 1, size: 4096, align: 16 }, Memory { mem_id: 2, size: 1 << 30, align: 64 }];
    for search in [Search::Position, Search::Gap] {
        let plan = |stretch| {
            let mut silent = Silent;
            let specs = random_specs(stretch);
            hierarchy(&specs, &memories, search, &branches, &mut Stage::new(&mut silent, specs.len()))
        };
        assert!(plan(1).is_ok_and(|answer| answer.arenas.len() == 2));
        assert_eq!(plan(1), plan(97), "{search:?}");
    }
}

/// The object-wise search gives what the original's scan over all members gives.
#[test]
fn heights_answer_as_a_scan_over_all_members() {
    let specs = random_specs(1);
    let mut silent = Silent;
    let branches = memplan_core::problem::Branches::default();
    let mut stage = Stage::new(&mut silent, specs.len());
    let answer = Algorithm::Greedy.run(&specs, &Settings::new(ALIGN), &branches, &mut stage).expect("in order");
    // Size, then member and offset inside, exactly as the original keeps them.
    let mut objects: Vec<(u64, Vec<(usize, u64)>)> = Vec::new();
    for index in greedy::order(&specs) {
        let spec = &specs[index];
        let busy = |(_, members): &(u64, Vec<(usize, u64)>)| {
            let live = members.iter().filter(|(member, _)| specs[*member].live.meets(spec.live));
            live.map(|(member, inside)| inside + specs[*member].bytes).max()
        };
        let free = objects.iter().position(|object| busy(object).is_none());
        let stacked = || {
            objects.iter().enumerate().find_map(|(number, object)| {
                busy(object).filter(|&top| top > 0 && top + spec.bytes <= object.0).map(|top| (number, top))
            })
        };
        let (number, inside) = free.map(|number| (number, 0)).or_else(stacked).unwrap_or((objects.len(), 0));
        if number == objects.len() {
            objects.push((spec.bytes, Vec::new()));
        }
        objects[number].1.push((index, inside));
        let start: u64 = objects[..number].iter().map(|object| object.0).sum();
        let place = answer.places[index].expect("placed");
        assert_eq!((place.object as usize, place.offset), (number, start + inside), "spec {index}");
    }
}

#[test]
fn constants_stay_outside_the_plan_whatever_is_asked_for() {
    let text = r#"{"format":"memory-graph/1","name":"g","tensors":[
        {"name":"x","dtype":"uint8","shape":[64],"kind":"input"},
        {"name":"w","dtype":"uint8","shape":[640],"kind":"weight"},
        {"name":"y","dtype":"uint8","shape":[64],"kind":"output"}],"nodes":[
        {"name":"n","op":"f","inputs":["x","w"],"outputs":["y"]}]}"#;
    let graph = read(text.as_bytes());
    let problem = lifetimes(&graph, &Scope { weights: true, ..Scope::default() }).expect("sizes are known");
    let weight = problem.buffer_named("w").expect("asked for");
    let planners: [&dyn Planner; 5] = [&Naive, &Greedy, &Closest, &Suite, &Hierarchy];
    for planner in planners {
        let info = planner.info();
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &info.defaults(), &mut Silent).expect("planned");
        assert_eq!(plan.unplanned, [(weight, Unplanned::WeightIsConstant)], "{}", info.id);
        assert_eq!(plan.places[weight], None);
        assert_eq!(plan.peak(&problem), 128);
        assert_eq!(check(&problem, &plan), []);
    }
}

/// Buffers (size, start, end) as a graph of one node a step, and a plan with banks.
fn banked_run(buffers: &[(u64, u32, u32)], given: &[(&str, &str)]) -> Result<(Plan, Vec<Event>), PlanError> {
    use crate::testing;
    let named = buffers.iter().enumerate();
    let problem = testing::problem(
        named.map(|(index, &(size, start, end))| testing::buffer(&format!("b{index}"), size, start, end)).collect(),
    );
    let options = BANKED.options(given.iter().copied()).expect("declared");
    let mut recorder = Recorder::default();
    let plan = Banked.plan(Input { problem: &problem, graph: None }, &options, &mut recorder)?;
    assert_eq!(check(&problem, &plan), []);
    Ok((plan, recorder.events))
}

/// The example of the original: the fast bank is full after the first buffer, but its object has
/// room later.
const SPILL: [(u64, u32, u32); 5] = [(400, 0, 2), (300, 1, 3), (200, 2, 4), (100, 3, 5), (50, 0, 5)];

#[test]
fn banks_are_filled_in_order_of_preference() {
    let (plan, events) = banked_run(&SPILL, &[("banks", "fast=416;slow=4096")]).expect("fits");
    assert_eq!(sizes(&plan), [("fast", 400), ("slow", 368)]);
    let places: Vec<_> = plan.places.iter().flatten().map(|place| (place.pool.0, place.offset)).collect();
    assert_eq!(places, [(0, 0), (1, 0), (0, 0), (0, 208), (1, 304)]);
    let notes: Vec<_> = events
        .iter()
        .filter_map(|event| match *event {
            Event::Note { note: note @ (Note::BankFull | Note::BankRide | Note::BankTakes), subject, a, b } => {
                Some((note, subject, a, b))
            }
            _ => None,
        })
        .collect();
    let expected = [
        (Note::BankTakes, 0, 400, 416),
        (Note::BankFull, 0, 304, 16),
        (Note::BankTakes, 1, 304, 4096),
        (Note::BankRide, 0, 0, 0),
        (Note::BankRide, 0, 0, 0),
        (Note::BankFull, 0, 64, 16),
        (Note::BankTakes, 1, 64, 3792),
    ];
    assert_eq!(notes, expected);
}

#[test]
fn a_buffer_that_fits_no_bank_is_named_with_what_is_left() {
    let refused = |given: &[(&str, &str)]| match banked_run(&SPILL, given) {
        Err(PlanError::Refused(message)) => memplan_core::text::Speech::default().say(&message),
        other => panic!("{other:?}"),
    };
    let sentence = refused(&[("banks", "fast=416,slow=300")]);
    assert!(
        sentence.contains("b1") && sentence.contains("304") && sentence.contains("fast 16/416, slow 300/300"),
        "{sentence}"
    );
    let sentence = refused(&[("banks", "fast=416;slow=4096"), ("rules", "kind:intermediate=1")]);
    assert!(
        sentence.contains("b1") && sentence.contains("pinned to fast") && sentence.contains("16 of 416"),
        "{sentence}"
    );
    assert!(refused(&[("banks", "a=416/24")]).contains("16"));
    for wrong in ["", "a", "=4", "a=0", "a=4/0", "a=4#0", "a=x", "a=4;a=5", "a=4#1;b=5#1"] {
        assert!(refused(&[("banks", wrong)]).contains("invalid"), "{wrong}");
    }
}

#[test]
fn a_bank_has_an_alignment_and_a_number_of_its_own() {
    let given = [("banks", "slow=4096/64#7;rest=4096"), ("rules", "kind:intermediate=7")];
    let (plan, _) = banked_run(&[(10, 0, 2), (10, 0, 2)], &given).expect("fits");
    assert_eq!((sizes(&plan), offsets(&plan)), (vec![("rest", 0), ("slow", 128)], vec![64, 0]));
    // No bank has the number: an arena without limit.
    let given = [("banks", "tiny=16"), ("rules", "kind:intermediate=3")];
    let (plan, _) = banked_run(&[(1000, 0, 1)], &given).expect("fits");
    assert_eq!(sizes(&plan), [("tiny", 0), ("arena 3", 1008)]);
}

#[test]
fn arenas_of_a_graph_are_pins() {
    let mut graph = recorded!("tiny_add_cat");
    let before = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let pinned = before.buffers.iter().find_map(|buffer| buffer.tensors.first().copied()).expect("a tensor");
    graph.tensors[pinned].mem_id = Some(2);
    let options = BANKED.options([("banks", "fast=1024;slow=4096")]).expect("declared");
    let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    assert_eq!(problem.memories.len(), 2);
    let scope = Scope::default();
    let made = crate::run(&Banked, &problem, Some(&graph), &scope, &options, &mut Silent).expect("fits");
    assert_eq!((made.problem.memories.len(), check(&made.problem, &made.plan)), (1, vec![]));
    let id = made.problem.buffer_named(&graph.tensors[pinned].name).expect("a buffer");
    let pool = made.plan.places[id].map(|place| made.plan.pools[place.pool].name.as_str());
    assert_eq!(pool, Some("slow"));
}
