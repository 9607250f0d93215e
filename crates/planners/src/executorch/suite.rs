//! Several algorithms on the same specs; the smallest answer is kept.

use std::collections::BTreeMap;

use super::closest::closest;
use super::greedy::greedy;
use super::naive::naive;
use super::spec::{Answer, Refusal, Settings, Spec};
use super::stage::Stage;
use memplan_core::problem::Branches;
use memplan_core::trace::{Note, Silent};

/// An algorithm of the core planner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// Each buffer at the end of its arena.
    Naive,
    /// With stacking inside shared objects.
    Greedy,
    /// Greedy in which no two objects overlap.
    GreedyNoOverlap,
    /// The one up to v0.5.0.
    Closest,
}

impl Algorithm {
    /// All algorithms, in the order of their names in messages.
    pub const ALL: [Algorithm; 4] =
        [Algorithm::Naive, Algorithm::Greedy, Algorithm::GreedyNoOverlap, Algorithm::Closest];

    /// The word in options and files.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Naive => "naive",
            Algorithm::Greedy => "greedy",
            Algorithm::GreedyNoOverlap => "greedy_no_overlap",
            Algorithm::Closest => "greedy_v0.5",
        }
    }

    /// Returns the algorithm that an option names.
    pub fn from_name(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// The fact that it was tried.
    pub const fn note(self) -> Note {
        match self {
            Algorithm::Naive => Note::TriedNaive,
            Algorithm::Greedy => Note::TriedGreedy,
            Algorithm::GreedyNoOverlap => Note::TriedNoOverlap,
            Algorithm::Closest => Note::TriedClosest,
        }
    }

    /// Runs it.
    ///
    /// # Errors
    /// As the algorithm itself.
    pub fn run(
        self,
        specs: &[Spec],
        settings: &Settings,
        branches: &Branches,
        stage: &mut Stage,
    ) -> Result<Answer, Refusal> {
        match self {
            Algorithm::Naive => naive(specs, settings, stage),
            Algorithm::Greedy => greedy(specs, settings, true, branches, stage),
            Algorithm::GreedyNoOverlap => greedy(specs, settings, false, branches, stage),
            Algorithm::Closest => closest(specs, settings, branches, stage),
        }
    }
}

/// What a suite found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tried {
    /// Algorithm and sum of its arenas, in the order in which they ran.
    pub totals: Vec<(Algorithm, u64)>,
    /// Index of the smallest total, the first of equals.
    pub winner: usize,
    /// Bytes reserved when the winner ran.
    pub reserved: BTreeMap<u32, u64>,
    /// The plan of the winner.
    pub answer: Answer,
}

/// Runs `algorithms` one after the other without telling anybody. `naive` adds to the reserved
/// sizes in place, so what runs after it starts above its whole arena.
///
/// # Errors
/// The first refusal, [`Refusal::OtherArenas`] when the lists of arenas differ in length, and
/// [`Refusal::NoAlgorithm`] when there is none to run.
pub fn suite(
    algorithms: &[Algorithm],
    specs: &[Spec],
    settings: &Settings,
    branches: &Branches,
) -> Result<Tried, Refusal> {
    let mut settings = settings.clone();
    let mut totals = Vec::new();
    let mut best: Option<Tried> = None;
    for (index, &algorithm) in algorithms.iter().enumerate() {
        let reserved = settings.reserved.clone();
        let mut silent = Silent;
        let answer = algorithm.run(specs, &settings, branches, &mut Stage::new(&mut silent, specs.len()))?;
        if algorithm == Algorithm::Naive {
            settings.reserved = answer.arenas.clone();
        }
        totals.push((algorithm, answer.total()));
        match &best {
            Some(best) if best.answer.entries() != answer.entries() => return Err(Refusal::OtherArenas),
            Some(best) if best.answer.total() <= answer.total() => {}
            _ => best = Some(Tried { totals: Vec::new(), winner: index, reserved, answer }),
        }
    }
    best.map(|best| Tried { totals, ..best }).ok_or(Refusal::NoAlgorithm)
}
