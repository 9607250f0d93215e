//! Readers and planners on damaged files: they refuse, and never panic.

use super::*;

/// Files to be damaged: one of each format.
fn samples() -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let csv = "id,lower,upper,size,offset\na,0,3,10,0\nb,2,4,20,16\n";
    let plan = r#"{"format":"memory-plan/1","pools":[{"id":0,"size":36}],"buffers":[{"name":"a","size":10,"start":0,"end":3,"pool":0,"offset":0},{"name":"b","size":20,"start":2,"end":4,"pool":0,"offset":16}]}"#;
    let read = |name: &str| std::fs::read(folder.join(name)).expect("the file is there");
    let Ok(Document::Plan(problem, traced)) =
        import::read(csv.as_bytes(), Answers::default()).map(|read| read.document)
    else {
        panic!("every row has an offset")
    };
    let traced = (problem, traced);
    vec![
        read("www/graphs/diamond.json"),
        read("tests/data/models/resnet18_dynamic_batch.json.gz"),
        csv.into(),
        plan.into(),
        read("tests/data/nnvm/graph_attrs.json"),
        read("tests/data/nnvm/symbol.json"),
        read("tests/data/pt2/branch.pt2"),
        read("fuzz/corpus/exported_program/attention.json"),
        read("tests/data/tflite/small_cnn_int8_offline.tflite"),
        read("fuzz/corpus/tflite/offline.tflite"),
        read("tests/data/executorch/tiny_add_cat.pte"),
        read("fuzz/corpus/hlo/while_newton.hlo.pb"),
        read("fuzz/corpus/trace/list.json"),
        read("tests/import/cuda_snapshot/small-2.pickle"),
        read("tests/import/cuda_snapshot/small-4.pickle"),
        export::trace(&traced.0, Some(&traced.1)).into(),
        read("tests/import/onnx/squeezenet1_1_no_value_info.onnx"),
        read("tests/import/onnx/odd/names.onnx"),
    ]
}

/// Reads and plans whatever comes; only a panic or a hang is a failure.
fn survive(bytes: &[u8]) {
    let Ok(read) = import::read(bytes, Answers::default()) else { return };
    if let Some((problem, plan)) = read.document.own_plan() {
        check(problem, plan);
        metrics(problem, plan);
    }
    let (problem, graph) = match read.document {
        Document::Graph(graph) | Document::Planned(graph, ..) => match lifetimes(&graph, &Scope::default()) {
            Ok(problem) => (problem, Some(graph)),
            Err(_) => return,
        },
        Document::Buffers(problem) | Document::Plan(problem, _) => (problem, None),
    };
    for planner in REGISTRY {
        // A planner that does not apply says so.
        let options = quick(planner.info());
        let _ = run(*planner, &problem, graph.as_ref(), &Scope::default(), &options, &mut Silent);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_damaged_file_panics(which in any::<prop::sample::Index>(), edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12), cut in prop::option::of(any::<prop::sample::Index>())) {
        let samples = samples();
        let mut bytes = which.get(&samples).clone();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        survive(&bytes);
    }

    #[test]
    fn no_text_panics(text in r#"[\{\}\[\]":,a-z0-9 .e+-]{0,200}"#) {
        survive(text.as_bytes());
        survive(format!("{{\"format\":\"memory-graph/1\",{text}}}").as_bytes());
    }
}

/// What fuzzing found before, and one file of each format: never again a panic.
#[test]
fn the_fuzzing_corpus_is_survived() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fuzz/corpus");
    let targets = std::fs::read_dir(folder).expect("the corpus is there");
    for target in targets.flatten() {
        let files = std::fs::read_dir(target.path()).expect("one folder a target");
        let mut count = 0;
        for file in files.flatten() {
            survive(&std::fs::read(file.path()).expect("readable"));
            count += 1;
        }
        assert!(count > 2, "only {count} files in {}", target.path().display());
    }
}
