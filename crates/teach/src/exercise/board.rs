//! The board of Break: few buffers, and how far a planner is above their lower bound.
//!
//! In links a board is `A.112.0.3_B.16.0.6`: name, KiB, first step and the step after the last one
//! between dots, buffers between underscores.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::dice::Dice;
use super::variant::as_graph;
use memplan_core::base::Message;
use memplan_core::plan::Plan;
use memplan_core::problem::{Buffer, Live, Memory, Problem, Scope, lifetimes, lower_bound};
use memplan_core::trace::{Silent, StatePanel};
use memplan_planners::{self as planner, Made, Needs, Planner};

/// Most buffers of a board.
pub const MAX_BUFFERS: usize = 8;

/// Largest size of a buffer, in KiB.
pub const MAX_KIB: u64 = 128;

/// Last step after a buffer's life.
pub const MAX_STEP: u32 = 8;

/// Most letters of a name.
pub const MAX_NAME: usize = 8;

const KIB: u64 = 1024;

/// A buffer of a board.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece {
    /// Its name: letters and digits.
    pub name: String,
    /// Its size in KiB.
    pub kib: u64,
    /// Its first step.
    pub lower: u32,
    /// The step after its last.
    pub upper: u32,
}

/// Some buffers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Board {
    /// In the order of the table, which is that in which planners see them.
    pub pieces: Vec<Piece>,
}

/// What is wrong with a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BoardFault {
    /// It has no buffer.
    Empty,
    /// It has too many.
    TooMany(usize),
    /// A part of the text is no buffer.
    Text(String),
    /// A name has other letters than A to Z, a to z and digits, none, or too many.
    Name(String),
    /// Two buffers have the same name.
    Twice(String),
    /// A size is not between 1 and 128 KiB.
    Size {
        /// Name of the buffer.
        name: String,
        /// Its size in KiB.
        kib: u64,
    },
    /// A life is empty or ends after step 8.
    Life {
        /// Name of the buffer.
        name: String,
        /// First step.
        lower: u32,
        /// Step after the last.
        upper: u32,
    },
}

impl BoardFault {
    /// The fault in words.
    pub fn message(&self) -> Message {
        match self {
            BoardFault::Empty => Message::new("board.empty"),
            BoardFault::TooMany(found) => {
                Message::new("board.too-many").count("n", *found as u64).count("most", MAX_BUFFERS as u64)
            }
            BoardFault::Text(part) => Message::new("board.text").text("part", part),
            BoardFault::Name(name) => Message::new("board.name").text("name", name).count("most", MAX_NAME as u64),
            BoardFault::Twice(name) => Message::new("board.twice").text("name", name),
            BoardFault::Size { name, kib } => {
                Message::new("board.size").text("name", name).count("kib", *kib).count("most", MAX_KIB)
            }
            BoardFault::Life { name, lower, upper } => Message::new("board.life")
                .text("name", name)
                .count("lower", *lower)
                .count("upper", *upper)
                .count("most", MAX_STEP),
        }
    }
}

impl Board {
    /// Reads the text of a link, and checks the board.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn read(text: &str) -> Result<Board, BoardFault> {
        let piece = |part: &str| {
            let fields: Vec<&str> = part.split('.').collect();
            let piece = match fields.as_slice() {
                [name, kib, lower, upper] => Some((*name, kib.parse().ok(), lower.parse().ok(), upper.parse().ok())),
                _ => None,
            };
            match piece {
                Some((name, Some(kib), Some(lower), Some(upper))) => Ok(Piece { name: name.into(), kib, lower, upper }),
                _ => Err(BoardFault::Text(part.into())),
            }
        };
        let pieces: Result<Vec<Piece>, BoardFault> =
            text.split('_').filter(|part| !part.is_empty()).map(piece).collect();
        let board = Board { pieces: pieces? };
        match board.faults().into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(board),
        }
    }

    /// The text for a link.
    pub fn write(&self) -> String {
        let part = |piece: &Piece| format!("{}.{}.{}.{}", piece.name, piece.kib, piece.lower, piece.upper);
        self.pieces.iter().map(part).collect::<Vec<_>>().join("_")
    }

    /// Everything that is wrong, in order of the buffers.
    pub fn faults(&self) -> Vec<BoardFault> {
        let mut found = Vec::new();
        if self.pieces.is_empty() {
            found.push(BoardFault::Empty);
        }
        if self.pieces.len() > MAX_BUFFERS {
            found.push(BoardFault::TooMany(self.pieces.len()));
        }
        for (at, piece) in self.pieces.iter().enumerate() {
            let Piece { name, kib, lower, upper } = piece;
            let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if !is_plain || name.is_empty() || name.len() > MAX_NAME {
                found.push(BoardFault::Name(name.clone()));
            }
            if self.pieces[..at].iter().any(|other| other.name == *name) {
                found.push(BoardFault::Twice(name.clone()));
            }
            if !(1..=MAX_KIB).contains(kib) {
                found.push(BoardFault::Size { name: name.clone(), kib: *kib });
            }
            if lower >= upper || *upper > MAX_STEP {
                found.push(BoardFault::Life { name: name.clone(), lower: *lower, upper: *upper });
            }
        }
        found
    }

    /// The buffers. Steps before the first life stay.
    pub fn problem(&self) -> Problem {
        let buffer = |piece: &Piece| {
            Buffer::of(piece.name.clone(), piece.kib.saturating_mul(KIB), Live { start: piece.lower, end: piece.upper })
        };
        Problem {
            name: "board".into(),
            buffers: self.pieces.iter().map(buffer).collect(),
            memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
            steps: self.pieces.iter().map(|piece| piece.upper).max().unwrap_or(1).max(1),
            ..Problem::default()
        }
    }

    /// The buffers of a problem as a board; none if it is no board.
    pub fn of(problem: &Problem) -> Option<Board> {
        let piece = |buffer: &Buffer| {
            let kib = buffer.size.is_multiple_of(KIB).then_some(buffer.size / KIB)?;
            Some(Piece { name: buffer.name.clone(), kib, lower: buffer.live.start, upper: buffer.live.end })
        };
        let board = Board { pieces: problem.buffers.iter().map(piece).collect::<Option<_>>()? };
        board.faults().is_empty().then_some(board)
    }
}

/// Peak and lower bound of a plan, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ratio {
    /// The peak.
    pub peak: u64,
    /// The bound.
    pub bound: u64,
}

impl Ratio {
    /// Peak over bound; 1 without bytes.
    pub fn value(self) -> f64 {
        if self.bound == 0 { 1.0 } else { self.peak as f64 / self.bound as f64 }
    }

    /// Its whole hundredths, 182 for 1.829; more than a result can tell is told as the most.
    pub fn hundredths(self) -> u16 {
        let whole = u128::from(self.peak) * 100 / u128::from(self.bound.max(1));
        let whole = if self.bound == 0 { 100 } else { whole };
        u16::try_from(whole).unwrap_or(u16::MAX)
    }

    /// Whether it is larger than another, exactly.
    pub fn beats(self, other: Ratio) -> bool {
        u128::from(self.peak) * u128::from(other.bound) > u128::from(other.peak) * u128::from(self.bound)
    }

    /// Whether it is larger by a hundredth or more, as a try has to be to be kept by itself.
    pub fn is_kept_beside(self, other: Ratio) -> bool {
        let (own, least) = (u128::from(self.peak) * u128::from(other.bound) * 100, u128::from(other.peak) * 100);
        own >= (least + u128::from(other.bound)) * u128::from(self.bound)
    }
}

/// How far a plan is above the lower bound of its problem.
pub fn ratio(problem: &Problem, plan: &Plan) -> Ratio {
    Ratio { peak: plan.peak(problem), bound: lower_bound(problem) }
}

/// Whether a planner can be broken: it places all buffers, and not each for itself. A cache of
/// whole segments is so large beside a board that every board breaks it.
pub fn can_be_broken(planner: &dyn Planner) -> bool {
    let info = planner.info();
    let is_cache = info.explanation.panels.contains(&StatePanel::CachedBlocks);
    info.group != planner::Group::Reference && !is_cache
}

/// How far a planner with its default options is above the bound of a board; none if it gives no
/// plan.
pub fn ratio_of(planner: &dyn Planner, board: &Board) -> Option<Ratio> {
    planned(planner, board).map(|(_, ratio)| ratio)
}

/// The plan of a planner with its default options on a board, and how far it is above the bound;
/// none if it gives no plan.
pub fn planned(planner: &dyn Planner, board: &Board) -> Option<(Made, Ratio)> {
    let mut problem = board.problem();
    let graph = (planner.info().needs == Needs::Graph).then(|| as_graph(&problem));
    if let Some(graph) = &graph {
        problem = lifetimes(graph, &Scope::default()).ok()?;
    }
    let options = planner.info().defaults();
    let made = planner::run(planner, &problem, graph.as_ref(), &Scope::default(), &options, &mut Silent).ok()?;
    // Measured against the problem as it was given: a planner that rounds sizes up pays for it.
    let is_whole = made.plan.places.iter().all(Option::is_some);
    let ratio = Ratio { peak: made.plan.peak(&made.problem), bound: lower_bound(&problem) };
    is_whole.then_some((made, ratio))
}

/// Looks for a board on which a planner is far above the bound: from a board, one change after the
/// other, each kept if the ratio does not fall; after a number of changes without a better one it
/// begins at another random board. The same seed and number of tries give the same board. None if
/// the planner plans none of them.
pub fn search_worst(planner: &dyn Planner, start: Option<&Board>, seed: u64, tries: u32) -> Option<(Board, Ratio)> {
    let mut dice = Dice::of(seed, &[]);
    let mut here = start.cloned().unwrap_or_else(|| random(&mut dice));
    let mut height = ratio_of(planner, &here);
    let mut best = height.map(|height| (here.clone(), height));
    let mut idle = 0;
    for _ in 0..tries {
        if idle > PATIENCE {
            here = match &best {
                // Half of the time from a shaken copy of the best.
                Some((board, _)) if dice.below(2) == 0 => {
                    (0..4).fold(board.clone(), |board, _| changed(&board, &mut dice))
                }
                _ => random(&mut dice),
            };
            (height, idle) = (ratio_of(planner, &here), 0);
        }
        let next = changed(&here, &mut dice);
        let Some(found) = ratio_of(planner, &next) else { continue };
        idle += 1;
        if height.is_some_and(|height| height.beats(found)) {
            continue;
        }
        if height.is_none_or(|height| found.beats(height)) {
            idle = 0;
        }
        if best.as_ref().is_none_or(|(_, known)| found.beats(*known)) {
            best = Some((next.clone(), found));
        }
        (here, height) = (next, Some(found));
    }
    best
}

/// The worst board known for a planner, with its peak and bound: found by [`search_worst`] from
/// many seeds, and for first fit from a board made by hand; `worst.json` holds all of them, a
/// line each.
pub fn worst_known(planner: &str) -> Option<(Board, Ratio)> {
    #[derive(Deserialize)]
    struct Known {
        board: String,
        peak: u64,
        bound: u64,
    }
    let mut known: BTreeMap<String, Known> = serde_json::from_str(include_str!("worst.json")).ok()?;
    let Known { board, peak, bound } = known.remove(planner)?;
    Some((Board::read(&board).ok()?, Ratio { peak, bound }))
}

/// Changes without a better board until the search begins elsewhere.
const PATIENCE: u32 = 400;

/// Sizes of random boards are multiples of this many KiB: equal sizes meet more often.
const GRAIN: u64 = 16;

fn named(mut pieces: Vec<Piece>) -> Board {
    pieces.sort_by_key(|piece| piece.lower);
    pieces.iter_mut().zip('A'..='Z').for_each(|(piece, letter)| piece.name = letter.to_string());
    Board { pieces }
}

fn random_piece(dice: &mut Dice) -> Piece {
    let lower = dice.below(u64::from(MAX_STEP)) as u32;
    let upper = lower + 1 + dice.below(u64::from(MAX_STEP - lower)) as u32;
    Piece { name: String::new(), kib: GRAIN * dice.within(1..=MAX_KIB / GRAIN), lower, upper }
}

fn random(dice: &mut Dice) -> Board {
    named((0..MAX_BUFFERS).map(|_| random_piece(dice)).collect())
}

/// A board that differs in one buffer.
fn changed(board: &Board, dice: &mut Dice) -> Board {
    let mut pieces = board.pieces.clone();
    let at = dice.below(pieces.len().max(1) as u64) as usize;
    match dice.below(8) {
        0 if pieces.len() < MAX_BUFFERS => pieces.push(random_piece(dice)),
        1 if pieces.len() > 2 => {
            pieces.remove(at);
        }
        2 => pieces[at] = random_piece(dice),
        3 => pieces[at].kib = pieces[dice.below(pieces.len() as u64) as usize].kib,
        4 => pieces[at].kib = dice.within(1..=MAX_KIB),
        5 => {
            let step = if dice.below(2) == 0 { 1 } else { GRAIN };
            let kib = pieces[at].kib;
            pieces[at].kib =
                if dice.below(2) == 0 { (kib + step).min(MAX_KIB) } else { kib.saturating_sub(step).max(1) };
        }
        6 => pieces[at].lower = dice.below(u64::from(pieces[at].upper)) as u32,
        _ => {
            let lower = pieces[at].lower;
            pieces[at].upper = lower + 1 + dice.below(u64::from(MAX_STEP - lower)) as u32;
        }
    }
    named(pieces)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use memplan_planners::{REGISTRY, YARDSTICK};

    const PIN: &str = "A.80.0.1_B.16.0.3_C.96.1.2_D.96.2.3";

    #[test]
    fn hundredths_are_not_rounded_up() {
        let hundredths = |peak: u64, bound: u64| Ratio { peak, bound }.hundredths();
        // 182 / 100 is 1.819… as a binary fraction.
        assert_eq!([hundredths(182, 100), hundredths(1829, 1000), hundredths(592, 272)], [182, 182, 217]);
        assert_eq!([hundredths(0, 0), hundredths(1, 0), hundredths(u64::MAX, 1)], [100, 100, u16::MAX]);
    }

    #[test]
    fn a_board_is_checked_buffer_by_buffer() {
        let fault = |text: &str| Board::read(text).expect_err(text);
        assert_eq!(Board::read(PIN).map(|board| board.write()).as_deref(), Ok(PIN));
        assert_eq!(fault(""), BoardFault::Empty);
        assert_eq!(fault("A.1.0"), BoardFault::Text("A.1.0".into()));
        assert_eq!(fault("A.1.0.-1"), BoardFault::Text("A.1.0.-1".into()));
        assert_eq!(fault("A.1.0.1_A.1.0.1"), BoardFault::Twice("A".into()));
        assert_eq!(fault("ä.1.0.1"), BoardFault::Name("ä".into()));
        assert_eq!(fault("LongerName.1.0.1"), BoardFault::Name("LongerName".into()));
        assert_eq!(fault("A.0.0.1"), BoardFault::Size { name: "A".into(), kib: 0 });
        assert_eq!(fault("A.129.0.1"), BoardFault::Size { name: "A".into(), kib: 129 });
        assert_eq!(fault("A.1.3.3"), BoardFault::Life { name: "A".into(), lower: 3, upper: 3 });
        assert_eq!(fault("A.1.3.9"), BoardFault::Life { name: "A".into(), lower: 3, upper: 9 });
        let nine: Vec<String> = (0..9).map(|at| format!("B{at}.1.0.1")).collect();
        assert_eq!(fault(&nine.join("_")), BoardFault::TooMany(9));
        for fault in [fault(""), fault("A.129.0.1"), fault("A.1.3.9")] {
            let sentence = memplan_core::text::Speech::default().say(&fault.message());
            assert!(!sentence.contains('{') && sentence.ends_with('.'), "{sentence}");
        }
    }

    #[test]
    fn a_board_is_its_problem() {
        let board = Board::read(PIN).expect("a board");
        assert_eq!(Board::of(&board.problem()), Some(board));
        let mut other = Board::read(PIN).expect("a board").problem();
        other.buffers.iter_mut().for_each(|buffer| buffer.size += 1);
        assert_eq!(Board::of(&other), None);
    }

    #[test]
    fn ratios_are_compared_exactly() {
        let of = |peak, bound| Ratio { peak, bound };
        assert!(of(192, 112).beats(of(120, 112)) && !of(2, 1).beats(of(4, 2)));
        assert!(of(110, 100).is_kept_beside(of(109, 100)) && !of(1_099, 1_000).is_kept_beside(of(109, 100)));
        assert_eq!(ratio_of(YARDSTICK, &Board::read(PIN).expect("a board")), Some(of(192 * KIB, 112 * KIB)));
        assert_eq!(of(0, 0).value(), 1.0);
    }

    #[test]
    fn the_search_finds_bad_boards_and_keeps_to_the_rules() {
        let (board, worst) = search_worst(YARDSTICK, None, 7, 3_000).expect("it plans");
        assert_eq!(board.faults(), []);
        assert_eq!(ratio_of(YARDSTICK, &board), Some(worst));
        assert!(worst.value() > 1.4, "{} {}", worst.value(), board.write());
        assert_eq!(search_worst(YARDSTICK, None, 7, 3_000), Some((board.clone(), worst)));
        // From a board that is known it does not come back with a better ratio.
        let (_, again) = search_worst(YARDSTICK, Some(&board), 8, 100).expect("it plans");
        assert!(!worst.beats(again));
    }

    #[test]
    fn the_worst_boards_are_as_bad_as_the_file_says() {
        let mut lines = include_str!("worst.json").lines().count();
        for planner in REGISTRY.iter().filter(|planner| can_be_broken(**planner)) {
            let id = planner.info().id;
            let (board, recorded) = worst_known(id).unwrap_or_else(|| panic!("{id} has no board"));
            assert_eq!(ratio_of(*planner, &board), Some(recorded), "{id}");
            lines -= 1;
        }
        assert_eq!(lines, 2, "a line for each planner and two for the braces");
        let (_, known) = worst_known(YARDSTICK.info().id).expect("a board");
        assert!(known.beats(Ratio { peak: 592 * KIB, bound: 272 * KIB }), "the one made by hand is beaten");
        assert_eq!(worst_known("no planner"), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(seed in any::<u64>()) {
            let board = random(&mut Dice::new(seed));
            prop_assert_eq!(Board::read(&board.write()), Ok(board.clone()));
            let mut dice = Dice::new(seed);
            let changed = (0..20).fold(board, |board, _| changed(&board, &mut dice));
            prop_assert_eq!(changed.faults(), vec![]);
        }
    }
}
