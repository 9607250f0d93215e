//! Many short searches in place of a long one: the tree is walked again and again, each time in an
//! order that chance changes a little, for capacities between the bound and the best plan so far.
//!
//! A walk that begins badly does not recover in any time there is, and one that begins well is soon
//! over: of two orders that differ little, one leads to a plan within a hundred nodes a buffer, and
//! the other does not within a million. The same holds for two capacities, the smaller of which may
//! be the easier one. So no order and no capacity gets many nodes.
//!
//! **From**: restarts of randomised backtracking (Gomes, Selman, Kautz: *Boosting Combinatorial
//! Search Through Randomization*, AAAI 1998).

use std::ops::ControlFlow;

use super::model::{MAX_UNITS, Model};
use super::orders::WORDS;
use super::report::Reporter;
use super::search::{Found, Search};
use crate::random::Random;

/// Nodes of one of the searches for each buffer.
const NODES_PER_ITEM: u64 = 10;

/// Where between the bound and the best plan the capacity lies that is asked for, in tenths.
const TENTHS: [i64; 4] = [0, 3, 6, 9];

/// Most that a value is changed by, in percent.
const CHANGE: usize = 50;

/// How many of a hundred orders are like the one that led to the best plan, and how many of a
/// hundred of their buffers are not.
const LIKE_THE_BEST: usize = 50;
const MUTATED: usize = 10;

/// What the searches led to.
pub struct Outcome {
    /// The best plan that was met: offsets of the items, and their peak.
    pub best: Option<(Vec<i64>, i64)>,
    /// No plan is below this, in units.
    pub bound: i32,
}

/// Looks for plans with a smaller and smaller peak, below `known`, until one is at most `wanted` or
/// so many nodes are used up. Nobody looks below `bound`, below which there is no plan.
///
/// # Errors
/// Breaks when the run is to stop.
pub fn search(
    model: &Model,
    (known, bound): (i64, i32),
    wanted: i32,
    limit: u64,
    search: &mut Search,
    reporter: &mut Reporter,
) -> ControlFlow<(), Outcome> {
    let mut outcome = Outcome { best: None, bound };
    let last = search.nodes.saturating_add(limit);
    let each = NODES_PER_ITEM * model.items.len() as u64;
    let mut random = Random::new(3);
    let mut peak = known;
    // The order that led to the best plan: the next one may differ little from it.
    let mut elite: Option<Order> = None;
    reporter.restarted(limit, each);
    while peak > i64::from(wanted.max(outcome.bound)) && search.nodes < last {
        let lowest = i64::from(wanted.max(outcome.bound));
        let tenths = *random.pick(&TENTHS).unwrap_or(&0);
        let capacity = (lowest + (peak - 1 - lowest) * tenths / 10).min(MAX_UNITS.into()) as i32;
        let mut order = Order::random(model.items.len(), &mut random);
        if random.below(100) < LIKE_THE_BEST {
            elite.iter().for_each(|elite| order.inherit(elite, &mut random));
        }
        match search.attempt(capacity, order.word, &order.scales, each, last - search.nodes, reporter) {
            Found::Plan(offsets) => {
                let better = model.with_peak(offsets);
                peak = better.1;
                reporter.found(peak, search.nodes);
                reporter.best(peak, outcome.bound, &better.0);
                outcome.best = Some(better);
                elite = Some(order);
            }
            Found::Nothing if model.complete => outcome.bound = capacity + 1,
            // Windows hide plans from the tree: another walk of it finds no more.
            Found::Nothing => break,
            Found::Limit => {}
            Found::Cancelled => return ControlFlow::Break(()),
        }
    }
    ControlFlow::Continue(outcome)
}

/// A word whose first letter is multiplied by a number of each buffer.
struct Order {
    word: usize,
    /// In 65,536ths.
    scales: Vec<u32>,
}

impl Order {
    /// Every value is up to so many percent less or more, and how many differs, too.
    fn random(items: usize, random: &mut Random) -> Order {
        let word = random.below(WORDS.len());
        let most = 65_536 * random.below(CHANGE + 1) as u32 / 100;
        let mut scale = |_| 65_536 - most + random.below(2 * most as usize + 1) as u32;
        Order { word, scales: (0..items).map(&mut scale).collect() }
    }

    /// Takes over most of another order.
    fn inherit(&mut self, from: &Order, random: &mut Random) {
        self.word = from.word;
        for (own, theirs) in self.scales.iter_mut().zip(&from.scales) {
            if random.below(100) >= MUTATED {
                *own = *theirs;
            }
        }
    }
}
