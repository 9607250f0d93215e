//! Frames as pictures in two widths, cut into lines, with Why in words.

use std::collections::HashMap;

use maud::{Markup, html};
use memplan_core::base::Message;
use memplan_core::text::Speech;
use memplan_replay::{Frame, Level, Run, Why, why};
use memplan_scene::paint::Theme;
use memplan_scene::paint::svg::{harmless, to_svg};
use memplan_scene::{Index, Marks, Picture, Size, Style, View, stage};
use serde_json::{Value, json};

use super::themes::Colors;

/// The picture beside Why, and the one on a phone.
const WIDE: Size = (640.0, 470.0);
const NARROW: Size = (360.0, 400.0);

/// Most buffers whose waiting is drawn: of more, only thin bars would fit, all of which move with
/// every frame.
const MOST_WAITING: usize = 80;

/// Most places looked at that are told of a frame.
const MOST_ROWS: usize = 8;

/// Lines that pictures are made of, each kept once.
#[derive(Default)]
pub struct Lines {
    pub all: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Lines {
    fn numbers_of(&mut self, text: &str) -> Vec<usize> {
        let mut number = |line: &str| {
            if let Some(&known) = self.numbers.get(line) {
                return known;
            }
            self.all.push(line.to_string());
            self.numbers.insert(line.to_string(), self.all.len() - 1);
            self.all.len() - 1
        };
        text.lines().map(&mut number).collect()
    }
}

/// A frame as it stands in the file.
pub struct Shown {
    pub wide: String,
    pub narrow: String,
    pub why: String,
}

pub struct Frames<'a> {
    run: &'a Run,
    index: Index,
    speech: Speech,
    title: String,
    /// Whether there are pictures for phones.
    has_narrow: bool,
    pub lines: Lines,
    pub colors: Colors,
    kept: HashMap<u32, Shown>,
}

impl<'a> Frames<'a> {
    pub fn new(run: &'a Run, speech: Speech, title: String, has_narrow: bool) -> Frames<'a> {
        Frames {
            run,
            index: Index::new(run),
            speech,
            title,
            has_narrow,
            lines: Lines::default(),
            colors: Colors::default(),
            kept: HashMap::new(),
        }
    }

    /// A frame for the script: its number, what it is called, the lines of its pictures, and Why.
    pub fn record(&mut self, frame: u32) -> Value {
        let shown = self.drawn(frame);
        let decision = frame.checked_sub(1).and_then(|at| self.run.timeline.decisions.get(at as usize));
        let name = decision.map_or("", |decision| self.run.label(decision.buffer));
        let record = json!({
            "k": frame,
            "name": harmless(name),
            "grew": decision.is_some_and(|decision| decision.grew),
            "wide": self.lines.numbers_of(&shown.wide),
            "narrow": self.lines.numbers_of(&shown.narrow),
            "why": shown.why,
        });
        self.kept.insert(frame, shown);
        record
    }

    /// A frame as it stands in the file.
    pub fn shown(&mut self, frame: u32) -> Shown {
        self.kept.remove(&frame).unwrap_or_else(|| self.drawn(frame))
    }

    fn drawn(&mut self, number: u32) -> Shown {
        let frame = self.run.frame(self.run.timeline.events_at(Level::Decisions, number));
        let mut narrow = if self.has_narrow { self.picture(&frame, NARROW) } else { String::new() };
        // Two pictures in one document must not share the names of their parts.
        for part in ["clip", "texture"] {
            narrow = narrow.replace(&format!("\"{part}"), &format!("\"n-{part}"));
            narrow = narrow.replace(&format!("#{part}"), &format!("#n-{part}"));
        }
        Shown { wide: self.picture(&frame, WIDE), narrow, why: told(&why(self.run, &frame), self.speech).into_string() }
    }

    fn picture(&mut self, frame: &Frame, size: Size) -> String {
        let show_waiting = self.run.timeline.decisions.len() <= MOST_WAITING;
        let narrow = size.0 < WIDE.0;
        let style = Style { speech: self.speech, titles: true, narrow, show_waiting, ..Style::default() };
        let view = View::fit(&self.index, size, &style);
        let stage = stage(Picture::new(self.run, &self.index, frame, &view, size, &style), &Marks::default());
        let in_theme = |theme| to_svg(&[&stage.base, &stage.frame], size, theme, &self.title);
        self.colors.joined(&in_theme(Theme::Light), &in_theme(Theme::Dark))
    }
}

/// Why in words: what happened, the places looked at, the rule, what became of the peak.
fn told(why: &Why, speech: Speech) -> Markup {
    let say = |message: &Message| harmless(&speech.say(message));
    let hidden = why.rows.len().saturating_sub(MOST_ROWS);
    let chosen = why.rows.iter().skip(MOST_ROWS).find(|row| row.chosen);
    let rows = why.rows.iter().take(MOST_ROWS).chain(chosen);
    html! {
        h2 { (say(&why.headline)) }
        @if !why.rows.is_empty() {
            table {
                @for row in rows {
                    tr class=[row.chosen.then_some("chosen")] {
                        td class="number" { @if row.visited { b { (row.number) } } }
                        td { (say(&row.place)) }
                        td { (say(&row.verdict)) }
                    }
                }
            }
            @if hidden > 0 { p class="muted" { (say(&Message::new("html.more-places").count("n", hidden as u64))) } }
        }
        dl {
            @for note in &why.notes { dt { (speech.word("html.note")) } dd { (say(note)) } }
            @for (name, sentence) in [("why.rule", &why.rule), ("why.effect", &why.effect)] {
                @if let Some(sentence) = sentence { dt { (speech.word(name)) } dd { (say(sentence)) } }
            }
        }
    }
}
