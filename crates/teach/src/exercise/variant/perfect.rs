//! Buffers that fit together without a gap: their smallest peak is the lower bound because of how
//! they are made.
//!
//! A rectangle of steps by bytes is cut into pieces, and up to a fiftieth of them are left out. A
//! cut goes through a piece from side to side, along the steps or along the addresses (a guillotine
//! cut); one in eight makes a pinwheel of five pieces instead, which no such cuts can take apart.
//! What is left still fits into the rectangle, and at least one step stays full, so the bound is
//! the height of the rectangle.

use super::make::{self, Block};
use crate::exercise::dice::Dice;
use memplan_core::base::IdVec;
use memplan_core::plan::{Place, Plan, Pool, PoolId, PoolRole, Proof};
use memplan_core::problem::{MemoryId, Problem};

/// How many buffers an instance may have.
pub const BUFFERS: std::ops::RangeInclusive<u64> = 100..=500;

/// Bytes of a unit.
const UNIT: u64 = 64;

/// Units of the whole height: the fewer, the more ways there are to fit pieces together that belong
/// apart.
const HEIGHTS: [u64; 3] = [256, 4_096, 65_536];

/// Buffers whose smallest peak is known, with a plan that has it.
#[derive(Clone, PartialEq, Debug)]
pub struct Perfect {
    /// The buffers.
    pub problem: Problem,
    /// Where they lay in the rectangle.
    pub plan: Plan,
}

/// A piece of the rectangle: the first step and the first unit, and how many there are.
#[derive(Clone, Copy)]
struct Piece {
    from: u64,
    steps: u64,
    above: u64,
    units: u64,
}

/// The instance of a seed with so many buffers, which are within [`BUFFERS`].
pub fn perfect(seed: u64, buffers: u64) -> Perfect {
    let mut dice = Dice::of(seed, &[buffers]);
    let steps = dice.within(buffers / 5..=buffers / 2);
    let units = *dice.pick(&HEIGHTS);
    let left_out = buffers * dice.below(3) / 100;
    let mut pieces = cut(&mut dice, buffers + left_out, Piece { from: 0, steps, above: 0, units });
    while pieces.len() as u64 > buffers {
        let piece = pieces.swap_remove(dice.below(pieces.len() as u64) as usize);
        if !has_full_step(&pieces, steps, units) {
            pieces.push(piece);
        }
    }
    // In no order but that of births: that of the cuts would tell what lies beside what.
    for last in (1..pieces.len()).rev() {
        pieces.swap(last, dice.below(last as u64 + 1) as usize);
    }
    pieces.sort_by_key(|piece| piece.from);
    let block = |piece: &Piece| Block {
        size: UNIT * piece.units,
        start: piece.from as u32,
        end: (piece.from + piece.steps) as u32,
    };
    let blocks = pieces.iter().map(block).collect();
    let name = format!("perfect-{buffers}-{seed}");
    let problem = make::named(name, blocks, 1, (0..).map(|number: u32| format!("t{number}")));
    let size = UNIT * units;
    let device = problem.memories[MemoryId(0)].device.clone();
    let place = |piece: &Piece| Some(Place { pool: PoolId(0), offset: UNIT * piece.above });
    let plan = Plan {
        pools: IdVec::from(vec![Pool { name: "arena".into(), size, device, role: PoolRole::Arena }]),
        places: pieces.iter().map(place).collect(),
        proof: Proof::Optimal { bound: size },
        ..Plan::default()
    };
    Perfect { problem, plan }
}

/// So many pieces of a whole.
fn cut(dice: &mut Dice, count: u64, whole: Piece) -> Vec<Piece> {
    let mut pieces = vec![whole];
    while (pieces.len() as u64) < count {
        // Large pieces are cut more often.
        let at = make::by_area(dice, pieces.iter().map(|piece| piece.steps * piece.units));
        let piece = pieces.swap_remove(at);
        let has_room = pieces.len() as u64 + 5 <= count;
        pieces.extend(if dice.below(8) == 0 && has_room { pinwheel(dice, piece) } else { halves(dice, piece) });
    }
    pieces
}

/// Whether the pieces of some step are as high as the rectangle.
fn has_full_step(pieces: &[Piece], steps: u64, units: u64) -> bool {
    let load = |step: u64| -> u64 {
        let alive = pieces.iter().filter(|piece| (piece.from..piece.from + piece.steps).contains(&step));
        alive.map(|piece| piece.units).sum()
    };
    (0..steps).any(|step| load(step) == units)
}

fn halves(dice: &mut Dice, piece: Piece) -> Vec<Piece> {
    let Piece { from, steps, above, units } = piece;
    match dice.below(2) {
        0 if steps > 1 => {
            let first = dice.within(1..=steps - 1);
            vec![Piece { steps: first, ..piece }, Piece { from: from + first, steps: steps - first, ..piece }]
        }
        1 if units > 1 => {
            let low = dice.within(1..=units - 1);
            vec![Piece { units: low, ..piece }, Piece { above: above + low, units: units - low, ..piece }]
        }
        _ => vec![piece],
    }
}

/// ```text
/// left left top  top
/// left left mid  right
/// low  low  low  right
/// ```
fn pinwheel(dice: &mut Dice, piece: Piece) -> Vec<Piece> {
    let Piece { from, steps, above, units } = piece;
    if steps < 3 || units < 3 {
        return vec![piece];
    }
    let left = dice.within(1..=steps - 2);
    let low = dice.within(left + 1..=steps - 1);
    let below = dice.within(1..=units - 2);
    let beside = dice.within(below + 1..=units - 1);
    vec![
        Piece { steps: low, units: below, ..piece },
        Piece { steps: left, above: above + below, units: units - below, ..piece },
        Piece { from: from + left, steps: low - left, above: above + below, units: beside - below },
        Piece { from: from + low, steps: steps - low, units: beside, ..piece },
        Piece { from: from + left, steps: steps - left, above: above + beside, units: units - beside },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::plan::check;
    use memplan_core::problem::lower_bound;
    use memplan_core::trace::Silent;
    use memplan_planners::{Input, find};

    #[test]
    fn the_plan_that_was_cut_reaches_the_bound() {
        for seed in 0..30 {
            for buffers in [*BUFFERS.start(), 237, *BUFFERS.end()] {
                let Perfect { problem, plan } = perfect(seed, buffers);
                assert_eq!(problem.buffers.len() as u64, buffers, "{seed}");
                assert_eq!(check(&problem, &plan), [], "{seed}");
                assert_eq!(plan.peak(&problem), lower_bound(&problem), "{seed}");
            }
        }
    }

    #[test]
    fn at_most_a_fiftieth_is_missing() {
        let filled = |seed: u64| {
            let Problem { buffers, steps, .. } = perfect(seed, 100).problem;
            let area: u64 = buffers.iter().map(|buffer| buffer.size * u64::from(buffer.live.len())).sum();
            (area, u64::from(steps))
        };
        let is_full = |seed: &u64| {
            let (area, steps) = filled(*seed);
            let whole = lower_bound(&perfect(*seed, 100).problem) * steps;
            assert!(area <= whole && 4 * area > 3 * whole, "{seed}: {area} of {whole}");
            area == whole
        };
        let full = (0..30).filter(is_full).count();
        assert!((3..27).contains(&full), "some are whole, and some are not: {full}");
    }

    #[test]
    fn the_exact_search_puts_them_together_again() {
        let exact = find("exact").expect("registered");
        for seed in 0..8 {
            let problem = perfect(seed, 100).problem;
            let input = Input { problem: &problem, graph: None };
            let plan = exact.plan(input, &exact.info().defaults(), &mut Silent).expect("a plan");
            assert_eq!(check(&problem, &plan), []);
            assert_eq!(plan.proof, Proof::Optimal { bound: lower_bound(&problem) }, "{seed}");
        }
    }

    #[test]
    fn a_search_that_is_cut_short_has_a_valid_plan_all_the_same() {
        let exact = find("exact").expect("registered");
        for (seed, nodes) in (0..6).zip(["1", "200", "1000", "2000", "4000", "8000"]) {
            let problem = perfect(seed, 150).problem;
            let options = exact.info().options([("nodes", nodes)]).expect("declared");
            let plan = || exact.plan(Input { problem: &problem, graph: None }, &options, &mut Silent).expect("a plan");
            let found = plan();
            assert_eq!(check(&problem, &found), [], "{seed}");
            let (peak, bound) = (found.peak(&problem), lower_bound(&problem));
            assert!(peak >= bound, "{seed}");
            assert_eq!(matches!(found.proof, Proof::Optimal { .. }), peak == bound, "{seed}");
            assert_eq!(plan(), found, "{seed}: the same every time");
        }
    }

    #[test]
    fn a_capacity_with_a_little_room_is_met() {
        let exact = find("exact").expect("registered");
        let problem = perfect(1, 120).problem;
        let capacity = lower_bound(&problem) * 21 / 20;
        let options = exact.info().options([("capacity", capacity.to_string().as_str())]).expect("declared");
        let plan = exact.plan(Input { problem: &problem, graph: None }, &options, &mut Silent).expect("a plan");
        assert_eq!(check(&problem, &plan), []);
        assert!(plan.peak(&problem) <= capacity);
    }

    #[test]
    fn a_seed_always_gives_the_same() {
        assert_eq!(perfect(3, 150), perfect(3, 150));
        assert_ne!(perfect(3, 150).problem.buffers, perfect(4, 150).problem.buffers);
    }
}
