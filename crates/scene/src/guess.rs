//! The place that the reader chose for the next buffer, and after the answer the place that was
//! guessed.

use super::drawing::Drawing;
use super::ink::{Color, Dash, Ink};
use super::label;
use super::mark::{Anchor, Layer};
use super::style::{Guess, GuessTone};
use memplan_core::base::Message;
use memplan_core::plan::PoolRole;

/// A dashed box with a word on it: dashes distinguish a guess from a buffer, whatever the colours.
pub fn draw(drawing: &Drawing, guess: &Guess, layer: &mut Layer) {
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
    let size = 12.0;
    let width = label::width(&words, drawing.style.words(size), true);
    let middle = rect.centre();
    // Words wider than the box stay on the panel, those higher than it stand above it.
    let half = width / 2.0 + 4.0;
    let x = middle.0.clamp((plot.x + half).min(plot.right() - half), (plot.right() - half).max(plot.x + half));
    let y = if rect.h >= 16.0 { middle.1 + 0.5 } else { rect.y - 9.0 };
    let text = drawing.words(words, (x, y), Anchor::Middle, size).bold();
    layer.text(text.halo(Color::Background, 4.0), color);
}
