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
use crate::widgets::kept_row::Kept;
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

    /// The first row of a step that is meant.
    fn row_at(&self, step: u32, is_meant: impl Fn(&Made) -> bool) -> Option<usize> {
        let from = self.rows.partition_point(|made| made.step < step);
        let of_step = self.rows[from..].iter().take_while(|made| made.step == step);
        of_step.enumerate().find(|(_, made)| is_meant(made)).map(|(at, _)| from + at)
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
    // What the rows are made of; what a step changes of one is in its look.
    let of = use_memo((key.clone(), *sorting, page.speech()), |_| ());
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
    let is_here = |made: &Made| match at_cursor {
        Some(step) => made.step == step,
        None => made.buffer.is_some() && made.buffer == here,
    };
    // Unsorted, rows stand in order of steps: of a million those of one step are looked at.
    let step = at_cursor.or(here.map(|id| run.problem.buffers[id].live.start));
    let row = match sorting.0 {
        Some(_) => list.order.iter().position(|&row| is_here(&shown.rows[row])),
        None => step.and_then(|step| shown.row_at(step, is_here)),
    };
    let current = row.and_then(|row| line_of(&list.lines, row));
    let look = {
        let (page, run, profile, listed) = (page.clone(), run.clone(), profile.clone(), listed.clone());
        Callback::from(move |index: usize| {
            let (Some(profile), Some(listed)) = ((*profile).as_ref(), (*listed).as_ref()) else { return 0 };
            match &listed.lines[index] {
                Line::Heading(_) => 0,
                Line::Row(row, _) => RowLook::of(&page, &run, profile.rows[listed.order[*row]]).number(),
            }
        })
    };
    let row = {
        // A row that is kept keeps what it was drawn with: the places of a frame are many.
        let page = Page { frame: None, ..page.clone() };
        let (run, profile, listed) = (run.clone(), profile.clone(), listed.clone());
        Callback::from(move |(index, look): (usize, u64)| {
            let (Some(profile), Some(listed)) = ((*profile).as_ref(), (*listed).as_ref()) else {
                return Html::default();
            };
            match &listed.lines[index] {
                Line::Heading(path) => heading_row(path, COLUMNS.all.len(), index),
                Line::Row(row, path) => {
                    let made = profile.rows[listed.order[*row]];
                    graph_row(&page, &run, graph.as_deref(), profile, (index, path), (made, RowLook::read(look)))
                }
            }
        })
    };
    let kept = Kept { of, look, row };
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
        <Rows count={list.lines.len()} height={row_height()} {current} {kept} {onmove} onpoint={page.pointing()}
            label={page.word("tab.graph")} id="graph-rows" role="grid" columns={COLUMNS.all.len()} head={COLUMNS.head(&page, "graph-row", &sorting)}
            active={current.map(|index| AttrValue::from(format!("graph-row-{index}")))} />
    </div> }
}

/// What a step or a selection changes of a row.
#[derive(Clone, Copy, PartialEq, Debug)]
struct RowLook {
    /// The buffer has its place.
    placed: bool,
    /// The buffer is selected.
    chosen: bool,
    /// The buffer of the frame lives at the step of the row.
    in_focus: bool,
    /// The selected buffer does.
    in_life: bool,
}

impl RowLook {
    fn of(page: &Page, run: &Run, made: Made) -> RowLook {
        let (frame, selected) = (page.frame.as_ref(), page.state.stepping.selection);
        let lives = |id: Option<BufferId>| id.is_some_and(|id| run.problem.buffers[id].live.contains(made.step));
        RowLook {
            placed: made.buffer.zip(frame).is_some_and(|(id, frame)| frame.places[id].is_some()),
            chosen: made.buffer.is_some() && made.buffer == selected,
            in_focus: lives(frame.and_then(|frame| frame.focus)),
            in_life: lives(selected),
        }
    }

    /// Another number for every other look.
    fn number(self) -> u64 {
        let RowLook { placed, chosen, in_focus, in_life } = self;
        [placed, chosen, in_focus, in_life].into_iter().rev().fold(0, |number, holds| 2 * number + u64::from(holds))
    }

    /// The look of a number.
    fn read(number: u64) -> RowLook {
        let [placed, chosen, in_focus, in_life] = [1, 2, 4, 8].map(|bit| number & bit != 0);
        RowLook { placed, chosen, in_focus, in_life }
    }
}

fn graph_row(
    page: &Page,
    run: &Run,
    graph: Option<&Graph>,
    profile: &Profile,
    (index, path): (usize, &str),
    (made, look): (Made, RowLook),
) -> Html {
    let node = graph.and_then(|graph| graph.nodes.get(Id::from_index(made.step as usize)));
    let buffer = made.buffer.map(|id| &run.problem.buffers[id]);
    let name = name_of(run, graph, made);
    let tensor = buffer.and_then(|buffer| buffer.tensors.first().copied());
    let shape = graph.zip(tensor).map(|(graph, tensor)| graph.shape_words(tensor)).unwrap_or_default();
    let RowLook { placed, chosen, in_focus, in_life } = look;
    let share = 100.0 * profile.load.at(made.step) as f64 / profile.largest as f64;
    let class = classes!(
        "row",
        "graph-row",
        chosen.then_some("selected"),
        in_focus.then_some("in-focus"),
        in_life.then_some("in-life")
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

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::shell::state::State;
    use crate::shell::state::action::Motion;
    use crate::testing::{opened, page_of};

    /// The run, its rows, and what each looks like.
    fn looks(state: &State) -> (Rc<Run>, Vec<Made>, Vec<u64>) {
        let page = page_of(Rc::new(state.clone()));
        let run = page.state.document.run.clone().expect("a run");
        let rows = Profile::new(&run).rows;
        let looks = rows.iter().map(|&made| RowLook::of(&page, &run, made).number()).collect();
        (run, rows, looks)
    }

    #[test]
    fn a_step_changes_the_rows_of_its_two_buffers_and_no_others() {
        let mut state = opened().reduce(Action::Step(StepAction::Move(Motion::First)));
        let mut kept = 0;
        for _ in 1..state.frames() {
            let next = state.reduce(Action::Step(StepAction::Move(Motion::Next)));
            let focus = |state: &State| page_of(Rc::new(state.clone())).frame.and_then(|frame| frame.focus);
            let both = [focus(&state), focus(&next)];
            let ((run, rows, before), (.., after)) = (looks(&state), looks(&next));
            let lives = |made: Made| both.iter().flatten().any(|&id| run.problem.buffers[id].live.contains(made.step));
            for (&made, _) in rows.iter().zip(before.iter().zip(&after)).filter(|(_, (before, after))| before != after)
            {
                assert!(lives(made), "step {}", made.step);
            }
            kept += before.iter().zip(&after).filter(|(before, after)| before == after).count();
            state = next;
        }
        assert!(kept > 0, "some rows stay as they are");
    }

    #[test]
    fn a_row_is_found_by_its_step() {
        let (run, rows, _) = looks(&opened());
        let profile = Profile::new(&run);
        for (at, &made) in rows.iter().enumerate() {
            assert_eq!(profile.row_at(made.step, |other| *other == made), Some(at));
        }
        assert_eq!(profile.row_at(rows[0].step, |_| false), None);
    }

    #[test]
    fn every_look_has_a_number_of_its_own() {
        for number in 0..16 {
            assert_eq!(RowLook::read(number).number(), number);
        }
        let look = RowLook { placed: true, chosen: false, in_focus: true, in_life: false };
        assert_eq!(RowLook::read(look.number()), look);
    }
}
