//! All planners on the open graph, from the lowest need up.

use yew::prelude::*;

use crate::compare::second::use_second_worker;
use crate::compare::state::Change;
use crate::compare::state::comparison::{COLUMNS, Column};
use crate::compare::table::{document_name, exports};
use crate::compare::{change, name_of};
use crate::context::columns::{Heading, table_heading};
use crate::context::{Page, use_page};
use crate::planners::pick_row::ratio_bar;
use crate::shell::state::State;
use crate::shell::state::action::{Action, CompareAction};
use crate::widgets::sorting::Sorting;
use memplan_core::base::{Family, Message};
use memplan_core::plan::above;
use memplan_core::text::Speech;
use memplan_engine::{Figure, Measurement, RankingEntry, is_own, ranking_verdict, ranks};

/// Figures of a line, by key.
const SHOWN: [&str; 9] =
    ["peak", "held", "ratio", "waste", "utilisation", "fragmentation", "reuses", "dependencies", "time"];

/// All planners in a table, from the lowest need up or by any column.
#[component]
pub fn Ranking() -> Html {
    let page = &use_page();
    let sorting = use_state_eq(Sorting::default);
    let state = page.state.clone();
    use_second_worker(&state, page.send.clone());
    let speech = page.speech();
    let again = page.on(|| change(Change::RankAgain));
    let Some(entries) = state.comparing.ranking.clone() else {
        return html! { <div class="sheet"><p class="empty">{ page.word("compare.waiting") }</p></div> };
    };
    let left = state.comparing.unranked.len();
    let figures: Vec<&Figure> = SHOWN.into_iter().filter_map(Figure::named).collect();
    let found: Vec<Option<&Measurement>> = entries.iter().map(|entry| entry.result.as_ref().ok()).collect();
    let best: Vec<Vec<bool>> = figures.iter().map(|figure| figure.best_of(&found)).collect();
    let places = ranks(&entries);
    let mut order: Vec<usize> = (0..entries.len()).collect();
    let by_name = |&a: &usize, &b: &usize| entries[a].choice.words(speech).cmp(&entries[b].choice.words(speech));
    sorting.sort_by_value(&mut order, by_name, |&number, column| figures[column - 1].value(found[number]?).number());
    let full = state.comparing.columns.len() >= COLUMNS.1;
    let line = |&number: &usize| {
        let entry = &entries[number];
        let (choice, scope) = (entry.choice.clone(), state.document.scope.clone());
        let open = page
            .on(move || Action::Compare(CompareAction::OpenInSteps { choice: choice.clone(), scope: scope.clone() }));
        let choice = entry.choice.clone();
        let add = page.on(move || change(Change::Add(choice.clone())));
        let compared = state.comparing.columns.iter().any(|column| column.choice == entry.choice);
        let is_mine = is_own(&entry.choice.planner);
        html! { <tr class={is_mine.then_some("mine")} data-planner={entry.choice.planner.clone()}>
            <td class="num muted" data-rank={places[number].map(|rank| rank.to_string())}>{ places[number].map_or_else(|| "–".into(), |rank| rank.to_string()) }</td>
            <th scope="row"><button type="button" class="name" data-open={entry.choice.text()} onclick={open}>{ name_of(page, &entry.choice) }</button>
                if is_mine { <span class="tag">{ page.word("own.peak") }</span> }{ remark(speech, entry) }</th>
            <td class="rank-bar">{ bar(entry) }</td>
            { match &entry.result {
                Ok(found) => html! { <>{ for figures.iter().zip(&best).map(|(figure, best)| {
                    let cell = figure.value(found);
                    html! { <td class={classes!("num", best[number].then_some("best"))} data-figure={figure.key} data-value={cell.plain()} title={cell.exact()}>{ cell.words(speech) }</td> }
                }) }</> },
                Err(why) => html! { <td colspan={SHOWN.len().to_string()} class="muted">{ speech.say(why) }</td> },
            } }
            <td><button type="button" class="btn line" disabled={full || compared || entry.result.is_err()} onclick={add}>{ page.word("compare.add-column") }</button></td>
        </tr> }
    };
    let head = |column: usize, class: &'static str, words: String, shown: String| {
        let sorting = Some(&sorting);
        table_heading(
            page,
            Heading { table: "ranking", column, words, class: class.into(), sorting, resizes: true },
            html! { { shown } },
        )
    };
    html! {
        <div class="sheet" tabindex="0" role="region" aria-label={page.word("compare.sheet.ranking")}>
            <p class="acts"><button type="button" class="btn line" onclick={again}>{ page.word("compare.again") }</button>{ exports(page, rows) }</p>
            if let Some(verdict) = verdict(page, &entries) { <p class="conclusion" id="ranking-verdict">{ verdict }</p> }
            if left > 0 {
                <p class="muted" id="ranking-left" role="status">{ speech.say(&Message::new("compare.ranked-of").count("done", entries.len()).count("total", entries.len() + left)) }</p>
            }
            <table class="figures wide" id="ranking">
                <thead><tr><td></td>{ head(0, "left", page.word("compare.planner"), page.word("compare.planner")) }<td></td>
                    { for figures.iter().enumerate().map(|(number, figure)| {
                        head(number + 1, "", page.word(&Family::FIGURE_IS.of([figure.key])), page.word(&Family::FIGURE.of([figure.key])))
                    }) }<td></td></tr></thead>
                <tbody>{ for order.iter().map(line) }</tbody>
            </table>
        </div>
    }
}

/// The need against the bound, where both can be set against those of others.
fn bar(entry: &RankingEntry) -> Html {
    let figures = entry.result.as_ref().ok().map(|found| &found.figures).filter(|figures| figures.can_be_best());
    figures.and_then(|figures| figures.metrics.ratio).map_or_else(Html::default, ratio_bar)
}

/// What the table comes to: how many planners are best and why, and why the one looked at is not.
fn verdict(page: &Page, entries: &[RankingEntry]) -> Option<String> {
    let (speech, comparing) = (page.speech(), &page.state.comparing);
    let best = ranking_verdict(entries, speech)?;
    let figures = entries.iter().filter_map(|entry| Some(&entry.result.as_ref().ok()?.figures));
    let least = figures.filter(|figures| figures.can_be_best()).map(|figures| figures.metrics.need()).min()?;
    // The reference, or the first of those beside it that needs more.
    let loses = |column: &&Column| {
        let figures = column.plan().map(|shown| &shown.found.figures);
        figures.is_some_and(|figures| figures.can_be_best() && figures.metrics.need() > least)
    };
    let loser = comparing.reference_column().filter(loses).or_else(|| comparing.columns.iter().find(loses));
    let why = loser.and_then(|column| {
        let shown = column.plan()?;
        let step = shown.found.causes.as_ref().map_or(0, |causes| causes.load.step);
        let why = above(&shown.run.problem, &shown.run.plan, &shown.found.figures, step);
        Some(Message::new("compare.verdict.loses").text("name", column.choice.words(speech)).inner("why", why))
    });
    let sentences = [Some(best), why];
    Some(sentences.iter().flatten().map(|sentence| speech.say(sentence)).collect::<Vec<String>>().join(" "))
}

/// What stands behind the name of a planner: that its plan leaves buffers out, or is no result.
fn remark(speech: Speech, entry: &RankingEntry) -> Html {
    let remark = entry.result.as_ref().ok().and_then(|found| found.figures.remark());
    remark.map_or_else(Html::default, |remark| html! { <span class="muted">{ " " }{ speech.say(&remark) }</span> })
}

/// What a saved table holds.
fn rows(state: &State) -> Vec<(String, RankingEntry)> {
    let entries = state.comparing.ranking.iter().flat_map(|entries| entries.iter());
    entries.map(|entry| (document_name(state), entry.clone())).collect()
}
