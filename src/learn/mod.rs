//! Learn: the index of the lessons, and a lesson beside a plan.

pub mod exercise;
pub mod lessons;
pub mod play;
pub mod teacher;

use yew::prelude::*;

use crate::context::use_page;
use crate::learn::lessons::index::Index;
use crate::learn::lessons::lesson::LessonText;
use crate::learn::lessons::places::waiting;
use crate::learn::lessons::stage::LessonStage;
use crate::learn::play::GamePage;
use crate::learn::teacher::Teacher;

pub use exercise::page::ExercisePage;
pub use lessons::fetching::use_fetched;
pub use lessons::storing::use_learned;

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
