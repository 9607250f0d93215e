//! The menu of the page.

use yew::prelude::*;

use crate::browser::inside::nearby;
use crate::context::link::{copy_embed, copy_link};
use crate::context::open::{open_start, pick_files};
use crate::context::{Layout, Page};
use crate::shell::state::action::{Action, EditAction, GameAction, SettingsAction, ViewAction};
use crate::shell::state::panels::{Mode, Overlay};
use crate::widgets::button::IconButton;
use crate::widgets::icons::Icon;
use crate::widgets::menu::Menu;
use memplan_core::base::Family;
use memplan_core::text::Locale;
use memplan_engine::is_own;
use memplan_planners as planner;
use memplan_teach::exercise::activity::Kind;

pub fn more(page: &Page) -> Html {
    let state = page.state.clone();
    let open = state.view.overlay == Some(Overlay::More);
    let name = page.word("header.more");
    let entry = |label: String, action: Callback<MouseEvent>| html! { <button type="button" role="menuitem" onclick={action}>{ label }</button> };
    let then = |send: Callback<Action>, act: Box<dyn Fn()>| {
        Callback::from(move |_: MouseEvent| {
            send.emit(Action::View(ViewAction::Overlay(None)));
            act();
        })
    };
    let by_keys = |label: String, action: Callback<MouseEvent>| html! { <button type="button" role="menuitem" class="by-keys" onclick={action}>{ label }</button> };
    let (send, locale) = (page.send.clone(), page.state.settings.locale);
    let pick = then(send.clone(), Box::new(move || pick_files(locale, send.clone())));
    let begun = page.send.clone();
    let again = then(page.send.clone(), Box::new(move || open_start(begun.clone())));
    let copy = copy_link(&page.send);
    let share = then(page.send.clone(), Box::new(move || copy.emit(())));
    let saved = page.send.clone();
    let save = then(page.send.clone(), Box::new(move || saved.emit(Action::Edit(EditAction::Save))));
    let copy = copy_embed(&page.send);
    let embed = then(page.send.clone(), Box::new(move || copy.emit(())));
    let other = if state.settings.locale == Locale::En { Locale::Zh } else { Locale::En };
    let theme = state.settings.theme.next();
    let league =
        nearby(&format!("league.html#lang={}&theme={}", state.settings.locale.name(), state.settings.theme.name()));
    let keys = state.settings.single_keys;
    let games = Kind::GAMES.into_iter().filter(|kind| page.state.fits_game(*kind));
    let games = games.filter_map(|kind| Some((kind, kind.activity().goals()?.of_open?)));
    html! {
        <div class="menu-host">
            <IconButton name={name.clone()} icon={Icon::More} id="more-button" popup="menu" expanded={open} onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::More))))} />
            if open {
                <Menu label={name} class="right">
                    if page.layout == Layout::Narrow {
                        { for Mode::ALL.into_iter().map(|mode| html! {
                            <button type="button" role="menuitemradio" id={format!("mode-{}", mode.name())} aria-checked={(state.view.mode.in_header() == mode).to_string()}
                                onclick={page.on(move || Action::View(ViewAction::Mode(mode)))}>{ page.word(&Family::MODE.of([mode.name()])) }</button>
                        }) }
                    }
                    if page.layout == Layout::Narrow && state.document.run.is_some() {
                        { entry(page.word("header.present"), page.on(|| Action::View(ViewAction::Present(true)))) }
                    }
                    if page.layout == Layout::Narrow && planner::info(&state.document.planner).is_some_and(|info| !is_own(info.id)) {
                        { entry(page.word("how.button"), page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::How))))) }
                    }
                    { entry(page.word("files.open"), pick) }
                    { for games.map(|(kind, key)| entry(page.word(key), page.on(move || Action::Game(GameAction::OfOpen(kind))))) }
                    { entry(page.word("header.share"), share) }
                    { entry(page.word("header.embed"), embed) }
                    { entry(page.word("header.save"), save) }
                    if page.layout != Layout::Wide {
                        <button type="button" role="menuitem" lang={other.tag()} onclick={page.on(move || Action::Settings(SettingsAction::Locale(other)))}>{ other.own_name() }</button>
                        { entry(page.word(state.settings.theme.key()), page.on(move || Action::Settings(SettingsAction::Theme(theme)))) }
                    }
                    { entry(page.word("find.title"), page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Find))))) }
                    { entry(page.word("header.report"), page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Report))))) }
                    <button type="button" role="menuitemcheckbox" class="by-keys" aria-checked={keys.to_string()} onclick={page.on(move || Action::Settings(SettingsAction::SingleKeys(!keys)))}>
                        { page.word("header.single-keys") }
                    </button>
                    { entry(page.word("start.notes-again"), again) }
                    { entry(page.word("signs.title"), page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Signs))))) }
                    // It lies beside the page, which one HTML file has not.
                    if let Some(league) = league {
                        <a role="menuitem" id="league" href={league} target="_blank" rel="noopener" onclick={page.on(|| Action::View(ViewAction::Overlay(None)))}>
                            { page.word("league.title") }
                        </a>
                    }
                    // The style sheet leaves out what is about keys where there are only fingers.
                    { by_keys(page.word("help.title"), page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Help))))) }
                </Menu>
            }
        </div>
    }
}
