//! `memplan html`: a plan as one HTML file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use memplan_core::base::Message;
use memplan_core::base::fragment::escape;
use memplan_core::problem::Scope;
use memplan_core::text::Locale;
use memplan_engine::api::{self, within};
use memplan_engine::{IMPORTED, PlannerChoice, file_stem, first_planner, write_reading, write_scope};
use memplan_formats::import::{Document, Imported};
use memplan_planners::{applicable, find, registered};
use memplan_replay::{Level, Run};
use memplan_teach::lesson::example_file;

use super::built_in::{self, example_of};
use super::error::{CliError, remark};
use super::input::{InputArgs, bytes_of, one_standard_input};
use super::light::{self, Light};
use super::one_file::{Inside, one_file};
use super::output::{OutputArgs, write};
use super::page::PageFiles;
use super::plan::{not_applicable, planning, setting};
use super::planners;
use super::scope::ScopeArgs;

/// Most bytes that a file with the page should have: it is sent and attached.
const MOST: usize = 5_000_000;

/// Write one HTML file with the page and the plan inside, which opens by a double click and asks
/// for nothing
#[derive(Args)]
pub struct HtmlCommand {
    #[command(flatten)]
    input: InputArgs,

    /// Planner to begin with: an id of `memplan list`, with options as in beam;k=4, or `imported`
    /// for the file's own plan; that of the file if it has one, else the one that the page would
    /// choose
    #[arg(long, value_name = "ID")]
    planner: Vec<String>,

    /// Value of an option of the planner, such as tie=size (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting, requires = "planner")]
    settings: Vec<(String, String)>,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Number of the frame to begin with, counted in decisions
    #[arg(long, value_name = "K")]
    frame: Option<u32>,

    /// An older version of the file: begin with what made the peak rise or fall since
    #[arg(long, value_name = "OLD", conflicts_with_all = ["frame", "light"])]
    diff: Option<PathBuf>,

    /// Pictures and sentences without the page: at most 300 kB, readable without scripts
    #[arg(long)]
    light: bool,

    /// Language; that of the reader's browser if absent, English with --light
    #[arg(long, value_enum)]
    lang: Option<LangArg>,

    /// Folder with the built page, in place of the page inside this program
    #[arg(long, value_name = "FOLDER", conflicts_with = "light")]
    page: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum LangArg {
    En,
    Zh,
}

impl LangArg {
    fn locale(self) -> Locale {
        match self {
            LangArg::En => Locale::En,
            LangArg::Zh => Locale::Zh,
        }
    }
}

impl HtmlCommand {
    pub fn run(self) -> Result<(), CliError> {
        let inputs = || std::iter::once(self.input.path.as_path()).chain(self.diff.as_deref());
        self.output.spares(inputs())?;
        self.output.spares_terminal("html.terminal")?;
        one_standard_input(inputs())?;
        let asked = if self.planner.is_empty() { None } else { Some(planners::one(&self.planner, &self.settings)?) };
        if let Some(own) = asked.iter().find(|choice| !self.light && registered::find(&choice.planner).is_some()) {
            return Err(CliError::because(&Message::new("cli.own-html").text("planner", &own.planner)));
        }
        // Whoever cannot write the file need not wait for the plan.
        let page = if self.light { None } else { Some(PageFiles::find(self.page.as_deref())?) };
        let read = self.input.read(self.scope.symbols())?;
        let choice = asked.clone().unwrap_or_else(|| usual(&read));
        let scope = self.scope.scope_for(&choice.planner, read.format, &read.document);
        self.scope.tell(&read.document)?;
        self.scope.tell_copies(&scope, &choice.planner, &read.document);
        let text = match page {
            None => self.light(&read, &choice, &scope)?,
            Some(page) => one_file(&page, self.inside(read, asked.as_ref(), &choice, &scope)?)?,
        };
        if text.len() > MOST && !self.light {
            let key = if self.diff.is_some() { "html.large-diff" } else { "html.large" };
            remark(&Message::new(key).count("size", text.len() as u64 / 1000).count("limit", MOST as u64 / 1000));
        }
        write(self.output.path(), &text)
    }

    fn replay(&self, read: &Imported, choice: &PlannerChoice, scope: &Scope) -> Result<Run, CliError> {
        let _progress = planning(choice);
        let run = api::replay(&read.document, &choice.planner, &choice.options, scope)?.0;
        self.frame.map_or(Ok(()), |frame| within(&run, Level::Decisions, frame))?;
        Ok(run)
    }

    fn light(&self, read: &Imported, choice: &PlannerChoice, scope: &Scope) -> Result<String, CliError> {
        let run = self.replay(read, choice, scope)?;
        let locale = self.lang.map_or(Locale::En, LangArg::locale);
        let command =
            format!("memplan html {} --planner {} --light", quoted(&name_of(&self.input.path)), quoted(&choice.text()));
        let (text, left_out) = light::light(&Light { run: &run, frame: self.frame, locale, command });
        if left_out > 0 {
            remark(&Message::new("html.left-out").count("n", u64::from(left_out)));
        }
        Ok(text)
    }

    /// What is put into the page. Whether the planner takes the document is found out here rather
    /// than by whoever opens the file; a search may be long, and is left to the page.
    fn inside(
        &self,
        read: Imported,
        asked: Option<&PlannerChoice>,
        choice: &PlannerChoice,
        scope: &Scope,
    ) -> Result<Inside, CliError> {
        if self.frame.is_some() {
            self.replay(&read, choice, scope)?;
        } else {
            self.applies(&read, choice)?;
        }
        let title = format!("{} · {}", read.document.name(), choice.text());
        let name = free_name(&self.input.path, &read.document, &[]);
        let mut documents = vec![(place(&name), self.kept(&self.input.path, read)?)];
        let mut link = Vec::new();
        let planned = |choice: &PlannerChoice| format!("plan={}", escape(&choice.planner));
        if let Some(old) = &self.diff {
            let before = self.input.read_one_of_several(old, &old.display().to_string(), self.scope.symbols())?;
            let old_name = free_name(old, &before.document, &[&name]);
            documents.push((place(&old_name), self.kept(old, before)?));
            link.push(format!("mode=diff&old={}&new={}", example(&old_name), example(&name)));
            link.extend(asked.map(|choice| format!("plan={}", escape(&choice.text()))));
        } else {
            link.push(format!("doc={}", example(&name)));
            link.extend(asked.map(planned));
            let options: Vec<String> =
                choice.options.iter().map(|(key, value)| escape(&format!("{key}:{value}"))).collect();
            link.extend((!options.is_empty()).then(|| format!("opt={}", options.join(","))));
        }
        let with = write_scope(scope);
        link.extend((!with.is_empty()).then(|| format!("with={}", escape(&with))));
        link.extend(self.frame.map(|frame| format!("f={frame}")));
        link.extend(self.lang.map(|lang| format!("lang={}", lang.locale().name())));
        Ok(Inside { title, link: link.join("&"), documents })
    }

    /// Refuses a planner that the document has nothing for.
    fn applies(&self, read: &Imported, choice: &PlannerChoice) -> Result<(), CliError> {
        self.scope.check(&read.document)?;
        if choice.planner == IMPORTED {
            api::plan(&read.document, IMPORTED, &choice.options, &self.scope.scope())?;
        } else if let Some(planner) = find(&choice.planner) {
            applicable(planner.info(), read.document.graph().is_some()).map_err(|why| not_applicable(planner, why))?;
        }
        Ok(())
    }

    /// A document as the page opens it: the file itself, or what was read of a file of another
    /// tool, without weights.
    fn kept(&self, path: &Path, read: Imported) -> Result<Vec<u8>, CliError> {
        if self.input.asks_nothing() && read.format.is_own() {
            return Ok(bytes_of(path)?.into_owned());
        }
        Ok(write_reading(read))
    }
}

/// The planner of a document for which none is named.
fn usual(read: &Imported) -> PlannerChoice {
    let has_plan = read.document.own_plan().is_some();
    let planner = if has_plan { IMPORTED } else { first_planner(&read.document, Some(read.format)) };
    PlannerChoice { planner: planner.to_string(), options: BTreeMap::new() }
}

/// What a document is called in the page, where it is an example beside those that are there
/// anyway.
fn free_name(path: &Path, document: &Document, taken: &[&String]) -> String {
    if let Some(name) = example_of(path) {
        return name.to_string();
    }
    let stem = file_stem(document.name());
    let stem = if matches!(stem.as_str(), "" | "." | "..") { "document".to_string() } else { stem };
    let is_free = |name: &String| built_in::bytes(name).is_err() && !taken.contains(&name);
    let numbered = (1..).map(|number| format!("{stem}-{number}"));
    std::iter::once(stem.clone()).chain(numbered).find(is_free).unwrap_or(stem)
}

fn example(name: &str) -> String {
    escape(&format!("ex:{name}"))
}

fn place(name: &str) -> String {
    format!("graphs/{}", example_file(name))
}

/// The name of a file without its folders, which are nobody else's business.
fn name_of(path: &Path) -> String {
    if example_of(path).is_some() {
        return path.display().to_string();
    }
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A word of a command as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.:/=+".contains(letter);
    if word.chars().all(is_plain) { word.to_string() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
