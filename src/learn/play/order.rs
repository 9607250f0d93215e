//! Order: operators with their loads, or buffers with their places, and the goals.

use yew::prelude::*;

use crate::browser::media::is_touched;
use crate::context::sentence::plain_words;
use crate::context::use_page;
use crate::learn::play::GameProps;
use crate::learn::play::frame::{button, goals, onward, ways_on};
use crate::learn::play::operators::OrderList;
use crate::learn::play::strip::amount;
use crate::shell::state::action::{Action, GameAction};
use crate::widgets::icons::Icon;
use memplan_core::base::Message;
use memplan_teach::lesson::Hidden;

#[component]
pub fn Order(props: &GameProps) -> Html {
    let page = use_page();
    let Some(game) = page.state.game_shown().cloned() else { return Html::default() };
    let Some(ordering) = game.ordering() else { return Html::default() };
    let send = page.send.clone();
    let moves = Callback::from(move |(from, to)| send.emit(Action::Game(GameAction::Move(from, to))));
    let said = game.said_of_order(ordering);
    let letters = ordering.operators.letters().filter(|_| said.is_none());
    // No key helps a finger.
    let how = match is_touched() {
        true => ordering.key("game.order-how-touch", "game.placed-how-touch"),
        false => ordering.key("game.order-how", "game.placed-how"),
    };
    let said = said.unwrap_or_else(|| Message::new(how));
    let letters =
        letters.map(|(node, buffer)| Message::new("game.order-letters").text("node", node).text("buffer", buffer));
    let words =
        [Message::new("game.mark-written").bytes("load", ordering.written()), Message::new("game.mark-best-order")];
    let deal = game.deal.as_deref().filter(|_| ordering.operators.are_buffers());
    let bound = deal.map(|deal| deal.bound).filter(|_| !page.state.exercise_hides(Hidden::Bound));
    let proof = game.order_proof(ordering);
    html! { <>
        <main class="game-main" id="region-stage" tabindex="-1" aria-label={game.title(page.speech())}>
            <div class="strip"><div class="stats">
                <span class="stat" id="game-peak"><i>{ page.word(ordering.key("game.own-load", "game.own-peak")) }</i>{ amount(&page, ordering.load()) }</span>
                <span class="stat optional"><i>{ page.word("game.as-written") }</i>{ amount(&page, ordering.written()) }</span>
                if let Some(bound) = bound { <span class="stat" id="game-bound"><i>{ page.word("term.lower-bound") }</i>{ amount(&page, bound) }</span> }
                if let Some(best) = game.best { <span class="stat" id="game-best"><i>{ page.word("game.best") }</i>{ amount(&page, best) }</span> }
                if let Some(par) = game.link.par { <span class="stat" id="game-par"><i>{ page.speech().say(&Message::new("game.par").bytes("par", par)) }</i></span> }
            </div></div>
            <div class="game-list"><OrderList list={ordering.operators.clone()} order={ordering.order.clone()} is_over={false} {moves} /></div>
            <p class="caption-why" role="status" id="game-said">{ plain_words(&page, &said) }
                if let Some(letters) = letters { { page.blank() }{ plain_words(&page, &letters) } }
                if game.is_best_order(ordering) { { onward(&page, &game) } }</p>
            <div class="game-tools" role="group" aria-label={page.word("game.tools")}>
                { button(&page, "game-undo", Icon::Undo, "game.undo", ordering.undo.can_undo(), GameAction::Undo) }
                { button(&page, "game-redo", Icon::Redo, "game.redo", ordering.undo.can_redo(), GameAction::Redo) }
                if page.state.may_hint() { { button(&page, "game-hint", Icon::Bulb, "game.hint", true, GameAction::Hint) } }
                { button(&page, "game-clear", Icon::Delete, "game.clear", true, GameAction::Clear) }
            </div>
        </main>
        <aside class="panel game-side" id="region-right" tabindex="-1" aria-label={page.word("game.marks")}>
            <h2>{ page.word("game.marks") }</h2>
            { goals(&page, &game, &words) }
            <p class="muted">{ page.word(proof) }</p>
            if page.state.teaching.assigned.is_none() { { ways_on(&page, &game) } }
            { props.children.clone() }
        </aside>
    </> }
}
