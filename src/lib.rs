//! The page, by feature.
//!
//! ```text
//! model <- state <- context <- plan <- transport, panels, controls <- chrome
//! chrome <- edit, compare, embed, present, game <- shell
//! compare <- diff, fit <- shell
//! game <- learn <- shell
//! model <- browser <- widgets <- context
//! ```
//!
//! A folder may use every folder that the arrows lead to, directly or over others. Two rules are
//! stricter: folders in one list, such as `panels` and `controls`, do not use each other, and
//! `widgets` uses only `browser`. `tests/native/floors` holds these walls. [`model`] and [`state`]
//! are pure and compile natively, where they are tested; so does what is pure in `widgets`.

#[cfg(target_arch = "wasm32")]
mod browser;
#[cfg(target_arch = "wasm32")]
mod chrome;
#[cfg(target_arch = "wasm32")]
mod compare;
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod context;
#[cfg(target_arch = "wasm32")]
mod controls;
#[cfg(target_arch = "wasm32")]
mod diff;
#[cfg(target_arch = "wasm32")]
mod edit;
#[cfg(target_arch = "wasm32")]
mod embed;
#[cfg(target_arch = "wasm32")]
mod fit;
#[cfg(target_arch = "wasm32")]
mod game;
#[cfg(target_arch = "wasm32")]
mod learn;
pub mod model;
#[cfg(target_arch = "wasm32")]
mod panels;
#[cfg(target_arch = "wasm32")]
mod plan;
#[cfg(target_arch = "wasm32")]
mod present;
#[cfg(target_arch = "wasm32")]
mod shell;
pub mod state;
#[cfg(target_arch = "wasm32")]
mod transport;
#[cfg(any(test, target_arch = "wasm32"))]
mod widgets;

#[cfg(target_arch = "wasm32")]
pub use shell::start::start;
