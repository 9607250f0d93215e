//! The web worker: opens and plans documents without blocking the page, which carries no planner.

#![forbid(unsafe_code)]

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        memplan::worker::serve();
    }
}
