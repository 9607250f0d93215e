//! How far an exercise is.

/// How far an exercise is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Its link is read.
    Reading,
    /// It shows its questions, and waits for a name.
    Ready,
    /// Its document is on the way.
    Making,
    /// Questions are asked.
    Asking,
    /// The result code is written.
    Coding,
    /// It is over.
    Done,
}
