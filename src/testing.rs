//! Views without a browser: a state is drawn as HTML text by Yew's server renderer, which runs no
//! effects, and asked for what a reader finds in it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use scraper::{ElementRef, Html as Document, Selector};
use tokio::runtime::Builder;
use tokio::task::LocalSet;
use yew::LocalServerRenderer;
use yew::prelude::*;

use crate::context::hover::Hover;
use crate::context::{Drawn, Page, provide};
use crate::edit::state::draft::Drafted;
use crate::open::state::document::Origin;
use crate::open::state::request::{draft_of, order};
use crate::own::state::lines::frame_of;
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, EditAction};
use crate::shell::state::layout::Layout;
use memplan_core::graph::edit::Drafting;
use memplan_core::text::Locale;
use memplan_engine::{Answer, Engine, Failure, Request, START, Taught, TeachTask};
use memplan_formats::import::Answers;
use memplan_planners as planner;
use memplan_worker::{FileData, WorkerReply, WorkerRequest};

pub const TEACHING: &[u8] = include_bytes!("../www/graphs/teaching.json");

/// A page on which the example is open, planned by the planner that opens at the start.
pub fn opened() -> State {
    opened_with(TEACHING)
}

/// The same page with another file in place of the example.
pub fn opened_with(bytes: &[u8]) -> State {
    let bytes = bytes.to_vec().into();
    let origin = Origin::Example(START.into());
    done(State::default().reduce(Action::Document(DocumentAction::Open {
        origin,
        bytes,
        choices: Answers::default(),
        place: None,
    })))
}

/// The state after the worker's reply to its job.
pub fn done(state: State) -> State {
    let Some(job) = state.job().cloned() else { return state };
    let WorkerReply(result) = order(&job, false, draft_of(&job)).run(&mut Engine::default());
    state.reduce(answered(job.number, result))
}

/// What the worker says of a job.
pub fn answered(job: u32, result: Result<Answer, Failure>) -> Action {
    Action::Document(DocumentAction::Answered { job, result: Box::new(result), written: None })
}

/// The worker's answer to a teacher or a student.
pub fn taught(task: &TeachTask<FileData>) -> Result<Taught, Failure> {
    let request = Request::teach(task.clone());
    match (WorkerRequest { job: 1, request, own: Vec::new() }.run(&mut Engine::default())) {
        WorkerReply(Ok(Answer::Taught(taught))) => Ok(taught),
        WorkerReply(Err(failure)) => Err(failure),
        WorkerReply(Ok(other)) => panic!("{other:?}"),
    }
}

pub fn all(state: State, actions: impl IntoIterator<Item = Action>) -> State {
    actions.into_iter().fold(state, State::reduce_one)
}

impl State {
    pub fn reduce_one(self, action: Action) -> State {
        done(self.reduce(action))
    }

    /// The open graph, ready to be changed.
    pub fn drafted(self) -> State {
        let graph = self.document.run.as_ref().and_then(|run| run.graph.clone()).expect("a graph");
        let mut drafting = Drafting::of(&graph);
        while drafting.go_on(&graph, usize::MAX) {}
        let draft = Rc::new(drafting.finish());
        self.reduce(Action::Edit(EditAction::Drafted(Drafted { graph, draft })))
    }
}

const EN: &str = include_str!("../crates/core/locales/en.json");
const ZH: &str = include_str!("../crates/core/locales/zh.json");

/// What a view shows of a state. Every one that is made is checked: its ids, the names of its
/// controls, its language.
pub struct Screen(Document);

#[derive(Properties, PartialEq)]
struct DrawnProps {
    page: Page,
    view: Html,
}

#[component]
fn DrawnView(props: &DrawnProps) -> Html {
    provide(props.page.clone(), false, props.view.clone())
}

/// Draws a view of a state on a wide window.
pub fn screen(state: State, view: Html) -> Screen {
    screen_of(state, Layout::Wide, view)
}

/// The page that shows a state on a wide window.
pub fn page_of(state: Rc<State>) -> Page {
    let frame = state.document.run.as_ref().map(|run| Rc::new(frame_of(run, &state.moment_shown())));
    Page {
        state,
        frame,
        layout: Layout::Wide,
        beside: false,
        magnified: 1.0,
        send: Callback::noop(),
        hover: Rc::new(Hover::default()),
        drawn: Drawn::All,
    }
}

/// Draws a view of a state.
pub fn screen_of(state: State, layout: Layout, view: Html) -> Screen {
    let page = Page { layout, ..page_of(Rc::new(state)) };
    let locale = page.state.settings.locale;
    let renderer = LocalServerRenderer::<DrawnView>::with_props(DrawnProps { page, view }).hydratable(false);
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    let drawn = runtime.block_on(LocalSet::new().run_until(renderer.render()));
    let screen = Screen(Document::parse_fragment(&drawn));
    screen.ids_are_unique();
    screen.controls_have_names();
    screen.words_are_of(locale);
    screen
}

impl Screen {
    /// All elements that a CSS selector finds.
    pub fn all(&self, css: &str) -> Vec<ElementRef<'_>> {
        self.0.select(&Selector::parse(css).expect("a selector")).collect()
    }

    /// The texts of these elements, spaces joined.
    pub fn texts(&self, css: &str) -> Vec<String> {
        self.all(css).into_iter().map(text).collect()
    }

    /// The values of an attribute of these elements, without those that lack it.
    pub fn attributes(&self, css: &str, name: &str) -> Vec<String> {
        self.all(css).into_iter().filter_map(|element| element.attr(name)).map(String::from).collect()
    }

    /// The ids of these elements.
    pub fn ids(&self, css: &str) -> Vec<String> {
        self.attributes(css, "id")
    }

    /// The names of these elements for those who do not see them.
    pub fn labels(&self, css: &str) -> Vec<String> {
        self.attributes(css, "aria-label")
    }

    /// The text of the only element that a selector finds.
    pub fn text(&self, css: &str) -> String {
        let found = self.texts(css);
        assert_eq!(found.len(), 1, "one element {css}: {found:?}");
        found.concat()
    }
}

impl Screen {
    /// Keys, labels and sentences that refer to an id mean one element.
    fn ids_are_unique(&self) {
        let mut ids: Vec<&str> = self.all("[id]").into_iter().filter_map(|element| element.attr("id")).collect();
        ids.sort();
        let twice: Vec<&[&str]> = ids.chunk_by(|a, b| a == b).filter(|same| same.len() > 1).collect();
        assert!(twice.is_empty(), "ids that stand there twice: {twice:?}");
    }

    /// What can be pressed or filled in has a name for those who do not see it.
    fn controls_have_names(&self) {
        for control in self.all("button, input, select, textarea, summary, a, [role=button], [role=slider]") {
            let is_inside =
                control.ancestors().filter_map(ElementRef::wrap).any(|around| around.value().name() == "label");
            let is_for = |id: &str| !self.all(&format!("label[for='{id}']")).is_empty();
            let is_labelled = is_inside || control.attr("id").is_some_and(is_for);
            let has_name = ["aria-label", "aria-labelledby", "title"]
                .iter()
                .any(|name| control.attr(name).is_some_and(|name| !name.trim().is_empty()));
            let is_hidden = control.attr("type") == Some("hidden");
            assert!(is_labelled || has_name || is_hidden || !text(control).is_empty(), "a name: {}", control.html());
        }
    }

    /// No key of a sentence is shown, and on a Chinese page no sentence in English.
    fn words_are_of(&self, locale: Locale) {
        let [english, chinese] = [EN, ZH].map(|json| {
            let entries: BTreeMap<String, String> = serde_json::from_str(json).expect("a locale");
            entries
        });
        let own: BTreeSet<&str> = chinese.values().map(String::as_str).collect();
        let is_word = |text: &&String| !text.contains('{') && text.contains(char::is_alphabetic);
        let foreign: BTreeSet<&str> =
            english.values().filter(is_word).map(String::as_str).filter(|text| !own.contains(text)).collect();
        // Drawings and lessons name nodes, whose names may be words; so may those of a program.
        let is_code = |element: &ElementRef| {
            let mut around = element.ancestors().filter_map(ElementRef::wrap).chain([*element]);
            around.any(|it| it.value().name() == "code" || it.value().classes().any(|class| class == "code-text"))
        };
        for element in self.all("*:not(text, span.figure)").into_iter().filter(|element| !is_code(element)) {
            let attributes = ["aria-label", "title", "placeholder"].into_iter().filter_map(|name| element.attr(name));
            // A name that may break between its words is one text.
            let is_one = element.child_elements().all(|child| child.value().name() == "wbr");
            let children = element.children().filter_map(|child| Some(child.value().as_text()?.text.to_string()));
            let texts: Vec<String> = if is_one { vec![text(element)] } else { children.collect() };
            for words in texts.iter().map(|text| text.trim()).chain(attributes) {
                // Ids of planners, and values of options as the original system writes them.
                let is_name = planner::find(words).is_some() || element.attr("value") == Some(words);
                let is_foreign = locale == Locale::Zh && !is_name && foreign.contains(words);
                assert!(!english.contains_key(words) || own.contains(words), "a key: {words} in {}", element.html());
                assert!(!is_foreign, "English: {words} in {}", element.html());
            }
        }
    }
}

/// The text of an element, its spaces joined.
pub fn text(element: ElementRef) -> String {
    spaced(&element.text().collect::<String>())
}

/// A text with one plain space where it has any: figures are grouped by narrow ones.
pub fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}
