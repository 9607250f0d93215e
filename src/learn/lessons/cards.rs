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
use memplan_teach::exercise::activity::{Buffers, Kind};
use memplan_teach::exercise::variant::Difficulty;
use memplan_teach::lesson::IndexEntry;

/// Size of the picture on a large card, in px.
const PICTURE: (f64, f64) = (300.0, 116.0);

/// The games: three with a picture, and others.
pub fn challenges(page: &Page, index: &[IndexEntry], dark: bool) -> Html {
    let nine = GameLink::nine_blocks();
    let of = |link: &GameLink, about: Option<&str>| Card {
        name: link.kind.name(),
        address: game_address(page, link),
        title: link.title(page.speech()),
        about: about.map(|about| page.word(about)).unwrap_or_default(),
        best: best_of(page, link),
    };
    let card = |link: GameLink| of(&link, link.kind.activity().about);
    let boards = Kind::GAMES.into_iter().filter(|kind| kind.activity().buffers == Buffers::Board);
    let large = [of(&nine, Some("game.about-nine")), predict(page, index)];
    let large = large.into_iter().chain(boards.map(|kind| card(GameLink::new(kind, GameOf::Board))));
    let others = Kind::GAMES.into_iter().filter(|kind| kind.activity().buffers.has_seed());
    let others = others.map(|kind| card(GameLink::seeded(kind, 1, Difficulty::ALL[0])));
    html! {
        <section class="part" id="challenges" aria-labelledby="part-games">
            <div class="part-h">
                <p class="pn">{ page.word("game.challenges") }</p>
                <h2 id="part-games">{ page.word("game.be-the-planner") }</h2>
                <p>{ page.word("game.challenges-about") }</p>
            </div>
            <div>
                <div class="cards three-wide">{ for large.map(|card| card.shown(picture_of(index, card.name, dark))) }</div>
                <div class="cards four-wide">{ for others.map(|card| card.shown(Html::default())) }</div>
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
    let words = Message::new(link.kind.activity().goals()?.best);
    let words = if link.of == GameOf::Board {
        words.text("ratio", format!("{:.2}×", learned.best_try(&link.planner)?.ratio().value()))
    } else {
        let best = learned.best.get(&link.entry()?).copied()?;
        words.count("n", best).bytes("own", best)
    };
    Some(page.speech().say(&words))
}

/// The first example, by the planner whose plan a lesson names for the card.
fn predict(page: &Page, index: &[IndexEntry]) -> Card {
    let activity = Kind::Predict.activity();
    let plan = index.iter().find_map(|entry| entry.games.get(activity.name));
    let (document, planner) = (START, plan.map_or(choices::WELCOME, |plan| plan.planner.as_str()));
    let learned = &page.state.learning.learned;
    let best = learned.best.get(&predict_entry(document, planner)).copied().and_then(PredictBest::read);
    let best = best.map(|best| Message::new("predict.your-best").count("right", best.right).count("of", best.of));
    let best = best.map(|best| page.speech().say(&best));
    let lang = page.state.settings.locale.name();
    Card {
        name: activity.name,
        address: format!("#doc=ex:{document}&plan={planner}&f=0&predict=1&lang={lang}"),
        title: page.word(activity.title),
        about: activity.about.map(|about| page.word(about)).unwrap_or_default(),
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
