//! A text of the editor is checked, and planned by if it plans.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::compare::state::Change;
use crate::open::state::document::Document;
use crate::shell::state::State;
use memplan_core::base::Message;
use memplan_core::problem::Scope;
use memplan_engine::{Mistake, OwnChecked, OwnProgram, PlannerChoice, know_own};
use memplan_planners as planner;

/// What came of a text.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked {
    pub(super) of: CheckedFor,
    pub(super) mistake: Option<Mistake>,
}

/// A text with what it was checked on.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckedFor {
    pub(super) program: OwnProgram,
    document: u32,
    scope: Scope,
    pub(super) options: BTreeMap<String, String>,
}

impl State {
    pub(super) fn to_check(&self, document: &Document) -> Option<CheckedFor> {
        let program = self.own.program().filter(|_| self.own.open)?;
        let (scope, options) = (self.document.scope.clone(), self.own_options());
        Some(CheckedFor { program, document: document.key, scope, options })
    }

    /// Returns true while it is not known whether the text in the editor plans, or its plan is on
    /// its way.
    pub fn own_is_awaited(&self) -> bool {
        let of = self.document.open.as_ref().and_then(|document| self.to_check(document));
        let is_unchecked = of.is_some_and(|of| self.own.checked.as_ref().is_none_or(|checked| checked.of != of));
        is_unchecked || self.own.open && self.job().is_some_and(|job| job.task.is_none())
    }

    pub(super) fn take_checked(&mut self, program: &OwnProgram, result: Result<OwnChecked, Message>) {
        let of = self.document.open.clone().and_then(|document| self.to_check(&document));
        // The text has changed meanwhile: the next one is checked then.
        let Some(of) = of.filter(|of| of.program == *program) else { return };
        match result {
            Ok(checked) => {
                let is_new = self.document.planner != program.id;
                know_own(program, &checked.sheet);
                let before = self.own.draft_mut().and_then(|draft| {
                    draft.is_read = true;
                    draft.planned.replace(program.id.clone())
                });
                self.own.add(program.clone(), checked.packed.map(Rc::from));
                let is_wanted = std::mem::take(&mut self.own.is_written) || self.own.refused.is_some();
                if is_wanted && is_new {
                    self.plan_by_own(program);
                }
                self.columns_follow(before, program);
                let options = self.own_options();
                self.own.checked = Some(Rc::new(Checked { of: CheckedFor { options, ..of }, mistake: None }));
            }
            Err(why) => self.own.checked = Some(Rc::new(Checked { of, mistake: Some(Mistake::of(&why)) })),
        }
    }

    /// Puts a version of a program in place of the one before in the comparison, if there was one:
    /// all bear the same name, and an older one would be taken for it.
    pub(super) fn columns_follow(&mut self, before: Option<String>, program: &OwnProgram) {
        let Some(before) = before.filter(|before| *before != program.id) else {
            return self.comparing.rank_too(PlannerChoice::of(&program.id));
        };
        self.comparing.rank_instead(&before, &PlannerChoice::of(&program.id));
        for number in 0..self.comparing.columns.len() {
            let choice = self.comparing.columns[number].choice.clone();
            if choice.planner == before {
                let options = options_of(program, choice.options);
                let choice = PlannerChoice { planner: program.id.clone(), options };
                self.comparing.apply(Change::Replace(number, choice));
            }
        }
    }

    /// Plans by a version of the program, with the options that it has, too.
    fn plan_by_own(&mut self, program: &OwnProgram) {
        let options = options_of(program, self.own_options());
        self.own.refused = None;
        self.document.planner = program.id.clone();
        self.document.options = options;
        self.document.is_fitted = false;
        self.plan_again();
    }
}

/// Those of some options that a program has.
fn options_of(program: &OwnProgram, mut options: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let info = planner::info(&program.id);
    options.retain(|key, value| info.is_some_and(|info| info.options([(key.as_str(), value.as_str())]).is_ok()));
    options
}
