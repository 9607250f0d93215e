//! A row of tabs with the keyboard of the ARIA pattern: arrows move, the panel follows.

use yew::prelude::*;

use crate::app::browser::dom::focus;
use crate::app::context::Page;
use crate::app::model::panels::Tab;

/// What a row of tabs shows.
pub struct Tabs<'a> {
    pub tabs: &'static [Tab],
    pub selected: Tab,
    pub onselect: Callback<Tab>,
    /// Prefix of element ids: a tab controls the element `{prefix}-panel`.
    pub prefix: &'static str,
    pub label: &'a str,
    /// A tab with the number shown beside its name.
    pub count: Option<(Tab, usize)>,
    /// What stands beside the tabs.
    pub beside: Html,
}

pub fn tabs(page: &Page, row: Tabs) -> Html {
    let Tabs { tabs, selected: here, onselect, prefix, label, count, beside } = row;
    let at = tabs.iter().position(|tab| *tab == here).unwrap_or(0);
    let onkeydown = {
        let onselect = onselect.clone();
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowRight" => (at + 1) % tabs.len(),
                "ArrowLeft" => (at + tabs.len() - 1) % tabs.len(),
                "Home" => 0,
                "End" => tabs.len() - 1,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            onselect.emit(tabs[next]);
            focus(&format!("{prefix}-tab-{}", tabs[next].name()));
        })
    };
    html! {
        <div class="tabs">
            <div class="tab-list" role="tablist" aria-label={label.to_string()} {onkeydown}>
                { for tabs.iter().map(|&tab| {
                    let selected = tab == here;
                    let onselect = onselect.clone();
                    let count = count.filter(|(counted, _)| *counted == tab);
                    html! {
                        <button type="button" role="tab" id={format!("{prefix}-tab-{}", tab.name())}
                            aria-selected={selected.to_string()} aria-controls={format!("{prefix}-panel")}
                            tabindex={if selected { "0" } else { "-1" }}
                            onclick={Callback::from(move |_| onselect.emit(tab))}>
                            { page.word(&format!("tab.{}", tab.name())) }
                            if let Some((_, count)) = count {
                                <span class="count">{ crate::base::exact(count as u64) }</span>
                            }
                        </button>
                    }
                }) }
            </div>
            { beside }
        </div>
    }
}
