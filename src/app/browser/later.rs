//! Doing something later.

use gloo_timers::callback::Timeout;

/// Does something after so many milliseconds; dropping what is returned forgets it. A timer of its own for each closure would be
/// more code.
pub fn later(millis: u32, action: impl FnOnce() + 'static) -> Timeout {
    boxed(millis, Box::new(action))
}

fn boxed(millis: u32, action: Box<dyn FnOnce()>) -> Timeout {
    Timeout::new(millis, action)
}
