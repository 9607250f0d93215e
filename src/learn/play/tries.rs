//! The boards of Break that are kept: pictures, ways to load and delete them, and their file.

use yew::prelude::*;

use crate::browser::download::save_text;
use crate::context::Page;
use crate::context::open::pick_file;
use crate::learn::lessons::state::progress::Try;
use crate::learn::play::state::Game;
use crate::learn::play::state::breaking::Breaking;
use crate::plan::small::drawn;
use crate::shell::state::action::{Action, GameAction};
use crate::widgets::button::IconButton;
use crate::widgets::icons::Icon;
use memplan_core::base::Message;
use memplan_teach::exercise::board::Ratio;
use memplan_teach::exercise::board_file;

/// Size of a picture, in px.
const PICTURE: (f64, f64) = (72.0, 44.0);

/// A ratio as figures.
pub fn figures(ratio: Ratio) -> String {
    format!("{:.2}×", ratio.value())
}

/// The boards that were kept.
pub fn tries(page: &Page, game: &Game, breaking: &Breaking, dark: bool) -> Html {
    let planner = game.link.planner.clone();
    let kept = page.state.learning.learned.tries.get(&planner).cloned().unwrap_or_default();
    let rows = kept.iter().map(|kept| one_try(page, breaking, kept, dark));
    let (has_none, saved) = (kept.is_empty(), kept.clone());
    let export = Callback::from(move |_: MouseEvent| {
        let text = board_file::write(&planner, saved.iter().map(|kept| kept.board.as_str()));
        save_text(&format!("break-{planner}.json"), &text);
    });
    let (locale, send) = (page.state.settings.locale, page.send.clone());
    let open = Callback::from(move |_: MouseEvent| {
        pick_file(locale, send.clone(), |file| Action::Game(GameAction::OpenTries(file.bytes)));
    });
    html! {
        <section class="tries" aria-labelledby="tries-title">
            <h2 id="tries-title">{ page.word("game.tries") }</h2>
            if has_none { <p class="muted">{ page.word("game.no-tries") }</p> }
            <ol>{ for rows }</ol>
            <div class="acts-row">
                <button type="button" class="btn line" id="tries-export" disabled={has_none} onclick={export}>{ page.word("game.export-tries") }</button>
                <button type="button" class="btn line" id="tries-open" onclick={open}>{ page.word("game.open-tries") }</button>
            </div>
        </section>
    }
}

fn one_try(page: &Page, breaking: &Breaking, kept: &Try, dark: bool) -> Html {
    let count = kept.board.split('_').count();
    let words = Message::new("game.try").count("n", count).bytes("peak", kept.peak).bytes("bound", kept.bound);
    let (load, forget) = (kept.board.clone(), kept.board.clone());
    let words = page.speech().say(&words);
    let gone = page.speech().say(&Message::new("game.forget").text("ratio", figures(kept.ratio())));
    let boxes = breaking.pictures.get(&kept.board).filter(|boxes| !boxes.is_empty());
    html! {
        <li><button type="button" class="block" data-try={kept.board.clone()} onclick={page.on(move || Action::Game(GameAction::Load(load.clone())))}>
                <span class="pic" aria-hidden="true">if let Some(boxes) = boxes { { drawn(boxes, kept.bound, PICTURE, dark) } }</span>
                <span><b>{ figures(kept.ratio()) }</b>{ " " }{ words }if kept.opened { <i>{ page.word("game.from-file") }</i> }</span></button>
            <IconButton name={gone} icon={Icon::Delete} onclick={page.on(move || Action::Game(GameAction::Forget(forget.clone())))} /></li>
    }
}
