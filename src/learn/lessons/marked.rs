//! Texts of lessons as elements.

use yew::prelude::*;

use crate::context::Page;
use crate::context::open::pick_files;
use crate::context::terms::TermWord;
use crate::learn::lessons::places::address;
use crate::learn::lessons::state::progress::LearnPlace;
use crate::shell::state::action::{Action, StepAction};
use memplan_core::base::Message;
use memplan_planners as planner;
use memplan_teach::lesson::{Part, Words, parts};

/// A text in the language of the page. Names are linked with the plan where that shows them.
pub fn marked(page: &Page, words: &Words) -> Html {
    let mut found = parts(words.of(page.state.settings.locale)).into_iter().peekable();
    let mut shown = Vec::new();
    while let Some(part) = found.next() {
        let is_button = matches!(part, Part::Buffer(_) | Part::Step(_) | Part::Term(..));
        let mark = match found.peek_mut() {
            Some(Part::Words(words, false)) if is_button => leading_marks(words),
            _ => String::new(),
        };
        let element = element(page, part);
        // A button may end a line; the mark after it may not begin the next one.
        shown.push(if mark.is_empty() {
            element
        } else {
            html! { <span class="clings">{ element }{ mark }</span> }
        });
    }
    html! { <>{ for shown }</> }
}

/// A text inside a button or link: names of buffers and numbers of steps are words there.
pub fn marked_inside(page: &Page, words: &Words) -> Html {
    let inside = |part| match part {
        Part::Buffer(name) => html! { { name } },
        Part::Step(step) => html! { { step } },
        other => element(page, other),
    };
    html! { <>{ for parts(words.of(page.state.settings.locale)).into_iter().map(inside) }</> }
}

/// Takes the marks off with which a text begins and no line may.
fn leading_marks(words: &mut String) -> String {
    let rest = words
        .trim_start_matches(['.', ',', ':', ';', '?', '!', ')', '。', '，', '、', '：', '；', '？', '！', '）', '”']);
    let at = words.len() - rest.len();
    let rest = words.split_off(at);
    std::mem::replace(words, rest)
}

fn element(page: &Page, part: Part) -> Html {
    match part {
        Part::Words(words, false) | Part::Unknown(words) => html! { { words } },
        Part::Words(words, true) => html! { <strong>{ words }</strong> },
        Part::Open(words) => {
            let (locale, send) = (page.state.settings.locale, page.send.clone());
            let onclick = Callback::from(move |_: MouseEvent| pick_files(locale, send.clone()));
            html! { <button type="button" class="name" id="open-own" {onclick}>{ words }</button> }
        }
        Part::View(address, words) => {
            let href = format!("#{address}&lang={}", page.state.settings.locale.name());
            html! { <a {href}>{ words }</a> }
        }
        Part::Figure(words) => html! { <span class="figure">{ words }</span> },
        Part::Planner(id, begins) => html! { { planner::name_in_text(&id, begins, page.speech()) } },
        Part::Term(term, words) => html! { <TermWord {term}>{ words }</TermWord> },
        Part::Buffer(name) => buffer(page, &name),
        Part::Step(step) => {
            let onclick = page.on(move || Action::Step(StepAction::Cursor(Some(step))));
            let label = page.speech().say(&Message::new("learn.step").count("step", step));
            html! { <button type="button" class="obj" data-step={step.to_string()} aria-label={label} {onclick}>{ step }</button> }
        }
        Part::Lesson(number) => {
            let place = LearnPlace { lesson: Some(number), paragraph: 0 };
            let words = page.speech().say(&Message::new("learn.lesson").count("n", number));
            html! { <a href={address(page, place)}>{ words }</a> }
        }
    }
}

/// The name of a buffer: under the pointer or with the focus it is outlined on the plan, and the
/// other way round.
fn buffer(page: &Page, name: &str) -> Html {
    let id = page.state.document.run.as_ref().and_then(|run| run.buffer_named(name));
    let onclick = page.on(move || Action::Step(StepAction::Select(id)));
    let number = id.map(|id| id.0.to_string());
    html! { <button type="button" class="obj row-obj" data-buffer={number} {onclick}>{ name.to_string() }</button> }
}
