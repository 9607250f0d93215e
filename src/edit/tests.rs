//! The tables in which a graph is changed.

use yew::prelude::*;

use crate::edit::Editor;
use crate::open::state::document::Origin;
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, ViewAction};
use crate::shell::state::panels::Mode;
use crate::testing::{Screen, all, done, opened, screen, spaced};
use memplan_formats::import::Answers;

fn editor(state: State) -> Screen {
    let state = all(state, [Action::View(ViewAction::Mode(Mode::Edit))]);
    screen(state.drafted(), html! { <Editor /> })
}

#[test]
fn every_node_is_a_row_of_fields() {
    let state = opened();
    let graph = state.document.run.as_ref().and_then(|run| run.graph.clone()).expect("a graph");
    let table = editor(state);
    assert_eq!(table.all("[id^=edit-node-]").len(), graph.nodes.len());
    for (at, node) in graph.nodes.enumerate() {
        let named = table.all(&format!("#edit-node-{} input", at.0));
        assert_eq!(named[0].attr("value"), Some(node.name.as_str()));
    }
}

#[test]
fn a_list_of_thousands_of_names_is_not_changed_in_its_cell() {
    let names: Vec<String> = (0..20_000).map(|at| format!("part{at}")).collect();
    let tensors: Vec<String> = names
        .iter()
        .map(|name| format!(r#"{{"name":"{name}","dtype":"uint8","shape":[1],"kind":"intermediate"}}"#))
        .collect();
    let text = format!(
        r#"{{"format":"memory-graph/1","name":"wide","tensors":[{{"name":"x","dtype":"uint8","shape":[20000],"kind":"input"}},{}],
        "nodes":[{{"name":"split","op":"split","inputs":["x"],"outputs":["{}"]}}]}}"#,
        tensors.join(","),
        names.join("\",\"")
    );
    let open = DocumentAction::Open {
        origin: Origin::File("wide.json".into()),
        bytes: text.into_bytes().into(),
        choices: Answers::default(),
        place: None,
    };
    let table = editor(done(State::default().reduce(Action::Document(open))));
    let cell = table.all("[aria-label='outputs of split']")[0];
    assert!(cell.attr("readonly").is_some() && cell.attr("value").is_some_and(|shown| shown.len() < 2_000));
    let why = spaced(cell.attr("title").expect("the reason"));
    assert!(why.starts_with("20 000 names are too many"), "{why}");
    let short = table.all("[aria-label='inputs of split']")[0];
    assert_eq!((short.attr("readonly"), short.attr("value")), (None, Some("x")));
}
