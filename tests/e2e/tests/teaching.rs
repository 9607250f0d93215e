//! The teacher's corner, and the exercises that students open by a link.

use memplan_e2e::Page;
use memplan_e2e::axe::Axe;

use crate::exports::catch;
use crate::layout::too_wide;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("a_link_is_made_done_and_checked", made_done_checked),
    smoke("a_program_is_written_checked_and_handed_in", written),
    full("a_program_that_was_begun_is_there_after_a_reload", begun),
    full("an_exercise_is_done_by_keyboard", by_keyboard),
    full("an_example_is_asked_about_for_all", example),
    full("links_that_are_none_say_so", refused),
    full("a_worksheet_is_downloaded", worksheet),
    full("every_part_of_the_hour_leads_somewhere", hour),
    full("axe_finds_nothing_in_the_corner_and_in_exercises", axe),
    full("the_corner_and_exercises_fit_every_width", widths),
];

const EXERCISE: &str = "exercise=1&seed=7&difficulty=1&plan=first-fit&kind=predict&help=why&pass=0&of=3&bits=1&id=ws7";

fn corner(page: &mut Page, part: &str, settings: &str) {
    page.visit("", &format!("teach={part}&{settings}"));
    page.until_there(&format!("#teach-tab-{part}[aria-selected=true]"));
}

/// Puts a text into a field at once.
fn fill(page: &Page, css: &str, text: &str) {
    page.eval::<()>(&format!(
        "(field => {{ field.value = {text:?}; field.dispatchEvent(new Event('change', {{ bubbles: true }})); }})(document.querySelector('{css}'))"
    ));
}

/// Opens an exercise and gives a name.
fn begin(page: &mut Page, link: &str) {
    page.visit("", link);
    page.until_there("#exercise-name");
    page.browser.type_into("#exercise-name", "Ann");
    page.until_there("#exercise-begin:not([disabled])");
    page.click("#exercise-begin");
    page.until_there("#predict-place-0");
}

/// Puts a program in place of the one that stands there, as a keyboard would, and has it checked.
fn check_program(page: &Page, code: &str) {
    let script = "const field = document.querySelector('#write-code');
        field.focus();
        field.select();
        document.execCommand('insertText', false, arguments[0]);";
    page.browser.script::<serde_json::Value>(script, vec![code.into()]);
    page.click("#write-code-check");
}

fn written(page: &mut Page) {
    page.visit("", "exercise=1&seed=7&difficulty=1&plan=best-fit&kind=write&of=6&bits=1&lang=en");
    page.until_there("#exercise-name");
    page.browser.type_into("#exercise-name", "Ann");
    page.until_there("#exercise-begin:not([disabled])");
    page.click("#exercise-begin");
    // The planner's plan of an example stands beside the program.
    page.until_there("#write-code");
    page.until_planner("best-fit");
    check_program(page, "fn place(buffer, gaps) {\n    loop { }\n}\n");
    page.until_there("#write-code-mistake[data-line='2']");
    let first_fit = "fn place(buffer, gaps) {\n    for gap in gaps {\n        if gap.size >= buffer.size { return gap.start; }\n    }\n}\n";
    check_program(page, first_fit);
    page.until_there(".program-failed .asked-picture svg");
    assert!(!page.is_there("#write-code-mistake"));
    page.until("the first difference on the plan", "document.querySelector('#plan').dataset.frame !== '0'");
    let best_fit = "fn place(buffer, gaps) {\n    let best = gaps[-1];\n    for gap in gaps {\n        if gap.size >= buffer.size && gap.size < best.size { best = gap; }\n    }\n    best.start\n}\n";
    check_program(page, best_fit);
    page.until_there(".program-sum.right");
    page.click("#write-next");
    page.until_says("#exercise-code", &["6 of 6", "MP1-"]);
}

fn begun(page: &mut Page) {
    page.visit("", "exercise=1&seed=7&difficulty=1&plan=best-fit&kind=write&of=6&bits=1&lang=en");
    let page = &*page;
    let begin_as = |name: &str| {
        page.until_there("#exercise-name");
        page.browser.type_into("#exercise-name", name);
        page.until_there("#exercise-begin:not([disabled])");
        page.click("#exercise-begin");
        page.until_there("#write-code");
    };
    let value = "document.querySelector('#write-code').value";
    begin_as("Ann");
    let template: String = page.eval(value);
    page.click("#write-code");
    page.press("Control+Home");
    "// mine".chars().for_each(|letter| page.press(&letter.to_string()));
    page.until("what was typed", &format!("{value}.startsWith('// mine')"));
    // Another person begins with nothing, and the same one goes on.
    for (name, begins) in [("Bob", "!"), ("Ann", "")] {
        page.browser.reload();
        begin_as(name);
        page.until("the program", &format!("{begins}{value}.startsWith('// mine')"));
    }
    // Who starts over loses nothing.
    page.click("#write-code-back");
    page.until("the template", &format!("{value}.length === {}", template.chars().count()));
    page.press("Control+z");
    page.until("what was there", &format!("{value}.startsWith('// mine')"));
    page.click("#write-code-back");
    page.until_there("#write-code-bring-back");
    page.click("#write-code-bring-back");
    page.until("what was there", &format!("{value}.startsWith('// mine')"));
}

/// Answers every question with the first place, and ends the exercise.
fn answer_all(page: &Page) {
    while !page.is_there("#exercise-done") {
        page.until_there("#predict-place-0, #predict-next, #exercise-done");
        if page.is_there("#predict-place-0") {
            page.click("#predict-place-0");
            page.click("#predict-check");
            page.until_there("#predict-next");
            page.until_there("#predict-verdict .verdict p");
        } else if page.is_there("#predict-next") {
            page.click("#predict-next");
            page.until_gone("#predict-next");
        }
    }
}

fn made_done_checked(page: &mut Page) {
    corner(page, "link", "lang=en");
    fill(page, "#teach-of", "3");
    fill(page, "#teach-pass", "4");
    page.until_says("#teach-panel .refused", &["0 to 3"]);
    fill(page, "#teach-pass", "0");
    fill(page, "#teach-seed", "42");
    fill(page, "#teach-id", "week 3");
    // What is hidden stands in the link until it is shown again.
    page.click("#teach-hide-curve");
    page.until_says("#teach-made", &["hide=curve"]);
    page.click("#teach-hide-curve");
    page.until("nothing to be hidden", "!document.querySelector('#teach-made').textContent.includes('hide=')");
    page.until_says("#teach-made", &["seed=42", "of=3", "id=week%203"]);
    page.clear_clipboard();
    page.click("#teach-embed");
    let markup = page.until_copied();
    assert!(markup.starts_with("<iframe src=") && markup.contains("?embed=1#exercise=1&amp;"), "{markup}");
    page.clear_clipboard();
    page.click("#teach-copy");
    let link = page.until_copied();
    assert!(page.attribute("#teach-try", "href").is_some_and(|href| link.ends_with(&href)), "{link}");
    // A student does it.
    let (_, fragment) = link.split_once('#').expect("a fragment");
    begin(page, fragment);
    page.until_says("#region-header h1", &["week 3"]);
    assert!(!page.is_there("#planner-button") && !page.is_there("nav.modes"), "nothing leads out");
    answer_all(page);
    page.clear_clipboard();
    page.click("#exercise-copy");
    let line = page.until_copied();
    assert!(line.starts_with("Ann · ") && line.contains("MP1-") && line.contains("of 3"), "{line}");
    assert!(page.fragment().contains("exercise=1"), "the address is still that of the exercise");
    assert!(page.eval::<bool>("!Object.values(localStorage).some(text => text.includes('Ann'))"), "nothing is stored");
    // Until the student wants it; then the link offers the result again.
    page.click("#exercise-keep");
    page.until_there("#exercise-keep[data-kept=true]");
    page.visit("", fragment);
    page.until_says("#exercise-kept", &["Ann"]);
    page.click("#exercise-kept");
    page.until_there("#exercise-keep[data-kept=true]");
    assert_eq!(page.text("#exercise-code"), line);
    page.click("#exercise-keep");
    page.until_there("#exercise-keep[data-kept=false]");
    assert!(
        page.eval::<bool>("!Object.values(localStorage).some(text => text.includes('Ann'))"),
        "it is kept no longer"
    );
    // The teacher checks it beside a line with a wrong letter.
    corner(page, "link", "lang=en");
    fill(page, "#teach-links", &link);
    let wrong = format!("{}*", &line[..line.len() - 1]).replace("Ann", "Bob");
    page.eval::<()>(&format!(
        "(field => {{ field.value = {:?}; field.dispatchEvent(new Event('change', {{ bubbles: true }})); }})(document.querySelector('#teach-lines'))",
        format!("{line}\n{wrong}\n{}", line.replace("Ann", "Eve"))
    ));
    page.click("#teach-check");
    page.until_count("#teach-results tbody tr", 3);
    page.until_says("#teach-results tr[data-passed=true]", &["Ann", "week 3", "of 3", "passed"]);
    page.until_says("#teach-results tbody tr:nth-child(2)", &["Bob", "letter"]);
    page.until_says("#teach-results tbody tr:nth-child(3)", &["Eve", "another name"]);
    page.until_there("#teach-csv");
}

fn by_keyboard(page: &mut Page) {
    page.visit("", EXERCISE);
    page.until("the name has the focus", "document.activeElement?.id === 'exercise-name'");
    page.browser.type_into("#exercise-name", "Ann");
    page.press("Enter");
    loop {
        page.until(
            "a place or the way on has the focus",
            "/^predict-|^exercise-done/.test(document.activeElement?.id)",
        );
        match page.eval::<String>("document.activeElement.id").as_str() {
            "exercise-done" => break,
            "predict-next" => {
                page.press("Enter");
                page.until("the way on is gone", "document.activeElement?.id !== 'predict-next'");
            }
            _ => {
                page.press("ArrowDown");
                page.until_there(".place-row.on");
                page.press("Enter");
                page.until("the way on", "document.activeElement?.id === 'predict-next'");
            }
        }
    }
    // Keys that lead elsewhere in the page do nothing here.
    for key in ["q", "p", "j", "?", "End"] {
        page.press(key);
    }
    page.until_says("#exercise-code", &["Ann · ", "MP1-"]);
    page.press("Tab");
    page.until("the button that copies", "document.activeElement?.id === 'exercise-copy'");
    // The tabs of the corner.
    corner(page, "link", "lang=en");
    page.eval::<()>("document.querySelector('#teach-tab-link').focus()");
    page.press("ArrowRight");
    page.until_there("#teach-tab-sheet[aria-selected=true]");
    page.until_address("teach=sheet");
    page.press("ArrowRight");
    page.until_there("#teach-hour");
}

fn example(page: &mut Page) {
    corner(page, "link", "lang=en");
    page.click(".examples [data-example='learn/fits-best']");
    page.until_says("#teach-source", &["fits-best"]);
    page.browser.choose("#teach-source", "open");
    fill(page, "#teach-pass", "0");
    fill(page, "#teach-of", "2");
    page.until_says("#teach-made", &["doc=ex:learn/fits-best", "of=2"]);
    let link = page.attribute("#teach-try", "href").expect("a link");
    begin(page, link.trim_start_matches('#'));
    answer_all(page);
    page.until_says("#exercise-code", &["MP1-"]);
    // One of its buffers alone.
    corner(page, "link", "lang=en");
    page.click(".examples [data-example='learn/fits-best']");
    page.until_says("#teach-source", &["fits-best"]);
    page.browser.choose("#teach-source", "open");
    page.browser.choose("#teach-kind", "place");
    fill(page, "#teach-pass", "1");
    page.until_says("#teach-made", &["kind=place", "f=", "of=1"]);
    let link = page.attribute("#teach-try", "href").expect("a link");
    begin(page, link.trim_start_matches('#'));
    answer_all(page);
    page.until_says("#exercise-code", &["of 1", "MP1-"]);
}

fn refused(page: &mut Page) {
    for (from, to, told) in [
        ("exercise=1", "exercise=2", "version"),
        ("kind=predict", "kind=number", "ask"),
        ("plan=first-fit", "plan=magic", "magic"),
        ("&id=ws7", "&hepl=1", "hepl"),
    ] {
        page.visit("", &EXERCISE.replace(from, to));
        page.until_says(".refused", &[told]);
        assert!(!page.is_there("#exercise-name"));
    }
    // A planner that asks nothing says so when it is begun with.
    page.visit("", &EXERCISE.replace("first-fit", "naive"));
    page.until_there("#exercise-name");
    page.browser.type_into("#exercise-name", "Ann");
    page.click("#exercise-begin");
    page.until_there(".refused");
    // Another address leads out.
    page.follow("learn&lang=en");
    page.until_there(".lesson-card");
}

fn worksheet(page: &mut Page) {
    corner(page, "sheet", "lang=zh");
    page.click(".examples [data-example='learn/fits-best']");
    page.until_says("#teach-sheet-of", &["fits-best"]);
    catch(page);
    page.browser.choose("#teach-second", "best-fit");
    page.browser.choose("#teach-paper", "letter");
    fill(page, "#teach-given", "6");
    page.click("#teach-sheet");
    page.until("the file", "saved.length");
    let (name, latin): (String, String) = page.eval("saved[0]");
    let text = String::from_utf8(latin.chars().map(|byte| byte as u8).collect()).expect("UTF-8");
    assert_eq!(name, "learn_fits-best-worksheet.html");
    assert!(text.contains("size:letter") && text.contains("lang=\"zh-CN\"") && text.contains("</html>"));
    fill(page, "#teach-given", "99");
    page.click("#teach-sheet");
    page.until_there(".refused");
}

fn hour(page: &mut Page) {
    for lang in ["en", "zh"] {
        corner(page, "plan", &format!("lang={lang}"));
        page.until_count("#teach-hour tbody tr", 8);
        page.until_count("#teach-hour a[href*='present=1']", 8);
        page.until_count("#hour-textbooks li", 7);
        page.until_count("#hour-answers a[href*='.html']", 3);
        page.clear_clipboard();
        page.click("#hour-copy");
        let copied = page.until_copied();
        assert!(copied.starts_with("# ") && copied.contains("| --- |") && copied.contains("#learn=1&p=9"), "{copied}");
        // The browser prints the plan of the lesson alone.
        page.eval::<()>("void dispatchEvent(new Event('beforeprint'))");
        page.until_count("#print table tbody tr", 8);
        page.eval::<()>("void dispatchEvent(new Event('afterprint'))");
        let links: Vec<String> =
            page.eval("[...document.querySelectorAll('#teach-hour td a:first-child')].map(link => link.hash)");
        for link in links {
            page.visit("", &link);
            page.until_planned();
            match link.contains("learn=") {
                true => page.until_there(".para.on"),
                false => page.until_there("#predict-question"),
            }
        }
    }
}

fn axe(page: &mut Page) {
    let mut axe = Axe::load();
    for (lang, theme) in [("en", "light"), ("zh", "dark")] {
        page.prefers(theme);
        for part in ["link", "sheet", "plan"] {
            corner(page, part, &format!("lang={lang}&theme={theme}"));
            page.until_there("#teach-made, #teach-hour, .examples");
            axe.look(page, part);
        }
        corner(page, "link", &format!("lang={lang}&theme={theme}"));
        fill(page, "#teach-lines", "Ann · 3 of 3 right · MP1-07NX-E7W7-0070-E222-0WVT-H8R");
        page.click("#teach-check");
        page.until_there("#teach-results");
        fill(page, "#teach-of", "many");
        page.until_there(".refused");
        axe.look(page, "a table");
        let link = format!("{EXERCISE}&lang={lang}");
        page.visit("", &link);
        page.until_there("#exercise-name");
        axe.look(page, "an exercise before it begins");
        begin(page, &link);
        page.click("#exercise-help");
        page.until_there("#exercise-rule");
        axe.look(page, "a question");
        page.click("#predict-place-0");
        page.click("#predict-check");
        page.until_there("#predict-next");
        axe.look(page, "an answer");
        answer_all(page);
        axe.look(page, "a result");
        page.visit("", &EXERCISE.replace("exercise=1", "exercise=2"));
        page.until_there(".refused");
        axe.look(page, "a link that is none");
    }
    axe.assert_clean();
}

fn widths(page: &mut Page) {
    for lang in ["en", "zh"] {
        let fits = |page: &Page, what: &str| {
            assert_eq!(too_wide(page, ".learn, .exercise-panel"), Vec::<String>::new(), "{what} in {lang}");
        };
        for part in ["link", "sheet", "plan"] {
            corner(page, part, &format!("lang={lang}"));
            page.until_there("#teach-made, #teach-hour, .examples");
            fits(page, part);
        }
        begin(page, &format!("{EXERCISE}&lang={lang}"));
        fits(page, "a question");
        answer_all(page);
        fits(page, "a result");
    }
}
