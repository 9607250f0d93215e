//! Link = state: everything worth showing to someone else, in the fragment of the address, so that
//! nothing reaches a server.
//!
//! `#doc=ex:resnet18&plan=inductor-tree&opt=memory_pool:none&f=37&sel=relu_4&lang=zh&bp=grow,d12`;
//! keys in a fixed order, defaults left out.

pub mod parts;
#[cfg(test)]
mod tests;

use crate::compare::state::comparison::Sync;
use crate::fit::state::form::FitForm;
use crate::learn::lessons::state::progress::LearnPlace;
use crate::learn::play::state::address::GameLink;
use crate::learn::teacher::state::form::Corner;
use crate::open::state::document::{Bytes, Origin};
use crate::open::state::link::{DiffLink, LinkPlace, Restored};
use crate::shell::state::State;
use crate::shell::state::address::parts::{
    escape, pairs, read_breaks, read_compared, read_scope, read_view, unescape, write_breaks, write_compared,
    write_scope,
};
use crate::shell::state::look::Theme;
use crate::shell::state::panels::{Mode, Tab};
use memplan_core::text::Locale;
use memplan_engine::{Carried, IMPORTED, PlannerChoice, START};
use memplan_planners as planner;
use memplan_replay::Level;
use memplan_scene::{ColorBy, Filter, Window};

/// The document a link names.
#[derive(Clone, PartialEq, Debug)]
pub enum Target {
    /// A built-in example, by name.
    Example(String),
    /// The document itself as the link carries it, with its name. The worker unpacks it.
    Inline(String, Bytes),
    /// A file of another site, by its address.
    Remote(String),
    /// A file too large for a link: the reader has to open it.
    Local(String),
}

/// The contents of a fragment.
#[derive(Clone, PartialEq, Debug)]
pub struct Address {
    /// The document.
    pub target: Target,
    /// The moment that it points at.
    pub place: LinkPlace,
    /// The document that it is compared with.
    pub old: Option<Target>,
    /// Settings that it carries.
    pub restored: Restored,
    /// Keys that mean nothing here.
    pub unknown: Vec<String>,
}

/// The fragment, without `#`, that leads back to this state.
pub fn write(state: &State) -> String {
    let mut parts = Vec::new();
    let mut push = |key: &str, value: String| parts.push(format!("{key}={}", escape(&value)));
    // A lesson brings its documents itself.
    if state.view.mode == Mode::Learn {
        let game = state.game.as_ref();
        if let Some(game) = game {
            let scope = write_scope(&game.link.scope);
            game.link_here().pairs().into_iter().for_each(|(key, value)| push(key, value));
            if !scope.is_empty() {
                push("with", scope);
            }
        } else if let Some(part) = state.teaching.corner {
            push("teach", part.name().into());
        }
        let LearnPlace { lesson, paragraph } = state.learning.place;
        if state.teaching.corner.is_none() && game.is_none() {
            push("learn", lesson.map(|number| number.to_string()).unwrap_or_default());
        }
        if lesson.is_some() && paragraph > 0 && state.teaching.corner.is_none() && game.is_none() {
            push("p", (paragraph + 1).to_string());
        }
        if state.view.presenting.is_some() {
            push("present", "1".into());
        }
        push("lang", state.settings.locale.name().into());
        if state.settings.theme != Theme::System {
            push("theme", state.settings.theme.name().into());
        }
        return parts.join("&");
    }
    let diffs = state.view.mode == Mode::Diff;
    if diffs {
        push("mode", "diff".into());
        if let Some(old) = &state.diffing.old {
            let packed = state.diffing.shown().map(|shown| shown.packed.clone()).unwrap_or_default();
            let packed = packed.plan.or(packed.document);
            write_document(&mut push, ["old", "oldname"], &old.origin, packed.as_ref(), false);
        }
    }
    if let Some(document) = &state.document.open {
        let Carried { document: whole, plan } = &*document.packed;
        let has_own = diffs || state.document.planner == IMPORTED;
        let packed = plan.as_ref().filter(|_| has_own).or(whole.as_ref());
        // What was answered about a file is not at its address.
        let is_answered = !document.choices.are_none();
        let keys = if diffs { ["new", "name"] } else { ["doc", "name"] };
        write_document(&mut push, keys, &document.origin, packed, is_answered);
    }
    if diffs {
        write_diff(&mut push, state);
        return parts.join("&");
    }
    // A document whose sizes are still to be stated may have no planner yet, and has no frames.
    if !state.document.planner.is_empty() {
        push("plan", state.document.planner.clone());
    }
    if let Some(info) = planner::info(&state.document.planner) {
        let given = state.document.options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let options = info.options(given).unwrap_or_default();
        let changed: Vec<String> = options.changed(info).map(|(key, value)| format!("{key}:{value}")).collect();
        if !changed.is_empty() {
            push("opt", changed.join(","));
        }
    }
    let scope = write_scope(&state.document.scope);
    if !scope.is_empty() {
        push("with", scope);
    }
    if state.document.run.is_some() {
        push("f", state.frame().to_string());
    }
    if state.stepping.level != Level::default() {
        push("lv", state.stepping.level.name().into());
    }
    if let Some((run, id)) = state.document.run.as_ref().zip(state.stepping.selection) {
        push("sel", run.problem.buffers[id].name.clone());
    }
    if let Some(step) = state.stepping.step {
        push("t", step.to_string());
    }
    if let Some(panel) = state.chosen_panel() {
        push("panel", panel.name().into());
    }
    if !state.view.look.slice {
        push("slice", "0".into());
    }
    if let Some(Window { steps, bytes }) = state.view.window {
        let bytes = bytes.map_or_else(String::new, |(low, high)| format!(",{low},{high}"));
        push("view", format!("{},{}{bytes}", steps.0, steps.1));
    }
    if state.view.color_by != ColorBy::default() {
        push("col", state.view.color_by.name().into());
    }
    let (isolated, hidden) = state.view.filter.texts();
    for (key, classes) in [("iso", isolated), ("hide", hidden)] {
        if !classes.is_empty() {
            push(key, classes);
        }
    }
    if state.view.mode == Mode::Compare {
        let compared = state.comparing.compared();
        push("cmp", compared.choices.iter().map(PlannerChoice::text).collect::<Vec<_>>().join("|"));
        let view = write_compared(&compared);
        if !view.is_empty() {
            push("cv", view);
        }
        if compared.sync != Sync::default() {
            push("by", compared.sync.name().into());
        }
    }
    if state.view.mode == Mode::Fit {
        push("mode", "fit".into());
        state.fitting.form.parts().into_iter().for_each(|(key, value)| push(key, value));
        if let Some(at) = state.fitting.at {
            push("move", at.to_string());
        }
    }
    if state.predicting.on {
        push("predict", "1".into());
    }
    if state.view.presenting.is_some() {
        push("present", "1".into());
    }
    push("lang", state.settings.locale.name().into());
    if state.settings.theme != Theme::System {
        push("theme", state.settings.theme.name().into());
    }
    let breaks = write_breaks(&state.stepping.breaks);
    if !breaks.is_empty() {
        push("bp", breaks);
    }
    parts.join("&")
}

/// Writes where a document comes from, or the document itself.
fn write_document(
    push: &mut dyn FnMut(&str, String),
    [key, name]: [&str; 2],
    origin: &Origin,
    packed: Option<&String>,
    is_answered: bool,
) {
    match (origin, packed) {
        (Origin::Example(name), _) => push(key, format!("ex:{name}")),
        (Origin::Remote(address), packed) if packed.is_none() || !is_answered => push(key, format!("url:{address}")),
        (origin, Some(packed)) => {
            push(key, packed.to_string());
            push(name, origin.name().into());
        }
        (origin, None) => push(key, format!("local:{}", origin.name())),
    }
}

/// Writes what a comparison of two documents shows.
fn write_diff(push: &mut dyn FnMut(&str, String), state: &State) {
    let DiffLink { planner, without_weights, selection } = state.diffing.link();
    if let Some(choice) = planner {
        push("plan", choice.text());
    }
    let scope = write_scope(&state.document.scope);
    if !scope.is_empty() {
        push("with", scope);
    }
    if without_weights {
        push("without", "weights".into());
    }
    if let Some(name) = selection {
        push("sel", name);
    }
    push("lang", state.settings.locale.name().into());
    if state.settings.theme != Theme::System {
        push("theme", state.settings.theme.name().into());
    }
}

/// Reads a fragment, with or without `#`. An empty one leads to the start.
pub fn read(fragment: &str) -> Address {
    let mut address = Address {
        target: Target::Example(START.into()),
        place: LinkPlace::default(),
        old: None,
        restored: Restored::default(),
        unknown: Vec::new(),
    };
    let (mut name, mut doc) = (String::new(), String::new());
    let (mut old_name, mut old) = (String::new(), String::new());
    let mut paragraph = 1usize;
    let (mut is_sheet, mut given) = (false, 0);
    for part in fragment.trim_start_matches('#').split('&').filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let value = unescape(value);
        let restored = &mut address.restored;
        match key {
            "doc" | "new" => doc = value,
            "old" => old = value,
            "oldname" => old_name = value,
            "mode" if value == "diff" => _ = restored.diff.get_or_insert_default(),
            "mode" if value == "fit" => _ = restored.fit.get_or_insert_default(),
            "move" => restored.fit.get_or_insert_default().1 = value.parse().ok(),
            key if FitForm::default().take(key, &value) => {
                restored.fit.get_or_insert_default().0.take(key, &value);
            }
            "without" => restored.diff.get_or_insert_default().without_weights = value == "weights",
            "learn" => {
                restored.learn = Some(LearnPlace { lesson: value.parse().ok(), paragraph: 0 });
            }
            "teach" => restored.teach = Some(Corner::from_name(&value)),
            "check" => restored.teach = Some(Corner::Link),
            "worksheet" => (doc, is_sheet) = (value, true),
            "given" => given = value.parse().unwrap_or_default(),
            "p" => paragraph = value.parse().unwrap_or(1),
            "name" => name = value,
            "plan" => restored.planner = Some(value),
            "opt" => restored.options = pairs(&value),
            "with" => restored.scope = Some(read_scope(&value)),
            "f" => address.place.frame = value.parse().ok(),
            "lv" => restored.level = Level::from_name(&value),
            "col" => restored.color_by = ColorBy::from_name(&value),
            "iso" => restored.filter = Filter::read(&value, &restored.filter.texts().1),
            "hide" => restored.filter = Filter::read(&restored.filter.texts().0, &value),
            "view" => restored.view = read_view(&value),
            "sel" => address.place.selection = Some(value),
            "t" => address.place.step = value.parse().ok(),
            "panel" => restored.panel = Tab::from_name(&value),
            "slice" => restored.no_slice = value == "0",
            "cmp" => {
                let choices = value.split('|').filter(|text| !text.is_empty()).map(PlannerChoice::read).collect();
                restored.compared.get_or_insert_default().choices = choices;
            }
            "cv" => read_compared(&value, restored.compared.get_or_insert_default()),
            "by" => {
                restored.compared.get_or_insert_default().sync = Sync::from_name(&value).unwrap_or_default();
            }
            "lang" => restored.locale = Some(Locale::from_tag(&value)),
            "theme" => restored.theme = Some(Theme::from_name(&value)),
            "predict" => restored.predict = value == "1",
            "present" => restored.present = value == "1",
            "bp" => restored.breaks = read_breaks(&value),
            other => address.unknown.push(other.to_string()),
        }
    }
    address.restored.given = is_sheet.then_some(given);
    if let Some(place) = &mut address.restored.learn {
        place.paragraph = paragraph.saturating_sub(1);
    }
    address.restored.game = GameLink::of_fragment(fragment).map(|link| {
        let scope = address.restored.scope.clone().unwrap_or_default();
        GameLink { scope, ..link }
    });
    address.target = target(&doc, &name).unwrap_or(address.target);
    if let Some(diff) = &mut address.restored.diff {
        // The planner of both sides is not that of the page.
        diff.planner = address.restored.planner.take().map(|text| PlannerChoice::read(&text));
        diff.selection = address.place.selection.take();
        address.old = target(&old, &old_name);
    }
    address
}

/// The document that a part of a fragment names.
fn target(text: &str, name: &str) -> Option<Target> {
    Some(match text.split_once(':')? {
        ("ex", example) => Target::Example(example.into()),
        ("z", _) => {
            let name = if name.is_empty() { "link" } else { name };
            Target::Inline(name.into(), text.as_bytes().to_vec().into())
        }
        ("url", address) => Target::Remote(address.into()),
        ("local", file) => Target::Local(file.into()),
        _ => return None,
    })
}
