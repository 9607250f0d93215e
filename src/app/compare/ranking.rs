//! All planners on the open graph, from the lowest peak up.

use yew::prelude::*;

use crate::app::compare::table::{document_name, exports};
use crate::app::compare::{change, name_of};
use crate::app::context::Page;
use crate::app::model::comparison::COLUMNS;
use crate::app::state::State;
use crate::app::state::action::{Action, CompareAction};
use crate::app::state::comparing::Change;
use crate::base::Family;
use crate::engine::{Figure, FigureValue, MeasureTask, Measurement, RankingEntry};

/// Figures of a line, by key.
const SHOWN: [&str; 8] = ["peak", "ratio", "waste", "utilisation", "fragmentation", "reuses", "dependencies", "time"];

pub fn ranking(page: &Page) -> Html {
    let state = page.state.clone();
    let speech = page.speech();
    let again = page.on(|| change(Change::Ask(MeasureTask::Ranking(Vec::new()))));
    let Some(entries) = state.comparing.ranking.clone() else {
        return html! { <div class="sheet"><p class="empty">{ page.word("compare.waiting") }</p></div> };
    };
    let figures: Vec<&Figure> = SHOWN.into_iter().filter_map(Figure::named).collect();
    let found: Vec<Option<&Measurement>> = entries.iter().map(|entry| entry.result.as_ref().ok()).collect();
    let best: Vec<Vec<bool>> = figures.iter().map(|figure| figure.best_of(&found)).collect();
    let full = state.comparing.columns.len() >= COLUMNS.1;
    let line = |(number, entry): (usize, &RankingEntry)| {
        let (choice, scope) = (entry.choice.clone(), state.document.scope.clone());
        let open = page
            .on(move || Action::Compare(CompareAction::OpenInSteps { choice: choice.clone(), scope: scope.clone() }));
        let choice = entry.choice.clone();
        let add = page.on(move || change(Change::Add(choice.clone())));
        let compared = state.comparing.columns.iter().any(|column| column.choice == entry.choice);
        html! { <tr data-planner={entry.choice.planner.clone()}>
            <td class="num muted">{ number + 1 }</td>
            <th scope="row"><button type="button" class="name" data-open={entry.choice.text()} onclick={open}>{ name_of(page, &entry.choice) }</button></th>
            { match &entry.result {
                Ok(found) => html! { <>{ for figures.iter().zip(&best).map(|(figure, best)| {
                    let cell = figure.value(found);
                    html! { <td class={classes!("num", best[number].then_some("best"))} data-figure={figure.key} data-value={cell.plain()}>{ cell.words(speech) }</td> }
                }) }</> },
                Err(why) => html! { <td colspan={SHOWN.len().to_string()} class="muted">{ speech.say(why) }</td> },
            } }
            <td><button type="button" class="btn line" disabled={full || compared || entry.result.is_err()} onclick={add}>{ page.word("compare.add-column") }</button></td>
        </tr> }
    };
    html! {
        <div class="sheet" tabindex="0" role="region" aria-label={page.word("compare.sheet.ranking")}>
            <p class="acts"><button type="button" class="btn line" onclick={again}>{ page.word("compare.again") }</button>{ exports(page, rows) }</p>
            <table class="figures wide" id="ranking">
                <thead><tr><td></td><th scope="col" class="left">{ page.word("compare.planner") }</th>
                    { for figures.iter().map(|figure| {
                        let unit = matches!(found.iter().flatten().next().map(|found| figure.value(found)), Some(FigureValue::Bytes(_))).then(|| format!(", {}", speech.unit.name()));
                        html! { <th scope="col" title={page.word(&Family::FIGURE_IS.of([figure.key]))}>{ page.word(&Family::FIGURE.of([figure.key])) }{ unit }</th> }
                    }) }<td></td></tr></thead>
                <tbody>{ for entries.iter().enumerate().map(line) }</tbody>
            </table>
        </div>
    }
}

/// What a saved table holds.
fn rows(state: &State) -> Vec<(String, RankingEntry)> {
    let entries = state.comparing.ranking.iter().flat_map(|entries| entries.iter());
    entries.map(|entry| (document_name(state), entry.clone())).collect()
}
