use std::cell::RefCell;

use gloo_events::EventListener;
use wasm_bindgen::JsValue;
use web_sys::{MediaQueryList, Window};

use crate::browser::window;

const DARK: &str = "(prefers-color-scheme: dark)";

fn query(css: &str) -> Option<MediaQueryList> {
    window()?.match_media(css).ok()?
}

thread_local! {
    /// Queries that were asked before: the browser keeps them up to date, and reads none anew.
    static ASKED: RefCell<Vec<(&'static str, MediaQueryList)>> = const { RefCell::new(Vec::new()) };
}

fn is(css: &'static str) -> bool {
    ASKED.with_borrow_mut(|asked| {
        if !asked.iter().any(|(known, _)| *known == css) {
            asked.extend(query(css).map(|query| (css, query)));
        }
        asked.iter().any(|(known, query)| *known == css && query.matches())
    })
}

/// Whether the system asks for less motion.
pub fn is_still() -> bool {
    is("(prefers-reduced-motion: reduce)")
}

pub fn system_is_dark() -> bool {
    is(DARK)
}

/// Calls `changed` whenever the system turns dark or light, until what is returned is dropped.
pub fn on_system_theme(mut changed: impl FnMut() + 'static) -> Option<EventListener> {
    let query = query(DARK)?;
    Some(EventListener::new(&query, "change", move |_| changed()))
}

/// Whether the page is pointed at with a finger.
pub fn is_touched() -> bool {
    is("(pointer: coarse)")
}

/// How many threads the machine runs at the same time, as far as the browser tells.
pub fn cores() -> f64 {
    window().map_or(1.0, |window| window.navigator().hardware_concurrency())
}

/// Width and height of the window in css pixels; those of a usual one if it does not tell.
pub fn window_size() -> (f64, f64) {
    let window = window();
    let side = |of: fn(&Window) -> Result<JsValue, JsValue>, usual: f64| {
        let length = window.as_ref().and_then(|window| of(window).ok()).and_then(|length| length.as_f64());
        length.unwrap_or(usual)
    };
    (side(Window::inner_width, 1440.0), side(Window::inner_height, 900.0))
}
