//! Several planners on one document.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::refusal::Told;
use super::settings::{field_path, wrong};
use super::verify::is_valid;
use super::{Code, Refusal, Settings, option_values, plan};
use crate::engine::IMPORTED;
use crate::import::Document;
use crate::plan::{Metrics, metrics};
use crate::planner::{self, REGISTRY};

/// What one planner made of the document.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    pub planner: String,
    /// Every option with the value used; those given where there is no plan.
    pub options: BTreeMap<String, String>,
    /// None where there is no plan.
    pub metrics: Option<Metrics>,
    /// Whether there is a plan and it breaks no rule.
    pub valid: bool,
    /// Why there is no plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Told>,
}

/// A row a planner, in the order asked for. `asked` is a list of ids or of `{planner, options}`; null stands for the
/// document's own plan, if it has one, and all planners that apply.
///
/// # Errors
/// [`Code::Argument`] when `asked` is not such a list. A planner that gives no plan is a row with an error.
pub fn compare(document: &Document, asked: &Value, settings: &Settings) -> Result<Vec<Row>, Refusal> {
    let entries = match asked {
        Value::Null => applicable(document),
        Value::Array(list) => list.iter().enumerate().map(entry).collect::<Result<_, _>>()?,
        other => return Err(wrong(Code::Argument, "planners", other, "api.allowed.planners")),
    };
    let row = |entry: Entry| {
        let ran = match &entry.options {
            Ok(options) => plan(document, &entry.planner, options, &settings.scope),
            Err(refusal) => Err(refusal.clone()),
        };
        match ran {
            Ok(ran) => Row {
                planner: entry.planner,
                metrics: Some(metrics(&ran.problem, &ran.plan)),
                valid: is_valid(&ran.problem, &ran.plan),
                options: ran.options,
                error: None,
            },
            Err(mut refusal) => {
                if refusal.code == Code::Option {
                    refusal.path = format!("{}.{}", entry.path, refusal.path);
                } else if refusal.path.is_empty() {
                    refusal.path = entry.path;
                }
                Row {
                    planner: entry.planner,
                    options: entry.options.unwrap_or_default(),
                    metrics: None,
                    valid: false,
                    error: Some(refusal.told(settings.locale)),
                }
            }
        }
    };
    Ok(entries.into_iter().map(row).collect())
}

struct Entry {
    path: String,
    planner: String,
    options: Result<BTreeMap<String, String>, Refusal>,
}

fn applicable(document: &Document) -> Vec<Entry> {
    let has_graph = document.graph().is_some();
    let fitting = REGISTRY.iter().map(|planner| planner.info());
    let fitting = fitting.filter(|info| planner::applicable(info, has_graph).is_ok()).map(|info| info.id);
    let ids = document.own_plan().map(|_| IMPORTED).into_iter().chain(fitting);
    ids.map(|id| Entry { path: String::new(), planner: id.into(), options: Ok(BTreeMap::new()) }).collect()
}

fn entry((index, value): (usize, &Value)) -> Result<Entry, Refusal> {
    let path = format!("planners[{index}]");
    let refused = |path: &str, value: &Value| Err(wrong(Code::Argument, path, value, "api.allowed.planners"));
    let fields = match value {
        Value::String(planner) => {
            return Ok(Entry { path, planner: planner.clone(), options: Ok(BTreeMap::new()) });
        }
        Value::Object(fields) => fields,
        other => return refused(&path, other),
    };
    if let Some((key, value)) = fields.iter().find(|(key, _)| !matches!(key.as_str(), "planner" | "options")) {
        return refused(&field_path(&path, key), value);
    }
    let Some(Value::String(planner)) = fields.get("planner") else { return refused(&path, value) };
    let options = option_values(fields.get("options").unwrap_or(&Value::Null));
    Ok(Entry { path, planner: planner.clone(), options })
}
