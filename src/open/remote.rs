//! Fetches the document at an address once the user agrees.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::dom::until_then;
use crate::browser::remote::{Download, DownloadEvent};
use crate::compare::diff::state::DiffChange;
use crate::compare::diff::state::shown::Older;
use crate::open::state::document::Origin;
use crate::open::state::opening::MAX_FILE;
use crate::open::state::sites::{Missing, Remote, RemoteChange};
use crate::shell::state::action::{Action, DocumentAction};
use memplan_formats::import::Answers;

/// Downloads what is agreed to, and stops when nobody wants it any more.
#[hook]
pub fn use_remote(remote: Option<Rc<Remote>>, send: Callback<Action>) {
    let coming = remote.filter(|remote| remote.coming.is_some());
    use_effect_with(coming.as_ref().map(|remote| remote.number), move |_| {
        until_then(coming.map(|remote| {
            let number = remote.number;
            let (address, own, sender) = (remote.address.clone(), remote.origin.is_none(), send.clone());
            let download = Download::begin(address, own, MAX_FILE, move |event| on_event(&remote, event, &sender));
            if download.is_none() {
                let missing = RemoteChange::Missing { number, why: Missing::Refused };
                send.emit(Action::Document(DocumentAction::Remote(missing)));
            }
            download
        }))
    });
}

fn on_event(remote: &Remote, event: DownloadEvent, send: &Callback<Action>) {
    let number = remote.number;
    let action = match event {
        DownloadEvent::Progress(done, total) => DocumentAction::Remote(RemoteChange::Progress { number, done, total }),
        DownloadEvent::Over(Err(why)) => DocumentAction::Remote(RemoteChange::Missing { number, why }),
        DownloadEvent::Over(Ok(bytes)) => {
            let (restored, place) = remote.link.clone().unzip();
            if let Some(restored) = restored {
                send.emit(Action::Document(DocumentAction::Restore(Box::new(restored))));
            }
            let origin = Origin::Remote(remote.address.clone());
            if remote.is_older {
                let older = DiffChange::Older(Older { origin, bytes, choices: Answers::default() });
                return send.emit(Action::Diff(older));
            }
            DocumentAction::Open { origin, bytes, choices: Answers::default(), place }
        }
    };
    send.emit(Action::Document(action));
}
