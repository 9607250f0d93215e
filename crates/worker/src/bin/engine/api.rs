//! The JavaScript interface: values in, plain objects out, errors as `Error` with `code`, `path`
//! and `faults`. Its types are in `www/memplan.d.ts`, its guarantees in docs/javascript.md.

use std::collections::BTreeMap;

use js_sys::{Array, ArrayBuffer, Error, JSON, Reflect, Uint8Array};
use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

use memplan_core::base::Message;
use memplan_core::text::{Locale, Speech};
use memplan_engine::api::{
    self, ApiError, CallSettings, Code, DiffSettings, ExerciseRecord, ExerciseSettings, FitSettings, PictureSettings,
    option_values,
};
use memplan_fit::LADDER_SECONDS;
use memplan_formats::import::Imported;
use memplan_planners::INFOS;
use memplan_replay::{Level, Run, record};
use memplan_scene::paint::export_svg;
use memplan_teach::exercise::activity::Buffers;

/// Takes the text of a language's file of words, `en` or `zh`; whether it could be read.
#[wasm_bindgen(skip_typescript)]
pub fn learn(lang: &str, words: &str) -> bool {
    Locale::from_tag(lang).learn(words)
}

/// Returns the data sheets of all planners.
///
/// # Errors
/// None that a caller can cause.
#[wasm_bindgen(skip_typescript)]
pub fn planners() -> Result<JsValue, JsValue> {
    let sheets: Vec<Value> = INFOS.iter().map(|info| api::sheet(info)).collect();
    to_js(&sheets)
}

/// Plans a graph and returns a `memory-plan/1` object.
///
/// # Errors
/// A JavaScript `Error` with `code`, `path` and `faults`.
#[wasm_bindgen(skip_typescript)]
pub fn plan(graph: &JsValue, id: &JsValue, options: &JsValue, settings: &JsValue) -> Result<JsValue, JsValue> {
    let call = CallInput::read(graph, settings)?;
    let planned = options_of(options)
        .and_then(|options| api::plan(&call.imported.document, &text(id), &options, &call.settings.scope))
        .map_err(|error| call.js_error(&error))?;
    to_js(&planned.file())
}

/// Returns the figures of several planners.
///
/// # Errors
/// As [`plan`]; a planner that gives no plan is a row with its `error`.
#[wasm_bindgen(skip_typescript)]
pub fn compare(graph: &JsValue, planners: &JsValue, settings: &JsValue) -> Result<JsValue, JsValue> {
    let call = CallInput::read(graph, settings)?;
    let rows = plain("planners", planners)
        .and_then(|asked| api::compare(&call.imported.document, &asked, &call.settings))
        .map_err(|error| call.js_error(&error))?;
    to_js(&rows)
}

/// Returns what differs between the plans of two graphs, as a `diff/1` object.
///
/// # Errors
/// As [`plan`].
#[wasm_bindgen(skip_typescript)]
pub fn diff(old: &JsValue, new: &JsValue, options: &JsValue, settings: &JsValue) -> Result<JsValue, JsValue> {
    let (old, new) = (CallInput::read(old, settings)?, CallInput::read(new, settings)?);
    let found = plain("options", options).and_then(|value| DiffSettings::read(&value)).and_then(|wanted| {
        let found = api::diff_model((&old.imported, &new.imported), ["old", "new"], &new.settings.scope, &wanted);
        let (model, planner) = found.map_err(|(_, refusal)| refusal)?;
        Ok(memplan_replay::diff::DiffRecord::new(vec![model], &planner, wanted.limit.as_deref()))
    });
    to_js(&found.map_err(|error| new.js_error(&error))?)
}

/// Returns the cheapest changes by which a graph fits a budget, or why there are none, as a `fit/1`
/// object.
///
/// # Errors
/// As [`plan`].
#[wasm_bindgen(skip_typescript)]
pub fn fit(graph: &JsValue, budget: &JsValue, settings: &JsValue) -> Result<JsValue, JsValue> {
    let call = CallInput::read(graph, settings)?;
    let found = plain("budget", budget).and_then(|value| FitSettings::read(&value)).and_then(|wanted| {
        let begin = js_sys::Date::now();
        let is_over = |seconds: f64| js_sys::Date::now() >= begin + seconds * 1000.0;
        let (stop, late) = (|| is_over(wanted.seconds), || is_over(wanted.seconds + LADDER_SECONDS));
        let mut answer = api::fit(&call.imported.document, &wanted, &call.settings.scope, &stop, &late)?;
        answer.record.search.seconds = Some((js_sys::Date::now() - begin) / 1000.0);
        Ok(answer)
    });
    to_js(&found.map_err(|error| call.js_error(&error))?.record)
}

/// Returns every rule that a plan breaks.
///
/// # Errors
/// As [`plan`].
#[wasm_bindgen(skip_typescript)]
pub fn check(plan: &JsValue, settings: &JsValue) -> Result<JsValue, JsValue> {
    let call = CallInput::read(plan, settings)?;
    let found = api::verify(&call.imported.document, call.settings.locale).map_err(|error| call.js_error(&error))?;
    to_js(&found)
}

/// Makes an instance to practise on from a seed, with its questions and answers; of a kind whose
/// buffers are made on a board, looks for a bad board.
///
/// # Errors
/// As [`plan`]; code `refused` where there is none.
#[wasm_bindgen(skip_typescript)]
pub fn exercise(wanted: &JsValue) -> Result<JsValue, JsValue> {
    let given = plain("wanted", wanted).map_err(|error| js_error(&error, Locale::En))?;
    let locale = if given.get("lang").and_then(Value::as_str) == Some("zh") { Locale::Zh } else { Locale::En };
    let wanted = ExerciseSettings::read(&given).map_err(|error| js_error(&error, locale))?;
    if wanted.kind.activity().buffers == Buffers::Board {
        return to_js(&api::worst_board(&wanted).map_err(|error| js_error(&error, locale))?);
    }
    let made = api::exercise(&wanted);
    to_js(&ExerciseRecord::new(&made.map_err(|error| js_error(&error, locale))?, true, locale))
}

/// Returns the error of using a freed [`Replay`]: its memory is gone, so it cannot make the error
/// itself.
#[wasm_bindgen(skip_typescript)]
pub fn freed(lang: &JsValue) -> JsValue {
    let locale = if lang.as_string().as_deref() == Some("zh") { Locale::Zh } else { Locale::En };
    js_error(&ApiError::new(Code::Argument, "this", Message::new("api.freed")), locale)
}

/// A run that can be stepped through.
#[wasm_bindgen(skip_typescript)]
pub struct Replay {
    run: Run,
    options: BTreeMap<String, String>,
    locale: Locale,
}

#[wasm_bindgen]
impl Replay {
    /// Plans a graph and records every decision.
    ///
    /// # Errors
    /// As [`plan()`].
    #[wasm_bindgen(constructor, skip_typescript)]
    pub fn new(graph: &JsValue, id: &JsValue, options: &JsValue, settings: &JsValue) -> Result<Replay, JsValue> {
        let call = CallInput::read(graph, settings)?;
        let (run, options) = options_of(options)
            .and_then(|options| api::replay(&call.imported.document, &text(id), &options, &call.settings.scope))
            .map_err(|error| call.js_error(&error))?;
        Ok(Replay { run, options, locale: call.settings.locale })
    }

    /// Returns the number of frames: one for each placement, and the empty one at the beginning.
    #[wasm_bindgen(getter, skip_typescript)]
    pub fn frames(&self) -> u32 {
        self.run.timeline.frames(Level::Decisions)
    }

    /// Returns the plan as `memory-plan/1`.
    ///
    /// # Errors
    /// None that a caller can cause.
    #[wasm_bindgen(getter, skip_typescript)]
    pub fn plan(&self) -> Result<JsValue, JsValue> {
        to_js(&api::plan_file(&self.run.problem, &self.run.plan, &self.run.planner, self.options.clone()))
    }

    /// Returns the figures of the plan.
    ///
    /// # Errors
    /// None that a caller can cause.
    #[wasm_bindgen(getter, skip_typescript)]
    pub fn metrics(&self) -> Result<JsValue, JsValue> {
        to_js(&self.run.metrics)
    }

    /// Returns frame `k` as `memory-frame/1`.
    ///
    /// # Errors
    /// Code `frame` if there is no such frame.
    #[wasm_bindgen(skip_typescript)]
    pub fn frame(&self, k: &JsValue, level: &JsValue) -> Result<JsValue, JsValue> {
        let speech = Speech { locale: self.locale, sizes: self.run.problem.sizes() };
        let found = plain("level", level).and_then(|level| api::level(&level)).and_then(|level| {
            let at = api::frame_number(&self.run, level, number(k))?;
            Ok(record(&self.run, level, at, speech))
        });
        to_js(&found.map_err(|error| js_error(&error, self.locale))?)
    }

    /// Returns frame `k` as the text of an SVG picture.
    ///
    /// # Errors
    /// Code `frame` if there is no such frame, or for a wrong size or theme.
    #[wasm_bindgen(skip_typescript)]
    pub fn svg(&self, k: &JsValue, picture: &JsValue) -> Result<String, JsValue> {
        let drawn = plain("picture", picture).and_then(|value| PictureSettings::read(&value)).and_then(|picture| {
            let at = api::frame_number(&self.run, picture.level, number(k))?;
            let frame = self.run.frame(self.run.timeline.events_at(picture.level, at));
            let locale = picture.locale.unwrap_or(self.locale);
            let speech = Speech { locale, sizes: self.run.problem.sizes() };
            Ok(export_svg(&self.run, &frame, picture.size, picture.theme, speech))
        });
        drawn.map_err(|error| js_error(&error, self.locale))
    }
}

/// The document and the settings of a call.
struct CallInput {
    imported: Imported,
    settings: CallSettings,
}

impl CallInput {
    fn read(graph: &JsValue, settings: &JsValue) -> Result<CallInput, JsValue> {
        let given = plain("settings", settings).map_err(|error| js_error(&error, Locale::En))?;
        // Errors in the settings are in the language that the settings ask for.
        let locale = if given.get("lang").and_then(Value::as_str) == Some("zh") { Locale::Zh } else { Locale::En };
        let settings = CallSettings::read(&given).map_err(|error| js_error(&error, locale))?;
        let imported = bytes_of(graph)
            .and_then(|bytes| memplan_engine::read(&bytes, &settings.choices).map_err(ApiError::unread))
            .map_err(|error| js_error(&error, locale))?;
        Ok(CallInput { imported, settings })
    }

    fn js_error(&self, error: &ApiError) -> JsValue {
        js_error(error, self.settings.locale)
    }
}

/// Returns the bytes of a file that is given as text, bytes, or a plain object.
fn bytes_of(graph: &JsValue) -> Result<Vec<u8>, ApiError> {
    if let Some(text) = graph.as_string() {
        return Ok(text.into_bytes());
    }
    if let Some(bytes) = graph.dyn_ref::<Uint8Array>() {
        return Ok(bytes.to_vec());
    }
    if let Some(buffer) = graph.dyn_ref::<ArrayBuffer>() {
        return Ok(Uint8Array::new(buffer).to_vec());
    }
    let no_graph = || ApiError::new(Code::Argument, "graph", Message::new("api.no-graph"));
    if !graph.is_object() {
        return Err(no_graph());
    }
    Ok(json_of("graph", graph)?.ok_or_else(no_graph)?.into_bytes())
}

/// Returns an argument as a plain value; null if it is left out.
fn plain(path: &'static str, value: &JsValue) -> Result<Value, ApiError> {
    if value.is_undefined() {
        return Ok(Value::Null);
    }
    let unreadable = |reason: String| {
        ApiError::new(Code::Argument, path, Message::new("api.not-plain").text("path", path).text("reason", reason))
    };
    // Values without a JSON form, such as functions and symbols, would otherwise be ignored.
    let text = json_of(path, value)?.ok_or_else(|| unreadable(value.js_typeof().as_string().unwrap_or_default()))?;
    serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))
}

/// Returns the JSON text of a value; none if it has no JSON form. The browser throws for cycles and
/// `BigInt`.
fn json_of(path: &'static str, value: &JsValue) -> Result<Option<String>, ApiError> {
    let refused = |thrown: JsValue| {
        let reason = thrown.dyn_ref::<Error>().map(|error| String::from(error.message())).unwrap_or_default();
        let reason = reason.lines().next().unwrap_or_default().to_string();
        ApiError::new(Code::Argument, path, Message::new("api.not-plain").text("path", path).text("reason", reason))
    };
    // JSON has no infinities and no NaN: they would become null.
    let kept = Closure::<dyn Fn(String, JsValue) -> JsValue>::new(|_, value: JsValue| match value.as_f64() {
        Some(number) if !number.is_finite() => number.to_string().into(),
        _ => value,
    });
    Ok(JSON::stringify_with_replacer(value, kept.as_ref()).map_err(refused)?.as_string())
}

fn options_of(options: &JsValue) -> Result<BTreeMap<String, String>, ApiError> {
    option_values(&plain("options", options)?)
}

/// Returns an id; empty, which is no planner's, for what is not text.
fn text(value: &JsValue) -> String {
    value.as_string().unwrap_or_default()
}

fn number(value: &JsValue) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// Returns a plain object: numbers as numbers, none as null.
fn to_js<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    // Sums of sizes are kept below 2^53 where they are made, so that no figure is refused here.
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).map_err(JsValue::from)
}

fn js_error(error: &ApiError, locale: Locale) -> JsValue {
    let record = error.record(locale);
    let error = Error::new(&record.message);
    let faults = to_js(&record.faults).unwrap_or_else(|_| Array::new().into());
    for (key, value) in [("code", record.code.into()), ("path", record.path.as_str().into()), ("faults", faults)] {
        // A new object accepts every field.
        let _ = Reflect::set(&error, &key.into(), &value);
    }
    error.into()
}
