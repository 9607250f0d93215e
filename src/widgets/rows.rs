//! A virtual list: all rows have one height, and only those in sight are in the document.

use web_sys::{EventTarget, HtmlElement};
use yew::prelude::*;

use crate::browser::css;
use crate::browser::later::{after_frame, in_frame};
use crate::browser::media::is_touched;
use crate::widgets::in_sight::{Sight, moved};
use crate::widgets::kept_row::{Kept, KeptRow};

#[derive(Properties, PartialEq)]
pub struct RowsProps {
    pub count: usize,
    /// Height of a row in px.
    pub height: f64,
    /// The row that is kept in sight.
    #[prop_or_default]
    pub current: Option<usize>,
    /// Draws row `index`.
    #[prop_or_else(|| Callback::from(|_| Html::default()))]
    pub row: Callback<usize, Html>,
    /// In place of `row`, where rows are drawn anew only when they show something else.
    #[prop_or_default]
    pub kept: Option<Kept>,
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

#[component]
pub fn Rows(props: &RowsProps) -> Html {
    let list = use_node_ref();
    let sight = use_mut_ref(Sight::default);
    let (from, to) = sight.borrow_mut().follow(props.current, props.count, props.height);
    let again = use_force_update();
    let measure = {
        let (list, sight, height) = (list.clone(), sight.clone(), props.height);
        move || {
            let Some(element) = list.cast::<HtmlElement>() else { return };
            let scroll = || {
                let to = sight.borrow_mut().take_scroll();
                to.into_iter().for_each(|to| element.set_scroll_top(to as i32));
            };
            scroll();
            let view = (element.scroll_top() as f64, element.client_height() as f64);
            let draws = sight.borrow_mut().measure(view, height);
            scroll();
            if draws {
                again.force_update();
            }
        }
    };
    {
        let (sight, measure) = (sight.clone(), measure.clone());
        use_effect_with((props.current, props.count, props.height as u32), move |_| {
            // Never cancelled: while a key is held down, changes come faster than frames. A list
            // that stands there for the first time must not hold up the task in which it does.
            if sight.borrow().is_known() { in_frame(measure) } else { after_frame(measure) }
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
    let before = format!("height:{}px", from as f64 * props.height);
    let after = format!("height:{}px", (props.count - to) as f64 * props.height);
    let rows = (props.role == "grid").then(|| (props.count + 1).to_string());
    html! {
        <div class="rows" ref={list} role={props.role} id={props.id} tabindex="0" aria-label={props.label.clone()}
            aria-rowcount={rows} aria-colcount={props.columns.map(|count| count.to_string())}
            aria-activedescendant={props.active.clone()} {onscroll} {onkeydown}
            {onpointerover} {onpointerout}>
            // The keys keep the heading the same element, with its focus, when the number of rows
            // changes.
            <key="head">{ props.head.clone() }</>
            <div key="before" ~style={css(before)} role="presentation"></div>
            { for (from..to).map(|index| match &props.kept {
                Some(Kept { of, look, row }) => html! { <KeptRow key={index} {index} of={of.clone()} look={look.emit(index)} row={row.clone()} /> },
                None => props.row.emit(index),
            }) }
            <div key="after" ~style={css(after)} role="presentation"></div>
        </div>
    }
}

/// The row's height in px: a finger needs more room than a pointer.
pub fn row_height() -> f64 {
    if is_touched() { 28.0 } else { 22.0 }
}
