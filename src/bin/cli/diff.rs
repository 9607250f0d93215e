//! `memplan diff`: two versions of a model, or of a folder of models → what made the peaks rise or
//! fall.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use memplan::api::{self, DiffSettings};
use memplan::base::Message;
use memplan::diff::{Counted, DiffRecord, Limit, ModelRecord, report_markdown, report_text};
use memplan::engine::IMPORTED;
use memplan::import::Imported;
use memplan::paint::{Theme, chart_svg};
use memplan::text::{Locale, Speech};

use super::error::CliError;
use super::input::InputArgs;
use super::output::write;
use super::plan::choose;
use super::scope::ScopeArgs;
use super::svg::size;

/// Compare two versions of a model, or of a folder of models: what made the peak rise or fall
#[derive(Args)]
pub struct DiffCommand {
    #[command(flatten)]
    old: InputArgs,

    /// The new version: a file, or a folder if INPUT is one
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// Planner of both sides: an id of `memplan list`, with options as in beam;k=4, or imported for
    /// the plans in the files; that of the files if both have one, else the one that the page would
    /// choose
    #[arg(long, value_name = "ID")]
    planner: Option<String>,

    /// What does not count
    #[arg(long, value_name = "WHAT", value_parser = ["weights"])]
    without: Option<String>,

    /// Exit with code 1 if a peak rose by more than this, such as 3% or 64KiB
    #[arg(long, value_name = "LIMIT")]
    fail_above: Option<String>,

    /// Most rows of each model in text and Markdown
    #[arg(long, value_name = "N", default_value = "10")]
    top: usize,

    /// Paths that the report names the files of two folders by: name and path of each, both ended
    /// by a NUL
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,

    /// Of a folder of XLA dumps, the module whose name contains this
    #[arg(long, value_name = "NAME", default_value = "")]
    module: String,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Form of the answer
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: DiffFormat,

    /// File for a picture of both load curves, as SVG
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,

    /// Words and address of a link at the foot of the Markdown, such as "both plans=https://…"
    /// (repeatable)
    #[arg(long = "link", value_name = "WORDS=URL", value_parser = link)]
    links: Vec<(String, String)>,

    /// Width and height of the picture in pixels
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "900x360")]
    size: (f64, f64),

    /// Words in Chinese
    #[arg(long)]
    zh: bool,

    /// File to write; standard output if absent
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// A line for each difference
    Text,
    /// A comment on a pull request
    Markdown,
    /// diff/1 for programs
    Json,
    /// Both load curves of the model whose peak rose most
    Svg,
}

/// A file with the words that name it.
struct NamedFile {
    path: PathBuf,
    shown: String,
}

impl NamedFile {
    fn of(path: &Path) -> NamedFile {
        NamedFile { path: path.to_path_buf(), shown: path.display().to_string() }
    }
}

/// The old and the new file of a model; none on a side that lacks it.
type FilePair = (Option<NamedFile>, Option<NamedFile>);

/// Files of a folder by the words that name them.
type Files = BTreeMap<String, PathBuf>;

/// What the files of XLA dumps that hold buffers end in.
const DUMP: &str = "_after_optimizations.hlo.pb";

impl DiffCommand {
    pub fn run(self) -> Result<(), CliError> {
        let settings = self.settings()?;
        let record = self.record(&settings)?;
        let speech = Speech { locale: if self.zh { Locale::Zh } else { Locale::En }, ..Speech::default() };
        let text = match self.format {
            DiffFormat::Text => report_text(&record, self.top, speech),
            DiffFormat::Markdown => report_markdown(&record, self.top, &self.links, speech),
            DiffFormat::Json => serde_json::to_string(&record).unwrap_or_default() + "\n",
            DiffFormat::Svg => self.svg(&record, speech)?,
        };
        if let Some(path) = &self.picture {
            write(Some(path), &self.svg(&record, speech)?)?;
        }
        write(self.output.as_deref(), &text)?;
        if record.failed { Err(CliError::Regression) } else { Ok(()) }
    }

    fn settings(&self) -> Result<DiffSettings, CliError> {
        let limit = self.fail_above.clone();
        if let Some(text) = limit.as_ref().filter(|text| Limit::parse(text).is_none()) {
            return Err(CliError::because(&Message::new("diff.no-size").text("text", text)));
        }
        let mut settings = DiffSettings {
            counted: Counted { without_weights: self.without.is_some() },
            limit,
            ..DiffSettings::default()
        };
        if let Some(asked) = &self.planner {
            let choice = memplan::engine::PlannerChoice::read(asked);
            if choice.planner != IMPORTED {
                let options: Vec<(String, String)> = choice.options.clone().into_iter().collect();
                choose(&choice.planner, &options)?;
            }
            settings.planner = Some(choice.planner);
            settings.options = choice.options;
        }
        Ok(settings)
    }

    fn record(&self, settings: &DiffSettings) -> Result<DiffRecord, CliError> {
        let (old, new) = (&self.old.path, &self.new);
        if old.is_dir() != new.is_dir() {
            let message = Message::new("diff.one-folder").text("old", old.display().to_string());
            return Err(CliError::because(&message.text("new", new.display().to_string())));
        }
        let mut planners = BTreeSet::new();
        let mut models = Vec::new();
        let pairs =
            if old.is_dir() { self.pairs()? } else { vec![(Some(NamedFile::of(old)), Some(NamedFile::of(new)))] };
        for (old, new) in &pairs {
            let mut model = self.model(old.as_ref(), new.as_ref(), settings, &mut planners)?;
            // Of several models the one inside may be called `main` in each.
            let file = old.as_ref().or(new.as_ref()).filter(|_| self.old.path.is_dir());
            if let Some(file) = file.filter(|_| !is_pair_of_dumps(old.as_ref(), new.as_ref())) {
                model.name.clone_from(&file.shown);
            }
            models.push(model);
        }
        let planners: Vec<String> = planners.into_iter().collect();
        Ok(DiffRecord::new(models, &planners.join(", "), settings.limit.as_deref()))
    }

    fn model(
        &self,
        old: Option<&NamedFile>,
        new: Option<&NamedFile>,
        settings: &DiffSettings,
        planners: &mut BTreeSet<String>,
    ) -> Result<ModelRecord, CliError> {
        let read = |file: &NamedFile| self.old.read_one_of_several(&file.path, &file.shown);
        let scope = self.scope.scope();
        match (old, new) {
            (Some(old), Some(new)) => {
                let (before, after) = (read(old)?, read(new)?);
                self.symbols_are_known(&[&before, &after])?;
                let files = [&*old.shown, &*new.shown];
                let found = api::diff_model((&before, &after), files, &scope, settings);
                let of_side = |(place, refusal)| CliError::from(refusal).of_file(files[place]);
                let (model, planner) = found.map_err(of_side)?;
                planners.insert(planner);
                Ok(model)
            }
            (Some(file), None) | (None, Some(file)) => {
                let found = api::lone_model(&read(file)?, (&file.shown, old.is_none()), &scope, settings);
                found.map_err(|refusal| CliError::from(refusal).of_file(&file.shown))
            }
            (None, None) => Ok(ModelRecord::default()),
        }
    }

    fn symbols_are_known(&self, sides: &[&Imported]) -> Result<(), CliError> {
        let graphs = sides.iter().filter_map(|side| side.document.graph());
        self.scope.symbols_are_among(&graphs.flat_map(|graph| graph.symbols.keys().cloned()).collect())
    }

    /// Files of two folders with the same name; of XLA dumps, the module with the most buffers.
    fn pairs(&self) -> Result<Vec<FilePair>, CliError> {
        let names = self.names.as_deref().map_or_else(|| Ok(Vec::new()), pairs_in)?;
        let (old, new) = (files_of(&self.old.path, &names)?, files_of(&self.new, &names)?);
        let named = |(shown, path): (&String, &PathBuf)| NamedFile { path: path.clone(), shown: shown.clone() };
        let is_wanted = |name: &String| is_dump(name) && name.contains(&self.module);
        if old.keys().chain(new.keys()).any(is_wanted) {
            let largest = |files: &Files| {
                let count = |file: &NamedFile| {
                    let read = self.old.read_quietly(&file.path).ok();
                    read.and_then(|read| Some(read.document.own_plan()?.0.buffers.len())).unwrap_or(0)
                };
                files.iter().filter(|(name, _)| is_wanted(name)).map(named).max_by_key(count)
            };
            return Ok(vec![(largest(&old), largest(&new))]);
        }
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let file = |files: &Files, name: &String| files.get_key_value(name).map(named);
        let pairs: Vec<_> = names.into_iter().map(|name| (file(&old, name), file(&new, name))).collect();
        if pairs.is_empty() {
            let message = Message::new("diff.nothing").text("path", self.new.display().to_string());
            return Err(CliError::because(&message));
        }
        Ok(pairs)
    }

    fn svg(&self, record: &DiffRecord, speech: Speech) -> Result<String, CliError> {
        let worst = record.models.iter().filter(|model| model.old.is_some() && model.new.is_some());
        let chart = worst.max_by_key(|model| model.change_bytes).and_then(|model| api::diff_chart(model, speech));
        let cannot = |reason: String| CliError::because(&Message::new("cli.cannot-draw").text("reason", reason));
        chart_svg(&chart.unwrap_or_default(), self.size, Theme::Light).map_err(cannot)
    }
}

/// Returns whether a name is that of an XLA dump with buffers.
fn is_dump(name: &str) -> bool {
    name.trim_end_matches(".gz").ends_with(DUMP)
}

/// Returns whether two files were chosen from folders of dumps, where the same module may have
/// another number.
fn is_pair_of_dumps(old: Option<&NamedFile>, new: Option<&NamedFile>) -> bool {
    old.zip(new).is_some_and(|(old, new)| is_dump(&old.shown) && is_dump(&new.shown))
}

fn unreadable(path: &Path) -> impl Fn(std::io::Error) -> CliError {
    move |error| {
        let message = Message::new("cli.cannot-read").text("path", path.display().to_string());
        CliError::because(&message.text("reason", error.to_string()))
    }
}

/// Returns the pairs of name and path in the file of `--names`.
fn pairs_in(file: &Path) -> Result<Vec<(String, String)>, CliError> {
    let bytes = std::fs::read(file).map_err(unreadable(file))?;
    let texts: Vec<String> = bytes.split(|&byte| byte == 0).map(|text| String::from_utf8_lossy(text).into()).collect();
    Ok(texts.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
}

/// Returns the files directly in a folder, without hidden ones, by their names, or by the paths
/// that `names` has for them.
fn files_of(folder: &Path, names: &[(String, String)]) -> Result<Files, CliError> {
    let paths: BTreeMap<&String, &String> = names.iter().map(|(name, path)| (name, path)).collect();
    let mut files = Files::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable(folder))? {
        let entry = entry.map_err(unreadable(folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_file() && !name.starts_with('.') {
            let shown = paths.get(&name).map_or_else(|| name.clone(), |path| path.to_string());
            files.insert(shown, entry.path());
        }
    }
    Ok(files)
}

fn link(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(words, address)| (words.to_string(), address.to_string()));
    let pair = pair.filter(|(_, address)| address.starts_with("https://") || address.starts_with("http://"));
    pair.ok_or_else(|| "words, `=` and an address that begins with http are needed".to_string())
}
