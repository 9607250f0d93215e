//! The keys of links that carry planners of the user.

use crate::shell::state::address::key::Leads::ToPlan;
use crate::shell::state::address::key::LinkKey;

/// The programs, and what they are called.
pub const CODE: [LinkKey; 2] = [
    LinkKey {
        key: "code",
        of: &[ToPlan],
        write: |state, _| state.carried_programs(),
        read: Some(|link, _, value| link.address.restored.code = Some(value)),
    },
    LinkKey {
        key: "names",
        of: &[ToPlan],
        write: |state, _| state.carried_names(),
        read: Some(|link, _, value| link.address.restored.names = Some(value)),
    },
];
