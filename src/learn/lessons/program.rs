//! A program that an exercise asks for: its field, the check, and what came of it on sets of
//! buffers that are not shown before.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::typing::rewrite;
use crate::context::sentence::plain_words;
use crate::context::{Dark, Layout, Page, use_page};
use crate::learn::lessons::begun::use_begun;
use crate::learn::lessons::state::writing::{WriteAction, Writing};
use crate::own::field::ProgramField;
use crate::widgets::icons::{Icon, glyph};
use memplan_core::base::Message;
use memplan_engine::{FailedInstance, InstanceVerdict, JudgedProgram, PictureLook};
use memplan_planners as planner;

/// A program that is asked for.
#[derive(Properties, PartialEq)]
pub struct ProgramProps {
    /// The element id of its field; those of the other parts begin with it.
    pub id: String,
    /// The link of the exercise.
    pub link: String,
    /// What it begins with.
    pub template: String,
    /// Id of the planner that it is compared with.
    pub planner: String,
    /// The program; none before anything was typed.
    pub writing: Option<Writing>,
    /// Whether the planner's plan is drawn, too: it does not stand beside the program.
    pub draws_planner: bool,
    /// Something is done.
    pub onwrite: Callback<WriteAction>,
}

#[component]
pub fn Program(props: &ProgramProps) -> Html {
    let page = use_page();
    let Dark(dark) = use_context::<Dark>().unwrap_or(Dark(false));
    let look = PictureLook { dark, narrow: page.layout == Layout::Narrow };
    let writing = props.writing.clone().unwrap_or_else(|| Writing::of(&props.template));
    use_begun(&page, &props.link, &writing.code, &props.template, &props.onwrite);
    let is_judging = page.state.is_judging(&props.link);
    let onchanged = props.onwrite.reform(WriteAction::Type);
    let oncheck = props.onwrite.reform(move |()| WriteAction::Check(look));
    let dropped = use_state_eq(|| None::<Rc<str>>);
    let onback = {
        let (id, template) = (props.id.clone(), props.template.clone());
        let (dropped, code) = (dropped.setter(), writing.code.clone());
        Callback::from(move |_: MouseEvent| {
            dropped.set(Some(code.clone()));
            rewrite(&id, &template);
        })
    };
    let onbring = (*dropped).clone().map(|code| {
        let id = props.id.clone();
        Callback::from(move |_: MouseEvent| rewrite(&id, &code))
    });
    let mistake = writing.verdict().and_then(JudgedProgram::mistake);
    let part = |part: &str| format!("{}-{part}", props.id);
    html! {
        <div class="own program">
            <ProgramField id={props.id.clone()} text={writing.code.clone()} {mistake} {onchanged} oncheck={oncheck.clone()} />
            <div class="own-head">
                <button type="button" class="btn main" id={part("check")} disabled={is_judging} onclick={oncheck.reform(|_: MouseEvent| ())}>{ page.word("predict.check") }<kbd>{ "Ctrl ↵" }</kbd></button>
                if *writing.code != *props.template {
                    <button type="button" class="btn line" id={part("back")} onclick={onback}>{ page.word("write.start-over") }</button>
                } else if let Some(onclick) = onbring {
                    <button type="button" class="btn line" id={part("bring-back")} {onclick}>{ page.word("own.bring-back") }</button>
                }
            </div>
            <div class="program-verdict" role="status" id={part("verdict")}>
                if is_judging {
                    <p class="muted">{ page.word("write.judging") }</p>
                } else if let Some(why) = &writing.failure {
                    <p class="refused">{ glyph(Icon::Warning) }<span>{ plain_words(&page, why) }</span></p>
                } else if let Some(judged) = writing.last() {
                    { verdict(&page, props, judged, writing.verdict().is_none()) }
                }
            </div>
        </div>
    }
}

/// What came of the sets of buffers, and the first that is not right.
fn verdict(page: &Page, props: &ProgramProps, judged: &JudgedProgram, is_before: bool) -> Html {
    let (right, of) = (judged.right(), judged.verdicts.len());
    let is_untried = judged.verdicts.iter().all(|verdict| *verdict == InstanceVerdict::Left);
    if is_untried && judged.mistake().is_some() {
        // What is wrong stands below the field already, and no set was tried.
        return html! { <p class="muted">{ page.word("write.untried") }</p> };
    }
    let is_right = right == of;
    let (class, icon) = if is_right { ("right", Icon::Check) } else { ("wrong", Icon::Close) };
    let sum = Message::new("exercise.of-sets").count("n", right).count("of", of);
    html! { <>
        <p class={classes!("program-sum", class)} data-right={right.to_string()} data-of={of.to_string()}>{ glyph(icon) }<b>{ page.speech().say(&sum) }</b>
            if is_before { { page.blank() }<span class="muted">{ page.word("write.before") }</span> }</p>
        <ol class="program-sets" aria-label={page.word("write.sets")}>{ for judged.verdicts.iter().map(|verdict| set(page, *verdict)) }</ol>
        if let Some(failed) = &judged.failed { { first_failed(page, props, failed) } }
    </> }
}

/// One set of buffers: its mark, and what that means.
fn set(page: &Page, verdict: InstanceVerdict) -> Html {
    let (name, mark, words) = match verdict {
        InstanceVerdict::Right => ("right", "✓".to_string(), Message::new("write.set-right")),
        InstanceVerdict::Differs(frame) => {
            ("differs", "≠".into(), Message::new("write.set-differs").count("frame", frame))
        }
        InstanceVerdict::Large => ("large", "↑".into(), Message::new("write.set-large")),
        InstanceVerdict::Broken => ("broken", "✗".into(), Message::new("write.set-broken")),
        InstanceVerdict::Stopped => ("stopped", "!".into(), Message::new("write.set-stopped")),
        InstanceVerdict::Left => ("left", "–".into(), Message::new("write.set-left")),
    };
    let words = page.speech().say(&words);
    html! { <li class={name} title={words.clone()}><span aria-hidden="true">{ mark }</span><span class="visually-hidden">{ words }</span></li> }
}

/// The first set that is not right, with the plans up to the first difference.
fn first_failed(page: &Page, props: &ProgramProps, failed: &FailedInstance) -> Html {
    let title = planner::title_of(&props.planner, page.speech());
    let drawn = |words: String, svg: &str| {
        html! {
            <figure><figcaption>{ words }</figcaption>
                <div class="asked-picture" aria-hidden="true">{ Html::from_html_unchecked(AttrValue::from(svg.to_string())) }</div></figure>
        }
    };
    html! {
        <div class="program-failed" data-number={failed.number.to_string()}>
            <p>if failed.number > 0 { <b>{ page.speech().say(&Message::new("write.set").count("n", failed.number)) }</b>{ page.blank() } }{ plain_words(page, &failed.why) }</p>
            if let Some(reason) = &failed.reason { <p class="muted">{ page.word("write.yours-says") }{ page.blank() }{ plain_words(page, reason) }</p> }
            if !props.draws_planner && failed.number > 0 {
                <p class="muted">{ page.speech().say(&Message::new("write.beside").text("planner", planner::name_in_text(&props.planner, false, page.speech()))) }</p>
            }
            if !failed.own.is_empty() {
                <div class="program-plans">
                    { drawn(page.word("write.yours"), &failed.own) }
                    if props.draws_planner { { drawn(title, &failed.planned) } }
                </div>
            }
        </div>
    }
}
