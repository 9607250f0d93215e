//! `fit/1`: the answer as plain values (docs/fit.md).

use serde::{Deserialize, Serialize};

use crate::transform::Price;
use memplan_core::base::Message;

/// Name and version of the format.
pub const FORMAT: &str = "fit/1";

/// An answer. Sizes in bytes, ranges of operators with their last.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FitRecord {
    /// `fit/1`.
    pub format: String,
    /// Name of the graph.
    pub graph: String,
    /// Digest of the graph as memory-graph/1.
    pub hash: String,
    /// What there is.
    pub budget: BudgetRecord,
    /// Names of the levers that are allowed.
    pub allow: Vec<String>,
    /// Most that may be paid: `macs`, `percent`, `bytes`.
    pub limits: LimitsRecord,
    /// `macs` or `bytes`.
    pub prefer: String,
    /// `fits`, `impossible` or `unknown`.
    pub result: String,
    /// Whether no cheaper answer exists among the changes that are allowed.
    pub optimal: bool,
    /// Bytes before and after.
    pub required: Required,
    /// What the changes cost.
    pub price: PriceRecord,
    /// The changes in order.
    pub moves: Vec<MoveRecord>,
    /// What each lever does alone.
    pub levers: Vec<LeverRecord>,
    /// Why it is impossible.
    pub certificate: Option<CertificateRecord>,
    /// `[budget, multiplications, bytes]` at which the cheapest price changes.
    pub curve: Vec<(u64, u64, u64)>,
    /// How far the search came.
    pub search: SearchRecord,
    /// What stripes leave whole or assume; empty if they are not allowed.
    #[serde(default)]
    pub held: Vec<HeldRecord>,
}

impl FitRecord {
    /// Whether a price is above what may be paid.
    pub fn is_too_dear(&self, price: &PriceRecord) -> bool {
        let LimitsRecord { macs, percent, bytes } = &self.limits;
        macs.is_some_and(|most| price.macs > most)
            || bytes.is_some_and(|most| price.bytes_moved > most)
            || percent.is_some_and(|most| price.macs_relative.is_some_and(|share| 100.0 * share > most))
    }
}

impl LimitsRecord {
    /// Whether anything may be paid only up to a limit.
    pub fn is_stated(&self) -> bool {
        self.macs.is_some() || self.percent.is_some() || self.bytes.is_some()
    }
}

/// Operators of which stripes leave the rows whole, or whose window is assumed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct HeldRecord {
    /// Key of the reason, that of [`Why`].
    pub key: String,
    /// Names of the operators, in the order in which they run.
    pub ops: Vec<String>,
}

/// Most that may be paid.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LimitsRecord {
    /// Multiplications.
    pub macs: Option<u64>,
    /// Percent of the multiplications of the graph.
    pub percent: Option<f64>,
    /// Bytes moved.
    pub bytes: Option<u64>,
}

/// What there is.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BudgetRecord {
    /// Memories; the first is the fast one.
    pub memories: Vec<MemoryRecord>,
    /// Scratch of all kernels; null = not known.
    pub scratch: Option<u64>,
    /// Scratch by operator.
    pub by_operator: Vec<(String, u64)>,
    /// Bytes that stay between runs; null = not known.
    pub persistent: Option<u64>,
    /// Bytes left for tensors.
    pub available: u64,
}

/// A memory.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MemoryRecord {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub size: u64,
    /// What a byte read or written there costs.
    pub cost: u64,
}

/// Bytes before and after.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Required {
    /// Largest load of the graph as it is.
    pub before: u64,
    /// Peak of the plan, or the least that was reached.
    pub after: u64,
}

/// How far two readings of one number may lie apart: not every reader of JSON returns the very
/// number that was written.
const ALIKE: f64 = 1e-9;

/// Whether two numbers are one.
fn alike(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() <= ALIKE * one.abs().max(other.abs()).max(f64::MIN_POSITIVE),
        (one, other) => one.is_none() && other.is_none(),
    }
}

impl LimitsRecord {
    /// Whether these are the same limits.
    pub fn is_like(&self, other: &LimitsRecord) -> bool {
        (self.macs, self.bytes) == (other.macs, other.bytes) && alike(self.percent, other.percent)
    }
}

impl MoveRecord {
    /// Whether this is the same change at the same price.
    pub fn is_like(&self, other: &MoveRecord) -> bool {
        let plain = |one: &MoveRecord| MoveRecord { price: PriceRecord::default(), ..one.clone() };
        self.price.is_like(&other.price) && plain(self) == plain(other)
    }
}

/// What changes cost.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PriceRecord {
    /// Multiplications with addition.
    pub macs: u64,
    /// The same over those of the graph; null where it has none.
    pub macs_relative: Option<f64>,
    /// Bytes moved, weighted by the cost of the memory.
    pub bytes_moved: u64,
    /// Bytes of weights read again.
    pub weight_bytes: u64,
}

impl PriceRecord {
    /// Whether this is the same price.
    pub fn is_like(&self, other: &PriceRecord) -> bool {
        let plain = |one: &PriceRecord| PriceRecord { macs_relative: None, ..one.clone() };
        plain(self) == plain(other) && alike(self.macs_relative, other.macs_relative)
    }

    /// Returns the record of a price; `graph_macs` is the multiplications of the graph before any
    /// change.
    pub fn of(price: &Price, graph_macs: u64) -> PriceRecord {
        PriceRecord {
            macs: price.macs,
            macs_relative: (graph_macs > 0).then(|| price.macs as f64 / graph_macs as f64),
            bytes_moved: price.bytes,
            weight_bytes: price.weights,
        }
    }
}

/// A peak before and after a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Peaks {
    /// Before.
    pub before: u64,
    /// After.
    pub after: u64,
}

/// A reason: a key of the sentences and its arguments.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Why {
    /// The key.
    pub key: String,
    /// The arguments by name.
    pub args: Vec<(String, String)>,
}

impl Why {
    /// A reason with names or numbers.
    pub fn new(key: &str, args: &[(&str, String)]) -> Why {
        Why { key: key.to_string(), args: args.iter().map(|(name, value)| (name.to_string(), value.clone())).collect() }
    }

    /// The reason as a message.
    pub fn message(&self) -> Message {
        let mut message = Message::new(self.key.clone());
        for (name, value) in &self.args {
            message.args.push((name.clone().into(), memplan_core::base::Arg::Text(value.clone())));
        }
        message
    }
}

/// A change.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MoveRecord {
    /// Name of the lever.
    pub lever: String,
    /// Names of the first and the last operator that it changes.
    pub ops: Vec<String>,
    /// Number of stripes; 0 of other levers.
    pub stripes: u64,
    /// Names of the tensors that it moves or makes again.
    pub tensors: Vec<String>,
    /// Largest load before and after.
    pub peak: Peaks,
    /// What it costs.
    pub price: PriceRecord,
    /// What it does.
    pub why: Why,
}

/// What a lever does alone.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LeverRecord {
    /// Its name.
    pub lever: String,
    /// Largest load that it reaches alone; null if it was not tried.
    pub peak: Option<u64>,
    /// What that costs.
    pub price: PriceRecord,
    /// Why it does no more.
    pub reason: Option<Why>,
}

/// Why no change helps.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CertificateRecord {
    /// Names of the levers that it covers.
    pub levers: Vec<String>,
    /// `load`, `operator`, `orders`, `stripes` or `memories`.
    pub kind: String,
    /// No answer is below.
    pub bound: u64,
    /// Of kind `memories`, bytes of the storages that slower memories can take at most.
    #[serde(default)]
    pub elsewhere: u64,
    /// The operator.
    pub op: String,
    /// Storages that add up to the bound.
    pub storages: Vec<StorageRecord>,
    /// Pairs that may not be one storage.
    pub refusals: Vec<Refusal>,
    /// Sets of operators looked at, where all orders were.
    pub ideals: Option<u64>,
    /// Positions reachable within the budget, and every range that leaves them.
    pub reached: Vec<u64>,
    /// Those ranges with their least peak.
    pub edges: Vec<Edge>,
}

/// A range that leaves the positions reachable.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Edge {
    /// First operator.
    pub first: String,
    /// Last operator.
    pub last: String,
    /// Least peak in any number of stripes.
    pub peak: u64,
}

/// A storage of a certificate.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct StorageRecord {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// `read`, `made` or `resting`.
    pub role: String,
}

/// Why a lever does not help at an operator.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Refusal {
    /// Name of the lever.
    pub lever: String,
    /// The reason.
    pub why: Why,
}

/// How far the search came.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SearchRecord {
    /// States looked at.
    pub states: u64,
    /// Whether everything was looked at.
    pub exhausted: bool,
    /// Of an answer in stripes that is not proved cheapest, whether no stripes alone are cheaper.
    #[serde(default)]
    pub stripes: bool,
    /// Whether the curve of prices goes down to the least that stripes reach.
    #[serde(default)]
    pub curve: bool,
    /// Slower memories that were too small for what was moved there.
    #[serde(default)]
    pub small: Vec<String>,
    /// Seconds that the search took; null where no clock was there.
    #[serde(default)]
    pub seconds: Option<f64>,
}
