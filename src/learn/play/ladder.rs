//! The planners' peaks beside one's own, with the bound through them, and the marks to reach.

use yew::prelude::*;

use crate::browser::css;
use crate::context::Page;
use crate::context::names::humps;
use crate::learn::play::frame::goals;
use crate::learn::play::state::Game;
use memplan_core::base::Message;
use memplan_planners as planner;
use memplan_teach::choices;

/// The ladder is so many times as wide as the longest bar, where a bar goes on beyond it.
const BEYOND: f64 = 1.25;
/// A plan without sharing that needs at most so many times as much as the longest bar is drawn to
/// scale as well.
const TO_SCALE: f64 = 2.0;

/// A row of the ladder.
struct Row {
    name: String,
    peak: u64,
    is_own: bool,
    /// Longer than the ladder is wide.
    is_beyond: bool,
    id: String,
}

pub fn ladder(page: &Page, game: &Game) -> Html {
    let (Some(tray), Some(deal)) = (game.tray(), &game.deal) else { return Html::default() };
    let unshared = tray.problem().unshared();
    let rungs = game.rungs();
    let of_planner = |rung: &memplan_engine::Rung| Row {
        name: planner::title_of(&rung.planner, page.speech()),
        peak: rung.peak,
        is_own: false,
        is_beyond: rung.peak >= unshared,
        id: rung.planner.clone(),
    };
    let mut rows: Vec<Row> = rungs.iter().map(of_planner).collect();
    let own = tray.peak();
    // Above those that are as good: it is the one that moves.
    let at = rows.iter().position(|row| row.peak <= own).unwrap_or(rows.len());
    let you = Row { name: page.word("game.you"), peak: own, is_own: true, is_beyond: false, id: "own".into() };
    rows.insert(at, you);
    let widest = rows.iter().filter(|row| !row.is_beyond).map(|row| row.peak).max().unwrap_or(1).max(deal.bound).max(1);
    rows.iter_mut().for_each(|row| row.is_beyond &= row.peak as f64 > TO_SCALE * widest as f64);
    let widest = rows.iter().filter(|row| !row.is_beyond).map(|row| row.peak).max().unwrap_or(1).max(widest);
    // Nothing else is as long as a bar that goes on beyond.
    let axis = widest as f64 * if rows.iter().any(|row| row.is_beyond) { BEYOND } else { 1.0 };
    let share = |bytes: u64| (100.0 * bytes as f64 / axis).min(100.0);
    let bound = share(deal.bound);
    html! {
        <section class="ladder" aria-labelledby="ladder-title" ~style={css(format!("--at:{bound:.2}%"))}>
            <h2 id="ladder-title">{ page.word("game.ladder") }</h2>
            <ol>{ for rows.iter().map(|row| {
                let width = if row.is_beyond { 100.0 } else { share(row.peak) };
                let class = classes!(row.is_own.then_some("own"), row.is_beyond.then_some("beyond"));
                html! {
                    <li {class} data-rung={row.id.clone()} data-peak={row.peak.to_string()}>
                        <span class="name-of">{ humps(&row.name) }</span>
                        <span class="rung-bar" aria-hidden="true">
                            <i class="full" ~style={css(format!("--w:{:.2}%", width.min(bound)))}></i><i class="over" ~style={css(format!("--w:{:.2}%", (width - bound).max(0.0)))}></i>
                        </span>
                        <b>{ page.speech().bytes(row.peak) }</b>
                    </li>
                }
            }) }</ol>
            { marks(page, game) }
        </section>
    }
}

/// What is to be reached, and what is.
fn marks(page: &Page, game: &Game) -> Html {
    let Some(deal) = &game.deal else { return Html::default() };
    let goal = game.goal();
    let rival = if deal.order.is_empty() { choices::WELCOME } else { &game.link.planner };
    let rival = planner::info(rival).map_or_else(String::new, |info| info.title(page.speech()).1);
    let second = match game.rival() <= goal {
        true => Message::new("game.mark-as-good").text("planner", rival),
        false => Message::new("game.mark-below").text("planner", rival),
    };
    let third = if goal > deal.bound { "game.mark-optimum" } else { "game.mark-bound" };
    let words = [Message::new("game.mark-naive"), second, Message::new(third)];
    let proof = match (game.is_goal_proved(), goal > deal.bound, game.proved.is_some()) {
        (true, true, _) => Message::new("game.proved-above").bytes("bound", deal.bound).bytes("least", goal),
        (true, false, _) => Message::new("game.proved-bound").bytes("bound", deal.bound),
        (false, _, false) => Message::new("game.proving"),
        (false, _, true) => Message::new("game.unproved").bytes("bound", deal.bound),
    };
    html! { <>
        { goals(page, game, &words) }
        <p class="muted" id="game-proof" data-proved={game.is_goal_proved().to_string()}>{ page.speech().say(&proof) }</p>
    </> }
}
