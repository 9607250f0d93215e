//! The plan alone on the screen, for an audience.

pub mod link_keys;
pub mod scenes;
pub mod speaking;
#[cfg(test)]
pub(crate) mod tests;

/// How the plan is presented.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Presenting {
    /// Nothing is shown, so that the audience looks at the speaker.
    pub blank: bool,
    /// The buffer under the pointer is outlined.
    pub highlight: bool,
    /// The answer of the exercise in a lesson is shown.
    pub revealed: bool,
    /// The speaker has a window with notes.
    pub notes: bool,
}
