//! Planners that are written in the page: the program that runs them, the editor, and links.

use memplan_e2e::Page;
use memplan_e2e::page::WIDE;

use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("first_fit_is_written_in_the_editor_and_stepped", first_fit),
    smoke("an_endless_loop_is_stopped_with_its_line", endless),
    smoke("a_whole_program_is_typed_key_by_key_through_what_is_broken", typed),
    full("a_classic_planner_shows_its_program_and_is_made_yours", classic),
    full("a_link_carries_the_program_and_asks_before_it_runs", link),
    full("the_program_is_there_after_a_reload", kept),
    full("two_programs_are_kept_named_and_compared", two),
    full("a_mistake_is_mended_by_its_button", mended),
    full("the_keyboard_leaves_the_editor", leaves),
    smoke("a_dropped_program_opens_the_editor_with_the_focus", dropped),
    full("a_broken_draft_is_gone_on_with", draft),
    full("the_last_letters_stay_in_their_program", letters),
    full("a_reload_and_a_copied_link_have_the_text_of_now", left),
    full("eight_lines_of_a_program_are_in_sight_below_a_plan", lines_in_sight),
];

const FIRST_FIT: &str = "fn place(buffer, gaps) {\n    for gap in gaps {\n        if gap.size >= buffer.size { return gap.start; }\n    }\n}\n";

/// Opens the editor, and puts a text in place of what is there as a keyboard would.
fn write(page: &Page, code: &str) {
    page.press("j");
    page.until_there("#write-own");
    page.click("#write-own");
    page.until_there("#own-code");
    // A program that another test left may be broken.
    page.until_there("#own-results, #own-mistake");
    put(page, code);
}

fn put(page: &Page, code: &str) {
    let script = "const field = document.querySelector('#own-code');
        field.focus();
        field.select();
        document.execCommand('insertText', false, arguments[0]);";
    page.browser.script::<serde_json::Value>(script, vec![code.into()]);
}

fn first_fit(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    let ours = page.until_planner("first-fit");
    write(page, "fn place(buffer, gaps) {\n    gaps[-1].start\n}\n");
    page.until("a larger peak", "document.querySelector('#own-results .over') !== null");
    put(page, FIRST_FIT);
    page.until_gone("#own-results .over");
    let own = page.until_facts("the plan", |facts| facts.planner.starts_with("own-") && facts.peak == ours.peak);
    assert!(!own.planner.is_empty());
    // The line that decided is marked, and the stepper goes through the others.
    page.click("#region-stage");
    page.press("End");
    page.until_text(".code-line.lit .code-number", "3");
    page.until_says(".code-line.lit .code-value", &["→"]);
    page.click("#line-first");
    page.until_text(".code-line.lit .code-number", "1");
    page.until_there("#own-values tr");
}

/// Whether the field with the focus is still the one that typing began in.
const SAME_FIELD: &str = "document.activeElement === window.begun && window.begun.isConnected";

fn type_line(page: &Page, line: &str) {
    for letter in line.chars() {
        page.press(&letter.to_string());
    }
}

fn typed(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    page.press("j");
    page.until_there("#write-own");
    page.click("#write-own");
    page.until_there("#own-results, #own-mistake");
    page.click("#own-code");
    page.press("Control+a");
    page.press("Delete");
    page.until_there("#own-mistake");
    page.eval::<bool>("(window.begun = document.querySelector('#own-code')) !== null");
    let lines = ["fn place(buffer, gaps) {", "for gap in gaps {", "if gap.size >= buffer.size {", "return gap.start;"];
    for (number, line) in lines.iter().chain(&["}"; 3]).enumerate() {
        if number > 0 {
            page.press("Enter");
        }
        type_line(page, line);
        // What is there so far runs, and is broken up to the last bracket.
        match number {
            0..6 => page.until_there("#own-mistake"),
            _ => page.until_gone("#own-mistake"),
        }
        assert!(page.eval::<bool>(SAME_FIELD), "after `{line}`");
    }
    let code: String = page.eval("document.querySelector('#own-code').value");
    let indented = "fn place(buffer, gaps) {\n    for gap in gaps {\n        if gap.size >= buffer.size {\n            return gap.start;\n        }\n    }\n}";
    assert_eq!(code, indented);
    page.until_facts("the plan", |facts| facts.planner.starts_with("own-"));
    page.press("Control+z");
    page.until("what was typed last undone", &format!("window.begun.value.length !== {}", indented.len()));
    assert!(page.eval::<bool>(SAME_FIELD), "after the undoing");
    // A full-width sign is named, and the way to mend it can be undone, too.
    put(page, "fn place(buffer, gaps) {\n    gaps[-1].start；\n}\n");
    page.until_says("#own-mistake", &["full-width"]);
    page.click("#own-remedy");
    page.until("the half-width sign", "window.begun.value.includes('.start;')");
    assert!(page.eval::<bool>(SAME_FIELD), "after the mending");
    page.press("Control+z");
    page.until("the full-width sign again", "window.begun.value.includes('；')");
}

fn endless(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    write(page, FIRST_FIT);
    page.until_facts("the plan", |facts| facts.planner.starts_with("own-"));
    let begun: f64 = page.eval("performance.now()");
    put(page, "fn place(buffer, gaps) {\n    while true { }\n}\n");
    page.until_attribute("#own-mistake", "data-line", Some("2"));
    page.until_says("#own-mistake", &["without a placement"]);
    let took = page.eval::<f64>("performance.now()") - begun;
    println!("stopped {took:.0} ms after it was written");
    // What was shown stays, and the page goes on.
    put(page, FIRST_FIT);
    page.until_gone("#own-mistake");
}

fn classic(page: &mut Page) {
    page.open("doc=ex:teaching&plan=best-fit&lang=en&panel=code");
    page.until_planner("best-fit");
    page.press("End");
    page.until_says(".code-line.lit", &["best.start"]);
    page.click("#make-yours");
    page.until_there("#own-code");
    page.until_facts("the plan", |facts| facts.planner.starts_with("own-"));
}

fn link(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    write(page, "fn place(buffer, gaps) {\n    gaps[-1].start\n}\n");
    page.until_address("code=z");
    page.until_address("plan=own-");
    let fragment = page.fragment();
    page.browser.script::<serde_json::Value>("localStorage.clear(); sessionStorage.clear()", Vec::new());
    page.open(fragment.trim_start_matches('#'));
    page.until_there("#own-link");
    assert!(!page.facts().planner.starts_with("own-"));
    // Who loads the page again is asked again.
    page.until_address("code=z");
    page.until_address("plan=own-");
    page.click("#own-link-run");
    page.until_facts("the plan", |facts| facts.planner.starts_with("own-"));
    page.until_gone("#own-link");
}

fn kept(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    write(page, "// mine\nfn place(buffer, gaps) {\n    gaps[-1].start\n}\n");
    page.until_address("code=z");
    page.go("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    page.press("j");
    page.until_there("#write-own");
    page.click("#write-own");
    page.until("the text", "document.querySelector('#own-code')?.value.startsWith('// mine')");
}

fn two(page: &mut Page) {
    page.browser.script::<serde_json::Value>("localStorage.clear(); sessionStorage.clear()", Vec::new());
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    write(page, "fn place(buffer, gaps) {\n    gaps[-1].start\n}\n");
    page.until_address("code=z");
    page.click("#own-new");
    page.until("the new one", "document.querySelector('#own-program').value === '1'");
    // What was typed last belongs to the program that is left.
    put(page, FIRST_FIT);
    page.click("#own-duplicate");
    page.until("its copy", "document.querySelector('#own-program').value === '2'");
    page.until("the text", "document.querySelector('#own-code').value.includes('return gap.start')");
    page.click("#own-rename");
    page.until_there("#own-name");
    page.press("Control+a");
    type_line(page, "mine");
    page.press("Enter");
    page.until_text("#own-program option:checked", "mine.rhai");
    page.until("the kept list", "(localStorage.getItem('memplan.own-planners') || '').includes('mine.rhai')");
    page.go("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    page.press("j");
    page.until("three rows", "document.querySelectorAll('.pick[data-own]').length === 3");
    page.click(".pick[data-own='my_planner_2.rhai']");
    page.until("the text", "document.querySelector('#own-code')?.value.includes('return gap.start')");
    page.until_facts("the plan", |facts| facts.planner.starts_with("own-"));
    // Beside another program of one's own, by its name.
    let choose = "const list = document.querySelector('#own-beside');
        list.value = [...list.options].find(option => option.textContent === 'my_planner.rhai').value;
        list.dispatchEvent(new Event('change', { bubbles: true }));";
    page.browser.script::<serde_json::Value>(choose, Vec::new());
    page.until("the button", "!document.querySelector('#own-compare').disabled");
    page.click("#own-compare");
    page.until("both plans", "document.querySelectorAll('.plot canvas[data-peak]').length === 2");
    let names = page.texts(".column-head h2");
    assert_eq!(names, ["my_planner.rhai", "my_planner_2.rhai"]);
    page.browser.script::<serde_json::Value>("localStorage.clear(); sessionStorage.clear()", Vec::new());
}

fn mended(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    write(page, "fn place(buffer, gaps) {\n    gaps[-1].strat\n}\n");
    page.until_there("#own-remedy");
    page.click("#own-remedy");
    page.until_gone("#own-mistake");
    page.until("the text", "document.querySelector('#own-code').value.includes('.start')");
}

fn leaves(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    write(page, "fn place(buffer, gaps) {\n    gaps[-1].start\n}\n");
    page.press("Tab");
    page.until("an indent", "document.querySelector('#own-code').value.endsWith('    ')");
    // What is selected is indented, and not replaced.
    page.press("Control+a");
    page.press("Tab");
    page.until(
        "deeper lines",
        "document.querySelector('#own-code').value.startsWith('    fn place(buffer, gaps) {\\n        gaps')",
    );
    page.press("Control+Home");
    "    ".chars().for_each(|_| page.press("ArrowRight"));
    page.press("Backspace");
    page.until("less indentation", "document.querySelector('#own-code').value.startsWith('fn place')");
    page.press("Escape");
    page.press("Tab");
    page.until("the focus", "document.activeElement.id !== 'own-code'");
}

const FOCUS: &str = "document.activeElement.id === 'own-code'";

fn dropped(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    let drop = "const transfer = new DataTransfer();
        transfer.items.add(new File([arguments[0]], 'Mine.RHAI'));
        document.querySelector('main').dispatchEvent(
            new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));";
    page.browser.script::<serde_json::Value>(
        drop,
        vec!["// dropped\nfn place(buffer, gaps) {\n    gaps[-1].start\n}\n".into()],
    );
    page.until("the text", "document.querySelector('#own-code')?.value.startsWith('// dropped')");
    page.until("the focus", FOCUS);
    page.until_facts("the plan", |facts| facts.planner.starts_with("own-"));
}

fn draft(page: &mut Page) {
    page.open("");
    page.browser.script::<serde_json::Value>("localStorage.clear(); sessionStorage.clear()", Vec::new());
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    write(page, "fn place(buffer, gaps) {");
    page.until_there("#own-mistake");
    page.until("the kept text", "localStorage.getItem('memplan.own-planner') === 'fn place(buffer, gaps) {'");
    page.go("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    page.press("j");
    page.until_there("#write-own");
    page.click("#write-own");
    page.until_there("#own-mistake");
    page.until("the focus", FOCUS);
    page.until_says("#planner-button", &["my_planner.rhai"]);
    page.until_says("#own-before", &["first fit"]);
}

/// Opens another program from the list of planners before a pause of 300 ms is over.
const OPENS: &str = "const field = document.querySelector('#own-code');
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
    document.execCommand('insertText', false, '// the last letters');
    document.querySelector('#planner-button').click();
    const row = setInterval(() => {
        const other = [...document.querySelectorAll('.pick')].find(it => it.textContent.includes('my_planner.rhai'));
        if (!other) return;
        clearInterval(row);
        other.click();
    }, 1);";

fn letters(page: &mut Page) {
    let forget = "localStorage.clear(); sessionStorage.clear()";
    page.browser.script::<serde_json::Value>(forget, Vec::new());
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    write(page, FIRST_FIT);
    page.until_address("code=z");
    page.click("#own-new");
    page.until("the new one", "document.querySelector('#own-program').value === '1'");
    put(page, "fn place(buffer, gaps) {\n    gaps[-1].start\n}\n");
    page.until_gone(".own-running");
    page.until("the kept list", "(localStorage.getItem('memplan.own-planners') || '').includes('gaps[-1]')");
    page.browser.script::<serde_json::Value>(OPENS, Vec::new());
    page.until("the other one", "document.querySelector('#own-program')?.value === '0'");
    page.until("its text", "document.querySelector('#own-code').value.includes('return gap.start')");
    assert!(!page.eval::<bool>("document.querySelector('#own-code').value.includes('the last letters')"));
    let kept =
        "JSON.parse(localStorage.getItem('memplan.own-planners')).programs[1].code.endsWith('// the last letters')";
    page.until("the letters in their program", kept);
    // So do those that were typed just before the page was left.
    put(page, "// left in the middle");
    page.go("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    page.until(
        "the last text",
        "JSON.parse(localStorage.getItem('memplan.own-planners')).programs[0].code === '// left in the middle'",
    );
    page.browser.script::<serde_json::Value>(forget, Vec::new());
}

fn left(page: &mut Page) {
    let forget = "localStorage.clear(); sessionStorage.clear()";
    page.browser.script::<serde_json::Value>(forget, Vec::new());
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planner("first-fit");
    write(page, FIRST_FIT);
    page.until_address("code=z");
    // The address still has the text of before.
    put(page, "// newer\nfn place(buffer, gaps) {\n    gaps[-1].start\n}\n");
    page.browser.reload();
    page.until("the text", "document.querySelector('#own-code')?.value.startsWith('// newer')");
    page.until_facts("the plan", |facts| facts.planner.starts_with("own-"));
    assert!(!page.is_there("#own-link"), "it is the reader's own");
    assert_eq!(page.count("#own-program option"), 1);
    page.until_gone(".own-running");
    let before = page.fragment();
    page.eval::<Option<bool>>("(navigator.clipboard.writeText = async text => { window.copied = text; }, null)");
    put(page, "// copied\nfn place(buffer, gaps) {\n    gaps[-1].start\n}\n");
    let share = "[...document.querySelectorAll('header button')].find(it => it.textContent === 'Share').click()";
    page.browser.script::<serde_json::Value>(share, Vec::new());
    page.until("the link", "window.copied");
    let (copied, now): (String, String) = (page.eval("window.copied.split('#')[1]"), page.fragment());
    assert!(copied == now && copied != before, "{copied}");
    page.until_text(".toast", "Link copied.");
    // What plans nothing is not in the link, which says so.
    put(page, "fn place(");
    page.until_there("#own-mistake");
    page.browser.script::<serde_json::Value>(share, Vec::new());
    page.until_says(".toast", &["leaves that text out"]);
    // A deleted program comes back by the keyboard, which goes on from the list.
    page.click("#own-delete");
    page.until_there("#own-bring-back");
    page.eval::<Option<bool>>("(document.querySelector('#own-bring-back').focus(), null)");
    page.press("Enter");
    page.until("the focus", "document.activeElement.id === 'own-program'");
    page.browser.script::<serde_json::Value>(forget, Vec::new());
}

fn lines_in_sight(page: &mut Page) {
    for size in [(1024, 768), (390, 844)] {
        page.viewport(size);
        page.open("doc=ex:teaching&plan=best-fit&lang=en&panel=code&f=3");
        page.until_planner("best-fit");
        page.until_there("#own-panel .code-line.lit");
        let seen = "[...document.querySelectorAll('#own-panel .code-line')].filter(line => {
            const [it, box] = [line, document.querySelector('#drawer-panel')].map(e => e.getBoundingClientRect());
            return it.top >= box.top && it.bottom <= box.bottom;
        }).length";
        page.until(&format!("eight lines at {size:?}"), &format!("{seen} >= 8"));
    }
    page.viewport(WIDE);
}
