//! How the columns of a comparison step together: where each of them stands, and where the
//! transport leads.

use std::rc::Rc;

use crate::compare::state::Comparing;
use crate::compare::state::comparison::{Column, PARTS, Shown, Sync};
use memplan_core::problem::BufferId;
use memplan_replay::{Differences, Level, counterpart, differences};

/// Where a column stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stand {
    /// Number of events applied.
    pub events: u32,
    /// Whether the finished plan is shown rather than one of its decisions.
    pub finished: bool,
    /// The buffer of this moment, where this plan leaves it out.
    pub left_out: Option<BufferId>,
}

impl Stand {
    const FINISHED: Stand = Stand { events: u32::MAX, finished: true, left_out: None };

    fn at(events: u32) -> Stand {
        Stand { events, finished: false, left_out: None }
    }
}

impl Comparing {
    /// Where a column stands.
    pub fn stand(&self, column: &Column, shown: &Shown) -> Stand {
        let timeline = &shown.run.timeline;
        let whole = timeline.events.len() as u32;
        if self.sync == Sync::Own {
            return if column.cursor == u32::MAX { Stand::FINISHED } else { Stand::at(column.cursor.min(whole)) };
        }
        let Some(position) = self.position() else { return Stand::FINISHED };
        match self.sync {
            Sync::Fraction => Stand::at((whole as u64 * position as u64 / PARTS as u64) as u32),
            Sync::Frame | Sync::Own => Stand::at(timeline.events_at(Level::Decisions, position)),
            Sync::Buffer => {
                let (Some(reference), Some(number)) = (self.reference(), position.checked_sub(1)) else {
                    return Stand::at(0);
                };
                let Some(decision) = reference.run.timeline.decisions.get(number as usize) else {
                    return Stand::FINISHED;
                };
                // The same buffer may have another number in a plan that was read.
                let id = counterpart(&reference.run, decision.buffer, &shown.run);
                let found = id.and_then(|id| timeline.decision_of(id));
                match found {
                    Some(decision) => Stand::at(timeline.decisions[decision].end),
                    None => Stand { left_out: id, ..Stand::FINISHED },
                }
            }
        }
    }

    /// Where the column of the reference stands.
    pub fn reference_stand(&self) -> Option<(&Rc<Shown>, Stand)> {
        let column = self.reference_column()?;
        let shown = column.plan()?;
        Some((shown, self.stand(column, shown)))
    }

    /// Whether all columns show their finished plans.
    pub fn is_finished(&self) -> bool {
        match self.sync {
            Sync::Own => self.columns.iter().all(|column| column.cursor == u32::MAX),
            _ => self.position.is_none(),
        }
    }

    /// The position of stepping together; none for the finished plans.
    pub fn position(&self) -> Option<u32> {
        // While the plans are computed the last position is not known.
        self.position.map(|position| self.last_position().map_or(position, |last| position.min(last)))
    }

    /// The frame of the reference, and its last one.
    pub fn frame(&self) -> (u32, u32) {
        let Some((shown, stand)) = self.reference_stand() else { return (0, 0) };
        let timeline = &shown.run.timeline;
        (timeline.frame_at(Level::Decisions, stand.events), timeline.decisions.len() as u32)
    }

    /// Another number for every moment, so that play knows when the next frame is due.
    pub fn playhead(&self) -> u32 {
        match self.sync {
            Sync::Own => self.columns.iter().fold(0, |sum, column| sum.wrapping_mul(31).wrapping_add(column.cursor)),
            _ => self.position.unwrap_or(u32::MAX),
        }
    }

    /// How every other column differs from the reference; none for the reference and for columns
    /// without a plan.
    pub fn differences(&self) -> Vec<Option<Differences>> {
        let reference = self.reference();
        let of = |column: &Column| {
            let (reference, shown) = (reference?, column.plan()?);
            (!Rc::ptr_eq(reference, shown)).then(|| differences(&reference.run, &shown.run))
        };
        self.columns.iter().map(of).collect()
    }

    /// The last position of the stepper: the finished plans come after it.
    fn last_position(&self) -> Option<u32> {
        match self.sync {
            Sync::Fraction => Some(PARTS),
            _ => self.reference().map(|shown| shown.run.timeline.decisions.len() as u32),
        }
    }

    /// Steps in another way, from the same moment of the reference.
    pub(crate) fn step_by(&mut self, sync: Sync) {
        if sync == self.sync {
            return;
        }
        let stands = |comparing: &Comparing| {
            let stand = |column: &Column| column.plan().map_or(u32::MAX, |shown| comparing.stand(column, shown).events);
            comparing.columns.iter().map(stand).collect::<Vec<u32>>()
        };
        let (finished, frame) = match self.reference_stand() {
            Some((_, stand)) => (stand.finished, self.frame().0),
            None => (true, 0),
        };
        if sync == Sync::Own {
            let stands = stands(self);
            self.columns.iter_mut().zip(stands).for_each(|(column, events)| column.cursor = events);
        }
        self.sync = sync;
        if sync != Sync::Own {
            self.position = None;
            if !finished {
                self.seek(frame);
            }
        }
    }

    /// Moves all columns by some positions.
    pub(crate) fn go_on(&mut self, by: i32) {
        // One past the last position are the finished plans.
        let moved = |here: Option<u32>, last: u32| {
            let there = here.map_or(last + 1, |here| here.min(last)).saturating_add_signed(by);
            (there <= last).then_some(there)
        };
        if self.sync != Sync::Own {
            self.position = self.last_position().and_then(|last| moved(self.position, last));
            return;
        }
        for column in &mut self.columns {
            let Some(shown) = column.plan().cloned() else { continue };
            let timeline = &shown.run.timeline;
            let here = (column.cursor != u32::MAX).then(|| timeline.frame_at(Level::Decisions, column.cursor));
            let there = moved(here, timeline.decisions.len() as u32);
            column.cursor = there.map_or(u32::MAX, |frame| timeline.events_at(Level::Decisions, frame));
        }
    }

    /// Moves all columns to a position, or to the finished plans.
    pub(crate) fn go_to(&mut self, position: Option<u32>) {
        if self.sync != Sync::Own {
            self.position = position;
            self.position = self.position();
            return;
        }
        for column in &mut self.columns {
            let events = |shown: &Rc<Shown>, frame| shown.run.timeline.events_at(Level::Decisions, frame);
            column.cursor =
                position.map_or(u32::MAX, |frame| column.plan().map_or(u32::MAX, |shown| events(shown, frame)));
        }
    }

    /// Moves all columns to a frame of the reference.
    pub(crate) fn seek(&mut self, frame: u32) {
        let position = match (self.sync, self.reference()) {
            (Sync::Fraction, Some(shown)) => {
                let timeline = &shown.run.timeline;
                let whole = timeline.events.len().max(1) as u64;
                let events = timeline.events_at(Level::Decisions, frame) as u64;
                (events * PARTS as u64).div_ceil(whole) as u32
            }
            _ => frame,
        };
        self.go_to(Some(position));
    }

    /// Goes to the next or previous decision that differs; from the finished plans to the first or
    /// last one. The moment stays if there is none.
    pub(crate) fn go_to_difference(&mut self, forward: bool) {
        let frames = self.frames_that_differ();
        let here = if self.is_finished() { None } else { Some(self.frame().0) };
        let found = match (forward, here) {
            (true, Some(here)) => frames.iter().copied().find(|&frame| frame > here),
            (true, None) => frames.first().copied(),
            (false, here) => frames.iter().copied().rev().find(|&frame| here.is_none_or(|here| frame < here)),
        };
        let Some(frame) = found else { return };
        // The other ways have no position for every frame.
        if matches!(self.sync, Sync::Fraction | Sync::Own) {
            self.step_by(Sync::Buffer);
        }
        self.seek(frame);
    }

    /// Frames of the reference whose buffer lies elsewhere in another column, rising.
    fn frames_that_differ(&self) -> Vec<u32> {
        let found = self.differences();
        let mut all: Vec<u32> = found
            .iter()
            .flatten()
            .flat_map(|differences| differences.elsewhere.iter().map(|number| number + 1))
            .collect();
        all.sort();
        all.dedup();
        all
    }
}
