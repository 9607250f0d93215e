//! The program of the page in two parts: `app_bg.wasm`, with which a first visit shows its plan,
//! and `app_rest.wasm`. A browser visits the page and tells which functions run, `xtask-split`
//! makes the parts, and `www/rest.js` brings the second.

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

/// The line of the script, as wasm-bindgen writes it, that makes the program.
const LOAD: &str = "const { instance, module } = await __wbg_load(await module_or_path, imports);";

/// The line of `www/start.js` for what comes later.
const LATER: &str = "const LATER = [];";

/// Splits the program in the folder of the page.
pub fn split(folder: &Path) -> Outcome {
    let [program, script, start] = ["app_bg.wasm", "app.js", "start.js"].map(|name| folder.join(name));
    let told = |error| format!("The program in {} could not be read or written ({error}).", folder.display());
    let (whole, text) = (fs::read(&program).map_err(told)?, fs::read_to_string(&script).map_err(told)?);

    fs::write(&script, instead(&text, LOAD, &tracing())?).map_err(told)?;
    process::run(splitter().arg("trace").arg(&program), "Tracing the program of the page")?;
    let ran = visit(folder)?;

    fs::write(&program, whole).map_err(told)?;
    fs::write(&script, bringing(&text)?).map_err(told)?;
    let begin = fs::read_to_string(&start).map_err(told)?;
    fs::write(&start, instead(&begin, LATER, "const LATER = [\"app_rest.wasm\"];")?).map_err(told)?;
    feed(splitter().arg("split").arg(&program).arg(folder.join("app_rest.wasm")), &ran)
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

/// The script of a program that also brings its second part.
fn bringing(script: &str) -> Outcome<String> {
    let lines = format!("imports.placeholder = placeholder;\n    {LOAD}\n    await begin(instance);");
    Ok(format!("import {{ begin, placeholder }} from './rest.js';\n{}", instead(script, LOAD, &lines)?))
}

/// A text with other lines in place of one that it has once.
fn instead(text: &str, line: &str, lines: &str) -> Outcome<String> {
    if text.matches(line).count() == 1 {
        Ok(text.replace(line, lines))
    } else {
        Err(format!("A script of the page lacks the line `{line}`: change xtask/src/parts.rs."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_brings_both_parts() {
        let script = bringing(&format!("async function start() {{\n    {LOAD}\n}}\n")).expect("the line");
        let lines: Vec<&str> = script.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "import { begin, placeholder } from './rest.js';",
                "async function start() {",
                "imports.placeholder = placeholder;",
                LOAD,
                "await begin(instance);",
                "}",
            ]
        );
        assert!(bringing("").is_err());
    }

    #[test]
    fn the_start_of_the_page_has_a_line_for_the_second_part() {
        assert!(instead(include_str!("../../www/start.js"), LATER, "").is_ok());
    }
}
