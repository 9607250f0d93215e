//! `memplan diff`: two versions of a model, or of a folder of models → what made the peaks rise or
//! fall.

use std::collections::BTreeSet;
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

/// The old and the new file of a model; none on a side that lacks it.
type FilePair = (Option<PathBuf>, Option<PathBuf>);

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
        let pairs = if old.is_dir() { self.pairs()? } else { vec![(Some(old.clone()), Some(new.clone()))] };
        for (old, new) in pairs {
            let model = self.model(old.as_deref(), new.as_deref(), settings, &mut planners)?;
            models.push(model);
        }
        let planners: Vec<String> = planners.into_iter().collect();
        Ok(DiffRecord::new(models, &planners.join(", "), settings.limit.as_deref()))
    }

    fn model(
        &self,
        old: Option<&Path>,
        new: Option<&Path>,
        settings: &DiffSettings,
        planners: &mut BTreeSet<String>,
    ) -> Result<ModelRecord, CliError> {
        let read = |path: &Path| self.old.read_one_of_several(path);
        let scope = self.scope.scope();
        let shown = |path: &Path| path.display().to_string();
        match (old, new) {
            (Some(old), Some(new)) => {
                let (before, after) = (read(old)?, read(new)?);
                self.symbols_are_known(&[&before, &after])?;
                let files = [shown(old), shown(new)];
                let found = api::diff_model((&before, &after), [&files[0], &files[1]], &scope, settings);
                let of_side = |(place, refusal)| CliError::from(refusal).of_file([old, new][place]);
                let (model, planner) = found.map_err(of_side)?;
                planners.insert(planner);
                Ok(model)
            }
            (Some(path), None) | (None, Some(path)) => {
                let found = api::lone_model(&read(path)?, (&shown(path), old.is_none()), &scope, settings);
                found.map_err(|refusal| CliError::from(refusal).of_file(path))
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
        let (old, new) = (files_of(&self.old.path)?, files_of(&self.new)?);
        let is_dump = |name: &String| name.trim_end_matches(".gz").ends_with(DUMP) && name.contains(&self.module);
        if old.iter().chain(&new).any(is_dump) {
            let largest = |folder: &Path, names: &BTreeSet<String>| {
                let paths = names.iter().filter(|name| is_dump(name)).map(|name| folder.join(name));
                let count = |path: &PathBuf| {
                    let read = self.old.read_quietly(path).ok();
                    read.and_then(|read| Some(read.document.own_plan()?.0.buffers.len())).unwrap_or(0)
                };
                paths.max_by_key(count)
            };
            return Ok(vec![(largest(&self.old.path, &old), largest(&self.new, &new))]);
        }
        let names: BTreeSet<&String> = old.union(&new).collect();
        let path =
            |folder: &Path, names: &BTreeSet<String>, name: &String| names.contains(name).then(|| folder.join(name));
        let pairs: Vec<_> =
            names.into_iter().map(|name| (path(&self.old.path, &old, name), path(&self.new, &new, name))).collect();
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

/// Names of the files directly in a folder.
fn files_of(folder: &Path) -> Result<BTreeSet<String>, CliError> {
    let unreadable = |error: std::io::Error| {
        let message = Message::new("cli.cannot-read").text("path", folder.display().to_string());
        CliError::because(&message.text("reason", error.to_string()))
    };
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_file() && !name.starts_with('.') {
            names.insert(name);
        }
    }
    Ok(names)
}

fn link(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(words, address)| (words.to_string(), address.to_string()));
    let pair = pair.filter(|(_, address)| address.starts_with("https://") || address.starts_with("http://"));
    pair.ok_or_else(|| "words, `=` and an address that begins with http are needed".to_string())
}
