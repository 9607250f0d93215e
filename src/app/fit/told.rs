//! What explains an answer: why, or what the peak is made of.

use yew::prelude::*;

use crate::app::browser::hooks::use_state_eq;
use crate::app::context::same::Same;
use crate::app::context::use_page;
use crate::app::fit::alive::Alive;
use crate::app::fit::why::Why;
use crate::app::model::fitting::FitShown;
use crate::app::widgets::tabs::{TabItem, Tabs, tabs};

/// Ids and words of the tabs.
const TABS: [(&str, &str); 2] = [("why", "fit.why"), ("alive", "fit.alive")];

#[derive(Properties, PartialEq)]
pub struct ToldProps {
    pub shown: Same<FitShown>,
    pub moves: usize,
    pub dark: bool,
}

#[component]
pub fn Told(props: &ToldProps) -> Html {
    let page = use_page();
    let tab = use_state_eq(|| 0usize);
    let onselect = {
        let tab = tab.setter();
        Callback::from(move |index: usize| tab.set(index))
    };
    let items = TABS.iter().map(|&(id, key)| TabItem { id, title: page.word(key), count: None }).collect();
    let label = page.word("fit.why");
    html! {
        <aside class="side diff-told fit-why" id="region-right" tabindex="-1" aria-label={label.clone()}>
            { tabs(Tabs { items, selected: *tab, onselect, prefix: "fit-told", label: &label, class: None, beside: Html::default() }) }
            <div class="fit-panel" role="tabpanel" id="fit-told-panel" aria-labelledby={format!("fit-told-tab-{}", TABS[*tab].0)}>
                if *tab == 0 {
                    <Why shown={props.shown.clone()} moves={props.moves} dark={props.dark} />
                } else {
                    // Another graph begins at its own peak.
                    <Alive key={props.moves} shown={props.shown.clone()} moves={props.moves} />
                }
            </div>
        </aside>
    }
}
