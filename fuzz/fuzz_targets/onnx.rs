//! Any bytes as the graph of an ONNX model: the frame that makes a file one is put around them, so
//! that nothing is refused at the door; and the bytes as they are.

#![forbid(unsafe_code)]
#![no_main]

#[path = "../target.rs"]
mod target;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|graph: &[u8]| {
    // ir_version 8, the graph, opset_import with version 17.
    let mut model = vec![8, 8, 7 << 3 | 2];
    let mut length = graph.len();
    while length > 127 {
        model.push(length as u8 | 128);
        length >>= 7;
    }
    model.push(length as u8);
    model.extend_from_slice(graph);
    model.extend_from_slice(&[8 << 3 | 2, 2, 16, 17]);
    target::run(&model);
    target::run(graph);
});
