//! Any bytes: readers give a document or faults, planners a plan or a reason; nothing panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::import::{self, Choices, Document};
use memplan::plan::check;
use memplan::planner::{Input, REGISTRY};
use memplan::problem::{Scope, lifetimes};
use memplan::trace::Silent;

fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = import::read(bytes, Choices::default()) else { return };
    let (problem, graph) = match read.document {
        Document::Graph(graph) | Document::Planned(graph, ..) => match lifetimes(&graph, &Scope::default()) {
            Ok(problem) => (problem, Some(graph)),
            Err(_) => return,
        },
        Document::Buffers(problem) => (problem, None),
        Document::Plan(problem, plan) => {
            check(&problem, &plan);
            (problem, None)
        }
    };
    for planner in REGISTRY {
        let input = Input { problem: &problem, graph: graph.as_ref() };
        if let Ok(plan) = planner.plan(input, &planner.info().defaults(), &mut Silent) {
            let valid = !planner.info().ranked || check(&problem, &plan).iter().all(|violation| {
                // The input may fix positions that collide; they are no planner's fault.
                matches!(violation, memplan::plan::Violation::NotWhereFixed { .. })
            });
            assert!(valid, "{} gave an invalid plan", planner.info().id);
        }
    }
});
