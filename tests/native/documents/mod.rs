//! README, changelog and docs: their limits, their links, and the tables that are made from the
//! program.
//!
//! `UPDATE_DOCS=1 cargo test --release --features cli --test documents` writes the tables anew.

mod sections;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use memplan_core::text::{Locale, Speech};
use memplan_planners::{Evidence, INFOS, Info};
use sections::{span, with_section};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn text_of(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Paths of README, changelog, the security page and everything in docs.
fn documents() -> Vec<String> {
    let folder = fs::read_dir(root().join("docs")).expect("docs is a folder");
    let names = folder.map(|entry| entry.expect("readable").file_name().into_string().expect("a plain name"));
    let mut documents: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    documents.extend(["README.md", "CHANGELOG.md", "SECURITY.md"].map(String::from));
    documents.sort();
    documents
}

/// Returns the lines outside code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

#[test]
fn the_readme_is_short() {
    let readme = text_of("README.md");
    assert!(readme.lines().count() <= 160, "{} lines", readme.lines().count());
    for line in readme.lines() {
        assert!(line.chars().count() <= 110, "{line}");
    }
}

/// Widest line of a comment, in characters. A row of a table cannot be broken.
const WIDEST: usize = 100;

/// Lines of a program that are comments and too wide.
fn too_wide(text: &str) -> Vec<&str> {
    let comment =
        |line: &&str| line.trim_start().starts_with("//") && !line.contains("//! |") && !line.contains("/// |");
    text.lines().filter(comment).filter(|line| line.chars().count() > WIDEST).collect()
}

/// The programs below a folder.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path());
    let found = entries.flat_map(|path| if path.is_dir() { programs(&path) } else { vec![path] });
    found.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

#[test]
fn comments_are_narrow() {
    for folder in ["benches", "crates", "fuzz/fuzz_targets", "src", "tests", "xtask/src"] {
        for path in programs(&root().join(folder)) {
            let text = fs::read_to_string(&path).expect("a program");
            assert!(too_wide(&text).is_empty(), "{}: {:#?}", path.display(), too_wide(&text));
        }
    }
}

#[test]
fn a_wide_comment_is_found() {
    let wide = format!("    /// {}\n//! | {0} |\nlet text = \"{0}\";\n// short", "word ".repeat(30));
    assert_eq!(too_wide(&wide).len(), 1);
}

#[test]
fn the_changelog_has_the_usual_form_and_is_short() {
    let text = text_of("CHANGELOG.md");
    assert!(text.lines().count() <= 100, "{} lines", text.lines().count());
    for line in text.lines() {
        assert!(line.chars().count() <= 120, "one line for each entry: {line}");
    }
    let releases: Vec<&str> = text.split("\n## ").skip(1).collect();
    assert!(!releases.is_empty(), "no release");
    for release in releases {
        let name = release.lines().next().unwrap_or_default();
        let headings: Vec<&str> = release.lines().filter_map(|line| line.strip_prefix("### ")).collect();
        let known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
        assert!(!headings.is_empty() && headings.iter().all(|heading| known.contains(heading)), "{name}: {headings:?}");
    }
    let version = env!("CARGO_PKG_VERSION");
    assert!(text.contains(&format!("\n## [{version}]")), "the changelog has no section for {version}");
}

#[test]
fn the_glossary_has_at_most_thirty_terms() {
    let text = text_of("docs/architecture.md");
    let glossary =
        text.split("\n## Glossary\n").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a glossary");
    let rows = glossary.lines().filter(|line| line.starts_with("| **"));
    let terms: Vec<&str> = rows.filter_map(|row| row.split("**").nth(1)).collect();
    assert!((10..=30).contains(&terms.len()), "{} terms", terms.len());
    assert_eq!(terms.iter().collect::<BTreeSet<_>>().len(), terms.len(), "a term is explained twice: {terms:?}");
}

/// Returns the anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Targets of all links and pictures.
fn targets(text: &str) -> Vec<&str> {
    let in_line = |line: &'_ str| -> Vec<(usize, usize)> {
        let starts = line.match_indices("](").map(|(at, _)| at + 2);
        starts.filter_map(|start| Some((start, start + line[start..].find(')')?))).collect()
    };
    prose(text).flat_map(|line| in_line(line).into_iter().map(|(from, to)| &line[from..to])).collect()
}

/// Returns the links of a document that lead nowhere. `text_at` returns the text of another file,
/// or nothing if there is none.
fn broken_links(path: &str, text: &str, text_at: impl Fn(&Path) -> Option<String>) -> Vec<String> {
    let folder = Path::new(path).parent().expect("a file lies in a folder");
    let is_broken = |target: &&str| {
        let (file, wanted) = target.split_once('#').unwrap_or((target, ""));
        let linked = if file.is_empty() { Some(text.to_string()) } else { text_at(&folder.join(file)) };
        let Some(linked) = linked else { return true };
        let headings = prose(&linked).filter(|line| line.starts_with('#'));
        !wanted.is_empty() && !headings.map(|line| anchor(line.trim_start_matches('#'))).any(|found| found == wanted)
    };
    let own = targets(text).into_iter().filter(|target| !target.contains("://"));
    own.filter(is_broken).map(|target| format!("{path}: {target}")).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let text_at = |path: &Path| {
        let path = root().join(path);
        // Pictures and folders have no headings.
        path.exists().then(|| fs::read_to_string(&path).unwrap_or_default())
    };
    let mut seen = 0;
    let mut broken = Vec::new();
    for document in documents() {
        let text = text_of(&document);
        seen += targets(&text).len();
        broken.extend(broken_links(&document, &text, text_at));
    }
    assert!(seen > 20, "only {seen} links were found");
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn a_broken_link_is_found() {
    let other = "# Other\n\n## Where `it` lies, exactly\n\n```\n# no heading\n```\n";
    let text_at = |path: &Path| (path == Path::new("docs/../other.md")).then(|| other.to_string());
    let text = "# Here\n[a](../other.md) [b](../other.md#where-it-lies-exactly) [c](#here) [d](https://example.org/x)\n\
        ![e](gone.png) [f](../other.md#no-heading) [g](#there)\n```\n[h](code.md)\n```\n";
    let broken = broken_links("docs/here.md", text, text_at);
    assert_eq!(broken, ["docs/here.md: gone.png", "docs/here.md: ../other.md#no-heading", "docs/here.md: #there"]);
}

/// Folders of this repository that documents name files of.
const FOLDERS: [&str; 9] = ["crates", "src", "tests", "www", "docs", "benches", "xtask", "fuzz", "dist"];

/// Returns the paths in backticks that begin with a folder of this repository. Patterns such as
/// `www/graphs/<name>.json` are left out, and so are files that a code block of the same document
/// makes.
fn paths_named(text: &str) -> BTreeSet<&str> {
    let made: BTreeSet<&str> =
        text.lines().filter_map(|line| line.trim_start().strip_prefix("```")?.split(' ').nth(1)).collect();
    let quoted = prose(text).flat_map(|line| line.split('`').skip(1).step_by(2));
    let is_plain = |path: &&str| path.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let is_ours = |path: &&str| path.split_once('/').is_some_and(|(first, _)| FOLDERS.contains(&first));
    quoted.filter(is_plain).filter(is_ours).filter(|path| !made.contains(path)).collect()
}

/// Whether a path is not there in a fresh clone: the site is made by a build, and the inputs that
/// went wrong by a long run.
fn is_made(path: &str) -> bool {
    path.starts_with("dist/") || path == "fuzz/found"
}

#[test]
fn every_file_named_exists() {
    let mut missing = Vec::new();
    let mut seen = 0;
    for document in documents().iter().filter(|document| *document != "CHANGELOG.md") {
        let text = text_of(document);
        let paths = paths_named(&text);
        seen += paths.len();
        let lost = paths.into_iter().filter(|path| !is_made(path) && !root().join(path).exists());
        missing.extend(lost.map(|path| format!("{document}: {path}")));
    }
    assert!(seen > 40, "only {seen} paths were found");
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn paths_are_told_from_other_code() {
    let text = "`src/lib.rs` and `cargo test`, `www/graphs/<name>.json`, `a/b`, `src/new.rs`\n```rust src/new.rs\n`src/no.rs`\n```\n";
    assert_eq!(paths_named(text), BTreeSet::from(["src/lib.rs"]));
}

/// Returns how many recorded files of a system hold an answer of one of these planners, as the
/// files name them.
fn recorded(system: &str, planners: &[&str]) -> usize {
    let folder = fs::read_dir(root().join("tests/golden/data").join(system)).expect("golden data");
    let paths: Vec<PathBuf> = folder.map(|entry| entry.expect("readable").path()).collect();
    let is_of = |path: &&PathBuf| {
        if !path.to_string_lossy().ends_with(".json.gz") {
            return false;
        }
        let mut text = String::new();
        let file = fs::File::open(path).expect("readable");
        if flate2::read::GzDecoder::new(file).read_to_string(&mut text).is_err() {
            return false;
        }
        let case: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let runs = case["runs"].as_array().into_iter().flatten().map(|run| &run["algorithm"]);
        let heaps = case["cases"].as_array().into_iter().flatten().map(|heap| &heap["chosen"]);
        let cases = case["cases"].as_array().into_iter().flatten();
        let calls = cases.flat_map(|case| case["calls"].as_array().into_iter().flatten()).map(|call| &call["call"]);
        runs.chain([&case["planner"], &case["format"]])
            .chain(heaps)
            .chain(calls)
            .filter_map(|name| name.as_str())
            .any(|name| planners.contains(&name))
    };
    paths.iter().filter(is_of).count()
}

/// Where a planner comes from: name, link and version.
fn origin(info: &Info) -> String {
    let title = info.full_title(Speech { locale: Locale::En, ..Speech::default() });
    let title = info.source.url().map_or_else(|| title.clone(), |url| format!("[{title}]({url})"));
    if info.source.version.is_empty() { title } else { format!("{title}, {}", info.source.version) }
}

/// One row a planner.
fn planners() -> String {
    let listed = memplan(&["list", "--json"]);
    let listed: Vec<serde_json::Value> = serde_json::from_str(&listed).expect("a JSON list");
    let mut table = "| planner | what it does | from | time | recorded answers |\n|---|---|---|---|---:|\n".to_string();
    for (info, row) in INFOS.iter().zip(&listed) {
        assert_eq!(row["id"].as_str(), Some(info.id));
        let about = Locale::En.template(&format!("planner.{}.about", info.id)).to_string();
        let proof = match info.evidence {
            Evidence::Golden { system, planners } => recorded(system, planners).to_string(),
            Evidence::Stated(_) => "–".to_string(),
        };
        let time = row["complexity"].as_str().expect("a complexity");
        table.push_str(&format!("| `{}` | {about} | {} | {time} | {proof} |\n", info.id, origin(info)));
    }
    table
}

fn memplan(arguments: &[&str]) -> String {
    let output = crate::program().current_dir(root()).args(arguments).output();
    let output = output.expect("the program was built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Peak over bound of every planner on every built-in graph.
fn results() -> String {
    let folder = fs::read_dir(root().join("www/graphs")).expect("examples");
    let names = folder.map(|entry| entry.expect("readable").file_name().into_string().expect("a plain name"));
    let mut graphs: Vec<String> = names
        .filter(|name| name.ends_with(".json") && name != "index.json")
        .map(|name| format!("www/graphs/{name}"))
        .collect();
    graphs.sort();
    let files = graphs.iter().map(String::as_str);
    let arguments: Vec<&str> = ["compare"].into_iter().chain(files).chain(["--format", "matrix"]).collect();
    memplan(&arguments)
}

#[test]
fn the_tables_of_planners_are_those_of_the_program() {
    let path = "docs/planners.md";
    let made = BTreeMap::from([("planners", planners()), ("results", results())]);
    let old = text_of(path);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let new = made.iter().fold(old, |text, (name, table)| with_section(&text, name, table));
        return fs::write(root().join(path), new).expect("the folder is writable");
    }
    for (name, table) in made {
        let section = &old[span(&old, name)];
        for (written, wanted) in section.lines().zip(table.lines()) {
            assert_eq!(written, wanted, "{path}, {name}: write the tables anew with UPDATE_DOCS=1");
        }
        assert_eq!(section.lines().count(), table.lines().count(), "{path}, {name}");
    }
}
