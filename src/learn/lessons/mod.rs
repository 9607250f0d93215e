//! Lessons: the index of the lessons, and a lesson beside a plan.

pub mod answers;
pub mod begun;
pub mod cards;
pub mod fetching;
pub mod index;
pub mod lesson;
pub mod marked;
pub mod moving;
pub mod paragraph;
pub mod places;
pub mod program;
pub mod reading;
pub mod stage;
pub mod state;
pub mod storing;
pub mod task;
#[cfg(test)]
mod tests;
pub mod tried;
