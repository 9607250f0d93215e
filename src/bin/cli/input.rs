//! A file → a document.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::Args;
use memplan::base::Message;
use memplan::engine::stem;
use memplan::import::{self, Answers, Constants, Document, EndRule, Imported, Parameters};

use super::built_in::{self, example_of};
use super::error::{CliError, line, note, say};

#[derive(Args)]
pub struct InputArgs {
    /// Graph JSON, plan JSON, buffer CSV or a file of another tool (ONNX, TFLite, .pte, .hlo.pb,
    /// .pt2, TVM, CUDA snapshot, trace), gzip or not; or a built-in example, such as
    /// ex:mobilenet_v2
    #[arg(value_name = "INPUT")]
    pub path: PathBuf,

    /// Read the column `end` or `end_time` of a CSV as the first step after a buffer's life
    #[arg(long)]
    exclusive_end: bool,

    /// Shape or size of a tensor that the file leaves open, for example t7=1,64,56,56 or t7="1204
    /// B"; may be repeated
    #[arg(long = "shape", value_name = "NAME=SHAPE", value_parser = pair)]
    shapes: Vec<(String, String)>,

    /// What the arguments of a graph are whose file does not tell inputs from weights
    #[arg(long, value_name = "ROLE", default_value = "by-name", value_parser = ["by-name", "inputs", "weights"])]
    parameters: String,

    /// What becomes of ONNX nodes that compute from weights alone: `fold` makes their results
    /// weights, `keep` makes them steps
    #[arg(long, value_name = "HOW", default_value = "fold", value_parser = ["fold", "keep"])]
    constants: String,

    /// Which of several models in one file; the first unless told otherwise
    #[arg(long, value_name = "NAME", default_value = "")]
    model: String,
}

fn pair(text: &str) -> Result<(String, String), String> {
    // Names may hold an equals sign, shapes do not.
    let split = text.rsplit_once('=').filter(|(name, _)| !name.is_empty());
    split.map(|(name, shape)| (name.to_string(), shape.to_string())).ok_or_else(|| "NAME=SHAPE is needed".to_string())
}

impl InputArgs {
    /// Reads the file; warnings go to standard error.
    pub fn read(&self) -> Result<Imported, CliError> {
        self.read_for(|_| true)
    }

    /// Reads the file; warnings go to standard error if `concerns` is true of their keys.
    pub fn read_for(&self, concerns: impl Fn(&str) -> bool) -> Result<Imported, CliError> {
        let imported = self.import(&self.path, &bytes_of(&self.path)?)?;
        imported.warnings.iter().filter(|warning| concerns(&warning.message.key)).for_each(|warning| {
            warn(line(warning));
        });
        Ok(imported)
    }

    /// Reads one of several files by the same choices; faults and warnings begin with its path.
    pub fn read_one_of_several(&self, path: &Path, shown: &str) -> Result<Imported, CliError> {
        let imported = self.import(Path::new(shown), &bytes_of(path)?).map_err(|error| error.of_file(shown))?;
        imported.warnings.iter().for_each(|warning| warn(format!("{shown}: {}", line(warning))));
        Ok(imported)
    }

    /// Reads a file by the same choices, without printing its warnings.
    pub fn read_quietly(&self, path: &Path) -> Result<Imported, CliError> {
        self.import(path, &bytes_of(path)?)
    }

    fn import(&self, path: &Path, bytes: &[u8]) -> Result<Imported, CliError> {
        let mut imported = import::read(bytes, self.choices(path)).map_err(|faults| CliError::faults(&faults))?;
        let name = example_of(path).map_or_else(|| path.to_path_buf(), built_in::file);
        name_by_file(&mut imported.document, &name);
        Ok(imported)
    }

    fn choices(&self, path: &Path) -> Answers {
        Answers {
            end: if self.exclusive_end { EndRule::Exclusive } else { EndRule::Format },
            parameters: match self.parameters.as_str() {
                "inputs" => Parameters::Inputs,
                "weights" => Parameters::Weights,
                _ => Parameters::ByName,
            },
            model: self.model.clone(),
            shapes: self.shapes.iter().cloned().collect(),
            constants: if self.constants == "keep" { Constants::Keep } else { Constants::Fold },
            large: true,
            file: path.display().to_string(),
        }
    }
}

/// A document that has no name of its own goes by its file's.
fn name_by_file(document: &mut Document, path: &Path) {
    if document.name().is_empty() {
        document.rename(&file_name(path));
    }
}

/// What a file is called, without its ending.
pub fn file_name(path: &Path) -> String {
    stem(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy()).to_string()
}

/// The bytes of a file or of a built-in example.
fn bytes_of(path: &Path) -> Result<Cow<'static, [u8]>, CliError> {
    match example_of(path) {
        Some(name) => built_in::bytes(name),
        None => std::fs::read(path).map(Cow::Owned).map_err(|error| cannot_read(path, &error.to_string())),
    }
}

fn warn(words: String) {
    note(&say(&Message::new("cli.warning").text("text", words)));
}

fn cannot_read(path: &Path, reason: &str) -> CliError {
    let message = Message::new("cli.cannot-read").text("path", path.display().to_string());
    CliError::because(&message.text("reason", reason))
}
