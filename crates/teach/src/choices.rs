//! What memplan chooses to show of the planners: those that a visit begins with, those of a game,
//! and the lesson on a rule. Beside the planners' own crate only this file and the classic planners
//! in Rhai name planners.

use memplan_planners::{self as planner, Planner};

/// Id of the planner that a first visit begins with: one whose rule is a sentence.
pub const WELCOME: &str = "first-fit";

/// A plan of the first example worth a look: id of its planner, and the frame at which the arena
/// grows although a place is free.
pub const STRIKING: (&str, u32) = ("inductor-tree", 8);

/// Ids of the planners whose peaks a game shows, the one without sharing first: simple rules, those
/// of systems, a search.
pub const LADDER: [&str; 7] =
    ["naive", "executorch-greedy", "tflm-greedy", "first-fit", "best-fit", "greedy-by-size", "beam"];

/// Most nodes that the exact search looks at for a game: some seconds.
pub const GAME_NODES: &str = "400000";

/// Returns the planners of [`LADDER`].
pub fn ladder() -> impl Iterator<Item = &'static dyn Planner> {
    LADDER.into_iter().filter_map(planner::find)
}

/// Planners that the page shows as programs of a few lines, with the options of which that holds:
/// those of `memplan_own::CLASSICS`.
pub const WITH_PROGRAM: [(&str, &[(&str, &str)]); 7] = [
    ("first-fit", &[]),
    ("best-fit", &[]),
    ("worst-fit", &[]),
    ("greedy-by-size", &[]),
    ("greedy-by-breadth", &[]),
    ("tflm-greedy", &[]),
    ("beam", &[("k", "1")]),
];

/// Planners with rules so simple that a program with one of them must not pass for another planner.
pub const RIVALS: [&str; 3] = ["first-fit", "best-fit", "worst-fit"];

/// Returns whether a planner with these options, as far as they differ from the defaults, is shown
/// as a program.
pub fn has_program(planner: &str, changed: &[(&str, &str)]) -> bool {
    WITH_PROGRAM.iter().any(|(id, options)| *id == planner && *options == changed)
}

/// Rules by the beginnings of their keys, planner first, with the lesson on what they have in
/// common. The first that fits holds.
const RULES: [(&str, u32); 20] = [
    ("first-fit", 3),
    ("best-fit", 3),
    ("worst-fit", 3),
    ("tinygrad", 3),
    ("mlir-static", 3),
    ("iree-layout-slices", 3),
    // Two steps: buffers are handed on whole, then each gets the smallest gap of a block.
    ("onnxruntime.reuse", 6),
    ("onnxruntime", 3),
    ("relax", 6),
    ("tree", 5),
    ("inductor", 5),
    ("tvm-relay", 6),
    ("shared-objects", 6),
    ("nnvm", 7),
    ("executorch", 8),
    ("beam", 11),
    ("exact", 11),
    ("best", 11),
    ("hill-climb", 11),
    ("naive", 1),
];

/// Returns the number of the lesson on a rule, by the key of its sentence; where no lesson is about
/// its planner, that on the order of placement, as most planners place in an order of their own.
pub fn lesson_of_rule(key: &str) -> u32 {
    let rule = key.strip_prefix("rule.").unwrap_or(key);
    let known = RULES.iter().find(|(planner, _)| rule.starts_with(planner));
    match rule.rsplit('.').next() {
        Some("in-place") => 12,
        _ => known.map_or(4, |(_, lesson)| *lesson),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_planners::INFOS;

    #[test]
    fn every_planner_named_is_registered() {
        assert_eq!(ladder().count(), LADDER.len());
        assert!([WELCOME, STRIKING.0].into_iter().chain(RIVALS).all(|id| planner::find(id).is_some()));
    }

    #[test]
    fn rules_of_planners_lead_to_their_lessons() {
        let ids: Vec<&str> = INFOS.iter().map(|info| info.id).collect();
        for (planner, lesson) in RULES {
            assert!((1..=13).contains(&lesson));
            // Two planners with a tree have their rules in common.
            let id = planner.split('.').next().unwrap_or_default();
            assert!(id == "tree" || ids.iter().any(|other| other.starts_with(id)), "{planner}");
        }
        let of = |planner: &str| lesson_of_rule(&format!("rule.{planner}.gap"));
        assert_eq!((of("first-fit"), of("executorch-greedy"), of("greedy-by-size"), of("best-fit")), (3, 8, 4, 3));
        assert_eq!((of("best"), of("shared-objects-by-size"), lesson_of_rule("rule.tvm-relay.in-place")), (11, 6, 12));
        assert_eq!((of("mlir-static"), of("iree-layout-slices"), of("onnxruntime")), (3, 3, 3));
        assert_eq!((lesson_of_rule("rule.onnxruntime.reuse"), lesson_of_rule("rule.relax.enlarge")), (6, 6));
        // Large before small, each in a gap: the lesson on the order of placement.
        assert_eq!((of("onnxsim"), of("triton-shared")), (4, 4));
    }
}
