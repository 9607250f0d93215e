//! The teacher's corner: what its forms hold, and the link that they make.

use std::collections::{BTreeMap, BTreeSet};

use crate::learn::teacher::state::field::FIELDS;
use memplan_core::base::Message;
use memplan_core::text::Locale;
use memplan_teach::choices;
use memplan_teach::exercise::activity::{Activity, Asks, Buffers, Kind};
use memplan_teach::exercise::link::{ExerciseLink, Help, Hidden, MAX_TRIES, Source, lesson_questions};
use memplan_teach::exercise::typed;
use memplan_teach::exercise::variant::{Difficulty, MAX_SEED};

pub use crate::learn::teacher::state::field::Field;

/// A part of the teacher's corner.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Corner {
    /// Links of exercises, and the check of result codes.
    #[default]
    Link,
    /// Worksheets.
    Sheet,
    /// A lesson of fifty minutes.
    Plan,
}

impl Corner {
    /// All parts in their order.
    pub const ALL: [Corner; 3] = [Corner::Link, Corner::Sheet, Corner::Plan];

    /// Its name in links and in ids of elements.
    pub const fn name(self) -> &'static str {
        match self {
            Corner::Link => "link",
            Corner::Sheet => "sheet",
            Corner::Plan => "plan",
        }
    }

    /// The part of this name; the first one for any other.
    pub fn from_name(name: &str) -> Corner {
        Corner::ALL.into_iter().find(|part| part.name() == name).unwrap_or_default()
    }
}

/// What the page of a student keeps off the picture if the link says so.
pub const HIDEABLE: [Hidden; 3] = [Hidden::Peak, Hidden::Curve, Hidden::Bound];

/// The file name of buffers that are typed in.
pub const OWN_FILE: &str = "mine.csv";

/// Buffers that first fit is asked about at three places.
const OWN_SAMPLE: &str =
    "A, 48 KiB, 0, 3\nB, 32 KiB, 0, 5\nC, 16 KiB, 1, 4\nD, 48 KiB, 3, 6\nE, 64 KiB, 3, 7\nF, 16 KiB, 4, 6";

/// What stands in the fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    texts: Vec<String>,
    /// Whether the teacher has written how many questions there are, and right answers are needed.
    pub(super) is_of_written: bool,
    pub(super) is_pass_written: bool,
}

impl Default for Form {
    fn default() -> Form {
        let mut form = Form { texts: vec![String::new(); FIELDS], is_of_written: false, is_pass_written: false };
        let usual = [
            (Field::Kind, Kind::default().name()),
            (Field::Source, "seed"),
            (Field::Own, OWN_SAMPLE),
            (Field::Planner, choices::WELCOME),
            (Field::Seed, "1"),
            (Field::Difficulty, "1"),
            (Field::Ask, "bound"),
            (Field::Questions, "1.a,2.a,2.b"),
            (Field::Step, "2"),
            (Field::Beat, "1.50"),
            (Field::Of, "6"),
            (Field::Help, Help::Why.name()),
            (Field::Given, "0"),
            (Field::Paper, "a4"),
        ];
        usual.into_iter().for_each(|(field, text)| form.write(field, text.into()));
        Form { is_of_written: false, ..form }
    }
}

/// The document that is open, as an exercise uses it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Offered {
    /// What a link has behind `doc=`; empty where the document is too long for a link.
    pub doc: String,
    /// Its name.
    pub name: String,
    /// Id of the planner that is shown.
    pub planner: String,
    /// Options of the planner that are not at their defaults.
    pub options: BTreeMap<String, String>,
    /// Decisions with more than one place to choose from, each with the name of its buffer.
    pub asked: Vec<(u32, String)>,
    /// Buffers with an offset, if figures can be asked about: of a document that is worked out by
    /// hand.
    pub offsets: Vec<String>,
    /// Steps of the document; 0 where no figures can be asked about.
    pub steps: u32,
}

impl Form {
    /// What stands in a field.
    pub fn read(&self, field: Field) -> &str {
        &self.texts[field as usize]
    }

    /// Fills a field. The right answers that are needed follow what is asked until they are
    /// written.
    pub fn write(&mut self, field: Field, text: String) {
        self.texts[field as usize] = text;
        self.is_of_written |= field == Field::Of;
        self.is_pass_written |= field == Field::Pass;
        if !self.is_pass_written {
            self.texts[Field::Pass as usize] = self.usual_pass();
        }
    }

    /// Whether each student gets an instance made from a seed.
    pub fn is_seeded(&self) -> bool {
        self.read(Field::Source) == "seed" && self.has_source()
    }

    /// Whether the buffers come from somewhere: students make those of a board, and lessons have
    /// their own.
    pub fn has_source(&self) -> bool {
        self.activity().buffers.are_chosen()
    }

    /// The questions of lessons that are asked, in their order.
    pub fn questions(&self) -> Vec<(u32, String)> {
        lesson_questions(self.read(Field::Questions)).unwrap_or_default()
    }

    /// Asks a question of a lesson, or asks it no longer.
    pub fn toggled_question(&self, question: &(u32, String)) -> String {
        let mut asked = self.questions();
        match asked.iter().position(|other| other == question) {
            Some(at) => {
                asked.remove(at);
            }
            None => asked.push(question.clone()),
        }
        asked.sort();
        asked.iter().map(|(lesson, id)| format!("{lesson}.{id}")).collect::<Vec<_>>().join(",")
    }

    /// Whether the buffers are typed in.
    pub fn is_own(&self) -> bool {
        self.read(Field::Source) == "own" && self.has_source()
    }

    /// What is done.
    pub fn kind(&self) -> Kind {
        Kind::of_name(self.read(Field::Kind)).unwrap_or_default()
    }

    /// What is the same for all exercises of the kind.
    pub(crate) fn activity(&self) -> &'static Activity {
        self.kind().activity()
    }

    /// Whether the kind has a picture of which something can be kept back: where figures are asked
    /// about, all of them are.
    pub fn may_hide(&self) -> bool {
        self.activity().hides
    }

    /// What is kept off the picture.
    pub fn hidden(&self) -> BTreeSet<Hidden> {
        let names = self.read(Field::Hide).split(',').filter(|_| self.may_hide());
        names.filter_map(|name| HIDEABLE.into_iter().find(|hidden| hidden.name() == name)).collect()
    }

    /// Keeps a part of the picture back, or shows it again.
    pub fn toggled(&self, part: Hidden) -> String {
        let mut hidden = self.hidden();
        if !hidden.remove(&part) {
            hidden.insert(part);
        }
        hidden.into_iter().map(Hidden::name).collect::<Vec<_>>().join(",")
    }

    pub(crate) fn whole(&self, field: Field, key: &'static str, least: u64, most: u64) -> Result<u64, Message> {
        let number = self.read(field).trim().parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| Message::new(key).count("least", least).count("most", most))
    }

    /// The fragment of the exercise's link; `offered` is the document that is open.
    ///
    /// # Errors
    /// Which field has to be filled otherwise.
    pub fn link(&self, offered: Option<&Offered>) -> Result<String, Message> {
        if self.is_own() {
            typed::table(self.read(Field::Own))?;
            // Until they are planned, another document is open.
            if offered.is_none_or(|offered| offered.name != OWN_FILE || offered.planner != self.read(Field::Planner)) {
                return Err(Message::new("typed.wait"));
            }
        }
        let activity = self.activity();
        let (source, planner, options, most) = match offered.filter(|_| !self.is_seeded()) {
            _ if activity.buffers == Buffers::Board => {
                (Source::Board, self.read(Field::Planner).to_string(), BTreeMap::new(), 1)
            }
            _ if activity.buffers == Buffers::Lessons => {
                let count = self.questions().len() as u64;
                if count == 0 {
                    return Err(Message::new("teach.bad-questions"));
                }
                (Source::Lessons, String::new(), BTreeMap::new(), count)
            }
            None if !self.is_seeded() => return Err(Message::new("teach.no-document")),
            None if !activity.buffers.has_seed() => return Err(Message::new("teach.needs-document")),
            None => {
                let seed = self.whole(Field::Seed, "teach.bad-seed", 0, MAX_SEED)?;
                let difficulty = self.read(Field::Difficulty).parse().ok().and_then(Difficulty::new);
                let source = Source::Seed { seed, difficulty: difficulty.unwrap_or_default() };
                (source, self.read(Field::Planner).to_string(), BTreeMap::new(), u64::from(u8::MAX))
            }
            Some(_) if !activity.buffers.has_document() => return Err(Message::new("teach.needs-seed")),
            Some(offered) if offered.asked.is_empty() && matches!(activity.asks, Asks::EveryPlace | Asks::OnePlace) => {
                return Err(Message::new("teach.no-questions"));
            }
            Some(offered) if offered.doc.is_empty() => return Err(Message::new("teach.too-long")),
            Some(offered) if offered.doc.starts_with("url:") && !activity.takes_address() => {
                return Err(Message::new("teach.game-address"));
            }
            Some(Offered { doc, name, planner, options, asked, .. }) => {
                let name = if doc.starts_with("z:") { name.clone() } else { String::new() };
                let source = Source::Document { doc: doc.clone(), name };
                (source, planner.clone(), options.clone(), (asked.len() as u64).min(u8::MAX.into()))
            }
        };
        let of = match activity.questions(self.is_seeded()) {
            Some(of) => of.into(),
            None if activity.asks == Asks::Lessons => most,
            None => self.usual_of(most).map_or_else(|| self.whole(Field::Of, "teach.bad-of", 1, most), Ok)?,
        };
        let pass = match self.read(Field::Pass).trim() {
            "" => of,
            _ if self.is_passed_by_one() => of,
            _ if !self.is_pass_written => self.usual_right(of),
            _ if activity.goals().is_some() => self.whole(Field::Pass, "teach.bad-goals", 0, of)?,
            _ => self.whole(Field::Pass, "teach.bad-pass", 0, of)?,
        };
        let tries = match self.read(Field::Tries).trim() {
            "" => None,
            _ => Some(self.whole(Field::Tries, "teach.bad-tries", 1, MAX_TRIES.into())?),
        };
        let ask = self.ask(offered.filter(|_| !self.is_seeded()))?;
        // Who breaks a planner sees all that it does anyway.
        let may_help = self.has_source();
        let help = Help::ALL.into_iter().find(|help| may_help && help.name() == self.read(Field::Help));
        let link = ExerciseLink {
            source,
            planner,
            options,
            kind: self.kind(),
            frame: offered.and_then(|offered| self.decision(offered)),
            ask,
            beat: self.beat()?,
            most: self.most()?,
            template: self.template(),
            hide: self.hidden(),
            help: help.unwrap_or_default(),
            pass: pass as u8,
            of: of as u8,
            tries: tries.map(|tries| tries as u8),
            bits: activity.has_bits(of),
            id: self.read(Field::Id).trim().into(),
            lang: Locale::ALL.into_iter().find(|locale| locale.name() == self.read(Field::Lang)),
        };
        Ok(link.write())
    }
}

#[cfg(test)]
mod tests;
