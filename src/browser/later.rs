//! Time: the clock, and doing something later.

use gloo_timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use crate::browser::window;

/// Milliseconds since the page was opened.
pub fn now() -> f64 {
    window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now())
}

/// Frames after which what has not been drawn is not going to be.
const FRAMES: u32 = 60;

/// Tries something after each frame until it succeeds: what a change brings about may be drawn
/// several frames after it.
pub fn once_drawn(attempt: impl Fn() -> bool + 'static) {
    try_after_frame(FRAMES, Box::new(attempt));
}

fn try_after_frame(frames: u32, attempt: Box<dyn Fn() -> bool>) {
    after_frame(move || {
        if !attempt() && frames > 1 {
            try_after_frame(frames - 1, attempt);
        }
    });
}

/// Does something after the next frame is drawn: what is measured then is laid out already, and the
/// browser need not do that once more for it.
pub fn after_frame(action: impl FnOnce() + 'static) {
    let drawn = Closure::once_into_js(move || Timeout::new(0, action).forget());
    if let Some(window) = window() {
        // A window without frames shows nothing that could be measured.
        let _ = window.request_animation_frame(drawn.unchecked_ref());
    }
}

/// Does something in the next frame, before the browser lays it out: what is changed then is seen
/// with all that was changed since the last one, and laid out only once.
pub fn in_frame(action: impl FnOnce() + 'static) {
    if let Some(window) = window() {
        // A window without frames shows nothing that could be moved.
        let _ = window.request_animation_frame(Closure::once_into_js(action).unchecked_ref());
    }
}
