//! `cargo xtask test`: the checks and tests of a tier, to the end even if some fail.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::args::Tier;
use crate::npm;
use crate::page::{self, Compiled};
use crate::process::{self, Outcome};
use crate::programs::{self, Lines, Program, Results, Timed};
use crate::report::Report;
use crate::rust::WASM_TARGET;
use crate::setup::{self, BrowserTools, PageTools};
use crate::workspace::{self, Workspace};

/// The program of the end-to-end tests.
const END_TO_END: &str = "page";

/// Minutes for which the nightly tier damages files.
const DAMAGING: &str = "10";

/// What needs a browser.
struct InBrowser {
    page: PageTools,
    browser: BrowserTools,
}

impl InBrowser {
    fn set_up(workspace: &Workspace) -> Outcome<InBrowser> {
        Ok(InBrowser { page: setup::page_tools(workspace)?, browser: setup::browser_tools(workspace)? })
    }
}

/// Runs the suites of a tier and prints what each took.
///
/// # Errors
/// A sentence if a tool is missing, or if anything failed.
pub fn run(workspace: &Workspace, tier: Tier) -> Outcome {
    // Everything is set up first, so that a missing tool shows at once and not
    // after minutes of tests.
    setup::lint_tools()?;
    let in_browser = if tier == Tier::Fast { None } else { Some(InBrowser::set_up(workspace)?) };
    let mut report = Report::default();
    if tier == Tier::Nightly {
        return nightly(workspace, &in_browser.ok_or("The nightly tier needs a browser.")?, report);
    }
    check_sources(workspace, &mut report);
    if tier == Tier::Full {
        check_more_sources(workspace, &mut report);
    }
    let built = report.step("compiling the tests", || programs::build(workspace, tier == Tier::Full));
    let (in_page, native) = apart(built.unwrap_or_default());
    report.tests("native tests", || programs::run(&native, &|name| !is_nightly(name)));
    if tier == Tier::Full {
        test_documentation(workspace, &mut report);
    }
    match &in_browser {
        Some(tools) => {
            check_types(workspace, &mut report);
            if tier == Tier::Full {
                test_in_browser(workspace, tools, &mut report);
            }
            let compiled = compiled(&in_page);
            let page = report.step("page build", || page::for_tests(workspace, &tools.page, &compiled));
            let name = if tier == Tier::Full { "full" } else { "default" };
            test_the_page(workspace, &in_page, page, tools, &["MEMPLAN_TIER", name], &[], &mut report);
        }
        None => report.skip("tests in a browser", "left out by --fast"),
    }
    report.finish(tier == Tier::Full)
}

/// Tests that only the nightly tier runs.
fn is_nightly(name: &str) -> bool {
    name.starts_with("slow::mutation::") || name.starts_with("slow::benchmarks::")
}

fn nightly(workspace: &Workspace, tools: &InBrowser, mut report: Report) -> Outcome {
    let built = report.step("compiling the tests", || programs::build(workspace, true));
    let (in_page, native) = apart(built.unwrap_or_default());
    let slow: Vec<Program> = native.into_iter().filter(|program| program.name == programs::SLOW).collect();
    let slow = slow.into_iter().map(|program| program.with("MEMPLAN_FUZZ_MINUTES", DAMAGING));
    let slow: Vec<Program> = slow.map(|program| program.with("MEMPLAN_FUZZ_SEED", "1")).collect();
    report.tests("damaged files, instances", || programs::run(&slow, &is_nightly));
    let compiled = compiled(&in_page);
    let page = report.step("page build, as published", || {
        page::build_with(workspace, &tools.page, None, &compiled)?;
        Ok(page::dist(workspace))
    });
    test_the_page(workspace, &in_page, page, tools, &["MEMPLAN_TIER", "nightly"], &[], &mut report);
    report.finish(false)
}

/// Runs the tests whose full names contain a text.
///
/// # Errors
/// A sentence if there are none, or if one failed.
pub fn run_only(workspace: &Workspace, name: &str) -> Outcome {
    let mut report = Report::default();
    let built = programs::build(workspace, true)?;
    let (in_page, native) = apart(built);
    let is_named = |full: &str| full.contains(name);
    let mut wanted = Vec::new();
    for program in &in_page {
        wanted.extend(program.names()?.into_iter().filter(|found| is_named(found)));
    }
    let mut found = wanted.len();
    for program in &native {
        found += program.names()?.iter().filter(|found| is_named(&format!("{}::{found}", program.name))).count();
    }
    if found == 0 {
        return Err(format!("No test has `{name}` in its name."));
    }
    report.tests("native tests", || programs::run(&native, &is_named));
    if !wanted.is_empty() {
        let tools = InBrowser::set_up(workspace)?;
        let compiled = compiled(&in_page);
        let page = report.step("page build", || page::for_tests(workspace, &tools.page, &compiled));
        test_the_page(workspace, &in_page, page, &tools, &[], &wanted, &mut report);
    }
    report.finish(false)
}

/// Gives a command the files and programs that the end-to-end programs read from their environment.
pub fn end_to_end_environment(command: &mut Command, page: &Path, tools: &BrowserTools) {
    command
        .env("MEMPLAN_DIST", page)
        .env("MEMPLAN_AXE", &tools.axe)
        .env("CHROME", &tools.browser.program)
        .env("CHROMEDRIVER", &tools.browser.driver);
}

fn check_sources(workspace: &Workspace, report: &mut Report) {
    report.check("format", || {
        cargo(workspace, &["fmt", "--all", "--check"], "The format check")
            .map_err(|sentence| format!("{sentence} `cargo fmt --all` corrects the format."))
    });
    report.check("lints, native", || clippy(workspace, &["--workspace", "--all-targets"]));
    report.check("lints, in the browser", || {
        clippy(workspace, &["--target", WASM_TARGET, "--package", "memplan", "--lib", "--bins"])
    });
}

fn check_more_sources(workspace: &Workspace, report: &mut Report) {
    report.check("lints, fuzz targets", || {
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
    });
    report.check("documentation of the code", || {
        // Links of private items too: the readers of these pages are those who change the code.
        let what = ["doc", "--locked", "--workspace", "--no-deps", "--document-private-items"];
        let mut command = process::cargo();
        command.args(what).env("RUSTDOCFLAGS", "-D warnings").current_dir(&workspace.root);
        process::run(&mut command, "The documentation of the code")
    });
}

/// The program of the end-to-end tests, and all others. One call compiles them, so that the crate
/// is compiled once.
fn apart(programs: Vec<Program>) -> (Vec<Program>, Vec<Program>) {
    programs.into_iter().partition(|program| program.name == END_TO_END)
}

fn test_documentation(workspace: &Workspace, report: &mut Report) {
    report.check("examples in the documentation", || {
        // The whole workspace, as for the other tests: the crates then have the features that they
        // were compiled with for them.
        let how = ["test", "--profile", programs::PROFILE, "--locked", "--workspace", "--doc"];
        cargo(workspace, &how, "The examples in the documentation")
    });
}

/// Compiles a TypeScript program that uses all of the JavaScript module.
fn check_types(workspace: &Workspace, report: &mut Report) {
    const SUITE: &str = "types of the module";
    match npm::find_typescript(workspace) {
        Ok(compiler) => {
            _ = report.check(SUITE, || {
                let mut command = Command::new("node");
                command.arg(compiler).args(["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom"]);
                command.args(["--module", "esnext", "--moduleResolution", "bundler", "tests/types/use.ts"]);
                process::run(command.current_dir(&workspace.root), "The check of the types")
            })
        }
        Err(reason) => report.skip(SUITE, &format!("left out, {reason}")),
    }
}

/// The programs that were compiled beside test programs.
fn compiled(programs: &[Program]) -> Compiled {
    let folder = programs.first().and_then(|program| program.executable.parent()?.parent());
    let program = |name| folder.map(|folder| process::program_in(folder, name)).filter(|file| file.is_file());
    Compiled { memplan: program("memplan"), first_visit: program("first_visit") }
}

fn test_in_browser(workspace: &Workspace, tools: &InBrowser, report: &mut Report) {
    report.check("browser tests", || {
        let mut command = tools.page.command(workspace, "cargo");
        command.args(["test", "--locked", "--target", WASM_TARGET, "--package", "memplan", "--test", "browser"]);
        command
            .env("CHROMEDRIVER", &tools.browser.browser.driver)
            // By name, found on the PATH: Cargo splits this value at spaces.
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner")
            .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", browser_options(workspace, &tools.browser)?)
            // The runner's own limits are short for a busy machine.
            .env("WASM_BINDGEN_TEST_TIMEOUT", "300")
            .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60");
        process::run(&mut command, "The browser tests")
    });
}

/// Runs the end-to-end tests on a page: those of a tier, or those with these names. Failed ones are
/// run once more.
fn test_the_page(
    workspace: &Workspace,
    programs: &[Program],
    page: Option<PathBuf>,
    tools: &InBrowser,
    tier: &[&str],
    names: &[String],
    report: &mut Report,
) {
    const SUITE: &str = "end-to-end tests";
    let ([program], Some(page)) = (programs, page) else {
        report.skip(SUITE, "not run, because the tests or the page could not be built");
        return;
    };
    report.tests(SUITE, || {
        let command = || {
            let mut command = Command::new(&program.executable);
            end_to_end_environment(&mut command, &page, &tools.browser);
            if let [name, value] = tier {
                command.env(name, value);
            }
            command.current_dir(&workspace.root);
            command
        };
        let mut results = end_to_end(workspace, command(), names)?;
        if results.failed.is_empty() {
            return Ok(results);
        }
        let failed = std::mem::take(&mut results.failed);
        println!("{} failed; once more:", failed.len());
        let again = end_to_end(workspace, command(), &failed)?;
        let full = |name: String| format!("{END_TO_END}::{name}");
        results.unsteady = failed.into_iter().filter(|name| !again.failed.contains(name)).map(full).collect();
        results.failed = again.failed.into_iter().map(full).collect();
        results.passed.extend(again.passed);
        Ok(results)
    });
}

/// Runs end-to-end tests and shows what they print. Failed ones have their own names.
fn end_to_end(workspace: &Workspace, mut command: Command, names: &[String]) -> Outcome<Results> {
    // The harness takes one name.
    if names.len() > 1 {
        let mut all = Results::default();
        for name in names {
            let mut again = Command::new(command.get_program());
            again.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?)))).current_dir(&workspace.root);
            all.add(end_to_end(workspace, again, std::slice::from_ref(name))?);
        }
        return Ok(all);
    }
    let times = workspace.root.join("target/xtask/end-to-end-times");
    workspace::make_folder(&workspace.root.join("target/xtask"))?;
    // Those of another run would be taken for those of this one.
    let _ = fs::remove_file(&times);
    // A test often waits for its browser: one more than there are processors keeps these busy.
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    command.args(["--test-threads", &(cores + 1).to_string()]).env("MEMPLAN_TIMES", &times);
    if !names.is_empty() {
        command.arg("--exact").args(names);
    }
    let mut lines = Lines::new(names);
    let ended = programs::watched(command.stdout(Stdio::piped()), |line| {
        println!("{line}");
        lines.read(line, Duration::ZERO, str::to_string);
    });
    let (mut results, _) = lines.finish();
    if results.passed.is_empty() && results.failed.is_empty() {
        ended.map_err(|sentence| format!("The end-to-end tests ran none: {sentence}"))?;
    }
    let timed: Vec<Timed> = fs::read_to_string(&times).unwrap_or_default().lines().filter_map(timed).collect();
    for (time, name) in &mut results.passed {
        *time = timed.iter().find(|(_, timed)| timed == name).map_or(*time, |(time, _)| *time);
        *name = format!("{END_TO_END}::{name}");
    }
    Ok(results)
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
    let broken = |why: &str| format!("webdriver.json is not what it was ({why}): restore it.");
    let mut options: Value = serde_json::from_str(options).map_err(|error| broken(&error.to_string()))?;
    let section = options.get_mut("goog:chromeOptions").and_then(Value::as_object_mut);
    let section = section.ok_or_else(|| broken("it lacks the section `goog:chromeOptions`"))?;
    section.insert("binary".to_string(), browser.to_string_lossy().into());
    Ok(options.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_is_put_into_the_project_s_driver_options() {
        let options = include_str!("../../webdriver.json");
        let text = with_browser(options, Path::new("/opt/a \"b\"/chrome")).expect("has the section");
        let text: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(text["goog:chromeOptions"]["binary"], "/opt/a \"b\"/chrome");
        assert!(text["goog:chromeOptions"]["args"].is_array());
        assert!(with_browser("{}", Path::new("/opt/chrome")).is_err());
    }

    #[test]
    fn times_are_lines_of_seconds_and_name() {
        assert_eq!(timed("0.50 a::quick"), Some((Duration::from_millis(500), "a::quick".to_string())));
        assert_eq!(timed("nothing"), None);
    }
}
