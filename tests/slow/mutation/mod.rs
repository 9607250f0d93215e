//! Damaged files, taken the whole way on a small stack, with a limit of time and memory for each:
//! nothing panics, hangs or fills the memory, and what is written reads back.
//!
//! The work is done by a process of its own, which is started again behind an input that ends it.
//! `cargo xtask fuzz` runs this for longer, with other numbers, and prints what was found.

mod measure;
mod mutate;
mod whole;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use mutate::Seeds;

/// Stack of the thread that works: that of a program in the browser.
const STACK: usize = 1 << 20;

/// Time of the processor for one input: twice as long as a search takes by default on the slowest
/// of several machines. Unoptimised code takes about ten times as long.
const TIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 40 } else { 4 });

/// How often a slow input is measured again; the shortest time counts.
const REPEATS: u32 = 2;

/// Bytes for one input.
const BYTES: usize = 512 << 20;

/// Time by the clock after which an input counts as one that never ends, on a machine that does
/// other things too.
const NEVER: Duration = Duration::from_secs(if cfg!(debug_assertions) { 200 } else { 60 });

/// Most findings of one run that are told; a run that may not have any ends at the first few.
const MOST: usize = 200;

/// What the process that works is told, and where it writes.
const ORDER: &str = "MEMPLAN_MUTATION";

/// An input that went wrong.
#[derive(Clone, PartialEq, Debug)]
struct Finding {
    kind: String,
    target: usize,
    number: u64,
    words: String,
}

/// What became of the inputs of one format.
#[derive(Clone, Default)]
struct Row {
    inputs: u64,
    documents: u64,
    slowest: u64,
    largest: u64,
}

/// A process's work: inputs from `number` on, until `until` by the clock.
fn work(folder: &Path, base: u64, first: u64, span: Duration) {
    let seeds = Seeds::read();
    let at = Arc::new(AtomicU64::new(first));
    let told: Arc<Mutex<String>> = Arc::default();
    let hook = told.clone();
    panic::set_hook(Box::new(move |info| {
        *hook.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = info.to_string().replace(['\n', '\t'], " ");
    }));
    let (number, report) = (at.clone(), folder.join("report"));
    let mut findings = OpenOptions::new().create(true).append(true).open(report).expect("a report");
    let state = folder.join("number");
    let start = Instant::now();
    let worker = thread::Builder::new().stack_size(STACK).spawn(move || {
        let mut rows: BTreeMap<usize, Row> = BTreeMap::new();
        let mut state = File::create(state).expect("a file for the number");
        while start.elapsed() < span {
            let now = number.load(Relaxed);
            // What is read if this process ends here.
            replace(&mut state, now);
            let input = seeds.input(base, now);
            let run =
                || measure::taken(|| panic::catch_unwind(AssertUnwindSafe(|| whole::whole(&input.bytes, input.turn))));
            let (mut taken, done) = run();
            // A busy machine slows a processor down, too: slow inputs are slow each time.
            for _ in 0..REPEATS {
                if taken.time > TIME && done.is_ok() {
                    taken.time = taken.time.min(run().0.time);
                }
            }
            let row = rows.entry(input.target).or_default();
            row.inputs += 1;
            row.documents += u64::from(matches!(done, Ok(true)));
            row.slowest = row.slowest.max(taken.time.as_millis() as u64);
            row.largest = row.largest.max(taken.bytes as u64 >> 20);
            let mut tell = |kind: &str, words: &str| {
                let _ = writeln!(findings, "found\t{kind}\t{}\t{now}\t{words}", input.target);
            };
            if done.is_err() {
                tell("panic", &told.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
            }
            if taken.time > TIME {
                tell("slow", &format!("{} ms", taken.time.as_millis()));
            }
            if taken.bytes > BYTES {
                tell("large", &format!("{} MB", taken.bytes >> 20));
            }
            number.store(now + 1, Relaxed);
        }
        for (target, Row { inputs, documents, slowest, largest }) in rows {
            let _ = writeln!(findings, "row\t{target}\t{inputs}\t{documents}\t{slowest}\t{largest}");
        }
    });
    let worker = worker.expect("a thread");
    let (mut last, mut since) = (first, Instant::now());
    while !worker.is_finished() {
        thread::sleep(Duration::from_millis(50));
        let now = at.load(Relaxed);
        if now != last {
            (last, since) = (now, Instant::now());
        }
        if since.elapsed() > NEVER {
            std::process::exit(3);
        }
    }
}

/// Makes a number the contents of a small file.
fn replace(file: &mut File, number: u64) {
    use std::io::{Seek, SeekFrom};
    let text = format!("{number:020}");
    let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(text.as_bytes()));
}

/// Everything that was found.
#[derive(Default)]
struct Hunt {
    findings: Vec<Finding>,
    rows: BTreeMap<usize, Row>,
}

impl Hunt {
    /// Takes in the lines of a report.
    fn read(&mut self, report: &str) {
        for line in report.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let whole = |at: usize| cells.get(at).and_then(|cell| cell.parse::<u64>().ok()).unwrap_or(0);
            match cells.first() {
                Some(&"found") if cells.len() == 5 => self.findings.push(Finding {
                    kind: cells[1].into(),
                    target: whole(2) as usize,
                    number: whole(3),
                    words: cells[4].into(),
                }),
                Some(&"row") => {
                    let row = self.rows.entry(whole(1) as usize).or_default();
                    row.inputs += whole(2);
                    row.documents += whole(3);
                    row.slowest = row.slowest.max(whole(4));
                    row.largest = row.largest.max(whole(5));
                }
                _ => {}
            }
        }
    }

    /// A table of formats, then the findings.
    fn table(&self, seeds: &Seeds, base: u64, span: Duration) -> String {
        let mut text = format!(
            "\n{} s, seed {base}, {} MB of stack{}\n\n| format | inputs | documents | panics | slow | large | ended | slowest | largest |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
            span.as_secs(),
            STACK >> 20,
            if cfg!(debug_assertions) { ", unoptimised" } else { "" },
        );
        let mut all = Row::default();
        let count = |target: Option<usize>, kind: &str| {
            let own = |finding: &&Finding| finding.kind == kind && target.is_none_or(|target| finding.target == target);
            self.findings.iter().filter(own).count()
        };
        let mut line = |name: &str, target: Option<usize>, row: &Row| {
            let kinds = ["panic", "slow", "large", "ended"].map(|kind| count(target, kind).to_string()).join(" | ");
            let Row { inputs, documents, slowest, largest } = row;
            let _ = writeln!(text, "| {name} | {inputs} | {documents} | {kinds} | {slowest} ms | {largest} MB |");
        };
        for (target, name) in seeds.targets.iter().enumerate() {
            let row = self.rows.get(&target).cloned().unwrap_or_default();
            line(name, Some(target), &row);
            all.inputs += row.inputs;
            all.documents += row.documents;
            all.slowest = all.slowest.max(row.slowest);
            all.largest = all.largest.max(row.largest);
        }
        line("all", None, &all);
        for Finding { kind, target, number, words } in self.findings.iter().take(MOST) {
            let words: String = words.chars().take(300).collect();
            let _ = writeln!(text, "{kind}: {} {number}: {words}", seeds.targets[*target]);
        }
        text
    }
}

/// Runs processes until the time is over.
fn hunt(seeds: &Seeds, base: u64, span: Duration) -> Hunt {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutation-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for temporary files");
    let report = folder.join("report");
    let (start, mut first, mut found) = (Instant::now(), 0, Hunt::default());
    while start.elapsed() < span && found.findings.len() < MOST {
        let left = (span - start.elapsed()).as_millis();
        let order = format!("{base} {first} {left} {}", folder.display());
        let worker = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "--ignored", "--nocapture", "--test-threads", "1", "mutation::worker"])
            .env(ORDER, order)
            .output()
            .expect("this program again");
        found.read(&fs::read_to_string(&report).unwrap_or_default());
        let _ = fs::remove_file(&report);
        if worker.status.success() {
            break;
        }
        let number = fs::read_to_string(folder.join("number")).unwrap_or_default().trim().parse().unwrap_or(first);
        let words = String::from_utf8_lossy(&worker.stderr).trim().replace(['\n', '\t'], " ");
        let words = if worker.status.code() == Some(3) { format!("no end after {} s", NEVER.as_secs()) } else { words };
        let target = seeds.input(base, number).target;
        // Its rows are lost; the inputs before this one are counted.
        for done in first..=number {
            found.rows.entry((done % seeds.targets.len() as u64) as usize).or_default().inputs += 1;
        }
        found.findings.push(Finding { kind: "ended".into(), target, number, words });
        first = number + 1;
    }
    let _ = fs::remove_dir_all(&folder);
    found
}

/// Stores inputs that went wrong under `fuzz/found`, where they can be opened.
fn store(seeds: &Seeds, base: u64, findings: &[Finding]) {
    for Finding { kind, target, number, .. } in findings.iter().take(MOST) {
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .join("fuzz/found")
            .join(&seeds.targets[*target]);
        let name = format!("{kind}-{base}-{number}");
        let _ =
            fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(name), seeds.input(base, *number).bytes));
    }
}

#[test]
fn damaged_files_are_survived() {
    // Always the same inputs, so that a failure is of the change at hand; longer runs take others.
    let minutes = std::env::var("MEMPLAN_FUZZ_MINUTES").ok().and_then(|minutes| minutes.parse::<u64>().ok());
    let seed = std::env::var("MEMPLAN_FUZZ_SEED").ok().and_then(|seed| seed.parse().ok());
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |since| since.as_secs());
    let base: u64 = seed.unwrap_or_else(|| if minutes.is_some() { now() } else { 1 });
    let span = Duration::from_secs(60 * minutes.unwrap_or(1));
    let seeds = Seeds::read();
    let found = hunt(&seeds, base, span);
    store(&seeds, base, &found.findings);
    let table = found.table(&seeds, base, span);
    println!("{table}");
    let inputs: u64 = found.rows.values().map(|row| row.inputs).sum();
    assert!(found.findings.is_empty(), "the inputs are in fuzz/found:\n{table}");
    assert!(inputs > 100, "only {inputs} inputs:\n{table}");
}

/// The process that works, started by the other test.
#[test]
#[ignore = "a part of the other test"]
fn worker() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let mut words = order.splitn(4, ' ');
    let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
    let (base, first, left) = (number(), number(), number());
    let folder = order.splitn(4, ' ').nth(3).unwrap_or_default();
    work(Path::new(folder), base, first, Duration::from_millis(left));
}

/// One stored file, such as a finding, the whole way by every planner:
/// `MEMPLAN_INPUT=FILE cargo test --test slow -- mutation::one_file --ignored`.
#[test]
#[ignore = "needs the path of a file"]
fn one_file() {
    let path = std::env::var("MEMPLAN_INPUT").expect("MEMPLAN_INPUT names a file");
    let bytes = fs::read(path).expect("readable");
    for turn in 0..memplan_planners::REGISTRY.len() as u64 {
        let (taken, is_document) = measure::taken(|| whole::whole(&bytes, turn));
        println!("{turn}: {} ms, {} MB, document: {is_document}", taken.time.as_millis(), taken.bytes >> 20);
    }
}
