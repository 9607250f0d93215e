//! What one sees first, and the built-in examples.

use memplan_core::problem::Scope;
use memplan_e2e::Page;
use memplan_planners::INFOS;
use serde_json::json;

use crate::native;
use crate::{Test, full, measure, smoke};

pub const TESTS: &[Test] = &[
    full("an_empty_graph_says_what_to_do", empty),
    full("the_worked_example_shows_a_place_that_was_free", worked_example),
    full("the_list_opens_every_example", list_opens),
    full("an_example_that_is_not_there_is_told", not_there),
    smoke("a_sub_folder_serves_the_page", sub_folder),
    smoke("the_first_picture_does_not_wait_for_the_worker", without_worker),
    smoke("a_first_visit_needs_a_part_of_the_program", first_part),
    measure("the_first_picture_comes_over_a_slow_line", cold),
];

fn worked_example(page: &mut Page) {
    page.open("doc=ex:teaching&plan=inductor-tree&f=8&lang=en");
    let facts = page.facts();
    assert_eq!((facts.peak, facts.bound), (1856, 1704));
    assert_eq!((facts.frame, facts.frames, facts.planner.as_str()), (8, 9, "inductor-tree"));
    page.until_text("h1", "teaching");
    page.until_text(".counter b", "8 / 8");
    page.until_text(
        "#why-headline",
        "G (64 B, live [2, 4)) fits nowhere in the tree; the arena grows from 1 736 B to 1 856 B.",
    );
    // The place that the planner did not see.
    page.until_says(".why", &["The range 1 664–1 728 B of the arena is free"]);
    page.until_count(".candidates tbody tr", 3);
    page.until_count(".candidates tr.chosen", 1);
    page.until("rows of the tree", "document.querySelectorAll('[role=treeitem]').length >= 5");
    page.until_texts("[role=treeitem].new > :is(.name-cell, .happened, .span)", &["G", "new", "1 792–1 856 B"]);
    let label = page.attribute("#plan", "aria-label").unwrap_or_default();
    for piece in ["teaching", "Inductor", "8 buffers", "1 856 B", "1 704 B", "Frame 8 of 8"] {
        assert!(label.replace(['\u{a0}', '\u{202f}'], " ").contains(piece), "{piece} in {label}");
    }
    page.until_attribute("html", "lang", Some("en"));
    page.until("the title", "document.title === 'teaching · memplan'");
}

fn list_opens(page: &mut Page) {
    page.open("lang=en");
    for name in native::examples() {
        let name = name.as_str();
        page.click("#left-tab-files");
        if name.starts_with("cases/") && !page.eval::<bool>("document.querySelector('.cases').open") {
            page.click(".cases summary");
        }
        page.click(&format!("[data-example='{name}']"));
        // A counter-example comes with its planner.
        let case = INFOS.iter().find(|info| info.case_name() == name);
        let (planner, options) = case.map_or(("inductor-tree", &[][..]), |info| (info.id, info.case.options));
        let run = native::run_with(&native::example(name), planner, options, Scope::default());
        native::until_shown(page, name, &run);
        // A tiny example begins with its first buffer, all others show where their peak is.
        let is_tiny = ["teaching", "diamond", "two_branches"].contains(&name);
        page.until_facts("the frame at which an example opens", |facts| match is_tiny {
            true => facts.frame == 1,
            false => facts.frame + 1 == facts.frames,
        });
        let graph: serde_json::Value = serde_json::from_slice(&native::example(name)).expect("JSON");
        let own = memplan_e2e::page::quoted(graph["name"].as_str().expect("a graph has a name"));
        page.until("its name", &format!("document.querySelector('h1').textContent.includes({own})"));
    }
}

fn not_there(page: &mut Page) {
    page.forgive_console();
    page.visit("", "doc=ex:nothing&lang=en");
    page.until_there("#notice");
    page.until_says("#notice", &["nothing could not be downloaded"]);
    // The list is still there, so one can go on.
    page.click("[data-example=diamond]");
    page.until_planned();
    page.until_gone("#notice");
}

fn sub_folder(page: &mut Page) {
    page.open_in("sub/dir/", "doc=ex:resnet18&plan=first-fit");
    assert_eq!(page.facts().planner, "first-fit");
    let outside: Vec<String> = page.eval(
        "performance.getEntriesByType('resource').map(e => e.name).filter(n => !n.startsWith(location.origin + '/sub/dir/'))",
    );
    assert!(outside.is_empty(), "fetched from outside the folder: {outside:?}");
    // Too large to be planned in the page itself, so the worker has to start.
    let chain = crate::samples::training_chain(1500);
    page.drop_file("chain.json", chain.as_bytes());
    page.until_facts("the plan of the worker", |facts| facts.frames > 8000);
    let worker: bool =
        page.eval("performance.getEntriesByType('resource').some(e => /\\/sub\\/dir\\/build-[0-9a-f]+\\/worker\\.js$/.test(e.name))");
    assert!(worker, "the worker comes from the same folder");
}

/// A worker that never answers, as one that is still on its way.
fn without_worker(page: &mut Page) {
    let mut own = page.own(page.origin());
    own.browser.before_pages("window.Worker = class extends EventTarget { postMessage() {} terminate() {} };");
    own.visit("", "");
    let welcome = own.until_planned();
    assert_eq!((welcome.planner.as_str(), welcome.frame), ("first-fit", 1));
    own.press("ArrowRight");
    own.until_frame(2);
    own.open("lang=en");
    assert_eq!(own.facts().planner, "inductor-tree");
}

/// All functions of the program never come by themselves, and calls that wait for them are counted.
const FIRST_FUNCTIONS: &str = "window.waits = 0;
    const send = XMLHttpRequest.prototype.send;
    XMLHttpRequest.prototype.send = function(...given) { window.waits += 1; return send.apply(this, given); };
    const all = window.fetch;
    window.fetch = (asked, ...how) => `${asked.url ?? asked}`.includes('app_bg') ? new Promise(() => {}) : all(asked, ...how);";

/// Counts what `www/program.js` has made.
const INSTANCES: &str = "window.instances = 0;
    const make = WebAssembly.instantiate;
    WebAssembly.instantiate = (...given) => make(...given).then((made) => { window.instances += 1; return made; });";

/// The plan of a first visit is shown and stepped through with the first functions of the program;
/// a lesson waits for all functions once.
fn first_part(page: &mut Page) {
    for (size, scheme, slowed) in [((1440, 900), "light", 1), ((1024, 768), "dark", 1), ((390, 844), "light", 6)] {
        let mut own = page.own(page.origin());
        own.browser.before_pages(FIRST_FUNCTIONS);
        own.browser.devtools("Emulation.setCPUThrottlingRate", json!({ "rate": slowed }));
        own.viewport(size);
        own.prefers(scheme);
        own.visit("", "");
        own.until_frame(1);
        own.until_gone("#first-picture");
        own.browser.hover(own.middle("#plan"));
        own.press("ArrowRight");
        own.until_frame(2);
        assert_eq!(own.eval::<u32>("window.waits"), 0, "{size:?}");
        own.go("learn=1&lang=en");
        own.until_there(".page.lesson");
        assert_eq!(own.eval::<u32>("window.waits"), 1, "{size:?}");
    }
    // All functions come by themselves, and then nothing waits.
    let mut own = page.own(page.origin());
    own.browser.before_pages(INSTANCES);
    own.visit("", "");
    own.until_gone("#first-picture");
    own.until("the state and all functions", "window.instances === 2");
    own.eval::<Option<bool>>("(XMLHttpRequest.prototype.send = () => { throw new Error('asked'); }, null)");
    own.follow("learn=1&lang=en");
    own.until_there(".page.lesson");
    // A network that is gone is told.
    let mut own = page.own(page.origin());
    own.browser.before_pages(FIRST_FUNCTIONS);
    own.forgive_console();
    own.visit("", "");
    own.until_gone("#first-picture");
    own.eval::<Option<bool>>("(XMLHttpRequest.prototype.send = () => { throw new Error('offline'); }, null)");
    own.follow("learn=1&lang=en");
    own.until_says("#no-program", &["could not be loaded"]);
}

/// Visits of which the figures are printed.
const VISITS: usize = 3;

/// The first picture without a cache, as over a line of 10 Mbit/s on which an answer takes 40 ms.
fn cold(page: &mut Page) {
    // The host has packed its files before anyone comes.
    page.visit("packed/", "lang=en");
    page.until_facts("the plan of the example", |facts| facts.peak == 1856);
    let throttle = |page: &Page, latency: u32, bits: f64| {
        // None is no limit.
        let bytes = if bits > 0.0 { bits / 8.0 } else { -1.0 };
        let line =
            json!({ "offline": false, "latency": latency, "downloadThroughput": bytes, "uploadThroughput": bytes });
        page.browser.devtools("Network.emulateNetworkConditions", line);
    };
    page.browser.devtools("Network.enable", json!({}));
    throttle(page, 40, 10e6);
    let first: Vec<(f64, f64)> = (0..VISITS)
        .map(|_| {
            page.browser.devtools("Network.clearBrowserCache", json!({}));
            page.reset();
            // A host of the page packs what it sends.
            page.visit("packed/", "");
            let times = page.browser.script_later(
                "const done = arguments[0];
                const picture = new Promise(seen => new PerformanceObserver(list =>
                    list.getEntries().filter(e => e.url.includes('/first/')).forEach(e => seen(e.startTime)))
                    .observe({ type: 'largest-contentful-paint', buffered: true }));
                const plan = new Promise(drawn => { const look = () => requestAnimationFrame(() =>
                    document.querySelector('#plan')?.dataset.planner ? requestAnimationFrame(() => drawn(performance.now())) : look());
                    look(); });
                Promise.all([picture, plan]).then(done);",
                Vec::new(),
            );
            page.until_frame(1);
            page.until_gone("#first-picture");
            times
        })
        .collect();
    throttle(page, 0, 0.0);
    let list = |of: fn(&(f64, f64)) -> f64| {
        first.iter().map(|times| format!("{:.0}", of(times))).collect::<Vec<String>>().join(", ")
    };
    let (picture, plan) = (list(|times| times.0), list(|times| times.1));
    println!("first picture from a cold cache at 10 Mbit/s and 40 ms: {picture} ms, drawn by the program: {plan} ms");
}

fn empty(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("empty.json", br#"{"format":"memory-graph/1","name":"empty","tensors":[],"nodes":[]}"#);
    page.until("the empty graph", "document.querySelector('h1').textContent.trim() === 'empty'");
    page.until_there(".nothing");
    page.until_says(".nothing", &["No buffers yet"]);
    page.click_named("Examples");
    page.until_there(".example[data-example=diamond]");
    page.click_named("Add nodes");
    page.until("the same graph", "document.querySelector('.editing h1')?.textContent.trim() === 'empty'");
}
