//! A column with a finished plan: figures, and why it lies above the bound.

use yew::prelude::*;

use crate::compare::state::comparison::{Column, Shown};
use crate::context::same::Same;
use crate::context::sentence::words;
use crate::context::{Page, use_page};
use crate::plan::beside::parts_of_figures;
use memplan_core::base::{Arg, Message};
use memplan_core::plan::{Figures, above, at_step};

/// Peak, ratio and distance of a finished plan.
pub fn finished_figures(page: &Page, column: &Column, is_reference: bool) -> Html {
    match column.plan() {
        Some(shown) if shown.found.figures.broken > 0 => broken(page, &shown.found.figures),
        Some(shown) => {
            let [before, need, after] = parts_of_figures(page, &shown.found.figures, is_reference);
            html! { <>{ before }{ " " }<b>{ need }</b>{ after }</> }
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
        <p class="muted reads" data-load={reading.load.to_string()} data-top={reading.top.to_string()}>{ speech.say(&reads.with("gaps", Arg::Names(gaps))) }</p>
        <p>{ words(&page, why) }</p>
    </div> }
}
