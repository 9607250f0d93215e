//! What moves in a step: the buffer that takes its place, and the room by which its arena grows.

use super::drawing::{Drawing, Picture};
use super::geometry::Rect;

/// Movements that lead to a frame, in px of the panel.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Motion {
    /// From where the buffer waited to its place.
    pub taken: Option<(Rect, Rect)>,
    /// Room that was not there before.
    pub grown: Vec<Rect>,
}

/// Height of a waiting buffer.
const BAR: f64 = 2.5;

/// What moved when this frame came after the one before it.
pub fn motion(picture: Picture) -> Motion {
    let Picture { frame, .. } = picture;
    if !frame.settled {
        return Motion::default();
    }
    let drawing = Drawing::new(picture);
    let projection = &drawing.projection;
    let plot = projection.plot;
    // What is out of sight need not arrive there.
    let place = frame.focus.and_then(|focus| drawing.rect(focus)).and_then(|rect| rect.cut(&plot));
    let waiting = |place: Rect| {
        let y = projection.lane.map_or(plot.bottom(), |lane| lane.y + 2.0);
        Rect::new(place.x, y, place.w, BAR)
    };
    let grown = frame.pools.iter().filter(|pool| pool.end > pool.end_before).filter_map(|pool| {
        let band = projection.band(pool.id)?;
        let (low, high) = (band.y(pool.end_before), band.y(pool.end));
        Rect::between((plot.x, low), (plot.right(), high)).cut(&plot)
    });
    Motion { taken: place.map(|place| (waiting(place), place)), grown: grown.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::run;
    use crate::{Index, Size, Style, View};
    use memplan_replay::{Level, Run};

    const SIZE: Size = (800.0, 600.0);

    /// Movements to the frame that places the buffer of this number, counted from one.
    fn to_frame(run: &Run, number: u32) -> Motion {
        let (index, style) = (Index::new(run), Style::default());
        let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
        motion(Picture::new(run, &index, &frame, &View::fit(&index, SIZE, &style), SIZE, &style))
    }

    #[test]
    fn a_buffer_rises_from_where_it_waited() {
        let run = run(&[(100, 0, 4, 0, 0), (50, 4, 6, 0, 0)]);
        let (from, to) = to_frame(&run, 1).taken.expect("placed");
        assert_eq!((from.x, from.w), (to.x, to.w), "time is fixed");
        assert!(from.y >= to.bottom(), "it waits under the plan");
        assert_eq!(to_frame(&run, 0), Motion::default(), "nothing is placed at the beginning");
    }

    #[test]
    fn only_new_room_is_shown_as_such() {
        let run = run(&[(100, 0, 4, 0, 0), (50, 4, 6, 0, 0), (60, 0, 2, 0, 100)]);
        let first = to_frame(&run, 1).grown;
        assert_eq!(first.len(), 1);
        assert_eq!(to_frame(&run, 2).grown, [], "it lies where there was room");
        let third = to_frame(&run, 3).grown;
        assert!((third[0].bottom() - first[0].y).abs() < 1.0, "new room lies on the old: {third:?} {first:?}");
        assert!((third[0].h / first[0].h - 0.6).abs() < 0.02, "{third:?} {first:?}");
    }

    #[test]
    fn what_is_out_of_sight_does_not_move() {
        let run = run(&[(100, 0, 4, 0, 0), (50, 40, 60, 0, 100)]);
        let (index, style) = (Index::new(&run), Style::default());
        let frame = run.frame(run.timeline.events_at(Level::Decisions, 2));
        let view = View { time: (0.0, 8.0), ..View::fit(&index, SIZE, &style) };
        assert_eq!(motion(Picture::new(&run, &index, &frame, &view, SIZE, &style)).taken, None);
    }
}
