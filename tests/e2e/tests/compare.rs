//! Plans side by side: the page shows what the crate computes, columns share their cursor, and every figure leads to its run.

use memplan::import::{self, Choices};
use memplan::link::{Choice, Desk, FIELDS, Measure, Measured, Source, Task};
use memplan::problem::Scope;
use memplan_e2e::Page;
use memplan_e2e::axe::Axe;

use crate::native;
use crate::{Test, test};

pub const TESTS: &[Test] = &[
    test("three_planners_have_the_figures_of_the_crate", figures),
    test("the_reference_and_the_cursor_are_shared", reference_and_cursor),
    test("columns_step_together", stepping),
    test("a_ranking_opens_a_run", ranking),
    test("a_point_of_a_sweep_opens_its_run", sweep),
    test("a_chart_can_be_read_as_a_table", chart),
    test("the_keyboard_adds_a_planner_and_moves_the_cursor", keyboard),
    test("every_sheet_is_accessible", accessible),
];

const THREE: &str = "doc=ex:resnet18&plan=inductor-tree&cmp=inductor-tree%7Cfirst-fit%7Cgreedy-by-size&lang=en";

/// Opens a comparison and waits for its columns.
fn open(page: &mut Page, fragment: &str, columns: usize) {
    page.visit("", fragment);
    page.until(
        "all columns are there",
        &format!("document.querySelectorAll('.plot canvas[data-peak]').length === {columns}"),
    );
}

fn figures(page: &mut Page) {
    open(page, THREE, 3);
    let document = import::read(&native::example("resnet18"), Choices::default()).expect("an example").document;
    let ids = ["inductor-tree", "first-fit", "greedy-by-size"];
    let task = Task::Ranking(ids.iter().map(|id| Choice::of(id)).collect());
    let measure = Measure { source: Source::Keep, scope: Scope::default(), task };
    let measured = Desk::holding(document).measure(&measure, &|| 0.0, &mut |_, _| {}).expect("a document");
    let Measured::Ranking(entries) = measured else { panic!("a ranking") };
    for (column, id) in ids.iter().enumerate() {
        let entry = entries.iter().find(|entry| entry.choice.planner == *id).expect("measured");
        let found = entry.result.as_ref().expect("planned");
        // Time is that of the machine.
        for field in FIELDS.iter().filter(|field| field.key != "time") {
            let css = format!("#figures [data-figure='{}'] td:nth-of-type({})", field.key, column + 1);
            assert_eq!(page.attribute(&css, "data-value"), Some((field.of)(found).plain()), "{} of {id}", field.key);
        }
    }
    let bars: Vec<u64> = page.eval("[...document.querySelectorAll('button.bar')].map(bar => +bar.dataset.peak)");
    assert!(bars.len() == 3 && bars.is_sorted(), "{bars:?}");
}

fn reference_and_cursor(page: &mut Page) {
    open(page, THREE, 3);
    assert_eq!(page.count(".column .tag"), 1);
    page.click("[data-planner='first-fit'] summary");
    page.click("[data-planner='first-fit'] [data-act='make-reference']");
    page.until_there(".column[data-planner='first-fit'] .tag");
    page.until_address("ref:1");
    page.browser.type_into("#cursor-step", "\u{e009}a\u{e000}7");
    page.until(
        "all columns are at the step",
        "[...document.querySelectorAll('canvas[data-step]')].every(plan => plan.dataset.step === '7')",
    );
    assert!(page.text("#region-right").contains("live at step 7"));
    page.click("#live .name");
    page.until("all columns show the buffer", "new Set([...document.querySelectorAll('canvas[data-step]')].map(plan => plan.dataset.selected ?? '')).size === 1
        && document.querySelector('canvas[data-step]').dataset.selected");
}

fn stepping(page: &mut Page) {
    open(page, THREE, 3);
    page.click("#compare-sync\\.buffer");
    page.until_there("#position");
    page.click("#region-stage h2");
    page.press("ArrowLeft");
    page.until("a placement is taken back", "+document.querySelector('canvas[data-frame]').dataset.frame < 69");
    page.click("#compare-sync\\.final");
    page.until(
        "all is placed",
        "[...document.querySelectorAll('canvas[data-placed]')].every(plan => plan.dataset.placed === '69')",
    );
    page.click("#compare-differences");
    page.until_there("#compare-differences[aria-pressed=true]");
}

fn ranking(page: &mut Page) {
    open(page, THREE, 3);
    page.click("#sheet-ranking");
    page.until_there("#ranking tbody tr");
    let peaks: Vec<f64> =
        page.eval("[...document.querySelectorAll('#ranking [data-figure=peak]')].map(cell => +cell.dataset.value)");
    assert!(peaks.len() > 15 && peaks.is_sorted(), "{peaks:?}");
    page.click("[data-open='naive']");
    let facts = page.until_planner("naive");
    assert_eq!(facts.peak, native::run(&native::example("resnet18"), "naive").metrics.peak);
}

fn sweep(page: &mut Page) {
    open(page, THREE, 3);
    page.click("#sheet-sweep");
    page.until_there("#sweep-run");
    page.browser.choose("#sweep-planner", "1");
    page.click("#sweep-run");
    page.until_there("#sweep tbody tr");
    assert_eq!(page.count("#sweep tbody tr"), 13);
    page.click("[data-open='4096']");
    page.until_planner("first-fit");
    page.until_address("align:4096");
}

fn chart(page: &mut Page) {
    open(page, THREE, 3);
    page.click("#sheet-charts");
    page.until("the chart is drawn", "document.querySelector('#chart')?.dataset.drawn !== undefined");
    page.browser.choose("#chart-kind", "peaks");
    page.click("#chart-data summary");
    assert_eq!(page.count("#chart-data tbody tr"), 3);
}

fn keyboard(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.press("c");
    page.until("columns are there", "document.querySelectorAll('.plot canvas[data-peak]').length === 3");
    let step: u32 = page.eval("+document.querySelector('canvas[data-step]').dataset.step");
    page.press("ArrowRight");
    page.until(
        "the cursor has moved",
        &format!("+document.querySelector('canvas[data-step]').dataset.step === {}", step + 1),
    );
}

fn accessible(page: &mut Page) {
    let mut axe = Axe::load();
    for scheme in ["light", "dark"] {
        page.prefers(scheme);
        open(page, THREE, 3);
        axe.look(page, &format!("columns, {scheme}"));
        for sheet in ["ranking", "sweep", "graphs", "charts"] {
            page.click(&format!("#sheet-{sheet}"));
            page.until_there(&format!("#sheet-{sheet}[aria-pressed=true]"));
            axe.look(page, &format!("{sheet}, {scheme}"));
        }
    }
    axe.assert_clean();
}
