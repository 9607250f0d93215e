//! The question about programs that came in a link.

use yew::prelude::*;

use crate::context::Page;
use crate::shell::state::action::{Action, OwnAction};
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::{Arg, Message};

/// Programs that the question names.
const MAX_NAMES: usize = 3;

/// Asks before planners run that came in a link.
pub fn link_programs(page: &Page) -> Html {
    let Some(link) = page.state.own.link.clone() else { return Html::default() };
    let Some(codes) = &link.codes else { return Html::default() };
    let several = codes.len() > 1;
    let word = |one: &'static str, many: &'static str| page.word(if several { many } else { one });
    let lines: usize = codes.iter().map(|code| code.lines().count()).sum();
    let names = link.names.iter().take(MAX_NAMES).map(|name| name.to_string()).collect();
    let asks = match link.names.len().saturating_sub(MAX_NAMES) {
        0 if several => Message::new("own.link-asks-many"),
        0 => Message::new("own.link-asks"),
        more => Message::new("own.link-asks-more").count("more", more),
    };
    let asks = asks.count("n", lines).with("names", Arg::Names(names));
    html! {
        <div class="notice" role="alert" id="own-link">
            { glyph(Icon::Question) }
            <div class="notice-body"><b>{ page.speech().say(&asks) }</b><p class="muted">{ word("own.link-safe", "own.link-safe-many") }</p>
                <details><summary>{ word("own.link-show", "own.link-show-many") }</summary>{ for codes.iter().zip(&link.names).map(|(code, name)| html! { <>
                    if several { <p><b>{ name.to_string() }</b></p> }
                    <pre class="own-link-code">{ code.to_string() }</pre>
                </> }) }</details></div>
            <button type="button" class="btn line" id="own-link-run" onclick={page.on(|| Action::Own(OwnAction::Agree))}>{ word("own.link-run", "own.link-run-many") }</button>
            <button type="button" class="btn line" id="own-link-refuse" onclick={page.on(|| Action::Own(OwnAction::Refuse))}>{ word("own.link-refuse", "own.link-refuse-many") }</button>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    use crate::context::use_page;
    use crate::own::state::tests::{followed, opened_own, settled, typed};
    use crate::shell::state::address;
    use crate::testing::{Screen, screen};

    #[component]
    fn Shown() -> Html {
        let page = use_page();
        link_programs(&page)
    }

    #[test]
    fn the_question_names_the_programs_and_counts_all_lines() {
        let state = settled(opened_own().reduce(Action::Own(OwnAction::Write)));
        let state = typed(state, "// A\n\nfn place(buffer, gaps) {\n\n    gaps[-1].start\n}\n");
        let speech = state.speech();
        let mut asks = followed(&address::write(&state), false, None);
        let shown = |asks| -> (Screen, String) {
            let shown = screen(asks, html! { <Shown /> });
            let question = shown.texts("#own-link b")[0].clone();
            (shown, question)
        };
        let (one, question) = shown(asks.clone());
        assert!(question.contains("planner ") && question.contains(": my_planner.rhai (6 lines)"), "{question}");
        assert_eq!(one.texts("#own-link summary"), [speech.word("own.link-show")]);
        // As a link brings five of them.
        let link = Rc::make_mut(asks.own.link.as_mut().expect("it waits"));
        link.codes = link.codes.take().map(|codes| vec![codes[0].clone(); 5]);
        link.names = ["a.rhai", "b.rhai", "c.rhai", "d.rhai", "e.rhai"].map(Rc::from).to_vec();
        let (many, question) = shown(asks);
        assert!(question.contains(": a.rhai, b.rhai, c.rhai and 2 more (30 lines)"), "{question}");
        assert_eq!(many.texts("#own-link summary"), [speech.word("own.link-show-many")]);
        assert_eq!(many.texts("#own-link-refuse"), [speech.word("own.link-refuse-many")]);
        assert_eq!(many.texts("#own-link details b"), ["a.rhai", "b.rhai", "c.rhai", "d.rhai", "e.rhai"]);
        assert!(many.text("#own-link p.muted").starts_with("They plan"));
    }
}
