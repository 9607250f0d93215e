//! The page, by feature.
//!
//! A folder is a feature: its views, and in `state` what it owns of the state of the page, with the
//! actions and the function that changes it. All states form one layer, summed up in
//! [`shell::state`]; views lie above them:
//!
//! ```text
//! states <- browser <- widgets <- context <- plan <- export, planners <- chrome
//! context <- open, edit;  plan <- step, present
//! chrome <- compare <- fit, compare/diff;  chrome <- embed, learn
//! ```
//!
//! `shell` is above all of them. `tests/native/floors/page.rs` has the whole table and holds it.
//! Everything compiles natively: states are pure, and views are drawn as text there
//! (`testing.rs`), with a `browser` that has no window.

mod browser;
mod chrome;
#[doc(hidden)]
pub mod compare;
#[doc(hidden)]
pub mod context;
mod edit;
#[doc(hidden)]
pub mod embed;
mod export;
mod fit;
#[doc(hidden)]
pub mod learn;
#[doc(hidden)]
pub mod open;
pub mod own;
mod plan;
mod planners;
mod present;
#[doc(hidden)]
pub mod shell;
#[doc(hidden)]
pub mod step;
#[cfg(test)]
mod testing;
mod widgets;

// For tests outside: of links, keys and examples, and of what a browser paints.
#[doc(hidden)]
pub use browser::painting;
pub use shell::start::start;
