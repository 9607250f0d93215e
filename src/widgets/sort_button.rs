//! The heading of a column that sorts a table.

use yew::prelude::*;

use crate::widgets::sorting::Sorting;

/// The words of a heading as a button that sorts.
pub fn sort_button(sorting: &UseStateHandle<Sorting>, column: usize, words: Html) -> Html {
    let (set, now) = (sorting.setter(), **sorting);
    let mark = match now.of(column) {
        "ascending" => " ▲",
        "descending" => " ▼",
        _ => "",
    };
    html! { <button type="button" class="sorts" onclick={Callback::from(move |_: MouseEvent| set.set(now.pressed(column)))}>{ words }{ mark }</button> }
}
