//! One box to find buffers, nodes, addresses, steps, frames and planners. Enter goes through what
//! is found. Examples, planners, lessons and terms of the name stand below; where there is nothing
//! else of the name, Enter opens the first of them.

use yew::prelude::*;

use crate::browser::dom::{active, focus, focus_element};
use crate::context::open::open_example;
use crate::context::{Page, use_page};
use crate::learn::lessons::state::progress::LearnPlace;
use crate::open::state::examples::examples;
use crate::shell::state::action::{Action, CompareAction, DocumentAction, LearnAction, StepAction, ViewAction};
use crate::shell::state::find::{Destination, Found, LISTED, destinations, direction, find, first_listed, next_match};
use crate::shell::state::panels::{Mode, Overlay};
use memplan_core::base::{Family, Message};
use memplan_engine::PlannerChoice;
use memplan_planners as planner;
use memplan_replay::define;
use memplan_teach::lesson::lesson_of_term;

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
    let found = found_in(&page, &text);
    let count = found.len();
    let leads = destinations_of(&page, &text);
    let oninput = {
        let (text, at) = (text.setter(), at.setter());
        Callback::from(move |event: InputEvent| {
            text.set(event.target_unchecked_into::<web_sys::HtmlInputElement>().value());
            at.set(None);
        })
    };
    let onkeydown = {
        let (page, found, at, reached) = (page.clone(), found.clone(), at.setter(), reached.clone());
        // A copy: the handle would give the text that was typed since `found` was made.
        let sought = (*text).clone();
        Callback::from(move |event: KeyboardEvent| {
            let Some(back) = direction(&event.key(), event.shift_key()) else { return };
            event.prevent_default();
            event.stop_propagation();
            let typed = event.target_unchecked_into::<web_sys::HtmlInputElement>().value();
            let found = if typed == sought { found.clone() } else { found_in(&page, &typed) };
            let mut reached = reached.borrow_mut();
            let here = reached.1.filter(|_| reached.0 == typed);
            if found.is_empty() {
                if let Some(next) = through_doors(&page, &typed, &event.key(), here, back) {
                    *reached = (typed, Some(next));
                    at.set(Some(next));
                }
                return;
            }
            let next = next_match(here, back, found.len());
            if let Some(hit) = found.get(next) {
                *reached = (typed, Some(next));
                at.set(Some(next));
                go(&page, *hit);
            }
        })
    };
    let status = match (count, leads.len()) {
        (0, 1..) => Message::new("find.elsewhere"),
        _ => status(*at, count, text.trim().is_empty()),
    };
    let status = page.speech().say(&status);
    // What a press on Enter opens.
    let first = if count == 0 { Some(at.unwrap_or(0)) } else { None };
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
            if count > 0 { { matches(&page, &found, *at, &choose) } }
            if !leads.is_empty() { { ways(&page, &leads, first) } }
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

/// What of the document a text names.
fn found_in(page: &Page, text: &str) -> Vec<Found> {
    let run = page.state.document.run.as_ref();
    run.map_or_else(Vec::new, |run| find(run, page.state.stepping.level, text, page.speech()))
}

/// Where a text leads beyond the document; nowhere from an exercise, and from a page inside another
/// one.
fn destinations_of(page: &Page, text: &str) -> Vec<Destination> {
    let state = &page.state;
    if state.teaching.assigned.is_some() || state.settings.embed.is_some() {
        return Vec::new();
    }
    let lessons = state.learning.index.as_ref().map_or(&[][..], |index| index);
    destinations(text, lessons, page.speech())
}

/// Enter opens the destination that stands here, or the first; an arrow goes to the returned one.
fn through_doors(page: &Page, typed: &str, key: &str, here: Option<usize>, back: bool) -> Option<usize> {
    let leads = destinations_of(page, typed);
    if key == "Enter" {
        leads.get(here.unwrap_or(0)).into_iter().for_each(|destination| enter(page, *destination));
        return None;
    }
    Some(next_match(here, back, leads.len())).filter(|next| *next < leads.len())
}

/// The list of where the text leads; `first` is the one that Enter opens.
fn ways(page: &Page, leads: &[Destination], first: Option<usize>) -> Html {
    html! { <ul id="find-doors">{ for leads.iter().enumerate().map(|(index, &destination)| {
        let current = first == Some(index);
        let onclick = {
            let page = page.clone();
            Callback::from(move |_: MouseEvent| enter(&page, destination))
        };
        let (kind, name, more) = words_of(page, destination);
        html! { <li><button type="button" class={classes!("found", current.then_some("current"))} aria-current={current.then_some("true")} {onclick}>
            <span class="muted">{ page.word(kind) }</span>{ " " }{ name }if let Some(more) = more { <span class="muted">{ " · " }{ more }</span> }</button></li> }
    }) }</ul> }
}

/// A destination in words: the key of its kind, its name, and a line about it.
fn words_of(page: &Page, destination: Destination) -> (&'static str, String, Option<String>) {
    let speech = page.speech();
    match destination {
        Destination::Example(at) => {
            let example = &examples()[at];
            let bound = Message::new("find.bound").bytes("bound", example.bound);
            ("find.example", example.name.clone(), Some(page.speech_of_others().say(&bound)))
        }
        Destination::Planner(id) => {
            let name = planner::info(id).map_or_else(String::new, |info| info.full_title(speech));
            ("find.planner", name, Some(page.word(&Family::PLANNER_ABOUT.of([id]))))
        }
        Destination::Lesson(number) => {
            let index = page.state.learning.index.iter().flat_map(|index| index.iter());
            let title = index.filter(|entry| entry.number == number).map(|entry| entry.title.of(speech.locale));
            let mut name = title.map(|title| format!("{number} · {title}"));
            ("find.lesson", name.next_back().unwrap_or_default(), None)
        }
        Destination::Term(term) => {
            let definition = define(term, None);
            ("find.term", speech.say(&definition.name), Some(speech.say(&definition.meaning)))
        }
    }
}

/// Opens a destination. The lesson on a term has its definition.
fn enter(page: &Page, destination: Destination) {
    page.send.emit(Action::View(ViewAction::Overlay(None)));
    let lesson = |number: u32| {
        let place = LearnPlace { lesson: Some(number), ..LearnPlace::default() };
        page.send.emit(Action::Learn(LearnAction::Open(place)));
    };
    match destination {
        Destination::Example(at) => open_example(examples()[at].name.clone(), None, page.send.clone()),
        Destination::Planner(id) if page.state.view.mode == Mode::Compare => {
            let choice = PlannerChoice::of(id);
            page.send.emit(Action::Compare(CompareAction::AddPlanner(choice)));
        }
        Destination::Planner(id) => page.send.emit(Action::Document(DocumentAction::Planner(id.into()))),
        Destination::Lesson(number) => lesson(number),
        Destination::Term(term) => lesson(lesson_of_term(term)),
    }
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
            let live = memplan_core::text::live(buffer.live.start, buffer.live.end);
            format!("{}  {}  {live}", buffer.name, page.speech().bytes(buffer.size))
        }
        Found::Frame(frame) => page.speech().say(&Message::new("find.frame").count("frame", frame)),
        Found::Planner(id) => planner::info(id).map_or_else(String::new, |info| info.full_title(page.speech())),
    }
}
