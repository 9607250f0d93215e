//! What comes of the user's planner: its peak, the bound, the check, and the way to the first
//! difference from another planner.

use yew::prelude::*;

use crate::compare::state::Change;
use crate::compare::state::comparison::Compared;
use crate::context::Page;
use crate::shell::state::action::{Action, CompareAction, ViewAction};
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
                else { <span class="over">{ page.speech().say(&Message::new("own.broken").count("n", broken)) }</span> }</dd></div>
            <div><dt><label for="own-beside">{ page.word("own.beside") }</label></dt><dd>{ beside(page) }</dd></div>
        </dl>
        if let Some(before) = before { <p class="own-before wrong" id="own-before">{ page.speech().say(&before) }</p> }
    </> }
}

/// Opens the comparison with another planner, where the first difference is marked.
fn beside(page: &Page) -> Html {
    let has_graph = page.state.document.open.as_ref().is_some_and(|document| document.graph.is_some());
    let own = page.state.choice();
    let send = page.send.clone();
    let onchange = Callback::from(move |event: Event| {
        let id = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
        if planner::info(&id).is_none() {
            return;
        }
        let choices = vec![PlannerChoice::of(&id), own.clone()];
        let compared = Compared { choices, differences: true, ..Compared::default() };
        send.emit(Action::Compare(CompareAction::Change(Change::Restore(Box::new(compared)))));
        send.emit(Action::View(ViewAction::Mode(Mode::Compare)));
    });
    let others = planner::INFOS.iter().filter(|info| planner::applicable(info, has_graph).is_ok() && info.ranked);
    html! {
        <select class="small" id="own-beside" {onchange}>
            <option value="" selected=true>{ page.word("own.choose") }</option>
            { for others.map(|info| html! { <option value={info.id}>{ info.full_title(page.speech()) }</option> }) }
        </select>
    }
}
