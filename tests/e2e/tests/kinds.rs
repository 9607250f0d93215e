//! Exercises that ask for figures, and for buffers on which a planner wastes much; a planner's plan
//! in words.

use memplan_e2e::Page;
use memplan_e2e::axe::Axe;

use crate::layout::too_wide;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("a_figure_is_asked_by_link_answered_and_checked", figure),
    full("nothing_of_the_page_has_a_figure_before_its_answer", untold),
    full("figures_are_worked_out_by_keyboard", by_keyboard),
    full("a_planner_is_broken_by_link_and_the_ratio_checked", broken),
    full("a_planners_plan_is_read_in_words", in_words),
    full("axe_finds_nothing_in_figures_boards_and_words", axe),
    full("figures_boards_and_words_fit_every_width", widths),
];

/// The bound is 1 704, the peak 1 856; the load of step 3 is 1 304; G lies at 1 792.
const NUMBER: &str = "exercise=1&doc=ex:teaching&plan=inductor-tree&kind=number&ask=load@3,bound,offset:G,peak&of=4&pass=2&help=rule&id=n1";
const BREAK: &str = "exercise=1&plan=first-fit&kind=break&beat=1.50&of=1&id=b1";

/// Puts a text into a field at once.
fn fill(page: &Page, css: &str, text: &str) {
    page.eval::<()>(&format!(
        "(field => {{ field.value = {text:?}; field.dispatchEvent(new Event('change', {{ bubbles: true }})); }})(document.querySelector('{css}'))"
    ));
}

/// Opens an exercise and gives a name; `there` is on the page once it has begun.
fn begin(page: &mut Page, link: &str, there: &str) {
    page.visit("", link);
    page.until_there("#exercise-name");
    page.browser.type_into("#exercise-name", "Ann");
    page.until_there("#exercise-begin:not([disabled])");
    page.click("#exercise-begin");
    page.until_there(there);
}

/// Answers the open question.
fn answer(page: &Page, text: &str) {
    page.browser.type_into("#figure-answer", text);
    page.until_there("#figure-check:not([disabled])");
    page.click("#figure-check");
    page.until_there("#figure-verdict .verdict");
}

fn next(page: &Page) {
    page.click("#figure-next");
    page.until_there("#figure-answer");
}

/// The line that a student sends.
fn result(page: &Page) -> String {
    page.clear_clipboard();
    page.click("#exercise-copy");
    page.until_copied()
}

/// Has the teacher check a line; the first row of the table.
fn checked(page: &mut Page, link: &str, line: &str) -> String {
    page.visit("", "teach=link&lang=en");
    page.until_there("#teach-made");
    fill(page, "#teach-links", link);
    fill(page, "#teach-lines", line);
    page.click("#teach-check");
    page.until_says("#teach-results tbody tr", &["Ann"])
}

fn figure(page: &mut Page) {
    // The teacher asks about the open document.
    page.visit("", "teach=link&lang=en");
    page.until_there("#teach-tab-link[aria-selected=true]");
    page.click(".examples [data-example='teaching']");
    page.until_says("#teach-source", &["teaching"]);
    page.browser.choose("#teach-source", "open");
    page.browser.choose("#teach-kind", "number");
    page.browser.choose("#teach-ask", "load");
    fill(page, "#teach-step", "8");
    page.until_says("#teach-panel .refused", &["0 to 7"]);
    fill(page, "#teach-step", "3");
    page.until_says("#teach-made", &["kind=number", "ask=load@3", "of=1"]);
    assert!(!page.is_there("#teach-pass"), "one question: there is nothing to choose");
    let link = page.text("#teach-made");
    let (_, fragment) = link.split_once('#').expect("a fragment");
    begin(page, fragment, "#figure-answer");
    page.until_says("#figure-question", &["alive at step 3"]);
    // Whoever counts A, which has ended before step 3, hears of the rule.
    answer(page, "2304");
    page.until_says(
        "#figure-verdict .verdict.wrong",
        &["You counted A, too", "sum of all buffers", "B, G, C are alive: 1 304 B"],
    );
    page.click("#figure-next");
    page.until_says("#exercise-score", &["0 of 1"]);
    page.until_says("#exercise-done .missed-rules", &["sum of all buffers"]);
    page.click("#exercise-again");
    page.until_there("#figure-answer");
    answer(page, "1,304");
    page.until_says("#figure-verdict .verdict.right", &["Right"]);
    page.click("#figure-next");
    page.until_there("#exercise-done");
    let line = result(page);
    assert!(line.starts_with("Ann · 1 of 1 right · MP1-"), "{line}");
    let row = checked(page, &link, &line);
    assert!(row.contains("passed") && row.contains("Work out a figure"), "{row}");
    // Students that get buffers of their own are asked as often as wanted.
    page.browser.choose("#teach-source", "seed");
    page.browser.choose("#teach-kind", "number");
    page.browser.choose("#teach-ask", "offset");
    fill(page, "#teach-of", "2");
    fill(page, "#teach-pass", "1");
    page.until_says("#teach-made", &["seed=1", "ask=offset:A", "of=2"]);
}

/// What is asked is nowhere: neither in elements, their attributes and what is read out, nor on the
/// lines of the picture.
fn untold(page: &mut Page) {
    begin(page, &format!("{NUMBER}&lang=en"), "#figure-answer");
    let telling = |page: &Page, values: &[&str]| -> Vec<String> {
        let all = page.eval::<String>(
            "document.documentElement.outerHTML.replace(/<(style|script)[^]*?<\\/\\1>|<link[^>]*>/g, '')",
        );
        // Addresses of files, which are left out, have digits of their own. Groups of digits are
        // apart, and sizes may have another unit.
        let plain: String = all.chars().filter(|letter| !matches!(letter, '\u{202f}' | '\u{a0}' | ' ' | ',')).collect();
        values.iter().filter(|value| plain.contains(**value)).map(|value| value.to_string()).collect()
    };
    let values = [("1304", "1.27KiB"), ("1704", "1.66KiB"), ("1792", "1.75KiB"), ("1856", "1.81KiB")];
    for (at, (right, _)) in values.iter().enumerate() {
        let open: Vec<&str> = values[at..].iter().flat_map(|(bytes, unit)| [*bytes, *unit]).collect();
        assert_eq!(telling(page, &open), Vec::<String>::new(), "question {at}");
        assert!(!page.is_there(".legend-bar > button"), "sizes of classes are sums, too");
        assert_eq!(page.attribute("#plan", "data-lower-bound").as_deref(), Some("0"));
        // Keys that go on, to the largest load or to another planner do nothing.
        let frame = page.attribute("#plan", "data-frame");
        page.eval::<()>("document.querySelector('#plan').focus()");
        for key in ["ArrowRight", "End", "x", "n", "p", "j", "h", "1"] {
            page.press(key);
        }
        assert_eq!(page.attribute("#plan", "data-frame"), frame);
        assert_eq!(telling(page, &open), Vec::<String>::new(), "question {at} after keys");
        answer(page, right);
        let later: Vec<&str> = values[at + 1..].iter().flat_map(|(bytes, unit)| [*bytes, *unit]).collect();
        assert_eq!(telling(page, &later), Vec::<String>::new(), "after question {at}");
        if at + 1 < values.len() {
            next(page);
        }
    }
    // Now the whole plan is there.
    page.until_attribute("#plan", "data-peak", Some("1856"));
    page.until_attribute("#plan", "data-lower-bound", Some("1704"));
    page.click("#figure-next");
    page.until_says("#exercise-score", &["4 of 4"]);
}

fn by_keyboard(page: &mut Page) {
    page.visit("", &format!("{NUMBER}&lang=en"));
    page.until("the name has the focus", "document.activeElement?.id === 'exercise-name'");
    page.browser.type_into("#exercise-name", "Ann");
    page.press("Enter");
    for text in ["many", "1,64 KiB", "1856", "2 KiB", "1704"] {
        page.until("the field has the focus", "document.activeElement?.id === 'figure-answer'");
        page.browser.type_into("#figure-answer", text);
        page.press("Enter");
        if text == "many" {
            page.until_says("#figure-verdict .refused", &["A number of bytes is needed"]);
            page.eval::<()>("document.querySelector('#figure-answer').select()");
            continue;
        }
        page.until("the way on has the focus", "document.activeElement?.id === 'figure-next'");
        page.press("Enter");
    }
    page.until_says("#exercise-score", &["0 of 4"]);
    page.until_says("#exercise-code", &["Ann · ", "MP1-"]);
}

/// Puts first fit's worst four buffers on the board.
fn pin(page: &Page) {
    page.click("#break-add");
    page.until_count(".pieces tbody tr", 4);
    for (row, kib, from, to) in [(0, "80", "0", "1"), (1, "16", "0", "3"), (2, "96", "1", "2"), (3, "96", "2", "3")] {
        for (column, text) in [("game.to", "8"), ("game.from", from), ("game.to", to), ("game.kib", kib)] {
            fill(page, &format!("[data-cell=\"{row}.{column}\"]"), text);
        }
    }
}

fn broken(page: &mut Page) {
    page.visit("", "teach=link&lang=en");
    page.until_there("#teach-made");
    page.browser.choose("#teach-kind", "break");
    fill(page, "#teach-beat", "0.5");
    page.until_says("#teach-panel .refused", &["1 to 99.99"]);
    fill(page, "#teach-beat", "1.5");
    page.until_says("#teach-made", &["plan=first-fit", "kind=break", "beat=1.50", "of=1"]);
    assert!(!page.is_there("#teach-source") && !page.is_there("#teach-seed"), "there is no document");
    let link = page.text("#teach-made");
    let (_, fragment) = link.split_once('#').expect("a fragment");
    page.visit("", fragment);
    page.until_says(".tcard", &["wastes as much as possible", "get above 1.50"]);
    begin(page, fragment, ".pieces");
    for gone in ["#break-planner", "#break-show", "#break-keep", ".tries"] {
        assert!(!page.is_there(gone), "{gone} has no place in an exercise");
    }
    page.until_says("#game-par", &["to beat: 1.50"]);
    pin(page);
    page.until_attribute("#game-ratio", "data-ratio", Some("1.71×"));
    page.until_says("#game-par", &["1.50× is beaten"]);
    page.until_says("#exercise-score", &["1 of 1"]);
    // The best board counts.
    page.click("#game-clear");
    page.until_attribute("#game-ratio", "data-ratio", Some("1.00×"));
    page.until_says("#game-best", &["1.71"]);
    page.click("#predict-next");
    page.until_says("#exercise-score", &["ratio 1.71"]);
    let line = result(page);
    assert!(line.starts_with("Ann · ratio 1.71 · MP2-"), "{line}");
    assert!(page.eval::<bool>("!Object.values(localStorage).some(text => text.includes('tries'))"), "nothing is kept");
    let row = checked(page, &link, &line);
    assert!(row.contains("ratio 1.71") && row.contains("passed"), "{row}");
}

fn in_words(page: &mut Page) {
    page.visit("", "pack=ex:learn/nine-blocks&p=160.0.224&lang=en");
    page.until_there("#game-in-words[aria-expanded=false]");
    assert_eq!(page.attribute("#game-show", "aria-describedby").as_deref(), Some("game-hold-is"));
    page.browser.choose("#game-plans", "first-fit");
    // By keys alone: the button stays pressed, unlike the one beside it.
    page.eval::<()>("document.querySelector('#game-in-words').focus()");
    page.press("Enter");
    page.until_there("#game-in-words[aria-expanded=true]");
    page.until_says("#game-beside-words", &["first fit has a peak of 448 KiB", "1 of your 9 blocks"]);
    assert_eq!(page.attribute("#game-beside-words", "aria-live").as_deref(), Some("polite"));
    page.until_count("#game-beside tbody tr", 9);
    page.until_says("#game-beside thead", &["Block", "Steps", "first fit", "Your place"]);
    page.until_says("#game-beside tbody tr:first-child", &["A", "160 KiB"]);
    // Another planner has another column, and what moves is read at once.
    page.browser.choose("#game-plans", "exact");
    page.until_says("#game-beside-words", &["384 KiB"]);
    let rows = page.texts("#game-beside tbody tr");
    assert_eq!(rows.iter().filter(|row| row.contains("waits")).count(), 6, "{rows:?}");
    page.click("[data-block='I']");
    page.until_says("#game-beside tbody tr:last-child", &["KiB"]);
    page.eval::<()>("document.querySelector('#game-in-words').focus()");
    page.press("Space");
    page.until_there("#game-in-words[aria-expanded=false]");
    page.until_count("#game-beside tbody tr", 0);
    // As long as the other button is held, the sentence is there as well.
    page.eval::<()>(
        "(document.querySelector('#game-show').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true})), undefined)",
    );
    page.until_says("#game-beside-words", &["384 KiB"]);
}

fn axe(page: &mut Page) {
    let mut axe = Axe::load();
    for (lang, theme) in [("en", "light"), ("zh", "dark")] {
        page.prefers(theme);
        begin(page, &format!("{NUMBER}&lang={lang}"), "#figure-answer");
        axe.look(page, "a figure");
        answer(page, "1704");
        axe.look(page, "a wrong figure");
        begin(page, &format!("{BREAK}&lang={lang}"), ".pieces");
        axe.look(page, "a board");
        page.visit("", &format!("pack=ex:learn/nine-blocks&p=160.0.224&lang={lang}&theme={theme}"));
        page.until_there("#game-in-words");
        page.click("#game-in-words");
        page.until_count("#game-beside tbody tr", 9);
        axe.look(page, "a plan in words");
        page.visit("", &format!("teach=link&lang={lang}&theme={theme}"));
        page.until_there("#teach-made");
        for kind in ["number", "break"] {
            page.browser.choose("#teach-kind", kind);
            page.until_says("#teach-made", &[&format!("kind={kind}")]);
            axe.look(page, kind);
        }
    }
    axe.assert_clean();
}

fn widths(page: &mut Page) {
    const PARTS: &str = ".learn, .exercise-panel, .game-main, .game-side, .game-table";
    for lang in ["en", "zh"] {
        let fits = |page: &Page, what: &str| {
            assert_eq!(too_wide(page, PARTS), Vec::<String>::new(), "{what} in {lang}");
        };
        begin(page, &format!("{NUMBER}&lang={lang}"), "#figure-answer");
        fits(page, "a figure");
        answer(page, "2304");
        fits(page, "an answer");
        begin(page, &format!("{BREAK}&lang={lang}"), ".pieces");
        fits(page, "a board");
        page.visit("", &format!("pack=ex:learn/nine-blocks&p=160.0.224&lang={lang}"));
        page.until_there("#game-in-words");
        page.click("#game-in-words");
        page.until_count("#game-beside tbody tr", 9);
        fits(page, "a plan in words");
    }
}
