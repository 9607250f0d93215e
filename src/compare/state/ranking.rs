//! The ranking of all planners, which grows row by row.

use std::rc::Rc;

use crate::compare::state::Comparing;
use crate::compare::state::comparison::Sheet;
use crate::compare::state::second::Second;
use memplan_engine::{CompareTask, PlannerChoice, RankingEntry, rank};
use memplan_planners::{self as planner, Complexity, INFOS};
use memplan_worker::FileData;

impl Comparing {
    /// Begins a ranking of these planners, if none has begun. Quick ones are measured first, so
    /// that the first rows are there at once; those beside each other have their figures already.
    pub fn begin_ranking(&mut self, mut choices: Vec<PlannerChoice>) {
        if self.sheet != Sheet::Ranking || self.ranking.is_some() {
            return;
        }
        choices.sort_by_key(quickness);
        self.unranked = choices;
        let measured = self.columns.iter().filter_map(|column| {
            let found = column.plan()?.found.clone();
            Some(RankingEntry { choice: column.choice.clone(), result: Ok(found) })
        });
        let measured = measured.filter(|entry| self.unranked.contains(&entry.choice)).collect();
        self.ranking = Some(Rc::default());
        self.add_ranked(measured);
    }

    /// Puts a version of the user's planner in place of the row of the one before.
    pub fn rank_instead(&mut self, before: &str, choice: &PlannerChoice) {
        let is_before = |other: &PlannerChoice| other.planner == before;
        let mut entries = self.ranking.as_deref().cloned().unwrap_or_default();
        let count = entries.len() + self.unranked.len();
        entries.retain(|entry| !is_before(&entry.choice));
        self.unranked.retain(|other| !is_before(other));
        if self.ranking.is_some() && entries.len() + self.unranked.len() < count {
            self.ranking = Some(Rc::new(entries));
            self.unranked.push(choice.clone());
        }
    }

    /// Forgets the ranking, so that it begins anew.
    pub(super) fn rank_again(&mut self) {
        self.ranking = None;
        self.unranked.clear();
        self.second = Second::default();
    }

    /// The planner that the first worker measures next, while a ranking is looked at.
    pub(super) fn next_ranked(&self) -> Option<CompareTask<FileData>> {
        let is_left = |choice: &&PlannerChoice| self.second.choice() != Some(choice);
        let next = self.unranked.iter().find(is_left).filter(|_| self.sheet == Sheet::Ranking)?;
        Some(CompareTask::Ranking(vec![next.clone()]))
    }

    /// Measures a planner that came after the ranking had begun.
    pub fn rank_too(&mut self, choice: PlannerChoice) {
        let is_there = |entries: &Rc<Vec<RankingEntry>>| entries.iter().any(|entry| entry.choice == choice);
        if self.ranking.as_ref().is_some_and(|entries| !is_there(entries)) && !self.unranked.contains(&choice) {
            self.unranked.push(choice);
        }
    }

    /// Takes the row of a planner out.
    pub fn unrank(&mut self, id: &str) {
        self.unranked.retain(|choice| choice.planner != id);
        if let Some(entries) = self.ranking.as_mut().map(Rc::make_mut) {
            entries.retain(|entry| entry.choice.planner != id);
        }
    }

    /// Measures no more planners; what there is of a ranking stays.
    pub fn end_ranking(&mut self) {
        self.unranked.clear();
        self.second = Second::default();
        if self.sheet == Sheet::Ranking {
            self.ranking.get_or_insert_default();
        }
    }

    /// Takes what was measured. A version of the user's planner may have been replaced or deleted
    /// meanwhile.
    pub(super) fn take_ranked(&mut self, mut measured: Vec<RankingEntry>) {
        measured.retain(|entry| self.unranked.contains(&entry.choice));
        self.add_ranked(measured);
    }

    /// Adds rows to the ranking; none to one that is about to begin anew.
    pub fn add_ranked(&mut self, added: Vec<RankingEntry>) {
        let Some(mut entries) = self.ranking.as_deref().cloned() else { return };
        entries.retain(|entry| added.iter().all(|added| added.choice != entry.choice));
        self.unranked.retain(|choice| added.iter().all(|added| added.choice != *choice));
        entries.extend(added);
        // Two workers answer in any order: of equal needs, the quick planners come first.
        entries.sort_by_key(|entry| quickness(&entry.choice));
        rank(&mut entries);
        self.ranking = Some(Rc::new(entries));
    }
}

/// Returns what planners are sorted by from the quickest on: the file's own plan is the first, the
/// user's planner the last of those that are as quick.
fn quickness(choice: &PlannerChoice) -> (Option<Complexity>, usize) {
    let listed = INFOS.iter().position(|info| info.id == choice.planner);
    (planner::info(&choice.planner).map(|info| info.complexity), listed.unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::state::Change;
    use memplan_core::base::Message;
    use memplan_engine::Comparison;

    fn entry(id: &str) -> RankingEntry {
        RankingEntry { choice: PlannerChoice::of(id), result: Err(Message::new("compare.waiting")) }
    }

    #[test]
    fn a_planner_deleted_while_it_is_measured_gets_no_row() {
        let mut comparing = Comparing { sheet: Sheet::Ranking, ..Comparing::default() };
        comparing.begin_ranking(["first-fit", "naive"].map(PlannerChoice::of).to_vec());
        let measures = comparing.wants().expect("a planner");
        assert_eq!(measures, CompareTask::Ranking(vec![PlannerChoice::of("naive")]));
        comparing.unrank("naive");
        comparing.take(&measures, Comparison::Ranking(vec![entry("naive")]), None);
        assert_eq!(comparing.ranking.as_ref().map(|rows| rows.len()), Some(0));
    }

    #[test]
    fn a_ranking_grows_row_by_row_and_quick_planners_come_first() {
        let mut comparing = Comparing { sheet: Sheet::Ranking, ..Comparing::default() };
        let asked = |comparing: &Comparing| match comparing.wants() {
            Some(CompareTask::Ranking(choices)) => choices.iter().map(PlannerChoice::text).collect(),
            _ => Vec::new(),
        };
        let choices = || ["exact", "first-fit", "naive"].map(PlannerChoice::of).to_vec();
        comparing.begin_ranking(choices());
        let mut order = Vec::new();
        while let [next] = asked(&comparing).as_slice() {
            order.push(next.clone());
            let task = CompareTask::Ranking(vec![PlannerChoice::of(next)]);
            comparing.take(&task, Comparison::Ranking(vec![entry(next)]), None);
            assert_eq!(comparing.ranking.as_ref().map(|rows| rows.len()), Some(order.len()));
            comparing.begin_ranking(choices());
        }
        assert_eq!(order, ["naive", "first-fit", "exact"]);
        comparing.rank_instead("exact", &PlannerChoice::of("best-fit"));
        assert_eq!(
            (asked(&comparing), comparing.ranking.as_ref().map(|rows| rows.len())),
            (vec!["best-fit".into()], Some(2))
        );
        comparing.apply(Change::RankAgain);
        comparing.begin_ranking(choices());
        assert_eq!(asked(&comparing), ["naive"]);
        // Begun anew while a planner is measured, it has the others' rows as well.
        comparing.add_ranked(vec![entry("naive")]);
        comparing.apply(Change::RankAgain);
        comparing.add_ranked(vec![entry("first-fit")]);
        comparing.begin_ranking(choices());
        assert_eq!((asked(&comparing), comparing.unranked.len()), (vec!["naive".into()], 3));
        comparing.give_up(&Message::new("compare.waiting"));
        assert_eq!((asked(&comparing), comparing.unranked.len()), (Vec::new(), 0));
    }
}
