//! Recorded links of every kind, each with the link that the page writes back and with what it
//! shows: `tests/data/contracts/links.txt`. A link that somebody kept leads where it always led.

use std::path::PathBuf;
use std::rc::Rc;

use memplan::compare::diff::state::DiffChange;
use memplan::compare::diff::state::shown::Older;
use memplan::embed::state as embed;
use memplan::learn::exercise::state::stage::Stage;
use memplan::open::state::document::{Bytes, Origin};
use memplan::open::state::examples::example_file;
use memplan::open::state::link::LinkPlace;
use memplan::open::state::request::{draft_of, order};
use memplan::open::state::sites::{RemoteChange, reach};
use memplan::shell::state::action::{
    Action, DocumentAction, GameAction, LearnAction, SettingsAction, StepAction, TeachAction, ViewAction,
};
use memplan::shell::state::address::Target;
use memplan::shell::state::panels::Mode;
use memplan::shell::state::{State, address};
use memplan_core::base::Message;
use memplan_core::text::Locale;
use memplan_engine::lessons::Course;
use memplan_engine::{Answer, Engine, NoListener, Request};
use memplan_formats::import::Answers;
use memplan_teach::lesson::Lesson;
use memplan_worker::WorkerReply;

use crate::contract;

const NAME: &str = "links.txt";

/// The address at which the page lies.
const PAGE: &str = "https://example.org/memplan/index.html";

/// Lines of an entry: the link that is opened, the one that is written back (none: the address
/// stays as it is), and what is shown.
#[derive(Clone, PartialEq, Debug)]
struct Entry {
    open: String,
    link: Option<String>,
    facts: String,
}

fn examples() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("www")
}

/// A built-in example; none if there is none of that name.
fn example(name: &str) -> Option<Bytes> {
    std::fs::read(examples().join("graphs").join(example_file(name))).ok().map(Bytes::from)
}

fn lessons() -> Vec<Rc<Lesson>> {
    let course = Course::read(&examples().join("lessons"), &examples().join("graphs"));
    course.lessons.into_iter().map(|resolved| Rc::new(resolved.lesson)).collect()
}

/// A page to which files of its own folder come at once.
struct Visitor {
    state: State,
    engine: Engine,
}

impl Visitor {
    /// Sends an action, and answers all that the page asks for then.
    fn send(&mut self, action: Action) {
        self.state = self.state.reduce(action);
        for _ in 0..1000 {
            if !self.answer() {
                return;
            }
        }
        panic!("the page goes on asking: {:?}", self.state.job());
    }

    fn document(&mut self, action: DocumentAction) {
        self.send(Action::Document(action));
    }

    /// Answers the next thing that the page asks for; false if there is none.
    fn answer(&mut self) -> bool {
        let state = &self.state;
        let fetched = |doc: &str| doc.strip_prefix("ex:").and_then(example);
        let next = if let Some(job) = state.job().cloned() {
            let number = job.number;
            let WorkerReply(result) = order(&job, false, draft_of(&job)).run(&mut self.engine);
            Action::Document(DocumentAction::Answered { job: number, result: Box::new(result), written: None })
        } else if let Some(wanted) = &state.teaching.wanted {
            let request =
                Request::teach(wanted.request.clone()).map_files(|file| file.bytes().expect("bytes").to_vec());
            let taught = match Engine::default().answer(&request, &|| 0.0, &mut NoListener) {
                Ok(Answer::Taught(taught)) => Ok(taught),
                Err(failure) => Err(failure),
                Ok(other) => panic!("{other:?}"),
            };
            Action::Teach(TeachAction::Answered(wanted.number, Some(taught)))
        } else if let Some(name) = state.game.as_ref().and_then(|game| game.wanted()) {
            Action::Game(GameAction::Fetched(example(name)))
        } else if let Some(remote) = state.document.remote.clone().filter(|remote| remote.coming.is_some()) {
            // As the page does once the file is here.
            let bytes: Bytes = std::fs::read(examples().join(&remote.address)).expect("a file of the page").into();
            let (restored, place) = remote.link.clone().unzip();
            if let Some(restored) = restored {
                self.state = self.state.reduce(Action::Document(DocumentAction::Restore(Box::new(restored))));
            }
            let (origin, choices) = (Origin::Remote(remote.address.clone()), Answers::default());
            if remote.is_older {
                Action::Diff(DiffChange::Older(Older { origin, bytes, choices }))
            } else {
                Action::Document(DocumentAction::Open { origin, bytes, choices, place })
            }
        } else if let Some(number) = self.lesson_wanted() {
            let lesson = lessons().into_iter().find(|lesson| lesson.number == number).expect("a lesson");
            Action::Learn(LearnAction::Lesson(lesson))
        } else if let Some(wanted) = state.wanted_scene() {
            let bytes = example(&wanted.document).expect("an example");
            self.state = self.state.reduce(Action::Document(DocumentAction::Restore(Box::new(wanted.restored))));
            let (origin, choices) = (Origin::Example(wanted.document), Answers::default());
            Action::Document(DocumentAction::Open { origin, bytes, choices, place: Some(wanted.place) })
        } else if let Some((bytes, name, place)) = self.exercise_wanted(&fetched) {
            let (origin, choices) = (Origin::Example(name), Answers::default());
            Action::Document(DocumentAction::Open { origin, bytes, choices, place: Some(place) })
        } else if state.learning.gliding {
            Action::Step(StepAction::Tick)
        } else {
            return false;
        };
        self.state = self.state.reduce(next);
        true
    }

    /// The lesson whose file is still to come.
    fn lesson_wanted(&self) -> Option<u32> {
        let number = self.state.learning.place.lesson?;
        let is_here = self.state.learning.lesson.as_ref().is_some_and(|lesson| lesson.number == number);
        (self.state.view.mode == Mode::Learn && !is_here).then_some(number)
    }

    /// The document of an exercise that the page has to fetch.
    fn exercise_wanted(&self, fetched: &dyn Fn(&str) -> Option<Bytes>) -> Option<(Bytes, String, LinkPlace)> {
        let assigned = self.state.teaching.assigned.as_ref()?;
        let doc = assigned.fetched().filter(|_| self.state.document.open.is_none())?;
        let place = memplan::learn::exercise::state::first_frame_of(assigned.task.as_ref()?);
        Some((fetched(doc)?, doc.strip_prefix("ex:")?.to_string(), place))
    }

    /// Goes where a link leads, as the address bar of the page does.
    fn follow(&mut self, fragment: &str) {
        if fragment.starts_with("exercise=") {
            self.send(Action::Settings(SettingsAction::Locale(Locale::En)));
            self.send(Action::Teach(TeachAction::Open(fragment.into())));
            self.send(Action::Teach(TeachAction::Name("Ann".into())));
            return self.send(Action::Teach(TeachAction::Begin));
        }
        let address::Address { target, old, place, mut restored, unknown } = address::read(fragment);
        restored.locale = Some(restored.locale.unwrap_or(Locale::En));
        if restored.learn.is_some() || restored.teach.is_some() || restored.game.is_some() {
            restored.locale.into_iter().for_each(|locale| self.send(Action::Settings(SettingsAction::Locale(locale))));
            restored.theme.into_iter().for_each(|theme| self.send(Action::Settings(SettingsAction::Theme(theme))));
            self.send(match (restored.game, restored.teach, restored.learn) {
                (Some(link), ..) => Action::Game(GameAction::Open(Box::new(link))),
                (_, Some(part), _) => Action::Teach(TeachAction::Corner(part)),
                (None, None, place) => Action::Learn(LearnAction::Open(place.unwrap_or_default())),
            });
            return self.send(Action::View(ViewAction::Present(restored.present)));
        }
        if restored.diff.is_some() {
            self.send(Action::Diff(DiffChange::Forget));
        }
        if !matches!(target, Target::Remote(_)) {
            self.document(DocumentAction::Restore(Box::new(restored.clone())));
        }
        if !unknown.is_empty() {
            let message = Message::new("toast.unknown-keys").text("keys", unknown.join(", "));
            self.send(Action::View(ViewAction::Toast(message)));
        }
        if let Some(old) = old {
            self.follow_older(old);
        }
        let (choices, place) = (Answers::default(), Some(place));
        match target {
            Target::Example(name) => {
                let bytes = example(&name).unwrap_or_else(|| panic!("{name} is an example"));
                self.document(DocumentAction::Open { origin: Origin::Example(name), bytes, choices, place });
            }
            Target::Inline(name, bytes) => {
                self.document(DocumentAction::Open { origin: Origin::File(name), bytes, choices, place });
            }
            Target::Remote(address) => {
                let link = place.map(|place| Box::new((restored, place)));
                let reach = reach(&address, PAGE);
                self.document(DocumentAction::Remote(RemoteChange::Visit { address, reach, link }));
            }
            Target::Local(file) => {
                self.document(DocumentAction::Awaits { file, place: place.unwrap_or_default() });
            }
        }
    }

    fn follow_older(&mut self, target: Target) {
        let choices = Answers::default();
        let change = match target {
            Target::Example(name) => {
                let bytes = example(&name).unwrap_or_else(|| panic!("{name} is an example"));
                DiffChange::Older(Older { origin: Origin::Example(name), bytes, choices })
            }
            Target::Inline(name, bytes) => DiffChange::Older(Older { origin: Origin::File(name), bytes, choices }),
            Target::Remote(address) => {
                let reach = reach(&address, PAGE);
                DiffChange::Await(address, reach)
            }
            Target::Local(file) => panic!("{file} is no file of the page"),
        };
        self.send(Action::Diff(change));
    }
}

/// The page after a visit to a link, which may have a query before its fragment.
fn visit(link: &str) -> State {
    let (query, fragment) = link.split_once('#').unwrap_or(("", link));
    let state = State::new(embed::read(query), false);
    let mut visitor = Visitor { state, engine: Engine::default() };
    visitor.follow(fragment);
    visitor.state
}

/// What the page writes into its address, or into the link to the whole page if it is embedded;
/// none where the address stays as it is.
fn written(state: &State) -> Option<String> {
    let is_settled = state.document.status.is_idle() && state.document.remote.is_none();
    let learns = state.view.mode == Mode::Learn;
    let has_address = learns || state.document.open.is_some() && is_settled;
    (has_address && state.teaching.assigned.is_none()).then(|| address::write(state))
}

/// What a state shows, in words.
fn facts(state: &State) -> String {
    let mut facts = vec![format!("mode={}", state.view.mode.name())];
    let mut fact = |name: &str, value: Option<String>| facts.extend(value.map(|value| format!("{name}={value}")));
    let learns = state.view.mode == Mode::Learn && state.learning.lesson.is_none() && state.game.is_none();
    let document = state.document.open.as_ref().filter(|_| !learns || state.teaching.corner.is_some());
    fact("document", document.map(|document| document.origin.name().to_string()));
    if let Some(run) = state.document.run.as_ref().filter(|_| document.is_some()) {
        fact("planner", Some(run.planner.clone()));
        fact("frame", Some(format!("{}/{}", state.frame(), state.frames() - 1)));
        fact("peak", Some(run.metrics.peak.to_string()));
        fact("selected", state.stepping.selection.map(|id| run.problem.buffers[id].name.clone()));
        fact("step", state.stepping.step.map(|step| step.to_string()));
    }
    if state.view.mode == Mode::Compare {
        let columns = &state.comparing.columns;
        let peak = |column: &memplan::compare::state::comparison::Column| {
            column.plan().map_or_else(|| "-".into(), |shown| shown.run.metrics.peak.to_string())
        };
        fact("columns", Some(columns.iter().map(peak).collect::<Vec<_>>().join("/")));
    }
    if let Some(shown) = state.diffing.shown().filter(|_| state.view.mode == Mode::Diff) {
        fact("peaks", Some(format!("{}/{}", shown.figures[0].peak, shown.figures[1].peak)));
        fact("differences", Some(shown.differences().to_string()));
        fact("row", state.diffing.row().map(|row| row.to_string()));
    }
    if let Some(shown) = state.fitting.shown().filter(|_| state.view.mode == Mode::Fit) {
        let record = &shown.record;
        fact("fit", Some(format!("{},{}/{}", record.result, state.fitting.moves(), record.moves.len())));
        fact("required", Some(format!("{}/{}", record.required.before, record.required.after)));
    }
    fact("asks", state.is_asking().then(|| "next".into()));
    fact("presents", state.view.presenting.map(|_| "yes".into()));
    fact(
        "lesson",
        state
            .learning
            .lesson
            .as_ref()
            .filter(|_| state.game.is_none())
            .map(|lesson| format!("{},{}", lesson.number, state.learning.place.paragraph)),
    );
    fact("corner", state.teaching.corner.map(|corner| corner.name().into()));
    if let Some(assigned) = &state.teaching.assigned {
        let stage = match assigned.stage {
            Stage::Reading => "reading",
            Stage::Ready => "ready",
            Stage::Making => "making",
            Stage::Asking => "asking",
            Stage::Coding => "coding",
            Stage::Done => "done",
        };
        fact("exercise", Some(stage.into()));
        fact("failure", assigned.failure.as_ref().map(|why| why.key.to_string()));
    }
    if let Some(game) = &state.game {
        fact("game", Some(game.link.kind.name().into()));
        fact("planner", Some(game.link.planner.clone()));
        fact("par", game.link.par.map(|par| par.to_string()));
        fact("blocks", game.tray().map(|tray| format!("{},{}", tray.problem().buffers.len(), tray.peak())));
    }
    fact("asked-origin", state.document.remote.as_ref().and_then(|remote| remote.origin.clone()));
    fact("notice", state.document.notice.as_ref().map(|notice| notice.title.key.to_string()));
    fact("toast", state.view.toast.as_ref().map(|(_, message)| message.key.to_string()));
    fact("lang", Some(state.settings.locale.name().into()));
    let embed = state.settings.embed;
    fact("embed", embed.map(|embed| format!("{},{},{:?}", embed.controls, embed.state, embed.lap)));
    facts.join(" ")
}

/// Reads the recording: blocks of lines, with comments before them.
fn entries(text: &str) -> Vec<(String, Option<Entry>)> {
    let mut entries: Vec<(String, Option<Entry>)> = Vec::new();
    for line in text.lines() {
        let entry = entries.last_mut().and_then(|(_, entry)| entry.as_mut());
        match (line.split_once(' '), entry) {
            (Some(("open", open)), _) => {
                let entry = Entry { open: open.into(), link: None, facts: String::new() };
                entries.push((String::new(), Some(entry)));
            }
            (Some(("link", link)), Some(entry)) => entry.link = (link != "-").then(|| link.to_string()),
            (Some(("facts", facts)), Some(entry)) => entry.facts = facts.into(),
            _ => entries.push((line.into(), None)),
        }
    }
    entries
}

fn visited(open: &str) -> Entry {
    let state = visit(open);
    Entry { open: open.into(), link: written(&state), facts: facts(&state) }
}

#[test]
fn kept_links_lead_where_they_led() {
    let recorded = entries(&contract::read(NAME));
    let links: Vec<&Entry> = recorded.iter().filter_map(|(_, entry)| entry.as_ref()).collect();
    assert!(links.len() >= 50, "{} links", links.len());
    let now: Vec<Entry> = links.iter().map(|entry| visited(&entry.open)).collect();
    if contract::is_updating() {
        let mut next = now.iter();
        let block = |entry: &Entry| {
            let link = entry.link.as_deref().unwrap_or("-");
            format!("open {}\nlink {link}\nfacts {}\n", entry.open, entry.facts)
        };
        let lines = recorded.iter().map(|(line, entry)| match entry {
            Some(_) => next.next().map(block).unwrap_or_default(),
            None => format!("{line}\n"),
        });
        return contract::write(NAME, &lines.collect::<String>());
    }
    let differs = links.iter().zip(&now).filter(|(recorded, now)| recorded != &now);
    let told = |entry: &Entry| format!("{}\n    {}", entry.link.as_deref().unwrap_or("-"), entry.facts);
    let changed = differs.map(|(recorded, now)| {
        format!("  {}\n  recorded:\n    {}\n  now:\n    {}", recorded.open, told(recorded), told(now))
    });
    contract::unchanged(NAME, &changed.collect::<Vec<_>>());
}

/// A link that the page wrote leads to a page that writes the same link, and shows the same but for
/// what was wrong with the first one.
#[test]
fn written_links_lead_back_to_themselves() {
    let sound = |facts: &str| {
        let words = facts.split(' ').filter(|fact| !fact.starts_with("notice=") && !fact.starts_with("toast="));
        words.collect::<Vec<_>>().join(" ")
    };
    let (mut tried, mut changed) = (0, Vec::new());
    for entry in entries(&contract::read(NAME)).into_iter().filter_map(|(_, entry)| entry) {
        let Some(link) = entry.link.filter(|link| *link != entry.open) else { continue };
        // What is embedded writes the link to the whole page; that of a worksheet is without its
        // document.
        let is_other = entry.open.starts_with('?') || entry.open.starts_with("worksheet=");
        let again = visited(&link);
        if again.link.as_ref() != Some(&link) || !is_other && sound(&again.facts) != sound(&entry.facts) {
            let now = again.link.as_deref().unwrap_or("-");
            changed.push(format!(
                "  {}\n  is written as\n    {link}\n    {}\n  which leads to\n    {now}\n    {}",
                entry.open, entry.facts, again.facts
            ));
        }
        tried += 1;
    }
    assert!(tried >= 50, "{tried} links");
    contract::unchanged(NAME, &changed);
}
