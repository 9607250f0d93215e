//! Planners of storage tokens: the table of storages with their counts, and the devices that the
//! nodes run on.

use std::collections::BTreeMap;

use super::{Cell, Chip, Row, Section, Table, View};
use crate::fold::Fold;
use crate::types::storage_type;
use crate::why::device_name;
use crate::{Frame, Run};
use memplan_core::base::{Arg, IdVec, Message};
use memplan_core::graph::{Graph, TensorId};
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Note, Outcome, Sentences, StatePanel};

/// Most buffers named in one cell.
const MAX_NAMES: usize = 6;
/// Place of the column of element types, where they decide.
const TYPE: usize = 2;
/// Colours of the devices.
const CLASSES: u32 = 8;

/// A storage after the events so far.
#[derive(Clone, Default)]
struct Token {
    bytes: u64,
    references: u64,
    references_before: u64,
    /// Values that hold it now; none while it is free.
    holders: Vec<BufferId>,
    served: Vec<BufferId>,
    held: bool,
    /// What this frame did to it.
    changed: Option<&'static str>,
}

/// Storage, bytes, device, reads left, state, and the buffers it has served.
pub fn tokens(run: &Run, frame: &Frame) -> Option<Section> {
    if !run.has_panel(StatePanel::StorageTokens) {
        return None;
    }
    let Tokens { tokens, .. } = &*run.fold::<Tokens>(frame.events);
    let current = frame.focus.and_then(|focus| frame.places[focus]).map(|place| place.pool.0 as usize);
    let row = |(index, token): (usize, &Token)| {
        let pool = PoolId(index as u32);
        let references = match (token.references_before, token.references) {
            (before, now) if before != now && token.changed != Some("panel.changed.new") => Cell::Change(before, now),
            (_, now) => Cell::count(now),
        };
        Row {
            cells: vec![
                Cell::count(pool.0),
                Cell::bytes(token.bytes),
                run.plan.pools.get(pool).map_or(Cell::Empty, |pool| Cell::Value(Arg::Name(pool.device.clone()))),
                references,
                Cell::Say(state(run, token)),
                Cell::Value(Arg::Names(names(run, &token.served))),
            ],
            changed: token.changed.map(Message::new),
            buffer: token.holders.last().or(token.served.last()).copied(),
            pool: Some(pool),
            ..Row::default()
        }
    };
    let mut rows: Vec<Row> = tokens.iter().enumerate().map(row).collect();
    let mut columns = vec!["#storage", "#bytes", "device", "#references", "state", "served"];
    if run.explanation.sentences == Sentences::Types {
        columns.insert(TYPE, "dtype");
        for row in &mut rows {
            let dtype = row.pool.and_then(|pool| storage_type(run, pool));
            row.cells.insert(TYPE, dtype.map_or(Cell::Empty, |dtype| Cell::Value(Arg::Text(dtype.name().to_string()))));
        }
    }
    let table = Table::new(&columns, rows, current);
    (!tokens.is_empty()).then_some(Section { id: "tokens", view: View::Table(table) })
}

/// The storages after the events so far.
#[derive(Clone)]
struct Tokens {
    tokens: Vec<Token>,
    pool_of: IdVec<BufferId, Option<u32>>,
    /// Whether the storage of the decision is held for good.
    held: bool,
    /// What this decision may have changed.
    touched: Vec<u32>,
}

impl Tokens {
    fn touch(&mut self, pool: u32) -> &mut Token {
        self.touched.push(pool);
        if self.tokens.len() <= pool as usize {
            self.tokens.resize(pool as usize + 1, Token::default());
        }
        &mut self.tokens[pool as usize]
    }
}

impl Fold for Tokens {
    fn new(run: &Run) -> Tokens {
        let pool_of = IdVec::from_elem(None, run.problem.buffers.len());
        Tokens { tokens: Vec::new(), pool_of, held: false, touched: Vec::new() }
    }

    fn apply(&mut self, _: &Run, event: &Event) {
        match *event {
            Event::Begin { .. } => {
                self.held = false;
                for pool in self.touched.drain(..) {
                    let token = &mut self.tokens[pool as usize];
                    token.references_before = token.references;
                    token.changed = None;
                }
            }
            Event::Note { note: Note::Held | Note::TextureKept, .. } => self.held = true,
            Event::Place { outcome, buffer, pool, .. } => {
                self.pool_of[buffer] = Some(pool);
                let held = self.held;
                let token = self.touch(pool);
                if outcome != Outcome::InPlace {
                    token.holders.clear();
                }
                token.holders.push(buffer);
                token.served.push(buffer);
                token.held |= held;
                token.changed = Some(match outcome {
                    Outcome::NewStorage => "panel.changed.new",
                    Outcome::Enlarge => "panel.changed.enlarged",
                    Outcome::InPlace => "panel.changed.shared",
                    _ => "panel.changed.taken",
                });
            }
            Event::Grow { pool, to, .. } => self.tokens[pool as usize].bytes = to,
            Event::Refs { buffer, to, .. } => {
                if let Some(pool) = self.pool_of[buffer] {
                    self.touch(pool).references = to.into();
                }
            }
            Event::Release { buffer } => {
                if let Some(pool) = self.pool_of[buffer] {
                    let token = self.touch(pool);
                    token.holders.clear();
                    token.changed = Some("panel.changed.freed");
                }
            }
            _ => {}
        }
    }
}

fn state(run: &Run, token: &Token) -> Message {
    let key = if token.held {
        "panel.token.held"
    } else if token.holders.is_empty() {
        return Message::new("panel.token.free");
    } else {
        "panel.token.used"
    };
    Message::new(key).with("names", Arg::Names(names(run, &token.holders)))
}

/// The latest names; what came before them is left out.
fn names(run: &Run, buffers: &[BufferId]) -> Vec<String> {
    let from = buffers.len().saturating_sub(MAX_NAMES);
    let left_out = (from > 0).then(|| "…".to_string());
    // The latest first: a narrow panel cuts the end.
    let named = buffers[from..].iter().rev().map(|&buffer| run.problem.buffers[buffer].name.clone());
    named.chain(left_out).collect()
}

/// One chip a node, in the class of its device. Shown when there are several devices.
pub fn devices(run: &Run, frame: &Frame) -> Option<Section> {
    let graph =
        run.graph.as_ref().filter(|graph| run.has_panel(StatePanel::StorageTokens) && graph.devices.len() > 1)?;
    let emitted = emitted_devices(run, frame);
    let current = frame.notes.iter().rev().find_map(|event| match *event {
        Event::Note { note: Note::Node, subject, .. } => Some(subject),
        _ => None,
    });
    let buffer_of = buffers_by_tensor(run, graph);
    let chip = |(id, node): (memplan_core::graph::NodeId, &memplan_core::graph::Node)| {
        let output = node.outputs.first().copied();
        let device = match &emitted {
            Some(emitted) => {
                let buffer = output.and_then(|output| buffer_of.get(&output));
                buffer.and_then(|buffer| emitted.get(buffer).copied())
            }
            None => output.map(|output| u64::from(graph.tensors[output].device.0) + 1),
        };
        let words = match device {
            Some(device) => Message::new("panel.device.node").text("device", device_name(run, device)),
            None => Message::new("panel.device.open"),
        };
        // Class 0 stands for no device yet.
        let class = device.map_or(0, |device| (device as u32).saturating_sub(1) % CLASSES + 1);
        Chip { label: node.name.clone(), class: class as u8, words, current: current == Some(id.0) }
    };
    let chips = graph.nodes.enumerate().filter(|(_, node)| !node.is_placeholder()).map(chip).collect();
    Some(Section { id: "devices", view: View::Strip(chips) })
}

/// How many devices the walk through the copies gives before anything is placed, and the number of
/// events at the first of them: the frames that show them are of the finest level only.
pub fn device_steps(run: &Run) -> Option<(usize, u32)> {
    let mut given = given(run, u32::MAX);
    given.next().map(|(number, ..)| (given.count() + 1, number + 1))
}

/// The devices that the walk gives up to a frame: number of the event, buffer, device.
fn given(run: &Run, events: u32) -> impl Iterator<Item = (u32, BufferId, u64)> {
    let first = run.timeline.decisions.first().map_or(u32::MAX, |decision| decision.begin);
    let notes = run.noted(events.min(first), &[Note::DeviceSource, Note::DeviceTarget, Note::DeviceRest]);
    notes.map(|(number, (_, buffer, device, _))| (number, BufferId(buffer), device))
}

/// Devices that the walk through the copies has given so far; none if this run makes no such walk.
fn emitted_devices(run: &Run, frame: &Frame) -> Option<BTreeMap<BufferId, u64>> {
    let devices = given(run, frame.events).map(|(_, buffer, device)| (buffer, device));
    given(run, u32::MAX).next().is_some().then(|| devices.collect())
}

fn buffers_by_tensor(run: &Run, graph: &Graph) -> BTreeMap<TensorId, BufferId> {
    let known = |tensor: &TensorId| graph.tensors.get(*tensor).is_some();
    let buffers = run.problem.buffers.enumerate();
    buffers
        .flat_map(|(id, buffer)| buffer.tensors.iter().copied().filter(known).map(move |tensor| (tensor, id)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::Level;
    use crate::panel::sections;
    use memplan_core::problem::{Scope, lifetimes};
    use memplan_core::trace::Recorder;
    use memplan_formats::import::{self, Document};
    use memplan_planners::{self as planner, Input, origin};

    fn run(file: &str, version: &str) -> Run {
        let read = import::read(file.as_bytes(), import::Answers::default()).expect("readable");
        let Document::Graph(graph) = read.document else { panic!("a graph") };
        let problem = Rc::new(lifetimes(&graph, &Scope::default()).expect("sizes are known"));
        let planner = planner::find("tvm-relay").expect("registered");
        let options = planner.info().options([("version", version)]).expect("taken");
        let mut recorder = Recorder::default();
        let plan = planner.plan(Input { problem: &problem, graph: Some(&graph) }, &options, &mut recorder);
        Run::new(problem, origin("tvm-relay", 1), plan.expect("applicable"), recorder.events)
            .with_graph(Some(Rc::new(graph)))
    }

    const TWO_DEVICES: &str = r#"{"format":"memory-graph/1","name":"two",
        "tensors":[
            {"name":"x","dtype":"uint8","shape":[64],"kind":"input","device":"gpu"},
            {"name":"a","dtype":"uint8","shape":[64],"kind":"intermediate","device":"cpu"},
            {"name":"b","dtype":"uint8","shape":[64],"kind":"intermediate","device":"gpu"},
            {"name":"c","dtype":"uint8","shape":[32],"kind":"intermediate","device":"gpu"},
            {"name":"y","dtype":"uint8","shape":[48],"kind":"output","device":"gpu"}],
        "nodes":[
            {"name":"f","op":"op","inputs":["x"],"outputs":["a"]},
            {"name":"to_gpu","op":"device_copy","inputs":["a"],"outputs":["b"]},
            {"name":"g","op":"op","inputs":["b"],"outputs":["c"]},
            {"name":"h","op":"op","inputs":["c"],"outputs":["y"]}]}"#;

    fn section(run: &Run, events: u32, id: &str) -> View {
        let found = sections(run, &run.frame(events)).into_iter().find(|section| section.id == id);
        found.expect("the section is there").view
    }

    #[test]
    fn the_table_follows_the_counts() {
        let run = run(TWO_DEVICES, "0.19.0");
        let last = run.timeline.events_at(Level::Decisions, u32::MAX);
        let View::Table(table) = section(&run, last, "tokens") else { panic!("a table") };
        let words = |row: &Row| {
            let Cell::Say(state) = &row.cells[4] else { panic!("a state") };
            (row.cells[1].clone(), state.key.to_string(), row.changed.as_ref().map(|changed| changed.key.to_string()))
        };
        let rows: Vec<_> = table.rows.iter().map(words).collect();
        let token = |bytes, state: &str, changed: Option<&str>| {
            (Cell::bytes(bytes), format!("panel.token.{state}"), changed.map(|word| format!("panel.changed.{word}")))
        };
        // y takes the storage of b; then c, read for the last time, is freed.
        assert_eq!(
            rows,
            [
                token(64, "held", None),
                token(64, "free", None),
                token(64, "used", Some("taken")),
                token(32, "free", Some("freed"))
            ]
        );
        assert_eq!(table.current, Some(2));
        assert_eq!(table.rows[3].cells[3], Cell::Change(1, 0));
    }

    #[test]
    fn the_strip_fills_while_devices_are_collected() {
        let run = run(TWO_DEVICES, "0.6.1");
        let classes = |events| match section(&run, events, "devices") {
            View::Strip(chips) => chips.iter().map(|chip| chip.class).collect::<Vec<_>>(),
            _ => panic!("a strip"),
        };
        // Backwards: the copy first, then what feeds it; the rest afterwards, x before g and h.
        let gpu = 1;
        let cpu = 2;
        assert_eq!(classes(0), [0, 0, 0, 0]);
        assert_eq!(classes(1), [0, gpu, 0, 0]);
        assert_eq!(classes(2), [cpu, gpu, 0, 0]);
        assert_eq!(classes(5), [cpu, gpu, gpu, gpu]);
        // All of them lie before the first placement, each in a frame of its own of the finest
        // level.
        let (count, first) = super::device_steps(&run).expect("devices are collected");
        let frame = run.timeline.frame_at(Level::All, first);
        let strips = (0..count as u32).map(|step| classes(run.timeline.events_at(Level::All, frame + step)));
        let given: Vec<usize> = strips.map(|strip| strip.iter().filter(|&&class| class != 0).count()).collect();
        assert_eq!(given, [1, 2, 2, 3, 4], "x has no node");
        assert_eq!(run.timeline.frame_at(Level::Decisions, first + count as u32), 0);
        let later = super::device_steps(&self::run(TWO_DEVICES, "0.19.0"));
        assert_eq!(later, None, "that version is given its devices");
    }
}
