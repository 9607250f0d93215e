//! Documents of one's own: picked, dropped, pasted; and those that cannot be read.

use std::fs;

use memplan_e2e::Page;
use serde_json::Value;

use crate::compare;
use crate::native;
use crate::samples::{BROKEN, BUFFERS, COLLIDING_PLAN, FAULTY, FAULTY_PATHS, GRAPH, gzip};
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("a_graph_is_picked", picked),
    smoke("a_graph_is_dropped", dropped),
    full("a_gzip_is_dropped", gzip_dropped),
    smoke("a_graph_is_pasted", pasted),
    full("buffers_without_a_graph_are_planned", buffers),
    full("a_plan_with_collisions_is_shown_as_invalid", colliding),
    full("a_plan_file_shows_its_own_plan_first", own_plan),
    full("a_plan_file_goes_when_another_document_comes", plan_then_graph),
    smoke("broken_json_is_told_by_line_and_column", broken),
    full("all_faults_are_listed_with_their_paths", faulty),
    full("what_is_no_model_is_told", no_model),
    full("dragging_a_file_over_the_page_shows_a_frame", drag_frame),
    full("a_file_too_large_for_many_graphs_is_refused", large_among_graphs),
    full("the_question_about_a_large_file_is_in_the_language_chosen", large_question),
];

fn shows_the_graph(page: &Page) {
    let run = native::run(GRAPH.as_bytes(), "inductor-tree");
    native::until_shown(page, "the plan of the file", &run);
    page.until_facts("the end, at which a document opens", |facts| facts.frame + 1 == facts.frames);
    page.until("its name", "document.querySelector('h1').textContent.includes('little')");
    page.until_gone("#notice");
}

fn picked(page: &mut Page) {
    page.open("lang=en");
    // No dialog can be answered here: the input that the page makes is put into the document
    // instead of being clicked.
    page.browser.script::<Value>(
        "HTMLInputElement.prototype.click = function () { this.id = 'picked'; document.body.append(this); };",
        Vec::new(),
    );
    let folder = std::env::temp_dir().join("memplan-e2e");
    fs::create_dir_all(&folder).expect("the folder for temporary files is writable");
    let file = folder.join(format!("picked-{}.json", std::process::id()));
    fs::write(&file, GRAPH).expect("the folder for temporary files is writable");
    page.click_named("Open a file");
    page.until_there("#picked");
    page.browser.type_into("#picked", &file.to_string_lossy());
    shows_the_graph(page);
    // It is not needed any more; one left behind does no harm.
    let _ = fs::remove_file(file);
}

fn dropped(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("little.json", GRAPH.as_bytes());
    shows_the_graph(page);
    // The graph is what one wants to see next.
    page.until_attribute("#left-tab-graph", "aria-selected", Some("true"));
    page.until_count("#graph-rows .graph-row:not(.head)", 4);
}

fn gzip_dropped(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("little.json.gz", &gzip(GRAPH.as_bytes()));
    shows_the_graph(page);
}

fn pasted(page: &mut Page) {
    page.open("lang=en");
    page.paste(GRAPH);
    shows_the_graph(page);
}

fn buffers(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("mine.csv", BUFFERS.as_bytes());
    let run = native::run(BUFFERS.as_bytes(), "");
    assert_eq!(run.planner, "best", "the planner of lists");
    page.until("its name", "document.querySelector('h1').textContent.includes('mine')");
    // The planner of the document before needs a graph; one that does not steps in.
    native::until_shown(page, "a plan of the buffers", &run);
    page.click("#planner-button");
    page.until_there(".picker");
    // Those without a plan come last in their group, behind the first few that are shown.
    page.click("[data-group=today] .picker-group button");
    page.until_there("[data-planner=inductor-tree]:disabled");
    page.until_there("[data-planner=first-fit]:enabled");
    page.until_there("[data-planner=naive]:enabled");
    let why = "This planner needs a graph, and this file holds only buffers. Open a graph, or choose a planner that \
               needs only live ranges.";
    page.until_attribute("[data-planner=inductor-tree]", "title", Some(why));
    page.click("[data-group=classic] .picker-group button");
    page.click("[data-planner=best-fit]");
    page.until_facts("best-fit's run", |facts| facts.planner == "best-fit" && facts.frames == 4);
}

fn colliding(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("plan.csv", COLLIDING_PLAN.as_bytes());
    page.until_there("#violations");
    page.until_text("#violations b", "This plan is invalid: 2 violations.");
    page.until_count("#violations li", 2);
    page.until_says("#violations li:nth-child(1)", &["layer1_activation and conv2_weight"]);
    page.until_says("#violations li:nth-child(2)", &["pool1_output and conv2_weight"]);
    page.until_facts("the plan of the file", |facts| {
        facts.planner == "imported" && (facts.peak, facts.bound, facts.frames) == (716_800, 716_800, 7)
    });
    page.press("Home");
    page.until_frame(0);
    page.press("ArrowRight");
    page.until_frame(1);
    page.until_says("#why-headline", &["The file puts conv1_weight"]);
    // A planner of ours makes a valid plan of the same buffers.
    page.click("#planner-button");
    page.click("[data-planner=first-fit]");
    page.until_planner("first-fit");
    page.until_gone("#violations");
}

fn own_plan(page: &mut Page) {
    page.open("plan=first-fit&lang=en");
    page.drop_file("plan.csv", COLLIDING_PLAN.as_bytes());
    page.until_planner("imported");
    page.until_there("#violations");
}

fn plan_then_graph(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("plan.csv", COLLIDING_PLAN.as_bytes());
    page.until_planner("imported");
    page.drop_file("little.json", GRAPH.as_bytes());
    shows_the_graph(page);
    page.until_gone("#violations");
}

fn broken(page: &mut Page) {
    page.open("lang=en");
    let before = page.facts();
    page.drop_file("broken.json", BROKEN.as_bytes());
    let pieces = [
        "broken.json was not opened: one fault.",
        "Line 3, column 73",
        "The plan below is still that of the previous document.",
    ];
    page.until_says("#notice", &pieces);
    assert_eq!(page.facts(), before, "the last plan stays");
    page.until_text("h1", "teaching");
    page.press("ArrowLeft");
    page.until_frame(before.frame - 1);
    page.press("Escape");
    page.until_gone("#notice");
    // A good file after a broken one.
    page.drop_file("broken.json", BROKEN.as_bytes());
    page.until_there("#notice");
    page.drop_file("little.json", GRAPH.as_bytes());
    shows_the_graph(page);
}

fn faulty(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("faulty.json", FAULTY.as_bytes());
    page.until_there("#notice li");
    let paths = page.texts("#notice li code");
    for path in FAULTY_PATHS {
        assert!(paths.iter().any(|known| known == path), "{path} in {paths:?}");
    }
    page.until_says("#notice", &["unknown dtype `fp32`. Did you mean float32?"]);
    assert_eq!(page.facts().planner, "inductor-tree");
    page.click("#notice [aria-label=Dismiss]");
    page.until_gone("#notice");
}

fn no_model(page: &mut Page) {
    page.open("lang=en");
    for (name, bytes, told) in [
        ("empty.json", &b""[..], "The file is empty"),
        ("page.html", b"<!doctype html><html><body>404</body></html>", "This is a web page"),
        ("plan.svg", b"<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"/>", "This is a drawing (SVG)"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "This type of file is not supported"),
        ("half.json.gz", &gzip(GRAPH.as_bytes())[..60], "The gzip file cannot be unpacked"),
    ] {
        page.drop_file(name, bytes);
        page.until(name, &format!("document.querySelector('#notice')?.textContent.includes({:?})", told));
        page.until_says("#notice", &[name]);
    }
    page.until_text("h1", "teaching");
}

fn drag_frame(page: &mut Page) {
    page.open("lang=en");
    const OVER: &str = "document.querySelector('main').dispatchEvent(new DragEvent(arguments[0],
        { bubbles: true, cancelable: true, dataTransfer: new DataTransfer() }));";
    page.browser.script::<Value>(OVER, vec!["dragover".into()]);
    page.until_there(".drop-frame");
    page.until_says(".drop-frame", &["Drop to open"]);
    page.browser.script::<Value>(OVER, vec!["dragleave".into()]);
    page.until_gone(".drop-frame");
}

/// Puts the little graph into a file input as a file that states this size in MiB: a real one would
/// take minutes to make.
fn choose_stated(page: &Page, css: &str, name: &str, mebibytes: u64) {
    page.browser.script::<Value>(
        "const [css, name, text, bytes] = arguments, chosen = new DataTransfer(), input = document.querySelector(css);
        const file = new File([text], name);
        Object.defineProperty(file, 'size', { value: bytes });
        chosen.items.add(file);
        input.files = chosen.files;
        // As long as somebody has it, the list gives out this file, and not another one with its
        // own size.
        input.stated = file;
        input.dispatchEvent(new Event('change', { bubbles: true }));",
        vec![css.into(), name.into(), GRAPH.into(), (mebibytes << 20).into()],
    );
}

fn large_among_graphs(page: &mut Page) {
    compare::open(page, "doc=ex:teaching&plan=inductor-tree&cmp=first-fit%7Cbest-fit&lang=en", 2);
    page.click("#sheet-graphs");
    page.until_there("#graphs-folder");
    choose_stated(page, "#graphs-folder", "huge.json", 800);
    page.until_says("#notice", &["huge.json is larger than 768 MiB and was not read."]);
    choose_stated(page, "#graphs-folder", "little.json", 1);
    page.until_there("#graphs [data-graph='little.json']");
    page.until_count("#graphs tbody tr", 1);
}

fn large_question(page: &mut Page) {
    // The page's own mark of its language is only for the browser: the question follows what was
    // chosen.
    compare::open(page, "doc=ex:teaching&plan=inductor-tree&cmp=first-fit%7Cbest-fit&lang=zh", 2);
    page.browser.script::<Value>(
        "document.documentElement.lang = 'en';
        window.asked = [];
        window.confirm = question => { window.asked.push(question); return false; };",
        Vec::new(),
    );
    page.click("#sheet-graphs");
    page.until_there("#graphs-folder");
    choose_stated(page, "#graphs-folder", "large.json", 600);
    page.until("the question", "window.asked.length > 0");
    let asked: Vec<String> = page.browser.eval("window.asked");
    assert_eq!(asked.len(), 1);
    assert!(asked[0].starts_with("large.json 有 600") && asked[0].contains("仍然打开吗"), "{asked:?}");
    assert_eq!(page.browser.eval::<u32>("document.querySelectorAll('#graphs').length"), 0, "it was not agreed to");
}
