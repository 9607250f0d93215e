//! Changes that no file holds: those of before, to go on with, and those that would be lost with
//! the tab.

use yew::prelude::*;

use crate::context::Page;
use crate::context::kept::discard;
use crate::context::sentence::words;
use crate::open::state::recovery::Recovery;
use crate::shell::state::action::{Action, EditAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;

/// Offers the drafts that no file holds, and warns when the present one is kept nowhere.
pub fn drafts(page: &Page) -> Html {
    let editing = &page.state.editing;
    let unkept = editing.session.as_ref().filter(|session| session.unsaved && editing.full);
    let unkept = unkept.map(|session| Message::new("recovery.not-kept").text("name", page.state.draft_name(session)));
    html! { <>
        if let Some(unkept) = unkept {
            <div class="notice error" role="alert" id="not-kept">
                { glyph(Icon::Warning) }
                <div class="notice-body"><b>{ words(page, &unkept) }</b></div>
                <button type="button" class="btn line" id="not-kept-save" onclick={page.on(|| Action::Edit(EditAction::Save))}>{ page.word("header.save") }</button>
            </div>
        }
        { for editing.recoveries.iter().enumerate().map(|(at, recovery)| offer(page, at, recovery)) }
    </> }
}

fn offer(page: &Page, at: usize, recovery: &Recovery) -> Html {
    // The first one has the plain name.
    let id = |name: &str| if at == 0 { name.to_string() } else { format!("{name}-{at}") };
    let (wanted, unwanted, send) = (recovery.key.clone(), recovery.key.clone(), page.send.clone());
    html! {
        <div class="notice" role="status" id={id("recovery")} key={recovery.key.clone()}>
            { glyph(Icon::Warning) }
            <div class="notice-body"><b>{ words(page, &Message::new("recovery.found").text("name", &recovery.name)) }</b></div>
            <button type="button" class="btn line" id={id("recover")} onclick={page.on(move || Action::Edit(EditAction::Recover(wanted.clone())))}>
                { page.word("recovery.recover") }
            </button>
            <button type="button" class="btn line" id={id("discard")} onclick={Callback::from(move |_: MouseEvent| discard(unwanted.clone(), send.clone()))}>
                { page.word("recovery.discard") }
            </button>
        </div>
    }
}
