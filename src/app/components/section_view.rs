//! A section of the state panel as it is seen: a table, a ruler of sizes, a strip of nodes, or lanes of plans.

use std::rc::Rc;

use yew::prelude::*;

use super::rows::{Rows, row_height};
use super::sentence::words;
use super::{Page, use_page};
use crate::app::state::Action;
use crate::base::{Arg, Message};
use crate::replay::panel::{Cell, Chip, Lane, Row, Ruler, Section, Table, View};

#[derive(Properties)]
pub struct SectionViewProps {
    pub section: Rc<Section>,
    pub title: AttrValue,
}

impl PartialEq for SectionViewProps {
    fn eq(&self, other: &Self) -> bool {
        self.section == other.section && self.title == other.title
    }
}

#[component]
pub fn SectionView(props: &SectionViewProps) -> Html {
    let page = use_page();
    let body = match &props.section.view {
        View::Table(table) => {
            html! { <TableView table={Rc::new(table.clone())} id={props.section.id} title={props.title.clone()} /> }
        }
        View::Ruler(scale) => ruler(&page, scale),
        View::Strip(chips) => strip(&page, chips),
        View::Lanes(held) => lanes(&page, held),
    };
    let moment = if matches!(props.section.view, View::Ruler(_)) { "panel.at-request" } else { "tree.after" };
    html! {
        <section class="state" aria-label={props.title.clone()} data-section={props.section.id} style={tracks(&props.section.view)}>
            <div class="panel-title"><h2>{ &props.title }</h2><span class="muted">{ page.word(moment) }</span></div>
            { body }
        </section>
    }
}

/// Columns as wide as what is in them, the same in every row.
fn tracks(view: &View) -> Option<String> {
    let View::Table(table) = view else { return None };
    let happened = table.rows.iter().any(|row| row.changed.is_some()).then_some("max-content");
    let last = table.columns.len().saturating_sub(1);
    let tracks =
        (0..table.columns.len()).map(|column| if column == last { "minmax(max-content, 1fr)" } else { "max-content" });
    Some(format!("--tracks: {}", happened.into_iter().chain(tracks).collect::<Vec<_>>().join(" ")))
}

#[derive(Properties)]
struct TableViewProps {
    table: Rc<Table>,
    id: &'static str,
    title: AttrValue,
}

impl PartialEq for TableViewProps {
    fn eq(&self, other: &Self) -> bool {
        self.table == other.table && self.id == other.id && self.title == other.title
    }
}

#[component]
fn TableView(props: &TableViewProps) -> Html {
    let page = use_page();
    let table = props.table.clone();
    let selected = table.rows.iter().position(|row| row.buffer.is_some() && row.buffer == page.state.selection);
    let current = selected.or(table.current);
    let marked = table.rows.iter().any(|row| row.changed.is_some());
    let row = {
        let (page, table) = (page.clone(), table.clone());
        Callback::from(move |index: usize| table_row(&page, &table, index, current == Some(index), marked))
    };
    let onmove = {
        let (send, table) = (page.send.clone(), table.clone());
        Callback::from(move |index: usize| send.emit(Action::Select(table.rows.get(index).and_then(|row| row.buffer))))
    };
    let head = html! {
        <div class="row section-row head" role="row">
            if marked {
                <span role="columnheader" class="what"><span class="visually-hidden">{ page.word("panel.column.change") }</span></span>
            }
            { for table.columns.iter().map(|column| html! {
                <span role="columnheader" class={if column.numeric { "num" } else { "cut" }} title={page.speech().say(&column.title)}>
                    { words(&page, &column.title) }</span>
            }) }
        </div>
    };
    html! {
        <Rows count={table.rows.len()} height={row_height()} {current} {row} {onmove} label={props.title.clone()} id="section-rows" role="grid"
            columns={table.columns.len() + usize::from(marked)} {head} active={current.map(|index| AttrValue::from(format!("section-row-{index}")))} />
    }
}

fn table_row(page: &Page, table: &Table, index: usize, current: bool, marked: bool) -> Html {
    let row = &table.rows[index];
    let class = classes!(
        "row",
        "section-row",
        current.then_some("selected"),
        row.changed.is_some().then_some("new"),
        row.faded.then_some("faded")
    );
    let onclick = row_action(page, row);
    html! {
        <div {class} role="row" id={format!("section-row-{index}")} key={index} aria-rowindex={(index + 1).to_string()}
            aria-selected={current.to_string()} {onclick}>
            if marked {
                <span role="gridcell" class="cut what" title={row.changed.as_ref().map(|changed| page.speech().say(changed))}>
                    if let Some(changed) = &row.changed { <b class="happened">{ words(page, changed) }</b> }
                </span>
            }
            { for table.columns.iter().zip(&row.cells).map(|(column, cell)| html! {
                <span role="gridcell" class={if column.numeric { "num" } else { "cut" }} title={cell_title(page, cell)}>
                    { cell_view(page, cell) }</span>
            }) }
        </div>
    }
}

/// A row that states settings plans again with them; any other selects its buffer.
fn row_action(page: &Page, row: &Row) -> Callback<MouseEvent> {
    match row.buffer {
        _ if !row.settings.is_empty() => {
            let settings: Vec<(String, String)> =
                row.settings.iter().map(|(key, value)| (key.to_string(), value.clone())).collect();
            page.on(move || Action::Options(settings.clone()))
        }
        Some(buffer) => page.on(move || Action::Select(Some(buffer))),
        None => Callback::noop(),
    }
}

fn cell_view(page: &Page, cell: &Cell) -> Html {
    // Plain words: a row is a target of its own, and links in it would be too close to each other.
    let said = |message: &Message| html! { { page.speech().say(message) } };
    let value = |arg: Arg| said(&Message::new("panel.value").with("value", arg));
    match cell {
        Cell::Empty => Html::default(),
        Cell::Value(Arg::Bytes(bytes)) => html! { { page.speech().column(*bytes) } },
        Cell::Value(Arg::Address(address)) => html! { { page.speech().unit.figure(*address) } },
        Cell::Value(Arg::Span(from, to)) => html! { { page.speech().span(*from, *to) } },
        Cell::Value(arg) => value(arg.clone()),
        Cell::Say(message) => said(message),
        Cell::Grown(from, to) => {
            let column = |bytes: u64| page.speech().column(bytes);
            said(&Message::new("panel.change").text("from", column(*from)).text("to", column(*to)))
        }
        Cell::Change(from, to) => said(&Message::new("panel.change").count("from", *from).count("to", *to)),
        Cell::Bar(share) => html! { <span class="bar" style={format!("--w:{:.1}%", share * 100.0)}></span> },
    }
}

/// The whole of a cell that may be cut.
fn cell_title(page: &Page, cell: &Cell) -> Option<String> {
    match cell {
        Cell::Value(arg @ (Arg::Name(_) | Arg::Names(_) | Arg::Text(_))) => {
            Some(page.speech().say(&Message::new("panel.value").with("value", arg.clone())))
        }
        Cell::Say(message) => Some(page.speech().say(message)),
        _ => None,
    }
}

/// Width and height of the ruler's drawing.
const RULER: (f64, f64) = (400.0, 76.0);

fn ruler(page: &Page, scale: &Ruler) -> Html {
    let sizes = scale.marks.iter().map(|mark| mark.bytes).chain([scale.request, scale.window.0, scale.window.1]);
    let used: Vec<f64> = sizes.map(|bytes| (bytes.max(1) as f64).log2()).collect();
    let (low, high) = used.iter().fold((f64::MAX, f64::MIN), |(low, high), &at| (low.min(at), high.max(at)));
    let x = |bytes: u64| 12.0 + (RULER.0 - 24.0) * ((bytes.max(1) as f64).log2() - low) / (high - low).max(1.0);
    let (from, to, request) = (x(scale.window.0), x(scale.window.1), x(scale.request));
    let said = Message::new("panel.ruler.says")
        .bytes("request", scale.request)
        .bytes("low", scale.window.0)
        .bytes("high", scale.window.1)
        .count("n", scale.marks.len() as u64);
    html! { <div class="ruler">
        <svg viewBox={format!("0 0 {} {}", RULER.0, RULER.1)} role="img" aria-label={page.speech().say(&said)}>
            <rect class="window" x={from.to_string()} y="14" width={(to - from).max(1.0).to_string()} height="30" />
            <line class="axis" x1="4" x2={(RULER.0 - 4.0).to_string()} y1="44" y2="44" />
            <line class="request" x1={request.to_string()} x2={request.to_string()} y1="8" y2="50" />
            <text class="request" x={request.to_string()} y="62" text-anchor="middle">{ page.speech().bytes(scale.request) }</text>
            { for scale.marks.iter().map(|mark| {
                let at = x(mark.bytes);
                html! { <g class={classes!("mark", mark.chosen.then_some("chosen"))}>
                    <circle cx={at.to_string()} cy="44" r="5"><title>{ page.speech().bytes(mark.bytes) }</title></circle>
                    <text x={at.to_string()} y="34" text-anchor="middle">{ format!("s{}", mark.pool.0) }</text>
                    if let Some(number) = mark.number { <text class="number" x={at.to_string()} y="10" text-anchor="middle">{ number }</text> }
                </g> }
            }) }
        </svg>
        <p>{ words(page, &said) }</p>
    </div> }
}

fn strip(page: &Page, chips: &[Chip]) -> Html {
    html! { <ol class="chips">
        { for chips.iter().map(|chip| html! {
            <li class={classes!("chip", chip.current.then_some("current"))} aria-current={chip.current.then_some("step")}
                style={format!("--chip: var(--c{0}); --chip-b: var(--c{0}b)", chip.class % 8 + 1)} title={format!("{}: {}", chip.label, page.speech().say(&chip.words))}>
                <span class="cut">{ &chip.label }</span><span class="muted">{ words(page, &chip.words) }</span>
            </li>
        }) }
    </ol> }
}

fn lanes(page: &Page, held: &[Lane]) -> Html {
    let Some(run) = page.state.run.clone() else { return Html::default() };
    let steps = run.problem.steps.max(1) as f64;
    let top = |lane: &Lane| lane.places.iter().map(|&(id, offset)| offset + run.problem.buffers[id].size).max();
    let peak = held.iter().filter_map(top).max().unwrap_or(1).max(1) as f64;
    html! { <ol class="lanes">
        { for held.iter().map(|lane| html! {
            <li class={classes!("lane", lane.current.then_some("current"), lane.pruned.is_some().then_some("faded"))}>
                <svg viewBox="0 0 100 50" preserveAspectRatio="none" aria-hidden="true">
                    { for lane.places.iter().map(|&(id, offset)| {
                        let buffer = &run.problem.buffers[id];
                        let (x, width) = (buffer.live.start as f64 / steps * 100.0, buffer.live.len() as f64 / steps * 100.0);
                        let (height, bottom) = (buffer.size as f64 / peak * 50.0, offset as f64 / peak * 50.0);
                        html! { <rect x={x.to_string()} width={width.to_string()} y={(50.0 - bottom - height).to_string()} height={height.to_string()} /> }
                    }) }
                </svg>
                <span>{ words(page, &lane.title) }
                    if let Some(parent) = lane.parent {
                        <span class="muted">{ " " }{ words(page, &Message::new("panel.lane.parent").count("parent", parent as u64)) }</span>
                    }
                    if let Some(pruned) = &lane.pruned { <span class="muted">{ " " }{ words(page, pruned) }</span> }
                </span>
            </li>
        }) }
    </ol> }
}
