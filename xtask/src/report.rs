//! What a test run found: a line a suite, the slowest tests, and the count of all.

use std::fmt::Write;
use std::time::{Duration, Instant};

use crate::process::Outcome;
use crate::programs::{Results, Timed};

/// Tests that the summary names.
const SLOWEST: usize = 10;

/// The suites of a run.
#[derive(Default)]
pub struct Report {
    lines: Vec<(String, String)>,
    total: Duration,
    results: Results,
    /// Suites that are no lists of tests, such as lints: they count as one test each.
    passed: usize,
    failures: Vec<String>,
}

impl Report {
    /// Runs a check that passes or fails as a whole. Returns true if it passed.
    pub fn check(&mut self, suite: &str, work: impl FnOnce() -> Outcome) -> bool {
        self.step(suite, work).is_some_and(|()| {
            self.passed += 1;
            true
        })
    }

    /// Runs a step that others need. Returns its result, or none if it failed.
    pub fn step<T>(&mut self, suite: &str, work: impl FnOnce() -> Outcome<T>) -> Option<T> {
        println!("\n=== {suite} ===");
        let start = Instant::now();
        let result = work();
        let time = start.elapsed();
        self.total += time;
        match result {
            Ok(result) => {
                self.lines.push((suite.to_string(), seconds(time)));
                Some(result)
            }
            Err(sentence) => {
                println!("{sentence}");
                self.lines.push((suite.to_string(), format!("{} FAILED", seconds(time))));
                self.failures.push(format!("{suite}: {sentence}"));
                None
            }
        }
    }

    /// Runs a suite of tests.
    pub fn tests(&mut self, suite: &str, work: impl FnOnce() -> Outcome<Results>) {
        let Some(results) = self.step(suite, work) else { return };
        let (passed, failed) = (results.passed.len(), results.failed.len());
        println!("{passed} passed, {failed} failed, {} skipped", results.skipped);
        if let Some((_, line)) = self.lines.last_mut().filter(|_| failed > 0) {
            line.push_str(" FAILED");
        }
        self.results.add(results);
    }

    /// Records that a suite was not run.
    pub fn skip(&mut self, suite: &str, why: &str) {
        println!("\n=== {suite}: {why} ===");
        self.lines.push((suite.to_string(), why.to_string()));
        self.results.skipped += 1;
    }

    /// Prints what was found. In a strict run, unsteady tests are failures.
    ///
    /// # Errors
    /// A sentence if anything failed.
    pub fn finish(self, is_strict: bool) -> Outcome {
        println!("\n{}", self.text());
        let unsteady = if is_strict { self.results.unsteady.len() } else { 0 };
        match self.failed() + unsteady {
            0 => Ok(()),
            1 => Err("One check or test failed, see its own lines above.".to_string()),
            count => Err(format!("{count} checks and tests failed, see their own lines above.")),
        }
    }

    fn failed(&self) -> usize {
        self.failures.len() + self.results.failed.len()
    }

    /// The summary; its last line is the count.
    fn text(&self) -> String {
        let mut text = String::from("=== summary ===\n");
        let total = ("in all".to_string(), seconds(self.total));
        // Writing to a string cannot fail.
        for (suite, time) in self.lines.iter().chain([&total]) {
            let _ = writeln!(text, "  {suite:<30} {time:>9}");
        }
        text.push_str("slowest tests:\n");
        for (time, name) in self.slowest() {
            let _ = writeln!(text, "  {:>9}  {name}", seconds(*time));
        }
        for name in &self.results.unsteady {
            let _ = writeln!(text, "unsteady: {name} failed once and passed when it was run again.");
        }
        for failure in &self.failures {
            let _ = writeln!(text, "failed: {failure}");
        }
        for name in &self.results.failed {
            let _ = writeln!(text, "failed: {name}; alone: cargo xtask test {}", without_program(name));
        }
        let passed = self.passed + self.results.passed.len();
        let _ = write!(text, "{passed} passed, {} failed, {} skipped", self.failed(), self.results.skipped);
        text
    }

    fn slowest(&self) -> Vec<&Timed> {
        let mut tests: Vec<&Timed> = self.results.passed.iter().collect();
        tests.sort_by(|a, b| b.cmp(a));
        tests.truncate(SLOWEST);
        tests
    }
}

/// Returns the name of a test inside its program.
fn without_program(name: &str) -> &str {
    name.split_once("::").map_or(name, |(_, name)| name)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(passed: &[(u64, &str)], failed: &[&str], unsteady: &[&str]) -> Results {
        let owned = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        Results {
            passed: passed.iter().map(|(time, name)| (Duration::from_secs(*time), name.to_string())).collect(),
            failed: owned(failed),
            skipped: 1,
            unsteady: owned(unsteady),
        }
    }

    #[test]
    fn the_summary_names_the_slowest_tests_and_ends_with_the_count() {
        let mut report = Report::default();
        assert!(report.check("format", || Ok(())));
        report.tests("some", || Ok(results(&[(1, "a::quick"), (12, "a::slow")], &[], &[])));
        report.skip("types", "left out");
        let names: Vec<&str> = report.slowest().iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["a::slow", "a::quick"]);
        assert_eq!(report.text().lines().last(), Some("3 passed, 0 failed, 2 skipped"));
        assert!(report.finish(true).is_ok());
    }

    #[test]
    fn failures_are_counted_and_named_to_the_end() {
        let mut report = Report::default();
        assert!(!report.check("format", || Err("It is not formatted.".to_string())));
        report.tests("some", || Ok(results(&[(1, "native::a::good")], &["native::a::bad"], &[])));
        assert!(report.check("lints", || Ok(())));
        let text = report.text();
        for line in ["failed: format: It is not formatted.", "failed: native::a::bad; alone: cargo xtask test a::bad"] {
            assert!(text.contains(line), "{text}");
        }
        assert_eq!(text.lines().last(), Some("2 passed, 2 failed, 1 skipped"));
        assert!(report.finish(false).is_err());
    }

    #[test]
    fn an_unsteady_test_is_named_and_fails_a_strict_run_alone() {
        for is_strict in [false, true] {
            let mut report = Report::default();
            report.tests("some", || Ok(results(&[(1, "native::a")], &[], &["native::a"])));
            assert!(report.text().contains("unsteady: native::a failed once"));
            assert_eq!(report.finish(is_strict).is_err(), is_strict);
        }
    }
}
