//! Keys of links that lead to a moment of a run.

use crate::shell::state::address::key::Leads::{ToDiff, ToPlan};
use crate::shell::state::address::key::{LinkKey, stated, switch};
use crate::shell::state::address::parts::{read_breaks, write_breaks};
use crate::shell::state::panels::Mode;
use memplan_replay::Level;

/// The moment, and what is looked at.
pub const MOMENT: [LinkKey; 4] = [
    LinkKey {
        key: "f",
        of: &[ToPlan],
        // A document without a plan has no frames.
        write: |state, _| state.document.run.as_ref().map(|_| state.frame().to_string()),
        read: Some(|link, _, value| link.address.place.frame = value.parse().ok()),
    },
    LinkKey {
        key: "lv",
        of: &[ToPlan],
        write: |state, _| {
            let level = state.stepping.level;
            (level != Level::default()).then(|| level.name().into())
        },
        read: Some(|link, _, value| link.address.restored.level = Level::from_name(&value)),
    },
    LinkKey {
        key: "sel",
        of: &[ToPlan, ToDiff],
        write: |state, _| match state.view.mode {
            Mode::Diff => state.diffing.link().selection,
            _ => {
                let (run, id) = state.document.run.as_ref().zip(state.stepping.selection)?;
                Some(run.problem.buffers[id].name.clone())
            }
        },
        read: Some(|link, _, value| link.address.place.selection = Some(value)),
    },
    LinkKey {
        key: "t",
        of: &[ToPlan],
        write: |state, _| state.stepping.step.map(|step| step.to_string()),
        read: Some(|link, _, value| link.address.place.step = value.parse().ok()),
    },
];

/// Whether questions are asked about what comes next.
pub const PREDICT: [LinkKey; 1] = [LinkKey {
    key: "predict",
    of: &[ToPlan],
    write: |state, _| switch(state.predicting.on),
    read: Some(|link, _, value| link.address.restored.predict = value == "1"),
}];

/// What stops play.
pub const BREAKS: [LinkKey; 1] = [LinkKey {
    key: "bp",
    of: &[ToPlan],
    write: |state, _| stated(write_breaks(&state.stepping.breaks)),
    read: Some(|link, _, value| link.address.restored.breaks = read_breaks(&value)),
}];
