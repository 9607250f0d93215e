//! The built-in examples, which this program carries: `ex:teaching` in place of a file, as in the
//! page's links.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use memplan_core::base::{Message, suggest};
use memplan_teach::lesson::example_file;

use super::error::CliError;

/// What their names begin with.
const PREFIX: &str = "ex:";

/// What the page lists of them, which is no example.
const INDEX: &str = "index.json";

#[derive(rust_embed::RustEmbed)]
#[folder = "../../www/graphs/"]
struct Graphs;

/// The name of the example that a path stands for. A file of such a name is told apart by `./`.
pub fn example_of(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix(PREFIX)
}

/// The bytes of an example's file.
///
/// # Errors
/// There is no such example.
pub fn bytes(name: &str) -> Result<Cow<'static, [u8]>, CliError> {
    let missing = || {
        let names = names();
        let known = names.iter().filter_map(|known| known.strip_prefix(PREFIX));
        CliError::because(&suggest(Message::new("cli.no-example").text("name", name), name, known))
    };
    let file = Some(example_file(name)).filter(|file| file != INDEX).and_then(|file| Graphs::get(&file));
    file.map(|file| file.data).ok_or_else(missing)
}

/// What an example's file is called.
pub fn file(name: &str) -> PathBuf {
    PathBuf::from(example_file(name))
}

/// All names, the small ones and the networks before those of counter-examples and lessons.
pub fn names() -> Vec<String> {
    let mut files: Vec<Cow<'static, str>> = Graphs::iter().filter(|file| file != INDEX).collect();
    files.sort_by_key(|file| (file.contains('/'), file.clone()));
    files.iter().filter_map(|file| Some(format!("{PREFIX}{}", file.rsplit_once('.')?.0))).collect()
}
