//! What PyTorch needs of a compiled graph: the most bytes that are held at once.

use super::*;

/// Graphs that `memplan capture-inductor` wrote, with the bytes that PyTorch's profiler counted in
/// one call (`tests/data/inductor/measure.py`).
const MEASURED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/inductor/measured.json");

#[test]
fn the_most_bytes_held_at_once_are_those_that_pytorch_allocates() {
    let measured = json(&fs::read_to_string(MEASURED).expect("a table"));
    let measured = measured.as_object().expect("bytes by file");
    for (name, bytes) in measured {
        let path = Path::new(MEASURED).with_file_name(format!("{name}.json.gz")).display().to_string();
        let metrics = json(&fine(&["plan", &path, "--planner", "inductor-reuse"]))["metrics"].clone();
        assert_eq!(&metrics["held"], bytes, "{name}");
        assert!(metrics["peak"].as_u64() >= metrics["held"].as_u64(), "{name}: {metrics}");
        // What overwrites an operand takes no bytes of its own from any planner.
        assert!(metrics["lower_bound"].as_u64() <= bytes.as_u64(), "{name}: {metrics}");
        let ratio = metrics["held"].as_f64().expect("bytes") / metrics["placed_lower_bound"].as_f64().expect("bytes");
        assert_eq!(metrics["ratio"].as_f64(), Some(ratio), "{name}");
    }
    assert!(measured.len() >= 10, "{measured:?}");
}

#[test]
fn the_script_that_captures_is_printed_as_it_is_kept() {
    let script = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/capture_inductor.py"));
    assert_eq!(fine(&["capture-inductor", "--script"]), script.expect("kept"));
    assert!(refused(&["capture-inductor"]).contains("--script"));
}

#[test]
fn rankings_hold_what_is_held_and_part_plans_stand_below() {
    let rows = json(&fine(&["compare", "ex:bert_base_seq128", "--format", "json"]));
    let rows = rows.as_array().expect("rows");
    let at = |id: &str| rows.iter().position(|row| row["planner"] == id).unwrap_or_else(|| panic!("{id}"));
    let reuse = &rows[at("inductor-reuse")];
    let (held, peak) = (reuse["held"].as_u64().expect("bytes"), reuse["peak"].as_u64().expect("bytes"));
    assert!(held < peak, "{reuse}");
    assert_eq!(reuse["waste"].as_u64(), Some(held - reuse["bound"].as_u64().expect("bytes")));
    assert!(rows[at("nnvm")]["held"].is_null(), "its executor keeps all storages");
    let left_out = |row: &Value| row["placed"].as_u64() > Some(0) && row["left_out"].as_u64() > Some(0);
    let first = rows.iter().position(left_out).expect("inputs are the caller's");
    assert!(rows[first..].iter().all(left_out), "those that place all stand above");
    let need = |row: &Value| row["held"].as_u64().or(row["peak"].as_u64());
    for group in [&rows[..first], &rows[first..]] {
        assert!(group.windows(2).all(|pair| need(&pair[0]) <= need(&pair[1])));
    }
    let table = fine(&["compare", "ex:bert_base_seq128", "--planners", "inductor-reuse,first-fit"]);
    assert!(
        table.lines().next().is_some_and(|head| head.contains(" held ")) && table.contains("leaves out "),
        "{table}"
    );
    assert!(!fine(&["compare", "ex:teaching", "--planners", "first-fit"]).contains(" held "));
    // The figure survives in a plan file.
    let folder = Folder::new();
    let plan = folder.path("plan.json");
    fine(&["plan", "ex:bert_base_seq128", "--planner", "inductor-reuse", "-o", &plan]);
    let line = fine(&["metrics", &plan, "--planner", "imported"]);
    assert!(line.lines().nth(1).expect("a row").ends_with(&format!(",{held},")), "{line}");
}
