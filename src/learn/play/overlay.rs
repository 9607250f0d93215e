//! The plan of a planner beside one's own in words: the equal of its picture for those who do not
//! see it, and for those who would rather read it.

use yew::prelude::*;

use crate::context::Page;
use crate::learn::play::state::Game;
use crate::learn::play::state::overlay::Beside;
use crate::shell::state::action::{Action, GameAction};
use memplan_core::base::Message;
use memplan_planners as planner;
use memplan_teach::exercise::tray::Tray;

/// The button that shows and hides the table. Its plan is the one that is chosen beside it.
pub fn in_words(page: &Page, planner: &str) -> Html {
    let is_open = page.state.game_shown().is_some_and(|game| game.beside_in_words.is_some());
    let next = (!is_open).then(|| planner.to_string());
    html! {
        <button type="button" class="btn line" id="game-in-words" aria-expanded={is_open.to_string()} aria-controls="game-beside"
            onclick={page.on(move || Action::Game(GameAction::Tell(next.clone())))}>{ page.word("game.in-words") }</button>
    }
}

/// The sentence that is read out, and the table as long as it is open.
pub fn beside_in_words(page: &Page, game: &Game) -> Html {
    let Some(tray) = game.tray() else { return Html::default() };
    let title = |id: &String| planner::title_of(id, page.speech());
    let spoken = game.beside_in_words.as_ref().or(game.shown.as_ref()).and_then(|id| game.beside_words(id, title(id)));
    let rows = game.beside_in_words.as_ref().and_then(|id| Some((title(id), game.beside(id)?)));
    let is_seen = rows.is_some();
    html! {
        <div class="in-words" id="game-beside">
            <p class={if is_seen { "muted" } else { "visually-hidden" }} aria-live="polite" id="game-beside-words">{ spoken.map(|words| page.speech().say(&words)) }</p>
            if let Some((title, rows)) = rows { { table(page, tray, &title, &rows) } }
        </div>
    }
}

fn table(page: &Page, tray: &Tray, title: &str, rows: &[Beside]) -> Html {
    let caption = page.speech().say(&Message::new("game.beside-title").text("planner", title));
    let heads = [
        page.word("game.block"),
        page.word("game.steps"),
        page.speech().say(&Message::new("game.theirs").text("planner", title)),
        page.word("game.yours"),
    ];
    let at = |at: Option<u64>, none: &str| at.map_or_else(|| page.word(none), |at| page.speech().bytes(at));
    let row = |row: &Beside| {
        let block = &tray.problem().buffers[row.id];
        let steps = Message::new("game.from-to").count("first", block.live.start);
        let steps = page.speech().say(&steps.count("last", block.live.end.saturating_sub(1)));
        html! {
            <tr data-same={row.is_same().to_string()}>
                <th scope="row">{ format!("{}, {}", block.name, page.speech().bytes(block.size)) }</th>
                <td>{ steps }</td><td>{ at(row.theirs, "game.no-place") }</td>
                <td>{ at(row.own, "game.waits") }if row.is_same() { <span class="muted">{ " · " }{ page.word("game.same-place") }</span> }</td>
            </tr>
        }
    };
    html! {
        <div class="table-scroll" tabindex="0" role="group" aria-label={caption.clone()}>
            <table class="results" aria-describedby="game-beside-words">
                <caption class="visually-hidden">{ caption }</caption>
                <thead><tr>{ for heads.into_iter().map(|head| html! { <th scope="col">{ head }</th> }) }</tr></thead>
                <tbody>{ for rows.iter().map(row) }</tbody>
            </table>
        </div>
    }
}
