//! What an exercise keeps back, and what it lets be looked at.

use serde::{Deserialize, Serialize};

/// What is kept back until the end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Hidden {
    /// The peak of the finished plan.
    Peak,
    /// The load curve.
    Curve,
    /// The lower bound.
    Bound,
    /// The reasons.
    Why,
    /// What the planner keeps.
    State,
}

impl Hidden {
    /// All parts.
    pub const ALL: [Hidden; 5] = [Hidden::Peak, Hidden::Curve, Hidden::Bound, Hidden::Why, Hidden::State];

    /// Its name in links.
    pub const fn name(self) -> &'static str {
        match self {
            Hidden::Peak => "peak",
            Hidden::Curve => "curve",
            Hidden::Bound => "bound",
            Hidden::Why => "why",
            Hidden::State => "state",
        }
    }
}

/// What a student may look at before an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Help {
    /// Nothing.
    #[default]
    None,
    /// The rule of the planner.
    Rule,
    /// The rule, and the reason after each answer.
    Why,
}

impl Help {
    /// All amounts.
    pub const ALL: [Help; 3] = [Help::None, Help::Rule, Help::Why];

    /// Its name in links.
    pub const fn name(self) -> &'static str {
        match self {
            Help::None => "none",
            Help::Rule => "rule",
            Help::Why => "why",
        }
    }
}
