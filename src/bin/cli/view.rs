//! `memplan view`: the page in the browser, with the files that were named.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use clap::Args;
use memplan::base::Message;
use memplan::base::fragment::escape;

use super::built_in::{self, example_of};
use super::error::{CliError, note, say};
use super::output::print;
use super::page::PageFiles;
use super::plan::choose;
use super::server::{Site, Watched, serve};

/// Show files in the page, which this program serves to this machine alone; Ctrl-C ends it
#[derive(Args)]
pub struct ViewCommand {
    /// Files or built-in examples (ex:NAME) to show, each with a link of its own; the page as it
    /// begins if absent
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

    /// Which planner to run: an id of `memplan list`
    #[arg(long, value_name = "ID")]
    planner: Option<String>,

    /// Folder with the built page, in place of the page inside this program
    #[arg(long, value_name = "FOLDER")]
    page: Option<PathBuf>,
}

impl ViewCommand {
    pub fn run(self) -> Result<(), CliError> {
        if let Some(planner) = &self.planner {
            choose(planner, &[])?;
        }
        let page = PageFiles::find(self.page.as_deref())?;
        self.files.iter().try_for_each(|path| readable(path))?;
        let refuse = |reason: std::io::Error| {
            let message = Message::new("view.port").text("port", self.port.to_string());
            CliError::because(&message.text("reason", reason.to_string()))
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).map_err(refuse)?;
        let (host, token) = (listener.local_addr().map_err(refuse)?.to_string(), token()?);
        let links = self.links(&format!("http://{host}/{token}/"));
        print(&links.iter().map(|link| format!("{link}\n")).collect::<String>())?;
        if !self.no_open {
            for link in &links {
                if let Err(error) = open::that_detached(link) {
                    note(&say(&Message::new("view.no-browser").text("reason", error.to_string())));
                    break;
                }
            }
        }
        note(&say(&Message::new("view.serving")));
        let files = self.files.into_iter().filter(|path| example_of(path).is_none()).map(Watched::new).collect();
        serve(Site { page, files, token, host, watches: self.watch }, listener).map_err(refuse)
    }

    /// One link for each file, or that of the page.
    fn links(&self, page: &str) -> Vec<String> {
        let planner = self.planner.as_ref().map(|id| format!("plan={}", escape(id)));
        if self.files.is_empty() {
            return vec![planner.map_or(page.to_string(), |planner| format!("{page}#{planner}"))];
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
            let parts: Vec<String> = std::iter::once(document).chain(planner.clone()).collect();
            format!("{page}#{}", parts.join("&"))
        };
        self.files.iter().map(&mut link).collect()
    }
}

/// The name of a file, without letters that mean something in an address.
fn plain_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let plain = |letter: char| if letter.is_alphanumeric() || "-_.+".contains(letter) { letter } else { '_' };
    name.chars().map(plain).collect()
}

/// Refuses what is no file, before a browser opens.
fn readable(path: &Path) -> Result<(), CliError> {
    if let Some(name) = example_of(path) {
        return built_in::bytes(name).map(|_| ());
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
