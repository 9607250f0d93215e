//! Everything that can happen to the state of the page.

use crate::app::model::breakpoints::{Targets, Wanted};
use crate::app::model::document::{Bytes, Origin, Shelved};
use crate::app::model::editing::{Editing, Step};
use crate::app::model::link::{LinkPlace, Restored};
use crate::app::model::look::{LaneShown, Switch, Theme};
use crate::app::model::notice::Notice;
use crate::app::model::panels::{Mode, Overlay, Tab};
use crate::app::model::recovery::{Recent, Recovery};
use crate::app::state::comparing::Change;
use crate::base::Message;
use crate::engine::{Choice, Done, Export, Failure, Measured, Progress};
use crate::import::Choices;
use crate::problem::{BufferId, Scope};
use crate::replay::Level;
use crate::scene::{ColorBy, Window};
use crate::text::Locale;
use crate::trace::TreeNodeId;

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
    /// A link names a file that is not here: the reader has to open it.
    Awaits {
        file: String,
        place: LinkPlace,
    },
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
