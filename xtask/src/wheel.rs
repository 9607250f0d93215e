//! The Python wheel: the program with the page inside, and the package of `python/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::args::Wheel;
use crate::page;
use crate::process::{self, Outcome};
use crate::setup;
use crate::versions;
use crate::workspace::{self, Workspace};

/// What people on a slow line have to fetch.
const MOST_BYTES: u64 = 10_000_000;

/// What the fresh environment runs before anything else is installed there. A failure ends it.
const SMOKE: &str = r#"
import memplan
plan = memplan.plan("ex:resnet18")
assert plan.check() and plan.bound <= plan.peak <= plan.unshared, plan
assert memplan.plan([("a", 8, 0, 3), ("b", 8, 2, 4), ("c", 8, 3, 5)]).peak == 16
assert "<svg" in plan._repr_html_()
try:
    memplan.plan("no such file.onnx")
except memplan.Error as error:
    assert error.code == 2 and "no such file.onnx" in str(error)
else:
    raise AssertionError("a missing file was read")
print("memplan", memplan.__version__, "plans", plan.graph, "in", plan.peak, "bytes")
"#;

/// Builds the wheel into `target/wheels`, and tests it in a fresh environment.
pub fn build(workspace: &Workspace, options: &Wheel) -> Outcome {
    let python = find_python()?;
    let maturin = ensure_maturin(workspace, &python)?;
    if !options.no_page && !page::dist(workspace).join("index.html").is_file() {
        page::build(workspace, &setup::page_tools(workspace)?, None)?;
    }
    let folder = workspace.root.join("target/wheels");
    // The one that is found below is the one that is built now.
    let _ = fs::remove_dir_all(&folder);
    let mut command = Command::new(maturin);
    command.args(["build", "--profile", "wheel", "--locked", "--compression-level", "9", "--out"]).arg(&folder);
    if !options.no_page {
        command.args(["--features", "view"]);
    }
    if let Some(target) = &options.target {
        command.args(["--target", target]);
        if target.contains("-musl") {
            // The program needs no library of the system: it runs beside any.
            command.args(["--compatibility", "manylinux2014", "musllinux_1_2"]);
        }
    }
    process::run(command.current_dir(workspace.root.join("python")), "Building the wheel")?;
    let wheel = only_wheel(&folder)?;
    let bytes = fs::metadata(&wheel).map_or(0, |metadata| metadata.len());
    if bytes > MOST_BYTES {
        return Err(format!("{} has {bytes} bytes, more than {MOST_BYTES}: find what grew.", wheel.display()));
    }
    test(workspace, &python, &wheel, options.packages.as_deref().unwrap_or_default())?;
    println!("{}, {bytes} bytes", wheel.display());
    Ok(())
}

/// Installs the wheel without an index, plans with it, and then runs the tests of the package, with
/// `packages` of PyPI.
fn test(workspace: &Workspace, python: &Path, wheel: &Path, packages: &str) -> Outcome {
    let folder = workspace.root.join("target/wheel-test");
    let fresh = fresh_environment(python, &folder)?;
    let mut pip = pip_install(&fresh);
    process::run(pip.args(["--no-index", "--no-deps"]).arg(wheel), "Installing the wheel")?;
    // Elsewhere: beside `python/memplan`, Python would import that folder.
    process::run(Command::new(&fresh).args(["-c", SMOKE]).current_dir(&folder), "The first plan")?;
    let packages = packages.split(',').map(str::trim).filter(|name| !name.is_empty());
    process::run(pip_install(&fresh).arg("pytest").args(packages), "Installing packages for the tests from PyPI")?;
    let mut pytest = Command::new(&fresh);
    pytest.args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"]).arg(workspace.root.join("python/tests"));
    process::run(pytest.current_dir(&folder), "The tests of the package")
}

/// The Python that builds and tests.
fn find_python() -> Outcome<PathBuf> {
    let names = if cfg!(windows) { ["python", "python3"] } else { ["python3", "python"] };
    let is_new = "import sys; sys.exit(sys.version_info < (3, 9))";
    let mut found = names.into_iter().filter_map(process::find_program);
    found
        .find(|python| process::succeeds(Command::new(python).args(["-c", is_new])))
        .ok_or_else(|| "There is no Python 3.9 or newer on the PATH: install one from https://python.org.".to_string())
}

/// The builder of wheels, after installing it once from PyPI.
fn ensure_maturin(workspace: &Workspace, python: &Path) -> Outcome<PathBuf> {
    let folder = workspace.tools.join(format!("maturin-{}", versions::MATURIN));
    let maturin = process::program_in(&programs_of(&folder), "maturin");
    if process::succeeds(Command::new(&maturin).arg("--version")) {
        return Ok(maturin);
    }
    println!("Setup: maturin {} (builds the wheel) is missing; installing it once from PyPI.", versions::MATURIN);
    let fresh = fresh_environment(python, &folder)?;
    let mut pip = pip_install(&fresh);
    process::run(pip.arg(format!("maturin=={}", versions::MATURIN)), "Installing maturin")?;
    Ok(maturin)
}

/// Makes an empty environment and returns its Python.
fn fresh_environment(python: &Path, folder: &Path) -> Outcome<PathBuf> {
    let _ = fs::remove_dir_all(folder);
    workspace::make_folder(folder)?;
    let mut command = Command::new(python);
    process::run(command.args(["-m", "venv"]).arg(folder), "Making an environment for Python")
        .map_err(|sentence| format!("{sentence} On Debian and Ubuntu, install the package python3-venv."))?;
    Ok(process::program_in(&programs_of(folder), "python"))
}

fn programs_of(environment: &Path) -> PathBuf {
    environment.join(if cfg!(windows) { "Scripts" } else { "bin" })
}

fn pip_install(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    command
}

fn only_wheel(folder: &Path) -> Outcome<PathBuf> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{} could not be read ({error}).", folder.display()))?;
    let mut files = entries.flatten().map(|entry| entry.path());
    files
        .find(|file| file.extension().is_some_and(|ending| ending == "whl"))
        .ok_or_else(|| format!("maturin left no wheel in {}.", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wheel_has_the_page_of_the_program() {
        let project = include_str!("../../python/pyproject.toml");
        assert!(project.contains("manifest-path = \"../crates/cli/Cargo.toml\""));
        assert!(include_str!("../../crates/cli/Cargo.toml").contains("\nview = []\n"), "the feature of the page");
        assert!(project.contains("\ndependencies = []\n"), "the wheel brings nothing along");
    }

    #[test]
    fn the_nightly_workflow_leaves_no_test_of_the_package_out() {
        let workflow = include_str!("../../.github/workflows/nightly.yml");
        let given = workflow.lines().find_map(|line| line.trim().strip_prefix("PACKAGES: ")).expect("packages");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python/tests");
        let mut needed = 0;
        for entry in fs::read_dir(folder).expect("the tests of the package").flatten() {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            for call in text.split("importorskip(\"").skip(1) {
                let package = call.split(['"', '.']).next().unwrap_or_default();
                let is_it = |name: &str| name.ends_with(&package.replace('_', "-"));
                assert!(given.split(',').any(is_it), "{package}, without which tests are left out");
                needed += 1;
            }
        }
        assert!(needed > 5, "{needed}");
    }

    #[test]
    fn a_folder_without_a_wheel_is_named() {
        let told = only_wheel(Path::new("no such folder")).expect_err("there is none");
        assert!(told.contains("no such folder"), "{told}");
    }
}
