//! One value varied: a line, and a run behind every point.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::browser::hooks::{UseStateHandle, use_state_eq};
use crate::app::compare::change;
use crate::app::compare::chart_view::ChartView;
use crate::app::context::columns::{Heading, table_heading};
use crate::app::context::{Page, use_page};
use crate::app::model::comparison::Swept;
use crate::app::state::action::{Action, CompareAction};
use crate::app::state::comparing::Change;
use crate::app::widgets::sorting::Sorting;
use crate::base::Family;
use crate::engine::{FIGURES, Figure, IMPORTED, MeasureTask, PlannerChoice, Vary, sweep_chart, varies};

#[derive(Properties, PartialEq)]
pub struct SweepProps {
    pub dark: bool,
}

#[component]
pub fn Sweep(props: &SweepProps) -> Html {
    let page = use_page();
    let state = page.state.clone();
    let comparing = &state.comparing;
    let speech = page.speech();
    let column = use_state_eq(|| 0usize);
    let sorting = use_state_eq(Sorting::default);
    let vary = use_state_eq(|| "align".to_string());
    let chosen = use_state_eq(|| "peak".to_string());
    let value = |event: &Event| event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
    let graph = state.document.open.as_ref().and_then(|document| document.graph.clone());
    // Nothing of a plan that is in the file can be varied.
    let columns: Vec<&PlannerChoice> =
        comparing.columns.iter().map(|column| &column.choice).filter(|choice| choice.planner != IMPORTED).collect();
    let choice = columns.get(*column).or(columns.first()).map(|&choice| choice.clone());
    let is_none = choice.is_none();
    let choice = choice.unwrap_or_default();
    let known: Vec<String> = varies(graph.as_deref(), &choice.planner).iter().map(Vary::text).collect();
    let varied = if known.contains(&*vary) { (*vary).clone() } else { "align".into() };
    let run = {
        let (choice, varied) = (choice.clone(), varied.clone());
        page.on(move || change(Change::Ask(MeasureTask::Sweep(choice.clone(), Vary::read(&varied)))))
    };
    let figure = Figure::named(&chosen).unwrap_or(&FIGURES[0]);
    html! {
        <div class="sheet" tabindex="0" role="region" aria-label={page.word("compare.sheet.sweep")}>
            <p class="acts">
                <label>{ page.word("compare.planner") }{ " " }<select class="small" id="sweep-planner" onchange={ let column = column.clone(); move |event: Event| column.set(value(&event).parse().unwrap_or(0)) }>
                    { for columns.iter().enumerate().map(|(number, of)| html! { <option value={number.to_string()} selected={number == *column}>{ of.words(speech) }</option> }) }
                </select></label>
                <label>{ page.word("compare.vary") }{ " " }<select class="small" id="sweep-vary" onchange={ let vary = vary.clone(); move |event: Event| vary.set(value(&event)) }>
                    { for known.iter().map(|text| html! { <option value={text.clone()} selected={*text == varied}>{ if text == "align" { page.word("chart.align") } else { text.clone() } }</option> }) }
                </select></label>
                <label>{ page.word("compare.figure") }{ " " }<select class="small" id="sweep-figure" onchange={ let chosen = chosen.clone(); move |event: Event| chosen.set(value(&event)) }>
                    { for FIGURES.iter().map(|figure| html! { <option value={figure.key} selected={figure.key == *chosen}>{ page.word(&Family::FIGURE.of([figure.key])) }</option> }) }
                </select></label>
                <button type="button" class="btn line" id="sweep-run" disabled={is_none} onclick={run}>{ page.word("compare.run") }</button>
            </p>
            if let Some(swept) = comparing.sweep.clone() {
                <ChartView chart={sweep_chart(&[(&swept.choice, &swept.points)], &swept.vary, figure, speech)} dark={props.dark} onpick={open_point(&page, &swept)} />
                <p class="muted">{ page.word("compare.sweep.opens") }</p>
                { table(&page, &swept, figure, &sorting) }
            }
        </div>
    }
}

/// The figure at every value, with a button that opens the run.
fn table(page: &Page, swept: &Swept, figure: &Figure, sorting: &UseStateHandle<Sorting>) -> Html {
    let speech = page.speech();
    let mut points: Vec<_> = swept.points.iter().collect();
    sorting.sort_by_value(
        &mut points,
        |(a, _), (b, _)| a.value.cmp(&b.value),
        |(_, found), _| figure.value(found.as_ref().ok()?).number(),
    );
    let head = |column: usize, words: String| {
        let heading = Heading {
            table: "sweep",
            column,
            words: words.clone(),
            class: Classes::new(),
            sorting: Some(sorting),
            resizes: true,
        };
        table_heading(page, heading, html! { { words } })
    };
    html! {
        <table class="figures wide" id="sweep">
            <thead><tr>{ head(0, swept.vary.text()) }{ head(1, page.word(&Family::FIGURE.of([figure.key]))) }<td></td></tr></thead>
            <tbody>{ for points.iter().map(|(point, found)| {
                let (choice, scope) = (point.choice.clone(), point.scope.clone());
                let open = page.on(move || Action::Compare(CompareAction::OpenInSteps { choice: choice.clone(), scope: scope.clone() }));
                html! { <tr data-value={point.value.to_string()}><th scope="row" class="num">{ point.value }</th>
                    <td class="num">{ match found { Ok(found) => figure.value(found).words(speech), Err(why) => speech.say(why) } }</td>
                    <td><button type="button" class="btn line" data-open={point.value.to_string()} onclick={open}>{ page.word("compare.open") }</button></td></tr> }
            }) }</tbody>
        </table>
    }
}

/// Opens the run behind a point of the chart.
fn open_point(page: &Page, swept: &Rc<Swept>) -> Callback<f64> {
    let (send, swept) = (page.send.clone(), swept.clone());
    Callback::from(move |place: f64| {
        if let Some((point, _)) = swept.points.get(place as usize) {
            send.emit(Action::Compare(CompareAction::OpenInSteps {
                choice: point.choice.clone(),
                scope: point.scope.clone(),
            }));
        }
    })
}
