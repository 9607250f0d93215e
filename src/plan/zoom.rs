//! The buttons beside the plan that change what is seen of it.

use std::rc::Rc;

use yew::prelude::*;

use crate::context::Page;
use crate::plan::viewing::{Picture, Viewing};
use crate::widgets::button::IconButton;
use crate::widgets::icons::Icon;

/// Factor of one press.
const STEP: f64 = 1.5;

/// In, out, everything, and the steps around the largest load.
pub fn zoom(page: &Page, picture: &Picture, viewing: &Rc<Viewing>) -> Html {
    let button = |icon: Icon, key: &str, go: fn(&Rc<Viewing>, &Picture)| {
        let (picture, viewing) = (picture.clone(), viewing.clone());
        let name = page.word(key);
        html! {
            <IconButton name={name} icon={icon} onclick={Callback::from(move |_: MouseEvent| go(&viewing, &picture))} />
        }
    };
    html! {
        <div class="zoom" role="group" aria-label={page.word("zoom.title")}>
            { button(Icon::Add, "zoom.in", |viewing, picture| viewing.zoom(picture, STEP)) }
            { button(Icon::Minus, "zoom.out", |viewing, picture| viewing.zoom(picture, 1.0 / STEP)) }
            { button(Icon::Fit, "zoom.fit", |viewing, picture| viewing.show_all(picture)) }
            { button(Icon::Summit, "zoom.load", |viewing, picture| viewing.show_largest_load(picture)) }
        </div>
    }
}
