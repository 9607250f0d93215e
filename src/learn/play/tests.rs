//! Games as they are played.

use yew::prelude::*;

use crate::learn::play::GamePage;
use crate::learn::play::state::tests::{BEST, nine, open, put};
use crate::shell::state::State;
use crate::shell::state::action::{Action, SettingsAction};
use crate::shell::state::layout::Layout;
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
