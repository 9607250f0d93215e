//! Several planners on one document.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::error::ErrorRecord;
use super::settings::{field_path, wrong};
use super::verify::is_valid;
use super::{ApiError, CallSettings, Code, option_values, plan};
use crate::IMPORTED;
use memplan_core::plan::{Metrics, metrics};
use memplan_formats::import::Document;
use memplan_planners::{self as planner, REGISTRY};

/// One planner of a comparison.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ComparisonRow {
    /// Registry id, or [`IMPORTED`].
    pub planner: String,
    /// Every option with the value used; without a plan those given.
    pub options: BTreeMap<String, String>,
    /// None without a plan.
    pub metrics: Option<Metrics>,
    /// Whether there is a plan and it breaks no rule.
    pub valid: bool,
    /// Why there is no plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorRecord>,
}

/// Returns a row for each planner, in the order of `asked`: a list of ids or of
/// `{planner, options}`. Null stands for the document's own plan, if it has one, and all planners
/// that apply.
///
/// # Errors
/// [`Code::Argument`] if `asked` is not such a list. A planner without a plan is a row with its
/// error.
pub fn compare(document: &Document, asked: &Value, settings: &CallSettings) -> Result<Vec<ComparisonRow>, ApiError> {
    let entries = match asked {
        Value::Null => applicable(document),
        Value::Array(list) => list.iter().enumerate().map(entry).collect::<Result<_, _>>()?,
        other => return Err(wrong(Code::Argument, "planners", other, "api.allowed.planners")),
    };
    let row = |entry: ComparedPlanner| {
        let ran = match &entry.options {
            Ok(options) => plan(document, &entry.planner, options, &settings.scope),
            Err(error) => Err(error.clone()),
        };
        match ran {
            Ok(ran) => {
                let own = document.own_plan_beside(&settings.scope).filter(|_| ran.planner == IMPORTED);
                let (problem, plan) = own.unwrap_or((Cow::Owned(ran.problem), Cow::Owned(ran.plan)));
                ComparisonRow {
                    planner: entry.planner,
                    metrics: Some(metrics(&problem, &plan)),
                    valid: is_valid(&problem, &plan),
                    options: ran.options,
                    error: None,
                }
            }
            Err(mut error) => {
                if error.code == Code::Option {
                    error.path = format!("{}.{}", entry.path, error.path);
                } else if error.path.is_empty() {
                    error.path = entry.path;
                }
                ComparisonRow {
                    planner: entry.planner,
                    options: entry.options.unwrap_or_default(),
                    metrics: None,
                    valid: false,
                    error: Some(error.record(settings.locale)),
                }
            }
        }
    };
    Ok(entries.into_iter().map(row).collect())
}

struct ComparedPlanner {
    path: String,
    planner: String,
    options: Result<BTreeMap<String, String>, ApiError>,
}

fn applicable(document: &Document) -> Vec<ComparedPlanner> {
    let has_graph = document.graph().is_some();
    let fitting = REGISTRY.iter().map(|planner| planner.info());
    let fitting = fitting.filter(|info| planner::applicable(info, has_graph).is_ok()).map(|info| info.id);
    let ids = document.own_plan().map(|_| IMPORTED).into_iter().chain(fitting);
    ids.map(|id| ComparedPlanner { path: String::new(), planner: id.into(), options: Ok(BTreeMap::new()) }).collect()
}

fn entry((index, value): (usize, &Value)) -> Result<ComparedPlanner, ApiError> {
    let path = format!("planners[{index}]");
    let refused = |path: &str, value: &Value| Err(wrong(Code::Argument, path, value, "api.allowed.planners"));
    let fields = match value {
        Value::String(planner) => {
            return Ok(ComparedPlanner { path, planner: planner.clone(), options: Ok(BTreeMap::new()) });
        }
        Value::Object(fields) => fields,
        other => return refused(&path, other),
    };
    if let Some((key, value)) = fields.iter().find(|(key, _)| !matches!(key.as_str(), "planner" | "options")) {
        return refused(&field_path(&path, key), value);
    }
    let Some(Value::String(planner)) = fields.get("planner") else { return refused(&path, value) };
    let options = option_values(fields.get("options").unwrap_or(&Value::Null));
    Ok(ComparedPlanner { path, planner: planner.clone(), options })
}
