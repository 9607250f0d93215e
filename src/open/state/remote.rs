//! A document at an address: nothing is fetched from another site before the user agrees, and what
//! is shown stays until the document is there.

use std::rc::Rc;

use crate::open::state::link::{LinkPlace, Restored};
use crate::open::state::opening::MAX_FILE;
use crate::open::state::sites::{Missing, Reach, Remote, RemoteChange};
use crate::shell::state::State;
use crate::shell::state::notice::Notice;
use crate::shell::state::panels::Mode;
use memplan_core::base::Message;

impl State {
    pub(crate) fn on_remote(&mut self, action: RemoteChange) {
        match action {
            RemoteChange::Visit { address, reach, link } => self.visit(address, reach, link.map(|link| *link)),
            RemoteChange::Agree => self.set_coming(0, None),
            RemoteChange::Drop => self.document.remote = None,
            RemoteChange::Progress { number, done, total } => {
                if self.is_visiting(number) {
                    self.set_coming(done, total);
                }
            }
            RemoteChange::Missing { number, why } => {
                let is_wanted = self.is_visiting(number);
                if let Some(remote) = self.document.remote.take_if(|_| is_wanted) {
                    self.document.notice = Some(Rc::new(missing_notice(&remote.address, why)));
                }
            }
        }
    }

    fn visit(&mut self, address: String, reach: Reach, link: Option<(Restored, LinkPlace)>) {
        // The question is asked in the language of the link, unless a document in another language
        // is shown.
        let locale = link.as_ref().and_then(|(restored, _)| restored.locale);
        if let Some(locale) = locale.filter(|locale| self.document.open.is_none() && locale.is_known()) {
            self.settings.locale = locale;
        }
        self.document.notice = None;
        if self.view.mode == Mode::Learn && !self.has_lesson_beside() {
            // Neither the index nor a game has a place for the question.
            self.view.mode = Mode::Step;
        }
        let origin = match reach {
            Reach::Own => None,
            Reach::Other(origin) => Some(origin),
            Reach::Never => {
                self.document.remote = None;
                let title = Message::new("notice.address-form").text("address", short(&address));
                self.document.notice = Some(Rc::new(Notice { private: true, ..Notice::of(title) }));
                return;
            }
        };
        self.document.visits += 1;
        let coming = origin.is_none().then_some((0, None));
        let remote = Remote { number: self.document.visits, address, origin, link, is_older: false, coming };
        self.document.remote = Some(Rc::new(remote));
    }

    /// Goes to the address of the older of two documents.
    pub(crate) fn visit_older(&mut self, address: String, reach: Reach) {
        self.visit(address, reach, None);
        if let Some(remote) = &mut self.document.remote {
            Rc::make_mut(remote).is_older = true;
        }
    }

    /// Whether a lesson stands beside its plan.
    fn has_lesson_beside(&self) -> bool {
        self.learning.lesson.is_some() && self.teaching.corner.is_none() && self.game.is_none()
    }

    /// Whether the visit of this number is the one that is wanted: what is heard of an earlier one
    /// comes too late.
    fn is_visiting(&self, number: u32) -> bool {
        self.document.remote.as_ref().is_some_and(|remote| remote.number == number)
    }

    /// Notes that a document is coming: bytes so far, and all of them if that is known.
    fn set_coming(&mut self, done: u64, total: Option<u64>) {
        if let Some(remote) = &mut self.document.remote {
            Rc::make_mut(remote).coming = Some((done, total));
        }
    }
}

/// Returns why the document at an address could not be opened. Only the user reads the reason: a
/// surrounding page must not probe addresses with it.
fn missing_notice(address: &str, why: Missing) -> Notice {
    let title = match why {
        Missing::Refused => Message::new("notice.address-refused"),
        Missing::Status(status) => Message::new("notice.address-status").count("status", status),
        Missing::Large => Message::new("notice.address-large").bytes("limit", MAX_FILE as u64),
        Missing::Silent => Message::new("notice.address-silent"),
    };
    Notice { private: true, ..Notice::of(title.text("address", short(address))) }
}

/// Returns the first letters of an address, with an ellipsis if it is longer.
pub fn short(address: &str) -> String {
    const LETTERS: usize = 200;
    match address.char_indices().nth(LETTERS) {
        Some((cut, _)) => format!("{}…", &address[..cut]),
        None => address.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::state::document::{Bytes, Origin};
    use crate::shell::state::action::{Action, DocumentAction};
    use memplan_formats::import::Answers;

    fn visit(state: &State, address: &str) -> State {
        let reach = crate::open::state::sites::reach(address, "https://example.org/memplan/");
        let restored = Restored { planner: Some("naive".into()), ..Restored::default() };
        let link = Some(Box::new((restored, LinkPlace::default())));
        act(state, RemoteChange::Visit { address: address.into(), reach, link })
    }

    fn act(state: &State, action: RemoteChange) -> State {
        state.reduce(Action::Document(DocumentAction::Remote(action)))
    }

    fn key(state: &State) -> Option<&str> {
        state.document.notice.as_ref().map(|notice| &*notice.title.key)
    }

    #[test]
    fn another_site_is_asked_about_and_cancel_leaves_what_is_shown() {
        let before = State::default();
        let asked = visit(&before, "https://models.example/a.onnx");
        let remote = asked.document.remote.as_ref().expect("a question");
        assert_eq!((remote.origin.as_deref(), remote.coming), (Some("https://models.example"), None));
        // The rest of the link is not applied before the document is there.
        assert_eq!(asked.document.planner, before.document.planner);
        let mut dropped = act(&asked, RemoteChange::Drop);
        dropped.document.visits = before.document.visits;
        assert_eq!(dropped, before);
        let agreed = act(&asked, RemoteChange::Agree);
        assert_eq!(agreed.document.remote.as_ref().and_then(|remote| remote.coming), Some((0, None)));
    }

    #[test]
    fn files_of_the_page_need_no_question_and_others_are_told() {
        let own = visit(&State::default(), "graphs/a.json");
        assert!(own.document.remote.as_ref().is_some_and(|remote| remote.origin.is_none() && remote.coming.is_some()));
        let never = visit(&own, "../a.json");
        assert_eq!((never.document.remote.is_none(), key(&never)), (true, Some("notice.address-form")));
    }

    #[test]
    fn only_the_latest_address_is_heard() {
        let first = act(&visit(&State::default(), "https://a.example/a"), RemoteChange::Agree);
        let number = first.document.remote.as_ref().expect("a download").number;
        let second = act(&visit(&first, "https://b.example/b"), RemoteChange::Agree);
        let late = act(&second, RemoteChange::Progress { number, done: 7, total: None });
        assert_eq!(late.document.remote, second.document.remote);
        let late = act(&second, RemoteChange::Missing { number, why: Missing::Silent });
        assert_eq!((&late.document.remote, key(&late)), (&second.document.remote, None));
        let open = DocumentAction::Open {
            origin: Origin::File("mine".into()),
            bytes: Bytes::default(),
            choices: Answers::default(),
            place: None,
        };
        assert!(second.reduce(Action::Document(open)).document.remote.is_none(), "another document was opened");
    }

    #[test]
    fn a_file_that_does_not_come_is_told_to_the_user_alone() {
        for (why, wanted) in [
            (Missing::Refused, "notice.address-refused"),
            (Missing::Status(403), "notice.address-status"),
            (Missing::Large, "notice.address-large"),
            (Missing::Silent, "notice.address-silent"),
        ] {
            let coming = act(&visit(&State::default(), "https://a.example/a"), RemoteChange::Agree);
            let number = coming.document.remote.as_ref().expect("a download").number;
            let missing = act(&coming, RemoteChange::Missing { number, why });
            assert_eq!((key(&missing), missing.document.remote.is_none()), (Some(wanted), true));
            assert!(missing.document.notice.is_some_and(|notice| notice.private));
        }
    }

    #[test]
    fn a_long_address_is_cut_between_letters() {
        assert_eq!(short("https://a.example/ä"), "https://a.example/ä");
        let long = short(&"ä".repeat(5000));
        assert!(long.chars().count() == 201 && long.ends_with('…'));
    }
}
