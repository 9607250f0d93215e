//! Text → a file or standard output. A file appears whole or not at all.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use memplan_core::base::Message;
use memplan_core::base::shown::visible_lines;
use serde_json::{Map, Value};

use super::built_in::example_of;
use super::error::CliError;
use super::status;

/// The file that a command writes.
#[derive(Args)]
pub struct OutputArgs {
    /// File to write; standard output if absent or `-`
    #[arg(short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write also over a file that the command reads
    #[arg(long)]
    pub force: bool,
}

impl OutputArgs {
    /// The file; none for standard output.
    pub fn path(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| !is_dash(path))
    }

    /// Refuses to fill a terminal with a text that nobody reads there, unless `-` asks for it.
    pub fn spares_terminal(&self, refusal: &'static str) -> Result<(), CliError> {
        let fills = self.output.is_none() && io::stdout().is_terminal();
        if fills { Err(CliError::because(&Message::new(refusal))) } else { Ok(()) }
    }

    /// Refuses to write over one of `inputs`, before they are read.
    pub fn spares<'a>(&'a self, inputs: impl IntoIterator<Item = &'a Path>) -> Result<(), CliError> {
        self.spare_with([], inputs)
    }

    /// The same for more outputs than this one.
    pub fn spare_with<'a>(
        &'a self,
        more: impl IntoIterator<Item = &'a PathBuf>,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), CliError> {
        let own = self.path().unwrap_or(Path::new(DASH));
        may_write(std::iter::once(own).chain(more.into_iter().map(PathBuf::as_path)), inputs, self.force)
    }
}

/// The one rule of all commands that write: no output is one of the files that the command reads,
/// unless `force` is given, and no two outputs are the same file or standard output.
pub fn may_write<'a>(
    outputs: impl IntoIterator<Item = &'a Path>,
    inputs: impl IntoIterator<Item = &'a Path>,
    force: bool,
) -> Result<(), CliError> {
    let (printed, outputs): (Vec<&Path>, Vec<&Path>) = outputs.into_iter().partition(|path| is_dash(path));
    if printed.len() > 1 {
        return Err(CliError::because(&Message::new("write.twice-printed")));
    }
    for (at, output) in outputs.iter().enumerate() {
        if outputs[..at].iter().any(|other| is_same_file(other, output)) {
            return Err(CliError::because(&Message::new("write.twice").text("path", output.display().to_string())));
        }
    }
    if force || outputs.is_empty() {
        return Ok(());
    }
    for input in inputs.into_iter().filter(|path| example_of(path).is_none()) {
        if let Some(output) = outputs.iter().find(|output| is_input(output, input)) {
            return Err(CliError::because(&Message::new("cli.is-input").text("path", output.display().to_string())));
        }
    }
    Ok(())
}

/// Standard input or output in place of a file.
const DASH: &str = "-";

fn is_dash(path: &Path) -> bool {
    path.as_os_str() == DASH
}

/// Whether an output leads to the file that an input is read from: by its path, by another name of
/// the same file, or because the file is standard input.
pub fn is_input(output: &Path, input: &Path) -> bool {
    if !is_dash(input) && is_same_file(output, input) {
        return true;
    }
    let read = if is_dash(input) { identity_of_standard_input() } else { identity(input) };
    read.is_some() && identity(output) == read
}

/// Number of the device and of the file on it, which all hard links of a file share; none for what
/// is no file.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity_in(data: &fs::Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    data.is_file().then(|| (data.dev(), data.ino()))
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    identity_in(&fs::metadata(path).ok()?)
}

#[cfg(unix)]
fn identity_of_standard_input() -> Option<Identity> {
    use std::os::fd::AsFd;
    let file = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    identity_in(&file.metadata().ok()?)
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<Identity> {
    None
}

#[cfg(not(unix))]
fn identity_of_standard_input() -> Option<Identity> {
    None
}

/// Most links that are followed, one leading to the next.
const MAX_LINKS: usize = 40;

/// The file that a path leads to, also through links, and also if the file does not exist yet.
fn target(path: &Path) -> Option<PathBuf> {
    let folder = |path: &Path| match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        if let Ok(whole) = fs::canonicalize(&path) {
            return Some(whole);
        }
        match fs::read_link(&path) {
            // Of a link to a file that is not there, the name that the file will have.
            Ok(next) => path = folder(&path).join(next),
            Err(_) => return Some(fs::canonicalize(folder(&path)).ok()?.join(path.file_name()?)),
        }
    }
    None
}

/// Whether two paths lead to the same file, also through links, and also if it does not exist yet.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    a == b || target(a).is_some_and(|a| target(b) == Some(a))
}

/// Prints a record for programs: an object whose first field names its format.
pub fn print_record(format: &str, record: Value) -> Result<(), CliError> {
    print(&record_text(format, record))
}

/// The text of such a record.
pub fn record_text(format: &str, record: Value) -> String {
    let mut object = Map::new();
    object.insert("format".into(), format.into());
    if let Value::Object(fields) = record {
        object.extend(fields.into_iter().filter(|(key, _)| key != "format"));
    }
    format!("{:#}\n", Value::Object(object))
}

/// Writes to `path`, packed if its name ends in `.gz`, or to standard output.
pub fn write(path: Option<&Path>, text: &str) -> Result<(), CliError> {
    write_pieces(path, std::iter::once(text))
}

/// The same of a long text, which never is in memory as a whole if it goes to a file.
pub fn write_pieces(path: Option<&Path>, pieces: impl Iterator<Item = impl AsRef<str>>) -> Result<(), CliError> {
    match path.filter(|path| !is_dash(path)) {
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
    let text = if io::stdout().is_terminal() { visible_lines(text) } else { Cow::Borrowed(text) };
    put(text.as_bytes())
}

/// Writes to standard output. A reader that has closed it wants no more, which is no failure: the
/// command ends with the exit code that it has without the reader.
fn put(bytes: &[u8]) -> Result<(), CliError> {
    status::erase();
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Writes bytes to a file or to standard output as they are.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    if is_dash(path) {
        return put(bytes);
    }
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
    let path = target(path).unwrap_or_else(|| path.to_path_buf());
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
