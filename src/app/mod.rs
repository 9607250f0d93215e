//! Floor 7: the page. State and actions are pure ([`state`]); components show them, hooks talk to the browser.
//!
//! Two programs share all of it: the small one that everybody loads shows one planner, the studio has every mode and takes
//! over when one of the others is chosen ([`handover`]). What only the studio refers to is not in the small one.

mod action;
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
mod settings;
pub mod state;

#[cfg(target_arch = "wasm32")]
pub use components::{resume, start};
