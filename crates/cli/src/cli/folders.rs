//! Two folders of models → pairs of files, none of which is lost: `memplan diff`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use memplan_core::base::{Message, suggest};

use super::error::CliError;
use super::input::{cannot_read, file_bytes};

/// A file with the words that name it.
pub struct NamedFile {
    pub path: PathBuf,
    pub shown: String,
}

impl NamedFile {
    pub fn of(path: &Path) -> NamedFile {
        NamedFile { path: path.to_path_buf(), shown: path.display().to_string() }
    }
}

/// The old and the new file of a model; none on a side that lacks it.
pub type FilePair = (Option<NamedFile>, Option<NamedFile>);

/// The letters of a path below a folder, with `/` between its parts; they need not be UTF-8.
type Place = Vec<u8>;

/// A file below a folder.
struct Found {
    place: Place,
    path: PathBuf,
}

/// Folders inside folders that are looked into.
const MAX_DEPTH: usize = 16;

/// What the files of XLA dumps that hold buffers end in.
const DUMP: &str = "_after_optimizations.hlo.pb";

/// What the names of all files of a module of an XLA dump begin with.
const MODULE: &str = "module_";

/// Most names listed in a sentence.
const LISTED: usize = 12;

/// Returns the files of two folders that have the same path below the folder, or the same path in
/// the file `names`, sorted by these. Paths that look alike, because they are no text, or are
/// alike, because `names` has one path for several files, get a number.
///
/// # Errors
/// A folder, or `names`, cannot be read.
pub fn pairs(folders: [&Path; 2], names: Option<&Path>) -> Result<Vec<FilePair>, CliError> {
    let renamed = names.map_or_else(|| Ok(BTreeMap::new()), names_in)?;
    let mut by_name: BTreeMap<Place, [Vec<Found>; 2]> = BTreeMap::new();
    for (side, folder) in folders.into_iter().enumerate() {
        let mut files = Vec::new();
        gather(folder, &[], 0, &mut files)?;
        for file in files {
            let name = renamed.get(&file.place).unwrap_or(&file.place).clone();
            by_name.entry(name).or_default()[side].push(file);
        }
    }
    let mut pairs: Vec<(String, [Option<Found>; 2])> = Vec::new();
    for (name, sides) in by_name {
        let shown = String::from_utf8_lossy(&name).into_owned();
        if sides.iter().all(|files| files.len() < 2) {
            pairs.push((shown, sides.map(|mut files| files.pop())));
            continue;
        }
        // The name does not tell them apart, but their paths do.
        let mut by_place: BTreeMap<Place, [Option<Found>; 2]> = BTreeMap::new();
        for (side, files) in sides.into_iter().enumerate() {
            for file in files {
                let sides = by_place.entry(file.place.clone()).or_default();
                sides[side] = Some(file);
            }
        }
        pairs.extend(by_place.into_values().map(|sides| (shown.clone(), sides)));
    }
    number(pairs.iter_mut().map(|(shown, _)| shown));
    let named = |(shown, sides): (String, [Option<Found>; 2])| {
        let [old, new] = sides.map(|file| file.map(|file| NamedFile { path: file.path, shown: shown.clone() }));
        (old, new)
    };
    Ok(pairs.into_iter().map(named).collect())
}

/// Gives names that occur several times a number, so that no two are equal.
fn number<'a>(names: impl Iterator<Item = &'a mut String>) {
    let mut names: Vec<&mut String> = names.collect();
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for name in &names {
        *count.entry((*name).clone()).or_default() += 1;
    }
    let mut taken: BTreeSet<String> = count.keys().cloned().collect();
    for name in names.iter_mut().filter(|name| count[&***name] > 1) {
        let plain = (*name).clone();
        for at in 1.. {
            let numbered = format!("{plain} ({at})");
            if taken.insert(numbered.clone()) {
                **name = numbered;
                break;
            }
        }
    }
}

/// Returns the pairs of name and path in the file of `--names`.
fn names_in(file: &Path) -> Result<BTreeMap<Place, Place>, CliError> {
    let bytes = file_bytes(file)?;
    let texts: Vec<&[u8]> = bytes.split(|&byte| byte == 0).collect();
    Ok(texts.chunks_exact(2).map(|pair| (pair[0].to_vec(), pair[1].to_vec())).collect())
}

/// The files in a folder and the folders inside, without hidden ones.
fn gather(folder: &Path, above: &[u8], depth: usize, files: &mut Vec<Found>) -> Result<(), CliError> {
    let unreadable = |error: std::io::Error| cannot_read(folder, &error.to_string());
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if depth == 0 => return Err(unreadable(error)),
        // Reading it as a file gives the reason, and the other files are compared all the same.
        Err(_) => {
            let place = above.strip_suffix(b"/").unwrap_or(above).to_vec();
            files.push(Found { place, path: folder.into() });
            return Ok(());
        }
    };
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        if name.starts_with(b".") {
            continue;
        }
        let (path, place) = (entry.path(), [above, name].concat());
        // A link to a folder may lead back to this one, and a pipe may never end.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && depth < MAX_DEPTH {
            gather(&path, &[&place[..], b"/"].concat(), depth + 1, files)?;
        } else if path.is_file() || !path.exists() {
            files.push(Found { place, path });
        }
    }
    Ok(())
}

/// Whether a name is that of an XLA dump with buffers.
pub fn is_dump(name: &str) -> bool {
    name.trim_end_matches(".gz").ends_with(DUMP)
}

/// Whether a file is one of the others that XLA writes for a module.
pub fn is_beside_dump(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|name| name.starts_with(MODULE))
}

/// The name of the module of a dump.
pub fn module_of(name: &str) -> String {
    name.trim_end_matches(".gz").trim_end_matches(DUMP).to_string()
}

/// The first of some names, and whether there are more.
pub fn listed(names: &[String]) -> String {
    let more = if names.len() > LISTED { ", …" } else { "" };
    names[..names.len().min(LISTED)].join(", ") + more
}

/// The refusal of a module that no dump has.
pub fn no_module(name: &str, known: &[String]) -> CliError {
    if known.is_empty() {
        return CliError::because(&Message::new("diff.no-dumps").text("name", name));
    }
    let refusal = Message::new("diff.no-module").text("name", name).text("known", listed(known));
    CliError::because(&suggest(refusal, name, known.iter().map(String::as_str)))
}
