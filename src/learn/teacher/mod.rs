//! The teacher's corner: links of exercises and the check of their results, worksheets, a lesson of
//! fifty minutes. And the page of an exercise, which students open.

pub mod checker;
pub mod fields;
pub mod hour;
pub mod link;
pub mod sheet;
pub mod state;
pub mod worker;

use yew::prelude::*;

use crate::context::{Dark, use_page};
use crate::learn::lessons::places::address;
use crate::learn::lessons::state::progress::LearnPlace;
use crate::learn::teacher::checker::checker;
use crate::learn::teacher::hour::Hour;
use crate::learn::teacher::link::link_form;
use crate::learn::teacher::sheet::SheetForm;
use crate::learn::teacher::state::form::Corner;
use crate::shell::state::action::{Action, TeachAction};
use crate::widgets::tabs::{TabItem, Tabs, tabs};

/// The corner with the part that is open.
#[component]
pub fn Teacher() -> Html {
    let page = use_page();
    let Dark(dark) = use_context::<Dark>().unwrap_or(Dark(false));
    let part = page.state.teaching.corner.unwrap_or_default();
    let title = |part: Corner| {
        page.word(match part {
            Corner::Link => "teach.tab-link",
            Corner::Sheet => "teach.tab-sheet",
            Corner::Plan => "teach.tab-plan",
        })
    };
    let items = Corner::ALL.into_iter().map(|part| TabItem { id: part.name(), title: title(part), count: None });
    let send = page.send.clone();
    let onselect = Callback::from(move |at: usize| {
        send.emit(Action::Teach(TeachAction::Corner(Corner::ALL[at])));
    });
    let label = page.word("teach.title");
    let row = Tabs {
        items: items.collect(),
        selected: part as usize,
        onselect,
        prefix: "teach",
        label: &label,
        class: None,
        beside: Html::default(),
    };
    html! {
        <main class="learn" id="region-stage" tabindex="-1" aria-label={label.clone()}>
            <div class="learn-in teach">
                <div class="eyebrow"><a href={address(&page, LearnPlace::default())}>{ page.word("mode.learn") }</a></div>
                <h1>{ page.word("teach.title") }</h1>
                <p class="lead">{ page.word("teach.lead") }</p>
                { tabs(row) }
                <div id="teach-panel" role="tabpanel" aria-labelledby={format!("teach-tab-{}", part.name())}>
                    { match part {
                        Corner::Link => html! { <>{ link_form(&page) }{ checker(&page, dark) }</> },
                        Corner::Sheet => html! { <SheetForm /> },
                        Corner::Plan => html! { <Hour /> },
                    } }
                </div>
            </div>
        </main>
    }
}
