//! Every lesson opens every scene, and what it claims is what the scenes hold; the pages of plain
//! text are whole.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memplan_engine::lessons::{Course, Site, resolve, site};
use memplan_teach::lesson::{Hidden, Lesson, TaskKind};

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// What the lessons of the page give.
struct Made {
    lessons: Vec<Lesson>,
    pages: Site,
    faults: Vec<String>,
}

fn made() -> &'static Made {
    static MADE: OnceLock<Made> = OnceLock::new();
    MADE.get_or_init(|| {
        let course = Course::read(&root().join("www/lessons"), &root().join("www/graphs"));
        let pages = site(&course);
        let lessons = course.lessons.into_iter().map(|resolved| resolved.lesson).collect();
        Made { lessons, pages, faults: course.faults }
    })
}

fn pages() -> &'static Site {
    &made().pages
}

fn lessons() -> impl Iterator<Item = &'static Lesson> {
    made().lessons.iter()
}

#[test]
fn every_scene_figure_fact_and_answer_holds() {
    assert!(made().faults.is_empty(), "{}", made().faults.join("\n"));
    let numbers: Vec<(u32, u32)> = lessons().map(|lesson| (lesson.number, lesson.part)).collect();
    let parts = [1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3];
    assert_eq!(numbers, (1..=15).zip(parts).collect::<Vec<_>>());
    for lesson in lessons() {
        let tasks: Vec<&str> =
            lesson.paragraphs.iter().filter_map(|paragraph| Some(paragraph.task.as_ref()?.id.as_str())).collect();
        assert!((2..=4).contains(&tasks.len()), "lesson {}: {tasks:?}", lesson.number);
        assert!(lesson.scenes.len() >= 2 && lesson.minutes >= 3, "lesson {}", lesson.number);
    }
    let kinds: BTreeSet<&str> = lessons()
        .flat_map(|lesson| &lesson.paragraphs)
        .filter_map(|paragraph| {
            Some(match paragraph.task.as_ref()?.kind {
                TaskKind::Choose(_) => "choose",
                TaskKind::Number { .. } => "number",
                TaskKind::Place { .. } => "place",
                TaskKind::Pack { .. } => "pack",
                TaskKind::Order { .. } => "order",
                TaskKind::Write { .. } => "write",
            })
        })
        .collect();
    assert_eq!(kinds.len(), 6, "{kinds:?}");
}

/// A lesson of one paragraph about five buffers; `change` makes it another one.
fn faults(change: impl Fn(&str) -> String) -> Vec<String> {
    let source = r#"{"format":"memplan-lesson/1","number":1,"id":"one","part":1,"title":{"en":"One","zh":"一"},"able":{"en":"Read.","zh":"读。"},
        "picture":"end","scenes":{"end":{"document":"learn/pin","planner":"first-fit","frame":"last"}},
        "paragraphs":[{"id":"p","scene":"end","text":{"en":"{b:A} has {size:A}; the peak is {peak}.","zh":"{b:A} 有 {size:A}，峰值 {peak}。"},
        "task":{"id":"a","kind":"number","ask":{"en":"How large is the bound?","zh":"下界是多少？"},"figure":"bound","hint":{"en":"Add.","zh":"加。"},"right":{"en":"Yes.","zh":"对。"},
        "wrong":[{"when":"peak","say":{"en":"That is the peak.","zh":"那是峰值。"}}]}}],"facts":["peak@end = 196608"]}"#;
    resolve(&change(source), &root().join("www/graphs")).err().unwrap_or_default()
}

#[test]
fn what_does_not_hold_is_refused() {
    assert_eq!(faults(str::to_string), Vec::<String>::new());
    let cases = [
        ("{b:A} has", "{b:Q} has", "no buffer Q"),
        ("the peak is {peak}", "the peak is 192", "a figure is typed"),
        ("{size:A}; the", "the", "other marks in Chinese"),
        ("= 196608", "= 196609", "does not hold"),
        ("\"frame\":\"last\"", "\"frame\":5", "frame 5"),
        ("first-fit", "no-fit", "no-fit"),
        ("learn/pin", "learn/none", "no example"),
        ("\"figure\":\"bound\"", "\"figure\":\"peak\"", "is said to be wrong"),
        ("\"figure\":\"bound\"", "\"figure\":\"size:Q\"", "no buffer Q"),
        ("\"hint\":{\"en\":\"Add.\",\"zh\":\"加。\"},", "", "needs a hint"),
        ("memplan-lesson/1", "memplan-lesson/2", "the format is"),
        ("\"end\":{\"document\"", "\"a/../b\\\" x=\":{\"document\"", "letters, digits and hyphens"),
        ("learn/pin", "learn/../learn/pin", "no example"),
        ("learn/pin", "/tmp/pin", "no example"),
        ("\"frame\":\"last\"", "\"align\":3,\"frame\":\"last\"", "no power of two"),
        ("\"number\":1", "\"number\":4294967295", "lesson 4294967295"),
        ("\"part\":1", "\"part\":0", "of part 0"),
        ("{peak}.", "{=size:A - peak}.", "is below 0"),
        ("{peak}.", "{=inf}.", "no figure inf"),
        ("\"kind\":\"number\"", "\"kind\":\"pack\"", "no goal"),
        ("\"kind\":\"number\"", "\"kind\":\"guess\"", "unknown variant"),
        ("\"kind\":\"number\"", "\"kind\":\"write\"", "no exercise"),
        ("{\"en\":\"Yes.\",\"zh\":\"对。\"}", "{\"en\":\"Yes.\",\"zh\":\"\"}", "an empty text"),
    ];
    for (from, to, expected) in cases {
        let found = faults(|source| source.replacen(from, to, 1));
        assert!(found.iter().any(|fault| fault.contains(expected)), "{from} → {to}: {found:?}");
    }
    let ratio = |source: &str| source.replace("\"figure\":\"bound\"", "\"figure\":\"ratio\"");
    let found = faults(ratio);
    assert!(found.iter().any(|fault| fault.contains("no decimals are asked for")), "{found:?}");
    let decimals = |source: &str| ratio(source).replace("\"ratio\",", "\"ratio\",\"decimals\":2,");
    assert_eq!(faults(decimals), Vec::<String>::new());
    let wrong = r#","wrong":[{"when":"peak","say":{"en":"That is the peak.","zh":"那是峰值。"}}]"#;
    let silent = |source: &str| {
        source.replace(wrong, "").replace("\"number\",\"ask\"", "\"choose\",\"set\":\"at-peak\",\"ask\"")
    };
    let found = faults(silent);
    assert!(found.iter().any(|fault| fault.contains("nothing says why")), "{found:?}");
}

#[test]
fn sizes_of_a_text_add_up_as_they_are_written() {
    // On the plan these are 3.06 MiB each and 6.13 MiB together.
    let text = |en: &str| {
        let words = format!(r#""text":{{"en":"{en}","zh":"{en}"}}"#);
        let old = r#""text":{"en":"{b:A} has {size:A}; the peak is {peak}.","zh":"{b:A} 有 {size:A}，峰值 {peak}。"}"#;
        faults(|source| source.replace("learn/pin", "resnet18").replace("= 196608", "= 7024640").replace(old, &words))
    };
    let has_fault = |en: &str| text(en).iter().any(|fault| fault.contains("do not add up"));
    assert!(has_fault("{size:conv2d} and {size:batch_norm} make {load:1}."));
    assert!(!has_fault("{size:conv2d!} + {size:batch_norm!} = {load:1!}, the {load:1} of the plan."));
    assert!(!has_fault("{size:conv2d} and {size:batch_norm} are alive."), "no sum stands there");
}

/// What a text says of numbers in circles is to be seen beside it.
#[test]
fn marks_that_a_text_names_are_on_the_plan_beside_it() {
    let mut named = 0;
    for lesson in lessons() {
        let mut scene = None;
        for paragraph in &lesson.paragraphs {
            scene = paragraph.scene.as_ref().or(scene);
            let Some(text) = &paragraph.text else { continue };
            let names = [text.en.contains("in circles"), text.zh.contains("圆圈")];
            assert_eq!(names[0], names[1], "lesson {} {}", lesson.number, paragraph.id);
            if names[0] {
                let shown = &lesson.scenes[scene.expect("a scene")];
                assert!(!shown.rests() && shown.select.is_none(), "lesson {} {}", lesson.number, paragraph.id);
                named += 1;
            }
        }
    }
    assert!(named > 0);
}

#[test]
fn figures_are_those_of_the_planner() {
    let first = lessons().next().expect("a first lesson");
    let resolved = serde_json::to_string(first).expect("plain data");
    let figure = |words: &str| resolved.contains(&format!("{{f:{words}}}"));
    // Both peaks of the first example, as the command line prints them.
    assert!(figure("3\u{202f}580\u{202f}B") && figure("1\u{202f}704\u{202f}B"), "{resolved}");
    assert!(!resolved.contains("{peak}") && !resolved.contains("{size:"), "a figure is not written out");
}

#[test]
fn pages_of_plain_text_are_whole() {
    for folder in ["", "zh/"] {
        for number in 1..=15 {
            let path = format!("{folder}{number:02}.html");
            let page = pages().get(&path).unwrap_or_else(|| panic!("{path} is there"));
            for part in
                ["<title>", "name=\"description\"", "rel=\"canonical\"", "rel=\"alternate\"", "<details>", "<h1>"]
            {
                assert!(page.contains(part), "{path}: {part}");
            }
            assert!(!page.contains("<script") && !page.contains("style=\"") && !page.contains('{'), "{path}");
            assert!(!page.contains("alt=\"\""), "{path}: a picture without words");
        }
        assert_eq!(pages()[&format!("{folder}index.html")].matches("<li value=").count(), 15);
    }
}

#[test]
fn links_of_the_plain_pages_lead_somewhere() {
    for (path, page) in pages().iter().filter(|(path, _)| path.ends_with(".html")) {
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        for attribute in ["href=\"", "src=\"", "srcset=\""] {
            for target in page.split(attribute).skip(1).filter_map(|rest| rest.split('"').next()) {
                let (file, id) = target.split_once('#').unwrap_or((target, ""));
                let file = normal(&folder.join(file));
                // The page of the application and the style sheet are made by the build.
                let made = ["../index.html", "lesson.css", "../icons/icon-192.png"];
                if made.contains(&file.as_str()) {
                    continue;
                }
                let found = pages().get(&file).unwrap_or_else(|| panic!("{path}: {target}"));
                assert!(id.is_empty() || found.contains(&format!("id=\"{id}\"")), "{path}: {target}");
            }
        }
    }
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.iter().filter_map(|part| part.to_str()) {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn pictures_of_a_scene_keep_back_what_the_scene_hides() {
    // The words of the plan at the bound and at the peak in both languages.
    let words = [(Hidden::Bound, ">bound ", ">下界 "), (Hidden::Peak, ">peak ", ">峰值 ")];
    for (hidden, en, zh) in words {
        let mut kept_back = 0;
        let mut shown = 0;
        for lesson in lessons() {
            for (name, scene) in &lesson.scenes {
                for (folder, label) in [("", en), ("zh/", zh)] {
                    for theme in ["", "-dark", "-narrow", "-narrow-dark"] {
                        let path = format!("{folder}pictures/{:02}-{name}{theme}.svg", lesson.number);
                        let is_shown = pages()[&path].contains(label);
                        assert!(!(scene.hides(hidden) && is_shown), "{path} tells {label}");
                        kept_back += usize::from(scene.hides(hidden));
                        shown += usize::from(is_shown);
                    }
                }
            }
        }
        assert!(kept_back > 10 && shown > 10, "{hidden:?}: {kept_back} kept back, {shown} shown");
    }
}

/// The plan for fifty minutes (`www/teach/hour.json`) is whole in both languages, and its links
/// lead to paragraphs.
#[test]
fn the_hour_has_fifty_minutes_and_leads_somewhere() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("www");
    let text = std::fs::read_to_string(root.join("teach/hour.json")).expect("it is there");
    let hour: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let course = Course::read(&root.join("lessons"), &root.join("graphs"));
    let links = |lang: &str| -> Vec<(u64, String)> {
        let rows = hour[lang]["rows"].as_array().expect("rows");
        let row = |row: &serde_json::Value| {
            let parts = ["title", "what", "ask", "expect"];
            assert!(parts.iter().all(|part| row[part].as_str().is_some_and(|text| !text.is_empty())));
            (row["minutes"].as_u64().expect("minutes"), row["link"].as_str().expect("a link").to_string())
        };
        rows.iter().map(row).collect()
    };
    assert_eq!(links("en"), links("zh"));
    let books = |lang: &str| {
        let topics = hour[lang]["map"]["topics"].as_array().expect("topics").iter();
        topics.map(|topic| topic["books"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(books("en"), books("zh"), "a section has one name");
    assert!(books("en").iter().all(|books| books.as_array().is_some_and(|books| !books.is_empty())));
    assert_eq!(links("en").iter().map(|(minutes, _)| minutes).sum::<u64>(), 50);
    for (_, link) in links("en").iter().filter(|(_, link)| link.starts_with("learn=")) {
        let (lesson, paragraph) = link["learn=".len()..].split_once("&p=").expect("a paragraph");
        let found = course.lessons.iter().find(|found| found.lesson.number.to_string() == lesson).expect("a lesson");
        assert!(paragraph.parse::<usize>().is_ok_and(|at| (1..=found.lesson.paragraphs.len()).contains(&at)), "{link}");
    }
}
