//! Changes that no file holds are kept while they are made, each session in a place of its own, and
//! offered after a reload.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::browser::files::Pieces;
use crate::browser::idb::Store;
use crate::browser::inside::is_one_file;
use crate::browser::tabs::still_open;
use crate::edit::state::draft::Editing;
use crate::edit::state::encoding::{Encoding, SHARE};
use crate::open::state::recovery::{Tab, Unkept, lost, tab_of};
use crate::shell::state::State;
use crate::shell::state::action::{Action, EditAction};
use gloo_timers::callback::Timeout;

/// How long a changed graph waits for the next change before it is kept, in milliseconds: little
/// enough that it is kept 300 ms after the last key.
const KEEP_AFTER: u32 = 150;

/// The session as it is to be kept.
#[derive(Clone)]
struct Draft {
    key: String,
    /// The draft that it goes on with.
    before: Option<String>,
    /// Name of the document.
    name: String,
    editing: Rc<Editing>,
}

/// A draft that waits for the next change.
struct Waiting {
    draft: Draft,
    is_over: Rc<Cell<bool>>,
    _timer: Timeout,
}

/// Offers the drafts of before, and keeps the one that is being written. A part of another page
/// keeps nothing.
#[hook]
pub fn use_drafts(state: &State, send: Callback<Action>) {
    {
        let (send, tab) = (send.clone(), state.editing.tab.clone());
        let finds = state.settings.embed.is_none() && !state.settings.one_file;
        use_effect_with((), move |_| {
            if finds {
                spawn_local(find(tab, send));
            }
        });
    }
    let draft = written(state).filter(|_| state.settings.embed.is_none());
    let waiting = use_mut_ref(|| None::<Waiting>);
    let changed = draft.as_ref().map(|draft| (Rc::as_ptr(&draft.editing) as usize, draft.editing.unsaved));
    use_effect_with(changed, move |_| {
        let before = waiting.borrow_mut().take();
        let left = before
            .filter(|before| !before.is_over.get() && draft.as_ref().is_none_or(|draft| draft.key != before.draft.key));
        // Another session has begun: the last change of this one waits no longer.
        left.into_iter().for_each(|left| keep(left.draft, send.clone()));
        *waiting.borrow_mut() = draft.map(|draft| {
            let (is_over, send, kept) = (Rc::new(Cell::new(false)), send, draft.clone());
            let over = is_over.clone();
            let timer = Timeout::new(KEEP_AFTER, move || {
                over.set(true);
                keep(kept, send);
            });
            Waiting { draft, is_over, _timer: timer }
        });
    });
}

/// The session as it is now.
fn written(state: &State) -> Option<Draft> {
    let editing = state.editing.session.clone()?;
    let (key, before, name) = (state.editing.key(), state.editing.before.clone(), state.draft_name(&editing));
    Some(Draft { key, before, name, editing })
}

/// Sends the drafts that nobody works on. A browser that keeps nothing has nothing to offer; it is
/// said when something is to be kept.
async fn find(tab: Rc<Tab>, send: Callback<Action>) {
    let Ok(store) = Store::open().await else { return };
    let Ok(drafts) = store.drafts().await else { return };
    if !drafts.is_empty() {
        let tabs: Vec<&str> = drafts.iter().map(|draft| tab_of(&draft.key)).collect();
        let open = still_open(&tabs).await;
        send.emit(Action::Edit(EditAction::Found(lost(drafts, &open, &tab))));
    }
}

/// Keeps a draft, or lets it go once a file holds what it says. A large one is written in tasks of
/// their own.
fn keep(draft: Draft, send: Callback<Action>) {
    if is_one_file() {
        if draft.editing.unsaved {
            send.emit(Action::Edit(EditAction::NotKept(Unkept::OneFile)));
        }
        return;
    }
    let encoding = Encoding::of(draft.editing.draft.clone());
    encode(encoding, Pieces::default(), draft, send);
}

fn encode(mut encoding: Encoding, pieces: Pieces, draft: Draft, send: Callback<Action>) {
    if draft.editing.unsaved && encoding.go_on(SHARE) {
        pieces.add(&encoding.take());
        Timeout::new(0, move || encode(encoding, pieces, draft, send)).forget();
        return;
    }
    spawn_local(async move {
        let kept = async {
            let store = Store::open().await?;
            let Draft { key, before, name, editing } = draft;
            if editing.unsaved {
                let written = pieces.join(editing.kept(encoding.finish())).map_err(|_| Unkept::Unavailable)?;
                store.keep_draft(&key, before.as_deref(), &name, &written).await
            } else {
                let keys: Vec<&str> = [Some(&key), before.as_ref()].into_iter().flatten().map(String::as_str).collect();
                store.drop_drafts(&keys).await
            }
        };
        let kept: Result<(), Unkept> = kept.await;
        send.emit(Action::Edit(kept.map_or_else(EditAction::NotKept, |()| EditAction::Kept)));
    });
}
