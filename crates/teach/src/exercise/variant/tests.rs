use super::*;
use crate::choices::RIVALS;
use crate::exercise::activity::{FEWEST_BUFFERS, FEWEST_STEPS};
use crate::exercise::figure::Figure;
use memplan_core::plan::{Place, Plan, PoolId, Violation, check};
use memplan_core::problem::{Scope, lifetimes, load, lower_bound};
use memplan_formats::export;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{Group, REGISTRY, YARDSTICK};

fn first_fit(kind: Kind, seed: u64, difficulty: Difficulty) -> Instance {
    generate(kind, YARDSTICK, seed, difficulty).unwrap_or_else(|error| panic!("{kind:?} {seed}: {error}"))
}

/// All instances of a kind by first fit that the tests look at.
fn instances(kind: Kind) -> impl Iterator<Item = Instance> {
    Difficulty::ALL.into_iter().flat_map(move |difficulty| (0..6).map(move |seed| first_fit(kind, seed, difficulty)))
}

fn plan_of(instance: &Instance, places: &[Placed]) -> Plan {
    let problem = &instance.problem;
    let mut plan = Plan::empty(problem);
    let mut end = 0;
    for placed in places {
        let id = problem.buffer_named(&placed.name).expect("a buffer of the instance");
        plan.places[id] = Some(Place { pool: PoolId(0), offset: placed.offset });
        end = end.max(placed.offset + problem.buffers[id].size);
    }
    plan.pools.push(memplan_core::plan::Pool {
        name: "arena".into(),
        size: end,
        device: "cpu".into(),
        role: Default::default(),
    });
    plan
}

#[test]
fn blocks_to_pack_fit_into_their_bound_and_first_fit_does_not_find_it() {
    for instance in instances(Kind::Pack) {
        let Facts::Pack { bound, first_fit, ref places, .. } = instance.facts else { panic!("pack") };
        let plan = plan_of(&instance, places);
        assert_eq!(check(&instance.problem, &plan), []);
        assert_eq!((plan.peak(&instance.problem), lower_bound(&instance.problem)), (bound, bound));
        assert!(first_fit > bound);
        let counts = instance.difficulty.of([(4, 6), (7, 9), (10, 14)]);
        assert!((counts.0..=counts.1).contains(&instance.problem.buffers.len()));
    }
}

#[test]
fn blocks_of_tetris_come_in_the_order_of_the_planner() {
    for instance in instances(Kind::Tetris) {
        let Facts::Tetris { ref order, bound, planner, ref places } = instance.facts else { panic!("tetris") };
        let plan = plan_of(&instance, places);
        assert_eq!((check(&instance.problem, &plan), plan.peak(&instance.problem)), (vec![], bound));
        assert!(planner > bound);
        assert_eq!(places.iter().map(|placed| &placed.name).collect::<Vec<_>>(), order.iter().collect::<Vec<_>>());
        // First fit goes by birth, as the letters do.
        assert!(order.is_sorted(), "{order:?}");
    }
}

#[test]
fn another_order_has_a_lower_highest_load() {
    for instance in instances(Kind::Order) {
        let Facts::Order { written, best, ref order, ref operators } = instance.facts else { panic!("order") };
        let by_step = load(&instance.problem, |_| true).by_step(instance.problem.steps);
        let as_written: Vec<usize> = (0..operators.list.len()).collect();
        assert_eq!(operators.loads(&as_written), by_step);
        assert_eq!(by_step.into_iter().max(), Some(written));
        let at = |name: &String| operators.list.iter().position(|operator| operator.name == *name).expect("known");
        let order: Vec<usize> = order.iter().map(at).collect();
        assert_eq!(operators.fault(&order), None);
        assert_eq!(operators.loads(&order).into_iter().max(), Some(best));
        assert!(best < written && best <= written * instance.difficulty.of([100, 90, 85]) / 100);
    }
}

#[test]
fn a_plan_to_debug_has_one_fault_of_the_kind_stated() {
    let mut met = Vec::new();
    for instance in instances(Kind::Debug) {
        let Facts::Debug { fault, ref violation, ref buffers } = instance.facts else { panic!("debug") };
        let Document::Plan(problem, plan) = &instance.document else { panic!("a plan") };
        assert_eq!(&check(problem, plan), std::slice::from_ref(violation));
        let is_of_kind = match (fault, violation) {
            (FaultKind::FreedEarly, Violation::Overlap { a, b, steps, .. }) => {
                let ends = [*a, *b].map(|id| problem.buffers[id].live.end);
                steps.1 - steps.0 == 1 && ends.contains(&steps.1)
            }
            (FaultKind::Overlap, Violation::Overlap { .. }) => true,
            (FaultKind::Misaligned, Violation::Misaligned { offset, .. }) => offset % 64 == 32,
            (FaultKind::AbovePeak, Violation::OutsidePool { end, size, .. }) => end > size,
            _ => false,
        };
        assert!(is_of_kind, "{fault:?}: {violation:?}");
        assert!(!buffers.is_empty());
        if !met.contains(&fault) {
            met.push(fault);
        }
        // The file says the same: it is read as a plan with this fault.
        let text = export::csv(problem, Some(plan));
        let read = import::read(text.as_bytes(), Answers::default()).expect("a table of buffers");
        assert!(matches!(read.document, Document::Plan(..)));
    }
    met.sort();
    let mut all = FaultKind::ALL.to_vec();
    all.sort();
    assert_eq!(met, all, "every kind of fault comes up");
}

#[test]
fn predictions_are_not_obvious() {
    for instance in instances(Kind::Predict) {
        let Facts::Predict { ref places, growths_with_room, passed_over } = instance.facts else { panic!("predict") };
        let (growths, passes) = instance.difficulty.of([(1, 1), (1, 2), (2, 3)]);
        assert!(growths_with_room >= growths && passed_over >= passes);
        assert_eq!(places.len(), instance.questions.len());
        let plan = plan_of(&instance, places);
        assert_eq!(check(&instance.problem, &plan), []);
        let grown: u64 = places.iter().map(|placed| placed.grew).sum();
        assert_eq!(grown, plan.peak(&instance.problem));
        // A growth with room: fewer bytes are alive at every step of its life than the peak before
        // has.
        let mut peak = 0;
        let mut with_room = 0;
        for (at, placed) in places.iter().enumerate() {
            let id = instance.problem.buffer_named(&placed.name).expect("known");
            let live = instance.problem.buffers[id].live;
            let size_of = |other: &Placed| {
                let other = &instance.problem.buffers[instance.problem.buffer_named(&other.name).expect("known")];
                (other.live, other.size)
            };
            let before = places[..at].iter().map(size_of);
            let beside: u64 = before.filter(|(other, _)| other.meets(live)).map(|(_, size)| size).sum();
            with_room += u32::from(placed.grew > 0 && beside < peak);
            peak += placed.grew;
        }
        // Buffers that never live together may lie one above the other in that sum.
        assert!(with_room <= growths_with_room, "{with_room} {growths_with_room}");
    }
}

#[test]
fn figures_cannot_be_had_by_the_likeliest_mistakes() {
    for instance in instances(Kind::Number) {
        let Facts::Number(ref figures) = instance.facts else { panic!("number") };
        let problem = &instance.problem;
        assert!(problem.steps >= FEWEST_STEPS && problem.buffers.len() >= FEWEST_BUFFERS);
        assert_eq!((figures.len(), instance.questions.len()), (5, 5));
        let value = |at: usize| figures[at].1;
        let Figure::Load(step) = figures[0].0 else { panic!("{figures:?}") };
        let loads = load(problem, |_| true).by_step(problem.steps);
        assert_eq!(value(0), loads[step as usize]);
        let sum = |test: &dyn Fn(memplan_core::problem::Live) -> bool| -> u64 {
            problem.buffers.iter().filter(|buffer| test(buffer.live)).map(|buffer| buffer.size).sum()
        };
        assert_ne!(value(0), sum(&|live| live.start <= step && step <= live.end), "who counts the last number too");
        assert_ne!(value(0), sum(&|live| live.start < step && step < live.end), "who leaves the first number out");
        assert_eq!(value(1), lower_bound(problem));
        assert!(value(0) < value(1) && value(1) < value(3) && value(3) <= problem.unshared(), "{figures:?}");
        assert_eq!(value(4), value(3) - value(1));
        assert!(matches!(&figures[2].0, Figure::Offset(name) if problem.buffer_named(name).is_some()));
    }
}

#[test]
fn buffers_for_a_program_tell_its_planner_from_simple_rules() {
    for id in [RIVALS[0], RIVALS[1], RIVALS[2], "greedy-by-size", "tflm-greedy"] {
        let planner = memplan_planners::find(id).expect("registered");
        for (seed, difficulty) in (0..4).flat_map(|seed| Difficulty::ALL.map(|difficulty| (seed, difficulty))) {
            let instance = generate(Kind::Write, planner, seed, difficulty).expect("an instance");
            let Facts::Write { peak, bound, ref places } = instance.facts else { panic!("write") };
            let plan = plan_of(&instance, places);
            assert_eq!(check(&instance.problem, &plan), []);
            assert_eq!((plan.peak(&instance.problem), lower_bound(&instance.problem)), (peak, bound));
            let offsets = |plan: &Plan| plan.places.iter().map(|place| place.map(|it| it.offset)).collect::<Vec<_>>();
            for rival in RIVALS.into_iter().filter(|rival| *rival != id).filter_map(memplan_planners::find) {
                let other = attempt::plan(rival, &instance.problem, instance.document.graph()).expect("a plan");
                assert!(offsets(&other) != offsets(&plan), "{id} {seed}: {}", rival.info().id);
            }
        }
    }
}

#[test]
fn every_planner_has_instances_or_says_why_not() {
    let (mut no_predict, mut no_tetris, mut no_number) = (Vec::new(), Vec::new(), Vec::new());
    for planner in REGISTRY {
        let info = planner.info();
        let missed = |kind: Kind| generate(kind, *planner, 1, Difficulty::ALL[0]).err();
        if info.group == Group::Reference {
            assert!(matches!(missed(Kind::Predict), Some(VariantError::Refused(_))), "{}", info.id);
            continue;
        }
        assert_eq!(missed(Kind::Pack), None, "{}", info.id);
        assert_eq!(missed(Kind::Order), None, "{}", info.id);
        let debug = missed(Kind::Debug);
        assert_eq!(matches!(debug, Some(VariantError::Refused(_))), info.storages, "{} {debug:?}", info.id);
        let is_none_found = |error: &VariantError| matches!(error, VariantError::NoneFound(_));
        no_predict.extend(missed(Kind::Predict).filter(is_none_found).map(|_| info.id));
        no_number.extend(missed(Kind::Number).filter(is_none_found).map(|_| info.id));
        no_tetris.extend(missed(Kind::Tetris).filter(is_none_found).map(|_| info.id));
    }
    // Those that place the largest first seldom pass a hole over, and those that search reach the
    // bound.
    let of_sizes = ["greedy-by-breadth", "shared-objects-by-size", "shared-objects-by-size-improved"];
    assert_eq!(no_predict, [&of_sizes[..], &["vela-hill-climb", "exact"]].concat());
    assert_eq!(no_tetris, ["usmp-hill-climb", "vela-hill-climb", "hill-climb", "exact", "best"]);
    // One that shares nothing has no choice of places.
    assert_eq!(no_number, ["executorch-naive", "vela-hill-climb", "hill-climb", "exact", "best"]);
    assert_eq!(generate(Kind::Break, YARDSTICK, 1, Difficulty::default()), Err(VariantError::NoInstance(Kind::Break)));
}

#[test]
fn the_same_seed_gives_the_same_instance_for_ever() {
    let rows = |kind, seed, difficulty: u8| {
        let instance = first_fit(kind, seed, Difficulty::new(difficulty).expect("1 to 3"));
        let plan = match &instance.document {
            Document::Plan(_, plan) => Some(plan),
            _ => None,
        };
        let text = export::csv(&instance.problem, plan);
        text.lines().skip(1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        rows(Kind::Predict, 7, 2),
        "A,0,7,65536 B,0,1,98304 C,1,3,32768 D,1,6,32768 E,2,4,180224 F,3,6,196608 G,5,8,65536 H,5,7,114688"
    );
    assert_eq!(rows(Kind::Pack, 7, 1), "A,0,2,16384 B,0,3,16384 C,0,2,98304 D,0,1,32768 E,1,3,32768 F,2,3,114688");
    assert_eq!(
        rows(Kind::Order, 7, 1),
        "A,0,3,6144,intermediate B,1,4,7168,intermediate C,2,5,8192,intermediate D,3,5,11264,intermediate E,4,5,4096,output"
    );
    assert_eq!(
        rows(Kind::Debug, 7, 1),
        "A,0,1,960,64,0 B,0,2,768,64,960 C,1,4,736,64,0 D,2,3,832,64,768 E,2,4,192,64,1600"
    );
    assert_eq!(rows(Kind::Number, 7, 1), "A,0,2,114688 B,1,6,180224 C,2,6,16384 D,2,4,49152 E,3,5,32768 F,3,6,114688");
    assert_eq!(
        rows(Kind::Tetris, 7, 1),
        "A,0,1,32768 B,0,2,163840 C,0,3,16384 D,0,1,16384 E,1,3,49152 F,2,3,163840 G,3,4,229376"
    );
}

#[test]
fn a_graph_of_buffers_has_their_live_ranges() {
    let instance = first_fit(Kind::Predict, 3, Difficulty::default());
    let text = export::graph(&as_graph(&instance.problem));
    let read = import::read(text.as_bytes(), Answers::default()).expect("a graph").document;
    let graph = read.graph().expect("a graph");
    let problem = lifetimes(graph, &Scope::default()).expect("sizes are known");
    let listed = |problem: &Problem| -> Vec<_> {
        problem.buffers.iter().map(|buffer| (buffer.name.clone(), buffer.size, buffer.live)).collect()
    };
    assert_eq!(listed(&problem), listed(&instance.problem));
    assert_eq!(problem.steps, instance.problem.steps);
}

#[test]
fn students_get_seeds_of_their_own() {
    assert_eq!(seed_for(7, "Ann"), seed_for(7, " Ann "));
    assert_ne!(seed_for(7, "Ann"), seed_for(7, "Bob"));
    assert_ne!(seed_for(7, "Ann"), seed_for(8, "Ann"));
    assert!(["李雷", "韩梅梅", ""].iter().all(|name| seed_for(u64::MAX, name) <= MAX_SEED));
}
