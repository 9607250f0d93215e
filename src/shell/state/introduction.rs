//! The first visit: a small example at a frame that one can follow, with notes on the plan and a
//! card for the next buffer.

use crate::open::state::document::Origin;
use crate::open::state::link::{LinkPlace, Restored};
use crate::shell::state::State;
use crate::shell::state::panels::{Mode, Tab};
use crate::shell::state::visit::Visit;
use memplan_engine::{START, START_FRAME};
use memplan_teach::choices;

/// Frames to be stepped by hand before a visitor counts as introduced.
const STEPS: u32 = 3;

/// Widths of the left and the right panel at the first visit, in px.
const WIDTHS: (u32, u32) = (320, 340);

/// How far the visitor is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Introduction {
    /// This visit began with the introduction, and no other document was opened since.
    pub on: bool,
    /// The notes on the plan were not removed yet.
    pub notes: bool,
    /// Frames stepped by hand.
    pub stepped: u32,
    /// A document was opened by hand, in this visit or before.
    pub opened: bool,
    /// The state panel is one line.
    pub folded: bool,
}

impl Introduction {
    /// Returns true if the next visit begins without introduction.
    pub fn is_over(&self) -> bool {
        self.opened || self.stepped >= STEPS
    }
}

/// What happens to the introduction.
#[derive(Clone, Debug)]
pub enum IntroductionAction {
    /// It begins, at the first visit or again.
    Begin,
    /// The visitor was here before.
    Return(Visit),
    /// The state panel is opened.
    Unfold,
}

impl State {
    pub(crate) fn on_introduction(&mut self, action: IntroductionAction) {
        match action {
            IntroductionAction::Begin => {
                let opened = self.introduction.opened;
                self.introduction =
                    Introduction { on: true, notes: true, folded: true, opened, ..Introduction::default() };
                let panels = &mut self.view.panels;
                (panels.left, panels.right) = (true, true);
                (panels.left_tab, panels.tab) = (Tab::Start, Some(Tab::Start));
                (panels.left_width, panels.right_width) = WIDTHS;
            }
            IntroductionAction::Return(Visit { folded, .. }) => {
                self.introduction = Introduction { opened: true, folded, ..Introduction::default() };
            }
            IntroductionAction::Unfold => self.introduction.folded = false,
        }
    }

    /// The user did something to the run: the notes of the start are in the way.
    pub(crate) fn touched(&mut self) {
        self.introduction.notes = false;
        self.view.defined = None;
    }

    /// Counts frames stepped by hand, given the number of events applied before.
    pub(crate) fn count_steps(&mut self, before: u32) {
        if self.stepping.cursor != before {
            self.introduction.stepped = self.introduction.stepped.saturating_add(1);
        }
    }

    fn shows_start(&self) -> bool {
        let is_start = |origin: &Origin| matches!(origin, Origin::Example(name) if name == START);
        self.document.open.as_ref().is_some_and(|document| is_start(&document.origin))
    }

    /// Returns true if the page shows what a first visit begins with.
    pub fn is_at_start(&self) -> bool {
        let is_first = self.document.run.as_ref().is_none_or(|run| run.planner == choices::WELCOME);
        let is_untouched = self.introduction.notes && self.introduction.on;
        self.document.open.is_none() || self.shows_start() && is_first && is_untouched
    }

    /// Returns true if notes stand on the plan.
    pub fn shows_notes(&self) -> bool {
        let is_there = self.introduction.on && self.introduction.notes && self.shows_start();
        is_there && self.view.mode == Mode::Step && self.stepping.lane.is_none() && self.frame() == START_FRAME
    }

    /// Returns true if the card of the next buffer stands under the reason.
    pub fn shows_next(&self) -> bool {
        self.introduction.on && self.shows_start() && self.introduction.stepped < STEPS && !self.at_end()
    }

    /// Returns true if the planner of the first visit has placed everything, and a plan worth a
    /// look is offered.
    pub fn shows_other(&self) -> bool {
        let is_first = self.document.run.as_ref().is_some_and(|run| run.planner == choices::WELCOME);
        self.introduction.on && self.shows_start() && is_first && self.at_end()
    }
}

/// The moment at which a first visit begins.
pub fn place() -> LinkPlace {
    LinkPlace { frame: Some(START_FRAME), ..LinkPlace::default() }
}

/// What a link to the start would restore.
pub fn start() -> Restored {
    Restored { planner: Some(choices::WELCOME.into()), panel: Some(Tab::Start), ..Restored::default() }
}
