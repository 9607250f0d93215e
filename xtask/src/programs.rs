//! The test programs of the workspace: built by one Cargo call, then run side by side.
//!
//! Each process runs its tests one after the other, so that the time between two of its lines is
//! that of a test.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::{self, Outcome};
use crate::workspace::Workspace;

/// A compiled test program.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// What Cargo calls its target.
    pub name: String,
    pub executable: PathBuf,
    /// The folder of its package, in which Cargo would run it.
    package: PathBuf,
}

/// The profile in `Cargo.toml` that tests are compiled in.
pub const PROFILE: &str = "suite";

/// A test and how long it took.
pub type Timed = (Duration, String);

/// Compiles all test programs of the workspace.
pub fn build(workspace: &Workspace) -> Outcome<Vec<Program>> {
    let mut command = process::cargo();
    command
        .args([
            "test",
            "--profile",
            PROFILE,
            "--locked",
            "--workspace",
            "--no-default-features",
            "--features",
            "cli,app",
            "--lib",
            "--bins",
            "--tests",
            "--no-run",
        ])
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

/// The test program that a message of Cargo tells of.
fn program(message: &str) -> Option<Program> {
    let is_artifact = message.contains(r#""reason":"compiler-artifact""#);
    // The target has a field of this name, too: whether it can be tested at all.
    let (_, profile) = message.split_once(r#""profile":{"#)?;
    let is_test = is_artifact && profile.split_once('}')?.0.contains(r#""test":true"#);
    let executable = text(message, "executable").filter(|_| is_test)?;
    let (_, target) = message.split_once(r#""target":{"#)?;
    let package = Path::new(&text(message, "manifest_path")?).parent()?.to_path_buf();
    Some(Program { name: text(target, "name")?, executable: executable.into(), package })
}

/// The text of the first field with this key.
fn text(json: &str, key: &str) -> Option<String> {
    let (_, rest) = json.split_once(&format!(r#""{key}":""#))?;
    let mut letters = rest.chars();
    let mut text = String::new();
    loop {
        match letters.next()? {
            '"' => return Some(text),
            // Paths have no other escapes than those of a backslash and a quotation mark.
            '\\' => text.push(letters.next()?),
            letter => text.push(letter),
        }
    }
}

/// Most tests of a program that are processes of their own: a program of a few long ones would keep
/// one processor busy when the others have nothing left to do.
const FEW: usize = 20;

/// Programs that take longest: they are started first, so that none of them is left over for one
/// processor.
const LONG: [&str; 3] = ["recipe", "mutation", "properties"];

/// A process: a program and what it is asked to run.
type Job<'a> = (&'a Program, Vec<String>);

/// Runs programs, as many at a time as there are processors, and gives how long their tests took.
pub fn run(programs: &[Program]) -> Outcome<Vec<Timed>> {
    let mut jobs: Vec<Job> = programs.iter().map(jobs).collect::<Outcome<Vec<_>>>()?.into_iter().flatten().collect();
    jobs.sort_by_key(|(program, _)| !LONG.contains(&program.name.as_str()));
    let queue = Mutex::new(jobs.iter());
    let (times, failed) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let Some((program, what)) = lock(&queue).next() else { return };
            match program.run(what) {
                Ok(mut timed) => lock(&times).append(&mut timed),
                Err(output) => {
                    println!("{output}");
                    lock(&failed).push(program.name.clone());
                }
            }
        }
    };
    thread::scope(|scope| {
        let others = thread::available_parallelism().map_or(1, |count| count.get()) - 1;
        (0..others).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let failed = failed.into_inner().unwrap_or_default();
    if !failed.is_empty() {
        return Err(format!("Tests failed in {}, see the lines above.", failed.join(", ")));
    }
    let times = times.into_inner().unwrap_or_default();
    println!("{} tests of {} programs passed", times.len(), programs.len());
    Ok(times)
}

/// The processes that run all tests of a program.
fn jobs(program: &Program) -> Outcome<Vec<Job<'_>>> {
    let list = process::capture(program.command().args(["--list", "--format", "terse"]));
    let list = list.ok_or_else(|| format!("{} lists no tests.", program.executable.display()))?;
    let names: Vec<String> = list.lines().filter_map(listed).collect();
    println!("{:<24} {:>5} tests", program.name, names.len());
    Ok(match names.len() {
        0 => Vec::new(),
        1..=FEW => names.into_iter().map(|name| (program, vec!["--exact".to_string(), name])).collect(),
        _ => vec![(program, Vec::new())],
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Program {
    /// The program in the folder where Cargo would run it.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command.env("CARGO_MANIFEST_DIR", &self.package).current_dir(&self.package).stdin(Stdio::null());
        command
    }

    /// The times of the tests that were asked for.
    ///
    /// # Errors
    /// What the program wrote, if a test failed.
    fn run(&self, what: &[String]) -> Result<Vec<Timed>, String> {
        let cannot = |error| format!("{} could not be run ({error}).", self.executable.display());
        let mut command = self.command();
        command.args(["--test-threads", "1"]).args(what).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().map_err(cannot)?;
        let (mut written, mut times, mut last) = (String::new(), Vec::new(), Instant::now());
        for line in BufReader::new(child.stdout.take().ok_or("a pipe was asked for")?).lines() {
            let line = line.map_err(cannot)?;
            if let Some(name) = passed(&line) {
                times.push((last.elapsed(), format!("{}: {name}", self.name)));
            }
            last = Instant::now();
            written.push_str(&line);
            written.push('\n');
        }
        let status = child.wait().map_err(cannot)?;
        if status.success() { Ok(times) } else { Err(format!("{written}{} ended with {status}.", self.name)) }
    }
}

/// The name of the test that a line reports as passed.
fn passed(line: &str) -> Option<&str> {
    let (name, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    (result == "ok").then_some(name.trim_end())
}

/// The name of a test in a line of the list.
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
    fn the_longest_programs_are_there() {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
        for name in LONG {
            let is_there = tests.join(format!("{name}.rs")).is_file() || tests.join(name).join("main.rs").is_file();
            assert!(is_there, "{name}");
        }
    }

    #[test]
    fn only_tests_that_passed_have_a_time() {
        assert_eq!(passed("test panels::filter ... ok"), Some("panels::filter"));
        assert_eq!(passed("test panels::filter        ... ok"), Some("panels::filter"));
        assert_eq!(passed("test panels::filter ... ignored"), None);
        assert_eq!(passed("running 3 tests"), None);
    }
}
