//! Most that may be paid: what is called the least found was found at such a price.

use memplan_fit::{Bounds, Request};

use super::{STRIPES, WORKED, graph_of, request, solve};

/// A budget of the worked example with at most so many multiplications more.
fn limited(bytes: u64, allow: &str, macs: u64) -> Request {
    Request { limits: Bounds { macs: Some(macs), ..Bounds::default() }, ..request(bytes, allow) }
}

/// Stripes of the worked example reach 64 bytes for 56 MACs, 56 for 144 and 48 for 336.
#[test]
fn the_least_found_is_within_the_limit() {
    let graph = graph_of(WORKED);
    for (bytes, allow, most) in [
        (50, STRIPES, 0),
        (50, STRIPES, 56),
        (50, STRIPES, 143),
        (50, STRIPES, 144),
        (40, "planner,inplace,stripes,recompute", 0),
        (40, "planner,inplace,stripes,recompute", 100),
        (40, "planner,inplace,stripes,spill", 143),
    ] {
        let record = solve(&graph, &limited(bytes, allow, most)).record;
        assert_eq!(record.result, "unknown", "{bytes} {allow} {most}");
        let least = record.required.after;
        let again = solve(&graph, &limited(least, allow, most)).record;
        assert_eq!((again.result.as_str(), again.required.after), ("fits", least), "{bytes} {allow} {most}");
        let less = solve(&graph, &limited(least - 1, allow, most)).record;
        assert_eq!(less.result, "unknown", "{bytes} {allow} {most}: {}", less.required.after);
    }
    assert_eq!(solve(&graph, &limited(50, STRIPES, 100)).record.required.after, 64);
    assert_eq!(solve(&graph, &limited(50, STRIPES, 144)).record.required.after, 56);
}
