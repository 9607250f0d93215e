//! What an instance is for, and how hard it is.

/// What an instance is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Say where the planner puts the next buffer.
    Predict,
    /// Place all blocks so that the peak is the lower bound.
    Pack,
    /// Find buffers on which a planner does badly: there is no instance, only the limits of the
    /// board.
    Break,
    /// Put operators into an order with a lower highest load.
    Order,
    /// Find the one fault of a plan.
    Debug,
    /// Place blocks in the order in which a planner places them, for good.
    Tetris,
    /// Work out figures of the buffers and of the planner's plan.
    Number,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 7] =
        [Kind::Predict, Kind::Pack, Kind::Break, Kind::Order, Kind::Debug, Kind::Tetris, Kind::Number];

    /// Whether it is a game with a table of its own, rather than questions about a plan.
    pub const fn is_game(self) -> bool {
        !matches!(self, Kind::Predict | Kind::Number)
    }

    /// Its name in links, files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Predict => "predict",
            Kind::Pack => "pack",
            Kind::Break => "break",
            Kind::Order => "order",
            Kind::Debug => "debug",
            Kind::Tetris => "tetris",
            Kind::Number => "number",
        }
    }

    /// The kind of this name.
    pub fn of_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// A number that is mixed into the seed and never changes.
    pub(super) const fn number(self) -> u64 {
        match self {
            Kind::Predict => 1,
            Kind::Pack => 2,
            Kind::Break => 3,
            Kind::Order => 4,
            Kind::Debug => 5,
            Kind::Tetris => 6,
            Kind::Number => 7,
        }
    }
}

/// How hard an instance is, from 1 to 3.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Difficulty(u8);

impl Difficulty {
    /// The easiest, the usual one and the hardest.
    pub const ALL: [Difficulty; 3] = [Difficulty(1), Difficulty(2), Difficulty(3)];

    /// The difficulty of this number.
    pub fn new(number: u8) -> Option<Difficulty> {
        (1..=3).contains(&number).then_some(Difficulty(number))
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The value for this difficulty.
    pub(super) fn of<T: Copy>(self, values: [T; 3]) -> T {
        values[usize::from(self.0) - 1]
    }
}

impl Default for Difficulty {
    fn default() -> Difficulty {
        Difficulty(2)
    }
}
