//! The page as a part of another one: the plan, one line of why, the stepper.

pub mod parent;

use yew::prelude::*;

use crate::app::chrome::notices::notices;
use crate::app::context::sentence::words;
use crate::app::context::{Layout, Page};
use crate::app::model::embed::Embed;
use crate::app::model::panels::Tab;
use crate::app::panels::body::tab_body;
use crate::app::plan::stage::StagePanel;
use crate::app::state::address;
use crate::app::transport::stepper::stepper;
use crate::replay::why;

/// Below the plan stand the controls and the planner's state if they are asked for.
pub fn embedded(page: &Page, dark: bool, asked: Embed) -> Html {
    let state = page.state.clone();
    let headline = state.run.as_ref().zip(page.frame.as_ref()).map(|(run, frame)| why(run, frame).headline);
    let name = state.document.as_ref().map_or_else(|| page.word("header.opening"), |document| document.name.clone());
    let full = format!("./#{}", address::write(&state));
    let class = if page.layout == Layout::Narrow { "narrow" } else { "middle" };
    html! {
        <div class={classes!("page", "embedded", class)}>
            <main class={state.run.is_none().then_some("bare")}>
                <h1 class="visually-hidden">{ name }</h1>
                { notices(page) }
                <StagePanel {dark} />
                <div class="embed-why">
                    <p class="cut" id="why-headline">if let Some(message) = headline { { words(page, &message) } }</p>
                    <a id="open-full" href={full} target="_blank" rel="noopener">{ page.word("embed.full") }</a>
                </div>
                if asked.controls { { stepper(page) } }
                if asked.state {
                    <section class="embed-state" aria-label={page.word("tab.state")}>{ tab_body(page, Tab::State) }</section>
                }
            </main>
        </div>
    }
}
