//! What the browser prints: a page of its own with the plan, its figures and the explanation, in place of the window.

use gloo_events::EventListener;
use yew::prelude::*;

use crate::app::browser::dom::{document, until_then};
use crate::app::browser::hooks::{use_effect_with, use_mut_ref};
use crate::app::chrome::picture::{address, changed_options};
use crate::app::context::Page;
use crate::app::model::panels::Mode;
use crate::app::plan::style::style_of;
use crate::paint::{Shown, print_page};
use crate::scene::{Index, Style};

/// Fills the printed page when printing begins, and empties it afterwards: it is never drawn while stepping.
#[hook]
pub fn use_printing(page: &Page) {
    let latest = use_mut_ref(|| page.clone());
    *latest.borrow_mut() = page.clone();
    use_effect_with((), move |_| {
        let window = web_sys::window();
        let before = window.as_ref().map(|window| {
            EventListener::new(window, "beforeprint", move |_| {
                let page = latest.borrow().clone();
                fill(&printed(&page).unwrap_or_default());
            })
        });
        let after = window.as_ref().map(|window| EventListener::new(window, "afterprint", |_| fill("")));
        until_then((before, after))
    });
}

fn fill(html: &str) {
    if let Some(place) = document().and_then(|document| document.get_element_by_id("print")) {
        place.set_inner_html(html);
    }
}

/// The page of the present frame. A comparison is printed as it stands, and so is a question about a figure of the page.
fn printed(page: &Page) -> Option<String> {
    if page.state.view.mode.in_header() == Mode::Compare || page.state.has_open_figures() {
        return None;
    }
    if page.state.teaching.corner.is_some() && page.state.view.mode == Mode::Learn {
        // Teachers print the plan of their lesson; the other parts of the corner make files.
        return Some(document()?.get_element_by_id("hour")?.inner_html());
    }
    let (run, frame) = page.state.document.run.as_ref().zip(page.frame.as_ref())?;
    let address = address();
    let shown = Shown { level: page.state.stepping.level, options: changed_options(page), link: &address };
    let style = Style { filter: page.state.view.filter, ..style_of(page, run) };
    Some(print_page(run, &Index::of(run), frame, &style, &shown))
}
