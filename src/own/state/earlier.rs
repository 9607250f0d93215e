//! Whose text stands in the editor, and the user's text of before, which nothing may take away.

use std::rc::Rc;

use crate::own::state::{OwnState, is_first_program};
use crate::shell::state::State;

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

impl OwnState {
    /// Puts a text in place of the present one, which stays at hand if the user wrote it.
    pub(super) fn replace(&mut self, code: Rc<str>, author: Author) {
        if self.code.as_ref() == Some(&code) {
            return;
        }
        let before = self.code.replace(code).filter(|_| self.author == Author::User);
        let before = before.filter(|text| !text.trim().is_empty() && !is_first_program(text));
        self.earlier = before.or(self.earlier.take());
        self.author = author;
    }

    /// Takes the text that the browser kept.
    pub(super) fn take_kept(&mut self, code: Rc<str>) {
        if self.code.is_none() {
            (self.code, self.author) = (Some(code), Author::User);
        }
    }

    /// The text that the browser is to keep. What replaced a text of the user is not kept before
    /// the user writes in it, and what came in a link neither.
    pub fn to_keep(&self) -> Option<Rc<str>> {
        let is_kept = match self.author {
            Author::User => true,
            Author::Page => self.earlier.is_none(),
            Author::Other => false,
        };
        self.code.clone().filter(|_| is_kept && self.open)
    }
}

impl State {
    pub(super) fn type_own(&mut self, code: Rc<str>) {
        if self.own.code.as_ref() != Some(&code) {
            (self.own.code, self.own.author) = (Some(code), Author::User);
            self.own.is_written = self.own.open;
            if self.own_job().is_some() {
                // Nobody waits for what comes of the text of before.
                self.document.status.end_job();
            }
        }
    }

    pub(super) fn bring_back_own(&mut self) {
        if let Some(earlier) = self.own.earlier.take() {
            self.own.replace(earlier, Author::User);
            self.own.is_written = self.own.open;
        }
    }
}
