//! The layout of a directory of answers, as scripts and other checkouts make one: what the program
//! lists and runs of a directory that this test makes.

use std::io::Write;
use std::path::Path;
use std::process::Command;

#[path = "../shared/contract.rs"]
mod contract;

const NAME: &str = "golden-layout.txt";

/// A case that passes, as it is and packed.
const CASE: &str = "inductor/u01_exact.json.gz";

/// Checks that names and results of the cases are those recorded: `<dir>/<system>/<case>.json` or
/// `.json.gz` is the test `system/case`.
pub fn listed() -> Result<(), String> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("golden-layout-{}", std::process::id()));
    let result = made(&directory).and_then(|()| shown(&directory));
    let _ = std::fs::remove_dir_all(&directory);
    let now = result?;
    if contract::is_updating() {
        contract::write(NAME, &now);
    }
    let recorded = contract::read(NAME);
    let changed = |from: &str, other: &str, words: &str| -> Vec<String> {
        let is_lost = |line: &&str| !other.lines().any(|there| there == *line);
        from.lines().filter(is_lost).map(|line| format!("  {words}: {line}")).collect()
    };
    contract::unchanged(NAME, &[changed(&recorded, &now, "recorded"), changed(&now, &recorded, "now")].concat());
    Ok(())
}

/// Two systems with cases, packed and not, and with files that are none.
fn made(directory: &Path) -> Result<(), String> {
    let value = super::load(&super::default_directory().join(CASE))?;
    let json = serde_json::to_vec(&value).map_err(|error| error.to_string())?;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&json).map_err(|error| error.to_string())?;
    let packed = packed.finish().map_err(|error| error.to_string())?;
    let unknown: &[u8] = br#"{"format": "of-nobody/1"}"#;
    for (path, bytes) in [
        ("inductor/plain.json", &json[..]),
        ("inductor/packed.json.gz", &packed),
        ("inductor/broken.json", b"{"),
        ("another-system/plain.json", &json),
        ("another-system/unknown.json", unknown),
        ("another-system/plain.graph.json", unknown),
        ("another-system/plain.plan.json.gz", unknown),
        ("another-system/notes.txt", b"no case"),
        ("loose.json", unknown),
    ] {
        let path = directory.join(path);
        let folder = path.parent().ok_or("a folder")?;
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// What the program lists of a directory, and how each case ends, in the order of their names.
fn shown(directory: &Path) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let run = |arguments: &[&str]| -> Result<(String, Option<i32>), String> {
        let output = Command::new(&program).args(arguments).env("MEMPLAN_GOLDEN", directory).output();
        let output = output.map_err(|error| error.to_string())?;
        Ok((String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code()))
    };
    let mut lines: Vec<String> = Vec::new();
    let (list, _) = run(&["--list", "--format", "terse"])?;
    lines.extend(list.lines().filter(|line| line.contains('/')).map(|line| format!("lists {line}")));
    let (all, code) = run(&["--test-threads", "1", "--color", "never"])?;
    let results = all.lines().filter(|line| line.starts_with("test ") && line.contains('/'));
    lines.extend(results.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")));
    lines.push(format!("exit code {}", ended(code)));
    let (one, code) = run(&["inductor/plain", "--color", "never"])?;
    lines.extend(one.lines().filter(|line| line.starts_with("passed by system")).map(String::from));
    lines.push(format!("exit code of one case {}", ended(code)));
    Ok(lines.iter().map(|line| format!("{line}\n")).collect())
}

/// An exit code in words.
fn ended(code: Option<i32>) -> String {
    code.map_or_else(|| "none".to_string(), |code| code.to_string())
}
