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
//! `widgets` uses only `browser`. `tests/native/floors` holds these walls. All of it compiles
//! natively: [`model`] and [`state`] are pure, and views are drawn as text there (`testing.rs`),
//! with a `browser` that has no window.

mod browser;
mod chrome;
mod compare;
#[doc(hidden)]
pub mod context;
mod controls;
mod diff;
mod edit;
mod embed;
mod fit;
mod game;
mod learn;
pub mod model;
mod panels;
mod plan;
mod present;
mod shell;
pub mod state;
#[cfg(test)]
mod testing;
mod transport;
mod widgets;

// For the tests in a browser, which compare what is painted.
#[doc(hidden)]
pub use browser::painting;
pub use shell::start::start;
