//! `memplan diff` of two folders: every file is compared, or named as one that is not.

use super::*;

const DUMP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/diff/jit_decode_old.hlo.pb.gz");

/// Two folders with the same files.
fn sides(folder: &Folder, files: &[(&std::ffi::OsStr, &[u8])]) -> [String; 2] {
    ["old", "new"].map(|side| {
        let path = folder.0.join(side);
        fs::create_dir_all(&path).expect("a folder");
        files.iter().for_each(|(name, contents)| fs::write(path.join(name), contents).expect("a file"));
        path.display().to_string()
    })
}

fn names(arguments: &[&str]) -> Vec<String> {
    let record = json(&fine(&[&["diff"], arguments, &["--json"]].concat()));
    let models = record["models"].as_array().expect("models");
    models.iter().map(|model| model["path"].as_str().expect("a path").to_string()).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_lose_no_file() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let name = |bytes: &'static [u8]| std::ffi::OsStr::from_bytes(bytes);
    let graph = GRAPH.as_bytes();
    let files = [(name(b"n\xe9.json"), graph), (name(b"n\xe8.json"), graph), (name(b"plain.json"), graph)];
    let [old, new] = sides(&folder, &files);
    let given = ["--planner", "naive"];
    let shown = ["n\u{fffd}.json (1)", "n\u{fffd}.json (2)", "plain.json"];
    assert_eq!(names(&[&[&*old, &*new][..], &given].concat()), shown);
    // One side alone has one of them, and is compared with no other file.
    fs::remove_file(folder.0.join("old").join(name(b"n\xe8.json"))).expect("removed");
    let record = json(&fine(&["diff", &old, &new, "--planner", "naive", "--json"]));
    assert_eq!(record["models"].as_array().map(Vec::len), Some(3));
    assert_eq!(record["models"][0]["old"], Value::Null, "{record}");
}

#[test]
fn two_files_of_one_name_are_both_compared() {
    let folder = Folder::new();
    let graph = GRAPH.as_bytes();
    let [old, new] = sides(&folder, &[("1".as_ref(), graph), ("2".as_ref(), graph), ("3".as_ref(), graph)]);
    let table = folder.file("names", "1\0net.json\x002\0net.json\x003\0net.json (1)\0");
    let found = names(&[&old, &new, "--names", &table, "--planner", "naive"]);
    assert_eq!(found, ["net.json (2)", "net.json (3)", "net.json (1)"]);
}

#[test]
fn the_table_of_names_is_never_written_over() {
    let folder = Folder::new();
    let graph = GRAPH.as_bytes();
    let [old, new] = sides(&folder, &[("1".as_ref(), graph)]);
    let (contents, picture) = ("1\0net.json\0", folder.path("out.svg"));
    let table = folder.file("names", contents);
    let mut outputs = vec![table.clone(), folder.0.join(".").join("names").display().to_string()];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&table, folder.path("link")).expect("a link");
        fs::hard_link(&table, folder.path("hard")).expect("a link");
        outputs.extend([folder.path("link"), folder.path("hard")]);
    }
    for output in &outputs {
        for more in [vec!["-o", &**output], vec!["--picture", &**output, "-o", &*picture]] {
            let words = refused(&[&["diff", &*old, &*new, "--names", &*table], &more[..]].concat());
            assert!(words.contains("one of the files that this command reads"), "{more:?}: {words}");
            assert_eq!(fs::read_to_string(&table).expect("there"), contents);
        }
    }
}

#[test]
fn modules_of_dumps_that_are_not_compared_are_named() {
    let folder = Folder::new();
    let dump = fs::read(DUMP).expect("a dump");
    let ending = "cpu_after_optimizations.hlo.pb.gz";
    let [first, second] =
        ["module_0001.jit_decode", "module_0002.jit_other"].map(|module| format!("{module}.{ending}"));
    let broken = format!("module_0003.jit_broken.{ending}");
    let [old, new] = sides(
        &folder,
        &[
            (first.as_ref(), &dump[..]),
            (second.as_ref(), &dump[..]),
            (broken.as_ref(), b"nothing"),
            ("module_0001.jit_decode.cpu-buffer-assignment.txt".as_ref(), b"text"),
            ("net.json".as_ref(), GRAPH.as_bytes()),
        ],
    );
    let output = memplan(&["diff", &old, &new]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let told = stderr(&output);
    let line = told.lines().find(|line| line.contains("were not compared")).unwrap_or_else(|| panic!("{told}"));
    assert!(line.starts_with("note: 2 other modules") && line.contains("module_0003.jit_broken.cpu"), "{told}");
    assert!(told.contains("1 file beside the XLA dumps was not compared: net.json"), "{told}");
    assert!(!told.contains("buffer-assignment"), "{told}");
    assert!(!stderr(&memplan(&["diff", &old, &new, "--quiet"])).contains("not compared"));
    let output = memplan(&["diff", &old, &new, "--module", "jit_other"]);
    assert!(code(&output) == 0 && !stderr(&output).contains("other module"), "{}", stderr(&output));
    let words = refused(&["diff", &old, &new, "--module", "zzz"]);
    assert!(words.contains("no module `zzz`") && words.contains("module_0001.jit_decode.cpu"), "{words}");
    let models = folder.0.join("models");
    fs::create_dir_all(&models).expect("a folder");
    fs::write(models.join("net.json"), GRAPH).expect("a file");
    let models = models.display().to_string();
    let words = refused(&["diff", &models, &models, "--module", "jit_other"]);
    assert!(words.contains("hold no XLA dumps"), "{words}");
}
