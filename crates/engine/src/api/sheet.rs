//! The data sheet of a planner as a plain value.

use serde_json::{Value, json};

use memplan_planners::{Info, OptionKind, OptionSpec};

/// Returns the data sheet of a planner, for `memplan list --json` and `planners()`.
pub fn sheet(info: &Info) -> Value {
    json!({
        "format": "planner/1",
        "id": info.id,
        "system": info.system,
        "name": info.name,
        "source": {
            "repository": info.source.repository,
            "version": info.source.version,
            "file": info.source.file,
        },
        "needs": info.needs.name(),
        "align": info.align,
        "complexity": info.complexity.text(),
        "effort": info.effort.name(),
        "options": info.options.iter().map(option).collect::<Vec<_>>(),
    })
}

fn option(spec: &OptionSpec) -> Value {
    let allowed = match &spec.kind {
        OptionKind::Choice(choices) => json!(choices),
        OptionKind::Flag => json!(["false", "true"]),
        OptionKind::Whole { min, max } => json!({ "min": min, "max": max }),
        OptionKind::Text | OptionKind::List => json!("text"),
    };
    json!({ "key": spec.key, "original": spec.original, "default": spec.default, "allowed": allowed })
}
