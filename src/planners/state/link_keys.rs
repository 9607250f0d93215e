//! Keys of links that name the planner, its options and what is planned.

use crate::shell::state::State;
use crate::shell::state::address::key::Leads::{ToDiff, ToPlan};
use crate::shell::state::address::key::{LinkKey, stated};
use crate::shell::state::address::parts::{pairs, read_scope, write_scope};
use crate::shell::state::panels::Mode;
use memplan_engine::PlannerChoice;
use memplan_planners as planner;

/// The planner with its options.
pub const PLANNER: [LinkKey; 2] = [
    LinkKey {
        key: "plan",
        of: &[ToPlan, ToDiff],
        write: |state, _| match state.view.mode {
            Mode::Diff => Some(state.diffing.choice.as_ref()?.text()),
            // A planner of a link stays until the reader has agreed to it, or not.
            _ if carried(state).is_some() => carried(state).and_then(|choice| stated(choice.planner.clone())),
            // A document whose sizes are still to be stated may have no planner yet.
            _ => stated(state.document.planner.clone()),
        },
        read: Some(|link, _, value| link.address.restored.planner = Some(value)),
    },
    LinkKey {
        key: "opt",
        of: &[ToPlan],
        write: |state, _| options(state),
        read: Some(|link, _, value| link.address.restored.options = pairs(&value)),
    },
];

/// What is planned.
pub const SCOPE: [LinkKey; 1] = [LinkKey {
    key: "with",
    of: &[ToPlan, ToDiff],
    write: |state, _| stated(write_scope(&state.document.scope)),
    read: Some(|link, _, value| link.address.restored.scope = Some(read_scope(&value))),
}];

/// The planner of a link that waits for the reader's consent.
fn carried(state: &State) -> Option<&PlannerChoice> {
    state.own.link.as_ref()?.choice.as_ref()
}

/// Options that differ from the defaults.
fn options(state: &State) -> Option<String> {
    if let Some(choice) = carried(state) {
        let given = choice.options.iter().map(|(key, value)| format!("{key}:{value}"));
        return stated(given.collect::<Vec<String>>().join(","));
    }
    let info = planner::info(&state.document.planner)?;
    let given = state.document.options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let options = info.options(given).unwrap_or_default();
    let changed: Vec<String> = options.changed(info).map(|(key, value)| format!("{key}:{value}")).collect();
    stated(changed.join(","))
}
