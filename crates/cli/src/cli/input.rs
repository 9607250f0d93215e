//! A file → a document.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::Args;
use memplan_core::base::{Message, suggest};
use memplan_core::graph::Dim;
use memplan_engine::stem;
use memplan_formats::import::{self, Answers, Constants, Document, EndRule, Format, Imported, Parameters, Question};

use super::built_in::{self, example_of};
use super::error::{CliError, first_of_a_kind, remark, say};
use super::progress::Progress;
use super::scope::one_value_each;

/// What a document without a name is called if it comes from standard input.
const STDIN_NAME: &str = "stdin";

#[derive(Args)]
pub struct InputArgs {
    /// Graph JSON, plan JSON, buffer CSV or a file of another tool (ONNX, TFLite, .pte, .hlo.pb,
    /// .pt2, TVM, CUDA snapshot, trace), gzip or not; `-` for standard input; or a built-in
    /// example, such as ex:mobilenet_v2
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

/// Reads `NAME=SHAPE`.
pub fn pair(text: &str) -> Result<(String, String), String> {
    // Names may hold an equals sign, shapes do not.
    let split = text.rsplit_once('=').filter(|(name, _)| !name.is_empty());
    split.map(|(name, shape)| (name.to_string(), shape.to_string())).ok_or_else(|| "NAME=SHAPE is needed".to_string())
}

impl InputArgs {
    /// Reads the file with these values of symbols; notes and warnings go to standard error.
    pub fn read(&self, symbols: &[(String, u64)]) -> Result<Imported, CliError> {
        self.read_for(symbols, |_| true)
    }

    /// Reads the file with these values of symbols; notes and warnings go to standard error if
    /// `concerns` is true of their keys.
    pub fn read_for(&self, symbols: &[(String, u64)], concerns: impl Fn(&str) -> bool) -> Result<Imported, CliError> {
        let imported = self.import(&self.path, symbols)?;
        tell(&imported, "", concerns);
        Ok(imported)
    }

    /// Reads one of several files by the same choices; faults, notes and warnings begin with the
    /// words that it is shown by.
    pub fn read_one_of_several(
        &self,
        path: &Path,
        shown: &str,
        symbols: &[(String, u64)],
    ) -> Result<Imported, CliError> {
        let answers = self.choices(Path::new(shown), symbols);
        let imported =
            self.import_with(Path::new(shown), &bytes_of(path)?, answers).map_err(|error| error.of_file(shown))?;
        tell(&imported, &format!("{shown}: "), |_| true);
        Ok(imported)
    }

    /// Reads a file by the same choices, without printing its notes and warnings.
    pub fn read_quietly(&self, path: &Path, symbols: &[(String, u64)]) -> Result<Imported, CliError> {
        self.import(path, symbols)
    }

    /// Reads another of the models in a file.
    pub fn read_model(
        &self,
        path: &Path,
        shown: &str,
        model: &str,
        symbols: &[(String, u64)],
    ) -> Result<Imported, CliError> {
        let answers = Answers { model: model.into(), ..self.choices(Path::new(shown), symbols) };
        self.import_with(Path::new(shown), &bytes_of(path)?, answers).map_err(|error| error.of_file(shown))
    }

    /// Whether the file is read as it is, by no choice of the user besides values of symbols, which
    /// links hold.
    pub fn asks_nothing(&self) -> bool {
        self.choices(&self.path, &[]).are_none()
    }

    /// Whether one of several models in a file was asked for.
    pub fn names_model(&self) -> bool {
        !self.model.is_empty()
    }

    fn import(&self, path: &Path, symbols: &[(String, u64)]) -> Result<Imported, CliError> {
        self.import_with(path, &bytes_of(path)?, self.choices(path, symbols))
    }

    fn import_with(&self, path: &Path, bytes: &[u8], answers: Answers) -> Result<Imported, CliError> {
        one_value_each("--shape", &self.shapes)?;
        let _progress = Progress::start(&Message::new("cli.progress-read").text("path", path.display().to_string()));
        let mut imported = import::read(bytes, answers.clone()).map_err(|faults| CliError::faults(&faults))?;
        if !answers.shapes.is_empty() {
            shapes_have_effect(bytes, &answers, &imported)?;
        }
        let name = example_of(path).map_or_else(|| path.to_path_buf(), built_in::file);
        let name = if is_standard_input(path) { PathBuf::from(STDIN_NAME) } else { name };
        name_by_file(&mut imported.document, &name);
        // Readers of formats with several models refuse other names themselves.
        let has_models = matches!(imported.format, Format::TfLite | Format::ExecuTorch | Format::ExportedProgram);
        if !has_models && !answers.model.is_empty() && answers.model != imported.document.name() {
            let (asked, known) = (&answers.model, imported.document.name());
            let refusal = Message::new("fault.no-such-model").text("name", asked).text("known", known);
            return Err(CliError::because(&suggest(refusal, asked, [known])));
        }
        Ok(imported)
    }

    fn choices(&self, path: &Path, symbols: &[(String, u64)]) -> Answers {
        Answers {
            end: if self.exclusive_end { EndRule::Exclusive } else { EndRule::Format },
            parameters: match self.parameters.as_str() {
                "inputs" => Parameters::Inputs,
                "weights" => Parameters::Weights,
                _ => Parameters::ByName,
            },
            model: self.model.clone(),
            shapes: self.shapes.iter().cloned().collect(),
            symbols: symbols.iter().cloned().collect(),
            constants: if self.constants == "keep" { Constants::Keep } else { Constants::Fold },
            large: true,
            file: path.display().to_string(),
        }
    }
}

/// Prints what the reader found out and assumed, and the models that can be chosen. Lines begin
/// with `file`.
pub fn tell(imported: &Imported, file: &str, concerns: impl Fn(&str) -> bool) {
    let warn = |text: String| remark(&Message::new("cli.warning").text("text", format!("{file}{text}")));
    let warnings = imported.warnings.iter().filter(|warning| concerns(&warning.message.key));
    first_of_a_kind(warnings, "cli.alike").into_iter().for_each(warn);
    let models = imported.questions.iter().filter_map(|question| match question {
        Question::Model(names) => Some(Message::new("cli.models").text("names", names.join(", "))),
        _ => None,
    });
    // The values of symbols are printed once the command knows those that the user gave.
    let facts = imported.facts.iter().filter(|fact| fact.key != "fact.onnx-symbols").cloned();
    for fact in facts.chain(models).filter(|fact| concerns(&fact.key)) {
        remark(&Message::new("cli.fact").text("text", format!("{file}{}", say(&fact))));
    }
}

/// Refuses what was stated for a tensor that the file does not have, or whose shape it states
/// itself.
pub fn shapes_have_effect(bytes: &[u8], answers: &Answers, imported: &Imported) -> Result<(), CliError> {
    let plain = Answers { shapes: BTreeMap::new(), ..answers.clone() };
    let questions = import::read(bytes, plain).map(|read| read.questions).unwrap_or_default();
    let open: Vec<&str> = questions
        .iter()
        .flat_map(|question| match question {
            Question::Shapes(tensors) => &tensors[..],
            _ => &[],
        })
        .map(|tensor| &*tensor.tensor)
        .collect();
    let graph = imported.document.graph();
    let problem = imported.document.buffers();
    let buffers = || problem.iter().flat_map(|problem| problem.buffers.iter().map(|buffer| &*buffer.name));
    let mut reasons = Vec::new();
    for (name, text) in answers.shapes.iter().filter(|(name, _)| !open.contains(&name.as_str())) {
        let tensor = graph.and_then(|graph| graph.tensors.iter().find(|tensor| tensor.name == *name));
        let Some(tensor) = tensor else {
            // The readers of graphs refuse names that these do not have.
            if graph.is_none() {
                reasons.push(say(&suggest(Message::new("cli.no-tensor").text("name", name), name, buffers())));
            }
            continue;
        };
        let of_file: Vec<String> = tensor.shape.iter().map(extent).collect();
        let numbers = |text: &str| -> Vec<String> {
            let parts = text.split(|letter: char| !letter.is_ascii_alphanumeric());
            parts.filter(|part| part.starts_with(|first: char| first.is_ascii_digit())).map(String::from).collect()
        };
        let values = graph.map(|graph| graph.symbol_values(&BTreeMap::new())).unwrap_or_default();
        let of_symbols = tensor.shape.iter().map(|dim| match dim {
            Dim::Fixed(extent) => Some(extent.to_string()),
            Dim::Expr(expression) => expression.value(&values).ok().map(|extent| extent.to_string()),
            Dim::Unknown => None,
        });
        let of_symbols: Option<Vec<String>> = of_symbols.collect();
        // What the file says too needs no answer, and contradicts nothing. The shape of an input
        // may have given its symbols their values.
        if numbers(text) != numbers(&of_file.join(","))
            && of_symbols.is_none_or(|extents| numbers(text) != extents)
            && tensor.bytes.is_none_or(|bytes| !text.contains(&bytes.to_string()))
        {
            let refusal = Message::new("cli.shape-known").text("name", name).text("shape", of_file.join(", "));
            reasons.push(say(&refusal));
        }
    }
    if reasons.is_empty() { Ok(()) } else { Err(CliError::Unusable(reasons)) }
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

fn extent(extent: &Dim) -> String {
    match extent {
        Dim::Fixed(extent) => extent.to_string(),
        Dim::Expr(expression) => expression.source().to_string(),
        Dim::Unknown => "?".into(),
    }
}

/// Whether a path stands for standard input. A file of that name is told apart by `./`.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The bytes of a file, of standard input or of a built-in example.
pub fn bytes_of(path: &Path) -> Result<Cow<'static, [u8]>, CliError> {
    match example_of(path) {
        Some(name) => built_in::bytes(name),
        None => file_bytes(path),
    }
}

/// The bytes of a file or of standard input, which is kept: it can be read only once.
pub fn file_bytes(path: &Path) -> Result<Cow<'static, [u8]>, CliError> {
    static STDIN: OnceLock<Vec<u8>> = OnceLock::new();
    let unreadable = |error: std::io::Error| cannot_read(path, &error.to_string());
    if !is_standard_input(path) {
        return std::fs::read(path).map(Cow::Owned).map_err(unreadable);
    }
    if let Some(bytes) = STDIN.get() {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(Cow::Borrowed(STDIN.get_or_init(|| bytes)))
}

/// Refuses standard input for more than one file.
pub fn one_standard_input<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<(), CliError> {
    let count = paths.into_iter().filter(|path| is_standard_input(path)).count();
    if count > 1 { Err(CliError::because(&Message::new("cli.stdin-twice"))) } else { Ok(()) }
}

pub fn cannot_read(path: &Path, reason: &str) -> CliError {
    let message = Message::new("cli.cannot-read").text("path", path.display().to_string());
    CliError::because(&message.text("reason", reason))
}
