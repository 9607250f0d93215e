//! Exercises of students, which a link opens: questions, games, figures, and the result.

pub mod asked;
pub mod asks;
pub mod figures;
pub mod kept;
pub mod lesson_question;
pub mod onward;
pub mod page;
pub mod state;
