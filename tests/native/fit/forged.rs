//! Reports that claim what is not so, and honest ones that a clock cut short.

use std::cell::Cell;

use memplan_core::graph::Graph;
use memplan_fit::{FitRecord, Request, fit, verify};

use super::{FREE, WORKED, graph_of, request, solve, with};

/// Asserts that a report is refused once it is changed, and why.
fn refuses(graph: &Graph, request: &Request, record: &FitRecord, what: &str, change: &dyn Fn(&mut FitRecord)) {
    let mut forged = record.clone();
    change(&mut forged);
    assert_ne!(forged, *record, "{what}");
    let message = verify(graph, request, &forged).expect_err(what);
    assert_eq!(format!("{:?}", message.arg("what")), format!("Some(Text({what:?}))"), "{message:?}");
}

#[test]
fn a_report_of_what_fits_is_refused_after_any_change() {
    let graph = graph_of(WORKED);
    for (bytes, paid) in [(48, "stripes"), (72, "recompute"), (64, "spill"), (64, "bank"), (80, "stripes")] {
        let request = request(bytes, &with(paid));
        let record = solve(&graph, &request).record;
        assert_eq!(record.result, "fits", "{bytes} {paid}");
        // As it is read again from a file, whose reader may not return the very same ratios.
        let mut read: FitRecord =
            serde_json::from_str(&serde_json::to_string(&record).expect("JSON")).expect("a report");
        read.price.macs_relative = read.price.macs_relative.map(f64::next_up);
        assert_eq!(verify(&graph, &request, &read), Ok(()), "{bytes} {paid}");
        let refuses = |what: &str, change: &dyn Fn(&mut FitRecord)| refuses(&graph, &request, &record, what, change);
        refuses("allow", &|forged| forged.allow.push("magic".into()));
        refuses("limits", &|forged| forged.limits.percent = Some(5.0));
        refuses("prefer", &|forged| forged.prefer = "bytes".into());
        refuses("required.before", &|forged| forged.required.before += 1);
        refuses("moves", &|forged| forged.required.after -= 1);
        refuses("price", &|forged| forged.price.macs += 1);
        refuses("price", &|forged| forged.price.macs_relative = Some(0.5));
        refuses("result", &|forged| forged.result = "certain".into());
        if !record.moves.is_empty() {
            refuses("moves", &|forged| drop(forged.moves.pop()));
            refuses("moves", &|forged| forged.moves.last_mut().expect("one").price.macs += 7);
            refuses("moves", &|forged| forged.moves.last_mut().expect("one").why.key = "fit.move-order".into());
        }
        if !record.optimal {
            refuses("optimal", &|forged| forged.optimal = true);
        }
    }
}

#[test]
fn dearer_changes_are_not_proved_cheapest() {
    // What 56 bytes cost is no cheapest price at 64.
    let graph = graph_of(WORKED);
    let (less, more) = (request(56, "planner,inplace,stripes"), request(64, "planner,inplace,stripes"));
    let (dear, cheap) = (solve(&graph, &less).record, solve(&graph, &more).record);
    assert!(cheap.optimal && dear.optimal && dear.price.macs > cheap.price.macs);
    let mut forged = FitRecord { budget: cheap.budget.clone(), ..dear };
    let message = verify(&graph, &more, &forged).expect_err("forged");
    assert!(format!("{message:?}").contains("optimal"), "{message:?}");
    forged.optimal = false;
    assert_eq!(verify(&graph, &more, &forged), Ok(()));
    // Nor within a limit that they break.
    let mut limited = more.clone();
    limited.limits.macs = Some(100);
    forged.limits.macs = Some(100);
    assert!(verify(&graph, &limited, &forged).is_err());
}

#[test]
fn a_proof_is_refused_after_any_change_and_for_other_levers() {
    let graph = graph_of(WORKED);
    let request = request(79, FREE);
    let record = solve(&graph, &request).record;
    let refuses = |what: &str, change: &dyn Fn(&mut FitRecord)| refuses(&graph, &request, &record, what, change);
    refuses("required.after", &|forged| forged.required.after += 1);
    refuses("optimal", &|forged| forged.optimal = true);
    refuses("certificate", &|forged| forged.certificate = None);
    refuses("certificate", &|forged| forged.certificate.as_mut().expect("one").kind = "load".into());
    refuses("certificate", &|forged| forged.certificate.as_mut().expect("one").ideals = Some(1));
    refuses("certificate", &|forged| forged.certificate.as_mut().expect("one").levers.clear());
    // The operators held whole are part of a proof about stripes.
    let tall = graph_of(&WORKED.replace(r#""op":"relu""#, r#""op":"mystery""#));
    let striped = super::request(47, "planner,inplace,stripes");
    let record = solve(&tall, &striped).record;
    assert_eq!(record.result, "impossible");
    super::forged::refuses(&tall, &striped, &record, "held", &|forged| forged.held.clear());
    // What costs is not covered by a proof about what does not.
    let paid = super::request(79, &with("recompute"));
    let mut forged = solve(&graph, &request).record;
    forged.allow = paid.allow.iter().map(|lever| lever.name().to_string()).collect();
    assert!(verify(&graph, &paid, &forged).is_err());
}

#[test]
fn a_report_is_checked_without_a_clock() {
    let graph = graph_of(WORKED);
    for allow in [FREE, "planner,inplace,stripes", &with("stripes"), &with("spill"), &with("recompute,stripes"), "all"]
    {
        for bytes in [20, 47, 63, 64, 72, 80] {
            for most in [0, 1, 3, 10, 50, 400] {
                let (request, asked) = (request(bytes, allow), Cell::new(0));
                let record =
                    fit(&graph, &request, &|| asked.replace(asked.get() + 1) >= most).expect("an answer").record;
                let checked = verify(&graph, &request, &record);
                assert_eq!(checked, Ok(()), "{allow} {bytes} {most} {record:?}");
            }
        }
    }
}
