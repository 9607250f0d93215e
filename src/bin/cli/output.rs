//! Text → a file or standard output. A file appears whole or not at all.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use memplan::base::Message;
use memplan::base::shown::visible_lines;

use super::error::CliError;

/// Writes to `path`, packed if its name ends in `.gz`, or to standard output.
pub fn write(path: Option<&Path>, text: &str) -> Result<(), CliError> {
    write_pieces(path, std::iter::once(text))
}

/// The same of a long text, which never is in memory as a whole if it goes to a file.
pub fn write_pieces(path: Option<&Path>, pieces: impl Iterator<Item = impl AsRef<str>>) -> Result<(), CliError> {
    match path {
        None => print(&pieces.fold(String::new(), |text, piece| text + piece.as_ref())),
        Some(path) => write_file(path, pieces).map_err(|error| cannot_write(path, &error)),
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> CliError {
    let message = Message::new("cli.cannot-write").text("path", path.display().to_string());
    CliError::because(&message.text("reason", error.to_string()))
}

/// Prints to standard output. A terminal shows letters that would act on it as escapes; programs
/// and files get the text itself.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    let text = if out.is_terminal() { visible_lines(text) } else { Cow::Borrowed(text) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes bytes to a file as they are.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    replace(path, |out| out.write_all(bytes)).map_err(|error| cannot_write(path, &error))
}

fn write_file(path: &Path, mut pieces: impl Iterator<Item = impl AsRef<str>>) -> io::Result<()> {
    let packed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    replace(path, |out| {
        if !packed {
            return pieces.try_for_each(|piece| out.write_all(piece.as_ref().as_bytes()));
        }
        let mut encoder = GzEncoder::new(out, Compression::default());
        pieces.try_for_each(|piece| encoder.write_all(piece.as_ref().as_bytes()))?;
        encoder.finish().map(drop)
    })
}

fn replace(path: &Path, work: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let write = |path: &Path| {
        let mut out = BufWriter::new(File::create(path)?);
        work(&mut out)?;
        out.flush()
    };
    // A device or a pipe cannot be replaced.
    if path.exists() && !path.is_file() {
        return write(path);
    }
    // Of a link, the file it leads to.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let draft = draft_of(&path);
    let written = write(&draft).and_then(|()| fs::rename(&draft, &path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// A name beside `path` under which it is written before it takes its place.
fn draft_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}
