//! The plan alone for an audience.

use memplan_e2e::Page;
use memplan_e2e::axe::Axe;
use memplan_e2e::page::NARROW;

use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("a_key_presents_the_plan_and_keys_step_it", by_keys),
    full("a_link_presents_it_and_a_finger_steps_it", by_link),
    full("it_is_presented_inside_another_page", inside),
    full("a_lesson_is_presented_with_its_answers_kept_back", lesson),
];

fn until_presented(page: &Page, presented: bool) {
    let css = ".presented";
    if presented { page.until_there(css) } else { page.until_gone(css) }
}

fn by_keys(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&f=3&lang=en");
    let usual: f64 = page.eval("document.querySelector('#plan').clientWidth");
    page.press("Shift+Z");
    until_presented(page, true);
    page.until_address("present=1");
    page.until_gone("#region-header, #region-left, #region-right, .stepper, .strip");
    // Type and lines are larger, and the canvas has a pixel for each of the screen.
    const K: &str = "(e => e.getBoundingClientRect().width / e.clientWidth)(document.querySelector('#plan'))";
    assert!((page.eval::<f64>(K) - 1.9).abs() < 0.05, "{}", page.eval::<f64>(K));
    page.until("its pixels", "(e => Math.abs(e.width - e.getBoundingClientRect().width * devicePixelRatio) < 2)(document.querySelector('#plan'))");
    assert!(page.eval::<f64>("document.querySelector('#plan').getBoundingClientRect().width") > usual);
    assert_eq!(page.eval::<String>("getComputedStyle(document.querySelector('#presented-frame')).fontSize"), "48px");
    let type_of = "(s => [s.fontSize, s.lineHeight])(getComputedStyle(document.querySelector('#why-headline')))";
    assert_eq!(page.eval::<[String; 2]>(type_of), ["33px", "44px"]);
    page.until_text("#presented-frame", "3 / 8");
    // The sentence and the number follow.
    let said = page.text("#why-headline");
    page.press("ArrowRight");
    page.until_frame(4);
    page.until(
        "another sentence",
        &format!("document.querySelector('#why-headline').textContent !== {}", memplan_e2e::page::quoted(&said)),
    );
    page.until_text("#presented-frame", "4 / 8");
    for (key, frame) in [("PageUp", 3), ("End", 8), ("Home", 0), ("PageDown", 1), ("ArrowLeft", 0)] {
        page.press(key);
        page.until_frame(frame);
    }
    let mut axe = Axe::load();
    axe.look(page, "presented");
    // Blank, until any key is pressed.
    page.press("b");
    page.until_there(".presented.blank");
    page.press("ArrowRight");
    page.until_gone(".presented.blank");
    page.until_frame(0);
    // The pointer outlines a buffer only once that is asked for, and moves nothing.
    page.press("End");
    page.until_frame(8);
    let place = page.middle("#plan");
    page.browser.drag(&[place, (place.0 + 80.0, place.1)]);
    page.until_painted();
    assert_eq!(page.attribute("#plan", "data-hovered"), None);
    page.press("h");
    page.until_there(".presented.highlights");
    page.browser.drag(&[(place.0 - 40.0, place.1 + 60.0), place]);
    page.until("an outline", "document.querySelector('#plan').dataset.hovered");
    assert!(!page.is_there(".tooltip") && !page.fragment().contains("view="), "{}", page.fragment());
    page.until_selected(None);
    axe.look(page, "presented with a highlight");
    page.press("Escape");
    until_presented(page, false);
    page.until_frame(8);
    page.until("the focus where it began", "document.activeElement.id === 'present-button'");
    page.until("the address", "!location.hash.includes('present')");
    page.click("#present-button");
    until_presented(page, true);
    page.press("Shift+Z");
    until_presented(page, false);
    axe.assert_clean();
}

fn by_link(page: &mut Page) {
    page.device(NARROW, 2.0, true);
    page.open("doc=ex:teaching&plan=first-fit&f=3&present=1&lang=zh&theme=dark");
    until_presented(page, true);
    page.until(
        "its size",
        "document.scrollingElement.scrollWidth <= innerWidth && document.scrollingElement.scrollHeight <= innerHeight",
    );
    page.click(".presented-touch button:nth-child(2)");
    page.until_frame(4);
    let mut axe = Axe::load();
    axe.look(page, "presented on a phone");
    page.click(".presented-touch button:last-child");
    until_presented(page, false);
    page.until_frame(4);
    page.click("#more-button");
    page.click_named("演示");
    until_presented(page, true);
    axe.assert_clean();
}

fn inside(page: &mut Page) {
    // A part of another page that may not have the screen: it fills its own window.
    page.visit("graphs/index.json", "");
    page.browser.script::<serde_json::Value>(
        "document.body.innerHTML = ''; const frame = document.createElement('iframe');
            frame.style = 'width: 700px; height: 460px'; frame.src = '../?embed=1#doc=ex:diamond&lang=en'; document.body.append(frame);",
        Vec::new(),
    );
    let inside = |condition: &str| format!("(page => {condition})(document.querySelector('iframe').contentDocument)");
    page.until("the plan in the frame", &inside("page.querySelector('#plan')?.dataset.planner"));
    page.eval::<Option<bool>>(&inside("(page.querySelector('#present-button').click(), null)"));
    page.until("presented", &inside("page.querySelector('.presented')"));
    page.until(
        "the whole frame",
        &inside("page.querySelector('.presented').clientHeight === 460 && !page.fullscreenElement && !page.querySelector('#region-stepper')"),
    );
    const ESCAPE: &str = "(page.defaultView.dispatchEvent(new page.defaultView.KeyboardEvent('keydown', { key: 'Escape', bubbles: true })), null)";
    page.eval::<Option<bool>>(&inside(ESCAPE));
    page.until("the end", &inside("!page.querySelector('.presented') && page.querySelector('#region-stepper')"));
}

/// From scene to scene with the keys of a clicker: an exercise is asked first, and shown with the
/// next press.
fn lesson(page: &mut Page) {
    let mut axe = Axe::load();
    page.visit("", "learn=3&p=4&present=1&lang=en");
    until_presented(page, true);
    page.until_says("#why-headline", &["Where does best fit put X"]);
    let asked = page.facts().frame;
    let stop = |page: &Page| page.text("#presented-frame");
    let first = stop(page);
    axe.look(page, "a question for an audience");
    page.press("PageDown");
    page.until_there("#presented-answer");
    page.until_frame(asked + 1);
    assert_eq!(stop(page), first, "the answer belongs to its question");
    page.press("PageUp");
    page.until_gone("#presented-answer");
    page.until_frame(asked);
    // On through the scenes of other documents, to the last one.
    let mut shown = 0;
    loop {
        let text = stop(page);
        let (at, last) = text.split_once('/').expect("two numbers");
        if at.trim() == last.trim() {
            break;
        }
        let before = format!("{text} {}", page.is_there("#presented-answer"));
        page.press("ArrowRight");
        page.until_equal("a step", true, |page| {
            before != format!("{} {}", stop(page), page.is_there("#presented-answer"))
        });
        shown += u32::from(page.is_there("#presented-answer"));
        until_presented(page, true);
    }
    assert_eq!(shown, 3, "exercises of the lesson");
    page.until_address("present=1");
    page.press("Escape");
    until_presented(page, false);
    page.until_there(".para.on");
    page.until("the address of the lesson", "!location.hash.includes('present')");
    assert!(!page.is_there("#back-to-lesson"));
    page.press("Shift+Z");
    until_presented(page, true);
    axe.assert_clean();
}
