//! Keys of links to two documents that are compared.

use crate::open::state::link_keys::named;
use crate::shell::state::State;
use crate::shell::state::address::key::Leads::ToDiff;
use crate::shell::state::address::key::LinkKey;

/// That two documents are compared, and the older one.
pub const OLDER: [LinkKey; 3] = [
    LinkKey {
        key: "mode",
        of: &[ToDiff],
        write: |_, _| Some("diff".into()),
        read: Some(|link, _, value| match &*value {
            "diff" => _ = link.address.restored.diff.get_or_insert_default(),
            "fit" => _ = link.address.restored.fit.get_or_insert_default(),
            _ => link.address.unknown.push("mode".into()),
        }),
    },
    LinkKey {
        key: "old",
        of: &[ToDiff],
        write: |state, _| Some(older(state)?.0),
        read: Some(|link, _, value| link.older[0] = value),
    },
    LinkKey {
        key: "oldname",
        of: &[ToDiff],
        write: |state, _| older(state)?.1,
        read: Some(|link, _, value| link.older[1] = value),
    },
];

/// How they are compared.
pub const COMPARED: [LinkKey; 1] = [LinkKey {
    key: "without",
    of: &[ToDiff],
    write: |state, _| state.diffing.without_weights.then(|| "weights".to_string()),
    read: Some(|link, _, value| {
        link.address.restored.diff.get_or_insert_default().without_weights = value == "weights";
    }),
}];

fn older(state: &State) -> Option<(String, Option<String>)> {
    let old = state.diffing.old.as_ref()?;
    let packed = state.diffing.shown().map(|shown| shown.packed.clone()).unwrap_or_default();
    Some(named(&old.origin, packed.plan.or(packed.document).as_ref(), false))
}
