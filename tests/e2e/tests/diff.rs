//! Two documents compared: the page says what the command line says, and every difference is lit in
//! both plans.

use memplan_e2e::Page;
use memplan_e2e::axe::Axe;
use memplan_e2e::page::{MIDDLE, NARROW, WIDE};

use crate::native;
use crate::samples::BROKEN;
use crate::{Test, full, smoke};

pub const TESTS: &[Test] = &[
    smoke("two_files_are_dropped", dropped),
    full("a_link_shows_both_and_leads_back", link),
    full("keys_step_through_the_differences", stepping),
    full("a_file_and_itself_do_not_differ", itself),
    full("unrelated_files_are_not_listed", unrelated),
    full("a_bad_file_is_told_as_always", bad),
    full("one_document_says_what_to_do", alone),
    full("the_keyboard_alone_compares", keyboard),
    full("both_are_planned_with_one_planner", planner),
    full("every_width_shows_the_list", widths),
    full("every_state_is_accessible", accessible),
];

/// Two examples, which have little in common.
const PAIR: &str = "mode=diff&old=ex:diamond&new=ex:resnet18&lang=en";

/// A list of buffers, and the same with one larger, one gone and one new.
const OLD: &str = "id,lower,upper,size\na,0,2,8\nb,1,3,8\nc,2,4,16\nd,3,5,8\ne,4,6,8\nf,5,7,8\n";
const NEW: &str = "id,lower,upper,size\na,0,2,8\nb,1,3,8\nc,2,4,64\nd,3,5,8\ne,4,6,8\ng,0,7,24\n";

fn drop_pair(page: &mut Page) {
    page.drop_files(&[("old.csv", OLD.into()), ("new.csv", NEW.into())]);
    page.until_there("#diff-seal");
}

/// The command line's Markdown of the same two.
fn markdown() -> String {
    use memplan_core::text::Speech;
    use memplan_engine::api::{DiffSettings, diff_model};
    use memplan_formats::import::{self, Answers};
    use memplan_replay::diff::{DiffRecord, report_markdown};
    let read = |text: &str| import::read(text.as_bytes(), Answers::default()).expect("a list");
    let files = ["old.csv", "new.csv"];
    let settings = DiffSettings::default();
    let scope = memplan_core::problem::Scope::default();
    let (model, planner) = diff_model((&read(OLD), &read(NEW)), files, &scope, &settings).expect("plans");
    report_markdown(&DiffRecord::new(vec![model], &planner, None), 10, &[], Speech::default())
}

fn dropped(page: &mut Page) {
    page.open("lang=en");
    drop_pair(page);
    page.until_says("#diff-old", &["old.csv"]);
    page.until_says("#diff-new", &["new.csv"]);
    // 24 bytes at once before, 24 + 72 or more now.
    let peak = |list: &str| native::run(list.as_bytes(), "best").metrics.peak.to_string();
    page.until_attribute("#diff-seal", "data-old", Some(&peak(OLD)));
    page.until_attribute("#diff-seal", "data-new", Some(&peak(NEW)));
    page.until_count(".diff-plan canvas[data-peak]", 2);
    page.until_there("#chart");
    page.until_says("#diff-list", &["Entered the peak", "g", "Changed size", "c"]);
    page.clear_clipboard();
    page.click("#diff-copy");
    assert_eq!(page.until_copied(), markdown());
    // A click on a row lights the buffer in both plans.
    page.click("tbody[data-group=size] .name");
    page.until_attribute("#column-0", "data-selected", Some("c"));
    page.until_attribute("#column-1", "data-selected", Some("c"));
    // Exchanged, what entered left.
    page.click("#diff-swap");
    page.until_attribute("#diff-seal", "data-new", Some(&peak(OLD)));
    page.until_says("tbody[data-group=left]", &["g"]);
    page.click("#mode-step");
    page.until_gone("#diff-list");
    page.until_there("#plan");
}

fn link(page: &mut Page) {
    page.visit("", PAIR);
    page.until_there("#diff-seal");
    page.until_address("mode=diff&old=ex:diamond&new=ex:resnet18");
    page.visit("", "mode=diff&old=url:graphs/two_branches.json&new=ex:resnet18&lang=en");
    page.until_there("#diff-seal");
    page.until_says("#diff-old", &["two_branches.json"]);
    page.until_address("old=url:graphs");
    drop_pair(page);
    page.until_address("old=z:");
    page.press("e");
    page.until_address("sel=");
    let (fragment, selected) = (page.fragment(), page.attribute("#column-1", "data-selected"));
    page.visit("", &fragment);
    page.until_there("#diff-seal");
    page.until_attribute("#column-1", "data-selected", selected.as_deref());
    assert_eq!(page.text("#diff-old b"), "old");
}

fn stepping(page: &mut Page) {
    page.open("lang=en");
    drop_pair(page);
    let names = page.texts("#diff-list tbody:not([data-group=same]) .name");
    assert!(names.len() > 2, "{names:?}");
    for number in 0..names.len() {
        page.press("e");
        page.until_there(&format!("#diff-row-{number}.selected"));
    }
    // After the last comes the first, and before that the last.
    page.press("e");
    page.until_there("#diff-row-0.selected");
    page.press("Shift+e");
    page.until_there(&format!("#diff-row-{}.selected", names.len() - 1));
    page.until_says(".diff-rows [aria-live]", &[&format!("{0} of {0}", names.len())]);
    page.press("Escape");
    page.until_gone("#diff-list .selected");
}

fn itself(page: &mut Page) {
    page.visit("", "mode=diff&old=ex:resnet18&new=ex:resnet18&lang=en");
    page.until_says("#diff-none", &["Nothing differs"]);
    page.until_says("#diff-seal", &["same peak"]);
    assert!(!page.is_there("#diff-list"));
}

fn unrelated(page: &mut Page) {
    page.visit("", "mode=diff&old=ex:teaching&new=ex:resnet18&lang=en");
    page.until_says("#diff-none", &["too little in common"]);
    assert!(!page.is_there("#diff-list"));
}

fn bad(page: &mut Page) {
    page.open("lang=en");
    page.drop_files(&[("broken.json", BROKEN.into()), ("new.csv", NEW.into())]);
    page.until_says("#notice", &["broken.json"]);
    page.until_there("#diff-empty");
    page.until_says("#diff-new", &["new.csv"]);
    // The new one: the other is opened alone, as always.
    page.visit("", "lang=en");
    page.until_planned();
    page.drop_files(&[("old.csv", OLD.into()), ("broken.json", BROKEN.into())]);
    page.until_says("#notice", &["broken.json"]);
    page.until_says("h1", &["old"]);
    assert!(!page.is_there(".diff"));
}

fn alone(page: &mut Page) {
    page.open("doc=ex:diamond&lang=en");
    page.mode("compare");
    page.click("#kind-diff");
    page.until_says("#diff-empty", &["Drop two versions"]);
    page.until_address("mode=diff&new=ex:diamond");
    // What is opened now is compared with what was open.
    page.drop_file("new.csv", NEW.as_bytes());
    page.until_there("#diff-seal");
    page.until_says("#diff-old", &["diamond"]);
    page.click("#kind-compare");
    page.until_there(".columns");
}

fn keyboard(page: &mut Page) {
    page.open("doc=ex:resnet18&lang=en");
    page.eval::<()>("void document.querySelector('#mode-compare').focus()");
    page.press("Enter");
    page.until_there("#kind-diff");
    page.eval::<()>("void document.querySelector('#kind-diff').focus()");
    page.press("Enter");
    page.until_there("#diff-choose");
    page.eval::<()>("void document.querySelector('#diff-choose').focus()");
    page.press("Enter");
    page.until("the focus is in the list", "document.activeElement.getAttribute('role') === 'menuitem'");
    page.press("End");
    page.press("Enter");
    page.until_there("#diff-seal");
    page.press("e");
    page.until_there("#diff-list .selected, #diff-none");
}

fn planner(page: &mut Page) {
    page.visit("", PAIR);
    page.until_there("#diff-seal");
    page.press("j");
    page.until_there("#picker-filter");
    page.browser.type_into("#picker-filter", "worst fit\u{e015}\u{e007}");
    page.until_attribute("#column-0", "data-planner", Some("worst-fit"));
    page.until_attribute("#column-1", "data-planner", Some("worst-fit"));
    page.until_address("plan=worst-fit");
    page.click("#diff-usual");
    page.until("the usual planner", "document.querySelector('#column-0')?.dataset.planner !== 'worst-fit'");
}

fn widths(page: &mut Page) {
    page.open("lang=en");
    drop_pair(page);
    for size in [WIDE, MIDDLE, NARROW, (320, 640)] {
        page.viewport(size);
        page.until("the layout", &format!("innerWidth === {}", size.0));
        page.until("nothing beyond the window", "document.scrollingElement.scrollWidth <= innerWidth");
        page.until(
            "nothing beyond the stage",
            "(main => main.scrollWidth <= main.clientWidth)(document.querySelector('main.diff'))",
        );
        page.until_there("#diff-list .name");
    }
    page.viewport(WIDE);
}

fn accessible(page: &mut Page) {
    let mut axe = Axe::load();
    for settings in ["lang=en&theme=light", "lang=zh&theme=dark"] {
        for size in [WIDE, NARROW] {
            page.viewport(size);
            page.visit("", &format!("mode=diff&new=ex:diamond&{settings}"));
            page.until_there("#diff-empty");
            axe.look(page, "one document");
            page.click("#diff-old");
            page.until_there(".menu");
            axe.look_at(page, ".menu", "what it can be compared with");
            page.press("Escape");
            drop_pair(page);
            page.press("e");
            page.until_there("#diff-list .selected");
            axe.look(page, "two documents");
        }
    }
    page.viewport(WIDE);
    axe.assert_clean();
}
