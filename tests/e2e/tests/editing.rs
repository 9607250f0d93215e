//! Edit mode: the graph in tables and as a diagram, the plan after every change.

use memplan_e2e::Page;
use memplan_e2e::axe::Axe;
use memplan_e2e::page::{MIDDLE, NARROW, WIDE};

use crate::{Test, full, native, smoke};

pub const TESTS: &[Test] = &[
    smoke("a_shape_typed_is_one_step_and_gives_its_plan", shape),
    full("what_is_typed_stays_when_the_plan_comes", typing),
    full("the_last_of_quick_changes_is_planned_while_a_search_goes_on", last_of_many),
    full("a_text_that_is_refused_stays_in_its_field_and_changes_nothing", rejected),
    full("a_move_that_breaks_the_order_is_refused_with_its_reason", refused),
    full("a_fault_keeps_the_plan_and_its_button_mends_it", fault),
    full("a_symbol_takes_another_value", symbol),
    smoke("boxes_are_connected_by_dragging", drag),
    full("boxes_are_connected_and_deleted_with_keys", keys),
    smoke("all_of_it_works_without_a_pointer", keyboard_only),
    full("arrows_go_from_cell_to_cell", cells),
    full("alt_and_arrows_move_a_node", moves),
    full("a_node_that_is_moved_stays_selected", stays),
    full("the_row_beside_a_deleted_one_has_the_focus", deleted),
    full("in_place_pairs_are_written_by_name", pairs),
    full("a_wide_diagram_fits", fits),
    full("a_large_graph_is_drawn", large),
    full("nothing_overlaps_in_any_layout", layouts),
    full("axe_finds_nothing_in_the_light", |page| clean(page, "lang=en&theme=light")),
    full("axe_finds_nothing_in_the_dark", |page| clean(page, "lang=zh&theme=dark")),
];

/// The chain that a new graph may begin with, in edit mode.
pub fn chain(page: &mut Page) -> String {
    let text = String::from_utf8(native::example("new/chain")).expect("text");
    page.open("lang=en");
    page.mode("edit");
    page.click("#edit-new");
    page.until_there("[role=menu] button:nth-child(2)");
    page.click("[role=menu] button:nth-child(2)");
    until_peak(page, &text);
    text
}

pub fn part(page: &Page, name: &str) {
    page.click(&format!("#editor-tab-{name}"));
    page.until_there(&format!("#editor-tab-{name}[aria-selected=true]"));
}

/// Waits for the peak that the graph has without a browser.
pub fn until_peak(page: &Page, graph: &str) {
    let peak = native::run(graph.as_bytes(), "inductor-tree").metrics.peak;
    page.until_facts(&format!("a peak of {peak}"), |facts| facts.peak == peak);
}

/// Replaces the text of a field.
pub fn write(page: &Page, field: &str, text: &str) {
    page.click(field);
    page.press("Control+a");
    page.browser.type_into(field, text);
}

/// The graph with another shape of a tensor.
pub fn reshaped(graph: &str, tensor: &str, shape: &str) -> String {
    let before = format!(r#""name":"{tensor}","dtype":"float32","shape":[1,64,56,56]"#);
    assert!(graph.contains(&before));
    graph.replace(&before, &format!(r#""name":"{tensor}","dtype":"float32","shape":[{shape}]"#))
}

pub const SHAPE: &str = "[aria-label='shape of t2']";

fn shape(page: &mut Page) {
    let graph = chain(page);
    part(page, "tensors");
    write(page, SHAPE, "1, 6");
    until_peak(page, &reshaped(&graph, "t2", "1,6"));
    page.browser.type_into(SHAPE, "4");
    until_peak(page, &reshaped(&graph, "t2", "1,64"));
    page.press("Enter");
    page.until_attribute("#edit-undo", "title", Some("Undo: Change shape of t2"));
    page.click("#edit-undo");
    until_peak(page, &graph);
    page.until_there("#edit-undo[disabled]");
    page.click("#edit-redo");
    until_peak(page, &reshaped(&graph, "t2", "1,64"));
    part(page, "history");
    page.until_texts("#edit-history .current", &["Change shape of t2"]);
}

fn typing(page: &mut Page) {
    let graph = chain(page);
    part(page, "tensors");
    write(page, SHAPE, "1, 6");
    until_peak(page, &reshaped(&graph, "t2", "1,6"));
    let typed = ("1, 6".to_string(), "shape of t2".to_string());
    page.until_equal("the field", typed, |page| {
        page.eval("[document.activeElement.value, document.activeElement.ariaLabel]")
    });
}

/// A search that nobody wants any more is given some time to end. What is typed in this time must
/// not be lost.
fn last_of_many(page: &mut Page) {
    let mut graph = memplan_core::graph::sample(600, 3);
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.drop_file("sample.json", memplan_formats::export::graph(&graph).as_bytes());
    page.until("its name", "document.querySelector('h1').textContent.includes('sample600')");
    page.until_planner("first-fit");
    // A search that lasts for minutes.
    page.eval::<Option<bool>>("void (location.hash = location.hash.replace(/plan=[^&]*/, 'plan=usmp-hill-climb&opt=attempts:1000000,work:1000000'))");
    page.until_there("#best-so-far");
    page.mode("edit");
    part(page, "tensors");
    let field = "[aria-label='shape of b0']";
    write(page, field, "7");
    page.until_there("#best-so-far");
    // The second change comes after the first was written for the search, and before its patience
    // with the search ends.
    let type_both = "const [css] = arguments, field = document.querySelector(css);
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
        const type = text => { set.call(field, text); field.dispatchEvent(new InputEvent('input', { bubbles: true })); };
        type('10000000');
        setTimeout(() => type('20000000'), 375);";
    page.browser.script::<serde_json::Value>(type_both, vec![field.into()]);
    graph.tensors.iter_mut().for_each(|tensor| {
        if tensor.name == "b0" {
            tensor.shape = vec![memplan_core::graph::Dim::Fixed(20_000_000)];
        }
    });
    let bound = native::run(memplan_formats::export::graph(&graph).as_bytes(), "first-fit").metrics.lower_bound;
    let told = native::speech(memplan_core::text::Locale::En).bytes(bound);
    page.until_says("#best-so-far", &[&told.replace('\u{202f}', " ")]);
}

fn rejected(page: &mut Page) {
    let graph = chain(page);
    let field = |page: &Page, label: &str| -> (String, Option<String>) {
        page.eval(&format!(
            "(({{value, ariaInvalid}}) => [value, ariaInvalid])(document.querySelector(\"[aria-label='{label}']\"))"
        ))
    };
    part(page, "tensors");
    for (label, text) in [("shape of t2", "1,,64"), ("bytes of t2", "99999999999999999999"), ("name of t2", "t1")] {
        let css = format!("[aria-label='{label}']");
        let before = field(page, label).0;
        write(page, &css, text);
        page.press("Enter");
        page.until_there("#edit-refused");
        page.until_equal(label, (text.to_string(), Some("true".to_string())), |page| field(page, label));
        page.until_there("#edit-undo[disabled]");
        until_peak(page, &graph);
        page.press("Escape");
        page.until_equal(label, (before, None), |page| field(page, label));
    }
    write(page, SHAPE, "1,,64");
    page.press("Enter");
    page.until_there("#edit-refused");
    write(page, SHAPE, "1, 64");
    page.until_gone("#edit-refused");
    until_peak(page, &reshaped(&graph, "t2", "1,64"));
}

fn refused(page: &mut Page) {
    chain(page);
    page.click("[aria-label='name of relu1']");
    page.click("#edit-up");
    page.until_there("#edit-refused");
    page.until_text("#edit-refused", "relu1 cannot run before conv1, whose output t1 it reads.");
    page.until_there("#edit-undo[disabled]");
}

fn fault(page: &mut Page) {
    let graph = chain(page);
    let before = page.facts().peak;
    part(page, "tensors");
    write(page, SHAPE, "1, N");
    page.until_there("#stale-banner");
    page.until_there(".page.stale");
    assert_eq!(page.facts().peak, before, "the plan is still that of before");
    page.until_says("#edit-checks", &["`N`"]);
    page.click("#edit-checks .mend");
    page.until_gone("#stale-banner");
    page.until_gone(".page.stale");
    until_peak(page, &reshaped(&graph, "t2", "1,1"));
    page.until_attribute("#edit-undo", "title", Some("Undo: Add symbol N = 1"));
}

fn symbol(page: &mut Page) {
    let graph = chain(page);
    part(page, "symbols");
    page.browser.type_into("#edit-new-symbol", "N");
    page.press("Enter");
    page.until_there("[aria-label='value of N']");
    part(page, "tensors");
    write(page, SHAPE, "N, 100");
    until_peak(page, &reshaped(&graph, "t2", "1,100"));
    part(page, "symbols");
    write(page, "[aria-label='value of N']", "9000");
    until_peak(page, &reshaped(&graph, "t2", "9000,100"));
}

/// The diagram, once it is laid out.
fn diagram(page: &Page) {
    part(page, "diagram");
    page.until_there("#diagram .box");
}

/// Middle of the box with this name.
fn box_of(page: &Page, name: &str) -> String {
    let index: usize = page.eval(&format!(
        "[...document.querySelectorAll('#diagram .box')].findIndex(b => b.getAttribute('aria-label').split(' ')[0] === '{name}')"
    ));
    format!("#box-{index}")
}

fn drag(page: &mut Page) {
    chain(page);
    diagram(page);
    let before = page.count("#diagram path.edge");
    let (port, reader) = (page.middle(&format!("{} .port", box_of(page, "x"))), page.middle(&box_of(page, "relu2")));
    let half = ((port.0 + reader.0) / 2.0 + 20.0, (port.1 + reader.1) / 2.0);
    page.browser.drag(&[port, half, reader]);
    page.until("an edge more", &format!("document.querySelectorAll('#diagram path.edge').length === {}", before + 1));
    page.until_attribute("#edit-undo", "title", Some("Undo: Connect x to relu2"));
    // An input reads nothing.
    let (port, input) = (page.middle(&format!("{} .port", box_of(page, "conv1"))), page.middle(&box_of(page, "x")));
    page.browser.drag(&[port, input]);
    page.until("the reason", "document.querySelector('.diagram-head p').textContent.includes('reads nothing')");
}

fn keys(page: &mut Page) {
    chain(page);
    diagram(page);
    let first = box_of(page, "conv1");
    page.eval::<Option<bool>>(&format!("document.querySelector('{first}').focus()"));
    page.press("c");
    page.press("ArrowDown");
    page.press("ArrowDown");
    page.press("ArrowDown");
    let reader = box_of(page, "relu2");
    page.until_equal("the focus", reader, |page| page.eval("'#' + document.activeElement.id"));
    page.press("Enter");
    page.until("the step", "document.querySelector('#edit-undo').title === 'Undo: Connect t1 to relu2'");
    let boxes = page.count("#diagram .box");
    page.until_there("#diagram .box:focus");
    page.press("Delete");
    page.until("a box less", &format!("document.querySelectorAll('#diagram .box').length < {boxes}"));
    page.until_attribute("#edit-undo", "title", Some("Undo: Delete relu2"));
    page.until("the focus in the diagram", "document.activeElement.matches('#diagram .box')");
}

/// Presses Tab until something has the focus.
fn tab_to(page: &Page, css: &str) {
    for _ in 0..120 {
        if page.eval(&format!("document.activeElement.matches({})", memplan_e2e::page::quoted(css))) {
            return;
        }
        page.press("Tab");
    }
    panic!("Tab does not lead to {css}");
}

fn keyboard_only(page: &mut Page) {
    let graph = String::from_utf8(native::example("new/chain")).expect("text");
    page.open("lang=en");
    tab_to(page, "#mode-edit");
    page.press("Enter");
    page.until_there("#edit-new");
    tab_to(page, "#edit-new");
    page.press("Enter");
    page.until_there("[role=menu]");
    tab_to(page, "[role=menu] button:nth-child(2)");
    page.press("Enter");
    until_peak(page, &graph);
    // Tab leads to the selected tab, arrows to the others.
    tab_to(page, "#editor-tab-nodes");
    page.press("ArrowRight");
    page.until_there(SHAPE);
    tab_to(page, SHAPE);
    page.press("Control+a");
    for key in ["8", ",", "8"] {
        page.press(key);
    }
    until_peak(page, &reshaped(&graph, "t2", "8,8"));
    page.press("Enter");
    // Out of the field, the keys mean the graph.
    page.press("F6");
    page.press("Control+z");
    until_peak(page, &graph);
    page.press("Control+Shift+z");
    until_peak(page, &reshaped(&graph, "t2", "8,8"));
}

fn until_here(page: &Page, cell: &str) {
    page.until_equal("the cell with the focus", cell.to_string(), here);
}

/// The name of the cell that has the focus.
fn here(page: &Page) -> String {
    page.eval("document.activeElement.ariaLabel ?? document.activeElement.id")
}

fn cells(page: &mut Page) {
    chain(page);
    page.click("[aria-label='name of conv1']");
    for (key, cell) in [
        ("ArrowDown", "name of relu1"),
        ("ArrowRight", "op of relu1"),
        ("ArrowRight", "inputs of relu1"),
        ("ArrowUp", "inputs of conv1"),
        ("ArrowUp", "inputs of conv1"),
        ("ArrowLeft", "op of conv1"),
        ("ArrowLeft", "name of conv1"),
        ("ArrowLeft", "name of conv1"),
        // In the text, the arrows go through it first.
        ("Home", "name of conv1"),
        ("ArrowRight", "name of conv1"),
        ("End", "name of conv1"),
        ("ArrowLeft", "name of conv1"),
        ("ArrowRight", "name of conv1"),
        ("ArrowRight", "op of conv1"),
        ("PageDown", "op of conv3"),
        ("PageUp", "op of conv1"),
        ("Escape", "Nodes"),
        ("ArrowDown", "Nodes"),
        ("Enter", "name of relu1"),
    ] {
        page.press(key);
        page.until_equal(&format!("the cell after {key}"), cell.to_string(), here);
    }
    page.until_there("#edit-node-1.selected");
    // What is typed belongs to the node that it was typed at.
    page.press("Control+a");
    page.press("z");
    page.press("ArrowDown");
    until_here(page, "name of conv2");
    page.until_there("[aria-label='name of z']");
    page.until_attribute("#edit-undo", "title", Some("Undo: Rename relu1 to z"));
    part(page, "tensors");
    page.eval::<Option<bool>>("document.querySelector('[aria-label=\"kind of t2\"]').focus()");
    page.press("ArrowRight");
    until_here(page, "dtype of t2");
    page.press("Control+ArrowDown");
    until_here(page, "dtype of t3");
    page.press("ArrowRight");
    page.press("ArrowUp");
    until_here(page, "shape of t2");
}

fn moves(page: &mut Page) {
    page.open("doc=ex:diamond&lang=en");
    page.mode("edit");
    page.until_there("#edit-node-4");
    page.click("[aria-label='op of relu_1']");
    page.press("Alt+ArrowDown");
    page.until_there("#edit-node-4 [aria-label='op of relu_1']:focus");
    page.until_there("#edit-node-3 [aria-label='op of conv2d_2']");
    page.until("the step", "document.querySelector('#edit-undo').title.includes('relu_1')");
    page.press("Alt+ArrowUp");
    page.until_there("#edit-node-3 [aria-label='op of relu_1']:focus");
    // It reads what the node before makes.
    page.press("Alt+ArrowUp");
    page.until_there("#edit-refused");
    until_here(page, "op of relu_1");
}

/// Row and plan go on showing the same node.
fn stays(page: &mut Page) {
    page.open("doc=ex:diamond&lang=en");
    page.mode("edit");
    page.until_there("#edit-node-4");
    page.click("[aria-label='name of conv2d_2']");
    page.until_address("sel=conv2d_2");
    page.click("#edit-up");
    page.until_there("#edit-node-3.selected [aria-label='name of conv2d_2']");
    page.until_planned();
    page.until_address("doc=z:");
    page.until_address("sel=conv2d_2");
    page.click("#edit-down");
    page.until_there("#edit-node-4.selected [aria-label='name of conv2d_2']");
    page.until_planned();
    page.until_painted();
    page.until_address("sel=conv2d_2");
}

fn deleted(page: &mut Page) {
    chain(page);
    let rows = "document.querySelectorAll('#edit-nodes .node-row:not(.head)').length";
    page.click("[aria-label='name of relu1']");
    page.press("Escape");
    page.press("Delete");
    page.until("a row less", &format!("{rows} === 4"));
    page.until_there("#edit-nodes:focus #edit-node-1.selected [aria-label='name of conv2']");
    page.click("#edit-delete");
    page.until("another one less", &format!("{rows} === 3"));
    page.until_there("#edit-nodes:focus #edit-node-1.selected [aria-label='name of relu2']");
    page.press("End");
    page.press("Delete");
    page.until_there("#edit-nodes:focus #edit-node-1.selected [aria-label='name of relu2']");
    // In a cell the key is the text's.
    page.press("Enter");
    page.press("Delete");
    page.until("the empty text", "document.activeElement.value === ''");
    page.until("both rows", &format!("{rows} === 2"));
}

fn pairs(page: &mut Page) {
    chain(page);
    let field = "[aria-label='in place of relu2']";
    let value = format!("document.querySelector({}).value", memplan_e2e::page::quoted(field));
    for (typed, read) in [("", ""), ("t3:t4", "0:0"), ("", ""), ("0:t4", "0:0")] {
        write(page, field, typed);
        if typed.is_empty() {
            page.press("Delete");
        }
        page.press("Enter");
        page.until(typed, &format!("{value} === '{read}'"));
    }
    write(page, field, "t9:t4");
    page.press("Enter");
    page.until_there("#edit-refused");
    page.until_says("#edit-refused", &["“t9:t4” is not an in-place pair"]);
}

fn fits(page: &mut Page) {
    for size in [WIDE, NARROW] {
        page.viewport(size);
        page.open("doc=ex:bert_base_seq128&lang=en");
        page.mode("edit");
        diagram(page);
        let wider = "document.querySelector('.diagram-scroll').scrollWidth > document.querySelector('.diagram-scroll').clientWidth";
        while !page.is_there("[aria-label=Larger]:disabled") {
            page.click("[aria-label=Larger]");
        }
        page.until("a part of it", wider);
        page.click("#diagram-fit");
        page.until("its whole width", &format!("!({wider})"));
    }
}

fn large(page: &mut Page) {
    for name in ["resnet18", "bert_base_seq128"] {
        page.open(&format!("doc=ex:{name}&lang=en"));
        page.mode("edit");
        diagram(page);
        page.until(name, "(boxes => boxes >= 20 && boxes <= 500)(document.querySelectorAll('#diagram .box').length)");
    }
}

fn layouts(page: &mut Page) {
    for size in [WIDE, MIDDLE, NARROW] {
        page.viewport(size);
        chain(page);
        page.until_painted();
        let editor = page.place("#region-left");
        for other in ["main", "#region-stepper", "#region-header"] {
            let place = page.place(other);
            let apart = editor.0 + editor.2 <= place.0 + 1.0
                || place.0 + place.2 <= editor.0 + 1.0
                || editor.1 + editor.3 <= place.1 + 1.0
                || place.1 + place.3 <= editor.1 + 1.0;
            assert!(apart, "{size:?}: the editor {editor:?} lies over {other} {place:?}");
        }
        page.until("no scrolling sideways", "document.documentElement.scrollWidth <= innerWidth");
    }
}

fn clean(page: &mut Page, settings: &str) {
    let mut axe = Axe::load();
    for size in [WIDE, MIDDLE, NARROW] {
        page.viewport(size);
        page.open(settings);
        page.mode("edit");
        page.until_there("#edit-nodes");
        for name in ["nodes", "tensors", "symbols", "diagram", "history"] {
            part(page, name);
            if name == "diagram" {
                page.until_there("#diagram .box");
            }
            axe.look(page, &format!("{size:?} {name}"));
        }
    }
    page.viewport(WIDE);
    part(page, "tensors");
    write(page, "#edit-tensor-0 span:nth-child(4) input", "1, N");
    page.until_there("#stale-banner");
    axe.look(page, "a fault");
    axe.assert_clean();
}
