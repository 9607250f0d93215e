//! Which files are read without the readers of other tools' files, and that the rest come from
//! those unchanged: in the browser they are a program of their own, and documents travel as bytes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use memplan_core::base::Message;
use memplan_core::graph::Fault;
use memplan_core::plan::{check, misreading};
use memplan_core::text::{Locale, Speech};
use memplan_engine::{self as engine, Failure};
use memplan_formats::import::{self, Answers, Content, Format, Imported};

const FOLDERS: [&str; 4] = ["www/graphs", "tests/data", "tests/import", "fuzz/corpus"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn stored() -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    FOLDERS
        .iter()
        .for_each(|folder| files(&Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(folder), &mut found));
    let read = |path: PathBuf| fs::read(&path).map(|bytes| (path, bytes)).expect("a stored file");
    found.into_iter().map(read).collect()
}

/// The files in `fuzz/corpus/<id>`, unpacked. Those without a suffix were made by the fuzzer and
/// may be of any format.
fn samples(id: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    files(&Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fuzz/corpus").join(id), &mut found);
    let unpacked = |path: PathBuf| {
        let bytes = fs::read(&path).expect("a stored file");
        let bytes = import::unpacked(&bytes).ok()?.into_owned();
        Some((path, bytes))
    };
    found.into_iter().filter(|path| path.extension().is_some()).filter_map(unpacked).collect()
}

#[test]
fn every_reader_recognises_its_own_samples_and_no_other_s() {
    for reader in import::readers() {
        let mut count = 0;
        for (path, bytes) in samples(reader.id) {
            let content = Content::new(&bytes);
            let by: Vec<&str> =
                import::readers().filter(|reader| reader.recognises(&content)).map(|reader| reader.id).collect();
            // A cut file may be of no format.
            assert!(by.is_empty() || by == [reader.id], "{} is recognised by {by:?}", path.display());
            count += by.len();
            if let Ok(read) = import::read(&bytes, Answers::default()) {
                assert_eq!(read.format, reader.format, "{}", path.display());
            }
        }
        assert!(count > 1, "{}: {count} samples in fuzz/corpus are too few to tell", reader.id);
    }
}

#[test]
fn every_reader_has_a_fuzz_target_a_section_and_its_words() {
    let text = |path: &str| {
        fs::read_to_string(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path))
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let (targets, page) = (text("fuzz/Cargo.toml"), text("docs/formats.md"));
    let plain = |text: &str| text.replace(['`', '(', ')'], "").to_lowercase();
    let headings: Vec<String> = page.lines().filter_map(|line| line.strip_prefix("## ")).map(plain).collect();
    for reader in import::readers() {
        let (id, name) = (reader.id, reader.format.name());
        assert!(targets.contains(&format!("name = \"{id}\"")), "{id} is no fuzz target");
        assert!(text(&format!("fuzz/fuzz_targets/{id}.rs")).contains("target::run("), "{id}: its target reads nothing");
        assert!(text(&format!("fuzz/dictionaries/{id}.dict")).lines().count() > 2, "{id}: its dictionary is empty");
        let is_described = headings.iter().any(|heading| heading.contains(&plain(name)));
        assert!(is_described, "docs/formats.md has no section for {name}");
        for locale in [Locale::En, Locale::Zh] {
            for key in ["fault.not-recognised", "fault.not-recognised-looks"] {
                let listed =
                    Speech { locale, ..Speech::default() }.say(&Message::new(key).text("bytes", "").text("looks", ""));
                assert!(listed.contains(reader.words), "{key} does not list {}: {listed}", reader.words);
            }
        }
    }
    let ids: BTreeSet<&str> = import::readers().map(|reader| reader.id).collect();
    assert_eq!(ids.len(), import::readers().count(), "two readers have one id");
}

/// What was read as text: documents have no equality of their own.
fn written(read: &Result<Imported, Vec<Fault>>) -> String {
    format!("{read:?}")
}

#[test]
fn only_files_of_other_tools_need_their_readers() {
    let (mut own, mut others) = (0, 0);
    for (path, bytes) in stored() {
        let path = path.display();
        let Ok(unpacked) = import::unpacked(&bytes) else { continue };
        let whole = import::read(&bytes, Answers::default());
        let alone = import::read_own(&unpacked, &Answers::default());
        if let Some(alone) = &alone {
            assert_eq!(written(alone), written(&whole), "{path}");
        }
        if let Ok(whole) = whole {
            let is_own = matches!(whole.format, Format::MemoryGraph | Format::MemoryPlan | Format::BufferCsv);
            assert_eq!(alone.is_some(), is_own, "{path}");
            if is_own { own += 1 } else { others += 1 }
        }
    }
    assert!(own > 40 && others > 20, "{own} own files and {others} others are too few to tell");
}

#[test]
fn an_own_file_in_unusual_writing_is_read_all_the_same() {
    let text = r#"{"format": "memory-graph\/1", "name": "odd", "tensors": [], "nodes": []}"#;
    assert!(import::read_own(text.as_bytes(), &Answers::default()).is_none());
    let read = import::read(text.as_bytes(), Answers::default()).expect("JSON may escape a slash");
    assert_eq!(read.document.name(), "odd");
    // A name that only looks like that of a format makes no own file.
    let text = r#"{"traceEvents": [], "note": "memory-graph/1"}"#;
    assert!(import::read_own(text.as_bytes(), &Answers::default()).is_none());
}

#[test]
fn what_readers_found_travels_as_bytes() {
    let (mut count, mut recorded) = (0, 0);
    for (path, bytes) in stored() {
        let answers = Answers { file: "model".into(), ..Answers::default() };
        let read = engine::read(&bytes, &answers).map_err(|failure| match failure {
            Failure::Faults(faults) => faults,
            other => panic!("{}: {other:?}", path.display()),
        });
        let Ok(unpacked) = import::unpacked(&bytes) else { continue };
        if import::read_own(&unpacked, &answers).is_some() {
            continue;
        }
        let packed = engine::read_packed(&unpacked, &postcard::to_stdvec(&answers).expect("plain values"));
        let arrived = engine::unpack_read(&packed).expect("what was written");
        let arrived = arrived.unwrap_or_else(|| import::read_unclaimed(&unpacked, &answers));
        assert_eq!(written(&arrived), written(&read), "{}", path.display());
        // The worker plans and measures what was asked of an allocator, so it travels too.
        let recordings = arrived.as_ref().map_or(&[][..], |read| read.document.recordings());
        recorded += usize::from(recordings.iter().any(|recording| !recording.calls.is_empty()));
        count += 1;
    }
    assert!(count > 40, "{count} files are too few to tell");
    assert!(recorded > 0, "no file records calls");
}

/// A list of `count` times `item`.
fn many(item: &str, count: usize) -> String {
    vec![item; count].join(",")
}

#[test]
fn of_a_file_that_is_all_wrong_some_faults_are_told_and_that_there_are_more() {
    let count = 200_000;
    let graph = |tensors: String, nodes: String| {
        format!(r#"{{"format":"memory-graph/1","name":"","tensors":[{tensors}],"nodes":[{nodes}]}}"#)
    };
    let node = r#"{"name":"n","op":"f","inputs":["x"],"outputs":["y"]}"#;
    let tensor = r#"{"name":"t","dtype":"int8","shape":["a+"],"kind":"input"}"#;
    let files = [
        graph(many("{}", count), String::new()),
        graph(String::new(), many("{}", count)),
        graph(String::new(), many(node, count)),
        graph(many(tensor, count), String::new()),
        graph(
            format!(r#"{{"name":"t","dtype":"int8","kind":"input","shape":[{}]}}"#, many("-1", count)),
            String::new(),
        ),
        graph(String::new(), format!(r#"{{"name":"n","op":"f","outputs":[],"inputs":[{}]}}"#, many("1", count))),
        format!(r#"{{"format":"memory-plan/1","pools":[],"buffers":[{}]}}"#, many("{}", count)),
        format!("id,lower,upper,size\n{}", "a,b,c,d\n".repeat(count)),
        format!("id,lower,upper,size\n{}", "a,9,0,1\n".repeat(count)),
        format!("{}\na\n", many("id", count)),
    ];
    for file in files {
        let start = &file[..file.len().min(120)];
        let faults = import::read(file.as_bytes(), Answers::default()).expect_err(start);
        let last = faults.last().map(|fault| fault.message.key.as_ref());
        assert!((100..=500).contains(&faults.len()), "{} faults of {start}", faults.len());
        assert_eq!(last, Some("fault.more"), "{start}");
        assert!(faults[..faults.len() - 1].iter().all(|fault| fault.message.key != "fault.more"), "{start}");
    }
}

#[test]
fn keys_that_nobody_knows_are_each_met_once() {
    let keys: Vec<String> = (0..100_000).map(|key| format!(r#""k{key}":0"#)).collect();
    let file = format!(r#"{{"format":"memory-graph/1","name":"","tensors":[],"nodes":[],{}}}"#, keys.join(","));
    let read = import::read(file.as_bytes(), Answers::default()).expect("they are no fault");
    assert!((100..=500).contains(&read.warnings.len()), "{}", read.warnings.len());
}

#[test]
fn a_long_expression_is_refused_where_it_stands() {
    let shape = vec!["s"; 200_000].join("+");
    let file = format!(
        r#"{{"format":"memory-graph/1","name":"","symbols":{{"s":{{"hint":1}}}},
        "tensors":[{{"name":"t","dtype":"int8","shape":["{shape}"],"kind":"input"}}],"nodes":[]}}"#
    );
    let faults = import::read(file.as_bytes(), Answers::default()).expect_err("it would fill the stack");
    let found: Vec<(&str, &str)> = faults.iter().map(|fault| (&*fault.path, fault.message.key.as_ref())).collect();
    assert_eq!(found, [("tensors[0].shape[0]", "fault.expression-depth")]);
}

#[test]
fn no_file_contradicts_its_own_plan() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut found = stored();
    let mut golden = Vec::new();
    files(&root.join("tests/golden/data"), &mut golden);
    found.extend(golden.into_iter().map(|path| fs::read(&path).map(|bytes| (path, bytes)).expect("a stored file")));
    let (mut plans, mut below) = (0, BTreeSet::new());
    for (path, bytes) in found {
        let Ok(read) = import::read(&bytes, Answers::default()) else { continue };
        let Some((problem, plan)) = read.document.own_plan() else { continue };
        let name = path.display().to_string();
        plans += 1;
        let is_valid = check(problem, plan).iter().all(|violation| violation.is_quirk_of(plan));
        // The fuzzer, and tests of broken plans, made plans that break rules; all others keep them.
        let is_made_up = name.contains("fuzz/corpus") || name.contains("overlap");
        // ExecuTorch plans the results of two conditions into the same bytes
        // (pytorch/executorch#21490).
        let is_made_up = is_made_up || name.ends_with("two_conds.pte");
        assert!(is_valid || is_made_up, "{name}: {:?}", check(problem, plan));
        if read.format.is_own() {
            // Files of this project state takeovers.
            assert_eq!(read.document.misreading(), None, "{name}");
            assert!(!is_valid || misreading(problem, plan, true).is_none(), "{name}");
            continue;
        }
        let of_user = ["fact.trace-by-time", "fact.onnx-plan"];
        let is_of_user = read.facts.iter().any(|fact| of_user.contains(&&*fact.key));
        match read.document.misreading() {
            Some(why) if is_valid => assert!(below.insert(name.clone()), "{name}: {why:?}"),
            Some(_) => assert!(!is_of_user, "{name}"),
            None => assert!(is_valid || is_of_user, "{name}: {:?}", check(problem, plan)),
        }
    }
    assert!(plans > 90, "{plans} plans are too few to tell");
    assert_eq!(below, BTreeSet::new(), "below the bound");
}
