//! What is shown, and where.

use crate::app::model::look::Look;
use crate::app::model::panels::{LEFT_WIDTH, Mode, Overlay, Panels, RIGHT_WIDTH, Tab};
use crate::app::state::action::ViewAction;
use crate::base::Message;
use crate::scene::{ColorBy, Window};

/// What is shown, and where.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ViewState {
    /// What the page is used for.
    pub mode: Mode,
    /// Switches of the picture.
    pub look: Look,
    /// What colours tell.
    pub color_by: ColorBy,
    /// The part of the plan that the reader chose to see.
    pub window: Option<Window>,
    /// Which panels are open.
    pub panels: Panels,
    /// What covers part of the page.
    pub overlay: Option<Overlay>,
    /// A confirmation of something that cannot be seen, and its number.
    pub toast: Option<(u32, Message)>,
}

impl ViewState {
    pub(super) fn apply(&mut self, action: ViewAction) {
        match action {
            ViewAction::Mode(mode) => {
                self.mode = mode;
                self.overlay = None;
            }
            ViewAction::Switch(switch) => self.look.flip(switch),
            ViewAction::ColorBy(color_by) => self.color_by = color_by,
            ViewAction::Viewed(view) => self.window = view,
            ViewAction::LeftTab(tab) => {
                self.panels.left = true;
                self.panels.left_tab = tab;
            }
            ViewAction::DrawerTab(tab) => {
                self.panels.drawer_tab = tab;
                self.panels.right |= matches!(tab, Tab::Why | Tab::State);
            }
            ViewAction::CloseMenus => {
                let menus = [
                    Overlay::Planners,
                    Overlay::Options,
                    Overlay::More,
                    Overlay::RunTo,
                    Overlay::Templates,
                    Overlay::Export,
                    Overlay::Spot,
                ];
                self.overlay = self.overlay.filter(|overlay| !menus.contains(overlay));
            }
            ViewAction::ToggleLeft => self.panels.left = !self.panels.left,
            ViewAction::ToggleRight => self.panels.right = !self.panels.right,
            ViewAction::ToggleBoth => {
                let open = !(self.panels.left || self.panels.right);
                self.panels.left = open;
                self.panels.right = open;
            }
            ViewAction::PanelWidth { left: true, width } => {
                self.panels.left_width = width.clamp(LEFT_WIDTH.0, LEFT_WIDTH.1)
            }
            ViewAction::PanelWidth { left: false, width } => {
                self.panels.right_width = width.clamp(RIGHT_WIDTH.0, RIGHT_WIDTH.1)
            }
            ViewAction::Overlay(overlay) => self.overlay = if self.overlay == overlay { None } else { overlay },
            ViewAction::Toast(message) => self.confirm(message),
            ViewAction::ToastOver(number) => {
                if self.toast.as_ref().is_some_and(|(shown, _)| *shown == number) {
                    self.toast = None;
                }
            }
        }
    }

    /// Confirms something that cannot be seen.
    pub(super) fn confirm(&mut self, message: Message) {
        let number = self.toast.as_ref().map_or(0, |(number, _)| number + 1);
        self.toast = Some((number, message));
    }
}
