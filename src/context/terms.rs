//! Terms that define themselves: under the pointer, with the focus, or by a tap. While one is
//! defined it lights up on the plan.

use std::cell::Cell;

use gloo_events::{EventListener, EventListenerOptions};
use web_sys::Element;
use yew::prelude::*;

use crate::browser::css;
use crate::browser::dom::{on_window_with, target_of, until_then};
use crate::browser::media::window_size;
use crate::context::{Page, use_page};
use crate::shell::state::action::{Action, ViewAction};
use crate::shell::state::defining::{Anchor, Defining, Shown};
use crate::shell::state::panels::Mode;
use crate::widgets::icons::term_glyph;
use gloo_timers::callback::Timeout;
use memplan_core::base::{Message, Term};
use memplan_replay::define;
use memplan_teach::lesson::lesson_of_term;

/// Id of the definition, which the term that is defined names as its description.
const TIP: &str = "term-tip";

/// Width of the definition, and its least distance from the edges of the window, in px.
const WIDTH: f64 = 264.0;
const MARGIN: f64 = 12.0;

/// Distance of the definition from its term, in px.
const APART: f64 = 6.0;

/// Room below a term from which the definition stands there, in px.
const ROOM: f64 = 190.0;

/// How long the pointer rests on a term before it is defined, and may be away before the definition
/// goes, in milliseconds.
const REST: u32 = 120;
const AWAY: u32 = 200;

#[derive(Properties, PartialEq)]
pub struct TermWordProps {
    pub term: Term,
    #[prop_or_default]
    pub class: Classes,
    pub children: Html,
}

/// A button with the words of a term.
#[component]
pub fn TermWord(props: &TermWordProps) -> Html {
    let page = use_page();
    let owner = *use_memo((), |()| number());
    let node = use_node_ref();
    let pending = use_mut_ref(|| None::<Timeout>);
    let term = props.term;
    let send = page.send.reform(|defining| Action::View(ViewAction::Define(defining)));
    {
        // A term that is gone, or another one now, is not defined any more.
        let send = send.clone();
        use_effect_with(term, move |_| move || send.emit(Defining::Leave(owner)));
    }
    // Everything is asked for through this: what waits is given up.
    let ask = {
        let node = node.clone();
        move |make: fn(Term, u32, Anchor) -> Defining, delay: u32| {
            let (node, pending, send) = (node.clone(), pending.clone(), send.clone());
            move || {
                let (node, send) = (node.clone(), send.clone());
                let act = move || {
                    if let Some(at) = node.cast::<Element>().map(|element| anchor(&element)) {
                        send.emit(make(term, owner, at));
                    }
                };
                if delay > 0 {
                    *pending.borrow_mut() = Some(Timeout::new(delay, act));
                } else {
                    pending.borrow_mut().take();
                    act();
                }
            }
        }
    };
    let leave = |_: Term, owner: u32, _: Anchor| Defining::Leave(owner);
    let (rest, focus, press) = (ask(Defining::Enter, REST), ask(Defining::Enter, 0), ask(Defining::Press, 0));
    let (away, blur) = (ask(leave, AWAY), ask(leave, 0));
    let here = page.state.view.defined.is_some_and(|shown| shown.owner == owner);
    html! {
        <button type="button" ref={node} class={classes!("term", props.class.clone())} data-term={term.name()}
            aria-expanded={here.to_string()} aria-describedby={here.then_some(TIP)}
            onmouseenter={Callback::from(move |_: MouseEvent| rest())} onmouseleave={Callback::from(move |_: MouseEvent| away())}
            onfocus={Callback::from(move |_: FocusEvent| focus())} onblur={Callback::from(move |_: FocusEvent| blur())}
            onclick={Callback::from(move |_: MouseEvent| press())}>{ props.children.clone() }</button>
    }
}

/// A number that no other term has.
fn number() -> u32 {
    thread_local! {
        static LAST: Cell<u32> = const { Cell::new(0) };
    }
    LAST.with(|last| {
        last.set(last.get() + 1);
        last.get()
    })
}

fn anchor(element: &Element) -> Anchor {
    // Of words over two lines the first.
    let rect = element.get_bounding_client_rect();
    (rect.left(), rect.top(), rect.width(), rect.height())
}

/// The definition of the term that is pointed at; it lies over everything and moves with nothing.
#[component]
pub fn TermTip() -> Html {
    let page = use_page();
    let shown = page.state.view.defined;
    {
        let send = page.send.clone();
        use_effect_with(shown.is_some(), move |&shown| until_then(shown.then(|| closers(&send))));
    }
    let Some(shown) = shown else { return Html::default() };
    let drawn = page.state.document.run.as_deref().zip(page.frame.as_deref());
    let definition = define(shown.term, drawn.filter(|_| !page.state.keeps_figures_back()));
    let speech = page.speech();
    let hold = |held: bool| page.on::<MouseEvent>(move || Action::View(ViewAction::Define(Defining::Hold(held))));
    html! {
        <div class="card-tip" id={TIP} role="tooltip" ~style={css(place(&shown))} onmouseenter={hold(true)} onmouseleave={hold(false)}>
            <b>{ term_glyph(shown.term) }{ speech.say(&definition.name) }</b>
            <p>{ speech.say(&definition.meaning) }</p>
            if let Some(here) = definition.figures { <p class="here">{ speech.say(&here) }</p> }
            { to_lesson(&page, lesson_of_term(shown.term)) }
        </div>
    }
}

/// The way to the lesson on something; none from that lesson itself, from an exercise or from a
/// page inside another one.
pub fn to_lesson(page: &Page, number: u32) -> Html {
    let state = &page.state;
    let reads_it = state.view.mode == Mode::Learn && state.learning.place.lesson == Some(number);
    if reads_it || state.teaching.assigned.is_some() || state.settings.embed.is_some() {
        return Html::default();
    }
    let words = page.speech().say(&Message::new("learn.more-in").count("n", number));
    html! { <a class="to-lesson" href={format!("#learn={number}&lang={}", state.settings.locale.name())}>{ words }</a> }
}

/// A press beside the definition closes it; so does whatever moves the term away from it.
fn closers(send: &Callback<Action>) -> [Option<EventListener>; 3] {
    let close = |name: &'static str| {
        let send = send.clone();
        let listener = move |event: &Event| {
            let inside = target_of(event).and_then(|target| target.closest(".term, .card-tip").ok().flatten());
            if inside.is_none() || name == "resize" {
                send.emit(Action::View(ViewAction::Define(Defining::Close)));
            }
        };
        let options = EventListenerOptions::run_in_capture_phase();
        on_window_with(name, options, listener)
    };
    ["pointerdown", "scroll", "resize"].map(close)
}

/// Below the term, or above it where that is too low, inside the window.
fn place(shown: &Shown) -> String {
    let (width, height) = window_size();
    let (x, y, _, h) = shown.at;
    let left = x.min(width - WIDTH - MARGIN).max(MARGIN);
    if y + h + ROOM <= height || y < ROOM {
        format!("left:{left}px;top:{}px", y + h + APART)
    } else {
        format!("left:{left}px;bottom:{}px", height - y + APART)
    }
}

/// A list of terms with their definitions, each of which lights up like any other.
pub fn glossary(page: &Page, terms: &[Term]) -> Html {
    let speech = page.speech();
    html! {
        <dl class="terms">{ for terms.iter().map(|&term| {
            let definition = define(term, None);
            html! { <>
                <dt>{ term_glyph(term) }<TermWord {term}>{ speech.say(&definition.name) }</TermWord></dt>
                <dd>{ speech.say(&definition.meaning) }</dd>
            </> }
        }) }</dl>
    }
}
