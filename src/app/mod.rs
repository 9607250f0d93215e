//! Floor 6: the page. State and actions are pure ([`state`]); components show them, hooks talk to the browser.

#[cfg(target_arch = "wasm32")]
mod components;
#[cfg(target_arch = "wasm32")]
mod hooks;
pub mod address;
pub mod examples;
pub mod state;

#[cfg(target_arch = "wasm32")]
pub use components::start;
