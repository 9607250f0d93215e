//! The program of the page in parts: its state, the functions with which a first visit shows its
//! plan, and all functions. A browser visits the page and tells which functions run, `xtask-split`
//! makes the parts, and `www/program.js` brings them.

use std::env;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::process::{self, Outcome};

/// The variable that is set where a browser is at hand, which the usual variables name.
pub const SPLIT: &str = "MEMPLAN_SPLIT";

/// The variable that names a finished `first_visit`, where one has been compiled anyway.
pub const FIRST_VISIT: &str = "MEMPLAN_FIRST_VISIT";

/// The lines of the script, as wasm-bindgen writes them, that name the program and make it.
const NAME: &str = "module_or_path = new URL('app_bg.wasm', import.meta.url);";
const LOAD: &str = "const { instance, module } = await __wbg_load(await module_or_path, imports);";

/// The address in `index.html` of the file that the browser is to fetch before scripts run.
const EARLY: &str = "\"./app_bg.wasm\"";

/// The lines of `www/start.js` for the parts that follow: on a first visit, on others.
const FIRST: &str = "const FIRST = [];";
const WHOLE: &str = "const WHOLE = [];";

/// Splits the program in the folder of the page.
pub fn split(folder: &Path) -> Outcome {
    let [program, script] = ["app_bg.wasm", "app.js"].map(|name| folder.join(name));
    let told = |error| format!("The program in {} could not be read or written ({error}).", folder.display());
    let (whole, text) = (fs::read(&program).map_err(told)?, fs::read_to_string(&script).map_err(told)?);

    fs::write(&script, instead(&text, LOAD, &tracing())?).map_err(told)?;
    process::run(splitter().arg("trace").arg(&program), "Tracing the program of the page")?;
    let ran = visit(folder)?;

    fs::write(&program, whole).map_err(told)?;
    fs::write(&script, bringing(&text)?).map_err(told)?;
    for (file, change) in [("index.html", early as fn(&str) -> _), ("start.js", naming)] {
        let file = folder.join(file);
        let text = fs::read_to_string(&file).map_err(told)?;
        fs::write(&file, change(&text)?).map_err(told)?;
    }
    let [state, first] = ["app_state.wasm", "app_first.wasm"].map(|name| folder.join(name));
    feed(splitter().arg("split").arg(&program).arg(state).arg(first), &ran)
}

fn splitter() -> Command {
    let mut command = process::cargo();
    command.args(["run", "--quiet", "--locked", "--package", "xtask-split", "--"]);
    command
}

/// The functions that run when somebody comes for the first time.
fn visit(folder: &Path) -> Outcome<String> {
    let mut command = match env::var_os(FIRST_VISIT).filter(|program| !program.is_empty()) {
        Some(program) => Command::new(program),
        None => {
            let mut command = process::cargo();
            command.args(["run", "--quiet", "--locked", "--package", "memplan-e2e", "--bin", "first_visit"]);
            command
        }
    };
    command.env("MEMPLAN_DIST", folder).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("The first visit could not begin ({error})."))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err("The first visit failed, see the lines above.".to_string())
    }
}

/// Runs a command that reads a text.
fn feed(command: &mut Command, text: &str) -> Outcome {
    let told = |error| format!("The program of the page could not be split ({error}).");
    let mut child = command.stdin(Stdio::piped()).spawn().map_err(told)?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes()).map_err(told)?;
    }
    if child.wait().map_err(told)?.success() { Ok(()) } else { Err("Splitting it failed, see the lines above.".into()) }
}

/// The lines of a script that make a traced program.
fn tracing() -> String {
    let ran = "globalThis.memplanRan = new Set();
    imports.trace = { ran: (number) => globalThis.memplanRan.add(number) };";
    format!("{ran}\n    {LOAD}")
}

/// The script of a program that comes in parts.
fn bringing(script: &str) -> Outcome<String> {
    let begun = instead(script, NAME, "module_or_path = begin();")?;
    let lines = format!("await share(imports);\n    {LOAD}\n    follow((exports) => {{ wasm = exports; }});");
    Ok(format!("import {{ begin, follow, share }} from './program.js';\n{}", instead(&begun, LOAD, &lines)?))
}

/// The page, which asks early for the part that every visit needs.
fn early(page: &str) -> Outcome<String> {
    instead(page, EARLY, "\"./app_state.wasm\"")
}

/// The script of the start with the names of the parts.
fn naming(script: &str) -> Outcome<String> {
    let first = instead(script, FIRST, "const FIRST = [\"app_first.wasm\"];")?;
    instead(&first, WHOLE, "const WHOLE = [\"app_bg.wasm\"];")
}

/// A text with other lines in place of one that it has once.
fn instead(text: &str, line: &str, lines: &str) -> Outcome<String> {
    if text.matches(line).count() == 1 {
        Ok(text.replace(line, lines))
    } else {
        Err(format!("A file of the page lacks `{line}`: change xtask/src/parts.rs."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_brings_the_parts() {
        let script = format!("let wasm;\nasync function start() {{\n    {NAME}\n    {LOAD}\n}}\n");
        let brought = bringing(&script).expect("the lines");
        let lines: Vec<&str> = brought.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "import { begin, follow, share } from './program.js';",
                "let wasm;",
                "async function start() {",
                "module_or_path = begin();",
                "await share(imports);",
                LOAD,
                "follow((exports) => { wasm = exports; });",
                "}",
            ]
        );
        assert!(bringing("").is_err());
    }

    #[test]
    fn the_page_and_its_start_name_the_parts() {
        assert!(early(include_str!("../../index.html")).expect("the address").contains("app_state.wasm"));
        let start = naming(include_str!("../../www/start.js")).expect("the lines");
        assert!(["app_first.wasm", "app_bg.wasm"].iter().all(|part| start.contains(part)));
    }
}
