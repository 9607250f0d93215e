//! Floor 7: the page. State and actions are pure ([`state`]); components show them, hooks talk to the browser.

mod action;
pub mod address;
pub mod comparing;
#[cfg(target_arch = "wasm32")]
mod components;
pub mod editing;
pub mod embed;
pub mod examples;
pub mod find;
#[cfg(target_arch = "wasm32")]
mod hooks;
mod model;
pub mod recent;
mod settings;
pub mod state;

#[cfg(target_arch = "wasm32")]
pub use components::start;
