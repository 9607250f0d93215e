//! The figures of a game above its plan.

use yew::prelude::*;

use crate::browser::css;
use crate::context::terms::TermWord;
use crate::context::{Layout, Page};
use crate::learn::play::state::Game;
use memplan_core::base::{Message, Sizes, Term, Unit};

/// One's own peak beside the bound.
pub fn strip(page: &Page, game: &Game) -> Html {
    let (Some(tray), Some(deal)) = (game.tray(), &game.deal) else { return Html::default() };
    let (peak, bound) = (tray.peak(), deal.bound);
    let is_narrow = page.layout == Layout::Narrow;
    let shows_bound = !page.state.exercise_hides(memplan_teach::lesson::Hidden::Bound);
    let (placed, all) = (tray.placed(), tray.problem().buffers.len());
    let ratio = (placed == all && bound > 0 && shows_bound).then(|| format!("{:.2}×", peak as f64 / bound as f64));
    let share = if peak > 0 { 100.0 * bound as f64 / peak as f64 } else { 100.0 };
    let par = game.link.par.map(|par| Message::new("game.par").bytes("par", par));
    html! {
        <div class="strip"><div class="stats">
            <span class="stat" id="game-peak"><i>{ page.word("game.own-peak") }</i>{ amount(page, peak) }</span>
            if shows_bound {
                <span class="stat"><TermWord term={Term::LowerBound} class="figure"><span class="key dash"></span><i>{ page.word("term.lower-bound") }</i>{ amount(page, bound) }</TermWord></span>
            }
            if let Some(ratio) = &ratio { <span class="stat"><b id="game-ratio">{ ratio.clone() }</b></span> }
            if ratio.is_some() && !is_narrow { <span class="bullet" ~style={css(format!("--w:{share:.2}%"))} aria-hidden="true"></span> }
            if let Some(best) = game.best.filter(|_| !is_narrow) {
                <span class="stat" id="game-best"><i>{ page.word("game.best") }</i>{ amount(page, best) }</span>
            }
            // A phone has no room for the word beside sizes with decimals.
            <span class="stat" id="game-placed"><i class={is_narrow.then_some("visually-hidden")}>{ page.word("game.placed") }</i><b>{ placed }<span class="muted">{ format!(" / {all}") }</span></b></span>
            if let Some(par) = par { <span class="stat" id="game-par"><i>{ page.speech().say(&par) }</i></span> }
        </div></div>
    }
}

/// A size with its unit.
pub fn amount(page: &Page, bytes: u64) -> Html {
    let unit: Unit = page.speech().sizes.apart(&[bytes])[0];
    html! { <><b title={Sizes::Exact.words(bytes)}>{ unit.figure(bytes) }</b><u>{ unit.name() }</u></> }
}
