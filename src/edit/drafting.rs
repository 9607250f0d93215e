//! The open graph → a draft that can be changed, as soon as the editor is in sight.

use std::rc::Rc;

use yew::prelude::*;

use crate::context::same::Same;
use crate::edit::state::draft::Drafted;
use crate::shell::state::action::{Action, EditAction};
use gloo_timers::callback::Timeout;
use memplan_core::graph::Graph;
use memplan_core::graph::edit::Drafting;

/// Tensors and nodes that are made ready in one task.
const SHARE: usize = 20_000;

/// Makes the draft of a graph, a large one in tasks of their own.
#[hook]
pub fn use_drafting(graph: Option<Rc<Graph>>, send: Callback<Action>) {
    let wanted = graph.as_ref().map(Same::from);
    use_effect_with(wanted, move |_| {
        if let Some(graph) = graph {
            go_on(Drafting::of(&graph), graph, send);
        }
    });
}

fn go_on(mut drafting: Drafting, graph: Rc<Graph>, send: Callback<Action>) {
    if drafting.go_on(&graph, SHARE) {
        Timeout::new(0, move || go_on(drafting, graph, send)).forget();
    } else {
        let draft = Rc::new(drafting.finish());
        send.emit(Action::Edit(EditAction::Drafted(Drafted { graph, draft })));
    }
}
