use std::rc::Rc;

use yew::prelude::*;

use crate::browser::css;
use crate::context::columns::{Heading, heading};
use crate::context::names::cut_name;
use crate::context::same::Same;
use crate::context::sentence::words;
use crate::context::{Page, use_page};
use crate::shell::state::action::{Action, DocumentAction, StepAction};
use crate::widgets::filter::{Filter, filter};
use crate::widgets::rows::{Rows, row_height};
use crate::widgets::sorting::Sorting;
use memplan_core::base::{Arg, Sizes};
use memplan_core::text::Speech;
use memplan_replay::panel::{Cell, Rank, Row, Section, Table, View};

/// The rows of a table that a filter leaves, in order, worked out anew only for other rows, words,
/// filters or orders.
#[hook]
fn use_passing(page: &Page, section: Same<Section>, filter: &str, sorting: Sorting) -> Rc<Vec<usize>> {
    let speech = page.speech();
    let wanted = filter.trim().to_lowercase();
    use_memo((section, wanted, speech, sorting), |(section, wanted, speech, sorting)| {
        let View::Table(table) = &section.view else { return Vec::new() };
        let passes = |row: &Row| wanted.is_empty() || row.says(wanted, *speech);
        let mut rows: Vec<usize> = (0..table.rows.len()).filter(|&row| passes(&table.rows[row])).collect();
        if let Some((column, _)) = sorting.0 {
            // Once for each row, not for each comparison: a rank may be words.
            let ranks: Vec<Option<Rank>> =
                table.rows.iter().map(|row| Some(row.cells.get(column)?.rank(*speech))).collect();
            sorting.sort(&mut rows, |&a, &b, _| ranks[a].cmp(&ranks[b]));
        }
        rows
    })
}

#[derive(Properties, PartialEq)]
pub struct TableViewProps {
    pub section: Same<Section>,
    pub title: AttrValue,
    /// Rows that the table comes to at the end of the run.
    pub rows: usize,
    /// Title and buttons, beside which the filter stands where there is room.
    pub head: Html,
}

#[component]
pub fn TableView(props: &TableViewProps) -> Html {
    let page = use_page();
    let text = use_state_eq(String::new);
    let sorting = use_state_eq(Sorting::default);
    let passing = use_passing(&page, props.section.clone(), &text, *sorting);
    let View::Table(table) = &props.section.view else { return Html::default() };
    let selected =
        table.rows.iter().position(|row| row.buffer.is_some() && row.buffer == page.state.stepping.selection);
    let current = selected.or(table.current).and_then(|row| passing.iter().position(|&other| other == row));
    let marked = table.rows.iter().any(|row| row.changed.is_some());
    let row = {
        let (page, section, passing) = (page.clone(), props.section.clone(), passing.clone());
        Callback::from(move |index: usize| match &section.view {
            View::Table(table) => table_row(&page, table, passing[index], index, current == Some(index), marked),
            _ => Html::default(),
        })
    };
    let onmove = {
        let (send, section, passing) = (page.send.clone(), props.section.clone(), passing.clone());
        Callback::from(move |index: usize| {
            let View::Table(table) = &section.view else { return };
            let row = passing.get(index).and_then(|&row| table.rows.get(row));
            send.emit(Action::Step(StepAction::Select(row.and_then(|row| row.buffer))))
        })
    };
    let head = html! {
        <div class="row section-row head" role="row">
            if marked {
                <span role="columnheader" class="cut what">{ page.word("panel.column.change") }</span>
            }
            { for table.columns.iter().enumerate().map(|(column, shown)| heading(Heading {
                table: props.section.id,
                column,
                words: page.speech().say(&shown.title),
                class: classes!(shown.numeric.then_some("num")),
                sorting: Some(&sorting),
                resizes: column + 1 < table.columns.len(),
            })) }
        </div>
    };
    html! { <>
        <div class="state-head">
            { props.head.clone() }
            { filter(Filter {
                id: "part-filter",
                label: page.word("panel.filter"),
                text: &text,
                all: table.rows.len().max(props.rows),
                count: page.filtered(passing.len(), table.rows.len()),
                always: false,
            }) }
        </div>
        if passing.is_empty() && !table.rows.is_empty() { <p class="empty">{ page.word("panel.no-match") }</p> }
        <Rows count={passing.len()} height={row_height()} {current} {row} {onmove} onpoint={page.pointing()} label={props.title.clone()} id="section-rows" role="grid"
            columns={table.columns.len() + usize::from(marked)} {head} active={current.map(|index| AttrValue::from(format!("section-row-{index}")))} />
    </> }
}

/// Row `of` of a table, the `index`-th that is listed.
fn table_row(page: &Page, table: &Table, of: usize, index: usize, current: bool, marked: bool) -> Html {
    let row = &table.rows[of];
    let class = classes!(
        "row",
        "section-row",
        current.then_some("selected"),
        row.changed.is_some().then_some("new"),
        row.faded.then_some("faded")
    );
    let onclick = row_action(page, row);
    html! {
        <div {class} role="row" id={format!("section-row-{index}")} key={index} data-buffer={row.buffer.map(|id| id.0.to_string())}
            aria-rowindex={(index + 1).to_string()} aria-selected={current.to_string()} {onclick}>
            if marked {
                <span role="gridcell" class="cut what" title={row.changed.as_ref().map(|changed| page.speech().say(changed))}>
                    if let Some(changed) = &row.changed { <b class="happened">{ words(page, changed) }</b> }
                </span>
            }
            { for table.columns.iter().zip(&row.cells).map(|(column, cell)| html! {
                <span role="gridcell" class={if column.numeric { "num" } else { "cut" }} title={cell_title(page, cell)}>
                    { cell_view(page, cell) }</span>
            }) }
        </div>
    }
}

/// A row that states settings plans again with them; any other selects its buffer.
fn row_action(page: &Page, row: &Row) -> Callback<MouseEvent> {
    match row.buffer {
        _ if !row.settings.is_empty() => {
            let settings: Vec<(String, String)> =
                row.settings.iter().map(|(key, value)| (key.to_string(), value.clone())).collect();
            page.on(move || Action::Document(DocumentAction::Options(settings.clone())))
        }
        Some(buffer) => page.on(move || Action::Step(StepAction::Select(Some(buffer)))),
        None => Callback::noop(),
    }
}

fn cell_view(page: &Page, cell: &Cell) -> Html {
    match cell {
        Cell::Bar(share) => {
            html! { <span class="bar-track"><span class="bar" ~style={css(format!("--w:{:.1}%", share * 100.0))}></span></span> }
        }
        Cell::Value(Arg::Name(name)) => {
            let run = page.state.document.run.as_ref();
            cut_name(run.map_or(name, |run| run.label_of(name)), name)
        }
        // Plain words: a row is a target of its own, and links in it would be too close to each
        // other.
        _ => html! { { cell.say(page.speech()) } },
    }
}

/// The whole of a cell that may be cut; all bytes of a size.
fn cell_title(page: &Page, cell: &Cell) -> Option<String> {
    match cell {
        Cell::Say(_) | Cell::Value(Arg::Name(_) | Arg::Names(_) | Arg::Text(_)) => Some(cell.say(page.speech())),
        Cell::Value(Arg::Bytes(_) | Arg::Address(_) | Arg::Span(..)) | Cell::Grown(..) => {
            Some(cell.say(Speech { sizes: Sizes::Exact, ..page.speech() }))
        }
        _ => None,
    }
}
