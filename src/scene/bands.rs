//! Headers of pools, the lines of peak and bound, and the words beside them.

use super::board::Board;
use super::geometry::Rect;
use super::index::{Index, PoolFacts};
use super::ink::{Color, Dash, Ink};
use super::label;
use super::mark::{Anchor, Layer, Text};
use super::projection::Band;
use super::style::Style;
use crate::base::{Arrange, Message};
use crate::plan::PoolRole;

/// Peak so far, final peak and lower bound of each pool.
pub fn levels(board: &Board, layer: &mut Layer) {
    let plot = board.projection.plot;
    let mut level = |y: f64, ink: Ink| {
        if y > plot.y - 4.0 && y < plot.bottom() + 4.0 {
            layer.line((plot.x, y), (plot.right(), y), ink);
        }
    };
    for band in &board.projection.bands {
        if band.folded {
            continue;
        }
        let facts = &board.index.pools()[band.pool.0 as usize];
        let end = board.end(band);
        let y = |address: u64| board.projection.snap(band.y(address));
        if facts.end > end {
            level(y(facts.end) + 0.5, Ink::dashed(Color::Peak, 1.0, Dash::Level));
        }
        if end > 0 {
            level(y(end), Ink::line(Color::Peak, 2.0));
        }
        if board.style.show_load && facts.bound > 0 {
            // Just under the peak when the two are equal.
            let under = if facts.bound == end { if band.is_upright() { 2.0 } else { -2.0 } } else { 0.0 };
            level(y(facts.bound) + under, Ink::dashed(Color::Bound, 2.0, Dash::Bound));
        }
    }
}

/// Name, device and what the pool may do; at the right end its peak and bound, if nothing of this frame is there.
pub fn headers(board: &Board, taken: &[Rect], layer: &mut Layer) {
    let plot = board.projection.plot;
    for band in &board.projection.bands {
        let Some(head) = band.head else { continue };
        let y = head.bottom() - 10.0 * head.h / 20.0;
        if y < 6.0 || y > plot.bottom() - 4.0 {
            continue;
        }
        let facts = &board.index.pools()[band.pool.0 as usize];
        let name = board.say(&board.run.plan.pool_title(band.pool));
        if board.style.turned {
            // Beside one another there is room for the names alone, above the numbers.
            let (upper, lower) = band.edges();
            let at = (plot.x - 24.0 * board.style.text_scale, (upper.max(plot.y) + lower.min(plot.bottom())) / 2.0);
            layer.text(board.words(name, at, Anchor::Middle, 11.5), Color::Muted);
            continue;
        }
        let name = board.words(name, (plot.x, y), Anchor::Start, 11.5).halo(Color::Background, 4.0);
        let x = name.bounds().right() + 10.0;
        layer.text(name, Color::Text);
        let right = board.words(level_words(board, band), (plot.right(), y), Anchor::End, 11.5);
        let bounds = right.bounds();
        let is_free = bounds.x > x && !taken.iter().any(|other| other.meets(&bounds));
        let right_x = if is_free { bounds.x } else { plot.right() };
        if is_free {
            layer.text(right.halo(Color::Background, 4.0), Color::Muted);
        }
        if board.style.narrow {
            continue;
        }
        let mut notes = vec![facts.device.clone()];
        notes.extend(role_word(facts.role).map(|key| board.word(key)));
        if board.frame.provisional {
            notes.push(board.word("stage.provisional"));
        }
        notes.retain(|note| !note.is_empty());
        while !notes.is_empty() {
            let text = board.words(notes.join(" · "), (x, y), Anchor::Start, 11.5);
            if text.bounds().right() + 12.0 <= right_x {
                layer.text(text.halo(Color::Background, 4.0), Color::Muted);
                break;
            }
            notes.pop();
        }
    }
}

fn role_word(role: PoolRole) -> Option<&'static str> {
    match role {
        PoolRole::Arena | PoolRole::Storage => None,
        PoolRole::Growing => Some("stage.role.growing"),
        PoolRole::Fixed => Some("stage.role.fixed"),
        PoolRole::Figure => Some("stage.role.figure"),
    }
}

fn level_words(board: &Board, band: &Band) -> String {
    let facts = &board.index.pools()[band.pool.0 as usize];
    let end = board.end(band);
    let key = match end {
        0 => "stage.not-open",
        _ if facts.bound == end => "stage.peak-is-bound",
        _ if board.style.narrow => "stage.peak",
        _ => "stage.peak-and-bound",
    };
    board.say(&Message::new(key).address("peak", end).address("bound", facts.bound))
}

/// Font size of the words beside the lines.
const MARGIN_SIZE: f64 = 12.0;

/// Room that the words beside the lines of the only pool take at the end of the run.
pub fn margin_width(index: &Index, style: &Style) -> f64 {
    let width = |key: &'static str, bytes: u64, bold: bool| {
        let words = style.speech.say(&Message::new(key).address("peak", bytes).address("bound", bytes));
        label::width(&words, style.words(MARGIN_SIZE), bold)
    };
    let pool = |pool: &PoolFacts| width("stage.peak", pool.end, true).max(width("stage.bound", pool.bound, false));
    index.pools().first().map_or(0.0, pool) + 12.0
}

/// Words beside the lines of the only pool: peak, former peak, bound, load, moved apart where they would touch.
pub fn margin(board: &Board, layer: &mut Layer) {
    let [band] = board.projection.bands.as_slice() else { return };
    if band.head.is_some() {
        return;
    }
    let plot = board.projection.plot;
    let facts = &board.index.pools()[0];
    let (x, end) = (plot.right() + 8.0, board.end(band));
    let before = board.frame.pools.first().map_or(end, |pool| pool.end_before);
    let mut notes: Vec<(Text, Color)> = Vec::new();
    let mut note = |key: &'static str, bytes: u64, y: f64, color: Color| {
        if y > plot.y - 6.0 && y < plot.bottom() {
            let words = board.say(&Message::new(key).address("peak", bytes).address("bound", bytes));
            notes.push((board.words(words, (x, y), Anchor::Start, MARGIN_SIZE), color));
        }
    };
    if end > 0 {
        note("stage.peak", end, band.y(end), Color::Text);
    }
    if before > 0 && before < end && board.frame.settled {
        note("stage.was", before, band.y(before), Color::Chosen);
    }
    if board.style.show_load {
        if facts.bound > 0 {
            note("stage.bound", facts.bound, band.y(facts.bound), Color::Bound);
        }
        let (_, last) = board.projection.visible_steps(board.index);
        if facts.bound > 0 && last > 0 {
            note("stage.load", 0, band.y(facts.load.at(last - 1)), Color::Load);
        }
    }
    if let Some((peak, _)) = notes.first_mut().filter(|_| end > 0) {
        peak.bold = true;
    }
    spread(&mut notes);
    for (text, color) in notes {
        layer.text(text.halo(Color::Background, 4.0), color);
    }
    if board.frame.provisional {
        let at = (plot.x, (band.edges().0 - 13.0).max(8.0));
        layer.text(board.words(board.word("stage.provisional"), at, Anchor::Start, 11.0), Color::Muted);
    }
}

/// Moves words apart, the upper ones up by as much as the lower ones down.
fn spread(notes: &mut [(Text, Color)]) {
    notes.arrange_by(|(a, _), (b, _)| a.at.1.total_cmp(&b.at.1));
    for _ in 0..4 {
        for index in 1..notes.len() {
            let overlap = notes[index - 1].0.at.1 + notes[index].0.bounds().h - notes[index].0.at.1;
            if overlap > 0.0 {
                notes[index - 1].0.at.1 -= overlap / 2.0;
                notes[index].0.at.1 += overlap / 2.0;
            }
        }
    }
}

/// The part of a pool that this frame added, across the panel.
pub fn growth(board: &Board, layer: &mut Layer) {
    for (band, rect) in grown(board) {
        layer.rect(rect, Ink::fill(Color::ChosenSoft).alpha(0.75));
        let before = board.frame.pools[band.pool.0 as usize].end_before;
        if before > 0 {
            let y = board.projection.snap(band.y(before)) + 0.5;
            let plot = board.projection.plot;
            layer.line((plot.x, y), (plot.right(), y), Ink::dashed(Color::Chosen, 1.0, Dash::Level));
        }
    }
}

/// Pools that grew in this frame, with the visible part of what was added.
pub fn grown<'b>(board: &'b Board) -> impl Iterator<Item = (&'b Band, Rect)> {
    let plot = board.projection.plot;
    board.projection.bands.iter().filter_map(move |band| {
        let pool = board.frame.pools.get(band.pool.0 as usize)?;
        let grew = board.frame.settled && pool.end > pool.end_before;
        let y = |address: u64| board.projection.snap(band.y(address));
        let rect = Rect::between((plot.x, y(pool.end)), (plot.right(), y(pool.end_before)));
        grew.then_some((band, rect.cut(&plot)?))
    })
}
