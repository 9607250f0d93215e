//! Floor 6: the page. State and actions are pure ([`state`]); components show them, hooks talk to the browser.

pub mod address;
pub mod comparing;
#[cfg(target_arch = "wasm32")]
mod components;
pub mod editing;
pub mod embed;
pub mod examples;
pub mod find;
pub mod handover;
#[cfg(target_arch = "wasm32")]
mod hooks;
mod model;
pub mod recent;
pub mod state;

#[cfg(target_arch = "wasm32")]
pub use components::{resume, start};
