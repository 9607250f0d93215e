//! Everything that can happen to the state of the page, by the part of the state that it changes.

use crate::model::breakpoints::{Targets, Wanted};
use crate::model::columns::ColumnWidths;
use crate::model::defining::Defining;
use crate::model::editing::{Drafted, EditCommand};
use crate::model::look::{LaneShown, Switch, Theme};
use crate::model::panels::{Mode, Overlay, Tab};
use crate::model::recovery::{Recovery, Unkept};
use crate::state::comparing::Change;
use crate::state::diffing::DiffChange;
use crate::state::fitting::FitChange;
pub use crate::state::predict_action::PredictAction;
use memplan_core::base::Message;
use memplan_core::problem::{BufferId, Scope};
use memplan_core::text::Locale;
use memplan_core::trace::TreeNodeId;
use memplan_engine::PlannerChoice;
use memplan_replay::Level;
use memplan_scene::{Class, ColorBy, Window};

pub use crate::state::document_action::DocumentAction;
pub use crate::state::game_action::GameAction;
pub use crate::state::introduction::IntroductionAction;
pub use crate::state::learn_action::{LearnAction, TaskAction};
pub use crate::state::teach_action::{FigureAction, TeachAction};

/// Something that happens to the state.
#[derive(Clone, Debug)]
pub enum Action {
    /// To what is open, what is asked of the engine, and what came of it.
    Document(DocumentAction),
    /// To where the reader stands in the run.
    Step(StepAction),
    /// To the graph that is edited.
    Edit(EditAction),
    /// To the comparison.
    Compare(CompareAction),
    /// To what is shown, and where.
    View(ViewAction),
    /// To what the user chose for good.
    Settings(SettingsAction),
    /// To how far the visitor is.
    Introduction(IntroductionAction),
    /// To questions about what the planner does next.
    Predict(PredictAction),
    /// To lessons.
    Learn(LearnAction),
    /// To the teacher's corner, or to the exercise of a student.
    Teach(TeachAction),
    /// To a game.
    Game(GameAction),
    /// The page fetches a document.
    Fetching {
        /// Its number.
        number: u32,
        /// Whether it is the one to compare with.
        is_older: bool,
    },
    /// What is done now that the document with this number is there, or is not; nothing if another
    /// one was wanted meanwhile.
    Fetched(u32, Box<Action>),
}

/// A movement of the stepper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Motion {
    /// To the first frame.
    First,
    /// To the placement of the buffer before.
    PreviousBuffer,
    /// One frame back.
    Previous,
    /// One frame on.
    Next,
    /// To the placement of the next buffer.
    NextBuffer,
    /// To the last frame.
    Last,
}

/// What happens while going through a run.
#[derive(Clone, Debug)]
pub enum StepAction {
    /// Press a button of the stepper.
    Move(Motion),
    /// Go to a frame, by its number.
    Seek(u32),
    /// To the frame that places a buffer.
    SeekBuffer(BufferId),
    /// Count frames at another level of detail.
    Level(Level),
    /// Play, or pause.
    Play(bool),
    /// The next frame of play is due.
    Tick,
    /// Play faster or slower, in frames per 700 ms.
    Speed(f64),
    /// Look for something else.
    Wanted(Wanted),
    /// Another address or step to look for.
    Targets(Targets),
    /// Go to what is looked for.
    RunTo {
        /// Whether it is the next place; otherwise the one before.
        forward: bool,
    },
    /// Stop play at this decision, or no longer.
    BreakHere,
    /// Stop play at this kind of decision, or no longer.
    BreakOn(Wanted),
    /// Stop play nowhere.
    ClearBreaks,
    /// Select a buffer, or none.
    Select(Option<BufferId>),
    /// Point at a candidate of the table, or at none.
    Point(Option<u32>),
    /// Select a node of the tree, or none.
    Node(Option<TreeNodeId>),
    /// Move the cursor to a step, or take it away.
    Cursor(Option<u32>),
    /// Move the cursor to the largest load.
    Fullest {
        /// Whether it goes on to the next step that is as full.
        next: bool,
    },
    /// Shows a state of the beam on the plan; none goes back to the plan.
    Lane(Option<LaneShown>),
}

/// What happens to the edited graph.
#[derive(Clone, Debug)]
pub enum EditAction {
    /// Change the graph, or take a change back.
    Change(EditCommand),
    /// The open graph has been made ready to be changed.
    Drafted(Drafted),
    /// Go on with a draft of before, by its key.
    Recover(String),
    /// Drafts of before were found.
    Found(Vec<Recovery>),
    /// A draft of before is not wanted, by its key.
    Discard(String),
    /// The browser keeps the draft.
    Kept,
    /// The browser does not keep the draft, which is only here.
    NotKept(Unkept),
    /// Put the graph into a file.
    Save,
    /// There is no such file, with the reason.
    NotSaved(Message),
    /// The draft is in a file now.
    Saved,
    /// The graph is wanted as a diagram, or no longer.
    Diagram(bool),
}

/// What happens to the comparison.
#[derive(Clone, Debug)]
pub enum CompareAction {
    /// Change the comparison.
    Change(Change),
    /// Change the comparison of two documents.
    Diff(DiffChange),
    /// Something changes in what makes the graph fit.
    Fit(FitChange),
    /// Have the peak of a planner measured that takes long.
    AskPeak(PlannerChoice),
    /// Have the peak of the plan found out without each of some buffers.
    AskFalls(Vec<BufferId>),
    /// A planner beside the one shown, for the comparison.
    AddPlanner(PlannerChoice),
    /// The present planner beside what is compared.
    AddToComparison,
    /// A plan of a comparison, frame by frame.
    OpenInSteps {
        /// The planner and its options.
        choice: PlannerChoice,
        /// What is planned.
        scope: Scope,
    },
}

/// What happens to what is shown.
#[derive(Clone, Debug)]
pub enum ViewAction {
    /// Turn a switch of the picture.
    Switch(Switch),
    /// Let colours stand for something else.
    ColorBy(ColorBy),
    /// Bring out one class of the colours, or all again.
    Isolate(Class),
    /// Take a class of the colours away, or show it again.
    Hide(Class),
    /// Show all classes of the colours alike.
    ShowAll,
    /// The reader chose to see this part of the plan; none: all of it.
    Viewed(Option<Window>),
    /// Use the page for something else.
    Mode(Mode),
    /// Show a tab of the left panel.
    LeftTab(Tab),
    /// Show a tab of the right panel or of the drawer.
    RightTab(Tab),
    /// Open or close the left panel.
    ToggleLeft,
    /// Open or close the right panel.
    ToggleRight,
    /// Open or close both panels.
    ToggleBoth,
    /// Present the plan, or end that.
    Present(bool),
    /// The browser gave the screen back: that ends presenting, unless the speaker has a window.
    ScreenLeft,
    /// The speaker has a window with notes, or no longer.
    Notes(bool),
    /// Blank the screen of a presented plan, or end that.
    Blank,
    /// Let the outline of a presented buffer follow the pointer, or not.
    Highlight,
    /// Make a panel wider or narrower.
    PanelWidth {
        /// Whether it is the left one.
        left: bool,
        /// Its width in px, within bounds or not.
        width: u32,
    },
    /// Open an overlay, or close the one that is open.
    Overlay(Option<Overlay>),
    /// A press beside a menu.
    CloseMenus,
    /// Offer a text that the browser did not put on the clipboard.
    CopyByHand(String),
    /// Show a definition, or close it.
    Define(Defining),
    /// Confirm something that cannot be seen.
    Toast(Message),
    /// The confirmation with this number was there long enough.
    ToastOver(u32),
    /// A new version of the page is at hand, or that was read.
    Newer(bool),
}

/// What happens to settings.
#[derive(Clone, Debug)]
pub enum SettingsAction {
    /// Speak another language.
    Locale(Locale),
    /// Show another theme.
    Theme(Theme),
    /// Let single letters act, or not.
    SingleKeys(bool),
    /// Give a column of a table, by its place, another width in px, or the usual one.
    ColumnWidth(String, usize, Option<u32>),
    /// Widths of columns that were kept.
    Columns(ColumnWidths),
}
