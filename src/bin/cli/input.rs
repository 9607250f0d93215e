//! A file → a document.

use std::path::{Path, PathBuf};

use clap::Args;
use memplan::base::Message;
use memplan::import::{self, Choices, EndRule, Imported};

use super::failure::{Failure, line, note, say};

#[derive(Args)]
pub struct Input {
    /// Graph JSON, buffer CSV or plan JSON, gzip or not
    #[arg(value_name = "INPUT")]
    pub path: PathBuf,

    /// Read the column `end` or `end_time` of a CSV as the first step after a buffer's life
    #[arg(long)]
    exclusive_end: bool,
}

impl Input {
    /// Reads the file; warnings go to standard error.
    pub fn read(&self) -> Result<Imported, Failure> {
        let bytes = std::fs::read(&self.path).map_err(|error| cannot_read(&self.path, &error.to_string()))?;
        let end = if self.exclusive_end { EndRule::Exclusive } else { EndRule::Format };
        let imported = import::read(&bytes, Choices { end }).map_err(|faults| Failure::faults(&faults))?;
        for warning in &imported.warnings {
            note(&say(&Message::new("cli.warning").text("text", line(warning))));
        }
        Ok(imported)
    }
}

fn cannot_read(path: &Path, reason: &str) -> Failure {
    let message = Message::new("cli.cannot-read").text("path", path.display().to_string());
    Failure::because(&message.text("reason", reason))
}
