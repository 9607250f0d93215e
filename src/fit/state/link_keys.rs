//! Keys of links to a budget and its changes.

use crate::shell::state::State;
use crate::shell::state::address::key::Leads::ToPlan;
use crate::shell::state::address::key::{LinkKey, Reading};
use crate::shell::state::panels::Mode;

/// The form, and how many of the changes are shown.
pub const FIT: [LinkKey; 10] = [
    // Read with the mode of two documents.
    LinkKey { key: "mode", of: &[ToPlan], write: |state, _| shown(state).then(|| "fit".into()), read: None },
    LinkKey {
        key: "smem",
        of: &[ToPlan],
        write: |state, _| {
            Some(state.fitting.kernel.limit.clone()).filter(|limit| state.is_kernel() && !limit.is_empty())
        },
        read: Some(|link, _, value| link.address.restored.card = Some(value)),
    },
    of_form("mem"),
    of_form("scratch"),
    of_form("persistent"),
    of_form("ops"),
    of_form("allow"),
    of_form("limit"),
    of_form("prefer"),
    LinkKey {
        key: "move",
        of: &[ToPlan],
        write: |state, _| state.fitting.at.filter(|_| shown(state)).map(|at| at.to_string()),
        read: Some(|link, _, value| link.address.restored.fit.get_or_insert_default().1 = value.parse().ok()),
    },
];

const fn of_form(key: &'static str) -> LinkKey {
    LinkKey { key, of: &[ToPlan], write, read: Some(read) }
}

fn shown(state: &State) -> bool {
    state.view.mode == Mode::Fit
}

fn write(state: &State, key: &str) -> Option<String> {
    let mut parts = state.fitting.form.parts().into_iter().filter(|_| shown(state));
    parts.find(|(known, _)| *known == key).map(|(_, value)| value)
}

fn read(link: &mut Reading, key: &str, value: String) {
    link.address.restored.fit.get_or_insert_default().0.take(key, &value);
}
