//! The walls between the rooms: a room imports only from floors below its own. With one package, this test holds what crate
//! boundaries would hold in a workspace.

use std::path::{Path, PathBuf};

/// Floor of each room. `base` lies below `text` and `graph`, which share its floor in the map.
const FLOORS: [(&str, u32); 16] = [
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
    ("link", 9),
    ("api", 10),
    ("app", 10),
    ("bin", 11),
];

/// Crates of the web: only floor 5 of the map (`paint`) and above may use them.
const WEB: [&str; 8] = [
    "web_sys",
    "js_sys",
    "wasm_bindgen",
    "wasm_bindgen_futures",
    "serde_wasm_bindgen",
    "yew",
    "gloo_events",
    "gloo_timers",
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

/// Every import of a source text that leads upward, and every use of the web below the floor that may. `room` is where the
/// text lies.
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
        let web = WEB.iter().find(|name| line.contains(&format!("{name}::")) || line.contains(&format!("use {name}")));
        if let Some(name) = web.filter(|_| own < 8) {
            wrong.push(format!("{}: {room} uses {name}", number + 1));
        }
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
}

#[test]
#[should_panic(expected = "attic has no floor")]
fn a_room_without_a_floor_is_caught() {
    wrong_in("attic", "use crate::base::Id;");
}
