//! The user's programs: those of the list, and the one that stands in the editor.

use std::rc::Rc;

use crate::own::state::kept::{Kept, KeptProgram};
use crate::own::state::{OwnState, first_program, is_first_program};
use crate::shell::state::State;
use memplan_engine::{OWN_NAME, OwnProgram, know_own};
use memplan_planners as planner;
use memplan_planners::outside::Sheet;

/// Most programs that buttons make; files and links may bring more.
pub const DRAFTS: usize = 20;

/// Most letters of a name, without its ending.
const LETTERS: usize = 40;

/// The ending of all names: they are those of files.
const ENDING: &str = ".rhai";

/// Who wrote a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Author {
    /// The page: the first program, or that of a classic planner.
    #[default]
    Page,
    /// Whoever made the link.
    Other,
    /// The user, here or at an earlier visit.
    User,
}

/// A program of the list.
#[derive(Clone, PartialEq, Debug)]
pub struct Draft {
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
    fn of(name: Rc<str>, code: Rc<str>, author: Author) -> Draft {
        Draft { name, code, author, planned: None, is_read: false }
    }

    /// Its planner.
    pub fn program(&self) -> OwnProgram {
        OwnProgram::named(&self.name, &self.code)
    }

    /// Id of the planner of its newest version that plans, or that was kept.
    pub fn planner(&self) -> Option<&str> {
        self.planned.as_deref()
    }

    /// Whether nothing is lost with it.
    fn is_blank(&self) -> bool {
        self.code.trim().is_empty() || is_first_program(&self.code)
    }
}

/// A name as programs have them: short, that of a file, and without signs of links.
pub fn clean_name(words: &str) -> Rc<str> {
    let words = words.trim();
    let at = words.len().saturating_sub(ENDING.len());
    let is_ending = words.is_char_boundary(at) && words[at..].eq_ignore_ascii_case(ENDING);
    let stem = if is_ending { &words[..at] } else { words };
    let is_kept = |letter: &char| !letter.is_control() && !"|;/\\<>\":*?".contains(*letter);
    let stem: String = stem.chars().filter(is_kept).take(LETTERS).collect();
    match stem.trim() {
        "" => OWN_NAME.into(),
        stem => format!("{stem}{ENDING}").into(),
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
        let program = draft.program();
        // It may have been written in since it was kept.
        draft.planned = Some(program.id.clone());
        Some(program)
    }

    /// A name that no other program of the list has.
    fn free_name(&self, wanted: Rc<str>, but: Option<usize>) -> Rc<str> {
        let is_free =
            |name: &str| self.drafts.iter().enumerate().all(|(at, draft)| Some(at) == but || *draft.name != *name);
        let stem = wanted.strip_suffix(ENDING).unwrap_or(&wanted);
        // Copies of a copy are numbered on.
        let bare = stem.trim_end_matches(|letter: char| letter.is_ascii_digit()).trim_end_matches('_');
        let stem = if bare.is_empty() { stem } else { bare };
        let numbered = || (2..).map(|number| Rc::from(format!("{stem}_{number}{ENDING}")));
        Some(wanted.clone())
            .filter(|name| is_free(name))
            .or_else(|| numbered().find(|name| is_free(name)))
            .unwrap_or(wanted)
    }

    /// Adds a text to the list, or finds it there, and returns its position. It takes the place of
    /// a text in the editor that nobody has written in.
    pub(super) fn put(&mut self, name: &str, code: Rc<str>, author: Author) -> usize {
        let name = clean_name(name);
        if let Some(at) = self.drafts.iter().position(|draft| draft.code == code) {
            return at;
        }
        let is_free = |draft: &&Draft| draft.author == Author::Page || draft.is_blank();
        let free = self.drafts.get(self.at).filter(is_free).map(|_| self.at);
        let draft = Draft::of(self.free_name(name, free), code, author);
        let drafts = Rc::make_mut(&mut self.drafts);
        match free {
            Some(at) => {
                drafts[at] = draft;
                at
            }
            None => {
                drafts.push(draft);
                drafts.len() - 1
            }
        }
    }

    /// Takes the programs that the browser kept.
    pub(super) fn take_kept(&mut self, kept: Kept) {
        if !self.drafts.is_empty() {
            return;
        }
        for KeptProgram { name, code } in kept.programs {
            let name = self.free_name(clean_name(&name), None);
            let mut draft = Draft::of(name, code, Author::User);
            if !draft.is_blank() {
                let program = draft.program();
                if planner::info(&program.id).is_none() {
                    // What it states of itself is known once the engine has read it.
                    know_own(&program, &Sheet::default());
                }
                draft.planned = Some(program.id);
            }
            Rc::make_mut(&mut self.drafts).push(draft);
        }
        self.at = kept.at.min(self.drafts.len().saturating_sub(1));
    }

    /// What the browser is to keep: all but what came in a link and was not written in.
    pub fn to_keep(&self) -> Option<Kept> {
        let is_kept = |draft: &&Draft| draft.author != Author::Other;
        let program = |draft: &Draft| KeptProgram { name: draft.name.to_string(), code: draft.code.clone() };
        let programs: Vec<KeptProgram> = self.drafts.iter().filter(is_kept).map(program).collect();
        let before = self.drafts.iter().take(self.at).filter(is_kept).count();
        let at = before.min(programs.len().saturating_sub(1));
        (self.open && !programs.is_empty()).then_some(Kept { programs, at })
    }

    /// A planner of the list that is chosen by its id has its program in the editor.
    pub(super) fn take_up(&mut self, id: &str) {
        let Some(at) = self.drafts.iter().position(|draft| draft.planned.as_deref() == Some(id)) else { return };
        self.at = at;
        let program = self.drafts[at].program();
        if program.id == id && self.version(id).is_none() {
            self.add(program, None);
        }
    }
}

/// Whether the letters of a text stand in some words, in this order.
pub fn is_in(text: &str, words: &str) -> bool {
    let words = words.to_lowercase();
    let mut letters = words.chars();
    text.trim().to_lowercase().chars().all(|wanted| letters.any(|letter| letter == wanted))
}

impl State {
    pub(super) fn type_own(&mut self, code: Rc<str>) {
        if self.own.code() == Some(&code) {
            return;
        }
        if self.own.drafts.is_empty() {
            self.own.put(OWN_NAME, code.clone(), Author::User);
        }
        if let Some(draft) = self.own.draft_mut() {
            (draft.code, draft.author) = (code, Author::User);
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
        if self.own.drafts.len() >= DRAFTS {
            return;
        }
        let copied = self.own.drafts.get(self.own.at).filter(|_| copies).cloned();
        let draft = match copied {
            Some(draft) => Draft::of(self.own.free_name(draft.name, None), draft.code, Author::User),
            None => {
                let code = first_program(self.settings.locale);
                Draft::of(self.own.free_name(OWN_NAME.into(), None), code, Author::Page)
            }
        };
        Rc::make_mut(&mut self.own.drafts).push(draft);
        self.own.begun += 1;
        self.select_own(self.own.drafts.len() - 1);
    }

    pub(super) fn rename_own(&mut self, name: &str) {
        let at = self.own.at;
        let name = self.own.free_name(clean_name(name), Some(at));
        let Some(draft) = self.own.draft_mut().filter(|draft| draft.name != name) else { return };
        (draft.name, draft.author) = (name, Author::User);
        self.look_at_own();
    }

    /// Takes the program in the editor off the list; it comes back by a button.
    pub(super) fn delete_own(&mut self) {
        let at = self.own.at;
        if at >= self.own.drafts.len() {
            return;
        }
        let gone = Rc::make_mut(&mut self.own.drafts).remove(at);
        self.comparing.unrank(gone.planned.as_deref().unwrap_or_default());
        if !gone.is_blank() {
            self.own.earlier = Some(gone);
        }
        if self.own.drafts.is_empty() {
            let first = Draft::of(OWN_NAME.into(), first_program(self.settings.locale), Author::Page);
            self.own.drafts = Rc::new(vec![first]);
        }
        self.select_own(at.min(self.own.drafts.len() - 1));
    }

    pub(super) fn bring_back_own(&mut self) {
        if let Some(mut draft) = self.own.earlier.take() {
            draft.name = self.own.free_name(draft.name, None);
            draft.is_read = false;
            Rc::make_mut(&mut self.own.drafts).push(draft);
            self.select_own(self.own.drafts.len() - 1);
        }
    }
}

#[cfg(test)]
mod tests;
