//! The panel *Graph*: a table with one row for each buffer, in order of execution, with the load at
//! its step. Only rows in sight are drawn.

use yew::prelude::*;

use crate::browser::css;
use crate::context::columns::Columns;
use crate::context::names::cut_name;
use crate::context::same::Same;
use crate::context::{Page, use_page};
use crate::shell::state::action::{Action, StepAction};
use crate::shell::state::lines::{Line, line_of, lines, row_at};
use crate::step::panels::grouped::heading_row;
use crate::widgets::rows::{Rows, row_height};
use crate::widgets::sorting::Sorting;
use memplan_core::base::Id;
use memplan_core::graph::Graph;
use memplan_core::problem::{Buffer, BufferId, Load, load};
use memplan_replay::{Run, under};

/// One row of the graph table: a node and one of the buffers it makes.
#[derive(Clone, Copy, PartialEq)]
struct Made {
    step: u32,
    buffer: Option<BufferId>,
}

/// The rows and the load profile of a run.
#[derive(PartialEq)]
struct Profile {
    rows: Vec<Made>,
    load: Load,
    largest: u64,
}

impl Profile {
    fn new(run: &Run) -> Profile {
        let load = load(&run.problem, |id| run.plan.places[id].is_some() || run.plan.unplanned.is_empty());
        let made = |(id, buffer): (BufferId, &Buffer)| Made { step: buffer.live.start, buffer: Some(id) };
        let mut rows: Vec<Made> = run.problem.buffers.enumerate().map(made).collect();
        rows.sort_by_key(|made| made.step);
        // A node without outputs gets a row of its own. A list of buffers has no nodes, and may
        // have far more steps than buffers, so its empty steps get no rows.
        let nodes = run.graph.as_ref().map_or(0, |graph| graph.nodes.len() as u32);
        let makes_none = |step: &u32| rows.binary_search_by_key(step, |made| made.step).is_err();
        let others: Vec<u32> = (0..nodes.min(run.problem.steps)).filter(makes_none).collect();
        rows.extend(others.into_iter().map(|step| Made { step, buffer: None }));
        rows.sort_by_key(|made| made.step);
        let largest = load.max().max(1);
        Profile { rows, load, largest }
    }
}

/// The sentence in place of an empty table.
pub fn nothing(page: &Page) -> Html {
    html! { <p class="empty">{ page.word(if page.state.document.open.is_some() { "graph.no-plan" } else { "graph.none" }) }</p> }
}

const COLUMNS: Columns = Columns {
    table: "graph",
    all: &[
        ("graph.step", "", "var(--w-step, 34px)"),
        ("graph.makes", "", "minmax(72px, 1fr)"),
        ("graph.shape", "num", "fit-content(60px)"),
        ("term.load", "", "minmax(32px, auto)"),
    ],
    sorts: 4,
};

/// The rows in the order of the sorting, and the lines of the list: a row each, or a heading over a
/// group of them.
#[derive(PartialEq)]
struct Listed {
    order: Vec<usize>,
    lines: Vec<Line>,
}

impl Listed {
    fn new(run: &Run, graph: Option<&Graph>, profile: &Profile, sorting: Sorting) -> Listed {
        let mut order: Vec<usize> = (0..profile.rows.len()).collect();
        let made = |row: usize| profile.rows[row];
        let size = |row: usize| made(row).buffer.map(|id| run.problem.buffers[id].size);
        let load = |row: usize| profile.load.at(made(row).step);
        sorting.sort(&mut order, |&a, &b, column| match column {
            0 => made(a).step.cmp(&made(b).step),
            1 => name_of(run, graph, made(a)).cmp(name_of(run, graph, made(b))),
            2 => size(a).cmp(&size(b)),
            _ => load(a).cmp(&load(b)),
        });
        let label = |&row: &usize| made(row).buffer.map_or("", |id| run.label(id));
        let labels: Vec<&str> = order.iter().map(label).collect();
        let lines = lines(&labels, matches!(sorting.0, None | Some((0 | 1, _))));
        Listed { order, lines }
    }
}

/// Returns the name in a row: that of the buffer, or that of the node if the node makes no buffer.
fn name_of<'a>(run: &'a Run, graph: Option<&'a Graph>, made: Made) -> &'a str {
    let node = || graph.and_then(|graph| graph.nodes.get(Id::from_index(made.step as usize)));
    let buffer = made.buffer.map(|id| run.problem.buffers[id].name.as_str());
    buffer.or_else(|| node().map(|node| node.name.as_str())).unwrap_or_default()
}

#[component]
pub fn GraphTable() -> Html {
    let page = use_page();
    let sorting = use_state_eq(Sorting::default);
    let run = page.state.document.run.clone();
    let graph = page.state.document.open.as_ref().and_then(|document| document.graph.clone());
    let key = run.as_ref().map(Same::from);
    let profile = use_memo(key.clone(), |run| run.as_deref().map(Profile::new));
    let listed = {
        let (graph, profile) = (graph.clone(), profile.clone());
        use_memo((key, *sorting), move |(run, sorting)| {
            Some(Listed::new(run.as_deref()?, graph.as_deref(), (*profile).as_ref()?, *sorting))
        })
    };
    let (Some(run), Some(shown), Some(list)) = (run, (*profile).as_ref(), (*listed).as_ref()) else {
        return nothing(&page);
    };
    let selected = page.state.stepping.selection;
    let here = selected.or(page.frame.as_ref().and_then(|frame| frame.focus));
    let at_cursor = page.state.shown_step().filter(|_| selected.is_none());
    let is_here = |&row: &usize| match at_cursor {
        Some(step) => shown.rows[row].step == step,
        None => shown.rows[row].buffer.is_some() && shown.rows[row].buffer == here,
    };
    let current = list.order.iter().position(is_here).and_then(|row| line_of(&list.lines, row));
    let row = {
        let (page, run, profile, listed) = (page.clone(), run.clone(), profile.clone(), listed.clone());
        Callback::from(move |index: usize| {
            let (Some(profile), Some(listed)) = ((*profile).as_ref(), (*listed).as_ref()) else {
                return Html::default();
            };
            match &listed.lines[index] {
                Line::Heading(path) => heading_row(path, COLUMNS.all.len(), index),
                Line::Row(row, path) => {
                    let made = profile.rows[listed.order[*row]];
                    graph_row(&page, &run, graph.as_deref(), profile, (index, path), made)
                }
            }
        })
    };
    let onmove = {
        let (send, profile, listed) = (page.send.clone(), profile.clone(), listed.clone());
        Callback::from(move |index: usize| {
            let (Some(profile), Some(listed)) = ((*profile).as_ref(), (*listed).as_ref()) else { return };
            let row = row_at(&listed.lines, index, current).map(|row| profile.rows[listed.order[row]]);
            if let Some(buffer) = row.and_then(|made| made.buffer) {
                send.emit(Action::Step(StepAction::Select(Some(buffer))));
            }
        })
    };
    // The column is wide enough for the last step, because a number that touches the name looks
    // like a part of it.
    let digits = run.problem.steps.saturating_sub(1).to_string().len();
    let style = format!("--w-step:{}px;{}", (8 * digits + 4).max(34), COLUMNS.tracks(&page));
    html! { <div class="tab-fill" ~style={css(style)}>
        <Rows count={list.lines.len()} height={row_height()} {current} {row} {onmove} onpoint={page.pointing()}
            label={page.word("tab.graph")} id="graph-rows" role="grid" columns={COLUMNS.all.len()} head={COLUMNS.head(&page, "graph-row", &sorting)}
            active={current.map(|index| AttrValue::from(format!("graph-row-{index}")))} />
    </div> }
}

fn graph_row(
    page: &Page,
    run: &Run,
    graph: Option<&Graph>,
    profile: &Profile,
    (index, path): (usize, &str),
    made: Made,
) -> Html {
    let node = graph.and_then(|graph| graph.nodes.get(Id::from_index(made.step as usize)));
    let buffer = made.buffer.map(|id| &run.problem.buffers[id]);
    let name = name_of(run, graph, made);
    let tensor = buffer.and_then(|buffer| buffer.tensors.first().copied());
    let shape = graph.zip(tensor).map(|(graph, tensor)| graph.shape_words(tensor)).unwrap_or_default();
    let placed = made.buffer.zip(page.frame.as_ref()).is_some_and(|(id, frame)| frame.places[id].is_some());
    let selected = page.state.stepping.selection;
    let chosen = made.buffer.is_some() && made.buffer == selected;
    let share = 100.0 * profile.load.at(made.step) as f64 / profile.largest as f64;
    let lives = |id: Option<BufferId>| id.is_some_and(|id| run.problem.buffers[id].live.contains(made.step));
    let class = classes!(
        "row",
        "graph-row",
        chosen.then_some("selected"),
        lives(page.frame.as_ref().and_then(|frame| frame.focus)).then_some("in-focus"),
        lives(selected).then_some("in-life")
    );
    let onclick = page.on(move || Action::Step(StepAction::Select(made.buffer)));
    let title = match node {
        Some(node) => format!("{name} · {}", node.op),
        None => name.to_string(),
    };
    let label = made.buffer.map_or(name, |id| under(run.label(id), path));
    html! {
        <div {class} role="row" id={format!("graph-row-{index}")} key={index} data-buffer={made.buffer.map(|id| id.0.to_string())} aria-rowindex={(index + 2).to_string()}
            aria-selected={chosen.to_string()} {onclick}>
            <span role="gridcell" class="num">{ made.step }</span>
            <span role="gridcell" class={classes!("cut", "named", (!placed).then_some("muted"))} aria-label={name.to_string()} {title}>{ cut_name(label, name) }</span>
            <span role="gridcell" class="num cut muted" title={shape.clone()}>{ shape }</span>
            <span role="gridcell" class="profile" ~style={css(format!("--w:{share:.1}%"))}
                aria-label={page.speech().bytes(profile.load.at(made.step))}></span>
        </div>
    }
}
