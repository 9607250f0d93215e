//! Instances to practise on, result codes and worksheets.

use memplan_formats::import::{self, Answers, Document};
use memplan_teach::exercise::activity::Kind;
use memplan_teach::exercise::code::{Outcome, write};
use memplan_teach::exercise::link::ExerciseLink;

use super::{Folder, code, fine, json, memplan, refused, stdout};

const LINK: &str = "exercise=1&doc=ex:learn/fits-best&plan=first-fit&kind=predict&pass=6&of=8";

fn practise(kind: &str, more: &[&str]) -> String {
    fine(&[&["exercise", "--kind", kind, "--planner", "first-fit", "--seed", "7"], more].concat())
}

#[test]
fn every_kind_prints_its_instance_and_answers_only_if_asked() {
    for kind in Kind::practised().into_iter().filter(|kind| kind.activity().buffers.has_seed()).map(Kind::name) {
        let (asked, told) = (practise(kind, &[]), practise(kind, &["--answers"]));
        assert!(asked.contains("\n1. ") && told.lines().count() > asked.lines().count(), "{told}");
        assert_eq!(practise(kind, &[]), asked, "the same seed, the same instance");
        let zh = practise(kind, &["--lang", "zh"]);
        assert!(!zh.is_ascii() && !zh.contains("exercise.") && !zh.contains("variant."), "{zh}");
        let (asked, told) = (json(&practise(kind, &["--json"])), json(&practise(kind, &["--json", "--answers"])));
        assert_eq!((asked.get("facts"), asked["questions"][0].get("answer")), (None, None));
        assert!(told["facts"].is_object() && told["questions"][0]["answer"].is_string());
        assert_eq!(told["document"]["format"], "memory-graph/1");
        assert_eq!(told["plan"].is_object(), kind == "debug");
    }
}

#[test]
fn every_kind_is_offered_with_a_sentence() {
    let help = fine(&["exercise", "--help"]);
    let declared = include_str!("../../../www/memplan.d.ts");
    for kind in Kind::practised() {
        let said = kind.activity().practice.map_or("", |practice| practice.help);
        let words: Vec<&str> = said.split(' ').take(3).collect();
        assert!(help.contains(&format!("- {}:", kind.name())) && help.contains(&words.join(" ")), "{help}");
        assert!(declared.contains(&format!("\"{}\"", kind.name())), "{} is not declared", kind.name());
    }
    assert!(help.contains("- perfect:"), "{help}");
}

#[test]
fn an_instance_is_written_as_a_file_that_opens() {
    let folder = Folder::new();
    for (kind, name) in [("predict", "a.csv"), ("order", "b.json"), ("debug", "c.json")] {
        let path = folder.path(name);
        practise(kind, &["-o", &path]);
        let bytes = std::fs::read(&path).expect("written");
        let document = import::read(&bytes, Answers::default()).expect("it opens").document;
        let is_right = match (kind, &document) {
            ("predict", Document::Buffers(_)) | ("order", Document::Graph(_)) => true,
            ("debug", Document::Plan(problem, plan)) => memplan_core::plan::check(problem, plan).len() == 1,
            _ => false,
        };
        assert!(is_right, "{name}");
    }
    let words = refused(&["exercise", "--kind", "debug", "--planner", "first-fit", "-o", &folder.path("c.csv")]);
    assert!(words.contains("peak"), "{words}");
}

#[test]
fn buffers_that_fit_together_without_a_gap_come_with_their_plan() {
    let folder = Folder::new();
    let perfect = |more: &[&str]| fine(&[&["exercise", "--kind", "perfect", "--buffers", "120"], more].concat());
    let path = folder.path("perfect.csv");
    perfect(&["-o", &path]);
    let planned = json(&fine(&["plan", &path, "--planner", "exact"]));
    let told = json(&perfect(&["--json", "--answers"]));
    assert_eq!(
        told["plan"]["pools"][0]["size"], planned["pools"][0]["size"],
        "the plan that was cut is one of the smallest"
    );
    assert_eq!(json(&perfect(&["--json"])).get("plan"), None);
    assert_ne!(perfect(&["--seed", "2"]), perfect(&[]));
    assert!(perfect(&["--answers"]).lines().count() > 120);
    let plan = folder.path("plan.json");
    perfect(&["--answers", "-o", &plan]);
    fine(&["check", &plan]);
    let told = |arguments: &[&str]| refused(&[&["exercise", "--kind", "perfect"], arguments].concat());
    assert!(told(&[]).contains("--buffers"));
    assert!(told(&["--buffers", "501"]).contains("500"));
    assert!(told(&["--buffers", "120", "--planner", "exact"]).contains("--planner"));
    assert!(refused(&["exercise", "--kind", "pack", "--buffers", "120"]).contains("--planner"));
}

#[test]
fn what_cannot_be_practised_says_why() {
    let told = |kind: &str, planner: &str| refused(&["exercise", "--kind", kind, "--planner", planner]);
    assert!(told("debug", "nnvm").contains("address"));
    assert!(told("predict", "magic").contains("magic"));
    assert!(told("tetris", "exact").contains("None of 200 instances"));
    assert!(refused(&["exercise", "--kind", "pack"]).contains("--planner"));
}

#[test]
fn the_search_for_a_bad_board_can_be_repeated() {
    let search = ["exercise", "--kind", "break", "--planner", "first-fit", "--tries", "2000"];
    let text = fine(&search);
    assert_eq!(fine(&search), text);
    let record = json(&fine(&[&search[..], &["--json"]].concat()));
    let (peak, bound) = (record["peak"].as_u64().expect("bytes"), record["bound"].as_u64().expect("bytes"));
    assert!(peak > bound && text.starts_with(record["board"].as_str().expect("a board")), "{text}");
    let words = refused(&[&search[..], &["--board", "A.129.0.1"]].concat());
    assert!(words.contains("129 KiB"), "{words}");
}

#[test]
fn codes_are_checked_against_the_exercise() {
    let exercise = ExerciseLink::read(LINK).expect("an exercise");
    let line = |name: &str, right: u8| {
        let outcome = Outcome { right, of: 8, attempts: 1, helped: false, shown: false, minute: 605, ratio: None };
        format!("{name}; {}", write(&exercise, name, &outcome))
    };
    let (passed, below) = (line("Ann", 7), line("Bob", 3));
    let link = format!("https://memplan.example/#{LINK}");
    let text = fine(&["exercise", "--check", &passed, &below, "nothing", "--link", &link]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Ann: passed (7 of 8 right, 2026-01-01 10:05)");
    assert!(
        lines[1].starts_with("Bob: 6 right answers are needed") && lines[2].starts_with("nothing: there is no code")
    );
    let csv = fine(&["exercise", "--check", &passed, "--link", &link, "--csv"]);
    assert_eq!(csv.lines().nth(1), Some("Ann,7,8,1,0,0,2026-01-01 10:05,passed,"));
    let record = json(&fine(&["exercise", "--check", &below, "--link", &link, "--json"]));
    assert_eq!((&record[0]["passed"], &record[0]["outcome"]["right"]), (&false.into(), &3.into()));
    let unknown = json(&fine(&["exercise", "--check", &below, "--json"]));
    assert!(unknown[0]["passed"].is_null(), "{unknown}");
    let words = refused(&["exercise", "--check", &passed, "--link", &format!("{LINK}&hint=1")]);
    assert!(words.contains("hint"), "{words}");
}

#[test]
fn a_program_that_was_handed_in_is_judged() {
    let folder = Folder::new();
    let first_fit = "fn place(buffer, gaps) { for gap in gaps { if gap.size >= buffer.size { return gap.start; } } }";
    let file = folder.file("ann.rhai", first_fit);
    let judge = |planner: &str, more: &[&str]| {
        let link = format!("#exercise=1&seed=7&plan={planner}&kind=write&of=6");
        memplan(&[&["exercise", "--judge", &file, "--name", "Ann", "--link", &link], more].concat())
    };
    let right = judge("first-fit", &[]);
    assert_eq!((code(&right), stdout(&right).as_str()), (0, "Ann: 6 of 6 sets right\n"));
    let wrong = judge("best-fit", &[]);
    assert_eq!(code(&wrong), 1);
    assert!(stdout(&wrong).starts_with("Ann: 0 of 6 sets right\nSet 1: Your program puts "), "{}", stdout(&wrong));
    let record = json(&stdout(&judge("best-fit", &["--json"])));
    assert_eq!(
        (&record["passed"], &record["right"], &record["sets"][0]),
        (&false.into(), &0.into(), &"differs".into())
    );
    assert!(refused(&["exercise", "--judge", &file]).contains("--link"));
    let other = ["exercise", "--judge", &file, "--name", "Ann", "--link", LINK];
    assert!(refused(&other).contains("kind"), "{}", refused(&other));
}

#[test]
fn figures_are_asked_and_answered() {
    let number = ["exercise", "--kind", "number", "--planner", "first-fit", "--seed", "7"];
    let text = fine(&number);
    assert!(
        text.contains("How large is the lower bound of these buffers?") && !text.contains("The largest load"),
        "{text}"
    );
    let told = fine(&[&number[..], &["--answers"]].concat());
    assert!(told.contains("The largest load is at step"), "{told}");
    let kept = json(&fine(&[&number[..], &["--json"]].concat()));
    assert_eq!((kept.get("facts"), kept["questions"][0].get("answer")), (None, None));
    let record = json(&fine(&[&number[..], &["--json", "--answers", "--lang", "zh"]].concat()));
    let figures: Vec<&str> = record["facts"]["figures"]
        .as_array()
        .expect("figures")
        .iter()
        .filter_map(|known| known["figure"].as_str())
        .collect();
    assert!(figures[0].starts_with("load@") && figures[2].starts_with("offset:"), "{figures:?}");
    assert_eq!([figures[1], figures[3], figures[4]], ["bound", "peak", "waste"]);
    assert!(record["questions"][1]["answer"].as_str().is_some_and(|words| !words.is_ascii()));
    // The buffers of the file have those figures.
    let folder = Folder::new();
    let path = folder.path("figures.csv");
    fine(&[&number[..], &["-o", &path]].concat());
    let planned = json(&fine(&["plan", &path, "--planner", "first-fit"]));
    assert_eq!(planned["pools"][0]["size"], record["facts"]["figures"][3]["value"]);
}

#[test]
fn the_ratio_of_a_board_is_printed_and_checked() {
    let pin = "A.80.0.1_B.16.0.3_C.96.1.2_D.96.2.3";
    let text = fine(&["exercise", "--kind", "break", "--planner", "first-fit", "--board", pin, "--tries", "0"]);
    assert_eq!(text, format!("{pin}\n1.714 = 196608 / 114688 B\n"));
    let link = "exercise=1&plan=first-fit&kind=break&beat=1.70&of=1";
    let exercise = ExerciseLink::read(link).expect("an exercise");
    let line = |name: &str, ratio: u16| {
        let right = u8::from(ratio > 170);
        let outcome =
            Outcome { right, of: 1, attempts: 1, helped: false, shown: false, minute: 605, ratio: Some(ratio) };
        format!("{name}; {}", write(&exercise, name, &outcome))
    };
    let (passed, below) = (line("Ann", 171), line("Bob", 170));
    let told = fine(&["exercise", "--check", &passed, &below, "--link", link]);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "Ann: passed (ratio 1.71, 2026-01-01 10:05)");
    assert_eq!(lines[1], "Bob: the ratio 1.70 is not beaten (ratio 1.70, 2026-01-01 10:05)");
    let record = json(&fine(&["exercise", "--check", &passed, "--link", link, "--json"]));
    assert_eq!((&record[0]["passed"], &record[0]["outcome"]["ratio"]), (&true.into(), &1.71.into()));
}

#[test]
fn a_worksheet_has_two_pages_for_the_printer() {
    let folder = Folder::new();
    let path = folder.path("sheet.html");
    let sheet = ["worksheet", "www/graphs/learn/fits-best.csv", "--planner", "first-fit,best-fit", "--given", "6"];
    fine(&[&sheet[..], &["--paper", "letter", "--lang", "zh", "-o", &path]].concat());
    let html = std::fs::read_to_string(&path).expect("written");
    assert!(html.contains("size:letter") && html.contains("练习单") && html.matches("<section").count() == 2);
    assert!(refused(&["worksheet", "www/graphs/resnet18.json", "--planner", "first-fit"]).contains("12 buffers"));
}

#[test]
fn buffers_of_a_file_are_put_into_the_order_of_placement() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs/learn/pin.csv");
    let ask = fine(&["exercise", "--kind", "order", file]);
    assert!(ask.contains("the peak is 192\u{202f}KiB") && !ask.contains("112"), "{ask}");
    let answered = fine(&["exercise", "--kind", "order", file, "--answers"]);
    assert!(answered.contains("The lowest peak is 112\u{202f}KiB"), "{answered}");
    let record = json(&fine(&["exercise", "--kind", "order", file, "--answers", "--json"]));
    assert_eq!((&record["peak"], &record["answer"]["peak"]), (&(192 << 10).into(), &(112 << 10).into()));
    assert_eq!(record["answer"]["proved"], true);
    assert!(refused(&["exercise", "--kind", "order"]).contains("--planner"));
    assert!(refused(&["exercise", "--kind", "debug", "--planner", "first-fit", file]).contains("--planner"));
}
