//! Models of the test data, and those beside the directory of golden records: what they cost to
//! fit.

use memplan_core::graph::Graph;
use memplan_fit::{Answer, verify};
use memplan_formats::import::{self, Answers, Document};

use super::{FREE, request, solve, solve_for, with};

/// Spilling and making again have no end on a large graph: the search ends after so many questions,
/// a few seconds.
fn solve_large(graph: &Graph, budget: u64, paid: &str) -> Answer {
    let asked = std::cell::Cell::new(0);
    let request = request(budget, &format!("planner,inplace,views,{paid}"));
    solve_for(graph, &request, &|| asked.replace(asked.get() + 1) > 2_000)
}

/// `model, budget, levers that cost, most MACs, most bytes moved`: the table of docs/fit.md.
const MODELS: [(&str, u64, &str, u64, u64); 16] = [
    ("mobilenet_v2", 6_021_120, "", 0, 0),
    ("mobilenet_v2", 4_157_440, "stripes", 172_032, 0),
    ("mobilenet_v2", 3_118_080, "stripes", 516_096, 0),
    ("mobilenet_v2", 1_978_368, "stripes", 3_139_584, 0),
    ("mobilenet_v2", 1_053_696, "stripes", 34_420_736, 0),
    ("resnet18", 4_014_080, "", 0, 0),
    ("resnet18", 3_039_232, "stripes", 1_053_696, 0),
    ("resnet18", 2_021_376, "stripes", 13_526_016, 0),
    ("resnet18", 1_648_640, "stripes", 419_457_024, 0),
    ("resnet18", 1_605_632, "stripes", 1_872_783_360, 0),
    ("unet_512", 201_326_592, "", 0, 0),
    ("unet_512", 167_772_160, "stripes", 276_824_064, 0),
    ("unet_512", 134_217_728, "stripes", 97_148_469_248, 0),
    ("sd15_unet", 84_127_744, "", 0, 0),
    ("sd15_unet", 78_950_400, "recompute", 47_185_920, 0),
    ("sd15_unet", 62_914_560, "spill", 0, 126_800_896),
];

fn model(path: &std::path::Path) -> Graph {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    match import::read(&bytes, Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}")).document {
        Document::Graph(graph) => graph,
        other => panic!("{other:?}"),
    }
}

#[test]
fn models_fit_at_these_prices() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/models");
    for (name, budget, paid, macs, bytes) in MODELS {
        let graph = model(&folder.join(format!("{name}.json.gz")));
        let record = match paid {
            "spill" | "recompute" => solve_large(&graph, budget, paid).record,
            "" => solve(&graph, &request(budget, FREE)).record,
            _ => solve(&graph, &request(budget, &with(paid))).record,
        };
        let is_within = record.price.macs <= macs && record.price.bytes_moved <= bytes;
        assert_eq!((record.result.as_str(), is_within), ("fits", true), "{name} {budget}: {record:?}");
    }
}

/// `model, as it is, with the levers that cost nothing`: what is below the second is proved out of
/// reach of them.
const FREELY: [(&str, u64, u64); 4] = [
    ("mobilenet_v2", 9_633_792, 6_021_120),
    ("resnet18", 6_422_528, 4_014_080),
    ("unet_512", 268_435_456, 201_326_592),
    ("sd15_unet", 105_099_264, 84_127_744),
];

#[test]
fn models_need_this_much_as_they_are_and_with_what_costs_nothing() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/models");
    for (name, before, free) in FREELY {
        let graph = model(&folder.join(format!("{name}.json.gz")));
        let allow = "planner,inplace,views";
        let record = solve(&graph, &request(free, allow)).record;
        assert_eq!((record.result.as_str(), record.required.before, record.required.after), ("fits", before, free));
        assert_eq!(record.price.macs + record.price.bytes_moved, 0, "{name}");
        let below = solve(&graph, &request(free - 1, allow)).record;
        assert_eq!((below.result.as_str(), below.required.after), ("impossible", free), "{name}");
        let certificate = below.certificate.expect("a proof");
        assert_eq!(certificate.storages.iter().map(|one| one.bytes).sum::<u64>(), free, "{name}");
    }
}

#[test]
fn a_model_is_out_of_reach_of_stripes_below_their_least() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/models");
    let graph = model(&folder.join("mobilenet_v2.json.gz"));
    let request = request(1_053_695, "planner,inplace,views,stripes");
    let record = solve(&graph, &request).record;
    assert_eq!((record.result.as_str(), record.required.after), ("impossible", 1_053_696));
    let certificate = record.certificate.as_ref().expect("a proof");
    assert!(certificate.kind == "stripes" && !certificate.edges.is_empty());
    assert_eq!(verify(&graph, &request, &record), Ok(()));
}

#[test]
fn what_fits_in_less_fits_in_more() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/tflite");
    let graph = model(&folder.join("small_cnn_int8.tflite"));
    for kib in 10..=20 {
        let record = solve(&graph, &request(kib << 10, "planner,order,stripes")).record;
        assert_eq!(record.result, "fits", "{kib} KiB");
    }
}

#[test]
fn what_was_brought_back_is_brought_back_again_without_a_copy_out() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/models");
    let graph = model(&folder.join("sd15_unet.json.gz"));
    let finished = solve_large(&graph, 62_914_560, "spill").finished.expect("a plan");
    let count = |op: &str| finished.graph.nodes.iter().filter(|node| node.op == op).count();
    assert!(count("memplan.fill") > count("memplan.spill") && count("memplan.spill") > 0);
}

/// Models for microcontrollers, in folders beside the directory that `MEMPLAN_GOLDEN` names.
#[test]
fn models_beside_the_golden_directory_fit_at_these_prices() {
    let Some(golden) = std::env::var_os("MEMPLAN_GOLDEN").map(std::path::PathBuf::from) else { return };
    let folder = golden.join("..");
    let models = [
        ("models/tflite/mobilenet_v2_035_96_int8.tflite", 94_464, 18_432),
        ("models/tflite/mobilenet_v2_035_96_int8.tflite", 64_512, 55_296),
        ("models/tflite/mobilenet_v2_035_96_int8.tflite", 47_616, 1_030_656),
        ("models/tflite/mobilenet_v2_035_96_int8.tflite", 40_320, 2_155_008),
        ("benchmarks/tflm/person_detect.tflite", 46_848, 6_144),
        ("benchmarks/tflm/person_detect.tflite", 40_704, 12_288),
        ("benchmarks/tflm/person_detect.tflite", 21_888, 1_211_136),
    ];
    for (path, budget, macs) in models.into_iter().filter(|(path, ..)| folder.join(path).exists()) {
        let record = solve(&model(&folder.join(path)), &request(budget, &with("stripes"))).record;
        assert_eq!((record.result.as_str(), record.price.macs <= macs), ("fits", true), "{path} {budget}: {record:?}");
    }
}
