//! The panel *Code*: the program of the planner, and the editor of the user's own.

mod editor;
pub mod field;
pub mod help;
mod highlight;
pub mod keeping;
pub mod panel;
mod programs;
mod results;
pub mod state;
#[cfg(test)]
mod tests;
pub mod text;
