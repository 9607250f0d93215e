//! The JSON that commands write: every recorded path with its type is still there. And the root
//! element of pictures.

use std::collections::BTreeSet;

use serde_json::Value;

use super::program::Place;
use crate::contract;

/// Commands that write JSON to standard output, or to the file `out.json`.
const COMMANDS: [&str; 27] = [
    "list --json",
    "plan graph.json --planner inductor-tree",
    "plan graph.json --planner first-fit --with weights --symbol s0=8",
    "plan buffers.csv --planner first-fit --set tie=size",
    "plan buffers.csv --planner exact",
    "plan graph.json --planner first-fit --format memory-graph",
    "plan graph.json --planner first-fit --format trace",
    "plan graph.json --planner first-fit --format trace-executorch",
    "frame graph.json --planner inductor-tree --at 2",
    "frame buffers.csv --planner first-fit --at 3 --level all",
    "frames graph.json --planner inductor-tree",
    "frames buffers.csv --planner first-fit --level outcomes",
    "metrics graph.json --planner first-fit",
    "metrics buffers.csv --planner first-fit --planner naive",
    "compare graph.json --planners first-fit,inductor-tree --format json",
    "compare buffers.csv --planners first-fit;tie=size,exact,inductor-tree --format json",
    "compare graph.json buffers.csv --planners first-fit --format json",
    "convert graph.json -o out.json",
    "convert graph.json --format memory-graph -o out.json",
    "convert valid.csv -o out.json",
    "convert valid.csv --format trace -o out.json",
    "diff buffers.csv larger.csv --planner first-fit --format json",
    "diff graph.json fit.json --without weights --fail-above 3% --format json",
    "diff graph.json graph.json --format json",
    "fit fit.json --memory SRAM=32 --allow planner,stripes --format json",
    "fit fit.json --memory SRAM=32 --memory DRAM=1KiB@4 --allow all --limit bytes=1KiB --scratch 4 --format json",
    "fit fit.json --memory SRAM=16 --allow planner --curve --format json",
];

/// Paths with types: `buffers[].name string`.
fn paths(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(entries) => {
            entries.iter().for_each(|entry| paths(entry, &format!("{path}[]"), found));
            "array"
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, field)| paths(field, &format!("{path}.{key}"), found));
            "object"
        }
    };
    found.insert(format!("{} {kind}", if path.is_empty() { "." } else { path }));
}

#[test]
fn every_path_of_every_answer_is_still_there() {
    let place = Place::new();
    let mut now = BTreeSet::new();
    for command in COMMANDS {
        let output = place.run(command);
        let text = if command.ends_with("-o out.json") {
            place.read("out.json")
        } else {
            String::from_utf8(output.stdout).expect("text")
        };
        let mut found = BTreeSet::new();
        if command.starts_with("metrics ") {
            // A table: its columns.
            found.extend(text.lines().next().unwrap_or_default().split(',').map(|column| format!("column {column}")));
        } else {
            let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| {
                panic!("{command}: {error}: {text}{}", String::from_utf8_lossy(&output.stderr))
            });
            if let Some(format) = value.get("format").and_then(Value::as_str) {
                found.insert(format!(".format = {format}"));
            }
            paths(&value, "", &mut found);
        }
        now.extend(found.into_iter().map(|path| format!("{command} | {path}")));
    }
    contract::extends("json.txt", 500, &now);
}

/// Ids of planners, keys of their options, defaults, and values that are taken.
#[test]
fn every_planner_and_option_is_still_listed() {
    let place = Place::new();
    let list: Value = serde_json::from_slice(&place.run("list --json").stdout).expect("JSON");
    let mut now = BTreeSet::new();
    for sheet in list.as_array().expect("a list") {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let id = text(&sheet["id"]);
        now.insert(id.clone());
        for option in sheet["options"].as_array().into_iter().flatten() {
            let (key, default) = (text(&option["key"]), text(&option["default"]));
            now.insert(format!("{id} {key} = {default:?}"));
            let values = option["allowed"].as_array().into_iter().flatten();
            now.extend(values.map(|value| format!("{id} {key}: {}", text(value))));
        }
    }
    contract::extends("planners.txt", 40, &now);
}

#[test]
fn the_root_of_a_picture_keeps_its_attributes() {
    let place = Place::new();
    let mut now = BTreeSet::new();
    for command in [
        "svg graph.json --planner first-fit",
        "svg buffers.csv --planner first-fit --at 3 --dark --size 640x480 --title --legend --why",
        "diff buffers.csv larger.csv --planner first-fit --format svg",
    ] {
        let output = place.run(command);
        let text = String::from_utf8(output.stdout).expect("text");
        let root = text.strip_prefix("<svg ").and_then(|rest| rest.split_once('>')).expect("an svg element").0;
        let mut rest = root;
        while let Some((name, value)) = rest.split_once("=\"") {
            let (value, next) = value.split_once('"').expect("a quoted value");
            now.insert(format!("{command} | {}=\"{value}\"", name.trim()));
            rest = next;
        }
        let title = text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
        now.extend(title.map(|(title, _)| format!("{command} | title {title}")));
    }
    contract::extends("svg.txt", 12, &now);
}
