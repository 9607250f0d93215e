//! A link leads to the same place from every page, whatever is open there or still on its way.

use std::path::Path;

use super::*;
use crate::compare::diff::state::DiffChange;
use crate::compare::diff::state::shown::Older;
use crate::learn::play::state::tests::answered;
use crate::learn::teacher::state::tests::LINK;
use crate::open::state::examples::example_file;
use crate::shell::state::action::{GameAction, IntroductionAction, LearnAction};
use crate::shell::state::arriving::{Fetch, FetchFrom, LinkSource, arrival};
use crate::shell::state::introduction;
use crate::shell::state::panels::Mode;
use memplan_core::text::Locale;
use memplan_teach::lesson::Lesson;

const PAGE: &str = "https://example.org/memplan/";

/// Links of every kind.
const LINKS: [&str; 21] = [
    "doc=ex:two_branches&plan=best-fit&f=3&lang=en",
    "doc=ex:diamond&plan=first-fit&f=2&present=1&lang=en",
    "doc=ex:diamond&plan=first-fit&predict=1&lang=en",
    "doc=ex:teaching&plan=first-fit&cmp=first-fit%7Cbest-fit&lang=en",
    "mode=fit&doc=ex:teaching&plan=first-fit&lang=en",
    "mode=diff&old=ex:diamond&new=ex:two_branches&lang=en",
    "doc=url:graphs/diamond.json&plan=first-fit&lang=en",
    "doc=url:https://models.example/a.json&plan=first-fit&lang=en",
    "doc=local:mine.csv&plan=first-fit&lang=en",
    "learn=&lang=en",
    "learn=1&lang=en",
    "learn=2&p=3&lang=en",
    "learn=1&p=4&present=1&lang=en",
    "teach=check&lang=en",
    "teach=link&lang=en",
    "worksheet=ex:teaching&plan=first-fit&given=2&lang=en",
    "pack=ex:learn/nine-blocks&lang=en",
    "pack=seed:7.2&lang=en",
    "tetris=seed:7.2&plan=best-fit&lang=en",
    "break=first-fit&lang=en",
    LINK,
];

/// A document that the page fetches.
#[derive(Clone)]
struct Coming {
    number: u32,
    fetch: Fetch,
}

/// A page, with what it fetches.
#[derive(Clone)]
struct Browser {
    state: State,
    coming: Vec<Coming>,
    numbers: u32,
}

fn example(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/graphs").join(example_file(name));
    std::fs::read(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

impl Browser {
    fn new() -> Browser {
        Browser { state: State::default(), coming: Vec::new(), numbers: 0 }
    }

    fn act(&mut self, action: Action) {
        self.state = self.state.reduce(action);
    }

    /// Goes where a link leads; what it names is not there yet.
    fn visit(&mut self, fragment: &str) {
        let learned = self.state.view.mode == Mode::Learn;
        let arrival = arrival(fragment, Locale::En, PAGE, LinkSource::default());
        arrival.actions.into_iter().for_each(|action| self.act(action));
        arrival.fetches.into_iter().for_each(|fetch| self.fetch(fetch));
        // The effect of the address bar.
        assert!(!(learned && self.state.is_blank()), "{fragment} would lead to the start");
    }

    fn fetch(&mut self, fetch: Fetch) {
        self.numbers += 1;
        let (number, is_older) = (self.numbers, fetch.place.is_none());
        self.act(Action::Fetching { number, is_older });
        self.coming.push(Coming { number: self.numbers, fetch });
    }

    /// A document that was fetched is there.
    fn came(&mut self, Coming { number, fetch: Fetch { from, place } }: Coming) {
        let (origin, bytes) = match from {
            FetchFrom::Example(name) => (Origin::Example(name.clone()), example(&name)),
            FetchFrom::Kept(name) => (Origin::File(name), b"id,lower,upper,size\na,0,2,8\nb,1,3,8\n".to_vec()),
        };
        let (bytes, choices) = (bytes.into(), Answers::default());
        let Some(place) = place else {
            let older = Action::Diff(DiffChange::Older(Older { origin, bytes, choices }));
            return self.act(Action::Fetched(number, Box::new(older)));
        };
        let open = Action::Document(DocumentAction::Open { origin, bytes, choices, place: Some(place) });
        self.act(Action::Fetched(number, Box::new(open)));
    }

    /// Everything that is waited for has come.
    fn settle(&mut self, lessons: &[Rc<Lesson>]) {
        for _ in 0..60 {
            if let Some(coming) = self.coming.pop() {
                self.came(coming);
                continue;
            }
            if let Some(remote) = self.state.document.remote.clone() {
                let (restored, place) = remote.link.clone().unzip();
                if let Some(restored) = restored {
                    self.act(Action::Document(DocumentAction::Restore(Box::new(restored))));
                }
                let (origin, bytes) = (Origin::Remote(remote.address.clone()), example("diamond").into());
                let choices = Answers::default();
                self.act(Action::Document(DocumentAction::Open { origin, bytes, choices, place }));
            }
            self.state = answered(crate::compare::diff::state::tests::settled(self.state.clone()));
            let place = self.state.learning.place.lesson.filter(|_| self.state.view.mode == Mode::Learn);
            let lesson = place.filter(|_| self.state.learning.lesson.is_none());
            if let Some(lesson) = lesson.and_then(|number| lessons.iter().find(|lesson| lesson.number == number)) {
                self.act(Action::Learn(LearnAction::Lesson(lesson.clone())));
            } else if let Some(name) = self.state.game_shown().and_then(|game| game.wanted()).map(str::to_string) {
                self.act(Action::Game(GameAction::Fetched(Some(example(&name).into()))));
            } else if let Some(scene) = self.state.wanted_scene().filter(|_| self.state.document.status.is_idle()) {
                self.act(Action::Document(DocumentAction::Restore(Box::new(scene.restored))));
                self.fetch(Fetch { from: FetchFrom::Example(scene.document), place: Some(scene.place) });
            } else if self.state.learning.gliding {
                self.act(Action::Step(StepAction::Tick));
            } else if self.state.job().is_none() && self.state.teaching.wanted.is_none() {
                return;
            }
        }
        panic!("it does not come to rest: {}", self.place());
    }

    /// What the page shows, as its address has it, and what the address has not.
    fn place(&self) -> String {
        let state = &self.state;
        let assigned = state.teaching.assigned.as_ref().map(|assigned| assigned.link.clone());
        let document = state.document.open.as_ref().map(|document| document.origin.clone());
        // The documents of before stay in the background of Learn.
        let document = document.filter(|_| state.view.mode != Mode::Learn && assigned.is_none());
        let (notice, overlay) = (state.document.notice.as_ref().map(|it| it.title.key.clone()), state.view.overlay);
        let address = if assigned.is_none() { address::write(state) } else { String::new() };
        format!("{address} {assigned:?} {document:?} {notice:?} {overlay:?} {:?}", state.presenting().is_some())
    }
}

fn lessons() -> Vec<Rc<Lesson>> {
    crate::learn::lessons::state::tests::lessons().into_iter().take(2).collect()
}

/// The page after a link, seen from a tab that was just opened.
fn fresh(link: &str, lessons: &[Rc<Lesson>]) -> Browser {
    let mut browser = Browser::new();
    browser.visit(link);
    browser.settle(lessons);
    browser
}

/// The same place by another way.
fn assert_same(mut browser: Browser, link: &str, wanted: &str, lessons: &[Rc<Lesson>], from: &str) {
    browser.visit(link);
    browser.settle(lessons);
    assert_eq!(browser.place(), wanted, "{link} from {from}");
}

#[test]
fn a_link_leads_to_the_same_place_from_every_page() {
    let lessons = lessons();
    let settled = LINKS.map(|link| fresh(link, &lessons));
    for (at, link) in LINKS.into_iter().enumerate() {
        let wanted = settled[at].place();
        for (from, before) in LINKS.into_iter().zip(&settled) {
            assert_same(before.clone(), link, &wanted, &lessons, from);
            // What the link before named has not come yet.
            let mut on_its_way = Browser::new();
            on_its_way.visit(from);
            let late = on_its_way.coming.clone();
            on_its_way.coming.clear();
            let mut before_it = on_its_way.clone();
            assert_same(on_its_way.clone(), link, &wanted, &lessons, &format!("{from} on its way"));
            if late.is_empty() {
                continue;
            }
            // It comes before the document of the new link, or after it.
            before_it.visit(link);
            let mut after_it = before_it.clone();
            late.iter().cloned().for_each(|coming| before_it.came(coming));
            before_it.settle(&lessons);
            assert_eq!(before_it.place(), wanted, "{link} from {from}, which comes first");
            after_it.settle(&lessons);
            late.into_iter().for_each(|coming| after_it.came(coming));
            after_it.settle(&lessons);
            assert_eq!(after_it.place(), wanted, "{link} from {from}, which comes last");
        }
    }
}

#[test]
fn a_link_leads_to_the_same_place_from_every_mode_and_dialog() {
    let lessons = lessons();
    let mut start = Browser::new();
    start.act(Action::Introduction(IntroductionAction::Begin));
    start.act(Action::Document(DocumentAction::Restore(Box::new(introduction::start()))));
    start.fetch(Fetch { from: FetchFrom::Example(START.into()), place: Some(introduction::place()) });
    let mut pages = vec![("the start on its way", start.clone())];
    start.settle(&lessons);
    let change = |action: Action| {
        let mut browser = start.clone();
        browser.act(action);
        browser
    };
    pages.extend([Mode::Edit, Mode::Learn].map(|mode| ("a mode", change(Action::View(ViewAction::Mode(mode))))));
    let overlays = [Overlay::Find, Overlay::Help, Overlay::Picture, Overlay::More];
    pages.extend(overlays.map(|it| ("a dialog", change(Action::View(ViewAction::Overlay(Some(it)))))));
    pages.push(("a search", change(Action::Document(DocumentAction::Planner("exact".into())))));
    // One link of each kind: a document, a comparison, a lesson, a game, an exercise.
    for link in [LINKS[0], LINKS[5], LINKS[11], LINKS[16], LINK] {
        let wanted = fresh(link, &lessons).place();
        for (name, page) in &pages {
            let mut page = page.clone();
            page.coming.clear();
            assert_same(page, link, &wanted, &lessons, name);
        }
    }
}

#[test]
fn a_document_that_is_fetched_gives_way_to_one_that_is_opened() {
    let mut browser = Browser::new();
    browser.visit("doc=ex:two_branches&plan=best-fit");
    let late = browser.coming.clone();
    browser.coming.clear();
    let bytes = b"id,lower,upper,size\na,0,2,8\n".to_vec().into();
    let (origin, choices) = (Origin::File("mine.csv".into()), Answers::default());
    browser.act(Action::Document(DocumentAction::Open { origin, bytes, choices, place: None }));
    browser.settle(&[]);
    late.into_iter().for_each(|coming| browser.came(coming));
    browser.settle(&[]);
    let open = browser.state.document.open.as_ref().map(|document| document.origin.clone());
    assert_eq!(open, Some(Origin::File("mine.csv".into())));
    assert!(browser.state.document.status.is_idle() && browser.state.writes_address());
}

#[test]
fn the_address_of_a_link_stays_until_its_document_is_there() {
    let asked = "doc=url:https://models.example/a.json&plan=first-fit&lang=zh";
    for from in ["pack=ex:learn/nine-blocks", "learn=&lang=en", "teach=link", "doc=ex:teaching", LINK] {
        let mut browser = fresh(from, &lessons());
        browser.visit(asked);
        assert!(!browser.state.writes_address() && browser.state.document.remote.is_some(), "{from}");
        // The question is seen: neither the index nor a game has a place for it.
        assert_eq!(browser.state.view.mode, Mode::Step, "{from}");
        browser.visit("doc=ex:two_branches&plan=best-fit&f=3");
        assert!(!browser.state.writes_address(), "{from}");
        browser.settle(&[]);
        assert!(browser.state.writes_address(), "{from}");
    }
    // Beside a lesson there is a place for it.
    let mut lesson = fresh("learn=1&lang=en", &lessons());
    lesson.visit(asked);
    assert!(lesson.state.view.mode == Mode::Learn && !lesson.state.writes_address());
}

#[test]
fn a_refused_exercise_speaks_the_language_of_its_link() {
    for (link, locale) in [("exercise=1&kind=none&lang=zh", Locale::Zh), ("exercise=1&kind=none", Locale::En)] {
        let mut browser = Browser::new();
        browser.visit(link);
        browser.settle(&[]);
        let assigned = browser.state.teaching.assigned.as_ref().expect("an exercise");
        assert!(assigned.task.is_none() && assigned.failure.is_some(), "{link}");
        assert_eq!(browser.state.settings.locale, locale, "{link}");
    }
}
