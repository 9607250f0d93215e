//! Two documents with their plans → what differs (docs/diff.md), as the page shows it.

use serde::{Deserialize, Serialize};

use crate::answer::{Failure, Planned};
use crate::compare::PlannerChoice;
use crate::export::stem;
use crate::link::Carried;
use crate::listener::Listener;
use crate::plan::{first_planner, plan};
use crate::source::IMPORTED;
use crate::{open, readers};
use memplan_core::base::Message;
use memplan_core::problem::{BufferId, Scope};
use memplan_core::text::{Locale, Speech};
use memplan_formats::import::{Answers, Document, Format};
use memplan_planners::{self as planner, PlanError};
use memplan_replay::diff::{
    Counted, Diff, DiffRecord, Group, ModelRecord, Side, SideFigures, details, diff, report_markdown, row_note,
    sentences,
};
use memplan_scene::{Chart, ChartForm, Series};

/// Most rows of the Markdown, as on the command line.
const TOP: usize = 10;

/// Compare an older document with the one that is open. `F` stands for a file, as in
/// [`crate::Source`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DiffTask<F = Vec<u8>> {
    /// The older file.
    pub old: F,
    /// What was answered about it.
    pub choices: Answers,
    /// Name of the older file and of the open document.
    pub names: [String; 2],
    /// Format of the open document.
    pub format: Format,
    /// Planner of both; none: the plans of the files if both have one, else the planner that the
    /// page would choose.
    pub planner: Option<PlannerChoice>,
    /// Leave out weights.
    pub without_weights: bool,
}

impl<F> DiffTask<F> {
    /// Returns the same task with `map` applied to its file.
    pub fn map_files<G>(self, map: &mut impl FnMut(F) -> G) -> DiffTask<G> {
        let DiffTask { old, choices, names, format, planner, without_weights } = self;
        DiffTask { old: map(old), choices, names, format, planner, without_weights }
    }
}

/// Two plans and what differs between them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Diffed {
    /// Name of the pair.
    pub name: String,
    /// Id of the planner of both, or [`IMPORTED`].
    pub planner: String,
    /// Both plans, the old one first and with its graph; that of the new one is open.
    pub plans: [Planned; 2],
    /// The older document for a link.
    pub packed: Carried,
    /// Figures of both.
    pub figures: [SideFigures; 2],
    /// Whether they have too little in common for a list.
    pub unrelated: bool,
    /// The list.
    pub rows: Vec<DiffedRow>,
    /// What made the peak rise or fall, in sentences.
    pub sentences: Vec<Message>,
    /// What the list leaves out.
    pub details: Vec<Message>,
    /// Matched steps `(old, new)`.
    pub steps: Vec<(u32, u32)>,
    /// A comment on a change.
    pub markdown: String,
}

/// A row of the list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DiffedRow {
    /// The kind of difference.
    pub group: Group,
    /// The buffer before.
    pub old: Option<BufferId>,
    /// The buffer after.
    pub new: Option<BufferId>,
    /// Bytes that it changes at the peak.
    pub bytes: u64,
    /// What changed.
    pub note: Message,
}

/// Why two documents were not compared.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Undiffed {
    /// The older one cannot be read.
    Old(Failure),
    /// One of them has no plan.
    NoPlan(Message),
}

/// Returns the planner by which two documents are compared if nobody chose one.
pub fn planner_of_both(old: (&Document, Format), new: (&Document, Format)) -> &'static str {
    if old.0.own_plan().is_some() && new.0.own_plan().is_some() {
        return IMPORTED;
    }
    let format = (old.1 == new.1).then_some(new.1);
    let has_graphs = old.0.graph().is_some() && new.0.graph().is_some();
    first_planner(if has_graphs || new.0.graph().is_none() { new.0 } else { old.0 }, format)
}

/// Compares an older file with a document. Without the readers of its format there is no answer
/// yet.
///
/// # Errors
/// [`Failure::NoReaders`].
pub(super) fn diffed(
    task: &DiffTask,
    document: &Document,
    scope: &Scope,
    listener: &mut dyn Listener,
) -> Result<Result<Diffed, Undiffed>, Failure> {
    let choices = Answers { file: task.names[0].clone(), ..task.choices.clone() };
    let (before, opened) = match open::opened(&task.old, &choices) {
        Ok(read) => read,
        Err(Failure::NoReaders) if !readers::are_here() => return Err(Failure::NoReaders),
        Err(failure) => return Ok(Err(Undiffed::Old(failure))),
    };
    let rule = planner_of_both((&before, opened.format), (document, task.format));
    let choice = task.planner.clone().unwrap_or_else(|| PlannerChoice::of(rule));
    let mut planned = match planned_both([&before, document], &choice, scope, listener) {
        Ok(planned) => planned,
        Err(why) => return Ok(Err(Undiffed::NoPlan(why))),
    };
    let graphs = [before.graph(), document.graph()];
    let side = |at: usize| Side {
        problem: &planned[at].problem,
        graph: planned[at].graph.as_ref().or(graphs[at]),
        plan: &planned[at].plan,
    };
    let sides = [side(0), side(1)];
    let found = diff(sides[0], sides[1], Counted { without_weights: task.without_weights });
    let names = [&*task.names[0], &*task.names[1]];
    let name = pair_name(sides.map(|side| &*side.problem.name), names).to_string();
    let model = ModelRecord::new(&name, names, sides, &found);
    let notes: Vec<Message> = model.rows.iter().map(|row| row_note(&model, row)).collect();
    let (sentences, details) = (sentences(&model), details(&model, usize::MAX));
    let record = DiffRecord::new(vec![model], &choice.planner, None);
    let markdown = report_markdown(&record, TOP, &[], Speech { locale: Locale::En, ..Speech::default() });
    planned[0].graph = planned[0].graph.take().or_else(|| before.graph().cloned());
    let Diff { old, new, is_unrelated: unrelated, rows, steps, .. } = found;
    let row = |(row, note): (memplan_replay::diff::Row, Message)| DiffedRow {
        group: row.group,
        old: row.old,
        new: row.new,
        bytes: row.bytes,
        note,
    };
    Ok(Ok(Diffed {
        name,
        planner: choice.planner,
        packed: opened.packed,
        figures: [old, new],
        unrelated,
        rows: rows.into_iter().zip(notes).map(row).collect(),
        sentences,
        details,
        steps,
        markdown,
        plans: planned,
    }))
}

/// The name under which a pair is reported: that of the new one, else of the old one, else of the
/// new file.
pub fn pair_name<'a>(names: [&'a str; 2], files: [&'a str; 2]) -> &'a str {
    let [old, new] = names;
    let file = stem(files[1].rsplit(['/', '\\']).next().unwrap_or_default());
    [new, old, file].into_iter().find(|name| !name.is_empty()).unwrap_or_default()
}

fn planned_both(
    documents: [&Document; 2],
    choice: &PlannerChoice,
    scope: &Scope,
    listener: &mut dyn Listener,
) -> Result<[Planned; 2], Message> {
    let mut planned = |document: &Document| {
        if choice.planner == IMPORTED && document.own_plan().is_none() {
            return Err(Message::new("compare.no-own-plan"));
        }
        let why_not = planner::info(&choice.planner).map(|info| planner::applicable(info, document.graph().is_some()));
        if let Some(Err(why)) = why_not {
            return Err(PlanError::NotApplicable(why).message());
        }
        let scope = scope.for_one_of_many(document.graph());
        plan(document, &scope, &choice.task(), None, listener).map_err(|none| none.why)
    };
    Ok([planned(documents[0])?, planned(documents[1])?])
}

/// The load of one side, to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct LoadCurve<'a> {
    /// The peak.
    pub peak: u64,
    /// Number of steps.
    pub steps: u32,
    /// `(step, bytes from here on)`.
    pub load: &'a [(u32, u64)],
}

impl<'a> From<&'a SideFigures> for LoadCurve<'a> {
    fn from(figures: &'a SideFigures) -> LoadCurve<'a> {
        LoadCurve { peak: figures.peak, steps: figures.steps, load: &figures.curve }
    }
}

/// Returns both load curves, the old one at the steps that its operators have now; `steps` are
/// those matched. If there are none, both have their own steps.
pub fn load_curves(name: &str, [old, new]: [LoadCurve; 2], steps: &[(u32, u32)], speech: Speech) -> Chart {
    let most = old.load.iter().chain(new.load).map(|&(_, bytes)| bytes).max().unwrap_or(0);
    let unit = speech.sizes.unit(most);
    let line = |key: &'static str, side: LoadCurve, at: &dyn Fn(u32) -> f64| {
        let scaled = |&(step, bytes): &(u32, u64)| (at(step), bytes as f64 / unit.bytes() as f64);
        let end = (at(side.steps), 0.0);
        let points = side.load.iter().map(scaled).chain([end]).collect();
        Series { name: speech.say(&Message::new(key).bytes("peak", side.peak)), points }
    };
    // What ran before the first step of now needs room before the next matched step.
    let shared: Vec<(u32, u32)> = steps.iter().copied().filter(|&(old, new)| new > 0 || old == 0).collect();
    // Between matched steps the distance to the last one is kept. Where there are fewer steps now,
    // all of before share the room of those, so that no load is lost.
    let mapped = |step: u32| {
        let next = shared.partition_point(|&(old, _)| old <= step);
        let (from, to) = next.checked_sub(1).map_or((0, 0), |at| shared[at]);
        let (old_end, new_end) = shared.get(next).copied().unwrap_or((old.steps, new.steps));
        let [had, has] = [old_end.saturating_sub(from), new_end.saturating_sub(to)].map(f64::from);
        let share = if had > has { has / had } else { 1.0 };
        f64::from(to) + f64::from(step - from) * share
    };
    let as_it_is = |step: u32| f64::from(step);
    Chart {
        title: speech.say(&Message::new("diff.svg-load").name("name", name)),
        x: speech.word("chart.step"),
        y: unit.name().into(),
        form: ChartForm::Steps,
        series: vec![
            line("diff.svg-old", old, if steps.is_empty() { &as_it_is } else { &mapped }),
            line("diff.svg-new", new, &as_it_is),
        ],
        unit: Some(unit),
        hatched: Some(speech.word("diff.svg-above")),
        ..Chart::default()
    }
}
