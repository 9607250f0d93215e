//! A paragraph with its small plans and its exercise.

use std::rc::Rc;

use yew::prelude::*;

use crate::context::use_page;
use crate::learn::lessons::marked::marked;
use crate::learn::lessons::task::{task_box, use_answer_in_sight};
use crate::plan::small::small_plans;
use crate::shell::state::action::{Action, LearnAction};
use memplan_teach::lesson::Lesson;

#[derive(Properties)]
pub struct ParagraphProps {
    pub lesson: Rc<Lesson>,
    /// Its place in the lesson.
    pub at: usize,
    pub dark: bool,
}

impl PartialEq for ParagraphProps {
    fn eq(&self, other: &ParagraphProps) -> bool {
        Rc::ptr_eq(&self.lesson, &other.lesson) && self.at == other.at && self.dark == other.dark
    }
}

#[component]
pub fn ParagraphView(props: &ParagraphProps) -> Html {
    let page = use_page();
    let at = props.at;
    let paragraph = props.lesson.paragraphs.get(at);
    use_answer_in_sight(&page, paragraph.and_then(|paragraph| paragraph.task.as_ref()));
    let Some(paragraph) = paragraph else { return Html::default() };
    let learning = &page.state.learning;
    let is_read = learning.place.paragraph == at;
    let class = classes!("para", paragraph.scene.is_some().then_some("has-scene"), is_read.then_some("on"));
    // Who goes through the text by keyboard reads what has the focus.
    let onfocusin = page.on(move || Action::Learn(LearnAction::Paragraph(at)));
    let show = (is_read && page.state.is_away()).then(|| page.on(move || Action::Learn(LearnAction::Show(at))));
    html! {
        <section {class} tabindex="-1" data-at={at.to_string()} aria-current={is_read.then_some("true")} {onfocusin}>
            if let Some(text) = &paragraph.text { <p>{ marked(&page, text) }</p> }
            { small_plans(&page, &paragraph.plans, props.dark) }
            if let Some(task) = &paragraph.task { { task_box(&page, task, is_read) } }
            if let Some(onclick) = show {
                <button type="button" class="btn line show-here" {onclick}>{ page.word("learn.show-here") }</button>
            }
        </section>
    }
}
