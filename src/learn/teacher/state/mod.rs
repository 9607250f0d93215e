//! The teacher's corner: its forms, and what is asked of the worker for them.

pub mod action;
pub mod field;
pub mod figure_form;
pub mod form;
pub mod link_keys;
#[cfg(test)]
pub(crate) mod tests;

use std::rc::Rc;

use crate::learn::exercise::state::stage::Stage;
use crate::learn::exercise::state::{Assigned, first_frame};
use crate::learn::lessons::state::progress::LearnPlace;
use crate::learn::teacher::state::action::TeachAction;
use crate::learn::teacher::state::form::{Corner, Field, Form, OWN_FILE, Offered};
use crate::open::state::document::{Document, Download, Origin};
use crate::open::state::link::Restored;
use crate::shell::state::State;
use crate::shell::state::action::LearnAction;
use memplan_core::base::Message;
use memplan_engine::{AskedPicture, CheckedList, Failure, PictureLook, Taught, TeachTask, file_stem};
use memplan_formats::import::Answers;
use memplan_planners as planner;
use memplan_replay::Run;
use memplan_teach::exercise::code::minute_of;
use memplan_teach::exercise::figure::{Figure, unasked};
use memplan_teach::exercise::link::{ExerciseLink, Source};
use memplan_teach::exercise::{choices, is_question, typed};
use memplan_worker::FileData;

/// A request that is not answered yet.
#[derive(Debug)]
pub struct Wanted {
    /// Counts the requests of a visit.
    pub number: u32,
    /// What is asked.
    pub request: TeachTask<FileData>,
}

impl PartialEq for Wanted {
    /// Requests are told apart by their number.
    fn eq(&self, other: &Wanted) -> bool {
        self.number == other.number
    }
}

/// The teacher's corner and the exercise of a student.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Teaching {
    /// The part of the corner that Learn shows; none: lessons.
    pub corner: Option<Corner>,
    /// What stands in its fields.
    pub form: Form,
    /// Why there is no instance of the seed in the form; nothing where there is one.
    pub no_instance: Option<Message>,
    /// The link that stands among those to check against because it was made in the form.
    filled: String,
    /// The worksheet of the form, as a document; none until it is made.
    pub sheet: Option<Rc<str>>,
    /// Whether the worksheet on its way is saved as a file when it is there.
    saves_sheet: bool,
    /// Lines that were checked.
    pub checked: Option<Rc<CheckedList>>,
    /// The questions of a student who was checked, with the student's name.
    pub pictures: Option<(String, Rc<Vec<AskedPicture>>)>,
    /// Why what was asked for last is not there.
    pub failure: Option<Message>,
    /// What the worker is asked.
    pub wanted: Option<Rc<Wanted>>,
    /// Number of the last request.
    pub asked: u32,
    /// The exercise that is done.
    pub assigned: Option<Assigned>,
}

impl State {
    pub(crate) fn on_teach(&mut self, action: TeachAction) {
        match action {
            TeachAction::Corner(part) => {
                self.on_learn(LearnAction::Open(LearnPlace::default()));
                self.teaching.corner = Some(part);
                self.teaching.failure = None;
                self.try_instance();
            }
            TeachAction::Write(field, text) => {
                self.teaching.form.write(field, text);
                self.teaching.failure = None;
                if matches!(field, Field::Source | Field::Own | Field::Planner) {
                    self.open_own();
                }
                if field.is_of_link() {
                    self.fill_link();
                }
                if matches!(
                    field,
                    Field::Kind | Field::Source | Field::Planner | Field::Seed | Field::Difficulty | Field::Most
                ) {
                    self.try_instance();
                }
            }
            TeachAction::LinkTaken => self.fill_link(),
            TeachAction::Check(seconds) => {
                if !self.teaching.filled.is_empty() {
                    self.fill_link();
                }
                let form = &self.teaching.form;
                let (links, lines) = (form.read(Field::Links).to_string(), form.read(Field::Lines).to_string());
                let locale = self.settings.locale;
                self.want(TeachTask::Check { links, lines, locale, now: minute_of(seconds) });
            }
            TeachAction::Pictures(row, look) => self.want_pictures(row, look),
            TeachAction::Preview => self.want_sheet(false),
            TeachAction::Sheet => self.want_sheet(true),
            TeachAction::Answered(number, answer) => {
                let is_wanted = self.teaching.wanted.as_ref().is_some_and(|wanted| wanted.number == number);
                if let Some(wanted) = self.teaching.wanted.take_if(|_| is_wanted) {
                    let gone = || Err(Failure::NoDocument);
                    self.taught(&wanted.request, answer.unwrap_or_else(gone));
                }
            }
            TeachAction::Open(link) => self.open_exercise(link),
            TeachAction::Leave => {
                if self.asks_lessons() {
                    // What was answered for a teacher is not the reader's own.
                    self.learning.attempts.clear();
                }
                // The game of an exercise belongs to it, and what was asked for it.
                if self.teaching.assigned.take().is_some() {
                    (self.game, self.teaching.wanted) = (None, None);
                }
            }
            TeachAction::Name(_)
            | TeachAction::Begin
            | TeachAction::Help
            | TeachAction::NextPlan
            | TeachAction::Figure(_)
            | TeachAction::Program(_)
            | TeachAction::Finish(_)
            | TeachAction::Restore(..) => self.on_exercise(action),
        }
    }

    /// Asks the worker; what was asked before is not wanted any more.
    pub(crate) fn want(&mut self, request: TeachTask<FileData>) {
        self.teaching.asked += 1;
        self.teaching.failure = None;
        self.teaching.wanted = Some(Rc::new(Wanted { number: self.teaching.asked, request }));
    }

    /// Makes the first instance of the form, to know that there is one.
    fn try_instance(&mut self) {
        self.teaching.no_instance = None;
        let form = &self.teaching.form;
        match form.link(None) {
            Ok(link) if form.is_seeded() && self.teaching.corner == Some(Corner::Link) => {
                self.want(TeachTask::Make { link, name: String::new(), round: 0 });
            }
            _ => {}
        }
    }

    /// Opens the buffers that are typed in, once all their lines are buffers. The corner stays.
    fn open_own(&mut self) {
        let form = &self.teaching.form;
        let Ok(table) = typed::table(form.read(Field::Own)) else { return };
        if !form.is_own() {
            return;
        }
        let planner = Some(form.read(Field::Planner).to_string());
        self.restore(Restored { planner, teach: Some(Corner::Link), ..Restored::default() });
        self.open(Origin::File(OWN_FILE.into()), table.into_bytes().into(), Answers::default(), Some(first_frame()));
    }

    /// Puts the link of the form among those to check against, unless the teacher has written
    /// others there.
    fn fill_link(&mut self) {
        let Ok(link) = self.teaching.form.link(self.offered().as_ref()) else { return };
        let teaching = &mut self.teaching;
        let there = teaching.form.read(Field::Links);
        if there.trim().is_empty() || there == teaching.filled {
            teaching.filled = format!("#{link}");
            teaching.form.write(Field::Links, teaching.filled.clone());
        }
    }

    /// Asks for the questions of a row that was checked, or for those of the exercise that is over.
    fn want_pictures(&mut self, row: Option<usize>, look: PictureLook) {
        let of_row = |row: usize| {
            let row = self.teaching.checked.as_ref()?.rows.get(row)?;
            Some((row.link.clone(), row.name.clone(), row.answers.clone()))
        };
        let own = || {
            let assigned = self.teaching.assigned.as_ref().filter(|assigned| assigned.stage == Stage::Done)?;
            let right = self.marks().into_iter().map(|(is_right, _)| is_right).collect();
            Some((assigned.link.clone(), assigned.name.clone(), right))
        };
        let Some((link, name, answers)) = row.map_or_else(own, of_row) else { return };
        // The document that is open, if it is the one that the link names.
        let document = self.document.open.as_ref().filter(|document| {
            let doc = ExerciseLink::read(link.rsplit('#').next().unwrap_or_default()).map(|link| link.source);
            matches!(doc, Ok(Source::Document { doc, .. }) if doc == doc_of(document))
        });
        let choices = document.map(|document| Answers { file: document.name.clone(), ..document.choices.clone() });
        let (file, choices) = (document.map(|document| document.bytes.clone()), choices.unwrap_or_default());
        let locale = self.settings.locale;
        self.want(TeachTask::Pictures { link, name, answers, file, choices, locale, look });
    }

    fn want_sheet(&mut self, saves: bool) {
        self.teaching.saves_sheet = saves;
        let Some(document) = self.document.open.clone() else { return };
        let form = &self.teaching.form;
        let more = [Field::Second, Field::Third].map(|field| form.read(field).to_string());
        let mut planners = vec![self.document.planner.clone()];
        for id in more {
            if !id.is_empty() && !planners.contains(&id) {
                planners.push(id);
            }
        }
        let Ok(given) = form.read(Field::Given).trim().parse() else {
            self.teaching.failure = Some(Message::new("teach.bad-given"));
            return;
        };
        let choices = Answers { file: document.name.clone(), ..document.choices.clone() };
        let letter = form.read(Field::Paper) == "letter";
        let (file, locale) = (document.bytes.clone(), self.settings.locale);
        self.want(TeachTask::Worksheet { file, choices, planners, given, letter, locale });
    }

    fn taught(&mut self, request: &TeachTask<FileData>, answer: Result<Taught, Failure>) {
        if matches!(request, TeachTask::Game(_)) {
            let gamed = |taught| if let Taught::Game(gamed) = taught { Ok(gamed) } else { Err(Failure::NoDocument) };
            return self.game_answered(answer.and_then(gamed));
        }
        if matches!(request, TeachTask::Judge { .. }) {
            return self.program_judged(request, answer);
        }
        if self.teaching.assigned.is_some() {
            return self.exercise_answered(answer);
        }
        match (answer, request) {
            (Ok(Taught::Checked(list)), _) => {
                self.teaching.checked = Some(Rc::new(list));
                self.teaching.pictures = None;
            }
            (Ok(Taught::Worksheet(text)), _) => {
                self.teaching.sheet = Some(text.as_str().into());
                if !std::mem::take(&mut self.teaching.saves_sheet) {
                    return;
                }
                let stem = self.document.open.as_ref().map_or_else(String::new, |document| file_stem(&document.name));
                self.document.download = Some(Rc::new(Download {
                    number: self.document.download.as_ref().map_or(0, |before| before.number) + 1,
                    name: format!("{stem}-worksheet.html"),
                    contents: text.into_bytes(),
                    page: None,
                }));
                self.view.confirm(Message::new("teach.sheet-saved"));
            }
            (Ok(Taught::Pictures(list)), TeachTask::Pictures { name, .. }) => {
                self.teaching.pictures = Some((name.clone(), Rc::new(list)));
            }
            (Ok(_), _) => {}
            (Err(failure), TeachTask::Make { .. }) => self.teaching.no_instance = Some(failure.message()),
            (Err(failure), request) => {
                // What was made before is not what was asked for now.
                match request {
                    TeachTask::Worksheet { .. } => self.teaching.sheet = None,
                    TeachTask::Check { .. } => self.teaching.checked = None,
                    _ => {}
                }
                self.teaching.failure = Some(failure.message());
            }
        }
    }

    /// The document that is open, as an exercise uses it; none where nothing is planned.
    pub fn offered(&self) -> Option<Offered> {
        let document = self.document.open.as_ref()?;
        let run = self.document.run.as_ref()?;
        let info = planner::info(&self.document.planner)?;
        let given = self.document.options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let options = info.options(given).unwrap_or_default();
        let has_figures = unasked(run, &[]).is_none();
        Some(Offered {
            doc: doc_of(document),
            name: document.origin.name().into(),
            planner: self.document.planner.clone(),
            options: options.changed(info).map(|(key, value)| (key.to_string(), value.to_string())).collect(),
            asked: if self.predict_refusal().is_none() { asked(run) } else { Vec::new() },
            offsets: if has_figures { offsets(run) } else { Vec::new() },
            steps: if has_figures { run.problem.steps } else { 0 },
        })
    }
}

/// What a link has behind `doc=` of a document; empty for one that is too long.
fn doc_of(document: &Document) -> String {
    match (&document.origin, &document.packed.document) {
        (Origin::Example(name), _) => format!("ex:{name}"),
        (Origin::Remote(address), None) => format!("url:{address}"),
        (_, Some(packed)) => packed.clone(),
        (Origin::File(_), None) => String::new(),
    }
}

/// The decisions of a run with more than one place to choose from, and their buffers.
fn asked(run: &Run) -> Vec<(u32, String)> {
    let decisions = 0..run.timeline.decisions.len() as u32;
    let asked = decisions.filter(|&decision| is_question(run, decision));
    let counted = asked.filter(|&decision| choices(run, decision) > 1);
    let name = |decision: u32| run.label(run.timeline.decisions[decision as usize].buffer).to_string();
    counted.map(|decision| (decision, name(decision))).collect()
}

/// The buffers whose offset is a figure of the plan.
fn offsets(run: &Run) -> Vec<String> {
    let names = run.problem.buffers.iter().map(|buffer| buffer.name.clone());
    names.filter(|name| Figure::Offset(name.clone()).value(run).is_some()).collect()
}
