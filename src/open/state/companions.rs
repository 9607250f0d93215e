//! Which of several files that the user chose together are opened, and in which order.

use std::cmp::Reverse;

/// Files that XLA writes beside its modules; the modules carry all that is read here.
const BESIDE_DUMPS: [&str; 9] =
    [".txt", ".o", ".ll", ".s", ".ptx", ".dot", ".html", ".debug_options", "-memory-usage-report.pb"];

/// Returns the files to open, in order. What only accompanies another file is left out: weights
/// beside their model, and what XLA writes beside a module. Of a module before and after
/// optimisation the latter is taken, and of several modules the largest comes first. Two files are
/// compared, the first as the old one, so they keep their order.
pub fn to_open<T>(files: Vec<T>, name: impl Fn(&T) -> String, size: impl Fn(&T) -> f64) -> Vec<T> {
    without_beside_dumps(without_weights(files, &name), &name, size)
}

/// Returns true if a file is the program of a planner, which stands beside a document.
pub fn is_program(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".rhai")
}

fn is_dump(name: &str) -> bool {
    name.ends_with(".hlo.pb") || name.ends_with(".hlo.pb.gz")
}

fn without_beside_dumps<T>(files: Vec<T>, name: impl Fn(&T) -> String, size: impl Fn(&T) -> f64) -> Vec<T> {
    let name = |file: &T| name(file).to_ascii_lowercase();
    let names: Vec<String> = files.iter().map(&name).filter(|name| is_dump(name)).collect();
    if names.is_empty() {
        return files;
    }
    let is_before = |name: &str| name.contains("before_optimizations");
    let has_after = names.iter().any(|name| !is_before(name));
    let goes = |name: &str| {
        let beside = BESIDE_DUMPS.iter().any(|end| name.strip_suffix(".gz").unwrap_or(name).ends_with(end));
        beside || has_after && is_dump(name) && is_before(name)
    };
    let mut files: Vec<T> = files.into_iter().filter(|file| !goes(&name(file))).collect();
    if files.len() == 2 {
        return files;
    }
    // Sizes of files are whole numbers of bytes.
    files.sort_by_key(|file| if is_dump(&name(file)) { (0, Reverse(size(file) as u64)) } else { (1, Reverse(0)) });
    files
}

/// Leaves out what is only the weights of another file: ONNX and ExecuTorch put large tensors into
/// files of their own, whose contents do not identify them.
fn without_weights<T>(files: Vec<T>, name: impl Fn(&T) -> String) -> Vec<T> {
    let names: Vec<String> = files.iter().map(|file| name(file).to_ascii_lowercase()).collect();
    let has = |suffix: &str| names.iter().any(|name| name.ends_with(suffix));
    let beside =
        |name: &str, model: &str, suffixes: &[&str]| has(model) && suffixes.iter().any(|end| name.ends_with(end));
    let weights = |name: &str| {
        beside(name, ".onnx", &[".data", "_data", ".bin", ".weight", ".weights"]) || beside(name, ".pte", &[".ptd"])
    };
    files.into_iter().zip(&names).filter(|(_, name)| !weights(name)).map(|(file, _)| file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_beside_their_model_are_left_out() {
        fn left<'a>(names: &[&'a str]) -> Vec<&'a str> {
            without_weights(names.to_vec(), |name| name.to_string())
        }
        assert_eq!(left(&["model.onnx.data", "Model.onnx", "plan.json"]), ["Model.onnx", "plan.json"]);
        assert_eq!(left(&["model.pte", "model.ptd"]), ["model.pte"]);
        assert_eq!(left(&["model.bin"]), ["model.bin"]);
    }

    #[test]
    fn a_dump_is_opened_by_its_modules_the_largest_first() {
        let folder = [
            ("module_0001.jit_add.cpu_after_optimizations.hlo.pb", 10.0),
            ("module_0004.jit_train.before_optimizations.hlo.pb", 900.0),
            ("module_0004.jit_train.cpu_after_optimizations-buffer-assignment.txt", 50.0),
            ("module_0004.jit_train.cpu_after_optimizations-memory-usage-report.pb", 5.0),
            ("module_0004.jit_train.cpu_after_optimizations.hlo.pb", 800.0),
            ("module_0004.jit_train.obj-file.o", 70.0),
            ("notes.json", 1.0),
        ];
        let open = |files: &[(&'static str, f64)]| {
            let opened = to_open(files.to_vec(), |file| file.0.to_string(), |file| file.1);
            opened.into_iter().map(|file| file.0).collect::<Vec<_>>()
        };
        assert_eq!(open(&folder), [folder[4].0, folder[0].0, "notes.json"]);
        // Two are a pair: the old one and the new one.
        assert_eq!(open(&[folder[0], folder[4]]), [folder[0].0, folder[4].0]);
        assert_eq!(open(&[folder[4], folder[0]]), [folder[4].0, folder[0].0]);
        assert_eq!(open(&[folder[0], folder[3], folder[4]]), [folder[0].0, folder[4].0]);
        // Alone, each is opened.
        assert_eq!(open(&folder[1..2]), [folder[1].0]);
        assert_eq!(open(&folder[2..3]), [folder[2].0]);
    }
}
