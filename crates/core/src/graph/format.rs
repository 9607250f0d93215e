//! The formats of files, by which planners know the files of their own system.

use serde::{Deserialize, Serialize};

/// Declares the formats with their names: the project's own, then those of other tools.
macro_rules! formats {
    (own { $($own:ident $own_name:literal;)* } others { $($other:ident $name:literal;)* }) => {
        /// The formats read.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
        pub enum Format {
            $(#[doc = $own_name] $own,)*
            $(#[doc = $name] $other,)*
        }

        impl Format {
            /// Whether the format is one of the project's own.
            pub const fn is_own(self) -> bool {
                matches!(self, $(Format::$own)|*)
            }

            /// Whether a file of this format lists itself which buffers overwrite others in place;
            /// elsewhere the reader infers takeovers.
            pub const fn states_takeovers(self) -> bool {
                matches!(self, Format::GraphExecutor)
            }

            /// The name, the same in every language.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Format::$own => $own_name,)*
                    $(Format::$other => $name,)*
                }
            }
        }
    };
}

formats! {
    own {
        MemoryGraph "memory-graph/1";
        MemoryPlan "memory-plan/1";
        BufferCsv "buffer CSV";
    }
    others {
        ExportedProgram "torch.export .pt2";
        TfLite "TFLite";
        ExecuTorch "ExecuTorch .pte";
        CudaSnapshot "PyTorch CUDA memory snapshot";
        Onnx "ONNX";
        Hlo "XLA .hlo.pb";
        Ttgir "Triton TTGIR";
        MlirMemref "MLIR memref.alloc";
        IreeStream "IREE stream.resource.pack";
        MemoryTrace "Chrome trace";
        GraphExecutor "TVM graph executor JSON";
        SymbolJson "NNVM symbol JSON";
    }
}
