//! What can happen to what is shown.

use crate::shell::state::defining::Defining;
use crate::shell::state::look::Switch;
use crate::shell::state::panels::{Mode, Overlay, Tab};
use memplan_core::base::Message;
use memplan_scene::{Class, ColorBy, Window};

/// What is copied that leads back to the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkForm {
    /// The address.
    Address,
    /// The markup of a frame in another page.
    Frame,
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
    /// Copy what leads back to the page once it is up to date; none: that was done.
    Share(Option<LinkForm>),
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
