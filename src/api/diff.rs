//! Two documents → what differs between their plans (docs/diff.md).

use serde_json::Value;

use super::settings::{field_path, wrong};
use super::{ApiError, Code, PlannedDocument, option_values, plan};
use crate::base::Message;
use crate::diff::{Counted, DiffRecord, FORMAT, Limit, ModelRecord, Side, SideFigures, SideRecord, diff};
use crate::engine::{IMPORTED, first_planner};
use crate::import::Imported;
use crate::problem::Scope;
use crate::scene::{Chart, ChartForm, Series};
use crate::text::Speech;

/// How two documents are compared.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DiffSettings {
    /// Planner of both sides; none: the plans of the files if both have one, else the planner that the page would choose for
    /// the new one.
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
        let both = old.document.own_plan().is_some() && new.document.own_plan().is_some();
        match &self.planner {
            Some(planner) => planner.clone(),
            None if both => IMPORTED.to_string(),
            None => {
                let format = (old.format == new.format).then_some(new.format);
                let has_graphs = [old, new].iter().all(|side| side.document.graph().is_some());
                let document = if has_graphs || new.document.graph().is_none() { new } else { old };
                first_planner(&document.document, format).to_string()
            }
        }
    }
}

/// Compares the plans of two documents; `files` name them. Gives the record of the model, and the id of the planner.
///
/// # Errors
/// As [`plan`], for either document; [`Code::NoPlan`] if a side has no plan of its own where that is asked for.
pub fn diff_model(
    (old, new): (&Imported, &Imported),
    files: [&str; 2],
    scope: &Scope,
    settings: &DiffSettings,
) -> Result<(ModelRecord, String), ApiError> {
    let planner = settings.planner_of(old, new);
    let scope_of = |side: &Imported| scope.for_one_of_many(side.document.graph());
    let planned = |side: &Imported| plan(&side.document, &planner, &settings.options, &scope_of(side));
    let (before, after) = (planned(old)?, planned(new)?);
    let sides = [side(&before), side(&after)];
    let found = diff(sides[0], sides[1], settings.counted);
    let name = if after.problem.name.is_empty() { &before.problem.name } else { &after.problem.name };
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
    let record = Some(SideRecord::new(file, &figures));
    let (old, new) = if is_new { (None, record) } else { (record, None) };
    Ok(ModelRecord { name: planned.problem.name.clone(), old, new, ..ModelRecord::default() })
}

/// The record of all models; a model that is new or gone does not fail.
pub fn diff_record(models: Vec<ModelRecord>, planner: &str, limit: Option<&str>) -> DiffRecord {
    let parsed = limit.and_then(Limit::parse);
    let is_passed = |model: &ModelRecord| match (&model.old, &model.new, parsed) {
        (Some(old), Some(new), Some(limit)) => limit.is_passed(old.peak, new.peak),
        _ => false,
    };
    DiffRecord {
        format: FORMAT,
        planner: planner.into(),
        failed: models.iter().any(is_passed),
        limit: limit.map(str::to_string),
        models,
    }
}

/// Both load curves of a model, the old one at the steps that its operators have now.
pub fn diff_chart(model: &ModelRecord, speech: Speech) -> Option<Chart> {
    let (old, new) = (model.old.as_ref()?, model.new.as_ref()?);
    let most = old.load.iter().chain(&new.load).map(|&(_, bytes)| bytes).max().unwrap_or(0);
    let unit = crate::base::Unit::of(most);
    let line = |key: &'static str, side: &SideRecord, at: &dyn Fn(u32) -> u32| {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for &(step, bytes) in &side.load {
            points.push((f64::from(at(step)), bytes as f64 / unit.bytes() as f64));
        }
        points.push((f64::from(at(side.steps)), 0.0));
        Series { name: speech.say(&Message::new(key).bytes("peak", side.peak)), points }
    };
    // Between matched steps the distance to the last one is kept, but not beyond the next one.
    let mapped = |step: u32| {
        let next = model.steps.partition_point(|&(old, _)| old <= step);
        let (from, to) = next.checked_sub(1).map_or((0, 0), |at| model.steps[at]);
        let end = model.steps.get(next).map_or(new.steps, |&(_, new)| new);
        to.saturating_add(step - from).min(end)
    };
    let as_it_is = |step: u32| step;
    Some(Chart {
        title: speech.say(&Message::new("diff.svg-load").name("name", model.name.clone())),
        x: speech.word("chart.step"),
        y: unit.name().into(),
        form: ChartForm::Steps,
        series: vec![
            line("diff.svg-old", old, if model.steps.is_empty() { &as_it_is } else { &mapped }),
            line("diff.svg-new", new, &as_it_is),
        ],
        unit: Some(unit),
        ..Chart::default()
    })
}

fn side(planned: &PlannedDocument) -> Side<'_> {
    Side { problem: &planned.problem, graph: planned.graph.as_ref(), plan: &planned.plan }
}
