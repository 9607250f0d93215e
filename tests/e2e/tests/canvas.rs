//! Around the canvas: the legend, the zoom buttons, the marks of the scrubber, and what must not
//! cover the plan.

use memplan_e2e::Page;
use memplan_e2e::page::{MIDDLE, NARROW, WIDE};

use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("the_legend_brings_out_and_hides_classes", legend),
    smoke("buttons_change_what_is_seen_and_close_the_tooltip", zoom),
    full("the_options_leave_the_plan_in_sight", options),
    full("marks_of_the_scrubber_say_what_they_mean", marks),
];

const ENTRIES: &str = ".legend-bar > button";

fn legend(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&lang=en");
    page.until_planned();
    page.until_count(ENTRIES, 3);
    let words = page.texts(ENTRIES);
    assert!(words[0].starts_with("intermediate") && words[1].starts_with("input"), "{words:?}");
    assert!(words[2].starts_with("output"), "{words:?}");
    assert!(words.iter().all(|words| words.contains(" · ")), "number and bytes: {words:?}");
    page.click(&format!("{ENTRIES}:nth-of-type(2)"));
    page.until_attribute(&format!("{ENTRIES}:nth-of-type(2)"), "aria-pressed", Some("true"));
    page.until_address("iso=1");
    page.browser.eval::<bool>(&format!(
        "document.querySelector('{ENTRIES}').dispatchEvent(new MouseEvent('click', {{ bubbles: true, shiftKey: true }}))"
    ));
    page.until_address("hide=0");
    page.until_says(ENTRIES, &["hidden"]);
    // The link leads back to it.
    page.browser.reload();
    page.until_planned();
    page.until_attribute(&format!("{ENTRIES}:nth-of-type(2)"), "aria-pressed", Some("true"));
    page.press("Escape");
    page.until("all classes", "!location.hash.includes('iso=') && !location.hash.includes('hide=')");
    page.until_attribute(&format!("{ENTRIES}:nth-of-type(2)"), "aria-pressed", Some("false"));
    page.browser.choose("#color-by", "op");
    page.until_address("col=op");
    page.until("the operators", &format!("document.querySelectorAll('{ENTRIES}').length > 3"));
}

fn zoom(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&f=69&lang=en");
    page.until_frame(69);
    page.until_count(".zoom button", 4);
    let (x, y, w, h) = page.place("#plan");
    let on_plan = (x + w * 0.27, y + h * 0.85);
    page.browser.hover(on_plan);
    page.until_there(".plan .tooltip");
    page.press("+");
    page.until_gone(".plan .tooltip");
    page.until_address("view=");
    page.click(".zoom button:nth-of-type(3)");
    page.until("everything", "!location.hash.includes('view=')");
    page.click(".zoom button:nth-of-type(1)");
    page.until_address("view=");
    page.click(".zoom button:nth-of-type(2)");
    page.click(".zoom button:nth-of-type(4)");
    // The largest load is at step 2 of 69.
    page.until("the first steps", "decodeURIComponent(location.hash).match(/view=([-0-9.]+),([0-9.]+)/)?.slice(1).map(Number).every((step, end) => end ? step < 30 : step <= 0)");
    // What is too small to be drawn is told where no axis is.
    let apart = "(() => { const note = document.querySelector('.density')?.getBoundingClientRect(), plan = document.querySelector('#plan').getBoundingClientRect(); return !note || note.bottom <= plan.top; })()";
    page.until("no note over the plan", apart);
}

const COVERED: &str = "(() => {
    const menu = document.querySelector('.menu.options').getBoundingClientRect();
    return ['#plan', '.strip', '.notice'].filter(css => [...document.querySelectorAll(css)].some(e => {
        const r = e.getBoundingClientRect();
        return r.width && menu.left < r.right - 1 && r.left < menu.right - 1 && menu.top < r.bottom - 1 && r.top < menu.bottom - 1;
    })).join() })()";

fn options(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&lang=en");
    page.until_planned();
    for size in [WIDE, MIDDLE, NARROW] {
        page.viewport(size);
        page.until("the layout", &format!("innerWidth === {}", size.0));
        page.click("#options-button");
        page.until_there(".menu.options");
        page.until_painted();
        let covered: String = page.until_still("what is covered", COVERED);
        assert_eq!(covered, "", "at {size:?}");
        page.press("Escape");
        page.until_gone(".menu.options");
    }
    // Where no panel is open the plan makes room.
    page.viewport(WIDE);
    page.until("the layout", &format!("innerWidth === {}", WIDE.0));
    page.press("\\");
    page.click("#options-button");
    page.until_there(".menu.options");
    let covered: String = page.until_still("what is covered", COVERED);
    assert_eq!(covered, "");
}

fn marks(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&lang=en");
    page.until_planned();
    let (x, y, w, h) = page.place(".scrubber");
    // The first of 69 frames opens the arena.
    page.browser.hover((x + 16.0 + (w - 32.0) / 138.0, y + h / 2.0));
    page.until_says(".scrubber .tooltip", &["Frame 1", "▲"]);
    page.browser.hover((x + w / 2.0, y - 200.0));
    page.until_gone(".scrubber .tooltip");
}
