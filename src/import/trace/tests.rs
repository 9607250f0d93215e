use super::*;
use crate::import::{Answers, Document, read as read_any};
use crate::plan::check;

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

#[test]
fn a_trace_without_memory_is_refused() {
    assert_eq!(faults(r#"{"ph":"X","name":"call","ts":0,"dur":1,"pid":1}"#)[0].1, "fault.trace-no-memory");
    assert_eq!(faults("")[0].1, "fault.trace-no-memory");
    assert!(events(&Loose::Object(Object::default())).is_none());
}
