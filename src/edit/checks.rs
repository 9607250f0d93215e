//! What is wrong with the draft or odd about it, with a way to the place and the remedy where one
//! is obvious.

use yew::prelude::*;

use crate::context::Page;
use crate::context::sentence::words;
use crate::edit::state::draft::EditCommand;
use crate::edit::{Desk, Pick};
use crate::shell::state::action::{Action, EditAction};
use memplan_core::base::Message;
use memplan_core::graph::Fault;
use memplan_core::graph::edit::remedy;

/// Faults and remarks listed at once.
const MAX_LISTED: usize = 100;

pub fn checks(page: &Page, desk: &Desk) -> Html {
    let editing = page.state.editing.session.clone();
    let faults = editing.as_ref().map(|editing| editing.faults.clone()).unwrap_or_default();
    // Remarks are about the last graph that could be planned.
    let document = page.state.document.open.clone().filter(|_| faults.is_empty());
    let remarks = document.map(|document| document.warnings.clone()).unwrap_or_default();
    let refused = editing.and_then(|editing| editing.refused.clone());
    let count = if faults.is_empty() { remarks.len() } else { faults.len() } as u64;
    let title = Message::new(if faults.is_empty() { "editor.remarks" } else { "editor.faults" }).count("n", count);
    let list = |faults: &[Fault], wrong: bool| {
        html! { <ul class="faults">{ for faults.iter().take(MAX_LISTED).map(|fault| line(page, desk, fault, wrong)) }</ul> }
    };
    html! {
        <div class={classes!("checks", (!faults.is_empty()).then_some("wrong"))} id="edit-checks" role="status">
            if let Some(refused) = refused { <p class="refused" id="edit-refused">{ words(page, &refused) }</p> }
            <h3>{ page.speech().say(&title) }</h3>
            if faults.is_empty() { { list(&remarks, false) } } else { { list(&faults, true) } }
        </div>
    }
}

fn line(page: &Page, desk: &Desk, fault: &Fault, wrong: bool) -> Html {
    let place = pick_of(&fault.path);
    let jump = place.map(|place| {
        let choose = desk.choose.clone();
        Callback::from(move |_: MouseEvent| choose.emit(Some(place)))
    });
    let mend = remedy(&desk.draft, fault).map(|(name, _)| {
        let (send, fault) = (page.send.clone(), fault.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            send.emit(Action::Edit(EditAction::Change(EditCommand::Mend(fault.clone()))))
        });
        html! { <button type="button" class="btn line mend" {onclick}>{ page.speech().say(&name) }</button> }
    });
    html! {
        <li class={wrong.then_some("wrong")}>
            if let Some(onclick) = jump { <button type="button" class="name mono" {onclick}>{ &fault.path }</button>{ " " } }
            { words(page, &fault.message) }{ " " }{ mend.unwrap_or_default() }
        </li>
    }
}

/// The row that a path such as `nodes[3].inputs[0]` is about.
fn pick_of(path: &str) -> Option<Pick> {
    let (list, rest) = path.split_once('[')?;
    let at = rest.split(']').next()?.parse().ok()?;
    match list {
        "nodes" => Some(Pick::Node(at)),
        "tensors" => Some(Pick::Tensor(at)),
        _ => None,
    }
}
