//! A document as text in a link: deflate and base64url behind `z:`.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};

use super::reading::is_reading;
use super::source::IMPORTED;
use memplan_core::base::{Message, Sizes};
use memplan_core::plan::{Plan, PlanFile};
use memplan_core::problem::{Problem, Scope, Views};
use memplan_core::text::Speech;
use memplan_formats::export;
use memplan_formats::import::{Answers, Document};

/// Longest document that a link carries, in characters.
pub const MAX_LINK: usize = 16_000;
/// Most bytes a link's document may unpack to.
const MAX_UNPACKED: u64 = 16 << 20;
/// Marks a packed document.
const MARK: &str = "z:";

/// Returns the bytes as text if it is short enough for a link.
pub fn pack(bytes: &[u8]) -> Option<String> {
    // Text deflates to a tenth at best, so far larger files are not tried.
    if bytes.len() > MAX_LINK * 12 {
        return None;
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).ok()?;
    let text = URL_SAFE_NO_PAD.encode(encoder.finish().ok()?);
    (text.len() <= MAX_LINK).then(|| format!("{MARK}{text}"))
}

/// Most tensors and nodes, or buffers, that are written anew for a link: the text of more is too
/// long for one.
const MAX_TRIED: usize = 4_000;

/// A document as packed text, each part if it is short enough for a link.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Carried {
    /// The file as it is, or what was read of it.
    pub document: Option<String>,
    /// The plan that the file brings, where `document` is without it.
    pub plan: Option<String>,
}

/// Returns what a link carries of a file: the file itself, unless it is too long (most bytes of a
/// model are weights), the user has answered questions about it, or it is only there as read.
pub fn carried(bytes: &[u8], choices: &Answers, document: &Document) -> Carried {
    let whole = if choices.are_none() && !is_reading(bytes) { pack(bytes) } else { None };
    if whole.is_some() {
        return Carried { document: whole, plan: None };
    }
    let graph = document.graph().filter(|graph| graph.nodes.len() + graph.tensors.len() <= MAX_TRIED);
    let graph = graph.and_then(|graph| pack(export::graph(graph).as_bytes()));
    let own = document.own_plan().filter(|(problem, _)| problem.buffers.len() <= MAX_TRIED);
    let plan = own.and_then(|(problem, plan)| pack(plan_text(problem, plan).as_bytes()));
    match document {
        Document::Graph(_) | Document::Planned(..) => Carried { document: graph, plan },
        Document::Plan(problem, _) if is_free(problem) => Carried { document: plan, plan: None },
        Document::Plan(problem, _) | Document::Buffers(problem) => {
            let tried = Some(problem).filter(|problem| problem.buffers.len() <= MAX_TRIED);
            let text = tried.map(|problem| export::csv(problem, document.own_plan().map(|(_, plan)| plan)));
            Carried { document: text.and_then(|text| pack(text.as_bytes())), plan: None }
        }
    }
}

/// The offsets of a CSV are also positions that planners can be asked to keep, which a plan is not.
fn is_free(problem: &Problem) -> bool {
    problem.buffers.iter().all(|buffer| buffer.fixed.is_none())
}

fn plan_text(problem: &Problem, plan: &Plan) -> String {
    let words = |message: &Message| Speech { sizes: Sizes::Exact, ..Speech::default() }.say(message);
    export::plan(&PlanFile::new(problem, plan, IMPORTED, BTreeMap::new(), words))
}

/// Returns what was read of a file in a form that needs no reader of another tool: its graph, or
/// its buffers. Of a graph with a plan it is the plan if `with_plan` says so.
pub fn in_own_form(document: &Document, with_plan: bool) -> String {
    let own = document.own_plan();
    match (document.graph(), own, document) {
        (Some(_), Some((problem, plan)), _) if with_plan => plan_text(problem, plan),
        (Some(graph), ..) => export::graph(graph),
        (None, Some((problem, plan)), _) if is_free(problem) => plan_text(problem, plan),
        (None, own, Document::Plan(problem, _) | Document::Buffers(problem)) => {
            export::csv(problem, own.map(|(_, plan)| plan))
        }
        // A document without a graph is one of these.
        (None, ..) => String::new(),
    }
}

/// Returns whether the bytes are a packed document; no file begins like one.
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK.as_bytes())
}

/// Returns the document in a packed text; none if it is damaged or unpacks to more than 16 MiB.
pub fn unpack(text: &[u8]) -> Option<Vec<u8>> {
    let packed = URL_SAFE_NO_PAD.decode(text.strip_prefix(MARK.as_bytes())?).ok()?;
    let mut bytes = Vec::new();
    let read = DeflateDecoder::new(&packed[..]).take(MAX_UNPACKED + 1).read_to_end(&mut bytes).ok()?;
    (read as u64 <= MAX_UNPACKED).then_some(bytes)
}

/// Writes what is planned, defaults left out.
pub fn write_scope(scope: &Scope) -> String {
    let default = Scope::default();
    let mut words = Vec::new();
    let mut flag = |name: &str, on: bool, usual: bool| {
        if on != usual {
            words.push(format!("{name}:{}", u8::from(on)));
        }
    };
    flag("inputs", scope.inputs, default.inputs);
    flag("outputs", scope.outputs, default.outputs);
    flag("weights", scope.weights, default.weights);
    flag("copies", scope.views == Views::Copy, false);
    if scope.align != default.align {
        words.push(format!("align:{}", scope.align));
    }
    words.extend(scope.symbols.iter().map(|(name, value)| format!("@{name}:{value}")));
    words.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_documents_are_packed_and_unpacked() {
        let bytes = br#"{"format":"memory-graph/1"}"#.to_vec();
        let packed = pack(&bytes).expect("short");
        assert!(is_packed(packed.as_bytes()) && !is_packed(&bytes));
        assert_eq!(unpack(packed.as_bytes()), Some(bytes));
        assert_eq!(pack(&vec![7; 10 << 20]), None);
        for damaged in ["z:%%%", "z:AAAA", ""] {
            assert_eq!(unpack(damaged.as_bytes()), None, "{damaged}");
        }
    }
}
