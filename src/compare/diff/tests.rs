//! Two documents beside each other.

use yew::prelude::*;

use crate::compare::diff::Diff;
use crate::compare::diff::state::tests::{NEW, OLD, pair};
use crate::testing::screen;

#[test]
fn two_documents_are_named_and_what_changed_is_listed() {
    let page = screen(pair(OLD, NEW), html! { <Diff dark=false /> });
    let words = page.texts("*").concat();
    for name in ["old.csv", "new.csv", "c", "g"] {
        assert!(words.contains(name), "{name}");
    }
}
