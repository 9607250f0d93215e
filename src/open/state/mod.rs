//! What is open, what is asked of the engine, and what came of it.

pub mod action;
pub mod answers;
pub mod companions;
pub mod document;
pub mod examples;
pub mod indexed;
pub mod link;
pub mod link_keys;
pub mod modified;
mod next_query;
pub mod opening;
pub mod planning;
pub mod query;
pub mod recent;
pub mod recovery;
pub mod remote;
pub mod request;
pub mod sites;
pub mod status;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::open::state::document::{Document, Download, Job};
use crate::open::state::indexed::LastIndex;
use crate::open::state::opening::Batch;
use crate::open::state::recovery::{Recent, Unkept};
use crate::open::state::sites::Remote;
use crate::open::state::status::{Passing, Status, Working};
use crate::shell::state::State;
use crate::shell::state::action::DocumentAction;
use crate::shell::state::arriving::Fetching;
use crate::shell::state::notice::Notice;
use memplan_core::base::Message;
use memplan_core::problem::Scope;
use memplan_planners as planner;
use memplan_replay::Run;
use memplan_worker::Unstarted;

/// The element id of the list of broken rules.
pub const VIOLATIONS: &str = "violations";

/// The element id of the button that opens that list again.
pub const OPENS_VIOLATIONS: &str = "own-broken";

/// The open document with its run, and the files around it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DocumentState {
    /// The open document.
    pub open: Option<Rc<Document>>,
    /// Its last good run, which stays in sight until the next one is there.
    pub run: Option<Rc<Run>>,
    /// The index of that run, once it was drawn.
    pub index: LastIndex,
    /// Why the plan of the run is none.
    pub violations: Rc<Vec<Message>>,
    /// Id of the planner asked for; the run may still be of the one before.
    pub planner: String,
    /// The planner came with the document or by default: nobody chose it.
    pub(crate) is_fitted: bool,
    /// Options asked for, as far as they differ from the defaults.
    pub options: BTreeMap<String, String>,
    /// Whether the list of broken rules was closed.
    pub hides_violations: bool,
    /// What is asked to be planned.
    pub scope: Scope,
    /// What the page waits for.
    pub status: Status,
    /// The job that gave the run; none for a run that nobody can repeat.
    pub(crate) shown: Option<Rc<Job>>,
    /// Number of the last job.
    pub(crate) jobs: u32,
    /// The file written last.
    pub download: Option<Rc<Download>>,
    /// The document at an address that is asked about, or on its way.
    pub remote: Option<Rc<Remote>>,
    /// Documents that the page fetches.
    pub(crate) fetching: Fetching,
    /// Number of the last address.
    pub(crate) visits: u32,
    /// What went wrong last.
    pub notice: Option<Rc<Notice>>,
    /// Why the worker did not start, while the page still answers the first job itself.
    pub(crate) unstarted: Option<Unstarted>,
    /// Whether what is remarkable about the open file stands above the plan.
    pub remarks: bool,
    /// Files that came together: those shown in the list, and those still to be tried.
    pub batch: Batch,
    /// Documents opened before, the latest first.
    pub recent: Rc<Vec<Recent>>,
    /// Storage is unavailable; the user has been notified.
    pub forgetful: bool,
}

impl State {
    /// Returns the job that the engine has.
    pub fn job(&self) -> Option<&Rc<Job>> {
        self.document.status.job()
    }

    /// Returns the job that the engine has, to be completed before it is sent.
    pub(crate) fn job_mut(&mut self) -> Option<&mut Job> {
        self.document.status.working_mut().map(|working| Rc::make_mut(&mut working.job))
    }

    /// Returns what the engine does if that is this job; nobody wants answers of others any more.
    fn working_on(&mut self, job: u32) -> Option<&mut Working> {
        self.document.status.working_mut().filter(|working| working.job.number == job)
    }

    /// Ends a job that nobody will answer, if that is what the engine does; the job.
    fn end_without_answer(&mut self, job: u32, why: &Message) -> Option<Rc<Job>> {
        let job = self.job().cloned().filter(|present| present.number == job)?;
        self.document.status.end_job();
        self.give_up_all(job.task.as_deref(), why);
        Some(job)
    }

    pub(crate) fn on_document(&mut self, action: DocumentAction) {
        use DocumentAction::{Awaits, Open, OpenAll, OpenLarge, Restore};
        if matches!(action, Open { .. } | OpenAll(_) | OpenLarge | Restore(_) | Awaits { .. }) {
            // Another document is wanted.
            (self.document.remote, self.document.fetching.document) = (None, None);
        }
        match action {
            DocumentAction::Open { origin, bytes, choices, place } => {
                self.document.batch.give_up();
                self.open(origin, bytes, choices, place);
            }
            DocumentAction::OpenAll(files) => self.open_all(files),
            DocumentAction::OpenLarge => self.open_large(),
            DocumentAction::Recents(recent) => self.document.recent = Rc::new(recent),
            DocumentAction::NotKept(why) => self.not_kept(why),
            DocumentAction::Answers(choices) => {
                if let Some(document) = self.document.open.clone() {
                    self.submit(document.origin.clone(), document.bytes.clone(), choices, false, None);
                }
            }
            DocumentAction::Forget => self.forget_coming(),
            DocumentAction::NotFetched(notice) => {
                self.document.status.stop_following();
                self.document.notice = Some(Rc::new(notice));
            }
            DocumentAction::Remote(change) => self.on_remote(change),
            DocumentAction::Awaits { file, place } => self.await_file(file, place),
            DocumentAction::Answered { job, result, written } => self.answered(job, *result, written),
            DocumentAction::Export(export) => self.export(export),
            DocumentAction::Write(form) => self.ask_to_write(form),
            DocumentAction::Progress { job, progress } => {
                if let Some(working) = self.working_on(job) {
                    working.progress = Passing(Some(progress));
                }
            }
            DocumentAction::Best { job, answer } => {
                // A file is of the whole search or of none.
                if let Some(working) = self.working_on(job).filter(|working| working.job.export.is_none()) {
                    working.best = Some(Passing(answer));
                }
            }
            DocumentAction::Crashed { job } => {
                if let Some(job) = self.end_without_answer(job, &Message::new("notice.crashed")) {
                    self.stopped(&job);
                }
            }
            DocumentAction::Unstarted(job, why) => {
                if self.end_without_answer(job, &why.message()).is_some() {
                    self.document.batch.give_up();
                    self.document.unstarted = None;
                    self.notify(why.message());
                    self.fall_back();
                } else if job == 0 {
                    // Nothing was asked of this worker. A plan that is about to come would take the
                    // notice away.
                    if self.job().is_some() {
                        self.document.unstarted = Some(why);
                    } else {
                        self.notify(why.message());
                    }
                }
            }
            DocumentAction::Cancel => {
                if !self.keep_best() {
                    let task = self.job().and_then(|job| job.task.clone());
                    self.document.status.end_job();
                    self.give_up_all(task.as_deref(), &Message::new("fault.cancelled"));
                    self.fall_back();
                }
            }
            DocumentAction::Planner(id) => {
                self.choice_answers_link();
                if id == self.document.planner && self.document.run.is_some() {
                    self.own_follows();
                } else {
                    self.document.options =
                        planner::info(&id).map(|info| self.choice_of(info).options).unwrap_or_default();
                    self.document.planner = id;
                    self.document.is_fitted = false;
                    self.own_follows();
                    self.plan_again();
                }
            }
            DocumentAction::NextPlanner { forward } => {
                self.choice_answers_link();
                self.next_planner(forward);
            }
            DocumentAction::Option { key, value } => {
                self.choice_answers_link();
                self.document.options.insert(key, value);
                self.plan_again();
            }
            DocumentAction::Options(settings) => {
                self.choice_answers_link();
                self.document.options.extend(settings);
                self.plan_again();
            }
            DocumentAction::LookClosely => self.look_closely(),
            DocumentAction::ResetOptions => {
                self.document.options.clear();
                self.plan_again();
            }
            DocumentAction::ResetAll => {
                self.document.options.clear();
                self.document.scope = Scope::default();
                self.plan_again();
            }
            DocumentAction::Scope(scope) => {
                self.document.scope = scope;
                self.plan_again();
            }
            DocumentAction::Restore(restored) => self.restore(*restored),
            DocumentAction::DismissNotice => self.document.notice = None,
            DocumentAction::HideViolations(hides) => self.document.hides_violations = hides,
            DocumentAction::DismissRemarks => self.document.remarks = false,
        }
    }

    /// Says why something was not kept; that nothing is, once.
    pub(crate) fn not_kept(&mut self, why: Unkept) {
        let is_known = why != Unkept::Full && std::mem::replace(&mut self.document.forgetful, true);
        if !is_known {
            self.view.confirm(why.message());
        }
    }

    pub(crate) fn notify(&mut self, title: Message) {
        self.document.notice = Some(Rc::new(Notice::of(title)));
    }
}
