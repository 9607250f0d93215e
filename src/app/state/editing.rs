//! Editing the graph, and what goes into files.

use std::rc::Rc;

use crate::app::model::document::{Bytes, Download, Job, Origin};
use crate::app::model::editing::{Editing, Step};
use crate::app::model::panels::Tab;
use crate::app::model::recovery::Recovery;
use crate::app::state::State;
use crate::app::state::action::EditAction;
use crate::app::state::life::{Life, Working};
use crate::base::Message;
use crate::engine::{Diagram, Export, Failure, stem};
use crate::import::{Answers, Format};

/// The graph that is edited.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EditingState {
    /// The graph being edited, once something was changed.
    pub session: Option<Rc<Editing>>,
    /// The graph is to be put into a file as soon as it is planned.
    pub saving: bool,
    /// Changes of a graph that is no longer open, to go on with.
    pub recovery: Option<Rc<Recovery>>,
    /// Whether the diagram of the graph is in sight.
    pub wants_diagram: bool,
    /// The diagram of the open document once it is laid out.
    pub diagram: Option<Rc<Diagram>>,
}

impl State {
    pub(super) fn on_edit(&mut self, action: EditAction) {
        match action {
            EditAction::Diagram(wanted) => {
                self.editing.wants_diagram = wanted;
                if wanted && self.editing.diagram.is_none() {
                    self.plan_again();
                }
            }
            EditAction::Change(step) => self.edit(step),
            EditAction::Recover { name, mut editing } => {
                editing.recovered();
                self.submit_draft(Origin::File(name), &editing);
                self.editing.session = Some(Rc::new(*editing));
                self.editing.recovery = None;
            }
            EditAction::Found(recovery) => self.editing.recovery = Some(Rc::new(recovery)),
            EditAction::Discard => self.editing.recovery = None,
            EditAction::Save => self.save(),
            EditAction::NotSaved(why) => {
                self.editing.saving = false;
                self.view.confirm(why);
            }
            EditAction::Saved => {
                self.editing.saving = false;
                if let Some(editing) = &mut self.editing.session {
                    Rc::make_mut(editing).unsaved = false;
                }
            }
        }
    }

    pub(super) fn edit(&mut self, step: Step) {
        let Some(document) = self.document.open.clone() else { return };
        let Some(graph) = document.graph.clone() else { return };
        let editing = self.editing.session.get_or_insert_with(|| Rc::new(Editing::new(&graph)));
        if !Rc::make_mut(editing).take(step) {
            return;
        }
        self.view.panels.left_tab = Tab::Graph;
        let editing = editing.clone();
        // No longer the example: a link must carry it.
        self.submit_draft(Origin::File(document.origin.name().into()), &editing);
    }

    /// Whether the picture is of the graph before the last change.
    pub fn lags_behind(&self) -> bool {
        self.is_faulty() || self.document.run.is_some() && self.job().is_some_and(|job| job.draft.is_some())
    }

    /// Whether the edited graph has faults, so that what is shown is the graph before them.
    pub fn is_faulty(&self) -> bool {
        self.editing.session.as_ref().is_some_and(|editing| !editing.faults.is_empty())
    }

    /// Asks for the graph as a file; one that came in another format is written by the worker first.
    pub(super) fn save(&mut self) {
        let Some((document, graph)) =
            self.document.open.clone().and_then(|document| Some((document.clone(), document.graph.clone()?)))
        else {
            return self.view.confirm(Message::new("toast.no-graph"));
        };
        self.editing.saving = true;
        if document.format != Format::MemoryGraph && self.editing.session.is_none() {
            self.submit_draft(Origin::File(document.name.clone()), &Editing::new(&graph));
        }
    }

    pub(super) fn submit_draft(&mut self, origin: Origin, editing: &Editing) {
        self.submit(origin, Bytes::default(), Answers::default(), false, None);
        if let Some(job) = self.job_mut() {
            job.draft = Some(Rc::new(editing.draft.clone()));
        }
    }

    /// Asks for the plan shown once more, as a file.
    pub(super) fn export(&mut self, export: Export) {
        self.view.overlay = None;
        let (Some(run), None) = (&self.document.run, self.job()) else { return };
        let Some(shown) = &self.document.shown else { return self.view.confirm(Message::new("toast.no-file")) };
        let job = Job {
            number: self.document.jobs + 1,
            planner: run.planner.clone(),
            same_document: true,
            place: None,
            export: Some(export),
            ..(**shown).clone()
        };
        self.document.jobs = job.number;
        self.document.life = Life::Working(Working::on(job));
    }

    pub(super) fn take_file(&mut self, number: u32, result: Result<Result<String, Message>, Failure>) {
        let Some(job) = self.job().cloned().filter(|job| job.number == number) else { return };
        self.document.life.end_job();
        match (result, job.export) {
            (Ok(Ok(text)), Some(export)) => {
                let name = self.document.open.as_ref().map_or("plan", |document| stem(&document.name));
                // Names of graphs may hold what names of files may not.
                let safe = |c: char| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' };
                let name = format!("{}.{}", name.chars().take(80).map(safe).collect::<String>(), export.suffix());
                let number = self.document.download.as_ref().map_or(0, |download| download.number + 1);
                self.document.download = Some(Rc::new(Download { number, name, text }));
            }
            (Ok(Err(message)), _) => self.tell(message),
            (Ok(Ok(_)), None) => {}
            (Err(failure), _) => self.tell(failure.message()),
        }
    }
}
