//! Shared objects: what each holds, how large it is and from when on it stands free; and who takes
//! over from whom where a flow decides it.

use super::{Cell, Row, Section, Table, View};
use crate::fold::Fold;
use crate::{Frame, Run};
use memplan_core::base::{Arg, Id, IdVec, Message};
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Note, StatePanel};

/// Most members named in a row, the latest.
const MAX_NAMES: usize = 3;

#[derive(Clone, Default)]
struct Object {
    size: u64,
    /// In order of placement.
    members: Vec<BufferId>,
}

#[derive(Clone)]
struct Objects(IdVec<PoolId, Object>);

impl Fold for Objects {
    fn new(_: &Run) -> Objects {
        Objects(IdVec::new())
    }

    fn apply(&mut self, _: &Run, event: &Event) {
        match *event {
            Event::OpenPool { .. } => _ = self.0.push(Object::default()),
            Event::Place { buffer, pool, .. } => self.0[PoolId(pool)].members.push(buffer),
            Event::Grow { pool, to, .. } => self.0[PoolId(pool)].size = to,
            _ => {}
        }
    }
}

/// The buffers placed so far in order, with the one that the flow has each take over from, and what
/// that costs.
pub fn flow(run: &Run, frame: &Frame) -> Option<Section> {
    let row = |(_, (note, buffer, a, b)): (u32, (Note, u32, u64, u64))| {
        let is_new = note == Note::FlowNew;
        let (donor, cost) = if is_new { (None, a) } else { (Some(BufferId(a as u32)), b) };
        let buffer = BufferId(buffer);
        let from = donor.map_or(Cell::Say(Message::new("panel.flow.new")), |donor| Cell::name(run, donor));
        let cells = vec![Cell::name(run, buffer), from, Cell::bytes(cost)];
        Row { cells, buffer: Some(buffer), ..Row::default() }
    };
    let rows: Vec<Row> = run.noted(frame.events, &[Note::FlowFrom, Note::FlowNew]).map(row).collect();
    let current = frame.focus.and_then(|focus| rows.iter().position(|row| row.buffer == Some(focus)));
    let is_known = !rows.is_empty();
    let table = Table::new(&["buffer", "donor", "#flow-cost"], rows, current);
    is_known.then_some(Section { id: "flow", view: View::Table(table) })
}

pub fn objects(run: &Run, frame: &Frame) -> Option<Section> {
    if !run.has_panel(StatePanel::SharedObjects) {
        return None;
    }
    let Objects(objects) = &*run.fold::<Objects>(frame.events);
    let focus = frame.focus?;
    let taken = frame.places[focus].filter(|_| frame.settled).map(|place| place.pool);
    let row = |(id, object): (PoolId, &Object)| {
        let before = frame.pools.get(id.index()).map_or(object.size, |pool| pool.end_before);
        let is_taken = taken == Some(id);
        let is_new = is_taken && object.members.len() == 1;
        let is_enlarged = is_taken && !is_new && before < object.size;
        let changed = if is_new {
            Some("panel.changed.new")
        } else if is_enlarged {
            Some("panel.changed.enlarged")
        } else if is_taken {
            Some("panel.changed.taken")
        } else {
            None
        };
        let name = |&member: &BufferId| run.problem.buffers[member].name.clone();
        let mut names: Vec<String> = object.members.iter().rev().take(MAX_NAMES).map(name).collect();
        if object.members.len() > MAX_NAMES {
            names.push("…".into());
        }
        let free_from = object.members.iter().map(|&member| run.problem.buffers[member].live.end).max();
        let cells = vec![
            Cell::count(id.0),
            if is_enlarged { Cell::Grown(before, object.size) } else { Cell::bytes(object.size) },
            Cell::count(object.members.len() as u64),
            Cell::Value(Arg::Names(names)),
            free_from.map_or(Cell::Empty, Cell::count),
        ];
        Row {
            cells,
            changed: changed.map(Message::new),
            buffer: object.members.last().copied(),
            pool: Some(id),
            ..Row::default()
        }
    };
    let rows: Vec<Row> = objects.enumerate().map(row).collect();
    let columns = ["#object", "#bytes", "#members", "names", "#free-from"];
    let current = taken.map(PoolId::index);
    (!rows.is_empty()).then(|| Section { id: "objects", view: View::Table(Table::new(&columns, rows, current)) })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::Level;
    use memplan_core::problem::sample;
    use memplan_core::trace::{Outcome, Recorder};
    use memplan_planners::{Input, REGISTRY, origin};

    #[test]
    fn rows_follow_the_plan_at_every_frame() {
        let problem = Rc::new(sample(60, 11));
        let mut seen = 0;
        for planner in REGISTRY {
            let info = planner.info();
            let mut recorder = Recorder::default();
            let input = Input { problem: &problem, graph: None };
            let Ok(plan) = planner.plan(input, &info.defaults(), &mut recorder) else { continue };
            let run = Run::new(problem.clone(), origin(info.id, info.align), plan, recorder.events);
            assert_eq!(objects(&run, &run.frame(0)), None);
            for number in 1..=60 {
                let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
                let Some(section) = objects(&run, &frame) else { break };
                let View::Table(table) = section.view else { panic!("a table") };
                assert_eq!(table.rows.len(), frame.pools.len());
                let total: u64 = frame.pools.iter().map(|pool| pool.end).sum();
                let size = |row: &Row| match row.cells[1] {
                    Cell::Value(Arg::Bytes(bytes)) | Cell::Grown(_, bytes) => bytes,
                    ref other => panic!("{other:?}"),
                };
                assert_eq!(table.rows.iter().map(size).sum::<u64>(), total);
                let word = table.current.and_then(|at| table.rows[at].changed.clone()).map(|word| word.key.to_string());
                let expected = match frame.outcome {
                    Some(Outcome::NewStorage) => "panel.changed.new",
                    Some(Outcome::Enlarge) => "panel.changed.enlarged",
                    _ => "panel.changed.taken",
                };
                assert_eq!(word.as_deref(), Some(expected), "{} frame {number}", info.id);
                seen += 1;
            }
        }
        assert_eq!(seen, 300, "five planners, every frame");
    }
}
