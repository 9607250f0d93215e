//! The user's own programs in the list of planners.

use std::rc::Rc;

use super::{Peak, Pick, PlannerList};
use crate::shell::state::State;
use memplan_engine::{PlannerChoice, is_own};
use memplan_planners as planner;

/// A program of the user's own in the list.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnPick {
    /// Its position in the list of programs.
    pub at: usize,
    /// What people call it.
    pub name: Rc<str>,
    /// Whether the engine has its planner, which can stand beside others.
    pub is_ready: bool,
    /// Its planner, of the newest version that plans; the id is empty before there is one.
    pub pick: Pick,
}

impl State {
    /// The user's own programs, in their order.
    pub fn own_picks(&self) -> Vec<OwnPick> {
        let edits = is_own(&self.document.planner);
        let drafts = self.own.drafts().iter().enumerate();
        drafts
            .map(|(at, draft)| {
                let info = draft.planner().and_then(planner::info);
                let choice = info.map_or_else(|| PlannerChoice::of(""), |info| self.choice_of(info));
                let mut pick = self.pick(choice, info, true);
                let is_ready = info.is_some_and(|info| self.own.ready().any(|program| program.id == info.id));
                // A program may take long: it is measured when that is asked for.
                if is_ready && pick.peak == Peak::Unknown && !self.planner_list.asked.contains(&pick.choice) {
                    pick.peak = Peak::OnDemand;
                }
                pick.is_current = edits && at == self.own.at();
                OwnPick { at, name: draft.name.clone(), is_ready, pick }
            })
            .collect()
    }

    /// Keeps the peak of a plan by one of the user's programs for the list, which does not measure
    /// them by itself.
    pub(crate) fn keep_own_peak(&mut self) {
        let of = self.document.open.as_ref().map(|document| (document.key, self.document.scope.clone()));
        let Some((run, choice)) = self.shown().filter(|(run, _)| is_own(&run.planner)) else { return };
        let found = super::PeakFound::of(&run.metrics, self.is_sound(run));
        if self.planner_list.of != of {
            self.planner_list = PlannerList { of, ..PlannerList::default() };
        }
        self.take_peaks(vec![(choice, Ok(found))]);
    }
}
