//! The questions of an exercise once more, each with its answer and a picture of the plan.

use yew::prelude::*;

use crate::context::Page;
use crate::context::sentence::plain_words;
use crate::widgets::icons::{Icon, glyph};
use memplan_engine::AskedPicture;

/// The list, in the order of asking.
pub fn asked(page: &Page, pictures: &[AskedPicture]) -> Html {
    html! { <ol class="asked-list" id="exercise-asked">{ for pictures.iter().map(|picture| one(page, picture)) }</ol> }
}

fn one(page: &Page, picture: &AskedPicture) -> Html {
    let (class, icon) = match picture.right {
        Some(true) => ("passed", Some(Icon::Check)),
        Some(false) => ("failed", Some(Icon::Close)),
        None => ("muted", None),
    };
    html! {
        <li data-right={picture.right.map(|right| right.to_string())}>
            <p class="headline">{ for icon.map(|icon| html! { <span {class}>{ glyph(icon) }</span> }) }{ plain_words(page, &picture.question) }</p>
            <p><b>{ page.word("exercise.right-answer") }</b>{ page.blank() }{ plain_words(page, &picture.answer) }</p>
            <div class="asked-picture" aria-hidden="true">{ Html::from_html_unchecked(AttrValue::from(picture.svg.clone())) }</div>
        </li>
    }
}
