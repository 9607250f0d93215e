//! One selection, shown and changed in every place.

use memplan_e2e::Page;

use crate::native;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("a_click_on_the_plan_selects", click_on_the_plan),
    full("alt_and_arrows_move_to_the_neighbours", neighbours),
    full("tables_and_plan_share_the_selection", tables),
    full("the_tree_selects", tree),
    full("the_tree_opens_to_the_selected_buffer", tree_follows),
    full("names_in_sentences_select", names),
    full("the_box_shows_the_facts", facts),
    full("the_buffer_table_sorts_and_filters", sort_and_filter),
    full("a_spot_has_a_menu", menu_of_a_spot),
    full("a_resting_finger_opens_the_menu", resting_finger),
    smoke("find_goes_to_names_steps_frames_and_planners", find),
];

fn click_on_the_plan(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&f=69&sel=conv2d_3&lang=en");
    page.until_selected(Some("conv2d_3"));
    // Zoomed to the selection, the buffer lies in the middle of the plan.
    page.press("z");
    page.until_address("view=");
    page.press("Escape");
    page.until_selected(None);
    let middle = page.middle("#plan");
    page.browser.drag(&[middle]);
    page.until_selected(Some("conv2d_3"));
    page.until_there("#left-panel");
    page.until_says("aside .selection h2", &["conv2d_3"]);
    page.press("Escape");
    page.until_selected(None);
    // Hovering tells the facts and selects nothing.
    page.browser.hover((middle.0 + 2.0, middle.1));
    page.until("the facts", "document.querySelector('.tooltip b')?.textContent === 'conv2d_3'");
    assert_eq!(page.facts().selected, None);
    // Moving the pointer while it is down pans and selects nothing.
    page.browser.drag(&[middle, (middle.0 + 30.0, middle.1 + 20.0), (middle.0 + 60.0, middle.1 + 10.0)]);
    page.until_painted();
    assert_eq!(page.facts().selected, None);
}

/// Opens resnet18 with one of its buffers in the middle of the plan, unselected, and gives the
/// point.
fn buffer_in_the_middle(page: &mut Page) -> (f64, f64) {
    page.open("doc=ex:resnet18&plan=first-fit&f=69&sel=conv2d_3&lang=en");
    page.until_selected(Some("conv2d_3"));
    page.press("z");
    page.until_address("view=");
    page.press("Escape");
    page.until_selected(None);
    page.middle("#plan")
}

fn menu_of_a_spot(page: &mut Page) {
    let middle = buffer_in_the_middle(page);
    let run = native::run(&native::example("resnet18"), "first-fit");
    let buffer = run.problem.buffer_named("conv2d_3").expect("a buffer of the example");
    let menu = |page: &Page, entry: &str| {
        page.browser.press_right(middle);
        page.until_there("#spot-menu [role=menuitem]");
        let entries = page.texts("#spot-menu button");
        let found = entries.iter().find(|text| text.starts_with(entry));
        let found = found.unwrap_or_else(|| panic!("no {entry} in {entries:?}")).clone();
        page.click_named(&found);
        page.until_gone("#spot-menu");
        found
    };
    menu(page, "Select conv2d_3");
    page.until_selected(Some("conv2d_3"));
    menu(page, "Go to the frame that places conv2d_3");
    page.until_frame(run.timeline.decision_of(buffer).expect("placed") as u32 + 1);
    // Running on from the start finds the first buffer that lies there.
    let first = |on: &dyn Fn(memplan_core::problem::BufferId) -> bool| {
        let found = run.timeline.decisions.iter().position(|decision| on(decision.buffer));
        found.expect("some buffer lies there") as u32 + 1
    };
    page.press("Home");
    page.until_frame(0);
    let entry = menu(page, "Run to the next buffer at offset 0x");
    let address = u64::from_str_radix(entry.split("0x").nth(1).expect("an address"), 16).expect("in hexadecimal");
    page.until_frame(first(&|buffer| run.lies_on(buffer, address)));
    page.press("Home");
    page.until_frame(0);
    let entry = menu(page, "Run to the next buffer alive at step ");
    let step: u32 = entry.split(' ').next_back().and_then(|step| step.parse().ok()).expect("a step");
    assert!(run.problem.buffers[buffer].live.contains(step), "{entry}");
    page.until_frame(first(&|buffer| run.problem.buffers[buffer].live.contains(step)));
    menu(page, "Show the whole plan");
    page.until("all of it", "!location.hash.includes('view=')");
    // By keyboard it is the menu of the selection, and Escape goes back to the plan.
    page.eval::<Option<bool>>("document.querySelector('#plan').focus()");
    let entries = |page: &Page| {
        page.press("Shift+F10");
        page.until("the focus in the menu", "document.activeElement.closest('#spot-menu')");
        page.texts("#spot-menu button")
    };
    // It is not on the plan yet, so there is only the way to its frame.
    assert!(run.timeline.decision_of(buffer).is_some_and(|decision| page.facts().frame <= decision as u32));
    assert!(!entries(page).iter().any(|text| text.starts_with("Zoom to")), "{}", page.describe());
    page.click_named("Go to the frame that places conv2d_3");
    page.until_frame(run.timeline.decision_of(buffer).expect("placed") as u32 + 1);
    page.eval::<Option<bool>>("document.querySelector('#plan').focus()");
    entries(page);
    page.click_named("Zoom to conv2d_3");
    page.until_address("view=");
    page.eval::<Option<bool>>("document.querySelector('#plan').focus()");
    page.press("Shift+F10");
    page.until("the focus in the menu", "document.activeElement.closest('#spot-menu')");
    page.until_equal("the way to the buffer in the menu", true, |page| {
        page.texts("#spot-menu button").iter().any(|text| text == "Zoom to conv2d_3")
    });
    page.press("Escape");
    page.until_gone("#spot-menu");
    page.until("the focus on the plan", "document.activeElement.id === 'plan'");
    // A press beside it closes it.
    page.browser.press_right(middle);
    page.until_there("#spot-menu");
    page.click("#planner-button");
    page.until_gone("#spot-menu");
}

fn resting_finger(page: &mut Page) {
    let middle = buffer_in_the_middle(page);
    page.browser.rest_finger(middle);
    page.until_there("#spot-menu [role=menuitem]");
    page.browser.lift_finger();
    assert_eq!(page.facts().selected, None, "it is no tap");
    page.click_named("Select conv2d_3");
    page.until_selected(Some("conv2d_3"));
}

fn neighbours(page: &mut Page) {
    page.open("doc=ex:two_branches&plan=first-fit&f=13&lang=en");
    page.click("#left-tab-buffers");
    page.click("#buffer-row-3");
    let run = native::run(&native::example("two_branches"), "first-fit");
    let frame = run.frame(run.timeline.events_at(memplan_replay::Level::Decisions, u32::MAX));
    let selected = page.until_facts("the selection of the row", |facts| facts.selected.is_some()).selected;
    let mut here = selected.and_then(|name| run.problem.buffer_named(&name));
    page.eval::<Option<bool>>("document.querySelector('#plan').focus()");
    let directions = [
        ("Alt+ArrowRight", 1, 0),
        ("Alt+ArrowUp", 0, 1),
        ("Alt+ArrowLeft", -1, 0),
        ("Alt+ArrowDown", 0, -1),
        ("Alt+ArrowRight", 1, 0),
    ];
    let mut moves = 0;
    for (keys, time, address) in directions {
        if let Some(next) = memplan_replay::neighbour(&run, &frame, here, time, address) {
            moves += 1;
            here = Some(next);
        }
        page.press(keys);
        page.until_selected(here.map(|id| run.problem.buffers[id].name.as_str()));
    }
    assert!(moves >= 3, "the example has neighbours to go to");
    let name = here.map(|id| run.problem.buffers[id].name.clone()).expect("a selection");
    page.until_equal("the words of the selection", true, |page| {
        page.texts(".plan [role=status]").iter().any(|words| words.starts_with(&name))
    });
}

fn tables(page: &mut Page) {
    page.open("lang=en");
    for (tab, row) in [("#left-tab-graph", "#graph-row-3"), ("#left-tab-buffers", "#buffer-row-5")] {
        page.click(tab);
        page.until_there(row);
        page.click(row);
        let name = page.text(&format!("{row} .cut"));
        page.until_selected(Some(&name));
        page.until_attribute(row, "aria-selected", Some("true"));
        page.until_text(".selection h2", &name);
    }
    // The keyboard moves on in the list.
    page.press("ArrowDown");
    page.until("the next row", "document.querySelector('#buffer-row-6').getAttribute('aria-selected') === 'true'");
    page.until_selected(Some(&page.text("#buffer-row-6 .cut")));
    page.press("Home");
    let name = page.text("#buffer-row-0 .cut");
    page.until_selected(Some(&name));
    // The other table follows.
    page.click("#left-tab-graph");
    page.until_text("#graph-rows [aria-selected=true] .cut", &name);
    page.press("Escape");
    page.until_selected(None);
    page.until_gone("#graph-rows [aria-selected=true]");
}

fn tree(page: &mut Page) {
    page.open("f=8&lang=en");
    page.click("[role=treeitem].new");
    page.until_selected(Some("G"));
    page.until_attribute("[role=treeitem].new", "aria-selected", Some("true"));
    // Up to the parents, closing and opening: the pattern of a tree.
    let current = "document.querySelector('[role=treeitem][aria-selected=true]')";
    page.until("the current row", current);
    let level = || page.eval::<u32>(&format!("+{current}.getAttribute('aria-level')"));
    page.eval::<Option<bool>>("document.querySelector('#tree-rows').focus()");
    let deep = level();
    page.press("ArrowLeft");
    page.until("the parent", &format!("+{current}?.getAttribute('aria-level') < {deep}"));
    let rows = page.count("[role=treeitem]");
    page.press("ArrowLeft");
    page.until("fewer rows", &format!("document.querySelectorAll('[role=treeitem]').length < {rows}"));
    page.press("ArrowRight");
    page.until("all rows again", &format!("document.querySelectorAll('[role=treeitem]').length === {rows}"));
    assert_eq!(page.facts().frame, 8, "arrows in the tree do not step");
}

fn tree_follows(page: &mut Page) {
    let run = native::run(&native::example("teaching"), "inductor-tree");
    let row = |name: &str| {
        let id = run.problem.buffer_named(name).expect("a buffer of the example");
        format!("[role=treeitem][aria-selected=true][data-buffer='{}']", id.0)
    };
    page.open("f=8&lang=en");
    // This frame's buffer is not the selected one.
    page.until_count("[role=treeitem][aria-selected=true]", 0);
    for name in ["B", "H", "A"] {
        page.open(&format!("f=8&sel={name}&lang=en"));
        page.until_there(&row(name));
        page.until_count("[role=treeitem][aria-selected=true]", 1);
    }
}

fn names(page: &mut Page) {
    page.open("f=8&lang=en");
    page.click("#why-headline .name");
    page.until_selected(Some("G"));
    page.click(".candidates .name");
    page.until_selected(Some("A"));
    page.press("Escape");
    page.until_selected(None);
}

fn facts(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=inductor-tree&lang=en");
    page.until_says(".selection", &["Nothing is selected."]);
    page.open("doc=ex:resnet18&plan=inductor-tree&sel=relu_12&lang=en");
    page.until_selected(Some("relu_12"));
    let run = native::run(&native::example("resnet18"), "inductor-tree");
    let id = run.problem.buffer_named("relu_12").expect("it is in the graph");
    let buffer = &run.problem.buffers[id];
    let exact = native::single_blanks(&memplan_core::base::exact(buffer.size));
    let live = format!("[{}, {})", buffer.live.start, buffer.live.end);
    page.until_says(".selection", &[&format!("{exact} B"), &live, "float32"]);
    // Its frame is a link to the moment it was placed.
    let decision = run.timeline.decision_of(id).expect("it is placed") as u32;
    page.click(".selection dd > button.name");
    page.until_frame(decision + 1);
    page.until_text(".counter em", "relu_12");
}

fn sort_and_filter(page: &mut Page) {
    page.open("f=8&lang=en");
    page.click("#left-tab-buffers");
    page.until_there("#buffer-row-0");
    let names = |page: &Page| page.texts("#buffer-rows .buffer-row:not(.head) .cut").join("");
    page.click_named("name");
    page.until(
        "sorted by name",
        "document.querySelector('[aria-sort=ascending] button').textContent.startsWith('name')",
    );
    page.until_equal("the names", "ABCDEFGH".to_string(), names);
    page.click_named("name ▲");
    page.until_there("[aria-sort=descending]");
    page.until_equal("the names", "HGFEDCBA".to_string(), names);
    page.click_named("size");
    page.until_there("[aria-sort=ascending]");
    // 64, 200, 256, 320, 500, 600, 640, 1000 bytes.
    page.until_equal("the names", "GFEDHCBA".to_string(), names);
    page.browser.type_into(".filter input", "g");
    page.until("one row", "document.querySelectorAll('#buffer-rows .buffer-row:not(.head)').length === 1");
    page.until_equal("the names", "G".to_string(), names);
    assert_eq!(page.facts().frame, 8, "letters in a field are text");
}

fn find(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&f=10&lang=en");
    page.press("/");
    page.until("the focus in the box", "document.activeElement.id === 'find-input'");
    page.browser.type_into("#find-input", "relu_3");
    page.until("matches", "document.querySelector('.found')?.textContent.includes('relu_3')");
    page.press("Enter");
    page.until_selected(Some("relu_3"));
    page.eval::<Option<bool>>("(document.querySelector('#find-input').value = '', document.querySelector('#find-input').dispatchEvent(new InputEvent('input', { bubbles: true })))");
    page.browser.type_into("#find-input", "#37");
    page.until("a match", "document.querySelector('.found')?.textContent.includes('37')");
    page.press("Enter");
    page.until_frame(37);
    page.press("Escape");
    page.until_gone(".find");
    page.press("Control+k");
    page.until_there("#find-input");
    page.browser.type_into("#find-input", ">worst");
    page.until("a match", "document.querySelectorAll('.found').length === 1");
    page.press("Enter");
    page.until_planner("worst-fit");
    page.until_gone(".find");
}
