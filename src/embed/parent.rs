//! Exchanges messages with the page that embeds this one: `{type: "memplan", v: 1, …}`
//! (docs/embedding.md).

use std::rc::Rc;

use js_sys::{ArrayBuffer, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageEvent, Window};
use yew::prelude::*;

use crate::browser::dom::{on_window, until_then};
use crate::browser::location::parent;
use crate::context::open::open_example;
use crate::open::state::document::Origin;
use crate::open::state::opening::MAX_FILE;
use crate::open::state::sites::stays_inside;
use crate::shell::state::State;
use crate::shell::state::action::{Action, DocumentAction, SettingsAction, StepAction, TeachAction};
use crate::shell::state::look::Theme;
use memplan_core::text::Locale;
use memplan_formats::import::Answers;
use memplan_planners as planner;

/// Carries out the messages of the embedding page, and posts the state of this page to it. Does
/// nothing if the page is not embedded.
#[hook]
pub fn use_parent(state: Rc<State>, send: Callback<Action>) {
    let parent = use_memo((), |()| parent()).as_ref().clone().filter(|_| state.settings.embed.is_some());
    let latest = use_mut_ref(|| state.clone());
    *latest.borrow_mut() = state.clone();
    {
        let parent = parent.clone();
        use_effect_with((), move |_| {
            until_then(parent.map(|parent| {
                post(&parent, "ready", &[]);
                on_window("message", move |event| {
                    let Some(event) = event.dyn_ref::<MessageEvent>() else { return };
                    let (data, state) = (event.data(), latest.borrow().clone());
                    // A message with `event` is a report of such a page, not a request.
                    if text(&data, "type").as_deref() != Some("memplan") || member(&data, "event").is_some() {
                        return;
                    }
                    let Some(source) = event.source() else { return };
                    let is_parent = &JsValue::from(source.clone()) == parent.as_ref() as &JsValue;
                    if let Err(message) = handle(is_parent, &data, &state, &send) {
                        // A cast without a check: the type of a window of another origin cannot be
                        // tested.
                        post(&source.unchecked_into(), "error", &[("message", message.into())]);
                    }
                })
            }))
        });
    }
    let run = state.document.run.as_ref().map(|run| Rc::as_ptr(run) as usize);
    {
        let (parent, state) = (parent.clone(), state.clone());
        use_effect_with(run, move |_| {
            // The figures that an exercise asks about are posted once they are answered.
            let parent = parent.filter(|_| !state.has_open_figures());
            let Some((parent, run)) = parent.zip(state.document.run.clone()) else { return };
            let metrics = &run.metrics;
            let bytes = |value: u64| JsValue::from(value as f64);
            post(
                &parent,
                "metrics",
                &[
                    ("planner", run.planner.as_str().into()),
                    ("buffers", run.problem.buffers.len().into()),
                    ("peak", bytes(metrics.peak)),
                    ("lowerBound", bytes(metrics.lower_bound)),
                    ("bound", bytes(metrics.bound())),
                    ("held", metrics.held.map_or(JsValue::NULL, bytes)),
                    ("waste", bytes(metrics.waste)),
                ],
            );
        });
    }
    {
        let (parent, state) = (parent.clone(), state.clone());
        use_effect_with((run, state.stepping.cursor, state.stepping.level), move |_| {
            let Some(parent) = parent.filter(|_| state.document.run.is_some()) else { return };
            post(&parent, "frame", &[("frame", state.frame().into()), ("frames", state.frames().into())]);
        });
    }
    {
        let (parent, state) = (parent.clone(), state.clone());
        use_effect_with((run, state.stepping.selection), move |_| {
            let Some((parent, run)) = parent.zip(state.document.run.clone()) else { return };
            let name =
                state.stepping.selection.map_or(JsValue::NULL, |id| run.problem.buffers[id].name.as_str().into());
            post(&parent, "selection", &[("name", name)]);
        });
    }
    {
        let parent = parent.clone();
        use_effect_with(state.exercise_progress(), move |progress| {
            let Some((parent, progress)) = parent.zip(progress.as_ref()) else { return };
            let of = f64::from(progress.of);
            let mut facts = vec![
                ("state", progress.state.into()),
                ("right", (progress.right as f64).into()),
                ("answered", (progress.answered as f64).into()),
                ("of", of.into()),
                ("score", (progress.right as f64 / of).into()),
                ("passed", progress.passed.into()),
            ];
            if let Some(ratio) = progress.ratio {
                facts.push(("ratio", (f64::from(ratio) / 100.0).into()));
            }
            if !progress.code.is_empty() {
                facts.push(("code", progress.code.as_str().into()));
            }
            post(&parent, "exercise", &facts);
        });
    }
    use_effect_with(state.document.notice.clone(), move |notice| {
        if let Some((parent, notice)) = parent.zip(notice.as_ref()) {
            let speech = state.speech();
            let text = if notice.private { speech.word("embed.not-opened") } else { speech.say(&notice.title) };
            post(&parent, "error", &[("message", text.into())]);
        }
    });
}

fn post(parent: &Window, event: &str, facts: &[(&str, JsValue)]) {
    let message = Object::new();
    let own = [("type", JsValue::from("memplan")), ("v", 1.into()), ("event", event.into())];
    for (name, value) in own.iter().chain(facts) {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&message, &(*name).into(), value);
    }
    // Any origin may read the message: the embedding page chose what is shown.
    let _ = parent.post_message(&message, "*");
}

fn member(data: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(data, &name.into()).ok().filter(|value| !value.is_undefined())
}

fn text(data: &JsValue, name: &str) -> Option<String> {
    member(data, name)?.as_string()
}

fn number(data: &JsValue, name: &str) -> Option<u32> {
    let number = member(data, name)?.as_f64()?;
    (number >= 0.0 && number.fract() == 0.0 && number <= u32::MAX as f64).then_some(number as u32)
}

/// Checks sender and version of a message, and carries it out.
///
/// # Errors
/// As [`obey`].
fn handle(is_parent: bool, data: &JsValue, state: &State, send: &Callback<Action>) -> Result<(), String> {
    if !is_parent {
        return Err("only the page around this one is heard".into());
    }
    if number(data, "v") != Some(1) {
        return Err("`v` must be 1: there is no other version of these messages".into());
    }
    let action = text(data, "action").ok_or("a message needs `action`")?;
    obey(&action, data, state, send)
}

/// The bytes of a document that a message carries.
///
/// # Errors
/// A sentence for the program around the page.
fn bytes_of(document: &JsValue) -> Result<Vec<u8>, String> {
    let large = |bytes: f64| bytes > MAX_FILE;
    let array = match (document.dyn_ref::<ArrayBuffer>(), document.dyn_ref::<Uint8Array>()) {
        (Some(buffer), _) => Uint8Array::new(buffer),
        (_, Some(array)) => array.clone(),
        _ => {
            let text = document.as_string().ok_or("`document` must be text, an ArrayBuffer or a Uint8Array")?;
            return if large(text.len() as f64) { Err(TOO_LARGE.into()) } else { Ok(text.into_bytes()) };
        }
    };
    if large(f64::from(array.length())) { Err(TOO_LARGE.into()) } else { Ok(array.to_vec()) }
}

const TOO_LARGE: &str = "`document` is larger than any file that is opened";

/// Carries out an action.
///
/// # Errors
/// A sentence for the program around the page, in English as its other interfaces are.
fn obey(action: &str, data: &JsValue, state: &State, send: &Callback<Action>) -> Result<(), String> {
    let missing = |what: &str| format!("`{action}` needs `{what}`");
    if state.teaching.assigned.is_some() && !matches!(action, "theme" | "lang" | "restore") {
        return Err(format!("`{action}` is refused while an exercise is open"));
    }
    if matches!(action, "seek" | "play" | "pause" | "select") && state.document.run.is_none() {
        return Err(format!("`{action}` needs a plan, and none is shown yet"));
    }
    send.emit(match action {
        "load" => {
            if let Some(name) = text(data, "example") {
                if !stays_inside(&name) {
                    return Err(format!("there is no example `{name}`"));
                }
                open_example(name, None, send.clone());
                return Ok(());
            }
            let document = member(data, "document").ok_or_else(|| missing("example` or `document"))?;
            let bytes = bytes_of(&document)?;
            let name = text(data, "name").unwrap_or_else(|| "embedded".into());
            let choices = Answers::default();
            Action::Document(DocumentAction::Open {
                origin: Origin::File(name),
                bytes: bytes.into(),
                choices,
                place: None,
            })
        }
        "planner" => {
            let id = text(data, "planner").ok_or_else(|| missing("planner"))?;
            if planner::info(&id).is_none() {
                return Err(format!("there is no planner `{id}`"));
            }
            Action::Document(DocumentAction::Planner(id))
        }
        "seek" => Action::Step(StepAction::Seek(number(data, "frame").ok_or_else(|| missing("frame"))?)),
        "play" => Action::Step(StepAction::Play(true)),
        "pause" => Action::Step(StepAction::Play(false)),
        "select" => {
            let buffer = match text(data, "name") {
                None => None,
                Some(name) => {
                    let found = state.document.run.as_ref().and_then(|run| run.problem.buffer_named(&name));
                    Some(found.ok_or_else(|| format!("there is no buffer `{name}`"))?)
                }
            };
            Action::Step(StepAction::Select(buffer))
        }
        "restore" => {
            if state.teaching.assigned.is_none() {
                return Err("`restore` needs an exercise".into());
            }
            let name = text(data, "name").ok_or_else(|| missing("name"))?;
            Action::Teach(TeachAction::Restore(name, text(data, "code").ok_or_else(|| missing("code"))?))
        }
        "theme" => {
            let name = text(data, "theme").ok_or_else(|| missing("theme"))?;
            let theme = Theme::from_name(&name);
            // `from_name` returns the theme of the system for an unknown name.
            if theme.name() != name {
                return Err(format!("there is no theme `{name}`"));
            }
            Action::Settings(SettingsAction::Theme(theme))
        }
        "lang" => {
            let tag = text(data, "lang").ok_or_else(|| missing("lang"))?;
            let locale = Locale::from_tag(&tag);
            if !tag.to_ascii_lowercase().starts_with(locale.name()) {
                return Err(format!("there is no language `{tag}`"));
            }
            Action::Settings(SettingsAction::Locale(locale))
        }
        _ => return Err(format!("there is no action `{action}`")),
    });
    Ok(())
}
