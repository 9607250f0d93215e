//! Going from one mode to another: nothing that was chosen or opened is lost on the way.

use memplan_e2e::Page;

use crate::samples::GRAPH;
use crate::{Test, test};

pub const TESTS: &[Test] = &[
    test("everything_stays_when_a_mode_is_chosen", keeps),
    test("the_stepper_goes_on_where_it_was", goes_on),
    test("a_file_on_its_way_in_arrives", arriving),
];

fn keeps(page: &mut Page) {
    page.open("lang=zh&theme=dark&plan=first-fit");
    page.drop_file("little.json", GRAPH.as_bytes());
    page.until("the graph", "document.querySelector('h1').textContent.includes('little')");
    page.until_planner("first-fit");
    page.press("Home");
    page.press("ArrowRight");
    page.press("m");
    let before = page.until_frame(1);
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

fn goes_on(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&f=5&lang=en");
    page.mode("compare");
    page.until_there(".plot canvas[data-peak]");
    page.mode("step");
    page.until_frame(5);
    page.press("ArrowRight");
    page.until_frame(6);
    page.until_address("f=6");
}

fn arriving(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("little.json", GRAPH.as_bytes());
    page.click("#mode-edit");
    page.until("the graph", "document.querySelector('h1').textContent.includes('little')");
    page.until_there("#edit-nodes");
}
