//! What the page says of an answer that makes a graph fit.

use yew::prelude::*;

use crate::fit::Fit;
use crate::fit::state::tests::fitted;
use crate::shell::state::State;
use crate::testing::{Screen, screen};
use memplan_core::text::Speech;

fn shown_word(key: &str) -> String {
    Speech::default().word(key)
}

fn page(state: State) -> Screen {
    screen(state, html! { <Fit dark=false /> })
}

#[test]
fn an_answer_lists_its_changes() {
    let state = fitted("mode=fit&mem=SRAM:32&allow=planner,stripes");
    let shown = page(state);
    let result = ["data-result", "data-before"].map(|name| shown.attributes("#fit-seal", name).concat());
    assert_eq!(result, ["fits", "64"]);
    assert_eq!(shown.texts("#fit-seal"), [shown_word("fit.seal-fits")]);
    assert!(shown.all("#fit-empty").is_empty() && shown.all("#fit-ladder").len() == 1);
}

#[test]
fn a_form_without_a_size_asks_for_one() {
    let shown = page(crate::testing::opened());
    assert_eq!(shown.text("#fit-empty h2"), "How many bytes are there?");
    assert_eq!(shown.attributes("#fit-empty [data-budget]", "data-budget"), ["1280", "896"]);
}
