//! Plans side by side: what is compared, what is asked of the engine, and how the columns step
//! together.

pub mod action;
pub mod comparison;
pub mod link_keys;
pub mod measuring;
pub mod ranking;
pub mod restoring;
pub mod second;
pub mod squeezing;
pub mod sweeping;
#[cfg(test)]
pub(crate) mod tests;
pub mod together;
pub mod whatif;

use std::rc::Rc;

use crate::compare::state::comparison::{COLUMNS, Column, Compared, Sheet, Shown, Swept, Sync, shown};
use crate::compare::state::second::Second;
use crate::compare::state::whatif::Trying;
use memplan_core::base::Message;
use memplan_core::graph::Graph;
use memplan_core::problem::Scope;
use memplan_engine::{CompareTask, Comparison, GraphRow, GrowthLine, PlannerChoice, RankingEntry, Vary};
use memplan_worker::FileData;

/// The comparison.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparing {
    /// Plans side by side.
    pub columns: Vec<Column>,
    /// The column that the others are compared with.
    pub reference: usize,
    /// The choice shown step by step when it was last among the columns.
    pub followed: Option<PlannerChoice>,
    /// How columns step together.
    pub sync: Sync,
    /// Buffers that lie elsewhere than in the reference are marked, all others are faded.
    pub differences: bool,
    /// Each column at a scale of its own.
    pub fit_each: bool,
    /// Addresses go across and time goes down.
    pub turned: bool,
    /// The axis of addresses is broken where one buffer takes most of the height.
    pub squeezed: bool,
    /// Step whose gaps and load are read off; that of the largest load if none was chosen.
    pub step: Option<u32>,
    /// Frame of the reference, or hundredths of the run; none for the finished plans.
    pub position: Option<u32>,
    /// The column on a narrow screen.
    pub front: usize,
    /// What fills the page.
    pub sheet: Sheet,
    /// A row for each planner that was measured, from the lowest peak up; none before the first.
    pub ranking: Option<Rc<Vec<RankingEntry>>>,
    /// Planners that the ranking lacks, in the order in which they are measured.
    pub unranked: Vec<PlannerChoice>,
    /// The worker that measures some of them beside the first one.
    pub second: Second,
    /// What is varied.
    pub vary: Vary,
    /// Sweeps of the open document, one for each planner and each value that was varied.
    pub sweeps: Vec<Rc<Swept>>,
    /// A row for each of many graphs, once measured.
    pub graphs: Option<Rc<Vec<GraphRow>>>,
    /// How plan time grows, once measured.
    pub growth: Option<Rc<Vec<GrowthLine>>>,
    /// Milliseconds that this machine takes for a known amount of work.
    pub speed: f64,
    /// What the engine does as soon as it is free.
    pub asked: Option<CompareTask<FileData>>,
    /// What other settings would have done to a recorded program.
    pub whatif: Trying,
    /// The document, and its scope, that all of this belongs to.
    pub of: Option<(u32, Scope)>,
}

/// What can happen to a comparison.
#[derive(Clone, Debug)]
pub enum Change {
    /// Add a column; nothing where it is there or there is no room.
    Add(PlannerChoice),
    /// The same without leaving a sheet that shows what was added.
    AddHere(PlannerChoice),
    /// Remove a column; nothing where it is the last.
    Remove(usize),
    /// Another planner, or other options, in a column; nothing where another column has them.
    Replace(usize, PlannerChoice),
    /// Compare all with this column.
    Reference(usize),
    /// Moves a column to the place of another one; those between move up.
    Place {
        /// Index of the column.
        column: usize,
        /// Index of its new place.
        to: usize,
    },
    /// Show this column on a narrow screen.
    Front(usize),
    /// Step together in another way.
    Sync(Sync),
    /// Mark differences from the reference, or not.
    Differences(bool),
    /// Give each column a scale of its own, or not.
    FitEach(bool),
    /// Let addresses go across, or up.
    Turned(bool),
    /// Break the axis of addresses, or draw it to scale.
    Squeezed(bool),
    /// Move the time cursor to a step.
    Step(u32),
    /// Step all columns on, or back.
    Move(i32),
    /// Move all columns to a position; none: to the finished plans.
    Position(Option<u32>),
    /// Move all columns to a frame of the reference.
    Seek(u32),
    /// Go to the next decision of the reference whose buffer lies elsewhere in another column, or
    /// to the one before.
    Difference {
        /// Whether it is the next one.
        forward: bool,
    },
    /// The place of one column, in events.
    Cursor {
        /// Index of the column.
        column: usize,
        /// Number of events applied.
        events: u32,
    },
    /// Fill the page with something else.
    Sheet(Sheet),
    /// Measure all planners anew.
    RankAgain,
    /// Vary something else.
    Vary(Vary),
    /// Measure again what is varied.
    SweepAgain,
    /// Have something measured.
    Ask(CompareTask<FileData>),
    /// The comparison of a link.
    Restore(Box<Compared>),
}

impl Comparing {
    /// The reference's plan, or the first there is.
    pub fn reference(&self) -> Option<&Rc<Shown>> {
        self.reference_column()?.plan()
    }

    /// The column of the reference's plan, or the first that has one.
    pub fn reference_column(&self) -> Option<&Column> {
        let column = self.columns.get(self.reference).filter(|column| column.plan().is_some());
        column.or_else(|| self.columns.iter().find(|column| column.plan().is_some()))
    }

    /// The step of the time cursor.
    pub fn step(&self) -> u32 {
        let reference = self.reference();
        let peak = reference.and_then(|shown| shown.found.causes.as_ref()).map_or(0, |causes| causes.load.step);
        let last = reference.map_or(0, |shown| shown.run.problem.steps.saturating_sub(1));
        self.step.unwrap_or(peak).min(last)
    }

    /// Whether a column other than this one shows a planner with these options.
    pub fn is_beside(&self, number: usize, choice: &PlannerChoice) -> bool {
        self.columns.iter().enumerate().any(|(other, column)| other != number && column.choice == *choice)
    }

    /// Figures of another document or of other sizes mean nothing any more.
    pub fn begin(&mut self, of: (u32, Scope)) {
        if self.of.as_ref() == Some(&of) {
            return;
        }
        if self.of.as_ref().is_some_and(|(document, _)| *document != of.0) {
            self.step = None;
            self.position = None;
        }
        self.columns.iter_mut().for_each(|column| column.shown = None);
        self.rank_again();
        self.sweeps.clear();
        self.of = Some(of);
    }

    /// Lets the column of the planner shown step by step take its options: they were changed for
    /// the plan that is compared.
    pub fn follow(&mut self, shown: PlannerChoice) {
        let is_changed = |before: &&PlannerChoice| before.planner == shown.planner && **before != shown;
        let before = self.followed.as_ref().filter(is_changed);
        let column = self.columns.iter().position(|column| Some(&column.choice) == before);
        if let Some(number) = column {
            self.apply(Change::Replace(number, shown.clone()));
        }
        if self.columns.iter().any(|column| column.choice == shown) {
            self.followed = Some(shown);
        }
    }

    /// Makes a change.
    pub fn apply(&mut self, change: Change) {
        let count = self.columns.len();
        if matches!(change, Change::Add(_) | Change::Remove(_) | Change::Replace(..)) {
            // Its lines are those of the columns.
            self.growth = None;
        }
        match change {
            Change::Add(choice) => {
                if count < COLUMNS.1 && self.columns.iter().all(|column| column.choice != choice) {
                    self.columns.push(Column::of(choice));
                }
                self.sheet = Sheet::Columns;
            }
            Change::AddHere(choice) => {
                let here = self.sheet;
                self.apply(Change::Add(choice));
                if matches!(here, Sheet::Sweep | Sheet::Charts) {
                    self.sheet = here;
                }
            }
            Change::Remove(number) if count > 1 && number < count => {
                self.columns.remove(number);
                self.reference = if self.reference > number { self.reference - 1 } else { self.reference };
                self.reference = self.reference.min(count - 2);
                self.front = self.front.min(count - 2);
            }
            Change::Replace(number, choice) => {
                let is_new = self.columns.iter().all(|column| column.choice != choice);
                if let Some(column) = self.columns.get_mut(number).filter(|_| is_new) {
                    *column = Column::of(choice);
                }
            }
            Change::Reference(number) => self.reference = number.min(count.saturating_sub(1)),
            Change::Place { column, to } if column < count && to < count => {
                let moved = self.columns.remove(column);
                self.columns.insert(to, moved);
                for number in [&mut self.reference, &mut self.front] {
                    *number = match *number {
                        here if here == column => to,
                        here if column < here && here <= to => here - 1,
                        here if to <= here && here < column => here + 1,
                        here => here,
                    };
                }
            }
            Change::Remove(_) | Change::Place { .. } => {}
            Change::Front(number) => self.front = number.min(count.saturating_sub(1)),
            Change::Sync(sync) => self.step_by(sync),
            Change::Differences(on) => self.differences = on,
            Change::FitEach(on) => self.fit_each = on,
            Change::Turned(on) => self.turned = on,
            Change::Squeezed(on) => self.squeezed = on,
            Change::Step(step) => self.step = Some(step),
            Change::Move(by) => self.go_on(by),
            Change::Position(position) => self.go_to(position),
            Change::Seek(frame) => self.seek(frame),
            Change::Difference { forward } => self.go_to_difference(forward),
            Change::Cursor { column, events } => {
                if let Some(column) = self.columns.get_mut(column) {
                    column.cursor = events;
                }
            }
            Change::Sheet(sheet) => self.sheet = sheet,
            Change::RankAgain => self.rank_again(),
            Change::Vary(vary) => self.vary = vary,
            Change::SweepAgain => self.sweeps.retain(|swept| swept.vary != self.vary),
            Change::Ask(task) => self.asked = Some(task),
            Change::Restore(compared) => self.restore(*compared),
        }
    }

    /// What the engine is to do next: what is missing of the columns first, one after the other, so
    /// that no answer keeps the page busy for long.
    pub fn wants(&self) -> Option<CompareTask<FileData>> {
        let missing = self.columns.iter().find(|column| column.shown.is_none());
        let columns = missing.map(|column| CompareTask::Columns(vec![column.choice.clone()]));
        columns.or_else(|| self.asked.clone()).or_else(|| self.next_ranked()).or_else(|| self.next_sweep())
    }

    /// Takes an answer of the engine.
    pub fn take(&mut self, task: &CompareTask<FileData>, measured: Comparison, graph: Option<&Rc<Graph>>) {
        if self.asked.as_ref() == Some(task) {
            self.asked = None;
        }
        match (task, measured) {
            (_, Comparison::Columns(columns, speed)) => {
                self.speed = speed;
                for answer in columns {
                    let shown = answer.result.map(|(planned, found)| Rc::new(shown(planned, found, graph)));
                    let waiting = self.columns.iter_mut().filter(|column| column.choice == answer.choice);
                    waiting.for_each(|column| column.shown = Some(shown.clone()));
                }
            }
            (_, Comparison::Ranking(entries)) => self.take_ranked(entries),
            (CompareTask::Sweep(choice, vary), Comparison::Sweep(points)) => {
                self.add_swept(Swept { choice: choice.clone(), vary: vary.clone(), points });
            }
            (_, Comparison::Graphs(rows)) => self.graphs = Some(Rc::new(rows)),
            (_, Comparison::Growth(found)) => self.growth = Some(Rc::new(found)),
            (_, _) => {}
        }
    }

    /// The engine gave nothing: no column waits any longer.
    pub fn give_up(&mut self, why: &Message) {
        self.asked = None;
        self.end_ranking();
        self.end_sweeps();
        let waiting = self.columns.iter_mut().filter(|column| column.shown.is_none());
        waiting.for_each(|column| column.shown = Some(Err(why.clone())));
    }
}
