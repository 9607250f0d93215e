//! The walls between the rooms: a room imports only from floors below its own, and uses only the crates that are meant for
//! it. With one package, this test holds what crate boundaries would hold in a workspace.

use std::path::{Path, PathBuf};

/// Floor of each room. `base` lies below `text` and `graph`, which share its floor in the map.
const FLOORS: [(&str, u32); 17] = [
    ("base", 0),
    ("text", 1),
    ("graph", 1),
    ("problem", 2),
    ("trace", 3),
    ("plan", 4),
    ("import", 5),
    ("export", 5),
    ("planner", 6),
    ("replay", 6),
    ("scene", 7),
    ("paint", 8),
    ("engine", 9),
    ("worker", 10),
    ("api", 10),
    ("app", 11),
    ("bin", 12),
];

/// Rooms that may use each crate besides `std`; the rest of a room's work is its own.
const CRATES: [(&str, &[&str]); 23] = [
    // How values travel between page, worker and files.
    (
        "serde",
        &[
            "base", "text", "graph", "problem", "trace", "plan", "import", "export", "replay", "scene", "engine",
            "worker", "api", "app", "bin",
        ],
    ),
    // Locale files, formats that are JSON, and parts of a panel that are copied as JSON.
    ("serde_json", &["text", "import", "export", "replay", "engine", "api", "app", "bin"]),
    ("foldhash", &["base"]),
    ("csv", &["import", "export", "engine"]),
    ("flatbuffers", &["import"]),
    ("prost", &["import"]),
    ("rawzip", &["import"]),
    ("flate2", &["import", "engine", "bin"]),
    // The compressed graph in a link, messages of the worker, the layout of a diagram.
    ("base64", &["engine"]),
    ("postcard", &["engine", "worker", "app"]),
    ("rust_sugiyama", &["engine"]),
    ("clap", &["bin"]),
    ("plotters", &["paint", "engine"]),
    ("plotters_canvas", &["engine"]),
    // The web: only floor 5 of the map (`paint`) and above.
    ("web_sys", &["paint", "engine", "worker", "api", "app", "bin"]),
    ("js_sys", &["paint", "engine", "worker", "api", "app", "bin"]),
    ("wasm_bindgen", &["paint", "engine", "worker", "api", "app", "bin"]),
    ("wasm_bindgen_futures", &["worker", "app"]),
    ("serde_wasm_bindgen", &["engine", "api"]),
    ("yew", &["app", "bin"]),
    ("gloo_events", &["app"]),
    ("gloo_timers", &["app"]),
    ("console_error_panic_hook", &["bin"]),
];

fn floor(room: &str) -> Option<u32> {
    FLOORS.iter().find(|(name, _)| *name == room).map(|(_, floor)| *floor)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Source lines without comments and without the unit tests at the end of a file, which may look anywhere.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = text.find("#[cfg(test)]\nmod tests").unwrap_or(text.len());
    text[..end].lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Rooms named after `crate::` (or `memplan::` in the programs) in a line.
fn rooms_in(line: &str) -> Vec<&str> {
    let mut rooms = Vec::new();
    for start in ["crate::", "memplan::"] {
        for (at, _) in line.match_indices(start) {
            let rest = &line[at + start.len()..];
            // `use crate::{a, b::c}`: every name of the braces.
            if let Some(inner) = rest.strip_prefix('{') {
                rooms.extend(
                    inner.split(',').map(|part| part.trim().split([':', '}', ' ', ';']).next().unwrap_or_default()),
                );
            } else {
                rooms.push(rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default());
            }
        }
    }
    rooms
}

/// Whether a line has a path that begins with this crate.
fn names_crate(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let part_of = |text: &str| text.ends_with(|c: char| c.is_alphanumeric() || "_:.\">".contains(c));
        // `::csv` is the crate; `memplan::csv` and `self.csv` are not.
        let begins = before.strip_suffix("::").map_or(!part_of(before), |path| !part_of(path));
        begins && (after.starts_with("::") || (after.starts_with(';') && line[..at].trim_end().ends_with("use")))
    })
}

/// Every import of a source text that leads upward, and every crate that the room may not use. `room` is where the text lies.
fn wrong_in(room: &str, text: &str) -> Vec<String> {
    let own = floor(room).unwrap_or_else(|| panic!("{room} has no floor: give it one here and in src/lib.rs"));
    let mut wrong = Vec::new();
    // Inside the braces of a `use crate::{` that goes over several lines.
    let mut in_braces = false;
    for (number, line) in code(text) {
        let listed = line.split(',').map(|part| part.trim().split([':', ' ', '}']).next().unwrap_or_default());
        let listed = listed.filter(|_| in_braces);
        for used in rooms_in(line).into_iter().chain(listed) {
            if floor(used).is_some_and(|other| used != room && other >= own) {
                wrong.push(format!("{}: {room} uses {used}", number + 1));
            }
        }
        in_braces = (in_braces && !line.contains("};")) || line.trim_end().ends_with("use crate::{");
        let barred = CRATES.iter().filter(|(name, rooms)| !rooms.contains(&room) && names_crate(line, name));
        wrong.extend(barred.map(|(name, _)| format!("{}: {room} uses {name}", number + 1)));
    }
    wrong
}

#[test]
fn rooms_import_only_from_floors_below() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut wrong = Vec::new();
    let mut seen = 0;
    for file in files {
        let inside = file.strip_prefix(&root).expect("below src");
        let Some(room) = inside.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned()) else {
            continue;
        };
        if room == "lib.rs" {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("text");
        seen += 1;
        wrong.extend(wrong_in(&room, &text).into_iter().map(|fault| format!("{}:{fault}", inside.display())));
    }
    assert!(seen > 40, "only {seen} files were read");
    assert!(wrong.is_empty(), "upward imports:\n{}", wrong.join("\n"));
}

#[test]
fn every_crate_has_its_rooms() {
    let manifest = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).expect("text");
    let start = manifest.find("\n[dependencies]").expect("dependencies");
    let end = manifest.find("\n[target.").expect("dependencies of the tests");
    let lines = manifest[start..end].lines();
    let names = lines.filter_map(|line| {
        let table = line.strip_prefix("[dependencies.").and_then(|rest| rest.strip_suffix(']'));
        let named = line.split_once(" = ").filter(|(_, value)| value.contains("version") || value.starts_with('"'));
        table.or(named.map(|(name, _)| name)).filter(|name| *name != "version").map(|name| name.replace('-', "_"))
    });
    let mut names: Vec<String> = names.collect();
    let mut known: Vec<&str> = CRATES.iter().map(|(name, _)| *name).collect();
    names.sort();
    known.sort();
    assert_eq!(names, known, "give a new crate its rooms in this file and in src/lib.rs");
}

#[test]
fn an_upward_import_is_caught() {
    let text = "\
//! Looks at crate::app in words only.
use crate::base::Id;
use crate::{graph::Graph, scene::Scene};
use crate::problem::Problem;

fn draw() -> crate::plan::Plan {
    // crate::app::start();
    web_sys::window();
    memplan::planner::find()
}

#[cfg(test)]
mod tests {
    use crate::app::App;
}
";
    let found = wrong_in("plan", text);
    assert_eq!(found, ["3: plan uses scene", "8: plan uses web_sys", "9: plan uses planner"]);
    // Rooms of one floor do not see each other, and each sees itself.
    assert_eq!(wrong_in("import", "use crate::export::plan;\nuse crate::import::Format;"), ["1: import uses export"]);
    assert_eq!(wrong_in("paint", text), [""; 0]);
    let listed = "use crate::{\n    base::Id, trace::Event,\n    replay::Run,\n};\nlet link = 1;\n";
    assert_eq!(wrong_in("plan", listed), ["3: plan uses replay"]);
    let crates = "use prost::Message;\nlet csv = import::csv::read(&self.csv);\nuse flate2;\n::yew::Renderer::new();\n";
    assert_eq!(wrong_in("scene", crates), ["1: scene uses prost", "3: scene uses flate2", "4: scene uses yew"]);
    assert_eq!(wrong_in("import", &crates[..60]), [""; 0]);
}

#[test]
#[should_panic(expected = "attic has no floor")]
fn a_room_without_a_floor_is_caught() {
    wrong_in("attic", "use crate::base::Id;");
}
