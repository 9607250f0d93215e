//! The figures of both sides.

use yew::prelude::*;

use crate::compare::diff::state::shown::DiffShown;
use crate::context::Page;
use crate::widgets::icons::{Icon, glyph};
use memplan_replay::diff::percent;

pub fn verdict(page: &Page, shown: &DiffShown) -> Html {
    let speech = page.speech();
    let [old, new] = &shown.figures;
    let is_worse = new.peak > old.peak || shown.objection.is_some();
    let share = (new.peak as f64 - old.peak as f64) / old.peak as f64;
    let seal = match (new.peak == old.peak, old.peak) {
        _ if shown.objection.is_some() => shown.objection.as_ref().map_or_else(String::new, |why| speech.say(why)),
        (true, _) => page.word("diff.same-peak"),
        (_, 0) => format!("+{}", speech.bytes(new.peak)),
        _ => percent(share),
    };
    let above = |peak: u64, bound: u64| peak.saturating_sub(bound);
    let turn = |key: &str, before: String, after: String| {
        let is_same = before == after;
        html! { <div class="big"><dt>{ page.word(key) }</dt><dd>
        if !is_same { <s>{ before }{ " → " }</s> }<b>{ after }</b></dd></div> }
    };
    let peak = if old.left_out + new.left_out > 0 { "diff.peak-without" } else { "term.peak" };
    html! {
        <section class="diff-figures" aria-label={page.word("diff.verdict")}>
            <span class={classes!("seal", if is_worse { "no" } else { "yes" })} id="diff-seal" data-old={old.peak.to_string()} data-new={new.peak.to_string()}>
                { glyph(if is_worse { Icon::Warning } else { Icon::Check }) }{ seal }</span>
            <dl>
                { turn(peak, speech.bytes(old.peak), speech.bytes(new.peak)) }
                { turn("term.lower-bound", speech.bytes(old.bound), speech.bytes(new.bound)) }
                { turn("diff.above", speech.bytes(above(old.peak, old.bound)), speech.bytes(above(new.peak, new.bound))) }
                { turn("diff.steps", old.steps.to_string(), new.steps.to_string()) }
            </dl>
        </section>
    }
}
