//! Link = state: everything worth showing to someone else, in the fragment of the address, so that nothing reaches a server.
//!
//! `#doc=ex:resnet18&plan=inductor-tree&opt=memory_pool:none&f=37&lv=all&sel=relu_4&lang=zh&theme=dark&bp=grow,d12`; keys in
//! a fixed order, defaults left out.

pub mod parts;

use crate::app::model::comparison::Sync;
use crate::app::model::document::{Bytes, Origin};
use crate::app::model::fitting::FitForm;
use crate::app::model::game::GameLink;
use crate::app::model::learning::LearnPlace;
use crate::app::model::link::{DiffLink, LinkPlace, Restored};
use crate::app::model::look::Theme;
use crate::app::model::panels::{Mode, Tab};
use crate::app::model::teaching::Corner;
use crate::app::state::address::parts::{
    escape, pairs, read_breaks, read_compared, read_scope, read_view, unescape, write_breaks, write_compared,
    write_scope,
};
use crate::app::state::{START, State};
use crate::engine::{Carried, IMPORTED, PlannerChoice};
use crate::planner;
use crate::replay::Level;
use crate::scene::{ColorBy, Filter, Window};
use crate::text::Locale;

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

/// What a fragment says.
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
        push("view", format!("{},{},{},{}", steps.0, steps.1, bytes.0, bytes.1));
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

#[cfg(test)]
mod tests {
    use super::parts::*;
    use super::*;
    use crate::app::model::breakpoints::{Breaks, Targets, Wanted};
    use crate::app::model::comparison::{Compared, Sheet};
    use crate::app::state::action::{Action, LearnAction, ViewAction};

    #[test]
    fn a_link_leads_back_to_the_same_state() {
        let text = "doc=ex:resnet18&plan=inductor-tree&opt=memory_pool:none&with=inputs:0,align:256,@s0:8&f=37&lv=all&sel=a%26b%25&col=size&lang=zh&theme=dark&bp=grow,d12";
        let address = read(text);
        assert_eq!(address.target, Target::Example("resnet18".into()));
        assert_eq!(address.place, LinkPlace { frame: Some(37), selection: Some("a&b%".into()), step: None });
        let restored = &address.restored;
        assert_eq!(restored.planner.as_deref(), Some("inductor-tree"));
        assert_eq!(restored.options.get("memory_pool").map(String::as_str), Some("none"));
        let scope = restored.scope.clone().unwrap_or_default();
        assert_eq!((scope.inputs, scope.outputs, scope.align, scope.symbols.get("s0")), (false, true, 256, Some(&8)));
        assert_eq!(
            (restored.level, restored.locale, restored.theme),
            (Some(Level::All), Some(Locale::Zh), Some(Theme::Dark))
        );
        assert_eq!(restored.color_by, Some(ColorBy::Size));
        assert_eq!(write_breaks(&restored.breaks), "grow,d12");
        assert_eq!(write_scope(&scope), "inputs:0,align:256,@s0:8");
    }

    #[test]
    fn classes_brought_out_and_hidden_are_in_the_link() {
        let restored = read("doc=ex:teaching&plan=first-fit&iso=1&hide=0,2").restored;
        assert_eq!(restored.filter.texts(), ("1".into(), "0,2".into()));
        let mut state = State::default();
        state.view.filter = restored.filter;
        assert!(write(&state).contains("iso=1&hide=0,2"), "{}", write(&state));
        let state = state.reduce(Action::View(ViewAction::ColorBy(ColorBy::Size)));
        assert!(
            !write(&state).contains("iso=") && !write(&state).contains("hide="),
            "other colours have other classes"
        );
    }

    #[test]
    fn a_counter_example_is_opened_by_a_link() {
        let address = read("doc=ex:cases/executorch-suite&plan=executorch-suite&opt=algorithms:naive;greedy");
        assert_eq!(address.target, Target::Example("cases/executorch-suite".into()));
        assert_eq!(address.restored.options.get("algorithms").map(String::as_str), Some("naive;greedy"));
        assert_eq!(escape("ex:cases/executorch-suite"), "ex:cases/executorch-suite");
    }

    #[test]
    fn a_comparison_travels_in_the_link() {
        let restored = read("#doc=ex:resnet18&cmp=first-fit%7Cbeam%3Bk%3D4").restored;
        let choices = restored.compared.expect("columns").choices;
        assert_eq!(choices.iter().map(PlannerChoice::text).collect::<Vec<_>>(), ["first-fit", "beam;k=4"]);
        assert_eq!(read("#doc=ex:resnet18").restored.compared, None);
        let view = "ref:1,step:45,diff:1,fit:1,turn:1,sheet:charts,cur:12/4294967295";
        let compared = read(&format!("#cmp=naive&cv={view}&by=own")).restored.compared.expect("a view");
        assert_eq!((compared.reference, compared.step, compared.position), (1, Some(45), None));
        assert_eq!((compared.sync, compared.sheet), (Sync::Own, Sheet::Charts));
        assert_eq!(write_compared(&compared), view);
        let frame = read("#cmp=naive&cv=at:12&by=frame").restored.compared.expect("a view");
        assert_eq!((frame.sync, frame.position, write_compared(&frame).as_str()), (Sync::Frame, Some(12), "at:12"));
        assert_eq!(write_compared(&Compared::default()), "");
    }

    #[test]
    fn a_comparison_of_an_older_link_shows_what_it_showed() {
        let view = |view: &str| {
            let compared = read(&format!("#cmp=naive{view}")).restored.compared.expect("a comparison");
            (compared.sync, compared.position)
        };
        assert_eq!(view("&cv=sync:buffer,at:12"), (Sync::Buffer, Some(12)));
        assert_eq!(view("&cv=at:7,sync:fraction"), (Sync::Fraction, Some(7)));
        assert_eq!(view("&cv=sync:independent"), (Sync::Own, None));
        // The finished plans, which are what every way to step begins with.
        assert_eq!(view("&cv=sync:final"), (Sync::Buffer, None));
        assert_eq!(view(""), (Sync::Buffer, None));
    }

    #[test]
    fn what_stops_play_keeps_its_numbers() {
        let breaks = read("#bp=grow,address:416,step:7,d3").restored.breaks;
        assert_eq!(breaks.targets, Targets { address: 416, step: 7 });
        assert_eq!(breaks.kinds.iter().copied().collect::<Vec<_>>(), [Wanted::Growth, Wanted::Address, Wanted::Step]);
        assert_eq!(write_breaks(&breaks), "grow,address:416,step:7,d3");
        let of_node = Breaks { kinds: [Wanted::Node].into(), ..Breaks::default() };
        assert_eq!(write_breaks(&of_node), "");
        assert!(read("#bp=step:99999999999,address:x").restored.breaks.kinds.is_empty());
    }

    #[test]
    fn small_documents_travel_in_the_link() {
        let packed = crate::engine::pack(b"{}").expect("short");
        let target = Target::Inline("mine".into(), packed.clone().into_bytes().into());
        assert_eq!(read(&format!("#doc={packed}&name=mine")).target, target);
    }

    #[test]
    fn what_is_seen_travels_in_the_link() {
        let window = Window { steps: (-1.5, 44.25), bytes: (0.0, 5_242_880.0) };
        assert_eq!(read("#view=-1.5,44.25,0,5242880").restored.view, Some(window));
        let state = State::default().reduce(Action::View(ViewAction::Viewed(Some(window))));
        assert!(write(&state).contains("view=-1.5,44.25,0,5242880"), "{}", write(&state));
        for nonsense in ["", "1,2,3", "2,1,0,5", "0,1,0,inf", "0,NaN,0,1", "1,2,3,4,5"] {
            assert_eq!(read(&format!("#view={nonsense}")).restored.view, None, "{nonsense}");
        }
    }

    #[test]
    fn the_cursor_the_chosen_panel_and_the_slice_travel_in_the_link() {
        let address = read("#doc=ex:resnet18&f=12&t=7&panel=state&slice=0");
        assert_eq!((address.place.step, address.restored.panel), (Some(7), Some(Tab::State)));
        assert!(address.restored.no_slice && address.unknown.is_empty());
        let other = read("#t=x&panel=graph&slice=1");
        assert_eq!((other.place.step, other.restored.panel, other.restored.no_slice), (None, None, false));
        let mut state = State::default();
        state.stepping.step = Some(7);
        assert!(write(&state).contains("t=7") && !write(&state).contains("panel"), "{}", write(&state));
        state.view.panels.tab = Some(Tab::Why);
        state.view.look.slice = false;
        assert!(write(&state).contains("t=7&panel=why&slice=0"), "{}", write(&state));
    }

    #[test]
    fn a_place_in_the_lessons_travels_in_the_link() {
        let place = |link: &str| read(link).restored.learn;
        assert_eq!(place("#learn"), Some(LearnPlace { lesson: None, paragraph: 0 }));
        assert_eq!(place("#learn=5&p=3&lang=zh"), Some(LearnPlace { lesson: Some(5), paragraph: 2 }));
        assert_eq!(place("#learn=x&p=-1"), Some(LearnPlace { lesson: None, paragraph: 0 }));
        assert_eq!(place("#doc=ex:teaching&p=3"), None);
        let open = |place| write(&State::default().reduce(Action::Learn(LearnAction::Open(place))));
        assert_eq!(open(LearnPlace { lesson: Some(5), paragraph: 2 }), "learn=5&p=3&lang=en");
        assert_eq!(open(LearnPlace::default()), "learn=&lang=en");
    }

    #[test]
    fn nonsense_leads_to_the_start() {
        assert_eq!(read("").target, Target::Example(START.into()));
        let address = read("#doc=y:%%%&wat=1&f=minus");
        assert_eq!(address.target, Target::Example(START.into()));
        assert_eq!(address.unknown, ["wat"]);
        assert_eq!(address.place.frame, None);
    }
}
