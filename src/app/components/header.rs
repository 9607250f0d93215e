//! The header: document, planner, and what concerns the whole page.

use yew::prelude::*;

use super::compare::AddPlanner;
use super::export_menu::ExportMenu;
use super::icons::{Glyph, Icon, mark};
use super::overlays::More;
use super::page::copy_link;
use super::planner_menu::PlannerMenu;
use super::{Layout, use_page};
use crate::app::state::{Action, Mode, Overlay, Tab, Theme};
use crate::text::Locale;

#[component]
pub fn Header() -> Html {
    let page = use_page();
    let state = page.state.clone();
    let layout = page.layout;
    let name = state.document.as_ref().map_or_else(|| page.word("header.opening"), |document| document.name.clone());
    let open_files = page
        .on(move || if layout == Layout::Wide { Action::LeftTab(Tab::Files) } else { Action::DrawerTab(Tab::Files) });
    let other = if state.locale == Locale::En { Locale::Zh } else { Locale::En };
    let theme = state.theme.next();
    let share = {
        let copy = copy_link(&page.send);
        Callback::from(move |_: MouseEvent| copy.emit(()))
    };
    let icon_button = |icon: Icon, name: String, onclick: Callback<MouseEvent>| {
        html! { <button type="button" class="btn icon-only" aria-label={name.clone()} title={name} {onclick}><Glyph {icon} /></button> }
    };
    html! {
        <header class="top" id="region-header" tabindex="-1">
            { mark() }
            <h1><button type="button" class="btn document" title={page.word("header.open")} onclick={open_files}>
                <span class="cut">{ name }</span><Glyph icon={Icon::Down} />
            </button></h1>
            if state.document.as_ref().is_some_and(|document| !document.warnings.is_empty()) {
                { icon_button(Icon::Warning, page.word("header.report"), page.on(|| Action::Overlay(Some(Overlay::Report)))) }
            }
            <Modes />
            <span class="grow"></span>
            if state.mode == Mode::Compare { <AddPlanner /> } else { <PlannerMenu /> }
            <span class="grow"></span>
            if layout == Layout::Wide {
                <button type="button" class="btn" onclick={share}><Glyph icon={Icon::Link} />{ page.word("header.share") }</button>
            } else if layout == Layout::Middle {
                { icon_button(Icon::Link, page.word("header.share"), share) }
            }
            if layout != Layout::Narrow {
                <button type="button" class="btn" lang={other.tag()} onclick={page.on(move || Action::Locale(other))}>
                    { other.own_name() }
                </button>
                { icon_button(Icon::Theme, page.word(&format!("theme.{}", state.theme.name())), page.on(move || Action::Theme(theme))) }
            }
            <ExportMenu />
            <More />
        </header>
    }
}

/// What the page is used for.
#[component]
fn Modes() -> Html {
    let page = use_page();
    if page.layout == Layout::Narrow {
        let send = page.send.clone();
        let onchange = Callback::from(move |event: Event| {
            let name = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
            let mode = Mode::ALL.into_iter().find(|mode| mode.name() == name);
            mode.into_iter().for_each(|mode| send.emit(Action::Mode(mode)));
        });
        return html! {
            <select id="modes" class="small" aria-label={page.word("header.modes")} {onchange}>
                { for Mode::ALL.into_iter().map(|mode| html! {
                    <option value={mode.name()} selected={page.state.mode == mode}>{ page.word(&format!("mode.{}", mode.name())) }</option>
                }) }
            </select>
        };
    }
    html! {
        <nav class="modes" aria-label={page.word("header.modes")}>
            { for Mode::ALL.into_iter().map(|mode| {
                let here = page.state.mode == mode;
                html! { <button type="button" class="mode" id={format!("mode-{}", mode.name())} aria-current={here.then_some("page")}
                    onclick={page.on(move || Action::Mode(mode))}>{ page.word(&format!("mode.{}", mode.name())) }</button> }
            }) }
        </nav>
    }
}

/// The name of a theme's switch, for the menu.
pub fn theme_key(theme: Theme) -> String {
    format!("theme.{}", theme.name())
}
