//! A plan written into the open model: the bytes with it and without, and the files that hold it.

use std::rc::Rc;

use crate::open::state::document::{Bytes, Document, Download};
use crate::open::state::query::Query;
use crate::shell::state::State;
use crate::shell::state::panels::Overlay;
use memplan_core::base::Message;
use memplan_engine::{Answer, IMPORTED, PlannerChoice, Task, WriteForm, WriteTask, Written, file_stem};
use memplan_formats::import::Format;

/// A model that plans can be written into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelKind {
    /// TensorFlow Lite Micro obeys the plan.
    TfLite,
    /// ExecuTorch does.
    ExecuTorch,
}

/// What is known of a plan for the open model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Writing {
    /// The bytes, or why there is no plan; nothing until the engine has answered.
    pub found: Option<Result<Written, Message>>,
    /// The model and the planner that it belongs to.
    of: Option<(u32, PlannerChoice)>,
    /// The file that is asked for.
    asked: Option<WriteForm>,
}

impl Writing {
    /// The engine gave nothing: nothing is waited for any longer.
    fn give_up(&mut self, why: &Message) {
        if self.of.is_some() {
            self.found.get_or_insert_with(|| Err(why.clone()));
        }
        self.asked = None;
    }
}

/// A plan written into the open model.
pub(crate) const QUERY: Query = Query {
    is_of: |task| matches!(task, Task::Write(WriteTask { answer: None, .. })),
    wants: State::sheet_wants,
    take: |state, task, answer| {
        if let (Task::Write(WriteTask { form, .. }), Answer::Written(found)) = (task, answer) {
            state.take_written(*form, *found);
        }
    },
    give_up: |state, _, why| state.writing.give_up(why),
};

impl State {
    /// The kind of model that is open, if plans can be written into it.
    pub fn model(&self) -> Option<ModelKind> {
        let document = self.document.open.as_ref().filter(|_| self.editing.session.is_none())?;
        match document.format {
            Format::TfLite => Some(ModelKind::TfLite),
            Format::ExecuTorch => Some(ModelKind::ExecuTorch),
            _ => None,
        }
    }

    /// The kind of model whose graph a link carried, without the model itself.
    pub fn model_of_link(&self) -> Option<ModelKind> {
        let document = self.document.open.as_ref().filter(|_| self.editing.session.is_none())?;
        let file = document.origin.name();
        match () {
            () if !document.format.is_own() => None,
            () if file.ends_with(".tflite") => Some(ModelKind::TfLite),
            () if file.ends_with(".pte") => Some(ModelKind::ExecuTorch),
            () => None,
        }
    }

    pub(crate) fn ask_to_write(&mut self, form: WriteForm) {
        self.writing.asked = Some(form);
    }

    /// Returns what the open sheet asks of the engine: the plan of the model, then its file.
    fn sheet_wants(&mut self, document: &Document) -> Option<Task<Bytes>> {
        if self.view.overlay != Some(Overlay::Write) || self.model().is_none() {
            return None;
        }
        let planner = self.choice();
        let of = Some((document.key, planner.clone()));
        if self.writing.of != of {
            self.writing = Writing { of, ..Writing::default() };
        }
        if planner.planner == IMPORTED {
            self.writing.found = Some(Err(Message::new("tflm.own-plan")));
        }
        let form = match (&self.writing.found, self.writing.asked) {
            (None, _) => WriteForm::Figures,
            (Some(Ok(_)), Some(form)) => form,
            _ => return None,
        };
        Some(Task::Write(WriteTask { file: document.bytes.clone(), planner, form, answer: None }))
    }

    fn take_written(&mut self, form: WriteForm, found: Result<Written, Message>) {
        let suffix = match form {
            WriteForm::Figures => None,
            WriteForm::Model if self.model() == Some(ModelKind::ExecuTorch) => Some("planned.pte"),
            WriteForm::Model => Some("planned.tflite"),
            WriteForm::Table => Some("plan.h"),
        };
        if suffix.is_some() {
            self.writing.asked = None;
        }
        match (suffix, found) {
            (Some(suffix), Ok(written)) => self.save_as(suffix, written.file),
            (_, found) => self.writing.found = Some(found),
        }
    }

    /// Has a file saved that is named after the document.
    pub(crate) fn save_as(&mut self, suffix: &str, contents: Vec<u8>) {
        let name = self.document.open.as_ref().map_or("plan", |document| &document.name);
        let name = format!("{}.{suffix}", file_stem(name));
        let number = self.document.download.as_ref().map_or(0, |download| download.number + 1);
        self.document.download = Some(Rc::new(Download { number, name, contents }));
    }
}
