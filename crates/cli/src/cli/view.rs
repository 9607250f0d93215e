//! `memplan view`: the page in the browser, with the files that were named.

use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use clap::Args;
use memplan_core::base::Message;
use memplan_core::base::fragment::escape;
use memplan_engine::{IMPORTED, PlannerChoice};
use memplan_formats::import::{self, Answers};
use memplan_planners::registered;
use serde_json::json;

use super::built_in::{self, example_of};
use super::error::{CliError, note, remark, say};
use super::input::{bytes_of, file_bytes, is_standard_input, one_standard_input, tell};
use super::output::{print, print_record};
use super::page::PageFiles;
use super::planners;
use super::scope::tell_symbols;
use super::server::{Site, Watched, serve};

/// Show files in the page, which this program serves to this machine alone; Ctrl-C ends it
#[derive(Args)]
pub struct ViewCommand {
    /// Files, `-` for standard input, or built-in examples (ex:NAME) to show, each with a link of
    /// its own; the page as it begins if absent
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Port on 127.0.0.1; 0 is a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Print the links only, without opening the browser
    #[arg(long)]
    no_open: bool,

    /// Plan a file again when it changes on disk
    #[arg(long)]
    watch: bool,

    /// Planner to run: an id of `memplan list`, with options as in beam;k=4, or `imported` for the
    /// file's own plan (repeatable: a link for each)
    #[arg(long = "planner", value_name = "ID")]
    planners: Vec<String>,

    /// Print the links as JSON for programs
    #[arg(long)]
    json: bool,

    /// Folder with the built page, in place of the page inside this program
    #[arg(long, value_name = "FOLDER")]
    page: Option<PathBuf>,
}

impl ViewCommand {
    pub fn run(self) -> Result<(), CliError> {
        let planners = planners::read(&self.planners)?;
        if let Some(own) = planners.iter().find(|choice| registered::find(&choice.planner).is_some()) {
            return Err(CliError::because(&Message::new("cli.own-view").text("planner", &own.planner)));
        }
        one_standard_input(self.files.iter().map(PathBuf::as_path))?;
        let page = PageFiles::find(self.page.as_deref())?;
        self.files.iter().try_for_each(|path| readable(path))?;
        let needs_plan = planners.iter().any(|choice| choice.planner == IMPORTED);
        for path in &self.files {
            match self.tell(path, needs_plan) {
                // A file that is watched may become one that can be read.
                Err(error) if self.watch => _ = error.report(),
                told => told?,
            }
        }
        let refuse = |reason: std::io::Error| {
            let message = Message::new("view.port").text("port", self.port.to_string());
            CliError::because(&message.text("reason", reason.to_string()))
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).map_err(refuse)?;
        let (host, token) = (listener.local_addr().map_err(refuse)?.to_string(), token()?);
        let links = self.links(&format!("http://{host}/{token}/"), &planners);
        if self.json {
            print_record("view/1", json!({ "links": links }))?;
        } else {
            print(&links.iter().map(|link| format!("{link}\n")).collect::<String>())?;
        }
        if !self.no_open {
            for link in &links {
                if let Err(error) = open::that_detached(link) {
                    note(&say(&Message::new("view.no-browser").text("reason", error.to_string())));
                    break;
                }
            }
        }
        remark(&Message::new("view.serving"));
        let files = self.files.into_iter().filter(|path| example_of(path).is_none()).map(Watched::new).collect();
        serve(Site { page, files, token, host, watches: self.watch }, listener).map_err(refuse)
    }

    /// Prints what the reader of a file found out and assumed, with the name of the file if it is
    /// one of several.
    ///
    /// # Errors
    /// The file cannot be read, or has no plan of its own where one is to be shown.
    fn tell(&self, path: &Path, needs_plan: bool) -> Result<(), CliError> {
        let shown = path.display().to_string();
        let is_alone = self.files.len() == 1;
        let before = if is_alone { String::new() } else { format!("{shown}: ") };
        let of_file = |error: CliError| if is_alone { error } else { error.of_file(&shown) };
        let answers = Answers { large: true, file: shown.clone(), ..Answers::default() };
        let read = import::read(&bytes_of(path)?, answers).map_err(|faults| of_file(CliError::faults(&faults)))?;
        tell(&read, &before, |_| true);
        tell_symbols(&read.document, &BTreeMap::new(), &before);
        if needs_plan && read.document.own_plan().is_none() {
            let message = Message::new("cli.no-plan").text("format", read.format.name());
            return Err(of_file(CliError::because(&message)));
        }
        Ok(())
    }

    /// One link for each file and planner, or that of the page.
    fn links(&self, page: &str, planners: &[PlannerChoice]) -> Vec<String> {
        let planned = |choice: &PlannerChoice| {
            let options: Vec<String> =
                choice.options.iter().map(|(key, value)| escape(&format!("{key}:{value}"))).collect();
            let options = if options.is_empty() { String::new() } else { format!("&opt={}", options.join(",")) };
            format!("plan={}{options}", escape(&choice.planner))
        };
        let planners: Vec<String> = planners.iter().map(planned).collect();
        if self.files.is_empty() {
            let link = |planner: &String| format!("{page}#{planner}");
            return if planners.is_empty() { vec![page.to_string()] } else { planners.iter().map(link).collect() };
        }
        let mut numbers = 0..;
        let mut link = |path: &PathBuf| {
            let document = match example_of(path) {
                Some(name) => format!("doc=ex:{}", escape(name)),
                None => {
                    let number: usize = numbers.next().unwrap_or_default();
                    format!("doc=url:{}", escape(&format!("files/{number}/0/{}", plain_name(path))))
                }
            };
            let link = format!("{page}#{document}");
            if planners.is_empty() {
                return vec![link];
            }
            planners.iter().map(|planner| format!("{link}&{planner}")).collect()
        };
        self.files.iter().flat_map(&mut link).collect()
    }
}

/// The name of a file, without letters that mean something in an address.
fn plain_name(path: &Path) -> String {
    if is_standard_input(path) {
        return "stdin".into();
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let plain = |letter: char| if letter.is_alphanumeric() || "-_.+".contains(letter) { letter } else { '_' };
    name.chars().map(plain).collect()
}

/// Refuses what is no file, before a browser opens.
fn readable(path: &Path) -> Result<(), CliError> {
    if let Some(name) = example_of(path) {
        return built_in::bytes(name).map(|_| ());
    }
    if is_standard_input(path) {
        return file_bytes(path).map(|_| ());
    }
    let opened = fs::File::open(path).and_then(|file| file.metadata());
    let reason = match opened {
        Ok(data) if data.is_file() => return Ok(()),
        Ok(_) => std::io::Error::from(std::io::ErrorKind::IsADirectory).to_string(),
        Err(error) => error.to_string(),
    };
    let message = Message::new("cli.cannot-read").text("path", path.display().to_string());
    Err(CliError::because(&message.text("reason", reason)))
}

/// 128 random bits, which nobody guesses.
fn token() -> Result<String, CliError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| CliError::because(&Message::new("view.no-token").text("reason", error.to_string())))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
