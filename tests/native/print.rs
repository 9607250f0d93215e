//! The printed page: names, figures, picture and explanation of one frame, as HTML that runs
//! nothing.

use std::collections::BTreeMap;
use std::path::Path;

use memplan_core::base::Message;
use memplan_core::problem::Scope;
use memplan_core::text::{Locale, Speech};
use memplan_engine::api;
use memplan_formats::import::{self, Answers};
use memplan_replay::{Level, Run, gap, left_out, why};
use memplan_scene::paint::{Carries, Shown, Theme, export_figure, figure_svg, print_page};
use memplan_scene::{Filter, Index, Style};

fn run(name: &str, planner: &str) -> Run {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(format!("www/graphs/{name}.json"));
    let bytes = std::fs::read(path).expect("a built-in example");
    let document = import::read(&bytes, Answers::default()).expect("a valid file").document;
    api::replay(&document, planner, &BTreeMap::new(), &Scope::default()).expect("planned").0
}

fn printed(run: &Run, frame: u32, locale: Locale) -> String {
    let frame = run.frame(run.timeline.events_at(Level::Decisions, frame));
    let style = Style { speech: Speech { locale, ..Speech::default() }, ..Style::default() };
    let options = BTreeMap::from([("tie".to_string(), "<size>".to_string())]);
    let shown = Shown { level: Level::Decisions, options, link: "https://example.org/#doc=ex:a&f=3" };
    print_page(run, &Index::new(run), &frame, &style, &shown)
}

#[test]
fn the_printed_page_has_plan_figures_and_why_and_no_buttons() {
    let run = run("unet_512", "first-fit");
    for locale in Locale::ALL {
        let html = printed(&run, 61, locale);
        assert_eq!((html.matches("<svg").count(), html.matches("<h1>").count()), (1, 1));
        assert!(!html.contains("<button") && !html.contains("<script") && !html.contains("{"), "{locale:?}");
        assert!(html.contains("tie=&lt;size&gt;") && html.contains("#doc=ex:a&amp;f=3"), "escaped");
        let speech = Speech { locale, ..Speech::default() };
        let frame = run.frame(run.timeline.events_at(Level::Decisions, 61));
        let headline = speech.say(&why(&run, &frame).headline);
        for words in [speech.bytes(run.metrics.peak), speech.bytes(run.metrics.bound()), headline, "cat_3".into()] {
            assert!(html.contains(&words), "{locale:?}: {words}");
        }
    }
}

#[test]
fn a_picture_neither_draws_nor_explains_hidden_classes() {
    let run = run("unet_512", "first-fit");
    let frame = run.frame(run.timeline.events_at(Level::Decisions, 61));
    let shown = Shown { level: Level::Decisions, options: BTreeMap::new(), link: "" };
    let picture = |filter: Filter| {
        let style = Style { titles: true, filter, ..Style::default() };
        let size = (1600.0, 900.0);
        let scenes = export_figure(&run, &Index::new(&run), &frame, size, &style, Carries::ALL, &shown);
        figure_svg(&run, &scenes, size, Theme::Light, style.speech)
    };
    let (whole, hidden) = (picture(Filter::default()), picture(Filter::read("", "0")));
    for words in ["relu_1", ">intermediate"] {
        assert_eq!((whole.contains(words), hidden.contains(words)), (true, false), "{words}");
    }
    assert!(hidden.contains(">input"), "the others are explained");
}

#[test]
fn names_of_files_cannot_leave_their_place() {
    let text = "id,lower,upper,size\n<img src=x onerror=alert(1)>,0,4,8\nb,2,6,8\n";
    let document = import::read(text.as_bytes(), Answers::default()).expect("a valid list").document;
    let (run, _) = api::replay(&document, "naive", &BTreeMap::new(), &Scope::default()).expect("planned");
    let html = printed(&run, 1, Locale::En);
    assert!(!html.contains("<img") && html.contains("&lt;img"), "{html}");
}

#[test]
fn a_plan_with_hundreds_of_decisions_beyond_its_bound_stays_on_one_page() {
    let run = run("resnet18", "naive");
    let html = printed(&run, u32::MAX, Locale::En);
    assert!(html.matches("<tr>").count() <= 10 && html.contains("more decisions"), "{}", html.matches("<tr>").count());
}

#[test]
fn the_rows_sum_to_the_heading_or_a_sentence_tells_the_rest() {
    let mut notes = 0;
    for (name, planner) in [("unet_512", "first-fit"), ("two_branches", "inductor-tree"), ("resnet18", "naive")] {
        let run = run(name, planner);
        let found = gap(&run, 0);
        let html = printed(&run, u32::MAX, Locale::En);
        let speech = Speech::default();
        let heading = speech.say(&Message::new("gap.title").bytes("above", run.metrics.waste));
        assert!(html.contains(&format!("<h2>{heading}</h2>")), "{name}: {heading}");
        let added: u64 = found.growths.iter().map(|growth| growth.adds).sum();
        let rest = left_out(&found).map(|sentence| speech.say(&sentence));
        assert_eq!(added == run.metrics.waste, rest.is_none(), "{name}");
        assert!(rest.iter().all(|rest| html.contains(rest.as_str())), "{name}: {rest:?}");
        notes += rest.iter().count();
    }
    assert_eq!(notes, 1);
}

#[test]
fn names_in_the_table_are_short() {
    let row = |name: &str, start: u32, size: u32| format!("model/decoder/{name},{start},{},{size}\n", start + 4);
    let rows = [row("a", 0, 8), row("b", 2, 8), row("c", 4, 8), row("d", 6, 8)].concat();
    let text = format!("id,lower,upper,size\n{rows}");
    let document = import::read(text.as_bytes(), Answers::default()).expect("a valid list").document;
    let (run, _) = api::replay(&document, "naive", &BTreeMap::new(), &Scope::default()).expect("planned");
    let html = printed(&run, u32::MAX, Locale::En);
    assert!(html.contains("<td>d</td>") && !html.contains("<td>model/decoder"), "{html}");
}
