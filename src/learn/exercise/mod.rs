//! Exercises of students, which a link opens: questions, games, figures, and the result.

pub mod figures;
pub mod introduction;
pub mod kept;
pub mod lesson_question;
pub mod onward;
pub mod page;
pub mod review;
pub mod state;
#[cfg(test)]
mod tests;
pub mod writing;
