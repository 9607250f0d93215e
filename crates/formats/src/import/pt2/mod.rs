//! Programs written by `torch.export.save`: a zip (`.pt2`) of which only the model's JSON is read,
//! or that JSON by itself.
//!
//! Source: pytorch/pytorch `torch/_export/serde/schema.py` (schema 8), and archives written by
//! torch 2.15.0 (schema 8.20).

mod archive;
mod meta;
mod nested;
mod program;
mod sympy;
#[cfg(test)]
mod tests;
mod views;

use super::answers::{self, Answers};
use super::content::{self, Content, whole};
use super::document::Parsed;
use super::loose::Loose;
use memplan_core::base::Message;
use memplan_core::graph::Fault;

/// Whether a file is an archive, or the JSON of a model.
pub fn sniff(content: &Content) -> bool {
    archive::is_zip(content.bytes()) || content.object().is_some_and(|top| top.get("graph_module").is_some())
}

/// Reads an archive, or the JSON of a model without one.
///
/// # Errors
/// Archives that are broken, too large once unpacked, or hold no exported program; every fault of
/// the program.
pub fn read(content: Content, answers: &Answers) -> Result<Parsed, Vec<Fault>> {
    if archive::is_zip(content.bytes()) {
        return read_archive(content.bytes(), answers);
    }
    program::read(&content.into_object()?, "", answers)
}

fn read_archive(bytes: &[u8], answers: &Answers) -> Result<Parsed, Vec<Fault>> {
    let archive = archive::Archive::open(bytes).map_err(whole)?;
    let names: Vec<String> = archive.models.iter().map(|model| model.name.clone()).collect();
    let (chosen, questions) = answers::model(names, answers).map_err(|fault| vec![fault])?;
    let Some(model) = archive.models.get(chosen) else { return Err(whole(Message::new("fault.not-an-object"))) };
    let json = archive.unpack(model).map_err(whole)?;
    let text = std::str::from_utf8(&json)
        .map_err(|_| whole(Message::new("fault.model-not-text").text("name", &model.name)))?;
    let Loose::Object(top) = content::parse(text)? else { return Err(whole(Message::new("fault.not-an-object"))) };
    let mut read = program::read(&top, archive.title(model), answers)?;
    if !questions.is_empty() {
        let count = archive.models.len() as u64;
        read.facts.push(Message::new("fact.model").text("name", &model.name).count("count", count));
    }
    read.questions.extend(questions);
    Ok(read)
}
