//! The box that filters a list.

use yew::prelude::*;

/// Fewest rows that a filter is offered for: fewer are seen at a glance.
const WORTH_FILTERING: usize = 9;

/// The filter of a list: its text, and how many of all rows pass.
pub struct Filter<'a> {
    pub id: &'static str,
    pub label: String,
    pub text: &'a UseStateHandle<String>,
    /// Rows that there are without the filter.
    pub all: usize,
    /// How many rows pass, in words.
    pub count: String,
    /// Offered even for a few rows.
    pub always: bool,
}

/// The box that leaves only the rows that contain its text. Escape clears it before it does
/// anything else.
pub fn filter(props: Filter) -> Html {
    if props.all < WORTH_FILTERING && props.text.is_empty() && !props.always {
        return Html::default();
    }
    let oninput = {
        let text = props.text.setter();
        Callback::from(move |event: InputEvent| {
            text.set(event.target_unchecked_into::<web_sys::HtmlInputElement>().value())
        })
    };
    let onkeydown = {
        let (text, empty) = (props.text.setter(), props.text.is_empty());
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && !empty {
                event.prevent_default();
                event.stop_propagation();
                text.set(String::new());
            }
        })
    };
    let about = format!("{}-count", props.id);
    html! {
        <div class="filter">
            <input id={props.id} type="search" autocomplete="off" spellcheck="false" placeholder={props.label.clone()}
                aria-label={props.label.clone()} aria-describedby={about.clone()} value={(**props.text).clone()} {oninput} {onkeydown} />
            <span class="muted num" id={about}>{ props.count }</span>
        </div>
    }
}
