//! `memplan exercise`: instances to practise on, and the check of result codes.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use memplan_core::base::shown::visible;
use memplan_core::base::{Arg, Message, Unit};
use memplan_core::plan::Plan;
use memplan_core::problem::{Problem, Scope};
use memplan_core::text::{Locale, Speech};
use memplan_engine::BLOCKS;
use memplan_engine::api::{self, ExerciseRecord, ExerciseSettings};
use memplan_formats::export;
use memplan_formats::import::{self, Answers, Document};
use memplan_teach::exercise::activity::{Buffers, Kind, Placing, of_buffers};
use memplan_teach::exercise::code::{self, Checked, Verdict};
use memplan_teach::exercise::link::ExerciseLink;
use memplan_teach::exercise::variant::{self, BUFFERS, Difficulty, Facts, Instance, MAX_SEED, Perfect};
use serde_json::{Value, json};

use super::error::CliError;
use super::format::FormatArg;
use super::input::{bytes_of, one_standard_input, tell};
use super::judge::Judge;
use super::output::{print, print_record, write};
use super::scope::tell_symbols;

/// Name and version of the record of an instance.
const FORMAT: &str = "exercise/1";

/// Make an instance to practise on from a seed, look for a bad board, or check results of students
#[derive(Args)]
pub struct ExerciseCommand {
    /// With `--kind order`: a file of buffers, which first fit is to place in a better order
    #[arg(value_name = "INPUT", requires = "kind", conflicts_with_all = ["planner", "output", "check"])]
    input: Option<PathBuf>,

    /// What is practised
    #[arg(long, value_parser = what(), value_name = "KIND", required_unless_present = "results")]
    kind: Option<What>,

    /// For which planner: an id of `memplan list`
    #[arg(long, value_name = "ID", required_if_eq_any = of_planners())]
    planner: Option<String>,

    /// How many buffers an instance of kind `perfect` has, from 100 to 500
    #[arg(long, value_name = "N", required_if_eq("kind", PERFECT), conflicts_with = "planner",
        value_parser = clap::value_parser!(u64).range(BUFFERS))]
    buffers: Option<u64>,

    /// Where the instance comes from: a whole number
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(0..=MAX_SEED))]
    seed: u64,

    /// From 1, easy, to 3
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u8).range(1..=3))]
    difficulty: u8,

    /// Print the answers as well
    #[arg(long)]
    answers: bool,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,

    /// Print the checked codes as CSV
    #[arg(long, requires = "check")]
    csv: bool,

    /// Language of questions and answers
    #[arg(long, value_name = "LANG", default_value = "en", value_parser = ["en", "zh"])]
    lang: String,

    /// Write the instance as a file: buffers as `.csv`, a graph or a plan with a fault as `.json`
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// As in other commands; nothing that this one writes is a file that it reads
    #[arg(long = "force", hide = true)]
    _force: bool,

    /// Boards that the search of kind `break` looks at
    #[arg(long, value_name = "N", default_value_t = api::TRIES, value_parser = clap::value_parser!(u32).range(0..=i64::from(api::MAX_TRIES)))]
    tries: u32,

    /// Board that the search begins at, such as A.112.0.3_B.16.0.6 (name, KiB, first step, end)
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,

    /// Result codes to check, or lines with a name and a code; `-` reads lines from standard input
    #[arg(long, value_name = "CODE", num_args = 1.., group = "results", conflicts_with_all = ["kind", "planner", "output", "answers"])]
    check: Vec<String>,

    /// Program that a student handed in, as for `--planner mine.rhai`: judge it on hidden buffers
    #[arg(long, value_name = "FILE", group = "results", requires = "link", requires = "name",
        conflicts_with_all = ["kind", "planner", "output", "answers", "check"])]
    judge: Option<PathBuf>,

    /// Name of the student who handed the program in
    #[arg(long, value_name = "NAME", requires = "judge")]
    name: Option<String>,

    /// Link of the exercise that the codes or the program should be of
    #[arg(long, value_name = "LINK", requires = "results")]
    link: Option<String>,
}

/// What is practised.
#[derive(Clone, Copy)]
enum What {
    /// Exercises and games.
    Kind(Kind),
    /// Buffers that fit together without a gap: for those who write planners.
    Perfect,
}

const PERFECT: &str = "perfect";

/// Reads what is practised, and lists it in the help.
fn what() -> impl TypedValueParser<Value = What> {
    let help = |kind: Kind| kind.activity().practice.map_or("", |practice| practice.help);
    let kinds = Kind::practised().into_iter().map(move |kind| PossibleValue::new(kind.name()).help(help(kind)));
    let perfect = "Find the plan of many buffers that fit together without a gap: for those who write planners";
    let all = kinds.chain([PossibleValue::new(PERFECT).help(perfect)]);
    PossibleValuesParser::new(all).map(|name| Kind::of_name(&name).map_or(What::Perfect, What::Kind))
}

/// The kinds that are always for one planner, as conditions. Order takes a file, too.
fn of_planners() -> Vec<(&'static str, &'static str)> {
    let kinds = Kind::practised().into_iter().filter(|kind| *kind != Kind::Order);
    kinds.map(|kind| ("kind", kind.name())).collect()
}

impl ExerciseCommand {
    pub fn run(self) -> Result<(), CliError> {
        let speech = Speech { locale: Locale::from_tag(&self.lang), ..Speech::default() };
        if let Some((file, link)) = self.judge.as_deref().zip(self.link.as_deref()) {
            let name = self.name.as_deref().unwrap_or_default();
            return Judge { file, name, link, json: self.json, speech }.run();
        }
        let planner = self.planner.as_deref().unwrap_or_default();
        if let Some((id, _)) = planner.split_once(';') {
            return Err(CliError::because(&Message::new("exercise.no-options").text("planner", id)));
        }
        if let Some(path) = &self.input {
            return match self.kind {
                Some(What::Kind(Kind::Order)) => self.placing(path, speech),
                _ => Err(CliError::because(&Message::new("exercise.only-order"))),
            };
        }
        match self.kind {
            Some(What::Perfect) => self.perfect(speech),
            Some(What::Kind(Kind::Order)) if planner.is_empty() => {
                Err(CliError::because(&Message::new("exercise.planner-or-file")))
            }
            Some(What::Kind(kind)) if kind.activity().buffers == Buffers::Board => self.worst(kind, planner),
            Some(What::Kind(kind)) => self.instance(kind, planner, speech),
            None => self.checked(speech),
        }
    }

    /// Buffers that fit together without a gap; as answer, where they lie.
    fn perfect(&self, speech: Speech) -> Result<(), CliError> {
        let Perfect { problem, plan } = variant::perfect(self.seed, self.buffers.unwrap_or(*BUFFERS.start()));
        let plan_file = || api::plan_file(&problem, &plan, "", Default::default());
        let graph = || export::graph(&variant::as_graph(&problem));
        let plan_of = self.answers.then_some(&plan);
        if let Some(path) = &self.output {
            let is_csv = FormatArg::of(path, false) == Some(FormatArg::Csv);
            return write(
                Some(path),
                &if is_csv {
                    export::csv(&problem, plan_of)
                } else if self.answers {
                    export::plan(&plan_file())
                } else {
                    graph()
                },
            );
        }
        if self.json {
            let document: Value = serde_json::from_str(&graph()).expect("what is written is JSON");
            let mut record = json!({ "kind": PERFECT, "seed": self.seed, "document": document });
            if self.answers {
                record["plan"] = json!(plan_file());
            }
            return print_record(FORMAT, record);
        }
        print(&buffers(&problem, plan_of, speech))
    }

    /// Buffers of a file whose order of placement is asked for; as answer, the best one that is
    /// known.
    fn placing(&self, path: &Path, speech: Speech) -> Result<(), CliError> {
        let file = bytes_of(path)?;
        let read = import::read(&file, Answers::default()).map_err(|faults| CliError::faults(&faults))?;
        tell(&read, "", |_| true);
        tell_symbols(&read.document, &BTreeMap::new(), "");
        let document = read.document;
        let (problem, _) = api::problem(&document, &Scope::default())?;
        if problem.buffers.len() > BLOCKS.1 {
            let message = Message::new("game.blocks").count("n", problem.buffers.len());
            return Err(CliError::because(&message.count("least", BLOCKS.0).count("most", BLOCKS.1)));
        }
        let Placing { rows, written, best, order, is_proved } = of_buffers(&problem);
        let names: Vec<String> = order.iter().map(|&row| rows.list[row].name.clone()).collect();
        if self.json {
            let mut record = json!({ "kind": Kind::Order.name(), "buffers": rows.list.len(), "peak": written });
            if self.answers {
                record["answer"] = json!({ "peak": best, "proved": is_proved, "order": names });
            }
            return print_record(FORMAT, record);
        }
        let ask = Message::new("variant.place-order-ask").count("n", rows.list.len()).bytes("written", written);
        let mut text = buffers(&problem, None, speech) + "\n1. " + &speech.say(&ask) + "\n";
        if self.answers {
            let key = if is_proved { "variant.place-order-answer" } else { "variant.place-order-found" };
            let answer = Message::new(key).bytes("low", best).with("names", Arg::Names(names));
            text += &format!("   {}\n", speech.say(&answer));
        }
        print(&text)
    }

    fn instance(&self, kind: Kind, planner: &str, speech: Speech) -> Result<(), CliError> {
        let instance = api::exercise(&self.wanted(kind, planner))?;
        if let Some(path) = &self.output {
            let is_csv = FormatArg::of(path, false) == Some(FormatArg::Csv);
            if is_csv && plan_of(&instance).is_some() {
                // The fault may be the peak that the plan claims, which a table of buffers does not
                // have.
                return Err(CliError::because(&Message::new("exercise.csv-lacks-peak")));
            }
            return write(Some(path), &file(&instance, is_csv));
        }
        if self.json {
            let record = ExerciseRecord::new(&instance, self.answers, speech.locale);
            return print_record(FORMAT, serde_json::to_value(&record).unwrap_or_default());
        }
        print(&text(&instance, self.answers, speech))
    }

    /// The worst board that a search finds.
    fn worst(&self, kind: Kind, planner: &str) -> Result<(), CliError> {
        let worst = api::worst_board(&self.wanted(kind, planner))?;
        if self.json {
            return print_record(FORMAT, serde_json::to_value(&worst).unwrap_or_default());
        }
        print(&format!("{}\n{:.3} = {} / {} B\n", worst.board, worst.ratio, worst.peak, worst.bound))
    }

    fn wanted(&self, kind: Kind, planner: &str) -> ExerciseSettings {
        ExerciseSettings {
            kind,
            planner: planner.into(),
            seed: self.seed,
            difficulty: Difficulty::new(self.difficulty).unwrap_or_default(),
            tries: self.tries,
            board: self.board.clone(),
            locale: Locale::from_tag(&self.lang),
        }
    }

    fn checked(&self, speech: Speech) -> Result<(), CliError> {
        let link = self.link.as_deref().map(|link| ExerciseLink::read(link.rsplit('#').next().unwrap_or_default()));
        let link = link.transpose().map_err(|fault| CliError::because(&fault.message()))?;
        one_standard_input(self.check.iter().map(Path::new))?;
        let mut lines = String::new();
        for line in &self.check {
            if line == "-" {
                let read = std::io::stdin().read_to_string(&mut lines);
                read.map_err(|error| CliError::Unusable(vec![format!("-: {error}")]))?;
            } else {
                lines += line;
            }
            lines += "\n";
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let rows = code::check(&lines, link.as_ref(), code::minute_of(now));
        if self.csv {
            return print(&code::csv(&rows, speech));
        }
        if self.json {
            let records: Vec<_> = rows.iter().map(|row| record(row, speech)).collect();
            return print(&(serde_json::to_string_pretty(&records).expect("plain data has a JSON form") + "\n"));
        }
        let kind = link.map(|link| link.kind);
        print(&rows.iter().map(|row| line(row, kind, speech)).collect::<String>())
    }
}

/// A checked code in a line, of an exercise of this kind if one is given.
fn line(row: &Checked, kind: Option<Kind>, speech: Speech) -> String {
    let verdict = speech.say(&row.verdict.message());
    let Some(code) = &row.code else {
        return format!("{}: {verdict}\n", visible(&row.name));
    };
    let outcome = code.outcome;
    let figures = [
        speech.say(&code::figures(&outcome, kind.filter(|_| row.verdict != Verdict::OtherExercise))),
        code::date(outcome.minute),
    ]
    .join(", ");
    let name = if row.name.is_empty() { String::new() } else { format!("{}: ", visible(&row.name)) };
    format!("{name}{verdict} ({figures})\n")
}

fn record(row: &Checked, speech: Speech) -> serde_json::Value {
    let outcome = row.code.as_ref().map(|code| {
        let outcome = code.outcome;
        json!({
            "right": outcome.right,
            "of": outcome.of,
            "attempts": outcome.attempts,
            "helped": outcome.helped,
            "shown": outcome.shown,
            "ratio": outcome.ratio.map(|ratio| f64::from(ratio) / 100.0),
            "finished": code::date(outcome.minute),
            "answers": code.answers,
        })
    });
    let verdict = speech.say(&row.verdict.message());
    json!({ "format": "exercise-code/1", "name": row.name, "passed": row.verdict.passed(), "verdict": verdict, "outcome": outcome })
}

/// The file of an instance.
fn file(instance: &Instance, is_csv: bool) -> String {
    match plan_of(instance) {
        Some(plan) => export::plan(&api::plan_file(&instance.problem, plan, instance.planner, Default::default())),
        None if is_csv => export::csv(&instance.problem, None),
        None => export::graph(&api::graph_of(instance)),
    }
}

fn plan_of(instance: &Instance) -> Option<&Plan> {
    match &instance.document {
        Document::Plan(_, plan) => Some(plan),
        _ => None,
    }
}

/// The instance as people read it.
fn text(instance: &Instance, with_answers: bool, speech: Speech) -> String {
    let mut text = format!("{} ({}, {})\n\n", instance.problem.name, instance.planner, speech.word("exercise.seeded"));
    text += &match &instance.facts {
        Facts::Order { operators, .. } => {
            let stored = |name: &str| {
                let made = operators.stored.iter().find(|stored| stored.name == name);
                made.map_or(String::new(), |made| format!("{name} {}", speech.bytes(made.size)))
            };
            let head = ["operator", "reads", "makes"].map(|column| speech.word(heading(column)));
            let row = |(at, operator): (usize, &memplan_teach::exercise::operators::Operator)| {
                let made = operators.stored.iter().filter(|stored| stored.users.first() == Some(&at));
                let made: Vec<String> = made.map(|made| stored(&made.name)).collect();
                [operator.name.clone(), operator.reads.join(", "), made.join(", ")]
            };
            table(head, operators.list.iter().enumerate().map(row))
        }
        _ => buffers(&instance.problem, plan_of(instance), speech),
    };
    for (number, question) in (1..).zip(&instance.questions) {
        text += &format!("\n{number}. {}\n", speech.say(&question.ask));
        if with_answers {
            text += &format!("   {}\n", speech.say(&question.answer));
        }
    }
    text
}

/// Key of the heading of a column.
fn heading(column: &str) -> &'static str {
    match column {
        "operator" => "exercise.column-operator",
        "reads" => "exercise.column-reads",
        "makes" => "exercise.column-makes",
        "name" => "exercise.column-name",
        "size" => "exercise.column-size",
        "live" => "exercise.column-live",
        _ => "exercise.column-offset",
    }
}

fn buffers(problem: &Problem, plan: Option<&Plan>, speech: Speech) -> String {
    let rows = problem.buffers.enumerate().map(|(id, buffer)| {
        let live = memplan_core::text::live(buffer.live.start, buffer.live.end);
        let at = plan.and_then(|plan| plan.places[id]).map_or(String::new(), |place| place.offset.to_string());
        [visible(&buffer.name).into_owned(), whole(buffer.size, speech), live, at]
    });
    let head = ["name", "size", "live", "offset"].map(|column| speech.word(heading(column)));
    if plan.is_some() {
        let claimed: u64 = plan.map_or(0, |plan| plan.pools.iter().map(|pool| pool.size).sum());
        let align = problem.buffers.iter().map(|buffer| buffer.align).max().unwrap_or(1);
        let facts = Message::new("exercise.claimed").text("peak", whole(claimed, speech)).count("align", align);
        return table(head, rows) + "\n" + &speech.say(&facts) + "\n";
    }
    let [name, size, live, _] = head;
    table([name, size, live], rows.map(|[name, size, live, _]| [name, size, live]))
}

/// All bytes of a size, where its unit would round them.
fn whole(bytes: u64, speech: Speech) -> String {
    if bytes.is_multiple_of(1024) { speech.bytes(bytes) } else { Unit::B.words(bytes) }
}

/// Columns as wide as their widest cell; letters of Chinese take two.
fn table<const N: usize>(head: [String; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let rows: Vec<[String; N]> = std::iter::once(head).chain(rows).collect();
    let wide = |text: &str| text.chars().map(|letter| if letter > '\u{2e80}' { 2 } else { 1 }).sum::<usize>();
    let width = |column: usize| rows.iter().map(|row| wide(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |row: &[String; N]| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| cell.clone() + &" ".repeat(width - wide(cell))).collect();
        cells.join("  ").trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}
