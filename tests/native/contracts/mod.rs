//! What other programs, scripts, links and the end-to-end tests rely on, recorded in
//! `tests/data/contracts`: links, JSON of commands, exit codes, pictures, elements of the page,
//! keys, declarations, nodes of the exact search. The layout of recorded answers is checked by
//! `tests/golden/layout.rs`.

#[cfg(feature = "cli")]
mod commands;
mod declarations;
mod elements;
mod exact;
#[cfg(feature = "cli")]
mod exits;
#[cfg(feature = "app")]
mod keys;
#[cfg(feature = "app")]
mod links;
#[cfg(feature = "cli")]
mod program;
