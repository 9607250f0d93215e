//! Documents: the drop target and the built-in examples, each with its load curve and its bound.

use yew::prelude::*;

use crate::browser::date::day;
use crate::browser::dom::focus;
use crate::context::kept::{forget_all, forget_recent, open_recent};
use crate::context::open::{Purpose, open_case, open_example, open_special, pick_files};
use crate::context::{Dark, Page, use_page};
use crate::open::state::document::Origin;
use crate::open::state::examples::{Example, QUIRKS, SPECIALS, examples};
use crate::shell::state::action::{Action, DocumentAction, ViewAction};
use crate::shell::state::panels::{Mode, Overlay};
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::{Family, Message, Sizes};
use memplan_formats::import::Answers;
use memplan_planners::{self as planner, INFOS, Info};
use memplan_scene as scene;
use memplan_scene::paint::{Theme, svg};

/// The group of the planners' counter-examples, and the folder they lie in.
const CASES: &str = "cases";

pub fn files(page: &Page) -> Html {
    let (send, locale) = (page.send.clone(), page.state.settings.locale);
    let pick = Callback::from(move |_: MouseEvent| pick_files(locale, send.clone()));
    let with = {
        let send = page.send.clone();
        Callback::from(move |_: MouseEvent| {
            send.emit(Action::View(ViewAction::Mode(Mode::Diff)));
            send.emit(Action::View(ViewAction::Overlay(Some(Overlay::Older))));
        })
    };
    let open = match page.state.document.open.as_ref().map(|document| document.origin.clone()) {
        Some(Origin::Example(name)) => Some(name),
        _ => None,
    };
    let row = |example: &Example| html! { <ExampleRow example={example.clone()} selected={open.as_deref() == Some(example.name.as_str())} /> };
    let mut group = "";
    html! {
        <div class="files">
            <div class="drop-target">
                { glyph(Icon::Drop) }
                <div><b>{ page.word("files.drop") }</b>
                    <p class="muted">{ page.word("files.formats") }{ page.blank() }
                        <button type="button" class="name" onclick={pick}>{ page.word("files.open") }</button>{ page.blank() }{ page.word("files.paste") }</p>
                    if page.state.document.open.is_some() {
                        <p><button type="button" class="name" id="compare-with" onclick={with}>{ page.word("diff.compare-with") }</button></p>
                    }
                </div>
            </div>
            if page.state.document.batch.files.len() > 1 {
                <div class="examples-head"><h2>{ page.word("files.together") }</h2></div>
                <ul class="examples" id="together">
                    { for page.state.document.batch.files.iter().map(|file| {
                        let (send, file) = (page.send.clone(), file.clone());
                        let here = page.state.document.open.as_ref().is_some_and(|document| document.bytes == file.bytes);
                        let name = file.name.clone();
                        let onclick = Callback::from(move |_: MouseEvent| {
                            let origin = Origin::File(file.name.clone());
                            let (bytes, choices) = (file.bytes.clone(), Answers::default());
                            send.emit(Action::Document(DocumentAction::Open { origin, bytes, choices, place: None }));
                        });
                        html! { <li><button type="button" class="example" aria-current={here.then_some("true")} {onclick}><span class="cut">{ name }</span></button></li> }
                    }) }
                </ul>
            }
            <Recents />
            <div class="examples-head"><h2>{ page.word("files.examples") }</h2><span>{ page.word("term.load") }</span><span>{ page.word("files.bound") }</span></div>
            <ul class="examples">
                { for examples().iter().filter(|example| example.group != CASES).map(|example| {
                    let heading = (example.group != group).then(|| page.word(&Family::FILE_GROUP.of([&example.group])));
                    group = &example.group;
                    html! { <>
                        if let Some(heading) = heading { <li class="group">{ heading }</li> }
                        { row(example) }
                    </> }
                }) }
            </ul>
            <Cases selected={open.filter(|name| name.starts_with(CASES))} />
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct CasesProps {
    selected: Option<String>,
}

/// The counter-examples, one for each planner: too many to lie in the way of Tab and of the eye,
/// and drawn only once they are asked for.
#[component]
fn Cases(props: &CasesProps) -> Html {
    let page = use_page();
    let asked = use_state_eq(|| false);
    let onclick = {
        let asked = asked.setter();
        Callback::from(move |_: MouseEvent| asked.set(true))
    };
    let selected = props.selected.as_deref();
    let row = |example: &Example| html! { <ExampleRow example={example.clone()} selected={selected == Some(example.name.as_str())} /> };
    html! {
        <details class="cases" open={selected.is_some()}>
            <summary {onclick}>{ page.word("files.group.cases") }</summary>
            if *asked || selected.is_some() {
                <ul class="examples">
                    { for examples().iter().filter(|example| example.group == CASES).map(row) }
                    { for SPECIALS.iter().map(|special| {
                        let send = page.send.clone();
                        let onclick = Callback::from(move |_: MouseEvent| open_special(*special, send.clone()));
                        plain_row(&page, &special.words(), special.name, selected == Some(special.name), onclick)
                    }) }
                    { for QUIRKS.iter().filter_map(|(id, name)| Some(recorded(&page, planner::info(id)?, name, selected == Some(*name)))) }
                </ul>
            }
        </details>
    }
}

/// A recorded plan in which a planner's original makes an overlap.
fn recorded(page: &Page, info: &Info, name: &'static str, selected: bool) -> Html {
    let send = page.send.clone();
    let onclick = Callback::from(move |_: MouseEvent| open_example(name.into(), None, send.clone()));
    let (system, name_there) = info.title(page.speech());
    let words = Message::new("files.quirk").text("system", system).text("name", name_there);
    plain_row(page, &words, name, selected, onclick)
}

/// An example without a curve.
fn plain_row(page: &Page, words: &Message, name: &'static str, selected: bool, onclick: Callback<MouseEvent>) -> Html {
    html! {
        <li><button type="button" class="example" aria-current={selected.then_some("true")} data-example={name} {onclick}>
            <span class="cut">{ page.speech().say(words) }</span>
        </button></li>
    }
}

/// Documents that the browser keeps, with when they were opened and how large they are.
#[component]
fn Recents() -> Html {
    let page = use_page();
    // All of them are deleted only after a confirmation.
    let asked = use_state_eq(|| false);
    {
        let asked = *asked;
        use_effect_with(asked, move |_| {
            if asked {
                focus("forget-none");
            }
        });
    }
    let recent = page.state.document.recent.clone();
    if recent.is_empty() {
        return Html::default();
    }
    let all = {
        let (send, asked) = (page.send.clone(), asked.setter());
        Callback::from(move |_: MouseEvent| {
            asked.set(false);
            forget_all(send.clone());
        })
    };
    let ask = |wanted: bool| {
        let asked = asked.setter();
        Callback::from(move |_: MouseEvent| asked.set(wanted))
    };
    html! { <>
        <div class="examples-head recent-head"><h2>{ page.word("files.recent") }</h2>
            if *asked {
                <p role="alert">{ page.speech().say(&Message::new("files.forget-sure").count("n", recent.len())) }</p>
                <button type="button" class="btn line" id="forget-none" onclick={ask(false)}>{ page.word("files.forget-none") }</button>
                <button type="button" class="btn line" id="forget-sure" onclick={all}>{ page.word("files.forget-all") }</button>
            } else {
                <button type="button" class="name" id="forget-all" onclick={ask(true)}>{ page.word("files.forget-all") }</button>
            }</div>
        <ul class="examples" id="recent">
            { for recent.iter().map(|entry| {
                let (send, name) = (page.send.clone(), entry.name.clone());
                let open = Callback::from(move |_: MouseEvent| open_recent(name.clone(), Purpose::Open(None), send.clone()));
                let (send, name) = (page.send.clone(), entry.name.clone());
                let forget = Callback::from(move |_: MouseEvent| forget_recent(name.clone(), send.clone()));
                let label = page.speech().say(&Message::new("files.forget").text("name", &entry.name));
                html! {
                    <li class="recent" key={entry.name.clone()}>
                        <button type="button" class="example" title={entry.name.clone()} onclick={open}><span class="cut">{ &entry.name }</span>
                            <span class="muted num">{ day(page.state.settings.locale, entry.time) }</span>
                            <span class="num muted" title={Sizes::Exact.words(entry.size as u64)}>{ page.speech_of_others().bytes(entry.size as u64) }</span></button>
                        <IconButton name={label} icon={Icon::Close} onclick={forget} />
                    </li>
                }
            }) }
        </ul>
    </> }
}

#[derive(Properties, PartialEq)]
struct ExampleRowProps {
    example: Example,
    selected: bool,
}

#[component]
fn ExampleRow(props: &ExampleRowProps) -> Html {
    let page = use_page();
    let example = &props.example;
    let dark = use_context::<Dark>().is_some_and(|dark| dark.0);
    let curve = use_memo((example.load.clone(), dark), |(load, dark)| {
        let size = (54.0, 18.0);
        let theme = if *dark { Theme::Dark } else { Theme::Light };
        svg::to_svg(&[&scene::sparkline(load, size)], size, theme, "")
    });
    let (send, name) = (page.send.clone(), example.name.clone());
    // A counter-example is one of its planner: it comes with it.
    let case = INFOS.iter().find(|info| info.case_name() == name);
    let label = case.map_or_else(|| name.clone(), |info| info.full_title(page.speech()));
    let onclick = Callback::from(move |_: MouseEvent| match case {
        Some(info) => open_case(info, send.clone()),
        None => open_example(name.clone(), None, send.clone()),
    });
    html! {
        <li><button type="button" class="example" aria-current={props.selected.then_some("true")} data-example={example.name.clone()} {onclick}>
            <span class="cut">{ label }</span>
            <span class="curve" aria-hidden="true">{ Html::from_html_unchecked(AttrValue::from((*curve).clone())) }</span>
            <span class="num muted" title={Sizes::Exact.words(example.bound)}>{ page.speech_of_others().bytes(example.bound) }</span>
        </button></li>
    }
}
