//! Break: a table of buffers, the planner's plan of them, how far it is above the bound, the best
//! tries.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::browser::css;
use crate::context::clipboard::copy;
use crate::context::sentence::plain_words;
use crate::context::{Page, use_page};
use crate::learn::play::GameProps;
use crate::learn::play::address::whole_address;
use crate::learn::play::board::Board;
use crate::learn::play::frame::{button, value_of};
use crate::learn::play::state::Game;
use crate::learn::play::state::action::BoardField;
use crate::learn::play::state::address::GameLink;
use crate::learn::play::state::breaking::{Breaking, last_growth};
use crate::learn::play::strip::amount;
use crate::learn::play::tries::{figures, tries};
use crate::shell::state::action::{Action, GameAction};
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::{Family, Message};
use memplan_planners::{self as planner, Group};
use memplan_teach::exercise::board::{MAX_BUFFERS, MAX_STEP, Piece, Ratio};
use memplan_teach::exercise::link::ratio_text;

#[component]
pub fn Break(props: &GameProps) -> Html {
    let page = use_page();
    let Some(game) = page.state.game_shown().cloned() else { return Html::default() };
    let Some(breaking) = game.breaking() else { return Html::default() };
    // In an exercise the planner and the ratio are given, and nothing is kept.
    let is_own = page.state.teaching.assigned.is_none();
    html! { <>
        <section class="panel game-table" id="region-left" tabindex="-1" aria-label={page.word("game.table")}>
            if is_own { { planners(&page, &game) } } else { <h2>{ game.title(page.speech()) }</h2> }
            <p class="muted">{ page.word("game.break-how") }</p>
            <p class="muted by-keys" id="board-keys">{ page.word("game.board-keys") }</p>
            { table(&page, &game, breaking) }
        </section>
        <main class="game-main" id="region-stage" tabindex="-1" aria-label={game.title(page.speech())}>
            { strip(&page, breaking) }
            <Board dark={props.dark} />
            <p class="caption-why" role="status" id="game-said">{ feedback(&page, &game, breaking) }</p>
        </main>
        <aside class="panel game-side" id="region-right" tabindex="-1" aria-label={page.word("game.tries")}>
            { ratio(&page, &game, breaking) }
            if is_own { { tries(&page, &game, breaking, props.dark) }{ worst(&page, breaking) } }
            { props.children.clone() }
        </aside>
    </> }
}

fn planners(page: &Page, game: &Game) -> Html {
    let send = page.send.clone();
    let onchange = Callback::from(move |event: Event| send.emit(Action::Game(GameAction::Planner(value_of(&event)))));
    // The planners that the user wrote can be broken, too.
    let own = page.state.own.ready().filter_map(|program| planner::info(&program.id));
    let infos = planner::INFOS.iter().copied().filter(|info| info.group != Group::Reference).chain(own);
    html! {
        <p class="field"><label for="break-planner">{ page.word("game.break-whom") }</label>
            <select class="small" id="break-planner" {onchange}>{ for infos.map(|info| html! {
                <option value={info.id} selected={info.id == game.link.planner}>{ planner::title_of(info.id, page.speech()) }</option>
            }) }</select></p>
    }
}

fn table(page: &Page, game: &Game, breaking: &Breaking) -> Html {
    let pieces = &breaking.board.pieces;
    html! { <>
        <table class="pieces">
            <thead><tr>{ for ["game.name", "game.kib", "game.from", "game.to"].iter().map(|key| html! { <th scope="col">{ page.word(key) }</th> }) }
                <th scope="col">{ page.word(&Family::DEFINE_NAME.of(["live-range"])) }</th><td></td></tr></thead>
            <tbody>{ for pieces.iter().enumerate().map(|(at, piece)| row(page, game, (breaking, at), piece)) }</tbody>
        </table>
        <div class="acts-row">
            { button(page, "break-add", Icon::Add, "game.add", pieces.len() < MAX_BUFFERS, GameAction::Add(0)) }
            { button(page, "game-undo", Icon::Undo, "game.undo", breaking.undo.can_undo(), GameAction::Undo) }
            { button(page, "game-redo", Icon::Redo, "game.redo", breaking.undo.can_redo(), GameAction::Redo) }
            { button(page, "game-clear", Icon::Delete, "game.clear", true, GameAction::Clear) }
        </div>
        <p class="muted">{ page.speech().say(&Message::new("game.of-most").count("n", pieces.len()).count("most", MAX_BUFFERS)) }</p>
    </> }
}

fn row(page: &Page, game: &Game, (breaking, at): (&Breaking, usize), piece: &Piece) -> Html {
    let is_on = game.selected.is_some_and(|selected| selected.0 as usize == at);
    let field = |field: BoardField, key: &str, value: String| {
        let send = page.send.clone();
        let onchange =
            Callback::from(move |event: Event| send.emit(Action::Game(GameAction::Write(at, field, value_of(&event)))));
        let select =
            page.on(move || Action::Game(GameAction::Select(Some(memplan_core::problem::BufferId(at as u32)))));
        let label = Message::new("game.cell").text("column", page.word(key)).text("name", piece.name.clone());
        // A text that is refused stays as it was written.
        let refused = breaking.refused.as_ref().filter(|refused| (refused.row, refused.field) == (at, field));
        let value = refused.map_or(value, |refused| refused.text.clone());
        let (shown, mode) = (value.clone(), if field == BoardField::Name { "text" } else { "numeric" });
        let told = refused.map(|_| "board-refused");
        let onblur = Callback::from(move |event: FocusEvent| {
            event.target_unchecked_into::<HtmlInputElement>().set_value(&shown)
        });
        html! { <td><input type="text" inputmode={mode} class="small" autocomplete="off" aria-label={page.speech().say(&label)} data-cell={format!("{at}.{key}")}
        aria-invalid={told.map(|_| "true")} aria-describedby={told} {value} {onchange} {onblur} onfocus={select} /></td> }
    };
    let share = |step: u32| 100.0 * f64::from(step) / f64::from(MAX_STEP);
    let life = format!("--x:{:.2}%;--w:{:.2}%", share(piece.lower), share(piece.upper - piece.lower));
    let remove = page.speech().say(&Message::new("game.remove").text("name", piece.name.clone()));
    let why = breaking.refused.as_ref().filter(|refused| refused.row == at).map(|refused| &refused.why);
    html! { <>
        <tr class={is_on.then_some("on")}>
            { field(BoardField::Name, "game.name", piece.name.clone()) }{ field(BoardField::Size, "game.kib", piece.kib.to_string()) }
            { field(BoardField::From, "game.from", piece.lower.to_string()) }{ field(BoardField::To, "game.to", piece.upper.to_string()) }
            <td><span class="life" ~style={css(life)} aria-hidden="true"></span></td>
            <td><IconButton name={remove} icon={Icon::Close} onclick={page.on(move || Action::Game(GameAction::Remove(at)))} /></td>
        </tr>
        if let Some(why) = why { <tr><td colspan="6"><p class="why-not" role="alert" id="board-refused">{ page.speech().say(why) }</p></td></tr> }
    </> }
}

fn strip(page: &Page, breaking: &Breaking) -> Html {
    let Some(tried) = &breaking.tried else { return html! { <div class="strip"></div> } };
    let Ratio { peak, bound } = tried.ratio;
    html! {
        <div class="strip"><div class="stats">
            <span class="stat" id="game-peak"><i>{ page.word("term.peak") }</i>{ amount(page, peak) }</span>
            <span class="stat"><span class="key dash"></span><i>{ page.word("term.lower-bound") }</i>{ amount(page, bound) }</span>
            <span class="stat"><i>{ page.word("term.waste") }</i>{ amount(page, peak.saturating_sub(bound)) }</span>
        </div></div>
    }
}

fn feedback(page: &Page, game: &Game, breaking: &Breaking) -> Html {
    let line = game.feedback.clone().or_else(|| breaking.tried.as_ref().and_then(|tried| last_growth(&tried.run)));
    line.map_or_else(Html::default, |message| plain_words(page, &message))
}

/// How far the planner is above the bound, in large figures.
fn ratio(page: &Page, game: &Game, breaking: &Breaking) -> Html {
    let is_own = page.state.teaching.assigned.is_none();
    let here = breaking.tried.as_ref().map(|tried| tried.ratio);
    let kept = page.state.learning.learned.best_try(&game.link.planner).map(|best| figures(best.ratio()));
    let made = game.ratio_reached().map(|ratio| format!("{}×", ratio_text(ratio)));
    let best = if is_own { kept } else { made };
    html! {
        <section class="ratio" aria-labelledby="game-ratio">
            <p class="large" id="game-ratio" data-ratio={here.map(figures)}>{ here.map_or_else(|| "…".to_string(), figures) }</p>
            <p class="muted">{ page.word("game.over-bound") }
                if let Some(best) = best { <br /><span id="game-best">{ page.speech().say(&Message::new("game.your-best").text("ratio", best)) }</span> }
                { goal(page, game, here, is_own) }
            </p>
            if is_own { { keeping(page, game, breaking) } }
        </section>
    }
}

/// The ratio to be beaten, by the board as it is; in an exercise by any board that was made.
fn goal(page: &Page, game: &Game, here: Option<Ratio>, is_own: bool) -> Html {
    let Some(beat) = game.link.par else { return Html::default() };
    let is_beaten = match is_own {
        true => here.is_some_and(|here| u64::from(here.hundredths()) > beat),
        false => game.is_beaten() == Some(true),
    };
    let key = if is_beaten { "game.beaten" } else { "game.par-ratio" };
    let words = Message::new(key).text("ratio", format!("{}.{:02}×", beat / 100, beat % 100));
    html! { <><br /><span id="game-par" role={(!is_own).then_some("status")}>{ page.speech().say(&words) }</span></> }
}

/// Ways to keep a board, and to send its ratio to others.
fn keeping(page: &Page, game: &Game, breaking: &Breaking) -> Html {
    let best = page.state.learning.learned.best_try(&game.link.planner);
    let challenge = GameLink { par: best.map(|best| best.ratio().hundredths().into()), ..game.challenge() };
    let link = whole_address(page, &challenge);
    let send = page.send.clone();
    let oncopy = Callback::from(move |_: MouseEvent| copy(link.clone(), &send, Message::new("toast.copied")));
    html! {
        <div class="acts-row">
            <button type="button" class="btn line" id="break-keep" disabled={breaking.here().is_none()} onclick={page.on(|| Action::Game(GameAction::Keep))}>{ page.word("game.keep") }</button>
            <button type="button" class="btn line" id="game-challenge" onclick={oncopy}>{ glyph(Icon::Link) }{ page.word("game.challenge") }</button>
        </div>
    }
}

/// The worst that is known, as a figure; its buffers only for those who ask.
fn worst(page: &Page, breaking: &Breaking) -> Html {
    let Some((_, ratio)) = breaking.tried.as_ref().and_then(|tried| tried.worst.as_ref()) else {
        return Html::default();
    };
    html! {
        <p class="worst" id="break-worst">{ page.speech().say(&Message::new("game.worst").text("ratio", figures(*ratio))) }{ " " }
            <button type="button" class="btn line" id="break-show" onclick={page.on(|| Action::Game(GameAction::Worst))}>{ page.word("game.show") }</button></p>
    }
}
