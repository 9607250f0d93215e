//! The tests of the built page. `cargo xtask test stepping` runs those of one subject.
//!
//! Each test names its tier: [`smoke`] tests are of the default tier, one for each way that only a
//! browser can show; [`full`] tests of `--full`; [`nightly`] and [`measure`] tests of `--nightly`.

#![forbid(unsafe_code)]

mod accessibility;
mod addresses;
mod api;
mod benchmarks;
mod canvas;
mod compare;
mod diff;
mod editing;
mod embedding;
mod exercises;
mod exercises_by_keyboard;
mod exports;
mod files;
mod fit;
mod games;
mod html;
mod imports;
mod keyboard;
mod kinds;
mod language;
mod large;
mod layout;
mod league;
mod lessons;
mod links;
mod modes;
mod native;
mod offline;
mod opening;
mod own;
mod panels;
mod pauses;
mod peak;
mod planners;
mod policy;
mod predicting;
mod presenting;
mod samples;
mod selection;
mod start;
mod states;
mod stepping;
mod storage;
mod tables;
mod teaching;
mod versions;
mod view;
mod whatif;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use libtest_mimic::{Arguments, Trial};
use memplan_e2e::{Page, Pool};

/// When a test is run; `MEMPLAN_TIER` names one, and all run without it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    /// By `cargo xtask test`, and by all others.
    Smoke,
    /// By `cargo xtask test --full`.
    Full,
    /// By `cargo xtask test --nightly`, which leaves out those of `Full`.
    Nightly,
}

/// A test and its name inside its subject.
pub struct Test {
    name: &'static str,
    check: fn(&mut Page),
    tier: Tier,
    /// Whether other tests would spoil the figures that it prints.
    alone: bool,
    /// The variable that names the data without which it is ignored.
    needs: Option<&'static str>,
}

const fn test(name: &'static str, check: fn(&mut Page), tier: Tier) -> Test {
    Test { name, check, tier, alone: false, needs: None }
}

/// A test of something that only a browser can show, one for each way.
const fn smoke(name: &'static str, check: fn(&mut Page)) -> Test {
    test(name, check, Tier::Smoke)
}

/// A test of a detail.
const fn full(name: &'static str, check: fn(&mut Page)) -> Test {
    test(name, check, Tier::Full)
}

/// A test that takes minutes.
const fn nightly(name: &'static str, check: fn(&mut Page)) -> Test {
    test(name, check, Tier::Nightly)
}

/// A test that has the machine to itself, because it prints or judges figures, which are those of a
/// machine and of what else it does.
const fn measure(name: &'static str, check: fn(&mut Page)) -> Test {
    Test { alone: true, ..nightly(name, check) }
}

/// Returns the tiers that are asked for.
///
/// # Errors
/// A sentence if `MEMPLAN_TIER` names none.
fn tiers() -> Result<&'static [Tier], String> {
    match std::env::var("MEMPLAN_TIER").as_deref() {
        Err(_) => Ok(&[Tier::Smoke, Tier::Full, Tier::Nightly]),
        Ok("default") => Ok(&[Tier::Smoke]),
        Ok("full") => Ok(&[Tier::Smoke, Tier::Full]),
        Ok("nightly") => Ok(&[Tier::Smoke, Tier::Nightly]),
        Ok(other) => Err(format!("MEMPLAN_TIER is `{other}`: name default, full or nightly.")),
    }
}

/// Subjects with long tests come first, so that no long test is begun when the others are over.
/// Those about pauses come last: they need a machine that does little else.
const SUBJECTS: [(&str, &[Test]); 46] = [
    ("large", large::TESTS),
    ("benchmarks", benchmarks::TESTS),
    ("accessibility", accessibility::TESTS),
    ("exercises", exercises::TESTS),
    ("exercises_by_keyboard", exercises_by_keyboard::TESTS),
    ("lessons", lessons::TESTS),
    ("layout", layout::TESTS),
    ("games", games::TESTS),
    ("states", states::TESTS),
    ("planners", planners::TESTS),
    ("stepping", stepping::TESTS),
    ("compare", compare::TESTS),
    ("teaching", teaching::TESTS),
    ("kinds", kinds::TESTS),
    ("opening", opening::TESTS),
    ("own", own::TESTS),
    ("start", start::TESTS),
    ("html", html::TESTS),
    ("diff", diff::TESTS),
    ("panels", panels::TESTS),
    ("canvas", canvas::TESTS),
    ("peak", peak::TESTS),
    ("files", files::TESTS),
    ("fit", fit::TESTS),
    ("imports", imports::TESTS),
    ("exports", exports::TESTS),
    ("selection", selection::TESTS),
    ("links", links::TESTS),
    ("addresses", addresses::TESTS),
    ("language", language::TESTS),
    ("keyboard", keyboard::TESTS),
    ("api", api::TESTS),
    ("editing", editing::TESTS),
    ("storage", storage::TESTS),
    ("offline", offline::TESTS),
    ("versions", versions::TESTS),
    ("view", view::TESTS),
    ("whatif", whatif::TESTS),
    ("league", league::TESTS),
    ("tables", tables::TESTS),
    ("modes", modes::TESTS),
    ("policy", policy::TESTS),
    ("embedding", embedding::TESTS),
    ("presenting", presenting::TESTS),
    ("predicting", predicting::TESTS),
    ("pauses", pauses::TESTS),
];

/// Writes how long each test took into the file that `MEMPLAN_TIMES` names: a line each, seconds
/// and name.
fn keep_times(times: &[(Duration, String)]) -> io::Result<()> {
    let Some(file) = std::env::var_os("MEMPLAN_TIMES") else { return Ok(()) };
    let lines = times.iter().map(|(time, name)| format!("{:.2} {name}\n", time.as_secs_f64()));
    fs::write(file, lines.collect::<String>())
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let pool = Arc::new(Pool::default());
    let tiers = match tiers() {
        Ok(tiers) => tiers,
        Err(sentence) => {
            eprintln!("{sentence}");
            return ExitCode::from(2);
        }
    };
    let mut tests: Vec<(&str, &Test)> =
        SUBJECTS.iter().flat_map(|(subject, tests)| tests.iter().map(move |test| (*subject, test))).collect();
    tests.retain(|(_, test)| tiers.contains(&test.tier));
    // Before a test that has the machine to itself, all that run have to end: that happens once if
    // these tests come last.
    tests.sort_by_key(|(_, test)| test.alone);
    let trial = |(subject, &Test { name, check, alone, needs, .. })| {
        let (pool, name) = (pool.clone(), format!("{subject}::{name}"));
        let title = name.clone();
        let is_ignored = needs.is_some_and(|variable| std::env::var_os(variable).is_none());
        Trial::test(title, move || Ok(pool.run(&name, alone, check)?)).with_ignored_flag(is_ignored)
    };
    let trials = tests.into_iter().map(trial).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    if let Err(error) = keep_times(&pool.times()) {
        eprintln!("The times of the tests are not kept: {error}.");
    }
    // Leaving without this would leave the browsers running.
    drop(pool);
    conclusion.exit_code()
}
