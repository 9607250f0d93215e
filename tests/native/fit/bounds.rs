//! What one operator reads and makes, as a bound: no order, copy, repetition or stripe is below it.

use memplan_fit::verify;

use super::execute::with_rows;
use super::pebbles::runs;
use super::random::{Numbers, random_graph, random_graph_of};
use super::{request, solve, with};

/// Asks for less and less until it is proved that nothing fits, and holds every answer against
/// trying everything.
fn certified(allow: &str, is_small: bool, seed: u64, rounds: u32) -> u32 {
    let (mut numbers, mut proofs, mut open) = (Numbers(seed), 0, 0);
    for round in 0..rounds {
        let graph = match is_small {
            true => {
                let (rows, count) = (2 + numbers.below(2), 2 + numbers.below(4));
                random_graph_of(&mut numbers, rows, count)
            }
            false => random_graph(&mut numbers),
        };
        let graph = with_rows(graph);
        let most = solve(&graph, &request(1 << 30, "planner")).record.required.after;
        let mut capacity = most / 3 + numbers.below(most);
        while capacity > 0 {
            let request = request(capacity, allow);
            let record = solve(&graph, &request).record;
            if let Some(proof) = record.certificate.as_ref().filter(|proof| proof.kind == "operator") {
                proofs += 1;
                let below = runs(&graph, &request.allow, proof.bound - 1);
                open += u32::from(below.is_none());
                assert_ne!(below, Some(true), "{allow} {round} {capacity} {proof:?}");
                assert_eq!(verify(&graph, &request, &record), Ok(()));
            }
            match record.result.as_str() {
                "fits" => {
                    let at = runs(&graph, &request.allow, record.required.after);
                    assert_ne!(at, Some(false), "{allow} {round} {capacity} {:?}", record.moves);
                    capacity = record.required.after.min(capacity) - 1;
                }
                "impossible" => break,
                _ => capacity /= 2,
            }
        }
    }
    assert!(open * 10 <= proofs, "{allow}: {open} of {proofs} have too many states");
    proofs
}

#[test]
fn no_copy_and_no_repetition_is_below_what_an_operator_needs() {
    for allow in [
        "planner,recompute",
        "planner,inplace,recompute",
        "planner,inplace,spill",
        &with("recompute"),
        &with("spill"),
        &with("spill,recompute"),
    ] {
        let proofs = certified(allow, false, 23, 60);
        assert!(proofs > 40, "{allow}: {proofs}");
    }
}

#[test]
fn no_stripe_is_below_what_an_operator_needs_that_runs_whole() {
    for (allow, is_small) in [
        ("planner,recompute,stripes".to_string(), true),
        (with("stripes"), true),
        (with("recompute,stripes"), true),
        (with("spill,stripes"), false),
        (with("spill,recompute,stripes"), false),
    ] {
        let proofs = certified(&allow, is_small, 29, 60);
        assert!(proofs > 15, "{allow}: {proofs}");
    }
}
