//! Headers of pools, the lines of peak and bound, and the words beside them.

use std::collections::HashMap;

use super::axes;
use super::buffers::Visible;
use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Color, Dash, Ink};
use super::lines::{self, Lines};
use super::margins;
use super::mark::{Anchor, Layer, Shape, Text};
use super::projection::Band;
use super::style::Style;
use memplan_core::base::{Message, Term};
use memplan_core::plan::{PoolId, PoolRole};

/// Peak so far, final peak and lower bound of each pool.
pub fn levels(drawing: &Drawing, layer: &mut Layer) {
    let plot = drawing.projection.plot;
    for (y, ink) in level_lines(drawing) {
        layer.line((plot.x, y), (plot.right(), y), ink);
    }
}

/// The line of the peak that the finished plan has.
fn final_ink() -> Ink {
    Ink::dashed(Color::Peak, 1.0, Dash::Level)
}

/// Whether a level line is that of the finished plan.
pub fn is_final(ink: &Ink) -> bool {
    *ink == final_ink()
}

/// The visible level lines of all pools with their inks, the topmost last.
pub fn level_lines(drawing: &Drawing) -> Vec<(f64, Ink)> {
    let plot = drawing.projection.plot;
    let mut lines = Vec::new();
    for band in drawing.projection.bands.iter().filter(|band| !band.is_bare) {
        let facts = &drawing.index.pools()[band.pool.0 as usize];
        // The top of a storage block is its size, not a peak, and its largest buffer fills it.
        if facts.role == PoolRole::Storage {
            continue;
        }
        let end = drawing.end(band);
        let y = |address: u64| drawing.projection.snap(band.y(address));
        if facts.end > end && drawing.style.show_peak {
            lines.push((y(facts.end) + 0.5, final_ink()));
        }
        // In a plan at rest the end would be the peak, which is kept back or not yet explained.
        if end > 0 && (drawing.style.show_peak || drawing.frame.focus.is_some()) {
            lines.push((y(end), Ink::line(Color::Peak, 2.0)));
        }
        if drawing.style.has_bound() && facts.bound > 0 {
            // Just under the peak when the two are equal.
            let under = if facts.bound == end { if band.is_upright() { 2.0 } else { -2.0 } } else { 0.0 };
            lines.push((y(facts.bound) + under, Ink::dashed(Color::Bound, 2.0, Dash::Bound)));
        }
    }
    lines.retain(|(y, _)| *y > plot.y - 4.0 && *y < plot.bottom() + 4.0);
    lines
}

/// Name, device and what the pool may do; at the right end its peak and bound, if nothing of this
/// frame is there.
pub fn headers(drawing: &Drawing, lines: &Lines, taken: &[Rect], layer: &mut Layer) {
    let plot = drawing.projection.plot;
    let held = held_so_far(drawing);
    for band in &drawing.projection.bands {
        let Some(head) = band.head else { continue };
        let y = head_y(&head);
        if y < 6.0 || y > plot.bottom() - 4.0 {
            continue;
        }
        let facts = &drawing.index.pools()[band.pool.0 as usize];
        if drawing.style.turned {
            let name = drawing.say(&drawing.run.plan.pool_title(band.pool));
            // Beside one another there is room for the names alone, above the numbers.
            let (upper, lower) = band.edges();
            let at = (plot.x - 24.0 * drawing.style.text_scale, (upper.max(plot.y) + lower.min(plot.bottom())) / 2.0);
            layer.text(drawing.words(name, at, Anchor::Middle, 11.5), Color::Muted);
            continue;
        }
        if band.is_folded {
            line(drawing, band, head, &held, lines, layer);
            continue;
        }
        let name = name_text(drawing, band, head);
        let x = name.as_ref().map_or(plot.x, |name| name.bounds().right() + 10.0);
        name.into_iter().for_each(|name| lines.set(name, Color::Text, layer));
        let levels = level_words(drawing, band, &held);
        let is_free = |text: &Text| {
            let bounds = text.bounds();
            !text.words.is_empty() && bounds.x >= x && !taken.iter().any(|other| other.meets(&bounds))
        };
        // Where no name stands at the left end, that is the second choice.
        let ends = [(plot.right(), Anchor::End), (plot.x, Anchor::Start)];
        let text = |(at, anchor): (f64, Anchor), y: f64| drawing.words(levels.clone(), (at, y), anchor, 11.5);
        let between = (1..SLOTS).map(|slot| (plot.right() - f64::from(slot) * SLOT, Anchor::End));
        let places: Vec<(f64, Anchor)> = ends.into_iter().chain(between).collect();
        let found = match so_far_y(drawing, band) {
            // The words about the peak so far stand at its own line, above it or below: in the
            // header they would seem to be about another line.
            Some(own) => {
                let at_line = own.into_iter().flat_map(|y| places.iter().map(move |&end| text(end, y)));
                let mut at_line = at_line.filter(|text| plot.bottom() >= lines::letters(text).bottom());
                at_line.find(|text| is_free(text) && !lines.strike(text))
            }
            // Nothing else tells how many buffers a storage holds; its size stands beside it, too.
            None if facts.role == PoolRole::Storage => {
                let count = held.get(&band.pool).filter(|_| drawing.end(band) > 0);
                let count = count.map(|&n| drawing.say(&Message::new("stage.storage-count").count("n", n)));
                let short = count.map(|words| {
                    places.iter().map(move |&(x, anchor)| drawing.words(words.clone(), (x, y), anchor, 11.5))
                });
                places.iter().map(|&end| text(end, y)).chain(short.into_iter().flatten()).find(is_free)
            }
            None => ends.into_iter().map(|end| text(end, y)).find(is_free),
        };
        let right_x = found.as_ref().map_or(plot.right(), |text| text.bounds().x);
        if let Some(text) = found {
            lines.set(text.clone().halo(Color::Background, 4.0), Color::Muted, layer);
            cross_out_level(drawing, band, lines, text, layer);
        }
        let mut notes = Vec::new();
        // Several devices are told apart on a phone, too.
        if drawing.style.narrow && devices_differ(drawing) {
            notes.push(facts.device.clone());
        }
        notes.extend(own_scale(drawing, band));
        if !drawing.style.narrow {
            notes.push(facts.device.clone());
            notes.extend(role_word(facts.role).map(|key| drawing.word(key)));
            notes.extend(drawing.frame.provisional.then(|| drawing.word("stage.provisional")));
        }
        notes.retain(|note| !note.is_empty());
        while !notes.is_empty() {
            let text = drawing.words(notes.join(" · "), (x, y), Anchor::Start, 11.5);
            let bounds = text.bounds();
            if bounds.right() + 12.0 <= right_x && !taken.iter().any(|other| other.meets(&bounds)) {
                lines.set(text.halo(Color::Background, 4.0), Color::Muted, layer);
                break;
            }
            notes.pop();
        }
    }
}

/// Most places along its line that are tried for the words about the peak so far, and their
/// distance in px.
const SLOTS: u32 = 10;
const SLOT: f64 = 24.0;

/// How far above its line the header of a pool may stand, in px, so that the words about the line
/// stand in the header.
const NEAR: f64 = 24.0;

/// The middle of words above the line of the peak and below it, where the line of the final peak is
/// drawn above it, or the header is far from it.
fn so_far_y(drawing: &Drawing, band: &Band) -> Option<[f64; 2]> {
    let facts = &drawing.index.pools()[band.pool.0 as usize];
    let end = drawing.end(band);
    let is_lower = end < facts.end || band.y(end) - band.far_y() > NEAR;
    let is_only = drawing.index.pools().len() == 1 && end > 0;
    let is_drawn = is_only && is_lower && drawing.style.show_peak && facts.role != PoolRole::Storage;
    let away = 9.0 * drawing.style.text_scale;
    (is_drawn && band.is_upright()).then(|| [band.y(end) - away, band.y(end) + away])
}

/// Whether the pools are not all of one device.
fn devices_differ(drawing: &Drawing) -> bool {
    drawing.index.pools().windows(2).any(|pools| pools[0].device != pools[1].device)
}

/// That a band is drawn higher than the common scale says. By how much depends on the panel alone.
fn own_scale(drawing: &Drawing, band: &Band) -> Option<String> {
    (band.has_own_scale && band.stretch >= 1.05).then(|| drawing.word("stage.own-scale"))
}

/// The boxes of the names in the headers and above storage blocks, which nothing of the frame
/// covers.
pub fn name_boxes(drawing: &Drawing) -> Vec<Rect> {
    if drawing.style.turned {
        return Vec::new();
    }
    let plot = drawing.projection.plot;
    let visible = drawing.projection.bands.iter().filter_map(|band| Some((band, band.head?)));
    let visible = visible.filter(|(_, head)| head.bottom() > plot.y && head.y < plot.bottom());
    let held = held_so_far(drawing);
    let name = |(band, head): (&Band, Rect)| {
        let folded = || line_text(drawing, band, head, &held);
        let text = if band.is_folded { Some(folded()) } else { name_text(drawing, band, head) };
        text.map(|text| text.bounds())
    };
    visible.filter_map(name).chain(axes::storages_note(drawing).map(|note| note.bounds())).collect()
}

/// The middle of the line in a header.
fn head_y(head: &Rect) -> f64 {
    head.bottom() - 10.0 * head.h / 20.0
}

/// The name of a pool in its header; none where there is nothing to tell it from.
fn name_text(drawing: &Drawing, band: &Band, head: Rect) -> Option<Text> {
    if drawing.index.pools().len() == 1 {
        return None;
    }
    let name = drawing.say(&drawing.run.plan.pool_title(band.pool));
    let at = (drawing.projection.plot.x, head_y(&head));
    Some(drawing.words(name, at, Anchor::Start, 11.5).halo(Color::Background, 4.0))
}

/// All that is known of a folded pool in this frame.
fn line_text(drawing: &Drawing, band: &Band, head: Rect, held: &PoolCounts) -> Text {
    let pool = drawing.say(&drawing.run.plan.pool_title(band.pool));
    let (end, count) = (drawing.end(band), held.get(&band.pool).copied().unwrap_or(0));
    let words = if (end, count) == (0, 0) {
        Message::new("stage.folded-not-open").text("pool", pool)
    } else {
        Message::new("stage.folded").text("pool", pool).bytes("size", end).count("n", count)
    };
    let at = (drawing.projection.plot.x + 10.0 * drawing.style.text_scale, head_y(&head));
    drawing.words(drawing.say(&words), at, Anchor::Start, 11.5).halo(Color::Background, 4.0)
}

/// The header of a folded pool: a line that a click opens.
fn line(drawing: &Drawing, band: &Band, head: Rect, held: &PoolCounts, lines: &Lines, layer: &mut Layer) {
    let (x, y, scale) = (drawing.projection.plot.x, head_y(&head), drawing.style.text_scale);
    let placed_here = drawing.frame.focus.and_then(|focus| drawing.frame.places[focus]);
    let is_now = drawing.frame.settled && placed_here.is_some_and(|place| place.pool == band.pool);
    let color = if is_now { Color::Chosen } else { Color::Text };
    let arrow = [(0.0, -3.5), (5.0, 0.0), (0.0, 3.5)].map(|(dx, dy)| (x + 1.0 + dx * scale, y + dy * scale));
    layer.push(Shape::Polygon(arrow.to_vec()), Ink::fill(color));
    lines.set(line_text(drawing, band, head, held), color, layer);
}

fn role_word(role: PoolRole) -> Option<&'static str> {
    match role {
        PoolRole::Arena | PoolRole::Storage => None,
        PoolRole::Growing => Some("stage.role.growing"),
        PoolRole::Fixed => Some("stage.role.fixed"),
        PoolRole::Figure => Some("stage.role.figure"),
    }
}

/// Number of buffers that pools hold so far whose headers tell it.
type PoolCounts = HashMap<PoolId, u64>;

fn held_so_far(drawing: &Drawing) -> PoolCounts {
    let is_storage = |band: &Band| drawing.index.pools()[band.pool.0 as usize].role == PoolRole::Storage;
    let is_told = |band: &&Band| band.is_folded || is_storage(band);
    let mut held: PoolCounts = drawing.projection.bands.iter().filter(is_told).map(|band| (band.pool, 0)).collect();
    if held.is_empty() {
        return held;
    }
    for place in drawing.frame.places.iter().flatten() {
        held.entry(place.pool).and_modify(|count| *count += 1);
    }
    held
}

/// The sizes of low storage blocks whose names stand beside the plot: at an end of the row where
/// nothing else is.
pub fn slab_sizes(drawing: &Drawing, visible: &Visible, lines: &Lines, taken: &mut Vec<Rect>, layer: &mut Layer) {
    let (plot, named) = (drawing.projection.plot, drawing.projection.named_aside);
    let is_low = |band: &&Band| axes::is_slab(drawing, band) && !axes::has_size_aside(drawing, band);
    // What a storage grew by in this frame is told at the arrow.
    let grown: Vec<PoolId> = grown(drawing).map(|(band, _)| band.pool).collect();
    let bands = drawing.projection.bands.iter().filter(|band| named && !grown.contains(&band.pool));
    for band in bands.filter(is_low) {
        let end = drawing.end(band);
        let y = (band.y(end) + band.zero_y()) / 2.0;
        let words = drawing.style.speech.bytes(end);
        let text = |(x, anchor)| drawing.name(words.clone(), (x, y), anchor, margins::ASIDE);
        let is_free = |text: &Text| {
            let near = lines::letters(text).inset(-3.0);
            let is_over = visible.shown.iter().any(|shown| shown.rect.meets(&near));
            let is_crossed = lines.cross(text) || taken.iter().any(|other| other.meets(&near));
            plot.holds(&lines::letters(text)) && !is_over && !is_crossed
        };
        let ends = [(plot.right() - 3.0, Anchor::End), (plot.x + 4.0, Anchor::Start)];
        let Some(text) = ends.into_iter().map(text).find(is_free).filter(|_| end > 0) else { continue };
        taken.push(text.bounds());
        layer.text(text.halo(Color::Background, 3.0), Color::Muted);
    }
}

/// The words in the header of the only pool, at their first place.
pub fn header_words(drawing: &Drawing) -> Option<Text> {
    let [band] = drawing.projection.bands.as_slice() else { return None };
    let head = band.head.filter(|_| so_far_y(drawing, band).is_none())?;
    let words = level_words(drawing, band, &PoolCounts::default());
    let at = (drawing.projection.plot.right(), head_y(&head));
    (!words.is_empty()).then(|| drawing.words(words, at, Anchor::End, 11.5))
}

/// What stands at the right end of a header.
fn level_words(drawing: &Drawing, band: &Band, held: &PoolCounts) -> String {
    let facts = &drawing.index.pools()[band.pool.0 as usize];
    let end = drawing.end(band);
    if facts.role == PoolRole::Storage && end > 0 {
        let held = held.get(&band.pool).copied().unwrap_or(0);
        return drawing.say(&Message::new("stage.storage").bytes("size", end).count("n", held));
    }
    // What a lesson or an exercise keeps back is not shown here either.
    let Style { narrow, show_peak, show_bound, .. } = *drawing.style;
    // The only pool has the whole line, and no name.
    let is_only = drawing.index.pools().len() == 1;
    let is_over = drawing.run.peak_term(drawing.frame) == Term::Peak;
    let held = facts.held_at(drawing.frame.events);
    let key = match end {
        0 if held > 0 => return drawing.say(&Message::new("stage.held").bytes("size", held)),
        0 if is_only => return String::new(),
        0 => "stage.not-open",
        _ if !show_peak => return String::new(),
        _ if !is_over && (is_only || narrow || !show_bound) => "stage.peak-so-far",
        _ if !is_over => "stage.peak-so-far-and-bound",
        _ if !show_bound => "stage.peak",
        // On a phone the note about the scale needs the rest of the line.
        _ if facts.bound == end && (is_only || narrow) => "stage.peak-equals-bound",
        _ if facts.bound == end => "stage.peak-is-bound",
        _ if narrow && !is_only => "stage.peak",
        _ => "stage.peak-and-bound",
    };
    drawing.say(&Message::new(key).address("peak", end).address("bound", facts.bound))
}

/// The words at the line of the peak.
fn peak_key(drawing: &Drawing) -> &'static str {
    match drawing.run.peak_term(drawing.frame) {
        Term::Peak => "stage.peak",
        _ => "stage.peak-so-far",
    }
}

/// Words beside the lines of the only pool: peak, former peak, bound, load, moved apart where they
/// would touch.
pub fn margin(drawing: &Drawing, lines: &Lines, layer: &mut Layer) {
    let [band] = drawing.projection.bands.as_slice() else { return };
    // A storage block has neither load nor bound.
    if band.head.is_some() || drawing.projection.named_aside {
        return;
    }
    let plot = drawing.projection.plot;
    if drawing.frame.provisional {
        layer.text(provisional(drawing), Color::Muted);
    }
    if drawing.projection.words_inside {
        for (text, color) in over(drawing, band) {
            lines.set(text.clone(), color, layer);
            cross_out_peak(drawing, lines, &text, layer);
        }
        return;
    }
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
    if end > 0 && drawing.style.show_peak {
        note(peak_key(drawing), end, band.y(end), Color::Text);
    }
    if before > 0 && before < end && drawing.frame.settled && drawing.style.show_peak {
        note("stage.was", before, band.y(before), Color::Chosen);
    }
    if drawing.style.show_load {
        if facts.bound > 0 && drawing.style.show_bound {
            note("stage.bound", facts.bound, band.y(facts.bound), Color::Bound);
        }
        let (_, last) = drawing.projection.visible_steps(drawing.index);
        if facts.bound > 0 && last > 0 {
            note("stage.load", 0, band.y(facts.load.at(last - 1)), Color::Load);
        }
    }
    if let Some((peak, _)) = notes.first_mut().filter(|_| end > 0 && drawing.style.show_peak) {
        peak.bold = true;
    }
    spread(&mut notes);
    for (text, color) in notes {
        layer.text(text.clone().halo(Color::Background, 4.0), color);
        cross_out_peak(drawing, lines, &text, layer);
    }
}

/// Crosses out the peak in the header of a pool, if the plan breaks rules; the bound counts.
fn cross_out_level(drawing: &Drawing, band: &Band, lines: &Lines, text: Text, layer: &mut Layer) {
    let peak = drawing.say(&Message::new(peak_key(drawing)).address("peak", drawing.end(band)));
    if drawing.style.invalid && text.words.starts_with(&peak) {
        let at = (text.bounds().x, text.at.1);
        lines.cross_out(&Text { words: peak, at, anchor: Anchor::Start, ..text }, Color::Muted, layer);
    }
}

/// Crosses out the words at the peak of a plan that breaks rules; those alone are bold.
fn cross_out_peak(drawing: &Drawing, lines: &Lines, text: &Text, layer: &mut Layer) {
    if drawing.style.invalid && text.bold {
        lines.cross_out(text, Color::Text, layer);
    }
}

/// That a plan is not the last word, above its pool.
fn provisional(drawing: &Drawing) -> Text {
    // Near the top line it would seem to be about that line.
    let at = (drawing.projection.plot.x, (drawing.projection.plot.y - 13.0).max(8.0));
    let text = drawing.words(drawing.word("stage.provisional"), at, Anchor::Start, 11.0);
    // The line of a cursor may reach it.
    if drawing.projection.words_inside { text.halo(Color::Background, 4.0) } else { text }
}

/// How far above its line the middle of words over the plan stands, in px.
pub fn words_above(style: &Style) -> f64 {
    10.0 * style.text_scale
}

/// Words over the plan, above the lines of its only pool: the peak at the right, the bound at the
/// left.
fn over(drawing: &Drawing, band: &Band) -> Vec<(Text, Color)> {
    let plot = drawing.projection.plot;
    let (facts, end) = (&drawing.index.pools()[0], drawing.end(band));
    let above = words_above(drawing.style);
    let is_seen = |bytes: u64| bytes > 0 && band.y(bytes) > plot.y - 6.0 && band.y(bytes) < plot.bottom();
    let mut found: Vec<(Text, Color)> = Vec::new();
    if is_seen(end) && drawing.style.show_peak {
        // Close to the line of the final peak, the words stand below their own.
        let is_close = facts.end > end && band.is_upright() && band.y(end) - band.y(facts.end) < 2.0 * above;
        let at = (plot.right(), band.y(end) + if is_close { above } else { -above });
        let words = drawing.say(&Message::new(peak_key(drawing)).address("peak", end));
        found.push((drawing.words(words, at, Anchor::End, margins::WORDS).bold(), Color::Text));
    }
    if drawing.style.has_bound() && is_seen(facts.bound) {
        // Where the two are close, the words of both stand above both.
        let (bound, peak) = (band.y(facts.bound), band.y(end));
        let y = if (bound - peak).abs() < 2.0 * above { bound.min(peak) } else { bound };
        let words = drawing.say(&Message::new("stage.bound").address("bound", facts.bound));
        found.push((drawing.words(words, (plot.x + 4.0, y - above), Anchor::Start, margins::WORDS), Color::Bound));
    }
    let mut taken: Vec<Rect> = axes::storages_note(drawing).map(|note| note.bounds()).into_iter().collect();
    taken.extend(drawing.frame.provisional.then(|| provisional(drawing).bounds()));
    found.retain(|(text, _)| {
        let bounds = text.bounds();
        let is_free = bounds.y > 0.0 && !taken.iter().any(|other| other.meets(&bounds));
        taken.push(bounds);
        is_free
    });
    found.into_iter().map(|(text, color)| (text.halo(Color::Background, 4.0), color)).collect()
}

/// The boxes of the words over the plan, which nothing else covers.
pub fn over_boxes(drawing: &Drawing) -> Vec<Rect> {
    match drawing.projection.bands.as_slice() {
        [band] if drawing.projection.words_inside && band.head.is_none() => {
            over(drawing, band).into_iter().map(|(text, _)| text.bounds()).collect()
        }
        _ => Vec::new(),
    }
}

/// Moves words apart, the upper ones up by as much as the lower ones down.
fn spread(notes: &mut [(Text, Color)]) {
    notes.sort_by(|(a, _), (b, _)| a.at.1.total_cmp(&b.at.1));
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

/// How strong the tint of what was added is.
pub const GROWN: f64 = 0.75;

/// The part of a pool that this frame added, across the panel.
pub fn growth(drawing: &Drawing, layer: &mut Layer) {
    for (_, rect) in grown(drawing) {
        layer.rect(rect, Ink::fill(Color::ChosenSoft).alpha(GROWN));
    }
    let plot = drawing.projection.plot;
    for y in former(drawing) {
        layer.line((plot.x, y), (plot.right(), y), Ink::dashed(Color::Chosen, 1.0, Dash::Level));
    }
}

/// The y of the lines where pools that grew in this frame ended before.
pub fn former<'b>(drawing: &'b Drawing) -> impl Iterator<Item = f64> + 'b {
    let before = |band: &Band| drawing.frame.pools[band.pool.0 as usize].end_before;
    let grown = grown(drawing).filter(move |(band, _)| before(band) > 0);
    grown.map(move |(band, _)| drawing.projection.snap(band.y(before(band))) + 0.5)
}

/// Pools that grew in this frame, with the visible part of what was added. An arena that opens does
/// not grow.
pub fn grown<'b>(drawing: &'b Drawing) -> impl Iterator<Item = (&'b Band, Rect)> {
    let plot = drawing.projection.plot;
    drawing.projection.bands.iter().filter_map(move |band| {
        let pool = drawing.frame.pools.get(band.pool.0 as usize)?;
        let is_open = pool.end_before > 0 || pool.role == PoolRole::Storage;
        let grew = drawing.frame.settled && is_open && pool.end > pool.end_before;
        let y = |address: u64| drawing.projection.snap(band.y(address));
        let rect = Rect::between((plot.x, y(pool.end)), (plot.right(), y(pool.end_before)));
        grew.then_some((band, rect.cut(&plot)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Picture;
    use crate::{Index, View};
    use memplan_core::base::Sizes;
    use memplan_core::text::Speech;
    use memplan_replay::Level;

    #[test]
    fn what_is_kept_back_is_told_by_no_header() {
        let run = crate::tests::run(&[(1000, 0, 3, 0, 0), (600, 1, 4, 1, 0)]);
        let (size, index) = ((800.0, 600.0), Index::new(&run));
        let frame = run.frame(run.timeline.events_at(Level::All, u32::MAX));
        let shown = |show_peak: bool, show_bound: bool| {
            let speech = Speech { sizes: Sizes::Exact, ..Speech::default() };
            let style = Style { speech, show_peak, show_bound, ..Style::default() };
            let view = View::fit(&index, size, &style);
            let drawing = Drawing::new(Picture::new(&run, &index, &frame, &view, size, &style));
            level_words(&drawing, &drawing.projection.bands[0], &PoolCounts::default()).replace('\u{202f}', " ")
        };
        assert_eq!(shown(true, true), "peak 1 000 B = lower bound of this pool");
        assert_eq!((shown(true, false).as_str(), shown(false, false).as_str()), ("peak 1 000 B", ""));
    }
}
