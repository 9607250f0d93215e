//! The panels around the plan: documents, graph, buffers, reason, state and selection.

pub mod body;
pub mod buffers;
pub mod drawer;
pub mod gap;
pub mod graph;
mod grouped;
pub mod next;
pub mod peak;
pub mod predict;
pub mod selection;
pub mod sides;
pub mod state;
pub mod tab_row;
#[cfg(test)]
mod tests;
pub mod why;
