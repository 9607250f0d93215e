//! What is asked: memories, what they hold besides tensors, and what may be changed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::transform::{Price, scratch};
use memplan_core::base::{Id, MAX_SAFE, Message, align_up, suggest};
use memplan_core::graph::{Graph, Kind, NodeId};
use memplan_core::problem::Scope;
use memplan_replay::diff::Limit;

/// A family of changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Lever {
    /// Another plan.
    Planner,
    /// Another order of the operators.
    Order,
    /// Outputs take the storage of inputs that end there.
    InPlace,
    /// Copies that change nothing become names of their input.
    Views,
    /// A storage lies in another memory.
    Bank,
    /// A storage is copied to another memory and brought back.
    Spill,
    /// An operator runs again.
    Recompute,
    /// Operators run for some rows at a time.
    Stripes,
}

impl Lever {
    /// All of them, the free ones first.
    pub const ALL: [Lever; 8] = [
        Lever::Planner,
        Lever::Order,
        Lever::InPlace,
        Lever::Views,
        Lever::Bank,
        Lever::Spill,
        Lever::Recompute,
        Lever::Stripes,
    ];

    /// Its name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Lever::Planner => "planner",
            Lever::Order => "order",
            Lever::InPlace => "inplace",
            Lever::Views => "views",
            Lever::Bank => "bank",
            Lever::Spill => "spill",
            Lever::Recompute => "recompute",
            Lever::Stripes => "stripes",
        }
    }

    /// Whether it costs nothing.
    pub fn is_free(self) -> bool {
        self <= Lever::Views
    }

    /// Reads a list such as `planner,order`, or `all`.
    ///
    /// # Errors
    /// A word that names no lever.
    pub fn list(text: &str) -> Result<BTreeSet<Lever>, Message> {
        let mut levers = BTreeSet::from([Lever::Planner]);
        for word in text.split(',').map(str::trim) {
            if word == "all" {
                levers.extend(Lever::ALL);
                continue;
            }
            let lever = Lever::ALL.into_iter().find(|lever| lever.name() == word);
            let names: Vec<&str> = Lever::ALL.iter().map(|lever| lever.name()).collect();
            let unknown = || {
                let message = Message::new("fit.no-lever").text("text", word).text("names", names.join(", "));
                suggest(message, word, names.iter().copied().chain(["all"]))
            };
            levers.insert(lever.ok_or_else(unknown)?);
        }
        Ok(levers)
    }
}

/// Which price counts first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Prefer {
    /// Multiplications.
    #[default]
    Macs,
    /// Bytes moved.
    Bytes,
}

impl Prefer {
    /// A price and a number of changes as they are compared.
    pub fn key(self, price: &Price, moves: u64) -> (u64, u64, u64, u64) {
        match self {
            Prefer::Macs => (price.macs, price.bytes, moves, price.weights),
            Prefer::Bytes => (price.bytes, price.macs, moves, price.weights),
        }
    }

    /// Its name on the command line and in files.
    pub const fn name(self) -> &'static str {
        if matches!(self, Prefer::Macs) { "macs" } else { "bytes" }
    }
}

/// Reads a size such as `64KiB`, `8M` or `4096`; none for anything else.
pub fn read_size(text: &str) -> Option<u64> {
    match Limit::parse(text)? {
        Limit::Bytes(bytes) => Some(bytes),
        Limit::Percent(_) => None,
    }
}

/// A line of scratch by operator that cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScratchFault<'a> {
    /// Its number, from 1.
    pub line: usize,
    /// What it says.
    pub text: &'a str,
    /// Whether an earlier line is about the same operator; else it is not `op,bytes`.
    pub is_twice: bool,
}

/// Reads scratch by operator: lines `op,bytes`, of which the first may be a heading.
///
/// # Errors
/// The first line that is not `op,bytes`, or is about an operator of an earlier line.
pub fn read_scratch(text: &str) -> Result<BTreeMap<String, u64>, ScratchFault<'_>> {
    let mut found = BTreeMap::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fault = |is_twice| ScratchFault { line: number + 1, text: line, is_twice };
        let pair = line.rsplit_once(',').map(|(op, bytes)| (op.trim().trim_matches('"').to_string(), read_size(bytes)));
        match pair {
            Some((op, Some(bytes))) => match found.insert(op, bytes) {
                None => {}
                Some(_) => return Err(fault(true)),
            },
            Some((_, None)) if number == 0 => {}
            _ => return Err(fault(false)),
        }
    }
    Ok(found)
}

/// Lines `op,0` that [`read_scratch`] reads, one for each name of an operator, as they run. Names
/// that no line can hold are left out.
pub fn every_operator(graph: &Graph) -> String {
    let mut listed = BTreeSet::new();
    let is_named = |name: &&str| !name.is_empty() && !name.contains('\n') && *name == name.trim().trim_matches('"');
    let names = graph.nodes.iter().map(|node| node.name.as_str()).filter(is_named);
    names.filter(|name| listed.insert(*name)).map(|name| format!("{name},0\n")).collect()
}

/// Largest cost of a byte.
pub const MOST_COST: u64 = 1_000_000;

/// A memory that tensors may lie in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StoredIn {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub size: u64,
    /// What a byte read or written there costs.
    pub cost: u64,
}

impl StoredIn {
    /// Reads `SRAM=64KiB` or `DRAM=8MiB@4`.
    ///
    /// # Errors
    /// What is missing or no number.
    pub fn parse(text: &str) -> Result<StoredIn, Message> {
        let wrong = || Message::new("fit.no-memory").text("text", text);
        let (name, rest) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(wrong)?;
        let (bytes, cost) = rest.split_once('@').map_or((rest, None), |(bytes, cost)| (bytes, Some(cost)));
        let size = read_size(bytes);
        let bytes = size.ok_or_else(|| Message::new("fit.no-memory-size").text("text", text).text("size", bytes))?;
        if bytes == 0 {
            return Err(Message::new("fit.empty-memory").text("name", name));
        }
        let cost =
            cost.map(|cost| cost.parse().ok().filter(|cost| *cost <= MOST_COST).ok_or_else(wrong)).transpose()?;
        Ok(StoredIn { name: name.to_string(), size: bytes, cost: cost.unwrap_or(1) })
    }
}

/// What memories hold.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Budget {
    /// The first is the fast one.
    pub memories: Vec<StoredIn>,
    /// Bytes of scratch for all kernels; none = not known.
    pub scratch: Option<u64>,
    /// Bytes of scratch by operator, alive while it runs.
    pub by_operator: BTreeMap<String, u64>,
    /// Bytes that stay between runs; none = not known.
    pub persistent: Option<u64>,
    /// What the size of every tensor but weights is rounded up to a multiple of; none = its bytes.
    #[serde(default)]
    pub granule: Option<u64>,
}

/// Most that may be paid.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// Most multiplications more.
    pub macs: Option<u64>,
    /// Most multiplications more, in percent of those of the graph.
    pub percent: Option<f64>,
    /// Most bytes moved.
    pub bytes: Option<u64>,
}

impl Bounds {
    /// Takes a bound such as `macs=5%`, `macs=100000` or `bytes=1MiB`.
    ///
    /// # Errors
    /// What is no bound.
    pub fn take(&mut self, text: &str) -> Result<(), Message> {
        let limit = text.split_once('=').and_then(|(what, most)| Some((what, Limit::parse(most)?)));
        match limit {
            Some(("macs", Limit::Percent(percent))) => self.percent = Some(percent),
            Some(("macs", Limit::Bytes(count))) => self.macs = Some(count),
            Some(("bytes", Limit::Bytes(bytes))) => self.bytes = Some(bytes),
            _ => return Err(Message::new("fit.no-limit").text("text", text)),
        }
        Ok(())
    }
}

/// Most names of operators in a sentence.
const NAMES: usize = 8;

/// The first operators of a graph by name.
fn some_names(graph: &Graph) -> String {
    let names: Vec<&str> = graph.nodes.iter().take(NAMES).map(|node| node.name.as_str()).collect();
    names.join(", ") + if graph.nodes.len() > NAMES { ", …" } else { "" }
}

/// What is asked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Request {
    /// The memories.
    pub budget: Budget,
    /// What may be changed.
    pub allow: BTreeSet<Lever>,
    /// Most that may be paid.
    pub limits: Bounds,
    /// Which price counts first.
    pub prefer: Prefer,
    /// What of the graph is planned.
    pub scope: Scope,
    /// Whether the price at every budget is wanted.
    pub curve: bool,
}

impl Default for Request {
    /// No memory yet; the levers that cost nothing.
    fn default() -> Request {
        Request {
            budget: Budget::default(),
            allow: Lever::ALL.into_iter().filter(|lever| lever.is_free()).collect(),
            limits: Bounds::default(),
            prefer: Prefer::default(),
            scope: Scope::default(),
            curve: false,
        }
    }
}

impl Budget {
    /// Bytes of the fast memory for tensors and scratch together.
    pub fn arena(&self) -> u64 {
        let size = self.memories.first().map_or(0, |memory| memory.size);
        size.saturating_sub(self.persistent.unwrap_or(0))
    }
}

impl Request {
    /// Whether a lever is allowed.
    pub fn has(&self, lever: Lever) -> bool {
        self.allow.contains(&lever)
    }

    /// Whether a device is one of the slower memories.
    pub fn is_slower(&self, device: &str) -> bool {
        self.budget.memories.iter().skip(1).any(|memory| memory.name == device)
    }

    /// Bytes that the fast memory has for tensors.
    ///
    /// # Errors
    /// No memory, two of one name, or nothing left.
    pub fn available(&self) -> Result<u64, Message> {
        let Some(fast) = self.budget.memories.first() else { return Err(Message::new("fit.memory-missing")) };
        let mut names = BTreeSet::new();
        if let Some(twice) = self.budget.memories.iter().find(|memory| !names.insert(&memory.name)) {
            return Err(Message::new("fit.memory-twice").text("name", twice.name.clone()));
        }
        if let Some(vast) = self.budget.memories.iter().find(|memory| memory.size > MAX_SAFE) {
            return Err(Message::new("fit.memory-vast").text("name", vast.name.clone()));
        }
        if let Some(empty) = self.budget.memories.iter().find(|memory| memory.size == 0) {
            return Err(Message::new("fit.empty-memory").text("name", empty.name.clone()));
        }
        let taken = self.budget.scratch.unwrap_or(0).saturating_add(self.budget.persistent.unwrap_or(0));
        fast.size.checked_sub(taken).filter(|left| *left > 0).ok_or_else(|| {
            Message::new("fit.nothing-left")
                .text("name", fast.name.clone())
                .bytes("size", fast.size)
                .bytes("taken", taken)
        })
    }

    /// The graph with the scratch of its operators, and sizes rounded up.
    ///
    /// # Errors
    /// Scratch for an operator that the graph does not have, or a slower memory that is a device of
    /// the graph.
    pub fn with_scratch(&self, graph: &Graph) -> Result<Graph, Message> {
        let slower = self.budget.memories.iter().skip(1);
        if let Some(known) = slower.clone().find(|memory| graph.devices.iter().any(|name| *name == memory.name)) {
            return Err(Message::new("fit.memory-device").text("name", known.name.clone()));
        }
        let mut out = graph.clone();
        if let Some(granule) = self.budget.granule {
            let symbols = graph.symbol_values(&self.scope.symbols);
            for (id, tensor) in graph.tensors.enumerate().filter(|(_, tensor)| tensor.kind != Kind::Weight) {
                // A tensor without a size is told where storages are made.
                let bytes = graph.bytes_of(id, &symbols).ok();
                out.tensors[id].bytes = bytes.map(|bytes| align_up(bytes, granule)).or(tensor.bytes);
            }
        }
        for (name, &bytes) in &self.budget.by_operator {
            let steps: Vec<NodeId> =
                graph.nodes.enumerate().filter(|(_, node)| node.name == *name).map(|(id, _)| id).collect();
            let Some(step) = steps.first() else {
                return Err(Message::new("fit.scratch-unknown").text("name", name).text("names", some_names(graph)));
            };
            if bytes > 0 {
                scratch(&mut out, step.index(), bytes);
            }
        }
        Ok(out)
    }

    /// Returns true if a price is within its limits; `graph_macs` is the multiplications of the
    /// graph before any change.
    pub fn affords(&self, price: &Price, graph_macs: u64) -> bool {
        let is_within = |percent: f64| price.macs as f64 * 100.0 <= percent * graph_macs as f64;
        self.limits.percent.is_none_or(is_within)
            && self.limits.macs.is_none_or(|most| price.macs <= most)
            && self.limits.bytes.is_none_or(|most| price.bytes <= most)
    }
}
