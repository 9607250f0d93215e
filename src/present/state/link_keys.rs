//! The key of links to a plan or a lesson that is presented.

use crate::shell::state::address::key::Leads::{ToLearn, ToPlan};
use crate::shell::state::address::key::{LinkKey, switch};

/// Whether it is presented.
pub const PRESENT: [LinkKey; 1] = [LinkKey {
    key: "present",
    of: &[ToPlan, ToLearn],
    write: |state, _| switch(state.view.presenting.is_some()),
    read: Some(|link, _, value| link.address.restored.present = value == "1"),
}];
