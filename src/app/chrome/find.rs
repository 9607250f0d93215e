//! One box to find buffers, nodes, addresses, steps, frames and planners. Enter goes through what is found.

use yew::prelude::*;

use crate::app::browser::dom::{document, focus, focus_element};
use crate::app::browser::hooks::{use_effect_with, use_mut_ref, use_state_eq};
use crate::app::context::{Page, use_page};
use crate::app::model::panels::Overlay;
use crate::app::state::action::{Action, DocumentAction, StepAction, ViewAction};
use crate::app::state::find::{Found, find};
use crate::base::Message;
use crate::planner;

/// Matches listed under the box.
const LISTED: usize = 8;

#[component]
pub fn FindBox() -> Html {
    let page = use_page();
    let text = use_state_eq(String::new);
    let at = use_state_eq(|| None::<usize>);
    // What was gone to last, and for which text: on a busy machine keys come faster than what is found is drawn.
    let reached = use_mut_ref(|| (String::new(), None::<usize>));
    use_effect_with((), |_| {
        let before = document().and_then(|document| document.active_element());
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
        let (page, found, at, run, text) = (page.clone(), found.clone(), at.setter(), run.clone(), text.clone());
        let reached = reached.clone();
        Callback::from(move |event: KeyboardEvent| {
            let back = match event.key().as_str() {
                "Enter" => event.shift_key(),
                "ArrowDown" => false,
                "ArrowUp" => true,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            let typed = event.target_unchecked_into::<web_sys::HtmlInputElement>().value();
            let found = match typed == *text {
                true => found.clone(),
                false => find(&run, page.state.stepping.level, &typed, page.speech()),
            };
            let mut reached = reached.borrow_mut();
            let here = reached.1.filter(|_| reached.0 == typed);
            let last = found.len().saturating_sub(1);
            let next = match (here, back) {
                (None, false) => 0,
                (None, true) => last,
                (Some(here), false) => {
                    if here < last {
                        here + 1
                    } else {
                        0
                    }
                }
                (Some(here), true) => here.checked_sub(1).map_or(last, |above| above.min(last)),
            };
            if let Some(hit) = found.get(next) {
                *reached = (typed, Some(next));
                at.set(Some(next));
                go(&page, *hit);
            }
        })
    };
    // The list follows the present match.
    let from = at.map_or(0, |here| (here + 1).saturating_sub(LISTED));
    let status = match (*at, text.trim().is_empty()) {
        (_, true) => page.word("find.hint"),
        (Some(here), _) => {
            page.speech().say(&Message::new("find.at").count("at", here as u64 + 1).count("n", count as u64))
        }
        (None, _) => page.speech().say(&Message::new("find.count").count("n", count as u64)),
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
            <ul>{ for found.iter().enumerate().skip(from).take(LISTED).map(|(index, &hit)| {
                let current = *at == Some(index);
                let (page_of_click, at, reached, text) = (page.clone(), at.clone(), reached.clone(), text.clone());
                let onclick = Callback::from(move |_: MouseEvent| {
                    *reached.borrow_mut() = ((*text).clone(), Some(index));
                    at.set(Some(index));
                    go(&page_of_click, hit);
                });
                html! { <li><button type="button" class={classes!("found", current.then_some("current"))}
                    aria-current={current.then_some("true")} {onclick}>{ label(&page, hit) }</button></li> }
            }) }</ul>
        </div>
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
