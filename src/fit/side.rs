//! What explains an answer: why, or what the peak is made of.

use yew::prelude::*;

use crate::context::same::Same;
use crate::context::use_page;
use crate::fit::alive::Alive;
use crate::fit::state::answer::FitShown;
use crate::fit::why::Why;
use crate::widgets::tabs::{TabItem, Tabs, tabs};

/// The panel's tabs.
#[derive(Clone, Copy, PartialEq)]
enum Tab {
    Why,
    Alive,
}

impl Tab {
    const ALL: [Tab; 2] = [Tab::Why, Tab::Alive];

    /// Its id, and the key of its title.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Tab::Why => ("why", "fit.why"),
            Tab::Alive => ("alive", "fit.alive"),
        }
    }
}

#[derive(Properties, PartialEq)]
pub struct SideProps {
    pub shown: Same<FitShown>,
    pub moves: usize,
    pub dark: bool,
}

#[component]
pub fn Side(props: &SideProps) -> Html {
    let page = use_page();
    let tab = use_state_eq(|| Tab::Why);
    let onselect = {
        let tab = tab.setter();
        Callback::from(move |index: usize| tab.set(Tab::ALL[index]))
    };
    let item = |tab: Tab| TabItem { id: tab.names().0, title: page.word(tab.names().1), count: None };
    let items = Tab::ALL.map(item).to_vec();
    let label = page.word("fit.why");
    html! {
        <aside class="side diff-told fit-why" id="region-right" tabindex="-1" aria-label={label.clone()}>
            { tabs(Tabs { items, selected: *tab as usize, onselect, prefix: "fit-told", label: &label, class: None, beside: Html::default() }) }
            <div class="fit-panel" role="tabpanel" id="fit-told-panel" aria-labelledby={format!("fit-told-tab-{}", tab.names().0)}>
                { match *tab {
                    Tab::Why => html! { <Why shown={props.shown.clone()} moves={props.moves} dark={props.dark} /> },
                    // Another graph begins at its own peak.
                    Tab::Alive => html! { <Alive key={format!("{:p} {}", props.shown.0, props.moves)} shown={props.shown.clone()} moves={props.moves} /> },
                } }
            </div>
        </aside>
    }
}
