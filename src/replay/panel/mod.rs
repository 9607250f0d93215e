//! The state of a planner at a frame as plain tables, rulers and strips: what its panel shows, with no picture in it.
//!
//! Every family of planners has a file here that says which sections it fills; a section that has nothing to show is
//! left out.

mod beam;
mod dependencies;
mod exact;
mod executorch;
mod inductor_reuse;
mod json;
mod nnvm;
mod node_order;
mod order;
mod pairs;
mod ruler;
mod shared_objects;
mod storages;
mod tokens;
mod ways;

pub use beam::opened;
pub use json::{blocks_json, section_json, tree_json};
pub use tokens::device_steps;

use super::{Frame, Run};
use crate::base::{Arg, Family, Message};
use crate::plan::PoolId;
use crate::problem::BufferId;
use crate::text::Speech;
use crate::trace::{Event, Note};

/// One titled part of the panel.
#[derive(Clone, PartialEq, Debug)]
pub struct Section {
    /// Ending of its title's key, `panel.<id>`; also names the section in tests and files.
    pub id: &'static str,
    pub view: View,
}

#[derive(Clone, PartialEq, Debug)]
pub enum View {
    Table(Table),
    Ruler(Ruler),
    Strip(Vec<Chip>),
    Lanes(Vec<Lane>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// The row of this frame, scrolled into view.
    pub current: Option<usize>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    pub title: Message,
    pub numeric: bool,
}

/// A line of a table. Clicking it selects its buffer; one that states a setting plans again with it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Row {
    pub cells: Vec<Cell>,
    /// The word for what this frame did to it: new, taken, freed, enlarged.
    pub changed: Option<Message>,
    pub buffer: Option<BufferId>,
    pub pool: Option<PoolId>,
    /// Out of the game: pruned, refused, not to be used again.
    pub faded: bool,
    /// Options and values that this row stands for.
    pub settings: Vec<(&'static str, String)>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    Empty,
    Value(Arg),
    Say(Message),
    /// A number before and after.
    Change(u64, u64),
    /// Bytes before and after.
    Grown(u64, u64),
    /// A share of the largest, 0 to 1, as a bar.
    Bar(f64),
}

/// Free storages on a logarithmic axis of bytes, with the request and the window of sizes that it takes.
#[derive(Clone, PartialEq, Debug)]
pub struct Ruler {
    pub request: u64,
    /// Smallest and largest size taken, in bytes.
    pub window: (u64, u64),
    pub marks: Vec<RulerMark>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct RulerMark {
    pub pool: PoolId,
    pub bytes: u64,
    /// Order in which it was looked at.
    pub number: Option<u32>,
    pub chosen: bool,
}

/// A node of a strip under the time axis, in a class of its own: a colour group or a device.
#[derive(Clone, PartialEq, Debug)]
pub struct Chip {
    pub label: String,
    pub class: u8,
    pub words: Message,
    pub current: bool,
}

/// One of several plans that a search keeps at the same time.
#[derive(Clone, PartialEq, Debug)]
pub struct Lane {
    pub title: Message,
    /// Lane of the generation before that it continues.
    pub parent: Option<usize>,
    /// Why it was given up.
    pub pruned: Option<Message>,
    pub current: bool,
    /// Buffers with their offsets.
    pub places: Vec<(BufferId, u64)>,
}

impl Table {
    /// A table with columns named by `panel.column.<key>`; a key with a leading `#` is a column of numbers.
    pub fn new(columns: &[&'static str], rows: Vec<Row>, current: Option<usize>) -> Table {
        let column = |key: &&'static str| Column {
            title: Message::new(Family::PANEL_COLUMN.of([key.trim_start_matches('#')])),
            numeric: key.starts_with('#'),
        };
        Table { columns: columns.iter().map(column).collect(), rows, current }
    }
}

impl Cell {
    pub fn name(run: &Run, buffer: BufferId) -> Cell {
        Cell::Value(Arg::Name(run.problem.buffers[buffer].name.clone()))
    }

    pub fn bytes(bytes: u64) -> Cell {
        Cell::Value(Arg::Bytes(bytes))
    }

    pub fn count(count: impl Into<u64>) -> Cell {
        Cell::Value(Arg::Count(count.into()))
    }

    /// What the cell says; nothing for an empty one and for a bar.
    pub fn say(&self, speech: Speech) -> String {
        match self {
            Cell::Empty | Cell::Bar(_) => String::new(),
            Cell::Value(Arg::Bytes(bytes)) => speech.column(*bytes),
            Cell::Value(Arg::Address(address)) => speech.unit.figure(*address),
            Cell::Value(Arg::Span(from, to)) => speech.span(*from, *to),
            Cell::Value(arg) => speech.say(&Message::new("panel.value").with("value", arg.clone())),
            Cell::Say(message) => speech.say(message),
            Cell::Grown(from, to) => {
                let (from, to) = (speech.column(*from), speech.column(*to));
                speech.say(&Message::new("panel.change").text("from", from).text("to", to))
            }
            Cell::Change(from, to) => speech.say(&Message::new("panel.change").count("from", *from).count("to", *to)),
        }
    }
}

impl Row {
    /// Whether some cell, or the word for what happened, contains `wanted`, which is in lower case.
    pub fn says(&self, wanted: &str, speech: Speech) -> bool {
        let changed = self.changed.iter().map(|changed| speech.say(changed));
        let cells = self.cells.iter().map(|cell| cell.say(speech));
        changed.chain(cells).any(|words| words.to_lowercase().contains(wanted))
    }
}

/// The notes of one kind among the first `events` events, as `(subject, a, b)`.
fn notes(run: &Run, events: u32, wanted: Note) -> impl Iterator<Item = (u32, u64, u64)> {
    run.timeline.events[..events as usize].iter().filter_map(move |event| match *event {
        Event::Note { note, subject, a, b } if note == wanted => Some((subject, a, b)),
        _ => None,
    })
}

/// Fills one kind of section from the events up to a frame.
type Builder = fn(&Run, &Frame) -> Option<Section>;

/// All builders, in the order in which their sections stand.
const BUILDERS: &[Builder] = &[
    inductor_reuse::pool,
    inductor_reuse::lines,
    tokens::tokens,
    storages::storages,
    ruler::ruler,
    nnvm::colors,
    nnvm::tries,
    ways::ways,
    ways::climbs,
    ways::attempts,
    pairs::pairs,
    node_order::node_order,
    nnvm::runtime,
    tokens::devices,
    executorch::objects,
    executorch::arenas,
    executorch::suite,
    beam::lanes,
    beam::scores,
    exact::questions,
    exact::nodes,
    shared_objects::objects,
    shared_objects::flow,
    dependencies::parallelism,
    dependencies::dependencies,
    order::order,
];

/// What the state panel shows at a frame besides trees and free lists.
pub fn sections(run: &Run, frame: &Frame) -> Vec<Section> {
    BUILDERS.iter().filter_map(|build| build(run, frame)).collect()
}
