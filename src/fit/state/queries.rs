//! What *Fit* asks of the engine: searches that improve the answer, and the model with its
//! changes.

use std::rc::Rc;

use crate::export::state::ModelKind;
use crate::fit::state::answer::FitShown;
use crate::fit::state::{SEARCHES, search};
use crate::open::state::document::{Bytes, Document};
use crate::open::state::query::Query;
use crate::shell::state::State;
use crate::shell::state::panels::Mode;
use memplan_core::base::Message;
use memplan_engine::{Answer, FitTask, Fitted, PlannerChoice, Task, WriteForm, WriteTask, Written};
use memplan_planners::PORTFOLIO;
use memplan_scene::Index;

/// What makes the graph fit.
pub(crate) const QUERY: Query = Query {
    is_of: |task| matches!(task, Task::Fit(_) | Task::Write(WriteTask { answer: Some(_), .. })),
    wants: State::fit_wants,
    take: |state, _, answer| match answer {
        Answer::Fitted(found) => state.take_fit(*found),
        Answer::Written(found) => state.take_fitted_model(*found),
        _ => {}
    },
    give_up: |state, _, why| state.fitting.give_up(why),
};

impl State {
    /// Returns the next search. A model that waits to be saved is written first.
    fn fit_wants(&mut self, document: &Document) -> Option<Task<Bytes>> {
        if self.view.mode != Mode::Fit || self.is_kernel() {
            return None;
        }
        let of = Some((document.key, self.document.scope.clone()));
        if self.fitting.of != of {
            // The number of changes in a link is meant for the first document only.
            if self.fitting.of.is_some() {
                self.fitting.at = None;
            }
            self.fitting.of = of;
            self.fitting.forget_answer();
        }
        if let Some(Ok(answer)) = self.model_to_write().filter(|_| self.fitting.saves_model) {
            let planner = PlannerChoice::of(PORTFOLIO);
            let (file, answers) = (document.bytes.clone(), document.choices.clone());
            let (form, answer) = (WriteForm::Model, Some(answer));
            return Some(Task::Write(WriteTask { file, answers, planner, form, answer }));
        }
        let operators = document.graph.as_ref().map_or(0, |graph| graph.nodes.len());
        let (millis, curve) = search(self.fitting.answered, operators)?;
        match self.fitting.form.request() {
            Ok(request) => {
                let runtime = self.runtime();
                request.map(|request| Task::Fit(FitTask { request, millis, curve, runtime }))
            }
            Err(why) => {
                self.fitting.give_up(&why);
                None
            }
        }
    }

    fn take_fit(&mut self, found: Result<Fitted, Message>) {
        let fitting = &mut self.fitting;
        match found {
            Ok(fitted) => {
                fitting.answered = if fitted.ended { SEARCHES.len() } else { fitting.answered + 1 };
                fitting.found = Some(Ok(Rc::new(FitShown::of(fitted, Index::of))));
                self.fitting.saves_model &= matches!(self.model_to_write(), Some(Ok(_)));
            }
            Err(why) => fitting.give_up(&why),
        }
    }

    /// Saves the model that was written, or keeps the reason why it was not.
    fn take_fitted_model(&mut self, found: Result<Written, Message>) {
        self.fitting.saves_model = false;
        match found {
            Ok(written) => {
                let Written { with, without, bound, file, .. } = written;
                let (suffix, key) = match self.model() {
                    Some(ModelKind::ExecuTorch) => ("fit-model.pte", "fit.program-saved"),
                    _ => ("fit-model.tflite", "fit.model-saved"),
                };
                self.save_as(suffix, file);
                let message = Message::new(key).bytes("with", with).bytes("without", without);
                self.view.confirm(message.bytes("bound", bound));
            }
            Err(why) => self.fitting.unsaved = Some(why),
        }
    }
}
