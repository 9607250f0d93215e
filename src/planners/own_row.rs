//! A program of the user's own in the list of planners: a row like all others.

use yew::prelude::*;

use crate::context::use_page;
use crate::planners::pick_row::{acts, figures};
use crate::planners::state::own::OwnPick;
use crate::shell::state::action::{Action, OwnAction};
use memplan_planners as planner;

#[derive(Properties, PartialEq)]
pub struct OwnRowProps {
    pub own: OwnPick,
    /// Whether the program in use is marked, and a click opens the editor.
    pub marks: bool,
    /// Whether Enter in the filter takes it.
    pub is_next: bool,
    /// The element id, if it has one.
    pub id: Option<&'static str>,
    /// Called with the id of the planner that is added.
    pub choose: Callback<&'static str>,
}

#[component]
pub fn OwnRow(props: &OwnRowProps) -> Html {
    let page = use_page();
    let focused = use_state_eq(|| false);
    let OwnPick { at, name, is_ready, pick } = &props.own;
    let name = name.to_string();
    let current = props.marks && pick.is_current;
    let onclick = {
        let (send, choose, marks, at) = (page.send.clone(), props.choose.clone(), props.marks, *at);
        let info = planner::info(&pick.choice.planner);
        Callback::from(move |_: MouseEvent| match info {
            _ if marks => send.emit(Action::Own(OwnAction::Open(at))),
            Some(info) => choose.emit(info.id),
            None => {}
        })
    };
    let is_there =
        !props.marks && page.state.comparing.columns.iter().any(|column| column.choice.planner == pick.choice.planner);
    let focus = |on: bool| {
        let focused = focused.setter();
        Callback::from(move |_: FocusEvent| focused.set(on))
    };
    html! {
        <li class={classes!("pick-line", focused.then_some("at"), props.is_next.then_some("next"))} onfocusin={focus(true)} onfocusout={focus(false)}>
            <button type="button" class="pick" id={props.id} data-own={name.clone()} disabled={is_there} aria-current={current.then_some("true")} {onclick}>
                <span class="pick-mark" aria-hidden="true">{ if current { "✓" } else { "" } }</span>
                <span class="cut" title={name.clone()}><b>{ name }</b></span>
                if *is_ready { { figures(&page, &pick.peak) } }
            </button>
            if *is_ready { { acts(&page, pick) } }
        </li>
    }
}
