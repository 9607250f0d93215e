use yew::prelude::*;

use crate::app::context::{Dark, use_page};
use crate::app::plan::style::style_of;
use crate::app::state::action::{Action, ViewAction};
use crate::app::state::index_of;
use crate::base::Family;
use crate::paint::{Palette, Theme};
use crate::scene::{Color, ColorBy, Part, Tone, legend};

/// What the colours of the plan tell, and the legend.
#[component]
pub fn Colours() -> Html {
    let page = use_page();
    let chosen = page.state.view.color_by;
    let onchange = {
        let send = page.send.clone();
        Callback::from(move |event: Event| {
            let name = event.target_unchecked_into::<web_sys::HtmlSelectElement>().value();
            send.emit(Action::View(ViewAction::ColorBy(ColorBy::from_name(&name).unwrap_or_default())));
        })
    };
    let entries = page
        .state
        .document
        .run
        .as_ref()
        .zip(page.frame.as_ref())
        .map(|(run, frame)| legend(run, &index_of(run), frame, &style_of(&page, run)));
    let colors = Palette::of(if use_context::<Dark>().is_some_and(|dark| dark.0) { Theme::Dark } else { Theme::Light });
    html! { <>
        <h2>{ page.word("header.color-by") }</h2>
        <label class="option"><span class="visually-hidden">{ page.word("header.color-by") }</span>
            <select class="small" {onchange}>
                { for ColorBy::ALL.into_iter().map(|color_by| html! {
                    <option value={color_by.name()} selected={color_by == chosen}>{ page.word(&Family::COLOR_BY.of([color_by.name()])) }</option>
                }) }
            </select>
        </label>
        <ul class="legend">
            { for entries.into_iter().flatten().map(|entry| html! {
                <li><i class="swatch" style={format!("background:{}", colors.color(Color::Buffer(Part::Fill, entry.class, Tone::Full)).css(1.0))}></i><span class="cut">{ entry.words }</span>
                    <span class="num muted">{ entry.buffers.len() }</span><span class="num">{ page.speech().column(entry.bytes) }</span></li>
            }) }
        </ul>
    </> }
}
