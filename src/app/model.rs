//! The parts of the page's state, and everything that can happen to it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::app::comparing::{Change, Compared};
use crate::app::editing::{Editing, Step};
use crate::app::handover::Handover;
use crate::base::Message;
use crate::graph::{Fault, Graph, RawGraph};
use crate::import::{Choices, Format, Question};
use crate::link::{Choice, Done, Export, Failure, Measured, Progress, Task};
use crate::problem::{BufferId, Scope};
use crate::replay::Level;
use crate::scene::{ColorBy, Window};
use crate::text::Locale;
use crate::trace::TreeNodeId;

/// Where a document came from: what a link says of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Origin {
    /// A built-in example, by name.
    Example(String),
    /// A file, pasted text or a link's own graph.
    File(String),
    /// A file of another site, by its address.
    Remote(String),
}

impl Origin {
    /// What to call a document that has no name of its own.
    pub fn name(&self) -> &str {
        match self {
            Origin::Example(name) | Origin::File(name) => name,
            Origin::Remote(address) => {
                let path = address.split(['?', '#']).next().unwrap_or_default();
                path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(address)
            }
        }
    }
}

/// A file's bytes, kept so that the worker can be started anew and a link can carry them.
pub type Bytes = Rc<Vec<u8>>;

/// An open document.
#[derive(Debug)]
pub struct Document {
    /// Number of the job that brought it: what the worker holds is told by it.
    pub key: u32,
    pub origin: Origin,
    pub name: String,
    pub format: Format,
    pub graph: Option<Rc<Graph>>,
    pub has_plan: bool,
    pub facts: Vec<Message>,
    pub warnings: Vec<Fault>,
    pub questions: Vec<Question>,
    pub bytes: Bytes,
    /// The document for a link, when it is small enough for one.
    pub packed: Option<Rc<str>>,
    pub choices: Choices,
}

impl Document {
    /// Whether reading it gave more than what it holds.
    pub fn is_remarkable(&self) -> bool {
        !(self.warnings.is_empty() && self.facts.is_empty() && self.questions.is_empty())
    }
}

/// Something to be read and planned; the engine works off the newest one.
#[derive(Clone, Debug)]
pub struct Job {
    pub number: u32,
    /// [`Document::key`] of the document that is to be planned.
    pub key: u32,
    pub origin: Origin,
    /// The document as edited, in place of the bytes.
    pub draft: Option<Rc<RawGraph>>,
    pub bytes: Bytes,
    pub choices: Choices,
    pub scope: Scope,
    pub planner: String,
    pub options: BTreeMap<String, String>,
    /// Whether the document is the open one, so that a frame can be kept.
    pub same_document: bool,
    /// Where a link wants to be.
    pub place: Option<LinkPlace>,
    /// What was done to the document before this program took over.
    pub editing: Option<Rc<Editing>>,
    /// Decisions whose places looked at are to be kept, when the run is too long to keep all.
    pub window: Option<(u32, u32)>,
    /// Whether the graph is to be laid out as a diagram, too.
    pub diagram: bool,
    /// Something to be measured of the open document, in place of a plan.
    pub task: Option<Rc<Task>>,
    /// The plan is wanted as a file, not as a picture.
    pub export: Option<Export>,
}

/// A file that came with others: its name and its bytes, read only when it is opened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shelved {
    pub name: String,
    pub bytes: Bytes,
}

/// A file for the browser to save.
#[derive(PartialEq, Eq, Debug)]
pub struct Download {
    /// Counts the files of a visit, so that the same one can be saved twice.
    pub number: u32,
    pub name: String,
    pub text: String,
}

/// The moment a link points at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LinkPlace {
    pub frame: Option<u32>,
    pub selection: Option<String>,
}

/// Changes that no file holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Recovery {
    pub name: String,
    pub editing: Editing,
}

/// A document that the browser keeps.
#[derive(Clone, PartialEq, Debug)]
pub struct Recent {
    pub name: String,
    /// When it was opened, in milliseconds since 1970.
    pub time: f64,
    /// Bytes.
    pub size: f64,
}

/// A fault that is shown until it is dismissed or mended; the last good picture stays below it.
#[derive(Clone, PartialEq, Debug)]
pub struct Notice {
    pub title: Message,
    pub faults: Vec<Fault>,
}

/// What "run to" and breakpoints look for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wanted {
    Growth,
    NewPool,
    Fresh,
    Rejected,
    Selection,
    /// The buffer lies on [`Targets::address`] in the finished plan.
    Address,
    /// The buffer is alive at [`Targets::step`].
    Step,
    /// The selected node of the tree is asked or changed.
    Node,
}

/// What the kinds of [`Wanted`] that take a number look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Targets {
    /// Bytes from the base of a pool, whichever.
    pub address: u64,
    pub step: u32,
}

impl Wanted {
    pub const ALL: [Wanted; 8] = [
        Wanted::Growth,
        Wanted::NewPool,
        Wanted::Fresh,
        Wanted::Rejected,
        Wanted::Selection,
        Wanted::Address,
        Wanted::Step,
        Wanted::Node,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Wanted::Growth => "grow",
            Wanted::NewPool => "pool",
            Wanted::Fresh => "fresh",
            Wanted::Rejected => "reject",
            Wanted::Selection => "selection",
            Wanted::Address => "address",
            Wanted::Step => "step",
            Wanted::Node => "node",
        }
    }

    pub fn from_name(name: &str) -> Option<Wanted> {
        Wanted::ALL.into_iter().find(|wanted| wanted.name() == name)
    }
}

/// Where play stops.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Breaks {
    pub kinds: BTreeSet<Wanted>,
    /// Decisions marked by hand.
    pub decisions: BTreeSet<u32>,
    pub targets: Targets,
}

/// Switches of the picture and of the state panel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Look {
    pub tree: bool,
    pub dim: bool,
    pub load: bool,
    pub waste: bool,
    pub reuse: bool,
    pub minimap: bool,
    /// The state panel shows the frame before this one.
    pub before: bool,
}

impl Default for Look {
    fn default() -> Self {
        Look { tree: true, dim: true, load: true, waste: false, reuse: true, minimap: true, before: false }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switch {
    Tree,
    Dim,
    Load,
    Waste,
    Reuse,
    Minimap,
    Before,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub const fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    pub fn from_name(name: &str) -> Theme {
        [Theme::Light, Theme::Dark].into_iter().find(|theme| theme.name() == name).unwrap_or_default()
    }

    pub const fn next(self) -> Theme {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }
}

/// Tabs of the side panels and of the drawer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Tab {
    Files,
    Graph,
    Buffers,
    Why,
    State,
    Selection,
}

impl Tab {
    pub const fn name(self) -> &'static str {
        match self {
            Tab::Files => "files",
            Tab::Graph => "graph",
            Tab::Buffers => "buffers",
            Tab::Why => "why",
            Tab::State => "state",
            Tab::Selection => "selection",
        }
    }
}

/// Which panels are open, and at which tab.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Panels {
    pub left: bool,
    pub right: bool,
    pub left_tab: Tab,
    pub drawer_tab: Tab,
    pub left_width: u32,
    pub right_width: u32,
}

impl Default for Panels {
    fn default() -> Self {
        let (left_tab, drawer_tab) = (Tab::Files, Tab::Why);
        Panels { left: true, right: true, left_tab, drawer_tab, left_width: 280, right_width: 360 }
    }
}

/// What the page is used for. Document, selection and view stay when it changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Mode {
    /// One planner, frame by frame.
    #[default]
    Step,
    /// The graph beside the plan that it gives.
    Edit,
    /// Plans of several planners side by side.
    Compare,
}

impl Mode {
    pub const ALL: [Mode; 3] = [Mode::Step, Mode::Edit, Mode::Compare];

    pub const fn name(self) -> &'static str {
        match self {
            Mode::Step => "step",
            Mode::Edit => "edit",
            Mode::Compare => "compare",
        }
    }
}

/// A state of a beam that the plan shows in place of its own: lane `index` of the moment after `events` events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneShown {
    pub events: u32,
    pub index: u32,
}

/// Overlays that cover part of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overlay {
    Planners,
    Options,
    More,
    Help,
    Report,
    How,
    Find,
    RunTo,
    Templates,
    Export,
    /// The menu of a spot on the plan.
    Spot,
}

/// A movement of the stepper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Motion {
    First,
    PreviousBuffer,
    Previous,
    Next,
    NextBuffer,
    Last,
}

/// Everything that can happen to the state.
#[derive(Debug)]
pub enum Action {
    /// Read a document and plan it.
    Open {
        origin: Origin,
        bytes: Bytes,
        choices: Choices,
        place: Option<LinkPlace>,
    },
    /// Open the first of several files that can be read, and list them all.
    OpenAll(Vec<Shelved>),
    /// Open the large document that was asked about.
    OpenLarge,
    /// Change the graph, or take a change back.
    Edit(Step),
    /// Go on where the other program of the page stopped.
    TakeOver(Box<Handover>, LinkPlace),
    /// The program with the other modes could not be loaded.
    NotLoaded,
    /// Go on with a draft from before a reload.
    Recover {
        name: String,
        editing: Box<Editing>,
    },
    /// A draft of an earlier visit was found.
    Found(Recovery),
    /// The draft of before is not wanted.
    Discard,
    /// Documents that the browser keeps.
    Recents(Vec<Recent>),
    /// The browser keeps nothing for us.
    NotKept,
    /// Put the graph into a file.
    Save,
    NotSaved(Message),
    /// The draft is in a file now.
    Saved,
    /// Read the open document again with other choices.
    Choices(Choices),
    /// A file could not even be fetched.
    NotFetched(Notice),
    Heard {
        job: u32,
        result: Box<Result<Done, Failure>>,
    },
    Measured {
        job: u32,
        result: Box<Result<Measured, Failure>>,
    },
    /// Change the comparison.
    Compare(Change),
    /// The present planner beside what is compared.
    AddToComparison,
    /// A plan of a comparison, frame by frame.
    OpenInSteps {
        choice: Choice,
        scope: Scope,
    },
    /// Write the plan shown to a file.
    Export(Export),
    /// The text of a file that was asked for, or why there is none.
    Written {
        job: u32,
        result: Result<Result<String, Message>, Failure>,
    },
    Progress {
        job: u32,
        progress: Progress,
    },
    /// What a search would give if it ended now.
    Best {
        job: u32,
        answer: Bytes,
    },
    Crashed {
        job: u32,
    },
    Cancel,
    Planner(String),
    /// The next planner that applies, or the one before.
    NextPlanner {
        forward: bool,
    },
    Option {
        key: String,
        value: String,
    },
    /// Several options at once.
    Options(Vec<(String, String)>),
    ResetOptions,
    /// Options and what is planned, all back to the defaults.
    ResetAll,
    /// Run again and keep the places looked at around this frame.
    LookClosely,
    Scope(Scope),
    /// Everything a link says beside the document.
    Restore(Box<Restored>),
    Move(Motion),
    Seek(u32),
    /// To the frame that places a buffer.
    SeekBuffer(BufferId),
    Level(Level),
    Play(bool),
    Tick,
    Speed(f64),
    Wanted(Wanted),
    /// Another address or step to look for.
    Targets(Targets),
    RunTo {
        forward: bool,
    },
    BreakHere,
    BreakOn(Wanted),
    ClearBreaks,
    Select(Option<BufferId>),
    Point(Option<u32>),
    Node(Option<TreeNodeId>),
    /// Shows a state of the beam on the plan; none goes back to the plan.
    Lane(Option<LaneShown>),
    Switch(Switch),
    ColorBy(ColorBy),
    /// The reader chose to see this part of the plan; none: all of it.
    Viewed(Option<Window>),
    Mode(Mode),
    /// The graph is wanted as a diagram, or no longer.
    Diagram(bool),
    LeftTab(Tab),
    DrawerTab(Tab),
    ToggleLeft,
    ToggleRight,
    ToggleBoth,
    PanelWidth {
        left: bool,
        width: u32,
    },
    Overlay(Option<Overlay>),
    /// A press beside a menu.
    CloseMenus,
    Locale(Locale),
    Theme(Theme),
    SingleKeys(bool),
    DismissNotice,
    DismissRemarks,
    DismissHint,
    Toast(Message),
    ToastOver(u32),
}

/// Settings that a link carries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    pub planner: Option<String>,
    pub options: BTreeMap<String, String>,
    pub scope: Option<Scope>,
    pub level: Option<Level>,
    pub color_by: Option<ColorBy>,
    pub view: Option<Window>,
    pub breaks: Breaks,
    pub compared: Option<Compared>,
    pub locale: Option<Locale>,
    pub theme: Option<Theme>,
}

impl Look {
    pub fn flip(&mut self, switch: Switch) {
        let on = match switch {
            Switch::Tree => &mut self.tree,
            Switch::Dim => &mut self.dim,
            Switch::Load => &mut self.load,
            Switch::Waste => &mut self.waste,
            Switch::Reuse => &mut self.reuse,
            Switch::Minimap => &mut self.minimap,
            Switch::Before => &mut self.before,
        };
        *on = !*on;
    }
}
