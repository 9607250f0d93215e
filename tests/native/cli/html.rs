//! `memplan html`: what is in the files, and what never is.

use std::collections::BTreeMap;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use super::*;

const TEMPLATE: &str = include_str!("../../../www/one.html");

/// A name that would end a script, and one that would leave its folder.
const NASTY: &str = "</script><script>alert(1)</script>/../网";

/// A small page in a folder, as a build leaves it.
fn page(folder: &Folder) -> String {
    fs::create_dir_all(folder.0.join("page/build-12ab/locales")).expect("a folder");
    fs::create_dir_all(folder.0.join("page/graphs")).expect("a folder");
    folder.file("page/index.html", "<script src=\"./build-12ab/start.js\"></script>");
    folder.file("page/build-12ab/one.html", TEMPLATE);
    folder.file("page/build-12ab/app.js", "start();");
    folder.file("page/build-12ab/reader.js", "read();");
    folder.file("page/build-12ab/writer.js", "answer();");
    folder.file("page/build-12ab/locales/en.json", "{}");
    folder.file("page/graphs/teaching.json", "{}");
    let list = r#"["app.js","locales/en.json","one.html","reader.js","writer.js","graphs/teaching.json"]"#;
    folder.file("page/build-12ab/inside.json", list);
    folder.path("page")
}

/// The text between an element's tags.
fn part<'a>(text: &'a str, begins: &str) -> &'a str {
    text.split_once(begins).and_then(|(_, rest)| rest.split_once("</script>")).expect("an element").0
}

/// The files in a part of a page, as the page unpacks them.
fn unpacked(text: &str, id: &str) -> BTreeMap<String, Vec<u8>> {
    let packed = part(text, &format!("id=\"{id}\">"));
    let mut whole = Vec::new();
    GzDecoder::new(&STANDARD.decode(packed).expect("base64")[..]).read_to_end(&mut whole).expect("gzip");
    let length = u32::from_le_bytes(whole[..4].try_into().expect("four bytes")) as usize;
    let list: Vec<(String, usize)> = serde_json::from_slice(&whole[4..4 + length]).expect("a list");
    let mut rest = &whole[4 + length..];
    let files = list.into_iter().map(|(path, size)| {
        let (file, others) = rest.split_at(size);
        rest = others;
        (path, file.to_vec())
    });
    let files = files.collect();
    assert!(rest.is_empty());
    files
}

fn link(text: &str) -> String {
    String::from_utf8(unpacked(text, "memplan-document")["link"].clone()).expect("text")
}

/// Fails if a file could ask for anything: no address leads out of it.
fn asks_for_nothing(text: &str) {
    for word in ["http://", "https://", " src=", "@import", "url(\"", "url('"] {
        let found: Vec<&str> = text.match_indices(word).map(|(at, _)| &text[at..text.len().min(at + 40)]).collect();
        // The name of SVG in XML, which nothing asks for.
        let found: Vec<&&str> = found.iter().filter(|found| !found.starts_with("http://www.w3.org/2000/svg")).collect();
        assert!(found.is_empty(), "{word}: {found:?}");
    }
    assert!(text.contains("default-src 'none'") && !text.contains("'unsafe-inline'"));
}

#[test]
fn the_policy_names_the_script_of_the_file_and_nothing_else_runs() {
    let script = part(TEMPLATE, "<script type=\"module\">");
    let digest = STANDARD.encode(Sha256::digest(script.as_bytes()));
    assert!(
        TEMPLATE.contains(&format!("script-src 'sha256-{digest}' blob: 'wasm-unsafe-eval'")),
        "write sha256-{digest}"
    );
    assert_eq!(TEMPLATE.matches("<script").count(), 3, "two parts that are no scripts, and the one that unpacks them");
    asks_for_nothing(TEMPLATE);
}

#[test]
fn a_file_holds_the_page_the_document_and_where_to_begin() {
    let folder = Folder::new();
    let page = page(&folder);
    let graph = GRAPH.replacen("\"tiny\"", &serde_json::json!(NASTY).to_string(), 1);
    let input = folder.file("tiny.json", &graph);
    let text = fine(&[
        "html",
        &input,
        "--page",
        &page,
        "--planner",
        "best-fit;tie=size",
        "--frame",
        "2",
        "--lang",
        "zh",
        "--with",
        "weights",
        "--align",
        "8",
        "--symbol",
        "s0=4",
    ]);
    asks_for_nothing(&text);
    assert_eq!((text.matches("<script").count(), text.matches("</script>").count()), (3, 3));
    assert!(text.contains("<title>&lt;/script&gt;"), "the title is escaped");
    let inside = unpacked(&text, "memplan-page");
    let paths: Vec<&str> = inside.keys().map(String::as_str).collect();
    assert_eq!(paths, ["app.js", "graphs/teaching.json", "locales/en.json", "one.html"], "no reader is needed");
    let documents = unpacked(&text, "memplan-document");
    let name = "__script__script_alert_1___script__.._网";
    assert_eq!(documents[&format!("graphs/{name}.json")], graph.as_bytes());
    let escaped = name.replace('网', "%E7%BD%91");
    let expected = format!(
        "doc=ex:{escaped}&plan=best-fit&opt=tie:size&with=inputs:0,outputs:0,weights:1,align:8,@s0:4&f=2&lang=zh"
    );
    assert_eq!(link(&text), expected);
}

#[test]
fn a_document_takes_the_place_of_no_example() {
    let folder = Folder::new();
    let page = page(&folder);
    let own = folder.file("teaching.csv", BUFFERS);
    let text = fine(&["html", &own, "--page", &page]);
    assert_eq!(link(&text), "doc=ex:teaching-1");
    assert_eq!(unpacked(&text, "memplan-document")["graphs/teaching-1.json"], BUFFERS.as_bytes());
    let example = fine(&["html", "ex:teaching", "--page", &page]);
    assert_eq!(link(&example), "doc=ex:teaching");
    assert!(!unpacked(&example, "memplan-page").contains_key("graphs/teaching.json"), "it is there once");
    let diff = fine(&[
        "html",
        &own,
        "--diff",
        &folder.file("teaching.json", GRAPH),
        "--page",
        &page,
        "--planner",
        "first-fit",
    ]);
    assert_eq!(link(&diff), "mode=diff&old=ex:tiny&new=ex:teaching-1&plan=first-fit");
    assert_eq!(unpacked(&diff, "memplan-document").len(), 3);
}

#[test]
fn a_file_of_another_tool_goes_in_as_what_was_read_of_it() {
    let folder = Folder::new();
    let page = page(&folder);
    let path = "tests/import/onnx/squeezenet1_1_no_value_info.onnx";
    let text = fine(&["html", path, "--page", &page]);
    let documents = unpacked(&text, "memplan-document");
    let (_, document) = documents.iter().find(|(path, _)| path.starts_with("graphs/")).expect("a document");
    assert!(document.starts_with(b"memplan-read/"));
    // From anywhere else such bytes are refused, since nothing checks them.
    assert!(import::read(document, Answers::default()).is_err());
    let programs = unpacked(&text, "memplan-page");
    assert!(!programs.contains_key("reader.js") && !programs.contains_key("writer.js"));
}

#[test]
fn what_cannot_be_shown_is_refused_before_anything_is_written() {
    let folder = Folder::new();
    let page = page(&folder);
    let (graph, buffers) = (folder.file("g.json", GRAPH), folder.file("b.csv", BUFFERS));
    let old = folder.file("old.json", GRAPH);
    let before = folder.names();
    for (options, words) in [
        (&[&*graph, "--page", &page, "-o", &graph][..], "is one of the files that this command reads"),
        (&[&graph, "--page", &page, "--diff", &old, "-o", &old], "is one of the files that this command reads"),
        (&[&graph, "--light", "-o", &graph], "is one of the files that this command reads"),
        (&[&buffers, "--page", &page, "--planner", "inductor-tree"], "graph"),
        (&[&graph, "--page", &page, "--planner", "first-fit", "--frame", "99"], "99"),
        (&[&graph, "--light", "--planner", "first-fit", "--frame", "99"], "99"),
        (&[&graph, "--page", &page, "--planner", "no-such"], "no-such"),
        (&[&graph, "--page", &page, "--planner", "imported"], "plan"),
        (&[&graph, "--page", &folder.path("nowhere")], "holds no built page"),
        (&["-", "--diff", "-", "--page", &page], "standard input"),
        (&[&graph, "--light", "--diff", &old], "--diff"),
    ] {
        let output = memplan(&[&["html"][..], options].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(words), "{options:?}: {said}");
        assert!(output.stdout.is_empty(), "{options:?}");
    }
    assert_eq!(folder.names(), before);
}

#[test]
fn a_large_file_names_what_is_smaller() {
    let folder = Folder::new();
    let page = page(&folder);
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'0' + (state >> 58) as u8)
    };
    folder.file("page/build-12ab/app.js", (0..6_000_000).map(|_| noise()).collect::<String>());
    let graph = folder.file("g.json", GRAPH);
    let target = folder.path("plan.html");
    let told = |more: &[&str]| {
        let given = ["html", &graph, "--page", &page, "-o", &target];
        stderr(&memplan(&[&given[..], more].concat()))
    };
    assert!(told(&[]).contains("--light writes a smaller one."));
    let of_two = told(&["--diff", &graph]);
    assert!(of_two.contains("`memplan diff`") && !of_two.contains("--light"), "{of_two}");
}

#[test]
fn a_light_file_is_read_without_scripts_and_holds_all_frames_that_fit() {
    let folder = Folder::new();
    let graph = GRAPH.replacen("\"tiny\"", &serde_json::json!(NASTY).to_string(), 1);
    let graph = graph.replace("\"a\"", "\"</script>a\"");
    let input = folder.file("a b.json", &graph);
    for (lang, words) in [("en", "lower bound"), ("zh", "下界")] {
        let text = fine(&["html", &input, "--light", "--planner", "first-fit", "--lang", lang]);
        asks_for_nothing(&text);
        assert_eq!(text.matches("</script>").count(), 2, "names end no script");
        assert!(text.len() < 300_000 && text.contains(words) && text.contains("<h2>"), "{lang}");
        assert!(text.contains("memplan html 'a b.json' --planner first-fit --light") && !text.contains(&input));
        let mut data = String::new();
        let packed = STANDARD.decode(part(&text, "id=\"frames\">")).expect("base64");
        GzDecoder::new(&packed[..]).read_to_string(&mut data).expect("gzip");
        let data: Value = serde_json::from_str(&data).expect("JSON");
        let frames = data["frames"].as_array().expect("frames");
        // What stands in the file as it is, is the frame that it begins with.
        let first = &frames[data["at"].as_u64().expect("a number") as usize];
        assert!(text.contains(first["why"].as_str().expect("words")));
        let numbers: Vec<u64> = frames.iter().map(|frame| frame["k"].as_u64().expect("a number")).collect();
        assert_eq!(numbers, (0..frames.len() as u64).collect::<Vec<_>>());
        let lines = data["lines"].as_array().expect("lines");
        let picture: Vec<&str> = first["wide"]
            .as_array()
            .expect("numbers")
            .iter()
            .map(|line| lines[line.as_u64().expect("a number") as usize].as_str().expect("a line"))
            .collect();
        assert!(text.contains(&picture.join("\n")), "the picture is the same");
        let (looks, script) = (
            text.split_once("<style>").expect("looks").1.split_once("</style>").expect("an end").0,
            part(&text, "<script type=\"module\">"),
        );
        for (kind, part) in [("style", looks), ("script", script)] {
            let digest = STANDARD.encode(Sha256::digest(part.as_bytes()));
            assert!(text.contains(&format!("{kind}-src 'sha256-{digest}'")), "{kind}");
        }
    }
}

#[test]
fn a_light_file_of_a_long_run_says_that_frames_are_left_out() {
    let rows: String = (0..400).map(|row| format!("b{row},{row},{},{}\n", row + 3, 1 + row * 7919 % 97)).collect();
    let folder = Folder::new();
    let input = folder.file("long.csv", format!("id,lower,upper,size\n{rows}"));
    let output = memplan(&["html", &input, "--light", "--planner", "first-fit", "--frame", "123"]);
    let (text, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("frames are left out"), "{said}");
    assert!(text.len() <= 300_000 && text.contains("of 401 frames are in this file"), "{}", text.len());
    assert!(text.contains("data-frame=\"123\""));
}
