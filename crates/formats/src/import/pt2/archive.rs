//! The zip around a model. Entries are found through the central directory; weights are never read.

use std::io::Read;

use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};

use super::super::gzip::MAX_UNPACKED;
use memplan_core::base::Message;

/// Most bytes that one packed byte may become; text of models packs to about a twentieth.
const MAX_RATIO: u64 = 200;

/// What any entry may unpack to, however little it was packed.
const MIN_LIMIT: u64 = 1 << 20;

pub fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// An entry with a model.
pub struct Model {
    pub name: String,
    folder: String,
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
}

pub struct Archive<'a> {
    zip: ZipSliceArchive<&'a [u8]>,
    /// In the order of the archive, at least one.
    pub models: Vec<Model>,
}

fn broken(error: rawzip::Error) -> Message {
    Message::new("fault.zip").text("reason", error.to_string())
}

impl<'a> Archive<'a> {
    /// Reads the directory.
    pub fn open(bytes: &'a [u8]) -> Result<Archive<'a>, Message> {
        let zip = ZipArchive::from_slice(bytes).map_err(broken)?;
        let (mut models, mut pickled, mut is_compiled, mut first) = (Vec::new(), false, false, Vec::new());
        let mut entries = zip.entries();
        while let Some(entry) = entries.next_entry().map_err(broken)? {
            let path = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
            pickled |= path == "data.pkl" || path.ends_with("/data.pkl");
            is_compiled |= path.contains("data/aotinductor/");
            if first.len() < 4 {
                first.push(path.chars().take(60).collect::<String>());
            }
            if let Some((folder, name)) = model_name(&path) {
                let (name, folder) = (name.to_string(), folder.to_string());
                models.push(Model { name, folder, place: entry.wayfinder(), method: entry.compression_method() });
            }
        }
        if !models.is_empty() {
            return Ok(Archive { zip, models });
        }
        if pickled {
            return Err(Message::new("fault.torch-save"));
        }
        if is_compiled {
            return Err(Message::new("fault.aotinductor"));
        }
        if first.iter().any(|name| name == "model.weights.h5") {
            return Err(Message::new("fault.keras"));
        }
        Err(Message::new("fault.zip-no-model").text("entries", first.join(", ")))
    }

    /// What to call the graph: the archive, unless it holds models with names of their own.
    pub fn title<'m>(&self, model: &'m Model) -> &'m str {
        let unnamed = model.name == "model" && !model.folder.is_empty();
        if unnamed { &model.folder } else { &model.name }
    }

    /// The bytes of a model's JSON.
    pub fn unpack(&self, model: &Model) -> Result<Vec<u8>, Message> {
        let entry = self.zip.get_entry(model.place).map_err(broken)?;
        let packed = entry.data();
        let limit = (packed.len() as u64).saturating_mul(MAX_RATIO).clamp(MIN_LIMIT, MAX_UNPACKED);
        let mut json = Vec::new();
        let read = match model.method {
            CompressionMethod::STORE => entry.verifying_reader(packed).take(limit + 1).read_to_end(&mut json),
            CompressionMethod::DEFLATE => {
                entry.verifying_reader(DeflateDecoder::new(packed)).take(limit + 1).read_to_end(&mut json)
            }
            other => return Err(Message::new("fault.zip-method").text("method", other.to_string())),
        };
        // A bomb is reported as one, even if its checksum would fail later.
        if json.len() as u64 > limit {
            return Err(Message::new("fault.zip-bomb").count("limit", limit >> 20));
        }
        read.map_err(|error| Message::new("fault.zip").text("reason", error.to_string()))?;
        Ok(json)
    }
}

/// Folder and name of a model: `net/models/main.json`, or what torch 2.4 and earlier wrote.
fn model_name(path: &str) -> Option<(&str, &str)> {
    if path == "serialized_exported_program.json" || path.ends_with("/serialized_exported_program.json") {
        return Some((path.split_once('/').map_or("", |(folder, _)| folder), "model"));
    }
    let (folder, name) = path.strip_suffix(".json")?.rsplit_once('/')?;
    let top = match folder {
        "models" => "",
        _ => folder.strip_suffix("/models")?,
    };
    Some((top, name))
}
