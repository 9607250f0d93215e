//! Answers of the real systems, one named test a file: `system/case`.
//!
//! `MEMPLAN_GOLDEN=<dir>` reads another directory of the same layout: `<dir>/<system>/<case>.json`
//! or `.json.gz`. Files are distinguished by their `format` and `planner` fields; kinds that no
//! planner here reads are counted as ignored.

#[path = "golden/cuda_allocator.rs"]
mod cuda_allocator;
#[path = "golden/executorch.rs"]
mod executorch;
#[path = "golden/ggml.rs"]
mod ggml;
#[path = "golden/glow.rs"]
mod glow;
#[path = "golden/inductor.rs"]
mod inductor;
#[path = "golden/inductor_reuse.rs"]
mod inductor_reuse;
#[path = "golden/iree.rs"]
mod iree;
#[path = "golden/layout.rs"]
mod layout;
#[path = "golden/mlir.rs"]
mod mlir;
#[path = "golden/nnvm.rs"]
mod nnvm;
#[path = "golden/onnxruntime.rs"]
mod onnxruntime;
#[path = "golden/onnxsim.rs"]
mod onnxsim;
#[path = "golden/relax.rs"]
mod relax;
#[path = "golden/tflm.rs"]
mod tflm;
#[path = "golden/tinygrad.rs"]
mod tinygrad;
#[path = "golden/triton.rs"]
mod triton;
#[path = "golden/tvm_relay.rs"]
mod tvm_relay;
#[path = "golden/vela.rs"]
mod vela;
#[path = "golden/xla.rs"]
mod xla;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value, json};

/// Cases that passed, by system.
static PASSED: Mutex<BTreeMap<String, u32>> = Mutex::new(BTreeMap::new());

/// Runs one case; the error says what differs.
type Case = fn(&Value) -> Result<(), String>;

/// The adapter for a file, by its `format` and `planner`.
fn adapter(format: &str, planner: &str) -> Option<Case> {
    match (format, planner) {
        ("executorch-plan/1", _) => Some(executorch::plan),
        ("executorch-symbolic/1", _) => Some(executorch::symbolic),
        ("executorch-pte-plan/1", _) => Some(executorch::program),
        ("executorch-banked/1", _) => Some(executorch::banked_plans),
        ("cuda-allocator/1", _) => Some(cuda_allocator::run),
        ("cuda-snapshot", _) => Some(cuda_allocator::snapshot),
        ("chrome-trace", _) => Some(executorch::trace),
        ("inductor-golden/1", "memory_plan" | "allocation_pools") => Some(inductor::run),
        ("plan-golden/1", "ggml_gallocr") => Some(ggml::run),
        ("plan-golden/1", "tvm_relay") => Some(tvm_relay::run),
        ("glow-alloc/1", _) => Some(glow::run),
        ("vela-alloc/1", _) => Some(vela::run),
        ("inductor-golden/1", "memory_plan_reuse") => Some(inductor_reuse::run),
        ("plan-golden/1", "iree_layout_slices") => Some(iree::run),
        ("plan-golden/1", "mlir_static") => Some(mlir::run),
        ("plan-golden/1", "nnvm") => Some(nnvm::run),
        ("plan-golden/1", "onnxruntime") => Some(onnxruntime::run),
        ("plan-golden/1", "onnxsim") => Some(onnxsim::run),
        ("plan-golden/1", "relax_block_memory") => Some(relax::run),
        ("plan-golden/1", "tinygrad_memory") => Some(tinygrad::run),
        ("plan-golden/1", "triton_shared") => Some(triton::run),
        ("tflm-offline/1", _) => Some(tflm::model),
        ("tflm-shim/1", _) => Some(tflm::shim),
        ("xla-heap", _) => Some(xla::heaps),
        ("xla-dump", _) => Some(xla::dump),
        _ => None,
    }
}

fn main() {
    let arguments = Arguments::from_args();
    let other = std::env::var_os("MEMPLAN_GOLDEN").map(PathBuf::from);
    let is_own = other.is_none();
    let directory = other.unwrap_or_else(default_directory);
    let trials = match systems(&directory) {
        Ok(systems) => {
            let mut trials: Vec<Trial> = systems.into_iter().flat_map(|system| cases(&system)).collect();
            if is_own {
                let names: Vec<(String, bool)> =
                    trials.iter().map(|trial| (trial.name().to_string(), trial.has_ignored_flag())).collect();
                trials.push(Trial::test("no_case_is_lost", move || Ok(whole(&names)?)));
                trials.push(Trial::test("contract_of_the_layout", || Ok(layout::listed()?)));
            }
            trials
        }
        Err(error) => {
            eprintln!("cannot read {}: {error}. Name a directory with MEMPLAN_GOLDEN.", directory.display());
            std::process::exit(2);
        }
    };
    let conclusion = libtest_mimic::run(&arguments, trials);
    let passed = PASSED.lock().unwrap_or_else(PoisonError::into_inner);
    let counts: Vec<String> = passed.iter().map(|(system, count)| format!("{system} {count}")).collect();
    println!("passed by system: {}", counts.join(", "));
    conclusion.exit();
}

/// Cases of each system that are kept here.
const COUNTS: [(&str, usize); 18] = [
    ("banked_greedy", 28),
    ("cuda_allocator", 95),
    ("executorch", 57),
    ("ggml", 57),
    ("glow", 1),
    ("inductor", 92),
    ("iree", 47),
    ("mlir", 50),
    ("nnvm", 42),
    ("onnxruntime", 59),
    ("onnxsim", 44),
    ("relax", 72),
    ("tflm", 9),
    ("tinygrad", 54),
    ("triton", 86),
    ("tvm_relay", 40),
    ("vela", 20),
    ("xla", 99),
];

/// Every case that is kept here is there, and has an adapter.
fn whole(names: &[(String, bool)]) -> Result<(), String> {
    if let Some((name, _)) = names.iter().find(|(_, ignored)| *ignored) {
        return Err(format!("{name} has no adapter"));
    }
    for (system, count) in COUNTS {
        let there = names.iter().filter(|(name, _)| name.split('/').next() == Some(system)).count();
        if there != count {
            return Err(format!("{there} cases of {system}, not {count}"));
        }
    }
    Ok(())
}

fn default_directory() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/golden/data")
}

fn systems(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut systems: Vec<PathBuf> = std::fs::read_dir(directory)?.flatten().map(|entry| entry.path()).collect();
    // `is_dir` follows symbolic links.
    systems.retain(|path| path.is_dir());
    systems.sort();
    Ok(systems)
}

fn cases(system: &Path) -> Vec<Trial> {
    let system_name = name_of(system);
    let Ok(entries) = std::fs::read_dir(system) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut trials = Vec::new();
    for file in files {
        let file_name = name_of(&file);
        if file_name == SNAPSHOTS && file.is_dir() {
            trials.extend(snapshots(&file, &system_name));
            continue;
        }
        let case = file_name.strip_suffix(".json.gz").or_else(|| file_name.strip_suffix(".json"));
        let Some(case) = case else { continue };
        // The graph and the plan of a case lie beside it and are no cases themselves.
        if case.ends_with(".graph") || case.ends_with(".plan") {
            continue;
        }
        let name = format!("{system_name}/{case}");
        trials.push(match load(&file) {
            Ok(mut value) => {
                // Cases may name files beside them.
                value["path"] = file.display().to_string().into();
                trial(name, value)
            }
            Err(error) => Trial::test(name, move || Err(Failed::from(error))),
        });
    }
    trials
}

/// Folder of a system with files of the system itself, which are cases.
const SNAPSHOTS: &str = "snapshots";

/// The cases `system/snapshots/file`.
fn snapshots(folder: &Path, system_name: &str) -> Vec<Trial> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let case = |file: &PathBuf| {
        let file_name = name_of(file);
        let case = file_name.strip_suffix(".pickle.gz").or_else(|| file_name.strip_suffix(".pickle"))?;
        let value = json!({ "format": "cuda-snapshot", "path": file.display().to_string() });
        Some(trial(format!("{system_name}/{SNAPSHOTS}/{case}"), value))
    };
    files.iter().filter_map(case).collect()
}

fn trial(name: String, value: Value) -> Trial {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    // These have no field that names their format.
    let format = match name.split_once('/') {
        _ if value.get("traceEvents").is_some() => "chrome-trace".to_string(),
        Some(("xla", case)) if case.ends_with(".heap") => "xla-heap".to_string(),
        Some(("xla", case)) if case.ends_with(".expected") => "xla-dump".to_string(),
        _ => text("format"),
    };
    match adapter(&format, &text("planner")) {
        Some(run) => {
            let system = name.split('/').next().unwrap_or_default().to_string();
            Trial::test(name, move || {
                run(&value)?;
                *PASSED.lock().unwrap_or_else(PoisonError::into_inner).entry(system).or_default() += 1;
                Ok(())
            })
        }
        None => Trial::test(name, || Ok(())).with_ignored_flag(true),
    }
}

fn load(file: &Path) -> Result<Value, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let text = if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut text = Vec::new();
        flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text).map_err(|error| error.to_string())?;
        text
    } else {
        bytes
    };
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
