//! What other programs, scripts, links and the end-to-end tests rely on, recorded in
//! `tests/data/contracts`: links, JSON of commands, exit codes, pictures, elements of the page,
//! keys, declarations, nodes of the exact search. The layout of recorded answers is checked by
//! `tests/golden/layout.rs`.

mod commands;
mod declarations;
mod elements;
mod exact;
mod exits;
mod keys;
mod links;
mod program;
