//! What other programs, scripts and the end-to-end tests rely on, recorded in `tests/data/contracts`:
//! JSON of commands, exit codes, pictures, elements of the page, keys, declarations. Links are
//! recorded beside the state of the page (`src/app/state/tests/links.rs`), node counts beside the
//! exact search, the layout of recorded answers in `tests/golden/layout.rs`.

#[cfg(feature = "cli")]
mod commands;
mod declarations;
mod elements;
#[cfg(feature = "cli")]
mod exits;
#[cfg(feature = "app")]
mod keys;
#[cfg(feature = "cli")]
mod program;
