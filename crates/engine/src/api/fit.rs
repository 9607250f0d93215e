//! A document and a budget → the cheapest changes by which it fits, as `fit/1` (docs/fit.md).

use serde_json::Value;

use super::settings::{Argument, field_path, fields, wrong};
use super::{ApiError, Code, problem};
use memplan_core::base::{MAX_SAFE, Message};
use memplan_core::problem::Scope;
use memplan_fit::{self as fit, Answer, Bounds, Lever, Prefer, Request, StoredIn, read_size};
use memplan_formats::import::Document;
use memplan_replay::diff::Limit;

const KEYS: &str = "memories, scratch, operators, persistent, allow, limits, prefer, seconds, curve";

/// Longest search in seconds.
const LONGEST: f64 = 86_400.0;

/// What is asked of [`fit()`].
#[derive(Clone, PartialEq, Debug)]
pub struct FitSettings {
    /// Budget, levers, limits and preference; its scope is that of the call.
    pub request: Request,
    /// Seconds of search.
    pub seconds: f64,
}

impl FitSettings {
    /// Reads an object; `memories` is needed, null and absent fields keep their defaults.
    ///
    /// # Errors
    /// [`Code::Argument`] with the path of the field.
    pub fn read(value: &Value) -> Result<FitSettings, ApiError> {
        let mut settings = FitSettings { request: Request::default(), seconds: 5.0 };
        let request = &mut settings.request;
        for (key, value) in fields(Code::Argument, "budget", value)? {
            let field = Argument { code: Code::Argument, path: field_path("budget", key), value };
            match key.as_str() {
                "memories" => request.budget.memories = memories(&field)?,
                "scratch" => request.budget.scratch = Some(size(&field)?),
                "operators" => request.budget.by_operator = field.map("api.allowed.sizes", bytes)?,
                "persistent" => request.budget.persistent = Some(size(&field)?),
                "allow" => request.allow = Lever::list(&levers(&field)?).map_err(|message| because(&field, message))?,
                "limits" => request.limits = limits(&field)?,
                "prefer" => request.prefer = field.one_of(&[("macs", Prefer::Macs), ("bytes", Prefer::Bytes)])?,
                "seconds" => {
                    let seconds = value.as_f64().filter(|seconds| (0.0..=LONGEST).contains(seconds));
                    settings.seconds = seconds.ok_or_else(|| field.wrong("api.allowed.seconds"))?;
                }
                "curve" => request.curve = field.flag()?,
                _ => return Err(field.unknown(key, KEYS)),
            }
        }
        settings.request.available().map_err(|message| ApiError::new(Code::Argument, "budget", message))?;
        Ok(settings)
    }
}

fn because(field: &Argument, message: Message) -> ApiError {
    ApiError::new(field.code, &field.path, message)
}

/// Bytes as a number, or as text such as `64KiB`.
fn bytes(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => read_size(text),
        value => value
            .as_f64()
            .filter(|size| size.fract() == 0.0 && (0.0..=MAX_SAFE as f64).contains(size))
            .map(|size| size as u64),
    }
}

fn size(field: &Argument) -> Result<u64, ApiError> {
    bytes(field.value).ok_or_else(|| field.wrong("api.allowed.size"))
}

fn memories(field: &Argument) -> Result<Vec<StoredIn>, ApiError> {
    let list = field.value.as_array().ok_or_else(|| field.wrong("api.allowed.memories"))?;
    let memory = |(at, value): (usize, &Value)| {
        let path = format!("{}[{at}]", field.path);
        let mut memory = StoredIn { name: String::new(), size: 0, cost: 1 };
        for (key, value) in fields(field.code, &path, value)? {
            let own = Argument { code: field.code, path: field_path(&path, key), value };
            match key.as_str() {
                "name" => memory.name = own.text()?,
                "size" => memory.size = size(&own)?,
                "cost" => memory.cost = own.whole(fit::MOST_COST)?,
                _ => return Err(own.unknown(key, "name, size, cost")),
            }
        }
        if memory.name.is_empty() {
            return Err(wrong(field.code, &field_path(&path, "name"), &Value::Null, "api.allowed.needed"));
        }
        Ok(memory)
    };
    list.iter().enumerate().map(memory).collect()
}

/// A list of names, or text such as `all`.
fn levers(field: &Argument) -> Result<String, ApiError> {
    let refused = || field.wrong("api.allowed.levers");
    match field.value {
        Value::String(text) => Ok(text.clone()),
        Value::Array(list) => {
            let names: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
            names.filter(|names| !names.is_empty()).map(|names| names.join(",")).ok_or_else(refused)
        }
        _ => Err(refused()),
    }
}

fn limits(field: &Argument) -> Result<Bounds, ApiError> {
    let mut bounds = Bounds::default();
    for (key, value) in fields(field.code, &field.path, field.value)? {
        let own = Argument { code: field.code, path: field_path(&field.path, key), value };
        let percent = value.as_str().and_then(Limit::parse);
        match (key.as_str(), percent) {
            ("macs", Some(Limit::Percent(percent))) => bounds.percent = Some(percent),
            ("macs", _) => bounds.macs = Some(size(&own)?),
            ("bytes", _) => bounds.bytes = Some(size(&own)?),
            _ => return Err(own.unknown(key, "macs, bytes")),
        }
    }
    Ok(bounds)
}

/// Looks for the cheapest changes by which a document fits. `stop` ends the search, `late` the
/// tries of levers that it left no time for.
///
/// # Errors
/// [`Code::Argument`] for a document without operators or a budget that does not suit it;
/// [`Code::Misread`]; as [`problem`].
pub fn fit(
    document: &Document,
    settings: &FitSettings,
    scope: &Scope,
    stop: &dyn Fn() -> bool,
    late: &dyn Fn() -> bool,
) -> Result<Answer, ApiError> {
    ApiError::unless_misread(document)?;
    let (problem, graph) = problem(document, scope)?;
    let refused = |path: &str, message| ApiError::new(Code::Argument, path, message);
    let graph = graph.ok_or_else(|| refused("graph", Message::new("fit.no-graph").text("name", problem.name)))?;
    let request = Request { scope: scope.clone(), ..settings.request.clone() };
    let answer = fit::fit(&graph, &request, stop).and_then(|mut answer| {
        answer.take_ladder(&request, late)?;
        Ok(answer)
    });
    answer.map_err(|message| refused("budget", message))
}
