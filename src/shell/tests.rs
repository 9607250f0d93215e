//! The whole page, as every mode and layout draws it.

use yew::prelude::*;

use crate::shell::shown::Shown;
use crate::shell::state::State;
use crate::shell::state::action::{Action, SettingsAction, ViewAction};
use crate::shell::state::layout::Layout;
use crate::shell::state::panels::{Mode, Overlay, Tab};
use crate::testing::{Screen, all, opened, screen_of};
use memplan_core::base::Message;
use memplan_core::text::Locale;

const LAYOUTS: [Layout; 3] = [Layout::Wide, Layout::Middle, Layout::Narrow];

fn page(state: State, layout: Layout) -> Screen {
    screen_of(state, layout, html! { <Shown /> })
}

fn view(state: State, action: ViewAction) -> State {
    state.reduce(Action::View(action))
}

/// The example in both languages.
fn in_both_languages() -> [State; 2] {
    [Locale::En, Locale::Zh].map(|locale| opened().reduce(Action::Settings(SettingsAction::Locale(locale))))
}

#[test]
fn the_mode_of_the_page_is_marked_in_every_layout() {
    for state in in_both_languages() {
        for mode in Mode::ALL {
            for layout in LAYOUTS {
                let page = page(view(state.clone(), ViewAction::Mode(mode)), layout);
                // A phone has the modes in its menu.
                if layout != Layout::Narrow {
                    assert_eq!(page.ids(".modes [aria-current=page]"), [format!("mode-{}", mode.in_header().name())]);
                }
            }
        }
    }
}

#[test]
fn an_empty_page_has_no_plan_and_no_figures() {
    for mode in Mode::ALL {
        for layout in LAYOUTS {
            let page = page(view(State::default(), ViewAction::Mode(mode)), layout);
            assert!(page.all("#strip-peak").is_empty(), "no peak without a plan in {mode:?}");
        }
    }
}

#[test]
fn every_tab_is_selected_where_it_is_shown() {
    let left = [Tab::Start, Tab::Files, Tab::Graph, Tab::Buffers].map(|tab| (ViewAction::LeftTab(tab), "left", tab));
    let right = [Tab::Peak, Tab::Why, Tab::State].map(|tab| (ViewAction::RightTab(tab), "right", tab));
    for (action, side, tab) in left.into_iter().chain(right) {
        for state in in_both_languages() {
            let page = page(view(state, action.clone()), Layout::Wide);
            let selected = page.ids(&format!("[id^={side}-tab-][aria-selected=true]"));
            assert_eq!(selected, [format!("{side}-tab-{}", tab.name())]);
            assert_eq!(page.all(&format!("#{side}-panel[role=tabpanel]")).len(), 1);
        }
    }
}

#[test]
fn every_overlay_speaks_both_languages() {
    let overlays = [
        Overlay::Planners,
        Overlay::Older,
        Overlay::Newer,
        Overlay::Options,
        Overlay::More,
        Overlay::Help,
        Overlay::Signs,
        Overlay::Report,
        Overlay::How,
        Overlay::Find,
        Overlay::RunTo,
        Overlay::Templates,
        Overlay::Export,
        Overlay::Picture,
    ];
    for state in in_both_languages() {
        let closed = page(state.clone(), Layout::Wide).all("*").len();
        for overlay in overlays {
            let modes: &[Mode] = match overlay {
                Overlay::Templates => &[Mode::Edit],
                Overlay::Older | Overlay::Newer => &[Mode::Diff],
                _ => &[Mode::Step],
            };
            for &mode in modes {
                let state = view(state.clone(), ViewAction::Mode(mode));
                let page = page(view(state, ViewAction::Overlay(Some(overlay))), Layout::Wide);
                assert!(mode != Mode::Step || page.all("*").len() > closed, "{overlay:?} adds to the page");
            }
        }
    }
}

#[test]
fn the_header_names_the_document_and_its_planner() {
    let page = page(opened(), Layout::Wide);
    assert_eq!(page.text("h1"), "teaching");
    assert_eq!(page.text("#planner-button"), "Inductor AllocationTree");
    let changed =
        all(opened(), [Action::Document(crate::shell::state::action::DocumentAction::Planner("best-fit".into()))]);
    assert_eq!(page_of_planner(changed), "free list best fit");
}

fn page_of_planner(state: State) -> String {
    page(state, Layout::Wide).text("#planner-button")
}

#[test]
fn code_in_the_title_of_a_notice_is_set_as_code() {
    let mut state = opened();
    let refused = Message::new("fault.option-value").text("key", "skip").text("value", "9").text("allowed", "0 to 3");
    state.notify(Message::new("notice.own-refused").text("planner", "a.rhai").inner("why", refused));
    let page = page(state, Layout::Wide);
    assert_eq!(page.texts("#notice b code"), ["skip", "9"]);
    assert!(!page.text("#notice b").contains('`'));
}

#[test]
fn a_phone_has_the_sentence_of_the_decision_between_plan_and_buttons() {
    let page = page(opened(), Layout::Narrow);
    assert_eq!(page.all("#why-headline").len(), 1);
    let order = page.ids("#region-stage, #why-headline, #region-stepper");
    assert!(order.iter().position(|id| id == "region-stage") < order.iter().position(|id| id == "region-stepper"));
}
