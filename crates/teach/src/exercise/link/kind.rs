//! What an exercise asks, what it keeps back, and what it lets be looked at.

use serde::{Deserialize, Serialize};

use crate::exercise::variant;

/// What is asked of a student.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LinkKind {
    /// Where every next buffer goes.
    Predict,
    /// A plan by hand.
    Pack,
    /// A figure.
    Number,
    /// An order of the operators.
    Order,
    /// Where one buffer goes.
    Place,
    /// A plan by hand, in the order of the planner.
    Tetris,
    /// The fault of a plan.
    Debug,
    /// Buffers on which the planner wastes much.
    Break,
    /// Questions of the lessons.
    Lesson,
}

impl LinkKind {
    /// All kinds.
    pub const ALL: [LinkKind; 9] = [
        LinkKind::Predict,
        LinkKind::Pack,
        LinkKind::Number,
        LinkKind::Order,
        LinkKind::Place,
        LinkKind::Tetris,
        LinkKind::Debug,
        LinkKind::Break,
        LinkKind::Lesson,
    ];

    /// The goals of a game, which are its questions; none where questions are asked.
    pub const fn goals(self) -> Option<u8> {
        match self {
            LinkKind::Pack | LinkKind::Tetris => Some(3),
            LinkKind::Order => Some(2),
            LinkKind::Debug | LinkKind::Break => Some(1),
            LinkKind::Predict | LinkKind::Number | LinkKind::Place | LinkKind::Lesson => None,
        }
    }

    /// What is done; none for what has no instances.
    pub const fn of_variant(self) -> Option<variant::Kind> {
        Some(match self {
            LinkKind::Predict => variant::Kind::Predict,
            LinkKind::Pack => variant::Kind::Pack,
            LinkKind::Number => variant::Kind::Number,
            LinkKind::Order => variant::Kind::Order,
            LinkKind::Tetris => variant::Kind::Tetris,
            LinkKind::Debug => variant::Kind::Debug,
            LinkKind::Break => variant::Kind::Break,
            LinkKind::Place | LinkKind::Lesson => return None,
        })
    }

    /// Its name in links: that of what is done.
    pub const fn name(self) -> &'static str {
        match self.of_variant() {
            Some(kind) => kind.name(),
            None if matches!(self, LinkKind::Place) => "place",
            None => "lesson",
        }
    }
}

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
