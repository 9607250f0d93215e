//! One HTML file: from a disk, in a sandboxed frame, written by the page, and without scripts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use memplan_e2e::Page;
use memplan_e2e::page::NARROW;
use memplan_e2e::setup::Setup;
use serde_json::json;

use crate::view::program;
use crate::{Test, full, native, nightly, smoke};

pub const TESTS: &[Test] = &[
    smoke("one_file_shows_its_plan_from_a_disk_and_in_a_sandbox_and_asks_for_nothing", shown),
    full("one_file_opens_at_a_frame_in_a_language_or_at_a_difference", led),
    full("the_page_writes_one_file_and_so_does_that_file", exported),
    full("one_file_holds_what_was_read_of_a_file_of_another_tool", read_before),
    nightly("one_file_with_the_published_page_can_be_attached", small),
    full("a_light_file_goes_through_its_frames_and_is_read_without_scripts", light),
];

/// A file of its own for a test.
fn temporary(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("memplan-html-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

/// Has the command line write a file.
fn write(name: &str, options: &[&str]) -> PathBuf {
    let path = temporary(name);
    let mut command = Command::new(program());
    command.arg("html").args(options).arg("-o").arg(&path);
    if !options.contains(&"--light") {
        command.arg("--page").arg(Setup::find().expect("a built page").dist);
    }
    let done = command.output().expect("the program starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    path
}

fn address(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Whatever the browser asked for beside the file itself and what is inside.
fn strange(page: &Page, own: &str) -> Vec<String> {
    let is_inside = |address: &str| ["blob:", "data:", "about:"].iter().any(|own| address.starts_with(own));
    page.browser.requests().into_iter().filter(|asked| !is_inside(asked) && !asked.starts_with(own)).collect()
}

/// Puts a text into a sandboxed frame, as notebooks do, and goes on inside it.
fn sandbox(page: &Page, text: &str) {
    page.browser.visit("data:text/html,<!doctype html><iframe sandbox='allow-scripts allow-downloads' width='1400' height='800'></iframe>");
    page.browser.script::<Option<bool>>("document.querySelector('iframe').srcdoc = arguments[0];", vec![json!(text)]);
    page.browser.enter_frame(0);
}

fn shown(page: &mut Page) {
    // Names end no script, and need no letters of English.
    let graph = String::from_utf8(native::example("diamond")).expect("text");
    let name = "</script><script>alert(1)</script> 网络";
    let graph = graph.replacen("\"diamond\"", &json!(name).to_string(), 1);
    let input = temporary("网 络.json");
    fs::write(&input, &graph).expect("a file");
    let path = write("plan 网.html", &[&input.to_string_lossy(), "--planner", "first-fit"]);
    let peak = native::run(graph.as_bytes(), "first-fit").metrics.peak.to_string();
    let text = fs::read_to_string(&path).expect("a text");
    let mut page = page.observed();
    page.forgive_console();
    page.browser.visit(&address(&path));
    page.until("the plan", &format!("document.querySelector('[data-peak]')?.dataset.peak === '{peak}'"));
    assert!(page.text("header").contains(name), "{}", page.text("header"));
    // It is planned again by the engine, which is inside too.
    page.until("the page rests", "!document.querySelector('[aria-busy=true]')");
    assert_eq!(strange(&page, &address(temporary("").as_path())), Vec::<String>::new());
    sandbox(&page, &text);
    page.until("the plan", &format!("document.querySelector('[data-peak]')?.dataset.peak === '{peak}'"));
    assert_eq!(strange(&page, "data:"), Vec::<String>::new());
    assert!(page.take_violations().is_empty());
}

fn led(page: &mut Page) {
    let frame = write("frame.html", &["ex:unet_512", "--planner", "best-fit;tie=size", "--frame", "7", "--lang", "zh"]);
    let mut page = page.observed();
    page.forgive_console();
    page.browser.visit(&address(&frame));
    page.until_facts("the frame", |facts| facts.frame == 7 && facts.planner == "best-fit");
    page.until("Chinese", "document.documentElement.lang === 'zh-CN'");
    let link: String = page.eval("memplanInside.link");
    assert_eq!(link, "doc=ex:unet_512&plan=best-fit&opt=tie:size&f=7&lang=zh");
    let diff = write("diff.html", &["ex:resnet18", "--diff", "ex:mobilenet_v2"]);
    page.browser.visit(&address(&diff));
    page.until("the comparison", "location.hash.startsWith('#mode=diff&old=ex:mobilenet_v2&new=ex:resnet18')");
    page.until("its figures", "document.querySelectorAll('main canvas, main svg').length > 0");
    // What is not inside is asked of nobody, wherever a link leads.
    page.browser.requests();
    page.browser.visit("about:blank");
    page.browser.visit(&format!("{}#mode=diff&old=ex:not-inside&new=ex:resnet18&lang=en", address(&diff)));
    page.until_says(".notice", &["not-inside is not in it"]);
    let asked = page.browser.requests();
    assert!(asked.iter().all(|address| address != "blob:none"), "{asked:?}");
    assert_eq!(strange(&page, &address(temporary("").as_path())), Vec::<String>::new());
}

fn read_before(page: &mut Page) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let program = write("program.html", &[&format!("{folder}/data/executorch/moe_noio.pte")]);
    let mut page = page.observed();
    page.forgive_console();
    // Graph and plan are both there: the file's own plan, and one by a planner that needs a graph.
    page.browser.visit(&address(&program));
    page.until_facts("the plan of the file", |facts| facts.planner == "imported");
    page.until("the page rests", "!document.querySelector('[aria-busy=true]')");
    let file = format!("{folder}/data/executorch/moe_noio.pte");
    let other = write("other.html", &[&file, "--planner", "inductor-reuse"]);
    page.browser.visit(&address(&other));
    page.until_facts("another plan", |facts| facts.planner == "inductor-reuse");
    let events =
        write("events.html", &[&format!("{folder}/golden/data/cuda_allocator/snapshots/gpt_inference.pickle.gz")]);
    page.browser.visit(&address(&events));
    page.until_there("#what-if");
    page.click("#what-if");
    page.until_count("#whatif tbody tr", 12);
    page.until_attribute("#whatif-check", "data-equal", Some("true"));
    assert_eq!(strange(&page, &address(temporary("").as_path())), Vec::<String>::new());
}

fn small(_: &mut Page) {
    // Only the page that is published is as small as that.
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/executorch/moe_noio.pte");
    for file in ["ex:resnet18_train_b8", program] {
        let bytes = fs::metadata(write("small.html", &[file])).expect("a file").len();
        assert!(bytes <= 5_000_000, "{file}: {bytes} bytes");
    }
}

/// Keeps what would be saved, for [`saved`].
const KEEP: &str = "const make = URL.createObjectURL;
    URL.createObjectURL = file => {
        if (file.type === 'text/html') window.saved = file;
        return make.call(URL, file);
    };
    HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; };";

/// Has the page write one HTML file; its name and text.
fn export(page: &Page) -> (String, String) {
    page.browser.script::<Option<bool>>(KEEP, Vec::new());
    page.click("#export-button");
    page.browser.script::<Option<bool>>(
        "[...document.querySelectorAll('[role=menuitem]')].find(entry => entry.textContent.startsWith('One HTML file')).click();",
        Vec::new(),
    );
    page.until("the file", "window.saved && window.savedAs");
    page.browser.script_later("window.saved.text().then(text => arguments[0]([window.savedAs, text]));", Vec::new())
}

fn exported(page: &mut Page) {
    let mut page = page.observed();
    page.open("doc=ex:unet_512&plan=first-fit&f=9&lang=en");
    let frame = page.facts().frame;
    let (name, text) = export(&page);
    assert_eq!(name, "unet_512.html");
    fs::write(temporary("first.html"), &text).expect("a file");
    page.browser.requests();
    page.forgive_console();
    page.browser.visit(&address(&temporary("first.html")));
    page.until_facts("the same frame", |facts| facts.frame == frame && facts.planner == "first-fit");
    // A page that is one file writes others of what is inside.
    let (_, again) = export(&page);
    assert_eq!(again.len(), text.len(), "the same page, document and frame");
    fs::write(temporary("second.html"), again).expect("a file");
    page.browser.visit(&address(&temporary("second.html")));
    page.until_facts("the same frame", |facts| facts.frame == frame && facts.planner == "first-fit");
    assert_eq!(strange(&page, &address(temporary("").as_path())), Vec::<String>::new());
}

fn light(page: &mut Page) {
    let path = write("light.html", &["ex:unet_512", "--planner", "best-fit", "--light"]);
    assert!(fs::metadata(&path).expect("a file").len() <= 300_000);
    let page = page.observed();
    page.browser.visit(&address(&path));
    page.until("the slider", "!document.querySelector('#slider').hidden");
    assert_eq!(page.attribute("#frame", "data-frame").as_deref(), Some("61"));
    let before = page.text("#why");
    page.click("#back");
    assert_eq!(page.attribute("#frame", "data-frame").as_deref(), Some("60"));
    assert_ne!(page.text("#why"), before);
    page.click("#growth");
    assert_eq!((page.text("#frame"), page.text("#why")), ("61".into(), before.clone()));
    page.until_address("#f61");
    // On a phone, the buttons leave a count of four digits its room.
    page.viewport(NARROW);
    page.browser.script::<Option<bool>>("document.querySelector('#frame').textContent = '1305';", vec![]);
    let apart = "const [count, moves] = ['.counter', '#moves'].map(css => document.querySelector(css));
        return count.scrollWidth <= count.clientWidth && count.getBoundingClientRect().right <= moves.getBoundingClientRect().left;";
    assert!(page.browser.script::<bool>(apart, vec![]), "the count of frames and the buttons overlap");
    assert_eq!(strange(&page, &address(temporary("").as_path())), Vec::<String>::new());
    page.browser.emulate("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    page.browser.visit(&address(&path));
    let text = page.text("body");
    assert!(text.contains(&before) && text.contains("one frame"), "{text}");
    page.browser.emulate("Emulation.setScriptExecutionDisabled", json!({ "value": false }));
}
