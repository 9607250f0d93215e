//! `memplan diff`: two versions of a model, or of a folder of models → what made the peaks rise or
//! fall.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use memplan_core::base::Message;
use memplan_core::text::{Locale, Speech};
use memplan_engine::api::{self, DiffSettings};
use memplan_formats::import::{Imported, Question};
use memplan_replay::diff::{Counted, DiffRecord, Limit, ModelRecord, UnreadRecord, report_markdown, report_text};
use memplan_scene::paint::{Theme, chart_svg};

use super::error::{CliError, remark, say};
use super::folders::{self, FilePair, NamedFile, is_beside_dump, is_dump, listed, module_of, no_module};
use super::input::{InputArgs, one_standard_input};
use super::output::{OutputArgs, write};
use super::planners;
use super::progress::Progress;
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
    planner: Vec<String>,

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

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    #[command(flatten)]
    output: OutputArgs,
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

impl DiffCommand {
    pub fn run(self) -> Result<(), CliError> {
        let settings = self.settings()?;
        let (record, is_misread) = self.record(&settings)?;
        let speech = Speech { locale: if self.zh { Locale::Zh } else { Locale::En }, ..Speech::default() };
        let format = if self.json { DiffFormat::Json } else { self.format };
        let unread = (!record.unread.is_empty()).then(|| match record.unread_message() {
            message if is_misread => CliError::Misread(say(&message)),
            message => CliError::because(&message),
        });
        // Of no model at all, there is nothing to report but to programs.
        if record.models.is_empty() && format != DiffFormat::Json {
            return unread.map_or(Ok(()), Err);
        }
        let text = match format {
            DiffFormat::Text => report_text(&record, self.top, speech),
            DiffFormat::Markdown => report_markdown(&record, self.top, &self.links, speech),
            DiffFormat::Json => serde_json::to_string(&record).unwrap_or_default() + "\n",
            DiffFormat::Svg => self.svg(&record, speech)?,
        };
        if let Some(path) = &self.picture {
            write(Some(path), &self.svg(&record, speech)?)?;
        }
        write(self.output.path(), &text)?;
        match unread {
            Some(error) => Err(error),
            None if record.failed => Err(CliError::Regression),
            None => Ok(()),
        }
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
        if !self.planner.is_empty() {
            let choice = planners::one(&self.planner, &[])?;
            settings.planner = Some(choice.planner);
            settings.options = choice.options;
        }
        Ok(settings)
    }

    /// Whether two folders are compared.
    fn is_of_folders(&self) -> bool {
        self.old.path.is_dir()
    }

    /// The files to compare. None of them may be written over.
    fn files(&self) -> Result<Vec<FilePair>, CliError> {
        let (old, new) = (&self.old.path, &self.new);
        one_standard_input([old.as_path(), new.as_path()].into_iter().chain(self.names.as_deref()))?;
        if old.is_dir() != new.is_dir() {
            let message = Message::new("diff.one-folder").text("old", old.display().to_string());
            return Err(CliError::because(&message.text("new", new.display().to_string())));
        }
        let of_folders = [("--names", self.names.is_some()), ("--module", !self.module.is_empty())];
        if let Some((option, _)) = of_folders.iter().find(|(_, is_given)| *is_given && !old.is_dir()) {
            let message = Message::new("diff.of-folders").text("option", *option);
            return Err(CliError::because(&message.text("path", old.display().to_string())));
        }
        let pairs =
            if old.is_dir() { self.pairs()? } else { vec![(Some(NamedFile::of(old)), Some(NamedFile::of(new)))] };
        let inputs = pairs.iter().flat_map(|(old, new)| old.iter().chain(new)).map(|file| file.path.as_path());
        let inputs = inputs.chain(self.names.as_deref());
        self.output.spare_with(&self.picture, inputs)?;
        Ok(pairs)
    }

    /// The answer, and whether a search was refused because a file may be misread.
    fn record(&self, settings: &DiffSettings) -> Result<(DiffRecord, bool), CliError> {
        let pairs = self.files()?;
        let mut work = Work::default();
        for (number, (old, new)) in pairs.iter().enumerate() {
            let name = new.as_ref().or(old.as_ref()).map_or_else(String::new, |file| file.shown.clone());
            let label = Message::new("cli.progress-file").text("path", &name).count("k", number as u64 + 1);
            let _progress = Progress::start(&label.count("n", pairs.len() as u64));
            match self.models(old.as_ref(), new.as_ref(), settings, &mut work) {
                Ok(models) => work.models.extend(models),
                Err(error) if self.is_of_folders() => {
                    work.is_misread |= matches!(error, CliError::Misread(_));
                    work.unread.push(UnreadRecord { file: name, reasons: error.reasons() });
                    error.report();
                }
                Err(error) => return Err(error),
            }
        }
        // Of files that were not read, it is not known which symbols they have.
        if work.unread.is_empty() {
            self.scope.symbols_are_among(&work.symbols)?;
        }
        let planners: Vec<String> = work.planners.into_iter().collect();
        if self.planner.is_empty() && !planners.is_empty() {
            remark(
                &Message::new("cli.fact")
                    .text("text", say(&Message::new("cli.diff-planner").text("ids", planners.join(", ")))),
            );
        }
        let record = DiffRecord::new(work.models, &planners.join(", "), settings.limit.as_deref());
        Ok((DiffRecord { files: pairs.len() as u64, unread: work.unread, ..record }, work.is_misread))
    }

    /// The records of the models in a pair of files: of folders, all models that the files hold.
    fn models(
        &self,
        old: Option<&NamedFile>,
        new: Option<&NamedFile>,
        settings: &DiffSettings,
        work: &mut Work,
    ) -> Result<Vec<ModelRecord>, CliError> {
        let sides = [old, new];
        let mut read: [Option<Imported>; 2] = [None, None];
        for (side, file) in read.iter_mut().zip(sides) {
            let Some(file) = file else { continue };
            let imported = self.old.read_one_of_several(&file.path, &file.shown, self.scope.symbols())?;
            self.scope.tell_one_of_several(&imported.document, &format!("{}: ", file.shown));
            work.symbols.extend(imported.document.graph().iter().flat_map(|graph| graph.symbols.keys().cloned()));
            *side = Some(imported);
        }
        if !self.is_of_folders() {
            self.scope.symbols_are_among(&work.symbols)?;
        }
        let names: [Vec<String>; 2] = [0, 1].map(|side| read[side].as_ref().map_or_else(Vec::new, models_of));
        let is_one = !self.is_of_folders() || self.old.names_model() || names.iter().all(|names| names.len() < 2);
        if is_one {
            let mut model = self.model(sides, [read[0].as_ref(), read[1].as_ref()], settings, work)?;
            self.name(&mut model, sides, None);
            return Ok(vec![model]);
        }
        let mut models = Vec::new();
        for [old_name, new_name] in pairs_of_names(&names) {
            let another = |side: usize, name: &Option<String>| -> Result<Option<Imported>, CliError> {
                let Some((file, name)) = sides[side].zip(name.as_ref()) else { return Ok(None) };
                self.old.read_model(&file.path, &file.shown, name, self.scope.symbols()).map(Some)
            };
            let read = [another(0, &old_name)?, another(1, &new_name)?];
            let here = [old.filter(|_| read[0].is_some()), new.filter(|_| read[1].is_some())];
            let mut model = self.model(here, [read[0].as_ref(), read[1].as_ref()], settings, work)?;
            self.name(&mut model, here, new_name.or(old_name).filter(|name| !name.is_empty()));
            models.push(model);
        }
        Ok(models)
    }

    /// Of several models the one inside may be called `main` in each: they are named by the path of
    /// the file, then by what the file calls them.
    fn name(&self, model: &mut ModelRecord, [old, new]: [Option<&NamedFile>; 2], inside: Option<String>) {
        let Some(file) = new.or(old).filter(|_| self.is_of_folders() && !is_pair_of_dumps(old, new)) else { return };
        model.name = inside.as_ref().map_or_else(|| file.shown.clone(), |name| format!("{}: {name}", file.shown));
        model.path = Some(file.shown.clone());
        model.subgraph = inside;
    }

    fn model(
        &self,
        files: [Option<&NamedFile>; 2],
        read: [Option<&Imported>; 2],
        settings: &DiffSettings,
        work: &mut Work,
    ) -> Result<ModelRecord, CliError> {
        let scope = self.scope.scope();
        let shown = files.map(|file| file.map_or("", |file| &*file.shown));
        match read {
            [Some(before), Some(after)] => {
                let found = api::diff_model((before, after), shown, &scope, settings);
                let of_side = |(place, refusal): (usize, _)| CliError::from(refusal).of_file(shown[place]);
                let (model, planner) = found.map_err(of_side)?;
                work.planners.insert(planner);
                Ok(model)
            }
            [Some(lone), None] => {
                let found = api::lone_model(lone, (shown[0], false), &scope, settings);
                found.map_err(|refusal| CliError::from(refusal).of_file(shown[0]))
            }
            [None, Some(lone)] => {
                let found = api::lone_model(lone, (shown[1], true), &scope, settings);
                found.map_err(|refusal| CliError::from(refusal).of_file(shown[1]))
            }
            [None, None] => Ok(ModelRecord::default()),
        }
    }

    /// Files of two folders with the same path; of XLA dumps, the module with the most buffers.
    fn pairs(&self) -> Result<Vec<FilePair>, CliError> {
        let pairs = folders::pairs([&self.old.path, &self.new], self.names.as_deref())?;
        if pairs.is_empty() {
            let message = Message::new("diff.nothing").text("path", self.new.display().to_string());
            return Err(CliError::because(&message));
        }
        if !pairs.iter().any(|(old, new)| old.iter().chain(new).any(|file| is_dump(&file.shown))) {
            return if self.module.is_empty() { Ok(pairs) } else { Err(no_module(&self.module, &[])) };
        }
        self.modules(pairs).map(|pair| vec![pair])
    }

    /// Of each side, the module with the most buffers, of those that were asked for. The others are
    /// told.
    fn modules(&self, pairs: Vec<FilePair>) -> Result<FilePair, CliError> {
        let (mut dumps, mut others, mut names) = ([Vec::new(), Vec::new()], BTreeSet::new(), BTreeSet::new());
        for (old, new) in pairs {
            for (side, file) in [old, new].into_iter().enumerate() {
                let Some(file) = file else { continue };
                if is_dump(&file.shown) {
                    names.insert(module_of(&file.shown));
                    dumps[side].push(file);
                } else if !is_beside_dump(&file.shown) {
                    others.insert(file.shown);
                }
            }
        }
        let is_wanted = |file: &NamedFile| file.shown.contains(&self.module);
        if !dumps.iter().flatten().any(is_wanted) {
            return Err(no_module(&self.module, &names.into_iter().collect::<Vec<_>>()));
        }
        let mut left = BTreeSet::new();
        let chosen = dumps.map(|files| {
            let count = |file: &NamedFile| {
                let read = self.old.read_quietly(&file.path, self.scope.symbols()).ok();
                read.and_then(|read| Some(read.document.own_plan()?.0.buffers.len())).unwrap_or(0)
            };
            let mut files: Vec<NamedFile> = files.into_iter().filter(|file| is_wanted(file)).collect();
            files.sort_by_cached_key(count);
            let chosen = files.pop();
            left.extend(files.iter().map(|file| module_of(&file.shown)));
            chosen
        });
        for (key, names) in [("diff.modules-left", left), ("diff.files-left", others)] {
            if !names.is_empty() {
                let message = Message::new(key).count("n", names.len() as u64);
                let names = listed(&names.into_iter().collect::<Vec<_>>());
                remark(&Message::new("cli.fact").text("text", say(&message.text("names", names))));
            }
        }
        let [old, new] = chosen;
        Ok((old, new))
    }

    fn svg(&self, record: &DiffRecord, speech: Speech) -> Result<String, CliError> {
        let worst = record.models.iter().filter(|model| model.old.is_some() && model.new.is_some());
        let chart = worst.max_by_key(|model| model.change_bytes).and_then(|model| api::diff_chart(model, speech));
        let cannot = |reason: String| CliError::because(&Message::new("cli.cannot-draw").text("reason", reason));
        chart_svg(&chart.unwrap_or_default(), self.size, Theme::Light).map_err(cannot)
    }
}

/// What is known after some of the files.
#[derive(Default)]
struct Work {
    planners: BTreeSet<String>,
    symbols: BTreeSet<String>,
    models: Vec<ModelRecord>,
    unread: Vec<UnreadRecord>,
    is_misread: bool,
}

/// The names of the models in a file; one empty name if there is one model.
fn models_of(imported: &Imported) -> Vec<String> {
    let names = imported.questions.iter().find_map(|question| match question {
        Question::Model(names) => Some(names.clone()),
        _ => None,
    });
    names.unwrap_or_else(|| vec![String::new()])
}

/// The models of two sides that have the same name, and those that only one side has. A model that
/// is alone in its file stands beside the first one of the other file.
fn pairs_of_names([old, new]: &[Vec<String>; 2]) -> Vec<[Option<String>; 2]> {
    if old.len() == 1 || new.len() == 1 {
        let at = |names: &[String], place: usize| names.get(place).cloned();
        return (0..old.len().max(new.len())).map(|place| [at(old, place), at(new, place)]).collect();
    }
    let in_new = new.iter().map(|name| [old.contains(name).then(|| name.clone()), Some(name.clone())]);
    let gone = old.iter().filter(|name| !new.contains(name)).map(|name| [Some(name.clone()), None]);
    in_new.chain(gone).collect()
}

/// Whether two files were chosen from folders of dumps, where the same module may have another
/// number.
fn is_pair_of_dumps(old: Option<&NamedFile>, new: Option<&NamedFile>) -> bool {
    old.zip(new).is_some_and(|(old, new)| is_dump(&old.shown) && is_dump(&new.shown))
}

fn link(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(words, address)| (words.to_string(), address.to_string()));
    let pair = pair.filter(|(_, address)| address.starts_with("https://") || address.starts_with("http://"));
    pair.ok_or_else(|| "words, `=` and an address that begins with http are needed".to_string())
}
