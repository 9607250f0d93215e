//! All readers, one line each.

use serde::{Deserialize, Serialize};

use super::answers::{Answers, Question};
use super::content::Content;
use super::document::{Document, Parsed};
use super::unshown::Unshown;
use super::{
    csv, cuda_snapshot, executorch, hlo, memory_graph, memory_plan, mlir, names, nnvm, onnx, pt2, tflite, trace,
};
use memplan_core::base::Message;
use memplan_core::graph::{Fault, Format, MAX_NAME};

/// A reader of one format.
pub struct Reader {
    /// The format that it reads.
    pub format: Format,
    /// Name of the format's folder in `fuzz/corpus` and of its fuzz target.
    pub id: &'static str,
    /// What sentences that list the formats call this one, in every language.
    pub words: &'static str,
    sniff: fn(&Content) -> bool,
    read: for<'a> fn(Content<'a>, &Answers) -> Result<Parsed, Vec<Fault>>,
}

impl Reader {
    /// Whether a file looks like one of this format: by its first bytes, or by the names in its
    /// JSON.
    pub fn recognises(&self, content: &Content) -> bool {
        (self.sniff)(content)
    }

    /// Reads a file that it [recognises](Reader::recognises).
    ///
    /// # Errors
    /// Every fault found, at least one.
    pub fn read(&self, content: Content, answers: &Answers) -> Result<Imported, Vec<Fault>> {
        let read = (self.read)(content, answers).map_err(|mut faults| {
            names::cut_faults(&mut faults);
            faults
        });
        let Parsed { mut document, mut facts, mut warnings, questions, is_of_user, unshown } = read?;
        document.count_handed_bytes_once();
        if !self.format.is_own() && !is_of_user {
            document.find_misreading(self.format.states_takeovers());
        }
        warnings.splice(0..0, document.misreading().map(|why| Fault::new("", why.clone())));
        names::cut_faults(&mut warnings);
        facts.iter_mut().for_each(names::cut_message);
        let cut = names::cut(&mut document);
        if cut > 0 {
            facts.push(Message::new("fact.names-cut").count("n", cut).count("limit", MAX_NAME));
        }
        Ok(Imported { document, format: self.format, facts, warnings, questions, unshown })
    }
}

/// A document and what reading it had to decide or noticed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Imported {
    /// The graph, buffers or plan.
    pub document: Document,
    /// The format that was recognised.
    pub format: Format,
    /// Facts for the report: decisions of the reader, and what the file states about itself, such
    /// as its producer.
    pub facts: Vec<Message>,
    /// What is odd in the file without being wrong.
    pub warnings: Vec<Fault>,
    /// What the file leaves open and the user may answer.
    pub questions: Vec<Question>,
    /// Values that the document does not show.
    pub unshown: Unshown,
}

/// Declares the readers: format, `id`, `words`, and the module with `sniff` and `read`.
macro_rules! registry {
    ($($(#[$doc:meta])+ $list:ident { $($format:ident, $id:literal, $words:literal, $($module:ident)::+;)* })*) => {
        $($(#[$doc])+
        pub static $list: &[Reader] = &[$(Reader {
            format: Format::$format,
            id: $id,
            words: $words,
            sniff: $($module::)+sniff,
            read: $($module::)+read,
        },)*];)*
    };
}

registry! {
    /// Readers of the project's own formats. A program that uses these alone carries no other.
    OWN {
        MemoryGraph, "memory_graph", "memory-graph/1", memory_graph;
        MemoryPlan, "memory_plan", "memory-plan/1", memory_plan;
        BufferCsv, "buffer_csv", "CSV", csv;
    }
    /// Readers of other tools' files, in the order in which they are asked.
    OTHERS {
        ExportedProgram, "exported_program", "torch.export .pt2", pt2;
        TfLite, "tflite", "TFLite", tflite;
        ExecuTorch, "executorch", "ExecuTorch .pte", executorch;
        CudaSnapshot, "cuda_snapshot", "PyTorch CUDA", cuda_snapshot;
        Onnx, "onnx", "ONNX", onnx;
        Hlo, "hlo", "XLA .hlo.pb", hlo;
        Ttgir, "ttgir", "Triton TTGIR", mlir::ttgir;
        MlirMemref, "mlir_memref", "MLIR memref.alloc", mlir::memref;
        IreeStream, "iree_stream", "IREE stream.resource.pack", mlir::pack;
        MemoryTrace, "trace", "trace", trace;
        GraphExecutor, "graph_executor", "TVM graph executor JSON", nnvm::executor;
        SymbolJson, "symbol_json", "NNVM symbol JSON", nnvm::symbol;
    }
}
