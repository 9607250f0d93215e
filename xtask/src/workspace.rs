//! Where the project and the user's tools are.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::process::Outcome;

/// The folders every command works with.
pub struct Workspace {
    /// The root of the project.
    pub root: PathBuf,
    /// Where tools of this user are kept, shared by all copies of the project.
    pub tools: PathBuf,
    /// Where `cargo install` puts programs.
    pub cargo_bin: PathBuf,
}

impl Workspace {
    /// Finds the folders from the environment Cargo gives to this program.
    pub fn find() -> Outcome<Self> {
        let crate_dir = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| OsString::from(env!("CARGO_MANIFEST_DIR")));
        let root = Path::new(&crate_dir)
            .parent()
            .filter(|root| root.join("Cargo.lock").is_file())
            .ok_or("The project's root was not found: run `cargo xtask` inside a copy of the project.")?
            .to_path_buf();
        let home = env::home_dir()
            .filter(|home| !home.as_os_str().is_empty())
            .ok_or("There is no home folder to keep tools in: set the HOME variable.")?;
        let cargo_home = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), Into::into);
        Ok(Self { tools: caches(&home).join("memplan").join("tools"), cargo_bin: cargo_home.join("bin"), root })
    }

    /// The text of a file of the project.
    pub fn read(&self, name: &str) -> Outcome<String> {
        fs::read_to_string(self.root.join(name)).map_err(|error| format!("{name} could not be read ({error})."))
    }
}

/// The folder for things that can be fetched again.
fn caches(home: &Path) -> PathBuf {
    match env::var_os("XDG_CACHE_HOME").map(PathBuf::from) {
        Some(folder) if folder.is_absolute() => folder,
        _ if cfg!(target_os = "macos") => home.join("Library").join("Caches"),
        _ => home.join(".cache"),
    }
}

/// Makes a folder and those above it.
pub fn make_folder(folder: &Path) -> Outcome {
    fs::create_dir_all(folder).map_err(|error| {
        let name = folder.display();
        format!("The folder {name} could not be made ({error}): check its permissions.")
    })
}
