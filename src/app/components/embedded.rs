//! The page as a part of another one: the plan, one line of why, the stepper.

use yew::prelude::*;

use super::notice::notices;
use super::panels::tab_body;
use super::sentence::Sentence;
use super::stage::StagePanel;
use super::stepper::stepper;
use super::{Layout, use_page};
use crate::app::address;
use crate::app::state::Tab;
use crate::replay::why;

#[derive(Properties, PartialEq)]
pub struct EmbeddedProps {
    pub dark: bool,
    pub controls: bool,
    /// The planner's state stands below the plan.
    pub state: bool,
}

#[component]
pub fn Embedded(props: &EmbeddedProps) -> Html {
    let page = use_page();
    let state = page.state.clone();
    let headline = state.run.as_ref().zip(page.frame.as_ref()).map(|(run, frame)| why(run, frame).headline);
    let name = state.document.as_ref().map_or_else(|| page.word("header.opening"), |document| document.name.clone());
    let full = format!("./#{}", address::write(&state));
    let class = if page.layout == Layout::Narrow { "narrow" } else { "middle" };
    html! {
        <div class={classes!("page", "embedded", class)}>
            <main class={state.run.is_none().then_some("bare")}>
                <h1 class="visually-hidden">{ name }</h1>
                { notices(&page) }
                <StagePanel dark={props.dark} />
                <div class="embed-why">
                    <p class="cut" id="why-headline">if let Some(message) = headline { <Sentence {message} /> }</p>
                    <a id="open-full" href={full} target="_blank" rel="noopener">{ page.word("embed.full") }</a>
                </div>
                if props.controls { { stepper(&page) } }
                if props.state {
                    <section class="embed-state" aria-label={page.word("tab.state")}>{ tab_body(&page, Tab::State) }</section>
                }
            </main>
        </div>
    }
}
