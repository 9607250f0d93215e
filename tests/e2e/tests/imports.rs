//! A file of every format read: the page shows the figures that reading and planning it natively
//! gives.

use std::fs;
use std::path::Path;

use memplan_core::base::exact;
use memplan_e2e::Page;
use memplan_formats::import::{self, Answers, Question};
use serde_json::Value;

use crate::native;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    full("a_file_of_every_format_shows_the_figures_of_its_native_reading", every_format),
    full("a_snapshot_tells_what_an_offline_plan_needs", snapshot),
    full("a_model_with_its_own_plan_can_be_planned_anew", own_plan),
    full("sizes_that_a_file_leaves_open_are_filled_in", open_sizes),
    full("a_symbol_takes_the_shape_of_its_data", symbol),
    full("one_of_several_models_is_chosen", models),
    full("broken_and_hostile_files_are_told_and_the_page_lives_on", broken),
    full("several_files_open_the_first_and_list_the_others", several),
    smoke("an_address_that_is_pasted_is_fetched", address),
    full("a_link_to_a_file_opens_it", link),
    full("the_peak_of_an_invalid_plan_is_no_result", invalid),
    smoke("readers_of_other_tools_files_are_fetched_when_they_are_needed", readers),
];

/// A file of the repository.
pub fn file(path: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The last part of a path.
fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub fn drop(page: &Page, path: &str) {
    page.drop_file(name(path), &file(path));
}

/// Files of each format, and whether they have a plan of their own. Buffers alone come before a
/// file with a plan: the planner that they are shown by would stay for a graph.
const FILES: [(&str, &str, bool); 15] = [
    ("tests/import/onnx/squeezenet1_1_no_value_info.onnx", "ONNX", false),
    ("tests/import/onnx/mobilenet_v2_dynamic_batch.onnx", "ONNX", false),
    ("tests/data/tflite/small_cnn_int8.tflite", "TFLite", false),
    ("tests/data/tflite/small_cnn_int8_offline.tflite", "TFLite", true),
    ("tests/data/nnvm/graph_attrs.json", "TVM graph executor JSON", true),
    ("tests/data/executorch/tiny_add_cat.pte", "ExecuTorch .pte", true),
    ("tests/data/executorch/tiny_add_cat.trace.packed.json.gz", "Chrome trace", false),
    ("tests/data/executorch/tiny_add_cat.trace.offsets.json.gz", "Chrome trace", true),
    ("fuzz/corpus/hlo/while_newton.hlo.pb", "XLA .hlo.pb", true),
    ("tests/data/pt2/attention.pt2", "torch.export .pt2", false),
    ("tests/import/cuda_snapshot/small-4.pickle", "PyTorch CUDA memory snapshot", true),
    ("fuzz/corpus/memory_plan/plan.json", "memory-plan/1", true),
    ("fuzz/corpus/buffer_csv/minimalloc.csv", "buffer CSV", false),
    ("fuzz/corpus/buffer_csv/plan.csv", "buffer CSV", true),
    ("tests/data/models/resnet18_dynamic_batch.json.gz", "memory-graph/1", false),
];

/// The values of the report's table by their captions.
fn report(page: &Page) -> Vec<(String, String)> {
    let blanks = |text: String| native::single_blanks(&text);
    let captions = page.texts(".dialog dl.facts dt").into_iter().map(blanks);
    captions.zip(page.texts(".dialog dl.facts dd").into_iter().map(blanks)).collect()
}

fn open_report(page: &Page) {
    page.click("[aria-label=More]");
    page.click_named("Import report");
    page.until_there(".dialog dl.facts");
}

fn close_report(page: &Page) {
    page.press("Escape");
    page.until_gone(".dialog");
}

fn every_format(page: &mut Page) {
    page.open("lang=en");
    for (path, format, has_plan) in FILES {
        let bytes = file(path);
        let read = import::read(&bytes, Answers::default()).unwrap_or_else(|faults| panic!("{path}: {faults:?}"));
        assert_eq!((read.format.name(), read.document.own_plan().is_some()), (format, has_plan), "{path}");
        let run = native::run(&bytes, "");
        page.drop_file(name(path), &bytes);
        let told = format!("{path} by {}", run.planner);
        native::until_shown(page, &told, &run);
        page.until_gone("#notice");
        // What reading it decided and warned of stands above the plan without being asked for.
        let parts = [(read.warnings.len(), "warning"), (read.facts.len(), "choice")];
        for (_, what) in parts.into_iter().filter(|(count, _)| *count > 0) {
            page.until_says("#remarks b", &[what]);
        }
        if let Some(graph) = read.document.graph().filter(|_| parts != [(0, "warning"), (0, "choice")]) {
            let nodes = format!("{} node", exact(graph.nodes.len() as u64));
            page.until_says("#remarks b", &[&native::single_blanks(&nodes)]);
        }
        open_report(page);
        let shown = report(page);
        let value = |caption: &str| shown.iter().find(|(key, _)| key == caption).map(|(_, value)| value.clone());
        assert_eq!(value("format").as_deref(), Some(format), "{path}");
        if let Some(graph) = read.document.graph() {
            let count = |count: usize| Some(native::single_blanks(&exact(count as u64)));
            assert_eq!(value("nodes"), count(graph.nodes.len()), "{path}");
            assert_eq!(value("tensors"), count(graph.tensors.len()), "{path}");
        }
        let buffers = shown.iter().any(|(_, value)| *value == native::single_blanks(&exact(run.metrics.buffers)));
        assert!(buffers, "{path}: {} buffers in {shown:?}", run.metrics.buffers);
        page.until_count("#report-facts li", read.facts.len());
        let warnings = read.warnings.len().to_string();
        page.until_equal("a heading with the number of warnings", true, |page| {
            page.texts(".dialog h3").iter().any(|head| head.starts_with(&warnings))
        });
        close_report(page);
    }
}

fn snapshot(page: &mut Page) {
    page.open("lang=en");
    drop(page, "tests/import/cuda_snapshot/small-4.pickle");
    let pieces = ["The run-time allocator used", "Any offline plan of the same blocks needs at least"];
    page.until_says("#remarks", &pieces);
    page.click("#remarks-report");
    page.until_there("#report-facts");
    close_report(page);
    page.click("#remarks [aria-label=Dismiss]");
    page.until_gone("#remarks");
}

fn own_plan(page: &mut Page) {
    page.open("lang=en");
    let path = "tests/data/tflite/small_cnn_int8_offline.tflite";
    drop(page, path);
    page.until_planner("imported");
    page.until_says("#remarks", &["The plan shown comes from the TFLite file."]);
    let run = native::run(&file(path), "tflite-arena");
    page.click("#planner-button");
    page.click("[data-planner=tflite-arena]");
    native::until_shown(page, "our planner on the graph", &run);
    // And back to the file's own.
    let own = native::run(&file(path), "imported");
    page.click("#planner-button");
    page.click(".picker [data-planner=imported]");
    native::until_shown(page, "the file's plan", &own);
}

fn open_sizes(page: &mut Page) {
    page.open("lang=en");
    let path = "tests/import/onnx/odd/custom.onnx";
    let mut choices = Answers::default();
    let read = import::read(&file(path), choices.clone()).expect("a valid model");
    let open = read.questions.iter().find_map(|question| match question {
        Question::Shapes(open) => Some(open.clone()),
        _ => None,
    });
    let open = open.expect("the file leaves sizes open");
    drop(page, path);
    // The table opens by itself: nothing can be planned without.
    page.until_there("#report-shapes");
    let shown = "getComputedStyle(document.querySelector('#plan')).visibility";
    // The plan before is of another file.
    page.until("no plan", &format!("{shown} === 'hidden'"));
    page.until_count("#report-shapes th", open.len());
    for (index, tensor) in open.iter().enumerate() {
        choices.shapes.insert(tensor.tensor.clone(), "2, 24".into());
        page.browser.type_into(&format!("#report-shapes tr:nth-child({}) input", index + 1), "2, 24");
    }
    page.click("#report-shapes [type=submit]");
    let settled = import::read(&file(path), choices.clone()).expect("the same model");
    assert_eq!(settled.questions, []);
    page.until_gone("#report-shapes");
    let run = native::run_choosing(&file(path), "inductor-tree", choices);
    native::until_shown(page, "a plan of the stated sizes", &run);
    page.until_gone("#notice");
    page.until("the plan", &format!("{shown} === 'visible'"));
}

/// Symbols of NNVM and MXNet say no shapes: all follow from that of the data.
fn symbol(page: &mut Page) {
    page.open("lang=en");
    let path = "tests/data/nnvm/symbol.json";
    drop(page, path);
    page.until_there("#report-shapes");
    let format = ("format".to_string(), "NNVM symbol JSON".to_string());
    page.until_equal("the format in the report", true, |page| report(page).contains(&format));
    let tensors = page.texts("#report-shapes th");
    let data = tensors.iter().position(|tensor| tensor == "data").expect("the data has no shape");
    page.browser.type_into(&format!("#report-shapes tr:nth-child({}) input", data + 1), "1, 3, 16, 16");
    page.click("#report-shapes [type=submit]");
    let shapes = [("data".to_string(), "1, 3, 16, 16".to_string())].into();
    let choices = Answers { shapes, ..Answers::default() };
    let settled = import::read(&file(path), choices.clone()).expect("a valid symbol");
    assert!(!settled.questions.iter().any(|question| matches!(question, Question::Shapes(_))));
    let run = native::run_choosing(&file(path), "", choices);
    assert_eq!(run.planner, "nnvm", "the planner of the tool that wrote the file");
    native::until_shown(page, "a plan of the shapes that follow", &run);
    page.until_gone("#notice");
}

fn models(page: &mut Page) {
    page.open("lang=en");
    let path = "tests/data/pt2/two_models.pt2";
    let names = import::read(&file(path), Answers::default()).expect("a valid archive").questions;
    let names = names.into_iter().find_map(|question| match question {
        Question::Model(names) => Some(names),
        _ => None,
    });
    let names = names.expect("two models");
    drop(page, path);
    page.until_there("#remarks");
    page.until_says("#remarks", &["2 models"]);
    page.click("#remarks-report");
    page.until_there("#report-model");
    let second = Answers { model: names[1].clone(), ..Answers::default() };
    let run = native::run_choosing(&file(path), "inductor-tree", second);
    let before = page.facts();
    page.eval::<Value>(
        "(select => { select.selectedIndex = 1; select.dispatchEvent(new Event('change', { bubbles: true })); return 0; })
            (document.querySelector('#report-model'))",
    );
    let facts = native::until_shown(page, "the other model", &run);
    assert_ne!((facts.peak, facts.frames), (before.peak, before.frames));
}

/// Files that cannot be read, a few of each kind.
const BROKEN: [&str; 14] = [
    "fuzz/corpus/cuda_snapshot/hostile-2.pickle",
    "fuzz/corpus/cuda_snapshot/hostile-4.pickle",
    "fuzz/corpus/onnx/cut.onnx",
    "fuzz/corpus/onnx/undefined.onnx",
    "fuzz/corpus/onnx/twice.onnx",
    "fuzz/corpus/tflite/short.tflite",
    "fuzz/corpus/tflite/liar.tflite",
    "fuzz/corpus/executorch/short.pte",
    "fuzz/corpus/exported_program/cut.pt2",
    "fuzz/corpus/graph_executor/huge_shape.json",
    "fuzz/corpus/trace/faults.json",
    "fuzz/corpus/read/deep.json",
    "fuzz/corpus/read/cut.gz",
    "fuzz/corpus/buffer_csv/faults.csv",
];

fn broken(page: &mut Page) {
    page.open("lang=en");
    let before = page.facts();
    let mut refused = 0;
    for path in BROKEN {
        let bytes = file(path);
        let Err(faults) = import::read(&bytes, Answers::default()) else { continue };
        refused += 1;
        let said = native::single_blanks(&memplan_core::text::Speech::default().say(&faults[0].message));
        drop(page, path);
        page.until(
            path,
            &format!("document.querySelector('#notice b')?.textContent.includes('{} was not opened')", name(path)),
        );
        // Sizes are written in the unit of the plan shown: the words around them are what is
        // compared.
        let start: String = said.chars().take_while(|c| !c.is_ascii_digit()).collect();
        page.until_says("#notice", &[start.trim()]);
        assert_eq!(page.facts(), before, "{path}: the last plan stays");
    }
    assert!(refused >= 12, "only {refused} of the files are refused");
    page.press("ArrowLeft");
    page.until_frame(before.frame - 1);
}

fn readers(page: &mut Page) {
    page.open_in("without-reader.js/", "lang=en&doc=ex:resnet18&plan=first-fit");
    page.forgive_console();
    // Graphs, plans and buffer lists of the project itself do without.
    drop(page, "fuzz/corpus/buffer_csv/minimalloc.csv");
    page.until("the list", "document.querySelector('h1').textContent.includes('minimalloc')");
    let before = page.facts();
    let model = "tests/import/onnx/squeezenet1_1_no_value_info.onnx";
    drop(page, model);
    page.until("a notice", "document.querySelector('#notice')?.textContent.includes('could not be downloaded')");
    assert_eq!(page.facts(), before, "what was shown stays");
    // The next attempt succeeds. The planner that the list was first shown by does not stay for a
    // graph.
    drop(page, model);
    let run = native::run(&file(model), "");
    assert_ne!(run.planner, before.planner);
    native::until_shown(page, model, &run);
    page.until_gone("#notice");
}

fn several(page: &mut Page) {
    page.open("lang=en");
    let first = "tests/import/onnx/squeezenet1_1_no_value_info.onnx";
    let second = "tests/data/tflite/small_cnn_int8.tflite";
    let files = [
        ("notes.txt", b"no model".to_vec()),
        (name(first), file(first)),
        ("squeezenet.onnx.data", vec![7; 100]),
        (name(second), file(second)),
    ];
    page.drop_files(&files);
    let run = native::run(&files[1].1, "inductor-tree");
    native::until_shown(page, "the first that can be read", &run);
    page.until("the others", "document.querySelector('.toast')?.textContent.includes('2 more files')");
    // The page says what is wrong with the one that it passed over.
    page.until_says("#notice", &["notes.txt"]);
    page.click("#left-tab-files");
    page.until_texts("#together button", &["notes.txt", name(first), name(second)]);
    page.until_texts("#together [aria-current]", &[name(first)]);
    page.click("#together li:nth-child(3) button");
    let run = native::run(&files[3].1, "");
    assert_eq!(run.planner, "tflite-arena", "the planner of the tool that wrote the file");
    native::until_shown(page, "another of them", &run);
    page.click("#left-tab-files");
    page.click("#together li:nth-child(1) button");
    page.until_there("#notice");
    page.until_says("#notice", &["The type of this file is unknown."]);
}

fn address(page: &mut Page) {
    page.forgive_console();
    page.open("lang=en");
    let site: String = page.eval("new URL('.', location.href).href");
    page.paste(&format!("{site}graphs/diamond.json"));
    let run = native::run(&native::example("diamond"), "inductor-tree");
    native::until_shown(page, "the file at the address", &run);
    page.paste(&format!("{site}graphs/nothing.json"));
    page.until("a status", "document.querySelector('#notice')?.textContent.includes('answered with status 404')");
    // Nothing listens there: the browser says no more of it than of a site that refuses.
    page.paste("https://127.0.0.1:9/model.onnx");
    page.click("#address-fetch");
    page.until("CORS", "document.querySelector('#notice')?.textContent.includes('(CORS)')");
    page.until_says("#notice", &["https://127.0.0.1:9/model.onnx"]);
    page.paste("http://127.0.0.1:9/model.onnx");
    page.until_says("#notice", &["http://127.0.0.1:9/model.onnx was not fetched", "only https"]);
    page.paste(&format!("{site}index.html"));
    page.until("a web page", "document.querySelector('#notice')?.textContent.includes('This is a web page')");
}

fn link(page: &mut Page) {
    page.open("lang=en");
    let site: String = page.eval("new URL('.', location.href).href");
    page.open(&format!("doc=url:{site}graphs/diamond.json&plan=first-fit&lang=en"));
    let run = native::run(&native::example("diamond"), "first-fit");
    native::until_shown(page, "the file of the link", &run);
    // It stays a link to the file: no copy of it travels.
    page.press("Home");
    page.press("ArrowRight");
    page.until_address("f=1");
    let fragment = page.fragment();
    assert!(fragment.contains("doc=url:") && fragment.contains("graphs/diamond.json"), "{fragment}");
    page.browser.reload();
    native::until_shown(page, "the same plan", &run);
    page.until_frame(1);
}

fn invalid(page: &mut Page) {
    page.open("lang=en");
    assert!(!page.is_there("#strip-peak.invalid"));
    page.drop_file("plan.csv", crate::samples::COLLIDING_PLAN.as_bytes());
    page.until_there("#violations");
    page.until_says("#strip-peak.invalid", &["invalid"]);
    page.until("no ratio", "!document.querySelector('.strip').textContent.includes('×')");
    page.click("#planner-button");
    page.click("[data-planner=first-fit]");
    page.until_gone("#strip-peak.invalid");
}
