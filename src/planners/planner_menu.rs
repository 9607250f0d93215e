//! Choice of planner, its options, and what is planned.

use yew::prelude::*;

use crate::context::keys::shortcuts;
use crate::context::{Layout, Page};
use crate::planners::options::{BUTTON, OptionsSheet};
use crate::planners::picker::Picker;
use crate::shell::state::action::{Action, DocumentAction, ViewAction};
use crate::shell::state::keys::Command;
use crate::shell::state::panels::Overlay;
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use memplan_engine::is_own;
use memplan_planners::{self as planner};

pub fn planner_menu(page: &Page) -> Html {
    let state = page.state.clone();
    let shown = planner::info(&state.document.planner);
    let open = state.view.overlay == Some(Overlay::Planners);
    let options_open = state.view.overlay == Some(Overlay::Options);
    let changed = state.is_modified();
    let how = page.word("how.button");
    let options_name = if changed {
        format!("{}: {}", page.word("planner.options"), page.word("planner.modified"))
    } else {
        page.word("planner.options")
    };
    let reset = page.word("planner.reset-all");
    // What is written is what the page is about, even if it plans nothing yet.
    let is_wrong = state.own.open && !is_own(&state.document.planner) && state.own_mistake().is_some();
    let title = match is_wrong {
        true => state.own.name().to_string(),
        false => planner::title_of(&state.document.planner, page.speech()),
    };
    html! {
        <div class="planner menu-host">
            <span class="muted label">{ page.word("header.planner") }</span>
            <button type="button" class="btn line" id="planner-button" aria-haspopup="dialog" aria-expanded={open.to_string()} aria-keyshortcuts={shortcuts(Command::Picker, state.settings.single_keys)}
                aria-label={format!("{}: {title}", page.word("header.planner"))}
                onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Planners))))}>
                { match shown {
                    _ if is_wrong => html! { <><b class="cut">{ title }</b><span class="variant wrong">{ " " }{ page.word("own.has-mistake") }</span></> },
                    Some(info) => {
                        let (system, name) = info.title(page.speech());
                        // What has one name says it once.
                        let variant = (system != name).then(|| html! { <span class="variant">{ " " }{ name }</span> });
                        html! { <><b class="cut">{ system }</b>{ variant }</> }
                    }
                    None => html! { <b class="cut">{ page.word("planner.imported") }</b> },
                } }
                { glyph(Icon::Down) }
            </button>
            <button type="button" class={classes!("btn", "icon-only", changed.then_some("on"))} id={BUTTON} aria-label={options_name.clone()}
                title={options_name} aria-expanded={options_open.to_string()} aria-haspopup="dialog"
                onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Options))))}>{ glyph(Icon::Options) }</button>
            if changed {
                <span class="modified" id="modified">{ page.word("planner.modified") }</span>
                <button type="button" class="btn" id="reset-button" aria-label={reset.clone()} title={reset}
                    onclick={page.on(|| Action::Document(DocumentAction::ResetAll))}>{ page.word("planner.reset") }</button>
            }
            // A phone has it in its menu: names want the room.
            if shown.is_some_and(|info| !is_own(info.id)) && page.layout != Layout::Narrow {
                <IconButton name={how} icon={Icon::Question} id="how-button" popup="dialog" onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::How))))} />
            }
            if open { { choices(page) } }
            if options_open { <OptionsSheet /> }
        </div>
    }
}

pub fn choices(page: &Page) -> Html {
    let send = page.send.clone();
    let choose = Callback::from(move |id: &'static str| {
        send.emit(Action::View(ViewAction::Overlay(None)));
        send.emit(Action::Document(DocumentAction::Planner(id.to_string())));
    });
    html! { <Picker label={page.word("header.planner")} marks=true {choose} /> }
}
