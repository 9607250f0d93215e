//! Documents: the drop target and the built-in examples, each with its load curve and its bound.

use std::rc::Rc;

use yew::prelude::*;

use super::icons::{Glyph, Icon};
use super::page::Dark;
use super::use_page;
use crate::app::examples::{Example, examples};
use crate::app::hooks::{open_case, open_example, pick_files};
use crate::app::state::{Action, Origin};
use crate::base::Unit;
use crate::import::Choices;
use crate::paint::{Theme, svg};
use crate::planner::INFOS;
use crate::scene;

#[component]
pub fn Files() -> Html {
    let page = use_page();
    let send = page.send.clone();
    let pick = Callback::from(move |_: MouseEvent| pick_files(send.clone()));
    let open = match page.state.document.as_ref().map(|document| document.origin.clone()) {
        Some(Origin::Example(name)) => Some(name),
        _ => None,
    };
    let mut group = "";
    html! {
        <div class="files">
            <div class="drop-target">
                <Glyph icon={Icon::Drop} />
                <div><b>{ page.word("files.drop") }</b>
                    <p class="muted">{ page.word("files.formats") }{ " " }
                        <button type="button" class="name" onclick={pick}>{ page.word("files.open") }</button>{ " " }{ page.word("files.paste") }</p>
                </div>
            </div>
            if page.state.batch.files.len() > 1 {
                <div class="examples-head"><h2>{ page.word("files.together") }</h2></div>
                <ul class="examples" id="together">
                    { for page.state.batch.files.iter().map(|file| {
                        let (send, file) = (page.send.clone(), file.clone());
                        let here = page.state.document.as_ref().is_some_and(|document| Rc::ptr_eq(&document.bytes, &file.bytes));
                        let name = file.name.clone();
                        let onclick = Callback::from(move |_: MouseEvent| {
                            let origin = Origin::File(file.name.clone());
                            let (bytes, choices) = (file.bytes.clone(), Choices::default());
                            send.emit(Action::Open { origin, bytes, choices, place: None });
                        });
                        html! { <li><button type="button" class="example" aria-current={here.then_some("true")} {onclick}><span class="cut">{ name }</span></button></li> }
                    }) }
                </ul>
            }
            <div class="examples-head"><h2>{ page.word("files.examples") }</h2><span>{ page.word("term.load") }</span><span>{ page.word("files.bound") }</span></div>
            <ul class="examples">
                { for examples().iter().map(|example| {
                    let heading = (example.group != group).then(|| page.word(&format!("files.group.{}", example.group)));
                    group = &example.group;
                    html! { <>
                        if let Some(heading) = heading { <li class="group">{ heading }</li> }
                        <ExampleRow example={example.clone()} selected={open.as_deref() == Some(example.name.as_str())} />
                    </> }
                }) }
            </ul>
        </div>
    }
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
    let label = case.map_or_else(|| name.clone(), |info| format!("{} {}", info.system, info.name));
    let onclick = Callback::from(move |_: MouseEvent| match case {
        Some(info) => open_case(info, send.clone()),
        None => open_example(name.clone(), None, send.clone()),
    });
    let words = Unit::for_largest(example.bound).words(example.bound);
    html! {
        <li><button type="button" class="example" aria-current={props.selected.then_some("true")} data-example={example.name.clone()} {onclick}>
            <span class="cut">{ label }</span>
            <span class="curve" aria-hidden="true">{ Html::from_html_unchecked(AttrValue::from((*curve).clone())) }</span>
            <span class="num muted">{ words }</span>
        </button></li>
    }
}
