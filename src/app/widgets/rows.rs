//! A virtual list: all rows have one height, and only those in sight are in the document.

use web_sys::{EventTarget, HtmlElement};
use yew::prelude::*;

use crate::app::browser::hooks::{use_effect_with, use_state_eq};
use crate::app::browser::later::after_frame;

#[derive(Properties, PartialEq)]
pub struct RowsProps {
    pub count: usize,
    /// Height of a row in px.
    pub height: f64,
    /// The row that is kept in sight.
    #[prop_or_default]
    pub current: Option<usize>,
    /// Draws row `index`.
    pub row: Callback<usize, Html>,
    /// Called with the row that a key moves to.
    pub onmove: Callback<usize>,
    pub label: AttrValue,
    pub id: &'static str,
    /// ARIA role of the list: `grid` or `tree`.
    pub role: &'static str,
    /// Id of the current row's element.
    #[prop_or_default]
    pub active: Option<AttrValue>,
    /// Called with all other keys.
    #[prop_or_default]
    pub onkey: Callback<KeyboardEvent>,
    /// Called with the element under the pointer, and with `None` when the pointer leaves.
    #[prop_or_default]
    pub onpoint: Callback<Option<EventTarget>>,
    #[prop_or_default]
    pub columns: Option<usize>,
    #[prop_or_default]
    pub head: Html,
}

/// Rows drawn beyond each edge, so that fast scrolling shows no gap.
const MARGIN: usize = 8;

/// Rows assumed to be in sight before the list has been measured.
const FIRST: usize = 16;

#[component]
pub fn Rows(props: &RowsProps) -> Html {
    let list = use_node_ref();
    let sight = use_state_eq(|| (0usize, FIRST));
    let measure = {
        let (list, sight, height) = (list.clone(), sight.setter(), props.height);
        move || {
            if let Some(element) = list.cast::<HtmlElement>() {
                let first = (element.scroll_top() as f64 / height) as usize;
                let shown = (element.client_height() as f64 / height).ceil() as usize + 1;
                // Rounded to multiples of the margin, so that scrolling by a few pixels draws nothing.
                sight.set((first / MARGIN * MARGIN, shown.div_ceil(MARGIN) * MARGIN + MARGIN));
            }
        }
    };
    {
        let measure = measure.clone();
        use_effect_with((props.count, props.height as u32), move |_| after_frame(measure));
    }
    {
        let (list, height, measure) = (list.clone(), props.height, measure.clone());
        use_effect_with((props.current, props.count), move |(current, _)| {
            let show = move |current: usize| {
                let Some(element) = list.cast::<HtmlElement>() else { return };
                let view = (element.scroll_top() as f64, element.client_height() as f64);
                if let Some(top) = scroll_to(current, height, view) {
                    element.set_scroll_top(top as i32);
                    // At once: the scroll event comes later, in the task that paints.
                    measure();
                }
            };
            // Not cancelled by the next change: while a key is held down, changes come faster than frames.
            if let &Some(current) = current {
                after_frame(move || show(current));
            }
        });
    }
    let onscroll = Callback::from(move |_: Event| measure());
    let onkeydown = {
        let (count, current, onmove, onkey) = (props.count, props.current, props.onmove.clone(), props.onkey.clone());
        let list = list.clone();
        let height = props.height;
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.alt_key() || event.meta_key() || count == 0 {
                return;
            }
            let page =
                list.cast::<HtmlElement>().map_or(10, |element| (element.client_height() as f64 / height) as usize);
            let Some(next) = moved(&event.key(), current, page.max(1), count - 1) else { return onkey.emit(event) };
            event.prevent_default();
            event.stop_propagation();
            onmove.emit(next);
        })
    };
    let onpointerover = props.onpoint.reform(|event: PointerEvent| event.target());
    let onpointerout = props.onpoint.reform(|_: PointerEvent| None);
    let (from, to) = drawn(*sight, props.count);
    let before = format!("height:{}px", from as f64 * props.height);
    let after = format!("height:{}px", (props.count - to) as f64 * props.height);
    let rows = (props.role == "grid").then(|| (props.count + 1).to_string());
    html! {
        <div class="rows" ref={list} role={props.role} id={props.id} tabindex="0" aria-label={props.label.clone()}
            aria-rowcount={rows} aria-colcount={props.columns.map(|count| count.to_string())}
            aria-activedescendant={props.active.clone()} {onscroll} {onkeydown}
            {onpointerover} {onpointerout}>
            // The keys keep the heading the same element, with its focus, when the number of rows changes.
            <key="head">{ props.head.clone() }</>
            <div key="before" ~style={before} role="presentation"></div>
            { for (from..to).map(|index| props.row.emit(index)) }
            <div key="after" ~style={after} role="presentation"></div>
        </div>
    }
}

/// The rows to draw, from and to: those in sight, as first row and number, with a margin on both sides.
fn drawn((first, shown): (usize, usize), count: usize) -> (usize, usize) {
    (first.saturating_sub(MARGIN).min(count), (first + shown + MARGIN).min(count))
}

/// Returns the row that a key moves to from the current one; `None` if the key does not move. `page` is the number of rows
/// of the page keys, `last` the position of the last row.
fn moved(key: &str, current: Option<usize>, page: usize, last: usize) -> Option<usize> {
    match (key, current) {
        ("ArrowDown", Some(current)) => Some((current + 1).min(last)),
        ("ArrowUp", Some(current)) => Some(current.saturating_sub(1)),
        ("PageDown", Some(current)) => Some((current + page).min(last)),
        ("PageUp", Some(current)) => Some(current.saturating_sub(page)),
        ("ArrowDown" | "PageDown" | "ArrowUp" | "PageUp", None) | ("Home", _) => Some(0),
        ("End", _) => Some(last),
        _ => None,
    }
}

/// Returns the scroll position in px that shows a row in the middle; `None` if the whole row is in sight. `view` is the
/// present scroll position and the height of the list.
fn scroll_to(row: usize, height: f64, (from, room): (f64, f64)) -> Option<f64> {
    let (top, bottom) = (row as f64 * height, (row + 1) as f64 * height);
    (top < from || bottom > from + room).then(|| (top - (room - height) / 2.0).max(0.0))
}

/// The row's height in px: a finger needs more room than a pointer.
pub fn row_height() -> f64 {
    let coarse = web_sys::window().and_then(|window| window.match_media("(pointer: coarse)").ok().flatten());
    if coarse.is_some_and(|query| query.matches()) { 28.0 } else { 22.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_move_within_the_list() {
        assert_eq!(moved("ArrowDown", Some(8), 4, 9), Some(9));
        assert_eq!(moved("ArrowDown", Some(9), 4, 9), Some(9));
        assert_eq!(moved("ArrowUp", Some(0), 4, 9), Some(0));
        assert_eq!(moved("PageDown", Some(3), 4, 9), Some(7));
        assert_eq!(moved("PageUp", Some(3), 4, 9), Some(0));
        assert_eq!(moved("PageUp", None, 4, 9), Some(0));
        assert_eq!([moved("Home", Some(5), 4, 9), moved("End", None, 4, 9)], [Some(0), Some(9)]);
        assert_eq!(moved("Enter", Some(5), 4, 9), None);
    }

    #[test]
    fn rows_beside_those_in_sight_are_drawn() {
        assert_eq!(drawn((0, FIRST), 100), (0, FIRST + MARGIN));
        assert_eq!(drawn((40, 16), 100), (40 - MARGIN, 56 + MARGIN));
        assert_eq!(drawn((40, 16), 10), (10, 10), "the list became shorter");
    }

    #[test]
    fn a_row_out_of_sight_is_scrolled_to_the_middle() {
        assert_eq!(scroll_to(3, 20.0, (0.0, 100.0)), None);
        assert_eq!(scroll_to(5, 20.0, (0.0, 100.0)), Some(60.0));
        assert_eq!(scroll_to(0, 20.0, (50.0, 100.0)), Some(0.0));
    }
}
