//! A question of a lesson as an exercise asks it: the text before it and the plan beside it, as in
//! the lesson.

use yew::prelude::*;

use crate::browser::dom::focus;
use crate::chrome::notices::notices;
use crate::context::{Page, use_page};
use crate::learn::exercise::onward::{finish, next_plan, refused};
use crate::learn::lessons::marked::marked;
use crate::learn::lessons::task::{task_box, use_answer_in_sight};
use crate::plan::stage::StagePanel;

#[derive(Properties, PartialEq)]
pub struct LessonQuestionProps {
    pub dark: bool,
}

#[component]
pub fn LessonQuestion(props: &LessonQuestionProps) -> Html {
    let page = use_page();
    let task = page.state.lesson_task().cloned();
    use_answer_in_sight(&page, task.as_ref());
    let is_over = page.state.open_task().is_none();
    use_effect_with((task.as_ref().map(|task| task.id.clone()), is_over), move |(_, is_over)| {
        if *is_over {
            focus("lesson-next");
        }
    });
    html! { <>
        <main aria-label={page.word("exercise.plan")}>{ notices(&page) }<StagePanel dark={props.dark} /></main>
        <aside class="panel exercise-panel lesson-question" id="region-right" tabindex="-1" aria-label={page.word("lesson.exercise")}>
            { asked(&page) }
            if is_over { { onward(&page) } }
        </aside>
    </> }
}

/// The paragraph of the question, and the question with its fields.
fn asked(page: &Page) -> Html {
    let state = &page.state;
    let Some((task, lesson)) = state.lesson_task().zip(state.learning.lesson.as_ref()) else { return Html::default() };
    let text = lesson.paragraphs.get(state.learning.staged).and_then(|paragraph| paragraph.text.as_ref());
    html! { <>
        { for text.map(|text| html! { <p>{ marked(page, text) }</p> }) }
        { task_box(page, task, true) }
    </> }
}

/// The way on after an answer: the next question, or the end.
fn onward(page: &Page) -> Html {
    let failure = page.state.teaching.assigned.as_ref().and_then(|assigned| assigned.failure.clone());
    html! { <>
        if page.state.is_full() { { finish(page, "lesson-next") } } else { { next_plan(page, "lesson-next") } }
        if let Some(why) = failure { { refused(page, &why) } }
    </> }
}
