//! The plan of a game: blocks that are dragged up and down, those that wait below the axis, or
//! boxes whose edges are dragged.

use yew::prelude::*;

use crate::browser::canvas::{Repaint, use_size};
use crate::context::keys::command;
use crate::context::{Page, use_page};
use crate::learn::play::hand::{Grip, Hand};
use crate::learn::play::legend::legend;
use crate::learn::play::picture::Picture;
use crate::learn::play::state::Game;
use crate::learn::play::state::breaking::Breaking;
use crate::learn::play::tries::figures;
use crate::shell::state::action::{Action, GameAction};
use crate::shell::state::keys::Place;
use memplan_core::base::Message;

#[derive(Properties, PartialEq)]
pub struct BoardProps {
    pub dark: bool,
}

#[component]
pub fn Board(props: &BoardProps) -> Html {
    let page = use_page();
    let (host, node) = (use_node_ref(), use_node_ref());
    let size = use_size(host.clone());
    let repaint = use_mut_ref(Repaint::default);
    let shown = use_mut_ref(|| None::<Picture>);
    let grip = use_mut_ref(|| None::<Grip>);
    let game = page.state.game_shown().cloned();
    {
        let (shown, node, page, dark) = (shown.clone(), node.clone(), page.clone(), props.dark);
        let key = (game.clone(), size, dark, page.state.settings.locale, page.layout, page.state.view.look);
        use_effect_with(key, move |(game, size, ..)| {
            *shown.borrow_mut() = game.as_ref().and_then(|game| Picture::new(&page, game, *size));
            repaint.borrow().ask(move || shown.borrow().iter().for_each(|picture| picture.paint(&node, dark)));
        });
    }
    let Some(game) = game else { return Html::default() };
    let hand = Hand { send: page.send.clone(), shown, grip, node: node.clone() };
    let [down, moved, up, cancelled] = hand.handlers();
    let (placed, peak, places) = match (game.tray(), game.breaking().and_then(|breaking| breaking.tried.as_ref())) {
        (Some(tray), _) => (tray.placed(), tray.peak(), tray.text()),
        (None, Some(tried)) => (tried.board.pieces.len(), tried.ratio.peak, tried.board.write()),
        (None, None) => (0, 0, String::new()),
    };
    let label = match game.finding() {
        Some(finding) => finding.claim("game.board-claimed"),
        None => {
            let key = if game.breaking().is_some() { "game.board-plan" } else { "game.board" };
            Message::new(key).count("n", placed).bytes("peak", peak)
        }
    };
    let keys = game.breaking().map(|_| keys(&page));
    let let_go = keys.is_some().then(|| page.on(|| Action::Game(GameAction::Drop)));
    let left = keys.is_some().then(|| page.on(|| Action::Game(GameAction::Drop)));
    html! {
        <div class="stage game-board">{ legend(&page, &game) }<div class="plan" ref={host}>
            <canvas ref={node} class="top" id="game-plan" role={if keys.is_some() { "application" } else { "img" }} aria-label={page.speech().say(&label)}
                tabindex={keys.is_some().then_some("0")} aria-describedby={keys.is_some().then_some("board-keys")}
                data-peak={peak.to_string()} data-places={places} data-ghost={game.shown.clone()} ondblclick={hand.double()} onkeydown={keys} onkeyup={let_go} onblur={left}
                onpointerdown={down} onpointermove={moved} onpointerup={up} onpointercancel={cancelled}></canvas>
            if let Some(breaking) = game.breaking() { <p class="visually-hidden" role="status" id="board-box">{ spoken(&page, &game, breaking) }</p> }
        </div></div>
    }
}

/// The keys of a board. What one of them does as long as it is held is one change.
fn keys(page: &Page) -> Callback<KeyboardEvent> {
    let page = page.clone();
    Callback::from(move |event: KeyboardEvent| {
        let game = page.state.game_shown();
        if let Some(action) =
            game.zip(command(&event, Place::Board)).and_then(|(game, asked)| game.asked_of_board(asked))
        {
            event.prevent_default();
            page.send.emit(Action::Game(action));
        }
    })
}

/// The selected buffer of a board in words, with what the planner makes of it.
fn spoken(page: &Page, game: &Game, breaking: &Breaking) -> Option<String> {
    let piece = breaking.board.pieces.get(game.selected?.0 as usize)?;
    let ratio = figures(breaking.here()?.ratio);
    let message =
        Message::new("game.box").text("name", piece.name.clone()).count("kib", piece.kib).text("ratio", ratio);
    Some(page.speech().say(&message.live("live", piece.lower, piece.upper)))
}
