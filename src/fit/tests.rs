//! What the page says of an answer that makes a graph fit.

use yew::prelude::*;

use crate::compare::diff::state::tests::settled;
use crate::fit::Fit;
use crate::fit::state::FitChange;
use crate::fit::state::tests::{change, fitted, open};
use crate::shell::state::{State, address};
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

/// Three copies of a tile of 32 KiB, for a card whose blocks have 64 KiB.
const KERNEL: &str = r#"#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:75"} {
  tt.func public @mm(%i: i32) {
    %x = ttg.local_alloc : () -> !ttg.memdesc<3x128x128xf16, #shared, #smem, mutable>
    %y = ttg.memdesc_index %x[%i] : !ttg.memdesc<3x128x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
    %z = ttg.local_load %y : !ttg.memdesc<128x128xf16, #shared, #smem, mutable> -> tensor<128x128xf16>
    tt.return
  }
}
"#;

#[test]
fn a_kernel_is_set_against_a_card() {
    let state = open(KERNEL, "mode=fit");
    let shown = page(state.clone());
    let figures = ["data-total", "data-limit"].map(|name| shown.attributes("#kernel-seal", name).concat());
    assert_eq!(figures, ["98304", "65536"]);
    assert_eq!(
        shown.attributes("#kernel-changes [data-fits=true]", "data-total").first().map(String::as_str),
        Some("65536")
    );
    assert!(shown.texts("#kernel-alive th").concat().contains("3x128x128"), "{:?}", shown.texts("#kernel-alive th"));
    assert!(shown.all("#fit-memories").is_empty() && shown.all("#fit-none").is_empty());
    // Another card has room; the link keeps it.
    let larger = settled(change(&state, FitChange::Card("sm_90".into())));
    assert_eq!(page(larger.clone()).attributes("#kernel-seal", "data-limit"), ["232448"]);
    let link = address::write(&larger);
    assert!(link.contains("smem=sm_90"), "{link}");
    assert_eq!(page(open(KERNEL, "mode=fit&smem=sm_90")).attributes("#kernel-seal", "data-limit"), ["232448"]);
    let refused = settled(change(&state, FitChange::Card("a card".into())));
    assert_eq!(page(refused).all("#fit-none").len(), 1);
}
