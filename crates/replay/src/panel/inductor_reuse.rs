//! Inductor's buffer reuse: the stacks of free buffers by key, and the wrapper lines with the one
//! of this frame.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Cell, Row, Section, Table, View};
use crate::fold::Fold;
use crate::{Frame, Run};
use memplan_core::base::{Arg, Message};
use memplan_core::plan::PoolId;
use memplan_core::problem::{BufferId, ReuseKey};
use memplan_core::trace::{Event, Note, Outcome, StatePanel, Verdict};

/// Most buffers of a stack that are named.
const MAX_NAMES: usize = 8;
/// Lines shown before and after the one of this frame: a table is made anew for every frame, and a
/// graph may have hundreds of thousands of lines.
const AROUND: usize = 500;

fn is_ours(run: &Run) -> bool {
    run.has_panel(StatePanel::ReuseStacks)
}

/// Events of this frame's decision, as far as this frame goes.
fn emitted<'a>(run: &'a Run, frame: &Frame) -> &'a [Event] {
    let begin = frame.decision.map_or(frame.events, |index| run.timeline.decisions[index].begin);
    run.timeline.events.get(begin as usize..frame.events as usize).unwrap_or_default()
}

fn pool_of(run: &Run, buffer: BufferId) -> Option<usize> {
    run.plan.places[buffer].map(|place| place.pool.0 as usize)
}

/// Free storages by pool, each with the buffer that it was freed by and the turn of that.
#[derive(Clone)]
struct Free {
    by_pool: Vec<Option<(usize, BufferId)>>,
    turn: usize,
}

impl Fold for Free {
    fn new(run: &Run) -> Free {
        Free { by_pool: vec![None; run.plan.pools.len()], turn: 0 }
    }

    fn apply(&mut self, run: &Run, event: &Event) {
        match *event {
            Event::Release { buffer } => {
                if let Some(slot) = pool_of(run, buffer).and_then(|pool| self.by_pool.get_mut(pool)) {
                    *slot = Some((self.turn, buffer));
                    self.turn += 1;
                }
            }
            Event::Place { outcome: Outcome::Reuse, pool, .. } => {
                self.by_pool.get_mut(pool as usize).into_iter().for_each(|slot| *slot = None);
            }
            _ => {}
        }
    }
}

/// Key to stack of free buffers, the newest last. The key looked up is marked and stands there even
/// when its stack is empty, beside the keys nearest in size.
pub fn pool(run: &Run, frame: &Frame) -> Option<Section> {
    let graph = run.graph.as_ref().filter(|_| is_ours(run))?;
    let key = |buffer: BufferId| ReuseKey::of(graph, &run.problem, buffer);
    let Free { by_pool: free, .. } = &*run.fold::<Free>(frame.events);
    let mut order: Vec<(usize, BufferId)> = free.iter().copied().flatten().collect();
    order.sort();
    let emitted = emitted(run, frame);
    let looks_up = !emitted.iter().any(|event| matches!(event, Event::Place { outcome: Outcome::InPlace, .. }));
    let wanted =
        frame.focus.filter(|_| looks_up).and_then(|focus| Some((run.problem.buffers[focus].size, key(focus)?)));
    let mut stacks: BTreeMap<(u64, ReuseKey), Vec<BufferId>> = BTreeMap::new();
    for (_, buffer) in order {
        if let Some(key) = key(buffer) {
            stacks.entry((run.problem.buffers[buffer].size, key)).or_default().push(buffer);
        }
    }
    if let Some(wanted) = &wanted {
        stacks.entry(wanted.clone()).or_default();
    }
    let mut changes: BTreeMap<(u64, ReuseKey), Message> = BTreeMap::new();
    for event in emitted {
        let change = match *event {
            Event::Release { buffer } => {
                key(buffer).map(|key| ((run.problem.buffers[buffer].size, key), Message::new("panel.reuse.freed")))
            }
            Event::Note { note: Note::ReuseNone, .. } => {
                wanted.clone().map(|wanted| (wanted, Message::new("panel.reuse.missing")))
            }
            Event::AskStorage { verdict: Verdict::OtherKey, pool, .. } => wanted.as_ref().and_then(|(_, wanted)| {
                let (_, buffer) = free.get(pool as usize).copied().flatten()?;
                let other = key(buffer)?;
                let change = difference(wanted, &other);
                Some(((run.problem.buffers[buffer].size, other), change))
            }),
            Event::AskStorage { verdict, .. } => wanted.clone().map(|wanted| {
                let taken = verdict == Verdict::Chosen;
                (wanted, Message::new(if taken { "panel.reuse.taken" } else { "panel.reuse.refused" }))
            }),
            _ => None,
        };
        changes.extend(change);
    }
    let current = wanted.and_then(|wanted| stacks.keys().position(|key| *key == wanted));
    let row = |(key, stack): (&(u64, ReuseKey), &Vec<BufferId>)| Row {
        cells: cells(run, key, stack),
        changed: changes.get(key).cloned(),
        buffer: stack.last().copied(),
        pool: stack.last().and_then(|&buffer| pool_of(run, buffer)).map(|pool| PoolId(pool as u32)),
        faded: stack.is_empty(),
        ..Row::default()
    };
    let rows: Vec<Row> = stacks.iter().map(row).collect();
    let table = Table::new(&["device", "dtype", "#length", "#bytes", "#align", "stack"], rows, current);
    (!table.rows.is_empty()).then_some(Section { id: "reuse-pool", view: View::Table(table) })
}

fn cells(run: &Run, (bytes, key): &(u64, ReuseKey), stack: &[BufferId]) -> Vec<Cell> {
    let memory = &run.problem.memories[key.memory];
    let device = memory.mem_id.map_or_else(|| memory.device.clone(), |id| format!("{} #{id}", memory.device));
    let hidden = stack.len().saturating_sub(MAX_NAMES);
    let dots = (hidden > 0).then(|| "…".to_string());
    let names = stack[hidden..].iter().map(|&buffer| run.problem.buffers[buffer].name.clone());
    vec![
        Cell::Value(Arg::Text(device)),
        Cell::Value(Arg::Text(key.dtype.name().into())),
        Cell::Value(Arg::Text(key.length.clone())),
        Cell::bytes(*bytes),
        Cell::count(key.align),
        if stack.is_empty() { Cell::Empty } else { Cell::Value(Arg::Names(dots.into_iter().chain(names).collect())) },
    ]
}

/// The first part of a key in which it differs from the one looked up.
fn difference(wanted: &ReuseKey, other: &ReuseKey) -> Message {
    if wanted.memory != other.memory {
        Message::new("panel.reuse.other-device")
    } else if wanted.dtype != other.dtype {
        Message::new("panel.reuse.other-dtype")
    } else if wanted.length != other.length {
        Message::new("panel.reuse.other-length")
    } else {
        Message::new("panel.reuse.other-align")
    }
}

/// A memory line, and the event that plans it.
struct Planned {
    event: usize,
    buffer: BufferId,
    kind: Kind,
}

enum Kind {
    Fresh,
    /// Takes over the storage of this buffer.
    Reuse(BufferId),
    InPlace(BufferId),
    /// A free line, with the event that takes the storage over, if one does.
    Free(Option<usize>),
}

/// Allocate, Free and Reuse in the order of the wrapper, around the line of this frame; lines not
/// reached yet are faded and stand as they were written.
pub fn lines(run: &Run, frame: &Frame) -> Option<Section> {
    if !is_ours(run) {
        return None;
    }
    let planned = run.known(planned);
    let now = frame.events as usize;
    let is_release = matches!(run.timeline.events[..now].last(), Some(Event::Release { .. }));
    let current = match frame.focus {
        // A frame that frees stands at its free line, any other of a decision at the allocation.
        Some(_) if is_release => planned.iter().rposition(|line| line.event < now),
        Some(focus) => planned.iter().position(|line| line.buffer == focus && !matches!(line.kind, Kind::Free(_))),
        None => None,
    };
    let begin = frame.decision.map_or(now, |index| run.timeline.decisions[index].begin as usize);
    let row = |(number, line): (usize, &Planned)| {
        let live = run.problem.buffers[line.buffer].live;
        let reached = line.event < now;
        let (word, donor, node) = match line.kind {
            Kind::Reuse(donor) if reached => (Message::new("panel.line.reuse"), Some(donor), live.start),
            Kind::InPlace(donor) => (Message::new("panel.line.in-place"), Some(donor), live.start),
            Kind::Fresh | Kind::Reuse(_) => (Message::new("panel.line.allocate"), None, live.start),
            Kind::Free(Some(taken)) if taken < now => (Message::new("panel.line.free-reused"), None, live.end - 1),
            Kind::Free(_) => (Message::new("panel.line.free"), None, live.end - 1),
        };
        let taken_now = matches!(line.kind, Kind::Free(Some(taken)) if (begin..now).contains(&taken));
        Row {
            cells: vec![
                Cell::count(number as u64 + 1),
                Cell::Say(word),
                Cell::name(run, line.buffer),
                donor.map_or(Cell::Empty, |donor| Cell::name(run, donor)),
                Cell::count(node),
            ],
            changed: taken_now.then(|| Message::new("panel.reuse.taken")),
            buffer: Some(line.buffer),
            faded: !reached,
            ..Row::default()
        }
    };
    let shown = around(planned.len(), current.unwrap_or(0));
    let rows: Vec<Row> = planned.iter().enumerate().skip(shown.start).take(shown.len()).map(row).collect();
    let current = current.map(|current| current - shown.start);
    let table = Table::new(&["#number", "line", "buffer", "donor", "#step"], rows, current);
    (!planned.is_empty()).then_some(Section { id: "lines", view: View::Table(table) })
}

/// The lines shown when `current` is the one of the frame.
fn around(lines: usize, current: usize) -> Range<usize> {
    current.saturating_sub(AROUND)..lines.min(current + AROUND + 1)
}

/// Every line that the walk planned, in order: frees are reported before the allocation that
/// follows them.
fn planned(run: &Run) -> Vec<Planned> {
    let mut planned: Vec<Planned> = Vec::new();
    // The latest line about each storage.
    let mut latest: Vec<Option<usize>> = vec![None; run.plan.pools.len()];
    for (event, emitted) in run.timeline.events.iter().enumerate() {
        let (buffer, pool, outcome) = match *emitted {
            Event::Release { buffer } => (buffer, pool_of(run, buffer), None),
            Event::Place { outcome, buffer, pool, .. } => (buffer, Some(pool as usize), Some(outcome)),
            _ => continue,
        };
        let Some(slot) = pool.and_then(|pool| latest.get_mut(pool)) else { continue };
        let before = slot.map(|line| (line, planned[line].buffer));
        let kind = match (outcome, before) {
            (None, _) => Kind::Free(None),
            (Some(Outcome::Reuse), Some((line, donor))) => {
                planned[line].kind = Kind::Free(Some(event));
                Kind::Reuse(donor)
            }
            (Some(Outcome::InPlace), Some((_, donor))) => Kind::InPlace(donor),
            _ => Kind::Fresh,
        };
        *slot = Some(planned.len());
        planned.push(Planned { event, buffer, kind });
    }
    planned
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::Level;
    use memplan_core::graph::{Dim, Dtype, Graph, Kind as TensorKind, Node, Tensor};
    use memplan_core::problem::{Scope, lifetimes};
    use memplan_core::text::Speech;
    use memplan_core::trace::Recorder;
    use memplan_planners::{self as planner, Input, origin};

    /// A chain a → h → b → c → d: h has other elements than the rest.
    fn run() -> Run {
        let mut graph = Graph::default();
        let device = graph.devices.push("cpu".into());
        let mut before = None;
        for (name, dtype, extent) in [
            ("a", Dtype::Float32, 64),
            ("h", Dtype::Int32, 64),
            ("b", Dtype::Float32, 64),
            ("c", Dtype::Float32, 64),
            ("d", Dtype::Float32, 32),
        ] {
            let id = graph.tensors.push(Tensor {
                name: name.into(),
                dtype,
                shape: vec![Dim::Fixed(extent)],
                kind: if name == "d" { TensorKind::Output } else { TensorKind::Intermediate },
                bytes: None,
                device,
                own_device: true,
                align: None,
                mem_id: None,
                role: None,
            });
            graph.nodes.push(Node {
                name: format!("make_{name}"),
                op: "op".into(),
                inputs: before.into_iter().collect(),
                outputs: vec![id],
                device: None,
                inplace: vec![],
                ignore_inputs: vec![],
                attrs: Default::default(),
            });
            before = Some(id);
        }
        let problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        let planner = planner::find("inductor-reuse").expect("registered");
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: Some(&graph) };
        let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
        Run::new(Rc::new(problem), origin("inductor-reuse", 1), plan, recorder.events).with_graph(Some(Rc::new(graph)))
    }

    fn texts(section: Option<Section>) -> (Vec<String>, Option<usize>) {
        let Some(Section { view: View::Table(table), .. }) = section else { return Default::default() };
        let speech = Speech::default();
        let cell = |cell: &Cell| match cell {
            Cell::Say(message) => speech.say(message),
            Cell::Value(Arg::Text(text)) | Cell::Value(Arg::Name(text)) => text.clone(),
            Cell::Value(Arg::Names(names)) => names.join(" "),
            Cell::Value(Arg::Count(count)) => count.to_string(),
            _ => "-".into(),
        };
        let row = |row: &Row| {
            let changed = row.changed.as_ref().map_or_else(String::new, |message| message.key.to_string());
            let cells: Vec<String> = row.cells.iter().map(cell).collect();
            format!("{}|{changed}|{}", cells.join(" "), if row.faded { "faded" } else { "" })
        };
        (table.rows.iter().map(row).collect(), table.current)
    }

    fn frame(run: &Run, number: u32) -> Frame {
        run.frame(run.timeline.events_at(Level::Decisions, number))
    }

    #[test]
    fn a_missing_key_stands_beside_its_nearest_neighbours() {
        let run = run();
        // b is made after h; a, freed with h's kernel, is the newest of its key and freed just
        // before.
        let (rows, current) = texts(pool(&run, &frame(&run, 3)));
        assert_eq!(rows, ["cpu float32 64 - 1 -|panel.reuse.taken|faded"]);
        assert_eq!(current, Some(0));
        // c finds only h, of the same size but another element type.
        let (rows, current) = texts(pool(&run, &frame(&run, 4)));
        let wanted = ["cpu float32 64 - 1 -|panel.reuse.missing|faded", "cpu int32 64 - 1 h|panel.reuse.other-dtype|"];
        assert_eq!(rows, wanted);
        assert_eq!(current, Some(0));
        assert!(pool(&run, &run.frame(0)).is_none());
    }

    #[test]
    fn lines_change_as_they_are_reached() {
        let run = run();
        let (rows, current) = texts(lines(&run, &frame(&run, 2)));
        let wanted = [
            "1 Allocate a - 0||",
            "2 Allocate h - 1||",
            "3 Free a - 1||faded",
            "4 Allocate b - 2||faded",
            "5 Free h - 2||faded",
            "6 Allocate c - 3||faded",
            "7 Free b - 3||faded",
            "8 Allocate d - 4||faded",
        ];
        assert_eq!(rows, wanted);
        assert_eq!(current, Some(1));
        let (rows, current) = texts(lines(&run, &frame(&run, 3)));
        assert_eq!(rows[2..4], ["3 Free, then reused a - 1|panel.reuse.taken|", "4 Reuse b a 2||"]);
        assert_eq!(current, Some(3));
    }

    #[test]
    fn only_the_lines_around_the_current_one_are_listed() {
        assert_eq!(around(8, 3), 0..8);
        assert_eq!(around(200_000, 0), 0..AROUND + 1);
        assert_eq!(around(200_000, 100_000), 100_000 - AROUND..100_000 + AROUND + 1);
        assert_eq!(around(200_000, 199_999), 199_999 - AROUND..200_000);
        assert_eq!(around(0, 0), 0..0);
    }
}
