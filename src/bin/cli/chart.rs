//! `memplan chart`: figures of plans as a picture.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use memplan::base::{Message, Unit};
use memplan::engine::{self, Choice, Column, Counted, Deaf, Desk, Entry, Field, Measure, Measured, Source, Task, Vary};
use memplan::paint::{Theme, chart_svg};
use memplan::plan::Plan;
use memplan::problem::Problem;
use memplan::scene::Chart as Picture;
use memplan::text::{Locale, Speech};

use super::compare::{ChoiceArgs, clock};
use super::failure::Failure;
use super::input::Input;
use super::output::write;
use super::scope::ScopeArgs;
use super::svg::size;

/// Draw figures of plans as SVG
#[derive(Args)]
pub struct Chart {
    #[command(flatten)]
    input: Input,

    /// What is drawn
    #[arg(long, value_enum, default_value_t = Kind::Memory)]
    kind: Kind,

    #[command(flatten)]
    choices: ChoiceArgs,

    /// What a sweep varies: align, an option of the planner, or @ and a symbol
    #[arg(long, value_name = "VALUE", default_value = "align")]
    vary: String,

    /// The figure that a sweep shows: a column of `memplan compare --format csv`
    #[arg(long, value_name = "FIGURE", default_value = "peak")]
    figure: String,

    #[command(flatten)]
    scope: ScopeArgs,

    /// Width and height in pixels
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "900x480")]
    size: (f64, f64),

    /// Colours for a dark background
    #[arg(long)]
    dark: bool,

    /// Words in Chinese
    #[arg(long)]
    zh: bool,

    /// File to write; standard output if absent
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Memory over time of each plan
    Memory,
    /// Peaks beside the lower bound
    Peaks,
    /// How many buffers there are of each size
    Sizes,
    /// How many buffers there are of each length of life
    Lifetimes,
    /// One value varied, for the first planner
    Sweep,
    /// Plan time against the number of buffers
    Growth,
}

impl Chart {
    pub fn run(self) -> Result<(), Failure> {
        let choices = self.choices.read()?;
        let document = self.input.read()?.document;
        let graph = self.scope.check(&document)?;
        let all = engine::ranked(document.graph().is_some(), document.own_plan().is_some());
        let first = all.first().cloned().unwrap_or_default();
        let choices = if choices.is_empty() && self.kind != Kind::Peaks { vec![first] } else { choices };
        let mut desk = Desk::holding(document);
        let chart = self.draw(&mut desk, &graph, choices)?;
        let theme = if self.dark { Theme::Dark } else { Theme::Light };
        let svg = chart_svg(&chart, self.size, theme)
            .map_err(|reason| Failure::because(&Message::new("cli.cannot-draw").text("reason", reason)))?;
        write(self.output.as_deref(), &svg)
    }

    fn draw(&self, desk: &mut Desk, graph: &str, choices: Vec<Choice>) -> Result<Picture, Failure> {
        let locale = if self.zh { Locale::Zh } else { Locale::En };
        let speech = |largest: u64| Speech { locale, unit: Unit::for_largest(largest) };
        Ok(match self.kind {
            Kind::Memory | Kind::Sizes | Kind::Lifetimes => {
                let columns = self.columns(desk, choices)?;
                let bound = columns.iter().map(|column| column.bound).max().unwrap_or(0);
                let largest = columns.iter().map(|column| column.plan.peak(&column.problem)).max().unwrap_or(0);
                let speech = speech(largest.max(bound));
                let first = columns.first().map(|column| &column.problem);
                match (self.kind, first) {
                    (Kind::Sizes, Some(problem)) => engine::histogram(problem, Counted::Sizes, speech),
                    (Kind::Lifetimes, Some(problem)) => engine::histogram(problem, Counted::Lifetimes, speech),
                    _ => {
                        let of =
                            |column: &Drawn| (column.choice.words(speech), column.problem.clone(), column.plan.clone());
                        let owned: Vec<(String, Problem, Plan)> = columns.iter().map(of).collect();
                        let plans: Vec<_> =
                            owned.iter().map(|(name, problem, plan)| (name.clone(), problem, plan)).collect();
                        engine::curves(graph, &plans, bound, speech)
                    }
                }
            }
            Kind::Peaks => {
                let Some(Measured::Ranking(entries)) = self.measured(desk, Task::Ranking(choices)) else {
                    return Ok(Picture::default());
                };
                // Where no planner has a plan there is nothing to draw.
                if let Some(why) = engine::refused_by_all(&entries) {
                    return Err(Failure::because(why));
                }
                let metrics = |entry: &Entry| {
                    let figures = &entry.result.as_ref().ok()?.figures;
                    (figures.broken == 0).then(|| figures.metrics.clone())
                };
                let bound = entries.iter().filter_map(metrics).map(|found| found.lower_bound).max().unwrap_or(0);
                let largest = entries.iter().filter_map(metrics).map(|found| found.peak).max().unwrap_or(0);
                let speech = speech(largest.max(bound));
                let peak = |entry: &Entry| Some((entry.choice.words(speech), metrics(entry)?.peak));
                let found: Vec<(String, u64)> = entries.iter().filter_map(peak).collect();
                engine::peaks(graph, &found, bound, speech)
            }
            Kind::Sweep => {
                let vary = Vary::read(&self.vary);
                let choice = choices.into_iter().next().unwrap_or_default();
                let field = Field::named(&self.figure).ok_or_else(|| {
                    let known: Vec<&str> = engine::FIELDS.iter().map(|field| field.key).collect();
                    let message = Message::new("cli.no-such-figure").text("id", &self.figure);
                    Failure::because(&message.text("known", known.join(", ")))
                })?;
                let task = Task::Sweep(choice.clone(), vary.clone());
                let found = match self.measured(desk, task) {
                    Some(Measured::Sweep(found)) if !found.is_empty() => found,
                    _ => return Err(Failure::because(&Message::new("cli.no-sweep").text("value", &self.vary))),
                };
                let peaks = found.iter().filter_map(|(_, found)| Some(found.as_ref().ok()?.figures.metrics.peak));
                engine::sweep_chart(&choice, &vary, &found, field, speech(peaks.max().unwrap_or(0)))
            }
            Kind::Growth => match self.measured(desk, Task::Growth(choices)) {
                Some(Measured::Growth(found)) => engine::growth_chart(&found, speech(0)),
                _ => Picture::default(),
            },
        })
    }

    fn measured(&self, desk: &mut Desk, task: Task) -> Option<Measured> {
        let measure = Measure { source: Source::Keep, scope: self.scope.scope(), task };
        desk.measure(&measure, &clock(), &mut Deaf).ok()
    }

    fn columns(&self, desk: &mut Desk, choices: Vec<Choice>) -> Result<Vec<Drawn>, Failure> {
        let Some(Measured::Columns(columns, _)) = self.measured(desk, Task::Columns(choices)) else {
            return Ok(Vec::new());
        };
        let drawn = |column: Column| {
            let (planned, found) = column.result.map_err(|why| Failure::because(&why))?;
            let bound = found.figures.metrics.lower_bound;
            Ok(Drawn { choice: column.choice, problem: planned.problem, plan: planned.plan, bound })
        };
        columns.into_iter().map(drawn).collect()
    }
}

/// A plan to be drawn.
struct Drawn {
    choice: Choice,
    problem: Problem,
    plan: Plan,
    bound: u64,
}
