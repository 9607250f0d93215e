//! Addresses of lessons, of their plain pages and of the teacher's corner, and what stands where a
//! lesson is not yet.

use yew::prelude::*;

use crate::context::Page;
use crate::learn::lessons::state::progress::LearnPlace;
use crate::learn::teacher::state::form::Corner;
use crate::shell::state::action::{Action, LearnAction};
use memplan_core::text::Locale;

/// What stands where a lesson is not yet, or could not be fetched.
pub fn waiting(page: &Page) -> Html {
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
pub fn plain(page: &Page, lesson: Option<u32>) -> String {
    let folder = if page.state.settings.locale == Locale::Zh { "zh/" } else { "" };
    let name = lesson.map_or_else(|| "index".to_string(), |number| format!("{number:02}"));
    format!("./learn/{folder}{name}.html")
}

/// The address of the page that defines all terms.
pub fn glossary(page: &Page) -> String {
    plain(page, None).replace("index.html", "glossary.html")
}

/// The address of a place in the lessons.
pub fn address(page: &Page, place: LearnPlace) -> String {
    let lang = page.state.settings.locale.name();
    match place.lesson {
        Some(number) if place.paragraph > 0 => format!("#learn={number}&p={}&lang={lang}", place.paragraph + 1),
        Some(number) => format!("#learn={number}&lang={lang}"),
        None => format!("#learn&lang={lang}"),
    }
}

/// The address of a part of the corner.
pub fn corner_address(page: &Page, part: Corner) -> String {
    format!("#teach={}&lang={}", part.name(), page.state.settings.locale.name())
}
