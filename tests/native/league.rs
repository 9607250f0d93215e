//! The league: docs/league.md says what the figures say, every plan that can be checked here is
//! valid, and planners that make a fixed number of passes still give these plans.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;
use std::process::Output;

use flate2::read::GzDecoder;
use memplan_core::base::Family;
use memplan_core::text::Locale;
use memplan_engine::league::{
    Conditions, Entries, Entry, FORMAT, Figures, Mark, Plans, buffers, digest, judged, measured, with_tables,
};
use memplan_planners::{Effort, find};

use crate::top;

const FOLDER: &str = "www/league";

fn text(path: &str) -> String {
    std::fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn entries() -> Entries {
    serde_json::from_str(&text("www/league/entries.json")).expect("entries")
}

fn figures() -> Figures {
    serde_json::from_str(&text("www/league/figures.json")).expect("figures")
}

fn plans(id: &str) -> Plans {
    let path = top().join(FOLDER).join(format!("plans/{id}.json.gz"));
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("packed text");
    serde_json::from_str(&text).expect("plans")
}

/// The instances whose files are part of the repository.
fn at_hand(entries: &Entries) -> impl Iterator<Item = &Entry> {
    entries.instances.iter().filter(|entry| entry.is_here())
}

fn bytes(entry: &Entry) -> Vec<u8> {
    std::fs::read(top().join(FOLDER).join("instances").join(&entry.file)).expect("a file")
}

#[test]
fn the_document_says_what_the_figures_say() {
    let path = "docs/league.md";
    let written = text(path);
    let made = with_tables(&written, &entries(), &figures()).expect("all marks");
    assert!(
        made == written,
        "{path}: write it anew by `cargo xtask league`, or by `memplan league {FOLDER} -o {path}`"
    );
    assert_eq!(figures().text(), text("www/league/figures.json"));
}

#[test]
fn every_plan_at_hand_is_valid_and_has_the_figures_of_the_table() {
    let (entries, figures) = (entries(), figures());
    assert_eq!(figures.format, FORMAT);
    let mut seen = 0;
    for entry in at_hand(&entries) {
        let instance = buffers(&bytes(entry)).expect("a list of buffers");
        let measured = figures.of(&entry.id).unwrap_or_else(|| panic!("{} was not measured", entry.id));
        assert_eq!(digest(&instance), measured.digest, "{}", entry.id);
        let plans = plans(&entry.id);
        assert_eq!(plans.offsets.len(), measured.rows.len(), "{}: a plan for each row", entry.id);
        for row in &measured.rows {
            let case = format!("{} on {}", row.planner, entry.id);
            let found = judged(&instance, &plans.bytes(&row.planner).expect("a plan"));
            assert!(found.violations.is_empty(), "{case}: {:?}", found.violations);
            assert_eq!((found.peak, found.placed), (row.peak, row.placed), "{case}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen} plans");
}

/// Also of instances of other projects, of which the repository has no more than the plans.
#[test]
fn nothing_is_called_proved_without_a_bound() {
    let (entries, figures) = (entries(), figures());
    let mut seen = BTreeSet::new();
    for measured in &figures.instances {
        let entry = entries.instances.iter().find(|entry| entry.id == measured.id).expect("an entry");
        let plans = plans(&measured.id);
        for row in &measured.rows {
            let case = format!("{} on {}", row.planner, measured.id);
            let offsets = plans.bytes(&row.planner).unwrap_or_else(|| panic!("{case}: no plan"));
            let places = offsets.iter().flatten().count() as u64;
            assert_eq!((offsets.len() as u64, places), (measured.buffers, row.placed), "{case}");
            let is_whole = row.placed == measured.buffers;
            assert!(!is_whole || row.peak >= measured.floor(), "{case}: below what is proved");
            assert!(row.proved.is_none_or(|proved| measured.bound <= proved && proved <= row.peak), "{case}");
            let mark = measured.mark(row);
            seen.insert(format!("{mark:?}"));
            match mark {
                Mark::Proved => assert!(is_whole && row.peak == measured.floor(), "{case}"),
                Mark::Best => assert!(is_whole && row.peak > measured.floor(), "{case}"),
                Mark::Behind => assert!(measured.best() < Some(row.peak), "{case}"),
                Mark::Part => assert!(!is_whole, "{case}"),
            }
            if row.proved.is_some() {
                let planner = find(&row.planner).unwrap_or_else(|| panic!("{case}: no planner of memplan"));
                assert_eq!(planner.info().effort, Effort::Search, "{case}: only a search proves a bound");
            }
        }
        assert!(entry.is_here() || entry.link.as_ref().is_some_and(|link| link.starts_with("https://")));
        assert!(!entry.license.is_empty() && !entry.source.is_empty(), "{}", entry.id);
    }
    assert_eq!(seen, ["Behind", "Best", "Part", "Proved"].map(String::from).into());
}

#[test]
fn planners_of_a_fixed_number_of_passes_still_give_these_plans() {
    let entries = entries();
    let is_quick = |id: &&String| find(id).is_some_and(|planner| planner.info().effort == Effort::Pass);
    let quick: Vec<String> = entries.planners.iter().filter(is_quick).cloned().collect();
    assert!(quick.len() > 10, "{quick:?}");
    for entry in at_hand(&entries) {
        let instance = buffers(&bytes(entry)).expect("a list of buffers");
        // A clock at which every run is long enough.
        let ticks = std::cell::Cell::new(0.0);
        let clock = || {
            ticks.set(ticks.get() + 100.0);
            ticks.get()
        };
        let (_, now) = measured(&entry.id, &instance, &quick, Conditions::default(), &clock).expect("measured");
        let kept = plans(&entry.id);
        for planner in &quick {
            let is_same = kept.bytes(planner).as_ref() == now.get(planner);
            assert!(is_same, "{planner} on {}: run `cargo xtask league`", entry.id);
        }
    }
}

#[test]
fn instances_of_the_repository_are_what_their_sources_give() {
    let copy = Copy::new("sources");
    let list = copy.path("made.csv");
    for entry in at_hand(&entries()) {
        let own = digest(&buffers(&bytes(entry)).expect("a list of buffers"));
        let made: Vec<&str> = match (&entry.made_of, entry.source.strip_prefix("memplan ")) {
            (Some(file), None) => vec!["convert", file],
            (None, Some(command)) => command.split(' ').collect(),
            _ => panic!("{}: neither a file nor a command", entry.id),
        };
        let output = crate::program().args(&made).args(["-o", &list]).output().expect("the program starts");
        assert!(output.status.success(), "{made:?}: {}", String::from_utf8_lossy(&output.stderr));
        let found = buffers(&std::fs::read(&list).expect("a list")).expect("a list of buffers");
        assert_eq!(digest(&found), own, "{}", entry.id);
    }
}

/// A copy of the league with a document of its own.
struct Copy(PathBuf);

impl Copy {
    fn new(name: &str) -> Copy {
        let folder =
            std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("league-{name}-{}", std::process::id()));
        for inside in ["instances", "plans"] {
            std::fs::create_dir_all(folder.join(inside)).expect("a folder");
            for entry in std::fs::read_dir(top().join(FOLDER).join(inside)).expect("a folder").flatten() {
                std::fs::copy(entry.path(), folder.join(inside).join(entry.file_name())).expect("copied");
            }
        }
        for file in ["entries.json", "figures.json"] {
            std::fs::copy(top().join(FOLDER).join(file), folder.join(file)).expect("copied");
        }
        std::fs::copy(top().join("docs/league.md"), folder.join("league.md")).expect("copied");
        Copy(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a printable path").into()
    }

    fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).expect("written");
        self.path(name)
    }

    fn run(&self, more: &[&str]) -> Output {
        let mut program = crate::program();
        program.arg("league").arg(&self.0).args(more).output().expect("the program starts")
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The plan of a tiling by the league's first planner, as another program would write it: other
/// names, the last buffer first.
fn foreign_plan(place: impl Fn(u64) -> u64) -> String {
    let entry = entries().instances.into_iter().find(|entry| entry.id == "tiling_150").expect("an instance");
    let instance = buffers(&bytes(&entry)).expect("a list of buffers");
    let offsets = plans("tiling_150").bytes("exact").expect("a plan");
    let rows = instance.buffers.iter().zip(offsets).rev().enumerate().map(|(number, (buffer, offset))| {
        let offset = place(offset.expect("placed"));
        format!("other{number};{};{};{};{offset}\n", buffer.live.start, buffer.live.end, buffer.size)
    });
    format!("name;start;upper;size;offset\n{}", rows.collect::<String>())
}

#[test]
fn a_plan_of_another_program_joins_by_csv() {
    let copy = Copy::new("join");
    let plan = copy.file("plan.csv", &foreign_plan(|offset| offset));
    let document = copy.path("league.md");
    let output = copy.run(&["--join", &format!("other={plan}"), "-o", &document]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let figures: Figures =
        serde_json::from_str(&std::fs::read_to_string(copy.path("figures.json")).expect("figures")).expect("JSON");
    let measured = figures.of("tiling_150").expect("measured");
    let (row, exact) = (measured.row("other").expect("a row"), measured.row("exact").expect("a row"));
    assert_eq!((row.peak, row.placed, row.proved, row.ms), (exact.peak, exact.placed, None, None));
    let text = std::fs::read_to_string(&document).expect("a document");
    assert!(text.contains("\n| – | `other` |"), "a plan of one instance has no rank");
    // Written again, it is the same row.
    let lines = text.matches("`other`").count();
    assert!(copy.run(&["--join", &format!("other={plan}"), "-o", &document]).status.success());
    assert_eq!(std::fs::read_to_string(&document).expect("a document").matches("`other`").count(), lines);
}

#[test]
fn plans_that_break_rules_or_differ_from_the_table_are_refused() {
    let copy = Copy::new("refused");
    let broken = copy.file("broken.csv", &foreign_plan(|_| 0));
    let before = std::fs::read_to_string(copy.path("figures.json")).expect("figures");
    let output = copy.run(&["--join", &format!("other={broken}")]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(std::fs::read_to_string(copy.path("figures.json")).expect("figures"), before, "nothing was added");
    let strange = copy.file("strange.csv", "id,lower,upper,size,offset\na,0,1,7,0\n");
    assert_eq!(copy.run(&["--join", &format!("other={strange}")]).status.code(), Some(2));
    assert_eq!(copy.run(&["--join", &format!("exact={broken}")]).status.code(), Some(2), "the name is taken");
    assert_eq!(copy.run(&["--join", "no file"]).status.code(), Some(2));
    // A figure that no plan has.
    let mut figures = figures();
    let place = figures.instances.iter().position(|measured| measured.id == "tiling_150").expect("measured");
    figures.instances[place].rows[0].peak += 1;
    copy.file("figures.json", &figures.text());
    let output = copy.run(&["--json"]);
    assert_eq!(output.status.code(), Some(1));
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(record["wrong"].as_array().map(Vec::len), Some(1), "{record}");
    assert_eq!(record["format"], "league/1");
}

/// Names in `say("…")`, `data-word` and `data-name` of the page.
fn said() -> BTreeSet<String> {
    let (script, page) = (text("www/league.js"), text("www/league.html"));
    let parts = [("say(\"", &script), ("data-word=\"", &page), ("data-name=\"", &page)];
    let names =
        parts.iter().flat_map(|(mark, text)| text.split(mark).skip(1).filter_map(|rest| rest.split('"').next()));
    names.map(str::to_string).collect()
}

#[test]
fn the_page_has_the_words_that_it_says() {
    let known: BTreeSet<String> = Family::LEAGUE.names.split(' ').map(String::from).chain(["title".into()]).collect();
    let missing: Vec<String> = said().difference(&known).cloned().collect();
    assert!(missing.is_empty(), "no words for {missing:?}");
    let script = text("www/league.js");
    let said = said();
    let groups: BTreeSet<String> = entries().instances.iter().map(|entry| format!("set-{}", entry.group)).collect();
    let is_said =
        |name: &&String| said.contains(*name) || script.contains(&format!("\"{name}\"")) || groups.contains(*name);
    let unsaid: Vec<&String> = known.iter().filter(|name| !is_said(name)).collect();
    assert!(unsaid.is_empty(), "nothing says {unsaid:?}");
    for name in &known {
        assert!(Locale::has(&format!("league.{name}")), "{name}");
    }
}
