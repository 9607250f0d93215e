//! Link = state: everything worth showing to someone else, in the fragment of the address, so that
//! nothing reaches a server.
//!
//! `#doc=ex:resnet18&plan=inductor-tree&opt=memory_pool:none&f=37&sel=relu_4&lang=zh&bp=grow,d12`;
//! keys in a fixed order, defaults left out. Each feature lists its keys in `link_keys.rs`.

pub mod key;
pub mod parts;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::compare::diff::state::link_keys as diff;
use crate::compare::state::link_keys as compare;
use crate::fit::state::link_keys as fit;
use crate::learn::lessons::state::link_keys as lessons;
use crate::learn::play::state::address::GameLink;
use crate::learn::play::state::link_keys as play;
use crate::learn::teacher::state::link_keys as teacher;
use crate::open::state::link::{LinkPlace, Restored};
use crate::open::state::link_keys as open;
use crate::open::state::link_keys::target;
use crate::own::state::link_keys as own;
use crate::planners::state::link_keys as planners;
use crate::present::state::link_keys as present;
use crate::shell::state::address::key::{LinkKey, Reading};
use crate::shell::state::address::parts::{escape, unescape};
use crate::shell::state::panels::Mode;
use crate::shell::state::{State, link_keys as shell};
use crate::step::state::link_keys as step;
use memplan_engine::{IMPORTED, PlannerChoice, START, is_own};

pub use key::{Address, Leads, Target};

/// All keys, in the order in which links have them. A key may stand twice, for two kinds of links;
/// the first that reads it does.
const KEYS: [&[LinkKey]; 17] = [
    &diff::OLDER,
    &open::DOCUMENT,
    &play::GAME,
    &teacher::CORNER,
    &lessons::LESSON,
    &planners::PLANNER,
    &own::CODE,
    &planners::SCOPE,
    &diff::COMPARED,
    &step::MOMENT,
    &shell::VIEW,
    &compare::COMPARED,
    &fit::FIT,
    &step::PREDICT,
    &present::PRESENT,
    &shell::SETTINGS,
    &step::BREAKS,
];

fn keys() -> impl Iterator<Item = &'static LinkKey> {
    KEYS.into_iter().flatten()
}

/// The fragment, without `#`, that leads back to this state.
pub fn write(state: &State) -> String {
    let leads = match state.view.mode {
        Mode::Learn => Leads::ToLearn,
        Mode::Diff => Leads::ToDiff,
        Mode::Step | Mode::Edit | Mode::Compare | Mode::Fit => Leads::ToPlan,
    };
    let written = keys().filter(|key| key.of.contains(&leads));
    let parts = written.filter_map(|key| Some(format!("{}={}", key.key, escape(&(key.write)(state, key.key)?))));
    parts.collect::<Vec<_>>().join("&")
}

/// The fragment that leads back to the plan of this state in a page that holds the document as an
/// example of this name.
pub fn write_inside(state: &State, name: &str) -> String {
    let mut plan = state.clone();
    plan.view.mode = if matches!(plan.view.mode, Mode::Learn | Mode::Diff) { Mode::Step } else { plan.view.mode };
    if is_own(&plan.document.planner) {
        // That page runs no program of the user: its plan is in the document.
        (plan.document.planner, plan.document.options) = (IMPORTED.into(), BTreeMap::new());
    }
    let link = write(&plan);
    let parts = link.split('&').filter(|part| !part.starts_with("doc=") && !part.starts_with("name="));
    let document = format!("doc={}", escape(&format!("ex:{name}")));
    std::iter::once(&*document).chain(parts).collect::<Vec<_>>().join("&")
}

/// Reads a fragment, with or without `#`. An empty one leads to the start.
pub fn read(fragment: &str) -> Address {
    let start = Address {
        target: Target::Example(START.into()),
        place: LinkPlace::default(),
        old: None,
        restored: Restored::default(),
        unknown: Vec::new(),
    };
    let (document, older) = Default::default();
    let mut link = Reading { address: start, document, older, paragraph: 1, is_sheet: false, given: 0 };
    for part in fragment.trim_start_matches('#').split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        match keys().find_map(|key| key.read.filter(|_| key.key == name)) {
            Some(read) => read(&mut link, name, unescape(value)),
            None => link.address.unknown.push(name.to_string()),
        }
    }
    let Reading { mut address, document, older, paragraph, is_sheet, given } = link;
    address.restored.given = is_sheet.then_some(given);
    if let Some(place) = &mut address.restored.learn {
        place.paragraph = paragraph.saturating_sub(1);
    }
    address.restored.game = GameLink::of_fragment(fragment).map(|link| {
        let scope = address.restored.scope.clone().unwrap_or_default();
        GameLink { scope, ..link }
    });
    address.target = target(&document).unwrap_or(address.target);
    if let Some(diff) = &mut address.restored.diff {
        // The planner of both sides is not that of the page.
        diff.planner = address.restored.planner.take().map(|text| PlannerChoice::read(&text));
        diff.selection = address.place.selection.take();
        address.old = target(&older);
    }
    address
}
