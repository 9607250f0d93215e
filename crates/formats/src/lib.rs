//! Readers and writers: the files of other tools and the project's own.
//!
//! In goes a file of any known format ([`import::read`]); out comes a network, a list of buffers or
//! a plan, with facts and warnings for the report. [`export`] writes them back as text. [`tflm`]
//! writes a plan into a TFLite model, [`pte`] into an ExecuTorch program, [`onnx_plan`] into an
//! ONNX model.
//!
//! Begin with [`import`]: `import/registry.rs` lists the readers.

#![deny(unsafe_code)]
#![warn(missing_docs)]

mod bytes;
pub mod export;
pub mod import;
pub mod onnx_plan;
pub mod pte;
pub mod tflm;
