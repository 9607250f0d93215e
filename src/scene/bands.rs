//! Headers of pools, the lines of peak and bound, and the words beside them.

use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Color, Dash, Ink};
use super::margins;
use super::mark::{Anchor, Layer, Text};
use super::projection::Band;
use crate::base::{Arrange, Message};
use crate::plan::PoolRole;

/// Peak so far, final peak and lower bound of each pool.
pub fn levels(drawing: &Drawing, layer: &mut Layer) {
    let plot = drawing.projection.plot;
    let mut level = |y: f64, ink: Ink| {
        if y > plot.y - 4.0 && y < plot.bottom() + 4.0 {
            layer.line((plot.x, y), (plot.right(), y), ink);
        }
    };
    for band in &drawing.projection.bands {
        if band.folded {
            continue;
        }
        let facts = &drawing.index.pools()[band.pool.0 as usize];
        let end = drawing.end(band);
        let y = |address: u64| drawing.projection.snap(band.y(address));
        if facts.end > end {
            level(y(facts.end) + 0.5, Ink::dashed(Color::Peak, 1.0, Dash::Level));
        }
        if end > 0 {
            level(y(end), Ink::line(Color::Peak, 2.0));
        }
        if drawing.style.show_load && facts.bound > 0 {
            // Just under the peak when the two are equal.
            let under = if facts.bound == end { if band.is_upright() { 2.0 } else { -2.0 } } else { 0.0 };
            level(y(facts.bound) + under, Ink::dashed(Color::Bound, 2.0, Dash::Bound));
        }
    }
}

/// Name, device and what the pool may do; at the right end its peak and bound, if nothing of this frame is there.
pub fn headers(drawing: &Drawing, taken: &[Rect], layer: &mut Layer) {
    let plot = drawing.projection.plot;
    for band in &drawing.projection.bands {
        let Some(head) = band.head else { continue };
        let y = head.bottom() - 10.0 * head.h / 20.0;
        if y < 6.0 || y > plot.bottom() - 4.0 {
            continue;
        }
        let facts = &drawing.index.pools()[band.pool.0 as usize];
        let name = drawing.say(&drawing.run.plan.pool_title(band.pool));
        if drawing.style.turned {
            // Beside one another there is room for the names alone, above the numbers.
            let (upper, lower) = band.edges();
            let at = (plot.x - 24.0 * drawing.style.text_scale, (upper.max(plot.y) + lower.min(plot.bottom())) / 2.0);
            layer.text(drawing.words(name, at, Anchor::Middle, 11.5), Color::Muted);
            continue;
        }
        let name = drawing.words(name, (plot.x, y), Anchor::Start, 11.5).halo(Color::Background, 4.0);
        let x = name.bounds().right() + 10.0;
        layer.text(name, Color::Text);
        let right = drawing.words(level_words(drawing, band), (plot.right(), y), Anchor::End, 11.5);
        let bounds = right.bounds();
        let is_free = bounds.x > x && !taken.iter().any(|other| other.meets(&bounds));
        let right_x = if is_free { bounds.x } else { plot.right() };
        if is_free {
            layer.text(right.halo(Color::Background, 4.0), Color::Muted);
        }
        if drawing.style.narrow {
            continue;
        }
        let mut notes = vec![facts.device.clone()];
        notes.extend(role_word(facts.role).map(|key| drawing.word(key)));
        if drawing.frame.provisional {
            notes.push(drawing.word("stage.provisional"));
        }
        notes.retain(|note| !note.is_empty());
        while !notes.is_empty() {
            let text = drawing.words(notes.join(" · "), (x, y), Anchor::Start, 11.5);
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

fn level_words(drawing: &Drawing, band: &Band) -> String {
    let facts = &drawing.index.pools()[band.pool.0 as usize];
    let end = drawing.end(band);
    let key = match end {
        0 => "stage.not-open",
        _ if facts.bound == end => "stage.peak-is-bound",
        _ if drawing.style.narrow => "stage.peak",
        _ => "stage.peak-and-bound",
    };
    drawing.say(&Message::new(key).address("peak", end).address("bound", facts.bound))
}

/// Words beside the lines of the only pool: peak, former peak, bound, load, moved apart where they would touch.
pub fn margin(drawing: &Drawing, layer: &mut Layer) {
    let [band] = drawing.projection.bands.as_slice() else { return };
    if band.head.is_some() {
        return;
    }
    let plot = drawing.projection.plot;
    let facts = &drawing.index.pools()[0];
    let (x, end) = (plot.right() + 8.0, drawing.end(band));
    let before = drawing.frame.pools.first().map_or(end, |pool| pool.end_before);
    let mut notes: Vec<(Text, Color)> = Vec::new();
    let mut note = |key: &'static str, bytes: u64, y: f64, color: Color| {
        if y > plot.y - 6.0 && y < plot.bottom() {
            let words = drawing.say(&Message::new(key).address("peak", bytes).address("bound", bytes));
            notes.push((drawing.words(words, (x, y), Anchor::Start, margins::WORDS), color));
        }
    };
    if end > 0 {
        note("stage.peak", end, band.y(end), Color::Text);
    }
    if before > 0 && before < end && drawing.frame.settled {
        note("stage.was", before, band.y(before), Color::Chosen);
    }
    if drawing.style.show_load {
        if facts.bound > 0 {
            note("stage.bound", facts.bound, band.y(facts.bound), Color::Bound);
        }
        let (_, last) = drawing.projection.visible_steps(drawing.index);
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
    if drawing.frame.provisional {
        let at = (plot.x, (band.edges().0 - 13.0).max(8.0));
        layer.text(drawing.words(drawing.word("stage.provisional"), at, Anchor::Start, 11.0), Color::Muted);
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
pub fn growth(drawing: &Drawing, layer: &mut Layer) {
    for (band, rect) in grown(drawing) {
        layer.rect(rect, Ink::fill(Color::ChosenSoft).alpha(0.75));
        let before = drawing.frame.pools[band.pool.0 as usize].end_before;
        if before > 0 {
            let y = drawing.projection.snap(band.y(before)) + 0.5;
            let plot = drawing.projection.plot;
            layer.line((plot.x, y), (plot.right(), y), Ink::dashed(Color::Chosen, 1.0, Dash::Level));
        }
    }
}

/// Pools that grew in this frame, with the visible part of what was added.
pub fn grown<'b>(drawing: &'b Drawing) -> impl Iterator<Item = (&'b Band, Rect)> {
    let plot = drawing.projection.plot;
    drawing.projection.bands.iter().filter_map(move |band| {
        let pool = drawing.frame.pools.get(band.pool.0 as usize)?;
        let grew = drawing.frame.settled && pool.end > pool.end_before;
        let y = |address: u64| drawing.projection.snap(band.y(address));
        let rect = Rect::between((plot.x, y(pool.end)), (plot.right(), y(pool.end_before)));
        grew.then_some((band, rect.cut(&plot)?))
    })
}
