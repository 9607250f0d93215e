//! Peaks from the lowest up, from 0, the lower bound as one line through all of them; plans that break rules last and without one.

use yew::prelude::*;

use crate::app::browser::dom::focus;
use crate::app::compare::column::broken;
use crate::app::compare::{change, is_narrow, name_of};
use crate::app::context::Page;
use crate::app::model::comparison::Column;
use crate::app::state::comparing::Change;
use crate::base::{Arrange, Message};
use crate::plan::Figures;

/// The scale ends at so many times the largest peak; the sum of all sizes would flatten every difference.
const HEAD_ROOM: f64 = 1.16;

pub fn bars(page: &Page) -> Html {
    let speech = page.speech();
    let comparing = &page.state.comparing;
    let mut shown: Vec<(usize, &Column, &Figures)> = comparing
        .columns
        .iter()
        .enumerate()
        .filter_map(|(number, column)| Some((number, column, &column.plan()?.found.figures)))
        .collect();
    shown.arrange_by_key(|&(number, _, figures)| (figures.broken > 0, figures.metrics.peak, number));
    let peak_of = |figures: &Figures| Some(figures.metrics.peak).filter(|_| figures.broken == 0);
    let metrics = comparing.reference().map(|shown| shown.found.figures.metrics.clone());
    let Some(metrics) = metrics else {
        return html! { <section class="bars"><p class="muted">{ page.word("compare.waiting") }</p></section> };
    };
    let bound = metrics.lower_bound;
    let most = shown.iter().filter_map(|(.., figures)| peak_of(figures)).max().unwrap_or(0).max(bound).max(1) as f64
        * HEAD_ROOM;
    let part = |bytes: u64| 100.0 * bytes as f64 / most;
    let unit = speech.unit;
    html! {
        <section class="bars" aria-label={page.word("compare.bars")}>
            { for shown.iter().map(|&(number, column, figures)| {
                let send = page.send.clone();
                let narrow = is_narrow(page);
                let onclick = Callback::from(move |_: MouseEvent| {
                    send.emit(change(Change::Front(number)));
                    if !narrow { focus(&format!("column-{number}")); }
                });
                let peak = peak_of(figures);
                let told = |peak: u64| match peak {
                    peak if peak == bound => page.word("compare.at-bound"),
                    peak if peak > bound => speech.say(&Message::new("compare.over-bound").bytes("waste", peak - bound)),
                    peak => {
                        let key = if figures.quirks > 0 { "compare.under-bound-quirk" } else { "compare.under-bound" };
                        speech.say(&Message::new(key).bytes("less", bound - peak))
                    }
                };
                html! { <button type="button" class="bar" aria-pressed={narrow.then(|| (number == comparing.front).to_string())}
                    data-peak={peak.map(|peak| peak.to_string())} data-planner={column.choice.planner.clone()} {onclick}>
                    <span class="bar-name cut">{ name_of(page, &column.choice) }</span>
                    <span class="track">{ match peak {
                        None => html! { <span class="value">{ broken(page, figures) }</span> },
                        Some(peak) => html! { <>
                        <i class="fill" style={format!("width:{:.3}%", part(peak.min(bound)))}></i>
                        <i class="over" style={format!("left:{:.3}%;width:{:.3}%", part(bound.min(peak)), part(peak.saturating_sub(bound)))}></i>
                        <span class="value" style={format!("left:{:.3}%", part(peak))}><b>{ unit.figure(peak) }</b>{ " " }<span class="muted">{ told(peak) }</span></span>
                        </> },
                    } }</span>
                </button> }
            }) }
            <div class="bar sum"><span class="bar-name muted">{ page.word("compare.unshared") }</span>
                <span class="track"><i class="thin" style={format!("width:{:.3}%", part(metrics.unshared).min(97.0))}></i>
                    if metrics.unshared as f64 > most { <i class="broken" aria-hidden="true"></i> }
                    <span class="value" style={format!("left:{:.3}%", part(metrics.unshared).min(97.0))}><b>{ unit.figure(metrics.unshared) }</b>{ " " }<span class="muted">{ unit.name() }</span></span></span></div>
            <div class="bound" aria-hidden="true"><span class="track"><i style={format!("left:{:.3}%", part(bound))}></i></span></div>
            <p class="bound-name"><span class="track"><span style={format!("left:{:.3}%", part(bound))}>{ page.word("term.lower-bound") }{ " " }{ unit.words(bound) }</span></span></p>
        </section>
    }
}
