//! The picture as a whole: what is projected is found again, nothing is lost, nothing breaks.

use std::rc::Rc;

mod overlaid;
mod storages;
mod strata;
mod words;

use super::*;
use memplan_core::base::{Id, MAX_SAFE, Term};
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole};
use memplan_core::problem::{Buffer, BufferId, Live, Memory, Problem, five_buffers};
use memplan_core::trace::{Event, Outcome};
use memplan_planners::origin;
use memplan_replay::{Level, Run};

const SIZE: Size = (800.0, 600.0);

/// Size, first step, step after, pool, offset.
type Box5 = (u64, u32, u32, u32, u64);

/// A run that places the given boxes one after the other.
pub fn run(boxes: &[Box5]) -> Run {
    let buffer = |&(size, start, end, ..): &Box5| Buffer::of(format!("b{size}"), size, Live { start, end });
    let problem = Problem {
        buffers: boxes.iter().map(buffer).collect(),
        memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
        steps: boxes.iter().map(|of| of.2).max().unwrap_or(0),
        ..Problem::default()
    };
    let pools = boxes.iter().map(|of| of.3 + 1).max().unwrap_or(0);
    let mut ends = vec![0; pools as usize];
    let mut events = Vec::new();
    for (index, &(size, _, _, pool, offset)) in boxes.iter().enumerate() {
        let buffer = BufferId::from_index(index);
        events.push(Event::Begin { buffer });
        events.push(Event::Place { outcome: Outcome::AtEnd, buffer, pool, offset });
        let end = &mut ends[pool as usize];
        if offset + size > *end {
            events.push(Event::Grow { pool, from: *end, to: offset + size });
            *end = offset + size;
        }
    }
    let pool = |&size: &u64| Pool { name: "p".into(), size, device: "cpu".into(), role: PoolRole::Arena };
    let place = |&(_, _, _, pool, offset): &Box5| Some(Place { pool: PoolId(pool), offset });
    let plan =
        Plan { pools: ends.iter().map(pool).collect(), places: boxes.iter().map(place).collect(), ..Plan::default() };
    Run::new(Rc::new(problem), origin("first-fit", 1), plan, events)
}

fn last(run: &Run) -> memplan_replay::Frame {
    run.frame(run.timeline.events_at(Level::All, u32::MAX))
}

#[test]
fn steps_and_addresses_are_found_again() {
    for up in [true, false] {
        let style = Style { axis_at_bottom: up, ..Style::default() };
        let run = run(&[(100, 0, 4, 0, 0), (50, 2, 9, 1, 30), (700, 1, 3, 2, 0)]);
        let index = Index::new(&run);
        let view = View::fit(&index, SIZE, &style).zoom(&index, SIZE, &style, (300.0, 250.0), 1.7);
        let projection = Projection::new(&index, &view, SIZE, &style);
        for step in [0.0, 2.5, 9.0] {
            assert!((projection.x_to_step(projection.step_to_x(step)) - step).abs() < 1e-9);
        }
        for (pool, address) in [(0, 0), (0, 99), (1, 40), (2, 699)] {
            let half = projection.per_byte() / 2.0;
            let y = projection.address_to_y(PoolId(pool), address).expect("a band");
            let inside = if up { y - half } else { y + half };
            assert_eq!(projection.y_to_address(inside), Some((PoolId(pool), address)));
        }
        assert_eq!(projection.step_at(projection.step_to_x(3.9), &index), Some(3));
        assert_eq!(projection.step_at(projection.step_to_x(9.1), &index), None);
    }
}

#[test]
fn zooming_keeps_the_point_under_the_pointer() {
    for up in [true, false] {
        let style = Style { axis_at_bottom: up, ..Style::default() };
        let run = run(&[(1000, 0, 40, 0, 0), (500, 2, 9, 1, 30), (700, 1, 3, 2, 0)]);
        let index = Index::new(&run);
        let mut view = View::fit(&index, SIZE, &style);
        for about in [(400.0, 300.0), (390.0, 320.0), (410.0, 310.0)] {
            let at = |view: &View| {
                let projection = Projection::new(&index, view, SIZE, &style);
                (projection.x_to_step(about.0), projection.y_to_address(about.1))
            };
            let before = at(&view);
            view = view.zoom(&index, SIZE, &style, about, 1.8);
            let after = at(&view);
            assert!((before.0 - after.0).abs() < 1e-6);
            assert_eq!(before.1, after.1);
        }
    }
}

#[test]
fn views_stay_within_their_limits() {
    let style = Style::default();
    let run = run(&[(1000, 0, 40, 0, 0)]);
    let index = Index::new(&run);
    let fit = View::fit(&index, SIZE, &style);
    let per_step = |view: &View| Projection::new(&index, view, SIZE, &style).per_step();
    let near = fit.zoom(&index, SIZE, &style, (400.0, 300.0), 1e9);
    assert!((per_step(&near) - 400.0).abs() < 1e-6);
    assert_eq!(near.scale, 64.0);
    let far = fit.zoom(&index, SIZE, &style, (400.0, 300.0), 1e-9);
    assert!((far.time.1 - far.time.0 - 60.0).abs() < 1e-9);
    assert!((fit.scale / far.scale - 1.5).abs() < 1e-9);
    let away = fit.pan(&index, SIZE, &style, (1e9, -1e9));
    assert!(away.time.0 >= -20.0 && away.time.1 > 0.0);
    let odd = View { time: (f64::NAN, f64::INFINITY), scale: f64::NAN, scroll: f64::NEG_INFINITY };
    let odd = odd.clamped(&index, SIZE, &style);
    assert!(odd.time.0 < odd.time.1 && odd.scale > 0.0 && odd.scroll.is_finite());
}

#[test]
fn the_whole_run_fits_whatever_the_frame() {
    let style = Style::default();
    let run = run(&[(100, 0, 4, 0, 0), (500, 2, 9, 1, 30)]);
    let index = Index::new(&run);
    let projection = Projection::new(&index, &View::fit(&index, SIZE, &style), SIZE, &style);
    let top = projection.bands[1].far_y();
    assert!(top >= projection.plot.y + 20.0 && top < projection.plot.y + 60.0, "{top}");
    assert_eq!(projection.bands[0].zero_y(), projection.plot.bottom());
    assert_eq!(projection.step_to_x(9.0), projection.plot.right());
}

#[test]
fn the_top_of_the_largest_memory_is_drawn_exactly() {
    let style = Style::default();
    let top = MAX_SAFE - 64;
    let run = run(&[(top, 0, 2, 0, 0), (64, 2, 4, 0, top), (1, 0, 1, 0, top)]);
    let index = Index::new(&run);
    let frame = last(&run);
    let place = frame.places[BufferId(1)].expect("placed");
    let view = View::fit_selection(&index, SIZE, &style, Live::new(2, 4), place, 64);
    let projection = Projection::new(&index, &view, SIZE, &style);
    let [low, high] = [top, top + 64].map(|address| projection.bands[0].y(address));
    assert!(low - high > 1.0 && (low - high - 64.0 * view.scale).abs() < 1e-9);
    let stage = stage(Picture::new(&run, &index, &frame, &view, SIZE, &style), &Marks::default());
    for mark in stage.base.marks() {
        if let Shape::Rect(rect) = &mark.shape {
            assert!(rect.x.abs() < 2000.0 && rect.y.abs() < 2000.0 && rect.w < 2000.0 && rect.h < 2000.0, "{rect:?}");
        }
    }
}

#[test]
fn what_is_outside_the_panel_is_not_drawn() {
    let style = Style { show_load: false, ..Style::default() };
    let boxes: Vec<Box5> = (0..100).map(|step| (10, step, step + 1, 0, 0)).collect();
    let run = run(&boxes);
    let index = Index::new(&run);
    let frame = last(&run);
    let view = View { time: (40.0, 50.0), ..View::fit(&index, SIZE, &style) };
    let stage = stage(Picture::new(&run, &index, &frame, &view, SIZE, &style), &Marks::default());
    let fill =
        |mark: &&Mark| matches!(mark.ink.color, Color::Buffer(Part::Fill, ..)) && matches!(mark.shape, Shape::Rect(_));
    assert_eq!(stage.base.marks().filter(fill).count(), 10);
}

#[test]
fn buffers_below_a_pixel_are_counted_and_covered() {
    let style = Style::default();
    let boxes: Vec<Box5> =
        (0..5000).map(|number| (1, number % 2500, number % 2500 + 1, 0, (number % 7) as u64)).collect();
    let run = run(&boxes);
    let index = Index::new(&run);
    let view = View::fit(&index, SIZE, &style);
    let stage = stage(Picture::new(&run, &index, &last(&run), &view, SIZE, &style), &Marks::default());
    assert_eq!(stage.merged, 5000);
    assert!(stage.smallest.is_some());
    let density = |mark: &&Mark| matches!(mark.ink.color, Color::Buffer(Part::Border, ..));
    assert!(stage.base.marks().filter(density).count() > 0);
}

#[test]
fn a_point_finds_what_is_drawn_there() {
    let style = Style::default();
    let run = run(&[(100, 0, 4, 0, 0), (50, 2, 9, 0, 100), (1, 5, 9, 0, 60)]);
    let index = Index::new(&run);
    let frame = last(&run);
    let view = View::fit(&index, SIZE, &style);
    let projection = Projection::new(&index, &view, SIZE, &style);
    let at = |step: f64, address: u64| {
        let y = projection.bands[0].y(address) - projection.per_byte() / 2.0;
        hit(Picture::new(&run, &index, &frame, &view, SIZE, &style), (projection.step_to_x(step), y))
    };
    assert_eq!(at(3.5, 20), [Target::Buffer(BufferId(0)), Target::Step(3), Target::Background]);
    assert_eq!(at(3.5, 120), [Target::Buffer(BufferId(1)), Target::Step(3), Target::Background]);
    assert_eq!(at(4.5, 20), [Target::Step(4), Target::Background]);
    // Beside a buffer that is too thin to be hit.
    assert_eq!(at(6.0, 60)[0], Target::Buffer(BufferId(2)));
    let hit = |point| hit(Picture::new(&run, &index, &frame, &view, SIZE, &style), point);
    assert_eq!(hit((10.0, 300.0)), [Target::AxisY]);
    assert_eq!(hit((projection.step_to_x(2.5), projection.plot.bottom() + 5.0)), [Target::Step(2), Target::AxisX]);
}

#[test]
fn nothing_to_draw_is_no_failure() {
    let style = Style { show_waste: true, sweeps: true, ..Style::default() };
    for run in [run(&[]), run(&[(0, 0, 1, 0, 0)]), run(&[(0, 3, 3, 0, 0), (8, 1, 2, 0, 0)])] {
        let index = Index::new(&run);
        for size in [SIZE, (0.0, 0.0), (60.0, 40.0)] {
            for narrow in [false, true] {
                let style = Style { narrow, ..style };
                let view = View::fit(&index, size, &style).zoom(&index, size, &style, (1.0, 1.0), 1e12);
                for events in 0..=run.timeline.events.len() as u32 {
                    let frame = run.frame(events);
                    let marks = Marks { step: Some(0), missed: true, candidate: Some(1), ..Marks::default() };
                    let stage = stage(Picture::new(&run, &index, &frame, &view, size, &style), &marks);
                    let scenes = [
                        stage.base,
                        stage.frame,
                        stage.interaction,
                        minimap(Picture::new(&run, &index, &frame, &view, size, &style)),
                    ];
                    for rect in scenes.iter().flat_map(Scene::marks).filter_map(rect_of) {
                        assert!(rect.x.is_finite() && rect.y.is_finite() && rect.w >= 0.0 && rect.h >= 0.0, "{rect:?}");
                    }
                    hit(Picture::new(&run, &index, &frame, &view, size, &style), (30.0, 20.0));
                }
                scrubber(&run, Level::All, 0, size, &style, &[0]);
            }
        }
    }
    assert_eq!(sparkline(&[], (10.0, 10.0)).layers.len(), 0);
}

fn rect_of(mark: &Mark) -> Option<Rect> {
    match mark.shape {
        Shape::Rect(rect) | Shape::Round(rect, _) => Some(rect),
        _ => None,
    }
}

#[test]
fn the_index_finds_all_that_are_alive() {
    let boxes: Vec<Box5> = (0..1000u32)
        .map(|number| (1, number * 7 % 500, number * 7 % 500 + 1 + number % 40, 0, number as u64))
        .collect();
    let run = run(&boxes);
    let index = Index::new(&run);
    for (from, to) in [(0, 1), (17, 18), (100, 140), (0, 540), (530, 540)] {
        let mut found = Vec::new();
        index.alive(&run.problem, from, to, |id| found.push(id));
        found.sort();
        let meets = |&id: &BufferId| run.problem.buffers[id].live.meets(Live::new(from, to));
        assert_eq!(found, run.problem.buffers.ids().filter(meets).collect::<Vec<_>>());
    }
}

#[test]
fn the_scrubber_leads_to_every_frame() {
    let boxes: Vec<Box5> = (0..50).map(|step| (10, step, step + 1, 0, 0)).collect();
    let run = run(&boxes);
    let (size, style) = ((400.0, 48.0), Style::default());
    let scale = ScrubberScale::new(&run, Level::Decisions, size, &style);
    for frame in 0..=50 {
        assert_eq!(scale.frame_at(scale.frame_to_x(frame)), frame);
    }
    assert_eq!(scale.frame_at(-5.0), 0);
    assert_eq!(scale.frame_at(1e6), 50);
}

#[test]
fn the_scrubber_tells_nothing_of_frames_that_are_not_known() {
    let boxes: Vec<Box5> = [30, 10, 20].into_iter().zip(0..).map(|(size, step)| (size, step, step + 1, 0, 0)).collect();
    let run = run(&boxes);
    let (size, style) = ((400.0, 48.0), Style::default());
    let bars = ScrubberBars::new(&run, Level::Decisions, size, &style);
    let heights = |known: u32| -> Vec<f64> {
        let scene = bars.scene(1, known, &[]);
        let rects = scene.marks().filter_map(rect_of).filter(|rect| rect.w > 2.0);
        rects.map(|rect| rect.h).collect()
    };
    let (mut open, all) = (heights(1), heights(u32::MAX));
    assert_eq!((open.len(), all.len()), (3, 3));
    open.sort_by(f64::total_cmp);
    assert!(open[0] == open[1] && open[1] < open[2], "frames 2 and 3 look alike: {open:?}");
    assert_eq!(bars.marks_until(1).count(), 1, "the first buffer makes the peak");
    assert!(bars.marks_until(0).next().is_none());
    // That the only pool is opened tells nothing, and the peak may be kept back.
    let opening = words::planned("first-fit", &run.problem);
    let bars = ScrubberBars::new(&opening, Level::Decisions, size, &style);
    assert!(opening.timeline.decisions[0].opens_pool());
    assert_eq!(
        bars.marks_until(1).map(|mark| (mark.happens.growths, mark.happens.pools)).collect::<Vec<_>>(),
        [(1, 0)]
    );
    let kept_back = Style { show_peak: false, ..style };
    assert_eq!(ScrubberBars::new(&run, Level::Decisions, size, &kept_back).marks_until(u32::MAX).count(), 0);
}

#[test]
fn the_minimap_moves_the_view() {
    let style = Style::default();
    let run = run(&[(10, 0, 100, 0, 0)]);
    let index = Index::new(&run);
    let scale = MinimapScale::new(&index, (800.0, 48.0), &style);
    let view = View { time: (20.0, 40.0), scale: 1.0, scroll: 0.0 };
    let x = |step: f64| scale.step_to_x(step);
    assert_eq!(scale.grip(&view, x(20.0) + 2.0), Grip::From);
    assert_eq!(scale.grip(&view, x(40.0)), Grip::To);
    assert_eq!(scale.grip(&view, x(30.0)), Grip::Inside);
    assert_eq!(scale.grip(&view, x(70.0)), Grip::Outside);
    let close = |view: View, from: f64, to: f64| (view.time.0 - from).abs() < 1e-9 && (view.time.1 - to).abs() < 1e-9;
    assert!(close(scale.dragged(&view, Grip::Inside, x(30.0), x(35.0)), 25.0, 45.0));
    assert!(close(scale.dragged(&view, Grip::From, x(20.0), x(10.0)), 10.0, 40.0));
    assert!(close(scale.dragged(&view, Grip::To, x(40.0), x(0.0)), 20.0, 21.0));
    assert!(close(scale.dragged(&view, Grip::Outside, x(70.0), x(60.0)), 60.0, 70.0));
    assert!(close(scale.centred(&view, x(50.0)), 40.0, 60.0));
}

#[test]
fn every_way_of_colouring_covers_all_buffers() {
    let run = run(&[(100, 0, 4, 0, 0), (50, 2, 9, 1, 30), (7, 4, 5, 0, 0)]);
    let ops = ["a", "b", "a"];
    let index = Index::new(&run).with_ops(&run.problem, ops);
    for color_by in ColorBy::ALL {
        let style = Style { color_by, ..Style::default() };
        let entries = legend(&run, &index, &last(&run), &style);
        assert_eq!(entries.iter().map(|entry| entry.buffers.len()).sum::<usize>(), 3, "{color_by:?}");
        assert_eq!(entries.iter().map(|entry| entry.bytes).sum::<u64>(), 157);
        assert_eq!(ColorBy::from_name(color_by.name()), Some(color_by));
    }
    let reused = Style { color_by: ColorBy::ReuseDepth, ..Style::default() };
    let steps: Vec<Class> = legend(&run, &index, &last(&run), &reused).iter().map(|entry| entry.class).collect();
    assert_eq!(steps, [Class::Step(0), Class::Step(1)]);
}

#[test]
fn a_moved_picture_lies_where_its_buffers_now_are() {
    for up in [true, false] {
        let style = Style { axis_at_bottom: up, ..Style::default() };
        let run = run(&[(100, 0, 4, 0, 0), (50, 2, 9, 0, 100), (700, 1, 3, 0, 150)]);
        let index = Index::new(&run);
        let before = View::fit(&index, SIZE, &style).zoom(&index, SIZE, &style, (300.0, 250.0), 1.7);
        let moves = [
            before.pan(&index, SIZE, &style, (-40.0, 25.0)),
            before.zoom(&index, SIZE, &style, (200.0, 400.0), 1.3),
            before.zoom_time(&index, SIZE, &style, 500.0, 0.8).pan(&index, SIZE, &style, (10.0, -30.0)),
        ];
        for now in moves {
            let shift = Shift::new(before, now, &index, SIZE, &style);
            assert!(shift.is_small(), "{shift:?}");
            let (old, new) =
                (Projection::new(&index, &before, SIZE, &style), Projection::new(&index, &now, SIZE, &style));
            let moved = |at: f64, from: (f64, f64), to: (f64, f64)| to.0 + (at - from.0) / from.1 * to.1;
            for (step, address) in [(0.0, 0), (3.0, 150), (9.0, 850)] {
                let x = moved(old.step_to_x(step), (shift.from.x, shift.from.w), (shift.to.x, shift.to.w));
                assert!((x - new.step_to_x(step)).abs() < 1e-6, "{x}");
                let y = |projection: &Projection| projection.address_to_y(PoolId(0), address).expect("a band");
                let at = moved(y(&old), (shift.from.y, shift.from.h), (shift.to.y, shift.to.h));
                assert!((at - y(&new)).abs() < 1e-6, "{at} {}", y(&new));
            }
        }
        let far = before.zoom(&index, SIZE, &style, (300.0, 250.0), 3.0);
        assert!(!Shift::new(before, far, &index, SIZE, &style).is_small());
    }
}

#[test]
fn a_window_leads_back_to_its_view() {
    let run = run(&[(4096, 0, 10, 0, 0), (2048, 2, 9, 0, 4096)]);
    let (index, style) = (Index::new(&run), Style::default());
    let view = View::fit(&index, SIZE, &style).zoom(&index, SIZE, &style, (300.0, 250.0), 2.0);
    let window = Window::of(view, &index, SIZE, &style);
    let back = window.view(&index, SIZE, &style);
    assert_eq!(Window::of(back, &index, SIZE, &style), window);
    assert!((back.time.0 - view.time.0).abs() < 0.01 && (back.scale / view.scale - 1.0).abs() < 0.01);
    // A panel of another size shows the same steps and bytes.
    let other = window.view(&index, (SIZE.0 * 0.5, SIZE.1 * 1.5), &style);
    assert_eq!(Window::of(other, &index, (SIZE.0 * 0.5, SIZE.1 * 1.5), &style).steps, window.steps);
}

#[test]
fn bytes_held_twice_are_marked() {
    let style = Style { show_load: false, ..Style::default() };
    let boxes = [(64, 0, 10, 0, 0), (64, 5, 20, 0, 32), (64, 0, 5, 0, 64)];
    let run = run(&boxes).with_collisions(vec![(BufferId(0), BufferId(1))]);
    let index = Index::new(&run);
    let view = View::fit(&index, SIZE, &style);
    let marked = |frame: &memplan_replay::Frame| {
        let stage = stage(Picture::new(&run, &index, frame, &view, SIZE, &style), &Marks::default());
        let tinted = stage.base.marks().filter(|mark| mark.ink.color == Color::Error && mark.ink.stroke.is_none());
        tinted.map(|mark| mark.shape.clone()).collect::<Vec<_>>()
    };
    let projection = Projection::new(&index, &view, SIZE, &style);
    let band = &projection.bands[0];
    let expected = projection.snapped(projection.exact(band, Live { start: 5, end: 10 }, 32, 32));
    let frame = last(&run);
    let [Shape::Rect(rect)] = marked(&frame)[..] else { panic!("one rectangle: {:?}", marked(&frame)) };
    let near = |a: f64, b: f64| (a - b).abs() < 1.5;
    assert!(near(rect.x, expected.x) && near(rect.y, expected.y), "{rect:?} {expected:?}");
    assert!(near(rect.w, expected.w) && near(rect.h, expected.h), "{rect:?} {expected:?}");
    // Before the second is placed there is nothing to collide with.
    let first = run.frame(run.timeline.events_at(memplan_replay::Level::Decisions, 1));
    assert_eq!(marked(&first), []);
}

#[test]
fn the_way_to_a_view_stays_between_the_two() {
    let run = run(&[(100, 0, 8, 0, 0), (50, 2, 6, 0, 100), (30, 9, 12, 0, 0)]);
    let (index, style) = (Index::new(&run), Style::default());
    let all = View::fit(&index, SIZE, &style);
    let near =
        View::fit_selection(&index, SIZE, &style, Live { start: 9, end: 12 }, Place { pool: PoolId(0), offset: 0 }, 30);
    assert_eq!(all.towards(near, 0.0), all);
    let edge = |view: View| (view.scroll / view.scale, 1.0 / view.scale);
    let (from, half, to) = (edge(all), edge(all.towards(near, 0.5)), edge(near));
    assert!((half.0 - (from.0 + to.0) / 2.0).abs() < 1e-6 && (half.1 - (from.1 + to.1) / 2.0).abs() < 1e-9);
    let last = all.towards(near, 1.0);
    assert!(
        (last.scale - near.scale).abs() < 1e-9 && (last.scroll - near.scroll).abs() < 1e-6 && last.time == near.time
    );
}

#[test]
fn buffers_that_do_not_fit_together_are_marked_where_they_lie() {
    let style = Style { show_load: false, ..Style::default() };
    let run = run(&[(64, 0, 10, 0, 0), (64, 5, 20, 0, 64), (64, 12, 30, 0, 0)]);
    let set = std::rc::Rc::new(vec![BufferId(0), BufferId(1)]);
    let index = Index::new(&run).with_conflict(set);
    let view = View::fit(&index, SIZE, &style);
    let marked = |index: &Index, frame: &memplan_replay::Frame| {
        let stage = stage(Picture::new(&run, index, frame, &view, SIZE, &style), &Marks::default());
        let tinted = stage.base.marks().filter(|mark| mark.ink.color == Color::Error && mark.ink.stroke.is_none());
        tinted.map(|mark| mark.shape.clone()).collect::<Vec<_>>()
    };
    let projection = Projection::new(&index, &view, SIZE, &style);
    let rect =
        |live: Live, offset| Shape::Rect(projection.snapped(projection.exact(&projection.bands[0], live, offset, 64)));
    let both = [rect(Live { start: 0, end: 10 }, 0), rect(Live { start: 5, end: 20 }, 64)];
    assert_eq!(marked(&index, &last(&run)), both);
    assert_eq!(marked(&Index::new(&run), &last(&run)), []);
    // Only as far as they have been placed.
    let first = run.frame(run.timeline.events_at(memplan_replay::Level::Decisions, 1));
    assert_eq!(marked(&index, &first), both[..1]);
}

#[test]
fn the_picture_of_the_projection_is_true() {
    use five_buffers::{KIB, assert_in_comments, drawn};
    let offsets = [1, 0, 1, 4, 0];
    let box5 = |(buffer, offset): (&Buffer, u64)| (buffer.size, buffer.live.start, buffer.live.end, 0, offset * KIB);
    let run = run(&five_buffers::problem().buffers.iter().zip(offsets).map(box5).collect::<Vec<_>>());
    let index = Index::new(&run);
    let view = View { time: (0.0, 6.0), scale: 24.0 / KIB as f64, scroll: 0.0 };
    let style = Style { narrow: true, show_waiting: false, ..Style::default() };
    let projection = Projection::new(&index, &view, (288.0, 200.0), &style);
    let y = |row: u64| projection.address_to_y(PoolId(0), row * KIB).expect("a band");
    let rows = drawn(&offsets);
    let mut lines = vec![format!("{:>3} -   +", y(5))];
    lines.extend((0..5).map(|row| format!("{:>3} - {}", y(4 - row), rows[row as usize])));
    lines.push("+---+---+---+---+---+---+".into());
    lines.push(
        (0..=6).map(|step| format!("{:<4}", projection.step_to_x(step as f64))).collect::<String>().trim().into(),
    );
    assert_in_comments(include_str!("projection.rs"), &lines);
    let band = &projection.bands[0];
    let c = projection.exact(band, Live::new(2, 4), KIB, 3 * KIB);
    assert_eq!((c.x, c.y, c.right(), c.bottom()), (120.0, 80.0, 200.0, 152.0));
    assert_eq!(band.head.map(|head| (head.y, head.bottom())), Some((40.0, 56.0)));
}

#[test]
fn a_phone_names_the_buffers_that_wait_next() {
    // As in the lesson on first, best and worst fit: six that are there, and three that come.
    let lives = [(0, 1), (0, 5), (0, 1), (0, 5), (0, 1), (0, 5), (1, 5), (2, 5), (3, 5)];
    let boxes = lives.map(|(start, end)| (16, start, end, 0, 0)).into_iter().enumerate();
    let boxes: Vec<Box5> =
        boxes.map(|(number, of)| (of.0 + number as u64, of.1, of.2, of.3, number as u64 * 32)).collect();
    let run = run(&boxes);
    let style = Style { narrow: true, ..Style::default() };
    let (size, index) = ((390.0, 320.0), Index::new(&run));
    let view = View::fit(&index, size, &style);
    let frame = run.frame(run.timeline.events_at(Level::Decisions, 6));
    let stage = stage(Picture::new(&run, &index, &frame, &view, size, &style), &Marks::default());
    let text = |mark: &Mark| if let Shape::Text(text) = &mark.shape { Some(text.words.to_string()) } else { None };
    let words: Vec<String> = stage.base.layers.iter().flat_map(|layer| &layer.marks).filter_map(text).collect();
    for name in ["b22", "b23", "b24"] {
        assert!(words.iter().any(|words| words == name), "{name} waits without a name: {words:?}");
    }
    let projection = Projection::new(&index, &view, size, &style);
    assert!(projection.lane.is_some_and(|lane| lane.h < 0.25 * size.1), "the plan keeps its room");
}
