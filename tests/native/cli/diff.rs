//! `memplan diff`: two versions of a model, in every form, with the limit and its exit code.

use super::{Folder, fine, json, memplan};

const OLD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/diff/jit_decode_old.hlo.pb.gz");
const NEW: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/diff/jit_decode_new.hlo.pb.gz");
const RESNET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs/resnet18.json");
const BERT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs/bert_base_seq128.json");

/// Two compilations of one step of a decoder: in the second, a later step reads the old contents of
/// a cache.
#[test]
fn a_cache_that_is_copied_is_the_cause() {
    let told = |more: &[&str]| {
        let args = [&["diff", OLD, NEW, "--without", "weights"], more].concat();
        let output = memplan(&args);
        let text = String::from_utf8(output.stdout).expect("text").replace('\u{202f}', " ");
        (output.status.code(), text)
    };
    let (code, text) = told(&["--fail-above", "3%"]);
    assert_eq!(code, Some(1));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "jit_decode  peak 20.6 MiB → 28.6 MiB  +8 MiB, +38.8 %  bound 20.6 MiB → 28.6 MiB");
    assert_eq!(
        lines[1].trim(),
        "cache_k.1 (8 MiB) is no longer overwritten in place at step 36: its old value is read at step 106 by ynn_fusion."
    );
    let row = lines.iter().find(|line| line.contains("+ copy.38 ")).expect("the copy");
    assert!(row.contains("8 MiB") && row.contains("[83, 123)") && row.ends_with("new, at the peak, step 85"), "{row}");
    assert_eq!(lines.last(), Some(&"failed: above the limit of 3%"));
    assert_eq!(told(&["--fail-above", "40%"]).0, Some(0));
    assert_eq!((told(&["--fail-above", "7MiB"]).0, told(&["--fail-above", "9MiB"]).0), (Some(1), Some(0)));
    assert_eq!(told(&["--fail-above", "a lot"]).0, Some(2));

    let record = json(&told(&["--format", "json"]).1);
    let model = &record["models"][0];
    assert_eq!((&record["format"], &record["planner"]), (&"diff/1".into(), &"imported".into()));
    // Without 48 MiB of weights; scalars count.
    assert_eq!((model["old"]["peak"].as_u64(), model["new"]["peak"].as_u64()), (Some(21_594_144), Some(29_982_760)));
    assert_eq!(model["old"]["left_out"].as_u64(), Some(50_331_648 + 8));
    assert_eq!(
        (&model["not_in_place"][0]["why"], &model["not_in_place"][0]["step"]),
        (&"read_later".into(), &106.into())
    );

    let (_, svg) = told(&["--format", "svg"]);
    assert!(svg.starts_with("<svg") && svg.contains("before, peak 20.6 MiB") && svg.contains("now, peak 28.6 MiB"));
}

#[test]
fn turned_around_the_groups_are_mirrored() {
    let of = |old: &str, new: &str| {
        let record = json(&fine(&["diff", old, new, "--without", "weights", "--format", "json"]));
        record["models"][0].clone()
    };
    let (there, back) = (of(OLD, NEW), of(NEW, OLD));
    let names = |model: &serde_json::Value, group: &str, side: &str| -> Vec<String> {
        let rows = model["rows"].as_array().expect("rows").iter().filter(|row| row["group"] == group);
        let mut names: Vec<String> = rows.map(|row| row[side]["name"].to_string()).collect();
        names.sort();
        names
    };
    let unnumbered = |names: Vec<String>| names.into_iter().filter(|name| !name.contains("ynn")).collect::<Vec<_>>();
    assert_eq!(unnumbered(names(&there, "entered", "new")), unnumbered(names(&back, "left", "old")));
    assert_eq!(unnumbered(names(&there, "left", "old")), unnumbered(names(&back, "entered", "new")));
    assert_eq!(there["change_bytes"].as_i64(), back["change_bytes"].as_i64().map(|bytes| -bytes));
    assert_eq!(back["in_place"][0]["name"], "cache_k.1");
}

#[test]
fn a_file_against_itself_has_no_rows() {
    for file in [OLD, RESNET] {
        let record = json(&fine(&["diff", file, file, "--format", "json", "--fail-above", "0"]));
        let model = &record["models"][0];
        let rows = model["rows"].as_array().expect("rows");
        assert!(rows.iter().all(|row| row["group"] == "same"), "{file}");
        assert_eq!((model["change_bytes"].as_i64(), &record["failed"]), (Some(0), &false.into()));
        let markdown = fine(&["diff", file, file, "--format", "markdown"]);
        assert!(markdown.starts_with("<!-- memplan -->\n### Memory: no change\n"), "{markdown}");
    }
}

#[test]
fn unrelated_files_say_so() {
    let text = fine(&["diff", RESNET, BERT, "--planner", "first-fit"]);
    assert!(text.contains("too little in common") && text.lines().count() < 5, "{text}");
}

#[test]
fn folders_are_compared_file_by_file() {
    let folder = Folder::new();
    let side = |name: &str, files: &[(&str, String)]| {
        let path = folder.0.join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        files.iter().for_each(|(file, text)| std::fs::write(path.join(file), text).expect("written"));
        path.display().to_string()
    };
    let wider = super::GRAPH.replace(r#"[100],"kind":"output""#, r#"[1000],"kind":"output""#);
    assert_ne!(wider, super::GRAPH);
    let graph = || super::GRAPH.to_string();
    let old = side("old", &[("both.json", graph()), ("gone.json", graph()), ("same.json", graph())]);
    let new = side("new", &[("both.json", wider), ("new.json", graph()), ("same.json", graph())]);
    let args = ["diff", &old, &new, "--planner", "first-fit", "--format", "json"];
    let record = json(&fine(&args));
    // The wider output no longer fits below the storage that it reads.
    let changes: Vec<_> =
        record["models"].as_array().expect("models").iter().map(|model| &model["change_bytes"]).collect();
    assert_eq!(changes, [1000, 0, 0, 0]);
    let names: Vec<_> = record["models"].as_array().expect("models").iter().map(|model| &model["name"]).collect();
    assert_eq!(names, ["both.json", "gone.json", "new.json", "same.json"], "the graphs inside have one name");
    assert_eq!(record["models"][1]["new"], serde_json::Value::Null);
    assert_eq!(record["models"][2]["old"], serde_json::Value::Null);
    let mixed = memplan(&["diff", &old, RESNET]);
    assert_eq!(mixed.status.code(), Some(2));
}

#[test]
fn names_of_files_are_no_markup_in_a_comment() {
    let folder = Folder::new();
    let side = |name: &str, width: &str| {
        let path = folder.0.join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        let graph = super::GRAPH.replace("[100]", width);
        ["1", "2"].iter().for_each(|file| std::fs::write(path.join(file), &graph).expect("written"));
        path.display().to_string()
    };
    let (old, new) = (side("old", "[100]"), side("new", "[1000]"));
    let names = folder.file("names", "1\x00<img src=x>@all\x002\x00<h1>da39a3ee\0");
    let args = ["diff", &old, &new, "--names", &names, "--planner", "first-fit", "--format", "markdown"];
    let comment = fine(&args);
    assert!(comment.contains(r"**\<img src=x\>@&#8203;all**"), "{comment}");
    assert!(
        comment.contains("<summary>&lt;h1&gt;d&#8203;a39a3ee")
            || comment.contains("<summary>&lt;img src=x&gt;@&#8203;all")
    );
    assert!(!comment.contains("<img") || comment.matches("<img").count() == comment.matches(r"\<img").count());
}

/// A file that cannot be read is one line of the end, and the others are compared all the same.
#[test]
fn a_folder_is_compared_past_what_cannot_be_read() {
    let folder = Folder::new();
    for side in ["old", "new"] {
        std::fs::create_dir_all(folder.0.join(side).join("deep/er")).expect("folders");
        folder.file(&format!("{side}/deep/er/net.json"), super::GRAPH);
        folder.file(&format!("{side}/.hidden"), "hidden");
        let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/pt2/two_models.pt2");
        std::fs::copy(models, folder.0.join(side).join("two.pt2")).expect("copied");
    }
    folder.file("old/broken.json", "{");
    folder.file("new/broken.json", super::GRAPH);
    folder.file("new/notes.txt", "no model");
    let (old, new) = (folder.path("old"), folder.path("new"));
    let output = memplan(&["diff", &old, &new, "--planner", "first-fit"]);
    let (text, told) = (super::stdout(&output), super::stderr(&output));
    assert_eq!(output.status.code(), Some(2), "{told}");
    let names: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ')).collect();
    assert!(names[0].starts_with("deep/er/net.json  peak"), "{text}");
    assert!(names[1..].iter().all(|name| name.starts_with("two.pt2: ")) && names.len() == 3, "{text}");
    assert!(told.lines().any(|line| line.starts_with("broken.json: ")), "{told}");
    assert!(told.lines().any(|line| line.starts_with("notes.txt: ")), "{told}");
    assert_eq!(told.lines().last(), Some("2 of 4 files could not be compared: broken.json, notes.txt"));
    let record = json(&super::stdout(&memplan(&["diff", &old, &new, "--planner", "first-fit", "--json"])));
    let unread: Vec<&str> =
        record["unread"].as_array().expect("a list").iter().filter_map(|unread| unread["file"].as_str()).collect();
    assert_eq!((unread, &record["files"]), (vec!["broken.json", "notes.txt"], &4.into()));
    assert!(record["unread"][0]["reasons"][0].as_str().is_some_and(|reason| reason.starts_with("broken.json: ")));
    assert_eq!(
        (&record["models"][0]["path"], record["models"].as_array().map(Vec::len)),
        (&"deep/er/net.json".into(), Some(3))
    );
    let comment = super::stdout(&memplan(&["diff", &old, &new, "--planner", "first-fit", "--format", "markdown"]));
    assert!(comment.contains("2 of 4 files could not be compared"), "{comment}");
    // The rule about outputs holds for every file of both folders.
    let inside = folder.path("new/deep/er/net.json");
    let told = super::refused(&["diff", &old, &new, "-o", &inside]);
    assert!(told.contains("one of the files that this command reads"), "{told}");
}

/// The comment as it is; `UPDATE_SNAPSHOTS=1` writes it anew.
#[test]
fn the_comment_is_the_one_kept() {
    let args = ["diff", OLD, NEW, "--without", "weights", "--fail-above", "3%", "--format", "markdown"];
    let link = ["--link", "open the new plan=https://memplan.example/#doc=1", "--top", "4"];
    let text = String::from_utf8(memplan(&[&args[..], &link].concat()).stdout).expect("text");
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/snapshots/comment.md");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(kept, &text).expect("written");
    }
    assert_eq!(text, std::fs::read_to_string(kept).expect("kept"), "UPDATE_SNAPSHOTS=1 writes it anew");
    assert!(text.chars().count() < 60_000);
}
