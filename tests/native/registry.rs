//! Every planner of the registry is complete: proof, words in both languages, an example, and an
//! explanation.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use memplan_core::base::{Sizes, Unit};
use memplan_core::problem::{BufferId, Problem, Scope, lifetimes};
use memplan_core::text::{Locale, Speech};
use memplan_core::trace::Silent;
use memplan_formats::import::{self, Document};
use memplan_planners::{self as planner, BRANCH_SAFE, Evidence, Input, REGISTRY};

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn has_words(key: &str) -> bool {
    Locale::En.keys().contains(&key) && Locale::Zh.keys().contains(&key)
}

/// What the golden files of a system say they record: their `planner`, the `algorithm` of each of
/// their runs, or the order that XLA `chose` for each heap.
fn recorded(system: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(system).unwrap_or_else(|error| panic!("{}: {error}", system.display()));
    let read = |path: PathBuf| {
        let bytes = std::fs::read(path).expect("readable");
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("gzip");
        let case: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let runs = case["runs"].as_array().into_iter().flatten().map(|run| &run["algorithm"]);
        // A file of XLA's heaps states for each which order its algorithm kept.
        let heaps = case["cases"].as_array().into_iter().flatten().map(|heap| &heap["chosen"]);
        // A file of Glow's states which functions were called.
        let cases = case["cases"].as_array().into_iter().flatten();
        let calls = cases.flat_map(|case| case["calls"].as_array().into_iter().flatten()).map(|call| &call["call"]);
        // Files of PyTorch's caching allocator hold nothing else.
        let names =
            runs.chain([&case["planner"], &case["format"]]).chain(heaps).chain(calls).filter_map(|name| name.as_str());
        names.map(str::to_string).collect::<Vec<_>>()
    };
    let paths = entries.flatten().map(|entry| entry.path());
    paths.filter(|path| path.to_string_lossy().ends_with(".json.gz")).flat_map(read).collect()
}

#[test]
fn every_planner_has_golden_data_or_says_why_not() {
    for planner in REGISTRY {
        let info = planner.info();
        match info.evidence {
            Evidence::Golden { system, planners } => {
                let known = recorded(&root().join("tests/golden/data").join(system));
                for wanted in planners {
                    assert!(known.contains(*wanted), "{}: no file of {system} has planner {wanted}", info.id);
                }
                assert!(!planners.is_empty(), "{}: names no golden data", info.id);
            }
            Evidence::Stated(key) => assert!(has_words(key), "{}: no words for {key}", info.id),
        }
    }
}

#[test]
fn every_planner_says_how_it_works_and_what_its_options_do() {
    for planner in REGISTRY {
        let info = planner.info();
        for part in ["what", "rule", "time", "weak", "differs"] {
            let key = format!("how.{}.{part}", info.id);
            assert!(has_words(&key), "no words for {key}");
        }
        assert!(has_words(&format!("planner.{}.about", info.id)), "planner.{}.about", info.id);
        for option in info.options {
            let key = info.option_key(option.key);
            assert!(has_words(&key), "no words for {key}");
            let given = [(option.key, option.default)];
            assert!(info.options(given).is_ok(), "{}: default of {} is refused", info.id, option.key);
        }
        assert!(!info.complexity.text().is_empty(), "{}: no complexity", info.id);
    }
}

#[test]
fn english_names_of_planners_are_those_of_files_and_links() {
    for planner in REGISTRY {
        let info = planner.info();
        let said = info.title(Speech { locale: Locale::En, ..Speech::default() });
        assert_eq!(said, (info.system.to_string(), info.name.to_string()), "{}", info.id);
    }
}

#[test]
fn every_planner_has_a_built_in_example() {
    for planner in REGISTRY {
        let info = planner.info();
        let example = root().join("www/graphs").join(format!("{}.json", info.example));
        assert!(example.is_file(), "{}: {} is missing", info.id, example.display());
    }
}

/// The smallest peak of any plan with addresses: some order of placing every buffer at the lowest
/// free address reaches it.
fn best_peak(problem: &Problem) -> u64 {
    fn search(problem: &Problem, placed: &mut Vec<(BufferId, u64)>, top: u64, best: &mut u64) {
        if top >= *best {
            return;
        }
        if placed.len() == problem.buffers.len() {
            *best = top;
            return;
        }
        for (id, buffer) in problem.buffers.enumerate() {
            if placed.iter().any(|(other, _)| *other == id) {
                continue;
            }
            let meets = |other: BufferId| problem.buffers[other].live.meets(buffer.live);
            let mut around: Vec<(u64, u64)> = placed
                .iter()
                .filter(|(other, _)| meets(*other))
                .map(|(other, at)| (*at, at + problem.buffers[*other].size))
                .collect();
            around.sort_unstable();
            let mut offset = 0;
            for (from, to) in around {
                if offset + buffer.size <= from {
                    break;
                }
                offset = offset.max(to);
            }
            placed.push((id, offset));
            search(problem, placed, top.max(offset + buffer.size), best);
            placed.pop();
        }
    }
    let mut best = u64::MAX;
    search(problem, &mut Vec::new(), 0, &mut best);
    best
}

#[test]
fn every_planner_has_a_small_case_with_the_figures_told() {
    for planner in REGISTRY {
        let info = planner.info();
        let path = root().join("www/graphs").join(format!("{}.json", info.case_name()));
        let file = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let read = import::read(&file, import::Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}"));
        let Document::Graph(graph) = read.document else { panic!("{}: no graph", info.id) };
        let mut problem = lifetimes(&graph, &Scope::default()).expect("sizes are known");
        assert!((2..=7).contains(&problem.buffers.len()), "{}: {} buffers", info.id, problem.buffers.len());
        let options = info.options(info.case.options.iter().copied()).expect("declared options");
        let reordered =
            planner::prepare(*planner, &mut problem, Some(&graph), &Scope::default(), &options).expect("applicable");
        let input = Input { problem: &problem, graph: Some(reordered.as_ref().unwrap_or(&graph)) };
        let plan = planner.plan(input, &options, &mut Silent).expect("applicable");
        assert_eq!(plan.peak(&problem), info.case.peak, "{}", info.id);
        assert_eq!(best_peak(&problem), info.case.best, "{}", info.id);
        // One only moves buffers to a slower memory, one only states a figure, three find the best
        // and take long to know or cannot know: all others take more than they need.
        let wastes = !matches!(info.id, "executorch-hierarchy" | "lower-bound" | "hill-climb" | "best" | "exact");
        assert_eq!(info.case.peak > info.case.best, wastes, "{}", info.id);
        for locale in Locale::ALL {
            let key = format!("how.{}.weak", info.id);
            let template = locale.template(&key);
            assert!(template.contains("{peak}") && template.contains("{best}"), "{}: {template}", info.id);
            let said = Speech { locale, sizes: Sizes::Exact }.say(&info.weak());
            assert!(said.contains(&Unit::B.words(info.case.peak)), "{said}");
            for (key, value) in info.case.options {
                assert!(said.contains(&format!("{key}={value}")), "{}: {key} is not told", info.id);
            }
        }
    }
}

#[test]
fn every_ranked_planner_can_keep_branches_parallel() {
    for planner in REGISTRY.iter().filter(|planner| planner.info().ranked) {
        let info = planner.info();
        assert!(
            info.options.iter().any(|option| option.key == BRANCH_SAFE.key),
            "{} lacks {}",
            info.id,
            BRANCH_SAFE.key
        );
    }
}

#[test]
fn ids_are_unique() {
    let ids: BTreeSet<&str> = REGISTRY.iter().map(|planner| planner.info().id).collect();
    assert_eq!(ids.len(), REGISTRY.len());
}

#[test]
fn planners_shown_as_programs_are_those_that_have_one() {
    let programs = memplan_own::CLASSICS.iter().map(|classic| (classic.planner, classic.options));
    assert_eq!(memplan_teach::choices::WITH_PROGRAM.to_vec(), programs.collect::<Vec<_>>());
    for (id, options) in memplan_teach::choices::WITH_PROGRAM {
        let info = planner::info(id).expect("registered");
        let given = info.options(options.iter().copied()).expect("its own options");
        let changed: Vec<(&str, &str)> = given.changed(info).collect();
        assert!(memplan_teach::choices::has_program(id, &changed), "{id}: {changed:?}");
    }
}
