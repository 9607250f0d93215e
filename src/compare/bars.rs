//! One bar for each compared plan, from 0 bytes, sorted by peak. A line marks the lower bound.
//! Plans that break rules come last and have no bar.

use yew::prelude::*;

use crate::browser::css;
use crate::browser::dom::focus;
use crate::compare::finished::broken;
use crate::compare::state::Change;
use crate::compare::{change, is_narrow, name_of};
use crate::context::Page;
use crate::context::sentence::size;
use crate::plan::beside::{bound_is, by_need, distance, peak_of};

/// The axis ends at this factor times the largest peak or bound: an axis up to the sum of all sizes
/// would hide the differences.
const HEAD_ROOM: f64 = 1.16;

pub fn bars(page: &Page) -> Html {
    let speech = page.speech();
    let comparing = &page.state.comparing;
    let shown = by_need(comparing);
    let Some(reference) = comparing.reference() else {
        return html! { <section class="bars"><p class="muted">{ page.word("compare.waiting") }</p></section> };
    };
    let bound = reference.found.figures.metrics.lower_bound;
    // Of everything asked for, whatever the reference leaves out.
    let unshared = reference.run.problem.unshared();
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
                        <i class="fill" ~style={css(format!("width:{:.3}%", part(peak.min(own))))}></i>
                        <i class="over" ~style={css(format!("left:{:.3}%;width:{:.3}%", part(own.min(peak)), part(peak.saturating_sub(own))))}></i>
                        <span class="value" ~style={css(format!("left:{:.3}%", part(peak)))}><b>{ size(page, peak) }</b>{ " " }<span class="muted" data-waste={figures.metrics.waste.to_string()} data-bound={own.to_string()}>{ message }</span></span>
                        </> },
                    } }</span>
                </button> }
            }) }
            <div class="bar sum"><span class="bar-name muted">{ page.word("compare.unshared") }</span>
                <span class="track"><i class="thin" ~style={css(format!("width:{:.3}%", part(unshared).min(97.0)))}></i>
                    if unshared as f64 > most { <i class="broken" aria-hidden="true"></i> }
                    <span class="value" ~style={css(format!("left:{:.3}%", part(unshared).min(97.0)))}><b>{ size(page, unshared) }</b></span></span></div>
            <div class="bound" aria-hidden="true"><span class="track"><i ~style={css(format!("left:{:.3}%", part(bound)))}></i></span></div>
            <p class="bound-name cut" id="bound-is" title={bound_is(page, reference)}>{ if narrow { format!("{} {}", page.word("term.lower-bound"), speech.bytes(bound)) } else { bound_is(page, reference) } }</p>
        </section>
    }
}
