//! The user's programs: those of the list, and the one that stands in the editor.

use std::rc::Rc;

use crate::own::state::kept::{Kept, KeptProgram};
use crate::own::state::names::{clean_name, free_name, named};
use crate::own::state::{OwnState, first_program, is_first_program};
use crate::shell::state::State;
use memplan_core::base::Message;
use memplan_engine::{OWN_NAME, OwnProgram, know_own};
use memplan_planners as planner;
use memplan_planners::outside::Sheet;

/// Most programs of a list that more are added to. Those that are there already stay, however many
/// tabs wrote them.
const DRAFTS: usize = 50;

/// Who wrote a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Author {
    /// The page: the first program, or that of a classic planner.
    #[default]
    Page,
    /// The user, here or at an earlier visit; or the maker of a link to which the user agreed.
    User,
}

/// A program of the list.
#[derive(Clone, PartialEq, Debug)]
pub struct Draft {
    /// Number of the program: no other one of this page has it or had it.
    key: u32,
    /// What people call it; no two of the list have one name.
    pub name: Rc<str>,
    /// The text.
    pub code: Rc<str>,
    /// Whose text it is.
    author: Author,
    /// Id of the planner of the newest version that plans, or that was kept.
    pub(super) planned: Option<String>,
    /// Whether the engine was asked what it states of itself.
    pub(super) is_read: bool,
}

impl Draft {
    /// Its planner.
    pub fn program(&self) -> OwnProgram {
        OwnProgram::named(&self.name, &self.code)
    }

    /// Number of the program: no other one of this page has it or had it.
    pub fn key(&self) -> u32 {
        self.key
    }

    /// As the browser keeps it.
    fn kept(&self) -> KeptProgram {
        KeptProgram { name: self.name.to_string(), code: self.code.clone() }
    }

    /// Id of the planner of its newest version that plans, or that was kept.
    pub fn planner(&self) -> Option<&str> {
        self.planned.as_deref()
    }

    /// What it states of itself is asked once it is needed.
    fn asks_later(&mut self) {
        self.is_read = false;
        if self.planned.is_some() || self.is_blank() {
            return;
        }
        let program = self.program();
        if planner::info(&program.id).is_none() {
            // What it states of itself is known once the engine has read it.
            know_own(&program, &Sheet::default());
        }
        self.planned = Some(program.id);
    }

    /// Whether nothing is lost with it.
    pub(super) fn is_blank(&self) -> bool {
        self.code.trim().is_empty() || is_first_program(&self.code)
    }
}

impl OwnState {
    /// All programs of the list.
    pub fn drafts(&self) -> &[Draft] {
        &self.drafts
    }

    /// Position of the one in the editor.
    pub fn at(&self) -> usize {
        self.at
    }

    /// A program that stands on no list yet.
    pub(super) fn make(&mut self, name: Rc<str>, code: Rc<str>, author: Author) -> Draft {
        self.made += 1;
        Draft { key: self.made, name, code, author, planned: None, is_read: false }
    }

    /// The key of the program in the editor; none before the first one is written.
    pub fn key(&self) -> Option<u32> {
        self.drafts.get(self.at).map(|draft| draft.key)
    }

    /// The text in the editor; none before the first one is written.
    pub fn code(&self) -> Option<&Rc<str>> {
        self.drafts.get(self.at).map(|draft| &draft.code)
    }

    /// What people call the program in the editor.
    pub fn name(&self) -> &str {
        self.drafts.get(self.at).map_or(OWN_NAME, |draft| &*draft.name)
    }

    /// The planner of the text in the editor.
    pub fn program(&self) -> Option<OwnProgram> {
        self.drafts.get(self.at).map(Draft::program)
    }

    pub(super) fn draft_mut(&mut self) -> Option<&mut Draft> {
        Rc::make_mut(&mut self.drafts).get_mut(self.at)
    }

    /// The planners of all programs that were read, in order of the list: each can stand beside
    /// others.
    pub fn ready(&self) -> impl Iterator<Item = &OwnProgram> {
        self.drafts.iter().filter_map(|draft| self.version(draft.planned.as_deref()?))
    }

    /// The next program of the list that the engine was not asked about.
    pub(super) fn next_unread(&mut self) -> Option<OwnProgram> {
        let draft =
            Rc::make_mut(&mut self.drafts).iter_mut().find(|draft| !draft.is_read && draft.planned.is_some())?;
        draft.is_read = true;
        Some(draft.program())
    }

    /// Takes that the engine has read a program of the list, and returns the version before; none
    /// if the list has it no longer.
    pub(super) fn read_now(&mut self, program: &OwnProgram) -> Option<Option<String>> {
        let is_it = |draft: &&mut Draft| draft.planned.is_some() && draft.program() == *program;
        let draft = Rc::make_mut(&mut self.drafts).iter_mut().find(is_it)?;
        Some(draft.planned.replace(program.id.clone()))
    }

    /// A name that no other program of the list has.
    pub(super) fn free_name(&self, wanted: Rc<str>, but: Option<usize>) -> Rc<str> {
        free_name(wanted, |name| {
            self.drafts.iter().enumerate().all(|(at, draft)| Some(at) == but || *draft.name != *name)
        })
    }

    /// The position of a text on the list, or the one that it would get: it takes the place of a
    /// text in the editor that nobody has written in. None if the list is full.
    pub(super) fn room_for(&self, code: &str) -> Option<usize> {
        let there = self.drafts.iter().position(|draft| *draft.code == *code);
        let is_free = |draft: &&Draft| draft.author == Author::Page || draft.is_blank();
        let free = self.drafts.get(self.at).filter(is_free).map(|_| self.at);
        there.or(free).or_else(|| self.has_room().then_some(self.drafts.len()))
    }

    pub(super) fn has_room(&self) -> bool {
        self.drafts.len() < DRAFTS
    }

    /// Adds a text to the list, or finds it there, and returns its position; none if the list is
    /// full.
    pub(super) fn put(&mut self, name: &str, code: Rc<str>, author: Author) -> Option<usize> {
        let at = self.room_for(&code)?;
        if self.drafts.get(at).is_none_or(|draft| draft.code != code) {
            let draft = self.make(self.free_name(clean_name(name), Some(at)), code, author);
            let drafts = Rc::make_mut(&mut self.drafts);
            match drafts.get_mut(at) {
                Some(place) => *place = draft,
                None => drafts.push(draft),
            }
        }
        Some(at)
    }

    /// Takes the programs that the browser kept.
    pub(super) fn take_kept(&mut self, kept: Kept) {
        if !self.drafts.is_empty() {
            return;
        }
        for KeptProgram { name, code } in kept.programs {
            let name = self.free_name(clean_name(&name), None);
            let mut draft = self.make(name, code, Author::User);
            draft.asks_later();
            Rc::make_mut(&mut self.drafts).push(draft);
        }
        let gone = kept.deleted.into_iter().map(|it| self.make(clean_name(&it.name), it.code, Author::User));
        self.deleted = Rc::new(gone.collect());
        self.at = kept.at.min(self.drafts.len().saturating_sub(1));
    }

    /// What the browser is to keep.
    pub fn to_keep(&self) -> Option<Kept> {
        let [programs, deleted] =
            [&self.drafts, &self.deleted].map(|drafts| drafts.iter().map(Draft::kept).collect::<Vec<KeptProgram>>());
        ((self.open || self.wrote) && !programs.is_empty()).then_some(Kept { programs, at: self.at, deleted })
    }

    /// A planner of the list that is chosen by its id has its program in the editor.
    pub(super) fn take_up(&mut self, id: &str) {
        let planned = self.drafts.iter().position(|draft| draft.planned.as_deref() == Some(id));
        let Some(at) = planned.or_else(|| self.drafts.iter().position(|draft| draft.program().id == id)) else {
            return;
        };
        self.at = at;
        let program = self.drafts[at].program();
        if program.id == id && self.version(id).is_none() {
            self.add(program, None);
        }
    }
}

impl State {
    /// Takes what was typed in the program of this key, which may have left the editor since.
    pub(super) fn type_own(&mut self, of: Option<u32>, code: Rc<str>) {
        let own = &mut self.own;
        own.wrote = true;
        if let Some(at) = own.drafts.iter().position(|draft| Some(draft.key) == of) {
            let draft = &mut Rc::make_mut(&mut own.drafts)[at];
            if draft.code == code {
                return;
            }
            (draft.code, draft.author) = (code, Author::User);
            if at != own.at {
                return draft.asks_later();
            }
        } else if let Some(at) = own.deleted.iter().position(|draft| Some(draft.key) == of) {
            Rc::make_mut(&mut own.deleted)[at].code = code;
            return;
        } else {
            // Another text has its place: nothing that was typed is lost.
            let mut draft = own.make(own.free_name(OWN_NAME.into(), None), code, Author::User);
            if !own.drafts.is_empty() {
                draft.asks_later();
            }
            Rc::make_mut(&mut own.drafts).push(draft);
            if own.drafts.len() > 1 {
                return;
            }
        }
        self.look_at_own();
    }

    /// What stands in the editor is checked, and planned by if it is open.
    fn look_at_own(&mut self) {
        self.own.is_written = self.own.open;
        if self.own_job().is_some() {
            // Nobody waits for what comes of the text of before.
            self.document.status.end_job();
        }
    }

    /// Another program of the list stands in the editor.
    pub(super) fn select_own(&mut self, at: usize) {
        if at < self.own.drafts.len() {
            self.own.at = at;
            self.look_at_own();
        }
    }

    /// A new program, which is a copy of the one in the editor if asked so.
    pub(super) fn add_own(&mut self, copies: bool) {
        if !self.own.has_room() {
            return self.own_list_is_full();
        }
        let copied = self.own.drafts.get(self.own.at).filter(|_| copies).cloned();
        let draft = match copied {
            Some(draft) => self.own.make(self.own.free_name(draft.name, None), draft.code, Author::User),
            None => {
                let code = first_program(self.settings.locale);
                self.own.make(self.own.free_name(OWN_NAME.into(), None), code, Author::Page)
            }
        };
        Rc::make_mut(&mut self.own.drafts).push(draft);
        self.own.begun += 1;
        self.select_own(self.own.drafts.len() - 1);
    }

    pub(super) fn rename_own(&mut self, name: &str) {
        let at = self.own.at;
        // Without a name it keeps the one that it has.
        let Some(name) = named(name) else { return };
        let name = self.own.free_name(name, Some(at));
        let Some(draft) = self.own.draft_mut().filter(|draft| draft.name != name) else { return };
        (draft.name, draft.author) = (name, Author::User);
        self.look_at_own();
    }

    /// Says that nothing is added, and why.
    pub(super) fn own_list_is_full(&mut self) {
        self.view.confirm(Message::new("own.full").count("n", DRAFTS));
    }
}

#[cfg(test)]
mod tests;
