//! Grid, numbers of both axes, and the lane of waiting buffers.

use super::drawing::Drawing;
use super::geometry::Rect;
use super::ink::{Color, Ink};
use super::label;
use super::margins::{ASIDE, OpNames, op_font};
use super::mark::{Anchor, Layer, Shape, Text};
use super::projection::Band;
use super::ticks;
use memplan_core::base::Unit;
use memplan_core::plan::PoolRole;

/// Share of the pitch that a tick keeps from the top of the arena.
const CLOSE: f64 = 0.3;

/// Lowest slab beside whose name a bracket can be told from a letter, in px.
const BRACKETED: f64 = 9.0;

/// Distance of the numbers of the y axis from the plot.
pub fn y_gap(drawing: &Drawing) -> f64 {
    if drawing.style.narrow { 5.0 } else { 8.0 }
}

/// Bytes between two ticks.
fn y_pitch(drawing: &Drawing) -> u64 {
    let apart = if drawing.style.narrow && !drawing.style.turned { 40.0 } else { 64.0 } * drawing.style.text_scale;
    ticks::byte_pitch(drawing.projection.per_byte(), apart)
}

/// The visible parts of pools that no buffer has used so far.
pub fn unused(drawing: &Drawing) -> Vec<Rect> {
    let plot = drawing.projection.plot;
    let rest = |band: &Band| {
        // Where what comes is kept back, an end may be out of sight.
        drawing.index.pools().get(band.pool.0 as usize).filter(|pool| drawing.end(band) < pool.extent)?;
        let (end, far) = (drawing.projection.snap(band.y(drawing.end(band))), drawing.projection.snap(band.far_y()));
        Rect::between((plot.x, end), (plot.right(), far)).cut(&plot)
    };
    drawing.projection.bands.iter().filter_map(rest).collect()
}

/// Grid lines and arenas' empty upper parts, within the plot.
pub fn grid(drawing: &Drawing, layer: &mut Layer) {
    let plot = drawing.projection.plot;
    unused(drawing).into_iter().for_each(|rest| layer.rect(rest, Ink::fill(Color::Sunk)));
    for band in drawing.projection.bands.iter().filter(|band| !band.is_bare) {
        for address in y_ticks(drawing, band) {
            let y = drawing.projection.snap(band.y(address)) + 0.5;
            if plot.y <= y && y <= plot.bottom() + 1.0 {
                layer.line((plot.x, y), (plot.right(), y), Ink::line(Color::Line, 1.0));
            }
        }
    }
}

/// Multiples of the pitch inside the band and the plot, but for those just below the top of the
/// arena.
fn y_ticks(drawing: &Drawing, band: &Band) -> Vec<u64> {
    let plot = drawing.projection.plot;
    // A storage block has no addresses to read.
    if band.has_own_scale || is_slab(drawing, band) {
        return Vec::new();
    }
    let pitch = y_pitch(drawing);
    let tops = [drawing.end(band), band.bytes];
    let (upper, lower) = band.edges();
    let cut = (upper.max(plot.y), lower.min(plot.bottom()));
    if cut.0 > cut.1 {
        return Vec::new();
    }
    let address = |y: f64| band.address(y).unwrap_or(if band.is_upright() == (y <= cut.0) { band.bytes } else { 0 });
    let (a, b) = (address(cut.0), address(cut.1));
    let (from, to) = (a.min(b), a.max(b));
    let first = from / pitch * pitch;
    let close = (pitch as f64 * CLOSE) as u64;
    let clear =
        |address: &u64| tops.iter().all(|top| address == top || *address == 0 || address.abs_diff(*top) >= close);
    // The height of the finished band is kept back with the peak; what lies below it is needed to
    // read loads.
    let kept_back = band.bytes.saturating_sub(1).max(drawing.end(band));
    let last = to.min(if drawing.style.show_peak { band.bytes } else { kept_back });
    // Not `step_by`: a pitch may be more than a 32-bit `usize` holds.
    let squeeze = drawing.style.squeeze.filter(|squeeze| squeeze.pool == band.pool);
    let is_to_scale = |address: &u64| !squeeze.is_some_and(|squeeze| squeeze.holds(*address));
    let levels = (0..).map(|number| first + number * pitch).take_while(|&address| address <= last);
    levels.filter(clear).filter(is_to_scale).collect()
}

/// Numbers beside the plot.
pub fn y_numbers(drawing: &Drawing, layer: &mut Layer) {
    let plot = drawing.projection.plot;
    let gap = y_gap(drawing);
    let largest = drawing.projection.bands.iter().map(|band| band.bytes).max().unwrap_or(0);
    let unit = ticks::axis_unit(drawing.style.speech.sizes, y_pitch(drawing), largest);
    let mut taken = Vec::new();
    y_unit(drawing, unit, layer, &mut taken);
    own_scales(drawing, layer, &mut taken);
    let has_addresses = |band: &&Band| !band.is_bare && !band.has_own_scale && !is_slab(drawing, band);
    for band in drawing.projection.bands.iter().filter(has_addresses) {
        let top = drawing.end(band);
        let mut number = |address: u64, strong: bool, apart: f64| {
            let y = band.y(address);
            if y < plot.y - 6.0 || y > plot.bottom() + 1.0 {
                return;
            }
            let (room, size) = (plot.x - gap, drawing.style.font(11.0));
            let is_end = address > 0 && (strong || address == band.bytes);
            let words = match is_end {
                true => ticks::end_figure(drawing.style.speech.sizes, unit, address, room, size),
                false => ticks::tick_figure(unit, address, room, size, strong),
            };
            let mut text = drawing.name(words, (plot.x - gap, y), Anchor::End, 11.0);
            text.bold = strong;
            let mut bounds = text.bounds();
            // Side by side, numbers need their width.
            bounds.h = if drawing.style.turned { bounds.w + 6.0 } else { apart };
            bounds.y = y - bounds.h / 2.0;
            if ticks::is_free(&taken, &bounds) {
                taken.push(bounds);
                layer.text(text, if strong { Color::Text } else { Color::Muted });
            }
        };
        let size = drawing.style.font(11.0);
        number(0, false, size);
        if top > 0 {
            number(top, true, size);
        }
        // The height of the finished band, then what lies between.
        if band.bytes != top && drawing.style.show_peak {
            number(band.bytes, false, size + 4.0);
        }
        for address in y_ticks(drawing, band) {
            number(address, false, size + 8.0);
        }
    }
    slab_sizes(drawing, layer, &mut taken);
}

/// A storage block has a size but no addresses.
pub fn is_slab(drawing: &Drawing, band: &Band) -> bool {
    drawing.index.pools()[band.pool.0 as usize].role == PoolRole::Storage
}

/// Bands with a scale of their own: their height in bytes with its unit, and a zigzag where the
/// axis breaks.
fn own_scales(drawing: &Drawing, layer: &mut Layer, taken: &mut Vec<Rect>) {
    let bands = &drawing.projection.bands;
    let plot = drawing.projection.plot;
    for (number, band) in bands.iter().enumerate() {
        // The neighbour whose band begins at the header of this one.
        let next =
            if band.is_upright() { bands.get(number + 1) } else { number.checked_sub(1).map(|below| &bands[below]) };
        let breaks = band.has_own_scale || next.is_some_and(|next| next.has_own_scale);
        if let Some(head) = band.head.filter(|_| breaks && next.is_some())
            && head.y >= plot.y
            && head.bottom() <= plot.bottom()
        {
            let (x, part) = (plot.x - 3.5, head.h / 4.0);
            let zigzag = [(x, 0.0), (x - 3.0, 1.0), (x + 3.0, 3.0), (x, 4.0)].map(|(x, y)| (x, head.y + y * part));
            layer.push(Shape::Polyline(zigzag.to_vec()), Ink::line(Color::Muted, 1.0));
        }
        if !band.has_own_scale || is_slab(drawing, band) {
            continue;
        }
        let is_end = drawing.end(band) == band.bytes;
        let room = plot.x - y_gap(drawing);
        // With its unit on one line, if need be in smaller letters and closer to the plot, or
        // rounded: its header has the exact peak, too.
        let exact = drawing.style.speech.sizes.words(band.bytes);
        let fits = |(size, end): &(f64, f64)| label::width(&exact, drawing.style.font(*size), true) <= *end;
        let least = (8.0, plot.x - 2.0);
        let ways = [(11.0, room), (10.0, room), (9.0, room), (9.0, least.1), least];
        let found = ways.into_iter().find(fits);
        let rounded = || ticks::size_words(band.bytes, least.1, drawing.style.font(least.0));
        let words = found.map_or_else(rounded, |_| exact.clone());
        let (size, end) = found.unwrap_or(least);
        for (words, size, at) in [(words.as_str(), size, (end, band.far_y())), ("0", 11.0, (room, band.zero_y()))] {
            let (is_figure, y) = (words != "0", at.1);
            let mut text = drawing.name(words.to_string(), at, Anchor::End, size);
            text.bold = is_figure && is_end;
            let mut bounds = text.bounds();
            (bounds.y, bounds.h) = (y - text.size / 2.0, text.size);
            if plot.y - 6.0 <= y && y <= plot.bottom() + 1.0 && ticks::is_free(taken, &bounds) {
                taken.push(bounds);
                layer.text(text, if is_figure { Color::Text } else { Color::Muted });
            }
        }
    }
}

/// Above storage blocks: that their order means nothing.
pub fn storages_note(drawing: &Drawing) -> Option<Text> {
    let plot = drawing.projection.plot;
    let has_slabs = drawing.projection.bands.iter().any(|band| is_slab(drawing, band));
    let at = (plot.x, plot.y - 12.5 * drawing.style.text_scale);
    let note = || drawing.words(drawing.word("stage.storages"), at, Anchor::Start, 11.0);
    (has_slabs && !drawing.style.narrow).then(note)
}

/// Each size of a storage block stands beside the middle of its slab, where there is room: a
/// bracket tells it from an address. Where names stand there too, they come first.
fn slab_sizes(drawing: &Drawing, layer: &mut Layer, taken: &mut Vec<Rect>) {
    if let Some(note) = storages_note(drawing) {
        layer.text(note, Color::Muted);
    }
    let named = drawing.projection.named_aside;
    let slabs = drawing.projection.bands.iter().filter(|band| is_slab(drawing, band));
    // A header has the size with its unit.
    for band in slabs.filter(|band| !band.has_own_scale) {
        let (upper, lower) = slab_edges(drawing, band);
        // A storage that is not there yet has no size, and one that grows has not its last.
        let now = drawing.end(band);
        if named {
            let has_size = has_size_aside(drawing, band);
            let y = (upper + lower) / 2.0;
            let name = slab_name(drawing, band, if has_size { y - drawing.style.font(6.0) } else { y });
            let is_seen = upper < lower
                && set_aside(name, taken, drawing, if now > 0 { Color::Text } else { Color::Muted }, layer);
            if is_seen && has_size {
                let at = (drawing.projection.plot.x - y_gap(drawing), y + drawing.style.font(6.0));
                let size = drawing.name(drawing.style.speech.bytes(now), at, Anchor::End, ASIDE);
                set_aside(size, taken, drawing, Color::Muted, layer);
            }
            if is_seen && lower - upper >= BRACKETED && now > 0 {
                bracket(drawing, (upper, lower), layer);
            }
            continue;
        }
        let size = drawing.style.font(11.0);
        if now == 0 || lower - upper < size {
            continue;
        }
        let at = (drawing.projection.plot.x - y_gap(drawing), (upper + lower) / 2.0);
        // Side by side, sizes have the width of their slabs.
        let room = if drawing.style.turned { lower - upper - 4.0 } else { at.0 };
        let words = ticks::size_words(now, room, size);
        if !words.is_empty()
            && set_aside(drawing.name(words, at, Anchor::End, 11.0), taken, drawing, Color::Muted, layer)
        {
            bracket(drawing, (upper, lower), layer);
        }
    }
}

/// The visible part of a slab, or of the room of one that is not there yet.
fn slab_edges(drawing: &Drawing, band: &Band) -> (f64, f64) {
    let (now, plot) = (drawing.end(band), drawing.projection.plot);
    let (end, zero) = (if now > 0 { band.y(now) } else { band.far_y() }, band.zero_y());
    (end.min(zero).max(plot.y), end.max(zero).min(plot.bottom()))
}

/// Whether the size of a storage block stands below its name beside the plot.
pub fn has_size_aside(drawing: &Drawing, band: &Band) -> bool {
    let (upper, lower) = slab_edges(drawing, band);
    drawing.end(band) > 0 && lower - upper >= 2.0 * drawing.style.font(12.0)
}

/// The name of a storage block beside the plot.
fn slab_name(drawing: &Drawing, band: &Band, y: f64) -> Text {
    let name = drawing.say(&drawing.run.plan.pool_title(band.pool));
    drawing.words(name, (drawing.projection.plot.x - y_gap(drawing), y), Anchor::End, ASIDE)
}

/// Sets words beside the plot unless others are in their way. Returns whether they stand there.
fn set_aside(text: Text, taken: &mut Vec<Rect>, drawing: &Drawing, color: Color, layer: &mut Layer) -> bool {
    let (size, mut bounds) = (text.size, text.bounds());
    let high = if drawing.style.turned { bounds.w } else { size };
    (bounds.y, bounds.h) = (text.at.1 - high / 2.0, high);
    let is_free = ticks::is_free(taken, &bounds);
    if is_free {
        taken.push(bounds);
        layer.text(text, color);
    }
    is_free
}

/// Marks the height of a slab beside the plot.
fn bracket(drawing: &Drawing, (upper, lower): (f64, f64), layer: &mut Layer) {
    let x = drawing.projection.plot.x - y_gap(drawing) / 2.0;
    let stop = |y: f64| ((x, y), (x + 2.0, y));
    let lines = vec![((x, upper + 1.0), (x, lower - 1.0)), stop(upper + 1.0), stop(lower - 1.0)];
    layer.push(Shape::Lines(lines), Ink::line(Color::Muted, 1.0));
}

/// The unit once, above the axis.
fn y_unit(drawing: &Drawing, unit: Unit, layer: &mut Layer, taken: &mut Vec<Rect>) {
    // Sizes beside their names have their units.
    let has_none = |band: &Band| drawing.projection.named_aside && is_slab(drawing, band);
    if drawing.projection.bands.iter().all(has_none) {
        return;
    }
    let plot = drawing.projection.plot;
    let upper = drawing.projection.bands.iter().map(|band| band.edges().0).fold(f64::INFINITY, f64::min);
    let y = (upper.max(plot.y) - 12.5 * drawing.style.text_scale).max(7.0);
    let text = drawing.name(unit.name().to_string(), (plot.x - y_gap(drawing), y), Anchor::End, 11.0);
    taken.push(text.bounds().inset(1.0));
    layer.text(text, Color::Muted);
}

/// Step numbers, and operations where there is room.
pub fn x_numbers(drawing: &Drawing, layer: &mut Layer) {
    let projection = &drawing.projection;
    let plot = projection.plot;
    let widest = label::width(&drawing.index.steps().to_string(), drawing.style.font(11.0), false);
    let apart = if drawing.style.narrow { 26.0 } else { 34.0_f64 }.max(widest + 10.0);
    let pitch = ticks::step_pitch(projection.per_step(), apart);
    let (from, to) = projection.visible_steps(drawing.index);
    let (y, below) = (plot.bottom(), 13.0 * drawing.style.text_scale);
    // With swapped axes the title stands above the numbers, not before them.
    let before = if drawing.style.turned { 20.0 * drawing.style.text_scale } else { y_gap(drawing) };
    let title = drawing.words(drawing.word("stage.step"), (plot.x - before, y + below), Anchor::End, 11.0);
    let title_end = title.bounds().right();
    layer.text(title, Color::Muted);
    for step in ticks::multiples(pitch, from, to) {
        let x = projection.step_to_x(step as f64);
        if x < plot.x - 0.5 || x > plot.right() + 0.5 {
            continue;
        }
        let tick = projection.snap(x) + 0.5;
        layer.line((tick, y + 1.0), (tick, y + 4.0), Ink::line(Color::Line2, 1.0));
        let words = step.to_string();
        let mut text =
            drawing.name(words, (x.min(projection.size.0 - widest / 2.0 - 1.0), y + below), Anchor::Middle, 11.0);
        let overlap = title_end + 4.0 - text.bounds().x;
        if overlap > 0.0 && overlap < 8.0 {
            text.at.0 += overlap;
        }
        if text.bounds().x >= title_end {
            layer.text(text, Color::Muted);
        }
    }
    match projection.op_names {
        OpNames::Absent => {}
        OpNames::Level => op_names(drawing, from, to, layer),
        OpNames::OnEnd => op_names_on_end(drawing, from, to, layer),
    }
}

fn op_names(drawing: &Drawing, from: u32, to: u32, layer: &mut Layer) {
    let (plot, size) = (drawing.projection.plot, op_font(drawing.style));
    for step in from..to {
        let Some(op) = drawing.index.op(step) else { continue };
        let x = drawing.projection.step_to_x(step as f64);
        let room = drawing.projection.per_step() - 4.0;
        let (left, right) = (x.max(plot.x), (x + drawing.projection.per_step()).min(plot.right()));
        let room = room.min(right - left);
        if let Some(words) = label::shortened(op, room, size, false) {
            let at = ((left + right) / 2.0, plot.bottom() + 27.0 * drawing.style.text_scale);
            layer.text(Text { size, ..drawing.name(words, at, Anchor::Middle, 11.0) }, Color::Muted);
        }
    }
}

/// Each name ends below the middle of its step.
fn op_names_on_end(drawing: &Drawing, from: u32, to: u32, layer: &mut Layer) {
    let (projection, size) = (&drawing.projection, op_font(drawing.style));
    let top = projection.plot.bottom() + 22.0 * drawing.style.text_scale;
    let room = projection.axis_x.bottom() - top - 2.0;
    for step in from..to {
        let x = projection.step_to_x(f64::from(step) + 0.5);
        let is_seen = projection.plot.x <= x - size / 2.0 && x + size / 2.0 <= projection.plot.right();
        let Some(op) = drawing.index.op(step).filter(|_| is_seen) else { continue };
        if let Some(words) = on_end(op, room, size) {
            let text = drawing.name(words, (x, top), Anchor::End, 11.0);
            layer.text(Text { size, on_end: true, ..text }, Color::Muted);
        }
    }
}

/// A name, or as much of its beginning as there is room for.
fn on_end(op: &str, room: f64, size: f64) -> Option<String> {
    let fits = |words: &String| label::width(words, size, false) <= room;
    let cut = |letters: usize| op.chars().take(letters).chain(['…']).collect::<String>();
    let letters = op.chars().count().min(40);
    std::iter::once(op.to_string()).chain((1..letters).rev().map(cut)).find(fits)
}
