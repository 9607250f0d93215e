//! What makes the peak, by line of the program; how near the replay is to the recording, and what
//! the recording does not hold.

use yew::prelude::*;

use crate::context::Page;
use crate::context::sentence::{plain_words, size};
use memplan_core::base::Message;
use memplan_engine::{Recorded, UNKNOWN, whatif_check, whatif_peak};

/// Most lines of the program that are listed.
const MOST: usize = 8;

pub fn recorded(page: &Page, facts: &Recorded) -> Html {
    let settings = match facts.settings.as_str() {
        "" => Message::new("whatif.no-settings"),
        settings => Message::new("whatif.settings").text("settings", settings),
    };
    html! {
        <div class="whatif-recorded">
            { peak(page, facts) }
            <section aria-label={page.word("whatif.recording")}>
                <h2>{ page.word("whatif.recording") }</h2>
                <p id="whatif-check" data-equal={facts.is_equal().to_string()}>{ plain_words(page, &whatif_check(facts)) }</p>
                <ul id="whatif-cautions">
                    { for facts.difference.iter().chain([&settings]).chain(&facts.cautions).map(|caution| html! { <li>{ plain_words(page, caution) }</li> }) }
                    <li>{ page.word("whatif.caution-link") }</li>
                </ul>
            </section>
        </div>
    }
}

/// The lines of the program whose blocks are allocated at the peak.
fn peak(page: &Page, facts: &Recorded) -> Html {
    let lines = &facts.peak.lines;
    if facts.peak.allocated == 0 {
        return Html::default();
    }
    // Blocks whose stacks are not recorded stand together.
    let is_named = |line: &str| line != UNKNOWN;
    let has_lines = lines.iter().any(|(line, _)| is_named(line));
    let rest = lines.iter().skip(MOST).map(|(_, bytes)| bytes).sum();
    html! {
        <section aria-label={page.word("whatif.peak-lines")}>
            <h2>{ page.word("whatif.peak-lines") }</h2>
            <p id="whatif-peak">{ plain_words(page, &whatif_peak(facts)) }</p>
            <table class="figures" id="whatif-lines"><tbody>
                { for lines.iter().take(MOST).map(|(line, bytes)| html! {
                    <tr><th scope="row">{ if is_named(line) { line.clone() } else { page.word("whatif.no-line") } }</th><td class="num">{ size(page, *bytes) }</td></tr>
                }) }
                if lines.len() > MOST {
                    <tr><th scope="row" class="muted">{ plain_words(page, &Message::new("whatif.more-lines").count("n", lines.len() - MOST)) }</th><td class="num">{ size(page, rest) }</td></tr>
                }
            </tbody></table>
            if !has_lines { <p class="muted">{ page.word("whatif.no-stacks") }</p> }
        </section>
    }
}
