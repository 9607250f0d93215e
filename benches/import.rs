//! Reading made-up model files of about 20 MB. The budget is 20 MB/s. `bench.html` reads the same
//! in the browser.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use memplan_formats::import::{self, Answers};

const SIZE: usize = 20_000_000;

fn onnx(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("onnx");
    group.sample_size(10);
    for (name, weight, symbolic) in
        [("nodes only", 0, false), ("nodes only, symbolic batch", 0, true), ("weights", 147_456, false)]
    {
        let bytes = import::sample_onnx(SIZE, weight, symbolic);
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(name, |bencher| {
            // Dropping half a million names is not reading them.
            bencher.iter_with_large_drop(|| import::read(&bytes, Answers::default()).expect("a valid model"));
        });
    }
    group.finish();
}

criterion_group!(benches, onnx);
criterion_main!(benches);
