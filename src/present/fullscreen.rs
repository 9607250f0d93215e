//! Presenting fills the screen, where the browser allows that; elsewhere it fills the window.

use yew::prelude::*;

use crate::browser::dom::{focus, until_then};
use crate::browser::fullscreen::{enter_fullscreen, is_fullscreen, leave_fullscreen, on_fullscreen};
use crate::shell::state::action::{Action, ViewAction};

/// Takes the screen while the plan is presented. Leaving the screen, which the browser does at
/// Escape, ends that.
#[hook]
pub fn use_fullscreen(presenting: bool, send: Callback<Action>) {
    let was_presenting = use_mut_ref(|| false);
    use_effect_with(presenting, move |&presenting| {
        if presenting {
            enter_fullscreen();
        } else if was_presenting.replace(false) {
            if is_fullscreen() {
                leave_fullscreen();
            }
            // What began it is there again.
            focus("present-button");
        }
        *was_presenting.borrow_mut() = presenting;
    });
    use_effect_with((), move |_| {
        until_then(on_fullscreen(move || {
            if !is_fullscreen() {
                send.emit(Action::View(ViewAction::ScreenLeft));
            }
        }))
    });
}
