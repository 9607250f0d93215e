//! `memplan league`: planners on public instances; all plans measured, checked, and put into the
//! tables.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use clap::Args;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use memplan_core::problem::{Problem, lower_bound};
use memplan_engine::league::{
    Conditions, Entries, Entry, Figures, Measured, Plans, Row, buffers, digest, fitted, judged, measured, of_plan,
    with_tables,
};
use serde_json::json;

use super::error::{CliError, note};
use super::output::{print, print_record, write, write_bytes};

/// Check every plan of the league again, or measure it anew
#[derive(Args)]
pub struct LeagueCommand {
    /// Folder of the league: `entries.json` names planners and instances
    #[arg(value_name = "LEAGUE")]
    folder: PathBuf,

    /// Run all planners anew on the instances whose files are at hand
    #[arg(long)]
    measure: bool,

    /// Folder with the files of instances that are no part of the repository
    #[arg(long, value_name = "DIR")]
    instances: Option<PathBuf>,

    /// Add a plan of another program: its name, and a CSV with offsets or a JSON plan; the buffers
    /// tell which instance it is for; may be repeated
    #[arg(long, value_name = "NAME=FILE")]
    join: Vec<String>,

    /// Document whose tables are written anew
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

/// What the check of all plans found.
#[derive(Default)]
struct Checked {
    plans: usize,
    /// Ids of instances whose files are not at hand.
    left: Vec<String>,
    wrong: Vec<String>,
}

impl LeagueCommand {
    pub fn run(self) -> Result<(), CliError> {
        let entries: Entries = read_json(&self.folder.join("entries.json"))?;
        let path = self.folder.join("figures.json");
        let mut figures: Figures = if path.exists() { read_json(&path)? } else { Figures::default() };
        if self.measure {
            self.measure(&entries, &mut figures)?;
        }
        for joined in &self.join {
            self.join(&entries, &mut figures, joined)?;
        }
        if self.measure || !self.join.is_empty() {
            write(Some(&path), &figures.text())?;
        }
        if let Some(document) = &self.output {
            let text = fs::read_to_string(document).map_err(|error| unusable(document, &error.to_string()))?;
            let text = with_tables(&text, &entries, &figures).map_err(|why| unusable(document, &why))?;
            write(Some(document), &text)?;
        }
        let checked = self.check(&entries, &figures)?;
        checked.wrong.iter().for_each(|wrong| note(wrong));
        if self.json {
            let record = json!({ "plans": checked.plans, "wrong": checked.wrong, "left": checked.left });
            print_record("league/1", record)?;
        } else {
            let left = match checked.left.len() {
                0 => String::new(),
                _ => format!("; not checked, as their files are not at hand: {}", checked.left.join(", ")),
            };
            let valid = checked.plans - checked.wrong.len();
            print(&format!("{valid} of {} plans are valid and as the table states{left}\n", checked.plans))?;
        }
        if checked.wrong.is_empty() { Ok(()) } else { Err(CliError::InvalidPlan) }
    }

    /// The buffers of an instance; none if its file is not at hand.
    fn instance(&self, entry: &Entry) -> Result<Option<Problem>, CliError> {
        let folder = if entry.is_here() { Some(self.folder.join("instances")) } else { self.instances.clone() };
        let Some(path) = folder.map(|folder| folder.join(&entry.file)) else { return Ok(None) };
        if !path.exists() && !entry.is_here() {
            return Ok(None);
        }
        let bytes = fs::read(&path).map_err(|error| unusable(&path, &error.to_string()))?;
        let problem = buffers(&bytes).map_err(|faults| CliError::faults(&faults).of_file(&entry.file))?;
        Ok(Some(problem))
    }

    fn plans_path(&self, id: &str) -> PathBuf {
        self.folder.join("plans").join(format!("{id}.json.gz"))
    }

    fn plans(&self, id: &str) -> Result<Plans, CliError> {
        let path = self.plans_path(id);
        let file = fs::File::open(&path).map_err(|error| unusable(&path, &error.to_string()))?;
        let mut text = String::new();
        GzDecoder::new(file).read_to_string(&mut text).map_err(|error| unusable(&path, &error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| unusable(&path, &error.to_string()))
    }

    fn keep(&self, id: &str, plans: BTreeMap<String, Vec<Option<u64>>>) -> Result<(), CliError> {
        let path = self.plans_path(id);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        made.map_err(|error| unusable(&path, &error.to_string()))?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&serde_json::to_vec(&Plans::of(plans)).unwrap_or_default())?;
        write_bytes(&path, &gzip.finish()?)
    }

    /// Runs all planners on every instance at hand. Rows of other programs stay if their buffers
    /// are still those of the instance.
    fn measure(&self, entries: &Entries, figures: &mut Figures) -> Result<(), CliError> {
        let mut found = Vec::new();
        for entry in &entries.instances {
            let Some(problem) = self.instance(entry)? else {
                found.extend(figures.of(&entry.id).cloned());
                continue;
            };
            note(&format!("{}: {} planners", entry.id, entries.planners.len()));
            let result = measured(&entry.id, &problem, &entries.planners, conditions(), &clock());
            let (mut now, mut plans) = result.map_err(|why| CliError::Unusable(vec![why]))?;
            if let Some(before) = figures.of(&entry.id).filter(|before| before.digest == now.digest) {
                let kept = self.plans(&entry.id)?;
                let others = before.rows.iter().filter(|row| !entries.planners.contains(&row.planner));
                for row in others {
                    plans.extend(kept.bytes(&row.planner).map(|offsets| (row.planner.clone(), offsets)));
                    now.rows.push(row.clone());
                }
            }
            self.keep(&entry.id, plans)?;
            found.push(now);
        }
        figures.instances = found;
        Ok(())
    }

    /// Adds the plan of another program to the instance whose buffers it has.
    fn join(&self, entries: &Entries, figures: &mut Figures, joined: &str) -> Result<(), CliError> {
        let (name, path) = joined.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
            CliError::Unusable(vec![format!("--join {joined}: give the name of a program and a file, as NAME=FILE")])
        })?;
        if entries.planners.iter().any(|planner| planner == name) {
            return Err(CliError::Unusable(vec![format!("--join {joined}: a planner of memplan has this name")]));
        }
        let path = Path::new(path);
        let bytes = fs::read(path).map_err(|error| unusable(path, &error.to_string()))?;
        let (plan, offsets) =
            of_plan(&bytes).map_err(|faults| CliError::faults(&faults).of_file(&path.display().to_string()))?;
        for entry in &entries.instances {
            let Some(measured) = figures.instances.iter_mut().find(|measured| measured.id == entry.id) else {
                continue;
            };
            let Some(problem) = self.instance(entry)? else { continue };
            let fitting = fitted(&problem, (&plan, &offsets));
            // Few buffers may be those of several instances.
            let is_most = |offsets: &Vec<Option<u64>>| 2 * offsets.iter().flatten().count() >= offsets.len();
            let Some(offsets) = fitting.filter(is_most) else { continue };
            let found = judged(&problem, &offsets);
            if !found.violations.is_empty() {
                return Err(CliError::invalid(&found.violations));
            }
            let mut plans = self.plans(&entry.id)?.all();
            plans.insert(name.to_string(), offsets);
            self.keep(&entry.id, plans)?;
            measured.rows.retain(|row| row.planner != name);
            measured.rows.push(Row { planner: name.into(), peak: found.peak, placed: found.placed, ..Row::default() });
            return Ok(());
        }
        let why = "its buffers are those of no instance at hand (--instances names the folder of the others)";
        Err(unusable(path, why))
    }

    /// Checks all plans of the instances at hand against the figures.
    fn check(&self, entries: &Entries, figures: &Figures) -> Result<Checked, CliError> {
        let mut checked = Checked::default();
        for entry in &entries.instances {
            let Some(measured) = figures.of(&entry.id) else { continue };
            let Some(problem) = self.instance(entry)? else {
                checked.left.push(entry.id.clone());
                continue;
            };
            let plans = self.plans(&entry.id)?;
            checked.plans += measured.rows.len();
            let wrong = measured.rows.iter().filter_map(|row| Some((row, fault(&problem, measured, row, &plans)?)));
            checked.wrong.extend(wrong.map(|(row, fault)| format!("{} on {}: {fault}", row.planner, entry.id)));
        }
        Ok(checked)
    }
}

/// What is wrong with a row of the table.
fn fault(problem: &Problem, measured: &Measured, row: &Row, plans: &Plans) -> Option<String> {
    if digest(problem) != measured.digest {
        return Some("the file is not the instance that was measured".into());
    }
    if lower_bound(problem) != measured.bound || problem.buffers.len() as u64 != measured.buffers {
        return Some("the table has another bound or another number of buffers".into());
    }
    let Some(offsets) = plans.bytes(&row.planner).filter(|offsets| offsets.len() == problem.buffers.len()) else {
        return Some("there is no plan".into());
    };
    let found = judged(problem, &offsets);
    if !found.violations.is_empty() {
        return Some(format!("the plan breaks {} rules", found.violations.len()));
    }
    if (found.peak, found.placed) != (row.peak, row.placed) {
        return Some(format!("the plan needs {} bytes, the table has {}", found.peak, row.peak));
    }
    let is_below = found.placed == measured.buffers && found.peak < measured.floor();
    is_below.then(|| format!("the plan is below the bound of {} bytes that is called proved", measured.floor()))
}

/// Milliseconds of the processor where Linux reports them, else of the wall.
fn clock() -> impl Fn() -> f64 {
    let start = Instant::now();
    move || cpu_millis().unwrap_or_else(|| start.elapsed().as_secs_f64() * 1e3)
}

/// Milliseconds that this thread has run; none where the system does not report them.
fn cpu_millis() -> Option<f64> {
    // The kernel brings the figure up to date when the thread offers its turn.
    std::thread::yield_now();
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e6)
}

fn conditions() -> Conditions {
    let lines = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name =
        lines.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let machine = format!("{} ({}), {cores} cores", name.unwrap_or(std::env::consts::ARCH), std::env::consts::OS);
    let load = fs::read_to_string("/proc/loadavg").ok().and_then(|text| text.split(' ').next()?.parse().ok());
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    Conditions { date: date(seconds / 86_400), machine, load, cpu: cpu_millis().is_some() }
}

/// The day so many days after the beginning of 1970, in the Gregorian calendar.
fn date(days: u64) -> String {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut left) = (1970, days);
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while left >= lengths[month] {
        left -= lengths[month];
        month += 1;
    }
    format!("{year}-{:02}-{:02}", month + 1, left + 1)
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, CliError> {
    let text = fs::read_to_string(path).map_err(|error| unusable(path, &error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| unusable(path, &error.to_string()))
}

fn unusable(path: &Path, why: &str) -> CliError {
    CliError::Unusable(vec![format!("{}: {why}", path.display())])
}
