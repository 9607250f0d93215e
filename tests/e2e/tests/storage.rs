//! What the browser keeps between visits, and what goes into a file.

use memplan_e2e::Page;

use crate::samples::{BUFFERS, GRAPH};
use crate::{Test, test};

pub const TESTS: &[Test] = &[
    test("unsaved_changes_survive_a_reload", recover),
    test("changes_can_be_discarded", discard),
    test("saving_writes_the_graph_and_ends_the_draft", save),
    test("documents_are_opened_again_and_deleted", recent),
];

/// Lets a time pass in which something might happen that must not, or that cannot be seen.
fn pause(page: &Page, milliseconds: u32) {
    let body = format!("setTimeout(() => arguments[0](true), {milliseconds})");
    assert!(page.browser.script_later::<bool>(&body, Vec::new()));
}

/// Opens the little graph and makes a tensor of it as large as no other; its peak then.
pub fn edit(page: &mut Page) -> u64 {
    page.open("lang=en");
    page.drop_file("little.json", GRAPH.as_bytes());
    page.until("the graph", "document.querySelector('h1').textContent.includes('little')");
    let before = page.until_planned().peak;
    page.mode("edit");
    page.click("#editor-tab-tensors");
    page.until_there("[aria-label='shape of a']");
    page.click("[aria-label='shape of a']");
    page.press("Control+a");
    page.browser.type_into("[aria-label='shape of a']", "9999");
    let peak = page.until_facts("another peak", |facts| facts.peak > before + 30_000).peak;
    pause(page, 1500);
    peak
}

/// Opens the page afresh, without the fragment that carries the document.
fn come_again(page: &mut Page) {
    page.open("lang=en");
    page.until("the start", "document.querySelector('h1').textContent.includes('teaching')");
}

fn recover(page: &mut Page) {
    let peak = edit(page);
    come_again(page);
    page.until_there("#recovery");
    assert!(page.text("#recovery").contains("little"), "{}", page.text("#recovery"));
    page.click("#recover");
    page.until_facts("the plan of the draft", |facts| facts.peak == peak);
    page.until_gone("#recovery");
    page.press("Control+z");
    page.until_facts("what was done can be taken back", |facts| facts.peak + 30_000 < peak);
}

fn discard(page: &mut Page) {
    edit(page);
    come_again(page);
    page.until_there("#discard");
    page.click("#discard");
    page.until_gone("#recovery");
    pause(page, 500);
    come_again(page);
    pause(page, 500);
    assert!(!page.is_there("#recovery"));
}

fn save(page: &mut Page) {
    edit(page);
    page.eval::<Option<bool>>(
        "(() => { const make = URL.createObjectURL; URL.createObjectURL = blob => { window.saved = blob.text(); return make(blob); };
            HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }; })()",
    );
    page.press("Control+s");
    page.until("a file", "window.savedAs");
    assert_eq!(page.eval::<String>("window.savedAs"), "little.json");
    let text: String = page.browser.script_later("window.saved.then(arguments[0])", Vec::new());
    assert!(text.contains("9999") && text.contains("memory-graph/1"), "{text}");
    pause(page, 1000);
    come_again(page);
    pause(page, 500);
    assert!(!page.is_there("#recovery"));
}

fn recent(page: &mut Page) {
    page.open("lang=en");
    assert!(!page.is_there("#recent"), "nothing was opened yet");
    for (name, text) in [("little.json", GRAPH), ("some.csv", BUFFERS)] {
        page.drop_file(name, text.as_bytes());
        page.until_address("doc=z:");
    }
    pause(page, 800);
    come_again(page);
    page.until("two documents", "document.querySelectorAll('#recent li').length === 2");
    let size = format!("{} B", BUFFERS.len());
    let rows: Vec<String> = page.texts("#recent .example").iter().map(|row| row.replace('\u{202f}', " ")).collect();
    assert!(rows[0].contains(&size), "the latest comes first: {rows:?}");
    page.click("#recent li:nth-child(2) .example");
    page.until("the graph", "document.querySelector('h1').textContent.includes('little')");
    page.click("#left-tab-files");
    page.click("#recent li:first-child > .btn");
    page.until("one document", "document.querySelectorAll('#recent li').length === 1");
    page.drop_file("little.json", GRAPH.as_bytes());
    page.until("the graph once more", "document.querySelector('h1').textContent.includes('little')");
    page.click("#left-tab-files");
    page.until("two documents again", "document.querySelectorAll('#recent li').length === 2");
    // A name has the width of the list.
    let (name, list) = (page.place("#recent .cut"), page.place("#recent"));
    assert!(name.2 > 0.7 * list.2, "the name has {} of {}", name.2, list.2);
    // All of them only when it is said twice.
    page.click("#forget-all");
    page.until_there("#forget-none:focus");
    assert!(page.text(".recent-head").contains("Delete 2 documents from this browser?"));
    page.click("#forget-none");
    page.until_there("#forget-all");
    assert_eq!(page.count("#recent li"), 2);
    page.click("#forget-all");
    page.click("#forget-sure");
    page.until_gone("#recent");
    come_again(page);
    pause(page, 500);
    assert!(!page.is_there("#recent"));
}
