//! Start: what this is, the terms on the plan, and where to go from here.

use yew::prelude::*;

use crate::context::open::{open_start, open_striking, pick_files, show_files};
use crate::context::sentence::words;
use crate::context::terms::glossary;
use crate::context::{Dark, use_page};
use crate::learn::lessons::state::progress::LearnPlace;
use crate::learn::play::state::address::GameLink;
use crate::open::state::examples::striking;
use crate::shell::state::action::{Action, LearnAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::{Message, Term};
use memplan_planners as planner;
use memplan_scene::paint::{Theme, svg};
use memplan_scene::thumbnail;
use memplan_teach::choices;

/// Size of the picture on a card, in px.
const PICTURE: (f64, f64) = (72.0, 44.0);

#[component]
pub fn StartPanel() -> Html {
    let page = use_page();
    let (send, locale) = (page.send.clone(), page.state.settings.locale);
    let pick = Callback::from(move |_: MouseEvent| pick_files(locale, send.clone()));
    let begin = {
        let send = page.send.clone();
        Callback::from(move |_: MouseEvent| open_start(send.clone()))
    };
    let learn = page.on(|| Action::Learn(LearnAction::Open(LearnPlace::default())));
    html! {
        <div class="start">
            <div class="stack">
                <h2>{ page.word("start.title") }</h2>
                <p class="lead">{ page.word("start.what") }</p>
                <p class="lead">{ words(&page, &Message::new("start.see")) }</p>
            </div>
            <div class="stack">
                <StrikingCard />
                <button type="button" class="go plain" id="start-learn" onclick={learn}>
                    <b>{ page.word("learn.title") }</b><span>{ page.word("start.learn-about") }</span>{ glyph(Icon::Right) }
                </button>
                <a class="go plain" id="start-pack" href={GameLink::nine_blocks().fragment(locale)}>
                    <b>{ page.word("game.be-the-planner") }</b><span>{ page.word("start.pack-about") }</span>{ glyph(Icon::Right) }
                </a>
                if !page.state.is_at_start() {
                    <button type="button" class="go plain" id="start-again" onclick={begin}>
                        <b>{ page.word("start.again") }</b><span>{ page.word("start.again-about") }</span>{ glyph(Icon::Right) }
                    </button>
                }
            </div>
            <div class="open-line">
                { glyph(Icon::Drop) }
                <div>
                    <p><b>{ page.word("files.drop") }</b>{ page.word("start.or") }
                        <button type="button" class="name" onclick={pick}>{ page.word("start.open") }</button></p>
                    <p class="muted">{ page.word("start.formats") }{ " " }
                        <button type="button" class="name" onclick={show_files(&page)}>{ page.word("start.more-formats") }</button></p>
                    <p class="muted">{ page.word("start.private") }</p>
                </div>
            </div>
            <details class="all-terms"><summary>{ page.word("start.terms") }</summary>{ glossary(&page, Term::ALL) }</details>
        </div>
    }
}

/// The way to a plan of the same buffers in which the arena grows although a place is free.
#[component]
fn StrikingCard() -> Html {
    let page = use_page();
    let dark = use_context::<Dark>().is_some_and(|dark| dark.0);
    let picture = use_memo(dark, |&dark| {
        let theme = if dark { Theme::Dark } else { Theme::Light };
        let (placed, bound) = striking();
        AttrValue::from(svg::to_svg(&[&thumbnail(&placed, bound, PICTURE)], PICTURE, theme, ""))
    });
    let onclick = {
        let send = page.send.clone();
        Callback::from(move |_: MouseEvent| open_striking(send.clone()))
    };
    let planner = planner::info(choices::STRIKING.0).map(|info| info.full_title(page.speech())).unwrap_or_default();
    html! {
        <button type="button" class="go" id="start-striking" {onclick}>
            <span class="pic" aria-hidden="true">{ Html::from_html_unchecked((*picture).clone()) }</span>
            <b>{ page.word("start.striking") }</b>
            <span>{ page.speech().say(&Message::new("start.striking-about").text("planner", planner)) }</span>
            { glyph(Icon::Right) }
        </button>
    }
}
