//! Headings between the rows of a table.

use yew::prelude::*;

/// A heading between rows.
pub fn heading_row(path: &str, columns: usize, index: usize) -> Html {
    html! {
        <div class="row group-row" role="row" key={format!("heading-{index}")} aria-rowindex={(index + 2).to_string()}>
            <span role="gridcell" aria-colspan={columns.to_string()} class="cut" title={path.to_string()}>{ path.to_string() }</span>
        </div>
    }
}
