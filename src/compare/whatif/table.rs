//! The table: a row for each change of the settings.

use yew::prelude::*;

use crate::browser::css;
use crate::compare::state::whatif::WhatIfChange;
use crate::compare::whatif::{change, name_of};
use crate::context::Page;
use crate::context::columns::{Heading, table_heading};
use crate::context::sentence::{plain_words, size};
use crate::shell::state::action::{Action, CompareAction};
use memplan_core::base::Message;
use memplan_engine::{WhatIfEntry, WhatIfRow, cheapest_row, whatif_result};
use memplan_planners::Measured;

/// A figure of a row, with the name of its column.
type Figure = (&'static str, &'static str, fn(&Measured) -> Option<u64>);

/// The figures in bytes, on a card that never runs out.
const FIGURES: [Figure; 3] = [
    ("reserved", "whatif.column-reserved", |measured| Some(measured.reserved)),
    ("allocated", "whatif.column-allocated", |measured| Some(measured.allocated)),
    ("gap", "whatif.column-gap", |measured| Some(measured.gap)),
];

/// The last column: what happens on the card.
const LAST: usize = 6;

/// The smallest card on which the program runs.
const SMALLEST: Figure = ("smallest", "whatif.column-smallest", |measured| measured.smallest);

pub fn table(page: &Page) -> Html {
    let trying = &page.state.comparing.whatif;
    let (rows, pair) = (&trying.rows, trying.pair());
    let best = cheapest_row(rows).filter(|_| trying.is_complete());
    let most = |figure: &Figure| {
        let found = rows.iter().filter_map(|(_, row)| figure.2(&row.as_ref().ok()?.measured));
        found.max().unwrap_or(0)
    };
    let bars: Vec<(Figure, u64)> =
        FIGURES.into_iter().chain([SMALLEST]).map(|figure| (figure, most(&figure))).collect();
    let head = |column: usize, key: &'static str, class: &'static str| {
        let words = page.word(key);
        let heading =
            Heading { table: "whatif", column, words, class: class.into(), sorting: None, resizes: column < LAST };
        table_heading(page, heading, html! { { page.word(key) } })
    };
    let line = |(at, (settings, row)): (usize, &WhatIfEntry)| {
        let letter = pair.iter().position(|shown| *shown == at).map(|place| ["A", "B"][place]);
        let name = name_of(page, settings);
        let show = page.speech().say(&Message::new("whatif.show").text("name", name.clone()));
        let class = classes!((best == Some(at)).then_some("best-row"));
        html! {
            <tr {class} data-settings={settings.clone()} data-runs={runs(row).map(|runs| runs.to_string())}>
                <td><button type="button" class="btn pair" aria-pressed={letter.is_some().to_string()} aria-label={show.clone()} title={show}
                    disabled={row.is_err()} onclick={page.on(move || change(WhatIfChange::Show(at)))}>{ letter.unwrap_or("\u{a0}") }</button></td>
                <th scope="row">{ opens(page, settings, row) }</th>
                { match row {
                    Ok(row) => cells(page, &row.measured, &bars),
                    Err(why) => html! { <td colspan="6" class="muted left">{ plain_words(page, why) }</td> },
                } }
            </tr>
        }
    };
    html! {
        <div class="whatif-table"><table class="figures wide" id="whatif">
            <thead><tr class="groups"><td></td><td></td><th scope="colgroup" colspan="4" class="left">{ page.word("whatif.endless") }</th><td></td><td></td></tr>
                <tr><td></td>{ head(0, "whatif.column-settings", "left") }
                { for FIGURES.iter().enumerate().map(|(number, (_, key, _))| head(number + 1, key, "")) }
                { head(4, "whatif.column-obtained", "") }{ head(5, SMALLEST.1, "") }{ head(LAST, "whatif.column-result", "left") }</tr></thead>
            <tbody>{ for rows.iter().enumerate().map(line) }</tbody>
        </table></div>
    }
}

/// Whether a row runs on the card that is asked about.
fn runs(row: &Result<WhatIfRow, Message>) -> Option<bool> {
    row.as_ref().ok()?.measured.on_card.map(|on_card| on_card.stop.is_none())
}

/// The name of a row, which opens its plan.
fn opens(page: &Page, settings: &str, row: &Result<WhatIfRow, Message>) -> Html {
    // Lines break behind a setting.
    let parts = name_of(page, settings).replace(',', ",\u{200b}");
    let Ok(row) = row else { return html! { { parts } } };
    let (choice, scope) = (row.choice.clone(), page.state.document.scope.clone());
    let open =
        page.on(move || Action::Compare(CompareAction::OpenInSteps { choice: choice.clone(), scope: scope.clone() }));
    html! { <button type="button" class="name" data-open={settings.to_string()} title={page.word("whatif.open")} onclick={open}>{ parts }</button> }
}

fn cells(page: &Page, measured: &Measured, bars: &[(Figure, u64)]) -> Html {
    let cell = |((name, _, value), most): &(Figure, u64)| {
        let found = value(measured);
        let part = 100.0 * found.unwrap_or(0) as f64 / (*most).max(1) as f64;
        let class = classes!("whatif-bar", (*name == "gap").then_some("free"));
        html! { <td class="num" data-figure={*name} data-value={found.map(|found| found.to_string())}>
        { found.map_or_else(|| html! { { "–" } }, |found| size(page, found)) }
        <i {class} ~style={css(format!("--w:{part:.1}%"))} aria-hidden="true"></i></td> }
    };
    let (figures, smallest) = bars.split_at(FIGURES.len());
    html! { <>
        { for figures.iter().map(cell) }
        <td class="num" data-figure="obtained" data-value={measured.obtained.to_string()}>{ measured.obtained }</td>
        { for smallest.iter().map(cell) }
        <td class="left" data-figure="result">{ measured.on_card.map(|on_card| {
            let class = if on_card.stop.is_some() { "whatif-stops" } else { "whatif-runs" };
            html! { <span {class}>{ plain_words(page, &whatif_result(on_card)) }</span> }
        }) }</td>
    </> }
}
