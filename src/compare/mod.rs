//! Plans of several planners side by side.

mod bars;
pub mod body;
pub mod chart_view;
mod charts;
mod column;
pub mod common;
pub mod diff;
mod differing;
mod finished;
mod graphs;
mod moving;
mod peak;
pub mod plot;
mod ranking;
mod second;
pub mod state;
mod sweep;
mod switches;
mod table;
#[cfg(test)]
mod tests;
mod together;
mod whatif;

use std::rc::Rc;

use yew::prelude::*;

use crate::chrome::notices::notices;
use crate::compare::bars::bars;
use crate::compare::charts::Charts;
use crate::compare::column::Columns;
use crate::compare::differing::use_differing;
use crate::compare::graphs::Graphs;
use crate::compare::ranking::Ranking;
use crate::compare::state::Change;
use crate::compare::state::comparison::{COLUMNS, Sheet};
use crate::compare::sweep::Sweep;
use crate::compare::switches::switches;
use crate::compare::table::side;
use crate::compare::together::Together;
use crate::compare::whatif::WhatIf;
use crate::context::names::humps;
use crate::context::{Layout, Page, use_page, use_progress};
use crate::planners::picker::Picker;
use crate::shell::state::action::{Action, CompareAction, DocumentAction, ViewAction};
use crate::shell::state::panels::{Mode, Overlay};
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Family;
use memplan_core::problem::BufferId;
use memplan_engine::PlannerChoice;
use memplan_planners::{self as planner};
use memplan_replay::{Run, counterpart};

#[derive(Properties, PartialEq)]
pub struct CompareProps {
    pub dark: bool,
}

#[component]
pub fn Compare(props: &CompareProps) -> Html {
    let page = use_page();
    let comparing = &page.state.comparing;
    let dark = props.dark;
    let differing = use_differing(&page.state);
    let is_columns = comparing.sheet == Sheet::Columns;
    let busy = page.state.is_measuring();
    html! {
        <main class="compare" id="region-stage" tabindex="-1" aria-busy={busy.to_string()}>
            <div class="compare-top">
                { notices(&page) }
                if comparing.sheet != Sheet::WhatIf { { bars(&page) } }
                { sheets(&page) }
            </div>
            <div class="compare-body">
                { match comparing.sheet {
                    Sheet::Columns => html! { <Columns differing={differing.clone()} {dark} /> },
                    Sheet::Ranking => html! { <Ranking /> },
                    Sheet::Sweep => html! { <Sweep {dark} /> },
                    Sheet::Graphs => html! { <Graphs /> },
                    Sheet::Charts => html! { <Charts {dark} /> },
                    Sheet::WhatIf => html! { <WhatIf /> },
                } }
                if is_columns { { if page.state.view.panels.figures { side(&page) } else { folded(&page) } } }
            </div>
            if is_columns { <Together {differing} {dark} /> }
        </main>
    }
}

/// The narrow strip in place of the hidden figures: a button shows them again.
fn folded(page: &Page) -> Html {
    let name = page.word("compare.figures");
    html! {
        <aside class="side closed" id="region-right" tabindex="-1" aria-label={name.clone()}>
            <IconButton name={name} icon={Icon::Panel} expanded=false onclick={page.on(|| Action::View(ViewAction::ToggleRight))} />
        </aside>
    }
}

/// What is compared: planners, two documents, or settings of the allocator that a document records.
pub fn kinds(page: &Page) -> Html {
    let state = &page.state;
    let tries = state.view.mode == Mode::Compare && state.comparing.sheet == Sheet::WhatIf;
    let records = state.document.open.as_ref().is_some_and(|document| !document.recorded.is_empty());
    let kinds = [
        ("compare", state.view.mode == Mode::Compare && !tries, Action::Compare(CompareAction::OpenPlanners)),
        ("diff", state.view.mode == Mode::Diff, Action::View(ViewAction::Mode(Mode::Diff))),
        ("whatif", tries, Action::Compare(CompareAction::OpenWhatIf)),
    ];
    html! { <div class="segments" role="group" aria-label={page.word("diff.kinds")}>
        { for kinds.into_iter().filter(|(name, ..)| *name != "whatif" || records || tries).map(|(name, on, action)| html! {
            <button type="button" id={format!("kind-{name}")} aria-pressed={on.to_string()}
                onclick={page.on(move || action.clone())}>{ page.word(&Family::COMPARE_KIND.of([name])) }</button>
        }) }
    </div> }
}

/// The row below the bars: buttons that choose the sheet, progress, and the switches of the
/// columns.
fn sheets(page: &Page) -> Html {
    let comparing = &page.state.comparing;
    let open = |sheet: Sheet| {
        let send = page.send.clone();
        Callback::from(move |_: MouseEvent| send.emit(change(Change::Sheet(sheet))))
    };
    let beside = Sheet::ALL.into_iter().filter(|sheet| *sheet != Sheet::WhatIf && comparing.sheet != Sheet::WhatIf);
    html! {
        <nav class="sheets" aria-label={page.word("compare.sheets")}>{ kinds(page) }<div class="segments">
            { for beside.map(|sheet| html! {
                <button type="button" id={format!("sheet-{}", sheet.name())} aria-pressed={(sheet == comparing.sheet).to_string()}
                    onclick={open(sheet)}>{ page.word(&Family::COMPARE_SHEET.of([sheet.name()])) }</button>
            }) }
        </div><Measuring />if comparing.sheet == Sheet::Columns { <span class="grow"></span>{ switches(page) } }</nav>
    }
}

/// The progress of the engine and a button that cancels its work; empty while it does nothing for
/// the comparison.
#[component]
pub fn Measuring() -> Html {
    let page = use_page();
    let progress = use_progress();
    if !page.state.is_measuring() {
        return Html::default();
    }
    html! { <span class="working" role="status">
        <progress max={progress.map(|progress| progress.total.max(1).to_string())} value={progress.map(|progress| progress.done.to_string())}
            aria-label={page.word("compare.working")}></progress>
        { page.word("compare.working") }
        <button type="button" class="btn line" onclick={page.on(|| Action::Document(DocumentAction::Cancel))}>{ page.word("compare.cancel") }</button>
    </span> }
}

/// The button that adds a column, with its list of planners; disabled at the largest number of
/// columns.
pub fn add_planner(page: &Page) -> Html {
    let state = page.state.clone();
    if state.comparing.sheet == Sheet::WhatIf {
        return Html::default();
    }
    let open = state.view.overlay == Some(Overlay::Planners);
    let full = state.comparing.columns.len() >= COLUMNS.1;
    let send = page.send.clone();
    let add = Callback::from(move |id: &'static str| {
        send.emit(Action::View(ViewAction::Overlay(None)));
        send.emit(change(Change::AddHere(PlannerChoice::of(id))));
    });
    html! {
        <div class="planner menu-host">
            <button type="button" class="btn line" id="add-planner" disabled={full} aria-haspopup="dialog" aria-expanded={open.to_string()}
                aria-label={page.word("compare.add")} title={page.word(if full { "compare.full" } else { "compare.add" })} onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Planners))))}>
                { glyph(Icon::Add) }<span class="words">{ page.word("compare.add") }</span></button>
            if open { <Picker label={page.word("compare.add")} marks=false choose={add} /> }
        </div>
    }
}

pub fn change(change: Change) -> Action {
    Action::Compare(CompareAction::Change(change))
}

/// The name of a choice: its system, then lighter its algorithm and the options that were set.
pub fn name_of(page: &Page, choice: &PlannerChoice) -> Html {
    let options: String = choice.options.iter().map(|(key, value)| format!(" {key}={value}")).collect();
    match planner::info(&choice.planner).map(|info| info.title(page.speech())) {
        Some((system, name)) if system == name => {
            html! { <><b>{ humps(&name) }</b><span class="muted">{ options }</span></> }
        }
        Some((system, name)) => {
            html! { <><b>{ humps(&system) }</b>{ " " }<span class="muted">{ humps(&name) }{ options }</span></> }
        }
        None => html! { <b>{ page.word("planner.imported") }</b> },
    }
}

/// The short name of a choice: its algorithm.
pub fn short_name(page: &Page, choice: &PlannerChoice) -> String {
    planner::info(&choice.planner).map_or_else(|| page.word("planner.imported"), |info| info.title(page.speech()).1)
}

/// Returns the buffer of `run` that has the name of the selected buffer.
pub fn selected_in(page: &Page, run: &Rc<Run>) -> Option<BufferId> {
    let own = page.state.document.run.as_ref()?;
    let id = page.state.stepping.selection?;
    counterpart(own, id, run)
}

pub fn is_narrow(page: &Page) -> bool {
    page.layout == Layout::Narrow
}
