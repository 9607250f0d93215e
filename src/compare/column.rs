//! The columns: heading, plan, and one sentence below it.

use std::rc::Rc;

use yew::prelude::*;

use crate::compare::body::Body;
use crate::compare::common::Common;
use crate::compare::differing::Differing;
use crate::compare::moving::{HEADINGS, handle};
use crate::compare::state::Change;
use crate::compare::state::comparison::{COLUMNS, Column};
use crate::compare::{change, is_narrow, name_of, short_name};
use crate::context::focus::use_kept_focus;
use crate::context::same::Same;
use crate::context::sentence::words;
use crate::context::{Page, use_page};
use crate::planners::option_field::option_field;
use crate::shell::state::action::{Action, CompareAction};
use crate::widgets::dragging::{Dragging, use_dragging};
use crate::widgets::icons::{Icon, glyph};
use crate::widgets::late::Late;
use gloo_timers::callback::Timeout;
use memplan_core::base::Family;
use memplan_engine::{IMPORTED, PlannerChoice};
use memplan_planners::{self as planner, INFOS};

#[derive(Properties, PartialEq)]
pub struct ColumnsProps {
    pub differing: Same<Differing>,
    pub dark: bool,
}

#[component]
pub fn Columns(props: &ColumnsProps) -> Html {
    let page = use_page();
    let comparing = &page.state.comparing;
    let common = use_memo((), |()| Common::default());
    let narrow = is_narrow(&page);
    let dragging = use_dragging(HEADINGS);
    let differing = &props.differing.0;
    let ready = use_ready(&comparing.columns);
    use_kept_focus(comparing.columns.iter().map(|column| column.choice.text()).collect::<Vec<String>>());
    html! {
        <div class="columns">
            if comparing.fit_each { <p class="warning" role="note">{ page.word("compare.fit-each.warning") }</p> }
            if narrow {
                <label class="switcher"><span class="visually-hidden">{ page.word("compare.column") }</span>
                    <select class="small" id="switcher" onchange={switched(&page)}>
                        { for comparing.columns.iter().enumerate().map(|(number, column)| html! {
                            <option value={number.to_string()} selected={number == comparing.front}>{ column.choice.words(page.speech()) }</option>
                        }) }
                    </select></label>
            }
            <div class="column-row">
                { for comparing.columns.iter().enumerate().filter(|(number, _)| !narrow || *number == comparing.front).map(|(number, column)| html! {
                    <section class={classes!("column", dragging.class(number))} key={column.choice.text()} aria-label={column.choice.words(page.speech())} data-planner={column.choice.planner.clone()}>
                        { heading(&page, number, column, differing.repeats.get(number).copied().flatten(), &dragging) }
                        { match &column.shown {
                            None => waiting(&page),
                            Some(Ok(shown)) if !shown.is_ready() => waiting(&page),
                            Some(Err(why)) => html! { <p class="empty">{ words(&page, why) }</p> },
                            Some(Ok(shown)) => html! {
                                <Late><Body {number} shown={Same::from(shown)} {ready} differences={differing.from_reference.get(number).cloned().flatten()}
                                    common={Same(common.clone())} dark={props.dark} /></Late>
                            },
                        } }
                    </section>
                }) }
            </div>
        </div>
    }
}

/// Makes large plans ready to be drawn, one in a task, and returns how many are. Plans that come
/// together would otherwise hold up the page together.
#[hook]
fn use_ready(columns: &[Column]) -> usize {
    let plans = || columns.iter().filter_map(Column::plan);
    let next = plans().find(|shown| !shown.is_ready()).cloned();
    let made = use_state_eq(|| 0usize);
    let key = next.as_ref().map(|shown| Rc::as_ptr(shown) as usize);
    let count = *made + 1;
    let set = made.setter();
    use_effect_with(key, move |_| {
        let task = next.map(|shown| {
            Timeout::new(0, move || {
                shown.index();
                set.set(count);
            })
        });
        move || drop(task)
    });
    plans().filter(|shown| shown.is_ready()).count()
}

fn waiting(page: &Page) -> Html {
    html! { <p class="empty">{ page.word("compare.waiting") }</p> }
}

fn switched(page: &Page) -> Callback<Event> {
    let send = page.send.clone();
    Callback::from(move |event: Event| {
        let value = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
        send.emit(change(Change::Front(value.parse().unwrap_or(0))));
    })
}

fn heading(page: &Page, number: usize, column: &Column, repeats: Option<usize>, dragging: &Dragging) -> Html {
    let comparing = &page.state.comparing;
    let is_reference = number == comparing.reference;
    let repeated = repeats.and_then(|other| comparing.columns.get(other));
    let movable = comparing.columns.len() > 1 && !is_narrow(page);
    let on = |callback: Callback<PointerEvent>| movable.then_some(callback);
    let send = page.send.clone();
    let placed = Callback::from(move |(column, to)| send.emit(change(Change::Place { column, to })));
    html! {
        <header class={classes!("column-head", movable.then_some("movable"))} onpointerdown={on(dragging.presses(number))} onpointermove={on(dragging.moves())}
            onpointerup={on(dragging.releases(placed))} onpointercancel={on(dragging.loses())}>
            if movable { { handle(page, number, &column.choice) } }
            <h2 class="cut">{ name_of(page, &column.choice) }</h2>
            if is_reference { <span class="tag">{ page.word("compare.reference") }</span> }
            if let Some(other) = repeated { <span class="tag same cut" title={page.word("compare.identical")}>{ "= " }{ short_name(page, &other.choice) }</span> }
            <span class="grow"></span>
            { menu(page, number, column) }
        </header>
    }
}

/// Ids and names of the planners that the user wrote; that of the column may be an older version.
fn own_programs(page: &Page, shown: &str) -> Vec<(String, String)> {
    let ready = page.state.own.ready().map(|program| (program.id.clone(), program.name.clone()));
    let mut all: Vec<(String, String)> = ready.collect();
    if let Some(name) = planner::own_name(shown).filter(|_| all.iter().all(|(id, _)| id != shown)) {
        all.push((shown.to_string(), name.to_string()));
    }
    all
}

/// Planner, options, and what can be done with a column.
fn menu(page: &Page, number: usize, column: &Column) -> Html {
    let state = &page.state;
    let count = state.comparing.columns.len();
    let choice = column.choice.clone();
    let info = planner::info(&choice.planner);
    let has_graph = state.document.open.as_ref().is_some_and(|document| document.graph.is_some());
    let has_plan = state.document.open.as_ref().is_some_and(|document| document.has_plan);
    let name = page.word("compare.column-menu");
    let chosen = {
        let send = page.send.clone();
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
            send.emit(change(Change::Replace(number, PlannerChoice::of(&value))));
        })
    };
    let act = |key: &str, disabled: bool, action: Action| {
        let (send, kept) = (page.send.clone(), std::cell::RefCell::new(Some(action)));
        let onclick = Callback::from(move |_: MouseEvent| {
            kept.borrow_mut().take().into_iter().for_each(|action| send.emit(action))
        });
        html! { <button type="button" class="btn line" data-act={key.to_string()} {disabled} {onclick}>{ page.word(&Family::COMPARE_ACT.of([key])) }</button> }
    };
    html! {
        <details class="menu-host" key={format!("{count}{}", state.comparing.reference)}>
            <summary class="btn icon-only" aria-label={name.clone()} title={name}>{ glyph(Icon::More) }</summary>
            <div class="menu right options">
                <label class="option"><span>{ page.word("header.planner") }</span>
                    <select class="small" data-field="planner" onchange={chosen}>
                        if has_plan { <option value={IMPORTED} selected={choice.planner == IMPORTED} disabled={state.comparing.is_beside(number, &PlannerChoice::of(IMPORTED))}>{ page.word("planner.imported") }</option> }
                        { for INFOS.iter().filter(|info| planner::applicable(info, has_graph).is_ok()).map(|info| html! {
                            <option value={info.id} selected={choice.planner == info.id} disabled={state.comparing.is_beside(number, &PlannerChoice::of(info.id))}>{ info.full_title(page.speech()) }</option>
                        }) }
                        { for own_programs(page, &choice.planner).into_iter().map(|(id, name)| html! {
                            <option value={id.clone()} selected={choice.planner == id} disabled={state.comparing.is_beside(number, &PlannerChoice::of(&id))}>{ name }</option>
                        }) }
                    </select></label>
                { for info.into_iter().flat_map(|info| info.options.iter().map(|spec| {
                    let (send, choice) = (page.send.clone(), choice.clone());
                    let value = choice.options.get(spec.key).cloned();
                    let set = Callback::from(move |value: String| {
                        let mut choice = choice.clone();
                        choice.options.insert(spec.key.to_string(), value);
                        if choice.options.get(spec.key).is_some_and(|value| value == spec.default) {
                            choice.options.remove(spec.key);
                        }
                        send.emit(change(Change::Replace(number, choice)));
                    });
                    option_field(page, spec, info.id, value, set)
                }).collect::<Vec<_>>()) }
                <p class="acts">
                    { act("make-reference", number == state.comparing.reference, change(Change::Reference(number))) }
                    { act("left", number == 0, change(Change::Place { column: number, to: number.saturating_sub(1) })) }
                    { act("right", number + 1 == count, change(Change::Place { column: number, to: number + 1 })) }
                    { act("open", false, Action::Compare(CompareAction::OpenInSteps { choice: choice.clone(), scope: state.document.scope.clone() })) }
                    { act("remove", count <= COLUMNS.0, change(Change::Remove(number))) }
                </p>
            </div>
        </details>
    }
}
