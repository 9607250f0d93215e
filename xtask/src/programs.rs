//! The test programs of the workspace: built by one Cargo call, then run side by side.
//!
//! Tests run in processes of a few tests each, as many at a time as there are processors. Within a
//! process, they run one after the other, so that the time between two of its lines is that of a
//! test.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::process::{self, Outcome};
use crate::workspace::Workspace;

/// A compiled test program.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The name of its target.
    pub name: String,
    /// The program.
    pub executable: PathBuf,
    /// The folder of its package, in which Cargo would run it.
    package: PathBuf,
    /// Variables of its environment.
    environment: Vec<(&'static str, &'static str)>,
}

/// The profile in `Cargo.toml` that tests are compiled in.
pub const PROFILE: &str = "suite";

/// A test and how long it took.
pub type Timed = (Duration, String);

/// What became of some tests.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Results {
    /// Tests that passed. Names begin with the name of their program.
    pub passed: Vec<Timed>,
    /// Names of tests that failed.
    pub failed: Vec<String>,
    /// Number of tests that are ignored, because they need data that is not there.
    pub skipped: usize,
    /// Names of tests that failed, and passed when they were run again.
    pub unsteady: Vec<String>,
}

impl Results {
    /// Adds other results.
    pub fn add(&mut self, other: Results) {
        self.passed.extend(other.passed);
        self.failed.extend(other.failed);
        self.skipped += other.skipped;
        self.unsteady.extend(other.unsteady);
    }
}

/// Compiles test programs: those of all tiers, with or without the slow ones.
///
/// # Errors
/// A sentence if one does not compile.
pub fn build(workspace: &Workspace, has_slow: bool) -> Outcome<Vec<Program>> {
    let mut command = process::cargo();
    command
        .args(["test", "--profile", PROFILE, "--locked", "--workspace", "--lib", "--bins", "--no-run"])
        .args(["--test", "native", "--test", "golden", "--test", "page"])
        .args(if has_slow { ["--test", "slow"].as_slice() } else { &[] })
        .arg("--message-format=json-render-diagnostics")
        .current_dir(&workspace.root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("The test programs could not be compiled ({error})."))?;
    if !output.status.success() {
        return Err("Compiling the test programs failed, see the lines above.".to_string());
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let programs: Vec<Program> = messages.lines().filter_map(program).collect();
    if programs.is_empty() { Err("Cargo names no test programs.".to_string()) } else { Ok(programs) }
}

/// Returns the test program that a message of Cargo describes.
fn program(message: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(message).ok()?;
    let text = |pointer| message.pointer(pointer).and_then(Value::as_str);
    // The target says by a field of this name, too, whether it can be tested at all.
    let is_test = text("/reason") == Some("compiler-artifact") && message.pointer("/profile/test")?.as_bool()?;
    let (name, executable) = (text("/target/name")?.to_string(), text("/executable").filter(|_| is_test)?.into());
    let package = Path::new(text("/manifest_path")?).parent()?.to_path_buf();
    Some(Program { name, executable, package, environment: Vec::new() })
}

/// The program of tests that take minutes.
pub const SLOW: &str = "slow";

/// Most tests of one process: few, so that no processor has nothing left to do while another has a
/// long list.
const FEW: usize = 12;

/// Programs with a harness of their own, which takes one name or a part of one. All their tests run
/// in one process.
const OWN_HARNESS: [&str; 2] = ["golden", "page"];

/// Longest time without a line from a process, after which its test counts as one that never ends.
const PATIENCE: Duration = Duration::from_secs(1200);

/// A process: a program and the tests that it runs.
type Job<'a> = (&'a Program, Vec<String>);

/// Runs the tests of programs whose full names (`program::module::name`) are accepted.
///
/// # Errors
/// A sentence if a program does not list its tests.
pub fn run(programs: &[Program], accept: &dyn Fn(&str) -> bool) -> Outcome<Results> {
    let mut jobs: Vec<Job> = Vec::new();
    for program in programs {
        let mut names = program.names()?;
        names.retain(|name| accept(&format!("{}::{name}", program.name)));
        if !names.is_empty() {
            println!("{:<24} {:>5} tests", program.name, names.len());
        }
        let most = match program.name.as_str() {
            SLOW => 1,
            name if OWN_HARNESS.contains(&name) && names.len() == program.names()?.len() => names.len().max(1),
            name if OWN_HARNESS.contains(&name) => 1,
            _ => FEW,
        };
        jobs.extend(names.chunks(most).map(|names| (program, names.to_vec())));
    }
    // A long test that comes last would keep one processor busy alone.
    jobs.sort_by_key(|(program, _)| program.name != SLOW);
    let queue = Mutex::new(jobs.iter());
    let results = Mutex::new(Results::default());
    let work = || {
        loop {
            let Some((program, names)) = lock(&queue).next() else { return };
            let found = program.run_twice(names);
            lock(&results).add(found);
        }
    };
    thread::scope(|scope| {
        let others = thread::available_parallelism().map_or(1, |count| count.get()) - 1;
        (0..others).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    Ok(results.into_inner().unwrap_or_default())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Program {
    /// Returns a command that runs the program in the folder where Cargo would run it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command.env("CARGO_MANIFEST_DIR", &self.package).current_dir(&self.package).stdin(Stdio::null());
        // Drawn cases are the same in every run, so that a failure is of the change at hand.
        // `cargo test` draws others.
        command.env("PROPTEST_RNG_SEED", "1").envs(self.environment.iter().copied());
        command
    }

    /// Adds a variable to its environment.
    pub fn with(mut self, name: &'static str, value: &'static str) -> Program {
        self.environment.push((name, value));
        self
    }

    /// Returns the names of its tests.
    ///
    /// # Errors
    /// A sentence if the program does not list them.
    pub fn names(&self) -> Outcome<Vec<String>> {
        let list = process::capture(self.command().args(["--list", "--format", "terse"]));
        let list = list.ok_or_else(|| format!("{} lists no tests.", self.executable.display()))?;
        Ok(list.lines().filter_map(listed).collect())
    }

    /// Runs tests, and those that failed once more.
    fn run_twice(&self, names: &[String]) -> Results {
        let (mut first, output) = self.run(names);
        if first.failed.is_empty() {
            return first;
        }
        println!("{output}");
        let failed = std::mem::take(&mut first.failed);
        for name in &failed {
            let (again, output) = self.run(std::slice::from_ref(name));
            if again.failed.is_empty() && !again.passed.is_empty() {
                println!("{} failed once and passed when it was run again.", self.full(name));
                first.unsteady.push(self.full(name));
                first.passed.extend(again.passed);
            } else {
                println!("{output}");
                first.failed.push(self.full(name));
            }
        }
        first
    }

    fn full(&self, name: &str) -> String {
        format!("{}::{name}", self.name)
    }

    /// Runs tests one after the other. Failed ones are listed by the name that the program gives
    /// them. Returns what was printed, too.
    fn run(&self, names: &[String]) -> (Results, String) {
        let mut command = self.command();
        command.args(["--test-threads", "1"]);
        if names.len() == 1 || !OWN_HARNESS.contains(&self.name.as_str()) {
            command.arg("--exact").args(names);
        }
        command.stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut lines = Lines::new(names);
        let mut last = Instant::now();
        let ended = watched(&mut command, |line| {
            lines.read(line, last.elapsed(), |name| self.full(name));
            last = Instant::now();
        });
        if let Err(sentence) = ended {
            lines.output.push_str(&format!("{}: {sentence}\n", self.executable.display()));
        }
        lines.finish()
    }
}

/// Runs a command and hands on each line of its standard output. It is ended after a long silence.
///
/// # Errors
/// A sentence if it could not be run, was ended, or failed.
pub fn watched(command: &mut Command, mut on_line: impl FnMut(&str)) -> Outcome {
    let mut child = command.spawn().map_err(|error| format!("it could not be run ({error})."))?;
    let output = child.stdout.take().ok_or("its output could not be read.")?;
    let child = Mutex::new(child);
    let (heard, is_over) = (Mutex::new(Instant::now()), AtomicBool::new(false));
    let mut was_ended = false;
    thread::scope(|scope| {
        let guard = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                thread::park_timeout(Duration::from_secs(1));
                if lock(&heard).elapsed() > PATIENCE {
                    return lock(&child).kill().is_ok();
                }
            }
            false
        });
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            *lock(&heard) = Instant::now();
            on_line(&line);
        }
        is_over.store(true, Ordering::Relaxed);
        guard.thread().unpark();
        was_ended = guard.join().unwrap_or_default();
    });
    if was_ended {
        return Err(format!("ended after {} minutes without a word.", PATIENCE.as_secs() / 60));
    }
    let status = lock(&child).wait().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("ended with {status}.")) }
}

/// Reads what a test program prints.
pub struct Lines {
    results: Results,
    /// Tests without a result so far: if the program ends before their time, they failed.
    open: Vec<String>,
    output: String,
}

impl Lines {
    /// Expects results of these tests.
    pub fn new(names: &[String]) -> Lines {
        Lines { results: Results::default(), open: names.to_vec(), output: String::new() }
    }

    /// Reads a line. Tests that passed have this time, and a name by `full`.
    pub fn read(&mut self, line: &str, time: Duration, full: impl Fn(&str) -> String) {
        self.output.push_str(line);
        self.output.push('\n');
        let Some((name, result)) = result(line) else { return };
        match result {
            "ok" => self.results.passed.push((time, full(name))),
            "FAILED" => self.results.failed.push(name.to_string()),
            // With or without its reason.
            _ if result.starts_with("ignored") => self.results.skipped += 1,
            _ => return,
        }
        self.open.retain(|open| open != name);
    }

    /// Returns the results, and all lines.
    pub fn finish(mut self) -> (Results, String) {
        self.results.failed.append(&mut self.open);
        (self.results, self.output)
    }
}

/// Returns the name and the result of the test that a line reports.
fn result(line: &str) -> Option<(&str, &str)> {
    let (name, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    Some((name.trim_end(), result))
}

/// Returns the name of the test in a line of the list.
fn listed(line: &str) -> Option<String> {
    line.strip_suffix(": test").map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_told_from_others() {
        let message = |test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"path+file:///p#memplan@0.1.0","manifest_path":"/p/Cargo.toml","target":{{"kind":["test"],"crate_types":["bin"],"name":"golden","src_path":"/p/tests/golden.rs","doctest":false,"test":true}},"profile":{{"opt_level":"3","test":{test}}},"features":[],"executable":{executable}}}"#
            )
        };
        let found = program(&message(true, r#""/p/target/golden-1""#)).expect("a test program");
        assert_eq!((found.name.as_str(), found.executable), ("golden", PathBuf::from("/p/target/golden-1")));
        assert_eq!(found.package, PathBuf::from("/p"));
        assert_eq!(program(&message(false, r#""/p/target/memplan""#)), None, "a program without tests");
        assert_eq!(program(&message(true, "null")), None, "a library that is only linked");
    }

    #[test]
    fn tests_are_told_from_benchmarks() {
        assert_eq!(listed("panels::filter: test"), Some("panels::filter".to_string()));
        assert_eq!(listed("panels::filter: benchmark"), None);
        assert_eq!(listed(""), None);
    }

    #[test]
    fn every_test_has_one_result() {
        let names = ["a::passes", "a::panics", "a::fails", "a::needs", "a::ends"].map(str::to_string);
        let mut lines = Lines::new(&names);
        for line in [
            "running 4 tests",
            "test a::passes        ... ok",
            "test a::panics - should panic ... ok",
            "test a::fails ... FAILED",
            "test a::needs ... ignored, needs a file",
            "test result: FAILED. 1 passed",
        ] {
            lines.read(line, Duration::from_secs(2), |name| format!("p::{name}"));
        }
        let (results, output) = lines.finish();
        let passed: Vec<&str> = results.passed.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(passed, ["p::a::passes", "p::a::panics"]);
        assert_eq!(results.failed, ["a::fails", "a::ends"], "the program ended before the last test had a result");
        assert_eq!((results.skipped, results.unsteady.len(), output.lines().count()), (1, 0, 6));
    }

    /// A program that fails at its first run, as `--exact name` asks for it, and passes later.
    #[cfg(unix)]
    #[test]
    fn a_test_that_passes_when_run_again_is_unsteady() {
        use std::fs;
        use std::os::unix::fs::PermissionsExt;

        let folder = std::env::temp_dir().join(format!("memplan-unsteady-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("program");
        let script = "#!/bin/sh\nif [ -e ran ]; then echo 'test now ... ok'; else touch ran; echo 'test now ... FAILED'; \
                      echo 'test other ... ok'; exit 1; fi\n";
        fs::write(&file, script).expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("may run");
        let program =
            Program { name: "p".to_string(), executable: file, package: folder.clone(), environment: Vec::new() };
        let results = program.run_twice(&["now".to_string(), "other".to_string()]);
        fs::remove_dir_all(folder).expect("removed");
        assert_eq!((results.unsteady, results.failed), (vec!["p::now".to_string()], vec![]));
        assert_eq!(results.passed.len(), 2);
    }
}
