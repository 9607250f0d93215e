//! The files of the built page: those inside this program, or those of a folder.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use memplan_core::base::Message;

use super::error::CliError;

/// The file that a page begins with.
pub const INDEX: &str = "index.html";

/// The page that this program carries.
#[cfg(page_is_built)]
mod inside {
    use std::borrow::Cow;
    use std::io::Read;
    use std::sync::LazyLock;

    use lzma_rust2::XzReader;

    /// Paths with lengths, sorted, as the build script found them.
    static LIST: &[(&str, usize)] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

    /// The files one after the other, a fourth of their bytes. Unpacking takes a fifth of a second.
    static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page.xz"));

    static CONTENTS: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut contents = Vec::new();
        XzReader::new(PACKED, false).read_to_end(&mut contents).expect("as the build script packed it");
        contents
    });

    pub const IS_THERE: bool = true;

    pub fn read(path: &str) -> Option<Cow<'static, [u8]>> {
        let at = LIST.binary_search_by_key(&path, |(name, _)| name).ok()?;
        let start: usize = LIST[..at].iter().map(|(_, bytes)| bytes).sum();
        Some(Cow::Borrowed(&CONTENTS[start..start + LIST[at].1]))
    }
}

/// This program was compiled without the page.
#[cfg(not(page_is_built))]
mod inside {
    use std::borrow::Cow;

    pub const IS_THERE: bool = false;

    pub fn read(_: &str) -> Option<Cow<'static, [u8]>> {
        None
    }
}

/// Where the page comes from.
pub enum PageFiles {
    /// This program.
    Inside,
    /// A folder. What it held at the start can be read by its name, and nothing else: no name leads
    /// anywhere.
    Folder(BTreeMap<String, PathBuf>),
}

impl PageFiles {
    /// Finds the page in a folder, or in this program.
    pub fn find(folder: Option<&Path>) -> Result<PageFiles, CliError> {
        let Some(folder) = folder else {
            let missing = || CliError::because(&Message::new("view.no-page"));
            return inside::IS_THERE.then_some(PageFiles::Inside).ok_or_else(missing);
        };
        let mut files = BTreeMap::new();
        let gathered = gather(folder, "", &mut files);
        if gathered.is_err() || !files.contains_key(INDEX) {
            let message = Message::new("view.not-a-page").text("path", folder.display().to_string());
            return Err(CliError::because(&message));
        }
        Ok(PageFiles::Folder(files))
    }

    /// Reads a file by its path below the page.
    pub fn read(&self, path: &str) -> Option<Cow<'static, [u8]>> {
        match self {
            PageFiles::Inside => inside::read(path),
            PageFiles::Folder(files) => fs::read(files.get(path)?).ok().map(Cow::Owned),
        }
    }
}

/// Lists the files below a folder. Links are left out: they may lead out of it.
fn gather(folder: &Path, name: &str, files: &mut BTreeMap<String, PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        let name = format!("{name}{}", entry.file_name().to_string_lossy());
        if kind.is_dir() {
            gather(&path, &format!("{name}/"), files)?;
        } else if kind.is_file() {
            files.insert(name, path);
        }
    }
    Ok(())
}
