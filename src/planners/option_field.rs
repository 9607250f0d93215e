use yew::prelude::*;

use crate::browser::css;
use crate::context::Page;
use crate::planners::rule_table::{RULES, RuleTable};
use memplan_planners::{self as planner, OptionKind, OptionSpec};

/// A field shows its whole value: a size of a card in bytes has a dozen digits.
fn width(value: &str) -> String {
    format!("width:max(96px, {}ch + 36px)", value.chars().count().min(20))
}

/// One option of a planner, by its id. The value is the default if none is set.
pub fn option_field(
    page: &Page,
    spec: &'static OptionSpec,
    planner: &str,
    value: Option<String>,
    set: Callback<String>,
) -> Html {
    let value = value.unwrap_or_else(|| spec.default.to_string());
    let shown = if spec.default.is_empty() { page.word("how.none") } else { spec.default.to_string() };
    let default = memplan_core::base::Message::new("planner.default").text("value", shown);
    let words_of_option = planner::info(planner).map(|info| page.word(&info.option_key(spec.key)));
    if spec.key == RULES {
        return html! { <fieldset class="option-table" key={spec.key}><legend>{ words_of_option }
        <span class="muted mono">{ " " }{ spec.original }</span><span class="muted">{ " " }{ page.speech().say(&default) }</span></legend>
        <RuleTable {value} {set} /></fieldset> };
    }
    let control = match spec.kind {
        OptionKind::Flag => {
            let on = value == "true";
            let onchange = Callback::from(move |_: Event| set.emit((!on).to_string()));
            html! { <input type="checkbox" checked={on} {onchange} /> }
        }
        OptionKind::Choice(choices) => {
            let onchange = Callback::from(move |event: Event| {
                set.emit(event.target_unchecked_into::<web_sys::HtmlSelectElement>().value())
            });
            html! { <select class="small" {onchange}>
                { for choices.iter().map(|choice| html! { <option value={*choice} selected={*choice == value}>{ *choice }</option> }) }
            </select> }
        }
        OptionKind::Text | OptionKind::List => {
            let onchange = Callback::from(move |event: Event| {
                set.emit(event.target_unchecked_into::<web_sys::HtmlInputElement>().value())
            });
            html! { <input type="text" class="small" ~style={css(width(&value))} value={value.clone()} {onchange} /> }
        }
        OptionKind::Whole { min, max } => {
            let onchange = Callback::from(move |event: Event| {
                set.emit(event.target_unchecked_into::<web_sys::HtmlInputElement>().value())
            });
            html! { <input type="number" class="small" ~style={css(width(&value))} min={min.to_string()} max={max.to_string()} value={value.clone()} {onchange} /> }
        }
    };
    html! {
        <label class="option" key={spec.key} title={words_of_option}><span>{ spec.key }
            if !spec.original.is_empty() && spec.original != spec.key { <span class="muted mono">{ " " }{ spec.original }</span> }
            <span class="muted">{ " " }{ page.speech().say(&default) }</span></span>{ control }</label>
    }
}
