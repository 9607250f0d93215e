//! Two documents → what differs between their plans (docs/diff.md).

use serde_json::Value;

use super::settings::{field_path, wrong};
use super::{ApiError, Code, PlannedDocument, option_values, plan};
use crate::{LoadCurve, load_curves, pair_name, planner_of_both};
use memplan_core::problem::Scope;
use memplan_core::text::Speech;
use memplan_formats::import::Imported;
use memplan_replay::diff::{Counted, Limit, ModelRecord, Side, SideFigures, SideRecord, diff};
use memplan_scene::Chart;

/// How two documents are compared.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DiffSettings {
    /// Planner of both sides; none: the plans of the files if both have one, else the planner that
    /// the page would choose for the new one.
    pub planner: Option<String>,
    /// Values of options of the planner.
    pub options: std::collections::BTreeMap<String, String>,
    /// What counts.
    pub counted: Counted,
    /// The largest rise that passes, as it was written.
    pub limit: Option<String>,
}

impl DiffSettings {
    /// Reads an object; null and absent fields keep their defaults.
    ///
    /// # Errors
    /// [`Code::Argument`] with the path of the field.
    pub fn read(value: &Value) -> Result<DiffSettings, ApiError> {
        let mut settings = DiffSettings::default();
        let fields = match value {
            Value::Null => return Ok(settings),
            Value::Object(fields) => fields,
            other => return Err(wrong(Code::Argument, "options", other, "api.allowed.diff")),
        };
        for (key, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            let refused = || wrong(Code::Argument, &field_path("options", key), value, "api.allowed.diff");
            match key.as_str() {
                "planner" => settings.planner = Some(value.as_str().ok_or_else(refused)?.to_string()),
                "options" => settings.options = option_values(value)?,
                "withoutWeights" => settings.counted.without_weights = value.as_bool().ok_or_else(refused)?,
                "failAbove" => {
                    let limit = value.as_str().filter(|limit| Limit::parse(limit).is_some()).ok_or_else(refused)?;
                    settings.limit = Some(limit.to_string());
                }
                _ => return Err(refused()),
            }
        }
        Ok(settings)
    }

    /// The planner of two documents.
    fn planner_of(&self, old: &Imported, new: &Imported) -> String {
        let rule = || planner_of_both((&old.document, old.format), (&new.document, new.format)).to_string();
        self.planner.clone().unwrap_or_else(rule)
    }
}

/// Compares the plans of two documents; `files` name them. Gives the record of the model, and the
/// id of the planner.
///
/// # Errors
/// As [`plan`], with the place of the faulty document in `files`; [`Code::NoPlan`] if a side has no
/// plan of its own where that is asked for.
pub fn diff_model(
    (old, new): (&Imported, &Imported),
    files: [&str; 2],
    scope: &Scope,
    settings: &DiffSettings,
) -> Result<(ModelRecord, String), (usize, ApiError)> {
    let planner = settings.planner_of(old, new);
    let scope_of = |side: &Imported| scope.for_one_of_many(side.document.graph());
    let planned = |(place, side): (usize, &Imported)| {
        plan(&side.document, &planner, &settings.options, &scope_of(side)).map_err(|refusal| (place, refusal))
    };
    let (before, after) = (planned((0, old))?, planned((1, new))?);
    let sides = [side(&before), side(&after)];
    let found = diff(sides[0], sides[1], settings.counted);
    let name = pair_name([&before.problem.name, &after.problem.name], files);
    Ok((ModelRecord::new(name, files, sides, &found), planner))
}

/// The record of a model that only one side has.
///
/// # Errors
/// As [`plan`].
pub fn lone_model(
    document: &Imported,
    (file, is_new): (&str, bool),
    scope: &Scope,
    settings: &DiffSettings,
) -> Result<ModelRecord, ApiError> {
    let planner = settings.planner_of(document, document);
    let planned =
        plan(&document.document, &planner, &settings.options, &scope.for_one_of_many(document.document.graph()))?;
    let own = side(&planned);
    let figures: SideFigures = diff(own, own, settings.counted).new;
    let record = Some(SideRecord::new(file, &figures).of_plan(own));
    let (old, new) = if is_new { (None, record) } else { (record, None) };
    Ok(ModelRecord { name: planned.problem.name.clone(), old, new, ..ModelRecord::default() })
}

/// Both load curves of a model, the old one at the steps that its operators have now.
pub fn diff_chart(model: &ModelRecord, speech: Speech) -> Option<Chart> {
    fn curve(side: &SideRecord) -> LoadCurve<'_> {
        LoadCurve { peak: side.peak, steps: side.steps, load: &side.load }
    }
    let sides = [curve(model.old.as_ref()?), curve(model.new.as_ref()?)];
    // What little is matched of unrelated models is no measure for the others.
    let steps = if model.unrelated { &[][..] } else { &model.steps };
    Some(load_curves(&model.name, sides, steps, speech))
}

fn side(planned: &PlannedDocument) -> Side<'_> {
    Side { problem: &planned.problem, graph: planned.graph.as_ref(), plan: &planned.plan }
}
