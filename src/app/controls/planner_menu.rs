//! Choice of planner, its options, and what is planned.

use yew::prelude::*;

use crate::app::context::{Layout, Page};
use crate::app::controls::options::options_dialog;
use crate::app::model::panels::Overlay;
use crate::app::state::action::Action;
use crate::app::widgets::icons::{Icon, glyph};
use crate::app::widgets::menu::Menu;
use crate::engine::IMPORTED;
use crate::planner::{self, INFOS};

pub fn planner_menu(page: &Page) -> Html {
    let state = page.state.clone();
    let shown = planner::info(&state.planner);
    let open = state.overlay == Some(Overlay::Planners);
    let options_open = state.overlay == Some(Overlay::Options);
    let changed = state.is_modified();
    let how = page.word("how.button");
    let options_name = match changed {
        true => format!("{}: {}", page.word("planner.options"), page.word("planner.modified")),
        false => page.word("planner.options"),
    };
    let reset = page.word("planner.reset-all");
    html! {
        <div class="planner menu-host">
            <span class="muted label">{ page.word("header.planner") }</span>
            <button type="button" class="btn line" id="planner-button" aria-haspopup="menu" aria-expanded={open.to_string()}
                aria-label={format!("{}: {}", page.word("header.planner"), shown.map_or_else(|| page.word("planner.imported"), |info| info.full_title(page.speech())))}
                onclick={page.on(|| Action::Overlay(Some(Overlay::Planners)))}>
                { match shown {
                    Some(info) => {
                        let (system, name) = info.title(page.speech());
                        html! { <><b class="cut">{ system }</b><span class="variant">{ " " }{ name }</span></> }
                    }
                    None => html! { <b class="cut">{ page.word("planner.imported") }</b> },
                } }
                { glyph(Icon::Down) }
            </button>
            <button type="button" class={classes!("btn", "icon-only", changed.then_some("on"))} id="options-button" aria-label={options_name.clone()}
                title={options_name} aria-expanded={options_open.to_string()} aria-haspopup="dialog"
                onclick={page.on(|| Action::Overlay(Some(Overlay::Options)))}>{ glyph(Icon::Options) }</button>
            if changed {
                <span class="modified" id="modified">{ page.word("planner.modified") }</span>
                <button type="button" class="btn" id="reset-button" aria-label={reset.clone()} title={reset}
                    onclick={page.on(|| Action::ResetAll)}>{ page.word("planner.reset") }</button>
            }
            // A phone has it in its menu: names want the room.
            if shown.is_some() && page.layout != Layout::Narrow {
                <button type="button" class="btn icon-only" id="how-button" aria-label={how.clone()} title={how} aria-haspopup="dialog"
                    onclick={page.on(|| Action::Overlay(Some(Overlay::How)))}>{ glyph(Icon::Question) }</button>
            }
            if open { { choices(page) } }
            if options_open { { options_dialog(page) } }
        </div>
    }
}

pub fn choices(page: &Page) -> Html {
    let state = page.state.clone();
    let has_graph = state.document.as_ref().is_some_and(|document| document.graph.is_some());
    let has_plan = state.document.as_ref().is_some_and(|document| document.has_plan);
    let choose = |id: &'static str| {
        let send = page.send.clone();
        Callback::from(move |_: MouseEvent| {
            send.emit(Action::Overlay(None));
            send.emit(Action::Planner(id.to_string()));
        })
    };
    html! {
        <Menu label={page.word("header.planner")} class="planners">
            if has_plan {
                <button type="button" role="menuitemradio" aria-checked={(state.planner == IMPORTED).to_string()} onclick={choose(IMPORTED)}>
                    <b>{ page.word("planner.imported") }</b><span class="muted">{ page.word("planner.imported.about") }</span>
                </button>
            }
            { for INFOS.iter().map(|info| {
                let blocked = planner::applicable(info, has_graph).is_err();
                let (system, name) = info.title(page.speech());
                let about = if blocked { page.word("fault.needs-graph") } else { page.word(&format!("planner.{}.about", info.id)) };
                html! {
                    <button type="button" role="menuitemradio" aria-checked={(state.planner == info.id).to_string()} disabled={blocked}
                        data-planner={info.id} onclick={choose(info.id)}>
                        <span><b>{ system }</b>{ " " }{ name }</span><span class="muted">{ about }</span>
                    </button>
                }
            }) }
        </Menu>
    }
}
