//! The planners in a menu, in the order of the registry.

use yew::prelude::*;

use crate::app::context::Page;
use crate::app::widgets::menu::Menu;
use crate::base::Family;
use crate::engine::IMPORTED;
use crate::planner::{self, INFOS};

/// Lists the planners and, for a file with a plan of its own, that plan. A planner that cannot use the document says why.
///
/// `chosen` is marked, where one of them is in use; `choose` is called with the id of an entry.
pub fn planner_list(page: &Page, label: String, chosen: Option<&str>, choose: Callback<&'static str>) -> Html {
    let document = page.state.document.open.as_ref();
    let has_graph = document.is_some_and(|document| document.graph.is_some());
    let has_plan = document.is_some_and(|document| document.has_plan);
    let entry = |id: &'static str, blocked: bool, title: Html, about: String| {
        let choose = choose.clone();
        html! {
            <button type="button" role={if chosen.is_some() { "menuitemradio" } else { "menuitem" }} data-planner={id} disabled={blocked}
                aria-checked={chosen.map(|chosen| (chosen == id).to_string())} onclick={Callback::from(move |_: MouseEvent| choose.emit(id))}>
                <span>{ title }</span><span class="muted">{ about }</span>
            </button>
        }
    };
    html! {
        <Menu {label} class="planners">
            if has_plan {
                { entry(IMPORTED, false, html! { <b>{ page.word("planner.imported") }</b> }, page.word("planner.imported.about")) }
            }
            { for INFOS.iter().map(|info| {
                let blocked = planner::applicable(info, has_graph).err();
                let (system, name) = info.title(page.speech());
                let about = match blocked {
                    Some(why) => page.speech().say(&why.message()),
                    None => page.word(&Family::PLANNER_ABOUT.of([info.id])),
                };
                entry(info.id, blocked.is_some(), html! { <><b>{ system }</b>{ " " }{ name }</> }, about)
            }) }
        </Menu>
    }
}
