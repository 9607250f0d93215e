//! Headings of tables: a press sorts, a handle at the edge changes the width.

use yew::prelude::*;

use crate::browser::css;
use crate::browser::dom::{capture, target_of};
use crate::context::{Page, use_page};
use crate::shell::state::action::{Action, SettingsAction};
use crate::shell::state::columns::COLUMN_WIDTH;
use crate::widgets::sort_button::sort_button;
use crate::widgets::sorting::Sorting;
use memplan_core::base::Message;

/// Px that an arrow key moves the edge of a column.
const STEP: u32 = 16;

/// One heading of a table.
pub struct Heading<'a> {
    /// Names the table among those whose widths are kept; without blanks.
    pub table: &'a str,
    /// Its place among the columns, from 0.
    pub column: usize,
    /// What is written above the column.
    pub words: String,
    pub class: Classes,
    /// None if the table keeps its order.
    pub sorting: Option<&'a UseStateHandle<Sorting>>,
    /// Whether the width can be changed: that of the last column is what is left.
    pub resizes: bool,
}

/// Draws a heading.
pub fn heading(heading: Heading) -> Html {
    let Heading { table, column, words, class, sorting, resizes } = heading;
    let sorted = sorting.map(|sorting| sorting.of(column));
    let shown = html! { { words.clone() } };
    html! {
        <span role="columnheader" aria-sort={sorted} {class} title={words.clone()}>
            { sorting.map_or(shown.clone(), |sorting| sort_button(sorting, column, shown)) }
            if resizes { <ColumnHandle table={table.to_string()} {column} name={words} /> }
        </span>
    }
}

/// Draws a heading of a `table` element. `shown` stands for the words, which say what it is when
/// pointed at.
pub fn table_heading(page: &Page, heading: Heading, shown: Html) -> Html {
    let Heading { table, column, words, class, sorting, resizes } = heading;
    let sorted = sorting.map(|sorting| sorting.of(column));
    let width = page.state.settings.columns.of(table, column).map(|width| format!("width:{width}px"));
    let width = width.unwrap_or_default();
    html! {
        <th scope="col" aria-sort={sorted} {class} title={words.clone()} ~style={css(width)}>
            { sorting.map_or(shown.clone(), |sorting| sort_button(sorting, column, shown)) }
            if resizes { <ColumnHandle table={table.to_string()} {column} name={words} /> }
        </th>
    }
}

/// The tracks of a table as a style: the widths that the user gave, and the usual ones.
pub fn tracks(page: &Page, table: &str, usual: &[&str]) -> String {
    format!("--cols:{}", page.state.settings.columns.tracks(table, usual))
}

/// The columns of a table whose rows are of one kind.
pub struct Columns {
    /// Names the table among those whose widths are kept.
    pub table: &'static str,
    /// The key of each heading, the class, the usual track.
    pub all: &'static [(&'static str, &'static str, &'static str)],
    /// How many of them sort, from the first on.
    pub sorts: usize,
}

impl Columns {
    /// The row of headings; the width of every column but the last can be changed.
    pub fn head(&self, page: &Page, class: &'static str, sorting: &UseStateHandle<Sorting>) -> Html {
        html! {
            <div class={classes!("row", "head", class)} role="row" aria-rowindex="1">
                { for self.all.iter().enumerate().map(|(column, (key, class, _))| heading(Heading {
                    table: self.table,
                    column,
                    words: page.word(key),
                    class: classes!(*class),
                    sorting: (column < self.sorts).then_some(sorting),
                    resizes: column + 1 < self.all.len(),
                })) }
            </div>
        }
    }

    /// The tracks as a style.
    pub fn tracks(&self, page: &Page) -> String {
        tracks(page, self.table, &self.all.iter().map(|(.., track)| *track).collect::<Vec<_>>())
    }
}

#[derive(Properties, PartialEq)]
struct ColumnHandleProps {
    table: String,
    column: usize,
    /// Name of the column.
    name: String,
}

/// The edge of a column: dragged, moved by arrow keys, put back by a double click.
#[component]
fn ColumnHandle(props: &ColumnHandleProps) -> Html {
    let page = use_page();
    // Where the pointer took hold, and how wide the column was.
    let held = use_mut_ref(|| None::<(f64, f64)>);
    let resize = {
        let (send, table, column) = (page.send.clone(), props.table.clone(), props.column);
        Callback::from(move |width: Option<u32>| {
            let table = table.clone();
            send.emit(Action::Settings(SettingsAction::ColumnWidth(table, column, width)));
        })
    };
    let width_of = |event: &web_sys::Event| {
        let heading = target_of(event).and_then(|handle| handle.parent_element());
        heading.map_or(0.0, |heading| heading.get_bounding_client_rect().width())
    };
    let onpointerdown = {
        let held = held.clone();
        Callback::from(move |event: PointerEvent| {
            event.prevent_default();
            *held.borrow_mut() = Some((event.client_x() as f64, width_of(&event)));
            capture(target_of(&event), &event);
        })
    };
    let onpointermove = {
        let (held, resize) = (held.clone(), resize.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some((from, width)) = *held.borrow() {
                resize.emit(Some((width + event.client_x() as f64 - from).max(0.0) as u32));
            }
        })
    };
    let release = Callback::from(move |_: PointerEvent| *held.borrow_mut() = None);
    let onkeydown = {
        let resize = resize.clone();
        Callback::from(move |event: KeyboardEvent| {
            let now = width_of(&event).round() as u32;
            match event.key().as_str() {
                "ArrowLeft" => resize.emit(Some(now.saturating_sub(STEP))),
                "ArrowRight" => resize.emit(Some(now + STEP)),
                "Delete" | "Backspace" => resize.emit(None),
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let onclick = Callback::from(|event: MouseEvent| event.stop_propagation());
    let ondblclick = resize.reform(|_: MouseEvent| None);
    let width = page.state.settings.columns.of(&props.table, props.column);
    let label = page.speech().say(&Message::new("table.width").text("column", &props.name));
    html! {
        <span class="column-handle" role="separator" aria-orientation="vertical" tabindex="0" aria-label={label}
            aria-valuenow={width.unwrap_or(0).to_string()} aria-valuemin="0" aria-valuemax={COLUMN_WIDTH.1.to_string()}
            {onpointerdown} {onpointermove} onpointerup={release.clone()} onpointercancel={release} {onkeydown} {onclick} {ondblclick}></span>
    }
}
