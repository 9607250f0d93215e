//! Answers and ties of the shared objects, and the improved order against its original loop.

use super::positions::positions;
use super::*;
use crate::find;
use crate::testing::{buffer, problem};
use memplan_core::plan::check;
use memplan_core::problem::{Memory, sample};
use memplan_core::trace::{Note, Recorder, Silent};

const ALL: [&str; 5] = [
    "shared-objects-by-size",
    "shared-objects-by-breadth",
    "shared-objects-by-size-improved",
    "shared-objects-in-order",
    BY_FLOW,
];
const BY_FLOW: &str = "shared-objects-by-min-cost-flow";

/// The object of each buffer, and the sizes of the objects.
fn plan_of(id: &str, problem: &Problem) -> (Vec<u32>, Vec<u64>) {
    let planner = find(id).unwrap();
    let (input, options) = (Input { problem, graph: None }, planner.info().defaults());
    let plan = planner.plan(input, &options, &mut Silent).unwrap();
    assert_eq!(planner.plan(input, &options, &mut Recorder::default()), Ok(plan.clone()), "{id}");
    assert_eq!(check(problem, &plan), [], "{id}");
    let objects = plan.places.iter().map(|place| place.unwrap().pool.0).collect();
    (objects, plan.pools.iter().map(|pool| pool.size).collect())
}

#[test]
fn an_object_is_never_divided() {
    let problem = problem(vec![buffer("a", 10, 0, 1), buffer("b", 5, 1, 2), buffer("c", 5, 1, 2)]);
    for id in ALL {
        assert_eq!(plan_of(id, &problem).1.iter().sum::<u64>(), 15, "{id}");
    }
}

#[test]
fn by_size_takes_the_smallest_free_object() {
    let problem = problem(vec![
        buffer("nine", 9, 0, 1),
        buffer("eight", 8, 0, 1),
        buffer("seven", 7, 1, 2),
        buffer("six", 6, 1, 2),
        buffer("five", 5, 1, 2),
    ]);
    assert_eq!(plan_of("shared-objects-by-size", &problem), (vec![0, 1, 1, 0, 2], vec![9, 8, 5]));
}

#[test]
fn by_breadth_enlarges_the_largest_object_that_is_too_small() {
    // Breadths 6, 5, 9 and 4: a to c come in steps 2, 0, 1.
    let problem = problem(vec![
        buffer("a", 4, 0, 1),
        buffer("b", 2, 0, 1),
        buffer("c", 5, 1, 2),
        buffer("d", 7, 2, 3),
        buffer("e", 2, 2, 3),
        buffer("f", 8, 3, 4),
    ]);
    // d and e open 7 and 2, f enlarges the 7 to 8, a and c take it as the only one that is large
    // enough.
    assert_eq!(plan_of("shared-objects-by-breadth", &problem), (vec![0, 1, 0, 0, 1, 0], vec![8, 2]));
    let mut recorder = Recorder::default();
    let planner = find("shared-objects-by-breadth").unwrap();
    let input = Input { problem: &problem, graph: None };
    planner.plan(input, &planner.info().defaults(), &mut recorder).unwrap();
    let asks = [(Verdict::Chosen, 0, 7), (Verdict::TooSmall, 1, 2)];
    let asks = asks.map(|(verdict, pool, size)| Event::AskStorage { verdict, pool, size });
    let first = Event::Note { note: Note::Breadth, subject: 3, a: 2, b: 9 };
    assert_eq!(recorder.events[..2], [Event::Begin { buffer: BufferId(3) }, first], "step 2 is the broadest");
    assert!(recorder.events.windows(2).any(|emitted| emitted == asks), "f looks at both");
}

#[test]
fn in_order_takes_what_differs_least() {
    let first = |b: u64| {
        problem(vec![
            buffer("small", 10, 0, 1),
            buffer("large", 20, 0, 1),
            buffer("twin", 20, 0, 1),
            buffer("new", b, 1, 2),
        ])
    };
    let new = |size| {
        let (objects, sizes) = plan_of("shared-objects-in-order", &first(size));
        (objects[3], sizes)
    };
    assert_eq!(new(14), (0, vec![14, 20, 20]));
    assert_eq!(new(15), (1, vec![10, 20, 20]), "a tie goes to the large enough one, the older of equals");
    assert_eq!(new(25), (2, vec![10, 20, 25]), "the younger of equals that are too small");
}

#[test]
fn in_order_cannot_wait() {
    let total = |buffers| plan_of("shared-objects-in-order", &problem(buffers)).1.iter().sum::<u64>();
    let (a, b, c) = (buffer("a", 10, 0, 1), buffer("b", 1, 1, 2), buffer("c", 10, 1, 2));
    assert_eq!(total(vec![a.clone(), b.clone(), c.clone()]), 20);
    assert_eq!(total(vec![a, c, b]), 11);
}

#[test]
fn the_events_tell_the_objects_asked() {
    let problem = problem(vec![buffer("a", 4, 0, 2), buffer("b", 3, 1, 3), buffer("c", 6, 2, 4)]);
    let mut recorder = Recorder::default();
    let planner = find("shared-objects-in-order").unwrap();
    let input = Input { problem: &problem, graph: None };
    planner.plan(input, &planner.info().defaults(), &mut recorder).unwrap();
    let [a, b, c] = [BufferId(0), BufferId(1), BufferId(2)];
    let ask = |verdict, pool, size| Event::AskStorage { verdict, pool, size };
    let place = |outcome, buffer, pool| Event::Place { outcome, buffer, pool, offset: 0 };
    assert_eq!(
        recorder.events,
        [
            Event::Begin { buffer: a },
            Event::OpenPool { pool: 0, memory: 0, growing: false },
            place(Outcome::NewStorage, a, 0),
            Event::Grow { pool: 0, from: 0, to: 4 },
            Event::Begin { buffer: b },
            Event::InTheWay { buffer: a },
            ask(Verdict::Overlaps, 0, 4),
            Event::OpenPool { pool: 1, memory: 0, growing: false },
            place(Outcome::NewStorage, b, 1),
            Event::Grow { pool: 1, from: 0, to: 3 },
            Event::Begin { buffer: c },
            Event::Release { buffer: a },
            ask(Verdict::Chosen, 0, 4),
            Event::InTheWay { buffer: b },
            ask(Verdict::Overlaps, 1, 3),
            place(Outcome::Enlarge, c, 0),
            Event::Grow { pool: 0, from: 4, to: 6 },
        ]
    );
}

#[test]
fn every_memory_has_objects_of_its_own() {
    let mut problem = problem(vec![buffer("a", 4, 0, 1), buffer("b", 4, 1, 2), buffer("c", 4, 2, 3)]);
    problem.memories = ["gpu", "cpu"].map(|device| Memory { device: device.into(), mem_id: None }).to_vec().into();
    problem.buffers[BufferId(1)].memory = MemoryId(1);
    for id in ALL {
        let (objects, sizes) = plan_of(id, &problem);
        assert_eq!(sizes, [4, 4], "{id}");
        assert!(objects[0] == objects[2] && objects[0] != objects[1], "{id}: {objects:?}");
    }
}

/// The improved order as its original runs it: all waiting buffers at once, a full table of
/// distances.
fn improved_plainly(problem: &Problem) -> Vec<u32> {
    let positions = positions(problem);
    let mut object_of: Vec<Option<u32>> = vec![None; problem.buffers.len()];
    let mut table: Vec<Vec<Option<u32>>> = vec![Vec::new(); problem.buffers.len()];
    let mut best: Vec<Option<(u32, usize)>> = vec![None; problem.buffers.len()];
    let mut objects = 0;
    for _ in problem.buffers.ids() {
        let waiting = problem.buffers.ids().filter(|id| object_of[id.index()].is_none());
        let key = |id: &BufferId| {
            let near = best[id.index()].map_or(u32::MAX, |(distance, _)| distance);
            (positions[*id], near, std::cmp::Reverse(problem.buffers[*id].size), *id)
        };
        let taken = waiting.min_by_key(key).unwrap();
        let is_new = best[taken.index()].is_none();
        let object = best[taken.index()].map_or(objects, |(_, object)| object);
        objects += is_new as usize;
        object_of[taken.index()] = Some(object as u32);
        let there = problem.buffers[taken].live;
        for id in problem.buffers.ids().map(|id| id.index()).filter(|&id| object_of[id].is_none()) {
            let own = problem.buffers[BufferId(id as u32)].live;
            // First and last step of each life, both included.
            let (first, last) = (own.start, own.end - 1);
            let (there_first, there_last) = (there.start, there.end - 1);
            let distance = if last < there_first {
                Some(there_first - last)
            } else if there_last < first {
                Some(first - there_last)
            } else {
                None
            };
            if is_new {
                table[id].push(distance);
            } else if table[id][object].is_none() {
                continue;
            } else if distance.is_none() {
                table[id][object] = None;
                if best[id].is_some_and(|(_, nearest)| nearest == object) {
                    best[id] = table[id].iter().enumerate().filter_map(|(at, near)| Some(((*near)?, at))).min();
                }
            } else {
                table[id][object] = table[id][object].min(distance);
            }
            if distance.is_some_and(|distance| best[id].is_none_or(|(nearest, _)| distance < nearest)) {
                best[id] = Some((distance.unwrap(), object));
            }
        }
    }
    object_of.into_iter().flatten().collect()
}

#[test]
fn one_position_at_a_time_changes_nothing() {
    for seed in 0..8 {
        let problem = sample(120, seed);
        let (objects, sizes) = plan_of("shared-objects-by-size-improved", &problem);
        assert_eq!(objects, improved_plainly(&problem), "{seed}");
        // More objects than positions are possible, fewer are not.
        let positions = positions(&problem).iter().max().copied().unwrap_or(0);
        assert!(sizes.len() as u32 > positions, "{seed}");
    }
}

/// First fit over the objects in a plain walk, as by size and by breadth state it.
#[test]
fn the_index_of_objects_changes_nothing() {
    for seed in 0..6 {
        let problem = sample(100, seed);
        let orders = [super::super::orders::by_size_and_start(&problem), super::super::orders::by_breadth(&problem)];
        for (id, order) in ALL.into_iter().zip(orders) {
            let mut objects: Vec<(u64, Vec<BufferId>)> = Vec::new();
            let mut object_of = vec![0; problem.buffers.len()];
            for buffer in order {
                let (size, live) = (problem.buffers[buffer].size, problem.buffers[buffer].live);
                let mut best: Option<usize> = None;
                for at in 0..objects.len() {
                    let worse = best.is_some_and(|best| {
                        let (best, this) = (objects[best].0, objects[at].0);
                        if best < size { this <= best } else { this < size || this >= best }
                    });
                    if !worse && objects[at].1.iter().all(|&member| !problem.buffers[member].live.meets(live)) {
                        best = Some(at);
                    }
                }
                let chosen = best.unwrap_or(objects.len());
                if best.is_none() {
                    objects.push((0, Vec::new()));
                }
                objects[chosen].0 = objects[chosen].0.max(size);
                objects[chosen].1.push(buffer);
                object_of[buffer.index()] = chosen as u32;
            }
            assert_eq!(plan_of(id, &problem), (object_of, objects.iter().map(|object| object.0).collect()), "{id}");
        }
    }
}

/// The events of the planner by flow.
fn flow_of(problem: &Problem) -> Vec<(Note, u32, u64, u64)> {
    let planner = find(BY_FLOW).unwrap();
    let mut recorder = Recorder::default();
    let input = Input { problem, graph: None };
    planner.plan(input, &planner.info().defaults(), &mut recorder).unwrap();
    let note = |event: &Event| match *event {
        Event::Note { note, subject, a, b } => Some((note, subject, a, b)),
        _ => None,
    };
    recorder.events.iter().filter_map(note).collect()
}

#[test]
fn an_earlier_taker_gives_way_to_one_that_saves_more() {
    // In order of birth the 1 takes the 10, and loses it to the next 10.
    let problem = problem(vec![buffer("a", 10, 0, 1), buffer("b", 1, 1, 2), buffer("c", 10, 1, 2)]);
    assert_eq!(plan_of(BY_FLOW, &problem), (vec![0, 1, 0], vec![10, 1]));
    let expected = [
        // The cost was 10 with the donor of b, and is 11 with that of c and an object for b.
        (Note::FlowPath, 2, 1, 1),
        (Note::FlowCost, 0, 11, 1),
        (Note::FlowNew, 0, 10, 0),
        (Note::FlowNew, 1, 1, 0),
        (Note::FlowFrom, 2, 0, 0),
    ];
    assert_eq!(flow_of(&problem), expected);
}

#[test]
fn a_flow_has_a_limit() {
    let lives = (0..=super::by_min_cost_flow::MOST_BUFFERS as u32).map(|at| buffer("b", 1, at, at + 1));
    let (planner, problem) = (find(BY_FLOW).unwrap(), problem(lives.collect()));
    let answer =
        planner.plan(Input { problem: &problem, graph: None }, &planner.info().defaults(), &mut Silent).map(|_| ());
    let limit = super::by_min_cost_flow::MOST_BUFFERS as u64;
    let expected = crate::NotApplicable::TooManyBuffers { limit };
    assert_eq!(answer, Err(crate::PlanError::NotApplicable(expected)));
}

/// The cost of the flow as its original finds it: a network of twins, its cheapest paths by a queue
/// that takes vertices up again whenever a way to them becomes cheaper.
fn cost_plainly(problem: &Problem) -> i64 {
    struct Edge {
        to: usize,
        room: u32,
        cost: i64,
    }
    let n = problem.buffers.len();
    let (source, sink) = (2 * n, 2 * n + 1);
    let mut edges: Vec<Edge> = Vec::new();
    let mut from: Vec<Vec<usize>> = vec![Vec::new(); sink + 1];
    let mut connect = |a: usize, b: usize, cost: i64| {
        for (a, b, room, cost) in [(a, b, 1, cost), (b, a, 0, -cost)] {
            from[a].push(edges.len());
            edges.push(Edge { to: b, room, cost });
        }
    };
    for (acceptor, buffer) in problem.buffers.enumerate() {
        let twin = n + acceptor.index();
        connect(source, acceptor.index(), 0);
        connect(twin, sink, 0);
        connect(source, twin, buffer.size as i64);
        let dead = problem.buffers.enumerate().filter(|(_, donor)| donor.live.end <= buffer.live.start);
        dead.for_each(|(donor, there)| connect(donor.index(), twin, buffer.size.saturating_sub(there.size) as i64));
    }
    let mut total = 0;
    loop {
        let mut distance = vec![i64::MAX; sink + 1];
        let mut by = vec![0; sink + 1];
        let mut queue = std::collections::VecDeque::from([source]);
        distance[source] = 0;
        while let Some(at) = queue.pop_front() {
            for &edge in &from[at] {
                let Edge { to, room, cost } = edges[edge];
                if room > 0 && distance[at] + cost < distance[to] {
                    distance[to] = distance[at] + cost;
                    by[to] = edge;
                    queue.push_back(to);
                }
            }
        }
        if distance[sink] == i64::MAX {
            return total;
        }
        total += distance[sink];
        let mut at = sink;
        while at != source {
            edges[by[at]].room -= 1;
            edges[by[at] ^ 1].room += 1;
            at = edges[by[at] ^ 1].to;
        }
    }
}

#[test]
fn the_flow_costs_what_that_of_the_original_costs() {
    for seed in 0..8 {
        let problem = sample(70, seed);
        let emitted = flow_of(&problem);
        let cost = emitted.iter().find(|(note, ..)| *note == Note::FlowCost).map(|&(_, _, cost, _)| cost);
        assert_eq!(cost, Some(cost_plainly(&problem) as u64), "{seed}");
        // What is reported of each buffer adds up to it, and nobody gives twice.
        let mut donors = BTreeSet::new();
        let mut sum = 0;
        for (note, _, a, b) in emitted {
            match note {
                Note::FlowNew => sum += a,
                Note::FlowFrom => {
                    assert!(donors.insert(a), "{seed}: {a} gives twice");
                    sum += b;
                }
                _ => {}
            }
        }
        assert_eq!(Some(sum), cost, "{seed}");
    }
}
