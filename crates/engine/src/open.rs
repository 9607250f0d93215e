//! A source → a document, and what the page is to know of it.

use super::answer::{Failure, Opened};
use super::link::{Carried, carried, is_packed, pack, unpack};
use super::readers;
use super::source::Source;
use super::whatif::recorded_memories;
use memplan_core::base::Message;
use memplan_core::graph::{Fault, RawGraph, check, edit};
use memplan_formats::export;
use memplan_formats::import::{Answers, Document, Format};

/// Nodes or tensors of a graph above which the user is asked first: planning and drawing then take
/// long.
pub const MANY: usize = 150_000;

/// Returns the document of a source and what the page is to know of it; none for [`Source::Keep`].
///
/// # Errors
/// [`Failure::Faults`], [`Failure::NoReaders`], or [`Failure::Large`] for a graph that nobody has
/// agreed to.
pub(super) fn open(source: &Source) -> Result<Option<(Document, Opened)>, Failure> {
    match source {
        Source::Keep => Ok(None),
        Source::File { file, choices } => opened(file, choices).map(Some),
        Source::Draft(draft) => open_draft(draft).map(Some),
    }
}

/// Returns the document of a file, or of what a link carries.
///
/// # Errors
/// As [`open()`].
pub(super) fn document_of(file: &[u8], choices: &Answers) -> Result<Document, Failure> {
    opened(file, choices).map(|(document, _)| document)
}

/// Returns the document of a file with what the page is to know of it.
///
/// # Errors
/// As [`open()`].
pub(super) fn opened(file: &[u8], choices: &Answers) -> Result<(Document, Opened), Failure> {
    let unpacked = is_packed(file).then(|| unpack(file).ok_or_else(damaged)).transpose()?;
    let bytes = unpacked.as_deref().unwrap_or(file);
    let imported = readers::read(bytes, choices)?;
    let size = imported.document.graph().map_or(0, |graph| graph.nodes.len().max(graph.tensors.len()));
    if size > MANY && !choices.large {
        return Err(Failure::Large(size as u64));
    }
    let opened = Opened {
        name: imported.document.name().into(),
        format: imported.format,
        graph: imported.document.graph().cloned(),
        has_plan: imported.document.own_plan().is_some(),
        recorded: recorded_memories(imported.document.recordings()).collect(),
        facts: imported.facts,
        warnings: imported.warnings,
        questions: imported.questions,
        packed: carried(bytes, choices, &imported.document),
        written: unpacked,
    };
    Ok((imported.document, opened))
}

fn open_draft(draft: &[u8]) -> Result<(Document, Opened), Failure> {
    let draft: RawGraph = postcard::from_bytes(draft).map_err(|_| Failure::NotRead)?;
    let (graph, mut warnings) = check(draft).map_err(Failure::Faults)?;
    warnings.extend(edit::remarks(&graph));
    let written = export::graph(&graph).into_bytes();
    let opened = Opened {
        name: graph.name.clone(),
        format: Format::MemoryGraph,
        graph: Some(graph.clone()),
        has_plan: false,
        recorded: Vec::new(),
        facts: Vec::new(),
        warnings,
        questions: Vec::new(),
        packed: Carried { document: pack(&written), plan: None },
        written: Some(written),
    };
    Ok((Document::Graph(graph), opened))
}

fn damaged() -> Failure {
    Failure::Faults(vec![Fault { path: String::new(), message: Message::new("fault.damaged-link") }])
}
