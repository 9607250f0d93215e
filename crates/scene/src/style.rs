//! What the reader has switched on, and what is selected or pointed at.

use super::filter::Filter;
use super::squeeze::Squeeze;
use memplan_core::base::Term;
use memplan_core::plan::Place;
use memplan_core::problem::BufferId;
use memplan_core::text::{Locale, Speech};
use memplan_core::trace::TreeNodeId;

/// Switches of the picture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Style {
    /// The language and the units of all words.
    pub speech: Speech,
    /// The layout of a phone: smaller margins, no chips, few names.
    pub narrow: bool,
    /// Outlines of the tree nodes on the path of this frame.
    pub show_tree: bool,
    /// Buffers that cannot be in the way of this frame's buffer are pale.
    pub dim: bool,
    /// The step whose buffers are in full colour in a frame that places none.
    pub at_step: Option<u32>,
    /// Load curves and lower bounds.
    pub show_load: bool,
    /// Lower bounds, where load curves are shown.
    pub show_bound: bool,
    /// The words at the peak.
    pub show_peak: bool,
    /// The plan breaks rules: the words at its peak are crossed out.
    pub invalid: bool,
    /// All gaps below the top of each pool.
    pub show_waste: bool,
    /// The arrow from the previous occupant.
    pub show_reuse: bool,
    /// The lane of buffers not yet placed; left out for runs of more than [`Style::MAX_WAITING`]
    /// buffers.
    pub show_waiting: bool,
    /// Waiting buffers are dragged with a finger.
    pub grips: bool,
    /// Any buffer that waits may be placed: none of them is the next one.
    pub any_waits: bool,
    /// What colours stand for.
    pub color_by: ColorBy,
    /// Classes of the colours that are brought out or not drawn.
    pub filter: Filter,
    /// Address 0 at the bottom; at the top for people who think in memory dumps.
    pub axis_at_bottom: bool,
    /// The planner places buffers in order of birth: a line shows the step that it has reached.
    pub sweeps: bool,
    /// Every buffer carries its facts in words (for pictures that leave the page).
    pub titles: bool,
    /// Notes that explain box, curve and line to who sees them first; they stand in place of names
    /// and candidates.
    pub notes: bool,
    /// Addresses of a pool that are drawn lower than to scale.
    pub squeeze: Option<Squeeze>,
    /// Size of a device pixel in css pixels.
    pub pixel: f64,
    /// The picture is laid out to be shown with its axes swapped ([`super::turned()`]).
    pub turned: bool,
    /// A slice stands beside the plan: the names of its lines stand over it, so that the plan has
    /// the room.
    pub words_inside: bool,
    /// Room to the right of the plot for buttons.
    pub gutter: f64,
    /// Factor of all font sizes: the root font size over 16 px.
    pub text_scale: f64,
}

impl Default for Style {
    fn default() -> Self {
        Style {
            speech: Speech::default(),
            narrow: false,
            show_tree: true,
            dim: true,
            at_step: None,
            show_load: true,
            show_bound: true,
            show_peak: true,
            invalid: false,
            show_waste: false,
            show_reuse: true,
            show_waiting: true,
            grips: false,
            any_waits: false,
            color_by: ColorBy::Kind,
            filter: Filter::default(),
            axis_at_bottom: true,
            sweeps: false,
            titles: false,
            notes: false,
            squeeze: None,
            pixel: 1.0,
            turned: false,
            words_inside: false,
            gutter: 0.0,
            text_scale: 1.0,
        }
    }
}

impl Style {
    /// Most buffers of a run whose waiting ones are shown as bars.
    pub const MAX_WAITING: usize = 400;

    /// Whether lower bounds are drawn.
    pub fn has_bound(&self) -> bool {
        self.show_load && self.show_bound
    }

    /// Font size of names and numbers.
    pub(super) fn font(&self, size: f64) -> f64 {
        size * self.text_scale
    }

    /// Font size of words of the interface: Chinese is never smaller than 12 px.
    pub(super) fn words(&self, size: f64) -> f64 {
        let least = if self.speech.locale == Locale::Zh { 12.0 } else { 0.0 };
        self.font(size.max(least))
    }
}

/// What the colours of buffers stand for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ColorBy {
    /// Intermediate, input, output or weight.
    #[default]
    Kind,
    /// The operation that makes the buffer ([`super::Index::with_ops`]).
    Op,
    /// Bytes, in halvings of the largest buffer.
    Size,
    /// Length of the live range.
    Lifetime,
    /// The pool that the buffer lies in.
    Pool,
    /// The device of its memory.
    Device,
    /// How many buffers used some of these bytes before.
    ReuseDepth,
    /// Live at the step of the largest load.
    InPeak,
}

impl ColorBy {
    /// All of them, in the order in which they are listed.
    pub const ALL: [ColorBy; 8] = [
        ColorBy::Kind,
        ColorBy::Op,
        ColorBy::Size,
        ColorBy::Lifetime,
        ColorBy::Pool,
        ColorBy::Device,
        ColorBy::ReuseDepth,
        ColorBy::InPeak,
    ];

    /// The short name in links.
    pub const fn name(self) -> &'static str {
        match self {
            ColorBy::Kind => "kind",
            ColorBy::Op => "op",
            ColorBy::Size => "size",
            ColorBy::Lifetime => "life",
            ColorBy::Pool => "pool",
            ColorBy::Device => "device",
            ColorBy::ReuseDepth => "reuse",
            ColorBy::InPeak => "peak",
        }
    }

    /// The way of this name; none for any other text.
    pub fn from_name(name: &str) -> Option<ColorBy> {
        ColorBy::ALL.into_iter().find(|color_by| color_by.name() == name)
    }
}

/// What is known of a guess.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GuessTone {
    /// Not yet answered, and nothing would grow.
    Stays,
    /// Not yet answered, and the arena would grow.
    Grows,
    /// Answered, and what the planner did.
    Right,
    /// Answered, free, and not what the planner did.
    Free,
    /// Answered, and not free.
    Taken,
    /// Where a block in the hand would drop.
    Drops,
}

/// A place that the reader gives a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guess {
    /// The buffer.
    pub buffer: BufferId,
    /// Where the reader puts it.
    pub place: Place,
    /// What is known of it.
    pub tone: GuessTone,
}

/// What is selected and what lies under the pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks {
    /// The buffer that the reader has chosen.
    pub selected: Option<BufferId>,
    /// The buffer under the pointer, here or in a list.
    pub hovered: Option<BufferId>,
    /// The step whose number is under the pointer in a text.
    pub hovered_step: Option<u32>,
    /// The buffer that has keyboard focus.
    pub focused: Option<BufferId>,
    /// Number of the candidate under the pointer, here or in a table.
    pub candidate: Option<u32>,
    /// The place that was not seen, pointed at in the text.
    pub missed: bool,
    /// The selected or hovered tree node.
    pub node: Option<TreeNodeId>,
    /// A step whose gaps and load are read off.
    pub step: Option<u32>,
    /// The step of the cursor, which has its number on the axis.
    pub cursor: Option<u32>,
    /// The term that is defined.
    pub term: Option<Term>,
    /// A place that the reader gives a buffer.
    pub guess: Option<Guess>,
    /// Bytes that the first pool may take.
    pub budget: Option<u64>,
    /// The peak that the plan claims to have.
    pub claim: Option<u64>,
}
