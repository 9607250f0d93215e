//! The cards below the lessons: challenges with one's own best result, and the teacher's corner.

use yew::prelude::*;

use crate::context::Page;
use crate::learn::lessons::places::corner_address;
use crate::learn::lessons::state::progress::{PredictBest, predict_entry};
use crate::learn::play::address::address as game_address;
use crate::learn::play::state::address::{GameLink, GameOf};
use crate::learn::teacher::state::form::Corner;
use crate::plan::small::worst;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_engine::START;
use memplan_teach::choices;
use memplan_teach::exercise::variant::{Difficulty, Kind};
use memplan_teach::lesson::IndexEntry;

/// Size of the picture on a large card, in px.
const PICTURE: (f64, f64) = (300.0, 116.0);

/// The games: three with a picture, and others.
pub fn challenges(page: &Page, index: &[IndexEntry], dark: bool) -> Html {
    let seeded = |kind: Kind| GameLink::seeded(kind, 1, Difficulty::ALL[0]);
    let nine = GameLink::nine_blocks();
    let hard = GameLink::new(Kind::Break, GameOf::Board);
    let others = [
        (seeded(Kind::Pack), "game.about-pack"),
        (seeded(Kind::Tetris), "game.about-tetris"),
        (seeded(Kind::Order), "game.about-order"),
        (seeded(Kind::Debug), "game.about-debug"),
    ];
    let of = |link: &GameLink, about: &str| Card {
        name: link.kind.name(),
        address: game_address(page, link),
        title: link.title(page.speech()),
        about: page.word(about),
        best: best_of(page, link),
    };
    let large = [
        (of(&nine, "game.about-nine"), "pack"),
        (predict(page, index), "predict"),
        (of(&hard, "game.about-break"), "break"),
    ];
    html! {
        <section class="part" id="challenges" aria-labelledby="part-games">
            <div class="part-h">
                <p class="pn">{ page.word("game.challenges") }</p>
                <h2 id="part-games">{ page.word("game.be-the-planner") }</h2>
                <p>{ page.word("game.challenges-about") }</p>
            </div>
            <div>
                <div class="cards three-wide">{ for large.iter().map(|(card, picture)| card.shown(picture_of(index, picture, dark))) }</div>
                <div class="cards four-wide">{ for others.iter().map(|(link, about)| of(link, about).shown(Html::default())) }</div>
            </div>
        </section>
    }
}

/// A card of a game.
struct Card {
    name: &'static str,
    address: String,
    title: String,
    about: String,
    best: Option<String>,
}

impl Card {
    fn shown(&self, picture: Html) -> Html {
        html! {
            <a class="lesson-card plain" href={self.address.clone()} data-game={self.name}>
                { picture }
                <span class="body">
                    <b class="t">{ &self.title }</b>
                    <span class="able">{ &self.about }</span>
                    { for self.best.iter().map(|best| html! { <span class="meta"><span class="st done">{ glyph(Icon::Check) }{ best }</span></span> }) }
                </span>
            </a>
        }
    }
}

/// The plan that a lesson names for a game; boxes above the lower bound stand out.
fn picture_of(index: &[IndexEntry], game: &str, dark: bool) -> Html {
    let plan = index.iter().find_map(|entry| entry.games.get(game));
    plan.map(|plan| html! { <span class="pic wide" aria-hidden="true">{ worst(&plan.boxes, plan.bound, PICTURE, dark) }</span> })
        .unwrap_or_default()
}

/// One's own best result.
fn best_of(page: &Page, link: &GameLink) -> Option<String> {
    let learned = &page.state.learning.learned;
    if let Some(tried) = learned.best_try(&link.planner).filter(|_| link.of == GameOf::Board) {
        let best = Message::new("game.your-best").text("ratio", format!("{:.2}×", tried.ratio().value()));
        return Some(page.speech().say(&best));
    }
    let best = learned.best.get(&link.entry()?).copied()?;
    let best = match link.kind {
        Kind::Debug => Message::new("game.found-at").count("n", best),
        _ => Message::new("game.your-best-bytes").bytes("own", best),
    };
    Some(page.speech().say(&best))
}

/// The first example, by the planner whose plan a lesson names for the card.
fn predict(page: &Page, index: &[IndexEntry]) -> Card {
    let plan = index.iter().find_map(|entry| entry.games.get(Kind::Predict.name()));
    let (document, planner) = (START, plan.map_or(choices::WELCOME, |plan| plan.planner.as_str()));
    let learned = &page.state.learning.learned;
    let best = learned.best.get(&predict_entry(document, planner)).copied().and_then(PredictBest::read);
    let best = best.map(|best| Message::new("predict.your-best").count("right", best.right).count("of", best.of));
    let best = best.map(|best| page.speech().say(&best));
    let lang = page.state.settings.locale.name();
    Card {
        name: Kind::Predict.name(),
        address: format!("#doc=ex:{document}&plan={planner}&f=0&predict=1&lang={lang}"),
        title: page.word("predict.title"),
        about: page.word("predict.about"),
        best,
    }
}

/// What there is for those who teach.
pub fn teachers(page: &Page) -> Html {
    let lang = page.state.settings.locale.name();
    let cards = [
        (Icon::Link, corner_address(page, Corner::Link), "teach.tab-link", "teach.card-link"),
        (Icon::List, corner_address(page, Corner::Sheet), "teach.tab-sheet", "teach.card-sheet"),
        (Icon::Learn, corner_address(page, Corner::Plan), "teach.tab-plan", "teach.card-plan"),
        (Icon::Present, format!("#learn=1&present=1&lang={lang}"), "learn.present", "teach.card-present"),
    ];
    html! {
        <section class="part" id="for-teachers" aria-labelledby="part-teachers">
            <div class="part-h">
                <h2 id="part-teachers"><a id="to-teachers" href={corner_address(page, Corner::Link)}>{ page.word("teach.title") }</a></h2>
                <p>{ page.word("teach.lead") }</p>
            </div>
            <div class="cards four-wide">{ for cards.into_iter().map(|(icon, address, title, about)| html! {
                <a class="lesson-card plain" href={address}>
                    <span class="body"><span class="card-icon">{ glyph(icon) }</span><b class="t">{ page.word(title) }</b><span class="able">{ page.word(about) }</span></span>
                </a>
            }) }</div>
        </section>
    }
}
