//! Two documents compared: the open one is the new one, and an older one is beside it.

pub mod link_keys;
pub mod shown;
#[cfg(test)]
pub(crate) mod tests;

use std::rc::Rc;

use crate::compare::diff::state::shown::{DiffShown, Older, Pair};
use crate::open::state::document::{Bytes, Document, Origin};
use crate::open::state::link::DiffLink;
use crate::open::state::query::Query;
use crate::open::state::sites::Reach;
use crate::shell::state::State;
use crate::shell::state::notice::Notice;
use crate::shell::state::panels::Mode;
use memplan_core::base::Message;
use memplan_core::problem::{BufferId, Scope};
use memplan_engine::{Answer, DiffTask, Failure, PlannerChoice, Task, Undiffed};
use memplan_replay::counterpart;
use memplan_scene::Index;

/// The comparison of two documents.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Diffing {
    /// The older document.
    pub old: Option<Older>,
    /// Planner of both; none: that of the files, or the one that the page would choose.
    pub choice: Option<PlannerChoice>,
    /// Whether weights are left out.
    pub without_weights: bool,
    /// What differs, or why that is not known; nothing until the engine has answered.
    pub found: Option<Result<Rc<DiffShown>, Message>>,
    /// The buffers that are looked at.
    pub pair: Pair,
    /// The step of the new side that is looked at; that of its largest load if none was chosen.
    pub step: Option<u32>,
    /// Whether a narrow screen shows the old plan.
    pub shows_old: bool,
    /// Name of the buffer that a link looks at.
    wanted: Option<String>,
    /// The address of the older document of a link, which is asked about once the new one is there.
    awaited: Option<(String, Reach)>,
    /// The open document and its scope, that `found` belongs to.
    of: Option<(u32, Scope)>,
}

/// What can happen to the comparison of two documents.
#[derive(Clone, Debug)]
pub enum DiffChange {
    /// Compare the open document with this one.
    Older(Older),
    /// The older document of a link lies at an address.
    Await(String, Reach),
    /// A link leads to another comparison.
    Forget,
    /// Let the older document be the new one, and the reverse.
    Swap,
    /// Plan both with this planner; none: with that of the files, or the one that the page would
    /// choose.
    Planner(Option<PlannerChoice>),
    /// Leave weights out, or not.
    WithoutWeights(bool),
    /// Look at a row.
    Row(usize),
    /// Go to the next difference, or to the one before.
    Next {
        /// Whether it is the next one.
        forward: bool,
    },
    /// Look at a buffer of one side, or at none.
    Select(usize, Option<BufferId>),
    /// Look at a step of one side.
    Step(usize, u32),
    /// Show the old plan on a narrow screen, or the new one.
    ShowOld(bool),
}

impl Diffing {
    /// What differs, if it is known.
    pub fn shown(&self) -> Option<&Rc<DiffShown>> {
        self.found.as_ref()?.as_ref().ok()
    }

    /// The row that is looked at.
    pub fn row(&self) -> Option<usize> {
        let is_at = |row: &memplan_engine::DiffedRow| self.pair == [row.old, row.new];
        self.shown().filter(|_| self.pair != [None; 2])?.rows.iter().position(is_at)
    }

    /// The steps that are looked at, of the old and the new side.
    pub fn steps(&self) -> [u32; 2] {
        let Some(shown) = self.shown() else { return [0; 2] };
        let [old, new] = &shown.figures;
        match self.step {
            None => [old.step, new.step],
            Some(step) => [shown.old_step(step), step.min(new.steps.saturating_sub(1))],
        }
    }

    /// Its part of a link.
    pub fn link(&self) -> DiffLink {
        let selection = self.shown().zip(self.row()).map(|(shown, row)| shown.name(&shown.rows[row]).to_string());
        DiffLink { planner: self.choice.clone(), without_weights: self.without_weights, selection }
    }

    /// What was found is of another pair, or of other plans.
    fn again(&mut self) {
        self.found = None;
        self.pair = [None; 2];
        self.step = None;
    }

    fn look_at(&mut self, number: usize) {
        let row = self.shown().and_then(|shown| shown.rows.get(number));
        self.pair = row.map_or([None; 2], |row| [row.old, row.new]);
    }

    fn go_on(&mut self, forward: bool) {
        let count = self.shown().map_or(0, |shown| shown.differences());
        let here = self.row().filter(|here| *here < count);
        let next = match (here, forward) {
            _ if count == 0 => return,
            (None, true) => 0,
            (None, false) => count - 1,
            (Some(here), true) => (here + 1) % count,
            (Some(here), false) => (here + count - 1) % count,
        };
        self.look_at(next);
    }

    fn select(&mut self, side: usize, id: Option<BufferId>) {
        let Some((shown, id)) = self.shown().cloned().zip(id) else { return self.pair = [None; 2] };
        let listed = shown.rows.iter().position(|row| [row.old, row.new][side] == Some(id));
        match listed {
            Some(number) => self.look_at(number),
            None => {
                // What did not change is in no row: its counterpart has its name.
                let other = counterpart(&shown.sides[side].0, id, &shown.sides[1 - side].0);
                self.pair[side] = Some(id);
                self.pair[1 - side] = other;
            }
        }
    }

    /// The engine gave nothing: nothing is waited for any longer.
    pub fn give_up(&mut self, why: &Message) {
        if self.old.is_some() {
            self.found.get_or_insert_with(|| Err(why.clone()));
        }
    }
}

/// Two documents compared.
pub(crate) const QUERY: Query = Query {
    is_of: |task| matches!(task, Task::Diff(_)),
    wants: State::diff_wants,
    take: |state, _, answer| state.take_diff(answer),
    give_up: |state, _, why| state.diffing.give_up(why),
};

impl State {
    pub(crate) fn on_diff(&mut self, change: DiffChange) {
        match change {
            DiffChange::Older(old) => self.compare_with(old),
            DiffChange::Await(address, reach) => self.diffing.awaited = Some((address, reach)),
            DiffChange::Forget => self.diffing = Diffing::default(),
            DiffChange::Swap => {
                let Some((document, old)) = self.document.open.clone().zip(self.diffing.old.take()) else { return };
                self.compare_with(Older::from(&*document));
                self.open(old.origin, old.bytes, old.choices, None);
            }
            DiffChange::Planner(choice) => {
                self.view.overlay = None;
                self.diffing.choice = choice;
                self.diffing.again();
            }
            DiffChange::WithoutWeights(without) => {
                self.diffing.without_weights = without;
                self.diffing.again();
            }
            DiffChange::Row(number) => self.diffing.look_at(number),
            DiffChange::Next { forward } => self.diffing.go_on(forward),
            DiffChange::Select(side, id) => self.diffing.select(side, id),
            DiffChange::Step(side, step) => {
                let Some(shown) = self.diffing.shown() else { return };
                let matched = |step: u32| shown.steps.iter().find(|(old, _)| *old >= step).map_or(step, |pair| pair.1);
                self.diffing.step = Some(if side == 0 { matched(step) } else { step });
            }
            DiffChange::ShowOld(old) => self.diffing.shows_old = old,
        }
    }

    /// Compares the open document with an older one.
    pub(crate) fn compare_with(&mut self, old: Older) {
        self.view.mode = Mode::Diff;
        self.view.overlay = None;
        self.diffing.old = Some(old);
        self.diffing.awaited = None;
        self.document.remote = self.document.remote.take().filter(|remote| !remote.is_older);
        self.diffing.again();
    }

    /// A document that is opened while one is there to be compared with nothing: the one before is
    /// the older one.
    pub(crate) fn keep_older(&mut self) {
        let lacks = self.view.mode == Mode::Diff && self.diffing.old.is_none() && self.diffing.awaited.is_none();
        if let Some(document) = self.document.open.clone().filter(|_| lacks) {
            self.compare_with(Older::from(&*document));
        }
    }

    pub(crate) fn restore_diff(&mut self, link: DiffLink) {
        let DiffLink { planner: choice, without_weights, selection: wanted } = link;
        self.view.mode = Mode::Diff;
        // The older document of a link may be there before the new one.
        let (old, awaited) = (self.diffing.old.take(), self.diffing.awaited.take());
        self.diffing = Diffing { old, awaited, choice, without_weights, wanted, ..Diffing::default() };
    }

    /// Returns how to find out what differs; begins to fetch the older document that a link names.
    fn diff_wants(&mut self, document: &Document) -> Option<Task<Bytes>> {
        if self.view.mode != Mode::Diff || self.document.remote.is_some() {
            return None;
        }
        if let Some((address, reach)) = self.diffing.awaited.take() {
            self.visit_older(address, reach);
            return None;
        }
        let of = Some((document.key, self.document.scope.clone()));
        if self.diffing.of != of {
            self.diffing.of = of;
            self.diffing.again();
        }
        let old = self.diffing.old.clone().filter(|_| self.diffing.found.is_none())?;
        Some(Task::Diff(DiffTask {
            old: old.bytes,
            choices: old.choices,
            names: [old.origin.name().into(), document.origin.name().into()],
            format: document.format,
            planner: self.diffing.choice.clone(),
            without_weights: self.diffing.without_weights,
        }))
    }

    fn take_diff(&mut self, answer: Answer) {
        let Answer::Diff(found) = answer else { return };
        match *found {
            Ok(diffed) => {
                let graph = self.document.open.as_ref().and_then(|document| document.graph.clone());
                let shown = DiffShown::of(diffed, graph.as_ref(), Index::of);
                let wanted = self.diffing.wanted.take();
                let row = wanted.and_then(|name| shown.rows.iter().position(|row| shown.name(row) == name));
                self.diffing.found = Some(Ok(Rc::new(shown)));
                row.into_iter().for_each(|row| self.diffing.look_at(row));
            }
            Err(Undiffed::NoPlan(why)) => self.diffing.found = Some(Err(why)),
            Err(Undiffed::Old(failure)) => {
                let Some(old) = self.diffing.old.take() else { return };
                self.document.notice = Some(Rc::new(not_read(&old.origin, failure)));
            }
        }
    }
}

/// Why a file cannot be compared with.
fn not_read(origin: &Origin, failure: Failure) -> Notice {
    let private = matches!(origin, Origin::Remote(_));
    let notice = match failure {
        Failure::Faults(faults) => {
            let title = Message::new("notice.faults").count("n", faults.len() as u64).text("name", origin.name());
            Notice { faults, ..Notice::of(title) }
        }
        Failure::NotRead => Notice::of(Message::new("notice.not-read").text("name", origin.name())),
        Failure::Large(count) => {
            Notice::of(Message::new("diff.too-large").text("name", origin.name()).count("n", count))
        }
        other => Notice::of(other.message()),
    };
    Notice { private, ..notice }
}
