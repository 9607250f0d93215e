//! `memplan compare`: files and planners → a table of figures.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use memplan_core::base::Message;
use memplan_core::problem::Scope;
use memplan_core::text::Speech;
use memplan_engine::api;
use memplan_engine::{self as engine, FigureTable, RankingEntry, TableFormat};
use memplan_formats::import::Document;
use serde_json::{Value, json};

use super::error::CliError;
use super::input::{InputArgs, file_name, one_standard_input};
use super::output::{OutputArgs, record_text, write};
use super::planners::PlannersArg;
use super::progress::Progress;
use super::scope::ScopeArgs;

/// Compare planners: peak, waste, fragmentation, reuse and plan time of each
#[derive(Args)]
pub struct CompareCommand {
    #[command(flatten)]
    input: InputArgs,

    /// More files of the same kind
    #[arg(value_name = "INPUT")]
    more: Vec<PathBuf>,

    #[command(flatten)]
    planners: PlannersArg,

    #[command(flatten)]
    scope: ScopeArgs,

    /// How the table is written; sizes are in bytes in csv and json
    #[arg(long, value_enum, default_value_t = FormArg::Table)]
    format: FormArg,

    /// Print an object with the rows of --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// All columns of the table, however wide it becomes; by default those that fit 80 letters
    #[arg(long)]
    wide: bool,

    /// How many planners run at the same time: as many as there are cores if absent, at most 4
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,

    #[command(flatten)]
    output: OutputArgs,
}

/// Most planners that run at the same time by default: each keeps a plan with its events.
const MOST_THREADS: usize = 4;

#[derive(Clone, Copy, ValueEnum)]
enum FormArg {
    Table,
    Csv,
    Markdown,
    Json,
    /// Planners × graphs as Markdown: peak over lower bound
    Matrix,
}

/// Returns a clock of milliseconds.
pub fn clock() -> impl Fn() -> f64 {
    let start = Instant::now();
    move || start.elapsed().as_secs_f64() * 1000.0
}

/// Returns how many planners run at the same time unless the user chose.
pub fn usual_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
}

/// Makes the names of graphs unique: those that occur twice become the names of their files, then
/// paths, then get a number.
fn tell_apart<'a>(found: &mut [(String, Vec<RankingEntry>)], paths: impl Iterator<Item = &'a Path> + Clone) {
    let names: [fn(&Path) -> String; 2] = [file_name, |path| path.display().to_string()];
    for name in names {
        let all: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
        for ((graph, _), path) in found.iter_mut().zip(paths.clone()) {
            if all.iter().filter(|other| *other == graph).count() > 1 {
                *graph = name(path);
            }
        }
    }
    let mut seen = BTreeSet::new();
    for (graph, _) in found {
        let plain = graph.clone();
        for number in 2.. {
            if seen.insert(graph.clone()) {
                break;
            }
            *graph = format!("{plain} ({number})");
        }
    }
}

impl CompareCommand {
    pub fn run(self) -> Result<(), CliError> {
        let paths: Vec<&Path> = std::iter::once(&self.input.path).chain(&self.more).map(PathBuf::as_path).collect();
        self.output.spares(paths.iter().copied())?;
        one_standard_input(paths.iter().copied())?;
        let choices = self.planners.read()?;
        let threads = self.threads.map_or_else(usual_threads, usize::from);
        // Fewer planners than threads are measured on several files at the same time.
        let at_once = if choices.is_empty() { 1 } else { threads.div_ceil(choices.len()) };
        let mut met = BTreeSet::new();
        let mut found: Vec<(String, Vec<RankingEntry>)> = Vec::new();
        for files in paths.chunks(at_once) {
            let mut names = Vec::new();
            let mut documents = Vec::new();
            for path in files {
                let (name, document, scope) = self.read(path, &mut met)?;
                names.push(name);
                documents.push((document, scope));
            }
            let path = files[0].display().to_string();
            let label = Message::new("cli.progress-file").text("path", path).count("k", found.len() as u64 + 1);
            let progress = Progress::start(&label.count("n", paths.len() as u64));
            let entries = engine::rankings(&documents, &choices, threads, &clock(), &mut &progress);
            found.extend(names.into_iter().zip(entries));
        }
        self.scope.symbols_are_among(&met)?;
        tell_apart(&mut found, paths.iter().copied());
        let form = match self.format {
            _ if self.json => TableFormat::Json,
            FormArg::Table if !self.wide => TableFormat::Narrow,
            FormArg::Table => TableFormat::Plain,
            FormArg::Csv => TableFormat::Csv,
            FormArg::Markdown => TableFormat::Markdown,
            FormArg::Json => TableFormat::Json,
            FormArg::Matrix => TableFormat::Matrix,
        };
        let rows = found.iter().flat_map(|(name, entries)| entries.iter().map(move |entry| (name.as_str(), entry)));
        let mut text = FigureTable { rows: rows.collect(), speech: Speech::default() }.write(form);
        if self.json {
            let rows: Value = serde_json::from_str(&text).unwrap_or_default();
            text = record_text("compare/1", json!({ "rows": rows }));
        }
        write(self.output.path(), &text)?;
        // One row without a plan is a result, and no row with one is a failure, as elsewhere.
        let mut none = found.iter().map(|(_, entries)| engine::refused_by_all(entries));
        match none.next().flatten().filter(|_| none.all(|why| why.is_some())) {
            Some(why) => Err(CliError::of_reason(why)),
            None => Ok(()),
        }
    }

    /// Returns the name of what a file describes, the document, and what of it is planned. The
    /// symbols of its graph are added to those that were met.
    fn read(&self, path: &Path, met: &mut BTreeSet<String>) -> Result<(String, Document, Scope), CliError> {
        let is_alone = self.more.is_empty();
        let shown = path.display().to_string();
        let read = if is_alone {
            self.input.read(self.scope.symbols())?
        } else {
            self.input.read_one_of_several(path, &shown, self.scope.symbols())?
        };
        met.extend(read.document.graph().iter().flat_map(|graph| graph.symbols.keys().cloned()));
        if is_alone {
            self.scope.symbols_are_among(met)?;
        }
        let file = if is_alone { String::new() } else { format!("{shown}: ") };
        self.scope.tell_one_of_several(&read.document, &file);
        // A value is for those of the files whose graph has the symbol.
        let scope = self.scope.scope().for_one_of_many(read.document.graph());
        let problem = api::problem(&read.document, &scope).map_err(CliError::from);
        let (problem, _) = problem.map_err(|error| if is_alone { error } else { error.of_file(&shown) })?;
        Ok((problem.name, read.document, scope))
    }
}
