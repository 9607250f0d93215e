//! Questions about runs: of every planner, the place it takes is among the places that are offered.

use std::collections::BTreeMap;
use std::path::Path;

use memplan_core::problem::Scope;
use memplan_engine::api;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::REGISTRY;
use memplan_replay::Run;
use memplan_teach::exercise::{Kind, is_question, places, realised};

fn document(name: &str) -> Document {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("www/graphs").join(name);
    import::read(&std::fs::read(path).expect("the file is there"), Answers::default()).expect("a valid file").document
}

fn run(document: &Document, planner: &str) -> Run {
    match api::replay(document, planner, &BTreeMap::new(), &Scope::default()) {
        Ok((run, _)) => run,
        Err(error) => panic!("{planner}: {error:?}"),
    }
}

#[test]
fn every_planner_takes_one_of_the_places_that_are_offered() {
    let teaching = document("teaching.json");
    let mut seen = 0;
    for planner in REGISTRY {
        let run = run(&teaching, planner.info().id);
        for (decision, at) in run.timeline.decisions.iter().zip(0..) {
            if !is_question(&run, at) {
                continue;
            }
            let (before, after) = (run.frame(decision.begin), run.frame(decision.end));
            let list = places(&run, &before, decision.buffer);
            // Who sees only what is known is offered the same.
            let prefix = run.prefix(before.placed);
            assert_eq!(places(&prefix, &prefix.frame(decision.begin), decision.buffer), list, "{}", run.planner);
            let lies = after.places[decision.buffer].expect("placed");
            let buffer = &run.problem.buffers[decision.buffer];
            let found = realised(&list, lies, buffer.size, after.peak - before.peak);
            let about = format!("{} places {} at {lies:?}: {list:?}", run.planner, buffer.name);
            let found = &list[found.unwrap_or_else(|| panic!("{about}"))];
            assert_eq!(found.grows_by > 0, decision.grew, "{about}");
            // Which of them grows is no secret, so it must be true.
            if matches!(found.kind, Kind::Storage | Kind::Enlarged | Kind::NewStorage) {
                assert_eq!(found.grows_by, after.peak - before.peak, "{about}");
            }
            seen += 1;
        }
    }
    assert!(seen > 150, "{seen}");
}
