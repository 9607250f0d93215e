use web_sys::Element;
use yew::prelude::*;

use crate::browser::dom::{active, focus};
use crate::context::{Page, use_page};
use crate::planners::option_field::option_field;
use crate::shell::state::action::{Action, DocumentAction, ViewAction};
use memplan_core::graph::Symbol;
use memplan_core::problem::{Scope, Views};
use memplan_planners::{self as planner};

/// The element id of the button that opens the sheet.
pub const BUTTON: &str = "options-button";

/// Options of the planner with the original system's names, then what is planned at all. A change
/// runs again at once.
#[component]
pub fn OptionsSheet() -> Html {
    let page = use_page();
    let sheet = use_node_ref();
    use_focus_back(&sheet);
    let page = &page;
    let state = page.state.clone();
    let info = planner::info(&state.document.planner);
    let graph = state.document.open.as_ref().and_then(|document| document.graph.clone());
    let flag = |key: &str, on: bool, change: fn(&mut Scope, bool)| {
        let (send, scope) = (page.send.clone(), state.document.scope.clone());
        let onchange = Callback::from(move |_: Event| {
            let mut scope = scope.clone();
            change(&mut scope, !on);
            send.emit(Action::Document(DocumentAction::Scope(scope)));
        });
        html! { <label class="option"><input type="checkbox" checked={on} {onchange} />{ page.word(key) }</label> }
    };
    let onalign = {
        let (send, scope) = (page.send.clone(), state.document.scope.clone());
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
            send.emit(Action::Document(DocumentAction::Scope(Scope {
                align: value.parse().unwrap_or(1),
                ..scope.clone()
            })));
        })
    };
    html! {
        <div class="menu options" role="dialog" aria-label={page.word("planner.options")} ref={sheet}>
            if state.is_modified() {
                <p class="option options-all"><span class="modified">{ page.word("planner.modified") }</span>
                    <button type="button" class="btn line" onclick={page.on(|| Action::Document(DocumentAction::ResetAll))}>{ page.word("planner.reset-all") }</button></p>
            }
            if let Some(info) = info.filter(|info| !info.options.is_empty()) {
                <section class="options-group">
                <h2>{ info.full_title(page.speech()) }</h2>
                { for info.options.iter().map(|spec| {
                    let send = page.send.clone();
                    let set = Callback::from(move |value: String| send.emit(Action::Document(DocumentAction::Option { key: spec.key.to_string(), value })));
                    option_field(page, spec, info.id, state.document.options.get(spec.key).cloned(), set)
                }) }
                <button type="button" class="btn" disabled={state.document.options.is_empty()} onclick={page.on(|| Action::Document(DocumentAction::ResetOptions))}>
                    { page.word("planner.reset") }
                </button>
                </section>
            }
            <section class="options-group">
            <h2>{ page.word("scope.title") }</h2>
            if graph.is_some() {
                { flag("scope.inputs", state.document.scope.inputs, |scope, on| scope.inputs = on) }
                { flag("scope.outputs", state.document.scope.outputs, |scope, on| scope.outputs = on) }
                { flag("scope.weights", state.document.scope.weights, |scope, on| scope.weights = on) }
                { flag("scope.copies", state.document.scope.views == Views::Copy, |scope, on| scope.views = if on { Views::Copy } else { Views::Share }) }
            }
            <label class="option"><span>{ page.word("scope.align") }</span>
                <select class="small" onchange={onalign}>
                    { for (0..=12).map(|power| 1u64 << power).map(|align| html! {
                        <option value={align.to_string()} selected={align == state.document.scope.align}>{ align }</option>
                    }) }
                </select>
            </label>
            if let Some(info) = info.filter(|info| info.align > 1) {
                <p class="muted">{ page.speech().say(&memplan_core::base::Message::new("scope.own-align").count("align", info.align)) }</p>
            }
            </section>
            if let Some(graph) = graph.filter(|graph| !graph.symbols.is_empty()) {
                <section class="options-group">
                <h2>{ page.word("scope.symbols") }</h2>
                { for graph.symbols.iter().map(|(name, symbol)| symbol_field(page, name, symbol)) }
                </section>
            }
        </div>
    }
}

/// Gives the focus back to the button when the sheet goes with the focus inside.
#[hook]
fn use_focus_back(sheet: &NodeRef) {
    let sheet = sheet.clone();
    use_effect_with((), move |_| {
        move || {
            let inside = |active: &Element| sheet.cast::<Element>().is_none_or(|sheet| sheet.contains(Some(active)));
            // Whoever looks at the plan meanwhile stays there.
            if active().as_ref().is_none_or(inside) {
                focus(BUTTON);
            }
        }
    });
}

fn symbol_field(page: &Page, name: &str, symbol: &Symbol) -> Html {
    let value = page.state.document.scope.symbols.get(name).copied().unwrap_or(symbol.hint);
    let onchange = {
        let (send, scope, name, symbol) =
            (page.send.clone(), page.state.document.scope.clone(), name.to_string(), *symbol);
        Callback::from(move |event: Event| {
            let input = event.target_unchecked_into::<web_sys::HtmlInputElement>();
            let text = input.value();
            match text.parse().ok().filter(|value| symbol.admits(*value)) {
                Some(value) => {
                    let mut scope = scope.clone();
                    scope.symbols.insert(name.clone(), value);
                    send.emit(Action::Document(DocumentAction::Scope(scope)));
                }
                None => {
                    send.emit(Action::View(ViewAction::Toast(symbol.refusal(&name, &text))));
                    input.set_value(&value.to_string());
                }
            }
        })
    };
    html! {
        <label class="option" key={name}><span class="mono">{ name }</span>
            <input type="number" class="small" min={symbol.min.map(|min| min.to_string())} max={symbol.max.map(|max| max.to_string())}
                value={value.to_string()} {onchange} /></label>
    }
}
