//! What the browser keeps between visits, and what goes into a file.

use memplan_e2e::Page;
use serde_json::{Value, json};

use crate::samples::{BUFFERS, GRAPH};
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("unsaved_changes_survive_a_reload", recover),
    full("changes_can_be_discarded", discard),
    full("saving_writes_the_graph_and_ends_the_draft", save),
    full("documents_are_opened_again_and_deleted", recent),
    smoke("two_tabs_have_two_drafts", two_tabs),
    smoke("a_browser_without_room_is_told_and_nothing_is_lost", no_room),
];

/// What the browser keeps on a shelf of the page's database: its records as JSON.
fn shelf(page: &Page, name: &str) -> Vec<Value> {
    const READ: &str = "const [name, done] = arguments;
        indexedDB.databases().then(known => {
            // Opening one that is not there would make it.
            if (!known.some(database => database.name === 'memplan')) return done('[]');
            const opening = indexedDB.open('memplan');
            opening.onsuccess = () => {
                const database = opening.result, records = database.transaction(name).objectStore(name).getAll();
                records.onsuccess = () => {
                    database.close();
                    done(JSON.stringify(records.result, (_, value) => value instanceof Uint8Array ? [...value] : value));
                };
            };
        });";
    let records: String = page.browser.script_later(READ, vec![name.into()]);
    serde_json::from_str(&records).expect("a list of records")
}

/// Waits until a shelf holds so many records.
pub fn until_kept(page: &Page, name: &str, count: usize) {
    page.until_equal(&format!("records of {name}"), count, |page| shelf(page, name).len());
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
    // The size as it is written in a draft.
    page.until_equal("the size in the draft that is kept", true, |page| {
        shelf(page, "draft").first().is_some_and(|draft| draft[2].to_string().contains("143,78,"))
    });
    peak
}

/// Opens the page afresh, without the fragment that carries the document.
fn come_again(page: &mut Page) {
    page.open("lang=en");
    page.until("the start", "document.querySelector('h1').textContent.includes('teaching')");
}

/// Waits until no draft is kept and comes again: none is offered.
fn nothing_to_recover(page: &mut Page) {
    until_kept(page, "draft", 0);
    come_again(page);
    // The list of documents is read after the draft.
    page.until_there("#recent li");
    assert!(!page.is_there("#recovery"));
}

fn recover(page: &mut Page) {
    let peak = edit(page);
    come_again(page);
    page.until_says("#recovery", &["little"]);
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
    nothing_to_recover(page);
}

fn save(page: &mut Page) {
    edit(page);
    page.eval::<Option<bool>>(
        "(() => { const make = URL.createObjectURL; URL.createObjectURL = blob => { window.saved = blob.text(); return make(blob); };
            HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }; })()",
    );
    page.press("Control+s");
    page.until("a file", "window.savedAs");
    page.until("its name", "window.savedAs === 'little.json'");
    let text: String = page.browser.script_later("window.saved.then(arguments[0])", Vec::new());
    assert!(text.contains("9999") && text.contains("memory-graph/1"), "{text}");
    nothing_to_recover(page);
}

fn recent(page: &mut Page) {
    page.open("lang=en");
    assert!(!page.is_there("#recent"), "nothing was opened yet");
    for (count, name, text) in [(1, "little.json", GRAPH), (2, "some.csv", BUFFERS)] {
        page.drop_file(name, text.as_bytes());
        page.until_address(&format!("name={name}"));
        until_kept(page, "recent", count);
    }
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
    page.until_says(".recent-head", &["Delete 2 documents from this browser?"]);
    page.click("#forget-none");
    page.until_there("#forget-all");
    page.until_count("#recent li", 2);
    page.click("#forget-all");
    page.click("#forget-sure");
    page.until_gone("#recent");
    until_kept(page, "recent", 0);
    come_again(page);
    page.until_painted();
    assert!(!page.is_there("#recent"));
}

/// Enlarges the tensor once more: its size in the editor's field then.
fn enlarge(page: &Page, size: &str) {
    page.click("[aria-label='shape of a']");
    page.press("Control+a");
    page.browser.type_into("[aria-label='shape of a']", size);
}

fn two_tabs(page: &mut Page) {
    // Windows of the suite's own browsers keep nothing of the page; a tab that a test opens would.
    let mut page = page.own(page.origin());
    edit(&mut page);
    let first = page.browser.tab();
    page.browser.new_tab();
    edit(&mut page);
    until_kept(&page, "draft", 2);
    assert!(!page.is_there("#recovery"), "the draft of a tab that is open is not lost");
    // Saving lets go of the own draft only.
    page.eval::<Option<bool>>("void (HTMLAnchorElement.prototype.click = () => {})");
    page.press("Control+s");
    until_kept(&page, "draft", 1);
    enlarge(&page, "7777");
    until_kept(&page, "draft", 2);
    // Both tabs are closed without a word; a third one offers both drafts.
    let second = page.browser.tab();
    let third = page.browser.new_tab();
    for tab in [&first, &second] {
        page.browser.go_to_tab(tab);
        page.browser.close_tab();
    }
    page.browser.go_to_tab(&third);
    page.open("lang=en");
    page.until_count("[id^=recovery]", 2);
    page.click("#discard");
    page.until_count("[id^=recovery]", 1);
    until_kept(&page, "draft", 1);
    // What is gone on with is kept in place of what it was.
    page.click("#recover");
    page.until_gone("#recovery");
    page.until("the graph", "document.querySelector('h1').textContent.includes('little')");
    let key = |page: &Page| -> Vec<String> {
        const KEYS: &str = "const done = arguments[0], opening = indexedDB.open('memplan');
            opening.onsuccess = () => {
                const asked = opening.result.transaction('draft').objectStore('draft').getAllKeys();
                asked.onsuccess = () => { opening.result.close(); done(asked.result); };
            };";
        page.browser.script_later(KEYS, Vec::new())
    };
    page.until_equal("one draft, that of this tab", true, |page| {
        let keys = key(page);
        keys.len() == 1 && page.eval::<bool>(&format!("{}.startsWith(sessionStorage['memplan.tab'])", json!(keys[0])))
    });
}

fn no_room(page: &mut Page) {
    page.open("lang=en");
    let origin = page.origin().to_string();
    page.browser.devtools("Storage.overrideQuotaForOrigin", json!({ "origin": origin, "quotaSize": 1 }));
    page.drop_file("little.json", GRAPH.as_bytes());
    page.until("the graph", "document.querySelector('h1').textContent.includes('little')");
    page.until_says(".toast", &["no room"]);
    for name in ["recent", "bytes"] {
        assert_eq!(shelf(page, name).len(), 0, "{name}: neither the name nor the bytes");
    }
    assert!(!page.is_there("#recent"));
    let before = page.facts().peak;
    page.mode("edit");
    page.click("#editor-tab-tensors");
    page.until_there("[aria-label='shape of a']");
    enlarge(page, "9999");
    page.until_says("#not-kept", &["little", "only in this tab"]);
    page.until_facts("the draft goes on", |facts| facts.peak > before + 30_000);
    assert_eq!(shelf(page, "draft").len(), 0);
    // With room again the next change is kept, and it is no longer said.
    page.browser.devtools("Storage.overrideQuotaForOrigin", json!({ "origin": origin }));
    enlarge(page, "8888");
    page.until_gone("#not-kept");
    until_kept(page, "draft", 1);
}
