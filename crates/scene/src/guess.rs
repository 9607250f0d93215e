//! The place that the reader chose for the next buffer, and after the answer the place that was
//! guessed.

use super::callouts::{Callout, callouts};
use super::drawing::Drawing;
use super::frame_marks;
use super::geometry::{Point, Rect};
use super::ink::{Color, Dash, Ink};
use super::lines;
use super::mark::{Anchor, Layer, Mark, Shape, Text};
use super::pointer;
use super::style::{Guess, GuessTone};
use memplan_core::base::Message;
use memplan_core::plan::PoolRole;

/// Font size of the words, in px.
const SIZE: f64 = 12.0;

/// A dashed box with a word on it: dashes distinguish a guess from a buffer, whatever the colours.
/// The word keeps clear of the numbers of the places, and where it can of the names, `labels`.
pub fn draw(drawing: &Drawing, guess: &Guess, labels: &[Mark], layer: &mut Layer) {
    let Some(buffer) = drawing.run.problem.buffers.get(guess.buffer) else { return };
    let Some(band) = drawing.projection.band(guess.place.pool).filter(|band| !band.is_folded) else { return };
    let plot = drawing.projection.plot;
    let Some(rect) = drawing.region(band, buffer.live, guess.place.offset, buffer.size).cut(&plot.inset(-1.0)) else {
        return;
    };
    let color = Color::Accent;
    layer.rect(rect, Ink::fill(color).alpha(0.14));
    layer.rect(rect, Ink::line(Color::Background, 4.0));
    layer.rect(rect, Ink::dashed(color, 2.0, Dash::Candidate));
    // The dashes would strike words out.
    pointer::again(labels, |letters| rect.edges(2.0).iter().any(|edge| edge.meets(letters)), layer);
    let name = drawing.run.label(guess.buffer).to_string();
    let is_storage = drawing.index.pools()[guess.place.pool.0 as usize].role == PoolRole::Storage;
    let words = match guess.tone {
        GuessTone::Stays if is_storage => drawing.say(&Message::new("guess.fits").text("name", name)),
        GuessTone::Grows if is_storage => drawing.say(&Message::new("guess.enlarged").text("name", name)),
        GuessTone::Stays => drawing.say(&Message::new("guess.stays").text("name", name)),
        GuessTone::Grows => drawing.say(&Message::new("guess.grows").text("name", name)),
        GuessTone::Right => drawing.word("guess.right"),
        GuessTone::Free => drawing.word("guess.free"),
        GuessTone::Taken => drawing.word("guess.taken"),
        GuessTone::Drops => {
            let end = guess.place.offset.saturating_add(buffer.size);
            drawing.say(&Message::new("guess.drops").span("span", guess.place.offset, end))
        }
    };
    // Where the whole sentence has no room, its beginning or its end is enough.
    let short = match guess.tone {
        GuessTone::Stays if is_storage => Some("predict.is-storage"),
        GuessTone::Grows if is_storage => Some("predict.is-enlarged"),
        GuessTone::Stays => Some("predict.is-no-growth"),
        GuessTone::Grows => Some("predict.is-growth"),
        GuessTone::Free | GuessTone::Taken => Some("guess.right"),
        GuessTone::Right | GuessTone::Drops => None,
    };
    let short = short.map(|key| drawing.word(key));
    let text =
        |words: String| drawing.words(words, rect.centre(), Anchor::Middle, SIZE).bold().halo(Color::Background, 4.0);
    let text = [Some(words), short].into_iter().flatten().map(text);
    let callouts = callouts(drawing);
    // Numbers on the edges of the box are read over them.
    let is_over = |callout: &&Callout| rect.edges(4.0).iter().any(|edge| callout.is_over(edge));
    callouts.iter().filter(is_over).for_each(|callout| frame_marks::reason(drawing, callout, layer));
    let numbers: Vec<Rect> = callouts
        .iter()
        .flat_map(|callout| [Some(callout.badge_box()), callout.chip.as_ref().map(|(chip, _)| *chip)])
        .flatten()
        .collect();
    let names = |mark: &Mark| if let Shape::Text(text) = &mark.shape { Some(lines::letters(text)) } else { None };
    let mut names: Vec<Rect> = labels.iter().filter_map(names).collect();
    // Words on the outline of another place would seem to be about that one.
    names.extend(callouts.iter().filter(|callout| callout.chosen).map(|callout| callout.rect));
    // On the row of another storage the words would seem to be about that one.
    let others = drawing.projection.bands.iter().filter(|other| is_storage && other.pool != guess.place.pool);
    let rows: Vec<(f64, f64)> = others.map(|other| other.edges()).collect();
    let is_home = |text: &Text| {
        let letters = lines::letters(text);
        !rows.iter().any(|&(upper, lower)| letters.y < lower && upper < letters.bottom())
    };
    let texts: Vec<Text> = text.collect();
    let boxes = boxes(drawing, guess);
    let is_clear = |text: &Text, of: &[Rect]| !of.iter().any(|other| other.meets(&lines::letters(text)));
    let marks = |text: &&Text| (!is_home(text), !is_clear(text, &numbers), !is_clear(text, &names));
    // On the box of another buffer the words would seem to be about that one.
    let beside = |text: &Text| {
        let near = spots(drawing, &rect, text);
        let alone = near.iter().filter(|text| is_home(text) && is_clear(text, &boxes));
        alone.min_by_key(marks).map(|text| (false, text.clone()))
    };
    let away = |text: &Text| {
        let is_out = |text: &&Text| !rect.inset(-2.0).meets(&lines::letters(text));
        let far = far(drawing, &rect, text);
        let alone = far.iter().filter(|text| is_clear(text, &boxes)).filter(is_out);
        alone.min_by_key(marks).map(|text| (true, text.clone()))
    };
    // Few words in its own row are about a storage; elsewhere more words may stand further away.
    let found = if is_storage {
        texts.iter().find_map(beside).or_else(|| texts.iter().find_map(away))
    } else {
        texts.iter().find_map(|text| beside(text).or_else(|| away(text)))
    };
    // A plan without a free spot.
    let anywhere = || {
        let near: Vec<Text> = texts.iter().flat_map(|text| spots(drawing, &rect, text)).collect();
        near.iter().find(|text| is_home(text)).or(near.first()).map(|text| (false, text.clone()))
    };
    let Some((led, text)) = found.or_else(anywhere) else { return };
    if led {
        let ends = leader(&rect, &lines::letters(&text));
        layer.line(ends[0], ends[1], Ink::line(Color::Background, 4.0));
        layer.line(ends[0], ends[1], Ink::line(color, 1.5));
    }
    lines::plate(&text, Color::Background, layer);
    layer.text(text, color);
}

/// How far the ground of the words stays from the box of another buffer, in px.
const APART: f64 = 3.0;

/// The boxes of all buffers but the one that is guessed, each with the distance that words keep.
fn boxes(drawing: &Drawing, guess: &Guess) -> Vec<Rect> {
    let others = drawing.frame.places.ids().filter(|&id| id != guess.buffer && !drawing.is_unseen(id));
    let seen = others.filter_map(|id| drawing.rect(id)?.cut(&drawing.projection.plot));
    seen.map(|rect| rect.inset(-APART)).collect()
}

/// Spots all over the panel and in the room above it, the nearest to the box first.
fn far(drawing: &Drawing, rect: &Rect, text: &Text) -> Vec<Text> {
    let plot = drawing.projection.plot;
    let (half, high) = (text.bounds().w / 2.0 + 4.0, lines::letters(text).h);
    let (from, to) = (plot.x + half, plot.right() - half);
    // The middle of words on the first line above the panel, if there is one.
    let upper = (plot.y - high).max(high / 2.0 + 1.0);
    let columns = ((to - from).max(0.0) / FAR.0) as u32;
    let rows = ((plot.bottom() - high / 2.0 - upper).max(0.0) / FAR.1) as u32;
    let at = |(column, row): (u32, u32)| (from + f64::from(column) * FAR.0, upper + f64::from(row) * FAR.1);
    let all = (0..=rows).flat_map(|row| (0..=columns).map(move |column| (column, row)));
    let mut found: Vec<Text> = all.map(|place| Text { at: at(place), ..text.clone() }).collect();
    let (x, y) = rect.centre();
    let away = |text: &Text| (text.at.0 - x).hypot(text.at.1 - y);
    found.sort_by(|a, b| away(a).total_cmp(&away(b)));
    found
}

/// Distances of spots all over the panel, in px.
const FAR: (f64, f64) = (12.0, 6.0);

/// The line from the edge of a box to words away from it.
fn leader(rect: &Rect, letters: &Rect) -> [Point; 2] {
    let nearest = |of: &Rect, to: Point| (to.0.clamp(of.x, of.right()), to.1.clamp(of.y, of.bottom()));
    let end = nearest(letters, rect.centre());
    [nearest(rect, end), end]
}

/// Where the words may stand, the best first: in the box if it is large enough for them, else above
/// it, below or beside it, always inside the panel.
fn spots(drawing: &Drawing, rect: &Rect, text: &Text) -> Vec<Text> {
    let plot = drawing.projection.plot;
    let half = text.bounds().w / 2.0 + 4.0;
    let line = drawing.style.words(SIZE) * 0.75;
    let (x, y) = rect.centre();
    let inside = [y + 0.5, rect.y + line, rect.bottom() - line].map(|y| (x, y));
    // Lines further away are clear of numbers next to a low box; the ends, of names above its
    // middle.
    let over = [1.0, 1.8, 2.6, 3.4, 4.2];
    let over = over.into_iter().flat_map(|lines| [rect.y - lines * line, rect.bottom() + lines * line]);
    let over = over.flat_map(|y| [x, rect.x - half, rect.right() + half].map(|x| (x, y)));
    let ends = [0.0, 0.3, -0.3, 0.6, -0.6, 0.9, -0.9, 1.2, -1.2]
        .into_iter()
        .flat_map(|lines| [rect.x - half, rect.right() + half].map(|x| (x, y + lines * line)));
    let corners = [rect.x + half, rect.right() - half].into_iter().flat_map(|x| inside.map(|(_, y)| (x, y)));
    // Words wider than the box would be cut by its edges.
    let (is_high, is_wide) = (rect.h >= 16.0, rect.w >= text.bounds().w);
    let inside: Vec<(f64, f64)> = inside.into_iter().chain(corners).filter(|_| is_high).collect();
    let on_panel = |(x, y): (f64, f64)| {
        // Words wider than the box stay on the panel.
        let x = x.clamp((plot.x + half).min(plot.right() - half), (plot.right() - half).max(plot.x + half));
        (plot.y..=plot.bottom()).contains(&y).then(|| Text { at: (x, y), ..text.clone() })
    };
    // Outside, the nearest to the box come first.
    let away = |text: &Text| {
        let bounds = text.bounds();
        let across = (rect.x - bounds.right()).max(bounds.x - rect.right()).max(0.0);
        across + (rect.y - bounds.bottom()).max(bounds.y - rect.bottom()).max(0.0)
    };
    // The edge of the panel may have moved words back over the box.
    let is_beside = |text: &Text| !rect.inset(-2.0).meets(&lines::letters(text));
    let mut outside: Vec<Text> = over.chain(ends).filter_map(on_panel).filter(is_beside).collect();
    outside.sort_by(|a, b| away(a).total_cmp(&away(b)));
    let mut spots: Vec<Text> = inside.into_iter().filter_map(on_panel).collect();
    let at = if is_wide { spots.len() } else { 0 };
    spots.splice(at..at, outside);
    spots
}
