//! Everything without a pointer, and a focus that is always seen.

use memplan_e2e::Page;
use memplan_planners::REGISTRY;

use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("the_whole_way_without_a_pointer", whole_way),
    full("f6_goes_round_the_regions", regions),
    full("the_focus_stays_on_the_page_from_mode_to_mode", modes),
    full("every_stop_of_tab_shows_its_focus", visible_focus),
    full("letters_go_to_the_panels", panels),
    smoke("a_dialog_keeps_the_focus_and_gives_it_back", dialog),
    full("a_menu_gives_the_focus_back", menu),
    full("escape_closes_the_options_from_inside_a_field", escape_in_field),
    full("tabs_follow_the_arrows", tabs),
    full("single_keys_can_be_switched_off", single_keys),
    full("the_browser_keeps_its_own_keys", own_keys),
];

/// The element with the focus, in words that a test can compare.
const ACTIVE: &str = "(e => !e || e === document.body ? 'nothing' : e.id ? '#' + e.id
    : e.getAttribute('data-example') ?? e.getAttribute('aria-label') ?? e.textContent.trim().slice(0, 60))(document.activeElement)";

fn active(page: &Page) -> String {
    page.eval(ACTIVE)
}

fn until_active(page: &Page, wanted: &str) {
    page.until(&format!("the focus on {wanted}"), &format!("{ACTIVE} === {}", memplan_e2e::page::quoted(wanted)));
}

/// Presses Tab until the focus is where it is wanted.
fn tab_to(page: &Page, wanted: &str) {
    let mut seen = Vec::new();
    for _ in 0..80 {
        page.press("Tab");
        let here = active(page);
        if here == wanted {
            return;
        }
        seen.push(here);
    }
    panic!("Tab never came to {wanted}, but to {seen:?}");
}

fn whole_way(page: &mut Page) {
    page.open("lang=en");
    // Open an example.
    tab_to(page, "diamond");
    page.press("Enter");
    page.until("the example", "document.querySelector('h1').textContent.includes('diamond')");
    // Step.
    let last = page.until_planned().frames - 1;
    page.press("Home");
    page.until_frame(0);
    page.press("ArrowRight");
    page.until_frame(1);
    page.press("End");
    page.until_frame(last);
    // Select.
    page.press("u");
    until_active(page, "#buffer-rows");
    page.press("ArrowDown");
    let first = page.until_facts("a selection", |facts| facts.selected.is_some()).selected;
    page.press("ArrowDown");
    let selected = page.until_facts("another selection", |facts| facts.selected != first).selected;
    // Another planner, same selection.
    tab_to(page, "#planner-button");
    page.press("Enter");
    until_active(page, "#picker-filter");
    let next = REGISTRY[1].info().id;
    page.browser.type_into("#picker-filter", next);
    page.press("ArrowDown");
    page.press("Enter");
    page.until_facts("the same selection", |facts| facts.planner == next && facts.selected == selected);
    page.until_gone(".picker");
    // Help, opened and closed.
    page.press("?");
    page.until_there("#dialog");
    // The licenses lie beside the page.
    page.eval::<Option<bool>>(
        "fetch(document.querySelector('#licenses').href).then(r => r.text()).then(t => { window.licenses = t; }) && null",
    );
    page.until("the licenses", "window.licenses.includes('<li>yew ') && window.licenses.includes('Apache License')");
    page.press("Escape");
    page.until_gone("#dialog");
    // And back to nothing selected.
    page.press("Escape");
    page.until_selected(None);
}

fn regions(page: &mut Page) {
    page.open("lang=en");
    let ids = ["#region-header", "#region-left", "#region-stage", "#region-stepper", "#region-right"];
    for id in ids.iter().chain(&ids[..1]) {
        page.press("F6");
        until_active(page, id);
    }
    page.press("Shift+F6");
    until_active(page, "#region-right");
    page.press("Shift+F6");
    until_active(page, "#region-stepper");
}

fn modes(page: &mut Page) {
    page.open("lang=en");
    assert_eq!(active(page), "nothing", "a page that opens takes no focus");
    page.eval::<Option<bool>>("document.querySelector('#plan').focus()");
    page.press("c");
    page.until_there(".comparing");
    until_active(page, "#region-stage");
    // The regions of the comparison lie inside each other.
    for id in ["#region-stepper", "#region-right", "#region-header", "#region-stage", "#region-stepper"] {
        page.press("F6");
        until_active(page, id);
    }
}

/// Whether the element with the focus looks different from the same without it.
const SHOWS_FOCUS: &str = "(() => { const e = document.activeElement; const s = getComputedStyle(e);
    return e.matches(':focus-visible') && ((s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2) || s.boxShadow !== 'none'); })()";

fn visible_focus(page: &mut Page) {
    for link in ["lang=en&theme=light", "doc=ex:resnet18&plan=inductor-tree&f=20&lang=en&theme=dark"] {
        page.open(link);
        let mut hidden = Vec::new();
        let mut stops = Vec::new();
        for _ in 0..80 {
            page.press("Tab");
            let here = active(page);
            if here == "nothing" {
                break;
            }
            if !page.eval::<bool>(SHOWS_FOCUS) {
                hidden.push(here.clone());
            }
            stops.push(here);
        }
        assert!(hidden.is_empty(), "no ring on {hidden:?}");
        for wanted in ["#planner-button", "#options-button", "#plan", "Frame", "Next frame", "Play"] {
            // Buttons that do nothing at this frame are left out by the browser.
            let off = page.eval::<bool>(&format!("!!document.querySelector('[aria-label=\"{wanted}\"]:disabled')"));
            assert!(off || stops.iter().any(|stop| stop == wanted), "Tab leaves out {wanted}: {stops:?}");
        }
    }
}

fn panels(page: &mut Page) {
    page.open("lang=en");
    for (key, place) in [("g", "#graph-rows"), ("u", "#buffer-rows"), ("t", "#tree-rows"), ("y", "#why-panel")] {
        page.press(key);
        until_active(page, place);
    }
    page.press("[");
    page.until_there("aside.left.closed");
    page.press("]");
    page.until_there("aside.right.closed");
    page.press("\\");
    page.until_gone("aside.closed");
    // A closed panel opens when it is asked for.
    page.press("]");
    page.until_there("aside.right.closed");
    page.press("t");
    until_active(page, "#tree-rows");
    // Switches of the picture.
    let pressed = |page: &Page, name: &str| page.attribute(&format!("[aria-label='{name}']"), "aria-pressed");
    for (key, name) in [("v", "Free bytes"), ("o", "Tree outlines")] {
        let before = pressed(page, name);
        page.press(key);
        page.until(
            name,
            &format!(
                "document.querySelector(\"[aria-label='{name}']\").getAttribute('aria-pressed') !== {before:?}",
                before = before.as_deref().unwrap_or_default()
            ),
        );
    }
    // The overview of a few buffers is there on demand.
    page.until_gone(".minimap");
    page.press("m");
    page.until_there(".minimap");
    page.press("m");
    page.until_gone(".minimap");
}

fn dialog(page: &mut Page) {
    page.open("lang=en");
    tab_to(page, "#options-button");
    page.press("?");
    until_active(page, "#dialog");
    for _ in 0..4 {
        page.press("Tab");
        let inside: bool = page.eval("!!document.activeElement.closest('#dialog')");
        assert!(inside, "Tab leaves the dialog for {}", active(page));
    }
    page.press("Escape");
    page.until_gone("#dialog");
    until_active(page, "#options-button");
}

fn menu(page: &mut Page) {
    page.open("lang=en");
    tab_to(page, "#planner-button");
    page.press("Enter");
    until_active(page, "#picker-filter");
    page.press("Escape");
    page.until_gone(".picker");
    until_active(page, "#planner-button");
    page.press("Enter");
    until_active(page, "#picker-filter");
    page.browser.type_into("#picker-filter", REGISTRY[1].info().id);
    page.press("ArrowDown");
    page.press("Enter");
    page.until_planner(REGISTRY[1].info().id);
    until_active(page, "#planner-button");
    tab_to(page, "#more-button");
    page.press("Enter");
    page.until("the focus in the menu", "!!document.activeElement.closest('[role=menu]')");
    page.press("ArrowDown");
    page.until(
        "the second entry",
        "document.activeElement === document.querySelectorAll('[role=menu] [role^=menuitem]')[1]",
    );
    page.press("Escape");
    page.until_gone("[role=menu]");
    until_active(page, "#more-button");
}

fn escape_in_field(page: &mut Page) {
    page.open("lang=en");
    tab_to(page, "#options-button");
    page.press("Enter");
    page.until_there(".menu.options");
    for _ in 0..6 {
        page.press("Tab");
        if page.eval::<bool>("document.activeElement.matches('.menu.options select, .menu.options input')") {
            break;
        }
    }
    assert!(
        page.eval::<bool>("document.activeElement.matches('.menu.options select, .menu.options input')"),
        "Tab leads into it"
    );
    page.press("Escape");
    page.until_gone(".menu.options");
}

fn tabs(page: &mut Page) {
    page.open("f=8&lang=en");
    tab_to(page, "#left-tab-files");
    for (key, tab) in [
        ("ArrowRight", "graph"),
        ("ArrowRight", "buffers"),
        ("ArrowRight", "start"),
        ("ArrowRight", "files"),
        ("Home", "start"),
        ("ArrowLeft", "buffers"),
    ] {
        page.press(key);
        until_active(page, &format!("#left-tab-{tab}"));
        page.until_attribute(&format!("#left-tab-{tab}"), "aria-selected", Some("true"));
    }
    assert_eq!(page.facts().frame, 8, "arrows on the tabs do not step");
}

fn single_keys(page: &mut Page) {
    page.open("f=8&lang=en");
    page.click_named("More");
    page.click_named("Single-key shortcuts");
    page.press("Escape");
    page.press("p");
    page.press("1");
    page.press("n");
    page.press("ArrowLeft");
    let facts = page.until_frame(7);
    assert_eq!((facts.planner.as_str(), facts.frames), ("inductor-tree", 9), "letters do nothing, arrows still step");
}

fn own_keys(page: &mut Page) {
    page.open("f=8&lang=en");
    const TAKEN: &str = "window.taken = []; addEventListener('keydown', e => setTimeout(() => taken.push([e.key, e.defaultPrevented])))";
    page.browser.script::<serde_json::Value>(TAKEN, Vec::new());
    page.browser.script::<serde_json::Value>(
        "for (const [key, options] of [['l', { ctrlKey: true }], ['r', { ctrlKey: true }], ['w', { ctrlKey: true }], ['t', { ctrlKey: true }],
            ['n', { ctrlKey: true }], ['F5', {}], ['ArrowLeft', { altKey: true }], ['1', { altKey: true }]])
            document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...options }));",
        Vec::new(),
    );
    page.until("all keys heard", "taken.length === 8");
    let taken: Vec<(String, bool)> = page.eval("taken");
    assert!(taken.iter().all(|(_, prevented)| !prevented), "{taken:?}");
    assert_eq!(page.facts().frame, 8);
}
