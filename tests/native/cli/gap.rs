//! `memplan gap`: the decisions between a plan and its bound, in three forms.

use super::{Folder, fine, json};

const UNET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs/unet_512.json");

#[test]
fn the_distance_to_the_bound_is_told_in_three_forms() {
    let plain =
        |format: &str| fine(&["gap", UNET, "--planner", "first-fit", "--format", format]).replace('\u{202f}', " ");
    let text = plain("text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert_eq!(lines[0], "64 MiB above the bound, from 1 decision:");
    assert!(lines[1].starts_with("  frame 61  cat_3 ") && lines[1].contains("[59, 61)"), "{text}");
    assert!(
        lines[1].contains("in 2 pieces") && lines[1].contains("relu_1, conv_transpose2d_3, placed at frames 7, 60")
    );
    let markdown = plain("markdown");
    assert!(markdown.starts_with("### unet\\_512, first-fit: 64 MiB above"), "{markdown}");
    let rows: Vec<&str> = markdown.lines().filter(|line| line.starts_with("| ")).collect();
    assert_eq!(rows.len(), 2, "{markdown}");
    assert!(rows[1].starts_with("| 61 | cat\\_3 | "), "{markdown}");
    let record = json(&plain("json"));
    assert_eq!((&record["format"], &record["decisions"][0]["case"]), (&"gap/1".into(), &"cut".into()));
    assert_eq!(record["decisions"][0]["adds"].as_u64(), Some(64 << 20));
}

#[test]
fn the_heading_names_the_waste_and_a_sentence_what_no_decision_adds() {
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs/two_branches.json");
    let of =
        |format: &str| fine(&["gap", input, "--planner", "inductor-tree", "--format", format]).replace('\u{202f}', " ");
    // 2304 KiB against 2048 KiB of what is placed and 2176 KiB of everything.
    let (text, markdown, record) = (of("text"), of("markdown"), json(&of("json")));
    assert!(text.starts_with("256 KiB above the bound"), "{text}");
    assert!(text.contains("A further 128 KiB lie below 2.13 MiB"), "{text}");
    assert!(markdown.lines().next().is_some_and(|title| title.contains("256 KiB above")), "{markdown}");
    assert!(markdown.contains("One decision causes 128 KiB of it."), "{markdown}");
    assert!(markdown.contains("A further 128 KiB"), "{markdown}");
    let bytes = |key: &str| record[key].as_u64().expect("bytes");
    let added: u64 =
        record["decisions"].as_array().expect("a list").iter().filter_map(|growth| growth["adds"].as_u64()).sum();
    assert_eq!((bytes("waste"), added), (256 << 10, 128 << 10));
    assert_eq!(bytes("waste"), added + bytes("bound") - bytes("placed_bound"));
}

#[test]
fn a_plan_at_its_bound_has_no_decision_to_tell() {
    let folder = Folder::new();
    let input = folder.file("b.csv", super::BUFFERS);
    let text = fine(&["gap", &input, "--planner", "exact"]);
    assert!(text.contains("is not above the lower bound") && text.lines().count() == 1, "{text}");
    let markdown = fine(&["gap", &input, "--planner", "exact", "--format", "markdown"]);
    assert!(!markdown.contains("\n|"), "no table: {markdown}");
    let record = json(&fine(&["gap", &input, "--planner", "exact", "--format", "json"]));
    assert_eq!(record["decisions"].as_array().map(Vec::len), Some(0));
}
