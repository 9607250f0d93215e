//! The state of a planner at a frame, as tables, rulers, strips and lanes: what the state panel
//! shows, before it is drawn.
//!
//! Each file here fills the sections of one family of planners. A section that has nothing to show
//! is left out.

mod banks;
mod beam;
mod cached;
mod chunks;
mod classes;
mod dependencies;
mod exact;
mod executorch;
mod free_buffers;
mod inductor_reuse;
mod json;
mod nnvm;
mod node_order;
mod order;
mod pairs;
mod ruler;
mod shared_objects;
mod slots;
mod storages;
mod swaps;
mod tokens;
mod waiting;
mod ways;

pub use beam::opened;
pub use executorch::{ArenaObject, arena_objects};
pub use json::{blocks_json, section_json, tree_json};
pub use tokens::device_steps;

use super::{Frame, Run};
use memplan_core::base::{Arg, Family, Message};
use memplan_core::plan::PoolId;
use memplan_core::problem::BufferId;
use memplan_core::text::Speech;
use memplan_core::trace::{Event, Note};

/// One titled part of the panel.
#[derive(Clone, PartialEq, Debug)]
pub struct Section {
    /// Ending of its title's key, `panel.<id>`; also names the section in tests and files.
    pub id: &'static str,
    /// What it shows.
    pub view: View,
}

/// How a section shows its data.
#[derive(Clone, PartialEq, Debug)]
pub enum View {
    /// Rows and columns.
    Table(Table),
    /// Sizes on an axis.
    Ruler(Ruler),
    /// Nodes under the time axis.
    Strip(Vec<Chip>),
    /// Plans side by side.
    Lanes(Vec<Lane>),
}

/// Rows under named columns.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// From left to right.
    pub columns: Vec<Column>,
    /// From top to bottom; each has a cell for every column.
    pub rows: Vec<Row>,
    /// The row of this frame, scrolled into view.
    pub current: Option<usize>,
}

/// A column of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// What stands above it.
    pub title: Message,
    /// Whether its cells are numbers, aligned to the right.
    pub numeric: bool,
}

/// A line of a table. A click selects its buffer; if the row stands for settings, a click plans
/// again with them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Row {
    /// One for each column.
    pub cells: Vec<Cell>,
    /// The word for what this frame changed: new, taken, freed, enlarged.
    pub changed: Option<Message>,
    /// The buffer that a click selects.
    pub buffer: Option<BufferId>,
    /// The pool that it stands for.
    pub pool: Option<PoolId>,
    /// Whether the row is shown faded: pruned, refused, or not used again.
    pub faded: bool,
    /// Options and values that this row stands for.
    pub settings: Vec<(&'static str, String)>,
}

/// What stands in a cell.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A name, a number or a size.
    Value(Arg),
    /// A sentence.
    Say(Message),
    /// A number before and after.
    Change(u64, u64),
    /// Bytes before and after.
    Grown(u64, u64),
    /// A share of the largest, 0 to 1, as a bar.
    Bar(f64),
}

/// Free storages on a logarithmic axis of bytes, with the request and the window of sizes that it
/// takes.
#[derive(Clone, PartialEq, Debug)]
pub struct Ruler {
    /// Bytes asked for.
    pub request: u64,
    /// Smallest and largest size taken, in bytes.
    pub window: (u64, u64),
    /// Free storages.
    pub marks: Vec<RulerMark>,
}

/// A free storage on the ruler.
#[derive(Clone, PartialEq, Debug)]
pub struct RulerMark {
    /// The storage.
    pub pool: PoolId,
    /// Its size.
    pub bytes: u64,
    /// Order in which it was looked at.
    pub number: Option<u32>,
    /// Whether it was taken.
    pub chosen: bool,
}

/// A node of a strip under the time axis, in a class of its own: a colour group or a device.
#[derive(Clone, PartialEq, Debug)]
pub struct Chip {
    /// Name of the node.
    pub label: String,
    /// Class that gives it its colour.
    pub class: u8,
    /// The sentence that is shown when the pointer is on it.
    pub words: Message,
    /// Whether this frame belongs to it.
    pub current: bool,
}

/// One of several plans that a search keeps at the same time.
#[derive(Clone, PartialEq, Debug)]
pub struct Lane {
    /// What stands above it.
    pub title: Message,
    /// Lane of the generation before that it continues.
    pub parent: Option<usize>,
    /// Why it was given up.
    pub pruned: Option<Message>,
    /// Whether this frame belongs to it.
    pub current: bool,
    /// Buffers with their offsets.
    pub places: Vec<(BufferId, u64)>,
}

impl Section {
    /// The section as it has room beside the plan: without the devices where all rows have the
    /// same.
    pub fn on_page(mut self, run: &Run) -> Section {
        let mut devices = run.problem.memories.iter().map(|memory| &memory.device);
        let (first, title) = (devices.next(), Family::PANEL_COLUMN.of(["device"]));
        if let View::Table(table) = &mut self.view
            && devices.all(|device| Some(device) == first)
            && let Some(column) = table.columns.iter().position(|column| column.title.key == title)
        {
            table.columns.remove(column);
            table.rows.iter_mut().for_each(|row| drop(row.cells.remove(column)));
        }
        self
    }
}

impl Table {
    /// A table with columns named by `panel.column.<key>`; a key with a leading `#` is a column of
    /// numbers.
    pub fn new(columns: &[&'static str], rows: Vec<Row>, current: Option<usize>) -> Table {
        let column = |key: &&'static str| Column {
            title: Message::new(Family::PANEL_COLUMN.of([key.trim_start_matches('#')])),
            numeric: key.starts_with('#'),
        };
        Table { columns: columns.iter().map(column).collect(), rows, current }
    }
}

impl Cell {
    /// Returns the name of a buffer.
    pub fn name(run: &Run, buffer: BufferId) -> Cell {
        Cell::Value(Arg::Name(run.problem.buffers[buffer].name.clone()))
    }

    /// Returns a number of bytes.
    pub fn bytes(bytes: u64) -> Cell {
        Cell::Value(Arg::Bytes(bytes))
    }

    /// Returns a number.
    pub fn count(count: impl Into<u64>) -> Cell {
        Cell::Value(Arg::Count(count.into()))
    }

    /// The words in the cell; nothing for an empty one and for a bar.
    pub fn say(&self, speech: Speech) -> String {
        match self {
            Cell::Empty | Cell::Bar(_) => String::new(),
            Cell::Value(arg) => speech.say(&Message::new("panel.value").with("value", arg.clone())),
            Cell::Say(message) => speech.say(message),
            Cell::Grown(from, to) => speech.say(&Message::new("panel.change").bytes("from", *from).bytes("to", *to)),
            Cell::Change(from, to) => speech.say(&Message::new("panel.change").count("from", *from).count("to", *to)),
        }
    }
}

/// What cells are sorted by: numbers, then words.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rank {
    /// Nothing.
    Empty,
    /// A number, and a second one for equal first ones.
    Number(u64, u64),
    /// Words.
    Words(String),
}

impl Cell {
    /// Returns what the cell is sorted by.
    pub fn rank(&self, speech: Speech) -> Rank {
        match self {
            Cell::Empty => Rank::Empty,
            Cell::Value(Arg::Bytes(number) | Arg::Count(number) | Arg::Address(number)) => Rank::Number(*number, 0),
            Cell::Value(Arg::Span(from, to)) => Rank::Number(*from, *to),
            Cell::Value(Arg::Live(start, end)) => Rank::Number((*start).into(), (*end).into()),
            Cell::Grown(from, to) | Cell::Change(from, to) => Rank::Number(*to, *from),
            // Shares from 0 to 1.
            Cell::Bar(share) => Rank::Number((share * 1e12) as u64, 0),
            Cell::Value(_) | Cell::Say(_) => Rank::Words(self.say(speech).to_lowercase()),
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
    run.noted(events, &[wanted]).map(|(_, (_, subject, a, b))| (subject, a, b))
}

/// Fills one kind of section from the events up to a frame.
type Builder = fn(&Run, &Frame) -> Option<Section>;

/// All builders, in the order in which their sections stand.
const BUILDERS: &[Builder] = &[
    inductor_reuse::pool,
    inductor_reuse::lines,
    chunks::chunks,
    chunks::counts,
    classes::bitmap,
    classes::lists,
    classes::blocks,
    free_buffers::list,
    cached::segments,
    cached::free_blocks,
    cached::counters,
    tokens::tokens,
    storages::storages,
    ruler::ruler,
    nnvm::colors,
    nnvm::tries,
    ways::ways,
    ways::climbs,
    ways::attempts,
    swaps::swaps,
    swaps::chain,
    waiting::loads,
    waiting::live_at_peak,
    slots::open_slots,
    slots::rounds,
    pairs::pairs,
    node_order::node_order,
    nnvm::runtime,
    tokens::devices,
    banks::banks,
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

/// A section that has a tab; see [`filled_sections`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filled {
    /// Id of the section.
    pub id: &'static str,
    /// Number of rows of its table at the last of these moments that fills it; 0 for any other
    /// view.
    pub rows: usize,
    /// Which of the builders fills it.
    builder: usize,
}

impl Filled {
    /// What the section shows at a frame.
    pub fn section(&self, run: &Run, frame: &Frame) -> Option<Section> {
        Some(BUILDERS[self.builder](run, frame)?.on_page(run))
    }
}

/// Returns the sections that have a tab, in the order of the panel. The list is the same at every
/// frame, so that no step moves a tab. A section has a tab if it is filled after the last event,
/// after the last decision, or at the last request for a storage.
pub fn filled_sections(run: &Run) -> Vec<Filled> {
    let events = &run.timeline.events;
    // Most sections stay filled once an event has filled them. Others show only the decision of the
    // frame, or its request.
    let of_decision = run.timeline.decisions.last().map(|decision| decision.end);
    let of_request = events.iter().rposition(|event| matches!(event, Event::AskStorage { .. }));
    let of_request = of_request.map(|index| index as u32 + 1);
    let moments = [Some(events.len() as u32), of_decision, of_request];
    let frames: Vec<Frame> = moments.into_iter().flatten().map(|events| run.frame(events)).collect();
    let filled = |(builder, build): (usize, &Builder)| {
        let section = frames.iter().find_map(|frame| build(run, frame))?;
        let rows = if let View::Table(table) = &section.view { table.rows.len() } else { 0 };
        Some(Filled { id: section.id, rows, builder })
    };
    BUILDERS.iter().enumerate().filter_map(filled).collect()
}

/// What the state panel shows at a frame besides trees and free lists.
pub fn sections(run: &Run, frame: &Frame) -> Vec<Section> {
    BUILDERS.iter().filter_map(|build| build(run, frame)).collect()
}
