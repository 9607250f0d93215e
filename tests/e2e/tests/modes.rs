//! Going from one mode to another: nothing that was chosen or opened is lost on the way.

use memplan_e2e::Page;

use crate::samples::GRAPH;
use crate::{Test, full, native};

pub const TESTS: &[Test] = &[
    full("everything_stays_when_a_mode_is_chosen", keeps),
    full("the_stepper_goes_on_where_it_was", goes_on),
    full("a_file_on_its_way_in_arrives", arriving),
];

fn keeps(page: &mut Page) {
    page.open("lang=zh&theme=dark&plan=first-fit");
    page.drop_file("little.json", GRAPH.as_bytes());
    let run = native::run(GRAPH.as_bytes(), "first-fit");
    native::until_shown(page, "the graph", &run);
    page.press("Home");
    page.press("ArrowRight");
    page.press("m");
    page.until_frame(1);
    page.mode("edit");
    page.until_there("#edit-nodes");
    native::until_shown(page, "the same plan", &run);
    page.until_frame(1);
    page.until_attribute("html", "lang", Some("zh-CN"));
    page.until_attribute("html", "data-theme", Some("dark"));
    page.until_says("h1", &["little"]);
    page.until("the focus", "document.activeElement.id === 'mode-edit'");
    page.mode("step");
    page.until_frame(1);
    // Switches stay as they are.
    page.until_there(".minimap");
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
