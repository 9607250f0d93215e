//! Keys of links to plans side by side.

use crate::compare::state::comparison::{Compared, Sheet, Sync};
use crate::shell::state::State;
use crate::shell::state::address::key::Leads::ToPlan;
use crate::shell::state::address::key::{LinkKey, stated};
use crate::shell::state::address::parts::{read_compared, write_compared};
use crate::shell::state::panels::Mode;
use memplan_engine::{PlannerChoice, Vary};

/// The planners, how their plans stand, how they step together, and what is varied.
pub const COMPARED: [LinkKey; 4] = [
    LinkKey {
        key: "cmp",
        of: &[ToPlan],
        write: |state, _| {
            let choices = compared(state)?.choices;
            Some(choices.iter().map(PlannerChoice::text).collect::<Vec<_>>().join("|"))
        },
        read: Some(|link, _, value| {
            let choices = value.split('|').filter(|text| !text.is_empty()).map(PlannerChoice::read).collect();
            link.address.restored.compared.get_or_insert_default().choices = choices;
        }),
    },
    LinkKey {
        key: "cv",
        of: &[ToPlan],
        write: |state, _| stated(write_compared(&compared(state)?)),
        read: Some(|link, _, value| {
            read_compared(&value, link.address.restored.compared.get_or_insert_default());
        }),
    },
    LinkKey {
        key: "by",
        of: &[ToPlan],
        write: |state, _| {
            let sync = compared(state)?.sync;
            (sync != Sync::default()).then(|| sync.name().into())
        },
        read: Some(|link, _, value| {
            link.address.restored.compared.get_or_insert_default().sync = Sync::from_name(&value).unwrap_or_default();
        }),
    },
    LinkKey {
        key: "vary",
        of: &[ToPlan],
        write: |state, _| {
            let compared = compared(state).filter(|compared| compared.sheet == Sheet::Sweep)?;
            (compared.vary != Vary::default()).then(|| compared.vary.text())
        },
        read: Some(|link, _, value| {
            link.address.restored.compared.get_or_insert_default().vary = Vary::read(&value);
        }),
    },
];

fn compared(state: &State) -> Option<Compared> {
    // Columns of a link stay until the reader has agreed to their programs, or not.
    let carried = || state.own.link.as_ref().and_then(|link| link.compared.clone());
    (state.view.mode == Mode::Compare).then(|| carried().unwrap_or_else(|| state.comparing.compared()))
}
