//! A section of the state panel as it is seen: a table, a ruler of sizes, a strip of nodes, or lanes of plans.

use std::rc::Rc;

use yew::prelude::*;

use super::lanes::lanes;
use super::panel_head::{Filter, Head, copy_part, filter, head};
use super::rows::{Rows, row_height};
use super::sentence::words;
use super::{Page, use_page};
use crate::app::state::Action;
use crate::base::{Arg, Message};
use crate::replay::panel::{Cell, Chip, Row, Ruler, Section, Table, View, device_steps, section_json};
use crate::replay::{Level, Run};

pub fn section_view(page: &Page, section: &Rc<Section>, title: &str) -> Html {
    let Some((run, frame)) = page.state.run.clone().zip(page.frame.clone()) else { return Html::default() };
    let at_request = matches!(section.view, View::Ruler(_));
    let oncopy = {
        let (page, run) = (page.clone(), run.clone());
        let (section, title) = (section.clone(), title.to_string());
        Callback::from(move |_: MouseEvent| {
            copy_part(&page, section.id, &title, || section_json(&run, &section, page.speech()))
        })
    };
    let head = head(page, Head { title, at_request, oncopy: Some(oncopy), ..Head::default() });
    let body = match &section.view {
        View::Table(_) => html! { <TableView section={section.clone()} title={title.to_string()} {head} /> },
        View::Ruler(scale) => html! { <>{ head }{ ruler(page, scale) }</> },
        View::Strip(chips) => html! { <>{ head }{ device_frames(page, &run, section.id) }{ strip(page, chips) }</> },
        View::Lanes(held) => html! { <>{ head }{ lanes(page, &run, &frame, held) }</> },
    };
    html! {
        <section class="state" key={section.id} aria-label={title.to_string()} data-section={section.id} style={tracks(&section.view)}>
            { body }
        </section>
    }
}

/// A section that had nothing to show one frame earlier.
pub fn nothing(page: &Page, title: &str) -> Html {
    html! {
        <section class="state" aria-label={title.to_string()}>
            { head(page, Head { title, ..Head::default() }) }
            <p class="empty">{ page.word("panel.nothing-before") }</p>
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

/// The rows of a table that a filter leaves, worked out anew only for other rows, words or filters.
#[hook]
fn use_passing(page: &Page, section: Rc<Section>, filter: &str) -> Rc<Vec<usize>> {
    let speech = page.speech();
    let wanted = filter.trim().to_lowercase();
    use_memo((Rc::as_ptr(&section) as usize, wanted, speech), move |(_, wanted, speech)| {
        let View::Table(table) = &section.view else { return Vec::new() };
        let passes = |row: &Row| wanted.is_empty() || row.says(wanted, *speech);
        table.rows.iter().enumerate().filter(|(_, row)| passes(row)).map(|(index, _)| index).collect()
    })
}

#[derive(Properties)]
struct TableViewProps {
    section: Rc<Section>,
    title: AttrValue,
    /// Title and buttons, beside which the filter stands where there is room.
    head: Html,
}

impl PartialEq for TableViewProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.section, &other.section) && self.title == other.title && self.head == other.head
    }
}

#[component]
fn TableView(props: &TableViewProps) -> Html {
    let page = use_page();
    let text = use_state_eq(String::new);
    let passing = use_passing(&page, props.section.clone(), &text);
    let View::Table(table) = &props.section.view else { return Html::default() };
    let selected = table.rows.iter().position(|row| row.buffer.is_some() && row.buffer == page.state.selection);
    let current = selected.or(table.current).and_then(|row| passing.binary_search(&row).ok());
    let marked = table.rows.iter().any(|row| row.changed.is_some());
    let row = {
        let (page, section, passing) = (page.clone(), props.section.clone(), passing.clone());
        Callback::from(move |index: usize| match &section.view {
            View::Table(table) => table_row(&page, table, passing[index], index, current == Some(index), marked),
            _ => Html::default(),
        })
    };
    let onmove = {
        let (send, section, passing) = (page.send.clone(), props.section.clone(), passing.clone());
        Callback::from(move |index: usize| {
            let View::Table(table) = &section.view else { return };
            let row = passing.get(index).and_then(|&row| table.rows.get(row));
            send.emit(Action::Select(row.and_then(|row| row.buffer)))
        })
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
    html! { <>
        <div class="state-head">
            { props.head.clone() }
            { filter(&page, Filter {
                id: "part-filter",
                label: page.word("panel.filter"),
                text: &text,
                shown: passing.len(),
                all: table.rows.len(),
                always: false,
            }) }
        </div>
        if passing.is_empty() && !table.rows.is_empty() { <p class="empty">{ page.word("panel.no-match") }</p> }
        <Rows count={passing.len()} height={row_height()} {current} {row} {onmove} label={props.title.clone()} id="section-rows" role="grid"
            columns={table.columns.len() + usize::from(marked)} {head} active={current.map(|index| AttrValue::from(format!("section-row-{index}")))} />
    </> }
}

/// Row `of` of a table, the `index`-th that is listed.
fn table_row(page: &Page, table: &Table, of: usize, index: usize, current: bool, marked: bool) -> Html {
    let row = &table.rows[of];
    let class = classes!(
        "row",
        "section-row",
        current.then_some("selected"),
        row.changed.is_some().then_some("new"),
        row.faded.then_some("faded")
    );
    let onclick = row_action(page, row);
    html! {
        <div {class} role="row" id={format!("section-row-{index}")} key={index} data-buffer={row.buffer.map(|id| id.0.to_string())}
            aria-rowindex={(index + 1).to_string()} aria-selected={current.to_string()} {onclick}>
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
    match cell {
        Cell::Bar(share) => html! { <span class="bar" style={format!("--w:{:.1}%", share * 100.0)}></span> },
        // Plain words: a row is a target of its own, and links in it would be too close to each other.
        _ => html! { { cell.say(page.speech()) } },
    }
}

/// The whole of a cell that may be cut.
fn cell_title(page: &Page, cell: &Cell) -> Option<String> {
    let cut = matches!(cell, Cell::Say(_) | Cell::Value(Arg::Name(_) | Arg::Names(_) | Arg::Text(_)));
    cut.then(|| cell.say(page.speech()))
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

/// The way to the frames in which devices are given: all lie before the first placement, where only the finest level stops.
fn device_frames(page: &Page, run: &Run, section: &str) -> Html {
    let Some((count, events)) = device_steps(run).filter(|_| section == "devices") else { return Html::default() };
    let send = page.send.clone();
    let frame = run.timeline.frame_at(Level::All, events);
    let onclick = Callback::from(move |_: MouseEvent| {
        send.emit(Action::Level(Level::All));
        send.emit(Action::Seek(frame));
    });
    let words = page.speech().say(&Message::new("panel.devices.frames").count("n", count as u64));
    html! { <p class="own-frames"><button type="button" class="btn line" id="device-frames" {onclick}>{ words }</button></p> }
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
