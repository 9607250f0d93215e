//! Files that the page writes, read by parsers that are not the page's.

use memplan::export;
use memplan::import::{self, Answers, Document};
use memplan_e2e::Page;
use serde_json::Value;

use crate::native;
use crate::{Test, test};

pub const TESTS: &[Test] = &[
    test("every_entry_of_the_menu_writes_its_file", every_entry),
    test("buffers_without_a_graph_disable_what_needs_one", without_graph),
    test("a_plan_of_storages_becomes_graph_executor_json", storages),
    test("pictures_are_saved", pictures),
    test("overlaps_of_the_original_come_back_in_both_tables", quirks),
];

/// Keeps what the page saves: a browser without a window asks nobody where to put a file.
const CATCH: &str = "window.saved = [];
    HTMLAnchorElement.prototype.click = function () {
        const name = this.download;
        fetch(this.href).then(r => r.arrayBuffer()).then(b => window.saved.push(
            [name, [...new Uint8Array(b)].map(c => String.fromCharCode(c)).join('')])); };";

fn catch(page: &Page) {
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

/// What Perfetto and chrome://tracing ask of a trace: complete events with whole, ordered times, and counters with values.
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
    let alive = run.problem.buffers.enumerate().filter(|(id, _)| run.plan.places[*id].is_some());
    strict_trace(&json(saved), alive.map(|(_, buffer)| buffer.live.len() as usize).sum());

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
    page.until_planner("first-fit");
    catch(page);
    page.click("#export-button");
    page.until_there("[role=menu]");
    page.until_count("[role=menuitem]:disabled", 2);
    let disabled = page.texts("[role=menuitem]:disabled");
    assert!(disabled.iter().all(|entry| entry.contains("needs a graph")), "{disabled:?}");
    page.press("Escape");
    let (_, saved) = save(page, "Buffers (CSV, MiniMalloc)");
    let run = native::run(crate::samples::BUFFERS.as_bytes(), "first-fit");
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
