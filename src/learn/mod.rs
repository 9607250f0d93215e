//! Learn: the index of the lessons, and a lesson beside a plan.

pub mod answers;
pub mod cards;
pub mod fetching;
pub mod index;
pub mod lesson;
pub mod marked;
pub mod moving;
pub mod paragraph;
pub mod reading;
pub mod stage;
pub mod storing;
pub mod task;
pub mod teacher;
#[cfg(test)]
mod tests;
pub mod tried;

use yew::prelude::*;

use crate::context::{Page, use_page};
use crate::game::GamePage;
use crate::learn::index::Index;
use crate::learn::lesson::LessonText;
use crate::learn::stage::LessonStage;
use crate::learn::teacher::Teacher;
use crate::model::learning::LearnPlace;
use crate::state::action::{Action, LearnAction};

pub use fetching::use_fetched;
pub use storing::use_learned;
pub use teacher::exercise::ExercisePage;

#[derive(Properties, PartialEq)]
pub struct LearnProps {
    pub dark: bool,
}

#[component]
pub fn Learn(props: &LearnProps) -> Html {
    let page = use_page();
    let dark = props.dark;
    if page.state.game.is_some() {
        return html! { <GamePage {dark} /> };
    }
    if page.state.teaching.corner.is_some() {
        return html! { <Teacher /> };
    }
    let learning = &page.state.learning;
    match (learning.place.lesson, &learning.lesson) {
        (None, _) => html! { <Index {dark} /> },
        (Some(_), Some(lesson)) => html! { <>
            <LessonText key={lesson.number} lesson={lesson.clone()} {dark} />
            <LessonStage {dark} />
        </> },
        (Some(_), None) => html! { <main class="learn" id="region-stage" tabindex="-1">{ waiting(&page) }</main> },
    }
}

/// What stands where a lesson is not yet, or could not be fetched.
fn waiting(page: &Page) -> Html {
    if !page.state.learning.failed {
        return html! { <p class="learn-in muted">{ page.word("learn.loading") }</p> };
    }
    html! {
        <div class="learn-in" role="alert">
            <p>{ page.word("learn.not-there") }</p>
            <div class="acts-row">
                <button type="button" class="btn line" onclick={go(page, page.state.learning.place)}>{ page.word("learn.again") }</button>
                <a class="btn line" href={plain(page, None)}>{ page.word("learn.as-text") }</a>
            </div>
        </div>
    }
}

/// Goes to a place in the lessons.
fn go<E: 'static>(page: &Page, place: LearnPlace) -> Callback<E> {
    page.on(move || Action::Learn(LearnAction::Open(place)))
}

/// The address of a page of plain text: that of a lesson, or the index.
fn plain(page: &Page, lesson: Option<u32>) -> String {
    use memplan_core::text::Locale;
    let folder = if page.state.settings.locale == Locale::Zh { "zh/" } else { "" };
    let name = lesson.map_or_else(|| "index".to_string(), |number| format!("{number:02}"));
    format!("./learn/{folder}{name}.html")
}

/// The address of the page that defines all terms.
fn glossary(page: &Page) -> String {
    plain(page, None).replace("index.html", "glossary.html")
}

/// The address of a place in the lessons.
fn address(page: &Page, place: LearnPlace) -> String {
    let lang = page.state.settings.locale.name();
    match place.lesson {
        Some(number) if place.paragraph > 0 => format!("#learn={number}&p={}&lang={lang}", place.paragraph + 1),
        Some(number) => format!("#learn={number}&lang={lang}"),
        None => format!("#learn&lang={lang}"),
    }
}
