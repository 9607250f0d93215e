//! The panels around the plan: documents, graph, buffers, reason, state and selection.

pub mod body;
pub mod buffers;
pub mod drawer;
pub mod graph;
pub mod open;
pub mod selection;
pub mod sides;
pub mod state;
pub mod tab_row;
pub mod why;
