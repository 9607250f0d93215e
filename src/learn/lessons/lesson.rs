//! The text of a lesson.

use std::rc::Rc;

use yew::prelude::*;

use crate::context::sentence::words;
use crate::context::{Page, use_page};
use crate::learn::lessons::marked::marked;
use crate::learn::lessons::paragraph::ParagraphView;
use crate::learn::lessons::places::{address, plain};
use crate::learn::lessons::reading::use_reading;
use crate::learn::lessons::state::progress::LearnPlace;
use crate::learn::play::address::address as game_address;
use crate::learn::play::state::address::GameLink;
use crate::shell::state::action::{Action, LearnAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_teach::lesson::{IndexEntry, Lesson, Task, part_keys};

#[derive(Properties)]
pub struct LessonTextProps {
    pub lesson: Rc<Lesson>,
    pub dark: bool,
}

impl PartialEq for LessonTextProps {
    fn eq(&self, other: &LessonTextProps) -> bool {
        Rc::ptr_eq(&self.lesson, &other.lesson) && self.dark == other.dark
    }
}

#[component]
pub fn LessonText(props: &LessonTextProps) -> Html {
    let page = use_page();
    let lesson = &props.lesson;
    let host = use_node_ref();
    use_reading(&page, &host, lesson.number);
    let pointing = page.pointing();
    let out = pointing.clone();
    let onmouseover = Callback::from(move |event: MouseEvent| pointing.emit(event.target()));
    let onmouseleave = Callback::from(move |_: MouseEvent| out.emit(None));
    let pointing = page.pointing();
    let onfocusin = Callback::from(move |event: FocusEvent| pointing.emit(event.target()));
    let (part, _) = part_keys(lesson.part);
    let title = lesson.title.of(page.state.settings.locale).to_string();
    html! {
        <article class="lesson-text" id="region-left" ref={host} tabindex="0" aria-label={title} {onmouseover} {onmouseleave} {onfocusin}>
            <div class="inner">
                <div class="eyebrow">
                    <a href={address(&page, LearnPlace::default())}>{ page.word("mode.learn") }</a>
                    <span aria-hidden="true">{ "›" }</span><span>{ page.word(part) }</span>
                    <span class="grow"></span>
                    <span>{ words(&page, &Message::new("learn.minutes").count("n", lesson.minutes)) }</span>
                </div>
                <h1>{ marked(&page, &lesson.title) }</h1>
                <p class="goal">{ page.word("learn.afterwards") }{ page.blank() }{ marked(&page, &lesson.able) }</p>
                { for (0..lesson.paragraphs.len()).map(|at| html! {
                    <ParagraphView key={at} lesson={lesson.clone()} {at} dark={props.dark} />
                }) }
                { end(&page, lesson) }
            </div>
        </article>
    }
}

/// Where to go after the lesson.
fn end(page: &Page, lesson: &Lesson) -> Html {
    let index = page.state.learning.index.as_deref();
    let near = |number: Option<u32>| {
        let number = number?;
        index?.iter().find(|entry| entry.number == number)
    };
    let link = |entry: &IndexEntry| {
        let place = LearnPlace { lesson: Some(entry.number), paragraph: 0 };
        html! { <a href={address(page, place)}>{ entry.number }{ " · " }{ marked(page, &entry.title) }</a> }
    };
    let (must, progress) = (lesson.must(), page.state.learning.learned.of(lesson.number));
    let is_open = |task: &Task| must.contains(&task.id) && !progress.has_done(&task.id);
    let tasks = lesson.paragraphs.iter().enumerate().filter_map(|(at, it)| Some((at, it.task.as_ref()?)));
    let open: Vec<usize> = tasks.filter(|(_, task)| is_open(task)).map(|(at, _)| at).collect();
    // Who reads here has read the last paragraph.
    let last = lesson.paragraphs.len().saturating_sub(1);
    html! {
        <div class="lesson-foot" data-at={last.to_string()}>
        if let Some(&next) = open.first() {
            <p class="lesson-open" id="lesson-open">{ words(page, &Message::new("learn.open-exercises").count("n", open.len())) }{ page.blank() }
                <button type="button" class="name" onclick={page.on(move || Action::Learn(LearnAction::Go(next)))}>{ page.word("learn.to-exercise") }</button></p>
        } else {
            <p class="lesson-end">{ glyph(Icon::Check) }{ page.word("learn.finished") }</p>
            <p class="lesson-able"><b>{ page.word("learn.can-now") }</b><span>{ marked(page, &lesson.able) }</span></p>
        }
        if let Some(next) = near(Some(lesson.number + 1)) {
            <a class="btn next-lesson" id="next-lesson" href={address(page, LearnPlace { lesson: Some(next.number), paragraph: 0 })}>
                <span>{ page.word("learn.next") }{ page.blank() }{ next.number }{ " · " }{ marked(page, &next.title) }</span>{ glyph(Icon::Right) }</a>
        }
        if let Some(game) = lesson.challenge.as_deref().and_then(GameLink::of_fragment) {
            <p class="lesson-challenge">{ page.word("learn.challenge") }{ page.blank() }<a href={game_address(page, &game)}>{ game.title(page.speech()) }</a></p>
        }
        <nav class="lesson-nav" aria-label={page.word("learn.lessons")}>
            if let Some(before) = near(lesson.number.checked_sub(1)) { { "‹ " }{ link(before) } }
            <span class="grow"></span>
            <a href={address(page, LearnPlace::default())}>{ page.word("learn.index") }</a>
        </nav>
        if !page.state.settings.one_file {
            <p class="lesson-plain"><a href={plain(page, Some(lesson.number))}>{ page.word("learn.as-text") }</a></p>
        }
        </div>
    }
}
