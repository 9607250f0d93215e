//! Keys of links that name the open document.

use crate::open::state::document::Origin;
use crate::shell::state::State;
use crate::shell::state::address::key::Leads::{ToDiff, ToPlan};
use crate::shell::state::address::key::{LinkKey, Target};
use crate::shell::state::panels::Mode;
use memplan_engine::{Carried, IMPORTED};

/// The document and its name.
pub const DOCUMENT: [LinkKey; 3] = [
    LinkKey {
        key: "doc",
        of: &[ToPlan],
        write: |state, _| Some(document(state)?.0),
        read: Some(|link, _, value| link.document[0] = value),
    },
    LinkKey {
        key: "new",
        of: &[ToDiff],
        write: |state, _| Some(document(state)?.0),
        read: Some(|link, _, value| link.document[0] = value),
    },
    LinkKey {
        key: "name",
        of: &[ToPlan, ToDiff],
        write: |state, _| document(state)?.1,
        read: Some(|link, _, value| link.document[1] = value),
    },
];

fn document(state: &State) -> Option<(String, Option<String>)> {
    let document = state.document.open.as_ref()?;
    let Carried { document: whole, plan } = &*document.packed;
    let has_own = state.view.mode == Mode::Diff || state.document.planner == IMPORTED;
    let packed = plan.as_ref().filter(|_| has_own).or(whole.as_ref());
    // What was answered about a file is not at its address.
    Some(named(&document.origin, packed, !document.choices.are_none()))
}

/// Returns where a document comes from, or the document itself with its name.
pub fn named(origin: &Origin, packed: Option<&String>, is_answered: bool) -> (String, Option<String>) {
    match (origin, packed) {
        (Origin::Example(name), _) => (format!("ex:{name}"), None),
        (Origin::Remote(address), packed) if packed.is_none() || !is_answered => (format!("url:{address}"), None),
        (origin, Some(packed)) => (packed.to_string(), Some(origin.name().into())),
        (origin, None) => (format!("local:{}", origin.name()), None),
    }
}

/// Returns the document that a part of a fragment names.
pub fn target([text, name]: &[String; 2]) -> Option<Target> {
    Some(match text.split_once(':')? {
        ("ex", example) => Target::Example(example.into()),
        ("z", _) => {
            let name = if name.is_empty() { "link" } else { name };
            Target::Inline(name.into(), text.as_bytes().to_vec().into())
        }
        ("url", address) => Target::Remote(address.into()),
        ("local", file) => Target::Local(file.into()),
        _ => return None,
    })
}
