//! A plan written into the open model: the bytes with it and without, and the files that hold it.

use std::rc::Rc;

use crate::open::state::document::{Bytes, Document, Download, OnePage, Origin};
use crate::open::state::examples::{example_file, examples};
use crate::open::state::query::Query;
use crate::shell::state::State;
use crate::shell::state::address;
use crate::shell::state::panels::Overlay;
use memplan_core::base::Message;
use memplan_engine::{Answer, Export, IMPORTED, PlannerChoice, Task, WriteForm, WriteTask, Written, file_stem};
use memplan_formats::import::Format;

/// A model that plans can be written into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelKind {
    /// TensorFlow Lite Micro obeys the plan.
    TfLite,
    /// ExecuTorch does.
    ExecuTorch,
    /// Tools that read onnxsim's entries do.
    Onnx,
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
            Format::Onnx => Some(ModelKind::Onnx),
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
        Some(Task::Write(WriteTask {
            file: document.bytes.clone(),
            answers: document.choices.clone(),
            planner,
            form,
            answer: None,
        }))
    }

    fn take_written(&mut self, form: WriteForm, found: Result<Written, Message>) {
        let suffix = match form {
            WriteForm::Figures => None,
            WriteForm::Model => Some(match self.model() {
                Some(ModelKind::ExecuTorch) => "planned.pte",
                Some(ModelKind::Onnx) => "planned.onnx",
                Some(ModelKind::TfLite) | None => "planned.tflite",
            }),
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

    /// Has a file saved that the engine wrote.
    pub(crate) fn save_export(&mut self, export: Export, contents: Vec<u8>) {
        let page = (export == Export::Html).then(|| self.one_page()).flatten();
        self.save_file(export.suffix(), contents, page);
    }

    /// What one HTML file of the open document is called, and what it begins with.
    fn one_page(&self) -> Option<OnePage> {
        let document = self.document.open.as_ref()?;
        let stem = file_stem(&document.name);
        let is_example = matches!(document.origin, Origin::Example(_)) && self.editing.session.is_none();
        // It is an example of that page, beside those that the page has anyway.
        let is_taken = !is_example && examples().iter().any(|example| example.name == stem);
        let name = match stem.as_str() {
            "" | "." | ".." => "document".to_string(),
            _ if is_taken => format!("{stem}-1"),
            _ => stem,
        };
        let planner = self.choice().words(self.speech());
        Some(OnePage {
            title: format!("{} · {planner}", document.name),
            link: address::write_inside(self, &name),
            path: format!("graphs/{}", example_file(&name)),
        })
    }

    /// Has a file saved that is named after the document.
    pub(crate) fn save_as(&mut self, suffix: &str, contents: Vec<u8>) {
        self.save_file(suffix, contents, None);
    }

    fn save_file(&mut self, suffix: &str, contents: Vec<u8>, page: Option<OnePage>) {
        let name = self.document.open.as_ref().map_or("plan", |document| &document.name);
        let name = format!("{}.{suffix}", file_stem(name));
        let number = self.document.download.as_ref().map_or(0, |download| download.number + 1);
        self.document.download = Some(Rc::new(Download { number, name, contents, page }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::own::state::tests::{opened_own, settled};
    use crate::shell::state::action::{Action, DocumentAction, OwnAction, StepAction};
    use crate::shell::state::address::Target;
    use crate::testing::opened;

    #[test]
    fn one_file_begins_where_the_page_is() {
        let mut state = opened().reduce(Action::Step(StepAction::Seek(3)));
        let page = state.one_page().expect("a document is open");
        let name = page.path.strip_prefix("graphs/").and_then(|file| file.strip_suffix(".json")).expect("an example");
        let link = address::read(&page.link);
        assert!(matches!(link.target, Target::Example(example) if example == name), "{}", page.link);
        assert_eq!((link.place.frame, link.restored.planner), (Some(3), Some(state.document.planner.clone())));
        assert!(page.title.contains(&state.document.open.as_ref().expect("it is").name));
        state.save_export(Export::Html, b"{}".to_vec());
        let file = state.document.download.clone().expect("a file");
        assert!(file.name.ends_with(".html") && file.page.as_ref() == Some(&page), "{}", file.name);
        state.save_export(Export::Graph, b"{}".to_vec());
        assert_eq!(state.document.download.as_ref().and_then(|file| file.page.clone()), None);
    }

    #[test]
    fn one_file_has_the_plan_of_a_program_of_the_user() {
        let state = settled(opened_own().reduce(Action::Own(OwnAction::Write)));
        let state = settled(state.reduce(Action::Document(DocumentAction::Export(Export::Html))));
        let file = state.document.download.clone().expect("a file");
        let page = file.page.as_ref().expect("an HTML file");
        assert!(page.link.contains("plan=imported") && !page.link.contains("code="), "{}", page.link);
        assert!(file.contents.starts_with(b"memplan-read/"), "the document with the plan");
    }

    #[test]
    fn a_page_that_is_one_file_keeps_nothing_in_the_browser() {
        assert!(opened().settings.keeps() && !opened().as_one_file(true).settings.keeps());
    }
}
