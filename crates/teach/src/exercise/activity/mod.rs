//! The kinds of exercises and games, one file each, and the registry of all.
//!
//! A file of a kind holds what is particular to it below the page: its [`Activity`] (name, words,
//! where its buffers come from, what it asks), and how an instance of it is made. The page, the
//! engine, links and the command line read the activity; they name a kind only where its code
//! differs, such as the table of a game. docs/contributing.md has the recipe for another kind.

mod breaking;
mod debug;
mod lesson;
mod number;
mod order;
mod pack;
mod place;
mod predict;
mod tetris;
mod write;

use serde::{Deserialize, Serialize};

use super::variant::attempt::Attempting;

pub use debug::debug_words;
pub use number::{FEWEST_BUFFERS, FEWEST_STEPS};
pub use order::{Placing, of_buffers};
pub use write::TEMPLATE;

/// What is the same for all exercises of a kind. It is data only, so that the page, which has no
/// planners, can read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Activity {
    /// The name in links, in files and on the command line.
    pub name: &'static str,
    /// Key of the title.
    pub title: &'static str,
    /// Key of the sentence on its card in Learn; none if it has no card.
    pub about: Option<&'static str>,
    /// Key of the sentence that tells a student what is asked.
    pub asks_words: &'static str,
    /// Key of the sentences that tell a student how it is done.
    pub how: &'static str,
    /// Where the buffers come from.
    pub buffers: Buffers,
    /// What is asked.
    pub asks: Asks,
    /// Whether a teacher may keep parts of the picture back.
    pub hides: bool,
    /// How it is practised outside of the page; none if it is not.
    pub practice: Option<Practice>,
}

/// Where the buffers of an exercise come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Buffers {
    /// From a seed, or from a document.
    SeedOrDocument,
    /// From a seed.
    Seed,
    /// From a document.
    Document,
    /// Students make them on a board, to beat a ratio.
    Board,
    /// The lessons have them.
    Lessons,
}

impl Buffers {
    /// Whether a seed or a document is chosen.
    pub const fn are_chosen(self) -> bool {
        self.has_seed() || self.has_document()
    }

    /// Whether they may be made from a seed.
    pub const fn has_seed(self) -> bool {
        matches!(self, Buffers::SeedOrDocument | Buffers::Seed)
    }

    /// Whether a document may have them.
    pub const fn has_document(self) -> bool {
        matches!(self, Buffers::SeedOrDocument | Buffers::Document)
    }
}

/// What an exercise asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    /// Where every next buffer goes.
    EveryPlace,
    /// Where one buffer goes.
    OnePlace,
    /// Figures.
    Figures,
    /// Questions of the lessons.
    Lessons,
    /// A program, which is judged on instances that are not shown. They count as its questions.
    Program,
    /// Nothing: it is a game, which has goals.
    Goals(Goals),
}

/// The goals of a game, which count as its questions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Goals {
    /// How many there are.
    pub count: u8,
    /// Key of the sentence about them; none if the teacher chooses the goal.
    pub words: Option<&'static str>,
    /// Key of the sentence about one's own best result, with the result as the argument `own`, in
    /// bytes, as `n`, a number, or as `ratio`.
    pub best: &'static str,
    /// Whether blocks come in the order of the planner. It is a part of the game then, so each
    /// planner has a best result of its own.
    pub in_turn: bool,
    /// Key of the menu entry that makes a game of the open document; none if there is no entry.
    pub of_open: Option<&'static str>,
}

/// How a kind is practised on the command line and in JavaScript.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Practice {
    /// A number that is mixed into the seed and never changes. Lists are in its order.
    pub number: u64,
    /// What `memplan exercise --help` says.
    pub help: &'static str,
}

impl Activity {
    /// Returns the goals of a game; none if questions are asked.
    pub const fn goals(&self) -> Option<Goals> {
        match self.asks {
            Asks::Goals(goals) => Some(goals),
            Asks::EveryPlace | Asks::OnePlace | Asks::Figures | Asks::Lessons | Asks::Program => None,
        }
    }

    /// Whether questions about a plan are asked, each with one right answer.
    pub const fn asks_about_plan(&self) -> bool {
        matches!(self.asks, Asks::EveryPlace | Asks::OnePlace | Asks::Figures)
    }

    /// Whether the page may fetch the document from another site: not for a game.
    pub const fn takes_address(&self) -> bool {
        self.buffers.has_document() && self.goals().is_none()
    }

    /// Returns the number of questions if the kind fixes it, for buffers from a seed or others.
    pub const fn questions(&self, is_seeded: bool) -> Option<u8> {
        match self.asks {
            Asks::Goals(goals) => Some(goals.count),
            Asks::OnePlace => Some(1),
            Asks::Figures if !is_seeded => Some(1),
            Asks::EveryPlace | Asks::Figures | Asks::Lessons | Asks::Program => None,
        }
    }

    /// Whether a teacher chooses the number of questions.
    pub fn counts_questions(&self, is_seeded: bool) -> bool {
        self.questions(is_seeded).is_none() && self.asks != Asks::Lessons
    }

    /// Whether one right answer passes, so that there is nothing to choose.
    pub fn is_passed_by_one(&self, is_seeded: bool) -> bool {
        self.buffers == Buffers::Board || self.asks == Asks::Figures && !is_seeded
    }

    /// Whether results of so many questions have a bit for each.
    pub const fn has_bits(&self, of: u64) -> bool {
        match self.asks {
            Asks::EveryPlace | Asks::Lessons => true,
            Asks::Figures => of > 1,
            // Each program has sets of its own, so that nothing is missed by many.
            Asks::OnePlace | Asks::Program | Asks::Goals(_) => false,
        }
    }
}

/// Declares the kinds with their modules, in the order of lists.
macro_rules! registry {
    ($($kind:ident, $module:ident;)*) => {
        /// A kind of exercises or games.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum Kind {
            $(#[doc = concat!("That of `", stringify!($module), ".rs`.")] $kind,)*
        }

        impl Kind {
            /// All kinds.
            pub const ALL: [Kind; [$(stringify!($kind)),*].len()] = [$(Kind::$kind),*];

            /// Returns what is the same for all exercises of the kind.
            pub const fn activity(self) -> &'static Activity {
                match self {
                    $(Kind::$kind => &$module::ACTIVITY,)*
                }
            }

            /// Returns how an instance is made; none if there are no instances. It is no part of
            /// the activity, because it leads to the planners.
            pub(super) fn attempt(self) -> Option<Attempting> {
                match self {
                    $(Kind::$kind => $module::ATTEMPT,)*
                }
            }
        }
    };
}

registry! {
    Predict, predict;
    Place, place;
    Number, number;
    Lesson, lesson;
    Write, write;
    Pack, pack;
    Tetris, tetris;
    Order, order;
    Debug, debug;
    Break, breaking;
}

impl Kind {
    /// The games.
    pub const GAMES: [Kind; games()] = {
        let (mut found, mut count, mut at) = ([Kind::ALL[0]; games()], 0, 0);
        while at < Kind::ALL.len() {
            if Kind::ALL[at].is_game() {
                found[count] = Kind::ALL[at];
                count += 1;
            }
            at += 1;
        }
        found
    };

    /// Returns the kinds of the command line and of JavaScript, in the order of their numbers.
    pub fn practised() -> Vec<Kind> {
        let mut kinds = Kind::ALL.to_vec();
        kinds.retain(|kind| kind.activity().practice.is_some());
        kinds.sort_by_key(|kind| kind.activity().practice.map(|practice| practice.number));
        kinds
    }

    /// Returns the name in links, in files and on the command line.
    pub const fn name(self) -> &'static str {
        self.activity().name
    }

    /// Returns the kind of this name.
    pub fn of_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it is a game with a table of its own, rather than questions.
    pub const fn is_game(self) -> bool {
        self.activity().goals().is_some()
    }
}

impl Default for Kind {
    fn default() -> Kind {
        Kind::ALL[0]
    }
}

/// The number of games.
const fn games() -> usize {
    let (mut count, mut at) = (0, 0);
    while at < Kind::ALL.len() {
        count += Kind::ALL[at].is_game() as usize;
        at += 1;
    }
    count
}

#[cfg(test)]
mod tests;
