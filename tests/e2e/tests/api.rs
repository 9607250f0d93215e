//! The JavaScript module: its example page, and its use in a worker.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use memplan_core::text::Locale;
use memplan_e2e::Page;
use memplan_engine::api;
use memplan_formats::import;
use memplan_planners::INFOS;
use memplan_replay::{Level, why};
use serde_json::{Value, json};

use crate::imports;
use crate::native;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("the_example_page_shows_native_figures", example_page),
    full("every_plan_of_the_module_is_that_of_native_code", every_plan),
    full("mistakes_are_shown_with_their_code", mistakes),
    full("figures_and_boards_are_those_of_native_code", new_exercises),
    smoke("the_module_works_in_a_worker", in_a_worker),
    full("a_replay_that_was_given_back_says_so", given_back),
    full("the_types_lie_beside_the_module", types),
    full("files_of_other_tools_are_read_unless_their_readers_are_left_out", other_tools),
];

const READY: &str = "document.documentElement.dataset.ready !== undefined";

/// The plan of a built-in example as the command line writes it.
fn plan(example: &str, planner: &str) -> Value {
    let document = import::read(&native::example(example), Default::default()).expect("it opens").document;
    let ran = api::plan(&document, planner, &BTreeMap::new(), &Default::default()).expect("it applies");
    // Through text like the page's: a reader of decimal figures may be off by the last bit.
    serde_json::from_str(&serde_json::to_string(&ran.file()).expect("plain data")).expect("JSON")
}

fn shown(page: &Page) -> Value {
    serde_json::from_str(&page.eval::<String>("document.querySelector('#plan').textContent")).expect("the plan is JSON")
}

fn choose(page: &Page, select: &str, value: &str) {
    page.eval::<Value>(&format!(
        "(() => {{ const e = document.querySelector('{select}'); e.value = '{value}'; e.onchange(); return null; }})()"
    ));
}

fn example_page(page: &mut Page) {
    page.visit("api.html", "");
    page.until("the page's results", READY);
    assert_eq!(shown(page), plan("teaching", "inductor-tree"));
    for (example, planner) in [("resnet18", "first-fit"), ("bert_base_seq128", "tvm-relay")] {
        choose(page, "#graph", example);
        choose(page, "#planner", planner);
        page.until(
            example,
            &format!("(t => t.includes('\"graph\": \"{example}\"') && t.includes('\"planner\": \"{planner}\"'))(document.querySelector('#plan').textContent)"),
        );
        assert_eq!(shown(page), plan(example, planner), "{example}");
    }
    // A frame in the middle, with the words and the picture of the native run.
    let run = native::run(&native::example("bert_base_seq128"), "tvm-relay");
    let speech = native::speech(Locale::En);
    for k in [0, 57, run.timeline.frames(Level::Decisions) - 1] {
        page.eval::<Value>(&format!(
            "(() => {{ const e = document.querySelector('#slider'); e.value = {k}; e.oninput(); return null; }})()"
        ));
        let frame = run.frame(run.timeline.events_at(Level::Decisions, k));
        let headline = native::single_blanks(&speech.say(&why(&run, &frame).headline));
        page.until_text("#why", &headline);
        page.until_text("#number", &format!("{k} of {}", run.timeline.frames(Level::Decisions) - 1));
        page.until_count("#picture svg", 1);
    }
    let document = import::read(&native::example("bert_base_seq128"), Default::default()).expect("it opens").document;
    let rows = api::compare(&document, &Value::Null, &Default::default()).expect("all that apply");
    let expected = rows.iter().map(|row| match (&row.error, &row.metrics) {
        (None, Some(metrics)) => (row.planner.clone(), metrics.peak.to_string()),
        (error, _) => (row.planner.clone(), error.as_ref().map(|told| told.message.clone()).unwrap_or_default()),
    });
    page.until("the table", &format!("document.querySelectorAll('#rows tr').length === {}", rows.len()));
    let cells: Vec<(String, String)> = page
        .eval("[...document.querySelectorAll('#rows tr')].map(r => [r.cells[0].textContent, r.cells[1].textContent])");
    assert_eq!(cells, expected.collect::<Vec<_>>());
}

/// A plan in which a ratio that is whole is written as any other: JavaScript leaves its `.0` out.
fn with_ratio(mut plan: Value) -> Value {
    let ratio = &mut plan["metrics"]["ratio"];
    *ratio = json!(ratio.as_f64());
    plan
}

/// All planners on all examples, down to the last offset.
fn every_plan(page: &mut Page) {
    page.visit("api.html", "");
    page.until("the page's results", READY);
    let ids: Vec<&str> = INFOS.iter().map(|info| info.id).collect();
    for example in native::examples().iter().filter(|name| !name.starts_with("cases/")) {
        let text: String = page.browser.script_later(
            "const [name, ids, done] = arguments;
             (async () => {
                 const { plan } = await import('./memplan.js');
                 const graph = await (await fetch(`./graphs/${name}.json`)).arrayBuffer();
                 return JSON.stringify(ids.map(id => plan(graph, id)));
             })().then(done, error => done(String(error)));",
            vec![json!(example), json!(ids)],
        );
        let plans: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{example}: {text}"));
        assert_eq!(plans.len(), ids.len(), "{example}");
        for (id, shipped) in ids.iter().zip(plans) {
            let (shipped, native) = (with_ratio(shipped), with_ratio(plan(example, id)));
            // All that differs would be hundreds of lines.
            let peaks = [&shipped, &native].map(|plan| &plan["metrics"]["peak"]);
            assert!(shipped == native, "{example} by {id}: peaks of {peaks:?}, or offsets that differ");
        }
    }
}

fn mistakes(page: &mut Page) {
    page.visit("api.html", "");
    page.until("the page's results", READY);
    let (code, path, faults): (String, String, usize) = page.browser.script_later(
        "const done = arguments[0];
         import('./memplan.js').then(({ plan }) => {
             try { plan({ format: 'memory-graph/1', name: 'x', tensors: [{}], nodes: [] }, 'naive'); }
             catch (e) { done([e.code, e.path, e instanceof Error ? e.faults.length : 0]); }
         });",
        Vec::new(),
    );
    assert_eq!((code.as_str(), path.starts_with("tensors[0]")), ("fault", true), "{path}");
    assert!(faults >= 2, "{faults} faults");
}

/// Figures and boards are those of native code.
fn new_exercises(page: &mut Page) {
    page.visit("api.html", "");
    page.until("the page's results", READY);
    let (figures, ratio, code): (Value, f64, String) = page.browser.script_later(
        "const done = arguments[0];
         import('./memplan.js').then(({ exercise }) => {
             const { figures } = exercise({ kind: 'number', planner: 'first-fit', seed: 7 }).facts;
             const board = 'A.80.0.1_B.16.0.3_C.96.1.2_D.96.2.3';
             const { ratio } = exercise({ kind: 'break', planner: 'first-fit', seed: 1, tries: 0, board });
             try { exercise({ kind: 'break', planner: 'first-fit', seed: 1, board: 'A.129.0.1' }); }
             catch (e) { done([figures, ratio, `${e.code} ${e.path}`]); }
         });",
        Vec::new(),
    );
    let wanted = json!({ "kind": "number", "planner": "first-fit", "seed": 7 });
    let made = api::ExerciseSettings::read(&wanted).and_then(|wanted| api::exercise(&wanted)).expect("there is one");
    let native = api::ExerciseRecord::new(&made, true, Locale::En).facts.expect("with its facts");
    assert_eq!(figures, native["figures"]);
    assert!((ratio - 192.0 / 112.0).abs() < 1e-12, "{ratio}");
    assert_eq!(code, "argument wanted.board");
}

/// Stands for a page of somebody's own: it has no policy, so that a worker can be made of text.
const OWN_PAGE: &str = "graphs/index.json";

fn in_a_worker(page: &mut Page) {
    page.visit(OWN_PAGE, "");
    let heard: Vec<Value> = page.browser.script_later(
        "const done = arguments[0];
         const code = `import init, { plan } from '${new URL('../memplan.js', location.href)}';
             onmessage = async ({ data }) => { await init(); postMessage(plan(data, 'first-fit').metrics.peak); };
             postMessage('loaded');`;
         const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
         const worker = new Worker(url, { type: 'module' });
         const heard = [];
         worker.onerror = e => done([e.message ?? 'the worker failed']);
         worker.onmessage = async ({ data }) => {
             heard.push(data);
             if (data === 'loaded') worker.postMessage(await (await fetch('../graphs/teaching.json')).text());
             else { worker.terminate(); done(heard); }
         };",
        Vec::new(),
    );
    // Nothing else arrives: the messages of one's own worker are one's own.
    assert_eq!(heard, [Value::from("loaded"), plan("teaching", "first-fit")["metrics"]["peak"].clone()]);
}

fn other_tools(page: &mut Page) {
    let path = "tests/import/onnx/squeezenet1_1_no_value_info.onnx";
    let model = STANDARD.encode(imports::file(path));
    let document = import::read(&imports::file(path), Default::default()).expect("it opens").document;
    let ran = api::plan(&document, "first-fit", &BTreeMap::new(), &Default::default()).expect("it applies");
    let peak = ran.plan.peak(&ran.problem).to_string();
    for (programs, expected) in [("", peak.as_str()), ("{ readers: false }", "argument")] {
        page.visit(OWN_PAGE, "");
        // A module of its own, which nobody has started yet.
        let heard: String = page.browser.script_later(
            &format!(
                "const done = arguments[1];
                 const code = `import init, {{ plan }} from '${{new URL('../memplan.js', location.href)}}';
                     onmessage = async ({{ data }}) => {{
                         await init({programs});
                         try {{ postMessage(String(plan(data, 'first-fit').metrics.peak)); }}
                         catch (error) {{ postMessage(error.code); }}
                     }};`;
                 const url = URL.createObjectURL(new Blob([code], {{ type: 'text/javascript' }}));
                 const worker = new Worker(url, {{ type: 'module' }});
                 worker.onerror = e => done(e.message ?? 'the worker failed');
                 worker.onmessage = ({{ data }}) => {{ worker.terminate(); done(data); }};
                 worker.postMessage(Uint8Array.from(atob(arguments[0]), c => c.charCodeAt(0)));",
            ),
            vec![model.clone().into()],
        );
        assert_eq!(heard, expected, "init({programs})");
    }
}

fn types(page: &mut Page) {
    page.visit("api.html", "");
    page.until("the page's results", READY);
    let text: String = page
        .browser
        .script_later("const done = arguments[0]; fetch('./memplan.d.ts').then(r => r.text()).then(done);", Vec::new());
    assert!(text.contains("export class Replay"), "{} characters", text.len());
}

fn given_back(page: &mut Page) {
    page.visit("api.html", "");
    page.until("the page's results", READY);
    let heard: Vec<Value> = page.browser.script_later(
        "const done = arguments[0];
         import('./memplan.js').then(async ({ default: init, Replay }) => {
             await init();
             const replay = new Replay(await (await fetch('./graphs/teaching.json')).text(), 'first-fit', {}, { lang: 'zh' });
             const heard = [replay.frames, typeof replay.frame(1)];
             replay.free();
             replay.free();
             for (const use of [r => r.frame(0), r => r.svg(0), r => r.frames, r => r.plan, r => r.metrics]) {
                 try { use(replay); heard.push('nothing thrown'); } catch (e) { heard.push(`${e.code} ${e.path}`); }
             }
             done(heard);
         });",
        Vec::new(),
    );
    assert_eq!(heard.len(), 7, "{heard:?}");
    assert!(heard[0].as_u64().is_some_and(|frames| frames > 1), "{heard:?}");
    assert!(heard[2..].iter().all(|told| told == "argument this"), "{heard:?}");
}
