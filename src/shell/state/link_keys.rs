//! Keys of links to what is shown, and how.

use crate::shell::state::State;
use crate::shell::state::address::key::Leads::{ToDiff, ToLearn, ToPlan};
use crate::shell::state::address::key::{LinkKey, stated};
use crate::shell::state::address::parts::read_view;
use crate::shell::state::look::Theme;
use crate::shell::state::panels::Tab;
use memplan_core::text::Locale;
use memplan_scene::{ColorBy, Filter, Window};

/// The panel, the part of the plan, and the colours.
pub const VIEW: [LinkKey; 6] = [
    LinkKey {
        key: "panel",
        of: &[ToPlan],
        write: |state, _| Some(state.chosen_panel()?.name().into()),
        read: Some(|link, _, value| link.address.restored.panel = Tab::from_name(&value)),
    },
    LinkKey {
        key: "slice",
        of: &[ToPlan],
        write: |state, _| (!state.view.look.slice).then(|| "0".into()),
        read: Some(|link, _, value| link.address.restored.no_slice = value == "0"),
    },
    LinkKey {
        key: "view",
        of: &[ToPlan],
        write: |state, _| state.view.window.map(|window| text_of(&window)),
        read: Some(|link, _, value| link.address.restored.view = read_view(&value)),
    },
    LinkKey {
        key: "col",
        of: &[ToPlan],
        write: |state, _| {
            let by = state.view.color_by;
            (by != ColorBy::default()).then(|| by.name().into())
        },
        read: Some(|link, _, value| link.address.restored.color_by = ColorBy::from_name(&value)),
    },
    LinkKey {
        key: "iso",
        of: &[ToPlan],
        write: |state, _| stated(state.view.filter.texts().0),
        read: Some(|link, _, value| {
            let filter = &mut link.address.restored.filter;
            *filter = Filter::read(&value, &filter.texts().1);
        }),
    },
    LinkKey {
        key: "hide",
        of: &[ToPlan],
        write: |state, _| stated(state.view.filter.texts().1),
        read: Some(|link, _, value| {
            let filter = &mut link.address.restored.filter;
            *filter = Filter::read(&filter.texts().0, &value);
        }),
    },
];

/// Language and theme.
pub const SETTINGS: [LinkKey; 2] = [
    LinkKey {
        key: "lang",
        of: &[ToPlan, ToDiff, ToLearn],
        write: |state, _| Some(state.settings.locale.name().into()),
        read: Some(|link, _, value| link.address.restored.locale = Some(Locale::from_tag(&value))),
    },
    LinkKey {
        key: "theme",
        of: &[ToPlan, ToDiff, ToLearn],
        write: |state: &State, _| {
            let theme = state.settings.theme;
            (theme != Theme::System).then(|| theme.name().into())
        },
        read: Some(|link, _, value| link.address.restored.theme = Some(Theme::from_name(&value))),
    },
];

fn text_of(Window { steps, bytes }: &Window) -> String {
    let bytes = bytes.map_or_else(String::new, |(low, high)| format!(",{low},{high}"));
    format!("{},{}{bytes}", steps.0, steps.1)
}
