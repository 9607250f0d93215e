//! One box to find buffers, nodes, addresses, steps, frames and planners. Enter goes through what
//! is found.

use yew::prelude::*;

use crate::app::browser::dom::{active, focus, focus_element};
use crate::app::browser::hooks::{use_effect_with, use_mut_ref, use_state_eq};
use crate::app::context::{Page, use_page};
use crate::app::model::panels::Overlay;
use crate::app::state::action::{Action, DocumentAction, StepAction, ViewAction};
use crate::app::state::find::{Found, LISTED, direction, find, first_listed, next_match};
use crate::base::Message;
use crate::planner;

#[component]
pub fn FindBox() -> Html {
    let page = use_page();
    let text = use_state_eq(String::new);
    let at = use_state_eq(|| None::<usize>);
    // What was gone to last, and for which text: on a busy machine keys come faster than what is
    // found is drawn.
    let reached = use_mut_ref(|| (String::new(), None::<usize>));
    use_effect_with((), |_| {
        let before = active();
        focus("find-input");
        move || focus_element(before)
    });
    let Some(run) = page.state.document.run.clone() else { return Html::default() };
    let found = find(&run, page.state.stepping.level, &text, page.speech());
    let count = found.len();
    let oninput = {
        let (text, at) = (text.setter(), at.setter());
        Callback::from(move |event: InputEvent| {
            text.set(event.target_unchecked_into::<web_sys::HtmlInputElement>().value());
            at.set(None);
        })
    };
    let onkeydown = {
        let (page, found, at, run, reached) = (page.clone(), found.clone(), at.setter(), run.clone(), reached.clone());
        // A copy: the handle would give the text that was typed since `found` was made.
        let sought = (*text).clone();
        Callback::from(move |event: KeyboardEvent| {
            let Some(back) = direction(&event.key(), event.shift_key()) else { return };
            event.prevent_default();
            event.stop_propagation();
            let typed = event.target_unchecked_into::<web_sys::HtmlInputElement>().value();
            let found = if typed == sought {
                found.clone()
            } else {
                find(&run, page.state.stepping.level, &typed, page.speech())
            };
            let mut reached = reached.borrow_mut();
            let here = reached.1.filter(|_| reached.0 == typed);
            let next = next_match(here, back, found.len());
            if let Some(hit) = found.get(next) {
                *reached = (typed, Some(next));
                at.set(Some(next));
                go(&page, *hit);
            }
        })
    };
    let status = page.speech().say(&status(*at, count, text.trim().is_empty()));
    let choose = {
        let (page, at, text) = (page.clone(), at.setter(), text.clone());
        Callback::from(move |(index, hit): (usize, Found)| {
            *reached.borrow_mut() = ((*text).clone(), Some(index));
            at.set(Some(index));
            go(&page, hit);
        })
    };
    let close = page.word("dialog.close");
    html! {
        <div class="find" role="search" aria-label={page.word("find.title")}>
            <div class="find-line">
                <input id="find-input" type="search" autocomplete="off" spellcheck="false" placeholder={page.word("find.title")}
                    aria-label={page.word("find.title")} aria-describedby="find-status" value={(*text).clone()} {oninput} {onkeydown} />
                <button type="button" class="btn" aria-label={close.clone()} title={close} onclick={page.on(|| Action::View(ViewAction::Overlay(None)))}>{ "×" }</button>
            </div>
            <p id="find-status" class="muted" role="status">{ status }</p>
            { matches(&page, &found, *at, &choose) }
        </div>
    }
}

/// The list of matches around the current one. `choose` gets the match that is clicked and its
/// position.
fn matches(page: &Page, found: &[Found], at: Option<usize>, choose: &Callback<(usize, Found)>) -> Html {
    let button = |(index, &hit): (usize, &Found)| {
        let current = at == Some(index);
        let onclick = choose.reform(move |_: MouseEvent| (index, hit));
        html! { <li><button type="button" class={classes!("found", current.then_some("current"))}
        aria-current={current.then_some("true")} {onclick}>{ label(page, hit) }</button></li> }
    };
    html! { <ul>{ for found.iter().enumerate().skip(first_listed(at)).take(LISTED).map(button) }</ul> }
}

/// The line under the box: a hint as long as nothing is typed, then the current match of all.
fn status(at: Option<usize>, count: usize, is_blank: bool) -> Message {
    match at {
        _ if is_blank => Message::new("find.hint"),
        Some(here) => Message::new("find.at").count("at", here as u64 + 1).count("n", count as u64),
        None => Message::new("find.count").count("n", count as u64),
    }
}

fn go(page: &Page, found: Found) {
    match found {
        Found::Buffer(id) => page.send.emit(Action::Step(StepAction::Select(Some(id)))),
        Found::Frame(frame) => page.send.emit(Action::Step(StepAction::Seek(frame))),
        Found::Planner(id) => {
            page.send.emit(Action::View(ViewAction::Overlay(Some(Overlay::Find))));
            page.send.emit(Action::Document(DocumentAction::Planner(id.into())));
        }
    }
}

fn label(page: &Page, found: Found) -> String {
    match found {
        Found::Buffer(id) => {
            let Some(run) = page.state.document.run.as_ref() else { return String::new() };
            let buffer = &run.problem.buffers[id];
            let live = crate::text::live(buffer.live.start, buffer.live.end);
            format!("{}  {}  {live}", buffer.name, page.speech().bytes(buffer.size))
        }
        Found::Frame(frame) => page.speech().say(&Message::new("find.frame").count("frame", frame)),
        Found::Planner(id) => planner::info(id).map_or_else(String::new, |info| info.full_title(page.speech())),
    }
}
