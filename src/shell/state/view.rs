//! What is shown, and where.

use crate::present::state::Presenting;
use crate::shell::state::State;
use crate::shell::state::action::{LinkForm, ViewAction};
use crate::shell::state::defining::Shown;
use crate::shell::state::look::Look;
use crate::shell::state::panels::{LEFT_WIDTH, Mode, Overlay, Panels, RIGHT_WIDTH, Tab};
use memplan_core::base::Message;
use memplan_scene::{ColorBy, Filter, Window};

/// Least number of buffers with which the overview is there by itself.
const OVERVIEW_FROM: usize = 24;

/// What is shown, and where.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ViewState {
    /// What the page is used for.
    pub mode: Mode,
    /// Switches of the picture.
    pub look: Look,
    /// What colours stand for.
    pub color_by: ColorBy,
    /// Classes of the colours that are brought out or not drawn.
    pub filter: Filter,
    /// The part of the plan that the reader chose to see.
    pub window: Option<Window>,
    /// Which panels are open.
    pub panels: Panels,
    /// How the plan is presented; none while it is not.
    pub presenting: Option<Presenting>,
    /// What covers part of the page.
    pub overlay: Option<Overlay>,
    /// What is copied once the address is up to date.
    pub sharing: Option<LinkForm>,
    /// The text that is to be copied by hand.
    pub by_hand: String,
    /// The definition that is shown beside its term.
    pub defined: Option<Shown>,
    /// A confirmation of something that cannot be seen, and its number.
    pub toast: Option<(u32, Message)>,
    /// A new version of the page is at hand.
    pub newer: bool,
}

impl ViewState {
    pub(crate) fn apply(&mut self, action: ViewAction) {
        match action {
            ViewAction::Mode(mode) => {
                self.mode = mode;
                self.overlay = None;
                self.defined = None;
                // A mode that is gone to shows what it is for.
                self.panels.editor = true;
                self.panels.figures = true;
            }
            ViewAction::Switch(switch) => self.look.flip(switch),
            ViewAction::ColorBy(color_by) => {
                self.color_by = color_by;
                self.filter = Filter::default();
            }
            ViewAction::Isolate(class) => self.filter.isolate(class),
            ViewAction::Hide(class) => self.filter.hide(class),
            ViewAction::ShowAll => self.filter = Filter::default(),
            ViewAction::Viewed(view) => self.window = view,
            ViewAction::LeftTab(tab) => {
                self.panels.left = true;
                self.panels.left_tab = tab;
            }
            ViewAction::RightTab(tab) => {
                self.panels.tab = Some(tab);
                self.panels.drawer = true;
                self.panels.right |= Tab::RIGHT.contains(&tab);
            }
            ViewAction::CloseMenus => {
                let menus = [
                    Overlay::Planners,
                    Overlay::Older,
                    Overlay::Newer,
                    Overlay::Options,
                    Overlay::More,
                    Overlay::RunTo,
                    Overlay::Templates,
                    Overlay::Export,
                    Overlay::Spot,
                ];
                self.overlay = self.overlay.filter(|overlay| !menus.contains(overlay));
            }
            ViewAction::ToggleLeft => self.panels.toggle_left(self.mode),
            ViewAction::ToggleRight => self.panels.toggle_right(self.mode),
            ViewAction::ToggleBoth => self.panels.toggle_all(self.mode),
            ViewAction::Present(wanted) => {
                self.presenting = wanted.then(Presenting::default);
                self.overlay = None;
            }
            ViewAction::ScreenLeft => {
                if self.presenting.take_if(|presenting| !presenting.notes).is_some() {
                    self.overlay = None;
                }
            }
            ViewAction::Notes(notes) => self.presenting.iter_mut().for_each(|presenting| presenting.notes = notes),
            ViewAction::Blank => self.presenting.iter_mut().for_each(|presenting| presenting.blank = !presenting.blank),
            ViewAction::Highlight => {
                self.presenting.iter_mut().for_each(|presenting| presenting.highlight = !presenting.highlight)
            }
            ViewAction::PanelWidth { left: true, width } => {
                self.panels.left_width = width.clamp(LEFT_WIDTH.0, LEFT_WIDTH.1)
            }
            ViewAction::PanelWidth { left: false, width } => {
                self.panels.right_width = width.clamp(RIGHT_WIDTH.0, RIGHT_WIDTH.1)
            }
            ViewAction::Overlay(overlay) => self.overlay = if self.overlay == overlay { None } else { overlay },
            ViewAction::Share(form) => self.sharing = form,
            ViewAction::CopyByHand(text) => {
                self.by_hand = text;
                self.overlay = Some(Overlay::ByHand);
            }
            ViewAction::Define(defining) => self.defined = defining.after(self.defined),
            ViewAction::Newer(newer) => self.newer = newer,
            ViewAction::Toast(message) => self.confirm(message),
            ViewAction::ToastOver(number) => {
                if self.toast.as_ref().is_some_and(|(shown, _)| *shown == number) {
                    self.toast = None;
                }
            }
        }
    }

    /// Confirms something that cannot be seen.
    pub(crate) fn confirm(&mut self, message: Message) {
        let number = self.toast.as_ref().map_or(0, |(number, _)| number + 1);
        self.toast = Some((number, message));
    }
}

impl State {
    /// Returns true if the overview is shown: the user's choice, else by the number of buffers.
    pub fn shows_minimap(&self) -> bool {
        let buffers = self.document.run.as_ref().map_or(0, |run| run.problem.buffers.len());
        self.view.look.minimap.unwrap_or(buffers >= OVERVIEW_FROM)
    }
}
