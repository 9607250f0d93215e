//! The panel beside the columns: which buffers cause the peak, and the table of figures.

use yew::prelude::*;

use crate::browser::download::save_text;
use crate::compare::name_of;
use crate::compare::peak::Peak;
use crate::compare::state::comparison::Column;
use crate::context::columns::{Heading, table_heading};
use crate::context::{Page, use_page};
use crate::shell::state::State;
use crate::widgets::late::Late;
use crate::widgets::sorting::Sorting;
use memplan_core::base::{Family, Message};
use memplan_engine::{Figure, FigureTable, FigureValue, Measurement, RankingEntry, TableFormat, in_tables};

pub fn side(page: &Page) -> Html {
    html! {
        <aside class="side" id="region-right" tabindex="-1" aria-label={page.word("compare.figures")}>
            <Late><Peak /></Late>
            <Figures />
        </aside>
    }
}

/// Returns the buttons that save a table of plans as CSV, Markdown or JSON. `found` returns the
/// plans at the moment of the click, each with the name of its graph.
pub fn exports(page: &Page, found: fn(&State) -> Vec<(String, RankingEntry)>) -> Html {
    let save = |form: TableFormat, name: &'static str| {
        let (state, speech) = (page.state.clone(), page.speech());
        let onclick = Callback::from(move |_: MouseEvent| {
            let found = found(&state);
            let rows = found.iter().map(|(graph, entry)| (graph.as_str(), entry)).collect();
            save_text(&format!("compare.{name}"), &FigureTable { rows, speech }.write(form));
        });
        html! { <button type="button" class="btn line" data-export={name} {onclick}>{ name.to_ascii_uppercase() }</button> }
    };
    html! { <span class="exports" role="group" aria-label={page.word("compare.export")}>
        { save(TableFormat::Csv, "csv") }{ save(TableFormat::Markdown, "md") }{ save(TableFormat::Json, "json") }
    </span> }
}

pub fn document_name(state: &State) -> String {
    state.document.open.as_ref().map(|document| document.name.clone()).unwrap_or_default()
}

/// The rows of a saved table: one for each column that the engine has answered.
fn rows(state: &State) -> Vec<(String, RankingEntry)> {
    let entry = |column: &Column| {
        let result = column.shown.clone()?.map(|shown| shown.found.clone());
        Some((document_name(state), RankingEntry { choice: column.choice.clone(), result }))
    };
    state.comparing.columns.iter().filter_map(entry).collect()
}

/// The figures of all plans: in the order in which they are usually read, or by any column.
#[component]
fn Figures() -> Html {
    let page = &use_page();
    let sorting = use_state_eq(Sorting::default);
    let speech = page.speech();
    let columns = &page.state.comparing.columns;
    let found: Vec<Option<&Measurement>> =
        columns.iter().map(|column| column.plan().map(|shown| &shown.found)).collect();
    let machine =
        Message::new("compare.machine").text("millis", FigureValue::Millis(page.state.comparing.speed).words(speech));
    let name = |figure: &Figure| page.word(&Family::FIGURE.of([figure.key]));
    let value = |figure: &&Figure, column: usize| {
        found.get(column - 1).copied().flatten().and_then(|found| figure.value(found).number())
    };
    let mut listed: Vec<&Figure> = in_tables().collect();
    sorting.sort_by_value(&mut listed, |a, b| name(a).cmp(&name(b)), value);
    let head = |column: usize, words: String, shown: Html| {
        let (class, resizes) = (Classes::new(), column < columns.len());
        table_heading(page, Heading { table: "figures", column, words, class, sorting: Some(&sorting), resizes }, shown)
    };
    html! { <>
        <header class="side-head"><h2>{ page.word("compare.figures") }</h2>
            <span class="grow"></span>{ exports(page, rows) }</header>
        <table class="figures" id="figures">
            <thead><tr>{ head(0, page.word("compare.figure"), html! { { page.word("compare.figure") } }) }
                { for columns.iter().enumerate().map(|(number, column)| head(number + 1, column.choice.words(speech), name_of(page, &column.choice))) }</tr></thead>
            <tbody>{ for listed.iter().map(|figure| {
                let best = figure.best_of(&found);
                html! { <tr data-figure={figure.key} title={page.word(&Family::FIGURE_IS.of([figure.key]))}>
                    <th scope="row">{ name(figure) }</th>
                    { for found.iter().zip(best).map(|(found, best)| {
                        let cell = found.map_or(FigureValue::Unknown, |found| figure.value(found));
                        html! { <td class={classes!("num", best.then_some("best"))} data-value={cell.plain()} title={cell.exact()}>
                            if best { <span class="visually-hidden">{ page.word("compare.best") }{ " " }</span> }
                            { cell.words(speech) }</td> }
                    }) }
                </tr> }
            }) }</tbody>
        </table>
        <p class="note muted">{ speech.say(&machine) }</p>
    </> }
}
