//! The page as a part of another one: the plan, one line of why, the stepper.

pub mod parent;
pub mod state;

use yew::prelude::*;

use crate::chrome::notices::notices;
use crate::context::keys::shortcuts;
use crate::context::sentence::words;
use crate::context::{Dark, Layout, use_page};
use crate::embed::state::Embed;
use crate::plan::stage::StagePanel;
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::address;
use crate::shell::state::keys::Command;
use crate::shell::state::panels::Tab;
use crate::step::panels::body::tab_body;
use crate::step::transport::stepper::stepper;
use memplan_replay::why;

#[derive(Properties, PartialEq)]
pub struct EmbeddedProps {
    /// What the page around this one asked for.
    pub embed: Embed,
}

/// The plan; below it stand the controls and the planner's state if they are asked for.
#[component]
pub fn Embedded(props: &EmbeddedProps) -> Html {
    let page = &use_page();
    let Dark(dark) = use_context::<Dark>().unwrap_or(Dark(false));
    let asked = props.embed;
    let state = page.state.clone();
    let headline = state.document.run.as_ref().zip(page.frame.as_ref()).map(|(run, frame)| why(run, frame).headline);
    let name =
        state.document.open.as_ref().map_or_else(|| page.word("header.opening"), |document| document.name.clone());
    let full = format!("./#{}", address::write(&state));
    let class = if page.layout == Layout::Narrow { "narrow" } else { "middle" };
    html! {
        <div class={classes!("page", "embedded", class)}>
            <main class={state.document.run.is_none().then_some("bare")}>
                <h1 class="visually-hidden">{ name }</h1>
                { notices(page) }
                <StagePanel {dark} />
                <div class="embed-why">
                    <p class="cut" id="why-headline">if let Some(message) = headline { { words(page, &message) } }</p>
                    <button type="button" class="name" id="present-button" aria-keyshortcuts={shortcuts(Command::Present, state.settings.single_keys)}
                        disabled={state.document.run.is_none()} onclick={page.on(|| Action::View(ViewAction::Present(true)))}>{ page.word("header.present") }</button>
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
