//! Planners that pack by order or search: the small cases of their pages, and the portfolio on the
//! built-in graphs.

use std::path::{Path, PathBuf};

use memplan_core::graph::Graph;
use memplan_core::plan::{Plan, PoolRole, check};
use memplan_core::problem::{Problem, Scope, lifetimes, lower_bound};
use memplan_core::trace::Silent;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{self as planner, Input, Needs, REGISTRY, find};

fn graphs() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("www/graphs")
}

fn graph(path: &Path) -> Graph {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    match import::read(&bytes, Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        other => panic!("{} is a graph, not {other:?}", path.display()),
    }
}

/// Plans as page and command line do, with the planner's own view of the problem.
fn run(id: &str, graph: &Graph) -> (Problem, Plan) {
    let planner = find(id).expect("registered");
    let options = planner.info().defaults();
    let scope = Scope::default();
    let mut problem = lifetimes(graph, &scope).expect("sizes are known");
    let other = planner::prepare(planner, &mut problem, Some(graph), &scope, &options).expect("prepared");
    let input = Input { problem: &problem, graph: Some(other.as_ref().unwrap_or(graph)) };
    let plan = planner.plan(input, &options, &mut Silent).expect("applicable");
    (problem, plan)
}

/// The peak that each page states, and the bound.
#[test]
fn small_cases_reach_the_peaks_that_the_pages_state() {
    for (id, peak, bound) in [
        ("usmp-greedy-by-size", 6, 5),
        ("usmp-greedy-by-conflicts", 6, 4),
        ("xla-packing-search", 7, 6),
        ("usmp-hill-climb", 11, 10),
        ("hill-climb", 7, 6),
        ("best", 7, 6),
        ("reorder", 18, 17),
    ] {
        let (problem, plan) = run(id, &graph(&graphs().join(format!("cases/{id}.json"))));
        assert_eq!(check(&problem, &plan), [], "{id}");
        assert_eq!((plan.peak(&problem), lower_bound(&problem)), (peak, bound), "{id}");
    }
}

#[test]
fn in_the_order_of_the_file_more_is_alive() {
    let graph = graph(&graphs().join("cases/reorder.json"));
    assert_eq!(lower_bound(&lifetimes(&graph, &Scope::default()).expect("sizes are known")), 23);
}

#[test]
fn the_portfolio_is_never_worse_than_a_planner_of_addresses() {
    for entry in std::fs::read_dir(graphs()).expect("readable").flatten() {
        let path = entry.path();
        if !path.is_file() || path.ends_with("index.json") {
            continue;
        }
        let graph = graph(&path);
        let (problem, best) = run("best", &graph);
        assert_eq!(check(&problem, &best), [], "{}", path.display());
        let input = Input { problem: &problem, graph: Some(&graph) };
        // The climbs take long without optimisation; the portfolio runs them itself wherever the
        // bound is not reached.
        let others = REGISTRY.iter().filter(|planner| {
            let info = planner.info();
            info.ranked && info.needs == Needs::Intervals && !info.id.ends_with("climb") && info.id != "best"
        });
        for planner in others {
            let info = planner.info();
            let plan = planner.plan(input, &info.defaults(), &mut Silent).expect("applicable");
            if plan.pools.iter().all(|pool| pool.role == PoolRole::Arena) && plan.unplanned.is_empty() {
                let (least, other) = (best.peak(&problem), plan.peak(&problem));
                assert!(least <= other, "{}: {} has {other}, the portfolio {least}", path.display(), info.id);
            }
        }
    }
}
