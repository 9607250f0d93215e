//! `memplan chart`: figures of plans as a picture.

use clap::{Args, ValueEnum};
use memplan_core::base::Message;
use memplan_core::plan::{Metrics, Plan};
use memplan_core::problem::Problem;
use memplan_core::text::{Locale, Speech};
use memplan_engine::{
    self as engine, Answer, ChartBound, CompareTask, Comparison, Counted, Engine, Figure, MeasuredColumn,
    PlannerChoice, RankingEntry, Request, Source, Task, Vary,
};
use memplan_scene::Chart;
use memplan_scene::paint::{Theme, chart_svg};

use super::compare::{clock, usual_threads};
use super::error::CliError;
use super::input::InputArgs;
use super::output::{OutputArgs, record_text, write};
use super::planners::PlannersArg;
use super::progress::Progress;
use super::scope::ScopeArgs;
use super::svg::size;

/// Draw figures of plans as SVG
#[derive(Args)]
pub struct ChartCommand {
    #[command(flatten)]
    input: InputArgs,

    /// What is drawn
    #[arg(long, value_enum, default_value_t = ChartKind::Memory)]
    kind: ChartKind,

    #[command(flatten)]
    planners: PlannersArg,

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

    /// Print the values that are drawn as JSON for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ChartKind {
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

impl ChartCommand {
    pub fn run(self) -> Result<(), CliError> {
        self.output.spares([self.input.path.as_path()])?;
        let choices = self.planners.read()?;
        let document = self.input.read(self.scope.symbols())?.document;
        let graph = self.scope.check(&document)?;
        let all = engine::ranked(document.graph().is_some(), document.own_plan().is_some());
        let first = all.first().cloned().unwrap_or_default();
        let choices = if choices.is_empty() && self.kind != ChartKind::Peaks { vec![first] } else { choices };
        let mut engine = Engine::with_document(document).on_threads(usual_threads());
        let chart = self.draw(&mut engine, &graph, choices)?;
        if self.json {
            let record = serde_json::to_value(&chart).unwrap_or_default();
            return write(self.output.path(), &record_text("chart/1", record));
        }
        let theme = if self.dark { Theme::Dark } else { Theme::Light };
        let svg = chart_svg(&chart, self.size, theme)
            .map_err(|reason| CliError::because(&Message::new("cli.cannot-draw").text("reason", reason)))?;
        write(self.output.path(), &svg)
    }

    fn draw(&self, engine: &mut Engine, graph: &str, choices: Vec<PlannerChoice>) -> Result<Chart, CliError> {
        let locale = if self.zh { Locale::Zh } else { Locale::En };
        let speech = Speech { locale, ..Speech::default() };
        Ok(match self.kind {
            ChartKind::Memory | ChartKind::Sizes | ChartKind::Lifetimes => {
                let columns = self.columns(engine, choices)?;
                let bound = ChartBound::of(columns.iter().map(|column| &column.metrics));
                let first = columns.first().map(|column| &column.problem);
                match (self.kind, first) {
                    (ChartKind::Sizes, Some(problem)) => engine::histogram(problem, Counted::Sizes, speech),
                    (ChartKind::Lifetimes, Some(problem)) => engine::histogram(problem, Counted::Lifetimes, speech),
                    _ => {
                        let of = |column: &DrawnPlan| {
                            (column.choice.words(speech), column.problem.clone(), column.plan.clone())
                        };
                        let owned: Vec<(String, Problem, Plan)> = columns.iter().map(of).collect();
                        let plans: Vec<_> =
                            owned.iter().map(|(name, problem, plan)| (name.clone(), problem, plan)).collect();
                        engine::curves(graph, &plans, bound, speech)
                    }
                }
            }
            ChartKind::Peaks => {
                let Some(Comparison::Ranking(entries)) = self.compared(engine, CompareTask::Ranking(choices)) else {
                    return Ok(Chart::default());
                };
                // Where no planner has a plan there is nothing to draw.
                if let Some(why) = engine::refused_by_all(&entries) {
                    return Err(CliError::of_reason(why));
                }
                let bound = ChartBound::of(entries.iter().filter_map(metrics));
                let peak = |entry: &RankingEntry| Some((entry.choice.words(speech), metrics(entry)?.need()));
                let found: Vec<(String, u64)> = entries.iter().filter_map(peak).collect();
                engine::peaks(graph, &found, bound, speech)
            }
            ChartKind::Sweep => {
                let vary = Vary::read(&self.vary);
                let choice = choices.into_iter().next().unwrap_or_default();
                let figure = Figure::named(&self.figure).ok_or_else(|| {
                    let known: Vec<&str> = engine::FIGURES.iter().map(|figure| figure.key).collect();
                    let message = Message::new("cli.no-such-figure").text("id", &self.figure);
                    CliError::because(&message.text("known", known.join(", ")))
                })?;
                let task = CompareTask::Sweep(choice.clone(), vary.clone());
                let found = match self.compared(engine, task) {
                    Some(Comparison::Sweep(found)) if !found.is_empty() => found,
                    _ => {
                        let why = engine::not_varied(&choice.planner, |key| key == self.vary);
                        let why = why.unwrap_or_else(|| Message::new("cli.no-sweep").text("value", &self.vary));
                        return Err(CliError::because(&why));
                    }
                };
                engine::sweep_chart(&[(&choice, &found)], &vary, figure, speech)
            }
            ChartKind::Growth => match self.compared(engine, CompareTask::Growth(choices)) {
                Some(Comparison::Growth(found)) => engine::growth_chart(&found, speech),
                _ => Chart::default(),
            },
        })
    }

    fn compared(&self, engine: &mut Engine, task: CompareTask) -> Option<Comparison> {
        let request = Request { source: Source::Keep, scope: self.scope.scope(), task: Task::Compare(task) };
        let progress = Progress::start(&Message::new("cli.progress-measure"));
        match engine.answer(&request, &clock(), &mut &progress) {
            Ok(Answer::Compared(found)) => Some(found),
            _ => None,
        }
    }

    fn columns(&self, engine: &mut Engine, choices: Vec<PlannerChoice>) -> Result<Vec<DrawnPlan>, CliError> {
        let Some(Comparison::Columns(columns, _)) = self.compared(engine, CompareTask::Columns(choices)) else {
            return Ok(Vec::new());
        };
        let drawn = |column: MeasuredColumn| {
            let (planned, found) = column.result.map_err(|why| CliError::of_reason(&why))?;
            let metrics = found.figures.metrics;
            Ok(DrawnPlan { choice: column.choice, problem: planned.problem, plan: planned.plan, metrics })
        };
        columns.into_iter().map(drawn).collect()
    }
}

/// The figures of a plan that keeps the rules.
fn metrics(entry: &RankingEntry) -> Option<&Metrics> {
    let figures = &entry.result.as_ref().ok()?.figures;
    (figures.broken == 0).then_some(&figures.metrics)
}

/// A plan to be drawn.
struct DrawnPlan {
    choice: PlannerChoice,
    problem: Problem,
    plan: Plan,
    metrics: Metrics,
}
