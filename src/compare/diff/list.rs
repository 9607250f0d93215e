//! The list of differences: everything that the plans show, in words.

use yew::prelude::*;

use crate::browser::dom::{bring_into_sight, by_id};
use crate::compare::diff::change;
use crate::compare::diff::state::DiffChange;
use crate::compare::diff::state::shown::DiffShown;
use crate::compare::is_narrow;
use crate::context::names::cut_name;
use crate::context::same::Same;
use crate::context::sentence::plain_words;
use crate::context::{Page, use_page};
use memplan_core::base::{Family, Message};
use memplan_core::problem::{Buffer, BufferId};
use memplan_core::text::live;
use memplan_engine::DiffedRow;
use memplan_replay::diff::Group;

/// Most rows at first: those that follow matter less.
const MOST: usize = 200;

#[derive(Properties, PartialEq)]
pub struct ListProps {
    pub shown: Same<DiffShown>,
}

#[component]
pub fn List(props: &ListProps) -> Html {
    let page = use_page();
    let shown = &props.shown.0;
    let here = page.state.diffing.row();
    use_effect_with(here, |here| {
        let row = here.and_then(|number| by_id(&format!("diff-row-{number}")));
        row.iter().for_each(bring_into_sight);
    });
    if shown.unrelated || shown.is_same() {
        let key = if shown.unrelated { "diff.unrelated" } else { "diff.nothing-differs" };
        return html! { <p class="empty" id="diff-none" role="status">{ page.word(key) }</p> };
    }
    let count = shown.differences();
    let most = MOST.max(here.map_or(0, |here| here + 1));
    let rows: Vec<(usize, &DiffedRow)> = shown.rows.iter().enumerate().take(most).collect();
    let announcement = here.map(|number| announcement(&page, shown, number, count));
    html! {
        <section class="diff-rows" aria-label={page.word("diff.list")}>
            <p class="diff-count">{ page.speech().say(&Message::new("diff.count").count("n", count)) }
                <span class="diff-next">{ page.word("diff.next") }{ " " }<kbd>{ "E" }</kbd></span></p>
            <table id="diff-list">
                <thead><tr><th><span class="visually-hidden">{ page.word("diff.kind") }</span></th><th>{ page.word("diff.tensor") }</th>
                    <th class="num">{ page.word("diff.bytes") }</th>
                    if !is_narrow(&page) { <th class="num">{ page.word("diff.live") }</th><th>{ page.word("diff.what") }</th> }</tr></thead>
                { for rows.chunk_by(|a, b| a.1.group == b.1.group).map(|group| section(&page, shown, group, here)) }
            </table>
            if shown.rows.len() > most { <p class="note muted">{ page.speech().say(&Message::new("diff.more").count("n", shown.rows.len() - most)) }</p> }
            <p class="visually-hidden" aria-live="polite">{ announcement }</p>
        </section>
    }
}

fn section(page: &Page, shown: &DiffShown, group: &[(usize, &DiffedRow)], here: Option<usize>) -> Html {
    let kind = group[0].1.group;
    let all = shown.rows.iter().filter(|row| row.group == kind).map(|row| row.bytes);
    let sum =
        Message::new("diff.group-sum").count("n", all.clone().count()).bytes("bytes", all.fold(0, u64::saturating_add));
    html! {
        <tbody data-group={kind.name()}>
            <tr class="group"><th colspan={if is_narrow(page) { "3" } else { "5" }} scope="rowgroup">{ page.word(&Family::DIFF_GROUP.of([kind.name()])) }{ " " }<span class="muted">{ page.speech().say(&sum) }</span></th></tr>
            { for group.iter().map(|&(number, row)| line(page, shown, number, row, here == Some(number))) }
        </tbody>
    }
}

fn line(page: &Page, shown: &DiffShown, number: usize, row: &DiffedRow, is_here: bool) -> Html {
    let of = |side: usize, id: Option<BufferId>| Some(&shown.sides[side].0.problem.buffers[id?]);
    let (old, new) = (of(0, row.old), of(1, row.new));
    let speech = page.speech();
    let both = |part: &dyn Fn(&Buffer) -> String| match (old.map(part), new.map(part)) {
        (Some(before), Some(after)) if before != after => format!("{before} → {after}"),
        (Some(one), _) | (None, Some(one)) => one,
        (None, None) => String::new(),
    };
    let (class, sign) = match (row.group, row.old, row.new) {
        (Group::Entered, ..) | (Group::Elsewhere, None, _) => ("sign plus", "+"),
        (Group::Left, ..) | (Group::Elsewhere, _, None) => ("sign minus", "−"),
        (Group::Same, ..) => ("sign", "="),
        _ => ("sign tilde", "~"),
    };
    let name = both(&|buffer| buffer.name.clone());
    let lives = both(&|buffer| live(buffer.live.start, buffer.live.end));
    let note = if row.group == Group::Same { Html::default() } else { plain_words(page, &row.note) };
    let narrow = is_narrow(page);
    html! {
        <tr id={format!("diff-row-{number}")} class={classes!((row.group == Group::Entered).then_some("entered"), is_here.then_some("selected"))}>
            <td><span {class} aria-hidden="true">{ sign }</span></td>
            <td><button type="button" class="name cut named" title={name.clone()} aria-label={name.clone()} aria-current={is_here.then_some("true")}
                onclick={page.on(move || change(DiffChange::Row(number)))}>{ cut_name(&name, &name) }</button>
                if narrow { <small class="muted">{ lives.clone() }{ " " }{ note.clone() }</small> }</td>
            <td class="num">{ both(&|buffer| speech.bytes(buffer.size)) }</td>
            if !narrow { <td class="num">{ lives.clone() }</td><td>{ note.clone() }</td> }
        </tr>
    }
}

/// The words of a screen reader on a selected row.
fn announcement(page: &Page, shown: &DiffShown, number: usize, count: usize) -> String {
    let row = &shown.rows[number];
    let place = Message::new("diff.said").count("at", number + 1).count("n", count).name("name", shown.name(row));
    format!("{}{}{}", page.speech().say(&place), page.blank(), page.speech().say(&row.note))
}
