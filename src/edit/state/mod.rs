//! Editing the graph, and what goes into files.

pub mod action;
pub mod draft;
pub mod encoding;
pub mod listing;
#[cfg(test)]
pub(crate) mod tests;

use std::rc::Rc;

use crate::edit::state::draft::{Drafted, EditCommand, Editing};
use crate::open::state::document::{Bytes, Job, Origin};
use crate::open::state::recovery::{Recovery, Tab, Unkept, draft_key};
use crate::open::state::status::{Status, Working};
use crate::shell::state::action::EditAction;
use crate::shell::state::{State, panels};
use memplan_core::base::Message;
use memplan_core::graph::Graph;
use memplan_core::graph::edit::{self, Change, Draft};
use memplan_engine::{Diagram, Export};
use memplan_formats::import::{Answers, Format};

/// The graph that is edited.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EditingState {
    /// The graph being edited, once something was changed.
    pub session: Option<Rc<Editing>>,
    /// The open graph as a draft before any change, once it is wanted.
    pub drafted: Option<Drafted>,
    /// The graph is to be put into a file as soon as it is planned.
    pub saving: bool,
    /// Counts the sessions of this visit: each has a draft of its own.
    pub sessions: u32,
    /// Key of the draft that the session goes on with.
    pub before: Option<String>,
    /// The browser has no room for the draft.
    pub full: bool,
    /// The tab in which the page is.
    pub tab: Rc<Tab>,
    /// Changes of graphs that are no longer open, to go on with.
    pub recoveries: Rc<Vec<Recovery>>,
    /// Whether the diagram of the graph is in sight.
    pub wants_diagram: bool,
    /// The diagram of the open document once it is laid out.
    pub diagram: Option<Rc<Diagram>>,
}

impl EditingState {
    /// Returns the draft of a graph before any change, if it has been made.
    pub fn plain(&self, graph: &Rc<Graph>) -> Option<Rc<Draft>> {
        self.drafted.as_ref().filter(|drafted| Rc::ptr_eq(&drafted.graph, graph)).map(|drafted| drafted.draft.clone())
    }

    /// Returns the draft of a graph before any change.
    fn draft_of(&self, graph: &Rc<Graph>) -> Draft {
        self.plain(graph).map_or_else(|| Draft::from(&**graph), Rc::unwrap_or_clone)
    }

    /// Returns what the browser keeps the draft of the session under.
    pub fn key(&self) -> String {
        draft_key(&self.tab.name, self.sessions)
    }

    /// Begins a session, which may go on with a draft.
    fn begin(&mut self, session: Editing, before: Option<String>) {
        self.sessions += 1;
        self.before = before;
        self.session = Some(Rc::new(session));
    }

    /// Takes a draft of before off the list.
    fn take_recovery(&mut self, key: &str) -> Option<Recovery> {
        let at = self.recoveries.iter().position(|recovery| recovery.key == key)?;
        Some(Rc::make_mut(&mut self.recoveries).remove(at))
    }
}

impl State {
    /// Returns what the document of a draft is called. A draft of before is not the document that
    /// is still open.
    pub fn draft_name(&self, editing: &Editing) -> String {
        let opened = || self.document.open.as_ref().map_or_else(String::new, |document| document.name.clone());
        Some(editing.draft.name.clone()).filter(|name| !name.is_empty()).unwrap_or_else(opened)
    }

    /// Ends the session. What is left behind unsaved can be gone back to.
    pub(crate) fn leave_session(&mut self) {
        let Some(left) = self.editing.session.take().filter(|editing| editing.unsaved) else { return };
        let (key, name) = (self.editing.key(), self.draft_name(&left));
        Rc::make_mut(&mut self.editing.recoveries).insert(0, Recovery { key, name, editing: (*left).clone() });
    }

    pub(crate) fn on_edit(&mut self, action: EditAction) {
        match action {
            EditAction::Diagram(wanted) => {
                self.editing.wants_diagram = wanted;
                if wanted && self.editing.diagram.is_none() {
                    self.plan_again();
                }
            }
            EditAction::Drafted(drafted) => self.editing.drafted = Some(drafted),
            EditAction::Change(command) => self.edit(command),
            EditAction::Recover(key) => {
                let Some(Recovery { key, name, mut editing }) = self.editing.take_recovery(&key) else { return };
                self.leave_session();
                editing.recovered();
                self.submit_draft(Origin::File(name), &editing);
                self.editing.begin(editing, Some(key));
            }
            EditAction::Found(found) => Rc::make_mut(&mut self.editing.recoveries).extend(found),
            EditAction::Discard(key) => drop(self.editing.take_recovery(&key)),
            EditAction::Kept => self.editing.full = false,
            EditAction::NotKept(Unkept::Full) => self.editing.full = true,
            EditAction::NotKept(why) => self.not_kept(why),
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

    pub(crate) fn edit(&mut self, command: EditCommand) {
        let Some(document) = self.document.open.clone() else { return };
        let Some(graph) = document.graph.clone() else { return };
        if self.editing.session.is_none() {
            let draft = self.editing.draft_of(&graph);
            self.editing.begin(Editing::new(draft), None);
        }
        let Some(editing) = &mut self.editing.session else { return };
        if !Rc::make_mut(editing).take(command) {
            return;
        }
        self.view.panels.left_tab = panels::Tab::Graph;
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

    /// Why the graph being edited cannot take a change; nothing if it can.
    pub fn refusal(&self, wanted: &Change) -> Option<Message> {
        match (&self.editing.session, self.document.open.as_ref().and_then(|document| document.graph.as_ref())) {
            (Some(editing), _) => edit::change(&editing.draft, wanted).err(),
            (None, Some(graph)) => edit::change(&self.editing.draft_of(graph), wanted).err(),
            (None, None) => None,
        }
    }

    /// Asks for the graph as a file; one that came in another format is written by the worker
    /// first.
    pub(crate) fn save(&mut self) {
        let Some((document, graph)) =
            self.document.open.clone().and_then(|document| Some((document.clone(), document.graph.clone()?)))
        else {
            return self.view.confirm(Message::new("toast.no-graph"));
        };
        self.editing.saving = true;
        if document.format != Format::MemoryGraph && self.editing.session.is_none() {
            self.submit_draft(Origin::File(document.name.clone()), &Editing::new(self.editing.draft_of(&graph)));
        }
    }

    pub(crate) fn submit_draft(&mut self, origin: Origin, editing: &Editing) {
        self.submit(origin, Bytes::default(), Answers::default(), false, None);
        if let Some(job) = self.job_mut() {
            job.draft = Some(Rc::new(editing.draft.clone()));
        }
    }

    /// Asks for the plan shown once more, as a file.
    pub(crate) fn export(&mut self, export: Export) {
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
        self.document.status = Status::Working(Working::on(job));
    }
}
