//! The blocks as a list: everything that a pointer does on the plan, by keys and in words.

use yew::prelude::*;

use crate::context::Page;
use crate::context::keys::command;
use crate::learn::play::state::Game;
use crate::shell::state::action::{Action, GameAction};
use crate::shell::state::keys::{Command, Place};
use memplan_core::base::{Arg, Message};
use memplan_core::problem::BufferId;
use memplan_teach::exercise::tray::Tray;

/// One button a block; its keys move the block.
pub fn rows(page: &Page, game: &Game) -> Html {
    let Some(tray) = game.tray() else { return Html::default() };
    html! {
        <section class="blocks" aria-labelledby="blocks-title">
            <h2 id="blocks-title">{ page.word("game.blocks-title") }</h2>
            <p class="muted by-keys" id="blocks-keys">{ page.word(if tray.is_in_turn() { "game.keys-in-turn" } else { "game.keys" }) }</p>
            <ul>{ for tray.ids().map(|id| row(page, game, tray, id)) }</ul>
        </section>
    }
}

fn row(page: &Page, game: &Game, tray: &Tray, id: BufferId) -> Html {
    let block = &tray.problem().buffers[id];
    let at = tray.offset_of(id);
    let message = match at {
        Some(at) => Message::new("game.row").address("at", at),
        None => Message::new("game.row-waits"),
    };
    let message = message.text("name", block.name.clone()).bytes("size", block.size);
    let message = message.live("live", block.live.start, block.live.end);
    let under: Vec<String> = tray.under(id).into_iter().map(|id| tray.problem().buffers[id].name.clone()).collect();
    let on = (!under.is_empty()).then(|| Message::new("game.row-on").with("names", Arg::Names(under)));
    let words = [Some(message), on].into_iter().flatten().map(|message| page.speech().say(&message));
    let words: Vec<String> = words.collect();
    let is_held = tray.held().is_some_and(|held| held.id == id);
    let is_selected = game.selected == Some(id);
    let (send, in_turn) = (page.send.clone(), tray.is_in_turn());
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if let Some(action) = asked(&event, id, is_held) {
            event.prevent_default();
            send.emit(Action::Game(action));
        }
    });
    // Blocks that stay wait for a word; others lie where they are left.
    let left = if in_turn { GameAction::PutBack } else { GameAction::Drop };
    let onblur = is_held.then(|| page.on(move || Action::Game(left.clone())));
    let select = page.on(move || Action::Game(GameAction::Select(Some(id))));
    let place = tray.may_move(id) && at.is_none();
    let onclick = if place {
        page.on(move || Action::Game(GameAction::Shift(id, true)))
    } else {
        page.on(move || Action::Game(GameAction::Select(Some(id))))
    };
    html! {
        <li><button type="button" class={classes!("block", is_selected.then_some("on"), at.is_none().then_some("waits"))} data-block={block.name.clone()}
            data-at={at.map(|at| at.to_string())} aria-pressed={is_selected.to_string()} aria-describedby="blocks-keys"
            onfocus={select} {onblur} {onkeydown} {onclick}>{ words.concat() }</button></li>
    }
}

/// What a key asks for.
fn asked(event: &KeyboardEvent, id: BufferId, is_held: bool) -> Option<GameAction> {
    Some(match command(event, Place::Block)? {
        Command::BlockAbove => GameAction::Shift(id, true),
        Command::BlockBelow => GameAction::Shift(id, false),
        Command::BlockUp => GameAction::Nudge(id, true),
        Command::BlockDown => GameAction::Nudge(id, false),
        Command::DropBlock if is_held => GameAction::Drop,
        Command::PutBlockBack if is_held => GameAction::PutBack,
        Command::TakeBlockOff => GameAction::TakeOff(id),
        _ => return None,
    })
}
