//! Selection, keyboard focus and what lies under the pointer.

use super::axes;
use super::board::Board;
use super::callouts;
use super::frame_marks;
use super::geometry::Rect;
use super::ink::{Color, Dash, Ink};
use super::mark::{Layer, Shape};
use super::style::Marks;
use super::tree_marks;
use super::waste;
use crate::problem::BufferId;

/// Rings over everything else.
pub fn draw(board: &Board, marks: &Marks, layer: &mut Layer) {
    if let Some(step) = marks.step {
        cursor(board, step, layer);
    }
    if let Some(rect) = marks.node.and_then(|node| tree_marks::node_rect(board, node)) {
        ring(board, rect, Ink::line(Color::Accent, 2.0), layer);
    }
    let pointed = marks.candidate.and_then(|number| callouts::place_of(board, number));
    let missed = marks.missed.then(|| frame_marks::missed_rect(board)).flatten();
    for rect in pointed.into_iter().chain(missed) {
        layer.rect(rect, Ink::fill(Color::Accent).alpha(0.12));
        ring(board, rect, Ink::line(Color::Accent, 2.0), layer);
    }
    let buffer = |id: BufferId| board.rect(id).or_else(|| bar(board, id));
    if let Some(rect) = marks.hovered.filter(|_| marks.hovered != marks.selected).and_then(buffer) {
        ring(board, rect, Ink::line(Color::Text, 2.0), layer);
    }
    if let Some(rect) = marks.selected.and_then(buffer) {
        ring(board, rect, Ink::line(Color::Accent, 3.0), layer);
        // Reasons beside the selected buffer are read over its ring.
        let reasons = callouts::callouts(board).into_iter();
        reasons.filter(|callout| callout.is_over(&rect)).for_each(|callout| frame_marks::told(board, &callout, layer));
    }
    if let Some(rect) = marks.focused.and_then(buffer) {
        ring(board, rect.inset(-3.0), Ink::dashed(Color::Accent, 2.0, Dash::Candidate), layer);
    }
}

/// The bar of a waiting buffer.
fn bar(board: &Board, id: BufferId) -> Option<Rect> {
    let lane = board.projection.lane?;
    axes::waiting(board, lane).into_iter().find(|(waiting, _)| *waiting == id).map(|(_, bar)| bar)
}

/// A ring around a box, its halo 2 px wider on both sides; a box too small to see has a ring all the same.
fn ring(board: &Board, rect: Rect, ink: Ink, layer: &mut Layer) {
    let least = Rect { w: rect.w.max(2.0), h: rect.h.max(2.0), ..rect };
    let frame = board.projection.plot.inset(-12.0);
    let bounds = Rect { h: board.projection.size.1 - frame.y, ..frame };
    let Some(rect) = least.cut(&bounds) else { return };
    let width = ink.stroke.map_or(1.0, |stroke| stroke.width);
    layer.push(Shape::Rect(rect), Ink::line(Color::Background, width + 4.0));
    layer.push(Shape::Rect(rect), ink);
}

/// A line at a step with the gaps below the tops of the pools.
fn cursor(board: &Board, step: u32, layer: &mut Layer) {
    let plot = board.projection.plot;
    let x = |step: u32| board.projection.snap(board.projection.step_to_x(step as f64));
    if let Some(column) = Rect::between((x(step), plot.y), (x(step + 1), plot.bottom())).cut(&plot) {
        layer.rect(column, Ink::fill(Color::Accent).alpha(0.10));
        waste::at_step(board, step, layer);
    }
}
