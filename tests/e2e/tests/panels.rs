//! What the parts of the state panel have in common: the frame before, the filter, the copy,
//! pointing; and the states of a beam on the plan.

use memplan_core::text::Locale;
use memplan_e2e::Page;
use memplan_replay::panel::{Row, Section, Table, View, opened, sections};
use memplan_replay::{Level, Run};
use serde_json::Value;

use crate::native;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    full("the_frame_before_is_shown_on_demand", before),
    full("before_applies_to_trees_lists_and_strips", before_everywhere),
    full("a_filter_leaves_the_rows_that_say_it", filter),
    full("a_filtered_tree_keeps_the_way_to_what_it_finds", filtered_tree),
    full("a_part_is_copied_as_json", copy),
    full("trees_and_lists_are_copied_as_json", copy_addresses),
    smoke("pointing_at_a_row_outlines_its_buffer_and_back", hover),
    full("a_changed_option_is_said_and_reset", modified),
    full("the_distance_to_the_bound_is_told_at_the_last_frame", gap),
    full("a_lane_opens_on_the_plan", lane),
    full("an_open_lane_ends_with_a_step_or_escape", lane_ends),
];

fn section(run: &Run, frame: u32, id: &str) -> Section {
    let frame = run.frame(run.timeline.events_at(Level::Decisions, frame));
    let found = sections(run, &frame).into_iter().find(|section| section.id == id);
    found.unwrap_or_else(|| panic!("a part {id}")).on_page(run)
}

fn table(run: &Run, frame: u32, id: &str) -> Table {
    match section(run, frame, id).view {
        View::Table(table) => table,
        other => panic!("{id} is {other:?}"),
    }
}

/// Waits until the rows of the open table say what those of the crate say.
fn until_rows(page: &Page, wanted: Vec<String>) {
    page.until_equal("the rows", wanted, rows);
}

/// What the rows of the open table say, a line each.
fn rows(page: &Page) -> Vec<String> {
    page.texts("#section-rows .section-row:not(.head)").iter().map(|row| squeezed(row)).collect()
}

/// The same of a table that the crate made.
fn said(rows: &[Row]) -> Vec<String> {
    let speech = native::speech(Locale::En);
    let row = |row: &Row| {
        let changed = row.changed.iter().map(|changed| speech.say(changed));
        squeezed(&changed.chain(row.cells.iter().map(|cell| cell.say(speech))).collect::<String>())
    };
    rows.iter().map(row).collect()
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

fn open_part(page: &Page, id: &str) {
    page.click(&format!("#part-tab-{id}"));
    page.until_there(&format!("#part-tab-{id}[aria-selected=true]"));
}

fn press_before(page: &Page, on: bool) {
    page.click(".btn.before");
    page.until_there(&format!(".btn.before[aria-pressed={on}]"));
}

fn before(page: &mut Page) {
    let run = native::run(&native::example("resnet18"), "tvm-relay");
    page.open("doc=ex:resnet18&plan=tvm-relay&f=6&lang=en");
    open_part(page, "tokens");
    let (now, then) = (table(&run, 6, "tokens"), table(&run, 5, "tokens"));
    assert_ne!(said(&now.rows), said(&then.rows), "the frame changes something");
    until_rows(page, said(&now.rows));
    page.until_text(".state .moment", "after this frame");
    press_before(page, true);
    page.until("the rows before", "document.querySelector('.state .moment').textContent.includes('frame 5')");
    until_rows(page, said(&then.rows));
    // Nothing but the panel has gone back.
    assert_eq!(page.facts().frame, 6);
    // The switch stays while stepping.
    page.press("ArrowRight");
    page.until_frame(7);
    page.until("the frame before that", "document.querySelector('.state .moment').textContent.includes('frame 6')");
    until_rows(page, said(&now.rows));
    press_before(page, false);
    page.until_text(".state .moment", "after this frame");
    page.press("Home");
    page.until_frame(0);
    page.until_there(".btn.before[disabled]");
}

fn before_everywhere(page: &mut Page) {
    page.open("lang=en&f=8");
    let has_g = |page: &Page| {
        let names = page.texts("[role=treeitem] .name-cell");
        (!names.is_empty(), names.iter().any(|names| names.split(", ").any(|name| name == "G")))
    };
    page.until_there("[role=treeitem].new");
    page.until_equal("G in the tree", (true, true), has_g);
    press_before(page, true);
    page.until_equal("G in the tree before", (true, false), has_g);
    let then: Vec<String> = page.texts("[role=treeitem] .name-cell");
    // Stepping back shows the same tree as after the frame before.
    page.press("ArrowLeft");
    page.until_frame(7);
    press_before(page, false);
    page.until_texts("[role=treeitem] .name-cell", &then);

    page.open("doc=ex:diamond&plan=first-fit&f=1&lang=en");
    page.until("blocks", "document.querySelectorAll('#block-rows .block-row:not(.head)').length > 1");
    press_before(page, true);
    page.until("nothing placed yet", "document.querySelectorAll('#block-rows .block-row:not(.head)').length < 2");

    // A part that is not there yet one frame earlier says so.
    page.open("doc=ex:diamond&plan=beam&f=1&lang=en");
    open_part(page, "lanes");
    press_before(page, true);
    page.until_gone(".lane");
    page.until_says("#part-panel .empty", &["Nothing to show"]);
    press_before(page, false);
    page.until_there(".lane");
}

fn filter(page: &mut Page) {
    let run = native::run(&native::example("resnet18"), "first-fit");
    let order = table(&run, 9, "order");
    page.open("doc=ex:resnet18&plan=first-fit&f=9&lang=en");
    open_part(page, "order");
    let all = order.rows.len();
    page.until_text("#part-filter-count", &format!("{all} of {all} rows"));
    page.browser.type_into("#part-filter", "RELU_1");
    let wanted: Vec<Row> =
        order.rows.iter().filter(|row| row.says("relu_1", native::speech(Locale::En))).cloned().collect();
    assert!(wanted.len() > 1 && wanted.len() < all, "{} of {all}", wanted.len());
    page.until(
        "fewer rows",
        &format!("document.querySelector('#part-filter-count').textContent.startsWith('{} of')", wanted.len()),
    );
    until_rows(page, said(&wanted));
    // Letters and arrows in it are text; rows select what they say.
    page.press("n");
    page.press("ArrowLeft");
    page.until_there("#part-panel .empty");
    assert_eq!(page.facts().frame, 9);
    page.press("Escape");
    page.until(
        "all rows",
        &format!("document.querySelector('#part-filter-count').textContent === '{all} of {all} rows'"),
    );
    page.browser.type_into("#part-filter", "relu_1");
    page.until_there("#section-row-1");
    page.click("#section-row-1");
    page.until_selected(wanted[1].buffer.map(|id| run.problem.buffers[id].name.as_str()));
    // Escape clears the filter first and the selection second.
    page.click("#part-filter");
    page.press("Escape");
    page.until("an empty box", "document.querySelector('#part-filter').value === ''");
    assert!(page.facts().selected.is_some());
    page.press("Escape");
    page.until_selected(None);
}

fn filtered_tree(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=inductor-tree&lang=en");
    // A network opens at its peak, with the finished tree behind the other tab.
    page.click("#right-tab-why");
    page.browser.type_into("#part-filter", "relu_12");
    page.until("the way to one leaf", "document.querySelectorAll('[role=treeitem]:not(.muted)').length === 1");
    let depths: Vec<u32> = page.eval("[...document.querySelectorAll('[role=treeitem]')].map(row => +row.ariaLevel)");
    assert_eq!(depths, (1..=depths.len() as u32).collect::<Vec<_>>());
    page.until_says("#part-filter-count", &["1 of "]);
    page.click("[role=treeitem]:not(.muted)");
    page.until_selected(Some("relu_12"));
    page.click("#part-filter");
    page.press("Escape");
    page.until("the whole path again", "!document.querySelector('[role=treeitem].muted')");
    // A list has the same box.
    page.open("doc=ex:resnet18_train_b8&plan=first-fit&f=200&lang=en");
    page.until("blocks", "document.querySelectorAll('#block-rows .block-row:not(.head)').length > 8");
    page.browser.type_into("#part-filter", "free");
    page.until(
        "nothing but free blocks",
        "(names => names.length && names.every(name => name.textContent.trim().startsWith('free')))([...document.querySelectorAll('.block-row .cut')])",
    );
}

/// Presses the copy button and reads what is on the clipboard then.
fn copied(page: &Page) -> Value {
    page.clear_clipboard();
    page.click(".state .copy");
    page.until_says(".toast", &["Copied as JSON: "]);
    let text = page.until_copied();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn copy(page: &mut Page) {
    let run = native::run(&native::example("resnet18"), "tvm-relay");
    page.open("doc=ex:resnet18&plan=tvm-relay&f=6&lang=en");
    open_part(page, "tokens");
    let tokens = table(&run, 6, "tokens");
    let told = copied(page);
    assert_eq!((&told["planner"], &told["frame"], &told["part"]), (&"tvm-relay".into(), &6.into(), &"tokens".into()));
    assert_eq!(told["rows"].as_array().map(Vec::len), Some(tokens.rows.len()));
    let titles: Vec<String> =
        tokens.columns.iter().map(|column| native::speech(Locale::En).say(&column.title)).collect();
    assert_eq!(told["columns"], Value::from(titles));
    // Bytes are numbers, not words.
    let bytes = tokens.rows[0]
        .cells
        .iter()
        .position(|cell| matches!(cell, memplan_replay::panel::Cell::Value(memplan_core::base::Arg::Bytes(_))));
    assert!(told["rows"][0]["cells"][bytes.expect("a column of bytes")].is_u64(), "{told}");
    // The frame before is copied when it is shown.
    press_before(page, true);
    assert_eq!(copied(page)["frame"], 5);
}

fn copy_addresses(page: &mut Page) {
    page.open("lang=en&f=8");
    page.until_frame(8);
    let told = copied(page);
    let run = native::run(&native::example("teaching"), "inductor-tree");
    let nodes = told["nodes"].as_array().expect("nodes");
    let leaves = nodes.iter().filter(|node| node["kind"] == "allocation");
    let mut count = 0;
    for leaf in leaves {
        let id = run.problem.buffer_named(leaf["buffer"].as_str().expect("a name")).expect("known");
        assert_eq!(run.plan.places[id].map(|place| place.offset), leaf["offset"].as_u64());
        count += 1;
    }
    assert!(count > 1);
    page.open("doc=ex:diamond&plan=first-fit&f=2&lang=en");
    let blocks = copied(page)["blocks"].as_array().map_or(0, Vec::len);
    page.until_count("#block-rows .block-row:not(.head)", blocks);
}

fn hover(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&f=69&sel=conv2d_3&lang=en");
    page.until_selected(Some("conv2d_3"));
    page.press("z");
    page.press("Escape");
    page.until_selected(None);
    page.click("#left-tab-buffers");
    page.browser.type_into("#buffer-filter", "conv2d_3");
    page.until("one row", "document.querySelectorAll('#buffer-rows .buffer-row:not(.head)').length === 1");
    open_part(page, "order");
    page.browser.type_into("#part-filter", "conv2d_3");
    page.until("one row", "document.querySelectorAll('#section-rows .section-row:not(.head)').length === 1");
    // A mark on an element of the list: pointing must build nothing anew.
    page.eval::<bool>(
        "(window.built = 0, new MutationObserver(list => window.built += list.length)
        .observe(document.querySelector('#section-rows'), { childList: true, subtree: true, attributes: true }), true)",
    );
    let outlined = |css: &str| format!("getComputedStyle(document.querySelector('{css}')).outlineStyle === 'solid'");
    // From the list to the plan and to the other list.
    page.browser.hover(page.middle("#section-row-0"));
    page.until("the plan's outline", "document.querySelector('#plan').dataset.hovered === 'conv2d_3'");
    page.until("the other list's", &outlined("#buffer-row-0"));
    // Away from it.
    page.browser.hover(page.middle(".counter"));
    page.until("no outline", "!('hovered' in document.querySelector('#plan').dataset)");
    page.until("no row outlined", &format!("!({})", outlined("#buffer-row-0")));
    // From the plan, where the buffer lies in the middle, to both lists.
    page.browser.hover(page.middle("#plan"));
    page.until("the plan's own", "document.querySelector('#plan').dataset.hovered === 'conv2d_3'");
    page.until("both lists", &format!("{} && {}", outlined("#section-row-0"), outlined("#buffer-row-0")));
    page.until_painted();
    assert_eq!(page.eval::<u32>("window.built"), 0, "pointing changed the list itself");
    assert_eq!(page.facts().selected, None);
}

fn modified(page: &mut Page) {
    for (language, word) in [("en", "modified"), ("zh", "已修改")] {
        page.open(&format!("doc=ex:teaching&plan=inductor-tree&opt=memory_pool:none&lang={language}"));
        page.until_text("#modified", word);
        let changed = page.facts().peak;
        page.click("#reset-button");
        let run = native::run(&native::example("teaching"), "inductor-tree");
        assert_ne!(run.metrics.peak, changed, "the option makes a difference");
        native::until_shown(page, "the default plan", &run);
        page.until_gone("#modified");
        page.until("no option in the address", "!location.hash.includes('opt=')");
    }
    // What is planned counts as well.
    page.open("doc=ex:teaching&plan=first-fit&with=align:256&lang=en");
    page.until_text("#modified", "modified");
    page.click("#options-button");
    page.until_there(".menu.options");
    page.click(".menu.options .option .btn");
    page.until_gone("#modified");
    page.until("no scope in the address", "!location.hash.includes('with=')");
}

/// The lanes of a frame of resnet18 by beam search, as the page shows them.
fn open_beam(page: &mut Page, frame: u32) -> Run {
    let run = native::run(&native::example("resnet18"), "beam");
    page.open(&format!("doc=ex:resnet18&plan=beam&f={frame}&lang=en"));
    open_part(page, "lanes");
    page.until_there(".lane button");
    run
}

fn lane(page: &mut Page) {
    let run = open_beam(page, 17);
    let frame = run.frame(run.timeline.events_at(Level::Decisions, 17));
    let speech = native::speech(Locale::En);
    page.until("lanes", "document.querySelectorAll('.lane button').length > 3");
    let lanes = page.count(".lane button");
    // By keyboard, the last one by pointer.
    for index in [1, lanes - 1] {
        let (title, shown) = opened(&run, &frame, index).expect("it opens");
        let button = format!(".lane:nth-child({}) button", index + 1);
        if index == 1 {
            page.eval::<Option<bool>>(&format!("document.querySelector('{button}').focus()"));
            page.press("Enter");
        } else {
            page.click(&button);
        }
        page.until("the state", &format!("document.querySelector('#plan').dataset.lane === '{index}'"));
        page.until_text("#lane-banner span", &native::single_blanks(&speech.say(&title)));
        page.until_says("#lane-banner", &["generation 17"]);
        page.until_attribute(&button, "aria-pressed", Some("true"));
        page.until_attribute("#plan", "data-placed", Some(&shown.placed.to_string()));
        assert_eq!(page.facts().frame, 17, "the stepper stays where it is");
        // The plan holds the state's places: what it says of a buffer is where the state put it.
        let own = |id: &memplan_core::problem::BufferId| shown.places[*id].is_some();
        let born = |id: &memplan_core::problem::BufferId| run.problem.buffers[*id].live.start;
        let id = run.problem.buffers.ids().filter(own).min_by_key(born).expect("something is placed");
        page.click("#left-tab-buffers");
        let row = format!("[data-buffer='{}']", id.0);
        page.until_there(&format!("#buffer-rows {row}"));
        page.click(&format!("#buffer-rows {row}"));
        let words = speech.say(
            &memplan_core::base::Message::new("aria.buffer")
                .text("name", run.problem.buffers[id].name.clone())
                .bytes("size", run.problem.buffers[id].size)
                .live("live", run.problem.buffers[id].live.start, run.problem.buffers[id].live.end)
                .address("offset", shown.places[id].map_or(0, |place| place.offset)),
        );
        let words = native::single_blanks(&words);
        page.until_equal(&words, true, |page| page.texts(".plan [role=status]").contains(&words));
    }
    // The button of the banner goes back.
    page.click("#lane-banner button");
    page.until_gone("#lane-banner");
    page.until_attribute("#plan", "data-lane", None);
    page.until_attribute("#plan", "data-placed", Some(&frame.placed.to_string()));
}

fn lane_ends(page: &mut Page) {
    open_beam(page, 12);
    let show = |page: &Page| {
        page.click(".lane:nth-child(2) button");
        page.until_there("#lane-banner");
    };
    show(page);
    page.press("ArrowRight");
    page.until_frame(13);
    page.until_gone("#lane-banner");
    show(page);
    page.press("Escape");
    page.until_gone("#lane-banner");
    assert_eq!(page.facts().frame, 13);
    show(page);
    // Pressed again, the state closes.
    page.click(".lane:nth-child(2) button");
    page.until_gone("#lane-banner");
    // With the frame before, its states open, and the line says which generation that is.
    press_before(page, true);
    show(page);
    page.until_says("#lane-banner", &["generation 12"]);
}

fn gap(page: &mut Page) {
    page.open("doc=ex:unet_512&plan=first-fit&f=68&lang=en");
    page.until_frame(68);
    let words = page.until_says("#gap", &["Why 64", "One decision", "in 2 pieces", "conv_transpose2d_3"]);
    assert!(!words.contains("{"), "{words}");
    assert_eq!(page.count("#gap ol li"), 1);
    page.click("#gap ol .frame-link");
    page.until_frame(61);
    page.until_gone("#gap");
    // At the bound there is nothing to tell.
    page.open("doc=ex:unet_512&plan=greedy-by-size&lang=en");
    page.until_planner("greedy-by-size");
    // The end is shown at the peak; the reason of the last decision is one tab further.
    page.press("End");
    page.until_there("#right-tab-peak[aria-selected=true]");
    page.click("#right-tab-why");
    page.until_there("#why-headline");
    page.until_frame(68);
    assert!(!page.is_there("#gap"));
}
