//! Predict: questions about the next placement, by keyboard and by pointer, and that nothing gives
//! the answer away.

use memplan_e2e::Page;
use memplan_e2e::axe::Axe;
use memplan_e2e::page::{MIDDLE, NARROW, WIDE};

use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("keys_lead_from_the_first_question_to_the_summary", keys),
    full("nothing_on_the_page_gives_the_answer_away", hidden),
    full("a_click_on_the_plan_chooses_a_place", pointer),
    full("a_phone_asks_below_the_plan", phone),
];

fn until_verdict(page: &Page, verdict: &str) {
    page.until_there(&format!("[data-verdict={verdict}]"));
}

fn until_focus(page: &Page, id: &str) {
    page.until(&format!("the focus on {id}"), &format!("document.activeElement?.id === '{id}'"));
}

/// The number of the place at an offset in the list, whose order is mixed.
fn number_of(page: &Page, offset: u64) -> String {
    page.until_there(&format!("#predict-places input[value='{offset}']"));
    page.eval(&format!("document.querySelector(\"#predict-places input[value='{offset}']\").id"))
}

/// Goes to the place at an offset by keys.
fn choose_by_keys(page: &Page, offset: u64) {
    let id = number_of(page, offset);
    until_focus(page, "predict-place-0");
    page.press("Space");
    let number: usize = id.trim_start_matches("predict-place-").parse().expect("a number");
    (0..number).for_each(|_| page.press("ArrowDown"));
    page.until("the place to be chosen", &format!("document.querySelector('#{id}').checked"));
}

fn keys(page: &mut Page) {
    let mut axe = Axe::load();
    page.open("doc=ex:teaching&plan=inductor-tree&f=4&lang=en");
    page.until_frame(4);
    page.press("q");
    page.until_says("#predict-question", &["Where will D (320 B, live [4, 6)) go?"]);
    page.until_address("predict=1");
    page.until_attribute("#predict-button", "aria-pressed", Some("true"));
    until_focus(page, "predict-place-0");
    axe.look(page, "a question");
    // Steps on give nothing away.
    page.press("End");
    page.until_says("#predict-skip", &["This skips 4 questions"]);
    page.click("#predict-skip .main");
    page.until_gone("#predict-skip");
    assert_eq!(page.facts().frame, 4);
    // Shown: the button after the list, as nothing is chosen that could be checked.
    page.eval::<Option<bool>>("(document.querySelector('#predict-place-0').focus(), null)");
    page.press("Tab");
    until_focus(page, "predict-show");
    page.press("Enter");
    until_verdict(page, "shown");
    page.until_frame(5);
    page.until_says("#predict-score", &["0 of 1 right"]);
    // Right: E above A.
    until_focus(page, "predict-next");
    page.press("Enter");
    choose_by_keys(page, 1024);
    page.until_says(".place-row.on", &["1 024–1 280 B", "the arena stays"]);
    page.press("Enter");
    until_verdict(page, "right");
    page.until_count(".answer-mark.right", 1);
    page.until_says("#predict-verdict", &["Right. E goes there"]);
    // Wrong: F makes its slot grow and does not go on top.
    page.press("ArrowRight");
    choose_by_keys(page, 1664);
    page.until_says(".place-row.on", &["from 1 664 B", "the arena grows"]);
    page.press("Enter");
    until_verdict(page, "growth");
    page.until_says("#predict-verdict", &["Right that the peak grows, but not there.", "The rule:"]);
    page.until_says("#predict-missed", &["Rules you missed", "D", "F"]);
    axe.look(page, "a verdict");
    // Better: G has room below the peak, which the tree does not see.
    page.press("ArrowRight");
    choose_by_keys(page, 1664);
    page.press("Enter");
    until_verdict(page, "better");
    page.until_says("#predict-verdict", &["Not what it did, but better.", "grows by 120 B"]);
    page.until_says("#predict-summary", &["1 of 4 right", "Growths you predicted: 1 of 2"]);
    until_focus(page, "predict");
    page.until_says("#strip-peak", &["peak"]);
    axe.look(page, "the summary");
    page.clear_clipboard();
    page.click("#predict-copy");
    let copied = page.until_copied();
    assert!(copied.starts_with("memplan, predictions: teaching") && copied.contains("1 of 4 right"), "{copied}");
    // Only what was missed is asked again.
    page.click("#predict-again-kinds");
    page.until_says("#predict-score", &["attempt 2"]);
    page.until_there("#predict-places");
    assert!(page.facts().frame < 8);
    page.press("q");
    page.until_gone("#predict");
    page.until_there("#why-headline");
    axe.assert_clean();
}

/// Everything that a reader, a screen reader or a script finds on the page, without the list of
/// places and without blanks.
const TOLD: &str = "(() => { const page = document.documentElement.cloneNode(true);
    page.querySelectorAll('#predict-places, svg, script, style, link').forEach(part => part.remove());
    return (page.outerHTML + document.title + location.hash).replace(/[\\s\\u00a0\\u2009\\u202f]/g, ''); })()";

fn assert_hidden(page: &Page, about: &str, secrets: &[&str]) {
    page.until_there("#predict-places");
    page.until_painted();
    let told: String = page.eval(TOLD);
    for secret in secrets {
        let at = told.find(secret).map(|at| told.chars().skip(told[..at].chars().count().saturating_sub(80)).take(160));
        assert!(at.is_none(), "{about}: {secret} is on the page: {}", at.into_iter().flatten().collect::<String>());
    }
}

fn hidden(page: &mut Page) {
    // The last buffer goes to 1792, which makes the peak 1856.
    const SECRETS: [&str; 7] = ["1856", "0x740", "1.81KiB", "1792", "0x700", "1.75KiB", "1.09×"];
    page.open("doc=ex:teaching&plan=inductor-tree&f=0&predict=1&lang=en");
    loop {
        page.until_there("#predict-places");
        let known = page.facts().frame;
        assert_hidden(page, &format!("frame {known}"), &SECRETS);
        let facts = page.facts();
        let so_far = [0, 1000, 1664, 1664, 1664, 1664, 1664, 1736][known as usize];
        assert_eq!((facts.peak, facts.bound, facts.frames), (so_far, 1704, 9), "frame {known}");
        if known == 7 {
            break;
        }
        page.click("#predict-show");
        page.until_there("#predict-next");
        page.press("ArrowRight");
    }
    page.click("#left-tab-buffers");
    page.until_there("#buffer-rows");
    assert_hidden(page, "buffers", &SECRETS);
    page.press("j");
    page.until_there(".menu");
    assert_hidden(page, "planners", &SECRETS);
    page.press("Escape");
    page.click("#left-tab-graph");
    page.browser.hover(page.middle("#plan"));
    page.until_there(".tooltip");
    assert_hidden(page, "a tooltip", &SECRETS);
    // Narrower pages keep the tabs beside the question.
    page.viewport(MIDDLE);
    for tab in ["state", "peak"] {
        page.click(&format!("#drawer-tab-{tab}"));
        page.until_attribute(&format!("#drawer-tab-{tab}"), "aria-selected", Some("true"));
        page.until_painted();
        let told: String = page.eval(TOLD);
        assert!(SECRETS.iter().all(|secret| !told.contains(secret)), "{tab}");
    }
    page.viewport(WIDE);
    page.until_there("#predict-show");
    page.click("#predict-show");
    page.until_frame(8);
    // The same look finds it once it may be known.
    let told: String = page.eval(TOLD);
    assert!(told.contains("1856") && page.facts().peak == 1856);
    // A suite knows its total before it places anything, and other modes show whole plans.
    page.open("doc=ex:teaching&plan=executorch-suite&f=3&predict=1&lang=en");
    page.viewport(MIDDLE);
    page.until_frame(3);
    page.click("#drawer-tab-state");
    page.until_attribute("#drawer-tab-state", "aria-selected", Some("true"));
    page.until_painted();
    let told: String = page.eval(TOLD);
    assert!(!told.contains("1848") && !told.contains("1.80KiB"));
    page.viewport(WIDE);
    page.mode("compare");
    page.until("no questions beside whole plans", "!location.hash.includes('predict=1')");
}

fn pointer(page: &mut Page) {
    page.open("doc=ex:teaching&plan=inductor-tree&f=7&predict=1&lang=en");
    page.until_there("#predict-places");
    page.until_painted();
    let (x, y, width, height) = page.place("#plan");
    let press = |page: &Page, part: f64| {
        let at = (x + width * 0.35, y + height * part);
        page.browser.drag(&[at]);
    };
    press(page, 0.12);
    page.until("the top to be chosen", "document.querySelector(\"#predict-places input[value='1792']\").checked");
    press(page, 0.31);
    let lower = "document.querySelector(\"#predict-places input[value='1664']\").checked";
    page.until("the place below the peak to be chosen", lower);
    page.click("#predict-check");
    until_verdict(page, "better");
    // Where there is nothing to ask, the button says why.
    page.open("doc=ex:teaching&plan=naive&f=3&lang=en");
    page.until_attribute("#predict-button", "aria-disabled", Some("true"));
    page.click("#predict-button");
    page.until_says(".toast", &["never shares bytes"]);
    page.until_gone("#predict");
}

fn phone(page: &mut Page) {
    page.viewport(NARROW);
    page.open("doc=ex:teaching&plan=tvm-relay&f=2&lang=zh");
    page.until_frame(2);
    page.click("#predict-button");
    page.until_says("#predict-question", &["B", "存储块"]);
    page.until("the places", "document.querySelectorAll('.place-row').length >= 2");
    page.until("no sideways scroll", "document.documentElement.scrollWidth <= innerWidth");
    page.click(".place-row");
    page.click("#predict-check");
    until_verdict(page, "right");
    page.until_frame(3);
    page.viewport(WIDE);
}
