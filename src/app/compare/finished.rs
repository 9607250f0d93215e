//! A column with a finished plan: figures, and why it lies above the bound.

use yew::prelude::*;

use crate::app::browser::hooks::use_memo;
use crate::app::context::same::Same;
use crate::app::context::sentence::words;
use crate::app::context::{Page, use_page};
use crate::app::model::comparison::{Column, Shown};
use crate::base::Message;
use crate::plan::{Figures, above, at_step};

/// Peak, ratio and distance of a finished plan.
pub fn finished_figures(page: &Page, number: usize, column: &Column) -> Html {
    let speech = page.speech();
    let comparing = &page.state.comparing;
    let is_reference = number == comparing.reference;
    // Plans are set against each other where both have all buffers and keep the rules.
    let reference = comparing.reference().map(|shown| &shown.found.figures).filter(|figures| figures.can_be_best());
    let reference = reference.map(|figures| figures.metrics.need());
    match column.plan() {
        Some(shown) if shown.found.figures.broken > 0 => broken(page, &shown.found.figures),
        Some(shown) => {
            let metrics = &shown.found.figures.metrics;
            let need = metrics.need();
            let ratio = metrics.ratio.map(|ratio| format!(" · {ratio:.2}×")).unwrap_or_default();
            let rest = match reference.filter(|_| !is_reference && shown.found.figures.can_be_best()) {
                Some(other) if need >= other => format!(" · +{}", speech.bytes(need - other)),
                Some(other) => format!(" · −{}", speech.bytes(other - need)),
                None => format!(" · {} {}", page.word("figure.waste"), speech.bytes(metrics.waste)),
            };
            html! { <>{ page.word(if metrics.held.is_some() { "figure.held" } else { "term.peak" }) }{ " " }<b>{ speech.bytes(need) }</b>{ ratio }{ rest }</> }
        }
        None => Html::default(),
    }
}

/// What stands in the place of the peak of a plan that breaks rules, or seems to.
pub fn broken(page: &Page, figures: &Figures) -> Html {
    let Some(message) = figures.objection() else { return Html::default() };
    html! { <strong class="invalid">{ page.speech().say(&message) }</strong> }
}

/// Most gaps listed.
const GAPS: usize = 3;

#[derive(Properties, PartialEq)]
pub struct WhyProps {
    pub shown: Same<Shown>,
    pub step: u32,
}

/// Why a finished plan lies above the bound, as far as it can be seen at a step.
#[component]
pub fn Why(props: &WhyProps) -> Html {
    let read = use_memo((props.shown.clone(), props.step), |(Same(shown), step)| {
        let step = *step;
        let (problem, plan) = (&shown.run.problem, &shown.run.plan);
        (at_step(problem, plan, step), above(problem, plan, &shown.found.figures, step))
    });
    let page = use_page();
    let speech = page.speech();
    let (reading, why) = &*read;
    let mut gaps: Vec<String> = reading.gaps.iter().take(GAPS).map(|gap| speech.bytes(*gap)).collect();
    if reading.gaps.len() > GAPS {
        gaps.push("…".into());
    }
    let key = if gaps.is_empty() { "compare.reads-full" } else { "compare.reads" };
    let reads = Message::new(key).count("step", props.step).bytes("load", reading.load).bytes("top", reading.top);
    html! { <div class="above">
        <p class="muted reads" data-load={reading.load.to_string()} data-top={reading.top.to_string()}>{ speech.say(&reads.text("gaps", gaps.join(", "))) }</p>
        <p>{ words(&page, why) }</p>
    </div> }
}
