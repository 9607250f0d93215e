//! Many graphs: a line each, the compared planners as columns.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::browser::css;
use crate::browser::files::fetch_nearby;
use crate::compare::state::Change;
use crate::compare::state::comparison::Compared;
use crate::compare::table::exports;
use crate::compare::{change, name_of};
use crate::context::columns::{Heading, table_heading};
use crate::context::open::{admitted, open_example};
use crate::context::{Page, use_page};
use crate::open::state::document::{BatchFile, Origin};
use crate::open::state::examples::examples;
use crate::open::state::link::{LinkPlace, Restored};
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction};
use crate::widgets::sorting::Sorting;
use memplan_engine::{CompareTask, GraphRow, PlannerChoice, RankingEntry, graphs_verdict, refused_by_all};
use memplan_formats::import::Answers;
use memplan_worker::FileData;

#[component]
pub fn Graphs() -> Html {
    let page = use_page();
    let comparing = &page.state.comparing;
    let sorting = use_state_eq(Sorting::default);
    let choices: Vec<PlannerChoice> = comparing.columns.iter().map(|column| column.choice.clone()).collect();
    let asked = use_mut_ref(Asked::default);
    use_rows(&page, &choices, &asked);
    let built_in = {
        let (page, choices, asked) = (page.clone(), choices.clone(), asked.clone());
        Callback::from(move |_: MouseEvent| measure_built_in(&page, &choices, &asked))
    };
    let own = measure_chosen(&page, &choices, &asked);
    let open = |name: &str, choice: &PlannerChoice| open_graph(&page, name, choice, &choices, &asked);
    // A folder dropped on its field is the field's, not a document for the whole page.
    let kept_here = Callback::from(|event: DragEvent| event.stop_propagation());
    // Ratios up to 2 as a wash, which is seen from the first hundredth on; the number is there too.
    let heat = |ratio: f64| {
        let share = if ratio > 1.0 { (12.0 + (ratio - 1.0) * 33.0).min(45.0) } else { 0.0 };
        format!("--heat:{share:.0}%")
    };
    let verdict = comparing.graphs.as_ref().and_then(|rows| graphs_verdict(rows, &choices, page.speech()));
    let verdict = verdict.map(|message| page.speech().say(&message));
    let head = |column: usize, words: String, shown: Html| {
        let (class, resizes) = (Classes::new(), column < choices.len());
        table_heading(&page, Heading { table: "graphs", column, words, class, sorting: Some(&sorting), resizes }, shown)
    };
    html! {
        <div class="sheet" tabindex="0" role="region" aria-label={page.word("compare.sheet.graphs")}>
            <p class="acts"><button type="button" class="btn line" id="graphs-built-in" onclick={built_in}>{ page.word("compare.built-in") }</button>
                <label class="btn line file">{ page.word("compare.files") }<input type="file" multiple=true class="visually-hidden" onchange={own.clone()} /></label>
                <label class="drop-files" ondrop={kept_here.clone()} ondragover={kept_here}>{ page.word("compare.folder") }
                    <input type="file" id="graphs-folder" webkitdirectory=true title={page.word("compare.folder")} onchange={own} /></label>
                if comparing.graphs.is_some() { { exports(&page, rows) } }</p>
            if let Some(verdict) = verdict { <p class="conclusion" id="graphs-verdict" role="status">{ verdict }</p> }
            if comparing.graphs.is_none() && page.state.job().is_some() { <p class="empty">{ page.word("compare.waiting") }</p> }
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
                                    Some(ratio) => html! { <td class="num heat" ~style={css(heat(ratio))}>
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

/// What was asked for last.
#[derive(Default)]
struct Asked {
    /// Files that the user chose; none for the networks among the examples.
    files: Vec<(String, FileData)>,
    /// Number of the request: examples that come after another one was made are not measured.
    number: u32,
}

impl Asked {
    fn begin(&mut self, files: Vec<(String, FileData)>) -> u32 {
        self.files = files;
        self.number += 1;
        self.number
    }
}

type Files = Rc<RefCell<Asked>>;

/// Whether a graph of the table is one of the examples.
fn is_built_in(name: &str) -> bool {
    examples().iter().any(|example| example.group != "cases" && example.name == name)
}

/// Has the rows measured that are missing: those of the networks among the examples before any
/// files are chosen, and all rows once other planners are compared.
#[hook]
fn use_rows(page: &Page, choices: &[PlannerChoice], asked: &Files) {
    let (page, asked) = (page.clone(), asked.clone());
    use_effect_with(choices.to_vec(), move |choices| {
        let rows = page.state.comparing.graphs.clone();
        let read = rows.iter().flat_map(|rows| rows.iter()).filter_map(|(_, entries)| entries.as_ref().ok());
        let is_there = |choice: &PlannerChoice| {
            read.clone().next().is_none_or(|entries| entries.iter().any(|entry| entry.choice == *choice))
        };
        if choices.is_empty() || rows.is_some() && choices.iter().all(is_there) {
            return;
        }
        let files = asked.borrow().files.clone();
        if !files.is_empty() {
            page.send.emit(change(Change::Ask(CompareTask::Graphs(files, choices.clone()))));
        } else if rows.is_none_or(|rows| rows.iter().all(|(name, _)| is_built_in(name))) {
            measure_built_in(&page, choices, &asked);
        }
    });
}

/// Has all networks among the examples measured.
fn measure_built_in(page: &Page, choices: &[PlannerChoice], asked: &Files) {
    let (send, choices, asked) = (page.send.clone(), choices.to_vec(), asked.clone());
    let number = asked.borrow_mut().begin(Vec::new());
    spawn_local(async move {
        let mut found = Vec::new();
        for example in examples().iter().filter(|example| example.group != "cases") {
            // One that cannot be fetched is missing from the table.
            if let Ok(file) = fetch_nearby(&format!("graphs/{}.json", example.name)).await {
                found.push((example.name.clone(), file));
            }
        }
        if asked.borrow().number == number {
            send.emit(change(Change::Ask(CompareTask::Graphs(found, choices))));
        }
    });
}

/// Has the files measured that the user chooses.
fn measure_chosen(page: &Page, choices: &[PlannerChoice], asked: &Files) -> Callback<Event> {
    let (send, choices, asked) = (page.send.clone(), choices.to_vec(), asked.clone());
    let locale = page.state.settings.locale;
    Callback::from(move |event: Event| {
        let Some(list) = event.target_unchecked_into::<HtmlInputElement>().files() else { return };
        let chosen = admitted((0..list.length()).filter_map(|number| list.get(number)).collect(), locale, &send);
        let chosen: Vec<(String, FileData)> =
            chosen.into_iter().map(|BatchFile { name, bytes }| (name, bytes)).collect();
        // What is shown stays where every file was refused.
        if chosen.is_empty() {
            return;
        }
        asked.borrow_mut().begin(chosen.clone());
        send.emit(change(Change::Ask(CompareTask::Graphs(chosen, choices.clone()))));
    })
}

/// Opens a graph of the table with the planner of a cell, beside the others.
fn open_graph(
    page: &Page,
    name: &str,
    choice: &PlannerChoice,
    all: &[PlannerChoice],
    asked: &Files,
) -> Callback<MouseEvent> {
    let (send, asked, name) = (page.send.clone(), asked.clone(), name.to_string());
    let others = all.iter().filter(|other| *other != choice);
    let choices: Vec<PlannerChoice> = [choice].into_iter().chain(others).cloned().collect();
    Callback::from(move |_: MouseEvent| {
        let compared = Compared { choices: choices.clone(), ..Compared::default() };
        let restored = Restored { compared: Some(compared), ..Restored::default() };
        send.emit(Action::Document(DocumentAction::Restore(Box::new(restored))));
        let place = Some(LinkPlace::default());
        match asked.borrow().files.iter().find(|(file, _)| *file == name) {
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
