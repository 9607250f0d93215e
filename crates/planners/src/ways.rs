//! Names of the ways that searches try one after the other: words of options, algorithms and
//! planners, never translated. Events carry their numbers.

use super::INFOS;

/// Orders of placing with the rule that picks a gap.
const ORDERS: [&str; 12] = [
    "spatial, tightest",
    "temporal, tightest",
    "area, tightest",
    "spatial, lowest",
    "temporal, lowest",
    "area, lowest",
    "size, tightest",
    "size, lowest",
    "birth, tightest",
    "birth, lowest",
    "breadth, tightest",
    "beam, lowest",
];

/// Names that a planner with several algorithms has for them.
const ALGORITHMS: [&str; 2] = ["PositionBasedGreedyWithHierarchy", "GreedyWithHeuristic"];

/// Glow's strategies.
const STRATEGIES: [&str; 3] = ["size", "time", "order"];

/// Functions of MLIR and IREE that place some of the buffers, or all if an option asks for it.
const FUNCTIONS: [&str; 3] = ["trivialMemoryPlanner", "packStaticSlicesGreedily", "packDynamicSlicesConservatively"];

fn names() -> impl Iterator<Item = &'static str> {
    let contenders = INFOS.iter().filter(|info| info.contender.is_some()).map(|info| info.id);
    ORDERS.into_iter().chain(contenders).chain(ALGORITHMS).chain(STRATEGIES).chain(FUNCTIONS)
}

/// Returns the number of a way; one beyond the last for a name that is unknown.
pub fn way(name: &str) -> u32 {
    names().position(|known| known == name).unwrap_or_else(|| names().count()) as u32
}

/// Returns the name behind the number of a way.
pub fn way_name(way: u32) -> Option<&'static str> {
    names().nth(way as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_leads_back_to_its_name() {
        let all: Vec<&str> = names().collect();
        for (number, name) in (0..).zip(&all) {
            assert_eq!((way(name), way_name(number)), (number, Some(*name)));
        }
        assert_eq!((way("magic") as usize, way_name(way("magic"))), (all.len(), None));
    }

    #[test]
    fn contenders_follow_the_orders() {
        assert_eq!((way("spatial, tightest"), way("greedy-by-size"), way("exact")), (0, 12, 23));
        assert_eq!((way(ALGORITHMS[0]), way(ALGORITHMS[1])), (24, 25));
    }
}
