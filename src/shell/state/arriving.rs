//! Where a link leads: to the same place from every page, whatever is open there or on its way.

use crate::compare::diff::state::DiffChange;
use crate::compare::diff::state::shown::Older;
use crate::open::state::document::Origin;
use crate::open::state::link::LinkPlace;
use crate::open::state::sites::{RemoteChange, reach};
use crate::shell::state::State;
use crate::shell::state::action::{
    Action, DocumentAction, GameAction, LearnAction, SettingsAction, TeachAction, ViewAction,
};
use crate::shell::state::address::{self, Address, Target};
use crate::shell::state::notice::Notice;
use crate::shell::state::panels::Mode;
use memplan_core::base::Message;
use memplan_core::text::Locale;
use memplan_formats::import::Answers;

/// What following a link takes: first all actions, then all documents.
#[derive(Debug, Default)]
pub struct Arrival {
    /// What happens to the state at once.
    pub actions: Vec<Action>,
    /// Documents to be fetched.
    pub fetches: Vec<Fetch>,
}

/// Where a link was found.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkSource {
    /// On a page inside a stranger's.
    pub stranger: bool,
    /// In the address that this page wrote itself, while no program waited for consent: the page
    /// was loaded again, or the reader went back.
    pub ours: bool,
}

/// A document of a link that is not in it.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// Where it is.
    pub from: FetchFrom,
    /// Where it is opened; none for the older of two that are compared.
    pub place: Option<LinkPlace>,
}

/// Numbers of the documents that the page fetches; what comes of other fetches is not wanted any
/// more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fetching {
    /// The one to be opened.
    pub document: Option<u32>,
    /// The one that it is compared with.
    pub older: Option<u32>,
}

impl Fetching {
    /// Returns true if the fetch of this number is wanted, which is over then.
    pub fn end(&mut self, number: u32) -> bool {
        let is_wanted = |fetch: &mut Option<u32>| fetch.take_if(|fetch| *fetch == number).is_some();
        is_wanted(&mut self.document) || is_wanted(&mut self.older)
    }
}

/// Where a document is that a link names.
#[derive(Clone, Debug)]
pub enum FetchFrom {
    /// Among the examples.
    Example(String),
    /// Among the files that were opened here before.
    Kept(String),
}

impl Arrival {
    fn act(&mut self, action: Action) {
        self.actions.push(action);
    }

    fn diff(&mut self, change: DiffChange) {
        self.act(Action::Diff(change));
    }
}

/// Returns what following a link takes. `language` is that of the browser; `page` is the address of
/// the page. On a page inside a stranger's, not even whether a file was ever opened is for others
/// to know.
pub fn arrival(fragment: &str, language: Locale, page: &str, from: LinkSource) -> Arrival {
    let mut arrival = Arrival::default();
    arrival.act(Action::Teach(TeachAction::Leave));
    arrival.act(Action::Document(DocumentAction::Forget));
    arrival.act(Action::View(ViewAction::Overlay(None)));
    if fragment.starts_with("exercise=") {
        // The link may be refused, and the page has to say so in the language that it names.
        let named = address::read(fragment).restored.locale;
        arrival.act(Action::Settings(SettingsAction::Locale(named.unwrap_or(language))));
        arrival.act(Action::Teach(TeachAction::Open(fragment.into())));
        return arrival;
    }
    follow(&mut arrival, address::read(fragment), language, page, from);
    arrival
}

fn follow(arrival: &mut Arrival, address: Address, language: Locale, page: &str, from: LinkSource) {
    let Address { target, old, place, mut restored, unknown } = address;
    let stranger = from.stranger;
    restored.ours = from.ours;
    restored.locale = Some(restored.locale.unwrap_or(language));
    if restored.learn.is_some() || restored.teach.is_some() || restored.game.is_some() {
        // A lesson brings planner and options itself.
        restored.locale.into_iter().for_each(|locale| arrival.act(Action::Settings(SettingsAction::Locale(locale))));
        restored.theme.into_iter().for_each(|theme| arrival.act(Action::Settings(SettingsAction::Theme(theme))));
        arrival.act(match (restored.game, restored.teach, restored.learn) {
            (Some(link), ..) => Action::Game(GameAction::Open(Box::new(link))),
            (_, Some(part), _) => Action::Teach(TeachAction::Corner(part)),
            (None, None, place) => Action::Learn(LearnAction::Open(place.unwrap_or_default())),
        });
        arrival.act(Action::View(ViewAction::Present(restored.present)));
        return;
    }
    if restored.diff.is_some() {
        arrival.diff(DiffChange::Forget);
    }
    if !matches!(target, Target::Remote(_)) {
        arrival.act(Action::Document(DocumentAction::Restore(Box::new(restored.clone()))));
    }
    if !unknown.is_empty() {
        let words = Message::new("toast.unknown-keys").text("keys", unknown.join(", "));
        arrival.act(Action::View(ViewAction::Toast(words)));
    }
    match old {
        Some(Target::Example(name)) => arrival.fetches.push(Fetch { from: FetchFrom::Example(name), place: None }),
        Some(Target::Inline(name, bytes)) => {
            let (origin, choices) = (Origin::File(name), Answers::default());
            arrival.diff(DiffChange::Older(Older { origin, bytes, choices }));
        }
        Some(Target::Remote(address)) => {
            let reach = reach(&address, page);
            arrival.diff(DiffChange::Await(address, reach));
        }
        Some(Target::Local(file)) if stranger => arrival.act(older_is_missing(file)),
        Some(Target::Local(file)) => arrival.fetches.push(Fetch { from: FetchFrom::Kept(file), place: None }),
        None => {}
    }
    match target {
        Target::Example(name) => arrival.fetches.push(Fetch { from: FetchFrom::Example(name), place: Some(place) }),
        Target::Inline(name, bytes) => {
            let (origin, choices) = (Origin::File(name), Answers::default());
            arrival.act(Action::Document(DocumentAction::Open { origin, bytes, choices, place: Some(place) }));
        }
        Target::Remote(address) => {
            let reach = reach(&address, page);
            let change = RemoteChange::Visit { address, reach, link: Some(Box::new((restored, place))) };
            arrival.act(Action::Document(DocumentAction::Remote(change)));
        }
        Target::Local(file) if stranger => arrival.act(Action::Document(DocumentAction::Awaits { file, place })),
        Target::Local(file) => arrival.fetches.push(Fetch { from: FetchFrom::Kept(file), place: Some(place) }),
    }
}

/// The older file of a link is not here.
pub fn older_is_missing(file: String) -> Action {
    Action::Document(DocumentAction::NotFetched(Notice::of(Message::new("notice.local-link").text("name", file))))
}

impl State {
    /// Forgets every document that is on its way, and what is asked about one: a link leads to
    /// another.
    pub(crate) fn forget_coming(&mut self) {
        let document = &mut self.document;
        (document.remote, document.notice, document.fetching) = (None, None, Fetching::default());
        document.batch.give_up();
        document.status.take_awaited();
        document.status.stop_following();
        if self.job().is_some_and(|job| !job.same_document && job.draft.is_none()) {
            self.document.status.end_job();
            self.fall_back();
        }
    }

    /// Returns true if the address follows what the page shows. A document that is asked about or
    /// on its way has the address until it is there, or not wanted; the link of an exercise stays
    /// as it is, and so does the address of a part of another page.
    pub fn writes_address(&self) -> bool {
        let is_there = self.document.open.is_some() && self.document.status.is_idle();
        let is_shown = self.view.mode == Mode::Learn || is_there;
        let is_own = self.settings.embed.is_none() && self.teaching.assigned.is_none();
        is_shown && is_own && self.document.remote.is_none()
    }

    /// Returns true if there is nothing to show outside of Learn, and nothing on its way.
    pub fn is_blank(&self) -> bool {
        let document = &self.document;
        let is_coming = !document.status.is_idle() || document.remote.is_some() || document.fetching.document.is_some();
        let is_elsewhere = self.view.mode == Mode::Learn || self.teaching.assigned.is_some();
        document.open.is_none() && !is_coming && !is_elsewhere
    }
}
