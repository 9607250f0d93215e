//! Two documents with their plans: what made the peak rise or fall.

mod explanation;
mod inputs;
mod list;
mod plans;
pub mod state;
#[cfg(test)]
mod tests;
mod verdict;

use std::rc::Rc;

use yew::prelude::*;

use crate::chrome::notices::notices;
use crate::compare::chart_view::ChartView;
use crate::compare::diff::explanation::explanation;
use crate::compare::diff::inputs::inputs;
use crate::compare::diff::list::List;
use crate::compare::diff::plans::Plans;
use crate::compare::diff::state::DiffChange;
use crate::compare::diff::state::shown::DiffShown;
use crate::compare::diff::verdict::verdict;
use crate::compare::{Measuring, kinds};
use crate::context::same::Same;
use crate::context::sentence::plain_words;
use crate::context::{Page, use_page};
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::panels::Overlay;
use memplan_engine::load_curves;

#[derive(Properties, PartialEq)]
pub struct DiffProps {
    pub dark: bool,
}

#[component]
pub fn Diff(props: &DiffProps) -> Html {
    let page = use_page();
    let diffing = &page.state.diffing;
    let busy = page.state.job().is_some();
    html! {
        <main class="compare diff" id="region-stage" tabindex="-1" aria-busy={busy.to_string()}>
            <div class="compare-top">
                { notices(&page) }
                <nav class="sheets" aria-label={page.word("diff.kinds")}>{ kinds(&page) }<Measuring /></nav>
                { inputs(&page) }
            </div>
            { match &diffing.found {
                _ if diffing.old.is_none() => nothing_yet(&page),
                None => html! { <p class="empty">{ page.word("compare.waiting") }</p> },
                Some(Err(why)) => html! { <p class="empty" id="diff-none">{ plain_words(&page, why) }</p> },
                Some(Ok(shown)) => html! { <Found shown={Same::from(shown)} dark={props.dark} /> },
            } }
        </main>
    }
}

/// What to do while there is only one document.
fn nothing_yet(page: &Page) -> Html {
    html! {
        <section class="empty" id="diff-empty">
            <h2>{ page.word("diff.empty") }</h2>
            <p>{ page.word("diff.empty.how") }</p>
            <p><button type="button" class="btn line" id="diff-choose" aria-haspopup="menu"
                onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Older))))}>{ page.word("diff.compare-with") }</button></p>
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct FoundProps {
    shown: Same<DiffShown>,
    dark: bool,
}

/// Figures, curves, plans and list, beside what happened.
#[component]
fn Found(props: &FoundProps) -> Html {
    let page = use_page();
    let shown: &Rc<DiffShown> = &props.shown.0;
    let chart = use_memo((props.shown.clone(), page.speech().locale), {
        let speech = page.speech();
        move |(shown, _)| {
            let [old, new] = &shown.figures;
            load_curves(&shown.name, [old.into(), new.into()], &shown.steps, speech)
        }
    });
    let onpick = page_step(&page);
    html! {
        <div class="diff-body">
            <div class="diff-main">
                { verdict(&page, shown) }
                <ChartView chart={(*chart).clone()} dark={props.dark} {onpick} />
                <Plans shown={props.shown.clone()} dark={props.dark} />
                <List shown={props.shown.clone()} />
            </div>
            { explanation(&page, shown) }
        </div>
    }
}

/// A press on a curve moves the cursor of both plans.
fn page_step(page: &Page) -> Callback<(usize, f64)> {
    let send = page.send.clone();
    Callback::from(move |(_, step): (usize, f64)| send.emit(change(DiffChange::Step(1, step as u32))))
}

fn change(change: DiffChange) -> Action {
    Action::Diff(change)
}
