//! Many graphs: a line each, the compared planners as columns.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::browser::files::fetch_file;
use crate::app::browser::hooks::{use_mut_ref, use_state_eq};
use crate::app::compare::table::exports;
use crate::app::compare::{change, name_of};
use crate::app::context::Page;
use crate::app::context::columns::{Heading, table_heading};
use crate::app::context::open::{admitted, open_example};
use crate::app::context::use_page;
use crate::app::model::comparison::Compared;
use crate::app::model::document::{Origin, Shelved};
use crate::app::model::examples::examples;
use crate::app::model::link::{LinkPlace, Restored};
use crate::app::state::State;
use crate::app::state::action::{Action, DocumentAction};
use crate::app::state::comparing::Change;
use crate::app::widgets::sorting::Sorting;
use crate::engine::{GraphRow, MeasureTask, PlannerChoice, RankingEntry, refused_by_all};
use crate::import::Answers;
use crate::worker::FileData;

#[component]
pub fn Graphs() -> Html {
    let page = use_page();
    let comparing = &page.state.comparing;
    let sorting = use_state_eq(Sorting::default);
    let choices: Vec<PlannerChoice> = comparing.columns.iter().map(|column| column.choice.clone()).collect();
    let files = use_mut_ref(Vec::<(String, FileData)>::new);
    let built_in = measure_built_in(&page, &choices, &files);
    let own = measure_chosen(&page, &choices, &files);
    let open = |name: &str, choice: &PlannerChoice| open_graph(&page, name, choice, &choices, &files);
    // A folder dropped on its field is the field's, not a document for the whole page.
    let kept_here = Callback::from(|event: DragEvent| event.stop_propagation());
    // Ratios from 1 to 2 as a wash; the number is there, too.
    let heat = |ratio: f64| format!("--heat:{:.0}%", ((ratio - 1.0) * 60.0).clamp(0.0, 60.0));
    let head = |column: usize, words: String, shown: Html| {
        let (class, resizes) = (Classes::new(), column < choices.len());
        table_heading(&page, Heading { table: "graphs", column, words, class, sorting: Some(&sorting), resizes }, shown)
    };
    html! {
        <div class="sheet" tabindex="0" role="region" aria-label={page.word("compare.sheet.graphs")}>
            <p class="acts"><button type="button" class="btn line" id="graphs-built-in" onclick={built_in}>{ page.word("compare.built-in") }</button>
                <label class="btn line file">{ page.word("compare.files") }<input type="file" multiple=true class="visually-hidden" onchange={own.clone()} /></label>
                <label class="drop-files" ondrop={kept_here.clone()} ondragover={kept_here}>{ page.word("compare.folder") }
                    <input type="file" id="graphs-folder" webkitdirectory=true onchange={own} /></label>
                if comparing.graphs.is_some() { { exports(&page, rows) } }</p>
            if let Some(rows) = comparing.graphs.as_ref().map(|rows| sorted(rows, &choices, *sorting)) {
                <table class="figures wide" id="graphs">
                    <caption class="visually-hidden">{ page.word("figure.ratio.is") }</caption>
                    <thead><tr>{ head(0, page.word("compare.graph"), html! { { page.word("compare.graph") } }) }
                        { for choices.iter().enumerate().map(|(number, choice)| head(number + 1, choice.words(page.speech()), name_of(&page, choice))) }</tr></thead>
                    <tbody>{ for rows.iter().map(|(name, row)| html! { <tr data-graph={name.clone()}>
                        <th scope="row">{ name }</th>
                        { match row.as_deref().and_then(|entries| refused_by_all(entries).map_or(Ok(entries), Err)) {
                            Err(why) => html! { <td colspan={choices.len().max(1).to_string()} class="muted">{ page.speech().say(why) }</td> },
                            Ok(entries) => html! { <>{ for choices.iter().map(|choice| {
                                let entry = entries.iter().find(|entry| entry.choice == *choice);
                                match ratio_of(entries, choice) {
                                    Some(ratio) => html! { <td class="num heat" ~style={heat(ratio)}>
                                        <button type="button" class="name" onclick={open(name, choice)}>{ format!("{ratio:.2}") }</button></td> },
                                    None => {
                                        let why = entry.and_then(|entry| entry.result.as_ref().err());
                                        let why = why.map_or_else(|| page.word("figure.no-ratio"), |why| page.speech().say(why));
                                        html! { <td class="num muted" title={why.clone()}><span aria-hidden="true">{ "–" }</span><span class="visually-hidden">{ why }</span></td> }
                                    }
                                }
                            }) }</> },
                        } }
                    </tr> }) }</tbody>
                </table>
            }
        </div>
    }
}

/// Peak over bound of a planner, unless its plan is broken.
fn ratio_of(entries: &[RankingEntry], choice: &PlannerChoice) -> Option<f64> {
    let entry = entries.iter().find(|entry| entry.choice == *choice)?;
    let found = entry.result.as_ref().ok().filter(|found| found.figures.broken == 0)?;
    found.figures.metrics.ratio
}

/// The graphs by the names or by the ratios of a column.
fn sorted<'r>(rows: &'r [GraphRow], choices: &[PlannerChoice], sorting: Sorting) -> Vec<&'r GraphRow> {
    let mut sorted: Vec<&GraphRow> = rows.iter().collect();
    let ratio = |row: &&GraphRow, column: usize| ratio_of(row.1.as_deref().ok()?, choices.get(column - 1)?);
    sorting.sort_by_value(&mut sorted, |a, b| a.0.cmp(&b.0), ratio);
    sorted
}

type Files = Rc<RefCell<Vec<(String, FileData)>>>;

/// Has all networks among the examples measured.
fn measure_built_in(page: &Page, choices: &[PlannerChoice], files: &Files) -> Callback<MouseEvent> {
    let (send, choices, files) = (page.send.clone(), choices.to_vec(), files.clone());
    Callback::from(move |_: MouseEvent| {
        let (send, choices) = (send.clone(), choices.clone());
        files.borrow_mut().clear();
        spawn_local(async move {
            let mut found = Vec::new();
            for example in examples().iter().filter(|example| example.group != "cases") {
                // One that cannot be fetched is missing from the table.
                if let Ok(file) = fetch_file(&format!("./graphs/{}.json", example.name)).await {
                    found.push((example.name.clone(), file));
                }
            }
            send.emit(change(Change::Ask(MeasureTask::Graphs(found, choices))));
        });
    })
}

/// Has the files measured that the user chooses.
fn measure_chosen(page: &Page, choices: &[PlannerChoice], files: &Files) -> Callback<Event> {
    let (send, choices, files) = (page.send.clone(), choices.to_vec(), files.clone());
    let locale = page.state.settings.locale;
    Callback::from(move |event: Event| {
        let Some(list) = event.target_unchecked_into::<HtmlInputElement>().files() else { return };
        let chosen = admitted((0..list.length()).filter_map(|number| list.get(number)).collect(), locale, &send);
        let chosen: Vec<(String, FileData)> = chosen.into_iter().map(|Shelved { name, bytes }| (name, bytes)).collect();
        // What is shown stays where every file was refused.
        if chosen.is_empty() {
            return;
        }
        *files.borrow_mut() = chosen.clone();
        send.emit(change(Change::Ask(MeasureTask::Graphs(chosen, choices.clone()))));
    })
}

/// Opens a graph of the table with the planner of a cell, beside the others.
fn open_graph(
    page: &Page,
    name: &str,
    choice: &PlannerChoice,
    all: &[PlannerChoice],
    files: &Files,
) -> Callback<MouseEvent> {
    let (send, files, name) = (page.send.clone(), files.clone(), name.to_string());
    let others = all.iter().filter(|other| *other != choice);
    let choices: Vec<PlannerChoice> = [choice].into_iter().chain(others).cloned().collect();
    Callback::from(move |_: MouseEvent| {
        let compared = Compared { choices: choices.clone(), ..Compared::default() };
        let restored = Restored { compared: Some(compared), ..Restored::default() };
        send.emit(Action::Document(DocumentAction::Restore(Box::new(restored))));
        let place = Some(LinkPlace::default());
        match files.borrow().iter().find(|(file, _)| *file == name) {
            Some((_, file)) => {
                let (origin, bytes) = (Origin::File(name.clone()), file.clone());
                send.emit(Action::Document(DocumentAction::Open { origin, bytes, choices: Answers::default(), place }));
            }
            None => open_example(name.clone(), place, send.clone()),
        }
    })
}

/// What a saved table holds: files that cannot be read are not in it.
fn rows(state: &State) -> Vec<(String, RankingEntry)> {
    let graphs = state.comparing.graphs.iter().flat_map(|graphs| graphs.iter());
    let read = graphs.filter_map(|(name, entries)| Some((name, entries.as_ref().ok()?)));
    read.flat_map(|(name, entries)| entries.iter().map(|entry| (name.clone(), entry.clone()))).collect()
}
