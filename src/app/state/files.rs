//! Editing the graph, and what goes into files.

use std::rc::Rc;

use crate::app::model::document::{Bytes, Download, Job, Origin};
use crate::app::model::editing::{Editing, Step};
use crate::app::model::panels::Tab;
use crate::app::state::State;
use crate::base::Message;
use crate::engine::{Export, Failure, stem};
use crate::import::{Choices, Format};

impl State {
    pub(super) fn edit(&mut self, step: Step) {
        let Some(document) = self.document.clone() else { return };
        let Some(graph) = document.graph.clone() else { return };
        let editing = self.editing.get_or_insert_with(|| Rc::new(Editing::new(&graph)));
        if !Rc::make_mut(editing).take(step) {
            return;
        }
        self.panels.left_tab = Tab::Graph;
        let editing = editing.clone();
        // No longer the example: a link must carry it.
        self.submit_draft(Origin::File(document.origin.name().into()), &editing);
    }

    /// Whether the picture is of the graph before the last change.
    pub fn lags_behind(&self) -> bool {
        self.is_faulty() || self.run.is_some() && self.job.as_ref().is_some_and(|job| job.draft.is_some())
    }

    /// Whether the edited graph has faults, so that what is shown is the graph before them.
    pub fn is_faulty(&self) -> bool {
        self.editing.as_ref().is_some_and(|editing| !editing.faults.is_empty())
    }

    /// Asks for the graph as a file; one that came in another format is written by the worker first.
    pub(super) fn save(&mut self) {
        let Some((document, graph)) =
            self.document.clone().and_then(|document| Some((document.clone(), document.graph.clone()?)))
        else {
            return self.toast_message(Message::new("toast.no-graph"));
        };
        self.saving = true;
        if document.format != Format::MemoryGraph && self.editing.is_none() {
            self.submit_draft(Origin::File(document.name.clone()), &Editing::new(&graph));
        }
    }

    pub(super) fn submit_draft(&mut self, origin: Origin, editing: &Editing) {
        self.submit(origin, Bytes::default(), Choices::default(), false, None);
        if let Some(job) = &mut self.job {
            Rc::make_mut(job).draft = Some(Rc::new(editing.draft.clone()));
        }
    }

    /// Asks for the plan shown once more, as a file.
    pub(super) fn export(&mut self, export: Export) {
        self.overlay = None;
        let (Some(run), None) = (&self.run, &self.job) else { return };
        let Some(shown) = &self.shown else { return self.toast_message(Message::new("toast.no-file")) };
        self.jobs += 1;
        self.job = Some(Rc::new(Job {
            number: self.jobs,
            planner: run.planner.clone(),
            same_document: true,
            place: None,
            export: Some(export),
            ..(**shown).clone()
        }));
    }

    pub(super) fn take_file(&mut self, number: u32, result: Result<Result<String, Message>, Failure>) {
        let Some(job) = self.job.clone().filter(|job| job.number == number) else { return };
        self.end_job();
        match (result, job.export) {
            (Ok(Ok(text)), Some(export)) => {
                let name = self.document.as_ref().map_or("plan", |document| stem(&document.name));
                // Names of graphs may hold what names of files may not.
                let safe = |c: char| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' };
                let name = format!("{}.{}", name.chars().take(80).map(safe).collect::<String>(), export.suffix());
                let number = self.download.as_ref().map_or(0, |download| download.number + 1);
                self.download = Some(Rc::new(Download { number, name, text }));
            }
            (Ok(Err(message)), _) => self.tell(message),
            (Ok(Ok(_)), None) => {}
            (Err(failure), _) => self.tell(failure.message()),
        }
    }
}
