//! What other settings would have done to a recorded program: a table that grows row by row.

use std::rc::Rc;

use crate::compare::state::comparison::{Column, Sheet};
use crate::open::state::document::{Bytes, Document};
use crate::open::state::query::Query;
use crate::shell::state::State;
use crate::shell::state::panels::Mode;
use memplan_core::base::Message;
use memplan_engine::{Answer, Recorded, Task, WhatIfAnswer, WhatIfEntry, WhatIfTask, bare_change};
use memplan_fit::read_size;

/// Bytes of a MiB: cards that are proposed are whole ones.
const MIB: u64 = 1 << 20;

/// The rows of a recorded program.
pub(crate) const QUERY: Query = Query {
    is_of: |task| matches!(task, Task::WhatIf(_)),
    wants: State::whatif_wants,
    take: |state, task, answer| {
        if let (Task::WhatIf(task), Answer::WhatIf(answer)) = (task, answer) {
            state.comparing.whatif.take(task, *answer);
        }
    },
    give_up: |state, _, why| state.comparing.whatif.give_up(why),
};

/// The table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trying {
    /// The document that all of this belongs to, by its key.
    of: Option<u32>,
    /// Index of the memory, which is a card.
    pub memory: u32,
    /// Bytes of the card that is asked about.
    pub card: Option<u64>,
    /// What was typed for it, if that is no size.
    pub no_size: Option<String>,
    /// What is known of the recording, or why nothing is.
    pub facts: Option<Result<Rc<Recorded>, Message>>,
    /// The rows so far; the first is that of the recorded settings.
    pub rows: Rc<Vec<WhatIfEntry>>,
    /// Changes that the table lacks, in the order in which they are measured.
    left: Vec<String>,
    /// Changes that the reader typed.
    own: Vec<String>,
    /// Positions of the two rows whose curves are shown; none for the recorded settings and the
    /// cheapest change.
    pair: Option<[usize; 2]>,
}

/// What can happen to the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WhatIfChange {
    /// Another size of the card, as typed; nothing for none.
    Card(String),
    /// One more change of the settings, as typed.
    Try(String),
    /// Another card of the recording.
    Memory(u32),
    /// Show the curves of this row beside those of the row chosen before.
    Show(usize),
    /// The plans of both rows, side by side.
    Beside,
}

impl Trying {
    /// A table that begins with a card, as a link names it.
    pub fn on_card(card: Option<u64>) -> Trying {
        Trying { card, ..Trying::default() }
    }

    /// How many rows the table will have.
    pub fn total(&self) -> usize {
        self.rows.len() + self.left.len()
    }

    /// Whether all rows are there.
    pub fn is_complete(&self) -> bool {
        !self.rows.is_empty() && self.left.is_empty()
    }

    /// The rows whose curves are shown: at first those of the recorded settings and of the cheapest
    /// change, or of the first one.
    pub fn pair(&self) -> [usize; 2] {
        let usual = || [0, memplan_engine::cheapest_row(&self.rows).unwrap_or(1)];
        self.pair.unwrap_or_else(usual).map(|at| at.min(self.rows.len().saturating_sub(1)))
    }

    /// The same table for another card or another memory: what is being measured is dropped.
    fn again(&mut self) {
        self.rows = Rc::default();
        self.left.clear();
        if let Some(Ok(facts)) = &self.facts {
            let usual = facts.usual.iter().chain(self.own.iter().filter(|own| !facts.usual.contains(own)));
            self.left = std::iter::once(String::new()).chain(usual.cloned()).collect();
        }
    }

    /// Begins with a document, unless its table is there.
    fn begin(&mut self, document: u32, memories: &[u32]) {
        if self.of == Some(document) {
            return;
        }
        // The card of a link is meant for its own document.
        let card = self.card.filter(|_| self.of.is_none());
        *self =
            Trying { of: Some(document), memory: memories.first().copied().unwrap_or(0), card, ..Trying::default() };
    }

    /// What is asked next.
    fn wants(&self) -> Option<WhatIfTask> {
        let change = match &self.facts {
            None => None,
            Some(Ok(_)) => Some(self.left.first()?.clone()),
            Some(Err(_)) => return None,
        };
        Some(WhatIfTask { memory: self.memory, version: None, card: self.card, change })
    }

    fn take(&mut self, task: &WhatIfTask, answer: Result<WhatIfAnswer, Message>) {
        if self.wants().as_ref() != Some(task) {
            // The input has changed meanwhile.
            return;
        }
        match answer {
            Ok(WhatIfAnswer::Recorded(facts)) => {
                // What the recording shows of its card is a size that the reader can begin with.
                self.card = self.card.or(facts.card.map(|card| card / MIB * MIB));
                self.facts = Some(Ok(Rc::new(facts)));
                self.again();
            }
            Ok(WhatIfAnswer::Row(row)) => {
                Rc::make_mut(&mut self.rows).push((self.left.remove(0), row));
            }
            Err(why) => self.give_up(&why),
        }
    }

    /// Measures no more; what there is stays.
    fn give_up(&mut self, why: &Message) {
        self.left.clear();
        if self.of.is_some() && self.facts.is_none() {
            self.facts = Some(Err(why.clone()));
        }
    }
}

impl State {
    fn whatif_wants(&mut self, document: &Document) -> Option<Task<Bytes>> {
        let is_shown = self.view.mode == Mode::Compare && self.comparing.sheet == Sheet::WhatIf;
        if !is_shown || document.recorded.is_empty() {
            return None;
        }
        self.comparing.whatif.begin(document.key, &document.recorded);
        self.comparing.whatif.wants().map(Task::WhatIf)
    }

    pub(crate) fn on_whatif(&mut self, change: WhatIfChange) {
        let trying = &mut self.comparing.whatif;
        match change {
            WhatIfChange::Card(text) => {
                let text = text.trim();
                let size = read_size(text).filter(|&size| size > 0);
                trying.no_size = (size.is_none() && !text.is_empty()).then(|| text.to_string());
                if trying.no_size.is_none() && trying.card != size {
                    trying.card = size;
                    trying.again();
                }
            }
            WhatIfChange::Try(text) => {
                let text = bare_change(&text);
                let is_there = trying.rows.iter().map(|(change, _)| change).chain(&trying.left).any(|one| *one == text);
                if !text.is_empty() && !is_there {
                    trying.own.push(text.clone());
                    trying.left.push(text);
                }
            }
            WhatIfChange::Memory(memory) => {
                let (of, card) = (trying.of, trying.card);
                *trying = Trying { of, card, memory, ..Trying::default() };
            }
            WhatIfChange::Show(row) => {
                let [_, second] = trying.pair();
                if second != row {
                    trying.pair = Some([second, row]);
                }
            }
            WhatIfChange::Beside => self.whatif_beside(),
        }
    }

    /// The plans of the two rows in columns.
    fn whatif_beside(&mut self) {
        let trying = &self.comparing.whatif;
        let choice = |at: usize| Some(trying.rows.get(at)?.1.as_ref().ok()?.choice.clone());
        let choices: Vec<_> = trying.pair().into_iter().filter_map(choice).collect();
        if let [first, second] = choices.as_slice()
            && first != second
        {
            self.comparing.columns = [first, second].map(|choice| Column::of(choice.clone())).to_vec();
            (self.comparing.reference, self.comparing.front) = (0, 0);
            self.comparing.sheet = Sheet::Columns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::diff::state::tests::settled;
    use crate::open::state::document::Origin;
    use crate::shell::state::action::{Action, CompareAction, DocumentAction};
    use crate::shell::state::address;
    use crate::testing::{done, opened};
    use memplan_engine::{cheapest_row, whatif_verdict};
    use memplan_formats::import::Answers;

    const SNAPSHOT: &[u8] =
        include_bytes!("../../../tests/golden/data/cuda_allocator/snapshots/gpt_inference.pickle.gz");

    fn snapshot() -> State {
        let origin = Origin::File("gpt_inference.pickle".into());
        let bytes = SNAPSHOT.to_vec().into();
        done(State::default().reduce(Action::Document(DocumentAction::Open {
            origin,
            bytes,
            choices: Answers::default(),
            place: None,
        })))
    }

    fn whatif(change: WhatIfChange) -> Action {
        Action::Compare(CompareAction::WhatIf(change))
    }

    #[test]
    fn the_table_fills_row_by_row_and_begins_again_with_another_card() {
        let mut state = snapshot().reduce(Action::Compare(CompareAction::OpenWhatIf));
        let mut counts = Vec::new();
        while state.job().is_some() {
            state = done(state);
            counts.push(state.comparing.whatif.rows.len());
        }
        // First what is known of the recording, then a row each.
        assert_eq!(counts, (0..=12).collect::<Vec<_>>());
        assert!(state.comparing.whatif.rows.iter().flat_map(|(_, row)| row).all(|row| row.measured.on_card.is_none()));
        // While a row is measured, another card is named: that row is not taken.
        let asked = state.reduce(whatif(WhatIfChange::Card("64MiB".into())));
        let again = asked.reduce(whatif(WhatIfChange::Card("80 MiB".into())));
        assert_eq!(again.job().map(|job| job.number), asked.job().map(|job| job.number));
        let late = done(again);
        assert!(late.comparing.whatif.rows.is_empty(), "the row of another card");
        let state = settled(late);
        let trying = &state.comparing.whatif;
        assert_eq!((trying.card, trying.rows.len(), trying.is_complete()), (Some(80 << 20), 12, true));
        let best = cheapest_row(&trying.rows).expect("a setting helps");
        assert_eq!(trying.rows[best].0, "large_segment_size_mb:12");
        assert_eq!(trying.pair(), [0, best]);
        let verdict = whatif_verdict(&trying.rows, trying.card, true).expect("a verdict");
        assert_eq!(verdict.key, "whatif.verdict-avoids");
        // The card travels in links, what was typed wrongly changes nothing.
        let restored = address::read(&address::write(&state)).restored.compared.expect("a comparison");
        assert_eq!((restored.sheet, restored.card), (Sheet::WhatIf, Some(80 << 20)));
        let wrong = state.reduce(whatif(WhatIfChange::Card("much".into())));
        assert_eq!(wrong.comparing.whatif.no_size.as_deref(), Some("much"));
        assert!(wrong.job().is_none() && wrong.comparing.whatif.rows.len() == 12);
    }

    #[test]
    fn cancelling_keeps_the_rows_that_are_there() {
        let mut state = snapshot().reduce(Action::Compare(CompareAction::OpenWhatIf));
        for _ in 0..3 {
            state = done(state);
        }
        let state = state.reduce(Action::Document(DocumentAction::Cancel));
        assert!(state.job().is_none());
        assert_eq!((state.comparing.whatif.rows.len(), state.comparing.whatif.total()), (2, 2));
    }

    #[test]
    fn a_row_opens_its_plan_and_two_stand_side_by_side() {
        let state = settled(snapshot().reduce(Action::Compare(CompareAction::OpenWhatIf)));
        let state = settled(state.reduce(whatif(WhatIfChange::Try(" max_split_size_mb:128 ".into()))));
        let trying = &state.comparing.whatif;
        assert_eq!(trying.rows.last().map(|(change, _)| change.as_str()), Some("max_split_size_mb:128"));
        let state = state.reduce(whatif(WhatIfChange::Show(4))).reduce(whatif(WhatIfChange::Show(2)));
        assert_eq!(state.comparing.whatif.pair(), [4, 2]);
        let choices = [4, 2].map(|at| state.comparing.whatif.rows[at].1.clone().expect("it runs").choice);
        let beside = settled(state.reduce(whatif(WhatIfChange::Beside)));
        let columns = &beside.comparing.columns;
        assert_eq!(beside.comparing.sheet, Sheet::Columns);
        assert_eq!(columns.iter().map(|column| column.choice.clone()).collect::<Vec<_>>(), choices);
        assert!(columns.iter().all(|column| column.plan().is_some()));
        let scope = state.document.scope.clone();
        let [choice, _] = choices;
        let stepped =
            settled(state.reduce(Action::Compare(CompareAction::OpenInSteps { choice: choice.clone(), scope })));
        assert_eq!((stepped.view.mode, &stepped.document.options), (Mode::Step, &choice.options));
        let run = stepped.document.run.as_ref().expect("a plan");
        assert_eq!(run.planner, choice.planner);
        // The recorded calls are repeated: segments go by the rounded sizes of requests.
        assert!(run.plan.pools.iter().all(|pool| pool.size % MIB == 0), "segments of the allocator");
    }

    #[test]
    fn only_a_recording_has_a_table() {
        let state = opened().reduce(Action::Compare(CompareAction::OpenWhatIf));
        assert!(state.job().is_none() && state.comparing.whatif.facts.is_none());
        let state = state.reduce(Action::Compare(CompareAction::OpenPlanners));
        assert_eq!(state.comparing.sheet, Sheet::Columns);
    }
}
