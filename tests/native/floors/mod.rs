//! The walls between the rooms: a room imports only from floors below its own, and uses only the
//! crates that are meant for it. With one package, this test holds what crate boundaries would hold
//! in a workspace. Inside a room, files do not import each other in circles ([`circles`]), the
//! features of the page do not import each other ([`page`]), one folder of the page asks the window
//! ([`globals`]), no room but the planners' names a planner ([`planners`]), and general words name
//! one type each ([`words`]).

mod circles;
mod globals;
mod imports;
mod page;
mod planners;
mod words;

use std::path::Path;

use imports::{LIBRARY, Sources, Used};

/// Floor of each room. `base` lies below `text` and `graph`, which share its floor in the map.
const FLOORS: [(&str, u32); 23] = [
    ("base", 0),
    ("text", 1),
    ("graph", 1),
    ("problem", 2),
    ("trace", 3),
    ("transform", 3),
    ("plan", 4),
    ("import", 5),
    ("export", 5),
    ("tflm", 5),
    ("planner", 6),
    ("replay", 6),
    ("diff", 6),
    ("fit", 7),
    ("scene", 7),
    ("paint", 8),
    ("exercise", 9),
    ("engine", 10),
    ("worker", 11),
    ("api", 11),
    ("lesson", 12),
    ("app", 13),
    ("bin", 14),
];

/// Rooms that may use each crate besides `std`; the rest of a room's work is its own.
const CRATES: [(&str, &[&str]); 33] = [
    // How values travel between page, worker and files.
    (
        "serde",
        &[
            "base", "text", "graph", "problem", "trace", "plan", "import", "export", "replay", "diff", "fit", "scene",
            "exercise", "engine", "worker", "api", "lesson", "app", "bin",
        ],
    ),
    // Locale files, formats that are JSON, attributes that are lists, and parts of a panel that are
    // copied as JSON.
    ("strsim", &["base"]),
    ("serde_json", &["text", "import", "export", "replay", "fit", "exercise", "engine", "api", "lesson", "app", "bin"]),
    ("foldhash", &["base"]),
    ("hashbrown", &["base"]),
    ("csv", &["import", "export", "engine"]),
    ("flatbuffers", &["import"]),
    ("prost", &["import"]),
    ("rawzip", &["import"]),
    ("flate2", &["import", "engine", "bin"]),
    // The compressed graph in a link, messages of the worker and lessons, the layout of a diagram.
    ("base64", &["engine"]),
    ("postcard", &["engine", "worker", "lesson", "app"]),
    ("rust_sugiyama", &["engine"]),
    ("clap", &["bin"]),
    ("clap_complete", &["bin"]),
    // `memplan view`: the page inside, a server on this machine, its secret, the browser.
    ("rust_embed", &["bin"]),
    ("http_body_util", &["bin"]),
    ("hyper", &["bin"]),
    ("hyper_util", &["bin"]),
    ("tokio", &["bin"]),
    ("getrandom", &["bin"]),
    ("open", &["bin"]),
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

/// A made-up source tree.
fn tree(files: &[(&str, &str)]) -> Sources {
    Sources::parse(&files.iter().map(|(file, text)| (file.to_string(), text.to_string())).collect())
}

/// Every import of a file that leads upward, and every crate that its room may not use. The room is
/// the folder that the file lies in, or the file itself.
fn wrong_in(sources: &Sources) -> Vec<String> {
    let wrong = |used: &Used| {
        let room = room_of(&used.file);
        // The root joins the rooms.
        if room == "lib" {
            return None;
        }
        let own = floor(room).unwrap_or_else(|| panic!("{room} has no floor: give it one here and in src/lib.rs"));
        let named = used.path.get(usize::from(used.path[0] == LIBRARY))?;
        let is_upward = used.path[0] == LIBRARY && named != room && floor(named).is_some_and(|other| other >= own);
        let is_barred = CRATES.iter().any(|(name, rooms)| *name == used.path[0] && !rooms.contains(&room));
        (is_upward || is_barred).then(|| format!("{}:{}: {room} uses {named}", used.file, used.line))
    };
    let mut found: Vec<String> = sources.used().iter().filter_map(wrong).collect();
    found.dedup();
    found
}

/// The folder of `src` that a file lies in, or the name of the file.
fn room_of(file: &str) -> &str {
    file.split(['/', '.']).next().unwrap_or_default()
}

#[test]
fn rooms_import_only_from_floors_below() {
    let wrong = wrong_in(Sources::of_package());
    assert!(wrong.is_empty(), "upward imports:\n{}", wrong.join("\n"));
}

#[test]
fn every_crate_has_its_rooms() {
    let manifest = std::fs::read_to_string(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("Cargo.toml"))
        .expect("text");
    let start = manifest.find("\n[dependencies]").expect("dependencies");
    let end = manifest.find("dev-dependencies]").expect("dependencies of the tests");
    let lines = manifest[start..end].lines();
    let names = lines.filter_map(|line| {
        let table = line.strip_prefix("[dependencies.").and_then(|rest| rest.strip_suffix(']'));
        let named = line
            .split_once(" = ")
            .filter(|(name, value)| !name.starts_with('[') && (value.contains("version") || value.starts_with('"')));
        table.or(named.map(|(name, _)| name)).filter(|name| *name != "version").map(|name| name.replace('-', "_"))
    });
    let mut names: Vec<String> = names.collect();
    let mut known: Vec<&str> = CRATES.iter().map(|(name, _)| *name).collect();
    names.sort();
    known.sort();
    assert_eq!(names, known, "give a new crate its rooms in this file and in src/lib.rs");
}

/// A source tree with one room, whose only file has this text.
fn room(name: &str, text: &str) -> Sources {
    tree(&[("lib.rs", &format!("mod {name};")), (&format!("{name}/mod.rs"), text)])
}

#[test]
fn an_upward_import_is_caught() {
    let text = "\
//! Looks at crate::app in words only.
use crate::base::Id;
use crate::{graph::Graph, scene::{Mark, Scene}};
use crate::problem::Problem;

pub(in crate::app) fn draw() -> crate::plan::Plan {
    // crate::app::start();
    web_sys::window();
    format!(\"{} crate::app\", crate::planner::find());
    self::scene::draw(super::api::plan())
}

#[cfg(test)]
mod tests {
    use crate::app::App;
}
";
    let found = wrong_in(&room("plan", text));
    let lines = ["3: plan uses scene", "8: plan uses web_sys", "9: plan uses planner", "10: plan uses api"]
        .map(|line| format!("plan/mod.rs:{line}"));
    assert_eq!(found, lines);
    // Rooms of one floor do not see each other, and each sees itself.
    let same = "use crate::export::plan;\nuse crate::import::Format;";
    assert_eq!(wrong_in(&room("import", same)), ["import/mod.rs:1: import uses export"]);
    let below = "use crate::{\n    base::Id,\n    replay::Run,\n};\nconst LINK: u32 = 1;";
    assert_eq!(wrong_in(&room("paint", below)), [""; 0]);
    assert_eq!(wrong_in(&room("plan", below)), ["plan/mod.rs:3: plan uses replay"]);
    // A path that begins with an imported room.
    let imported = "use crate as all;\nfn draw() { all::scene::draw() }";
    assert_eq!(wrong_in(&room("plan", imported)), ["plan/mod.rs:2: plan uses scene"]);
}

#[test]
fn a_crate_in_the_wrong_room_is_caught() {
    let text = "\
use prost::Message;
fn read(file: File) { import::csv::read(&file.csv); }
use flate2;
fn start() { ::yew::Renderer::new(); }
";
    let found = wrong_in(&room("scene", text));
    assert_eq!(
        found,
        [1, 3, 4]
            .into_iter()
            .zip(["prost", "flate2", "yew"])
            .map(|(line, name)| format!("scene/mod.rs:{line}: scene uses {name}"))
            .collect::<Vec<_>>()
    );
    assert_eq!(wrong_in(&room("import", "use prost::Message;\nuse flate2;")), [""; 0]);
}

#[test]
fn code_after_the_tests_of_a_file_is_read() {
    let sources = tree(&[
        ("lib.rs", "mod base; mod plan;"),
        ("base.rs", ""),
        ("plan/mod.rs", "#[cfg(test)]\nmod tests;\nmod check;\nuse crate::scene::Scene;"),
        ("plan/check.rs", "#[cfg(test)]\nmod tests { use crate::app::App; }\nuse crate::paint::Rgba;"),
        ("plan/tests.rs", "mod data;\nuse crate::app::App;"),
        ("plan/tests/data.rs", "use crate::app::App;"),
    ]);
    assert_eq!(wrong_in(&sources), ["plan/mod.rs:4: plan uses scene", "plan/check.rs:3: plan uses paint"]);
}

#[test]
#[should_panic(expected = "attic has no floor")]
fn a_room_without_a_floor_is_caught() {
    wrong_in(&room("attic", "use crate::base::Id;"));
}

#[test]
#[should_panic(expected = "no module declares [\"plan/lost.rs\"]")]
fn a_file_outside_the_modules_is_caught() {
    tree(&[("lib.rs", "mod plan;"), ("plan/mod.rs", ""), ("plan/lost.rs", "")]);
}
