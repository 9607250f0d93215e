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
                    { verdict(&page, props, judged, (writing.verdict().is_none(), look)) }
                }
            </div>
        </div>
    }
}

/// What came of the sets of buffers, and the one that is shown. What is of a text `before` the last
/// change cannot be shown any more: a changed program has other sets.
fn verdict(page: &Page, props: &ProgramProps, judged: &JudgedProgram, (is_before, look): (bool, PictureLook)) -> Html {
    let (right, of) = (judged.right(), judged.verdicts.len());
    let is_untried = judged.verdicts.iter().all(|verdict| *verdict == InstanceVerdict::Left);
    if is_untried && judged.mistake().is_some() {
        // What is wrong stands below the field already, and no set was tried.
        return html! { <p class="muted">{ page.word("write.untried") }</p> };
    }
    let is_right = right == of;
    let (class, icon) = if is_right { ("right", Icon::Check) } else { ("wrong", Icon::Close) };
    let sum = Message::new("exercise.of-sets").count("n", right).count("of", of);
    let shown = judged.failed.as_ref().map(|failed| failed.number);
    let sets = (1..).zip(&judged.verdicts).map(|(number, verdict)| {
        let onclick = props.onwrite.reform(move |_: MouseEvent| WriteAction::Show(number, look));
        let is_off = is_before || *verdict == InstanceVerdict::Left;
        set(page, (number, *verdict), (shown == Some(number), is_off), onclick)
    });
    html! { <>
        <p class={classes!("program-sum", class)} data-right={right.to_string()} data-of={of.to_string()}>{ glyph(icon) }<b>{ page.speech().say(&sum) }</b>
            if is_before { { page.blank() }<span class="muted">{ page.word("write.before") }</span> }</p>
        <ol class="program-sets" aria-label={page.word("write.sets")}>{ for sets }</ol>
        { legend(page, judged, is_before) }
        if let Some(failed) = &judged.failed { { shown_set(page, props, failed) } }
    </> }
}

/// Class, sign and words of what came of a set of buffers.
fn words_of(verdict: InstanceVerdict) -> (&'static str, &'static str, Message) {
    match verdict {
        InstanceVerdict::Right => ("right", "✓", Message::new("write.set-right")),
        InstanceVerdict::Differs(frame) => ("differs", "≠", Message::new("write.set-differs").count("frame", frame)),
        InstanceVerdict::Large => ("large", "↑", Message::new("write.set-large")),
        InstanceVerdict::Broken => ("broken", "✗", Message::new("write.set-broken")),
        InstanceVerdict::Stopped => ("stopped", "!", Message::new("write.set-stopped")),
        InstanceVerdict::Left => ("left", "–", Message::new("write.set-left")),
    }
}

/// One set of buffers: its number with a sign; a press shows it.
fn set(
    page: &Page,
    (number, verdict): (u32, InstanceVerdict),
    (is_shown, is_off): (bool, bool),
    onclick: Callback<MouseEvent>,
) -> Html {
    let (class, sign, words) = words_of(verdict);
    let name = page.speech().say(&Message::new("write.set").count("n", number));
    let name = format!("{name}{}{}", page.blank(), page.speech().say(&words));
    html! {
        <li {class}><button type="button" data-set={number.to_string()} aria-label={name.clone()} title={name} disabled={is_off}
            aria-pressed={is_shown.to_string()} {onclick}>{ number }{ " " }<b>{ sign }</b></button></li>
    }
}

/// What the signs mean, as far as there are any, and what a press does.
fn legend(page: &Page, judged: &JudgedProgram, is_before: bool) -> Html {
    let mut seen: Vec<(&'static str, &'static str, String)> = Vec::new();
    for verdict in &judged.verdicts {
        let (class, sign, words) = words_of(*verdict);
        let words = match verdict {
            // Each has a frame of its own.
            InstanceVerdict::Differs(_) => page.word("write.set-elsewhere"),
            _ => page.speech().say(&words),
        };
        if seen.iter().all(|(known, ..)| *known != class) {
            seen.push((class, sign, words));
        }
    }
    html! {
        <p class="program-legend muted">{ for seen.into_iter().map(|(_, sign, words)| html! { <span><b>{ sign }</b>{ " " }{ words }</span> }) }
            if !is_before { <span>{ page.word("write.sets-show") }</span> }</p>
    }
}

/// The set that is shown, with the plans up to the first difference.
fn shown_set(page: &Page, props: &ProgramProps, failed: &FailedInstance) -> Html {
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
