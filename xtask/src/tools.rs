//! Programs written in Rust that the project is built with: found where they
//! are, or installed once into the user's tools folder.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::manifest;
use crate::process::{self, Outcome};
use crate::versions;
use crate::workspace::{self, Workspace};

/// A program from crates.io in one exact version.
pub struct RustTool {
    package: &'static str,
    /// The first one reports the version; all of them must be there.
    programs: &'static [&'static str],
    version: String,
    why: &'static str,
    install_flags: &'static [&'static str],
    /// Whether the tool computes for minutes unless it is optimised.
    optimised: bool,
}

impl RustTool {
    /// The program that joins compiled Rust to JavaScript; it must have exactly
    /// the version of the library in `Cargo.lock`.
    pub fn wasm_bindgen(workspace: &Workspace) -> Outcome<Self> {
        let lock = workspace.read("Cargo.lock")?;
        let version = manifest::locked_version(&lock, "wasm-bindgen")
            .ok_or("Cargo.lock has no version of wasm-bindgen: restore that file from the repository.")?;
        Ok(Self {
            package: "wasm-bindgen-cli",
            programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
            version: version.to_string(),
            why: "joins the compiled Rust to JavaScript",
            // The package's own lock file names a release that is gone.
            install_flags: &[],
            optimised: false,
        })
    }

    /// The bundler that turns index.html and the sources into the page.
    pub fn trunk() -> Self {
        Self {
            package: "trunk",
            programs: &["trunk"],
            version: versions::TRUNK.to_string(),
            why: "bundles the page",
            // Its default features are an update check and HTTPS downloads.
            install_flags: &["--locked", "--no-default-features"],
            optimised: false,
        }
    }

    /// The program that finds the license texts in the libraries. Only `cargo xtask licenses`
    /// installs it.
    pub fn about() -> Self {
        Self {
            package: "cargo-about",
            programs: &["cargo-about"],
            version: versions::CARGO_ABOUT.to_string(),
            why: "lists the licenses of the page's libraries",
            install_flags: &["--locked", "--features", "cli"],
            optimised: true,
        }
    }

    /// The program that checks the libraries by `deny.toml`. Only `cargo xtask audit` installs it.
    pub fn deny() -> Self {
        Self {
            package: "cargo-deny",
            programs: &["cargo-deny"],
            version: versions::CARGO_DENY.to_string(),
            why: "checks the libraries by deny.toml",
            install_flags: &["--locked"],
            optimised: true,
        }
    }

    /// The folder with the tool's programs, after installing them if needed.
    pub fn ensure(&self, workspace: &Workspace) -> Outcome<PathBuf> {
        if let Some(folder) = self.find(workspace) {
            return Ok(folder);
        }
        let (package, version) = (self.package, &self.version);
        let folder = self.own_folder(workspace);
        workspace::make_folder(&folder)?;
        println!("Setup: {package} {version} ({}) is missing; installing it once into {}.", self.why, folder.display());
        if !self.install_prebuilt(&folder) {
            self.install_from_source(&folder)?;
        }
        self.find(workspace).ok_or_else(|| {
            let name = folder.display();
            format!(
                "{package} {version} was installed into {name} but does not run: remove that folder and run the command again."
            )
        })
    }

    fn own_folder(&self, workspace: &Workspace) -> PathBuf {
        workspace.tools.join(format!("{}-{}", self.package, self.version))
    }

    fn find(&self, workspace: &Workspace) -> Option<PathBuf> {
        let path = env::var_os("PATH").unwrap_or_default();
        let usual = [workspace.cargo_bin.clone(), self.own_folder(workspace).join("bin")];
        env::split_paths(&path).chain(usual).find(|folder| self.is_in(folder))
    }

    fn is_in(&self, folder: &Path) -> bool {
        let mut files = self.programs.iter().map(|program| process::program_in(folder, program));
        files.clone().all(|file| process::is_program(&file))
            && files
                .next()
                .and_then(|file| process::capture(Command::new(file).arg("--version")))
                .is_some_and(|output| versions::reported(&output) == Some(&self.version))
    }

    /// Tries cargo-binstall, which fetches finished programs, if the user has it.
    fn install_prebuilt(&self, folder: &Path) -> bool {
        if process::find_program("cargo-binstall").is_none() {
            return false;
        }
        let mut command = process::cargo();
        command
            .args(["binstall", "--no-confirm", "--root"])
            .arg(folder)
            // Building is done below, in the profile that takes a third of the time.
            .args(["--disable-strategies", "compile"])
            .arg(format!("{}@{}", self.package, self.version));
        let done = process::run(&mut command, "Installing a finished program").is_ok();
        if !done {
            println!("Setup: there is no finished program to fetch, so it is built here.");
        }
        done
    }

    fn install_from_source(&self, folder: &Path) -> Outcome {
        println!("Setup: building it takes a few minutes, this once.");
        let mut command = process::cargo();
        command
            .arg("install")
            .arg(format!("{}@{}", self.package, self.version))
            .args(self.install_flags)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .arg("--root")
            .arg(folder);
        if !self.optimised {
            // Optimising these tools would take three times as long and gain little.
            command.arg("--debug");
        }
        process::run(&mut command, &format!("Installing {}", self.package)).map_err(|sentence| {
            format!("{sentence} Check that crates.io can be reached and a C linker is installed, then run the command again.")
        })
    }
}
