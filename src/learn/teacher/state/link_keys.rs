//! Keys of links to the teacher's corner.

use crate::learn::teacher::state::form::Corner;
use crate::shell::state::address::key::Leads::ToLearn;
use crate::shell::state::address::key::LinkKey;

/// The part that is open, and the worksheet that is asked for.
pub const CORNER: [LinkKey; 4] = [
    LinkKey {
        key: "teach",
        of: &[ToLearn],
        write: |state, _| Some(state.teaching.corner.filter(|_| state.game.is_none())?.name().into()),
        read: Some(|link, _, value| link.address.restored.teach = Some(Corner::from_name(&value))),
    },
    // The two that follow are written by other programs.
    LinkKey {
        key: "check",
        of: &[],
        write: |_, _| None,
        read: Some(|link, _, _| link.address.restored.teach = Some(Corner::Link)),
    },
    LinkKey {
        key: "worksheet",
        of: &[],
        write: |_, _| None,
        read: Some(|link, _, value| (link.document[0], link.is_sheet) = (value, true)),
    },
    LinkKey {
        key: "given",
        of: &[],
        write: |_, _| None,
        read: Some(|link, _, value| link.given = value.parse().unwrap_or_default()),
    },
];
