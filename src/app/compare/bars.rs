//! One bar for each compared plan, from 0 bytes, sorted by peak. A line marks the lower bound.
//! Plans that break rules come last and have no bar.

use yew::prelude::*;

use crate::app::browser::dom::focus;
use crate::app::compare::finished::broken;
use crate::app::compare::{change, is_narrow, name_of};
use crate::app::context::Page;
use crate::app::context::sentence::size;
use crate::app::model::comparison::{Column, Shown};
use crate::app::state::comparing::Change;
use crate::base::{Arrange, Message};
use crate::plan::{Distance, Figures};

/// The axis ends at this factor times the largest peak or bound: an axis up to the sum of all sizes
/// would hide the differences.
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
    shown.arrange_by_key(|&(number, _, figures)| (figures.standing(), figures.metrics.need(), number));
    let peak_of = |figures: &Figures| Some(figures.metrics.need()).filter(|_| figures.broken == 0);
    let Some(reference) = comparing.reference() else {
        return html! { <section class="bars"><p class="muted">{ page.word("compare.waiting") }</p></section> };
    };
    let metrics = &reference.found.figures.metrics;
    let bound = metrics.lower_bound;
    let most = shown.iter().filter_map(|(.., figures)| peak_of(figures)).max().unwrap_or(0).max(bound).max(1) as f64
        * HEAD_ROOM;
    let narrow = is_narrow(page);
    let part = |bytes: u64| 100.0 * bytes as f64 / most;
    html! {
        <section class="bars" aria-label={page.word("compare.bars")}>
            { for shown.iter().map(|&(number, column, figures)| {
                let send = page.send.clone();
                let onclick = Callback::from(move |_: MouseEvent| {
                    send.emit(change(Change::Front(number)));
                    if !narrow { focus(&format!("column-{number}")); }
                });
                let peak = peak_of(figures);
                let own = figures.metrics.bound();
                let message = distance(page, figures);
                html! { <button type="button" class="bar" aria-pressed={narrow.then(|| (number == comparing.front).to_string())}
                    data-peak={peak.map(|peak| peak.to_string())} data-planner={column.choice.planner.clone()} {onclick}>
                    <span class="bar-name cut">{ name_of(page, &column.choice) }</span>
                    <span class="track">{ match peak {
                        None => html! { <span class="value">{ broken(page, figures) }</span> },
                        Some(peak) => html! { <>
                        <i class="fill" ~style={format!("width:{:.3}%", part(peak.min(own)))}></i>
                        <i class="over" ~style={format!("left:{:.3}%;width:{:.3}%", part(own.min(peak)), part(peak.saturating_sub(own)))}></i>
                        <span class="value" ~style={format!("left:{:.3}%", part(peak))}><b>{ size(page, peak) }</b>{ " " }<span class="muted" data-waste={figures.metrics.waste.to_string()} data-bound={own.to_string()}>{ message }</span></span>
                        </> },
                    } }</span>
                </button> }
            }) }
            <div class="bar sum"><span class="bar-name muted">{ page.word("compare.unshared") }</span>
                <span class="track"><i class="thin" ~style={format!("width:{:.3}%", part(metrics.unshared).min(97.0))}></i>
                    if metrics.unshared as f64 > most { <i class="broken" aria-hidden="true"></i> }
                    <span class="value" ~style={format!("left:{:.3}%", part(metrics.unshared).min(97.0))}><b>{ size(page, metrics.unshared) }</b></span></span></div>
            <div class="bound" aria-hidden="true"><span class="track"><i ~style={format!("left:{:.3}%", part(bound))}></i></span></div>
            <p class="bound-name cut" id="bound-is" title={bound_is(page, reference)}>{ if narrow { format!("{} {}", page.word("term.lower-bound"), speech.bytes(bound)) } else { bound_is(page, reference) } }</p>
        </section>
    }
}

/// Returns the distance of a plan to its bound in words. If its own bound is not the line of the
/// chart, the sentence names it.
fn distance(page: &Page, figures: &Figures) -> String {
    let metrics = &figures.metrics;
    let of_part = metrics.has_own_bound();
    let (key, bytes) = match (metrics.distance(), of_part) {
        (Distance::At, false) => ("compare.at-bound", 0),
        (Distance::At, true) => ("compare.at-own-bound", 0),
        (Distance::Above(waste), false) => ("compare.over-bound", waste),
        (Distance::Above(waste), true) => ("compare.over-own-bound", waste),
        (Distance::Below(less), _) if figures.quirks > 0 => ("compare.under-bound-quirk", less),
        (Distance::Below(less), false) => ("compare.under-bound", less),
        (Distance::Below(less), true) => ("compare.under-own-bound", less),
    };
    let left_out = metrics.buffers - metrics.placed;
    page.speech().say(&Message::new(key).bytes("bytes", bytes).bytes("bound", metrics.bound()).count("n", left_out))
}

/// Buffers named with the bound.
const NAMED: usize = 3;

/// What the line through all bars is: what is live at the step of the largest load, or the sum over
/// several memories.
fn bound_is(page: &Page, reference: &Shown) -> String {
    let speech = page.speech();
    let bound = reference.found.figures.metrics.lower_bound;
    let problem = &reference.run.problem;
    let memories = problem.memories.len();
    let Some(causes) = reference.found.causes.as_ref().filter(|_| memories == 1) else {
        return speech.say(&Message::new("compare.bound-of-memories").bytes("bound", bound).count("n", memories));
    };
    let load = &causes.load;
    let named = load
        .live
        .iter()
        .take(NAMED)
        .map(|cause| format!("{} {}", problem.buffers[cause.buffer].name, speech.bytes(cause.size)));
    let names: Vec<String> = named.collect();
    let more = load.live.len().saturating_sub(NAMED);
    let key = if more == 0 { "compare.bound-is" } else { "compare.bound-is-more" };
    let message = Message::new(key).bytes("bound", bound).count("step", load.step).text("names", names.join(", "));
    speech.say(&message.count("n", more))
}
