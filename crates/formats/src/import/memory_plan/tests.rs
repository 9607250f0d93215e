use serde_json::{Value, json};

use super::*;
use memplan_core::plan::{Violation, check};

fn read_value(value: &Value) -> Result<Parsed, Vec<Fault>> {
    read_json(Content::new(value.to_string().as_bytes()).into_object()?)
}

fn plan(value: Value) -> (Problem, Plan) {
    match read_value(&value).unwrap_or_else(|faults| panic!("{faults:?}")).document {
        Document::Plan(problem, plan) => (problem, plan),
        other => panic!("{other:?}"),
    }
}

fn faults(value: Value) -> Vec<(String, String)> {
    let faults = read_value(&value).expect_err("a faulty file");
    faults.into_iter().map(|fault| (fault.path, fault.message.key.to_string())).collect()
}

#[test]
fn pools_and_buffers_are_enough() {
    let (problem, plan) = plan(json!({
        "format": "memory-plan/1",
        "pools": [{"id": 7, "size": 16}, {"id": 3, "size": 4, "name": "fast", "device": "gpu"}],
        "buffers": [
            {"name": "a", "size": 8, "start": 0, "end": 2, "pool": 7, "offset": 0},
            {"name": "b", "size": 8, "start": 1, "end": 3, "pool": 7, "offset": 8, "align": 8, "kind": "output"},
            {"name": "c", "size": 4, "start": 1, "end": 3, "pool": 3, "offset": 0},
        ],
    }));
    let pools: Vec<(&str, &str, u64)> =
        plan.pools.iter().map(|pool| (pool.name.as_str(), pool.device.as_str(), pool.size)).collect();
    assert_eq!(pools, [("pool 0", "cpu", 16), ("fast", "gpu", 4)]);
    assert_eq!((problem.steps, problem.memories.len()), (3, 2));
    let b = &problem.buffers[BufferId(1)];
    assert_eq!((b.align, b.kind, b.live), (8, Kind::Output, Live::new(1, 3)));
    assert_eq!(check(&problem, &plan), []);
}

#[test]
fn an_invalid_plan_is_read_for_the_check_to_judge() {
    let buffer =
        |name: &str, offset: u64| json!({"name": name, "size": 8, "start": 0, "end": 1, "pool": 0, "offset": offset});
    let (problem, plan) = plan(json!({"pools": [{"size": 12}], "buffers": [buffer("a", 0), buffer("b", 6)]}));
    let overlap = Violation::Overlap { a: BufferId(0), b: BufferId(1), steps: (0, 1), bytes: (6, 8) };
    assert_eq!(check(&problem, &plan), [Violation::OutsidePool { buffer: BufferId(1), end: 14, size: 12 }, overlap]);
}

#[test]
fn gaps_lie_inside_the_life_and_the_bytes() {
    let holed = |gaps: Value| {
        json!({"pools": [{"size": 8}], "buffers": [
            {"name": "a", "size": 8, "start": 2, "end": 9, "pool": 0, "offset": 0, "gaps": gaps},
        ]})
    };
    let (problem, _) = plan(holed(json!([[2, 4], [5, 9, 0, 8]])));
    let gap = |start, end, window| Gap { live: Live::new(start, end), window };
    assert_eq!(problem.buffers[BufferId(0)].gaps, [gap(2, 4, None), gap(5, 9, Some((0, 8)))]);
    for wrong in [
        json!([[1, 4]]),
        json!([[4, 4]]),
        json!([[2, 10]]),
        json!([[2, 4, 5, 4]]),
        json!([[2, 4, 0, 9]]),
        json!([[2]]),
        json!(["2-4"]),
    ] {
        assert_eq!(faults(holed(wrong)), [("buffers[0].gaps[0]".to_string(), "fault.plan-gap".to_string())]);
    }
}

#[test]
fn takeovers_and_left_out_buffers_are_kept() {
    let (problem, plan) = plan(json!({
        "steps": 9,
        "pools": [{"size": 8}],
        "buffers": [
            {"name": "b", "size": 8, "start": 1, "end": 3, "pool": 0, "offset": 0, "shares": "a"},
            {"name": "a", "size": 8, "start": 0, "end": 2, "pool": 0, "offset": 0},
        ],
        "unplanned": [{"name": "w", "size": 99, "start": 0, "end": 9, "reason": "a constant"}],
    }));
    assert_eq!(plan.shared, [(BufferId(0), BufferId(1))]);
    assert_eq!(plan.unplanned, [(BufferId(2), Unplanned::StatedByFile)]);
    assert_eq!((problem.steps, problem.buffers.len()), (9, 3));
    assert_eq!(check(&problem, &plan), []);
}

#[test]
fn a_figure_without_places_is_a_peak() {
    let (problem, plan) = plan(json!({
        "pools": [{"size": 8}],
        "buffers": [],
        "unplanned": [{"name": "a", "size": 8, "start": 0, "end": 9}],
    }));
    assert_eq!(plan.peak(&problem), 8);
    assert_eq!(check(&problem, &plan), []);
}

#[test]
fn every_fault_is_reported_with_its_path() {
    let found = faults(json!({
        "steps": 1u64 << 40,
        "pools": [{"id": 0, "size": 8}, {"id": 0, "size": -1}, 5, {"id": 1}],
        "buffers": [
            {"name": "a", "size": 8, "start": 0, "end": 2, "pool": 4, "offset": 0},
            {"name": "b", "size": "8", "start": 3, "end": 3, "pool": 0, "offset": 0, "align": 3, "kind": "x"},
            {"size": 1u64 << 60, "start": 0, "end": 1, "pool": 0, "shares": 1},
            {"name": "c", "size": 8, "start": 0, "end": 1, "pool": 0, "offset": 0, "shares": "nobody"},
            {"name": "c", "size": 8, "start": 0, "end": 1, "pool": 0, "offset": 0},
        ],
        "unplanned": {},
    }));
    let expected = [
        ("steps", "fault.plan-steps"),
        ("pools[1].size", "fault.negative"),
        ("pools[1].id", "fault.plan-same-pool"),
        ("pools[2]", "fault.wrong-type"),
        ("pools[3].size", "fault.missing"),
        ("buffers[0].pool", "fault.plan-unknown-pool"),
        ("buffers[1].size", "fault.wrong-type"),
        ("buffers[1].end", "fault.plan-life"),
        ("buffers[1].align", "fault.alignment"),
        ("buffers[1].kind", "fault.kind"),
        ("buffers[2].name", "fault.missing"),
        ("buffers[2].size", "fault.too-large"),
        ("buffers[2].offset", "fault.missing"),
        ("buffers[2].shares", "fault.wrong-type"),
        ("buffers[4].name", "fault.plan-same-buffer"),
        ("unplanned", "fault.wrong-type"),
        ("buffers[3].shares", "fault.plan-unknown-donor"),
    ];
    assert_eq!(found, expected.map(|(path, key)| (path.to_string(), key.to_string())));
    // Beyond 64 bits.
    let pools = json!([{"id": 0, "size": 18_446_744_073_709_551_616.0}]);
    let found = faults(json!({"format": "memory-plan/1", "pools": pools, "buffers": []}));
    assert_eq!(found, [("pools[0].size".to_string(), "fault.too-large".to_string())]);
    assert_eq!(faults(json!({})), ["pools", "buffers"].map(|path| (path.into(), "fault.missing".into())));
    assert_eq!(faults(json!([])), [(String::new(), "fault.not-an-object".to_string())]);
}

#[test]
fn buffers_of_a_plan_state_where_they_lie_if_their_memory_is_one_pool() {
    let buffer = |name: &str, pool: u64, offset: u64| json!({"name": name, "size": 8, "start": 0, "end": 1, "pool": pool, "offset": offset});
    let stated = |pools: Value, buffers: &[Value]| -> Vec<Option<u64>> {
        let read = read_value(&json!({"pools": pools, "buffers": buffers})).expect("a plan");
        read.document.buffers().expect("no graph").buffers.iter().map(|buffer| buffer.fixed).collect()
    };
    let devices = json!([{"size": 64}, {"size": 64, "device": "gpu"}]);
    assert_eq!(
        stated(devices, &[buffer("a", 0, 0), buffer("b", 0, 8), buffer("c", 1, 16)]),
        [Some(0), Some(8), Some(16)]
    );
    // An address counts from the start of a pool: two pools of one memory say nothing of each
    // other.
    let pools = json!([{"size": 64}, {"size": 64}, {"size": 64, "device": "gpu"}]);
    assert_eq!(stated(pools, &[buffer("a", 0, 0), buffer("b", 1, 8), buffer("c", 2, 16)]), [None, None, Some(16)]);
}

#[test]
fn storages_that_go_back_need_what_is_held_at_once() {
    let file = |returned: Value| {
        json!({"pools": [{"size": 8}, {"size": 8}], "returned": returned, "buffers": [
            {"name": "a", "size": 8, "start": 0, "end": 2, "pool": 0, "offset": 0},
            {"name": "b", "size": 8, "start": 2, "end": 4, "pool": 1, "offset": 0},
        ]})
    };
    let figures = |returned: Value| {
        let (problem, plan) = plan(file(returned));
        (plan.peak(&problem), plan.held(&problem), memplan_core::plan::metrics(&problem, &plan).waste)
    };
    assert_eq!(figures(json!(true)), (16, Some(8), 0));
    assert_eq!(figures(json!(false)), (16, None, 8));
    assert_eq!(faults(file(json!("yes"))), [("returned".into(), "fault.wrong-type".into())]);
}
