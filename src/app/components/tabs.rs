//! A row of tabs with the keyboard of the ARIA pattern: arrows move, the panel follows.

use yew::prelude::*;

use super::use_page;
use crate::app::state::Tab;

#[derive(Properties, PartialEq)]
pub struct TabsProps {
    pub tabs: Vec<Tab>,
    pub selected: Tab,
    pub onselect: Callback<Tab>,
    /// Prefix of element ids: a tab controls the element `{prefix}-panel`.
    pub prefix: &'static str,
    pub label: AttrValue,
    /// Number shown beside a tab's name.
    #[prop_or_default]
    pub counts: Vec<(Tab, usize)>,
    #[prop_or_default]
    pub children: Html,
}

#[component]
pub fn Tabs(props: &TabsProps) -> Html {
    let page = use_page();
    let here = props.tabs.iter().position(|tab| *tab == props.selected).unwrap_or(0);
    let onkeydown = {
        let (tabs, onselect, prefix) = (props.tabs.clone(), props.onselect.clone(), props.prefix);
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowRight" => (here + 1) % tabs.len(),
                "ArrowLeft" => (here + tabs.len() - 1) % tabs.len(),
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
            <div class="tab-list" role="tablist" aria-label={props.label.clone()} {onkeydown}>
                { for props.tabs.iter().map(|&tab| {
                    let selected = tab == props.selected;
                    let onselect = props.onselect.clone();
                    let count = props.counts.iter().find(|(counted, _)| *counted == tab);
                    html! {
                        <button type="button" role="tab" id={format!("{}-tab-{}", props.prefix, tab.name())}
                            aria-selected={selected.to_string()} aria-controls={format!("{}-panel", props.prefix)}
                            tabindex={if selected { "0" } else { "-1" }}
                            onclick={Callback::from(move |_| onselect.emit(tab))}>
                            { page.word(&format!("tab.{}", tab.name())) }
                            if let Some((_, count)) = count {
                                <span class="count">{ crate::base::exact(*count as u64) }</span>
                            }
                        </button>
                    }
                }) }
            </div>
            { props.children.clone() }
        </div>
    }
}

/// Moves the focus to an element by id.
pub fn focus(id: &str) {
    focus_element(document().and_then(|document| document.get_element_by_id(id)));
}

/// The document of the window.
pub fn document() -> Option<web_sys::Document> {
    web_sys::window().and_then(|window| window.document())
}

/// Moves the focus to an element, if there is one.
pub fn focus_element(element: Option<web_sys::Element>) {
    use wasm_bindgen::JsCast;
    if let Some(element) = element {
        // Elements of drawings have the method, too. One that cannot be focused is left alone.
        let _ = element.unchecked_into::<web_sys::HtmlElement>().focus();
    }
}
