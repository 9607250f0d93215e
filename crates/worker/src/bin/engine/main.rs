//! The web worker: opens and plans documents without blocking the page, which carries no planner.
//! Other pages import the same program for its functions (docs/javascript.md).

#![forbid(unsafe_code)]

#[cfg(target_arch = "wasm32")]
mod api;
#[cfg(target_arch = "wasm32")]
mod bench;
#[cfg(target_arch = "wasm32")]
mod draw;

/// Passes `read` of the program `reader` to an engine that is not the page's worker.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen::prelude::wasm_bindgen(js_name = useReaders, skip_typescript)]
pub fn use_readers(read: js_sys::Function) {
    memplan_engine::use_readers(read);
}

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        memplan_worker::serve();
    }
}
