//! Memory that an allocator holds: what it obtained of a device and has not given back is hatched
//! under the buffers, so that what no buffer covers is seen as free inside a segment.

use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Color, Dash, Ink, Texture};
use super::mark::{Anchor, Layer, Text};
use memplan_core::problem::Live;

/// Most parts of memory that are drawn: more would be a crowd.
const MOST: usize = 4_000;

/// Fades what lies behind the request that ran out of memory: the program does not get there.
pub(super) fn stopped(drawing: &Drawing, layer: &mut Layer) {
    let Some(step) = drawing.run.stopped_at().filter(|_| drawing.run.is_over(drawing.frame)) else { return };
    let plot = drawing.projection.plot;
    let x = drawing.projection.snap(drawing.projection.step_to_x(f64::from(step))).max(plot.x);
    if x < plot.right() {
        layer.rect(Rect::between((x, plot.y), (plot.right(), plot.bottom())), Ink::fill(Color::Background).alpha(0.8));
        layer.line((x + 0.5, plot.y), (x + 0.5, plot.bottom()), Ink::dashed(Color::Error, 1.5, Dash::Missed));
        let words = drawing.words(drawing.word("stage.stopped"), (x + 6.0, plot.y + 12.0), Anchor::Start, 11.5);
        // Where the edge is near, the words end at the line.
        let is_near = words.bounds().right() > plot.right();
        let words = if is_near { Text { at: (x - 6.0, words.at.1), anchor: Anchor::End, ..words } } else { words };
        layer.text(words.halo(Color::Background, 3.0), Color::Error);
    }
}

/// Hatches what is held up to the moment of the frame.
pub(super) fn draw(drawing: &Drawing, layer: &mut Layer) {
    let pools = drawing.index.pools();
    if pools.iter().map(|pool| pool.held.len()).sum::<usize>() > MOST {
        return;
    }
    let frame = drawing.frame;
    // After the last request everything stays as it is.
    let is_last = frame.decision.is_some_and(|decision| decision + 1 == drawing.run.timeline.decisions.len());
    let focus = frame.focus.filter(|_| !is_last);
    let reached = focus.map_or(u32::MAX, |id| drawing.run.problem.buffers[id].live.start.saturating_add(1));
    for band in drawing.projection.bands.iter().filter(|band| !band.is_folded) {
        for part in &pools[band.pool.0 as usize].held {
            if part.events.0 >= frame.events {
                continue;
            }
            let is_back = part.events.1 < frame.events;
            let end = if is_back { part.live.end } else { part.live.end.min(reached) };
            if end <= part.live.start {
                continue;
            }
            let rect = drawing.region(band, Live::new(part.live.start, end), part.from, part.to - part.from);
            let Some(seen) = drawing.projection.cut(rect) else { continue };
            layer.rect(seen, Ink::texture(Color::Hatch, Texture::Gap));
            let edge = Ink::line(Color::Faint, 1.0);
            let (y, bottom) = (seen.y + 0.5, seen.bottom() - 0.5);
            layer.line((seen.x + 0.5, y), (seen.x + 0.5, bottom), edge);
            layer.line((seen.x, y), (seen.right(), y), edge);
            if is_back {
                layer.line((seen.right() - 0.5, y), (seen.right() - 0.5, bottom), edge);
            }
        }
    }
}
