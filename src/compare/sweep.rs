//! One value varied: a line for each planner, a run behind every point, and what it comes to.

use std::collections::BTreeSet;
use std::rc::Rc;

use yew::prelude::*;

use crate::compare::chart_view::ChartView;
use crate::compare::state::Change;
use crate::compare::state::comparison::Swept;
use crate::compare::{change, name_of};
use crate::context::columns::{Heading, table_heading};
use crate::context::{Page, use_page};
use crate::shell::state::action::{Action, CompareAction};
use crate::widgets::sorting::Sorting;
use memplan_core::base::{Arg, Family, Message};
use memplan_engine::{
    FIGURES, Figure, PlannerChoice, SweepPoint, SweepPoints, Vary, not_varied, sweep_chart, sweep_verdict,
    swept_values, swept_words, varies,
};

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
    // All of them, unless one is chosen.
    let one = use_state_eq(|| None::<usize>);
    let sorting = use_state_eq(Sorting::default);
    let chosen = use_state_eq(|| "peak".to_string());
    let value = |event: &Event| event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
    let graph = state.document.open.as_ref().and_then(|document| document.graph.clone());
    let columns = comparing.variable();
    let shown: Vec<&PlannerChoice> = match one.and_then(|number| columns.get(number)) {
        Some(choice) => vec![choice],
        None => columns.clone(),
    };
    let mut known: Vec<String> = Vec::new();
    for vary in shown.iter().flat_map(|choice| varies(graph.as_deref(), &choice.planner)) {
        if !known.contains(&vary.text()) {
            known.push(vary.text());
        }
    }
    let varied = comparing.vary.text();
    let not_varied: BTreeSet<String> =
        shown.iter().filter_map(|choice| not_varied(&choice.planner, |_| true)).map(|why| speech.say(&why)).collect();
    {
        // Another document, or other planners, may have no such value. A program of the user's own
        // may still have to be read for its options.
        let is_known = state.job().is_none() && state.own.link.is_none();
        let (send, is_gone) = (page.send.clone(), is_known && !known.is_empty() && !known.contains(&varied));
        use_effect_with(is_gone, move |is_gone| {
            if *is_gone {
                send.emit(change(Change::Vary(Vary::default())));
            }
        });
    }
    let found: Vec<&Rc<Swept>> = shown.iter().filter_map(|choice| comparing.swept(choice)).collect();
    let lines: Vec<&Rc<Swept>> = found.iter().copied().filter(|swept| !swept.points.is_empty()).collect();
    let without = found.iter().filter(|swept| swept.points.is_empty()).map(|swept| swept.choice.words(speech));
    let without: Vec<String> = without.collect();
    let points: Vec<(&PlannerChoice, &SweepPoints)> =
        lines.iter().map(|swept| (&swept.choice, &*swept.points)).collect();
    let figure = Figure::named(&chosen).unwrap_or(&FIGURES[0]);
    let verdict: Vec<String> =
        sweep_verdict(&points, &comparing.vary, figure, speech).iter().map(|message| speech.say(message)).collect();
    let planned = {
        let one = one.clone();
        move |event: Event| one.set(value(&event).parse().ok())
    };
    let send = page.send.clone();
    let vary = move |event: Event| send.emit(change(Change::Vary(Vary::read(&value(&event)))));
    html! {
        <div class="sheet" tabindex="0" role="region" aria-label={page.word("compare.sheet.sweep")}>
            <p class="acts">
                <label>{ page.word("compare.vary") }{ " " }<select class="small" id="sweep-vary" onchange={vary}>
                    { for known.iter().map(|text| html! { <option value={text.clone()} selected={*text == varied}>{ Vary::read(text).words(speech) }</option> }) }
                </select></label>
                <label>{ page.word("compare.planner") }{ " " }<select class="small" id="sweep-planner" onchange={planned}>
                    <option value="all" selected={one.is_none()}>{ page.word("compare.all-compared") }</option>
                    { for columns.iter().enumerate().map(|(number, of)| html! { <option value={number.to_string()} selected={Some(number) == *one}>{ of.words(speech) }</option> }) }
                </select></label>
                <label>{ page.word("compare.figure") }{ " " }<select class="small" id="sweep-figure" onchange={ let chosen = chosen.clone(); move |event: Event| chosen.set(value(&event)) }>
                    { for FIGURES.iter().map(|figure| html! { <option value={figure.key} selected={figure.key == *chosen}>{ page.word(&Family::FIGURE.of([figure.key])) }</option> }) }
                </select></label>
                <button type="button" class="btn line" id="sweep-run" disabled={columns.is_empty()} onclick={page.on(|| change(Change::SweepAgain))}>{ page.word("compare.again") }</button>
            </p>
            { for not_varied.iter().map(|why| html! { <p class="muted" data-not-varied="">{ why }</p> }) }
            if columns.is_empty() { <p class="empty">{ page.word("compare.sweep.none") }</p> }
            if !columns.is_empty() && found.is_empty() { <p class="empty">{ page.word("compare.waiting") }</p> }
            if !verdict.is_empty() { <p class="conclusion" id="sweep-verdict" role="status">{ verdict.join(" ") }</p> }
            { for lines.iter().filter_map(|swept| failed(&page, swept)) }
            if !without.is_empty() { <p class="muted">{ speech.say(&Message::new("compare.sweep.lacks").with("names", Arg::Names(without.clone()))) }</p> }
            if !lines.is_empty() {
                <ChartView chart={sweep_chart(&points, &comparing.vary, figure, speech)} dark={props.dark} onpick={open_point(&page, &lines)} />
                <p class="muted">{ page.word("compare.sweep.opens") }</p>
                { table(&page, &lines, figure, &sorting) }
            }
        </div>
    }
}

/// With which values a planner has no plan, if any: the chart has no points there.
fn failed(page: &Page, swept: &Swept) -> Option<Html> {
    let points = swept.points.iter().filter(|(_, found)| found.is_err());
    let values: Vec<String> = points.map(|(point, _)| point.words(&swept.vary)).collect();
    let message = Message::new("compare.sweep.failed").text("name", swept.choice.words(page.speech()));
    let message = message.text("values", values.join(", "));
    (!values.is_empty()).then(|| html! { <p class="muted sweep-failed">{ page.speech().say(&message) }</p> })
}

/// The figure of every planner at every value; a press on it opens the run.
fn table(page: &Page, lines: &[&Rc<Swept>], figure: &Figure, sorting: &UseStateHandle<Sorting>) -> Html {
    let speech = page.speech();
    let points: Vec<(&PlannerChoice, &SweepPoints)> =
        lines.iter().map(|swept| (&swept.choice, &*swept.points)).collect();
    let mut values = swept_values(&points);
    let at = |line: usize, value: u64| lines[line].points.iter().find(|(point, _)| point.value == value);
    sorting.sort_by_value(
        &mut values,
        |a, b| a.cmp(b),
        |&value, column| figure.value(at(column - 1, value)?.1.as_ref().ok()?).number(),
    );
    let head = |column: usize, words: String, shown: Html| {
        let (class, resizes) = (Classes::new(), column < lines.len());
        table_heading(page, Heading { table: "sweep", column, words, class, sorting: Some(sorting), resizes }, shown)
    };
    let varied = page.state.comparing.vary.words(speech);
    html! {
        <table class="figures wide" id="sweep">
            <thead><tr>{ head(0, varied.clone(), html! { { varied } }) }
                { for lines.iter().enumerate().map(|(number, swept)| head(number + 1, swept.choice.words(speech), name_of(page, &swept.choice))) }</tr></thead>
            <tbody>{ for values.iter().map(|&value| html! { <tr data-value={value.to_string()}><th scope="row" class="num">{ swept_words(&points, &page.state.comparing.vary, value) }</th>
                { for (0..lines.len()).map(|line| html! { <td class="num">{ match at(line, value) {
                    Some((point, Ok(found))) => {
                        let opens = page.on({
                            let point = point.clone();
                            move || opened(&point)
                        });
                        html! { <button type="button" class="name" data-open={value.to_string()} title={page.word("compare.open")} onclick={opens}>{ figure.value(found).words(speech) }</button> }
                    }
                    Some((_, Err(why))) => html! { { speech.say(why) } },
                    None => html! { { "–" } },
                } }</td> }) }</tr> }) }</tbody>
        </table>
    }
}

fn opened(point: &SweepPoint) -> Action {
    Action::Compare(CompareAction::OpenInSteps { choice: point.choice.clone(), scope: point.scope.clone() })
}

/// Opens the run behind a point of the chart.
fn open_point(page: &Page, lines: &[&Rc<Swept>]) -> Callback<(usize, f64)> {
    let (send, lines) = (page.send.clone(), lines.iter().map(|&swept| swept.clone()).collect::<Vec<_>>());
    Callback::from(move |(line, place): (usize, f64)| {
        let points: Vec<(&PlannerChoice, &SweepPoints)> =
            lines.iter().map(|swept| (&swept.choice, &*swept.points)).collect();
        let value = swept_values(&points).get(place as usize).copied();
        let found = lines.get(line).into_iter().flat_map(|swept| swept.points.iter());
        let point = found.map(|(point, _)| point).find(|point| Some(point.value) == value);
        point.into_iter().for_each(|point| send.emit(opened(point)));
    })
}
