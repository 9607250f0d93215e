//! The list of planners: a filter, groups, and beside each name what its plan takes.

use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

use crate::app::browser::dom::{document, focus, focus_element, is_field};
use crate::app::browser::hooks::{UseStateHandle, use_effect_with, use_state_eq};
use crate::app::context::{Page, use_page};
use crate::app::controls::pick_row::PickRow;
use crate::app::state::picking::{Peak, Pick, PickFilter};
use crate::app::widgets::icons::{Icon, glyph};
use crate::base::{Family, Message, SortedSet};
use crate::planner::{self, Group};

/// Rows of a group that are shown before the others are asked for.
const FOLDED: usize = 8;

#[derive(Properties, PartialEq)]
pub struct PickerProps {
    /// Name of the list for screen readers.
    pub label: String,
    /// Whether the planner in use is marked.
    pub marks: bool,
    /// Called with the id of the planner that is chosen.
    pub choose: Callback<&'static str>,
}

/// Lists the planners and, for a file with a plan of its own, that plan. A planner that cannot use the document says why.
#[component]
pub fn Picker(props: &PickerProps) -> Html {
    let page = use_page();
    let list = use_node_ref();
    let text = use_state_eq(String::new);
    let by_group = use_state_eq(|| true);
    let opened = use_state_eq(SortedSet::<Group>::new);
    use_effect_with((), |_| {
        let before = document().and_then(|document| document.active_element());
        focus("picker-filter");
        move || focus_element(before)
    });
    let filter = PickFilter::read(&text);
    let all = page.state.picks(*by_group);
    let known = all.iter().filter(|pick| matches!(pick.peak, Peak::Found(_) | Peak::Refused(_))).count();
    let total = all.len();
    let title = |pick: &Pick| planner::title_of(&pick.choice.planner, page.speech());
    let picks: Vec<Pick> = all.into_iter().filter(|pick| filter.takes(pick, &title(pick))).collect();
    let status = page.speech().say(&Message::new("picker.known").count("known", known).count("n", total));
    let onkeydown = keys(&list, &opened);
    let oninput = {
        let text = text.setter();
        Callback::from(move |event: InputEvent| {
            text.set(event.target_unchecked_into::<web_sys::HtmlInputElement>().value());
        })
    };
    let order = |grouped: bool, key: &str| {
        let set = by_group.setter();
        html! { <button type="button" aria-pressed={(*by_group == grouped).to_string()}
        onclick={Callback::from(move |_: MouseEvent| set.set(grouped))}>{ page.word(key) }</button> }
    };
    html! {
        <div class="menu planners picker" role="dialog" aria-label={props.label.clone()} ref={list} {onkeydown}>
            <div class="picker-top">{ glyph(Icon::Find) }
                <input id="picker-filter" type="search" autocomplete="off" spellcheck="false" aria-describedby="picker-known"
                    placeholder={page.speech().say(&Message::new("picker.filter").count("n", total))}
                    aria-label={page.speech().say(&Message::new("picker.filter").count("n", total))} value={(*text).clone()} {oninput} />
                <div class="segments" role="group" aria-label={page.word("picker.order")}>{ order(true, "picker.by-group") }{ order(false, "picker.by-peak") }</div>
            </div>
            <div class="picker-body">
                { for picks.chunk_by(|a, b| !*by_group || a.group == b.group).map(|group| {
                    section(&page, props, group, *by_group, filter.is_empty() && *by_group, &opened)
                }) }
                if picks.is_empty() { <p class="empty">{ page.word("picker.none") }</p> }
            </div>
            <div class="picker-foot"><span class="k"><kbd>{ "↑" }</kbd>{ " " }<kbd>{ "↓" }</kbd></span>
                <span class="k"><kbd>{ "Enter" }</kbd>{ " " }{ page.word("picker.run") }</span>
                <span class="k"><kbd>{ "C" }</kbd>{ " " }{ page.word("picker.add") }</span>
                <span class="k"><kbd>{ "→" }</kbd>{ " " }{ page.word("picker.more-key") }</span><span class="grow"></span>
                <span id="picker-known" role="status">{ status }</span></div>
        </div>
    }
}

/// One group with its first rows; `folds` hides the others behind a button.
fn section(
    page: &Page,
    props: &PickerProps,
    group: &[Pick],
    titled: bool,
    folds: bool,
    opened: &UseStateHandle<SortedSet<Group>>,
) -> Html {
    let kind = group[0].group.filter(|_| titled);
    let is_open = !folds || kind.is_none_or(|kind| opened.contains(&kind));
    // The planner in use is in sight in any case.
    let hidden =
        if is_open { 0 } else { group[FOLDED.min(group.len())..].iter().filter(|pick| !pick.is_current).count() };
    let shown = group.iter().enumerate().filter(|(number, pick)| hidden == 0 || *number < FOLDED || pick.is_current);
    let more = kind.map(|kind| {
        let opened = opened.clone();
        Callback::from(move |_: MouseEvent| {
            let mut groups = (*opened).clone();
            groups.insert(kind);
            opened.set(groups);
        })
    });
    html! {
        <section data-group={kind.map(Group::name)}>
            if let Some(kind) = kind {
                <p class="picker-group">{ page.word(&Family::PLANNER_GROUP.of([kind.name()])) }
                    if hidden > 0 {
                        <button type="button" class="name" onclick={more}>{ page.speech().say(&Message::new("picker.more").count("n", hidden)) }</button>
                    }</p>
            }
            <ul>{ for shown.map(|(_, pick)| html! {
                <PickRow key={pick.choice.planner.clone()} pick={pick.clone()} marks={props.marks} choose={props.choose.clone()} />
            }) }</ul>
        </section>
    }
}

/// Arrows go through filter and rows, Right opens the group or has the peak measured, C adds to the comparison; whatever else
/// is typed goes into the filter.
fn keys(list: &NodeRef, opened: &UseStateHandle<SortedSet<Group>>) -> Callback<KeyboardEvent> {
    let (list, opened) = (list.clone(), opened.clone());
    Callback::from(move |event: KeyboardEvent| {
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        let active = document().and_then(|document| document.active_element());
        let row = active.as_ref().and_then(|active| active.closest(".pick-line").ok().flatten());
        let stops = found(&list, "#picker-filter, .pick:not([disabled])");
        let here = stops.iter().position(|stop| Some(stop) == active.as_ref());
        let in_row = |css: &str| row.as_ref().and_then(|row| row.query_selector(css).ok().flatten());
        let next = match (event.key().as_str(), here) {
            ("ArrowDown", Some(here)) => stops.get(here + 1).cloned(),
            ("ArrowUp", Some(here)) => here.checked_sub(1).map(|before| stops[before].clone()),
            ("ArrowDown" | "ArrowUp", None) => stops.first().cloned(),
            ("ArrowRight", _) if row.is_some() => {
                let group = row.as_ref().and_then(|row| row.closest("section").ok().flatten());
                let name = group.and_then(|group| group.get_attribute("data-group"));
                match in_row(".pick-measure") {
                    Some(measure) => press(&measure),
                    None => {
                        let mut groups = (*opened).clone();
                        groups.extend(Group::ALL.into_iter().filter(|group| Some(group.name()) == name.as_deref()));
                        opened.set(groups);
                    }
                }
                None
            }
            ("c" | "C", _) if row.is_some() => {
                if let Some(add) = in_row(".pick-add:not([disabled])") {
                    press(&add);
                }
                None
            }
            (letter, _) if !is_field(event.target()) && letter.chars().count() == 1 && letter != " " => {
                // The letter goes where the focus is by then.
                event.stop_propagation();
                return focus("picker-filter");
            }
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        if next.is_some() {
            focus_element(next);
        }
    })
}

fn press(element: &Element) {
    if let Some(button) = element.dyn_ref::<web_sys::HtmlElement>() {
        button.click();
    }
}

fn found(list: &NodeRef, css: &str) -> Vec<Element> {
    let found = list.cast::<Element>().and_then(|list| list.query_selector_all(css).ok());
    let found = found.into_iter().flat_map(|found| (0..found.length()).filter_map(move |index| found.get(index)));
    found.filter_map(|node| node.dyn_into().ok()).collect()
}
