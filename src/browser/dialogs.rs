//! Dialogs that the browser draws itself. They stop the page.

use crate::browser::window;

/// Whether the reader says yes to a question.
pub fn agrees(question: &str) -> bool {
    window().is_some_and(|window| window.confirm_with_message(question).unwrap_or(false))
}

/// Opens the dialog that prints the page.
pub fn print() {
    if let Some(window) = window() {
        // A browser without printing reports nothing.
        let _ = window.print();
    }
}
