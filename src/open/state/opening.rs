//! Files on their way in: one, several at once, and those so large that the user is asked first.

use std::rc::Rc;

use crate::compare::diff::state::shown::Older;
use crate::open::state::document::{BatchFile, Bytes, Job, Origin};
use crate::open::state::link::{Awaited, LinkPlace};
use crate::open::state::status::Status;
use crate::shell::state::State;
use crate::shell::state::notice::Notice;
use crate::shell::state::panels::Mode;
use memplan_core::base::Message;
use memplan_engine::{IMPORTED, MANY};
use memplan_formats::import::Answers;
use memplan_teach::choices;

/// Files that came together.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Batch {
    /// All of them, for the list.
    pub files: Rc<Vec<BatchFile>>,
    /// Place in the list of the next one to try; none once a document came of one.
    next: Option<usize>,
    /// What was wrong with the first one.
    failure: Option<Rc<Notice>>,
    /// They are two, to be compared: the second is opened first, and the first beside it.
    is_pair: bool,
}

impl Batch {
    /// Nothing more is tried; the list stays.
    pub fn give_up(&mut self) {
        self.next = None;
        self.failure = None;
    }
}

impl State {
    /// Says which file a link was made for. What is shown stays as it was.
    pub(crate) fn await_file(&mut self, file: String, place: LinkPlace) {
        self.document.status.stop_following();
        self.notify(Message::new("notice.local-link").text("name", &file));
        let (planner, options) = (self.document.planner.clone(), self.document.options.clone());
        self.document.status = Status::Awaiting(Rc::new(Awaited { file, place, planner, options }));
        self.fall_back();
    }

    pub(crate) fn open(&mut self, origin: Origin, bytes: Bytes, choices: Answers, mut place: Option<LinkPlace>) {
        let awaited =
            self.document.status.take_awaited().filter(|awaited| place.is_none() && awaited.file == origin.name());
        if let Some(awaited) = &awaited {
            place = Some(awaited.place.clone());
            self.document.notice = None;
        }
        if place.is_none() {
            // Who opens a file of their own in a lesson wants to see that file.
            if self.view.mode == Mode::Learn {
                self.view.mode = Mode::Step;
            }
            // A new document starts afresh: symbols, frames and marks of the one before mean
            // nothing in it.
            self.document.scope.symbols.clear();
            self.stepping.breaks.decisions.clear();
            // Nor do programs that a link brought for the one before.
            self.own.link = None;
        }
        // What fitted the document before need not fit this one.
        let is_welcome = self.introduction.on && self.document.planner == choices::WELCOME;
        let is_fitted = place.is_none() && (self.document.is_fitted || is_welcome);
        if is_fitted {
            self.document.planner.clear();
            self.document.options.clear();
        }
        if self.document.planner == IMPORTED || self.document.open.as_ref().is_some_and(|document| document.has_plan) {
            self.document.planner.clear();
        }
        if let Some(Awaited { planner, options, .. }) = awaited.map(Rc::unwrap_or_clone) {
            (self.document.planner, self.document.options) = (planner, options);
        }
        self.try_own_again();
        self.own_follows();
        if let Some((link, place)) = self.own.link.as_mut().zip(place.clone()) {
            Rc::make_mut(link).place = place;
        }
        self.submit(origin, bytes, choices, false, place);
    }

    pub(crate) fn open_all(&mut self, files: Vec<BatchFile>) {
        // A page inside another one shows one document, and nothing is compared in an exercise.
        let is_pair = files.len() == 2 && self.settings.embed.is_none();
        self.document.batch = Batch { files: Rc::new(files), next: Some(0), failure: None, is_pair };
        self.open_next();
    }

    /// Opens the next file of the batch; false if there is none.
    fn open_next(&mut self) -> bool {
        let batch = &self.document.batch;
        let place = |next: usize| if batch.is_pair { batch.files.len().checked_sub(next + 1) } else { Some(next) };
        let file = |next: usize| Some((next, batch.files.get(place(next)?)?.clone()));
        let Some((next, file)) = batch.next.and_then(file) else { return false };
        self.document.batch.next = Some(next + 1);
        self.open(Origin::File(file.name), file.bytes, Answers::default(), None);
        true
    }

    /// A file that is no document: the next one of its batch, or its faults. Of several that all
    /// fail the first is reported.
    pub(crate) fn not_opened(&mut self, notice: Notice) {
        let failure = self
            .document
            .batch
            .failure
            .take()
            .filter(|_| self.document.batch.next.is_some())
            .unwrap_or_else(|| Rc::new(notice));
        if self.open_next() {
            self.document.batch.failure = Some(failure);
        } else {
            self.document.batch.give_up();
            self.document.notice = Some(failure);
            self.fall_back();
        }
    }

    /// Says that the files that came along are in the list, and what was wrong with one that could
    /// not be opened.
    pub(crate) fn batch_done(&mut self) {
        if self.document.batch.next.is_some() {
            self.document.notice = self.document.batch.failure.take().or_else(|| self.document.notice.take());
            let others = self.document.batch.files.len().saturating_sub(1);
            let older = self.document.batch.files.first().cloned();
            let older = older.filter(|_| self.document.batch.is_pair && self.document.batch.next == Some(1));
            self.document.batch.give_up();
            if let Some(BatchFile { name, bytes }) = older {
                self.compare_with(Older { origin: Origin::File(name), bytes, choices: Answers::default() });
            } else if others > 0 {
                self.view.confirm(Message::new("toast.batch").count("n", others as u64));
            }
        }
    }

    pub(crate) fn ask_about(&mut self, job: Rc<Job>, count: u64) {
        self.document.batch.give_up();
        self.fall_back();
        let title = Message::new("notice.large").text("name", job.origin.name()).count("n", count);
        let title = title.count("limit", MANY as u64);
        self.document.notice = Some(Rc::new(Notice { large: Some(job), ..Notice::of(title) }));
    }

    pub(crate) fn open_large(&mut self) {
        let Some(job) = self.document.notice.as_ref().and_then(|notice| notice.large.clone()) else { return };
        self.document.notice = None;
        let choices = Answers { large: true, ..job.choices.clone() };
        self.submit(job.origin.clone(), job.bytes.clone(), choices, false, job.place.clone());
    }
}

/// Size of a file in bytes above which the user is asked first.
pub const LARGE_FILE: f64 = 512.0 * 1024.0 * 1024.0;

/// Largest size in bytes of files that are opened together: the worker and the readers' program
/// hold a copy each, and what is read of it, in 4 GiB.
pub const MAX_FILE: f64 = 768.0 * 1024.0 * 1024.0;

/// What is done with a file that the user chose, by its size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// It is opened.
    Open,
    /// Open it if the user agrees.
    Ask,
    /// It is refused.
    Refuse,
}

/// Returns what is done with a file of `size` bytes that comes with `others` bytes of admitted
/// files.
pub fn admission(size: f64, others: f64) -> Admission {
    if size + others > MAX_FILE {
        Admission::Refuse
    } else if size > LARGE_FILE {
        Admission::Ask
    } else {
        Admission::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::state::link::Restored;
    use crate::shell::state::action::{Action, DocumentAction};
    use crate::testing::{answered, done};
    use memplan_core::graph::Fault;
    use memplan_engine::Failure;

    fn shelved(name: &str, text: &str) -> BatchFile {
        BatchFile { name: name.into(), bytes: text.as_bytes().to_vec().into() }
    }

    /// The state after the worker's reply to its job.
    fn answer(state: State) -> State {
        assert!(state.job().is_some(), "a file is on its way");
        done(state)
    }

    #[test]
    fn the_first_file_that_can_be_read_is_opened_and_the_others_are_listed() {
        let files = vec![
            shelved("notes.txt", "hello"),
            shelved("a.csv", "id,lower,upper,size\na,0,2,8\n"),
            shelved("b.csv", "id,lower,upper,size\nb,0,2,16\n"),
        ];
        let state = State::default().reduce(Action::Document(DocumentAction::OpenAll(files)));
        let state = answer(answer(state));
        assert_eq!(
            state.document.open.as_ref().map(|document| document.origin.clone()),
            Some(Origin::File("a.csv".into()))
        );
        let shown =
            state.document.notice.as_ref().map(|notice| format!("{:?}", notice.title)).expect("the first is told");
        assert!(shown.contains("notes.txt") && state.job().is_none(), "{shown}");
        assert_eq!(state.view.toast.as_ref().map(|(_, message)| &*message.key), Some("toast.batch"));
        assert_eq!(state.document.batch.files.len(), 3);
        // A later file that is no document reports its own faults, and nothing else is tried.
        let bytes = state.document.batch.files[0].bytes.clone();
        let origin = Origin::File("notes.txt".into());
        let state = answer(state.reduce(Action::Document(DocumentAction::Open {
            origin,
            bytes,
            choices: Answers::default(),
            place: None,
        })));
        assert!(state.document.notice.is_some() && state.job().is_none());
    }

    #[test]
    fn a_file_that_fails_leaves_the_planner_one_that_nobody_chose() {
        let open = |state: State, name: &str, text: &str| {
            let BatchFile { name, bytes } = shelved(name, text);
            let (origin, choices) = (Origin::File(name), Answers::default());
            answer(state.reduce(Action::Document(DocumentAction::Open { origin, bytes, choices, place: None })))
        };
        let state = open(State::default(), "a.csv", "id,lower,upper,size\na,0,2,8\n");
        assert_eq!((state.document.planner.as_str(), state.document.is_fitted), ("best", true));
        let state = open(state, "notes.txt", "hello");
        assert_eq!((state.document.planner.as_str(), state.document.is_fitted), ("best", true));
    }

    #[test]
    fn of_several_files_that_are_none_the_first_is_told() {
        let files = vec![shelved("notes.txt", "hello"), shelved("more.txt", "world"), shelved("last.txt", "!")];
        let state = State::default().reduce(Action::Document(DocumentAction::OpenAll(files)));
        let state = answer(answer(answer(state)));
        let shown = format!("{:?}", state.document.notice.as_ref().expect("a notice").title);
        assert!(shown.contains("notes.txt"), "{shown}");
        assert!(state.document.open.is_none() && state.job().is_none());
    }

    #[test]
    fn a_large_graph_is_opened_once_the_user_says_so() {
        let origin = Origin::File("large.onnx".into());
        let open = Action::Document(DocumentAction::Open {
            origin,
            bytes: Bytes::default(),
            choices: Answers::default(),
            place: None,
        });
        let state = State::default().reduce(open);
        let job = state.job().as_ref().expect("a job").number;
        let asked = state.reduce(answered(job, Err(Failure::Large(412_000))));
        assert!(asked.job().is_none() && asked.document.notice.as_ref().is_some_and(|notice| notice.large.is_some()));
        let opened = asked.reduce(Action::Document(DocumentAction::OpenLarge));
        assert!(opened.job().expect("it is read again").choices.large && opened.document.notice.is_none());
        assert!(asked.reduce(Action::Document(DocumentAction::DismissNotice)).document.notice.is_none());
        // A fault of a later file is reported as usual.
        let faults = Failure::Faults(vec![Fault::new("", Message::new("fault.empty-file"))]);
        let job = asked.reduce(Action::Document(DocumentAction::OpenLarge));
        let number = job.job().as_ref().expect("a job").number;
        assert!(job.reduce(answered(number, Err(faults))).document.notice.is_some());
    }

    #[test]
    fn a_link_to_a_file_that_is_not_here_waits_for_it() {
        let open = |name: &str| {
            Action::Document(DocumentAction::Open {
                origin: Origin::File(name.into()),
                bytes: b"id,lower,upper,size\na,0,2,8\nb,1,3,8\n".to_vec().into(),
                choices: Answers::default(),
                place: None,
            })
        };
        let restored = Restored { planner: Some("naive".into()), ..Restored::default() };
        let place = LinkPlace { frame: Some(1), selection: Some("b".into()), step: None };
        let state = State::default().reduce(Action::Document(DocumentAction::Restore(Box::new(restored))));
        let state = state.reduce(Action::Document(DocumentAction::Awaits { file: "mine.csv".into(), place }));
        assert!(matches!(state.document.status, Status::Awaiting(_)) && state.document.notice.is_some());
        // Another file is opened as always.
        let other = answer(state.reduce(open("other.csv")));
        assert!(other.document.status.is_idle() && other.at_end());
        let mine = answer(state.reduce(open("mine.csv")));
        assert_eq!((mine.document.planner.as_str(), mine.frame()), ("naive", 1));
        assert!(mine.stepping.selection.is_some() && mine.document.notice.is_none() && mine.document.status.is_idle());
    }

    #[test]
    fn files_beyond_the_limit_are_refused_one_by_one_and_together() {
        assert_eq!(admission(LARGE_FILE, 0.0), Admission::Open);
        assert_eq!(admission(LARGE_FILE + 1.0, 0.0), Admission::Ask);
        assert_eq!((admission(MAX_FILE, 0.0), admission(MAX_FILE + 1.0, 0.0)), (Admission::Ask, Admission::Refuse));
        assert_eq!(
            (admission(1.0, MAX_FILE - 1.0), admission(2.0, MAX_FILE - 1.0)),
            (Admission::Open, Admission::Refuse)
        );
    }

    #[test]
    fn a_file_that_is_gone_is_named_and_the_next_of_its_batch_is_tried() {
        const LIST: &str = "id,lower,upper,size\na,0,2,8\n";
        let files = vec![shelved("gone.csv", ""), shelved("a.csv", LIST), shelved("b.csv", LIST)];
        let state = State::default().reduce(Action::Document(DocumentAction::OpenAll(files)));
        let job = state.job().expect("a job").number;
        let gone = answered(job, Err(Failure::NotRead));
        let state = answer(state.reduce(gone));
        assert_eq!(state.document.notice.as_ref().map(|notice| &*notice.title.key), Some("notice.not-read"));
        let open = state.document.open.as_ref().map(|document| document.origin.clone());
        assert_eq!(open, Some(Origin::File("a.csv".into())));
    }
}
