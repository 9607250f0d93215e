//! Any bytes: readers give a document or faults, planners a plan or a reason; nothing panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memplan::import::{self, Answers, Document};
use memplan::plan::{Violation, check};
use memplan::planner::{Made, REGISTRY, run};
use memplan::problem::{Scope, lifetimes};
use memplan::trace::Silent;

fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = import::read(bytes, Answers::default()) else { return };
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
        let info = planner.info();
        let own = BUDGETS.into_iter().filter(|(key, _)| info.options.iter().any(|spec| spec.key == *key));
        let Ok(options) = info.options(own) else { panic!("{} does not take a small budget", info.id) };
        let made = run(*planner, &problem, graph.as_ref(), &Scope::default(), &options, &mut Silent);
        if let Ok(Made { problem, plan, .. }) = made {
            let valid = !info.ranked || check(&problem, &plan).iter().all(|violation| {
                // The input may fix positions that collide; they are no planner's fault. Quirks are its original's.
                matches!(violation, Violation::NotWhereFixed { .. }) || violation.is_quirk_of(&plan)
            });
            assert!(valid, "{} gave an invalid plan", info.id);
        }
    }
});

/// Searches of a moment.
const BUDGETS: [(&str, &str); 4] = [("nodes", "2000"), ("attempts", "30"), ("states", "300"), ("work", "1")];
