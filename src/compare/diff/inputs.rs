//! The two documents, and what both are planned with.

use yew::prelude::*;

use crate::compare::diff::change;
use crate::compare::diff::state::DiffChange;
use crate::compare::name_of;
use crate::context::kept::open_recent;
use crate::context::open::{Purpose, fetch_example, pick_files, pick_older};
use crate::context::{Page, use_page};
use crate::open::state::examples::examples;
use crate::planners::picker::Picker;
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::panels::Overlay;
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use crate::widgets::menu::Menu;
use memplan_engine::{IMPORTED, PlannerChoice};

/// The group of examples that are counter-examples of one planner.
const CASES: &str = "cases";

pub fn inputs(page: &Page) -> Html {
    let diffing = &page.state.diffing;
    let old = diffing.old.as_ref().map(|old| old.origin.name().to_string());
    let new = page.state.document.open.as_ref().map(|document| document.origin.name().to_string());
    let swap = page.word("diff.swap");
    let without = diffing.without_weights;
    html! {
        <div class="inputs">
            { side(page, 0, old) }
            <IconButton name={swap} icon={Icon::Swap} id="diff-swap" disabled={diffing.old.is_none()} onclick={page.on(|| change(DiffChange::Swap))} />
            { side(page, 1, new) }
            <span class="grow"></span>
            <label class="option"><input type="checkbox" id="diff-weights" checked={without}
                onclick={page.on(move || change(DiffChange::WithoutWeights(!without)))} />{ page.word("diff.without-weights") }</label>
            { planner(page) }
        </div>
    }
}

/// One of the documents: a press lists what can take its place.
fn side(page: &Page, side: usize, name: Option<String>) -> Html {
    let (key, overlay) = [("diff.old", Overlay::Older), ("diff.new", Overlay::Newer)][side];
    let open = page.state.view.overlay == Some(overlay);
    let name = name.unwrap_or_else(|| page.word("diff.choose"));
    html! {
        <div class="menu-host diff-side">
            <button type="button" class="btn line" id={["diff-old", "diff-new"][side]} aria-haspopup="menu" aria-expanded={open.to_string()} title={name.clone()}
                onclick={page.on(move || Action::View(ViewAction::Overlay(Some(overlay))))}>
                <i class={["side-mark old", "side-mark new"][side]}></i><b>{ page.word(key) }</b><span class="cut">{ name }</span>{ glyph(Icon::Down) }</button>
            if open { <Documents {side} /> }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct DocumentsProps {
    side: usize,
}

/// Where a document may come from: a file, what was opened before, an example.
#[component]
fn Documents(props: &DocumentsProps) -> Html {
    let page = use_page();
    let (side, locale) = (props.side, page.state.settings.locale);
    let purpose = move || if side == 0 { Purpose::Older } else { Purpose::Open(None) };
    let entry = |name: String, then: Box<dyn Fn(Callback<Action>)>| {
        let send = page.send.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            send.emit(Action::View(ViewAction::Overlay(None)));
            then(send.clone());
        });
        html! { <button type="button" role="menuitem" {onclick}>{ name }</button> }
    };
    let title = |key: &str| html! { <p class="picker-group" role="separator">{ page.word(key) }</p> };
    let recent = page.state.document.recent.clone();
    html! {
        <Menu label={page.word(["diff.old", "diff.new"][side])}>
            { entry(page.word("diff.file"), Box::new(move |send| if side == 0 { pick_older(locale, send) } else { pick_files(locale, send) })) }
            if !recent.is_empty() { { title("files.recent") } }
            { for recent.iter().map(|kept| {
                let name = kept.name.clone();
                entry(name.clone(), Box::new(move |send| open_recent(name.clone(), purpose(), send)))
            }) }
            { title("files.examples") }
            { for examples().iter().filter(|example| example.group != CASES).map(|example| {
                let name = example.name.clone();
                entry(name.clone(), Box::new(move |send| fetch_example(name.clone(), purpose(), send)))
            }) }
        </Menu>
    }
}

/// What both documents are planned with: the plans that they bring, or one planner.
fn planner(page: &Page) -> Html {
    let diffing = &page.state.diffing;
    let used = diffing.shown().map(|shown| shown.planner.clone());
    let own = diffing.choice.is_none();
    let by_rule = match used.as_deref() {
        Some(IMPORTED) if own => "diff.own-plans",
        _ => "diff.usual",
    };
    let shown =
        diffing.choice.clone().or_else(|| used.filter(|used| used != IMPORTED).map(|used| PlannerChoice::of(&used)));
    let open = page.state.view.overlay == Some(Overlay::Planners);
    let send = page.send.clone();
    let choose = Callback::from(move |id: &'static str| {
        send.emit(change(DiffChange::Planner(Some(PlannerChoice::of(id)))));
    });
    html! {
        <div class="planner menu-host diff-planner">
            <div class="segments" role="group" aria-label={page.word("diff.planned-by")}>
                <button type="button" id="diff-usual" aria-pressed={own.to_string()} title={page.word("diff.usual.is")}
                    onclick={page.on(|| change(DiffChange::Planner(None)))}>{ page.word(by_rule) }</button>
                <button type="button" id="planner-button" class="cut" aria-pressed={(!own).to_string()} aria-haspopup="dialog" aria-expanded={open.to_string()}
                    onclick={page.on(|| Action::View(ViewAction::Overlay(Some(Overlay::Planners))))}>
                    { match shown { Some(choice) => name_of(page, &choice), None => html! { { page.word("diff.one-planner") } } } }</button>
            </div>
            if open { <Picker label={page.word("diff.planned-by")} marks=false {choose} /> }
        </div>
    }
}
