//! Worked examples, the plain loops of the original, and the rules beyond live ranges.

use std::ops::ControlFlow;

use super::*;
use crate::testing::{buffer, plan_of, problem};
use crate::{Input, find};
use memplan_core::base::align_up;
use memplan_core::plan::check;
use memplan_core::problem::{KernelFacts, Problem, Scope, lifetimes, sample};
use memplan_core::trace::{Recorder, Silent};
use memplan_formats::import::{self, Answers, Document};

fn asks(size: u64, start: u32, end: u32) -> Asked {
    Asked { size, align: 16, start, end, region: None, group: None }
}

fn found(buffers: &[Asked], partition: u64) -> Found {
    allocate(buffers, partition, None, &mut |_| ControlFlow::Continue(())).expect("nobody stops it")
}

/// The worked example of the description: both 48s go on top of the 64s, and one is pushed up.
#[test]
fn what_overlaps_is_pushed_up() {
    let buffers = [asks(48, 0, 5), asks(64, 1, 3), asks(48, 3, 8), asks(64, 5, 7)];
    let found = found(&buffers, 0);
    assert_eq!(found.order, [1, 3, 0, 2]);
    assert_eq!(found.starts, [64, 0, 64, 0]);
    let slot = |offset, from, until| Slot { offset, from, until };
    let end = u32::MAX;
    let taken = |turn: &Turn| match &turn.fate {
        Fate::Taken { buffer, offset, .. } => Some((turn.slot, *buffer, *offset)),
        _ => None,
    };
    let placed: Vec<_> = found.turns.iter().filter_map(taken).collect();
    let expected = [(slot(0, 0, end), 1, 0), (slot(0, 1, end), 3, 0), (slot(64, 1, 3), 0, 64), (slot(64, 5, 7), 2, 64)];
    assert_eq!(placed, expected);
    let dropped: Vec<Slot> =
        found.turns.iter().filter(|turn| turn.fate == Fate::Dropped).map(|turn| turn.slot).collect();
    assert_eq!(dropped, [slot(0, 0, 3), slot(0, 1, 7), slot(0, 5, end)]);
    assert_eq!(found.rounds.len(), 1);
    assert_eq!(found.rounds[0].moves, [(2, 64, 112)]);
    assert_eq!((found.offsets, found.total), (vec![64, 0, 112, 0], 160));
}

#[test]
fn regions_of_one_specialize_are_simultaneous() {
    let region = |size, start, end, region| Asked {
        region: Some(WarpRegion { specialize: 9, region }),
        ..asks(size, start, end)
    };
    // The second lives after the first, yet in another region.
    assert_eq!(found(&[region(512, 0, 2, 1), region(512, 4, 6, 2)], 0).offsets, [0, 512]);
    assert_eq!(found(&[region(512, 0, 2, 1), region(512, 4, 6, 1)], 0).offsets, [0, 0]);
    // What stands outside may share with either.
    assert_eq!(found(&[region(512, 0, 2, 1), region(512, 4, 6, 2), asks(1024, 7, 9)], 0).total, 1024);
}

#[test]
fn parts_of_one_allocation_lie_in_partitions_of_their_own() {
    let part = |size, start, end| Asked { group: Some(3), ..asks(size, start, end) };
    let buffers = [part(100, 0, 4), part(100, 0, 4), part(100, 0, 4)];
    assert_eq!(found(&buffers, 0).offsets, [0, 112, 224]);
    assert_eq!(found(&buffers, 1024).offsets, [0, 1024, 2048]);
}

#[test]
fn what_has_no_end_is_in_the_way_of_everything() {
    let endless = Asked { end: u32::MAX, ..asks(6, 0, 1) };
    let found = found(&[asks(512, 0, 2), endless, asks(512, 3, 5)], 0);
    assert_eq!(found.offsets, [0, 512, 0]);
    let mut list = problem(vec![buffer("a", 512, 0, 2), buffer("function", 6, 0, 5), buffer("b", 512, 3, 5)]);
    list.buffers[BufferId(1)].kernel = Some(Box::new(KernelFacts { endless: true, ..KernelFacts::default() }));
    assert_eq!(plan_of("triton-shared", &list, &[]).0, [0, 512, 0]);
}

/// The loops of the original: every slot against every buffer, every buffer against every other.
fn plainly(buffers: &[Asked]) -> (Vec<u64>, Vec<u64>) {
    let meets = |a: (u32, u32), b: (u32, u32)| a.0 < b.1 && b.0 < a.1;
    let live = |number: usize| (buffers[number].start, buffers[number].end);
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&number| std::cmp::Reverse(buffers[number].size));
    let mut slots: Vec<(u64, (u32, u32))> = vec![(0, (0, u32::MAX))];
    let mut offsets = vec![0; buffers.len()];
    let mut left = order.clone();
    while !left.is_empty() {
        let (offset, span) = slots.remove(0);
        let fits =
            |&number: &usize| meets(live(number), span) && slots.iter().all(|(_, other)| !meets(*other, live(number)));
        let Some(at) = left.iter().position(fits) else { continue };
        let number = left.remove(at);
        let (start, end) = live(number);
        offsets[number] = align_up(offset, buffers[number].align);
        let above = offsets[number] + buffers[number].size;
        let mut opened = vec![(above, (span.0.max(start), span.1.min(end)))];
        opened.extend((span.0 < start).then_some((offset, (span.0, end))));
        opened.extend((end < span.1).then_some((offset, (start, span.1))));
        for slot in opened {
            let at = slots.partition_point(|other| other.0 <= slot.0);
            slots.insert(at, slot);
        }
    }
    let starts = offsets.clone();
    let overlap = |offsets: &[u64], a: usize, b: usize| {
        let end = |number: usize| offsets[number] + buffers[number].size;
        a != b && meets(live(a), live(b)) && offsets[a] < end(b) && offsets[b] < end(a)
    };
    loop {
        let others = |number: usize| -> Vec<usize> {
            order.iter().copied().filter(|&other| overlap(&offsets, number, other)).collect()
        };
        let graph: Vec<Vec<usize>> = (0..buffers.len()).map(others).collect();
        if graph.iter().all(Vec::is_empty) {
            return (starts, offsets);
        }
        let mut colors: Vec<Option<usize>> = vec![None; buffers.len()];
        for &number in &order {
            let used: Vec<Option<usize>> = graph[number].iter().map(|&other| colors[other]).collect();
            colors[number] = (0..).find(|color| !used.contains(&Some(*color)));
        }
        for &number in order.iter().filter(|&&number| colors[number] != Some(0)) {
            let ends = graph[number].iter().map(|&other| offsets[other] + buffers[other].size);
            offsets[number] = align_up(ends.max().unwrap_or(0), buffers[number].align);
        }
    }
}

#[test]
fn it_places_as_the_plain_loops_do() {
    let mut moved = 0;
    for seed in 0..40 {
        let problem = sample(20 + 4 * seed as u32, seed);
        let mut buffers: Vec<Asked> = problem.buffers.iter().map(|buffer| asked(buffer, 16)).collect();
        for (number, buffer) in buffers.iter_mut().enumerate() {
            buffer.size = buffer.size.max(1);
            buffer.align = 1 << ((number as u64 * 5 + seed) % 8);
            if number % 37 == 5 {
                buffer.end = u32::MAX;
            }
        }
        let found = found(&buffers, 0);
        assert_eq!((found.starts.clone(), found.offsets.clone()), plainly(&buffers), "{seed}");
        moved += u32::from(found.starts != found.offsets);
    }
    assert!(moved > 5, "{moved}");
}

#[test]
fn the_rounds_are_reported_after_the_last_placement() {
    let list =
        problem(vec![buffer("a", 48, 0, 5), buffer("b", 64, 1, 3), buffer("c", 48, 3, 8), buffer("d", 64, 5, 7)]);
    let mut recorder = Recorder::default();
    let planner = find("triton-shared").expect("registered");
    let input = Input { problem: &list, graph: None };
    planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
    let end = recorder.events.iter().position(|event| *event == Event::Finalize).expect("rounds follow");
    let note = |note, subject, a, b| Event::Note { note, subject, a, b };
    assert_eq!(
        recorder.events[end + 1..],
        [
            note(Note::Round, 1, 1, 0),
            note(Note::Overlap, 0, 2, 0),
            Event::Move { buffer: BufferId(2), pool: 0, offset: 112 },
            Event::Grow { pool: 0, from: 112, to: 160 },
            note(Note::Lifted, 2, 64, 112),
            note(Note::RoundColor, 2, 1, 0),
            note(Note::RoundsOver, 1, 160, 0),
        ]
    );
}

/// Parallel branches of a graph are simultaneous with `branch_safe`.
#[test]
fn branches_are_pushed_apart() {
    let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs/two_branches.json"));
    let read = import::read(&file.expect("an example"), Answers::default()).map(|read| read.document);
    let Ok(Document::Graph(graph)) = read else { panic!("a graph") };
    let problem: Problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
    let planner = find("triton-shared").expect("registered");
    let peak = |safe: &str| {
        let options = planner.info().options([("branch_safe", safe)]).expect("known");
        let plan = planner.plan(Input { problem: &problem, graph: Some(&graph) }, &options, &mut Silent);
        let plan = plan.expect("applicable");
        assert_eq!(check(&problem, &plan), []);
        plan.peak(&problem)
    };
    assert!(peak("true") > peak("false"));
}

#[test]
fn long_rounds_are_reported_up_to_a_limit_and_end_at_the_plan() {
    let mut list = sample(3_000, 5);
    list.buffers.iter_mut().for_each(|buffer| buffer.align = 128);
    let mut recorder = Recorder::default();
    let planner = find("triton-shared").expect("registered");
    let input = Input { problem: &list, graph: None };
    let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
    let kind = |wanted: Note| {
        recorder.events.iter().filter(move |event| matches!(event, Event::Note { note, .. } if *note == wanted))
    };
    let told = kind(Note::Overlap).count() + 2 * kind(Note::Lifted).count();
    assert!(told > MOST_REPORTED as usize / 2 && told < 4 * MOST_REPORTED as usize, "{told}");
    let mut last: Vec<u64> = vec![0; list.buffers.len()];
    for event in &recorder.events {
        if let Event::Place { buffer, offset, .. } | Event::Move { buffer, offset, .. } = *event {
            last[buffer.0 as usize] = offset;
        }
    }
    assert_eq!(last, plan.places.iter().flatten().map(|place| place.offset).collect::<Vec<_>>());
}
