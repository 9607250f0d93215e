//! One HTML file: the page with a document inside (docs/html.md). The page writes the same file
//! (`src/browser/inside.js`), and `www/one.html` unpacks it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::html;
use memplan_core::base::Message;

use super::error::CliError;
use super::page::{INDEX, PageFiles};

/// The file without what is inside.
const TEMPLATE: &str = "one.html";

/// The list of what belongs inside.
const LIST: &str = "inside.json";

/// What the folder of a version begins with.
const VERSION: &str = "build-";

/// The name under which the file keeps the fragment that it begins with.
const LINK: &str = "link";

/// What a file holds beside the page.
pub struct Inside {
    pub title: String,
    /// The fragment that it begins with.
    pub link: String,
    /// Documents with the paths that the page fetches them by.
    pub documents: Vec<(String, Vec<u8>)>,
}

/// The text of the file.
///
/// # Errors
/// The page is of a version that cannot be put into a file.
pub fn one_file(page: &PageFiles, inside: Inside) -> Result<String, CliError> {
    let missing = |path: &str| CliError::because(&Message::new("html.not-in-page").text("path", path));
    let index = page.read(INDEX).ok_or_else(|| missing(INDEX))?;
    let index = String::from_utf8_lossy(&index);
    let version = version(&index).ok_or_else(|| missing(VERSION))?;
    let read = |path: &str| {
        let place = if is_beside(path) { path.to_string() } else { format!("{version}/{path}") };
        page.read(&place).ok_or_else(|| missing(&place))
    };
    let template = String::from_utf8_lossy(&read(TEMPLATE)?).into_owned();
    let list: Vec<String> = serde_json::from_slice(&read(LIST)?).map_err(|_| missing(LIST))?;
    let own: Vec<&String> = inside.documents.iter().map(|(path, _)| path).collect();
    let mut files = Vec::new();
    for path in list {
        // A document goes by the name of an example only in place of it.
        // Files of other tools are inside as what was read of them. What runs planners of users is
        // left out, too: a file is for those who look at a plan.
        let is_needed = !path.starts_with("reader") && !path.starts_with("writer");
        if !own.contains(&&path) && is_needed {
            let bytes = read(&path)?;
            files.push((path, bytes));
        }
    }
    let link = (LINK.to_string(), Cow::Owned(inside.link.into_bytes()));
    let documents = inside.documents.into_iter().map(|(path, bytes)| (path, Cow::Owned(bytes)));
    let documents: Vec<(String, Cow<[u8]>)> = std::iter::once(link).chain(documents).collect();
    let parts = BTreeMap::from([
        ("title", html! { (inside.title) }.into_string()),
        ("page", packed(&files)?),
        ("document", packed(&documents)?),
    ]);
    Ok(filled(&template, &parts))
}

/// Whether a file lies beside the page and not in the folder of its version.
fn is_beside(path: &str) -> bool {
    path.starts_with("graphs/") || path == "licenses.html"
}

/// The name of the folder that a page's programs lie in.
fn version(index: &str) -> Option<&str> {
    let folder = &index[index.find(VERSION)?..];
    folder.split(['/', '"']).next()
}

/// Files as one text: the length of a list, the list of paths with lengths, and the files one after
/// the other; gzip in base64.
fn packed(files: &[(String, Cow<[u8]>)]) -> Result<String, CliError> {
    let list: Vec<(&str, usize)> = files.iter().map(|(path, bytes)| (path.as_str(), bytes.len())).collect();
    let list = serde_json::to_vec(&list).unwrap_or_default();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&(list.len() as u32).to_le_bytes())?;
    gzip.write_all(&list)?;
    for (_, bytes) in files {
        gzip.write_all(bytes)?;
    }
    Ok(STANDARD.encode(gzip.finish()?))
}

/// A template whose parts, such as `@title@`, have these values. What a value holds is no part.
pub fn filled(template: &str, parts: &BTreeMap<&str, String>) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('@') {
        let part = after.split_once('@').and_then(|(name, rest)| Some((parts.get(name)?, rest)));
        text += before;
        rest = match part {
            Some((value, rest)) => {
                text += value;
                rest
            }
            None => {
                text.push('@');
                after
            }
        };
    }
    text + rest
}
