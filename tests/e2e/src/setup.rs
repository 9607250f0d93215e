//! Where the page and the programs of a run lie: from the environment, else from their usual
//! places.

use std::env;
use std::path::{Path, PathBuf};

const BROWSERS: [&str; 4] = ["chromium", "google-chrome", "google-chrome-stable", "chromium-browser"];

/// Files and programs of a run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Folder of the built page.
    pub dist: PathBuf,
    pub browser: PathBuf,
    pub driver: PathBuf,
}

impl Setup {
    /// # Errors
    /// A sentence that says what is missing and how to get it.
    pub fn find() -> Result<Setup, String> {
        let dist = from_environment("MEMPLAN_DIST").unwrap_or_else(|| workspace().join("dist"));
        if !dist.join("index.html").is_file() {
            return Err(format!("{} holds no built page. `cargo xtask build` builds it.", dist.display()));
        }
        let browser = from_environment("CHROME").or_else(|| BROWSERS.into_iter().find_map(on_path));
        let driver = from_environment("CHROMEDRIVER").or_else(|| on_path("chromedriver"));
        let missing = |what: &str, variable: &str| {
            format!(
                "There is no {what} on the PATH. Install one or set {variable}; `cargo xtask test` does it for you."
            )
        };
        Ok(Setup {
            dist,
            browser: browser.ok_or_else(|| missing("Chromium", "CHROME"))?,
            driver: driver.ok_or_else(|| missing("ChromeDriver", "CHROMEDRIVER"))?,
        })
    }
}

/// The folder of the whole project.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The path a variable holds; an empty one counts as unset.
pub fn from_environment(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn on_path(program: &str) -> Option<PathBuf> {
    let file = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(&file)).find(|path| path.is_file())
}
