//! The keys of what the plan of a game shows besides blocks.

use yew::prelude::*;

use crate::context::{Layout, Page};
use crate::learn::play::state::Game;
use memplan_core::problem::Problem;
use memplan_teach::lesson::Hidden;

/// A line of keys above the plan; nothing where the plan needs none.
pub fn legend(page: &Page, game: &Game) -> Html {
    let look = page.state.view.look;
    // Elsewhere the word stands at the end of its line.
    let has_load = page.layout == Layout::Narrow && look.load && !page.state.exercise_hides(Hidden::Load);
    let has_gaps = look.waste || game.breaking().is_some();
    let problem = game.tray().map(|tray| tray.problem()).or(game.finding().map(|finding| &finding.run.problem));
    let has_padding = !has_gaps && problem.is_some_and(|problem| is_padded(problem));
    // On a phone no words beside the plan tell these. The plan is drawn higher than any known one,
    // so that there is always room above it.
    let tray = game.tray().filter(|_| page.layout == Layout::Narrow);
    let keys = [
        (has_load, "line-key", "stage.load"),
        (has_gaps, "hatch-key", "picture.free"),
        (has_padding, "padding-key", "picture.padding"),
        (tray.is_some_and(|tray| tray.is_in_turn() && !tray.is_whole()), "next-key", "legend.next"),
        (tray.is_some(), "unused-key", "legend.unused"),
    ];
    let keys: Vec<_> = keys.into_iter().filter(|(is_there, ..)| *is_there).collect();
    if keys.is_empty() {
        return Html::default();
    }
    html! {
        <div class="legend-bar" role="group" aria-label={page.word("legend.title")}>
            { for keys.into_iter().map(|(_, class, word)| html! { <span class="line-item"><i {class}></i>{ page.word(word) }</span> }) }
        </div>
    }
}

/// Whether some buffer ends below the next address at which another may begin.
fn is_padded(problem: &Problem) -> bool {
    let align = problem.buffers.iter().map(|buffer| buffer.align).max().unwrap_or(1).max(1);
    problem.buffers.iter().any(|buffer| !buffer.size.is_multiple_of(align))
}
