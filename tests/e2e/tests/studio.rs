//! The program with every mode takes over from the one that the page begins with, and nothing is lost.

use memplan_e2e::Page;
use serde_json::json;

use crate::samples::GRAPH;
use crate::{Test, test};

pub const TESTS: &[Test] = &[
    test("everything_stays_when_a_mode_is_chosen", keeps),
    test("one_page_is_left", one),
    test("a_mode_that_cannot_be_loaded_says_so", offline),
    test("a_file_on_its_way_in_arrives", arriving),
];

const PROGRAM: &str = "performance.getEntriesByType('resource').some(entry => entry.name.endsWith('studio.js'))";

fn keeps(page: &mut Page) {
    page.open("lang=zh&theme=dark&plan=first-fit");
    page.drop_file("little.json", GRAPH.as_bytes());
    page.until("the graph", "document.querySelector('h1').textContent.includes('little')");
    page.until_planner("first-fit");
    page.press("Home");
    page.press("ArrowRight");
    page.press("m");
    let before = page.until_frame(1);
    assert!(!page.eval::<bool>(PROGRAM), "the small program is enough so far");
    page.mode("edit");
    page.until_there("#edit-nodes");
    let after = page.until_frame(1);
    assert_eq!((after.peak, &*after.planner), (before.peak, "first-fit"));
    assert_eq!(page.attribute("html", "lang").as_deref(), Some("zh-CN"));
    assert_eq!(page.attribute("html", "data-theme").as_deref(), Some("dark"));
    assert!(page.text("h1").contains("little"));
    page.until("the focus", "document.activeElement.id === 'mode-edit'");
    page.mode("step");
    page.until_frame(1);
    assert!(!page.is_there(".minimap"), "switches stay as they are");
}

fn one(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&f=5&lang=en");
    page.mode("compare");
    page.until_there(".plot canvas[data-peak]");
    page.mode("step");
    page.until_frame(5);
    assert_eq!((page.count(".page"), page.count("header.top")), (1, 1));
    // Nobody else hears the keys any more.
    page.press("ArrowRight");
    page.until_frame(6);
    page.until_address("f=6");
}

fn offline(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&lang=en");
    page.forgive_console();
    page.browser.devtools("Network.enable", json!({}));
    page.browser.devtools("Network.setBlockedURLs", json!({ "urls": ["*studio*"] }));
    page.click("#mode-compare");
    page.until("a notice", "document.querySelector('#notice')?.textContent.includes('could not be loaded')");
    assert_eq!(page.attribute("#mode-step", "aria-current").as_deref(), Some("page"));
    assert_eq!(page.facts().planner, "first-fit", "what was shown stays");
    page.browser.devtools("Network.setBlockedURLs", json!({ "urls": [] }));
    page.mode("compare");
    page.until_there(".plot canvas[data-peak]");
}

fn arriving(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("little.json", GRAPH.as_bytes());
    page.click("#mode-edit");
    page.until("the graph", "document.querySelector('h1').textContent.includes('little')");
    page.until_there("#edit-nodes");
}
