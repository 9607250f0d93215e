//! The web worker: opens and plans large documents without blocking the page.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        memplan::link::serve();
    }
}
