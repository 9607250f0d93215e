//! Play: one tick after another while the state is playing.

use yew::prelude::*;

use crate::app::browser::dom::until_then;
use crate::app::browser::hooks::use_effect_with;
use crate::app::browser::later::later;
use crate::app::state::action::{Action, StepAction};

/// Time of a frame at speed 1, in milliseconds.
const FRAME: f64 = 700.0;

#[hook]
pub fn use_playback(playing: bool, cursor: u32, speed: f64, send: Callback<Action>) {
    use_effect_with((playing, cursor, speed), move |_| {
        // The next tick is set when the frame of this one has been drawn, so that a slow frame drops behind, not over.
        until_then(playing.then(|| later((FRAME / speed) as u32, move || send.emit(Action::Step(StepAction::Tick)))))
    });
}
