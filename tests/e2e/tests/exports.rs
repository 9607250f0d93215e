//! Files that the page writes, read by parsers that are not the page's.

use memplan_core::problem::Scope;
use memplan_e2e::Page;
use memplan_engine::{Answer, Engine, NoListener, PlannerChoice, Request, Source, Task, WriteForm, WriteTask, Written};
use memplan_formats::export;
use memplan_formats::import::{self, Answers, Document};
use memplan_replay::Level;
use serde_json::Value;

use crate::native;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    full("every_entry_of_the_menu_writes_its_file", every_entry),
    full("buffers_without_a_graph_disable_what_needs_one", without_graph),
    full("a_plan_of_storages_becomes_graph_executor_json", storages),
    smoke("a_model_is_saved_with_the_plan_after_its_arena_was_shown", model),
    full("a_program_is_saved_with_the_plan_after_its_memory_was_shown", program),
    smoke("pictures_are_saved", pictures),
    full("a_picture_carries_what_the_sheet_says", sheet),
    smoke("a_page_is_printed_in_place_of_the_window", printed),
    full("what_is_not_copied_can_be_copied_by_hand", by_hand),
    full("overlaps_of_the_original_come_back_in_both_tables", quirks),
];

/// Keeps what the page saves: a browser without a window asks nobody where to put a file.
const CATCH: &str = "window.saved = [];
    const blobs = {}, make = URL.createObjectURL;
    URL.createObjectURL = blob => { const url = make(blob); blobs[url] = blob; return url; };
    HTMLAnchorElement.prototype.click = function () {
        const name = this.download;
        blobs[this.href].arrayBuffer().then(b => window.saved.push(
            [name, [...new Uint8Array(b)].map(c => String.fromCharCode(c)).join('')])); };";

pub fn catch(page: &Page) {
    page.browser.script::<Value>(CATCH, Vec::new());
}

/// Presses an entry of the menu and waits for its file: name and bytes.
fn save(page: &Page, entry: &str) -> (String, Vec<u8>) {
    page.eval::<Value>("(window.saved = [], 0)");
    page.click("#export-button");
    page.click_named(entry);
    page.until(entry, "window.saved.length === 1");
    let (name, latin): (String, String) = page.eval("window.saved[0]");
    (name, latin.chars().map(|c| c as u8).collect())
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

fn json(bytes: Vec<u8>) -> Value {
    serde_json::from_slice(&bytes).expect("JSON")
}

/// What Perfetto and chrome://tracing ask of a trace: complete events with whole, ordered times,
/// and counters with values.
fn strict_trace(trace: &Value, spans: usize) {
    let events = trace["traceEvents"].as_array().expect("a list of events");
    let mut complete = 0;
    for event in events {
        let phase = event["ph"].as_str().expect("a phase");
        assert!(event["pid"].is_u64() && event["name"].is_string(), "{event}");
        match phase {
            "X" => {
                complete += 1;
                assert!(event["ts"].is_u64() && event["dur"].is_u64() && event["tid"].is_u64(), "{event}");
            }
            "C" => assert!(event["ts"].is_u64() && event["args"].as_object().is_some_and(|args| !args.is_empty())),
            "M" => assert!(event["args"].is_object()),
            other => panic!("phase {other}"),
        }
    }
    assert_eq!(complete, spans);
}

fn every_entry(page: &mut Page) {
    page.open("doc=ex:diamond&plan=first-fit&lang=en");
    catch(page);
    let bytes = native::example("diamond");
    let run = native::run(&bytes, "first-fit");
    let Ok(Document::Graph(graph)) = import::read(&bytes, Answers::default()).map(|read| read.document) else {
        panic!("an example is a graph")
    };
    let (name, saved) = save(page, "Graph (JSON)");
    assert!(name.ends_with(".memory-graph.json"), "{name}");
    assert_eq!(text(saved), export::graph(&graph));

    let (name, saved) = save(page, "Plan (JSON)");
    assert!(name.ends_with(".plan.json"), "{name}");
    let plan = json(saved);
    assert_eq!(plan["format"], "memory-plan/1");
    let ends = plan["buffers"].as_array().expect("buffers").iter();
    let top = ends.filter_map(|buffer| Some(buffer["offset"].as_u64()? + buffer["size"].as_u64()?)).max();
    assert_eq!(top, Some(run.metrics.peak));

    let (name, saved) = save(page, "Buffers (CSV, MiniMalloc)");
    assert!(name.ends_with(".csv"), "{name}");
    assert_eq!(text(saved), export::csv(&run.problem, Some(&run.plan)));
    let (_, saved) = save(page, "Buffers (CSV, start_time and end_time)");
    assert_eq!(text(saved), export::csv_times(&run.problem, Some(&run.plan)));

    let (_, saved) = save(page, "Chrome trace, steps as time (Perfetto)");
    strict_trace(&json(saved), run.metrics.placed as usize);
    let (_, saved) = save(page, "Chrome trace, bytes as time (as ExecuTorch)");
    // Its steps are those of ExecuTorch, which also counts allocations.
    let expected = export::trace_by_step(&run.problem, Some(&run.plan), run.graph.as_deref()).expect("few events");
    let expected = json(expected.into_bytes());
    let events = expected["traceEvents"].as_array().expect("a list of events");
    strict_trace(&json(saved), events.iter().filter(|event| event["ph"] == "X").count());

    let (_, saved) = save(page, "Every frame (JSON)");
    let frames = json(saved);
    let count = frames["frames"].as_array().expect("frames").len();
    assert_eq!(count, run.timeline.decisions.len() + 1);

    let (_, saved) = save(page, "Figures (CSV)");
    let figures = text(saved);
    assert_eq!(figures.lines().count(), 2, "{figures}");
    assert!(figures.contains(&run.metrics.peak.to_string()), "{figures}");
    let (_, saved) = save(page, "Figures (Markdown)");
    assert!(text(saved).starts_with('|'));

    page.eval::<Option<bool>>("(navigator.clipboard.writeText = async text => { window.copied = text; }, null)");
    page.click("#export-button");
    page.click_named("Link");
    page.until("the link", "window.copied");
    let link: String = page.eval("new URL(window.copied).hash");
    assert!(link.contains("doc=ex:diamond") && link.contains("plan=first-fit"), "{link}");

    // A plan with addresses has no form there, and the entry says so.
    page.click("#export-button");
    let entry = "[...document.querySelectorAll('[role=menuitem]')].find(e => e.textContent.includes('graph executor'))";
    page.until("the reason", &format!("{entry}.disabled && {entry}.textContent.includes('only plans with storages')"));
}

fn without_graph(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("mine.csv", crate::samples::BUFFERS.as_bytes());
    let run = native::run(crate::samples::BUFFERS.as_bytes(), "");
    page.until_planner(&run.planner);
    catch(page);
    page.click("#export-button");
    page.until_there("[role=menu]");
    page.until_count("[role=menuitem]:disabled", 3);
    let disabled = page.texts("[role=menuitem]:disabled");
    assert!(disabled.iter().all(|entry| entry.contains("needs a graph")), "{disabled:?}");
    page.press("Escape");
    let (_, saved) = save(page, "Buffers (CSV, MiniMalloc)");
    assert_eq!(text(saved), export::csv(&run.problem, Some(&run.plan)));
}

fn storages(page: &mut Page) {
    page.open("doc=ex:diamond&plan=nnvm&lang=en");
    catch(page);
    let (name, saved) = save(page, "TVM graph executor (JSON)");
    assert!(name.ends_with(".graph-executor.json"), "{name}");
    let file = json(saved.clone());
    let storage = file["attrs"]["storage_id"][1].as_array().expect("storages").len();
    let rows = file["node_row_ptr"].as_array().expect("rows");
    assert_eq!(rows.last().and_then(Value::as_u64), Some(storage as u64));
    assert_eq!(rows.len(), file["nodes"].as_array().expect("nodes").len() + 1);
    // It opens again, with the same plan.
    let run = native::run(&native::example("diamond"), "nnvm");
    page.drop_file("back.json", &saved);
    page.until_facts("the same plan", |facts| facts.planner == "imported" && facts.peak == run.metrics.peak);
}

fn quirks(page: &mut Page) {
    for entry in ["Buffers (CSV, MiniMalloc)", "Buffers (CSV, start_time and end_time)"] {
        page.open("doc=ex:teaching&plan=nnvm&lang=en");
        page.drop_file("ignored.json", include_bytes!("../../data/ignored_input.json"));
        page.until_there("#quirks");
        let peak = page.facts().peak;
        catch(page);
        let (_, saved) = save(page, entry);
        page.drop_file("back.csv", &saved);
        page.until_facts(entry, |facts| facts.planner == "imported" && facts.peak == peak);
        page.until_says("#quirks", &["a and b lie on the same bytes"]);
        assert!(!page.is_there("#violations"), "{entry}");
    }
}

fn pictures(page: &mut Page) {
    page.open("doc=ex:diamond&plan=first-fit&lang=en");
    catch(page);
    let (name, saved) = save(page, "Picture (SVG)");
    assert!(name.ends_with(".svg"), "{name}");
    let errors: u32 = page.browser.script(
        "return new DOMParser().parseFromString(arguments[0], 'image/svg+xml').querySelectorAll('parsererror').length",
        vec![text(saved).into()],
    );
    assert_eq!(errors, 0);
    let (name, saved) = save(page, "Picture (PNG, 2×)");
    assert!(name.ends_with(".png"), "{name}");
    assert_eq!(&saved[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(saved[16..24], [0, 0, 9, 96, 0, 0, 5, 240], "2400 by 1520 pixels");
}

fn sheet(page: &mut Page) {
    page.open("doc=ex:unet_512&plan=first-fit&f=61&lang=en");
    page.until_frame(61);
    catch(page);
    page.press("Control+Shift+e");
    page.until_there("#picture-sheet svg");
    let says = |words: &str| format!("document.querySelector('#picture-sheet svg').textContent.includes('{words}')");
    for words in ["unet_512", "frame 61 of 68", "lower bound", "cat_3 (128", "plan=first-fit"] {
        page.until(words, &says(words));
    }
    page.until("names on the plan", &says("relu_1"));
    for (part, words) in [("title", "peak 320"), ("frame", "frame 61 of 68"), ("link", "plan=first-fit")] {
        page.click(&format!("#carries-{part}"));
        page.until(part, &format!("!{}", says(words)));
    }
    page.click_named("column");
    page.until("the size", "document.querySelector('#picture-sheet svg').getAttribute('width') === '640'");
    page.click("#picture-save");
    page.until("the file", "window.saved.length === 1");
    let (name, latin): (String, String) = page.eval("window.saved[0]");
    let saved = text(latin.chars().map(|c| c as u8).collect());
    assert!(name.ends_with("first-fit-61.svg") && saved.contains("width=\"640\""), "{name}");
    assert!(!saved.contains("frame 61 of 68") && saved.contains(">cat_3 (128"), "as it was shown");
    page.click_named("PNG");
    page.click("#picture-save");
    page.until("the second file", "window.saved.length === 2");
    let (name, latin): (String, String) = page.eval("window.saved[1]");
    let saved: Vec<u8> = latin.chars().map(|c| c as u8).collect();
    assert!(name.ends_with(".png") && saved[16..24] == [0, 0, 5, 0, 0, 0, 3, 192], "1280 by 960 pixels");
    page.press("Escape");
    page.until_gone("#picture-sheet");
    // Hidden classes stay hidden.
    page.open("doc=ex:unet_512&plan=first-fit&f=61&hide=0&lang=en");
    page.until_frame(61);
    page.press("Control+Shift+e");
    page.until("cat_3 in the sentence alone", &format!("{} && !{}", says("cat_3 (128"), says("relu_1")));
}

fn printed(page: &mut Page) {
    page.open("doc=ex:unet_512&plan=first-fit&f=68&lang=en");
    page.until_frame(68);
    page.eval::<Option<bool>>("(dispatchEvent(new Event('beforeprint')), null)");
    page.browser.devtools("Emulation.setEmulatedMedia", serde_json::json!({ "media": "print" }));
    page.until(
        "the printed page alone",
        "document.querySelector('#print').checkVisibility() && !document.querySelector('.page').checkVisibility()",
    );
    page.until_says("#print", &["unet_512, planned by", "320", "Why 64", "cat_3", "doc=ex:unet_512"]);
    assert_eq!(page.count("#print svg"), 1);
    assert_eq!(page.count("#print button, #print input, #print a"), 0);
    // A4 less its margins, at 96 px an inch.
    page.viewport((703, 1032));
    page.until("one page", "document.querySelector('#print').scrollHeight <= 1032");
    page.browser.devtools("Emulation.setEmulatedMedia", serde_json::json!({ "media": "" }));
    page.eval::<Option<bool>>("(dispatchEvent(new Event('afterprint')), null)");
    page.until("nothing left", "document.querySelector('#print').childElementCount === 0");
    page.until("the window", "document.querySelector('.page').checkVisibility()");
    // More decisions than rows, and long sentences in both languages.
    let last = native::run(&native::example("resnet18"), "naive").timeline.frames(Level::Decisions) - 1;
    for lang in ["en", "zh"] {
        page.open(&format!("doc=ex:resnet18&plan=naive&f={last}&lang={lang}"));
        page.until_frame(last);
        page.eval::<Option<bool>>("(dispatchEvent(new Event('beforeprint')), null)");
        page.browser.devtools("Emulation.setEmulatedMedia", serde_json::json!({ "media": "print" }));
        page.until_count("#print tr", 7);
        page.until("one page", "document.querySelector('#print').scrollHeight <= 1032");
        page.browser.devtools("Emulation.setEmulatedMedia", serde_json::json!({ "media": "" }));
        page.eval::<Option<bool>>("(dispatchEvent(new Event('afterprint')), null)");
    }
}

fn by_hand(page: &mut Page) {
    page.open("doc=ex:diamond&plan=first-fit&lang=en");
    page.until_address("doc=ex:diamond");
    page.eval::<Option<bool>>("(navigator.clipboard.writeText = async () => { throw new Error('denied'); }, null)");
    let selected = "(f => f.value.slice(f.selectionStart, f.selectionEnd))(document.querySelector('#by-hand'))";
    page.press("l");
    page.until_there("#by-hand");
    page.until(
        "the link, selected",
        &format!("{selected} === location.href && document.activeElement.id === 'by-hand'"),
    );
    page.press("Escape");
    page.until_gone("#by-hand");
    page.click("#more-button");
    page.click_named("Copy embed code");
    page.until_there("#by-hand");
    page.until(
        "the code, selected",
        &format!("{selected}.startsWith('<iframe src=') && {selected}.includes('?embed=1#')"),
    );
}

/// Name and bytes of the file of this number, counted from 0, that the page saves after [`catch`].
pub fn caught(page: &mut Page, number: usize) -> (String, Vec<u8>) {
    page.until("the file", &format!("window.saved.length === {}", number + 1));
    let (name, latin): (String, String) = page.eval(&format!("window.saved[{number}]"));
    (name, latin.chars().map(|c| c as u8).collect())
}

/// What the engine gives natively for the same model and planner.
pub fn planned(file: &[u8], planner: &str, form: WriteForm) -> Written {
    let (planner, answers) = (PlannerChoice::of(planner), Answers::default());
    let task = WriteTask { file: file.to_vec(), answers, planner, form, answer: None };
    let source = Source::File { file: file.to_vec(), choices: Answers::default() };
    let request = Request { source, scope: Scope::default(), task: Task::Write(task) };
    let answer = Engine::default().answer(&request, &|| 0.0, &mut NoListener);
    let Ok(Answer::Written(written)) = answer else { panic!("a plan for the model") };
    written.expect("a plan")
}

fn model(page: &mut Page) {
    const NAME: &str = "TensorFlow Lite with this plan (.tflite)…";
    let file = include_bytes!("../../data/tflite/small_cnn_int8.tflite");
    page.open("doc=ex:teaching&lang=en");
    page.click("#export-button");
    page.until_there(".menu.exports");
    assert!(!page.text(".menu.exports").contains(NAME), "no model is open");
    page.press("Escape");
    page.drop_file("small.tflite", file);
    page.until_says("h1", &["small.tflite"]);
    crate::planners::choose(page, "exact");
    page.until_planner("exact");
    catch(page);
    page.click("#export-button");
    page.click_named(NAME);
    let figures = planned(file, "exact", WriteForm::Figures);
    let heads = [figures.with, figures.without, figures.bound].map(|bytes| bytes.to_string());
    page.until_equal("the arena", heads.to_vec(), |page| {
        page.eval("[...document.querySelectorAll('#write-figures dd')].map(cell => cell.dataset.bytes)")
    });
    assert!(!page.is_there("#write-worse"));
    for (number, (button, form, name)) in
        [("#write-model", WriteForm::Model, "small.planned.tflite"), ("#write-table", WriteForm::Table, "small.plan.h")]
            .into_iter()
            .enumerate()
    {
        page.until_there(&format!("{button}:not([disabled])"));
        page.click(button);
        let (saved, bytes) = caught(page, number);
        assert_eq!(saved, name);
        assert!(bytes == planned(file, "exact", form).file, "{name} is what the command line writes");
    }
    let mut axe = memplan_e2e::axe::Axe::load();
    axe.look(page, "a plan for a model");
    axe.assert_clean();
    page.press("Escape");
    page.until_gone("#write-sheet");
    // A plan that makes the arena larger is saved by a button that says so.
    crate::planners::choose(page, "naive");
    page.until_planner("naive");
    page.click("#export-button");
    page.click_named(NAME);
    page.until_there("#write-worse");
    page.until_says("#write-model", &["all the same"]);
    page.press("Escape");
}

fn program(page: &mut Page) {
    const NAME: &str = "ExecuTorch with this plan (.pte)…";
    let file = include_bytes!("../../data/executorch/tiny_add_cat.pte");
    page.open("doc=ex:teaching&lang=en");
    page.drop_file("tiny.pte", file);
    page.until_says("h1", &["tiny.pte"]);
    crate::planners::choose(page, "best-fit");
    page.until_planner("best-fit");
    catch(page);
    page.click("#export-button");
    page.click_named(NAME);
    let figures = planned(file, "best-fit", WriteForm::Figures);
    let sizes = [figures.with, figures.without, figures.bound].map(|bytes| bytes.to_string());
    page.until_equal("the planned memory", sizes.to_vec(), |page| {
        page.eval("[...document.querySelectorAll('#write-figures dd')].map(cell => cell.dataset.bytes)")
    });
    assert!(!page.is_there("#write-table"), "a program has no table of C++");
    page.until_there("#write-model:not([disabled])");
    page.click("#write-model");
    page.until("the file", "window.saved.length === 1");
    let (saved, latin): (String, String) = page.eval("window.saved[0]");
    let bytes: Vec<u8> = latin.chars().map(|c| c as u8).collect();
    assert_eq!(saved, "tiny.planned.pte");
    assert!(bytes == planned(file, "best-fit", WriteForm::Model).file, "what the command line writes");
}
