//! `cargo xtask test`: every check in order, up to the first that fails.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::manifest;
use crate::npm;
use crate::page;
use crate::process::{self, Outcome};
use crate::programs::{self, Program, Timed};
use crate::rust::WASM_TARGET;
use crate::setup::{self, BrowserTools, PageTools};
use crate::workspace::{self, Workspace};

/// What Cargo calls the program of the end-to-end tests.
const END_TO_END: &str = "page";

/// Runs the suites and prints what each took.
pub fn run(workspace: &Workspace, fast: bool) -> Outcome {
    // Everything is set up first, so that a missing tool shows at once and not
    // after minutes of tests.
    setup::lint_tools()?;
    let in_browser = if fast { None } else { Some((setup::page_tools(workspace)?, setup::browser_tools(workspace)?)) };

    let mut report = Report::default();
    check_sources(workspace, &mut report)?;
    let (in_page, native) = compile_tests(workspace, &mut report)?;
    test_natively(workspace, &native, &mut report)?;
    check_types(workspace, fast, &mut report)?;
    match &in_browser {
        Some((page_tools, tools)) => {
            test_in_browser(workspace, page_tools, tools, &mut report)?;
            report.run("page build", || page::build_with(workspace, page_tools, None, memplan(&in_page).as_deref()))?;
            test_the_page(workspace, &in_page, tools, &mut report)?;
        }
        None => report.skip("browser and end-to-end tests", "left out by --fast"),
    }
    report.print();
    Ok(())
}

/// Gives a command what the end-to-end programs read from their environment.
pub fn end_to_end_environment(command: &mut Command, workspace: &Workspace, tools: &BrowserTools) {
    command
        .env("MEMPLAN_DIST", page::dist(workspace))
        .env("MEMPLAN_AXE", &tools.axe)
        .env("CHROME", &tools.browser.program)
        .env("CHROMEDRIVER", &tools.browser.driver);
}

fn check_sources(workspace: &Workspace, report: &mut Report) -> Outcome {
    report.run("format", || {
        cargo(workspace, &["fmt", "--all", "--check"], "The format check")
            .map_err(|sentence| format!("{sentence} `cargo fmt --all` corrects the format."))
    })?;
    report.run("lints, native", || {
        let what = ["--workspace", "--all-targets", "--features", "view,app"];
        clippy(workspace, &what)
    })?;
    report.run("lints, fuzz targets", || {
        // A workspace of its own, which shares what is compiled.
        let what = [
            "clippy",
            "--locked",
            "--manifest-path",
            "fuzz/Cargo.toml",
            "--target-dir",
            "target",
            "--",
            "-D",
            "warnings",
        ];
        let mut command = process::cargo();
        // The fuzzer's own library is not needed to check what calls it.
        command.args(what).env("CUSTOM_LIBFUZZER_PATH", "/nowhere/libfuzzer.a").current_dir(&workspace.root);
        process::run(&mut command, "The lint check of the fuzz targets")
    })?;
    report.run("lints, in the browser", || {
        // Features only add, so that all programs are checked by one call.
        let what =
            ["--target", WASM_TARGET, "--no-default-features", "--features", "app,engine,reader", "--lib", "--bins"];
        clippy(workspace, &what)
    })?;
    report.run("documentation of the code", || {
        // Links of private items too: the readers of these pages are those who change the code.
        let what = ["doc", "--locked", "--no-deps", "--document-private-items", "--features", "cli,app"];
        let mut command = process::cargo();
        command.args(what).env("RUSTDOCFLAGS", "-D warnings").current_dir(&workspace.root);
        process::run(&mut command, "The documentation of the code")
    })
}

/// The program of the end-to-end tests, and all others. One call compiles them, so that the crate
/// is compiled once.
fn compile_tests(workspace: &Workspace, report: &mut Report) -> Outcome<(Vec<Program>, Vec<Program>)> {
    let mut programs = Vec::new();
    report.run("compiling the tests", || {
        programs = programs::build(workspace)?;
        Ok(())
    })?;
    Ok(programs.into_iter().partition(|program| program.name == END_TO_END))
}

fn test_natively(workspace: &Workspace, native: &[Program], report: &mut Report) -> Outcome {
    report.run_timed("native tests", || programs::run(native))?;
    report.run("examples in the documentation", || {
        // The whole workspace, as for the other tests: the crate then has the features that it was
        // compiled with for them.
        let how = ["test", "--profile", programs::PROFILE, "--locked", "--workspace", "--doc"];
        let line = [&how[..], &["--no-default-features", "--features", "cli,app"]].concat();
        cargo(workspace, &line, "The examples in the documentation")
    })
}

/// Compiles a TypeScript program that uses all of the JavaScript module.
fn check_types(workspace: &Workspace, fast: bool, report: &mut Report) -> Outcome {
    const SUITE: &str = "types of the module";
    if fast {
        report.skip(SUITE, "left out by --fast");
        return Ok(());
    }
    match npm::find_typescript(workspace) {
        Ok(compiler) => report.run(SUITE, || {
            let mut command = Command::new("node");
            command.arg(compiler).args(["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom"]);
            command.args(["--module", "esnext", "--moduleResolution", "bundler", "tests/types/use.ts"]);
            process::run(command.current_dir(&workspace.root), "The check of the types")
        }),
        Err(reason) => {
            report.skip(SUITE, &format!("left out, {reason}"));
            Ok(())
        }
    }
}

/// The command line that was compiled beside test programs; none if it was not.
fn memplan(programs: &[Program]) -> Option<PathBuf> {
    let folder = programs.first()?.executable.parent()?.parent()?;
    Some(process::program_in(folder, "memplan")).filter(|file| file.is_file())
}

fn test_in_browser(
    workspace: &Workspace,
    page_tools: &PageTools,
    tools: &BrowserTools,
    report: &mut Report,
) -> Outcome {
    if has_browser_test(workspace)? {
        report.run("browser tests", || {
            let mut command = page_tools.command(workspace, "cargo");
            command.args([
                "test",
                "--locked",
                "--target",
                WASM_TARGET,
                "--no-default-features",
                "--features",
                "app,engine",
            ]);
            command.args(["--test", "browser"]);
            command
                .env("CHROMEDRIVER", &tools.browser.driver)
                // By name, found on the PATH: Cargo splits this value at spaces.
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner")
                .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", browser_options(workspace, tools)?)
                // The runner's own limits are short for a busy machine.
                .env("WASM_BINDGEN_TEST_TIMEOUT", "300")
                .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60");
            process::run(&mut command, "The browser tests")
        })
    } else {
        report.skip("browser tests", "Cargo.toml declares no test `browser`");
        Ok(())
    }
}

fn test_the_page(workspace: &Workspace, programs: &[Program], tools: &BrowserTools, report: &mut Report) -> Outcome {
    let [program] = programs else { return Err("The end-to-end tests were not compiled.".to_string()) };
    report.run_timed("end-to-end tests", || {
        let times = workspace.root.join("target/xtask/end-to-end-times");
        let mut command = Command::new(&program.executable);
        command.env("MEMPLAN_TIMES", &times).current_dir(&workspace.root);
        // A test often waits for its browser: one more than there are processors keeps these busy.
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        command.args(["--test-threads", &(cores + 1).to_string()]);
        end_to_end_environment(&mut command, workspace, tools);
        process::run(&mut command, "The end-to-end tests")?;
        Ok(fs::read_to_string(&times).unwrap_or_default().lines().filter_map(timed).collect())
    })
}

/// A test and its time, from a line of seconds and name.
fn timed(line: &str) -> Option<Timed> {
    let (seconds, name) = line.split_once(' ')?;
    Some((Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?, name.to_string()))
}

fn cargo(workspace: &Workspace, arguments: &[&str], what: &str) -> Outcome {
    let mut command = process::cargo();
    command.args(arguments).current_dir(&workspace.root);
    process::run(&mut command, what)
}

fn clippy(workspace: &Workspace, what: &[&str]) -> Outcome {
    let line = [&["clippy", "--locked"], what, &["--", "-D", "warnings"]].concat();
    cargo(workspace, &line, "The lint check")
}

fn has_browser_test(workspace: &Workspace) -> Outcome<bool> {
    let tests = workspace.root.join("tests");
    Ok(tests.join("browser.rs").is_file()
        || tests.join("browser/main.rs").is_file()
        || manifest::declares_test(&workspace.read("Cargo.toml")?, "browser"))
}

/// A copy of webdriver.json that names the browser: the driver alone would look
/// for Google Chrome in its usual place.
fn browser_options(workspace: &Workspace, tools: &BrowserTools) -> Outcome<PathBuf> {
    let options = with_browser(&workspace.read("webdriver.json")?, &tools.browser.program)?;
    let folder = workspace.root.join("target/xtask");
    workspace::make_folder(&folder)?;
    let file = folder.join("webdriver.json");
    fs::write(&file, options).map_err(|error| format!("{} could not be written ({error}).", file.display()))?;
    Ok(file)
}

fn with_browser(options: &str, browser: &Path) -> Outcome<String> {
    const SECTION: &str = "\"goog:chromeOptions\": {";
    let (before, after) = options
        .split_once(SECTION)
        .ok_or_else(|| format!("webdriver.json lacks the section `{SECTION}`: restore it."))?;
    let path = browser.to_string_lossy();
    let path = path.replace('\\', "\\\\").replace('"', "\\\"");
    Ok(format!("{before}{SECTION} \"binary\": \"{path}\",{after}"))
}

/// What was run and how long it took.
#[derive(Default)]
struct Report {
    lines: Vec<(String, String)>,
    total: Duration,
    tests: Vec<Timed>,
}

/// Tests that the summary names.
const SLOWEST: usize = 10;

impl Report {
    fn run(&mut self, suite: &str, work: impl FnOnce() -> Outcome) -> Outcome {
        println!("\n=== {suite} ===");
        let start = Instant::now();
        work()?;
        let time = start.elapsed();
        self.total += time;
        self.lines.push((suite.to_string(), seconds(time)));
        Ok(())
    }

    /// Runs a suite that gives the times of its tests.
    fn run_timed(&mut self, suite: &str, work: impl FnOnce() -> Outcome<Vec<Timed>>) -> Outcome {
        let mut tests = Vec::new();
        self.run(suite, || {
            tests = work()?;
            Ok(())
        })?;
        self.tests.append(&mut tests);
        Ok(())
    }

    fn skip(&mut self, suite: &str, why: &str) {
        println!("\n=== {suite}: {why} ===");
        self.lines.push((suite.to_string(), why.to_string()));
    }

    fn print(&self) {
        println!("\n=== everything passed ===");
        let total = ("in all".to_string(), seconds(self.total));
        for (suite, time) in self.lines.iter().chain([&total]) {
            println!("  {suite:<30} {time:>9}");
        }
        println!("\nslowest tests:");
        for (time, name) in self.slowest() {
            println!("  {:>9}  {name}", seconds(*time));
        }
    }

    fn slowest(&self) -> Vec<&Timed> {
        let mut tests: Vec<&Timed> = self.tests.iter().collect();
        tests.sort_by(|a, b| b.cmp(a));
        tests.truncate(SLOWEST);
        tests
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_is_put_into_the_project_s_driver_options() {
        let options = include_str!("../../webdriver.json");
        let text = with_browser(options, Path::new("/opt/a \"b\"/chrome")).expect("has the section");
        assert!(text.contains(r#""goog:chromeOptions": { "binary": "/opt/a \"b\"/chrome","#));
        assert!(with_browser("{}", Path::new("/opt/chrome")).is_err());
    }

    #[test]
    fn the_summary_names_the_slowest_tests() {
        let mut report = Report::default();
        let lines = "0.50 quick\n12.25 slow one\nnothing";
        assert!(report.run_timed("some", || Ok(lines.lines().filter_map(timed).collect())).is_ok());
        let names: Vec<&str> = report.slowest().iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["slow one", "quick"]);
    }

    #[test]
    fn a_failed_suite_is_not_reported_as_run() {
        let mut report = Report::default();
        assert!(report.run("good", || Ok(())).is_ok());
        assert!(report.run("bad", || Err("No.".to_string())).is_err());
        assert_eq!(report.lines.len(), 1);
    }
}
