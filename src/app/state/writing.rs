//! A plan for TensorFlow Lite Micro: the arena with it and without, and the files that hold it.

use std::rc::Rc;

use crate::app::model::document::Download;
use crate::app::model::panels::Overlay;
use crate::app::state::State;
use crate::base::Message;
use crate::engine::{IMPORTED, MeasureTask, PlannerChoice, TflmForm, TflmTask, TflmWritten, file_stem};
use crate::import::Format;

/// What is known of a plan for the open model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Writing {
    /// The arena, or why there is no plan; nothing until the engine has answered.
    pub found: Option<Result<TflmWritten, Message>>,
    /// The model and the planner that it belongs to.
    of: Option<(u32, PlannerChoice)>,
    /// The file that is asked for.
    asked: Option<TflmForm>,
}

impl Writing {
    /// The engine gave nothing: nothing is waited for any longer.
    pub(super) fn give_up(&mut self, why: &Message) {
        if self.of.is_some() {
            self.found.get_or_insert_with(|| Err(why.clone()));
        }
        self.asked = None;
    }
}

impl State {
    /// Whether a plan can be written into the open document.
    pub fn is_tflite(&self) -> bool {
        let format = self.document.open.as_ref().map(|document| document.format);
        format == Some(Format::TfLite) && self.editing.session.is_none()
    }

    pub(super) fn ask_tflm(&mut self, form: TflmForm) {
        self.writing.asked = Some(form);
    }

    /// Has the engine plan the model while the sheet is open, once it is free.
    pub(super) fn write_on(&mut self) {
        let is_open = self.view.overlay == Some(Overlay::Write) && self.is_tflite();
        let Some(document) = self.document.open.clone().filter(|_| is_open && self.document.life.is_idle()) else {
            return;
        };
        let planner = self.choice();
        let of = Some((document.key, planner.clone()));
        if self.writing.of != of {
            self.writing = Writing { of, ..Writing::default() };
        }
        if planner.planner == IMPORTED {
            self.writing.found = Some(Err(Message::new("tflm.own-plan")));
        }
        let form = match (&self.writing.found, self.writing.asked) {
            (None, _) => TflmForm::Figures,
            (Some(Ok(_)), Some(form)) => form,
            _ => return,
        };
        let task = MeasureTask::Tflm(TflmTask { file: document.bytes.clone(), planner, form });
        self.submit(document.origin.clone(), document.bytes.clone(), document.choices.clone(), true, None);
        if let Some(job) = self.job_mut() {
            job.task = Some(Rc::new(task));
        }
    }

    pub(super) fn take_written(&mut self, form: TflmForm, found: Result<TflmWritten, Message>) {
        let suffix = match form {
            TflmForm::Figures => None,
            TflmForm::Model => Some("planned.tflite"),
            TflmForm::Table => Some("plan.h"),
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
    pub(super) fn save_as(&mut self, suffix: &str, contents: Vec<u8>) {
        let name = self.document.open.as_ref().map_or("plan", |document| &document.name);
        let name = format!("{}.{suffix}", file_stem(name));
        let number = self.document.download.as_ref().map_or(0, |download| download.number + 1);
        self.document.download = Some(Rc::new(Download { number, name, contents }));
    }
}
