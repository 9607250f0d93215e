//! The key of links that carries planners of the user.

use crate::shell::state::address::key::Leads::ToPlan;
use crate::shell::state::address::key::LinkKey;

/// The programs.
pub const CODE: [LinkKey; 1] = [LinkKey {
    key: "code",
    of: &[ToPlan],
    write: |state, _| state.carried_programs(),
    read: Some(|link, _, value| link.address.restored.code = Some(value)),
}];
