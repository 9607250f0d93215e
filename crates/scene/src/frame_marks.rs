//! What happens in this frame: places looked at, what was in the way, the place taken, the place
//! not seen, growth.

use super::bands;
use super::callouts::{BADGE, BADGE_FONT, Callout};
use super::drawing::Drawing;
use super::gaps;
use super::geometry::{Point, Rect};
use super::ink::{Color, Dash, Ink, Part, Texture, Tone};
use super::label;
use super::lines::{self, Lines};
use super::mark::{Anchor, Layer, Shape, Text};
use super::names;
use memplan_core::base::Message;
use memplan_core::problem::BufferId;

/// How strong the tint of bytes is with which something is wrong: lines across would mean that they
/// are free.
pub const TINT: f64 = 0.3;

/// The life of this frame's buffer as a column through all bands.
pub fn column(drawing: &Drawing, layer: &mut Layer) {
    let Some((left, right)) = drawing.column() else { return };
    let plot = drawing.projection.plot;
    let upper = drawing.projection.bands.iter().map(|band| band.edges().0).fold(f64::INFINITY, f64::min);
    let lower = drawing.projection.bands.iter().map(|band| band.edges().1).fold(plot.y, f64::max);
    let column = Rect::between((left, upper.max(plot.y)), (right.max(left + 1.0), lower.min(plot.bottom())));
    let waits = drawing.frame.placed < drawing.run.timeline.decisions.len() as u32;
    let through_lane = drawing.projection.lane.filter(|_| waits).map(|lane| Rect { y: lane.y, h: lane.h, ..column });
    for rect in [Some(column), through_lane].into_iter().flatten() {
        if let Some(rect) = rect.cut(&Rect { y: 0.0, h: drawing.projection.size.1, ..plot }) {
            layer.rect(rect, Ink::fill(Color::AccentSoft));
        }
    }
}

/// The line of the step that a sweeping planner has reached.
pub fn sweep(drawing: &Drawing, layer: &mut Layer) {
    let Some(x) = sweep_x(drawing) else { return };
    let plot = drawing.projection.plot;
    // Below the header of a pool that stands where the line begins.
    let heads = drawing.projection.bands.iter().filter_map(|band| band.head).filter(|_| !drawing.style.turned);
    let under = heads.filter(|head| head.y < plot.y + 7.0 && plot.y < head.bottom());
    let tip = under.map(|head| head.bottom()).fold(plot.y, f64::max);
    layer.line((x, tip), (x, plot.bottom() + 4.0), Ink::line(Color::Accent, 1.0));
    let y = tip + 7.0;
    layer.push(Shape::Polygon(vec![(x - 4.0, tip), (x + 4.0, tip), (x, y)]), Ink::fill(Color::Accent));
}

/// Where the planner has got to, if that is in sight.
pub fn sweep_x(drawing: &Drawing) -> Option<f64> {
    // A frame at rest has no buffer to sweep to.
    let live = drawing.focus_live.filter(|_| drawing.style.sweeps && drawing.frame.focus.is_some())?;
    let plot = drawing.projection.plot;
    let x = drawing.projection.snap(drawing.projection.step_to_x(live.start as f64)) + 0.5;
    (plot.x..=plot.right()).contains(&x).then_some(x)
}

/// Buffers that refused a place for this one.
pub fn blockers(drawing: &Drawing, ids: &[BufferId], layer: &mut Layer) {
    for &id in ids {
        if let Some(rect) = drawing.rect(id).and_then(|rect| drawing.projection.cut(rect)) {
            // In a low box the name needs the room inside.
            let inside = if rect.w > 8.0 && rect.h > 22.0 { rect.inset(2.5) } else { rect.inset(0.5) };
            layer.push(Shape::Rect(inside), Ink::line(Color::Error, 2.0));
        }
    }
}

/// Bytes that two buffers hold at the same step.
pub fn collisions(drawing: &Drawing, layer: &mut Layer) {
    for &(a, b) in &drawing.run.collisions {
        let both = drawing.rect(a).zip(drawing.rect(b)).and_then(|(a, b)| a.cut(&b));
        if let Some(rect) = both.and_then(|rect| drawing.projection.cut(rect)) {
            layer.push(Shape::Rect(rect), Ink::fill(Color::Background).alpha(0.6));
            layer.push(Shape::Rect(rect), Ink::fill(Color::Error).alpha(TINT));
            layer.push(Shape::Rect(rect.inset(0.5)), Ink::line(Color::Error, 1.5));
        }
    }
}

/// Buffers that do not fit together into a capacity that was asked for.
pub fn conflict(drawing: &Drawing, layer: &mut Layer) {
    for &id in drawing.index.conflict() {
        if let Some(rect) = drawing.rect(id).and_then(|rect| drawing.projection.cut(rect)) {
            layer.push(Shape::Rect(rect), Ink::fill(Color::Error).alpha(TINT));
            layer.push(Shape::Rect(rect.inset(0.5)), Ink::line(Color::Error, 1.5));
        }
    }
}

/// Buffers that a list beside the plan points out.
pub fn outlined(drawing: &Drawing, layer: &mut Layer) {
    // They may be of the run before.
    let known = |id: &&BufferId| drawing.frame.places.get(**id).is_some();
    let seen = |&id: &BufferId| drawing.rect(id).and_then(|rect| drawing.projection.cut(rect));
    for rect in drawing.index.outlined().iter().filter(known).filter_map(seen) {
        layer.push(Shape::Rect(rect.inset(1.0)), Ink::line(Color::Accent, 2.5));
    }
}

/// Outlines, then numbers and reasons over them; a place without a reason says how large it is.
pub fn candidates(drawing: &Drawing, callouts: &[Callout], lines: &Lines, taken: &mut Vec<Rect>, layer: &mut Layer) {
    for callout in callouts.iter().filter(|callout| !callout.chosen) {
        let Some(rect) = drawing.projection.cut(callout.rect) else { continue };
        let outline = sides(drawing, &callout.rect, &rect.inset(0.5));
        layer.push(outline.clone(), Ink::line(Color::Background, 3.5));
        layer.push(outline, Ink::dashed(Color::Text, 1.25, Dash::Candidate));
    }
    let chosen = callouts.iter().filter(|callout| callout.chosen);
    for rect in chosen.filter_map(|callout| drawing.projection.cut(callout.rect)) {
        outline(&rect, layer);
    }
    if let Some(rect) = given(drawing) {
        outline(&rect, layer);
    }
    for callout in callouts {
        reason(drawing, callout, layer);
        let room = callout.room.filter(|_| callout.chip.is_none() && !drawing.style.turned);
        if let Some((room, seen)) = room.zip(callout.rect.cut(&drawing.projection.plot)) {
            gaps::inside(drawing, &drawing.style.speech.bytes(room), &seen.inset(2.0), (lines, taken), layer);
        }
    }
}

/// The outline of a place as far as it is seen; open above where the place goes on beyond the
/// panel.
fn sides(drawing: &Drawing, place: &Rect, seen: &Rect) -> Shape {
    if place.y >= drawing.projection.plot.y - 1.0 {
        return Shape::Rect(*seen);
    }
    let corners = [(seen.x, seen.y), (seen.x, seen.bottom()), (seen.right(), seen.bottom()), (seen.right(), seen.y)];
    Shape::Polyline(corners.to_vec())
}

/// Whether a buffer has the outline of the place taken.
pub fn is_outlined(drawing: &Drawing, id: BufferId) -> bool {
    let is_placed = drawing.frame.settled && drawing.frame.focus == Some(id);
    is_placed && (drawing.frame.chosen().is_some() || given(drawing).is_some())
}

/// The place of this frame's buffer where no other was looked at: in a plan that was opened, or by
/// a planner without a choice.
pub fn given(drawing: &Drawing) -> Option<Rect> {
    let is_given = drawing.frame.settled && (drawing.frame.chosen().is_none() || drawing.style.notes);
    let given = drawing.frame.focus.filter(|_| is_given);
    given.and_then(|id| drawing.rect(id)).and_then(|rect| drawing.projection.cut(rect))
}

/// The reason and the number of a place.
pub fn reason(drawing: &Drawing, callout: &Callout, layer: &mut Layer) {
    if let Some((rect, words)) = &callout.chip {
        layer.push(Shape::Round(*rect, 2.0), Ink::fill(Color::Background));
        layer.push(Shape::Round(rect.inset(0.5), 2.0), Ink::line(Color::Reject, 1.0));
        let at = (rect.x + 6.0, rect.centre().1 + 0.5);
        layer.text(drawing.words(words.clone(), at, Anchor::Start, 11.5), Color::Text);
    }
    badge(callout, layer);
}

/// Width and height of the smallest box that holds the name of its buffer beside the outline of a
/// chosen place.
const NAMED: (f64, f64) = (20.0, 18.0);

/// The name of this frame's buffer: inside its box, or where this is too small or a line across
/// the panel would run through the name, on a tag or next to the box at the end of a line. The
/// sentences about the frame name it. Later names keep clear of it.
pub fn name(drawing: &Drawing, (callouts, lines): (&[Callout], &Lines), taken: &mut Vec<Rect>, layer: &mut Layer) {
    let plot = drawing.projection.plot;
    let focus = drawing.frame.focus.filter(|_| drawing.frame.settled && !drawing.style.turned);
    let Some(id) = focus.filter(|&id| !drawing.is_unseen(id)) else { return };
    let chosen = callouts.iter().find(|callout| callout.chosen);
    let inside = |struck: bool| chosen.and_then(|chosen| name_inside(drawing, (chosen, callouts), lines, struck));
    if let Some(name) = inside(false) {
        return set_inside(drawing, name, lines, layer);
    }
    let Some(seen) = drawing.rect(id).and_then(|rect| rect.cut(&plot)) else { return };
    let scale = drawing.style.text_scale;
    let struck = inside(true);
    let (width, height) = match (drawing.frame.chosen(), given(drawing)) {
        (Some(_), _) => NAMED,
        // Names inside keep clear of the outline.
        (None, Some(_)) => (names::WHOLE.0, names::WHOLE.1 + 9.0),
        (None, None) => names::WHOLE,
    };
    if struck.is_none() && seen.w >= width * scale && seen.h >= height * scale {
        return;
    }
    let number = chosen.map(Callout::badge_box);
    taken.extend(number);
    if seen.h < height * scale && names::tag(drawing, id, &seen.inset(1.5), (lines, true), taken, layer) {
        // Once is enough.
        taken.push(seen);
        return;
    }
    let Some(words) = label::shortened(drawing.run.label(id), 0.4 * plot.w, drawing.style.font(12.0), true) else {
        return;
    };
    let (x, y) = seen.centre();
    let (away, up) = (18.0 * scale, 20.0 * scale);
    // Near the edge of the panel there may be room for the words alone.
    let near = 11.0 * scale;
    let places = [
        ((x, seen.y), (x, seen.y - up), Anchor::Middle),
        ((x, seen.y), (x, seen.y - near), Anchor::Middle),
        ((seen.right(), y), (seen.right() + away, y), Anchor::Start),
        ((seen.x, y), (seen.x - away, y), Anchor::End),
        ((x, seen.bottom()), (x, seen.bottom() + up), Anchor::Middle),
    ];
    let texts = places.map(|(from, at, anchor)| (from, drawing.name(words.clone(), at, anchor, 12.0).bold()));
    let is_free = |(_, text): &(Point, Text)| {
        let bounds = text.bounds();
        let is_met = |callout: &Callout| callout.badge_box().meets(&bounds);
        // Above the plot there is room, too.
        let is_on_panel = Rect { y: 0.0, h: plot.bottom(), ..plot }.holds(&lines::letters(text));
        // Inside a place that was refused, the name would seem to be taken by that one.
        let is_inside = |callout: &Callout| !callout.chosen && callout.rect.meets(&lines::letters(text));
        let is_free = !callouts.iter().any(|callout| is_met(callout) || is_inside(callout));
        is_on_panel && is_free && !taken.iter().any(|other| other.meets(&bounds))
    };
    let is_led = |(from, text): &(Point, Text)| {
        let line = Rect::between(*from, text.at).inset(-1.5);
        !callouts.iter().any(|callout| callout.badge_box().meets(&line))
    };
    // On another box the name would seem to be that of the other one.
    let others = names::others(drawing, id);
    let is_on_ground = |(_, text): &(Point, Text)| !others.iter().any(|other| other.meets(&lines::letters(text)));
    let free = texts.into_iter().filter(is_free).filter(is_led);
    let (mut free, over): (Vec<(Point, Text)>, Vec<_>) = free.partition(is_on_ground);
    if free.is_empty() && seen.h < height * scale {
        // On a tag inside its own outline.
        let is_own = |other: &&Rect| chosen.is_none_or(|chosen| !own_marks(chosen).contains(other));
        let mut others: Vec<Rect> = taken.iter().filter(is_own).copied().collect();
        let is_set = names::tag(drawing, id, &seen.inset(1.5), (lines, true), &mut others, layer);
        if is_set {
            taken.extend(others.last());
            return;
        }
    }
    free.extend(over);
    let clear = free.iter().position(|(_, text)| !lines.cross(text));
    let clear = clear.or_else(|| free.iter().position(|(_, text)| !lines.strike(text)));
    if let Some(name) = struck.filter(|_| clear.is_none()) {
        return set_inside(drawing, name, lines, layer);
    }
    if let Some((from, text)) = free.into_iter().nth(clear.unwrap_or(0)) {
        taken.push(text.bounds());
        layer.line(from, text.at, Ink::line(Color::Background, 3.0));
        layer.line(from, text.at, Ink::line(Color::Chosen, 1.0));
        // Boxes that it lies on have edges and patterns.
        lines::plate(&text, Color::Background, layer);
        layer.text(text.halo(Color::Background, 4.0), Color::Text);
    }
}

/// The outline and the sides of a place, of which other words keep clear.
pub fn own_marks(callout: &Callout) -> [Rect; 3] {
    let Rect { y, h, .. } = callout.rect;
    let [left, right] = [callout.rect.x, callout.rect.right()].map(|x| Rect::new(x - 3.5, y, 7.0, h));
    [left, right, callout.rect.inset(-3.5)]
}

fn outline(rect: &Rect, layer: &mut Layer) {
    layer.push(Shape::Rect(rect.inset(-0.5)), Ink::line(Color::Background, 5.0));
    layer.push(Shape::Rect(rect.inset(-0.5)), Ink::line(Color::Chosen, 3.0));
}

/// The name of this frame's buffer inside the chosen place, where neither a number of `others` nor
/// a line across the panel is in its way; `struck`: where no number is.
fn name_inside(
    drawing: &Drawing,
    (callout, others): (&Callout, &[Callout]),
    lines: &Lines,
    struck: bool,
) -> Option<Text> {
    let focus = drawing.frame.focus.filter(|_| drawing.frame.settled && !drawing.style.turned)?;
    let rect = drawing.projection.cut(callout.rect)?;
    // A search may have moved the buffer away again.
    let is_same = |own: Rect| (own.y - callout.rect.y).abs() < 1.5 && (own.x - callout.rect.x).abs() < 1.5;
    drawing.rect(focus).filter(|own| is_same(*own))?;
    let seen = rect.cut(&drawing.projection.plot).filter(|seen| seen.h >= NAMED.1 && seen.w >= NAMED.0)?;
    let buffer = &drawing.run.problem.buffers[focus];
    let with_size = format!("{}\u{2002}{}", drawing.run.label(focus), drawing.style.speech.bytes(buffer.size));
    let room = seen.w - 8.0;
    let words = [with_size, drawing.run.label(focus).to_string()]
        .into_iter()
        .find(|words| label::width(words, drawing.style.font(12.0), true) <= room);
    let words = words.or_else(|| label::shortened(drawing.run.label(focus), room, drawing.style.font(12.0), true))?;
    let fill = Color::Buffer(Part::Fill, drawing.class(focus), Tone::Full);
    let (x, y) = seen.centre();
    let name = drawing.name(words, (x, y), Anchor::Middle, 12.0).bold().halo(fill, 3.0);
    let middle = if rect.contains(callout.badge) { callout.badge.1 + 18.0 } else { y };
    let is_free = |text: &Text| {
        // Letters keep clear of the outline.
        let is_inside = text.at.1 - 9.5 >= seen.y && text.at.1 + 8.5 <= seen.bottom();
        let letters = lines::letters(text);
        is_inside && !others.iter().any(|other| letters.meets(&other.badge_box()))
    };
    let heights = [middle, y + 0.25 * seen.h, y - 0.25 * seen.h];
    let mut ways = heights.map(|y| Text { at: (x, y + 0.5), ..name.clone() }).into_iter().filter(is_free);
    if struck { ways.next() } else { ways.find(|text| !lines.strike(text)) }
}

/// Sets the name of this frame's buffer inside its box.
fn set_inside(drawing: &Drawing, name: Text, lines: &Lines, layer: &mut Layer) {
    let Some(focus) = drawing.frame.focus else { return };
    if let Some((fill, _)) = name.halo.filter(|_| drawing.class(focus).texture() != Texture::Solid) {
        lines.plate(&name, fill, layer);
    }
    lines.set(name, Color::Buffer(Part::Label, drawing.class(focus), Tone::Full), layer);
}

fn badge(callout: &Callout, layer: &mut Layer) {
    let (fill, text) =
        if callout.chosen { (Color::Chosen, Color::Background) } else { (Color::Background, Color::Text) };
    let disc = callout.badge_box();
    layer.push(Shape::Round(disc, BADGE), Ink::fill(fill));
    if !callout.chosen {
        layer.push(Shape::Round(disc, BADGE), Ink::line(Color::Reject, 1.0));
    }
    let at = (callout.badge.0, callout.badge.1 + 0.5);
    let words = callout.number.to_string();
    let number = Text { at, anchor: Anchor::Middle, size: BADGE_FONT, bold: true, words, halo: None, on_end: false };
    layer.text(number, text);
}

/// A free legal place below the chosen one.
pub fn missed(drawing: &Drawing, lines: &Lines, taken: &mut Vec<Rect>, layer: &mut Layer) {
    let (Some(rect), false) = (missed_rect(drawing), drawing.style.narrow) else { return };
    let outline = Rect::new(rect.x + 4.0, rect.y + 0.5, rect.w - 8.0, rect.h - 1.0);
    if outline.w < 2.0 || outline.h < 2.0 {
        return;
    }
    layer.push(Shape::Rect(outline), Ink::line(Color::Background, 2.5).alpha(0.7));
    layer.push(Shape::Rect(outline), Ink::dashed(Color::Text, 1.25, Dash::Missed));
    let name = drawing.frame.focus.map(|focus| drawing.run.label(focus).to_string()).unwrap_or_default();
    let whole = drawing.say(&Message::new("stage.would-fit-here").text("name", name));
    let placed = drawing.frame.focus.and_then(|focus| drawing.rect(focus));
    let is_free = |text: &Text| {
        let bounds = text.bounds();
        let is_over = taken.iter().chain(&placed).any(|other| other.inset(-2.0).meets(&bounds));
        drawing.projection.plot.holds(&bounds) && !is_over
    };
    let ((x, y), size) = (outline.centre(), 11.5);
    let fits = |text: &Text| text.bounds().w <= outline.w + 4.0 && lines::letters(text).h <= outline.h;
    // In the middle, else clear of a number that stands there.
    let away = drawing.style.words(size);
    let heights = [0.0, 1.5, -1.5, 2.5, -2.5].map(|lines| y + lines * away);
    let heights =
        heights.into_iter().filter(|y| *y == outline.centre().1 || outline.inset(0.5 * away).contains((x, *y)));
    let inside = |words: &String| {
        let text = drawing.words(words.clone(), (x, y), Anchor::Middle, size).halo(Color::AccentSoft, 4.0);
        heights.clone().map(|y| Text { at: (x, y), ..text.clone() }).find(|text| fits(text) && is_free(text))
    };
    let beside = |words: &String| {
        let ends = [(rect.x - 8.0, Anchor::End), (rect.right() + 8.0, Anchor::Start)];
        let text = |(x, anchor)| drawing.words(words.clone(), (x, y), anchor, size).halo(Color::Background, 4.0);
        ends.map(text).into_iter().find(is_free)
    };
    let words = [whole, drawing.word("stage.would-fit")];
    if let Some(inside) = words.iter().find_map(inside) {
        taken.push(inside.bounds());
        lines.set(inside, Color::Text, layer);
    } else if let Some(beside) = words.iter().find_map(beside) {
        taken.push(beside.bounds());
        lines::plate(&beside, Color::Background, layer);
        layer.text(beside, Color::Text);
    }
}

/// Where the missed place lies.
pub fn missed_rect(drawing: &Drawing) -> Option<Rect> {
    let missed = drawing.frame.missed?;
    let (focus, live) = (drawing.frame.focus?, drawing.focus_live?);
    let band = drawing.projection.band(missed.pool)?;
    let rect = drawing.region(band, live, missed.offset, drawing.run.problem.buffers[focus].size);
    drawing.projection.cut(rect)
}

/// Places at each end of the panel that are tried for the arrow of a growth.
const ARROWS: u32 = 6;

/// Whether words stand inside the panel from left to right.
fn plot_holds(plot: &Rect, text: &Text) -> bool {
    let bounds = text.bounds();
    plot.x <= bounds.x && bounds.right() <= plot.right()
}

/// Parts of the height of what was added, from its middle, at which its words may stand.
const HEIGHTS: [f64; 5] = [0.0, 0.25, -0.25, 0.36, -0.36];

/// By how much a pool grew, with an arrow at its right edge; and the bytes skipped for alignment.
pub fn growth(drawing: &Drawing, lines: &Lines, taken: &mut Vec<Rect>, layer: &mut Layer) {
    let plot = drawing.projection.plot;
    for (band, rect) in bands::grown(drawing) {
        skipped(drawing, band, layer);
        let pool = &drawing.frame.pools[band.pool.0 as usize];
        let added = drawing.style.speech.bytes(pool.end - pool.end_before);
        let upright = band.is_upright();
        let (from, to) = if upright { (rect.bottom(), rect.y) } else { (rect.y, rect.bottom()) };
        let up = (to - from).signum();
        let words = drawing.say(&Message::new("stage.grown").text("bytes", added));
        let text = |x: f64, y: f64, anchor: Anchor| {
            drawing.words(words.clone(), (x, y), anchor, 12.0).bold().halo(Color::Background, 4.0)
        };
        // Words higher than what was added, or through which a line across the panel would run,
        // stand beyond the new end, clear of its line.
        let middle = rect.centre().1;
        let heights = HEIGHTS.map(|part| middle + part * rect.h).into_iter().filter(|_| rect.h >= 16.0);
        let heights = heights.filter(|&y| {
            let letters = lines::letters(&text(plot.x, y, Anchor::Start));
            letters.y >= rect.y && letters.bottom() <= rect.bottom()
        });
        let is_struck = |y: f64| lines.strike(&text(plot.x, y, Anchor::Start));
        let clear = heights.clone().filter(|&y| !is_struck(y)).map(|y| (y, true));
        let least = drawing.style.words(12.0) * 0.6;
        let beyond = [((to + 10.0 * up).max(least), false)];
        let struck = heights.clone().take(1).map(|y| (y, true));
        let spots = clear.chain(beyond).chain(struck);
        let is_free = |bounds: &Rect| !taken.iter().any(|other| other.meets(bounds));
        // Not through the name of the buffer that made the pool grow.
        let placed = drawing.frame.focus.and_then(|focus| drawing.rect(focus));
        let is_clear = |arrow: &Rect| is_free(arrow) && !placed.is_some_and(|placed| placed.meets(arrow));
        // The words stand beside their arrow, near the right end or the left one.
        let ends = [(plot.right(), -1.0, Anchor::End), (plot.x, 1.0, Anchor::Start)];
        let fits = |(x, text): &(f64, Text)| {
            is_clear(&Rect::new(x - 5.0, rect.y, 10.0, rect.h)) && is_free(&text.bounds()) && plot_holds(&plot, text)
        };
        let led = |y: f64| {
            let along = ends.into_iter().flat_map(|(end, side, anchor)| {
                (0..ARROWS).map(move |number| (end + side * (26.0 + 20.0 * f64::from(number)), side, anchor))
            });
            along.map(|(x, side, anchor)| (x, text(x + 10.0 * side, y, anchor))).find(fits)
        };
        let alone = |y: f64| {
            let mut texts = ends.map(|(end, side, anchor)| text(end + 6.0 * side, y, anchor)).into_iter();
            texts.find(|text| is_free(&text.bounds()))
        };
        let found = spots.map(|(y, is_inside)| match led(y).filter(|_| is_inside) {
            Some((x, text)) => Some((text, Some(x), is_inside)),
            None => Some((alone(y)?, None, is_inside)),
        });
        let Some((text, arrow, is_inside)) = found.flatten().next() else { continue };
        if let Some(x) = arrow {
            let home = Rect::new(x - 5.0, rect.y, 10.0, rect.h);
            taken.push(home);
            // Lines across the panel make way for the arrow.
            for y in lines.levels_in(&home.inset(4.0)) {
                let gap = Rect::new(home.x, y - 2.0, home.w, 4.0);
                layer.rect(gap, Ink::fill(Color::Background));
                layer.rect(gap, Ink::fill(Color::ChosenSoft).alpha(bands::GROWN));
            }
            layer.line((x, from), (x, to - 8.0 * up), Ink::line(Color::Chosen, 1.5));
            let tip = vec![(x, to - 2.0 * up), (x - 4.0, to - 9.0 * up), (x + 4.0, to - 9.0 * up)];
            layer.push(Shape::Polygon(tip), Ink::fill(Color::Chosen));
        } else if !is_inside {
            // A line leads from the words to the bytes that were added.
            let ((x, y), to) = (text.bounds().centre(), middle);
            layer.line((x, y), (x, to), Ink::line(Color::Background, 3.0));
            layer.line((x, y), (x, to), Ink::line(Color::Chosen, 1.0));
            lines::plate(&text, Color::Background, layer);
        }
        taken.push(text.bounds());
        // The line of the end before, which is drawn below. Words at the top of the panel cannot
        // keep clear of it.
        let (before, letters) =
            (drawing.projection.snap(band.y(pool.end_before)) + 0.5, lines::letters(&text).inset(-1.0));
        if letters.y < before && before < letters.bottom() {
            lines::plate(&text, Color::Background, layer);
            layer.text(text, Color::Chosen);
        } else {
            lines.set(text, Color::Chosen, layer);
        }
    }
}

fn skipped(drawing: &Drawing, band: &super::projection::Band, layer: &mut Layer) {
    let Some((focus, live)) = drawing.frame.focus.zip(drawing.focus_live) else { return };
    let Some(place) = drawing.frame.places[focus].filter(|place| place.pool == band.pool) else { return };
    let before = drawing.frame.pools[band.pool.0 as usize].end_before;
    if place.offset > before {
        // In the same decision other buffers may have moved there.
        let free = gaps::within(drawing, band, live, (before, place.offset));
        for rect in free.into_iter().filter_map(|rect| drawing.projection.cut(rect)) {
            layer.rect(rect, Ink::texture(Color::Hatch, Texture::Gap));
        }
    }
}
