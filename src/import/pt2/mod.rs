//! Programs written by `torch.export.save`: a zip (`.pt2`) of which only the model's JSON is read, or that JSON by itself.
//!
//! Source: pytorch/pytorch `torch/_export/serde/schema.py` (schema 8), and archives written by torch 2.15.0 (schema 8.20).

mod archive;
mod meta;
mod program;
mod sympy;
#[cfg(test)]
mod tests;
mod views;

use super::loose::{Loose, Object};
use super::{Choices, Imported, ask, json_syntax, whole};
use crate::base::Message;
use crate::graph::Fault;

pub use archive::is_zip;

/// Reads an archive.
///
/// # Errors
/// Archives that are broken, too large once unpacked, or hold no exported program.
pub fn read_archive(bytes: &[u8], choices: &Choices) -> Result<Imported, Vec<Fault>> {
    let archive = archive::Archive::open(bytes).map_err(whole)?;
    let names: Vec<String> = archive.models.iter().map(|model| model.name.clone()).collect();
    let (chosen, questions) = ask::model(names, choices).map_err(|fault| vec![fault])?;
    let Some(model) = archive.models.get(chosen) else { return Err(whole(Message::new("fault.not-an-object"))) };
    let json = archive.unpack(model).map_err(whole)?;
    let text = std::str::from_utf8(&json)
        .map_err(|_| whole(Message::new("fault.model-not-text").text("name", &model.name)))?;
    let top: Loose = serde_json::from_str(text).map_err(|error| whole(json_syntax(text, &error)))?;
    let Loose::Object(top) = top else { return Err(whole(Message::new("fault.not-an-object"))) };
    let mut read = program::read(&top, archive.title(model), choices)?;
    if !questions.is_empty() {
        let count = archive.models.len() as u64;
        read.facts.push(Message::new("fact.model").text("name", &model.name).count("count", count));
    }
    read.questions.extend(questions);
    Ok(read)
}

/// Whether an object is the JSON of a model.
pub fn looks_like(top: &Object) -> bool {
    top.get("graph_module").is_some()
}

/// Reads the JSON of a model without its archive.
///
/// # Errors
/// As [`read_archive`].
pub fn read_json(top: &Object, choices: &Choices) -> Result<Imported, Vec<Fault>> {
    program::read(top, "", choices)
}
