//! The key of links that carries a planner of the user.

use crate::shell::state::address::key::Leads::ToPlan;
use crate::shell::state::address::key::LinkKey;
use memplan_engine::is_own;

/// The program.
pub const CODE: [LinkKey; 1] = [LinkKey {
    key: "code",
    of: &[ToPlan],
    write: |state, _| state.own.packed().filter(|_| is_own(&state.document.planner)),
    read: Some(|link, _, value| link.address.restored.code = Some(value)),
}];
