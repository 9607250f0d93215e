//! Charts of the compared plans, drawn by the engine's module, with the numbers in a table.

use std::rc::Rc;

use yew::prelude::*;

use crate::compare::change;
use crate::compare::chart_view::ChartView;
use crate::compare::state::Change;
use crate::compare::state::comparison::{Column, Shown};
use crate::context::{Page, use_page};
use memplan_core::base::Family;
use memplan_core::plan::Metrics;
use memplan_engine::{ChartBound, CompareTask, Counted, curves, growth_chart, histogram, peaks};
use memplan_scene::Chart;

/// Kinds of charts, by the end of their keys.
const KINDS: [&str; 5] = ["memory", "peaks", "sizes", "lifetimes", "growth"];

#[derive(Properties, PartialEq)]
pub struct ChartsProps {
    pub dark: bool,
}

#[component]
pub fn Charts(props: &ChartsProps) -> Html {
    let page = use_page();
    let kind = use_state_eq(|| "memory".to_string());
    let onchange = {
        let kind = kind.setter();
        Callback::from(move |event: Event| {
            kind.set(event.target_unchecked_into::<web_sys::HtmlSelectElement>().value());
        })
    };
    let choices: Vec<_> = page.state.comparing.columns.iter().map(|column| column.choice.clone()).collect();
    let send = page.send.clone();
    use_effect_with((*kind == "growth", choices), move |(is_shown, choices)| {
        if *is_shown {
            send.emit(change(Change::Ask(CompareTask::Growth(choices.clone()))));
        }
    });
    html! {
        <div class="sheet" tabindex="0" role="region" aria-label={page.word("compare.sheet.charts")}>
            <p class="acts"><label>{ page.word("compare.chart") }{ " " }<select class="small" id="chart-kind" {onchange}>
                { for KINDS.into_iter().map(|name| html! { <option value={name} selected={name == *kind}>{ page.word(&Family::COMPARE_CHART.of([name])) }</option> }) }
            </select></label></p>
            { match chart_of(&page, &kind) {
                Some(chart) => html! { <ChartView {chart} dark={props.dark} /> },
                None => html! { <p class="empty">{ page.word("compare.waiting") }</p> },
            } }
        </div>
    }
}

fn chart_of(page: &Page, kind: &str) -> Option<Chart> {
    let (comparing, speech) = (&page.state.comparing, page.speech());
    let reference = comparing.reference()?;
    let name = &reference.run.problem.name;
    let shown: Vec<(String, &Rc<Shown>)> =
        comparing.columns.iter().filter_map(|column| Some((column.choice.words(speech), column.plan()?))).collect();
    Some(match kind {
        "peaks" => {
            let valid = shown.into_iter().filter(|(_, shown)| shown.found.figures.broken == 0);
            let mut found: Vec<(String, u64)> =
                valid.map(|(name, shown)| (name, shown.found.figures.metrics.need())).collect();
            found.sort_by_key(|(_, peak)| *peak);
            let bound = ChartBound::of(metrics_of(page));
            peaks(name, &found, bound, speech)
        }
        "sizes" => histogram(&reference.run.problem, Counted::Sizes, speech),
        "lifetimes" => histogram(&reference.run.problem, Counted::Lifetimes, speech),
        "growth" => growth_chart(comparing.growth.as_ref()?, speech),
        _ => {
            let plans: Vec<_> =
                shown.iter().map(|(name, shown)| (name.clone(), &*shown.run.problem, &shown.run.plan)).collect();
            let bound = ChartBound::of(metrics_of(page));
            curves(name, &plans, bound, speech)
        }
    })
}

/// The figures of all compared plans that keep the rules.
fn metrics_of(page: &Page) -> impl Iterator<Item = &Metrics> {
    let plans = page.state.comparing.columns.iter().filter_map(Column::plan);
    plans.map(|shown| &shown.found.figures).filter(|figures| figures.broken == 0).map(|figures| &figures.metrics)
}
