//! One planner of the list: its names, its peak against the bound, and what can be done with it.

use yew::prelude::*;

use crate::browser::css;
use crate::context::{Page, use_page};
use crate::planners::state::{Peak, Pick};
use crate::shell::state::action::{Action, CompareAction, ViewAction};
use crate::shell::state::panels::Mode;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::{Family, Message, exact};
use memplan_engine::IMPORTED;
use memplan_planners::{self as planner, Effort};

/// Largest ratio of peak and bound that a bar shows; it is cut beyond.
const SCALE: f64 = 1.9;

#[derive(Properties, PartialEq)]
pub struct PickRowProps {
    pub pick: Pick,
    pub marks: bool,
    /// Whether Enter in the filter takes it.
    pub is_next: bool,
    pub choose: Callback<&'static str>,
}

#[component]
pub fn PickRow(props: &PickRowProps) -> Html {
    let page = use_page();
    let at = use_state_eq(|| false);
    let pick = &props.pick;
    let info = planner::info(&pick.choice.planner);
    let id = info.map_or(IMPORTED, |info| info.id);
    let (system, name) =
        info.map_or_else(|| (page.word("planner.imported"), String::new()), |info| info.title(page.speech()));
    let variant = if system == name { String::new() } else { name };
    let current = props.marks && pick.is_current;
    let onclick = {
        let choose = props.choose.clone();
        Callback::from(move |_: MouseEvent| choose.emit(id))
    };
    let focused = |on: bool| {
        let at = at.setter();
        Callback::from(move |_: FocusEvent| at.set(on))
    };
    // It stands above the row, too, for those who see all of them.
    let refused = match &pick.peak {
        Peak::Refused(why) if !pick.applies => Some(page.speech().say(why)),
        _ => None,
    };
    html! {
        <li class={classes!("pick-line", at.then_some("at"), props.is_next.then_some("next"))} onfocusin={focused(true)} onfocusout={focused(false)}>
            <button type="button" class="pick" data-planner={id} disabled={!pick.applies} title={refused} aria-current={current.then_some("true")} {onclick}>
                <span class="pick-mark" aria-hidden="true">{ if current { "✓" } else { "" } }</span>
                <span class="cut" title={planner::title_of(&pick.choice.planner, page.speech())}><b>{ system }</b>{ " " }<span class="muted">{ variant }</span></span>
                { if pick.applies { figures(&page, &pick.peak) } else { Html::default() } }
            </button>
            { acts(&page, pick) }
            if *at && pick.applies { { note(&page, pick) } }
        </li>
    }
}

/// A bar of a peak in parts of the bound, which a line marks; a break ends one that is longer.
pub fn ratio_bar(ratio: f64) -> Html {
    let (bound, over) = (100.0 / SCALE, 100.0 / SCALE * (ratio.min(SCALE) - 1.0).max(0.0));
    html! { <span class={classes!("pbar", (ratio > SCALE).then_some("long"))} ~style={css(format!("--b:{bound:.1}%"))} aria-hidden="true"><i ~style={css(format!("width:{:.1}%", bound * ratio.min(1.0)))}></i>
    if over > 0.0 { <i class="over" ~style={css(format!("left:{bound:.1}%;width:{over:.1}%"))}></i> }</span> }
}

/// The bar, the peak and its ratio, or why there is none.
pub(super) fn figures(page: &Page, peak: &Peak) -> Html {
    match peak {
        Peak::Found(found) => {
            let ratio = found.ratio().unwrap_or(1.0);
            let is_bound = found.is_at_bound();
            let all = format!("{}\u{202f}B", exact(found.peak));
            let but = match found.left_out {
                _ if !found.sound => Some(Message::new("picker.unsound")),
                0 => None,
                n => Some(Message::new("picker.left-out").count("n", n)),
            };
            let title = but.map_or(all.clone(), |but| format!("{all} · {}", page.speech().say(&but)));
            // A ratio says nothing where the bound does not hold.
            let words = match (is_bound, found.sound) {
                (true, _) => page.word("picker.bound"),
                (_, true) => format!("{ratio:.2}×"),
                (_, false) => "–".into(),
            };
            html! { <>
                { ratio_bar(ratio) }
                <span class="bytes" title={title}>{ page.speech().bytes(found.peak) }</span>
                <span class={classes!("r", is_bound.then_some("best"))}>{ words }</span>
            </> }
        }
        Peak::Unknown => {
            html! { <><span class="pend" title={page.word("picker.pending")}></span><span></span><span></span></> }
        }
        Peak::OnDemand => {
            html! { <><span class="muted">{ page.word("picker.on-demand") }</span><span></span><span></span></> }
        }
        Peak::Hidden => {
            html! { <><span class="muted">{ page.word("picker.hidden") }</span><span></span><span></span></> }
        }
        Peak::Refused(why) => html! { <span class="muted why">{ page.speech().say(why) }</span> },
    }
}

/// Has the peak measured, or puts the planner beside what is compared.
pub(super) fn acts(page: &Page, pick: &Pick) -> Html {
    if !pick.applies {
        return Html::default();
    }
    let choice = pick.choice.clone();
    if pick.peak == Peak::OnDemand {
        let measure = page.on(move || Action::AskPeak(choice.clone()));
        return html! { <button type="button" class="btn line pick-measure" tabindex="-1" onclick={measure}>{ page.word("picker.measure") }</button> };
    }
    let compared = page.state.comparing.columns.iter().any(|column| column.choice == pick.choice);
    let name = page.word("picker.add-to");
    let add = page.on(move || Action::Compare(CompareAction::AddPlanner(choice.clone())));
    html! { <button type="button" class="btn icon-only pick-add" tabindex="-1" aria-label={format!("{name}: {}", planner::title_of(&pick.choice.planner, page.speech()))} title={name}
    disabled={compared || matches!(pick.peak, Peak::Refused(_))} onclick={add}>{ glyph(Icon::Add) }</button> }
}

/// What the planner is, and how far its plan is from the one shown.
fn note(page: &Page, pick: &Pick) -> Html {
    let info = planner::info(&pick.choice.planner);
    let about = match info {
        Some(info) => page.word(&Family::PLANNER_ABOUT.of([info.id])),
        None => page.word("planner.imported.about"),
    };
    let about = page.speech().say(&Message::new("picker.about").text("about", about));
    // What leaves buffers out, or breaks rules, saves nothing.
    let now = page.state.peak_shown().filter(|now| now.is_whole()).map(|now| now.peak);
    let peak_words = match (&pick.peak, now) {
        (Peak::Found(found), Some(now)) if !pick.is_current && found.is_whole() => Some(match found.peak.cmp(&now) {
            std::cmp::Ordering::Less => Message::new("picker.less").bytes("bytes", now - found.peak),
            std::cmp::Ordering::Greater => Message::new("picker.greater").bytes("bytes", found.peak - now),
            std::cmp::Ordering::Equal => Message::new("picker.same"),
        }),
        (Peak::OnDemand, _) if info.is_some_and(|info| info.effort == Effort::Search) => {
            Some(Message::new("picker.searches"))
        }
        (Peak::OnDemand, _) => Some(Message::new("picker.slow")),
        _ => None,
    };
    let differs = {
        let (send, choice) = (page.send.clone(), pick.choice.clone());
        Callback::from(move |_: MouseEvent| {
            send.emit(Action::Compare(CompareAction::AddPlanner(choice.clone())));
            send.emit(Action::View(ViewAction::Overlay(None)));
            send.emit(Action::View(ViewAction::Mode(Mode::Compare)));
        })
    };
    let can_compare = matches!(pick.peak, Peak::Found(_)) && !pick.is_current && page.state.view.mode == Mode::Step;
    html! {
        <p class="pick-note">{ about }if let Some(peak_words) = peak_words { { page.blank() }{ page.speech().say(&peak_words) } }
            if can_compare { { page.blank() }<button type="button" class="name" onclick={differs}>{ page.word("picker.differs") }</button> }</p>
    }
}
