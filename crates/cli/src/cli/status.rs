//! The line on the terminal that tells how far work is, until something else is printed.

use std::io::{self, Write};
use std::sync::Mutex;

/// Erases the line and leaves the cursor at its start.
const ERASE: &str = "\r\x1b[2K";

/// Whether a line stands on the terminal. Whoever writes to it holds the lock.
static SHOWN: Mutex<bool> = Mutex::new(false);

/// Shows these words in place of the line that stands there.
pub fn draw(line: &str) {
    if let Ok(mut shown) = SHOWN.lock() {
        let mut out = io::stderr().lock();
        let _ = write!(out, "{ERASE}{line}").and_then(|()| out.flush());
        *shown = true;
    }
}

/// Erases the line, so that something else can be printed.
pub fn erase() {
    if let Ok(mut shown) = SHOWN.lock()
        && std::mem::take(&mut *shown)
    {
        let mut out = io::stderr().lock();
        let _ = write!(out, "{ERASE}").and_then(|()| out.flush());
    }
}
