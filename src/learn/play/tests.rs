//! Games as they are played.

use std::collections::BTreeMap;

use yew::prelude::*;

use crate::learn::play::GamePage;
use crate::learn::play::state::tests::{BEST, act, game, nine, open, put};
use crate::own::state::tests::{opened_own, settled};
use crate::shell::state::action::{Action, DocumentAction, GameAction, OwnAction, SettingsAction};
use crate::shell::state::layout::Layout;
use crate::shell::state::{State, address};
use crate::testing::{Screen, screen, screen_of};
use memplan_core::text::Locale;

fn page(state: State) -> Screen {
    screen(state, html! { <GamePage dark=false /> })
}

#[test]
fn every_game_speaks_both_languages() {
    for fragment in
        ["pack=seed:7.2", "tetris=seed:9.1&plan=best-fit", "order=seed:7.3", "debug=seed:7.2", "break=first-fit"]
    {
        for locale in Locale::ALL {
            let state = open(fragment).reduce(Action::Settings(SettingsAction::Locale(locale)));
            assert!(!page(state).all("button").is_empty(), "{fragment}");
        }
    }
}

#[test]
fn the_plan_of_a_game_has_the_keys_of_what_it_shows() {
    let keys = |fragment: &str, layout: Layout| {
        screen_of(open(fragment), layout, html! { <GamePage dark=false /> }).texts(".legend-bar .line-item")
    };
    for layout in [Layout::Wide, Layout::Narrow] {
        let load: &[&str] = if layout == Layout::Narrow { &["load"] } else { &[] };
        let waits = |keys: &[&'static str]| [load, if layout == Layout::Narrow { keys } else { &[] }].concat();
        // In Pack any block may be placed, so that none is the next one.
        assert_eq!(keys("pack=seed:7.2", layout), waits(&["not used yet"]));
        assert_eq!(keys("tetris=seed:9.1", layout), waits(&["next", "not used yet"]));
        assert_eq!(keys("break=first-fit", layout), [load, &["free below the peak"]].concat());
        assert_eq!(keys("debug=seed:2.1", layout), [load, &["padding"]].concat());
    }
    // The ground above the highest block is there at the end, too.
    let packed = BEST.into_iter().fold(nine(), |state, (name, kib)| put(state, name, kib));
    let page = screen_of(packed, Layout::Narrow, html! { <GamePage dark=false /> });
    assert_eq!(page.texts(".legend-bar .line-item"), ["load", "not used yet"]);
}

/// A game whose blocks stay, all placed one above the other.
fn stacked() -> State {
    let state = open("tetris=seed:7.1");
    let order = game(&state).deal.as_ref().expect("dealt").order.clone();
    order.into_iter().fold(state, |state, id| act(act(state, GameAction::Shift(id, true)), GameAction::Drop))
}

/// Operators in an order that no other one is better than.
fn ordered() -> State {
    let mut state = open("order=seed:7.1");
    let best = game(&state).deal.as_ref().expect("dealt").best_order.1.clone();
    for (to, wanted) in best.iter().enumerate() {
        let from = game(&state).ordering().and_then(|rows| rows.order.iter().position(|at| at == wanted));
        state = act(state, GameAction::Move(from.expect("a row"), to));
    }
    state
}

#[test]
fn every_game_that_has_an_end_leads_on_from_there() {
    let found = act(act(open("debug=seed:7.1"), GameAction::Hint), GameAction::Hint);
    let packed = BEST.into_iter().fold(nine(), |state, (name, kib)| put(state, name, kib));
    for (state, said) in [(stacked(), "placed"), (ordered(), "no order"), (found, "claimed"), (packed, "no plan")] {
        let shown = page(state.clone());
        let next = shown.all("#game-said #game-next");
        assert!(next.len() == 1 && shown.texts("#game-said").concat().contains(said), "{said}");
        // No sentence of a Chinese text is followed by a blank.
        let chinese = page(state.reduce(Action::Settings(SettingsAction::Locale(Locale::Zh))));
        let texts = chinese.texts("#game-said, .others").concat();
        assert!(texts.contains('下') && !["。 ", "： ", "？ "].iter().any(|gap| texts.contains(gap)), "{texts}");
    }
    for open in [open("tetris=seed:7.1"), open("order=seed:7.1"), open("debug=seed:7.1"), nine()] {
        assert!(page(open).all("#game-next").is_empty());
    }
    let helped = act(nine(), GameAction::Hint).reduce(Action::Settings(SettingsAction::Locale(Locale::Zh)));
    let texts = page(helped).texts("#game-said").concat();
    assert!(texts.contains("提示 1/3。先放"), "{texts}");
}

#[test]
fn who_asks_for_help_with_the_best_order_reads_that_it_is_the_best() {
    let asked = act(ordered(), GameAction::Hint);
    let said = |state: &State| page(state.clone()).texts("#game-said").concat();
    assert!(said(&asked).contains("no order") && !game(&asked).hinted && game(&asked).hints == 0);
    // A row that may not move says so all the same.
    let last = game(&asked).ordering().expect("rows").order.len() - 1;
    assert!(said(&act(asked.clone(), GameAction::Move(last, 0))).contains("reads"), "{}", said(&asked));
    assert!(said(&act(asked, GameAction::Clear)).starts_with("Move the nodes"));
}

#[test]
fn the_ladder_has_a_rung_for_the_users_planner_while_it_is_open() {
    let rungs = |state: State, fragment: &str| {
        let link = address::read(fragment).restored.game.expect("a game");
        let shown = page(act(state, GameAction::Open(Box::new(link))));
        let [ids, peaks] = ["data-rung", "data-peak"].map(|name| shown.attributes(".ladder [data-rung]", name));
        ids.into_iter().zip(peaks).collect::<BTreeMap<String, String>>()
    };
    let written = settled(opened_own().reduce(Action::Own(OwnAction::Write)));
    let own = written.document.planner.clone();
    let with = rungs(written.clone(), "pack=seed:7.2");
    assert!(with.contains_key(&own) && with[&own] == with["first-fit"], "first fit, once more: {with:?}");
    // Who plans by another planner again has that one's ladder.
    let other = settled(written.reduce(Action::Document(DocumentAction::Planner("best-fit".into()))));
    assert!(!rungs(other, "pack=seed:7.2").contains_key(&own));
}

#[test]
fn a_game_is_called_by_words_and_by_no_name_of_a_file() {
    let title = |fragment: &str, locale: Locale| {
        let state = open(fragment).reduce(Action::Settings(SettingsAction::Locale(locale)));
        game(&state).title(state.speech())
    };
    for (fragment, en, zh) in [
        ("pack=ex:learn/nine-blocks", "Pack · nine blocks", "摆放 · 九个块"),
        ("pack=ex:learn/fits-best", "Pack", "摆放"),
        ("pack=ex:teaching", "Pack · teaching", "摆放 · teaching"),
    ] {
        assert_eq!([title(fragment, Locale::En), title(fragment, Locale::Zh)], [en, zh], "{fragment}");
    }
}

#[test]
fn blocks_are_counted_until_all_are_placed() {
    let mut state = nine();
    for (placed, (name, kib)) in (1..).zip(BEST) {
        state = put(state, name, kib);
        let words = page(state.clone()).texts("*").concat();
        assert!(words.contains(&format!("{placed} / 9")), "{placed}");
    }
}
