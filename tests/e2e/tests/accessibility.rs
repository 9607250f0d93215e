//! axe-core on every screen, in both themes and both languages.

use memplan_core::text::Locale;
use memplan_e2e::Page;
use memplan_e2e::axe::Axe;
use memplan_e2e::page::{MIDDLE, NARROW, WIDE};

use crate::imports::file;
use crate::planners::choose;
use crate::samples::{BROKEN, COLLIDING_PLAN};
use crate::states::{STATE, of_every_part, open_how};
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("the_start_and_one_screen_a_mode", one_screen_a_mode),
    full("the_plan_says_what_was_left_out", left_out),
    // Contrast is a matter of the theme, and names are one of the language.
    full("light_in_english", |page| every_screen(page, "lang=en&theme=light")),
    full("dark_in_chinese", |page| every_screen(page, "lang=zh&theme=dark")),
    full("every_part_of_a_state_in_the_light", |page| states(page, "lang=en&theme=light", Some(Locale::En))),
    full("every_part_of_a_state_in_the_dark", |page| states(page, "lang=zh&theme=dark", None)),
    full("an_invalid_plan", invalid_plan),
    full("questions_and_what_came_back", asked),
    full("landmarks_and_headings_are_in_order", landmarks),
];

fn one_screen_a_mode(page: &mut Page) {
    let mut axe = Axe::load();
    page.open("lang=en&theme=light");
    axe.look(page, "start");
    page.open("doc=ex:resnet18&plan=inductor-tree&f=37&sel=relu_12&lang=zh&theme=dark");
    axe.look(page, "step");
    for mode in ["edit", "compare", "fit"] {
        page.mode(mode);
        page.until_painted();
        axe.look(page, mode);
    }
    page.visit("", "learn=1&lang=en&theme=dark");
    page.until_planned();
    axe.look(page, "learn");
    axe.assert_clean();
}

fn every_screen(page: &mut Page, settings: &str) {
    let mut axe = Axe::load();
    let step = format!("doc=ex:resnet18&plan=inductor-tree&f=37&sel=relu_12&{settings}");
    page.open(settings);
    axe.look(page, "start");
    page.click("#left-tab-start");
    page.click(".all-terms summary");
    page.click("#strip-peak .term");
    page.until_there("#term-tip");
    axe.look(page, "terms");
    page.click("#strip-peak .term");
    page.open(&step);
    axe.look(page, "in the middle of a run");
    for (screen, button) in [
        ("planners", "#planner-button"),
        ("options", "#options-button"),
        ("menu", "header > .menu-host:last-child > button"),
        ("run to", ".split [aria-haspopup=dialog]"),
    ] {
        page.click(button);
        page.until_there(".menu");
        axe.look_at(page, ".menu", screen);
        // The same button closes what it opened.
        page.click(button);
        page.until_gone(".menu");
    }
    page.click("#export-button");
    page.until_there(".menu");
    axe.look_at(page, ".menu", "export");
    page.press("Escape");
    page.until_gone(".menu");
    page.browser.press_right(page.middle("#plan"));
    page.until_there("#spot-menu");
    axe.look_at(page, "#spot-menu", "menu of a spot");
    page.press("Escape");
    page.until_gone("#spot-menu");
    page.press("?");
    page.until_there("#dialog");
    axe.look(page, "help");
    page.press("Escape");
    page.until_gone("#dialog");
    page.click("#left-tab-buffers");
    page.until_there("#buffer-rows");
    axe.look(page, "buffers");
    page.open(&format!("doc=ex:resnet18&plan=first-fit&f=37&{settings}"));
    axe.look(page, "free list");
    page.open(&format!("doc=ex:resnet18&plan=inductor-tree&opt=memory_pool:none&f=37&{settings}"));
    page.until_there("#modified");
    page.browser.type_into("#part-filter", "relu");
    page.until_there("[role=treeitem].muted");
    axe.look(page, "modified, a filtered tree");
    page.open(settings);
    let locale = if settings.contains("zh") { Locale::Zh } else { Locale::En };
    page.click("#more-button");
    page.click_named(locale.template("header.report"));
    page.until_there("#dialog");
    axe.look(page, "report");
    page.press("Escape");
    page.drop_file("broken.json", BROKEN.as_bytes());
    page.until_there("#notice");
    axe.look(page, "fault");
    for (size, layout) in [(MIDDLE, "middle"), (NARROW, "narrow")] {
        page.viewport(size);
        page.open(&step);
        axe.look(page, layout);
        for tab in ["start", "state", "buffers", "graph", "selection", "files"] {
            page.click(&format!("#drawer-tab-{tab}"));
            page.until_there(&format!("#drawer-tab-{tab}[aria-selected=true]"));
            axe.look(page, &format!("{layout}, {tab}"));
        }
    }
    page.viewport(WIDE);
    axe.assert_clean();
}

/// States with a part of every kind, and the box to find things; how their planners work, if there
/// is a language to read it in: that dialog has the same colours for every planner.
fn states(page: &mut Page, settings: &str, how: Option<Locale>) {
    let mut axe = Axe::load();
    let (graph, at) = STATE;
    page.open(&format!("doc=ex:{graph}&f={at}&{settings}"));
    axe.look(page, "a state and all around it");
    for info in of_every_part() {
        choose(page, info.id);
        page.until_planner(info.id);
        // A planner begins at the frame that placed the same buffer, which need not have a state
        // worth looking at.
        page.press("Home");
        for frame in 1..=at {
            page.press("ArrowRight");
            page.until_frame(frame);
        }
        let parts = page.count("[id^=part-tab-]");
        for part in 1..=parts {
            page.click(&format!(".tabs.parts [role=tab]:nth-child({part})"));
            page.until(
                "the part",
                &format!("document.querySelector('.tabs.parts [role=tab]:nth-child({part})').ariaSelected === 'true'"),
            );
            axe.look_at(page, "#region-right", &format!("{}, part {part}", info.id));
        }
        let Some(locale) = how else { continue };
        open_how(page, info, locale);
        axe.look_at(page, "[role=dialog]", &format!("how {} works", info.id));
        page.press("Escape");
        page.until_gone("[role=dialog]");
    }
    page.open(&format!("doc=ex:{graph}&plan=beam&opt=k:3&f={at}&{settings}"));
    page.click("#part-tab-lanes");
    page.until_there(".lane button");
    page.click(".lane:nth-child(2) button");
    page.until_there("#lane-banner");
    axe.look(page, "a state of the beam on the plan");
    page.click(".btn.before");
    page.until_there(".btn.before[aria-pressed=true]");
    axe.look(page, "the states before");
    page.press("/");
    page.until_there("#find-input");
    page.browser.type_into("#find-input", "conv");
    page.until_there(".found");
    axe.look(page, "find");
    axe.assert_clean();
}

fn invalid_plan(page: &mut Page) {
    let mut axe = Axe::load();
    for theme in ["light", "dark"] {
        page.open(&format!("lang=en&theme={theme}"));
        page.drop_file("plan.csv", COLLIDING_PLAN.as_bytes());
        page.until_there("#violations");
        axe.look(page, theme);
    }
    axe.assert_clean();
}

/// What the page asks: shapes that a file leaves open, whether a draft is wanted, whether a long
/// search is to go on.
fn asked(page: &mut Page) {
    let mut axe = Axe::load();
    for settings in ["lang=en&theme=light", "lang=zh&theme=dark"] {
        page.open(settings);
        page.drop_file("custom.onnx", &file("tests/import/onnx/odd/custom.onnx"));
        page.until_there("#report-shapes");
        axe.look(page, &format!("questions of an import, {settings}"));
        page.press("Escape");
        crate::storage::edit(page);
        page.open(settings);
        page.until_there("#recovery");
        axe.look(page, &format!("a draft of before, {settings}"));
        page.click("#discard");
        page.until_gone("#recovery");
        let long = "plan=usmp-hill-climb&opt=attempts:1000000,work:1000000";
        page.visit("", &format!("doc=ex:resnet18_train_b8&{long}&{settings}"));
        page.until_there("#best-so-far");
        axe.look(page, &format!("a search that goes on, {settings}"));
    }
    axe.assert_clean();
}

fn landmarks(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=inductor-tree&f=37&sel=relu_12&lang=en");
    for landmark in ["header", "main", "aside"] {
        page.until_there(landmark);
    }
    page.until_count("h1", 1);
    page.until_selected(Some("relu_12"));
    let levels: Vec<u32> = page.eval("[...document.querySelectorAll('h1, h2, h3, h4')].map(h => +h.tagName[1])");
    assert_eq!(levels.first(), Some(&1), "{levels:?}");
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "no level is left out: {levels:?}");
    // What happened is said once, politely.
    page.until_count("[aria-live=polite]", 1);
    page.press("ArrowRight");
    page.until_frame(38);
    page.until_spoken();
}

fn left_out(page: &mut Page) {
    page.open("doc=ex:resnet18_train_b8&plan=inductor-tree&lang=en");
    page.until(
        "what was left out, in the label of the plan as in the strip",
        "(label => label.includes('2 left out')
            && label.includes('placed buffers ' + document.querySelector('#strip-peak ~ .stat b').textContent.trim()))
        (document.querySelector('#plan').ariaLabel.replace(/\\s+/g, ' '))",
    );
    page.open("doc=ex:resnet18&plan=first-fit&lang=en");
    page.until("a label", "document.querySelector('#plan').ariaLabel");
    let label = page.attribute("#plan", "aria-label").expect("a label");
    assert!(!label.contains("left out"), "{label}");
}
