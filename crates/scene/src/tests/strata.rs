//! The classes of a step of training, on top of each other.

use super::*;
use memplan_core::graph::{self, Dtype, Graph, Kind, RawDim, RawGraph, RawNode, RawTensor, TrainingRole};
use memplan_core::problem::{Problem, Stacks};
use memplan_core::trace::Note;
use std::sync::Arc;

/// Four nodes in a row, of which the second makes the loss.
fn graph() -> Graph {
    let tensor = |at: usize| RawTensor {
        name: Some(format!("t{at}")),
        dtype: Some(Dtype::UInt8),
        shape: Some(vec![RawDim::Fixed(1)]),
        kind: Some(Kind::Intermediate),
        role: (at == 1).then_some(TrainingRole::Loss),
        ..RawTensor::default()
    };
    let node = |at: usize| RawNode {
        name: Some(format!("n{at}")),
        op: Some("op".into()),
        outputs: vec![format!("t{at}")],
        ..RawNode::default()
    };
    let raw =
        RawGraph { tensors: (0..4).map(tensor).collect(), nodes: (0..4).map(node).collect(), ..RawGraph::default() };
    graph::check(raw).expect("a graph").0
}

#[test]
fn areas_reach_up_to_the_load_and_each_is_named_in_its_own() {
    // An activation of 600 B, a temporary of the forward and one of the backward pass.
    let run = run(&[(600, 0, 4, 0, 0), (100, 0, 1, 0, 600), (300, 2, 4, 0, 600)]).with_graph(Some(Rc::new(graph())));
    let (style, frame) = (Style::default(), last(&run));
    let index = Index::new(&run);
    let view = View::fit(&index, SIZE, &style);
    let scene = strata(Picture::new(&run, &index, &frame, &view, SIZE, &style), 160.0);
    assert_eq!(scene.size, (SIZE.0, 160.0));
    let fill = |number| Color::Buffer(Part::Fill, Class::Category(number), Tone::Full);
    let area = |number| {
        let mut found = scene.marks().filter_map(|mark| match &mark.shape {
            Shape::Polygon(points) if mark.ink.color == fill(number) => Some(points.clone()),
            _ => None,
        });
        found.next().expect("an area")
    };
    let top = |points: &[Point]| points.iter().map(|point| point.1).fold(f64::MAX, f64::min);
    let bottom = |points: &[Point]| points.iter().map(|point| point.1).fold(0.0, f64::max);
    let (activations, temporaries) = (area(0), area(5));
    // 600 of 900 B at the fullest step, and no gap below.
    let height = bottom(&temporaries) - top(&temporaries);
    assert_eq!(bottom(&activations), bottom(&temporaries));
    assert!((bottom(&activations) - top(&activations) - height * 600.0 / 900.0).abs() < 0.01);
    let words: Vec<&str> = scene
        .marks()
        .filter_map(|mark| if let Shape::Text(text) = &mark.shape { Some(text.words.as_str()) } else { None })
        .collect();
    for word in ["activation", "temporary", "forward", "backward", "900", "0"] {
        assert!(words.contains(&word), "{word}: {words:?}");
    }
    for mark in scene.marks() {
        if let Shape::Text(text) = &mark.shape {
            assert!(Rect::new(0.0, 0.0, SIZE.0, 160.0).holds(&text.bounds()), "{}", text.words);
        }
    }
}

#[test]
fn a_run_that_is_no_training_has_no_areas() {
    let run = run(&[(600, 0, 4, 0, 0)]);
    let (style, frame) = (Style::default(), last(&run));
    let index = Index::new(&run);
    let view = View::fit(&index, SIZE, &style);
    let scene = strata(Picture::new(&run, &index, &frame, &view, SIZE, &style), 160.0);
    assert!(!scene.marks().any(|mark| matches!(mark.shape, Shape::Polygon(_))));
}

#[test]
fn what_an_allocator_holds_is_hatched_from_the_segment_to_the_way_back() {
    let plain = run(&[(600, 0, 2, 0, 0), (600, 3, 4, 1, 0)]);
    let note = |note, subject, a, b| Event::Note { note, subject, a, b };
    let [first, second] = [0, 1].map(BufferId::from_index);
    let placed = |buffer, pool| Event::Place { outcome: Outcome::NewPool, buffer, pool, offset: 0 };
    let events = vec![
        Event::Begin { buffer: first },
        note(Note::CacheRequest, 0, 600, 1024),
        note(Note::CacheSegment, 0, 4096, 0),
        placed(first, 0),
        Event::Release { buffer: first },
        note(Note::CacheEmptied, 0, 4096, 3),
        note(Note::CacheBack, 0, 0, 4096),
        Event::Begin { buffer: second },
        note(Note::CacheRequest, 1, 600, 1024),
        note(Note::CacheSegment, 1, 2048, 0),
        placed(second, 1),
    ];
    let stacks = Stacks { frames: vec!["train.py:7".into()], stacks: vec![vec![0]], own: vec![0] };
    let recorded = Problem { stacks: Arc::new(stacks), ..(*plain.problem).clone() };
    let run = Run::new(recorded.into(), origin("first-fit", 1), plain.plan.clone(), events);
    let index = Index::new(&run);
    assert_eq!(index.pools().iter().map(|pool| pool.extent).collect::<Vec<_>>(), [4096, 2048]);
    let account = index.cache().expect("an allocator");
    let at = |step| (account.reserved.at(step), account.allocated.at(step));
    assert_eq!([0, 1, 2, 3].map(at), [(4096, 1024), (4096, 1024), (4096, 0), (2048, 1024)]);
    let (style, view) = (Style::default(), View::fit(&index, SIZE, &Style::default()));
    let hatched = |scene: &Scene| {
        let marks = scene.marks().filter(|mark| mark.ink.texture == Texture::Gap);
        marks
            .filter_map(|mark| if let Shape::Rect(rect) = mark.shape { Some(rect.w) } else { None })
            .collect::<Vec<_>>()
    };
    let shown = |events| {
        let frame = run.frame(events);
        hatched(&stage(Picture::new(&run, &index, &frame, &view, SIZE, &style), &Marks::default()).base)
    };
    // At the first buffer up to its own step, in the end up to the way back.
    let (then, end) = (shown(4), shown(11));
    assert_eq!((then.len(), end.len()), (1, 2));
    assert!((end[0] - 3.0 * then[0]).abs() < 3.0, "{then:?} {end:?}");
    // The strip has both curves.
    let frame = last(&run);
    let strip = strata(Picture::new(&run, &index, &frame, &view, SIZE, &style), 160.0);
    let lines = |color| {
        strip.marks().filter(|mark| matches!(mark.shape, Shape::Polyline(_)) && mark.ink.color == color).count()
    };
    assert_eq!((lines(Color::Peak), lines(Color::Load)), (1, 1));
}

#[test]
fn curves_need_no_stacks_and_a_block_that_waits_is_allocated_no_more() {
    let plain = run(&[(600, 0, 3, 0, 0), (700, 0, 4, 1024, 0)]);
    let note = |note, subject, a, b| Event::Note { note, subject, a, b };
    let [first, second] = [0, 1].map(BufferId::from_index);
    let placed = |buffer, offset| Event::Place { outcome: Outcome::Stated, buffer, pool: 0, offset };
    let events = vec![
        note(Note::CacheReplay, 0, 0, 0),
        Event::OpenPool { pool: 0, memory: 0, growing: true },
        note(Note::CacheHad, 0, 0, 4096),
        Event::Begin { buffer: first },
        note(Note::CacheKept, 0, 1024, 0),
        placed(first, 0),
        Event::Begin { buffer: second },
        note(Note::CacheKept, 1, 1024, 0),
        placed(second, 1024),
        // The buffer lives until the wait is over.
        note(Note::CacheFreed, 0, 1024, 1),
        note(Note::CacheWaits, 0, 0, 0),
        Event::Release { buffer: first },
    ];
    let run = Run::new(plain.problem.clone(), origin("first-fit", 1), plain.plan.clone(), events);
    let index = Index::new(&run);
    let account = index.cache().expect("an allocator");
    let at = |step| (account.reserved.at(step), account.allocated.at(step));
    assert_eq!([0, 1, 2, 3].map(at), [(4096, 2048), (4096, 1024), (4096, 1024), (4096, 1024)]);
    // A segment that is held is open, although no buffer is drawn in it yet.
    assert_eq!([2, 3, 12].map(|events| index.pools()[0].held_at(events)), [0, 4096, 4096]);
}
