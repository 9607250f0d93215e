use std::rc::Rc;

use super::*;
use memplan_core::problem::{Problem, Scope};
use memplan_core::trace::Recorder;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::origin;

fn fits_best() -> Problem {
    let file = include_bytes!("../../../../../www/graphs/learn/fits-best.csv");
    match import::read(file, Answers::default()).expect("a table").document {
        Document::Buffers(problem) => problem,
        _ => panic!("a list of buffers"),
    }
}

fn run(planner: &str, problem: &Problem) -> Run {
    let found = planner::find(planner).expect("registered");
    let mut recorder = Recorder::default();
    let options = found.info().defaults();
    let made = planner::run(found, problem, None, &Scope::default(), &options, &mut recorder).expect("planned");
    Run::new(Rc::new(made.problem), origin(planner, found.info().align), made.plan, recorder.events)
}

fn runs(planners: &[&str]) -> Vec<Run> {
    planners.iter().map(|planner| run(planner, &fits_best())).collect()
}

fn speech(locale: Locale) -> Speech {
    Speech { locale, ..Speech::default() }
}

fn config(runs: &[Run], given: u32) -> WorksheetConfig<'_> {
    WorksheetConfig { runs, given, paper: Paper::A4, link: "", speech: speech(Locale::En) }
}

/// What is printed between two marks.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let start = text.find(from).unwrap_or_else(|| panic!("no {from}")) + from.len();
    &text[start..start + text[start..].find(to).unwrap_or_else(|| panic!("no {to}"))]
}

/// The cells of the rows of the first table of buffers.
fn cells(page: &str) -> Vec<Vec<String>> {
    let rows = between(page, "</thead><tbody>", "</tbody>").split("<tr>").skip(1);
    let text =
        |cell: &str| cell[cell.find('>').expect("a tag") + 1..].replace("</td>", "").replace("</tr>", "").trim().into();
    rows.map(|row| row.split("<td").skip(1).map(text).collect()).collect()
}

#[test]
fn the_first_page_asks_and_the_second_answers() {
    let runs = runs(&["first-fit", "best-fit", "worst-fit"]);
    let html = write(&WorksheetConfig { link: "#a&b", ..config(&runs, 6) }).expect("a worksheet");
    let (first, second) = html.split_once("</section>").expect("two pages");
    assert_eq!(html.matches("<section").count(), 2);
    assert!(html.contains("@page{size:A4;margin:0}") && !html.contains("<script") && html.contains("#a&amp;b"));
    let (asked, answers) = (cells(first), cells(second));
    assert_eq!(asked[0], ["a", "96", &live(0, 1), "given", "given", "given"]);
    assert_eq!(asked[6][3..], ["", "", ""]);
    let places: Vec<&[String]> = answers[6..].iter().map(|row| &row[3..]).collect();
    assert_eq!(places, [["0", "336", "112"], ["112", "112", "384"], ["384", "0", "144"]]);
    // Nothing on the first page tells a peak: the grid goes beyond all of them.
    assert!(!first.contains("480") && first.contains(">704<"));
    for figure in ["1.25 times", "1.00 times", "1.50 times", "Z +96", "At X.", "peak 576"] {
        assert!(second.replace('\u{202f}', " ").contains(figure), "{figure}");
    }
}

#[test]
fn a_place_is_given_only_where_the_planner_takes_it() {
    // Worst fit puts X elsewhere than first fit.
    let runs = runs(&["first-fit", "worst-fit"]);
    let html = write(&config(&runs, 7)).expect("a worksheet");
    let asked = cells(&html);
    assert_eq!(asked[6][3..], ["given", ""]);
    assert_eq!(
        write(&config(&runs, 10)),
        Err(Message::new("worksheet.given-too-many").count("n", 10_u32).count("most", 9_u32))
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let key = |planners: &[&str], problem: &Problem| {
        let runs: Vec<Run> = planners.iter().map(|planner| run(planner, problem)).collect();
        write(&config(&runs, 0)).map_err(|message| message.key.into_owned())
    };
    let problem = fits_best();
    assert_eq!(key(&[], &problem), Err("worksheet.planners".into()));
    assert_eq!(key(&["naive"; 4], &problem), Err("worksheet.planners".into()));
    assert_eq!(key(&["shared-objects-by-size"], &problem), Err("worksheet.one-arena".into()));
    let mut many = fits_best();
    (0..4).for_each(|_| {
        let buffer = many.buffers[BufferId(0)].clone();
        many.buffers.push(buffer);
    });
    assert_eq!(key(&["first-fit"], &many), Err("worksheet.too-many".into()));
    assert_eq!(
        key(&["first-fit"], &Problem { buffers: IdVec::new(), ..fits_best() }),
        Err("worksheet.too-many".into())
    );
}

#[test]
fn names_are_no_markup_and_words_are_of_the_language() {
    let mut problem = fits_best();
    problem.buffers[BufferId(0)].name = "<b>&".into();
    problem.name = "<script>".into();
    let runs = [run("first-fit", &problem)];
    let html = write(&WorksheetConfig { speech: speech(Locale::Zh), paper: Paper::Letter, ..config(&runs, 0) })
        .expect("a worksheet");
    assert!(html.contains("&lt;b&gt;&amp;") && !html.contains("<script"));
    assert!(html.contains("lang=\"zh-CN\"") && html.contains("size:letter") && html.contains("答案"));
    assert!(!html.contains("worksheet."), "every key has its words");
}

#[test]
fn one_step_and_several_steps_of_the_largest_load_are_told_apart() {
    let answers = |problem: &Problem| {
        let runs = [run("first-fit", problem)];
        write(&config(&runs, 6)).expect("a worksheet")
    };
    let mut problem = fits_best();
    assert!(answers(&problem).contains("the load at steps 0, 3, 4."));
    let smaller = problem.buffer_named("Z").expect("named");
    problem.buffers[smaller].size /= 2;
    assert!(answers(&problem).contains("the load at step 0."));
}
