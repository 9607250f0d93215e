//! All lessons on cards, with how far the reader is.

use yew::prelude::*;

use crate::browser::dialogs::agrees;
use crate::browser::download::save_text;
use crate::context::sentence::words;
use crate::context::{Page, use_page};
use crate::learn::lessons::cards::{challenges, teachers};
use crate::learn::lessons::marked::marked;
use crate::learn::lessons::places::{address, glossary, plain, waiting};
use crate::learn::lessons::state::progress::{LearnPlace, Learned};
use crate::plan::small::drawn;
use crate::shell::state::action::{Action, LearnAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_teach::lesson::{IndexEntry, part_keys};

/// Size of the picture on a card, in px.
const PICTURE: (f64, f64) = (140.0, 84.0);

#[derive(Properties, PartialEq)]
pub struct IndexProps {
    pub dark: bool,
}

#[component]
pub fn Index(props: &IndexProps) -> Html {
    let page = use_page();
    let dark = props.dark;
    let learning = &page.state.learning;
    let Some(index) = &learning.index else {
        return html! { <main class="learn" id="region-stage" tabindex="-1">{ waiting(&page) }</main> };
    };
    let learned = &learning.learned;
    let is_done = |entry: &&IndexEntry| learned.of(entry.number).is_done(entry.paragraphs, &entry.must);
    let done = index.iter().filter(is_done).count();
    let next = index.iter().find(|entry| !is_done(entry));
    let mut parts: Vec<u32> = index.iter().map(|entry| entry.part).collect();
    parts.dedup();
    html! {
        <main class="learn" id="region-stage" tabindex="-1" aria-label={page.word("learn.title")}>
            <div class="learn-in">
                <header class="learn-head">
                    <div>
                        <h1>{ page.word("learn.title") }</h1>
                        <p class="lead">{ page.word("learn.lead") }</p>
                    </div>
                    { resume(&page, index, done, next) }
                </header>
                { for parts.into_iter().map(|part| {
                    let (name, about) = part_keys(part);
                    html! {
                        <section class="part" aria-labelledby={format!("part-{part}")}>
                            <div class="part-h">
                                <p class="pn">{ words(&page, &Message::new("learn.part").count("n", part)) }</p>
                                <h2 id={format!("part-{part}")}>{ page.word(name) }</h2>
                                <p>{ page.word(about) }</p>
                            </div>
                            <div class="cards">
                                { for index.iter().filter(|entry| entry.part == part).map(|entry| {
                                    let is_next = next.is_some_and(|next| next.number == entry.number);
                                    card(&page, entry, learned, is_next, dark)
                                }) }
                            </div>
                        </section>
                    }
                }) }
                { challenges(&page, index, dark) }
                { teachers(&page) }
                { foot(&page) }
            </div>
        </main>
    }
}

/// How many lessons are done, and the way to the one to go on with.
fn resume(page: &Page, index: &[IndexEntry], done: usize, next: Option<&IndexEntry>) -> Html {
    let learned = &page.state.learning.learned;
    let progress = Message::new("learn.progress").count("done", done as u64).count("all", index.len() as u64);
    let place = |entry: &IndexEntry| LearnPlace { lesson: Some(entry.number), paragraph: 0 };
    let key = if learned.lessons.is_empty() { "learn.begin" } else { "learn.go-on" };
    html! {
        <div class="resume">
            <div class="bar-wrap"><b>{ words(page, &progress) }</b>
                <span class="bar12" aria-hidden="true">{ for index.iter().map(|entry| {
                    let progress = learned.of(entry.number);
                    let class = match () {
                        () if progress.is_done(entry.paragraphs, &entry.must) => "on",
                        () if progress.reached > 0 => "half",
                        () => "",
                    };
                    html! { <i {class}></i> }
                }) }</span>
            </div>
            if let Some(next) = next {
                <a class="btn main" id="go-on" href={address(page, place(next))}>
                    { words(page, &Message::new(key).count("n", next.number)) }{ glyph(Icon::Right) }</a>
            }
        </div>
    }
}

fn card(page: &Page, entry: &IndexEntry, learned: &Learned, is_next: bool, dark: bool) -> Html {
    let place = LearnPlace { lesson: Some(entry.number), paragraph: 0 };
    let progress = learned.of(entry.number);
    let tasks: Vec<String> = entry.tasks.iter().map(|(id, _)| id.clone()).collect();
    let (right, shown) = progress.answered(&tasks);
    let some = Message::new("learn.exercises").count("right", right as u64).count("shown", shown as u64);
    let some = html! { <span class="score">{ words(page, &some.count("all", entry.tasks.len() as u64)) }</span> };
    html! {
        <a class={classes!("lesson-card", is_next.then_some("next"))} href={address(page, place)} data-lesson={entry.number.to_string()}>
            <span class="pic" aria-hidden="true">{ drawn(&entry.picture.boxes, entry.picture.bound, PICTURE, dark) }</span>
            <span class="body">
                <b class="t"><span class="n">{ entry.number }</span>{ marked(page, &entry.title) }</b>
                <span class="able">{ marked(page, &entry.able) }</span>
                <span class="meta">
                    { words(page, &Message::new("learn.minutes").count("n", entry.minutes)) }
                    if progress.is_done(entry.paragraphs, &entry.must) {
                        <span class="st done">{ glyph(Icon::Check) }{ page.word("learn.done") }</span>
                    }
                    if right + shown > 0 { <span class="st some">{ some }</span> }
                </span>
            </span>
        </a>
    }
}

fn foot(page: &Page) -> Html {
    let (send, question) = (page.send.clone(), page.word("learn.forget-sure"));
    let forget = Callback::from(move |_: MouseEvent| {
        // The browser's dialog stops the page, which has nothing else to do.
        if agrees(&question) {
            send.emit(Action::Learn(LearnAction::Learned(Learned::default())));
        }
    });
    let kept = page.state.learning.learned.clone();
    let export = Callback::from(move |_: MouseEvent| save_text("memplan-progress.json", &kept.text()));
    let is_known = !page.state.learning.learned.is_empty();
    html! {
        <footer class="learn-foot">
            <p>{ page.word("learn.stored") }
                if is_known {
                    { page.blank() }<button type="button" class="name" id="forget" onclick={forget}>{ page.word("learn.forget") }</button>
                    { " · " }<button type="button" class="name" id="export" onclick={export}>{ page.word("learn.export") }</button>
                }
            </p>
            if !page.state.settings.one_file {
                <p><a href={plain(page, None)}>{ page.word("learn.as-text") }</a>{ " · " }<a href={glossary(page)}>{ page.word("learn.glossary") }</a></p>
            }
        </footer>
    }
}
