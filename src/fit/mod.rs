//! Make it fit: a budget, the cheapest changes that meet it, the graph after each of them, and why.

mod alive;
mod form;
mod kernel;
mod ladder;
mod moves;
mod pictures;
mod side;
pub mod state;
#[cfg(test)]
mod tests;
mod verdict;
mod why;

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::dom::focus;
use crate::chrome::notices::notices;
use crate::compare::Measuring;
use crate::context::open::pick_files;
use crate::context::same::Same;
use crate::context::sentence::plain_words;
use crate::context::{Layout, Page, use_page};
use crate::fit::form::form;
use crate::fit::kernel::{kernel_answer, kernel_form};
use crate::fit::ladder::ladder;
use crate::fit::moves::{Moves, taken_along};
use crate::fit::pictures::Pictures;
use crate::fit::side::Side;
use crate::fit::state::answer::FitShown;
use crate::fit::state::form::in_few_digits;
use crate::fit::state::{CANCELLED, FitChange};
use crate::fit::verdict::verdict;
use crate::shell::state::action::Action;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_planners::title_of;

#[derive(Properties, PartialEq)]
pub struct FitProps {
    pub dark: bool,
}

#[component]
pub fn Fit(props: &FitProps) -> Html {
    let page = use_page();
    let fitting = &page.state.fitting;
    let busy = page.state.job().is_some();
    let beside = page.layout == Layout::Wide;
    let shows = beside || fitting.shows_form || !matches!(fitting.found, Some(Ok(_)));
    html! {
        <main class="compare fit" id="region-stage" tabindex="-1" aria-busy={busy.to_string()}>
            <div class="compare-top">{ notices(&page) }</div>
            if !beside && fitting.found.is_some() && !page.state.is_kernel() {
                <div class="sheets"><button type="button" class="btn line" id="fit-form-button" aria-expanded={shows.to_string()}
                    onclick={page.on(move || change(FitChange::ShowForm(!shows)))}>{ glyph(Icon::Options) }{ page.word("fit.budget") }</button></div>
            }
            if page.state.is_kernel() {
                <div class="fit-body">{ kernel_form(&page) }<section class="fit-main" id="kernel-fit">{ kernel_answer(&page) }</section></div>
            } else { <div class="fit-body">
                if shows { { form(&page) } }
                { match &fitting.found {
                    Some(Ok(shown)) => html! { <Found shown={Same::from(shown)} moves={fitting.moves()} dark={props.dark} /> },
                    Some(Err(why)) => html! { <section class="fit-main"><p class="empty" id="fit-none" role="alert">{ plain_words(&page, why) }</p>
                        if why.key == CANCELLED { <p class="empty"><button type="button" class="btn main" id="fit-again" onclick={page.on(|| change(FitChange::Again))}>{ page.word("fit.again") }</button></p> }</section> },
                    None => html! { <section class="fit-main">{ nothing_yet(&page, busy) }</section> },
                } }
            </div> }
        </main>
    }
}

/// What to do while nothing is asked, or that it is being looked for.
fn nothing_yet(page: &Page, busy: bool) -> Html {
    if busy {
        return html! { <p class="empty"><Measuring /></p> };
    }
    let is_list = page.state.document.open.as_ref().is_some_and(|document| document.graph.is_none());
    let (send, locale) = (page.send.clone(), page.state.settings.locale);
    let pick = Callback::from(move |_: MouseEvent| pick_files(locale, send.clone()));
    html! { <div class="empty" id="fit-empty"><h2>{ page.word("fit.empty") }</h2>
    <p>{ page.word(if is_list { "fit.empty.list" } else { "fit.empty.how" }) }</p>
    if is_list { <p><button type="button" class="btn main" id="fit-open" onclick={pick}>{ page.word("files.open") }</button></p> }
    { budgets(page) }</div> }
}

/// What the graph needs as it is planned now, and two budgets below that to begin with.
fn budgets(page: &Page) -> Html {
    let document = &page.state.document;
    let Some(run) = document.run.as_ref().filter(|_| document.open.as_ref().is_some_and(|open| open.graph.is_some()))
    else {
        return Html::default();
    };
    let peak = run.metrics.peak;
    let now = Message::new("fit.empty.now").text("planner", title_of(&run.planner, page.speech())).bytes("peak", peak);
    let budget = |bytes: u64| {
        let send = page.send.clone();
        // The button goes, and the focus with it.
        let onclick = Callback::from(move |_: MouseEvent| {
            send.emit(change(FitChange::Budget(bytes)));
            focus("region-stage");
        });
        let word = page.speech().say(&Message::new("fit.empty.try").bytes("size", bytes));
        html! { <button type="button" class="btn line" data-budget={bytes.to_string()} {onclick}>{ word }</button> }
    };
    html! { <><p>{ plain_words(page, &now) }</p><p>{ for [in_few_digits(peak / 4 * 3), in_few_digits(peak / 2)].into_iter().filter(|bytes| *bytes > 0).map(budget) }</p></> }
}

#[derive(Properties, PartialEq)]
struct FoundProps {
    shown: Same<FitShown>,
    moves: usize,
    dark: bool,
}

/// Verdict, changes, pictures and ladder, beside what explains them.
#[component]
fn Found(props: &FoundProps) -> Html {
    let page = use_page();
    let shown: &Rc<FitShown> = &props.shown.0;
    html! { <>
        <section class="fit-main">
            { verdict(&page, shown) }
            <Moves shown={props.shown.clone()} at={props.moves} />
            <Pictures shown={props.shown.clone()} moves={props.moves} dark={props.dark} />
            { ladder(&page, shown) }
            { taken_along(&page, shown) }
        </section>
        <Side shown={props.shown.clone()} moves={props.moves} dark={props.dark} />
    </> }
}

pub fn change(change: FitChange) -> Action {
    Action::Fit(change)
}
