//! Charts of the compared plans, drawn by the engine's module, with the numbers in a table.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::change;
use crate::app::comparing::{Change, Shown};
use crate::app::components::canvas::{device_pixels, use_size};
use crate::app::components::{Page, use_page};
use crate::app::hooks::{download, draw_chart, save_chart};
use crate::link::{Counted, Task, curves, growth_chart, histogram, peaks};
use crate::scene::Chart;

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
        let (kind, send) = (kind.clone(), page.send.clone());
        let choices: Vec<_> = page.state.comparing.columns.iter().map(|column| column.choice.clone()).collect();
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
            if value == "growth" {
                send.emit(change(Change::Ask(Task::Growth(choices.clone()))));
            }
            kind.set(value);
        })
    };
    html! {
        <div class="sheet" tabindex="0" role="region" aria-label={page.word("compare.sheet.charts")}>
            <p class="acts"><label>{ page.word("compare.chart") }{ " " }<select class="small" id="chart-kind" {onchange}>
                { for KINDS.into_iter().map(|name| html! { <option value={name} selected={name == *kind}>{ page.word(&format!("compare.chart.{name}")) }</option> }) }
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
    let bound = reference.found.figures.metrics.lower_bound;
    let shown: Vec<(String, &Rc<Shown>)> =
        comparing.columns.iter().filter_map(|column| Some((column.choice.words(speech), column.plan()?))).collect();
    Some(match kind {
        "peaks" => {
            let mut found: Vec<(String, u64)> =
                shown.into_iter().map(|(name, shown)| (name, shown.found.figures.metrics.peak)).collect();
            found.sort_by_key(|(_, peak)| *peak);
            peaks(name, &found, bound, speech)
        }
        "sizes" => histogram(&reference.run.problem, Counted::Sizes, speech),
        "lifetimes" => histogram(&reference.run.problem, Counted::Lifetimes, speech),
        "growth" => growth_chart(comparing.growth.as_ref()?, speech),
        _ => {
            let plans: Vec<_> =
                shown.iter().map(|(name, shown)| (name.clone(), &*shown.run.problem, &shown.run.plan)).collect();
            curves(name, &plans, bound, speech)
        }
    })
}

#[derive(Properties, PartialEq)]
pub struct ChartViewProps {
    pub chart: Chart,
    pub dark: bool,
}

/// A chart with its numbers and ways to save it.
#[component]
pub fn ChartView(props: &ChartViewProps) -> Html {
    let page = use_page();
    let (host, canvas) = (use_node_ref(), use_node_ref());
    let size = use_size(host.clone());
    let failed = use_state_eq(|| false);
    {
        let (canvas, failed) = (canvas.clone(), failed.setter());
        use_effect_with((props.chart.clone(), props.dark, size), move |(chart, dark, size)| {
            let Some(element) = canvas.cast::<HtmlCanvasElement>().filter(|_| size.0 > 0.0) else { return };
            let pixels = device_pixels();
            element.set_width((size.0 * pixels) as u32);
            element.set_height((size.1 * pixels) as u32);
            draw_chart(element, chart, *dark, pixels, move || failed.set(true));
        });
    }
    let svg = {
        let (chart, dark) = (props.chart.clone(), props.dark);
        Callback::from(move |_: MouseEvent| save_chart(&chart, (900.0, 480.0), dark))
    };
    let png = {
        let canvas = canvas.clone();
        Callback::from(move |_: MouseEvent| {
            let address = canvas.get().and_then(|node| node.dyn_into::<HtmlCanvasElement>().ok()?.to_data_url().ok());
            address.into_iter().for_each(|address| download("chart.png", &address));
        })
    };
    html! {
        <figure class="chart">
            <div class="chart-host" ref={host}><canvas ref={canvas} id="chart" role="img" aria-label={props.chart.title.clone()}></canvas></div>
            if *failed { <p class="empty" role="alert">{ page.word("compare.chart.failed") }</p> }
            <figcaption class="acts">
                <button type="button" class="btn line" id="chart-svg" onclick={svg}>{ "SVG" }</button>
                <button type="button" class="btn line" id="chart-png" onclick={png}>{ "PNG" }</button>
                <details id="chart-data"><summary>{ page.word("compare.chart.data") }</summary>{ numbers(&props.chart) }</details>
            </figcaption>
        </figure>
    }
}

/// The points of a chart as a table.
fn numbers(chart: &Chart) -> Html {
    let place = |x: f64| chart.places.get(x as usize).cloned().unwrap_or_else(|| x.to_string());
    html! { <table class="figures">
        <thead><tr><th scope="col">{ "" }{ &chart.title }</th><th scope="col">{ &chart.x }</th><th scope="col">{ &chart.y }</th></tr></thead>
        <tbody>{ for chart.series.iter().flat_map(|series| series.points.iter().map(move |&(x, y)| (series, x, y))).map(|(series, x, y)| html! {
            <tr><th scope="row">{ &series.name }</th><td class="num">{ place(x) }</td><td class="num">{ format!("{}", (y * 1000.0).round() / 1000.0) }</td></tr>
        }) }</tbody>
    </table> }
}
