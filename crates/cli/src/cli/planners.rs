//! `--planner`: which planners run, with their options.

use clap::Args;
use memplan_core::base::{Message, nearest};
use memplan_engine::api::{self, ApiError};
use memplan_engine::{IMPORTED, PlannerChoice};
use memplan_planners::{OptionKind, OptionSpec, Options, Planner, info};

use super::error::{CliError, say};
use super::own;

/// Several planners.
#[derive(Args)]
pub struct PlannersArg {
    /// Planner to run: an id of `memplan list`, with options as in beam;k=4, `imported` for the
    /// file's own plan, or your own: mine.rhai, or "exec:python3 mine.py" (repeatable, also as a
    /// list between commas); all that apply if absent. An option whose value is a list
    /// (algorithms, banks, rules) keeps the commas after it
    #[arg(long = "planner", visible_alias = "planners", value_name = "ID")]
    planners: Vec<String>,
}

impl PlannersArg {
    /// The planners named, all of which exist and take their options.
    pub fn read(&self) -> Result<Vec<PlannerChoice>, CliError> {
        read(&self.planners)
    }
}

/// The planners named, all of which exist and take their options.
pub fn read(texts: &[String]) -> Result<Vec<PlannerChoice>, CliError> {
    texts.iter().flat_map(|text| parts(text)).map(|text| choice(&text, &[])).collect()
}

/// The one planner that a command takes, with options also from `--set`.
pub fn one(texts: &[String], settings: &[(String, String)]) -> Result<PlannerChoice, CliError> {
    let texts: Vec<String> = texts.iter().flat_map(|text| parts(text)).collect();
    let [text] = &texts[..] else {
        return Err(CliError::because(&Message::new("cli.one-planner").text("planners", texts.join(", "))));
    };
    choice(text, settings)
}

/// Returns the planner with this id, and its options with these values; the error lists every
/// option that is refused.
pub fn choose(id: &str, settings: &[(String, String)]) -> Result<(&'static dyn Planner, Options), CliError> {
    let given = || settings.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    if let Some(info) = info(id) {
        let errors = info.option_errors(given());
        if !errors.is_empty() {
            let words = |error| say(&ApiError::of_option(info, error).message);
            return Err(CliError::Unusable(errors.iter().map(words).collect()));
        }
    }
    Ok(api::chosen(id, given())?)
}

/// Reads a planner with its options, as in `beam;k=4`; `settings` are options that have the last
/// word.
fn choice(text: &str, settings: &[(String, String)]) -> Result<PlannerChoice, CliError> {
    let (id, inline) = own::split(text);
    let planner = id.trim().to_string();
    let named = inline.split(';').filter_map(|piece| Some(piece.split_once('=')?.0.trim()));
    own::register(&planner, named.chain(settings.iter().map(|(key, _)| key.as_str())))?;
    let mut all: Vec<(String, String)> = Vec::new();
    for piece in inline.split(';').map(str::trim).filter(|piece| !piece.is_empty()) {
        let (key, value) = piece.split_once('=').map_or((piece, None), |(key, value)| (key.trim(), Some(value.trim())));
        if let Some((_, list)) = all.last_mut().filter(|(last, _)| goes_on(&planner, last, key)) {
            *list += &format!(";{piece}");
            continue;
        }
        if value.is_none() && is_option(&planner, key) {
            return Err(CliError::because(&Message::new("cli.option-no-value").text("key", key)));
        }
        if all.iter().any(|(other, _)| other == key) {
            return Err(CliError::because(&Message::new("cli.option-twice").text("key", key)));
        }
        all.push((key.to_string(), value.unwrap_or_default().to_string()));
    }
    all.extend(settings.iter().cloned());
    check(&planner, &all)?;
    Ok(PlannerChoice { planner, options: all.into_iter().collect() })
}

/// The options that a planner has.
fn specs(planner: &str) -> &'static [OptionSpec] {
    info(planner).map_or(&[], |info| info.options)
}

fn is_option(planner: &str, key: &str) -> bool {
    specs(planner).iter().any(|spec| spec.key == key)
}

fn is_list(planner: &str, key: &str) -> bool {
    specs(planner).iter().any(|spec| spec.key == key && matches!(spec.kind, OptionKind::List))
}

/// Whether what follows a semicolon belongs to the list before it: it begins with no option of the
/// planner, nor with one that is misspelt.
fn goes_on(planner: &str, last: &str, key: &str) -> bool {
    let keys = specs(planner).iter().map(|spec| spec.key);
    is_list(planner, last) && !is_option(planner, key) && nearest(key, keys).is_none()
}

fn check(id: &str, options: &[(String, String)]) -> Result<(), CliError> {
    if id != IMPORTED {
        return choose(id, options).map(|_| ());
    }
    match options.first() {
        None => Ok(()),
        Some((key, _)) => {
            let message = Message::new("cli.no-options").text("key", key).text("planner", IMPORTED);
            Err(CliError::because(&message))
        }
    }
}

/// Splits planners between commas. A comma in a list, as the value of an option, belongs to it; a
/// command goes on to the end.
fn parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for piece in text.split(',') {
        let goes_on = |last: &&mut String| ends_in_list(last) || last.starts_with(own::COMMAND);
        match parts.last_mut().filter(goes_on) {
            Some(last) => *last += &format!(",{piece}"),
            None => parts.push(piece.trim().to_string()),
        }
    }
    parts
}

/// Whether the last option of a planner is a list.
fn ends_in_list(text: &str) -> bool {
    let (planner, inline) = text.split_once(';').unwrap_or((text, ""));
    let keys = inline.split(';').filter_map(|piece| Some(piece.split_once('=')?.0.trim()));
    let planner = planner.trim();
    keys.rev().find(|key| is_option(planner, key)).is_some_and(|key| is_list(planner, key))
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn commas_separate_planners_and_not_values() {
        assert_eq!(parts("first-fit,best-fit"), ["first-fit", "best-fit"]);
        assert_eq!(parts("beam;k=4,imported , magic"), ["beam;k=4", "imported", "magic"]);
        assert_eq!(
            parts("best-fit;tie=size,executorch-suite;algorithms=greedy,naive;sizes=upper,naive"),
            ["best-fit;tie=size", "executorch-suite;algorithms=greedy,naive;sizes=upper", "naive"]
        );
        assert_eq!(parts("naive,exec:a 'b,c';k=1,2"), ["naive", "exec:a 'b,c';k=1,2"]);
        assert_eq!(
            parts("executorch-banked; banks = fast=100;slow=9999,rest=1"),
            ["executorch-banked; banks = fast=100;slow=9999,rest=1"]
        );
    }
}
