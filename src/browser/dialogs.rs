//! Dialogs that the browser draws itself. They stop the page.

/// Whether the reader says yes to a question.
pub fn agrees(question: &str) -> bool {
    web_sys::window().is_some_and(|window| window.confirm_with_message(question).unwrap_or(false))
}

/// Opens the dialog that prints the page.
pub fn print() {
    if let Some(window) = web_sys::window() {
        // A browser without printing reports nothing.
        let _ = window.print();
    }
}
