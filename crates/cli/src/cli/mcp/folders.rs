//! The folders whose files an agent may have read.

use std::path::{Path, PathBuf};

use memplan_core::base::Message;

use crate::cli::built_in::example_of;
use crate::cli::error::{CliError, say};
use crate::cli::input::cannot_read;

/// Folders without links in their paths.
pub struct Folders(Vec<PathBuf>);

impl Folders {
    /// # Errors
    /// One of them is no folder, or cannot be read.
    pub fn open(folders: &[PathBuf]) -> Result<Folders, CliError> {
        let open = |folder: &PathBuf| match folder.canonicalize() {
            Ok(found) if found.is_dir() => Ok(found),
            Ok(_) => Err(CliError::because(&Message::new("mcp.no-folder").text("path", folder.display().to_string()))),
            Err(error) => Err(cannot_read(folder, &error.to_string())),
        };
        folders.iter().map(open).collect::<Result<_, _>>().map(Folders)
    }

    /// Returns the path of a file for another command: a file below one of the folders, also by
    /// links, or a built-in example.
    ///
    /// # Errors
    /// There is no such file, or it lies elsewhere. Both are told in the same words, so that nobody
    /// learns which files there are elsewhere.
    pub fn find(&self, name: &str) -> Result<PathBuf, String> {
        if example_of(Path::new(name)).is_some() {
            return Ok(PathBuf::from(name));
        }
        let found = self.0.iter().filter_map(|folder| folder.join(name).canonicalize().ok());
        let mut inside = found.filter(|path| path.is_file() && self.holds(path));
        inside.next().ok_or_else(|| say(&Message::new("mcp.no-file").text("name", name).text("folders", self.names())))
    }

    /// Returns the path of a file that does not exist yet, below one of the folders.
    ///
    /// # Errors
    /// It exists, or would lie elsewhere.
    pub fn place(&self, name: &str) -> Result<PathBuf, String> {
        let refusal = || say(&Message::new("mcp.no-place").text("name", name).text("folders", self.names()));
        let file = Path::new(name).file_name().ok_or_else(refusal)?;
        let parent = |folder: &PathBuf| folder.join(name).parent()?.canonicalize().ok();
        let found = self.0.iter().filter_map(parent).find(|parent| self.holds(parent));
        let path = found.ok_or_else(refusal)?.join(file);
        if path.symlink_metadata().is_ok() { Err(refusal()) } else { Ok(path) }
    }

    fn holds(&self, path: &Path) -> bool {
        self.0.iter().any(|folder| path.starts_with(folder))
    }

    fn names(&self) -> String {
        self.0.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
    }
}
