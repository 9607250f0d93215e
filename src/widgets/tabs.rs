//! A row of tabs with the keyboard of the ARIA pattern: arrows move, the panel follows.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::dom::{by_id, focus, show_in_row};

/// One tab of a row.
#[derive(Clone, PartialEq)]
pub struct TabItem {
    /// Names the element: `{prefix}-tab-{id}`.
    pub id: &'static str,
    /// What is written on it.
    pub title: String,
    /// A number beside the title.
    pub count: Option<String>,
}

/// What a row of tabs shows.
pub struct Tabs<'a> {
    /// The tabs in order; at least one.
    pub items: Vec<TabItem>,
    /// Place of the selected tab in `items`.
    pub selected: usize,
    /// Called with the place of the tab that is wanted.
    pub onselect: Callback<usize>,
    /// Prefix of element ids: a tab controls the element `{prefix}-panel`.
    pub prefix: &'static str,
    /// Name of the row for screen readers.
    pub label: &'a str,
    /// Class of the row beside `tabs`.
    pub class: Option<&'static str>,
    /// What stands beside the tabs.
    pub beside: Html,
}

/// How far from the end of its row a tab fades, in px.
const FADE: f64 = 28.0;

#[derive(Properties, PartialEq)]
struct InSightProps {
    id: String,
}

/// Keeps the selected tab in sight where its row is too long for the window.
#[component]
fn InSight(props: &InSightProps) -> Html {
    use_effect_with(props.id.clone(), |id| by_id(id).iter().for_each(|tab| show_in_row(tab, FADE)));
    Html::default()
}

/// Draws a row of tabs.
pub fn tabs(row: Tabs) -> Html {
    let Tabs { items, selected, onselect, prefix, label, class, beside } = row;
    let items = Rc::new(items);
    let onkeydown = {
        let (items, onselect) = (items.clone(), onselect.clone());
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowRight" => (selected + 1) % items.len(),
                "ArrowLeft" => (selected + items.len() - 1) % items.len(),
                "Home" => 0,
                "End" => items.len() - 1,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            onselect.emit(next);
            focus(&format!("{prefix}-tab-{}", items[next].id));
        })
    };
    html! {
        <div class={classes!("tabs", class)}>
            <div class="tab-list" role="tablist" aria-label={label.to_string()} {onkeydown}>
                { for items.iter().enumerate().map(|(index, item)| {
                    let here = index == selected;
                    let onselect = onselect.clone();
                    html! {
                        <button type="button" role="tab" id={format!("{prefix}-tab-{}", item.id)} aria-selected={here.to_string()}
                            aria-controls={format!("{prefix}-panel")} tabindex={if here { "0" } else { "-1" }}
                            onclick={Callback::from(move |_| onselect.emit(index))}>
                            { &item.title }
                            if let Some(count) = &item.count { <span class="count">{ count }</span> }
                        </button>
                    }
                }) }
            </div>
            <InSight id={format!("{prefix}-tab-{}", items[selected].id)} />
            { beside }
        </div>
    }
}
