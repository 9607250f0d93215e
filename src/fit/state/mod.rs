//! The state of the mode *Fit*: the form, the searches, their answer, and how many of its changes
//! are shown.

pub mod answer;
pub mod form;
pub mod kernel;
pub mod link_keys;
pub mod queries;
#[cfg(test)]
pub(crate) mod tests;

use std::rc::Rc;

use crate::export::state::ModelKind;
use crate::fit::state::answer::FitShown;
use crate::fit::state::form::{FitForm, typed_size};
use crate::fit::state::kernel::KernelAsked;
use crate::shell::state::State;
use crate::shell::state::panels::Mode;
use memplan_core::base::{Message, Undo};
use memplan_core::problem::Scope;
use memplan_engine::{AnswerToWrite, Curve, FitFile, Task, WriteTask};
use memplan_fit::{Lever, Prefer, Runtime};

/// The searches in order: milliseconds of each, and when its answer has the curve of prices. Each
/// may improve the answer; a cancelled search keeps the answer so far.
const SEARCHES: [(u32, Curve); 3] = [(60, Curve::Later), (600, Curve::AtTheEnd), (3_000, Curve::Now)];
/// The searches of a graph of more than [`LARGE`] operators. The first is shorter, because the work
/// around it takes longer there.
const SEARCHES_OF_LARGE: [(u32, Curve); 3] = [(30, Curve::Later), (600, Curve::AtTheEnd), (7_000, Curve::Now)];
const LARGE: usize = 1_000;

/// Returns search `number`, counted from 0, for a graph of so many operators; none after the last.
pub(crate) fn search(number: usize, operators: usize) -> Option<(u32, Curve)> {
    let searches = if operators > LARGE { SEARCHES_OF_LARGE } else { SEARCHES };
    searches.get(number).copied()
}

/// Key of the message that a search was cancelled.
pub const CANCELLED: &str = "fault.cancelled";

/// The state of the mode *Fit*.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Fitting {
    /// What stands in the fields.
    pub form: FitForm,
    /// Earlier contents of the fields.
    pub undo: Undo<FitForm>,
    /// The answer, or why there is none; `None` until the engine has answered.
    pub found: Option<Result<Rc<FitShown>, Message>>,
    /// How many of the answer's changes the graph is shown after; `None`: all.
    pub at: Option<usize>,
    /// Whether the form is unfolded; on a wide page it always stands beside the answer.
    pub shows_form: bool,
    /// Whether the open model is to be saved with the answer's changes.
    pub(crate) saves_model: bool,
    /// Why the model was not saved.
    pub unsaved: Option<Message>,
    /// Whether an open kernel fits a card.
    pub kernel: KernelAsked,
    /// How many searches have answered; the number of all once none is to follow.
    answered: usize,
    /// Key of the document, and the scope, that `found` belongs to.
    of: Option<(u32, Scope)>,
}

/// What takes bytes of the fast memory besides tensors, in the order of [`FitForm::taken`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// Kernels, while they run.
    Scratch,
    /// What stays between runs.
    Persistent,
}

/// What a change costs, in the order of [`FitForm::limits`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paid {
    /// Multiplications and additions.
    Macs,
    /// Bytes moved.
    Bytes,
}

/// Actions of the mode *Fit*.
#[derive(Clone, Debug)]
pub enum FitChange {
    /// Fill a field of a memory: number of the memory, of the field (0 name, 1 size, 2 cost), text.
    Memory(usize, usize, String),
    /// Add a memory.
    AddMemory,
    /// Remove the memory of this number; the first one stays.
    RemoveMemory(usize),
    /// Name the card of a kernel, or a size.
    Card(String),
    /// Fill the bytes that are taken besides tensors.
    Taken(Taken, String),
    /// Fill the bytes by operator.
    Operators(String),
    /// Allow a lever, or not.
    Allow(Lever, bool),
    /// Allow this lever and the choice of the planner, no others.
    Only(Lever),
    /// Fill the most that may be paid.
    Limit(Paid, String),
    /// Count this price first.
    Prefer(Prefer),
    /// Leave this many bytes for tensors.
    Budget(u64),
    /// Show the graph after so many changes.
    Move(usize),
    /// Show the graph after one change more, or one fewer.
    Next {
        /// Whether it is one more.
        forward: bool,
    },
    /// Undo the last change of the fields.
    Undo,
    /// Redo the change of the fields that was undone last.
    Redo,
    /// Save a file of the answer.
    Save(FitFile),
    /// Search again, after a search was cancelled.
    Again,
    /// Save the open model with the answer's changes.
    SaveModel,
    /// Unfold the form, or fold it.
    ShowForm(bool),
}

impl Fitting {
    /// Returns the answer, if there is one.
    pub fn shown(&self) -> Option<&Rc<FitShown>> {
        self.found.as_ref()?.as_ref().ok()
    }

    /// Returns how many of the answer's changes the graph is shown after.
    pub fn moves(&self) -> usize {
        let all = self.shown().map_or(0, |shown| shown.record.moves.len());
        self.at.unwrap_or(all).min(all)
    }

    fn forget_answer(&mut self) {
        self.found = None;
        self.answered = 0;
        self.saves_model = false;
        self.unsaved = None;
    }

    /// Ends the searches after a failure or a cancellation; an answer so far stays.
    pub(crate) fn give_up(&mut self, why: &Message) {
        if self.of.is_some() {
            if std::mem::take(&mut self.saves_model) {
                self.unsaved = Some(why.clone());
            }
            self.answered = SEARCHES.len();
            self.found.get_or_insert_with(|| Err(why.clone()));
        }
    }

    /// Applies a change. Returns true if a new search must begin.
    fn apply(&mut self, change: FitChange) -> bool {
        let before = self.form.clone();
        let is_undo_or_redo = matches!(change, FitChange::Undo | FitChange::Redo);
        let is_again = matches!(change, FitChange::Again);
        let form = &mut self.form;
        match change {
            FitChange::Memory(number, field, text) => {
                if let Some(field) = form.memories.get_mut(number).and_then(|memory| memory.get_mut(field)) {
                    *field = text;
                }
            }
            FitChange::AddMemory => {
                // A second memory without a size would be of no use.
                if form.memories.iter().skip(1).all(|memory| !memory[1].trim().is_empty()) {
                    let names = std::iter::once("DRAM".to_string()).chain((2..).map(|number| format!("M{number}")));
                    let is_free = |name: &String| form.memories.iter().all(|memory| memory[0].trim() != name);
                    let name = names.into_iter().find(is_free).unwrap_or_default();
                    form.memories.push([name, String::new(), String::new()]);
                }
                form.allow.extend([Lever::Bank, Lever::Spill]);
                // The user has to fill in the size.
                self.shows_form = true;
            }
            FitChange::RemoveMemory(number) => {
                if number > 0 && number < form.memories.len() {
                    form.memories.remove(number);
                }
            }
            FitChange::Card(text) => {
                self.kernel.limit = text.trim().to_string();
                return false;
            }
            FitChange::Taken(which, text) => form.taken[which as usize] = text,
            FitChange::Operators(text) => form.operators = text,
            FitChange::Allow(lever, true) => drop(form.allow.insert(lever)),
            FitChange::Allow(lever, false) => drop(form.allow.remove(&lever)),
            FitChange::Only(lever) => form.allow = [Lever::Planner, lever].into(),
            FitChange::Limit(which, text) => form.limits[which as usize] = text,
            FitChange::Prefer(prefer) => form.prefer = prefer,
            FitChange::Budget(bytes) => {
                let taken = form.request().ok().flatten().map(|request| request.budget);
                let taken = taken.map_or(0, |budget| budget.scratch.unwrap_or(0) + budget.persistent.unwrap_or(0));
                if let Some(fast) = form.memories.first_mut() {
                    fast[1] = typed_size(bytes + taken);
                }
            }
            FitChange::Move(number) => {
                self.at = Some(number);
                return false;
            }
            FitChange::Next { forward } => {
                let at = self.moves();
                self.at = Some(if forward { at + 1 } else { at.saturating_sub(1) });
                return false;
            }
            FitChange::ShowForm(shows) => {
                self.shows_form = shows;
                return false;
            }
            FitChange::Undo => self.undo.undo(form),
            FitChange::Redo => self.undo.redo(form),
            FitChange::Again => {}
            FitChange::SaveModel => {
                self.saves_model = true;
                self.unsaved = None;
                return false;
            }
            FitChange::Save(_) => return false,
        }
        // Nothing changed, as when the preference was chosen already: the answer stays.
        if self.form == before && !is_again {
            return false;
        }
        if !is_undo_or_redo && !is_again {
            self.undo.note(before);
        }
        self.at = None;
        self.forget_answer();
        true
    }
}

impl State {
    pub(crate) fn on_fit(&mut self, change: FitChange) {
        if let FitChange::Save(file) = change {
            let Some(shown) = self.fitting.shown().cloned() else { return };
            if let Some((kind, text)) = shown.files.iter().find(|(kind, _)| *kind == file) {
                self.save_as(kind.suffix(), text.to_vec());
            }
            return;
        }
        let saves = matches!(change, FitChange::SaveModel);
        let needs_search = self.fitting.apply(change);
        let is_of_fit =
            |task: &Rc<Task<_>>| matches!(**task, Task::Fit(_) | Task::Write(WriteTask { answer: Some(_), .. }));
        // A new question makes the running search useless. Saving ends the search too, because it
        // could replace the shown answer before that is saved.
        if (needs_search || saves) && self.job().is_some_and(|job| job.task.as_ref().is_some_and(is_of_fit)) {
            self.document.status.end_job();
        }
    }

    pub(crate) fn restore_fit(&mut self, (form, at): (FitForm, Option<usize>)) {
        self.view.mode = Mode::Fit;
        let kernel = std::mem::take(&mut self.fitting.kernel);
        self.fitting = Fitting { form, at, kernel, ..Fitting::default() };
    }

    /// Returns the runtime of the open model, or of the model that a link names; `Compiled` if
    /// there is none.
    pub fn runtime(&self) -> Runtime {
        match self.model().or_else(|| self.model_of_link()) {
            Some(ModelKind::TfLite) => Runtime::TfLiteMicro,
            Some(ModelKind::ExecuTorch) => Runtime::ExecuTorch,
            Some(ModelKind::Onnx) | None => Runtime::Compiled,
        }
    }

    /// Returns what of the answer is written into the open model, or why nothing can be; none
    /// without a model, or without an answer that fits.
    pub fn model_to_write(&self) -> Option<Result<AnswerToWrite, Message>> {
        let (shown, kind) = (self.fitting.shown()?, self.model()?);
        let to_write = shown.to_write.as_ref()?;
        Some(match kind {
            // Its entries can state neither another order nor other nodes.
            ModelKind::Onnx => return None,
            ModelKind::TfLite => to_write.clone(),
            ModelKind::ExecuTorch => {
                let room = shown.record.budget.available;
                shown.record.plan_to_write().map(|()| AnswerToWrite { order: Vec::new(), room })
            }
        })
    }
}
