//! Symbols of shapes: the value that plans are made for, and the range that some planners take.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::context::columns::{Heading, table_heading};
use crate::context::use_page;
use crate::edit::field::Field;
use crate::edit::{DeskProps, make};
use crate::widgets::button::IconButton;
use crate::widgets::icons::Icon;
use crate::widgets::sorting::Sorting;
use memplan_core::base::Message;
use memplan_core::graph::RawSymbol;
use memplan_core::graph::edit::Change;

#[component]
pub fn Symbols(props: &DeskProps) -> Html {
    let page = use_page();
    let entered = use_node_ref();
    let sorting = use_state_eq(Sorting::default);
    let add = {
        let (page, entered) = (page.clone(), entered.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let Some(input) = entered.cast::<HtmlInputElement>() else { return };
            let (name, hint) = (input.value(), "1".to_string());
            make(&page, Change::Symbol { name, hint, min: String::new(), max: String::new() });
            input.set_value("");
        })
    };
    let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    let mut symbols: Vec<(&String, &RawSymbol)> = props.desk.draft.symbols.iter().collect();
    sorting.sort(&mut symbols, |a, b, column| match column {
        1 => a.1.hint.cmp(&b.1.hint),
        2 => a.1.min.cmp(&b.1.min),
        3 => a.1.max.cmp(&b.1.max),
        _ => a.0.cmp(b.0),
    });
    let head = |(column, key): (usize, &'static str)| {
        let (class, sorting) = (Classes::new(), Some(&sorting));
        let heading = Heading { table: "edit-symbols", column, words: page.word(key), class, sorting, resizes: true };
        table_heading(&page, heading, html! { { page.word(key) } })
    };
    html! {
        <div class="symbols">
            <table class="keys" id="edit-symbols">
                <thead><tr>
                    { for ["editor.name", "editor.hint", "editor.min", "editor.max"].into_iter().enumerate().map(head) }
                    <th scope="col">{ page.word("editor.remove") }</th>
                </tr></thead>
                <tbody>{ for symbols.into_iter().map(|(name, symbol)| {
                    let values = [number(symbol.hint), number(symbol.min), number(symbol.max)];
                    let remove = {
                        let (page, name) = (page.clone(), name.clone());
                        Callback::from(move |_: MouseEvent| make(&page, Change::RemoveSymbol(name.clone())))
                    };
                    let label = page.speech().say(&Message::new("edit.remove-symbol").text("name", name));
                    html! { <tr key={name.to_string()}>
                        <th scope="row" class="mono">{ name }</th>
                        { for ["editor.hint", "editor.min", "editor.max"].into_iter().enumerate().map(|(slot, key)| {
                            let label = page.speech().say(&Message::new("editor.cell").text("column", page.word(key)).text("row", name));
                            html! { <td><Field value={values[slot].clone()} {label} change={change_of(name, symbol, slot)} /></td> }
                        }) }
                        <td><IconButton name={label} icon={Icon::Close} onclick={remove} /></td>
                    </tr> }
                }) }</tbody>
            </table>
            <form onsubmit={add}>
                <label>{ page.word("editor.new-symbol") }{ " " }<input class="small" id="edit-new-symbol" ref={entered} /></label>{ " " }
                <button type="submit" class="btn line">{ page.word("editor.add-symbol") }</button>
            </form>
        </div>
    }
}

/// The change that sets one of the three numbers and keeps the others.
fn change_of(name: &str, symbol: &RawSymbol, slot: usize) -> Callback<String, Change> {
    let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    let (name, before) = (name.to_string(), [number(symbol.hint), number(symbol.min), number(symbol.max)]);
    Callback::from(move |text: String| {
        let [hint, min, max] = std::array::from_fn(|at| if at == slot { text.clone() } else { before[at].clone() });
        Change::Symbol { name: name.clone(), hint, min, max }
    })
}
