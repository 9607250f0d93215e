//! The browser the suites drive, and the WebDriver program that drives it.

use std::env;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::debian;
use crate::process::{self, Outcome};
use crate::versions;

/// A browser and a driver of the same version.
pub struct Browser {
    /// The browser's program.
    pub program: PathBuf,
    /// The driver's program.
    pub driver: PathBuf,
}

/// The package of Debian's Chromium without windows. It draws and runs pages as Chromium does, but
/// takes about 30 % less CPU time for the suites, because it has no user interface of its own to
/// keep up to date.
const SHELL: &str = "chromium-headless-shell";

/// The program itself: a driver that ends the script of this name on the PATH leaves the program
/// running.
const SHELL_FILE: &str = "/usr/lib/chromium/chromium-headless-shell";

const BROWSER_NAMES: [&str; 4] = ["chromium", "google-chrome", "google-chrome-stable", "chromium-browser"];

const BROWSER_FILES: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

const DRIVER_FILES: [&str; 4] = [
    "/usr/lib/chromium/chromedriver",
    "/usr/lib/chromium-browser/chromedriver",
    "/opt/homebrew/bin/chromedriver",
    "/usr/local/bin/chromedriver",
];

/// Finds a browser with its driver, installing both where that needs no question.
pub fn ensure() -> Outcome<Browser> {
    let browser = match find()? {
        Some(browser) => ensure_shell(browser)?,
        None if debian::has_apt() && !debian::is_ubuntu() => {
            let packages = ["chromium", "chromium-driver", "fonts-noto-cjk"];
            debian::install(&packages, "the browser of the test suites")?;
            ensure_shell(find()?.ok_or_else(remedy)?)?
        }
        None => return Err(remedy()),
    };
    ensure_wide_fonts();
    Ok(browser)
}

/// Installs Chromium without windows beside the Chromium of Debian, where there is a package of it,
/// and returns the browser to use. The suites also run without it, so a failure only warns.
fn ensure_shell(browser: Browser) -> Outcome<Browser> {
    let is_from_debian = browser.program == Path::new("/usr/bin/chromium") && chosen_by("CHROME")?.is_none();
    // One of another version than the driver is there already and was not taken.
    if !is_from_debian || process::is_program(Path::new(SHELL_FILE)) || !debian::has_package(SHELL) {
        return Ok(browser);
    }
    if let Err(sentence) = debian::install(&[SHELL], "a faster browser of the test suites") {
        println!("Setup: the suites run with {} instead. {sentence}", browser.program.display());
        return Ok(browser);
    }
    Ok(find()?.unwrap_or(browser))
}

/// A browser and a driver whose major versions agree.
pub fn find() -> Outcome<Option<Browser>> {
    let browsers = versioned(browser_candidates()?);
    let drivers = versioned(driver_candidates()?);
    for (driver, driver_version) in &drivers {
        for (program, version) in &browsers {
            if version == driver_version {
                let (program, driver) = (program.clone(), driver.clone());
                return Ok(Some(Browser { program, driver }));
            }
        }
    }
    match (browsers.first(), drivers.first()) {
        (Some((program, version)), Some((driver, driver_version))) => Err(format!(
            "{} is version {version} but {} is for version {driver_version}: install the ChromeDriver of the browser's version, or set CHROME and CHROMEDRIVER to a pair that fits.",
            program.display(),
            driver.display()
        )),
        _ => Ok(None),
    }
}

fn browser_candidates() -> Outcome<Vec<PathBuf>> {
    if let Some(chosen) = chosen_by("CHROME")? {
        return Ok(vec![chosen]);
    }
    let named = BROWSER_NAMES.iter().filter_map(|name| process::find_program(name));
    // The preferred one comes first.
    let shell = PathBuf::from(SHELL_FILE);
    Ok(iter::once(shell).chain(named).chain(BROWSER_FILES.map(PathBuf::from)).collect())
}

fn driver_candidates() -> Outcome<Vec<PathBuf>> {
    if let Some(chosen) = chosen_by("CHROMEDRIVER")? {
        return Ok(vec![chosen]);
    }
    // Hosted build machines name the folder of their driver in this variable.
    let hosted = env::var_os("CHROMEWEBDRIVER").map(|folder| process::program_in(Path::new(&folder), "chromedriver"));
    let named = ["chromedriver", "chromium.chromedriver"].into_iter().filter_map(process::find_program);
    Ok(hosted.into_iter().chain(named).chain(DRIVER_FILES.map(PathBuf::from)).collect())
}

/// The program a variable names; a wrong one is an error rather than ignored.
fn chosen_by(variable: &str) -> Outcome<Option<PathBuf>> {
    let Some(value) = env::var_os(variable).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let file = PathBuf::from(value);
    if process::is_program(&file) {
        Ok(Some(file))
    } else {
        Err(format!("{variable} is set to {}, which is not a program: correct or unset it.", file.display()))
    }
}

/// Those candidates that run, each with its major version; a placeholder that
/// only asks for a snap to be installed does not run and so is left out.
fn versioned(candidates: Vec<PathBuf>) -> Vec<(PathBuf, u32)> {
    let mut found = Vec::new();
    for file in candidates.into_iter().filter(|file| process::is_program(file)) {
        let output = process::capture(Command::new(&file).arg("--version"));
        let version = output.as_deref().and_then(versions::reported).and_then(versions::major);
        found.extend(version.map(|version| (file, version)));
    }
    found
}

/// Without fonts for Chinese, Japanese and Korean those texts are boxes of
/// another width; the suites still run, so this only warns.
fn ensure_wide_fonts() {
    if !debian::has_apt() {
        return;
    }
    let fonts = process::capture(Command::new("fc-list").arg(":lang=ja"));
    if fonts.is_some_and(|list| !list.trim().is_empty()) {
        return;
    }
    if let Err(sentence) = debian::install(&["fonts-noto-cjk"], "fonts for the end-to-end suite") {
        println!("Setup: fonts for Chinese, Japanese and Korean text are missing. {sentence}");
    }
}

fn remedy() -> String {
    if cfg!(target_os = "macos") {
        "The browser suites need Chromium and ChromeDriver: run `brew install --cask chromium chromedriver` (an installed Google Chrome of the same version will do for Chromium)."
    } else if debian::is_ubuntu() {
        "Ubuntu's chromium package is only a placeholder for a snap: install Google Chrome from https://www.google.com/chrome and the ChromeDriver of the same version from https://googlechromelabs.github.io/chrome-for-testing, and put both on the PATH or name them in CHROME and CHROMEDRIVER."
    } else {
        "The browser suites need Chromium or Google Chrome and the ChromeDriver of the same version: install both and put them on the PATH, or name them in CHROME and CHROMEDRIVER."
    }
    .to_string()
}
