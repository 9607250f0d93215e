//! The JavaScript module as a package for npm: packed, then installed into an empty project,
//! bundled by Vite and run in a browser.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::browser;
use crate::npm;
use crate::page;
use crate::process::{self, Outcome};
use crate::release;
use crate::setup;
use crate::workspace::{self, Workspace};

/// What the package begins with; what these import comes along.
const MODULE: &str = "memplan.js";

/// Files that the module fetches, beside those that it imports.
const FETCHED: [&str; 4] = ["engine_bg.wasm", "reader_bg.wasm", "locales/en.json", "locales/zh.json"];

/// Text that the page of the test shows in the end: a plan, a picture, a file of another tool.
const EXPECTED: &str = "peak 2048, 1 picture, 2 steps of NNVM";

const TEST_PAGE: &str = r#"<!doctype html><meta charset="utf-8"><p id="out"></p><script type="module" src="main.js"></script>
"#;

const TEST_SCRIPT: &str = r#"import init, { plan, Replay } from "memplan";
const out = document.getElementById("out");
try {
  await init();
  const tensor = (name) => ({ name, dtype: "float32", shape: [256], kind: "intermediate" });
  const graph = {
    format: "memory-graph/1",
    name: "chain",
    tensors: [tensor("a"), tensor("b")],
    nodes: [
      { name: "make", op: "fill", inputs: [], outputs: ["a"] },
      { name: "twice", op: "mul", inputs: ["a"], outputs: ["b"] },
    ],
  };
  const replay = new Replay(graph, "first-fit");
  const pictures = replay.svg(1).startsWith("<svg") ? 1 : 0;
  const other = JSON.stringify({
    nodes: [
      { op: "null", name: "x", inputs: [] },
      { op: "tvm_op", name: "a", attrs: { num_inputs: "1", num_outputs: "1" }, inputs: [[0, 0, 0]] },
      { op: "tvm_op", name: "b", attrs: { num_inputs: "1", num_outputs: "1" }, inputs: [[1, 0, 0]] },
    ],
    arg_nodes: [0],
    heads: [[2, 0, 0]],
    node_row_ptr: [0, 1, 2, 3],
    attrs: {
      shape: ["list_shape", [[4], [4], [4]]],
      dltype: ["list_str", ["float32", "float32", "float32"]],
      storage_id: ["list_int", [0, 1, 2]],
    },
  });
  const steps = plan(other, "first-fit").steps;
  out.textContent = `peak ${plan(graph, "first-fit").metrics.peak}, ${pictures} picture, ${steps} steps of NNVM`;
} catch (error) {
  out.textContent = `${error.code} ${error.message}`;
}
"#;

/// Writes the package into `target/npm`, and tests it.
pub fn build(workspace: &Workspace) -> Outcome {
    if process::find_program("npm").is_none() {
        return Err("npm is not installed: install Node.js 20 or newer from https://nodejs.org.".into());
    }
    let dist = page::dist(workspace);
    if !dist.join("index.html").is_file() {
        page::build(workspace, &setup::page_tools(workspace)?, None)?;
    }
    let folder = workspace.root.join("target/npm");
    let _ = fs::remove_dir_all(&folder);
    let package = folder.join("memplan");
    fill(workspace, &dist, &package)?;
    let mut pack = Command::new("npm");
    pack.args(["pack", "--silent", "--pack-destination"]).arg(&folder).current_dir(&package);
    process::run(&mut pack, "Packing the module")?;
    let archive = folder.join(format!("memplan-{}.tgz", release::version(workspace)?));
    test(workspace, &archive)?;
    let bytes = fs::metadata(&archive).map_or(0, |metadata| metadata.len());
    println!("{}, {bytes} bytes", archive.display());
    Ok(())
}

/// Copies what the package holds.
fn fill(workspace: &Workspace, dist: &Path, package: &Path) -> Outcome {
    let programs = version_folder(dist)?;
    let mut files = imported(&programs)?;
    files.extend(FETCHED.map(String::from));
    for name in &files {
        copy(&programs.join(name), &package.join(name))?;
    }
    copy(&dist.join("memplan.d.ts"), &package.join("memplan.d.ts"))?;
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&workspace.root.join(name), &package.join(name))?;
    }
    copy(&workspace.root.join("docs/npm.md"), &package.join("README.md"))?;
    let mut listed: Vec<&str> = files.iter().map(|name| name.split('/').next().unwrap_or(name)).collect();
    listed.push("memplan.d.ts");
    listed.sort_unstable();
    listed.dedup();
    let text = format!("{:#}\n", description(&release::version(workspace)?, &listed));
    let file = package.join("package.json");
    fs::write(&file, text).map_err(|error| format!("{} could not be written ({error}).", file.display()))
}

fn description(version: &str, files: &[&str]) -> Value {
    json!({
        "name": "memplan",
        "version": version,
        "description": "Planners of neural-network memory, every decision they take, and pictures of it",
        "license": "MIT OR Apache-2.0",
        "keywords": ["neural-network", "memory", "planner", "allocator", "visualization"],
        "type": "module",
        "main": MODULE,
        "types": "memplan.d.ts",
        "exports": { ".": { "types": "./memplan.d.ts", "default": "./memplan.js" } },
        "files": files,
    })
}

/// The folder of the programs in a finished page.
fn version_folder(dist: &Path) -> Outcome<PathBuf> {
    let entries = fs::read_dir(dist).map_err(|error| format!("{} could not be read ({error}).", dist.display()))?;
    let mut folders = entries.flatten().map(|entry| entry.path());
    let is_one = |folder: &PathBuf| folder.join(MODULE).is_file() && folder.join("engine_bg.wasm").is_file();
    folders.find(is_one).ok_or_else(|| format!("{} has no programs: run `cargo xtask build`.", dist.display()))
}

/// The module, and all that it imports by relative names.
fn imported(programs: &Path) -> Outcome<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut open = vec![MODULE.to_string()];
    while let Some(name) = open.pop() {
        let file = programs.join(&name);
        let text =
            fs::read_to_string(&file).map_err(|error| format!("{} could not be read ({error}).", file.display()))?;
        let folder = name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        if found.insert(name) {
            open.extend(relative_imports(&text).into_iter().map(|import| format!("{folder}{import}")));
        }
    }
    Ok(found)
}

/// Names after `from` and `import` that begin with `./`, without it.
fn relative_imports(text: &str) -> Vec<String> {
    let quoted = |rest: &str| {
        let quote = rest.chars().next().filter(|sign| ['"', '\''].contains(sign))?;
        Some(rest[1..].split_once(quote)?.0.strip_prefix("./")?.to_string())
    };
    let after = ["from ", "import ", "import("].into_iter().flat_map(|word| text.split(word).skip(1));
    after.filter_map(|rest| quoted(rest.trim_start())).collect()
}

fn copy(from: &Path, to: &Path) -> Outcome {
    workspace::make_folder(to.parent().unwrap_or(to))?;
    let copied = fs::copy(from, to).map(|_| ());
    copied.map_err(|error| format!("{} could not be copied to {} ({error}).", from.display(), to.display()))
}

/// Installs the packed module into an empty project, bundles a page with it, and looks at the page.
fn test(workspace: &Workspace, archive: &Path) -> Outcome {
    let vite = npm::ensure_vite(workspace)?;
    let browser = browser::ensure()?;
    let project = workspace.root.join("target/npm-test");
    let _ = fs::remove_dir_all(&project);
    workspace::make_folder(&project)?;
    let manifest = json!({ "private": true, "type": "module" }).to_string();
    for (name, text) in [("package.json", manifest.as_str()), ("index.html", TEST_PAGE), ("main.js", TEST_SCRIPT)] {
        let file = project.join(name);
        fs::write(&file, text).map_err(|error| format!("{} could not be written ({error}).", file.display()))?;
    }
    let mut install = Command::new("npm");
    install.args(["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error"]).arg(archive);
    process::run(install.current_dir(&project), "Installing the packed module")?;
    let mut bundle = Command::new("node");
    bundle.arg(&vite).args(["build", "--target", "es2022", "--logLevel", "warn"]).current_dir(&project);
    process::run(&mut bundle, "Bundling a page with the module")?;
    let mut serve = Command::new("node");
    serve.arg(&vite).args(["preview", "--host", "127.0.0.1", "--port", "4179", "--strictPort"]);
    let server = serve.current_dir(&project).stdout(Stdio::null()).spawn();
    let server = Running(server.map_err(|error| format!("The bundled page could not be served ({error})."))?);
    let shown = shown_text(&browser.program, "http://127.0.0.1:4179/");
    drop(server);
    match shown {
        Some(text) if text == EXPECTED => Ok(()),
        Some(text) => Err(format!("The bundled page shows “{text}” in place of “{EXPECTED}”.")),
        None => Err("The bundled page shows nothing.".into()),
    }
}

/// A server, ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the page writes, once it has written something.
fn shown_text(browser: &Path, address: &str) -> Option<String> {
    // The server may take a moment to start.
    for _ in 0..20 {
        thread::sleep(Duration::from_millis(500));
        let mut command = Command::new(browser);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"]);
        command.args(["--virtual-time-budget=60000", address]).stderr(Stdio::null());
        let page = process::capture(&mut command).unwrap_or_default();
        let text = page.split_once("<p id=\"out\">").and_then(|(_, rest)| rest.split_once("</p>"));
        if let Some((text, _)) = text.filter(|(text, _)| !text.is_empty()) {
            return Some(text.to_string());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_module_imports_by_relative_names_comes_along() {
        let text = "import start, { a } from \"./engine.js\";\nconst b = await import('./reader.js');\n\
                    import \"./snippets/x.js\"; import c from \"other\";";
        assert_eq!(relative_imports(text), ["engine.js", "snippets/x.js", "reader.js"]);
    }

    #[test]
    fn the_package_exports_the_module_with_its_types() {
        let text = description("1.2.3", &["memplan.js"]);
        assert_eq!(text["version"], "1.2.3");
        assert_eq!(text["exports"]["."]["types"], "./memplan.d.ts");
    }
}
