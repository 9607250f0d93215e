use super::*;
use crate::import::{Answers, Document, read as read_any};
use memplan_core::plan::check;

fn faults(events: &str) -> Vec<(String, String)> {
    let text = format!("{{\"traceEvents\":[{events}]}}");
    let faults = read_any(text.as_bytes(), Answers::default()).expect_err("a faulty trace");
    faults.into_iter().map(|fault| (fault.path, fault.message.key.to_string())).collect()
}

#[test]
fn a_trace_of_others_is_read_as_far_as_it_shows_memory() {
    let text = r#"{"traceEvents":[
        {"ph":"M","name":"process_name","pid":7,"args":{"name":"L1"}},
        {"ph":"X","name":"a","ts":0,"dur":3,"pid":7,"tid":1,"args":{"bytes":8,"offset":0}},
        {"ph":"X","name":"b","ts":3,"dur":1,"pid":9,"tid":1,"args":{"bytes":4,"offset":4}},
        {"ph":"X","name":"a call","ts":3.5,"dur":1,"pid":9,"tid":1,"args":{}},
        {"ph":"C","name":"live","ts":0,"pid":7,"args":{"bytes":8}}]}"#;
    let read = read_any(text.as_bytes(), Answers::default()).expect("a trace");
    let Document::Plan(problem, plan) = read.document else { panic!("a plan") };
    let pools: Vec<(&str, u64)> = plan.pools.iter().map(|pool| (pool.name.as_str(), pool.size)).collect();
    assert_eq!(pools, [("L1", 8), ("process 9", 8)]);
    assert_eq!((problem.steps, check(&problem, &plan)), (4, vec![]));
    let keys: Vec<&str> = read.warnings.iter().map(|warning| warning.message.key.as_ref()).collect();
    assert_eq!(keys, ["warning.trace-others"]);
}

#[test]
fn every_fault_has_its_place() {
    let event = |middle: &str| {
        let good = r#"{"ph":"X","name":"a","ts":0,"dur":1,"pid":1,"tid":1,"args":{"bytes":8,"offset":0}}"#;
        faults(&format!("{good},{middle}"))
    };
    let one = |path: &str, key: &str| vec![(format!("traceEvents[1].{path}"), key.to_string())];
    let x =
        |fields: &str, args: &str| format!(r#"{{"ph":"X","name":"b",{fields},"pid":1,"args":{{"bytes":8{args}}}}}"#);
    assert_eq!(event(&x(r#""ts":0,"dur":0"#, "")), one("dur", "fault.plan-life"));
    assert_eq!(event(&x(r#""ts":-1,"dur":1"#, "")), one("ts", "fault.wrong-type"));
    assert_eq!(event(&x(r#""ts":1"#, "")), one("dur", "fault.missing"));
    assert_eq!(event(&x(r#""ts":9007199254740991,"dur":1"#, "")), one("dur", "fault.plan-steps"));
    assert_eq!(event(&x(r#""ts":0,"dur":1"#, r#","align":3"#)), one("args.align", "fault.alignment"));
    assert_eq!(event(&x(r#""ts":0,"dur":1"#, r#","kind":"x""#)), one("args.kind", "fault.kind"));
    assert_eq!(event(&x(r#""ts":0,"dur":1"#, r#","shares":"x""#)), one("args.shares", "fault.plan-unknown-donor"));
    let twice = r#"{"ph":"X","name":"a","ts":0,"dur":1,"pid":1,"args":{"bytes":8}}"#;
    assert_eq!(event(twice), one("name", "fault.plan-same-buffer"));
    let huge =
        r#"{"ph":"X","name":"b","ts":0,"dur":1,"pid":1,"args":{"bytes":9007199254740991,"offset":9007199254740991}}"#;
    assert_eq!(event(huge), [(String::new(), "fault.sum-too-large".to_string())]);
}

/// A forward and a backward pass of a small network on the host, recorded by PyTorch's profiler.
#[test]
fn a_recording_of_the_profiler_is_a_list_of_buffers() {
    let bytes = include_bytes!("../../../../../tests/import/trace/torch_profiler_memory.json.gz");
    let read = read_any(bytes, Answers::default()).expect("a trace");
    let Document::Buffers(problem) = read.document else { panic!("buffers") };
    assert_eq!((problem.steps, problem.buffers.len()), (21, 13));
    // The largest `Total Allocated` of its events.
    assert_eq!(memplan_core::problem::lower_bound(&problem), 107_560);
    assert!(problem.buffers.iter().all(|buffer| buffer.name.starts_with("aten::")), "{:?}", problem.buffers);
}

#[test]
fn what_a_recording_did_not_see_allocated_is_there_from_the_start() {
    let change = |ts: u64, bytes: i64, address: u64, total: u64| {
        format!(
            r#"{{"ph":"i","name":"[memory]","ts":{ts}.5,"tid":1,"args":{{"Bytes":{bytes},"Addr":{address},"Total Allocated":{total},"Device Type":1,"Device Id":2}}}}"#
        )
    };
    let outer = r#"{"ph":"X","cat":"cpu_op","name":"outer","ts":0,"dur":100,"tid":1}"#;
    let inner = r#"{"ph":"X","cat":"cpu_op","name":"inner","ts":3,"dur":2,"tid":1}"#;
    let events = [change(4, 8, 64, 108), change(7, -8, 64, 100), change(6, -30, 128, 78), change(5, 4, 256, 112)];
    let text = format!(r#"{{"traceEvents":[{outer},{inner},{}]}}"#, events.join(","));
    let read = read_any(text.as_bytes(), Answers::default()).expect("a trace");
    let Document::Buffers(problem) = read.document else { panic!("buffers") };
    let found: Vec<_> =
        problem.buffers.iter().map(|one| (&*one.name, one.size, one.live.start, one.live.end)).collect();
    let expected =
        [("inner @0", 8, 0, 3), ("block @80", 30, 0, 2), ("before the recording", 70, 0, 4), ("outer @1", 4, 1, 4)];
    assert_eq!(found, expected);
    assert_eq!(problem.memories.iter().map(|memory| &*memory.device).collect::<Vec<_>>(), ["cuda:2"]);
    let place = faults(&change(4, 8, 64, 108).replace(r#""Addr":64"#, r#""Addr":-1"#));
    assert_eq!(place, [("traceEvents[0].args.Addr".to_string(), "fault.trace-number".to_string())]);
}

#[test]
fn a_trace_without_memory_is_refused() {
    assert_eq!(faults(r#"{"ph":"X","name":"call","ts":0,"dur":1,"pid":1}"#)[0].1, "fault.trace-no-memory");
    assert_eq!(faults("")[0].1, "fault.trace-no-memory");
    assert!(events(&Loose::Object(Object::default())).is_none());
}
