//! `diff/1`: the differences as plain values (docs/diff.md).

use serde::{Serialize, Serializer};

use super::{Blame, Broken, Diff, Group, Limit, Loss, Row, Side, SideFigures};
use memplan_core::base::Message;
use memplan_core::graph::NodeId;
use memplan_core::plan::{Plan, faults};
use memplan_core::problem::{BufferId, Problem};
use memplan_core::text::{Locale, Speech};

/// Name and version of the format.
pub const FORMAT: &str = "diff/1";

/// The differences of several models. Sizes in bytes, ranges half-open.
#[derive(Clone, Debug, Serialize)]
pub struct DiffRecord {
    /// `diff/1`.
    pub format: &'static str,
    /// Id of the planner, or `imported`.
    pub planner: String,
    /// A model each.
    pub models: Vec<ModelRecord>,
    /// The limit that was given, as it was written.
    pub limit: Option<String>,
    /// Whether a peak rose above the limit.
    pub failed: bool,
    /// Files, or pairs of files, that were to be compared.
    pub files: u64,
    /// Those of two folders that could not be compared.
    pub unread: Vec<UnreadRecord>,
}

/// A file that could not be compared.
#[derive(Clone, Debug, Serialize)]
pub struct UnreadRecord {
    /// Its path below its folder.
    pub file: String,
    /// Why, in English.
    pub reasons: Vec<String>,
}

/// The differences of one model.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ModelRecord {
    /// Name of the model; of folders, its path and the name inside the file, if it holds several.
    pub name: String,
    /// Of folders, the path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Of folders, which model of the file this is, if it holds several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subgraph: Option<String>,
    /// Figures before; null for a model that is new.
    pub old: Option<SideRecord>,
    /// Figures after; null for a model that is gone.
    pub new: Option<SideRecord>,
    /// The rise of the peak in bytes, below 0 if it fell; 0 if a plan breaks rules.
    pub change_bytes: i64,
    /// The same over the old peak; null from 0, and if a plan breaks rules.
    pub change_relative: Option<f64>,
    /// `graph`, `plan`, `both` or `none`.
    pub blame: &'static str,
    /// Whether the sides have too little in common for a list.
    pub unrelated: bool,
    /// Buffers matched, by how sure that is: certain, likely, guess.
    pub matched: [u64; 3],
    /// What is no longer overwritten in place.
    pub not_in_place: Vec<LossRecord>,
    /// What is overwritten in place now.
    pub in_place: Vec<LossRecord>,
    /// The list.
    pub rows: Vec<RowRecord>,
    /// Names of added operators.
    pub added: Vec<String>,
    /// Names of removed operators.
    pub removed: Vec<String>,
    /// Names of operators that run at another place.
    pub moved: Vec<String>,
    /// `[user, earlier user]`: reuses at the new peak that are gone.
    pub reuses_lost: Vec<[String; 2]>,
    /// `[step, bytes]` before, at the operator that is now at the peak.
    pub same_place: Option<(u32, u64)>,
    /// Matched steps `[old, new]`.
    pub steps: Vec<(u32, u32)>,
}

/// Figures of one side.
#[derive(Clone, Debug, Serialize)]
pub struct SideRecord {
    /// The file or what else names the side.
    pub file: String,
    /// The peak.
    pub peak: u64,
    /// The largest load.
    pub bound: u64,
    /// Number of steps.
    pub steps: u32,
    /// First step of the largest load.
    pub step: u32,
    /// Bytes of weights that do not count.
    pub left_out: u64,
    /// `[step, bytes from here on]`.
    pub load: Vec<(u32, u64)>,
    /// Why the file may be misread, in English; absent if its own plan agrees with what was read.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "in_english")]
    pub misread: Option<Message>,
    /// Rules that the plan breaks; absent if it breaks none, or if the file may be misread.
    #[serde(skip_serializing_if = "is_zero")]
    pub violations: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn in_english<S: Serializer>(message: &Option<Message>, serializer: S) -> Result<S::Ok, S::Error> {
    let speech = Speech { locale: Locale::En, ..Speech::default() };
    message.as_ref().map(|message| speech.say(message)).serialize(serializer)
}

/// Storage that is or was overwritten.
#[derive(Clone, Debug, Serialize)]
pub struct LossRecord {
    /// The name of the storage.
    pub name: String,
    /// Bytes of the second copy.
    pub bytes: u64,
    /// Number of operators.
    pub operators: u32,
    /// `[old, new]` step of the first operator, in the order of the side that overwrites.
    pub steps: (u32, u32),
    /// `forbidden`, `read_later`, `outside`, `sizes` or `planner`.
    pub why: &'static str,
    /// For `read_later`, the step of the reader.
    pub step: Option<u32>,
    /// For `read_later`, the name of the reader; for `outside`, what the storage is.
    pub by: Option<String>,
}

/// A row of the list.
#[derive(Clone, Debug, Serialize)]
pub struct RowRecord {
    /// The group.
    pub group: &'static str,
    /// The buffer before.
    pub old: Option<PartRecord>,
    /// The buffer after.
    pub new: Option<PartRecord>,
    /// Rule of the match.
    pub rule: Option<&'static str>,
    /// How sure it is.
    pub confidence: Option<&'static str>,
    /// Bytes that it changes at the peak.
    pub bytes: u64,
    /// Whether the element type changed.
    pub retyped: bool,
}

/// A buffer.
#[derive(Clone, Debug, Serialize)]
pub struct PartRecord {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// Its life.
    pub live: (u32, u32),
    /// Index of its pool; null without a place.
    pub pool: Option<u32>,
    /// Bytes from the base of the pool.
    pub offset: Option<u64>,
}

impl DiffRecord {
    /// The record of all models. `limit` is the largest rise that passes, as it was written. A
    /// model that is new or gone does not fail by its peak, and any plan that breaks rules fails,
    /// unless its model is gone: its peak can be held against no limit.
    pub fn new(models: Vec<ModelRecord>, planner: &str, limit: Option<&str>) -> DiffRecord {
        let parsed = limit.and_then(Limit::parse);
        let is_passed = |model: &ModelRecord| match (&model.old, &model.new, parsed) {
            (_, Some(_), Some(_)) if model.is_invalid() => true,
            (Some(old), Some(new), Some(limit)) => limit.is_passed(old.peak, new.peak),
            _ => false,
        };
        DiffRecord {
            format: FORMAT,
            planner: planner.into(),
            failed: models.iter().any(is_passed),
            limit: limit.map(str::to_string),
            files: models.len() as u64,
            unread: Vec::new(),
            models,
        }
    }
}

impl DiffRecord {
    /// Which files could not be compared.
    pub fn unread_message(&self) -> Message {
        let names: Vec<&str> = self.unread.iter().map(|unread| &*unread.file).collect();
        let message = Message::new("diff.unread").count("n", names.len() as u64).count("count", self.files);
        message.text("names", names.join(", "))
    }
}

impl SideRecord {
    /// The figures of a side.
    pub fn new(file: &str, figures: &SideFigures) -> SideRecord {
        SideRecord {
            file: file.into(),
            peak: figures.peak,
            bound: figures.bound,
            steps: figures.steps,
            step: figures.step,
            left_out: figures.left_out,
            load: figures.curve.clone(),
            misread: None,
            violations: 0,
        }
    }

    /// The same of a plan that rests on a reading, which may be wrong, or that breaks rules.
    pub fn of_plan(self, side: Side) -> SideRecord {
        let misread = side.plan.misreading.clone();
        let is_figure = side.plan.places.iter().all(Option::is_none);
        let is_checked = misread.is_none() && !is_figure;
        let violations = if is_checked { faults(side.problem, side.plan).len() as u64 } else { 0 };
        SideRecord { misread, violations, ..self }
    }
}

impl ModelRecord {
    /// The record of a comparison; `files` name the sides.
    pub fn new(name: &str, files: [&str; 2], sides: [Side; 2], diff: &Diff) -> ModelRecord {
        let before = SideRecord::new(files[0], &diff.old).of_plan(sides[0]);
        let after = SideRecord::new(files[1], &diff.new).of_plan(sides[1]);
        let is_sound = before.violations == 0 && after.violations == 0;
        // No saving, and no loss, comes from a plan that breaks rules.
        let (bytes, share) = if is_sound { diff.change() } else { (0, None) };
        let [old, new] = sides;
        let names = |side: Side, ids: &mut dyn Iterator<Item = u32>| -> Vec<String> {
            let name = |id| side.graph.map(|graph| graph.nodes[NodeId(id)].name.clone());
            ids.filter_map(name).collect()
        };
        let reused =
            |(user, earlier): &(BufferId, BufferId)| [*user, *earlier].map(|id| new.problem.buffers[id].name.clone());
        let count = |confidence| diff.matches.count(confidence);
        ModelRecord {
            name: name.into(),
            path: None,
            subgraph: None,
            old: Some(before),
            new: Some(after),
            // Peaks are below 2^53.
            change_bytes: bytes as i64,
            change_relative: share,
            blame: blame_name(if is_sound { diff.blame() } else { Blame::None }),
            unrelated: diff.is_unrelated,
            matched: [super::Confidence::Certain, super::Confidence::Likely, super::Confidence::Guess].map(count),
            not_in_place: diff.lost.iter().map(LossRecord::new).collect(),
            in_place: diff.won.iter().map(LossRecord::new).collect(),
            rows: diff.rows.iter().map(|row| RowRecord::new(row, sides)).collect(),
            added: names(new, &mut diff.added.iter().copied()),
            removed: names(old, &mut diff.removed.iter().copied()),
            moved: names(new, &mut diff.moved.iter().map(|&(_, new)| new)),
            reuses_lost: diff.reuses_lost.iter().map(reused).collect(),
            same_place: diff.same_place,
            steps: diff.steps.clone(),
        }
    }
}

impl ModelRecord {
    /// Whether the plan of a side breaks rules, so that its peak says nothing.
    pub fn is_invalid(&self) -> bool {
        self.old.iter().chain(&self.new).any(|side| side.violations > 0)
    }
}

fn blame_name(blame: Blame) -> &'static str {
    match blame {
        Blame::None => "none",
        Blame::Graph => "graph",
        Blame::Plan => "plan",
        Blame::Both { .. } => "both",
    }
}

impl LossRecord {
    fn new(loss: &Loss) -> LossRecord {
        LossRecord {
            name: loss.name.clone(),
            bytes: loss.bytes,
            operators: loss.operators,
            steps: loss.steps,
            why: loss.why.name(),
            step: if let Broken::ReadLater { step, .. } = loss.why { Some(step) } else { None },
            by: match &loss.why {
                Broken::ReadLater { by, .. } => Some(by.clone()),
                Broken::Outside(kind) => Some(kind.name().into()),
                _ => None,
            },
        }
    }
}

impl RowRecord {
    fn new(row: &Row, [old, new]: [Side; 2]) -> RowRecord {
        RowRecord {
            group: Group::name(row.group),
            old: row.old.map(|id| PartRecord::new(old.problem, old.plan, id)),
            new: row.new.map(|id| PartRecord::new(new.problem, new.plan, id)),
            rule: row.rule.map(super::Rule::name),
            confidence: row.rule.map(|rule| rule.confidence().name()),
            bytes: row.bytes,
            retyped: row.retyped,
        }
    }
}

impl PartRecord {
    fn new(problem: &Problem, plan: &Plan, id: BufferId) -> PartRecord {
        let buffer = &problem.buffers[id];
        let place = plan.places.get(id).copied().flatten();
        PartRecord {
            name: buffer.name.clone(),
            bytes: buffer.size,
            live: (buffer.live.start, buffer.live.end),
            pool: place.map(|place| place.pool.0),
            offset: place.map(|place| place.offset),
        }
    }
}
