//! The plan of a game: blocks that are dragged up and down, those that wait below the axis, or boxes whose edges are dragged.

use yew::prelude::*;

use crate::app::browser::canvas::{Repaint, use_size};
use crate::app::browser::hooks::{use_effect_with, use_mut_ref};
use crate::app::context::use_page;
use crate::app::game::hand::{Grip, Hand};
use crate::app::game::picture::Picture;
use crate::base::Message;

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
    let label = Message::new("game.board").count("n", placed).bytes("peak", peak);
    html! {
        <div class="stage game-board"><div class="plan" ref={host}>
            <canvas ref={node} class="top" id="game-plan" role="img" aria-label={page.speech().say(&label)}
                data-peak={peak.to_string()} data-places={places} ondblclick={hand.double()}
                onpointerdown={down} onpointermove={moved} onpointerup={up} onpointercancel={cancelled}></canvas>
        </div></div>
    }
}
