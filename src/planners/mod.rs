//! Choosing a planner, its options and what is planned.

pub mod how;
pub mod option_field;
pub mod options;
mod own_row;
pub mod pick_row;
pub mod picker;
pub mod planner_menu;
pub mod rule_table;
pub mod state;
#[cfg(test)]
mod tests;
