//! `--planner`: which planners run, with their options.

use clap::Args;
use memplan::api::{self, ApiError};
use memplan::base::Message;
use memplan::engine::{IMPORTED, PlannerChoice};
use memplan::planner::{Options, Planner, info};

use super::error::{CliError, say};

/// Several planners.
#[derive(Args)]
pub struct PlannersArg {
    /// Planner to run: an id of `memplan list`, with options as in beam;k=4, or `imported` for the
    /// file's own plan (repeatable, also as a list between commas); all that apply if absent
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
    let choices: Vec<PlannerChoice> =
        texts.iter().flat_map(|text| parts(text)).map(|text| PlannerChoice::read(&text)).collect();
    for choice in &choices {
        exists(choice)?;
    }
    Ok(choices)
}

/// The one planner that a command takes, with options also from `--set`.
pub fn one(texts: &[String], settings: &[(String, String)]) -> Result<PlannerChoice, CliError> {
    let texts: Vec<String> = texts.iter().flat_map(|text| parts(text)).collect();
    let [text] = &texts[..] else {
        return Err(CliError::because(&Message::new("cli.one-planner").text("planners", texts.join(", "))));
    };
    let mut choice = PlannerChoice::read(text);
    let all: Vec<(String, String)> = choice.options.clone().into_iter().chain(settings.iter().cloned()).collect();
    check(&choice.planner, &all)?;
    choice.options = all.into_iter().collect();
    Ok(choice)
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

fn exists(choice: &PlannerChoice) -> Result<(), CliError> {
    check(&choice.planner, &choice.options.clone().into_iter().collect::<Vec<_>>())
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

/// Splits a list between commas. A comma after an option may belong to its value: there, only the
/// id of a planner begins the next one.
fn parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for piece in text.split(',') {
        let id = piece.split(';').next().unwrap_or_default().trim();
        let is_planner = id == IMPORTED || info(id).is_some();
        match parts.last_mut().filter(|last| last.contains(';') && !is_planner) {
            Some(last) => *last += &format!(",{piece}"),
            None => parts.push(piece.trim().to_string()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn commas_separate_planners_and_not_values() {
        assert_eq!(parts("first-fit,best-fit"), ["first-fit", "best-fit"]);
        assert_eq!(parts("beam;k=4,imported , magic"), ["beam;k=4", "imported", "magic"]);
        assert_eq!(
            parts("executorch-suite;algorithms=a,b,best-fit;tie=size"),
            ["executorch-suite;algorithms=a,b", "best-fit;tie=size"]
        );
    }
}
