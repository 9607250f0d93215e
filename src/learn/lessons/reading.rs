//! Which paragraph the reader is at: the one that crosses a line of the column. Only a link or a
//! key scrolls the text; that a paragraph counts as read does not.

use std::cell::RefCell;

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};
use yew::prelude::*;

use crate::browser::dom::{focus_element, until_then};
use crate::context::{Layout, Page};
use crate::shell::state::action::{Action, LearnAction};
use gloo_timers::callback::Timeout;

/// The line at which a paragraph counts as read, 38 % below the top of the column, as margins that
/// leave 1 % of the column.
const LINE: &str = "-38% 0px -61% 0px";

/// The same, 56 % below the top, for the low column of a narrow page: a paragraph fills much of it,
/// so the next one counts as read once it begins near the middle.
const LOW_LINE: &str = "-56% 0px -43% 0px";

/// The line of a wide page at which an open question counts as read, 50 % below the top: it is
/// where the reader looks, even if the text above its own is still at the other line.
const ASKED_LINE: &str = "-50% 0px -49% 0px";

/// How long a paragraph stays at the line until it counts as read, in ms.
const REST: u32 = 150;

/// How long the browser may take to scroll to a paragraph, in ms.
const JUMP: u32 = 600;

/// If the column is scrolled by less than this, in px, the first paragraph counts as read, although
/// it may lie above the line.
const TOP: i32 = 24;

/// Reports the paragraph that the reader is at, and scrolls to the paragraph that a link or a key
/// leads to.
#[hook]
pub fn use_reading(page: &Page, host: &NodeRef, lesson: u32) {
    let jumping = use_mut_ref(|| None::<Timeout>);
    // The paragraph that came to the line last during a jump.
    let passed = use_mut_ref(|| None::<usize>);
    {
        let (host, send, jumping, passed) = (host.clone(), page.send.clone(), jumping.clone(), passed.clone());
        use_effect_with((lesson, page.layout), move |&(_, layout)| {
            let read = Callback::from(move |at: usize| {
                if jumping.borrow().is_none() {
                    send.emit(Action::Learn(LearnAction::Paragraph(at)));
                } else {
                    *passed.borrow_mut() = Some(at);
                }
            });
            let line = if layout == Layout::Narrow { LOW_LINE } else { LINE };
            let column = host.cast::<Element>();
            let asked = column.as_ref().filter(|_| layout != Layout::Narrow);
            let asked = asked.and_then(|column| Watch::new(column, "[data-task]", ASKED_LINE, read.clone()));
            until_then((column.and_then(|column| Watch::new(&column, "[data-at]", line, read)), asked))
        });
    }
    let (host, at, send) = (host.clone(), page.state.learning.place.paragraph, page.send.clone());
    let was_open = use_mut_ref(|| false);
    use_effect_with(page.state.learning.jumps, move |_| {
        let was_open = was_open.replace(true);
        // A lesson that opens at its first paragraph stays at its top and shows its title.
        let is_at_top = !was_open && at == 0;
        let found = host.cast::<Element>().and_then(|host| host.query_selector(&format!("[data-at='{at}']")).ok()?);
        if let Some(paragraph) = found.filter(|_| !is_at_top) {
            passed.borrow_mut().take();
            let (over, column, target) = (jumping.clone(), host.cast::<Element>(), paragraph.clone());
            let end = move || {
                over.borrow_mut().take();
                let passed = passed.borrow_mut().take();
                // The reader has scrolled on meanwhile if the target of the jump is out of sight.
                if let Some(at) = passed.filter(|_| column.is_some_and(|column| !shows(&column, &target))) {
                    send.emit(Action::Learn(LearnAction::Paragraph(at)));
                }
            };
            *jumping.borrow_mut() = Some(Timeout::new(JUMP, end));
            // The focus follows, so that keys and screen readers go on at the paragraph.
            if was_open {
                focus_element(Some(paragraph.clone()));
            }
            paragraph.scroll_into_view();
        }
    });
}

/// Returns true if a part of an element is in sight in a column that scrolls.
fn shows(column: &Element, element: &Element) -> bool {
    let (column, element) = (column.get_bounding_client_rect(), element.get_bounding_client_rect());
    element.bottom() > column.top() && element.top() < column.bottom()
}

/// Observes which paragraph of a column comes to the line; dropping it ends that.
struct Watch {
    observer: IntersectionObserver,
    _callback: Closure<dyn FnMut(Vec<JsValue>)>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

impl Watch {
    /// Watches what css selects in a column.
    fn new(column: &Element, css: &str, line: &str, read: Callback<usize>) -> Option<Watch> {
        let resting = RefCell::new(None::<Timeout>);
        let top = column.clone();
        let callback = Closure::new(move |entries: Vec<JsValue>| {
            let entered = entries.into_iter().filter_map(|entry| entry.dyn_into::<IntersectionObserverEntry>().ok());
            let entered = entered.filter(IntersectionObserverEntry::is_intersecting);
            let at = |entry: IntersectionObserverEntry| {
                let target = entry.target();
                // A question that is over asks nothing.
                let is_over = target.get_attribute("data-over").as_deref() == Some("true");
                let part = target.closest("[data-at]").ok().flatten().filter(|_| !is_over)?;
                part.get_attribute("data-at")?.parse::<usize>().ok()
            };
            let at = entered.filter_map(at).last();
            if let Some(at) = at {
                let (read, top) = (read.clone(), top.clone());
                let rests = move || read.emit(if top.scroll_top() < TOP { 0 } else { at });
                *resting.borrow_mut() = Some(Timeout::new(REST, rests));
            }
        });
        let options = IntersectionObserverInit::new();
        options.set_root(Some(column));
        options.set_root_margin(line);
        let observer = IntersectionObserver::new_with_options(callback.as_ref().unchecked_ref(), &options).ok()?;
        let paragraphs = column.query_selector_all(css).ok()?;
        for index in 0..paragraphs.length() {
            let paragraph = paragraphs.item(index).and_then(|node| node.dyn_into::<Element>().ok());
            paragraph.iter().for_each(|paragraph| observer.observe(paragraph));
        }
        Some(Watch { observer, _callback: callback })
    }
}
