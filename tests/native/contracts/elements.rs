//! Ids, `data-*` attributes and the label of the canvas by which the end-to-end tests, and pages
//! around an embedded one, find what is shown.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::contract;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Texts of all files below a folder with one of these suffixes, lines of comments left out.
fn texts(folder: &str, suffixes: &[&str]) -> String {
    let mut text = String::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() && (name != "tests" || folder.ends_with("e2e")) {
                folders.push(path);
            } else if path.is_file() && name != "tests.rs" && suffixes.iter().any(|suffix| name.ends_with(suffix)) {
                let lines = fs::read_to_string(&path).expect("text");
                let code = lines.lines().filter(|line| !line.trim_start().starts_with("//"));
                text.extend(code.flat_map(|line| [line, "\n"]));
            }
        }
    }
    text
}

/// The page: its sources, and its files.
fn page() -> String {
    let index = fs::read_to_string(root().join("index.html")).expect("the page");
    texts("src", &[".rs"]) + &texts("www", &[".js", ".html"]) + &index
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-'
}

/// Names that follow a mark, such as those after `#`, with what follows them.
fn after<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = (&'a str, Option<char>)> {
    text.match_indices(mark).filter_map(move |(at, _)| {
        let rest = &text[at + mark.len()..];
        let end = rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len());
        let name = rest[..end].trim_end_matches('-');
        (name.len() > 1 && name.starts_with(|letter: char| letter.is_ascii_lowercase()))
            .then(|| (name, rest[end..].chars().next()))
    })
}

/// All that the page writes: `data-*` attributes, ids, and the texts of which ids are made, such as
/// `"left-tab-{}"`.
fn written(page: &str) -> BTreeSet<String> {
    let mut written: BTreeSet<String> = BTreeSet::new();
    written.extend(after(page, "data-").map(|(name, _)| format!("data-{name}")));
    for text in page.split('"') {
        let mut made = String::new();
        let mut parts = text.split('{');
        made += parts.next().unwrap_or_default();
        for part in parts {
            made += "{}";
            made += part.split_once('}').map_or(part, |(_, rest)| rest);
        }
        if !made.is_empty() && made.chars().all(|letter| is_of_name(letter) || "{}".contains(letter)) {
            written.insert(format!("\"{made}\""));
        }
    }
    written
}

/// Whether an id may be made by a text with places to fill in, of which at least four letters
/// stand.
fn is_made_by(id: &str, text: &str) -> bool {
    let mut parts = text.split("{}");
    let first = parts.next().unwrap_or_default();
    let letters: usize = text.split("{}").map(str::len).sum();
    let Some(mut rest) = id.strip_prefix(first).filter(|_| text.contains("{}") && letters >= 4) else { return false };
    let parts: Vec<&str> = parts.collect();
    for (number, part) in parts.iter().enumerate() {
        let is_last = number + 1 == parts.len();
        let found =
            if is_last { rest.strip_suffix(part).map(|_| "") } else { rest.split_once(part).map(|both| both.1) };
        let Some(next) = found else { return false };
        rest = next;
    }
    true
}

/// What the end-to-end tests use of what the page writes.
fn used(written: &BTreeSet<String>) -> BTreeSet<String> {
    let tests = texts("tests/e2e", &[".rs"]);
    let mut used: BTreeSet<String> = after(&tests, "data-").map(|(name, _)| format!("data-{name}")).collect();
    // What is followed by `=` or `&` is part of a link.
    let ids = after(&tests, "#").filter(|(_, next)| !matches!(next, Some('=' | '&')));
    for (id, _) in ids {
        let whole = format!("\"{id}\"");
        let made = written.iter().filter(|text| is_made_by(id, text.trim_matches('"')));
        used.extend(if written.contains(&whole) { Some(whole) } else { made.max_by_key(|text| text.len()).cloned() });
    }
    used.retain(|text| written.contains(text));
    used
}

#[test]
fn what_tests_find_elements_by_is_still_written() {
    let written = written(&page());
    if contract::is_updating() {
        contract::extends("elements.txt", 300, &used(&written));
    }
    let text = contract::read("elements.txt");
    let recorded: Vec<&str> = text.lines().collect();
    assert!(recorded.len() >= 300, "{} elements", recorded.len());
    for name in ["data-peak", "data-lower-bound", "data-frame", "data-planner", "data-selected", "\"plan\""] {
        assert!(recorded.contains(&name), "{name}");
    }
    let lost = recorded.iter().filter(|name| !written.contains(**name));
    let lost = lost.map(|name| format!("  no longer in src, www or index.html: {name}"));
    contract::unchanged("elements.txt", &lost.collect::<Vec<_>>());
}

/// Data of the canvas that programs read, and the sentences of its label.
#[test]
fn the_canvas_keeps_its_data_and_its_label() {
    let page = page();
    let (_, canvas) = page.split_once("id=\"plan\"").expect("the canvas");
    let canvas = canvas.split_once("/>").or_else(|| canvas.split_once("</canvas>")).expect("its end").0;
    let mut now: BTreeSet<String> = after(canvas, "data-").map(|(name, _)| format!("data-{name}")).collect();
    now.extend(after(canvas, "aria-").map(|(name, _)| format!("aria-{name}")));
    now.extend(after(canvas, "role=\"").map(|(name, _)| format!("role={name}")));
    for locale in ["en", "zh"] {
        let words = fs::read_to_string(root().join(format!("crates/core/locales/{locale}.json"))).expect("sentences");
        let words: serde_json::Value = serde_json::from_str(&words).expect("JSON");
        for key in ["aria.plan", "aria.plan-partial", "aria.plan-asked"] {
            now.insert(format!("{locale} {key}: {}", words[key].as_str().expect("the label of the canvas")));
        }
    }
    contract::extends("canvas.txt", 20, &now);
}
