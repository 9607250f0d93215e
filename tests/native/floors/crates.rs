//! The table of crates in docs/architecture.md says what the manifests say.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn text(file: &str) -> String {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The crates of the workspace that a manifest names, outside its tests.
fn used(manifest: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut is_here = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_here = line.ends_with("dependencies]") && !line.contains("dev-") && !line.contains("workspace");
        } else if is_here && let Some(rest) = line.strip_prefix("memplan-") {
            found.extend(rest.split(['.', ' ']).next());
        }
    }
    found
}

/// Rows of the table: folder and crates used.
fn rows(page: &str) -> Vec<(&str, BTreeSet<&str>)> {
    let table = page.split("| folder | what it holds | uses |\n").nth(1).expect("the table of crates");
    let lines = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let names = cells[3].split(", ").filter(|name| !name.is_empty());
            (cells[1].trim_matches('`'), names.collect())
        })
        .collect()
}

#[test]
fn the_table_of_crates_is_true() {
    let page = text("docs/architecture.md");
    let rows = rows(&page);
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let folders = fs::read_dir(root.join("crates")).expect("readable").flatten();
    assert_eq!(rows.len(), folders.count() + 1, "one row for each crate, and one for the page");
    for (folder, named) in rows {
        let manifest = if folder == "src" { "Cargo.toml".to_string() } else { format!("{folder}/Cargo.toml") };
        assert_eq!(named, used(&text(&manifest)), "{folder}");
    }
}

#[test]
fn crates_of_tests_are_not_counted() {
    let manifest = "[dependencies]\nmemplan-core.workspace = true\nserde = \"1\"\n\n[dev-dependencies]\n\
                    memplan-fit.workspace = true\n[target.'cfg(x)'.dependencies]\nmemplan-scene = { path = \".\" }\n\
                    [workspace.dependencies]\nmemplan-cli = \"1\"";
    assert_eq!(used(manifest), BTreeSet::from(["core", "scene"]));
}
