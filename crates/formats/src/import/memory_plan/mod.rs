//! `memory-plan/1` JSON (docs/memory-plan.md). Only `format`, `pools` and `buffers` are required,
//! so that a plan made elsewhere is easily written; the figures under `metrics` are ignored and
//! computed anew.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use super::answers::Answers;
use super::content::Content;
use super::csv::MAX_STEPS;
use super::document::{Document, Parsed};
use super::loose::{Loose, Object};
use memplan_core::base::{Arg, MAX_SAFE, Message};
use memplan_core::graph::{Fault, Faults, Kind};
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole, Quirk, QuirkKind, Unplanned};
use memplan_core::problem::{Buffer, BufferId, Gap, Live, Memory, MemoryId, Order, Problem};

const FORMAT: &str = "memory-plan/1";

const TOP: &[&str] = &[
    "format",
    "graph",
    "planner",
    "planner_name",
    "options",
    "steps",
    "order",
    "returned",
    "pools",
    "buffers",
    "unplanned",
    "quirks",
    "metrics",
];
const POOL: &[&str] = &["id", "size", "name", "device"];
const BUFFER: &[&str] = &["name", "size", "start", "end", "pool", "offset", "align", "kind", "gaps", "shares"];
const QUIRK: &[&str] = &["kind", "a", "b"];
const UNPLANNED: &[&str] = &["name", "size", "start", "end", "reason"];

/// Largest alignment taken, as for tensors of a graph.
const MAX_ALIGN: u64 = 1 << 32;

/// Device of a pool that names none.
const DEFAULT_DEVICE: &str = "cpu";

type Fields<'a> = Object<'a>;

/// Whether a file is a plan of this project, in whatever version.
pub fn sniff(content: &Content) -> bool {
    content.is_version_of(FORMAT)
}

/// Turns the JSON of a plan file into a plan and the buffers it places.
///
/// # Errors
/// Broken JSON, another version, or every fault of the plan.
pub fn read(content: Content, _: &Answers) -> Result<Parsed, Vec<Fault>> {
    content.check_version(FORMAT)?;
    read_json(content.into_object()?)
}

fn read_json(top: Fields) -> Result<Parsed, Vec<Fault>> {
    let mut reader = PlanReader::default();
    reader.unknown_keys("", &top, TOP);
    reader.problem.name = reader.text(&top, "graph", "graph").unwrap_or_default();
    let steps = reader.optional_step(&top, "steps", "steps").unwrap_or(0);
    reader.problem.order = reader.order(&top);
    reader.plan.returned = reader.returned(&top);
    reader.records(&top, "pools", true, PlanReader::pool);
    reader.records(&top, "buffers", true, PlanReader::buffer);
    let placed = reader.problem.buffers.len();
    reader.records(&top, "unplanned", false, PlanReader::unplanned);
    reader.takeovers();
    reader.records(&top, "quirks", false, PlanReader::quirk);
    let last = reader.problem.buffers.iter().map(|buffer| buffer.live.end).max();
    reader.problem.steps = steps.max(last.unwrap_or(0)).max(1);
    if reader.problem.memories.is_empty() {
        reader.memory(DEFAULT_DEVICE);
    }
    if placed == 0 && !reader.problem.buffers.is_empty() {
        // Pools without any place: the planner stated a figure.
        reader.plan.pools.iter_mut().for_each(|pool| pool.role = PoolRole::Figure);
    }
    reader.totals();
    let PlanReader { faults, warnings, problem, plan, .. } = reader;
    if !faults.is_empty() {
        return Err(faults.into_vec());
    }
    Ok(Parsed { warnings: warnings.into_vec(), ..Parsed::plain(Document::Plan(problem, plan)) })
}

#[derive(Default)]
struct PlanReader {
    faults: Faults,
    warnings: Faults,
    unknown: HashSet<String>,
    problem: Problem,
    plan: Plan,
    /// By the id that the file gives a pool.
    pools: HashMap<u64, (PoolId, MemoryId)>,
    memories: HashMap<String, MemoryId>,
    /// Where a name was first met, and its buffer unless that has faults.
    names: HashMap<String, (String, Option<BufferId>)>,
    /// Who took over whose storage, by name, with the place in the file.
    shares: Vec<(String, BufferId, String)>,
}

impl PlanReader {
    fn fault(&mut self, path: impl Into<String>, message: Message) {
        self.faults.push(Fault::new(path, message));
    }

    fn wrong_type(&mut self, path: impl Into<String>, expected: &'static str, found: &Loose) {
        if self.faults.are_enough() {
            return;
        }
        let expected = Arg::Inner(Box::new(Message::new(expected)));
        self.fault(path, Message::new("fault.wrong-type").with("expected", expected).text("found", found.excerpt(40)));
    }

    /// Each unknown key once, with the first place it was met.
    fn unknown_keys(&mut self, path: &str, fields: &Fields, known: &[&str]) {
        for key in fields.keys() {
            if !known.contains(&key) && !self.warnings.are_enough() && self.unknown.insert(key.to_string()) {
                let place = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
                self.warnings.push(Fault::new(place, Message::new("warning.unknown-key").text("key", key)));
            }
        }
    }

    /// Hands each object of a list to `read` with its path.
    fn records(
        &mut self,
        top: &Fields,
        key: &'static str,
        required: bool,
        read: fn(&mut PlanReader, usize, &str, &Fields),
    ) {
        let items = match top.get(key) {
            Some(Loose::List(items)) => items,
            None | Some(Loose::Null) if !required => return,
            None => return self.fault(key, Message::new("fault.missing").text("field", key)),
            Some(other) => return self.wrong_type(key, "type.list", other),
        };
        for (index, item) in items.iter().enumerate() {
            if self.faults.are_enough() {
                return;
            }
            let path = format!("{key}[{index}]");
            match item {
                Loose::Object(fields) => read(self, index, &path, fields),
                other => self.wrong_type(path, "type.object", other),
            }
        }
    }

    fn pool(&mut self, index: usize, path: &str, fields: &Fields) {
        self.unknown_keys(path, fields, POOL);
        let id = match fields.get("id") {
            None => Some(index as u64),
            Some(_) => self.whole(fields, path, "id"),
        };
        let size = self.whole(fields, path, "size");
        let name = self.text(fields, &format!("{path}.name"), "name").unwrap_or_else(|| format!("pool {index}"));
        let device = self.text(fields, &format!("{path}.device"), "device");
        let device = device.unwrap_or_else(|| DEFAULT_DEVICE.to_string());
        let memory = self.memory(&device);
        let pool = Pool { name, size: size.unwrap_or(0), device, role: PoolRole::Arena };
        let pool = self.plan.pools.push(pool);
        let Some(id) = id else { return };
        if let Some((first, _)) = self.pools.get(&id) {
            let message =
                Message::new("fault.plan-same-pool").count("id", id).text("first", format!("pools[{}]", first.0));
            return self.fault(format!("{path}.id"), message);
        }
        self.pools.insert(id, (pool, memory));
    }

    fn memory(&mut self, device: &str) -> MemoryId {
        if let Some(&memory) = self.memories.get(device) {
            return memory;
        }
        let memory = self.problem.memories.push(Memory { device: device.to_string(), mem_id: None });
        self.memories.insert(device.to_string(), memory);
        memory
    }

    fn buffer(&mut self, _: usize, path: &str, fields: &Fields) {
        self.unknown_keys(path, fields, BUFFER);
        let common = self.common(path, fields);
        let pool = self.whole(fields, path, "pool");
        let pool = pool.and_then(|id| {
            let known = self.pools.get(&id).copied();
            if known.is_none() {
                self.fault(format!("{path}.pool"), Message::new("fault.plan-unknown-pool").count("id", id));
            }
            known
        });
        let offset = self.whole(fields, path, "offset");
        let align = match fields.get("align") {
            None | Some(Loose::Null) => Some(1),
            Some(_) => self.whole(fields, path, "align"),
        };
        if let Some(align) = align.filter(|align| !align.is_power_of_two() || *align > MAX_ALIGN) {
            self.fault(format!("{path}.align"), Message::new("fault.alignment").count("align", align));
        }
        let kind = self.kind(fields, &format!("{path}.kind"));
        let shares = self.text(fields, &format!("{path}.shares"), "shares");
        let gaps = self.gaps(fields, path, common.as_ref().map(|(_, size, live)| (*size, *live)));
        let complete = common.zip(pool).zip(offset).zip(align);
        let Some(((((name, size, live), (pool, memory)), offset), align)) = complete else { return };
        let id = self.push(Buffer {
            name,
            size,
            live,
            align,
            memory,
            kind,
            fixed: None,
            gaps,
            tensors: Vec::new(),
            stack: None,
            kernel: None,
        });
        self.plan.places.push(Some(Place { pool, offset }));
        self.shares.extend(shares.map(|donor| (format!("{path}.shares"), id, donor)));
    }

    /// `[[from, to], [from, to, low, high], …]` of a buffer of this size and life.
    fn gaps(&mut self, fields: &Fields, path: &str, frame: Option<(u64, Live)>) -> Vec<Gap> {
        let path = format!("{path}.gaps");
        let items = match fields.get("gaps") {
            None | Some(Loose::Null) => return Vec::new(),
            Some(Loose::List(items)) => items,
            Some(other) => {
                self.wrong_type(path, "type.list", other);
                return Vec::new();
            }
        };
        let mut gaps = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let numbers = item.list().and_then(|all| all.iter().map(Loose::whole).collect::<Option<Vec<u64>>>());
            let parts = match numbers.as_deref() {
                Some(&[from, to]) => Some((from, to, None)),
                Some(&[from, to, low, high]) => Some((from, to, Some((low, high)))),
                _ => None,
            };
            let gap = parts.zip(frame).and_then(|((from, to, window), (size, life))| {
                let live = Live { start: u32::try_from(from).ok()?, end: u32::try_from(to).ok()? };
                let inside = life.start <= live.start && live.start < live.end && live.end <= life.end;
                let fits = window.is_none_or(|(low, high)| low <= high && high <= size);
                (inside && fits).then_some(Gap { live, window })
            });
            match gap {
                Some(gap) => gaps.push(gap),
                // A buffer without size or life has a fault of its own.
                None if parts.is_some() && frame.is_none() => {}
                None => {
                    self.fault(
                        format!("{path}[{index}]"),
                        Message::new("fault.plan-gap").text("found", item.excerpt(40)),
                    );
                }
            }
        }
        gaps
    }

    fn unplanned(&mut self, _: usize, path: &str, fields: &Fields) {
        self.unknown_keys(path, fields, UNPLANNED);
        self.text(fields, &format!("{path}.reason"), "reason");
        let Some((name, size, live)) = self.common(path, fields) else { return };
        let memory = match self.problem.memories.ids().next() {
            Some(memory) => memory,
            None => self.memory(DEFAULT_DEVICE),
        };
        let (align, kind) = (1, Kind::Intermediate);
        let id = self.push(Buffer { align, memory, kind, ..Buffer::of(name, size, live) });
        self.plan.places.push(None);
        self.plan.unplanned.push((id, Unplanned::StatedByFile));
    }

    fn quirk(&mut self, _: usize, path: &str, fields: &Fields) {
        self.unknown_keys(path, fields, QUIRK);
        let kind = self.required_text(fields, path, "kind").and_then(|name| {
            let kind = QuirkKind::ALL.into_iter().find(|kind| kind.name() == name);
            if kind.is_none() {
                let known: Vec<&str> = QuirkKind::ALL.iter().map(|kind| kind.name()).collect();
                let message = Message::new("fault.plan-quirk").text("found", name).text("known", known.join(", "));
                self.fault(format!("{path}.kind"), message);
            }
            kind
        });
        let [a, b] = ["a", "b"].map(|key| {
            let name = self.required_text(fields, path, key)?;
            match self.names.get(&name) {
                Some(&(_, buffer)) => buffer,
                None => {
                    self.fault(format!("{path}.{key}"), Message::new("fault.plan-unknown-buffer").text("name", name));
                    None
                }
            }
        });
        if let Some(((kind, a), b)) = kind.zip(a).zip(b) {
            self.plan.quirks.push(Quirk { kind, a, b });
        }
    }

    fn required_text(&mut self, fields: &Fields, path: &str, key: &'static str) -> Option<String> {
        let path = format!("{path}.{key}");
        if matches!(fields.get(key), None | Some(Loose::Null)) {
            self.fault(path, Message::new("fault.missing").text("field", key));
            return None;
        }
        self.text(fields, &path, key)
    }

    /// Name, size and live range of a buffer; a name twice is a fault.
    fn common(&mut self, path: &str, fields: &Fields) -> Option<(String, u64, Live)> {
        let name = self.required_text(fields, path, "name");
        if name.as_deref() == Some("") {
            self.fault(format!("{path}.name"), Message::new("fault.empty-name"));
        }
        if let Some(name) = &name {
            match self.names.get(name) {
                Some((first, _)) => {
                    let message = Message::new("fault.plan-same-buffer").text("name", name).text("first", first);
                    self.fault(format!("{path}.name"), message);
                }
                None => _ = self.names.insert(name.clone(), (path.to_string(), None)),
            }
        }
        let size = self.whole(fields, path, "size");
        let (start, end) = (self.step(fields, path, "start"), self.step(fields, path, "end"));
        let (start, end) = start.zip(end)?;
        if start >= end {
            self.fault(format!("{path}.end"), Message::new("fault.plan-life").count("start", start).count("end", end));
            return None;
        }
        Some((name?, size?, Live::new(start, end)))
    }

    fn push(&mut self, buffer: Buffer) -> BufferId {
        let name = buffer.name.clone();
        let id = self.problem.buffers.push(buffer);
        if let Some((_, slot)) = self.names.get_mut(&name) {
            slot.get_or_insert(id);
        }
        id
    }

    /// Whether pools are storages that go back to an allocator.
    fn returned(&mut self, top: &Fields) -> bool {
        match top.get("returned") {
            None | Some(Loose::Null) => false,
            Some(Loose::Flag(returned)) => *returned,
            Some(other) => {
                self.wrong_type("returned", "type.flag", other);
                false
            }
        }
    }

    /// The names of the nodes in the order in which they run.
    fn order(&mut self, top: &Fields) -> Option<Order> {
        let items = match top.get("order") {
            Some(Loose::List(items)) => items,
            None | Some(Loose::Null) => return None,
            Some(other) => {
                self.wrong_type("order", "type.list", other);
                return None;
            }
        };
        let mut nodes = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item {
                Loose::Text(name) => nodes.push(name.to_string()),
                other => self.wrong_type(format!("order[{index}]"), "type.text", other),
            }
        }
        Some(Order { nodes, search: None })
    }

    fn takeovers(&mut self) {
        for (path, acceptor, donor) in std::mem::take(&mut self.shares) {
            match self.names.get(&donor) {
                Some((_, Some(donor))) => self.plan.shared.push((acceptor, *donor)),
                // Its own fault is reported.
                Some((_, None)) => {}
                None => self.fault(path, Message::new("fault.plan-unknown-donor").text("name", donor)),
            }
        }
    }

    /// Sizes together, and the highest addresses together, stay exact everywhere.
    fn totals(&mut self) {
        let mut tops: Vec<u64> = self.plan.pools.iter().map(|pool| pool.size).collect();
        for (buffer, place) in self.problem.buffers.iter().zip(self.plan.places.iter()) {
            if let Some(Place { pool, offset }) = place {
                let top = &mut tops[pool.0 as usize];
                *top = (*top).max(offset + buffer.size);
            }
        }
        let sum: u128 = tops.into_iter().map(u128::from).sum();
        if !self.problem.total_is_safe(1) || sum > MAX_SAFE as u128 {
            self.fault("", Message::new("fault.sum-too-large"));
        }
    }

    fn kind(&mut self, fields: &Fields, path: &str) -> Kind {
        let Some(name) = self.text(fields, path, "kind") else { return Kind::Intermediate };
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        if kind.is_none() {
            self.fault(path, Message::new("fault.kind").text("found", name));
        }
        kind.unwrap_or(Kind::Intermediate)
    }

    fn text(&mut self, fields: &Fields, path: &str, key: &str) -> Option<String> {
        match fields.get(key) {
            None | Some(Loose::Null) => None,
            Some(Loose::Text(text)) => Some(text.to_string()),
            Some(other) => {
                self.wrong_type(path, "type.text", other);
                None
            }
        }
    }

    fn whole(&mut self, fields: &Fields, path: &str, key: &'static str) -> Option<u64> {
        let path = format!("{path}.{key}");
        match fields.get(key) {
            None | Some(Loose::Null) => {
                self.fault(path, Message::new("fault.missing").text("field", key));
                None
            }
            Some(value) => self.whole_value(path, value),
        }
    }

    fn whole_value(&mut self, path: String, value: &Loose) -> Option<u64> {
        match value.whole() {
            Some(whole) if whole <= MAX_SAFE => return Some(whole),
            Some(_) => self.fault(path, Message::new("fault.too-large")),
            // A whole number beyond 64 bits comes as the nearest fraction.
            None if matches!(value, Loose::Fraction(number) if *number > MAX_SAFE as f64) => {
                self.fault(path, Message::new("fault.too-large"));
            }
            None if matches!(value, Loose::Negative(_)) => {
                self.fault(path, Message::new("fault.negative").text("found", value.json()));
            }
            None => self.wrong_type(path, "type.whole", value),
        }
        None
    }

    fn step(&mut self, fields: &Fields, path: &str, key: &'static str) -> Option<u32> {
        let step = self.whole(fields, path, key)?;
        self.within_steps(format!("{path}.{key}"), step)
    }

    fn optional_step(&mut self, fields: &Fields, path: &str, key: &str) -> Option<u32> {
        let value = fields.get(key).filter(|value| **value != Loose::Null)?;
        let step = self.whole_value(path.to_string(), value)?;
        self.within_steps(path.to_string(), step)
    }

    fn within_steps(&mut self, path: String, step: u64) -> Option<u32> {
        if step > MAX_STEPS {
            self.fault(path, Message::new("fault.plan-steps").count("found", step).count("limit", MAX_STEPS));
            return None;
        }
        Some(step as u32)
    }
}
