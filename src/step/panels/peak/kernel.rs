//! One line about a kernel: whether it fits, and the way to what would help.

use yew::prelude::*;

use crate::context::Page;
use crate::context::sentence::plain_words;
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::panels::Mode;
use memplan_fit::KernelResult;

/// Beside the list of what is alive: whether the kernel fits, and the way to what would help.
pub fn kernel_line(page: &Page) -> Html {
    let Some(found) = page.state.fitting.kernel.found.as_ref().filter(|_| page.state.is_kernel()) else {
        return Html::default();
    };
    let (class, words) = match found {
        Ok(found) => (if found.result == KernelResult::TooLarge { "sub over" } else { "sub" }, found.verdict()),
        Err(why) => ("sub", why.clone()),
    };
    let fits = found.as_ref().is_ok_and(|found| found.result != KernelResult::TooLarge);
    let offer = if fits { "kernel.changes" } else { "kernel.to-fit" };
    html! { <p {class} id="kernel-line">{ plain_words(page, &words) }{ " " }<button type="button" class="name" id="to-kernel-fit"
    onclick={page.on(|| Action::View(ViewAction::Mode(Mode::Fit)))}>{ page.word(offer) }</button></p> }
}
