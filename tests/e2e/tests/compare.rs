//! Plans side by side: the page shows what the crate computes, columns share their cursor, and
//! every figure leads to its run.

use std::sync::atomic::{AtomicU32, Ordering};

use memplan_core::problem::Scope;
use memplan_e2e::Page;
use memplan_e2e::axe::Axe;
use memplan_engine::{
    Answer, CompareTask, Comparison, Engine, FIGURES, NoListener, PlannerChoice, RankingEntry, Request, Source, Task,
    rankings, ranks,
};
use memplan_formats::import::{self, Answers};
use memplan_replay::Level;
use serde_json::json;

use crate::native;
use crate::samples::training_chain;
use crate::{Test, full, measure, smoke};

pub const TESTS: &[Test] = &[
    smoke("three_planners_have_the_figures_of_the_crate", figures),
    full("the_reference_and_the_cursor_are_shared", reference_and_cursor),
    smoke("columns_step_together", stepping),
    full("a_ranking_opens_a_run", ranking),
    full("a_ranking_that_lasts_has_two_workers", two_workers),
    smoke("a_point_of_a_sweep_opens_its_run", sweep),
    full("every_chart_can_be_read_as_a_table", charts),
    full("a_point_of_a_chart_tells_its_value_and_opens_its_run", points),
    full("a_link_leads_back_to_the_view", link),
    full("time_can_go_down", turned),
    full("graphs_by_planners_is_a_table_that_opens_comparisons", graphs),
    full("the_keyboard_adds_a_planner_and_moves_the_cursor", keyboard),
    full("columns_change_places_by_pointer_and_by_keys", places),
    full("rules_of_a_column_are_its_own", rules_of_a_column),
    full("every_sheet_is_accessible", accessible),
    measure("four_planners_step_through_ten_thousand_buffers", large),
];

pub const THREE: &str = "doc=ex:resnet18&plan=inductor-tree&cmp=inductor-tree%7Cfirst-fit%7Cgreedy-by-size&lang=en";

/// Opens a comparison and waits for its columns.
pub fn open(page: &mut Page, fragment: &str, columns: usize) {
    page.visit("", fragment);
    page.until(
        "all columns are there",
        &format!("document.querySelectorAll('.plot canvas[data-peak]').length === {columns}"),
    );
}

fn figures(page: &mut Page) {
    open(page, THREE, 3);
    let document = import::read(&native::example("resnet18"), Answers::default()).expect("an example").document;
    let ids = ["inductor-tree", "first-fit", "greedy-by-size"];
    let task = Task::Compare(CompareTask::Ranking(ids.iter().map(|id| PlannerChoice::of(id)).collect()));
    let request = Request { source: Source::Keep, scope: Scope::default(), task };
    let answer = Engine::with_document(document).answer(&request, &|| 0.0, &mut NoListener);
    let Ok(Answer::Compared(Comparison::Ranking(entries))) = answer else { panic!("a ranking") };
    for (column, id) in ids.iter().enumerate() {
        let entry = entries.iter().find(|entry| entry.choice.planner == *id).expect("measured");
        let found = entry.result.as_ref().expect("planned");
        // Time is that of the machine.
        for figure in FIGURES.iter().filter(|figure| figure.key != "time") {
            let css = format!("#figures [data-figure='{}'] td:nth-of-type({})", figure.key, column + 1);
            page.until_attribute(&css, "data-value", Some(&figure.value(found).plain()));
        }
    }
    page.until_count("button.bar", 3);
    let bars: Vec<u64> = page.eval("[...document.querySelectorAll('button.bar')].map(bar => +bar.dataset.peak)");
    assert!(bars.is_sorted(), "{bars:?}");
}

fn reference_and_cursor(page: &mut Page) {
    open(page, THREE, 3);
    page.until_count(".column .tag", 1);
    page.click("[data-planner='first-fit'] summary");
    page.click("[data-planner='first-fit'] [data-act='make-reference']");
    page.until_there(".column[data-planner='first-fit'] .tag");
    page.until_address("ref:1");
    page.click("#causes-cursor");
    page.browser.type_into("#cursor-step", "\u{e009}a\u{e000}7");
    page.until(
        "all columns are at the step",
        "[...document.querySelectorAll('canvas[data-step]')].every(plan => plan.dataset.step === '7')",
    );
    page.until_says("#region-right", &["live at step 7"]);
    page.click("#causes .name");
    page.until("all columns show the buffer", "new Set([...document.querySelectorAll('canvas[data-step]')].map(plan => plan.dataset.selected ?? '')).size === 1
        && document.querySelector('canvas[data-step]').dataset.selected");
}

fn stepping(page: &mut Page) {
    const UNET: &str = "doc=ex:unet_512&plan=inductor-tree&cmp=inductor-tree%7Ctflm-greedy%7Cfirst-fit&lang=en";
    open(page, UNET, 3);
    page.until_text("#together-frame", "67 / 67");
    page.until_says("#region-stepper", &["finished plans"]);
    page.until_says(
        "[data-planner='tflm-greedy'] .difference",
        &["frame 1, conv2d_18", "19 of 67 buffers lie elsewhere"],
    );
    page.click("[data-planner='first-fit'] [data-first]");
    page.until_text("#together-frame", "2 / 67");
    page.press("e");
    page.until_text("#together-frame", "3 / 67");
    page.until_text("#together-buffer", "relu_1");
    page.until_address("at:3");
    // Every column shows what the replay of its planner alone shows at the frame that places the
    // same buffer.
    for (planner, frame) in [("inductor-tree", 3), ("tflm-greedy", 10), ("first-fit", 7)] {
        let run = native::run(&native::example("unet_512"), planner);
        let shown = run.frame(run.timeline.events_at(Level::Decisions, frame));
        let canvas = format!("canvas[data-planner='{planner}']");
        page.until_attribute(&canvas, "data-frame", Some(&frame.to_string()));
        page.until_attribute(&canvas, "data-focus", Some("relu_1"));
        page.until_attribute(&canvas, "data-now", Some(&shown.peak.to_string()));
        page.until_attribute(&canvas, "data-placed", Some(&shown.placed.to_string()));
        page.until_says(&format!(".column[data-planner='{planner}'] .decision"), &["relu_1"]);
    }
    page.press("Home");
    page.until_text("#together-frame", "0 / 67");
    page.press(" ");
    page.until(
        "play steps all columns",
        "[...document.querySelectorAll('canvas[data-frame]')].every(plan => +plan.dataset.frame > 0)",
    );
    page.press(" ");
    page.press("End");
    page.until_says("#region-stepper", &["finished plans"]);
    page.click("#compare-sync\\.frame");
    page.click("[data-step='step.first']");
    page.click("[data-step='step.next']");
    page.until(
        "the first frame of each",
        "[...document.querySelectorAll('canvas[data-frame]')].every(plan => plan.dataset.frame === '1')",
    );
    page.until_address("by=frame");
    page.click("#compare-differences");
    page.until_there("#compare-differences[aria-pressed=true]");
}

fn ranking(page: &mut Page) {
    open(page, THREE, 3);
    page.click("#sheet-ranking");
    page.until("the rows", "document.querySelectorAll('#ranking tbody tr').length > 15");
    page.until_gone("#ranking-left");
    let peaks: Vec<f64> =
        page.eval("[...document.querySelectorAll('#ranking tr:has([data-rank]) [data-figure=peak]')].map(cell => +cell.dataset.value)");
    // What is held at once ranks before the sum of storages; plans of a part have no rank.
    assert!(peaks.len() > 15 && peaks.iter().all(|peak| *peak >= peaks[0]), "{peaks:?}");
    page.click("[data-open='naive']");
    native::until_shown(page, "the run of a row", &native::run(&native::example("resnet18"), "naive"));
}

fn two_workers(page: &mut Page) {
    page.browser.emulate("Emulation.setHardwareConcurrencyOverride", json!({ "hardwareConcurrency": 2 }));
    // Each worker holds a lock as long as it lives.
    let workers = |page: &Page| -> usize {
        page.browser.script_later(
            "const then = arguments[0]; navigator.locks.query().then(({ held }) =>
                then(held.filter(lock => lock.name.startsWith('memplan worker')).length));",
            Vec::new(),
        )
    };
    open(page, "doc=ex:resnet18_train_b8&cmp=first-fit%7Cgreedy-by-size&lang=en", 2);
    page.until_equal("one worker", 1, workers);
    page.click("#sheet-ranking");
    page.until_equal("two workers", 2, workers);
    page.until_gone("#ranking-left");
    page.until_equal("one worker once all planners are measured", 1, workers);
    let shown: Vec<(String, f64)> = page.eval(
        "[...document.querySelectorAll('#ranking tr:has([data-rank])')].map(row =>
            [row.dataset.planner, +row.querySelector('[data-figure=peak]').dataset.value])",
    );
    let document =
        import::read(&native::example("resnet18_train_b8"), Answers::default()).expect("an example").document;
    // A clock that only jumps: no plan is timed twice.
    let now = AtomicU32::new(0);
    let clock = || f64::from(now.fetch_add(10_000, Ordering::Relaxed));
    let entries = rankings(&[(document, Scope::default())], &[], 2, &clock, &mut NoListener).remove(0);
    let ranked = entries.iter().zip(ranks(&entries)).filter(|(_, rank)| rank.is_some());
    let peak = |(entry, _): (&RankingEntry, _)| {
        let found = entry.result.as_ref().expect("a plan with a rank");
        (entry.choice.planner.clone(), found.figures.metrics.peak as f64)
    };
    // Planners of the same need stand in the order in which they were measured.
    let sorted = |mut rows: Vec<(String, f64)>| {
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        rows
    };
    assert_eq!(sorted(shown), sorted(ranked.map(peak).collect()));
    // Who cancels ends both.
    page.click(".sheet .acts button");
    page.until_equal("two workers again", 2, workers);
    page.click(".sheets .working button");
    page.until_gone("#ranking-left");
    page.until_equal("at most the first worker", true, |page| workers(page) < 2);
}

fn sweep(page: &mut Page) {
    open(page, THREE, 3);
    page.click("#sheet-sweep");
    page.until_there("#sweep-run");
    page.browser.choose("#sweep-planner", "1");
    page.click("#sweep-run");
    page.until_there("#sweep tbody tr");
    page.until_count("#sweep tbody tr", 13);
    page.click("[data-open='4096']");
    page.until_planner("first-fit");
    page.until_address("align:4096");
}

pub fn until_drawn(page: &Page) {
    page.until("the chart is drawn", "document.querySelector('#chart')?.dataset.drawn !== undefined");
}

/// The kinds of charts.
pub const CHARTS: [&str; 5] = ["memory", "peaks", "sizes", "lifetimes", "growth"];

fn charts(page: &mut Page) {
    open(page, THREE, 3);
    page.click("#sheet-charts");
    let problem = native::run(&native::example("resnet18"), "first-fit").problem.clone();
    let rows = "[...document.querySelectorAll('#chart-data tbody tr')].map(row => row.lastElementChild)";
    let mut titles = std::collections::BTreeSet::new();
    for kind in CHARTS {
        page.browser.choose("#chart-kind", kind);
        page.until("the chosen kind", &format!("document.querySelector('#chart-kind').value === '{kind}'"));
        page.until_painted();
        until_drawn(page);
        page.until("its numbers", &format!("{rows}.length > 1"));
        let values: Vec<f64> = page.eval(&format!("{rows}.map(cell => +cell.dataset.value)"));
        let words: Vec<String> = page.eval(&format!("{rows}.map(cell => cell.textContent)"));
        // Bytes have a unit, numbers of buffers and times have none.
        let has_unit = |text: &String| text.ends_with('B');
        let counts = matches!(kind, "sizes" | "lifetimes" | "growth");
        assert!(words.iter().all(|text| !text.is_empty() && has_unit(text) != counts), "{kind}: {words:?}");
        assert!(values.iter().all(|value| value.is_finite() && *value >= 0.0), "{kind}: {values:?}");
        match kind {
            "peaks" => assert!(values.len() == 3 && values.is_sorted(), "{values:?}"),
            // Every buffer is counted once.
            "sizes" | "lifetimes" => assert_eq!(values.iter().sum::<f64>(), problem.buffers.len() as f64, "{kind}"),
            _ => assert!(values.len() > 10, "{kind}: {values:?}"),
        }
        // Something other than the background is on the canvas.
        let colours: usize = page.eval(
            "(() => { const canvas = document.querySelector('#chart'), data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
                return new Set(new Uint32Array(data.buffer)).size; })()",
        );
        assert!(colours > 8, "{kind}: {colours} colours");
        titles.insert(page.attribute("#chart", "aria-label").expect("a name"));
    }
    assert_eq!(titles.len(), 5, "{titles:?}");
}

fn points(page: &mut Page) {
    open(page, THREE, 3);
    page.click("#sheet-sweep");
    page.browser.choose("#sweep-planner", "1");
    page.click("#sweep-run");
    page.until_there("#sweep tbody tr");
    until_drawn(page);
    // The last point, alignment 4096, lies near the right end of the plot, at whatever height.
    let (x, y, width, height) = page.place("#chart");
    let column = (1..).map(|number| (x + width - 45.0, y + 25.0 * number as f64)).take_while(|at| at.1 < y + height);
    let at = column.into_iter().find(|&at| {
        page.browser.hover(at);
        page.until_painted();
        page.is_there("#chart-tip")
    });
    let at = at.expect("a point under the pointer");
    page.until_says("#chart-tip", &["4096"]);
    page.browser.drag(&[at, at]);
    page.until_planner("first-fit");
    page.until_address("align:4096");
}

fn link(page: &mut Page) {
    open(page, THREE, 3);
    page.click("#compare-sync\\.fraction");
    page.click("#compare-differences");
    page.click("#compare-fit-each");
    page.click("#region-stage h2");
    // The finished plans come after the last hundredth.
    page.press("ArrowLeft");
    page.press("ArrowLeft");
    page.until_address("at:99");
    let fragment = page.fragment();
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    open(page, &fragment, 3);
    for pressed in ["#compare-sync\\.fraction", "#compare-differences", "#compare-fit-each"] {
        page.until_attribute(pressed, "aria-pressed", Some("true"));
    }
    page.until_address("at:99");
    let last: u32 = page.eval("+document.querySelector('#position').getAttribute('aria-valuemax')");
    page.until("the position", &format!("+document.querySelector('#position').getAttribute('aria-valuenow') < {last}"));
}

fn turned(page: &mut Page) {
    open(page, THREE, 3);
    page.click("#compare-turned");
    page.until_address("turn:1");
    page.until_painted();
    let press = |page: &Page, at: (f64, f64)| page.browser.drag(&[at, at]);
    // A press near the lower edge is now a late step, in whatever column.
    let (x, y, width, height) = page.place("#column-1");
    press(page, (x + width / 2.0, y + height - 20.0));
    let late = "+document.querySelector('canvas[data-step]').dataset.step > 50";
    page.until("a late step", late);
    press(page, (x + width / 2.0, y + height * 0.15));
    page.until("an early step", "+document.querySelector('canvas[data-step]').dataset.step < 20");
}

fn graphs(page: &mut Page) {
    open(page, THREE, 3);
    page.click("#sheet-graphs");
    page.until_there("#graphs-built-in");
    page.click("#graphs-built-in");
    page.until("all built-in graphs", "document.querySelectorAll('#graphs tbody tr').length > 7");
    let found = native::run(&native::example("mobilenet_v2"), "first-fit").metrics.ratio.expect("a ratio");
    let cell = "#graphs [data-graph='mobilenet_v2'] td:nth-of-type(2)";
    page.until_text(cell, &format!("{found:.2}"));
    page.click(&format!("{cell} button"));
    page.until("the graph opens", "document.querySelector('h1').textContent.includes('mobilenet')");
    page.until("its columns", "document.querySelectorAll('.plot canvas[data-peak]').length === 3");
    page.until_attribute(".column", "data-planner", Some("first-fit"));
}

/// The planner in the column is also the main one, which has the same option.
fn rules_of_a_column(page: &mut Page) {
    open(page, "doc=ex:resnet18&plan=executorch-greedy&cmp=first-fit%7Cexecutorch-greedy&lang=en", 2);
    let peak = |rules: &str| {
        let options = [("rules", rules)];
        native::run_with(&native::example("resnet18"), "executorch-greedy", &options, Scope::default()).metrics.peak
    };
    let (before, after) = (peak(""), peak("kind:input=2"));
    assert_ne!(before, after, "the rule changes the plan");
    let column = ".column[data-planner='executorch-greedy']";
    page.until_attribute(&format!("{column} canvas[data-peak]"), "data-peak", Some(&before.to_string()));
    page.click(&format!("{column} summary"));
    page.browser.type_into(&format!("{column} #rule-what"), "kind:input");
    page.click(&format!("{column} #rule-add"));
    page.until_attribute(&format!("{column} canvas[data-peak]"), "data-peak", Some(&after.to_string()));
    page.until_says(&format!("{column} #rules tbody tr"), &["kind:input"]);
    page.mode("step");
    page.until_facts("the main planner without a rule", |facts| facts.peak == before);
}

fn large(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.drop_file("large.json", training_chain(1670).as_bytes());
    page.until("the large graph", "document.querySelector('h1').textContent.includes('training chain') && +document.querySelector('#plan').dataset.frames > 10000");
    page.press("c");
    page.until("three columns", "document.querySelectorAll('.plot canvas[data-peak]').length === 3");
    page.click("#add-planner");
    page.click(".picker [data-planner='tvm-relay']");
    page.until("four columns", "document.querySelectorAll('.plot canvas[data-peak]').length === 4");
    page.until_there("#position");
    page.until_painted();
    let steps = forty_steps(page);
    println!("four columns of 10 000 buffers: median step {:.1} ms, longest {:.1} ms", steps[20], steps[39]);
}

/// Steps through the comparison: how long each step took in milliseconds, sorted.
fn forty_steps(page: &Page) -> Vec<f64> {
    page.browser.script::<serde_json::Value>(
        "window.steps = []; window.over = false;
        const track = document.querySelector('#position');
        const go = left => {
            if (!left) { window.over = true; return; }
            const start = performance.now();
            // A tenth of the run each: down to its begin, then up, and again.
            const key = Math.floor((left - 1) / 10) % 2 ? 'PageDown' : 'PageUp';
            track.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
            // The picture of a step is painted before the second animation frame begins.
            requestAnimationFrame(() => setTimeout(() => { steps.push(performance.now() - start); requestAnimationFrame(() => go(left - 1)); }));
        };
        go(40);",
        Vec::new(),
    );
    page.until("forty steps", "window.over");
    let mut steps: Vec<f64> = page.eval("steps");
    steps.sort_by(f64::total_cmp);
    steps
}

fn keyboard(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.press("c");
    page.until("columns are there", "document.querySelectorAll('.plot canvas[data-peak]').length === 3");
    page.press("Home");
    page.press("ArrowRight");
    page.until(
        "all columns have stepped",
        "[...document.querySelectorAll('canvas[data-frame]')].every(plan => plan.dataset.focus === document.querySelector('#together-buffer').textContent)",
    );
    page.until_text("#together-frame", "1 / 8");
}

fn places(page: &mut Page) {
    const ORDER: &str = "[...document.querySelectorAll('.column')].map(column => column.dataset.planner).join()";
    open(page, THREE, 3);
    let until = |page: &Page, order: &str| page.until(order, &format!("{ORDER} === '{order}'"));
    let heading = |page: &Page, planner: &str| page.middle(&format!("[data-planner='{planner}'] h2"));
    // The reference goes along.
    let (from, over) = (heading(page, "inductor-tree"), heading(page, "greedy-by-size"));
    page.browser.drag(&[from, (from.0 + 60.0, from.1), over]);
    until(page, "first-fit,greedy-by-size,inductor-tree");
    page.until_there(".column[data-planner='inductor-tree'] .tag");
    page.until_address("cmp=first-fit%7Cgreedy-by-size%7Cinductor-tree");
    let (from, over) = (heading(page, "greedy-by-size"), heading(page, "first-fit"));
    page.browser.drag(&[from, over]);
    until(page, "greedy-by-size,first-fit,inductor-tree");
    assert!(!page.is_there(".column.taken, .drop-before, .drop-after"), "nothing is left of the drag");
    // A press without a move moves nothing, and the menu of a heading is still one.
    page.browser.drag(&[from, from]);
    page.click("[data-planner='first-fit'] summary");
    page.until_there("[data-planner='first-fit'] details[open]");
    until(page, "greedy-by-size,first-fit,inductor-tree");
    page.click("[data-planner='first-fit'] summary");

    page.eval::<Option<bool>>("void document.querySelector('[data-planner=inductor-tree] .handle').focus()");
    page.press("ArrowLeft");
    until(page, "greedy-by-size,inductor-tree,first-fit");
    let focus_goes_along = |page: &Page| {
        page.until(
            "the focus goes along",
            "document.activeElement.closest('.column')?.dataset.planner === 'inductor-tree'",
        )
    };
    focus_goes_along(page);
    page.press("ArrowLeft");
    until(page, "inductor-tree,greedy-by-size,first-fit");
    focus_goes_along(page);
    page.until("what it has become", "document.querySelector('.toast')?.textContent.includes('column 1 of 3')");
    page.press("ArrowLeft");
    page.press("ArrowRight");
    until(page, "greedy-by-size,inductor-tree,first-fit");
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
            // Figures that come later move everything below them, and what is to be clicked next.
            page.until_there("main.compare[aria-busy=false]");
            axe.look(page, &format!("{sheet}, {scheme}"));
        }
    }
    axe.assert_clean();
}
