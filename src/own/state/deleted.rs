//! Programs that were deleted: each can be brought back.

use std::rc::Rc;

use crate::own::state::drafts::{Author, Draft};
use crate::own::state::kept::DELETED;
use crate::own::state::{OwnState, first_program};
use crate::shell::state::State;
use memplan_engine::OWN_NAME;

impl OwnState {
    /// The programs that can be brought back, the one that was deleted last at the end.
    pub fn deleted(&self) -> &[Draft] {
        &self.deleted
    }
}

impl State {
    /// Takes the program in the editor off the list; it comes back by a button.
    pub(super) fn delete_own(&mut self) {
        let at = self.own.at;
        if at >= self.own.drafts.len() {
            return;
        }
        let gone = Rc::make_mut(&mut self.own.drafts).remove(at);
        self.comparing.unrank(gone.planned.as_deref().unwrap_or_default());
        if !gone.is_blank() {
            let deleted = Rc::make_mut(&mut self.own.deleted);
            deleted.push(gone);
            deleted.drain(..deleted.len().saturating_sub(DELETED));
        }
        if self.own.drafts.is_empty() {
            let first = self.own.make(OWN_NAME.into(), first_program(self.settings.locale), Author::Page);
            self.own.drafts = Rc::new(vec![first]);
        }
        self.select_own(at.min(self.own.drafts.len() - 1));
    }

    pub(super) fn bring_back_own(&mut self, key: u32) {
        let Some(at) = self.own.deleted.iter().position(|draft| draft.key() == key) else { return };
        if !self.own.has_room() {
            return self.own_list_is_full();
        }
        let mut draft = Rc::make_mut(&mut self.own.deleted).remove(at);
        draft.name = self.own.free_name(draft.name, None);
        draft.is_read = false;
        Rc::make_mut(&mut self.own.drafts).push(draft);
        self.select_own(self.own.drafts.len() - 1);
    }
}
