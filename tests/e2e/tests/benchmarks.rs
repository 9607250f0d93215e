//! The page of benchmarks: its own tables, files of one's own, and how far the browser is behind a
//! native program.

use std::path::PathBuf;
use std::time::Instant;

use memplan_e2e::Page;
use memplan_engine::{Engine, PlannerChoice, Timing};
use memplan_formats::import::{self, Answers};
use memplan_planners::INFOS;

use crate::samples::BUFFERS;
use crate::{Test, measure, nightly};

pub const TESTS: &[Test] = &[
    nightly("the_page_of_benchmarks_comes_to_its_end", to_the_end),
    nightly("files_that_are_dropped_are_timed", dropped),
    Test { needs: Some(INSTANCES), ..measure("the_search_in_the_browser_visits_the_nodes_of_a_native_one", search) },
    measure("a_hundred_thousand_buffers_are_planned", hundred_thousand),
];

/// The tables of the page, each with a row of numbers, in the order in which they are measured.
const TABLES: [&str; 6] = ["plan", "size", "seek", "scene", "import", "large"];

fn to_the_end(page: &mut Page) {
    page.visit("bench.html?quick", "");
    // Minutes in all; cell after cell comes, each within the limit of a wait.
    let mut seen = String::new();
    while page.text("#state") != "Done." {
        seen =
            page.until_some("another figure or the end", |page| Some(page.text("body")).filter(|text| *text != seen));
    }
    for table in TABLES {
        let rows: Vec<Vec<String>> = page.eval(&format!(
            "[...document.querySelectorAll('#{table} tr')].slice(1).map(row => [...row.cells].slice(1).map(cell => cell.textContent))"
        ));
        let numbers = rows.iter().flatten().filter(|cell| cell.parse::<f64>().is_ok()).count();
        assert!(!rows.is_empty() && numbers * 2 > rows.iter().map(Vec::len).sum::<usize>(), "{table}: {rows:?}");
    }
    let cells = page.texts("#plan tr:nth-child(2) td");
    let is_time = |cell: &String| cell.parse::<f64>().is_ok() || cell == "–";
    assert!(cells.len() > INFOS.len() / 2 && cells[1..].iter().all(is_time), "{cells:?}");
}

/// Times planners on files with the page; its rows, without the heading and the sum.
fn rows(page: &mut Page, planners: &str, span: u32, files: &[(&str, Vec<u8>)]) -> Vec<Vec<String>> {
    page.visit("bench.html", "");
    page.until_there("#known option[value=exact]");
    page.browser.type_into("#named", planners);
    page.browser.type_into("#span", &format!("\u{e009}a\u{e000}{span}"));
    page.drop_files(files);
    page.until("the sum", "document.querySelector('#files tr.sum')");
    let rows = "[...document.querySelectorAll('#files tr:not(.sum)')].slice(1).map(row => [...row.cells].map(cell => cell.textContent))";
    page.eval(rows)
}

fn natively(bytes: &[u8], planner: &str, span: f64) -> Timing {
    let document = import::read(bytes, Answers::default()).expect("a list of buffers").document;
    let begin = Instant::now();
    let clock = || begin.elapsed().as_secs_f64() * 1e3;
    Engine::with_document(document).time(&PlannerChoice::read(planner), &clock, span).expect("the planner applies")
}

fn dropped(page: &mut Page) {
    let list = ("list.csv", BUFFERS.as_bytes().to_vec());
    let found = rows(page, "first-fit, exact;capacity=1700, no-planner", 0, &[list, ("not.csv", b"?".to_vec())]);
    assert_eq!(found.len(), 4, "{found:?}");
    for (row, planner) in found.iter().zip(["first-fit", "exact;capacity=1700"]) {
        let timing = natively(BUFFERS.as_bytes(), planner, 0.0);
        assert_eq!(row[..3], ["list.csv".to_string(), planner.into(), timing.buffers.to_string()]);
        let peak = timing.peak.map(|peak| peak.to_string()).expect("a plan");
        assert_eq!(row[5..7], [timing.nodes.to_string(), peak]);
        assert!(row[3].parse::<f64>().is_ok_and(|millis| millis < 1e3), "{row:?}");
    }
    assert_eq!(found[2][2], "fault.unknown-planner");
    assert_eq!(found[3].len(), 2, "what cannot be read is told: {:?}", found[3]);

    // Without names all planners that apply are run.
    let all = rows(page, "", 0, &[("list.csv", BUFFERS.as_bytes().to_vec())]);
    assert!(all.len() > 15 && all.iter().all(|row| row.len() == 8), "{all:?}");
}

/// The variable that names the folder with the instances of MiniMalloc.
const INSTANCES: &str = "MEMPLAN_BENCHMARKS";

/// MiniMalloc's hard set at its capacity, natively and in the browser. The times are printed.
fn search(page: &mut Page) {
    const PLANNER: &str = "exact;capacity=1048576";
    const SPAN: u32 = 1_500;
    let folder = std::env::var_os(INSTANCES).map(PathBuf::from).expect("MEMPLAN_BENCHMARKS names the folder");
    let files: Vec<(String, Vec<u8>)> = ["A", "B", "C", "D", "E", "F", "G", "H"]
        .map(|name| format!("{name}.1048576.csv"))
        .map(|name| (name.clone(), std::fs::read(folder.join(&name)).unwrap_or_else(|error| panic!("{name}: {error}"))))
        .into();
    // All instances share a visit, because a browser takes its time to compile with care what is
    // run first.
    let named: Vec<(&str, Vec<u8>)> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let (mut natively, mut in_browser) = (0.0, 0.0);
    for ((name, bytes), row) in files.iter().zip(&rows(page, PLANNER, SPAN, &named)) {
        let timing = self::natively(bytes, PLANNER, SPAN.into());
        assert_eq!(row[5..7], [timing.nodes.to_string(), timing.peak.expect("a plan").to_string()], "{name}");
        let there: f64 = row[3].parse().expect("milliseconds");
        println!("{name}: {:.2} ms natively, {there:.2} ms in the browser", timing.millis);
        (natively, in_browser) = (natively + timing.millis, in_browser + there);
    }
    println!("together {:.2} times as long in the browser", in_browser / natively);
}

/// Planners that make more than one pass, for as long as their budget lasts.
const SEARCHES: [&str; 5] = ["exact", "best", "reorder", "hill-climb", "usmp-hill-climb"];

fn hundred_thousand(page: &mut Page) {
    page.visit("bench.html", "");
    page.until_there("#known option[value=exact]");
    let timed = |page: &Page, count: u32, id: &str| {
        let body = "const [count, id, done] = arguments;
            // The page's own, which lies in the folder of the version.
            const program = performance.getEntriesByType('resource').find(e => e.name.endsWith('/engine.js')).name;
            import(program).then(engine => done(engine.benchSize(count, id)));";
        page.browser.script_later::<f64>(body, vec![count.into(), id.into()])
    };
    // The page's own tables would be timed as well.
    page.drop_files(&[("list.csv", BUFFERS.as_bytes().to_vec())]);
    page.until_there("#files tr.sum");
    println!("100 000 buffers by size in {:.0} ms", timed(page, 100_000, "greedy-by-size"));
    for info in INFOS.iter().filter(|info| info.ranked && !SEARCHES.contains(&info.id)) {
        println!("500 buffers by {} in {:.1} ms", info.id, timed(page, 500, info.id));
    }
}
