//! How high the lane of buffers not yet placed is.

use super::geometry::Size;
use super::index::Index;
use super::rows::pack;
use super::style::Style;
use memplan_core::problem::Problem;

/// Height of the lane of bars, in px.
const BARS: f64 = 26.0;

/// Share of the picture's height that boxes may take.
const SHARE: f64 = 0.25;

/// The same of a few rows, where the names of what waits stand nowhere else.
const SHARE_OF_FEW: f64 = 0.4;

/// Rows that are few.
const FEW: usize = 5;

/// Fewest rows of many worth their room where others have to wait for theirs.
const LEAST: usize = 3;

/// Room between the axis and the first row of boxes, and below the last one, in px.
pub const PAD: f64 = 3.5;

/// Height of a box and distance of two rows, in px. What a finger takes is at least 24 px high.
pub fn row(style: &Style) -> (f64, f64) {
    let (height, pitch) = match (style.grips, style.narrow) {
        (true, _) => return (24.0 * style.text_scale.max(1.0), 26.0 * style.text_scale.max(1.0)),
        (false, true) => (13.0, 15.0),
        (false, false) => (14.0, 17.0),
    };
    (height * style.text_scale, pitch * style.text_scale)
}

/// Rows in which all buffers of a problem wait as boxes, but no more than a picture has room for.
pub fn waiting_rows(problem: &Problem, size: Size, style: &Style) -> usize {
    let rows = pack(problem.buffers.iter().map(|buffer| buffer.live)).into_iter().max().map_or(0, |row| row + 1);
    rows.min(room(rows, size, style))
}

/// For how many of so many rows a picture has room.
fn room(rows: usize, size: Size, style: &Style) -> usize {
    ((share(rows) * size.1 - 2.0 * PAD) / row(style).1).max(0.0) as usize
}

/// Share of the picture's height that so many rows may take.
fn share(rows: usize) -> f64 {
    if rows <= FEW { SHARE_OF_FEW } else { SHARE }
}

/// Rows of boxes that the lane shows; 0 if its buffers are no boxes. Bars have no names: those rows
/// are shown that come next.
pub fn rows_shown(index: &Index, size: Size, style: &Style) -> usize {
    let (rows, room) = (index.lane_rows(), room(index.lane_rows(), size, style));
    if rows <= room {
        rows
    } else if rows <= FEW && room > 0 || room >= LEAST {
        room
    } else {
        0
    }
}

/// Height of the lane if its buffers are boxes.
pub fn boxes(index: &Index, size: Size, style: &Style) -> Option<f64> {
    let rows = rows_shown(index, size, style);
    (rows > 0).then(|| rows as f64 * row(style).1 + 2.0 * PAD)
}

/// Height of the lane in px; 0 without one.
pub fn height(index: &Index, size: Size, style: &Style) -> f64 {
    match boxes(index, size, style) {
        _ if !style.show_waiting || index.buffers() > Style::MAX_WAITING => 0.0,
        Some(height) => height,
        None if style.narrow => 0.0,
        None => BARS * style.text_scale,
    }
}
