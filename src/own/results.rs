//! What comes of the user's planner: its peak, the bound, the check, and the way to the first
//! difference from another planner.

use yew::prelude::*;

use crate::browser::dom::{by_id, focus_element};
use crate::browser::later::once_drawn;
use crate::compare::state::Change;
use crate::compare::state::comparison::Compared;
use crate::context::{Page, use_page};
use crate::open::state::{OPENS_VIOLATIONS, VIOLATIONS};
use crate::shell::state::action::{Action, CompareAction, DocumentAction, ViewAction};
use crate::shell::state::panels::Mode;
use memplan_core::base::Message;
use memplan_engine::{PlannerChoice, is_own};
use memplan_planners as planner;

pub fn results(page: &Page) -> Html {
    let state = &page.state;
    let Some(run) = state.document.run.as_ref().filter(|run| is_own(&run.planner)) else {
        let shown = state.document.run.as_ref().map(|run| planner::name_in_text(&run.planner, false, page.speech()));
        let first = Message::new("own.before-first").text("planner", shown.unwrap_or_default());
        return html! { <p class="muted own-before" id="own-before" role="status">{ page.speech().say(&first) }</p> };
    };
    let (peak, bound) = (run.metrics.peak, run.metrics.bound());
    let broken = state.document.violations.len() as u64;
    let before = state.own_mistake().map(|mistake| match mistake.line {
        0 => Message::new("own.before-mistake"),
        line => Message::new("own.before-line").count("n", line),
    });
    let is_stale = before.is_some() || !state.is_own_shown();
    // Below the bound nothing is reached: the plan breaks a rule.
    let class = if broken > 0 { Some("struck") } else { (peak > bound).then_some("over") };
    html! { <>
        <dl class={classes!("own-results", is_stale.then_some("stale"))} id="own-results">
            <div><dt>{ page.word("own.peak") }</dt><dd {class}>{ page.speech().bytes(peak) }</dd></div>
            <div><dt>{ page.word("own.bound") }</dt><dd>{ page.speech().bytes(bound) }</dd></div>
            <div><dt>{ page.word("own.check") }</dt><dd>if before.is_some() { { page.word("own.not-run") } }
                else if broken == 0 { <span class="right">{ "✓ " }{ page.word("own.sound") }</span> }
                else { { violations(page, broken) } }</dd></div>
            <div><dt><label for="own-beside">{ page.word("own.beside") }</label></dt><dd><Beside /></dd></div>
        </dl>
        if let Some(before) = before { <p class="own-before wrong" id="own-before">{ page.speech().say(&before) }</p> }
    </> }
}

/// How many rules are broken, with the way to the list once it was closed.
fn violations(page: &Page, broken: u64) -> Html {
    let words = page.speech().say(&Message::new("own.broken").count("n", broken));
    if !page.state.document.hides_violations {
        return html! { <span class="over">{ words }</span> };
    }
    let send = page.send.clone();
    let show = Callback::from(move |_: MouseEvent| {
        send.emit(Action::Document(DocumentAction::HideViolations(false)));
        once_drawn(|| {
            let list = by_id(VIOLATIONS);
            let is_there = list.is_some();
            focus_element(list);
            is_there
        });
    });
    html! { <button type="button" class="name over" id={OPENS_VIOLATIONS} onclick={show}>{ words }</button> }
}

/// Chooses another planner, and opens the comparison with it, where the first difference is marked.
#[component]
fn Beside() -> Html {
    let page = use_page();
    let chosen = use_state_eq(String::new);
    let state = &page.state;
    let has_graph = state.document.open.as_ref().is_some_and(|document| document.graph.is_some());
    let onchange = {
        let chosen = chosen.setter();
        Callback::from(move |event: Event| {
            chosen.set(event.target_unchecked_into::<web_sys::HtmlSelectElement>().value());
        })
    };
    let others = planner::INFOS.iter().filter(|info| planner::applicable(info, has_graph).is_ok() && info.ranked);
    let others = others.map(|info| (info.id.to_string(), info.full_title(page.speech())));
    let drafts = state.own.drafts().iter().enumerate().filter(|(at, _)| *at != state.own.at());
    let own = drafts.filter_map(|(_, draft)| Some((draft.planner()?.to_string(), draft.name.to_string())));
    let all: Vec<(String, String)> = own.chain(others).collect();
    let is_known = all.iter().any(|(id, _)| id == &*chosen);
    let compare = {
        let (send, own, id) = (page.send.clone(), state.choice(), (*chosen).clone());
        Callback::from(move |_: MouseEvent| {
            let choices = vec![PlannerChoice::of(&id), own.clone()];
            let compared = Compared { choices, differences: true, ..Compared::default() };
            send.emit(Action::Compare(CompareAction::Change(Change::Restore(Box::new(compared)))));
            send.emit(Action::View(ViewAction::Mode(Mode::Compare)));
        })
    };
    html! {
        <span class="own-beside">
            <select class="small" id="own-beside" {onchange}>
                <option value="" selected={!is_known}>{ page.word("own.choose") }</option>
                { for all.iter().map(|(id, name)| html! { <option value={id.clone()} selected={id == &*chosen}>{ name.clone() }</option> }) }
            </select>
            <button type="button" class="btn line" id="own-compare" disabled={!is_known} onclick={compare}>{ page.word("own.compare") }</button>
        </span>
    }
}
