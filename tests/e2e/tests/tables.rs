//! Tables: names that are longer than their cells, widths of columns, orders.

use std::cmp::Ordering;

use memplan_core::problem::BufferId;
use memplan_e2e::Page;
use memplan_e2e::page::quoted;

use crate::imports::file;
use crate::{Test, full, native, smoke};

pub const TESTS: &[Test] = &[
    full("names_of_a_model_are_short_where_they_stand_and_whole_where_asked_for", names),
    smoke("a_column_is_as_wide_as_it_was_left", widths),
    full("the_graph_is_sorted_by_every_column", graph),
    full("the_ranking_is_sorted_by_every_column", ranking),
    full("the_tables_of_edit_are_sorted_and_the_graph_keeps_its_order", edit),
    full("the_tables_of_a_comparison_are_sorted_by_every_column", compared),
    full("the_list_of_the_peak_is_sorted", peak),
];

const MODEL: &str = "tests/import/onnx/mobilenet_v2_dynamic_batch.onnx";

/// The ONNX model whose names all begin with `/features/features.`.
fn model(page: &mut Page) {
    page.open("plan=first-fit&lang=en");
    page.drop_file("mobilenet.onnx", &file(MODEL));
    page.until_facts("the model", |facts| facts.frames > 50);
    page.click("#left-tab-graph");
    page.until_there("#graph-rows .group-row");
}

fn names(page: &mut Page) {
    model(page);
    // The path stands above its rows, once; the rows are called by the rest.
    let rows = "[...document.querySelectorAll('#graph-rows .graph-row:not(.head)')]";
    page.until(
        "a path above the rows",
        "document.querySelector('#graph-rows .group-row').textContent.startsWith('features')",
    );
    page.until(
        "no row that begins like all",
        &format!("{rows}.every(row => !row.querySelector('.name-cut').textContent.startsWith('/features'))"),
    );
    page.until(
        "whole names in the accessible name",
        &format!("{rows}.some(row => row.querySelector('.named').ariaLabel.startsWith('/features/features.'))"),
    );
    // The end of a name is what tells it from the next: it is never cut.
    page.until(
        "all ends in sight",
        &format!(
            "{rows}.every(row => {{ const [cell, tail] = [row.querySelector('.named'), row.querySelector('.tail')]; return !tail \
             || tail.getBoundingClientRect().right <= cell.getBoundingClientRect().right + 1; }})"
        ),
    );
    // In running text lines break inside names and not before punctuation.
    page.click("#right-tab-why");
    page.eval::<Option<bool>>("void document.querySelector('#plan').focus()");
    page.press("Home");
    page.until_frame(0);
    for frame in 1..=3 {
        page.press("ArrowRight");
        page.until_frame(frame);
    }
    page.until_there("#why-headline .name");
    page.until_there("#why-headline .name wbr");
    let whole = page.attribute("#why-headline .name", "data-name").expect("the whole name");
    assert!(whole.starts_with('/'), "{whole}");
    page.until_attribute("#why-headline .name", "title", Some(&whole));
    // What is copied is the whole name.
    let copied: String = page.eval(
        "(() => {
            const headline = document.querySelector('#why-headline'), selection = getSelection();
            selection.removeAllRanges();
            const range = document.createRange();
            range.selectNode(headline);
            selection.addRange(range);
            const data = new DataTransfer();
            const event = new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true });
            headline.dispatchEvent(event);
            return data.getData('text/plain');
        })()",
    );
    assert!(copied.contains(&whole), "{copied}");
}

fn widths(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&lang=en");
    page.click("#left-tab-buffers");
    let handle = "#buffer-rows [role=columnheader]:nth-child(2) .column-handle";
    page.until_there(handle);
    let width = |page: &Page| -> f64 {
        page.eval(&format!(
            "Math.round(document.querySelector({}).parentElement.getBoundingClientRect().width)",
            quoted(handle)
        ))
    };
    let before = width(page);
    let (x, y) = page.middle(handle);
    page.browser.drag(&[(x, y), (x + 30.0, y)]);
    page.until_equal("the width after a drag", before + 30.0, width);
    page.eval::<Option<bool>>(&format!("document.querySelector({}).focus()", quoted(handle)));
    page.press("ArrowRight");
    page.until_equal("the width after a key", before + 46.0, width);
    page.browser.reload();
    page.until_planned();
    page.click("#left-tab-buffers");
    page.until_there("#buffer-rows");
    page.until_equal("the width of the next visit", before + 46.0, width);
    page.eval::<Option<bool>>(&format!("document.querySelector({}).focus()", quoted(handle)));
    page.press("Delete");
    page.until_equal("the usual width", before, width);
}

/// A row of the graph as it stands: step, name, number of the buffer, and load in percent of the
/// largest.
type GraphRow = (u32, String, Option<u32>, f64);

/// The rows in sight at the top of the graph.
fn graph_rows(page: &Page) -> Vec<GraphRow> {
    page.eval(
        "(list => (list.scrollTop = 0, [...list.querySelectorAll('.graph-row:not(.head)')].map(row => {
            const cells = row.querySelectorAll('[role=gridcell]'), buffer = row.dataset.buffer;
            return [Number(cells[0].textContent), cells[1].ariaLabel, buffer === undefined ? null : Number(buffer),
                parseFloat(cells[3].style.getPropertyValue('--w'))];
        })))(document.querySelector('#graph-rows'))",
    )
}

fn graph(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=first-fit&lang=en");
    page.click("#left-tab-graph");
    page.until_there("#graph-row-0");
    let run = native::run(&native::example("resnet18"), "first-fit");
    let size = |row: &GraphRow| row.2.map(|id| run.problem.buffers[BufferId(id)].size);
    let order = |a: &GraphRow, b: &GraphRow, column: usize| match column {
        1 => a.0.cmp(&b.0),
        2 => a.1.cmp(&b.1),
        3 => size(a).cmp(&size(b)),
        _ => a.3.total_cmp(&b.3),
    };
    let own = page.until_some("rows", |page| Some(graph_rows(page)).filter(|rows| rows.len() > 10 && rows[0].0 == 0));
    for column in 1..=4 {
        let head = format!("#graph-rows [role=columnheader]:nth-child({column})");
        let press = |name: &str| {
            page.click(&format!("{head} .sorts"));
            page.until_attribute(&head, "aria-sort", Some(name));
        };
        for (name, wrong) in [("ascending", Ordering::Greater), ("descending", Ordering::Less)] {
            press(name);
            page.until_equal(&format!("column {column}, {name}"), true, |page| {
                let rows = graph_rows(page);
                rows.len() > 10 && rows.is_sorted_by(|a, b| order(a, b, column) != wrong)
            });
        }
        press("none");
        page.until_equal("the order of the graph", own.clone(), graph_rows);
    }
    // With the keyboard: the highest load first.
    page.eval::<Option<bool>>("document.querySelector('#graph-rows [role=columnheader]:nth-child(4) .sorts').focus()");
    page.press("Enter");
    page.press("Enter");
    page.until(
        "the fullest step",
        "(list => (list.scrollTop = 0, document.querySelector('#graph-row-0 .profile')?.style.getPropertyValue('--w') === '100.0%'))(
            document.querySelector('#graph-rows'))",
    );
}

/// What a column of the ranking says: the numbers, or none where there is none.
fn ranked(page: &Page, figure: &str) -> Vec<Option<f64>> {
    page.eval(&format!(
        "[...document.querySelectorAll('#ranking [data-figure={figure}]')].map(cell => {{
            const value = parseFloat(cell.dataset.value); return Number.isNaN(value) ? null : value; }})"
    ))
}

fn ranking(page: &mut Page) {
    // A comparison has plans of its own, not the one that is waited for elsewhere.
    page.visit("", "doc=ex:teaching&cmp=first-fit|naive&lang=en");
    page.click("#sheet-ranking");
    page.until_there("#ranking tbody tr");
    page.until_gone("#ranking-left");
    let names = |page: &Page| page.texts("#ranking tbody th");
    let (own, peaks, held) = (names(page), ranked(page, "peak"), ranked(page, "held"));
    // What is held at the same time counts where memory is given back. Plans of a part of the
    // buffers come last, whatever their need.
    let needs: Vec<Option<f64>> = held.iter().zip(&peaks).map(|(held, peak)| held.or(*peak)).collect();
    assert!(needs.len() > 10 && needs.iter().all(|need| *need >= needs[0]), "{needs:?}");
    let figures: Vec<String> = page.eval(
        "[...document.querySelector('#ranking tbody tr').querySelectorAll('[data-figure]')].map(cell => cell.dataset.figure)",
    );
    assert_eq!(page.count("#ranking th[aria-sort]"), figures.len() + 1, "each heading has cells to look at");
    let press = |page: &Page, column: usize, order: &str| {
        let head = format!("#ranking th[aria-sort]:nth-of-type({column})");
        page.click(&format!("{head} .sorts"));
        page.until_attribute(&head, "aria-sort", Some(order));
    };
    // Each order follows another one: none is there before its heading is pressed.
    press(page, 1, "ascending");
    let mut sorted = own.clone();
    sorted.sort();
    page.until_equal("names from the first", sorted.clone(), names);
    press(page, 1, "descending");
    sorted.reverse();
    page.until_equal("names from the last", sorted, names);
    for (number, figure) in figures.iter().enumerate() {
        // What has no figure comes after all that have one.
        let key = |value: &Option<f64>| value.unwrap_or(f64::INFINITY);
        press(page, number + 2, "ascending");
        page.until_equal(&format!("{figure}, the least first"), true, |page| {
            let values = ranked(page, figure);
            values.len() > 10 && values.is_sorted_by(|a, b| key(a) <= key(b))
        });
        press(page, number + 2, "descending");
        page.until_equal(&format!("{figure}, the most first"), true, |page| {
            let key = |value: &Option<f64>| value.unwrap_or(f64::NEG_INFINITY);
            ranked(page, figure).is_sorted_by(|a, b| key(a) >= key(b))
        });
    }
    press(page, figures.len() + 1, "none");
    page.until_equal("the order of the ranking", own, names);
}

/// Presses the heading of every column of a table: up, down, and back to its own order.
fn every_column(page: &Page, table: &str, columns: usize) {
    for column in 1..=columns {
        let head = format!("{table} :is([role=columnheader], thead tr > *):nth-child({column})");
        for order in ["ascending", "descending", "none"] {
            page.click(&format!("{head} .sorts"));
            page.until_attribute(&head, "aria-sort", Some(order));
        }
    }
}

fn edit(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.mode("edit");
    page.until_there("#edit-node-0");
    every_column(page, "#edit-nodes", 8);
    let steps = |page: &Page| -> Vec<u32> {
        page.eval("[...document.querySelectorAll('#edit-nodes .node-row:not(.head) > :first-child')].map(cell => Number(cell.textContent))")
    };
    let filed = steps(page);
    assert!(filed.is_sorted());
    page.click("#edit-node-1 .cell");
    page.until_there("#edit-up:not([disabled])");
    let peak = page.facts().peak;
    let head = |column: u32| format!("#edit-nodes [role=columnheader]:nth-child({column}) .sorts");
    page.click(&head(1));
    page.until_there("#edit-up:not([disabled])");
    page.click(&head(1));
    page.until_equal("the last node first", filed.iter().rev().copied().collect(), steps);
    // Sorted otherwise, nothing can be moved, and the page says why.
    page.until_there("#edit-up[disabled]");
    page.until_says("#edit-sorted", &["order"]);
    assert!(page.attribute("#edit-up", "title").expect("a reason").contains("order"));
    // Keys go to the row that is listed below.
    page.click("#edit-node-1 .cell");
    page.press("ArrowDown");
    page.until("the node below", "document.activeElement.closest('.row')?.id === 'edit-node-0'");
    page.click("#edit-sorted button");
    page.until_equal("the order of the graph", filed, steps);
    page.until_gone("#edit-sorted");
    assert_eq!(page.facts().peak, peak, "sorting plans nothing");
    page.click("#editor-tab-tensors");
    page.until_there("#edit-tensor-0");
    every_column(page, "#edit-tensors", 8);
    // Widths are kept, as in other tables.
    let handle = "#edit-tensors [role=columnheader]:nth-child(2) .column-handle";
    let width = |page: &Page| -> f64 {
        page.eval(&format!(
            "Math.round(document.querySelector({}).parentElement.getBoundingClientRect().width)",
            quoted(handle)
        ))
    };
    let before = width(page);
    page.eval::<Option<bool>>(&format!("document.querySelector({}).focus()", quoted(handle)));
    page.press("ArrowRight");
    page.until_equal("the width after a key", before + 16.0, width);
}

fn compared(page: &mut Page) {
    page.visit("", "doc=ex:teaching&cmp=first-fit|naive&lang=en");
    page.until_there("#figures tbody tr td.num[data-value]");
    every_column(page, "#figures", 3);
    every_column(page, "#causes", 3);
    let names = |page: &Page| -> Vec<String> {
        page.eval("[...document.querySelectorAll('#causes tbody tr[data-buffer]')].map(row => row.dataset.buffer)")
    };
    let mut expected = names(page);
    expected.sort();
    page.click("#causes thead th:first-child .sorts");
    page.until_equal("names in order", expected, names);
    page.click("#sheet-sweep");
    page.click("#sweep-run");
    page.until_there("#sweep tbody tr");
    every_column(page, "#sweep", 2);
    page.click("#chart-data summary");
    every_column(page, "#chart-table", 3);
}

fn peak(page: &mut Page) {
    page.open("doc=ex:resnet18&plan=inductor-tree&lang=en");
    page.until_there(".pk-row");
    let falls = |page: &Page| -> Vec<u64> {
        page.eval("[...document.querySelectorAll('.pk-row')].map(row => Number(row.dataset.falls))")
    };
    let mut expected = falls(page);
    expected.sort();
    page.click(".pk-cols > :last-child .sorts");
    page.until("in the order of falls", &format!("JSON.stringify([...document.querySelectorAll('.pk-row')].slice(0, 2).map(row => Number(row.dataset.falls))) === '[{},{}]'", expected[0], expected[1]));
    page.until_gone(".pk-group");
    page.click(".pk-cols > :last-child .sorts");
    page.click(".pk-cols > :last-child .sorts");
    page.until_there(".pk-row");
}
