//! Four things from the npm registry: `wasm-opt`, which makes the page's
//! programs smaller and may be missing; axe-core, which the end-to-end suite
//! checks accessibility with; TypeScript, which checks the types of the
//! JavaScript module and may be missing; and Vite, which bundles that module
//! in a test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::Value;
use sha2::{Digest, Sha512};

use crate::debian;
use crate::process::{self, Outcome};
use crate::versions;
use crate::workspace::{self, Workspace};

/// A package and the file wanted from it.
struct NpmPackage {
    name: &'static str,
    /// Its `package.json`: it needs the package alone.
    manifest: &'static str,
    /// Its `package-lock.json`, which states the version and the digest of the archive.
    lock: &'static str,
    file: &'static str,
    why: &'static str,
}

const BINARYEN: NpmPackage = NpmPackage {
    name: "binaryen",
    manifest: include_str!("../npm/binaryen/package.json"),
    lock: include_str!("../npm/binaryen/package-lock.json"),
    file: "node_modules/.bin/wasm-opt",
    why: "makes the page's programs smaller",
};

const AXE: NpmPackage = NpmPackage {
    name: "axe-core",
    manifest: include_str!("../npm/axe-core/package.json"),
    lock: include_str!("../npm/axe-core/package-lock.json"),
    file: "node_modules/axe-core/axe.min.js",
    why: "checks the page's accessibility in the end-to-end suite",
};

const TYPESCRIPT: NpmPackage = NpmPackage {
    name: "typescript",
    manifest: include_str!("../npm/typescript/package.json"),
    lock: include_str!("../npm/typescript/package-lock.json"),
    file: "node_modules/typescript/bin/tsc",
    why: "checks the types of the JavaScript module",
};

const VITE: NpmPackage = NpmPackage {
    name: "vite",
    manifest: include_str!("../npm/vite/package.json"),
    lock: include_str!("../npm/vite/package-lock.json"),
    file: "node_modules/vite/bin/vite.js",
    why: "bundles the JavaScript module in a test",
};

/// A `wasm-opt` that can be run, or nothing after a line saying what follows.
pub fn find_wasm_opt(workspace: &Workspace) -> Option<PathBuf> {
    if let Some(program) = process::find_program("wasm-opt") {
        let version = process::capture(Command::new(&program).arg("--version"));
        let number = version.as_deref().and_then(versions::reported).and_then(versions::major);
        if number.is_some_and(|number| number >= versions::OLDEST_WASM_OPT) {
            return Some(program);
        }
    }
    let installed = BINARYEN.folder(workspace).join(BINARYEN.file);
    if installed.exists() {
        return Some(installed);
    }
    let reason = if process::find_program("npm").is_none() {
        "npm is not installed".to_string()
    } else {
        match BINARYEN.install_with_npm(workspace) {
            Ok(()) if process::succeeds(Command::new(&installed).arg("--version")) => {
                return Some(installed);
            }
            Ok(()) => "the installed Node.js is too old for it".to_string(),
            Err(sentence) => sentence.trim_end_matches('.').to_string(),
        }
    };
    println!(
        "Setup: there is no wasm-opt ({reason}), so the page's programs stay a tenth to a quarter larger; they work the same."
    );
    None
}

/// The TypeScript compiler, a program for Node.js, after fetching it if needed.
/// The error is why there is none.
pub fn find_typescript(workspace: &Workspace) -> Outcome<PathBuf> {
    let compiler = TYPESCRIPT.folder(workspace).join(TYPESCRIPT.file);
    let runs = || process::succeeds(Command::new("node").arg(&compiler).arg("--version"));
    if process::find_program("node").is_none() {
        return Err("Node.js is not installed".to_string());
    }
    if !compiler.is_file() {
        if process::find_program("npm").is_none() {
            return Err("npm is not installed".to_string());
        }
        TYPESCRIPT.install_with_npm(workspace).map_err(|sentence| sentence.trim_end_matches('.').to_string())?;
    }
    if runs() { Ok(compiler) } else { Err("the installed Node.js is too old for TypeScript".to_string()) }
}

/// The script of Vite, a program for Node.js, after fetching it if needed.
pub fn ensure_vite(workspace: &Workspace) -> Outcome<PathBuf> {
    let script = VITE.folder(workspace).join(VITE.file);
    if !script.is_file() {
        VITE.install_with_npm(workspace)?;
    }
    Ok(script)
}

/// The script of axe-core, after fetching it if needed.
pub fn ensure_axe(workspace: &Workspace) -> Outcome<PathBuf> {
    let script = AXE.folder(workspace).join(AXE.file);
    if script.is_file() {
        return Ok(script);
    }
    let by_npm = process::find_program("npm").is_some() && AXE.install_with_npm(workspace).is_ok();
    if !by_npm {
        download_axe(workspace)?;
    }
    if script.is_file() {
        return Ok(script);
    }
    let folder = AXE.folder(workspace);
    Err(format!("axe-core was installed without its script: remove {} and run the command again.", folder.display()))
}

impl NpmPackage {
    fn folder(&self, workspace: &Workspace) -> PathBuf {
        workspace.tools.join(format!("{}-{}", self.name, self.locked("version")))
    }

    /// What the lock file states of the package; nothing if it does not.
    fn locked(&self, fact: &str) -> String {
        let lock: Value = serde_json::from_str(self.lock).unwrap_or_default();
        let fact = &lock["packages"][format!("node_modules/{}", self.name)][fact];
        fact.as_str().unwrap_or_default().to_string()
    }

    fn install_with_npm(&self, workspace: &Workspace) -> Outcome {
        self.announce();
        self.fill_folder(workspace, |folder| {
            // `npm ci` installs what the lock file names and nothing else, and refuses an archive
            // with another digest.
            for (name, text) in [("package.json", self.manifest), ("package-lock.json", self.lock)] {
                let file = folder.join(name);
                fs::write(&file, text)
                    .map_err(|error| format!("{} could not be written ({error}).", file.display()))?;
            }
            let mut command = Command::new("npm");
            command.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]).current_dir(folder);
            process::run(&mut command, &format!("Installing {}", self.name))
        })
    }

    fn announce(&self) {
        println!(
            "Setup: {} {} ({}) is missing; installing it once from the npm registry.",
            self.name,
            self.locked("version"),
            self.why
        );
    }

    /// Fills a folder beside the final one and renames it, so that an
    /// interrupted installation is never taken for a finished one.
    fn fill_folder(&self, workspace: &Workspace, fill: impl FnOnce(&Path) -> Outcome) -> Outcome {
        let finished = self.folder(workspace);
        let partial = workspace.tools.join(format!("{}-partial-{}", self.name, std::process::id()));
        workspace::make_folder(&partial)?;
        let filled = fill(&partial).and_then(|()| {
            // Left over when the final folder lacks the wanted file.
            let _ = fs::remove_dir_all(&finished);
            fs::rename(&partial, &finished).map_err(|error| {
                let name = finished.display();
                format!("The folder {name} could not be made ({error}): check its permissions.")
            })
        });
        if filled.is_err() {
            let _ = fs::remove_dir_all(&partial);
        }
        filled
    }
}

/// Fetches axe-core without npm; the archive must have the pinned digest.
fn download_axe(workspace: &Workspace) -> Outcome {
    let (name, version) = (AXE.name, AXE.locked("version"));
    let address = format!("https://registry.npmjs.org/{name}/-/{name}-{version}.tgz");
    if process::find_program("curl").is_none() {
        debian::install(&["curl", "ca-certificates"], "curl, to fetch axe-core")
            .map_err(|sentence| format!("axe-core needs npm or curl to be fetched. {sentence}"))?;
    }
    AXE.announce();
    AXE.fill_folder(workspace, |folder| {
        let archive = folder.join("archive.tgz");
        let mut curl = Command::new("curl");
        curl.args(["--fail", "--silent", "--show-error", "--location", "--output"]);
        process::run(curl.arg(&archive).arg(&address), "Fetching axe-core").map_err(
            |sentence| {
                format!("{sentence} Check that {address} can be reached, then run the command again.")
            },
        )?;
        let bytes = fs::read(&archive).map_err(|error| format!("{} could not be read ({error}).", archive.display()))?;
        if integrity(&bytes) != AXE.locked("integrity") {
            return Err(format!(
                "What {address} sent is not the expected axe-core archive: check what stands between this machine and the registry."
            ));
        }
        let package = folder.join("node_modules").join(name);
        workspace::make_folder(&package)?;
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(&archive).arg("-C").arg(&package);
        process::run(tar.arg("--strip-components=1"), "Unpacking axe-core")
    })
}

/// The digest of an archive as a lock file states it.
fn integrity(archive: &[u8]) -> String {
    format!("sha512-{}", BASE64_STANDARD.encode(Sha512::digest(archive)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integrity_is_that_of_npm() {
        let empty = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==";
        assert_eq!(integrity(b""), empty);
    }

    #[test]
    fn every_package_is_locked_to_its_digest() {
        for package in [BINARYEN, AXE, TYPESCRIPT] {
            let (version, integrity) = (package.locked("version"), package.locked("integrity"));
            assert!(package.manifest.contains(&format!("\"{}\": \"{version}\"", package.name)), "{version}");
            assert_eq!((integrity.split_at(7).0, integrity.len()), ("sha512-", 95), "64 bytes in base64: {integrity}");
            assert_eq!(package.lock.matches("node_modules/").count(), 1, "it needs no other package");
        }
    }
}
