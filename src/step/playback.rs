//! Play: one tick after another while the state is playing, or on the way to the scene of a lesson.

use yew::prelude::*;

use crate::browser::dom::until_then;
use crate::browser::media::is_still;
use crate::shell::state::State;
use crate::shell::state::action::{Action, StepAction};
use gloo_timers::callback::Timeout;

/// Time of a frame at speed 1, in milliseconds.
const FRAME: f64 = 700.0;

/// Time of a frame on the way to a scene, in milliseconds.
const GLIDE: f64 = 160.0;

#[hook]
pub fn use_playback(state: &State, send: Callback<Action>) {
    let wait = if state.learning.gliding {
        Some(if is_still() { 0.0 } else { GLIDE })
    } else {
        state.stepping.playing.then(|| FRAME / state.stepping.speed)
    };
    use_effect_with((wait, state.playhead()), move |_| {
        // The next tick is set when the frame of this one has been drawn, so that a slow frame
        // drops behind, not over.
        until_then(wait.map(|wait| Timeout::new(wait as u32, move || send.emit(Action::Step(StepAction::Tick)))))
    });
}
