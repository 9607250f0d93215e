//! The tests of the built page. `cargo test -p memplan-e2e -- stepping` runs those of one subject.

mod accessibility;
mod api;
mod benchmarks;
mod compare;
mod editing;
mod embedding;
mod exports;
mod files;
mod imports;
mod keyboard;
mod language;
mod large;
mod layout;
mod links;
mod modes;
mod native;
mod opening;
mod panels;
mod pauses;
mod planners;
mod samples;
mod selection;
mod states;
mod stepping;
mod storage;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};
use memplan_e2e::{LongTask, Page, Pool};

/// A test and its name inside its subject.
pub struct Test {
    name: &'static str,
    check: fn(&mut Page),
    /// Whether other tests would spoil its measurement.
    alone: bool,
}

/// A test that shares the machine with others.
const fn test(name: &'static str, check: fn(&mut Page)) -> Test {
    Test { name, check, alone: false }
}

/// A test that has the machine to itself, because it measures time.
const fn measure(name: &'static str, check: fn(&mut Page)) -> Test {
    Test { name, check, alone: true }
}

/// Tries of what must not block the page: other programs of the machine only ever make a task longer.
const TRIES: usize = 5;

/// Checks that a scenario, which gives the tasks that blocked the page, can be gone through without any.
fn never_blocks(page: &mut Page, scenario: impl Fn(&mut Page) -> Vec<LongTask>) {
    let tried: Vec<Vec<LongTask>> =
        (0..TRIES).map_while(|_| Some(scenario(page)).filter(|long| !long.is_empty())).collect();
    assert!(tried.len() < TRIES, "the page stood still: {tried:?}");
}

const SUBJECTS: [(&str, &[Test]); 23] = [
    ("opening", opening::TESTS),
    ("stepping", stepping::TESTS),
    ("planners", planners::TESTS),
    ("states", states::TESTS),
    ("compare", compare::TESTS),
    ("panels", panels::TESTS),
    ("files", files::TESTS),
    ("imports", imports::TESTS),
    ("exports", exports::TESTS),
    ("selection", selection::TESTS),
    ("links", links::TESTS),
    ("language", language::TESTS),
    ("keyboard", keyboard::TESTS),
    ("layout", layout::TESTS),
    ("accessibility", accessibility::TESTS),
    ("api", api::TESTS),
    ("editing", editing::TESTS),
    ("storage", storage::TESTS),
    ("modes", modes::TESTS),
    ("embedding", embedding::TESTS),
    ("large", large::TESTS),
    ("benchmarks", benchmarks::TESTS),
    ("pauses", pauses::TESTS),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let pool = Arc::new(Pool::default());
    let mut trials = Vec::new();
    for (subject, tests) in SUBJECTS {
        for &Test { name, check, alone } in tests {
            let (pool, name) = (pool.clone(), format!("{subject}::{name}"));
            let title = name.clone();
            trials.push(Trial::test(title, move || Ok(pool.run(&name, alone, check)?)));
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    // Leaving without this would leave the browsers running.
    drop(pool);
    conclusion.exit_code()
}
