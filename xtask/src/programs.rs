//! The test programs of the workspace: built by one Cargo call, then run side by side.
//!
//! Each runs its tests one after the other, so that the time between two of its lines is that of a test.

use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// A test and how long it took.
pub type Timed = (Duration, String);

/// Compiles all test programs of the workspace.
pub fn build(workspace: &Workspace) -> Outcome<Vec<Program>> {
    let mut command = process::cargo();
    command
        .args(["test", "--release", "--workspace", "--features", "cli,app", "--lib", "--bins", "--tests", "--no-run"])
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
    let is_test = message.contains(r#""reason":"compiler-artifact""#) && message.contains(r#""test":true},"#);
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

/// Runs programs, as many at a time as there are processors, and gives how long their tests took.
pub fn run(programs: &[Program]) -> Outcome<Vec<Timed>> {
    let (queue, times) = (Mutex::new(programs.iter()), Mutex::new(Vec::new()));
    let (failed, screen) = (Mutex::new(Vec::new()), Mutex::new(()));
    let stopped = AtomicBool::new(false);
    let work = || {
        while !stopped.load(Ordering::Relaxed) {
            let Some(program) = lock(&queue).next() else { return };
            let start = Instant::now();
            let ran = run_one(program);
            let _screen = lock(&screen);
            match ran {
                Ok((mut timed, result)) => {
                    println!("{:<24} {:>6.1} s  {result}", program.name, start.elapsed().as_secs_f64());
                    lock(&times).append(&mut timed);
                }
                Err(output) => {
                    println!("{output}");
                    lock(&failed).push(program.name.clone());
                    stopped.store(true, Ordering::Relaxed);
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
    if failed.is_empty() {
        return Ok(times.into_inner().unwrap_or_default());
    }
    let names = failed.join(", ");
    Err(format!("Tests failed in {names}: `cargo test --release --features cli,app` with `--test <name>` runs one."))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The times of a program's tests and the line that sums them up, or all that it wrote if it failed.
fn run_one(program: &Program) -> Result<(Vec<Timed>, String), String> {
    let cannot = |error| format!("{} could not be run ({error}).", program.executable.display());
    let mut command = Command::new(&program.executable);
    command
        .args(["--test-threads", "1"])
        .env("CARGO_MANIFEST_DIR", &program.package)
        .env("CARGO", env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
        .current_dir(&program.package)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    let mut child = command.spawn().map_err(cannot)?;
    let (mut written, mut times, mut result) = (String::new(), Vec::new(), String::new());
    let mut last = Instant::now();
    for line in BufReader::new(child.stdout.take().ok_or("a pipe was asked for")?).lines() {
        let line = line.map_err(cannot)?;
        if let Some(name) = passed(&line) {
            times.push((last.elapsed(), format!("{}: {name}", program.name)));
        }
        last = Instant::now();
        if let Some(sum) = line.strip_prefix("test result: ") {
            result = sum.split("; 0 measured").next().unwrap_or(sum).to_string();
        }
        written.push_str(&line);
        written.push('\n');
    }
    let status = child.wait().map_err(cannot)?;
    if status.success() { Ok((times, result)) } else { Err(format!("{written}{} ended with {status}.", program.name)) }
}

/// The name of the test that a line says has passed.
fn passed(line: &str) -> Option<&str> {
    let (name, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    (result == "ok").then_some(name.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_told_from_others() {
        let message = |test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"path+file:///p#memplan@0.1.0","manifest_path":"/p/Cargo.toml","target":{{"kind":["test"],"crate_types":["bin"],"name":"golden","src_path":"/p/tests/golden.rs"}},"profile":{{"opt_level":"3","test":{test}}},"features":[],"executable":{executable}}}"#
            )
        };
        let found = program(&message(true, r#""/p/target/golden-1""#)).expect("a test program");
        assert_eq!((found.name.as_str(), found.executable), ("golden", PathBuf::from("/p/target/golden-1")));
        assert_eq!(found.package, PathBuf::from("/p"));
        assert_eq!(program(&message(false, r#""/p/target/memplan""#)), None, "a program without tests");
        assert_eq!(program(&message(true, "null")), None, "a library that is only linked");
    }

    #[test]
    fn only_tests_that_passed_have_a_time() {
        assert_eq!(passed("test panels::filter ... ok"), Some("panels::filter"));
        assert_eq!(passed("test panels::filter        ... ok"), Some("panels::filter"));
        assert_eq!(passed("test panels::filter ... ignored"), None);
        assert_eq!(passed("running 3 tests"), None);
    }
}
