//! `memplan alive`: what the peak is made of; `memplan frame --of`: the decision about one buffer.

use super::{Folder, GRAPH, fine, json, refused};

const UNET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs/unet_512.json");

#[test]
fn what_is_alive_is_listed_with_its_sum() {
    let ask = |more: &[&str]| fine(&[&["alive", UNET, "--planner", "first-fit"], more].concat());
    let text = ask(&[]).replace('\u{202f}', " ");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "256 MiB alive at step 59, in 3 buffers; no step has more than 256 MiB:");
    assert_eq!(lines[1], "  128 MiB  cat_3 [59, 61)");
    assert!(ask(&["--step", "0"]).contains("at the fullest step 256"));
    let record = json(&ask(&["--json"]));
    let rows = record["buffers"].as_array().expect("buffers");
    let sum: u64 = rows.iter().filter_map(|row| row["bytes"].as_u64()).sum();
    assert_eq!((sum, record["load"].as_u64(), record["bound"].as_u64()), (256 << 20, Some(sum), Some(sum)));
    assert_eq!((&record["step"], &record["fullest"]), (&59.into(), &serde_json::json!([[59, 60]])));
    let row = &rows[0];
    assert_eq!((&row["name"], &row["maker"], &row["kind"]), (&"cat_3".into(), &"cat_3".into(), &"intermediate".into()));
    assert!(row["offset"].is_u64() && row["reader"].is_string(), "{row}");
    let first = json(&ask(&["--json", "--step", "0"]));
    assert!(first["load"].as_u64() < Some(sum) && first["most"].as_u64() == Some(sum), "{first}");
    assert!(refused(&["alive", UNET, "--planner", "naive", "--step", "999"]).contains("the last step is 6"));
}

#[test]
fn a_frame_is_found_by_its_buffer() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    for (of, focus) in [("y", "y"), ("a", "a"), ("v", "a")] {
        let frame = json(&fine(&["frame", &graph, "--planner", "naive", "--of", of]));
        assert_eq!((&frame["focus"]["name"], &frame["settled"]), (&focus.into(), &true.into()), "{of}");
        let at = frame["frame"].to_string();
        assert_eq!(json(&fine(&["frame", &graph, "--planner", "naive", "--at", &at])), frame);
    }
    let all = json(&fine(&["frame", &graph, "--planner", "first-fit", "--of", "y", "--level", "all"]));
    assert_eq!((&all["focus"]["name"], &all["settled"]), (&"y".into(), &true.into()));
    let refusal = |name: &str| refused(&["frame", &graph, "--planner", "naive", "--of", name]);
    assert!(refusal("zzz").contains("no buffer `zzz`"), "{}", refusal("zzz"));
    let weight = refused(&["frame", &graph, "--planner", "naive", "--of", "w"]);
    assert!(weight.contains("`w`"), "{weight}");
    refused(&["frame", &graph, "--planner", "naive"]);
    refused(&["frame", &graph, "--planner", "naive", "--at", "1", "--of", "y"]);
}
