//! The state of every planner: its parts, told by the same facts that the crate computes, and how
//! it works.

use std::collections::BTreeSet;

use memplan_core::base::Message;
use memplan_core::text::Locale;
use memplan_e2e::Page;
use memplan_planners::{INFOS, Info};
use memplan_replay::Level;
use memplan_replay::panel::{Cell, Section, View, sections};

use crate::native;
use crate::planners::choose;
use crate::{Test, full};

pub const TESTS: &[Test] = &[
    full("each_planner_is_stepped_and_shows_its_state", stepped),
    full("a_row_of_the_order_selects_its_buffer", order_selects),
    full("how_a_planner_works_is_told_in_both_languages", how),
    full("how_it_works_opens_an_example", example),
    full("how_it_works_opens_the_case_it_tells", case),
];

/// Frames stepped through with the arrow key.
const STEPS: u32 = 4;

/// The planners that take part in rankings.
pub fn ranked() -> impl Iterator<Item = &'static Info> {
    INFOS.iter().copied().filter(|info| info.ranked)
}

/// The graph and the frame at which states are looked at.
pub const STATE: (&str, u32) = ("two_branches", 6);

/// Planners whose states have a part of every kind between them: parts of one kind look alike.
pub fn of_every_part() -> impl Iterator<Item = &'static Info> {
    let (bytes, mut seen) = (native::example(STATE.0), BTreeSet::new());
    ranked().filter(move |info| {
        let run = native::run(&bytes, info.id);
        let frame = run.frame(run.timeline.events_at(Level::Decisions, STATE.1));
        let known = seen.len();
        seen.extend(sections(&run, &frame).iter().map(|section| section.id));
        seen.len() > known
    })
}

fn stepped(page: &mut Page) {
    let bytes = native::example(STATE.0);
    page.open(&format!("doc=ex:{}&f=0&lang=en", STATE.0));
    for info in ranked() {
        let run = native::run(&bytes, info.id);
        choose(page, info.id);
        native::until_shown(page, info.id, &run);
        page.press("Home");
        page.until_frame(0);
        for step in 1..=STEPS {
            page.press("ArrowRight");
            page.until_frame(step);
            page.until_text("#why-headline", &native::headline(&run, Level::Decisions, step));
        }
        let frame = run.frame(run.timeline.events_at(Level::Decisions, STEPS));
        for section in sections(&run, &frame).into_iter().map(|section| section.on_page(&run)) {
            if page.is_there("[id^=part-tab-]") {
                page.click(&format!("#part-tab-{}", section.id));
            }
            page.until_there(&format!("[data-section={}]", section.id));
            shows(page, &section);
        }
    }
}

/// The part on the page holds what the section says.
fn shows(page: &Page, section: &Section) {
    let part = format!("[data-section={}]", section.id);
    match &section.view {
        View::Table(table) => {
            let rows = (table.rows.len() + 1).to_string();
            page.until_attribute(&format!("{part} [role=grid]"), "aria-rowcount", Some(&rows));
            page.until_count(&format!("{part} [role=columnheader]:not(.what)"), table.columns.len());
            if !table.rows.is_empty() {
                page.until_there(&format!("{part} .section-row:not(.head)"));
            }
            // Of a long table only the rows in sight are there.
            if table.rows.len() <= 8 {
                let cells = table.rows.iter().flat_map(|row| &row.cells);
                bars(
                    page,
                    &part,
                    cells.filter_map(|cell| if let Cell::Bar(share) = cell { Some(*share) } else { None }),
                );
            }
        }
        View::Ruler(ruler) => page.until_count(&format!("{part} .mark"), ruler.marks.len()),
        View::Strip(chips) => {
            page.until_count(&format!("{part} .chip"), chips.len());
            let first = chips.first().map(|chip| chip.label.clone()).unwrap_or_default();
            page.until_says(&part, &[&first]);
        }
        View::Lanes(lanes) => page.until_count(&format!("{part} .lane"), lanes.len()),
    }
}

/// The bars of a part are as long as their shares.
fn bars(page: &Page, part: &str, shares: impl Iterator<Item = f64>) {
    let lengths = format!(
        "[...document.querySelectorAll('{part} .bar')].map(bar => bar.offsetWidth / bar.parentElement.offsetWidth)"
    );
    let (mut shown, mut expected): (Vec<f64>, Vec<f64>) = (page.eval(&lengths), shares.collect());
    shown.sort_by(f64::total_cmp);
    expected.sort_by(f64::total_cmp);
    let is_close = |(shown, expected): (&f64, &f64)| (shown - expected).abs() < 0.04;
    assert!(
        shown.len() == expected.len() && shown.iter().zip(&expected).all(is_close),
        "{part}: {shown:?}, {expected:?}"
    );
}

fn order_selects(page: &mut Page) {
    let run = native::run(&native::example("diamond"), "first-fit");
    page.open("doc=ex:diamond&plan=first-fit&f=1&lang=en");
    page.click("#part-tab-order");
    page.until_there("[data-section=order]");
    page.click("#section-row-1");
    let second = &run.problem.buffers[run.timeline.decisions[1].buffer].name;
    page.until_selected(Some(second));
}

/// Opens how a planner works, which is told in the words of the crate.
pub fn open_how(page: &Page, info: &Info, locale: Locale) {
    page.click("#how-button");
    page.until_there("[role=dialog] .how");
    for part in ["what", "rule", "time", "differs"] {
        let words = native::single_blanks(locale.template(&format!("how.{}.{part}", info.id)));
        page.until_says("[role=dialog]", &[&words]);
    }
    let weak = memplan_core::text::Speech { locale, sizes: memplan_core::base::Sizes::Exact }.say(&info.weak());
    page.until_says("[role=dialog]", &[&native::single_blanks(&weak), info.complexity.text()]);
}

fn how(page: &mut Page) {
    // Some that are ranked are read in English where axe looks at the same dialogs. The words of
    // every planner in both languages are checked natively: a few planners show that they arrive.
    let others: Vec<&Info> = INFOS.iter().copied().filter(|info| !info.ranked).collect();
    for (locale, planners) in [(Locale::En, &others[..]), (Locale::Zh, &INFOS[..2])] {
        page.open(&format!("doc=ex:diamond&lang={}", locale.name()));
        for info in planners {
            choose(page, info.id);
            page.until_planner(info.id);
            open_how(page, info, locale);
            page.press("Escape");
            page.until_gone("[role=dialog]");
        }
    }
}

fn case(page: &mut Page) {
    // One with an option of its own.
    let info = memplan_planners::info("executorch-suite").expect("registered");
    page.open(&format!("doc=ex:diamond&plan={}&lang=en", info.id));
    page.click("#how-button");
    page.until_there("#how-case");
    page.click("#how-case");
    page.until_gone("[role=dialog]");
    page.until_address(&format!("doc=ex:{}", info.case_name()));
    page.until_address("opt=algorithms:naive%3Bgreedy");
    page.until_planner(info.id);
}

fn example(page: &mut Page) {
    let info = ranked().next().expect("a planner");
    page.open(&format!("doc=ex:diamond&plan={}&lang=en", info.id));
    page.click("#how-button");
    page.until_there("#how-example");
    let words = Message::new("how.example").text("example", info.example);
    let said = memplan_core::text::Speech { locale: Locale::En, ..Default::default() }.say(&words);
    page.until_text("#how-example", &said);
    page.click("#how-example");
    page.until_gone("[role=dialog]");
    page.until_address(&format!("doc=ex:{}", info.example));
}
