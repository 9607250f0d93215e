//! A chart drawn by the engine's module, with the values under the pointer and all numbers in a
//! table.

use std::cell::RefCell;
use std::rc::Rc;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use crate::browser::canvas::{device_pixels, use_size};
use crate::browser::charts::{draw_chart, save_chart};
use crate::browser::css;
use crate::browser::download::{save_picture, save_text};
use crate::context::columns::{Heading, table_heading};
use crate::context::use_page;
use crate::widgets::sorting::Sorting;
use memplan_core::base::Message;
use memplan_scene::{Chart, Size};

/// Size of charts that are saved, in pixels.
const SAVED: (f64, f64) = (900.0, 480.0);

/// How near to a point the pointer finds it, in css pixels.
const REACH: f64 = 40.0;

/// Most lines of the table: the file has all of them.
const MOST: usize = 200;

#[derive(Properties, PartialEq)]
pub struct ChartViewProps {
    pub chart: Chart,
    pub dark: bool,
    /// Hears of a press on a point: the number of its line, and its place along the axis.
    #[prop_or_default]
    pub onpick: Option<Callback<(usize, f64)>>,
}

/// A point of a chart: name of its line, place, value.
struct Value<'a> {
    series: &'a str,
    x: f64,
    y: f64,
}

#[component]
pub fn ChartView(props: &ChartViewProps) -> Html {
    let page = use_page();
    let (host, canvas) = (use_node_ref(), use_node_ref());
    let size = use_size(host.clone());
    let failed = use_state_eq(|| false);
    let spots = use_mut_ref(Vec::<f64>::new);
    let pointed = use_state_eq(|| None::<(usize, (i32, i32))>);
    use_drawing(props, &canvas, size, &failed, &spots);
    let near = move |event: &PointerEvent| {
        let at = (event.offset_x() as f64, event.offset_y() as f64);
        let distance = |spot: &[f64]| (spot[0] - at.0).hypot(spot[1] - at.1);
        let spots = spots.borrow();
        let found = spots.chunks_exact(2).map(distance).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        found.filter(|(_, distance)| *distance < REACH).map(|(number, _)| number)
    };
    let moved = {
        let (pointed, near) = (pointed.setter(), near.clone());
        Callback::from(move |event: PointerEvent| {
            pointed.set(near(&event).map(|number| (number, (event.offset_x(), event.offset_y()))));
        })
    };
    let left = {
        let pointed = pointed.setter();
        Callback::from(move |_: PointerEvent| pointed.set(None))
    };
    let pressed = props.onpick.clone().map(|onpick| {
        let lines = props.chart.series.iter().enumerate();
        let places: Vec<(usize, f64)> =
            lines.flat_map(|(line, series)| series.points.iter().map(move |point| (line, point.0))).collect();
        Callback::from(move |event: PointerEvent| {
            near(&event).and_then(|number| places.get(number)).into_iter().for_each(|&place| onpick.emit(place));
        })
    });
    let tip = pointed.and_then(|(number, at)| Some((values(&props.chart).nth(number)?, at)));
    html! {
        <figure class="chart">
            <div class={classes!("chart-host", props.onpick.is_some().then_some("opens"))} ref={host}>
                <canvas ref={canvas.clone()} id="chart" role="img" aria-label={props.chart.title.clone()} onpointermove={moved} onpointerleave={left} onpointerup={pressed}></canvas>
                if let Some((value, at)) = tip {
                    <div class="tooltip" id="chart-tip" role="tooltip" ~style={css(format!("left:{}px;top:{}px", at.0 + 14, at.1 + 10))}>
                        <b>{ value.series }</b><span>{ place(&props.chart, value.x) }{ " · " }{ props.chart.value_words(value.y) }</span></div>
                }
            </div>
            if *failed { <p class="empty" role="alert">{ page.word("compare.chart.failed") }</p> }
            <figcaption class="acts">
                { saves(props, &canvas) }
                <details id="chart-data"><summary>{ page.word("compare.chart.data") }</summary><Data chart={props.chart.clone()} /></details>
            </figcaption>
        </figure>
    }
}

#[derive(Properties, PartialEq)]
struct DataProps {
    chart: Chart,
}

/// The numbers of a chart: line by line, or by any column.
#[component]
fn Data(props: &DataProps) -> Html {
    let page = use_page();
    let sorting = use_state_eq(Sorting::default);
    let mut found: Vec<Value> = values(&props.chart).collect();
    sorting.sort(&mut found, |a, b, column| match column {
        0 => a.series.cmp(b.series),
        1 => a.x.total_cmp(&b.x),
        _ => a.y.total_cmp(&b.y),
    });
    let head = |(column, words): (usize, String)| {
        let (class, sorting, shown) = (Classes::new(), Some(&sorting), html! { { words.clone() } });
        table_heading(&page, Heading { table: "chart", column, words, class, sorting, resizes: column < 2 }, shown)
    };
    html! { <>
        <table class="figures" id="chart-table">
            <thead><tr>{ for heads(&props.chart).into_iter().enumerate().map(head) }</tr></thead>
            <tbody>{ for found.iter().take(MOST).map(|value| html! {
                <tr><th scope="row">{ value.series }</th><td class="num">{ place(&props.chart, value.x) }</td><td class="num" data-value={value.y.to_string()}>{ props.chart.value_words(value.y) }</td></tr>
            }) }</tbody>
        </table>
        if found.len() > MOST { <p class="muted">{ page.speech().say(&Message::new("compare.more-lines").count("n", (found.len() - MOST) as u64)) }</p> }
    </> }
}

/// Draws the chart when it, its colours or its room change; `spots` then holds x and y of each
/// point in css pixels.
#[hook]
fn use_drawing(
    props: &ChartViewProps,
    canvas: &NodeRef,
    size: Size,
    failed: &UseStateHandle<bool>,
    spots: &Rc<RefCell<Vec<f64>>>,
) {
    let (canvas, failed, spots) = (canvas.clone(), failed.setter(), spots.clone());
    use_effect_with((props.chart.clone(), props.dark, size), move |(chart, dark, size)| {
        let Some(element) = canvas.cast::<HtmlCanvasElement>().filter(|_| size.0 > 0.0) else { return };
        let pixels = device_pixels();
        element.set_width((size.0 * pixels) as u32);
        element.set_height((size.1 * pixels) as u32);
        draw_chart(element, chart, *dark, pixels, move |drawn| {
            failed.set(drawn.is_none());
            *spots.borrow_mut() = drawn.unwrap_or_default();
        });
    });
}

/// The buttons that save the chart.
fn saves(props: &ChartViewProps, canvas: &NodeRef) -> Html {
    let svg = {
        let (chart, dark) = (props.chart.clone(), props.dark);
        Callback::from(move |_: MouseEvent| save_chart(&chart, SAVED, dark))
    };
    let png = {
        let canvas = canvas.clone();
        Callback::from(move |_: MouseEvent| {
            canvas.cast().into_iter().for_each(|element: HtmlCanvasElement| save_picture(&element, "chart.png".into()));
        })
    };
    let csv = {
        let chart = props.chart.clone();
        Callback::from(move |_: MouseEvent| save_text("chart.csv", &chart.csv()))
    };
    let button = |name: &'static str, onclick: Callback<MouseEvent>| {
        html! { <button type="button" class="btn line" id={format!("chart-{name}")} {onclick}>{ name.to_ascii_uppercase() }</button> }
    };
    html! { <>{ button("svg", svg) }{ button("png", png) }{ button("csv", csv) }</> }
}

/// All points, line by line, in the order in which the drawing reports their places.
fn values(chart: &Chart) -> impl Iterator<Item = Value<'_>> {
    chart.series.iter().flat_map(|series| series.points.iter().map(|&(x, y)| Value { series: &series.name, x, y }))
}

fn heads(chart: &Chart) -> [String; 3] {
    let (x, y) = if chart.y.is_empty() { (String::new(), &chart.x) } else { (chart.x.clone(), &chart.y) };
    [chart.title.clone(), x, y.clone()]
}

/// The words of a place along the axis.
fn place(chart: &Chart, x: f64) -> String {
    chart.places.get(x as usize).cloned().unwrap_or_else(|| Chart::tick_words(x))
}
