//! Two documents beside each other.

use yew::prelude::*;

use crate::compare::diff::Diff;
use crate::compare::diff::state::tests::{NEW, OLD, pair};
use crate::testing::{screen, spaced};

#[test]
fn two_documents_are_named_and_what_changed_is_listed() {
    let page = screen(pair(OLD, NEW), html! { <Diff dark=false /> });
    let words = page.texts("*").concat();
    for name in ["old.csv", "new.csv", "c", "g"] {
        assert!(words.contains(name), "{name}");
    }
    // The figures of the older document stand before those of the newer one.
    let state = pair(OLD, NEW);
    let [old, new] = &state.diffing.shown().expect("compared").figures;
    let bytes = |peak: u64| state.speech().bytes(peak);
    assert_eq!(page.texts(".diff-figures dd")[0], spaced(&format!("{} → {}", bytes(old.peak), bytes(new.peak))));
}
