//! The league: plans are checked in the browser, and plans of other programs join.

use memplan_core::base::exact;
use memplan_e2e::Page;
use memplan_e2e::axe::Axe;
use memplan_e2e::page::{NARROW, WIDE};
use memplan_engine::league::{Entries, Figures, buffers};
use memplan_formats::export;
use memplan_planners::{find, run};

use crate::imports::file;
use crate::{Test, full, native, smoke};

pub const TESTS: &[Test] = &[
    smoke("a_plan_is_checked_at_a_click_and_all_at_another", checked),
    full("plans_of_other_programs_join_and_broken_ones_are_refused", joined),
    full("the_table_is_walked_by_keys_and_axe_finds_nothing", by_keys),
];

const READY: &str = "document.documentElement.dataset.ready !== undefined";

/// An instance of the site.
const INSTANCE: &str = "tiling_150";

fn figures() -> Figures {
    serde_json::from_slice(&file("www/league/figures.json")).expect("figures")
}

fn entries() -> Entries {
    serde_json::from_slice(&file("www/league/entries.json")).expect("entries")
}

fn open(page: &mut Page, fragment: &str) {
    page.visit("league.html", fragment);
    page.until("the league", READY);
}

fn cell(instance: &str, planner: &str) -> String {
    format!("td.cell button[data-instance=\"{instance}\"][data-planner=\"{planner}\"]")
}

fn checked(page: &mut Page) {
    open(page, "lang=en&theme=light");
    let figures = figures();
    let measured = figures.of(INSTANCE).expect("measured");
    let row = measured.row("first-fit").expect("a row");
    page.click(&cell(INSTANCE, "first-fit"));
    let peak = format!("the peak is {}\u{202f}B, as in the table.", exact(row.peak));
    page.until("the outcome", &format!("document.querySelector('#outcome').textContent.includes({peak:?})"));
    assert_eq!(page.attribute("#outcome", "class").as_deref(), Some("good"));
    let link = page.attribute("#open-plan", "href").expect("a link");
    assert!(link.contains("league%2Finstances%2Ftiling_150.csv&plan=first-fit"), "{link}");
    // The instance of another project is not on the site: its source is named.
    if let Some(strange) = figures.instances.iter().find(|measured| measured.id == "A") {
        page.click(&cell("A", &strange.rows[0].planner));
        page.until(
            "what is missing",
            "document.querySelector('#outcome').textContent.includes('not part of this site')",
        );
    }
    page.click("#check-all");
    let entries = entries();
    let here = entries.instances.iter().filter(|entry| entry.is_here()).filter_map(|entry| figures.of(&entry.id));
    let count: usize = here.map(|measured| measured.rows.len()).sum();
    let all = format!("{count} of {count} plans are valid");
    page.until("all plans", &format!("document.querySelector('#checked').textContent.includes({all:?})"));
    assert_eq!(page.count("td.valid"), count);
    assert_eq!(page.count("td.wrong"), 0);
}

/// The plan of a planner as another program would write it, or one in which all buffers lie at 0.
fn plan(broken: bool) -> Vec<u8> {
    let instance = buffers(&file("www/league/instances/tiling_150.csv")).expect("a list of buffers");
    let planner = find("greedy-by-size").expect("registered");
    let options = planner.info().defaults();
    let made = run(planner, &instance, None, &Default::default(), &options, &mut memplan_core::trace::Silent);
    let mut made = made.expect("a plan");
    if broken {
        made.plan.places.iter_mut().flatten().for_each(|place| place.offset = 0);
    }
    export::csv(&instance, Some(&made.plan)).into_bytes()
}

fn joined(page: &mut Page) {
    open(page, "lang=en&theme=light");
    let list = b"id,lower,upper,size\na,0,1,7\n".to_vec();
    page.drop_files(&[
        ("mine.csv", plan(false)),
        ("bad.csv", plan(true)),
        ("list.csv", list),
        ("no.csv", b"?".to_vec()),
    ]);
    page.until_count("#added li", 4);
    let said = page.texts("#added li");
    let wanted = [
        "mine.csv: a valid plan of tiling 150.",
        "bad.csv: a plan of tiling 150 that breaks",
        "list.csv: its buffers",
        "no.csv cannot",
    ];
    for (said, wanted) in said.iter().zip(wanted) {
        assert!(said.starts_with(wanted), "{said}");
    }
    let figures = figures();
    let row = figures.of(INSTANCE).and_then(|measured| measured.row("greedy-by-size")).expect("a row").clone();
    assert!(said[0].contains(&native::single_blanks(&format!("{} B", exact(row.peak)))), "{}", said[0]);
    let same = page.text(&cell(INSTANCE, "greedy-by-size"));
    assert_eq!(page.text(&cell(INSTANCE, "mine")), same);
    assert_eq!(page.text(&cell(INSTANCE, "bad")), "not valid");
    page.click(&cell(INSTANCE, "mine"));
    page.until("the outcome", "document.querySelector('#outcome').className === 'good'");
}

fn by_keys(page: &mut Page) {
    let mut axe = Axe::load();
    open(page, "lang=en&theme=light");
    page.click(&cell(INSTANCE, "exact"));
    page.until("the outcome", "document.querySelector('#outcome').className === 'good'");
    axe.look(page, "league");
    page.press("ArrowRight");
    let focused = "document.activeElement.dataset.instance";
    page.until("the next instance", &format!("{focused} === 'tiling_271'"));
    page.press("Enter");
    page.until("its plan", "document.querySelector('#plan-title').textContent.includes('271')");
    assert_eq!(page.eval::<usize>("document.querySelectorAll('#table button[tabindex=\"0\"]').length"), 1);
    page.viewport(NARROW);
    open(page, "lang=zh&theme=dark");
    page.click(&cell(INSTANCE, "exact"));
    page.until("the outcome", "document.querySelector('#outcome').textContent.startsWith('有效')");
    axe.look(page, "league in Chinese, dark and narrow");
    let wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(page.eval::<i64>(wide), 0, "nothing but the tables is wider than a phone");
    axe.assert_clean();
    // The way from the page.
    page.viewport(WIDE);
    page.open("lang=zh&theme=dark");
    page.click("#more-button");
    page.until_there("#league");
    assert_eq!(page.attribute("#league", "href").as_deref(), Some("./league.html#lang=zh&theme=dark"));
}
