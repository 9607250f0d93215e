//! Where a plan differs from another one of the same buffers.

use super::drawing::{Drawing, Picture};
use super::geometry::Rect;
use super::ink::{Color, Dash, Ink};
use super::mark::{Layer, Scene, Shape};
use memplan_core::base::IdVec;
use memplan_core::problem::BufferId;
use memplan_replay::Twin;

/// Most lines to where buffers are in the other plan.
const MOST: usize = 300;

/// Buffers that lie at the same place in both plans are faded; a line leads from each other one to
/// its address in the other plan. `twins` are the places there ([`memplan_replay::twins`]).
pub fn differences(picture: Picture, twins: &IdVec<BufferId, Option<Twin>>) -> Scene {
    let Picture { run, frame, size, .. } = picture;
    let drawing = Drawing::new(picture);
    let mut layer = Layer::clipped(drawing.projection.plot);
    let mut lines = 0;
    let only = drawing.projection.bands.first().filter(|_| drawing.projection.bands.len() == 1);
    for (id, buffer) in run.problem.buffers.enumerate() {
        let Some(rect) = drawing.rect(id).filter(|rect| rect.meets(&drawing.projection.plot)) else { continue };
        // A provisional place is another one than that of the plan.
        let is_final = frame.places[id] == run.plan.places[id];
        let is_same = |twin: Twin| if is_final { twin.same } else { frame.places[id] == Some(twin.place) };
        if twins[id].is_some_and(is_same) {
            layer.rect(rect, Ink::fill(Color::Background).alpha(0.72));
            continue;
        }
        let Some(Twin { place, .. }) = twins[id].filter(|_| lines < MOST) else { continue };
        // The same pool may not exist here.
        let Some(band) = only.or_else(|| drawing.projection.band(place.pool)) else { continue };
        let away: Rect =
            drawing.projection.snapped(drawing.projection.exact(band, buffer.live, place.offset, buffer.size));
        let (from, to) = (rect.centre(), away.centre());
        layer.push(Shape::Rect(away), Ink::dashed(Color::Chosen, 1.0, Dash::Missed));
        layer.line(from, to, Ink::line(Color::Chosen, 1.0));
        layer.push(Shape::Circle(from, 2.0), Ink::fill(Color::Chosen));
        lines += 1;
    }
    Scene::new(size, vec![layer])
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::tests::run;
    use crate::{Index, Style, View};
    use memplan_core::plan::PoolRole;
    use memplan_planners::origin;
    use memplan_replay::{self as replay, Level, Run, twins};

    /// Number of faded buffers and of lines.
    fn drawn(run: &Run, reference: &Run) -> (usize, usize) {
        let (index, style, size) = (Index::new(run), Style::default(), (800.0, 600.0));
        let frame = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
        let view = View::fit(&index, size, &style);
        let scene = differences(Picture::new(run, &index, &frame, &view, size, &style), &twins(run, reference));
        let count = |wanted: fn(&Shape) -> bool| scene.marks().filter(|mark| wanted(&mark.shape)).count();
        let lines = count(|shape| matches!(shape, Shape::Lines(_)));
        (count(|shape| matches!(shape, Shape::Rect(_))) - lines, lines)
    }

    #[test]
    fn the_picture_fades_what_the_words_call_the_same() {
        let arenas = run(&[(40, 0, 2, 0, 0), (30, 1, 4, 1, 0), (20, 3, 5, 0, 0), (8, 4, 6, 1, 0)]);
        let turned = |role: PoolRole| {
            let mut plan = arenas.plan.clone();
            plan.pools.iter_mut().for_each(|pool| pool.role = role);
            let own =
                Run::new(arenas.problem.clone(), origin("first-fit", 1), plan.clone(), arenas.timeline.events.clone());
            plan.places.iter_mut().flatten().for_each(|place| place.pool.0 = 1 - place.pool.0);
            (own, Run::new(arenas.problem.clone(), origin("first-fit", 1), plan, Vec::new()))
        };
        // Storages with other numbers are the same, arenas are not.
        let (own, other) = turned(PoolRole::Storage);
        assert!(replay::differences(&own, &other).is_identical());
        assert_eq!(drawn(&own, &other), (4, 0));
        let (own, other) = turned(PoolRole::Arena);
        assert_eq!(replay::differences(&own, &other).elsewhere.len(), 4);
        assert_eq!(drawn(&own, &other), (0, 4));
    }

    #[test]
    fn buffers_are_found_by_name_whatever_their_numbers() {
        let own = run(&[(40, 0, 2, 0, 0), (30, 1, 4, 0, 40), (20, 3, 5, 0, 0)]);
        let mut problem = (*own.problem).clone();
        problem.buffers = own.problem.buffers.iter().rev().cloned().collect();
        let mut plan = own.plan.clone();
        plan.places = own.plan.places.iter().rev().copied().collect();
        let other = Run::new(Rc::new(problem), origin("first-fit", 1), plan, Vec::new());
        assert_eq!(drawn(&own, &other), (3, 0));
    }
}
