//! The header: document, planner, and what concerns the whole page.

use yew::prelude::*;

use crate::chrome::more::more;
use crate::context::keys::shortcuts;
use crate::context::link::copy_link;
use crate::context::open::show_files;
use crate::context::{Layout, Page};
use crate::export::menu::ExportMenu;
use crate::learn::lessons::state::progress::LearnPlace;
use crate::shell::state::action::{Action, LearnAction, SettingsAction, ViewAction};
use crate::shell::state::keys::Command;
use crate::shell::state::panels::{Mode, Overlay};
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph, mark};
use memplan_core::base::Family;
use memplan_core::text::Locale;

/// Draws the header around `picker`, which chooses what is planned.
pub fn header(page: &Page, picker: Html) -> Html {
    let state = page.state.clone();
    let layout = page.layout;
    let learns = state.view.mode == Mode::Learn;
    let game = state.game_shown();
    let name = match (&state.learning.lesson, &state.document.open) {
        _ if game.is_some() => game.map_or_else(String::new, |game| game.title(page.speech())),
        (Some(lesson), _) if learns => format!("{} · {}", lesson.number, lesson.title.of(state.settings.locale)),
        _ if learns => page.word("mode.learn"),
        (_, Some(document)) => document.name.clone(),
        _ => page.word("header.opening"),
    };
    let open_files =
        if learns { page.on(|| Action::Learn(LearnAction::Open(LearnPlace::default()))) } else { show_files(page) };
    let opens = page.word(if learns { "learn.index" } else { "header.open" });
    let other = if state.settings.locale == Locale::En { Locale::Zh } else { Locale::En };
    let theme = state.settings.theme.next();
    let share = {
        let copy = copy_link(&page.send);
        Callback::from(move |_: MouseEvent| copy.emit(()))
    };
    let icon_button = |icon: Icon, name: String, onclick: Callback<MouseEvent>| {
        html! { <IconButton name={name} icon={icon} {onclick} /> }
    };
    html! {
        <header class="top" id="region-header" tabindex="-1">
            { mark() }
            <h1><button type="button" class="btn document" title={opens} onclick={open_files}>
                <span class="cut">{ name }</span>{ glyph(Icon::Down) }
            </button></h1>
            // A phone has the report and the modes in its menu: names want the room.
            if let Some(document) = state.document.open.as_ref().filter(|document| layout != Layout::Narrow && document.is_doubtful()) {
                { icon_button(if document.warnings.is_empty() { Icon::List } else { Icon::Warning }, page.word("header.report"),
                    page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Report))))) }
            }
            if layout != Layout::Narrow {
                { modes(page) }
            }
            <span class="grow"></span>
            { picker }
            <span class="grow"></span>
            if layout == Layout::Wide {
                <button type="button" class="btn line find-button" id="find-button" aria-haspopup="dialog" aria-keyshortcuts={shortcuts(Command::Find, page.state.settings.single_keys)}
                    disabled={state.document.run.is_none()} onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Find))))}>
                    { glyph(Icon::Find) }<span>{ page.word("find.title") }</span><kbd>{ "/" }</kbd></button>
                <button type="button" class="btn" aria-keyshortcuts={shortcuts(Command::Link, page.state.settings.single_keys)} onclick={share}>{ glyph(Icon::Link) }{ page.word("header.share") }</button>
            } else if layout == Layout::Middle {
                { icon_button(Icon::Link, page.word("header.share"), share) }
            }
            if layout != Layout::Narrow {
                <button type="button" class="btn" lang={other.tag()} onclick={page.on(move || Action::Settings(SettingsAction::Locale(other)))}>
                    { other.own_name() }
                </button>
                { present_button(page) }
                { icon_button(Icon::Theme, page.word(state.settings.theme.key()), page.on(move || Action::Settings(SettingsAction::Theme(theme)))) }
            }
            <ExportMenu />
            { more(page) }
        </header>
    }
}

/// What the page is used for.
fn modes(page: &Page) -> Html {
    html! {
        <nav class="modes" aria-label={page.word("header.modes")}>
            { for Mode::ALL.into_iter().map(|mode| {
                let here = page.state.view.mode.in_header() == mode;
                // Where there is no room for it the name stands below the icon, while that is
                // pointed at or has the focus.
                html! { <button type="button" class="mode" id={format!("mode-{}", mode.name())} aria-current={here.then_some("page")}
                    onclick={page.on(move || Action::View(ViewAction::Mode(mode)))}>
                    { glyph(mode_icon(mode)) }<span class="mode-name">{ page.word(&Family::MODE.of([mode.name()])) }</span></button> }
            }) }
        </nav>
    }
}

fn mode_icon(mode: Mode) -> Icon {
    match mode {
        Mode::Step => Icon::Step,
        Mode::Compare | Mode::Diff => Icon::Compare,
        Mode::Edit => Icon::Edit,
        Mode::Fit => Icon::Load,
        Mode::Learn => Icon::Learn,
    }
}

/// Presents the plan; it has no meaning without one.
fn present_button(page: &Page) -> Html {
    let name = page.word("header.present");
    html! {
        <IconButton name={name} icon={Icon::Present} id="present-button" keys={shortcuts(Command::Present, page.state.settings.single_keys)} disabled={page.state.document.run.is_none()} onclick={page.on(|| Action::View(ViewAction::Present(true)))} />
    }
}
