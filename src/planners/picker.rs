//! The list of planners: a filter, groups, and beside each name what its plan takes.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

use crate::browser::dom::{active, bring_into_sight, by_id, focus, focus_element, is_field};
use crate::context::{Page, use_page};
use crate::own::state::names::is_in;
use crate::planners::own_row::OwnRow;
use crate::planners::pick_row::PickRow;
use crate::planners::state::own::OwnPick;
use crate::planners::state::{Peak, Pick, PickFilter};
use crate::shell::state::action::{Action, OwnAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::{Family, Message};
use memplan_engine::{OWN_NAME, PlannerChoice};
use memplan_planners::{self as planner, Group};

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

/// Lists the planners and, for a file with a plan of its own, that plan. A planner that cannot use
/// the document has the reason beside it.
#[component]
pub fn Picker(props: &PickerProps) -> Html {
    let page = use_page();
    let list = use_node_ref();
    let text = use_state_eq(String::new);
    let by_group = use_state_eq(|| true);
    let opened = use_state_eq(BTreeSet::<Group>::new);
    use_focus(&list);
    let early = use_mut_ref(Vec::new);
    use_effect_with((*text).clone(), {
        let (list, early) = (list.clone(), early.clone());
        move |text| catch_up(&list, text, &early)
    });
    let filter = PickFilter::read(&text);
    let all = page.state.picks(*by_group);
    let known = all.iter().filter(|pick| matches!(pick.peak, Peak::Found(_) | Peak::Refused(_))).count();
    let total = all.len();
    let title = |pick: &Pick| planner::title_of(&pick.choice.planner, page.speech());
    let mut picks: Vec<Pick> = all.into_iter().filter(|pick| filter.takes(pick, &title(pick))).collect();
    // Whoever types a whole name means that planner.
    let exact = picks.iter().find(|pick| filter.names(pick, &title(pick)));
    if let Some((group, choice)) = exact.map(|pick| (pick.group, pick.choice.clone())) {
        picks.sort_by_key(|pick| (*by_group && pick.group != group, pick.choice != choice));
    }
    // The one that Enter takes, as soon as something is typed.
    let next = picks.iter().find(|pick| pick.applies && !filter.is_empty()).map(|pick| pick.choice.clone());
    let status = page.speech().say(&Message::new("picker.known").count("known", known).count("n", total));
    let onkeydown = keys(&list, &opened, (*text).clone(), early);
    let oninput = {
        let text = text.setter();
        Callback::from(move |event: InputEvent| {
            text.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let mut own = page.state.own_picks();
    own.retain(|own| (props.marks || own.is_ready) && filter.takes(&own.pick, &own.name));
    let next_own = own.first().filter(|_| next.is_none() && !filter.is_empty()).map(|own| own.at);
    let write = match () {
        () if !props.marks => WriteRow::None,
        () if filter.is_empty() => WriteRow::Shown,
        // What is typed names the way to the user's own, unless it names a planner.
        () if picks.is_empty() && own.is_empty() && is_in(&text, &format!("{} {OWN_NAME}", page.word("own.write"))) => {
            WriteRow::Next
        }
        () => WriteRow::None,
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
                    placeholder={page.speech().say(&Message::new("picker.filter-short").count("n", total))} title={page.speech().say(&Message::new("picker.filter").count("n", total))}
                    aria-label={page.speech().say(&Message::new("picker.filter").count("n", total))} value={(*text).clone()} {oninput} />
                <div class="segments" role="group" aria-label={page.word("picker.order")}>{ order(true, "picker.by-group") }{ order(false, "picker.by-peak") }</div>
            </div>
            <div class="picker-body">
                { for picks.chunk_by(|a, b| !*by_group || a.group == b.group).map(|group| {
                    section(&page, props, group, *by_group, filter.is_empty() && *by_group, next.as_ref(), &opened)
                }) }
                if picks.is_empty() && own.is_empty() && write == WriteRow::None { <p class="empty">{ page.word("picker.none") }</p> }
                { own_rows(&page, props, &own, write, next_own) }
            </div>
            <div class="picker-foot"><span class="k"><kbd>{ "↑" }</kbd>{ " " }<kbd>{ "↓" }</kbd></span>
                <span class="k"><kbd>{ "Enter" }</kbd>{ " " }{ page.word("picker.run") }</span>
                <span class="k"><kbd>{ "C" }</kbd>{ " " }{ page.word("picker.add") }</span>
                <span class="k"><kbd>{ "→" }</kbd>{ " " }{ page.word("picker.more-key") }</span><span class="grow"></span>
                <span id="picker-known" role="status">{ status }</span></div>
        </div>
    }
}

/// The filter has the focus as long as the list is open, with the current planner in sight.
#[hook]
fn use_focus(list: &NodeRef) {
    let list = list.clone();
    use_effect_with((), move |()| {
        let before = active();
        focus("picker-filter");
        found(&list, "[aria-current=true]").first().into_iter().for_each(bring_into_sight);
        move || focus_element(before)
    });
}

/// The last rows: the user's own programs, below the way to the editor or a heading. Enter in the
/// filter takes the row of `next`.
fn own_rows(page: &Page, props: &PickerProps, own: &[OwnPick], write: WriteRow, next: Option<usize>) -> Html {
    let count = page.state.own.drafts().len();
    let about = match count {
        0 => page.word("own.write-about"),
        _ => page.speech().say(&Message::new("own.programs-of").count("n", count)),
    };
    html! { <>
        if write != WriteRow::None {
            <button type="button" class={classes!("write-own", (write == WriteRow::Next).then_some("next"))} id="write-own" onclick={page.on(|| Action::Own(OwnAction::Write))}>
                { glyph(Icon::Edit) }<b>{ page.word("own.write") }</b><span class="muted">{ about }</span>
            </button>
        } else if !own.is_empty() {
            <p class="picker-group">{ page.word("own.programs") }</p>
        }
        <ul>{ for own.iter().enumerate().map(|(number, own)| html! {
            <OwnRow key={own.at} own={own.clone()} marks={props.marks} is_next={next == Some(own.at)} id={(!props.marks && number == 0).then_some("add-own")} choose={props.choose.clone()} />
        }) }</ul>
    </> }
}

/// The row that leads to the editor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WriteRow {
    /// It is not there.
    None,
    /// It is there.
    Shown,
    /// Nothing else matches what is typed: Enter takes it.
    Next,
}

/// Why a planner cannot use the document. It stands once above all planners of which it is true:
/// those come last.
fn refusal(pick: &Pick) -> Option<&Message> {
    match &pick.peak {
        Peak::Refused(why) if !pick.applies => Some(why),
        _ => None,
    }
}

/// The same of several planners.
fn why_none(page: &Page, why: &Message) -> String {
    match &*why.key {
        "fault.needs-graph" => page.word("picker.needs-graph"),
        _ => page.speech().say(why),
    }
}

/// One group with its first rows; `folds` hides the others behind a button. `next` is the planner
/// that Enter takes.
fn section(
    page: &Page,
    props: &PickerProps,
    group: &[Pick],
    titled: bool,
    folds: bool,
    next: Option<&PlannerChoice>,
    opened: &UseStateHandle<BTreeSet<Group>>,
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
    let mut said: Option<&Message> = None;
    html! {
        <section data-group={kind.map(Group::name)}>
            if let Some(kind) = kind {
                <p class="picker-group">{ page.word(&Family::PLANNER_GROUP.of([kind.name()])) }
                    if hidden > 0 {
                        <button type="button" class="name" onclick={more}>{ page.speech().say(&Message::new("picker.more").count("n", hidden)) }</button>
                    }</p>
            }
            <ul>{ for shown.map(|(_, pick)| html! { <key={pick.choice.planner.clone()}>
                if let Some(why) = refusal(pick).filter(|why| said.replace(*why) != Some(*why)) {
                    <li class="pick-why muted">{ why_none(page, why) }</li>
                }
                <PickRow pick={pick.clone()} marks={props.marks} is_next={next == Some(&pick.choice)} choose={props.choose.clone()} />
            </> }) }</ul>
        </section>
    }
}

/// A key of the filter that goes to the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ListKey {
    Down,
    Up,
    Enter,
}

impl ListKey {
    fn of(key: &str) -> Option<ListKey> {
        match key {
            "ArrowDown" => Some(ListKey::Down),
            "ArrowUp" => Some(ListKey::Up),
            "Enter" => Some(ListKey::Enter),
            _ => None,
        }
    }

    /// Does what the key does by itself once the list is that of the filter.
    fn act(self, list: &NodeRef) {
        let active = active();
        match self {
            ListKey::Enter => {
                let is_row = |active: &Element| active.matches(".pick").unwrap_or(false);
                let is_filter = active.as_ref().is_some_and(|active| active.id() == "picker-filter");
                let first =
                    || found(list, ".pick:not([disabled]), .write-own.next").into_iter().next().filter(|_| is_filter);
                active.filter(is_row).or_else(first).iter().for_each(press);
            }
            ListKey::Down | ListKey::Up => focus_element(neighbour(list, active.as_ref(), self == ListKey::Down)),
        }
    }
}

/// Whether the list is not yet that of the text in its filter: on a busy machine keys come faster
/// than lists are drawn.
fn lags_behind(shown: &str) -> bool {
    by_id("picker-filter").is_some_and(|filter| filter.unchecked_into::<HtmlInputElement>().value() != shown)
}

/// Does what the keys that came too early were meant to do, once the list is that of the text in
/// its filter.
fn catch_up(list: &NodeRef, shown: &str, early: &RefCell<Vec<ListKey>>) {
    if !lags_behind(shown) {
        early.take().into_iter().for_each(|key| key.act(list));
    }
}

/// Arrows go through filter and rows, Right opens the group or has the peak measured, C adds to the
/// comparison; whatever else is typed goes into the filter. The list in sight is that of the text
/// `shown`; keys for another one wait in `early`.
fn keys(
    list: &NodeRef,
    opened: &UseStateHandle<BTreeSet<Group>>,
    shown: String,
    early: Rc<RefCell<Vec<ListKey>>>,
) -> Callback<KeyboardEvent> {
    let (list, opened) = (list.clone(), opened.clone());
    Callback::from(move |event: KeyboardEvent| {
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        if let Some(key) = ListKey::of(&event.key()) {
            if lags_behind(&shown) {
                early.borrow_mut().push(key);
                event.prevent_default();
                return event.stop_propagation();
            }
            // Those that came too early go first.
            catch_up(&list, &shown, &early);
        }
        let active = active();
        let row = active.as_ref().and_then(|active| active.closest(".pick-line").ok().flatten());
        let in_row = |css: &str| row.as_ref().and_then(|row| row.query_selector(css).ok().flatten());
        match event.key().as_str() {
            // A row has its own Enter.
            "Enter" if row.is_none() && is_field(event.target()) => ListKey::Enter.act(&list),
            "ArrowDown" => ListKey::Down.act(&list),
            "ArrowUp" => ListKey::Up.act(&list),
            "ArrowRight" if row.is_some() => {
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
            }
            "c" | "C" if row.is_some() => in_row(".pick-add:not([disabled])").iter().for_each(press),
            letter if !is_field(event.target()) && letter.chars().count() == 1 && letter != " " => {
                // The letter goes where the focus is by then.
                event.stop_propagation();
                return focus("picker-filter");
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    })
}

/// The filter or row above or below the one that has the focus.
fn neighbour(list: &NodeRef, active: Option<&Element>, below: bool) -> Option<Element> {
    let stops = found(list, "#picker-filter, .pick:not([disabled]), .write-own:not([disabled])");
    let here = stops.iter().position(|stop| Some(stop) == active);
    let at = match here {
        Some(here) if below => here + 1,
        Some(here) => here.checked_sub(1)?,
        None => 0,
    };
    stops.get(at).cloned()
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
