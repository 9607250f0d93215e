//! Pack and Tetris: blocks, the ladder, the marks, help.

use yew::prelude::*;

use crate::browser::dom::{capture, target_of};
use crate::context::sentence::plain_words;
use crate::context::{Layout, Page, use_page};
use crate::learn::play::GameProps;
use crate::learn::play::board::Board;
use crate::learn::play::frame::{button, onward, value_of, ways_on};
use crate::learn::play::ladder::ladder;
use crate::learn::play::overlay::{beside_in_words, in_words};
use crate::learn::play::rows::rows;
use crate::learn::play::state::Game;
use crate::learn::play::strip::strip;
use crate::shell::state::action::{Action, GameAction};
use crate::widgets::icons::Icon;
use memplan_core::base::Message;
use memplan_planners as planner;
use memplan_teach::exercise::hints::HINTS;

#[component]
pub fn Pack(props: &GameProps) -> Html {
    let page = use_page();
    let Some(game) = page.state.game_shown().cloned() else { return Html::default() };
    let is_narrow = page.layout == Layout::Narrow;
    html! { <>
        <main class="game-main" id="region-stage" tabindex="-1" aria-label={game.title(page.speech())}>
            { strip(&page, &game) }
            <Board dark={props.dark} />
            <p class="caption-why" role="status" id="game-said">{ said(&page, &game) }</p>
            { tools(&page, &game) }
            { beside_in_words(&page, &game) }
        </main>
        <aside class="panel game-side" id="region-right" tabindex="-1" aria-label={page.word("game.ladder")}>
            // On a phone the list is used beside the plan, which stays in sight.
            if is_narrow { { rows(&page, &game) } }
            { ladder(&page, &game) }
            if !is_narrow { { rows(&page, &game) } }
            if page.state.teaching.assigned.is_none() { { ways_on(&page, &game) } }
            { props.children.clone() }
        </aside>
    </> }
}

/// What is said about the last move, or what is to be done, and the way on from a plan that cannot
/// be better, or cannot be changed.
fn said(page: &Page, game: &Game) -> Html {
    if let Some(shown) = &game.shown {
        let planner = planner::title_of(shown, page.speech());
        return html! { { page.speech().say(&Message::new("game.shows").text("planner", planner)) } };
    }
    let which = Message::new("game.hint-n").count("n", game.hints).count("of", HINTS);
    // Blocks that stay cannot be moved any more.
    let is_over = game.tray().is_some_and(|tray| tray.is_in_turn() && tray.is_whole());
    html! { <>
        if game.hints > 0 { <b id="game-help">{ page.speech().say(&which) }</b>{ page.blank() } }
        { plain_words(page, &game.said()) }
        if game.hints == 0 && (game.is_solved() || is_over) { { onward(page, game) } }
    </> }
}

/// The buttons below the plan.
fn tools(page: &Page, game: &Game) -> Html {
    let Some(tray) = game.tray() else { return Html::default() };
    let selected = game.selected.filter(|id| tray.may_move(*id)).or(tray.next());
    let on = |act: fn(memplan_core::problem::BufferId) -> GameAction| selected.map_or(GameAction::Drop, act);
    let lies = selected.is_some_and(|id| tray.offset_of(id).is_some());
    html! {
        <div class="game-tools" role="group" aria-label={page.word("game.tools")}>
            <div class="game-moves">
            { button(page, "game-up", Icon::Up, "game.higher", selected.is_some(), on(|id| GameAction::Shift(id, true))) }
            { button(page, "game-down", Icon::Low, "game.lower", selected.is_some(), on(|id| GameAction::Shift(id, false))) }
            { button(page, "game-drop", Icon::Check, "game.drop", tray.held().is_some(), GameAction::Drop) }
            if !tray.is_in_turn() { { button(page, "game-off", Icon::Minus, "game.off", lies, on(GameAction::TakeOff)) } }
            </div>
            if !tray.is_in_turn() {
                { button(page, "game-undo", Icon::Undo, "game.undo", tray.can_undo(), GameAction::Undo) }
                { button(page, "game-redo", Icon::Redo, "game.redo", tray.can_redo(), GameAction::Redo) }
            }
            if page.state.may_hint() { { button(page, "game-hint", Icon::Bulb, "game.hint", true, GameAction::Hint) } }
            if page.state.teaching.assigned.is_none() { <Plans /> }
            { button(page, "game-clear", Icon::Delete, "game.clear", tray.placed() > 0, GameAction::Clear) }
        </div>
    }
}

/// The choice of a planner, and the button that lays its plan pale over one's own as long as it is
/// held.
#[component]
fn Plans() -> Html {
    let page = use_page();
    let chosen = use_state_eq(|| None::<String>);
    let rungs = page.state.game_shown().map(Game::rungs).unwrap_or_default();
    let known = |id: &String| rungs.iter().any(|rung| rung.planner == *id);
    let Some(id) = (*chosen).clone().filter(known).or(rungs.first().map(|rung| rung.planner.clone())) else {
        return Html::default();
    };
    let set = chosen.setter();
    let (beside_in_words, send) =
        (page.state.game_shown().is_some_and(|game| game.beside_in_words.is_some()), page.send.clone());
    let onchange = Callback::from(move |event: Event| {
        let planner = value_of(&event);
        if beside_in_words {
            send.emit(Action::Game(GameAction::Tell(Some(planner.clone()))));
        }
        set.set(Some(planner));
    });
    let show = {
        let (send, id) = (page.send.clone(), id.clone());
        move || send.emit(Action::Game(GameAction::Show(Some(id.clone()))))
    };
    let let_go = page.on(|| Action::Game(GameAction::Show(None)));
    let left = page.on(|| Action::Game(GameAction::Show(None)));
    let (pressed, send) = (show.clone(), page.send.clone());
    let onpointerdown = Callback::from(move |event: PointerEvent| {
        capture(target_of(&event), &event);
        pressed();
    });
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if is_press(&event) {
            event.prevent_default();
            show();
        }
    });
    let onkeyup = Callback::from(move |event: KeyboardEvent| {
        if is_press(&event) {
            event.prevent_default();
            send.emit(Action::Game(GameAction::Show(None)));
        }
    });
    // A long touch opens no menu.
    let oncontextmenu = Callback::from(|event: MouseEvent| event.prevent_default());
    html! { <>
        <select class="small" id="game-plans" aria-label={page.word("game.show-plan")} {onchange}>{ for rungs.iter().map(|rung| html! {
            <option value={rung.planner.clone()} selected={rung.planner == id}>{ planner::title_of(&rung.planner, page.speech()) }</option>
        }) }</select>
        <button type="button" class="btn line hold" id="game-show" aria-describedby="game-hold-is" {onpointerdown} onlostpointercapture={let_go} onblur={left} {onkeydown} {onkeyup} {oncontextmenu}>
            { page.word("game.hold") }</button>
        { in_words(&page, &id) }
        <p class="visually-hidden" id="game-hold-is">{ page.word("game.hold-is") }</p>
    </> }
}

/// Whether a key presses a button.
fn is_press(event: &KeyboardEvent) -> bool {
    matches!(event.key().as_str(), "Enter" | " ")
}
