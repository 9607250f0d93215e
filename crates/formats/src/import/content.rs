//! The bytes of a file as readers look at them: its text and its JSON are found once, however many
//! readers look.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::loose::{Loose, Object};
use memplan_core::base::Message;
use memplan_core::graph::Fault;

/// What `memplan fit` writes, which holds no document.
const FIT_REPORT: &str = "fit/1";

/// A file, no longer compressed.
pub struct Content<'a> {
    bytes: &'a [u8],
    text: Option<&'a str>,
    json: OnceCell<Result<Loose<'a>, Message>>,
}

impl<'a> Content<'a> {
    /// The content of unpacked bytes.
    pub fn new(bytes: &'a [u8]) -> Content<'a> {
        let text = std::str::from_utf8(bytes).ok().map(|text| text.trim_start_matches('\u{feff}'));
        Content { bytes, text, json: OnceCell::new() }
    }

    /// All bytes of the file.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The file as text without a byte-order mark; nothing if it is not UTF-8.
    pub fn text(&self) -> Option<&'a str> {
        self.text
    }

    /// The text from its first letter on; empty if the file is not text.
    pub fn start(&self) -> &'a str {
        self.text.unwrap_or_default().trim_start()
    }

    /// What stands in the file if it begins as JSON does, or why that cannot be read.
    fn parsed(&self) -> Option<Result<&Loose<'a>, &Message>> {
        let text = self.text.filter(|_| self.start().starts_with(['{', '[']))?;
        let parse = || parse_json(text);
        Some(self.json.get_or_init(parse).as_ref())
    }

    /// The JSON in the file, if it is valid.
    pub fn json(&self) -> Option<&Loose<'a>> {
        self.parsed()?.ok()
    }

    /// The JSON object in the file, if it is one.
    pub fn object(&self) -> Option<&Object<'a>> {
        if let Loose::Object(object) = self.json()? { Some(object) } else { None }
    }

    /// Takes the JSON out.
    ///
    /// # Errors
    /// Where the syntax is broken, or that the file is not recognised if it does not begin as JSON
    /// does.
    pub fn into_json(self) -> Result<Loose<'a>, Vec<Fault>> {
        self.parsed();
        self.json.into_inner().unwrap_or_else(|| Err(not_recognised(self.bytes))).map_err(whole)
    }

    /// Takes the JSON object out.
    ///
    /// # Errors
    /// As [`Content::into_json`], and when the JSON is no object.
    pub fn into_object(self) -> Result<Object<'a>, Vec<Fault>> {
        match self.into_json()? {
            Loose::Object(object) => Ok(object),
            _ => Err(whole(Message::new("fault.not-an-object"))),
        }
    }

    /// The member `format` of the JSON; empty without one.
    fn format(&self) -> &str {
        self.object().and_then(|top| top.get("format")).and_then(Loose::text).unwrap_or_default()
    }

    /// Whether the file is JSON of this project whose format has the name of `known`, in whatever
    /// version. The name is first looked for as it is written, so that no large file of another
    /// tool is parsed in vain; a name with escaped letters is found once the file has been parsed
    /// for another reader. A file with broken JSON that holds the name counts, too.
    pub fn is_version_of(&self, known: &str) -> bool {
        let name = name_of(known);
        let holds = || self.start().contains(name);
        if !self.start().starts_with('{') || (self.json.get().is_none() && !holds()) {
            return false;
        }
        match self.parsed() {
            Some(Ok(_)) => self.format().starts_with(name),
            Some(Err(_)) => holds(),
            None => false,
        }
    }

    /// Checks that the `format` is `known` to the letter.
    ///
    /// # Errors
    /// Broken JSON, or another version of the format.
    pub fn check_version(&self, known: &str) -> Result<(), Vec<Fault>> {
        if let Some(Err(message)) = self.parsed() {
            return Err(whole(message.clone()));
        }
        let found = self.format();
        if found == known {
            return Ok(());
        }
        let message = Message::new("fault.format-version").text("found", found).text("known", known);
        Err(vec![Fault::new("format", message)])
    }

    /// The faults of a file that no reader recognises.
    pub fn unrecognised(self) -> Vec<Fault> {
        let start = self.start();
        match start.as_bytes().first() {
            Some(b'[') if is_timeline(start) => whole(Message::new("fault.memory-timeline")),
            Some(b'{' | b'[') => {
                let format = self.format().to_string();
                match self.into_object() {
                    Ok(_) if format == FIT_REPORT => whole(Message::new("fault.fit-report")),
                    Ok(object) => whole_of_json(&object, &format),
                    Err(faults) => faults,
                }
            }
            _ if is_xla_text(start) => whole(Message::new("fault.hlo-text")),
            _ if start.starts_with("version https://git-lfs") => whole(Message::new("fault.git-lfs")),
            Some(b'<') => whole(Message::new(match start {
                _ if is_openvino(start) => "fault.openvino",
                _ if is_drawing(start) => "fault.svg",
                _ => "fault.html",
            })),
            _ => match named_by_start(self.bytes, start) {
                Some(key) => whole(Message::new(key)),
                None => whole(not_recognised(self.bytes)),
            },
        }
    }
}

/// Key of the sentence on a file of another tool that its first bytes give away.
fn named_by_start(bytes: &[u8], start: &str) -> Option<&'static str> {
    // The length of the header, then the header as JSON.
    let is_safetensors = bytes.get(8) == Some(&b'{') && bytes.get(5..8) == Some(&[0; 3]);
    Some(match bytes {
        _ if bytes.starts_with(b"GGUF") => "fault.gguf",
        _ if bytes.starts_with(b"\x89HDF\r\n") => "fault.keras",
        _ if is_safetensors => "fault.safetensors",
        _ if start.starts_with("7767517") => "fault.ncnn",
        _ if is_mlir(start) => "fault.mlir",
        _ if ["digraph", "graph {", "strict digraph"].iter().any(|word| start.starts_with(word)) => "fault.graphviz",
        _ => return None,
    })
}

/// Whether text is MLIR: a module or a function, after lines of comments and of aliases.
fn is_mlir(start: &str) -> bool {
    let mut lines = start.lines().map(str::trim_start).filter(|line| !line.is_empty());
    let first = lines.find(|line| !line.starts_with("//") && !line.starts_with('#') && !line.starts_with('!'));
    first.is_some_and(|line| {
        ["module @", "module {", "module attributes", "builtin.module", "func.func "]
            .iter()
            .any(|word| line.starts_with(word))
    })
}

/// The faults of JSON that no reader recognises; `format` is its member of that name.
fn whole_of_json(object: &Object, format: &str) -> Vec<Fault> {
    let has = |key: &str| object.get(key).is_some();
    let key = match format {
        _ if is_onnx_json(object) => "fault.onnx-json",
        _ if has("keras_version") || has("class_name") && has("config") => "fault.keras",
        _ if has("modelTopology") => "fault.tfjs",
        _ if has("schema") && has("nodes") && has("pid") => "fault.execution-trace",
        _ => return vec![Fault::new("format", Message::new("fault.format-missing").text("found", format))],
    };
    whole(Message::new(key))
}

/// The name of a format with its slash: `memory-graph/` of `memory-graph/1`.
fn name_of(known: &str) -> &str {
    known.split_inclusive('/').next().unwrap_or(known)
}

/// Parses JSON text.
///
/// # Errors
/// Where the syntax is broken.
pub fn parse(text: &str) -> Result<Loose<'_>, Vec<Fault>> {
    parse_json(text).map_err(whole)
}

/// Most bytes that the values of a JSON text may take in memory.
pub const MAX_TREE: u64 = 1 << 30;

fn parse_json(text: &str) -> Result<Loose<'_>, Message> {
    if tree_bytes(text) > MAX_TREE {
        return Err(Message::new("fault.json-too-large").count("limit", MAX_TREE >> 20));
    }
    serde_json::from_str(text).map_err(|error| json_syntax(text, &error))
}

/// Bytes that the values of a JSON text take, or somewhat more. Counted before there are any: half
/// a gigabyte of `0,` is a few megabytes packed and eight gigabytes of values.
fn tree_bytes(text: &str) -> u64 {
    let (value, name) = (size_of::<Loose>() as u64, size_of::<Cow<str>>() as u64);
    let (mut bytes, mut in_string, mut escaped) = (value, false, false);
    for &byte in text.as_bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b',' => bytes += value,
            b':' => bytes += name,
            // The list itself has been counted; this is its first item, and what the allocator
            // adds.
            b'[' | b'{' => bytes += value + 16,
            _ => {}
        }
    }
    bytes
}

/// One fault of the file as a whole.
pub fn whole(message: Message) -> Vec<Fault> {
    vec![Fault::new("", message)]
}

/// Whether text is what XLA writes beside a module, which contains less than the module itself.
fn is_xla_text(start: &str) -> bool {
    ["BufferAssignment:", "HloModule ", "HloLiveRange "].iter().any(|head| start.starts_with(head))
}

/// Whether an object is a model of ONNX that protobuf wrote as JSON.
fn is_onnx_json(object: &Object) -> bool {
    let has = |keys: [&str; 2]| keys.iter().any(|key| object.get(key).is_some());
    has(["irVersion", "ir_version"]) && object.get("graph").is_some()
}

/// Whether JSON is a list of lists of numbers, as a memory timeline of PyTorch's profiler is.
fn is_timeline(start: &str) -> bool {
    let mut letters = start.chars().filter(|letter| !letter.is_whitespace());
    let begins = letters.next() == Some('[') && letters.next() == Some('[');
    begins && letters.next().is_some_and(|letter| letter == '-' || letter.is_ascii_digit())
}

/// Whether text that begins with `<` is a model of OpenVINO: after the declaration the first
/// element is `net`, and it has layers.
fn is_openvino(text: &str) -> bool {
    let elements = text.split('<').skip(1).find(|part| !part.starts_with(['?', '!']));
    elements.is_some_and(|first| first.starts_with("net") && first[3..].starts_with(char::is_whitespace))
        && text.contains("<layers")
}

/// Whether text that begins with `<` is an SVG, and not a web page that may hold one.
fn is_drawing(text: &str) -> bool {
    let head: String = text.chars().take(2000).collect::<String>().to_ascii_lowercase();
    let at = |what: &str| head.find(what).unwrap_or(usize::MAX);
    at("<svg") < at("<html").min(at("<!doctype html")).min(at("<body"))
}

fn json_syntax(text: &str, error: &serde_json::Error) -> Message {
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default().to_string();
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let mut excerpt: String = line.chars().skip(error.column().saturating_sub(30)).take(60).collect();
    if excerpt.trim().is_empty() {
        // A file that ends too early: what it ends with.
        let end: Vec<char> = text.trim_end().chars().rev().take(40).collect();
        excerpt = end.into_iter().rev().collect();
    }
    Message::new("fault.json-syntax")
        .count("line", error.line() as u64)
        .count("column", error.column() as u64)
        .text("reason", reason)
        .text("excerpt", excerpt)
}

/// The first bytes and what they look like, so that a wrong pick is noticed.
pub fn not_recognised(bytes: &[u8]) -> Message {
    let head: Vec<String> = bytes.iter().take(8).map(|byte| format!("{byte:02X}")).collect();
    let looks = match bytes {
        [0x89, b'P', b'N', b'G', ..] => "PNG",
        [b'%', b'P', b'D', b'F', ..] => "PDF",
        [0x7f, b'E', b'L', b'F', ..] => "ELF",
        _ => "",
    };
    let key = if looks.is_empty() { "fault.not-recognised" } else { "fault.not-recognised-looks" };
    Message::new(key).text("bytes", head.join(" ")).text("looks", looks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::base::Arg;

    #[test]
    fn files_of_other_tools_are_named() {
        let key = |bytes: &[u8]| {
            let faults = crate::import::read(bytes, Default::default()).expect_err("no file of ours");
            faults[0].message.key.to_string()
        };
        let net = r#"<net name="net" version="11"><layers><layer id="0" type="Parameter"/></layers><edges/></net>"#;
        assert_eq!(key(net.as_bytes()), "fault.openvino");
        assert_eq!(key(format!("<?xml version=\"1.0\"?>\n<!-- made -->\n{net}").as_bytes()), "fault.openvino");
        assert_eq!(key(b"<network><p>net</p></network>"), "fault.html");
        for timeline in ["[[1795901512670848, 2], [[0, 16]]]", " [ [-1, 1, 32768, 0], [5, 2, 512, 4]]"] {
            assert_eq!(key(timeline.as_bytes()), "fault.memory-timeline");
        }
        assert_eq!(key(b"GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0"), "fault.gguf");
        let others: [(&[u8], &str); 10] = [
            (b"\x89HDF\r\n\x1a\n\0\0\0\0", "fault.keras"),
            (br#"{"class_name": "Functional", "config": {"layers": []}, "backend": "jax"}"#, "fault.keras"),
            (br#"{"format": "graph-model", "modelTopology": {"node": []}}"#, "fault.tfjs"),
            (br#"{"schema": "1.1.1", "pid": 1, "nodes": [{"id": 1}]}"#, "fault.execution-trace"),
            (b"\x3d\0\0\0\0\0\0\0{\"w\": {\"dtype\": \"F32\"}}", "fault.safetensors"),
            (b"7767517\n2 2\nInput data 0 1 data", "fault.ncnn"),
            (b"// made\n#loc = loc(unknown)\nmodule @jit_f attributes {a = 1 : i32} {", "fault.mlir"),
            (b"digraph g { a -> b }", "fault.graphviz"),
            (br#"{"name": "x", "nodes": []}"#, "fault.format-missing"),
            (b"module of the course", "fault.not-recognised"),
        ];
        others.into_iter().for_each(|(bytes, named)| assert_eq!(key(bytes), named));
        for version in ["irVersion", "ir_version"] {
            let model = format!(r#"{{"{version}":"8","graph":{{"node":[{{"input":["x"],"opType":"Relu"}}]}}}}"#);
            assert_eq!(key(model.as_bytes()), "fault.onnx-json");
        }
    }

    #[test]
    fn values_are_counted_before_they_are_made() {
        let value = size_of::<Loose>() as u64;
        assert_eq!(tree_bytes("7"), value);
        assert_eq!(tree_bytes("[0,0,0]"), 4 * value + 16);
        assert_eq!(tree_bytes(r#"["a,[{:\",,",0]"#), 3 * value + 16, "what stands in strings is no value");
        assert_eq!(tree_bytes(r#"{"a":{"b":[]}}"#), 4 * value + 3 * 16 + 2 * size_of::<Cow<str>>() as u64);
        let numbers = MAX_TREE / value + 1;
        let text = format!("[{}0]", "0,".repeat(numbers as usize));
        let refused = parse_json(&text).expect_err("too many values");
        assert_eq!((&*refused.key, refused.arg("limit")), ("fault.json-too-large", Some(&Arg::Count(1024))));
    }
}
