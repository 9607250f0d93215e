//! Debug: a plan with a fault, the buffers that may take part in it, and the verdict.

use yew::prelude::*;

use crate::context::sentence::plain_words;
use crate::context::{Page, use_page};
use crate::learn::play::GameProps;
use crate::learn::play::board::Board;
use crate::learn::play::frame::{button, goals, onward, ways_on};
use crate::learn::play::state::debug::Finding;
use crate::shell::state::action::{Action, GameAction};
use crate::widgets::icons::Icon;
use memplan_core::base::Message;
use memplan_core::problem::BufferId;

#[component]
pub fn Debug(props: &GameProps) -> Html {
    let page = use_page();
    let Some(game) = page.state.game_shown().cloned() else { return Html::default() };
    let Some(finding) = game.finding() else { return Html::default() };
    let feedback = game.feedback.clone().unwrap_or_else(|| Message::new("game.debug-how"));
    let claims = finding.claim("game.debug-claims");
    let is_open = !finding.over;
    html! { <>
        <main class="game-main" id="region-stage" tabindex="-1" aria-label={game.title(page.speech())}>
            <div class="strip"><div class="stats"><span class="stat"><i>{ page.speech().say(&claims) }</i></span></div></div>
            <Board dark={props.dark} />
            <p class="caption-why" role="status" id="game-said" data-over={finding.over.to_string()}>{ plain_words(&page, &feedback) }
                if finding.over { { onward(&page, &game) } }</p>
            <div class="game-tools" role="group" aria-label={page.word("game.tools")}>
                { button(&page, "game-check", Icon::Check, "lesson.check", is_open && !finding.chosen.is_empty(), GameAction::Check) }
                if page.state.may_hint() { { button(&page, "game-hint", Icon::Bulb, if game.hints == 0 { "game.hint" } else { "lesson.show-me" }, is_open, GameAction::Hint) } }
            </div>
        </main>
        <aside class="panel game-side" id="region-right" tabindex="-1" aria-label={page.word("game.table")}>
            { goals(&page, &game, &[Message::new("game.mark-found")]) }
            <section class="blocks" aria-labelledby="blocks-title">
                <h2 id="blocks-title">{ page.word("game.debug-who") }</h2>
                <ul>{ for finding.run.problem.buffers.ids().map(|id| row(&page, finding, id)) }</ul>
            </section>
            if page.state.teaching.assigned.is_none() { { ways_on(&page, &game) } }
            { props.children.clone() }
        </aside>
    </> }
}

/// A buffer with its place, to be suspected.
fn row(page: &Page, finding: &Finding, id: BufferId) -> Html {
    let buffer = &finding.run.problem.buffers[id];
    let at = finding.run.plan.places[id].map_or(0, |place| place.offset);
    let words = Message::new("game.debug-row").text("name", buffer.name.clone()).span("span", at, at + buffer.size);
    let words = words.live("live", buffer.live.start, buffer.live.end);
    let words = words.bytes("align", buffer.align);
    let is_chosen = finding.chosen.contains(&id);
    html! {
        <li><button type="button" class={classes!("block", is_chosen.then_some("on"))} aria-pressed={is_chosen.to_string()} data-block={buffer.name.clone()}
            aria-disabled={finding.over.then_some("true")} onclick={page.on(move || Action::Game(GameAction::Select(Some(id))))}>{ page.speech().say(&words) }</button></li>
    }
}
