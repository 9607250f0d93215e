//! The description of a planner: what it does, its rule, its time convention, where it does badly,
//! how it differs from the original, and facts such as its cost and its source.

use yew::prelude::*;

use crate::context::Page;
use crate::context::open::{open_case, open_example, open_special};
use crate::open::state::examples::{QUIRKS, SPECIALS};
use crate::shell::state::action::{Action, ViewAction};
use crate::widgets::dialog::Dialog;
use memplan_core::base::{Family, Message, Sizes};
use memplan_core::text::Speech;
use memplan_planners::{self as planner, Evidence, OptionSpec};

/// The parts of the description in order: the last word of the key of the text, and the key of the
/// heading.
const PARTS: [(&str, &str); 5] = [
    ("what", "how.heading.what"),
    ("rule", "how.heading.rule"),
    ("time", "how.heading.time"),
    ("weak", "how.heading.weak"),
    ("differs", "how.heading.differs"),
];

pub fn how(page: &Page) -> Html {
    let Some(info) = planner::info(&page.state.document.planner) else { return Html::default() };
    let title = Message::new("how.title").text("planner", info.full_title(page.speech()));
    let source = &info.source;
    let proof = match info.evidence {
        Evidence::Golden { system, .. } => page.speech().say(&Message::new("how.golden").text("system", system)),
        Evidence::Stated(key) => page.word(key),
    };
    let example = {
        let send = page.send.clone();
        Callback::from(move |_: MouseEvent| {
            send.emit(Action::View(ViewAction::Overlay(None)));
            open_example(info.example.into(), None, send.clone());
        })
    };
    let case = {
        let send = page.send.clone();
        Callback::from(move |_: MouseEvent| {
            send.emit(Action::View(ViewAction::Overlay(None)));
            open_case(info, send.clone());
        })
    };
    let quirk = QUIRKS.iter().find(|(id, _)| *id == info.id).map(|(_, name)| {
        let send = page.send.clone();
        Callback::from(move |_: MouseEvent| {
            send.emit(Action::View(ViewAction::Overlay(None)));
            open_example((*name).into(), None, send.clone());
        })
    });
    let specials = SPECIALS.iter().filter(|special| special.planner == info.id).map(|special| {
        let send = page.send.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            send.emit(Action::View(ViewAction::Overlay(None)));
            open_special(*special, send.clone());
        });
        let words = page.speech().say(&Message::new("how.special").inner("name", special.words()));
        html! { <p><button type="button" class="btn line" data-special={special.name} {onclick}>{ words }</button></p> }
    });
    let specials: Html = specials.collect();
    html! {
        <Dialog title={page.speech().say(&title)} close={page.word("dialog.close")} onclose={page.on(|| Action::View(ViewAction::Overlay(None)))}>
            <div class="how">
                { for PARTS.iter().map(|(part, heading)| html! { <>
                    <h3>{ page.word(heading) }</h3><p>{ part_words(page, info, part) }</p>
                    if *part == "weak" {
                        <p><button type="button" class="btn line" id="how-case" onclick={case.clone()}>{ page.word("how.case") }</button></p>
                    }
                    if *part == "differs" { { specials.clone() } }
                    if let Some(onclick) = quirk.clone().filter(|_| *part == "differs") {
                        <p><button type="button" class="btn line" id="how-quirk" {onclick}>{ page.word("how.quirk") }</button></p>
                    }
                </> }) }
                <h3>{ page.word("how.heading.facts") }</h3>
                <dl class="facts">
                    <dt>{ page.word("how.cost") }</dt><dd class="mono">{ info.complexity.text() }</dd>
                    if !source.repository.is_empty() {
                        <dt>{ page.word("why.source") }</dt>
                        <dd><a class="mono" href={source.url()} rel="noreferrer" target="_blank">
                            { format!("{} {} {}", source.repository, source.version, source.file) }</a></dd>
                    }
                    <dt>{ page.word("how.proof") }</dt><dd>{ proof }</dd>
                </dl>
                if !info.options.is_empty() {
                    <h3>{ page.word("planner.options") }</h3>
                    <table class="keys"><tbody>{ for info.options.iter().map(|spec| html! {
                        <tr><th scope="row" class="mono">{ spec.key }</th>
                            <td>{ page.word(&info.option_key(spec.key)) }{ " " }
                                <span class="muted">{ option_facts(page, spec) }</span></td></tr>
                    }) }</tbody></table>
                }
                <p><button type="button" class="btn line" id="how-example" onclick={example}>
                    { page.speech().say(&Message::new("how.example").text("example", info.example)) }</button></p>
            </div>
        </Dialog>
    }
}

/// Returns the text of a part. The part `weak` describes the planner's small case, so its sizes are
/// exact bytes.
fn part_words(page: &Page, info: &planner::Info, part: &str) -> String {
    match part {
        "weak" => Speech { sizes: Sizes::Exact, ..page.speech() }.say(&info.weak()),
        _ => page.word(&Family::HOW.of([info.id, part])),
    }
}

/// Returns the default of an option and, if the original system calls the option differently, its
/// name there.
fn option_facts(page: &Page, spec: &OptionSpec) -> String {
    let default = if spec.default.is_empty() { page.word("how.none") } else { spec.default.to_string() };
    page.speech().say(&if spec.original.is_empty() || spec.original == spec.key {
        Message::new("how.option-ours").text("default", default)
    } else {
        Message::new("how.option").text("original", spec.original).text("default", default)
    })
}
