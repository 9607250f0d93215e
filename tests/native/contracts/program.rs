//! The program in a folder with the files that its recorded commands name.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::atomic::{AtomicU32, Ordering};

const GRAPH: &str = r#"{"format":"memory-graph/1","name":"tiny",
"symbols":{"s0":{"hint":2,"min":1}},
"tensors":[
{"name":"x","dtype":"float32","shape":["s0",16],"kind":"input"},
{"name":"w","dtype":"float32","shape":[16],"kind":"weight"},
{"name":"a","dtype":"float32","shape":["s0",16],"kind":"intermediate"},
{"name":"v","dtype":"float32","shape":["s0",4,4],"kind":"intermediate"},
{"name":"y","dtype":"int8","shape":[100],"kind":"output"}],
"nodes":[
{"name":"mul","op":"mul","inputs":["x","w"],"outputs":["a"]},
{"name":"view","op":"view","inputs":["a"],"outputs":["v"],"attrs":{"alias":"true"}},
{"name":"cast","op":"cast","inputs":["v"],"outputs":["y"]}]}"#;

const BUFFERS: &str = "id,lower,upper,size\na,0,6,4\nb,3,8,4\nc,4,6,3\nd,4,7,3\ne,6,8,2\nf,6,9,1\ng,7,8,6\n";
const LARGER: &str = "id,lower,upper,size\na,0,6,4\nb,3,8,8\nc,4,6,3\nd,4,7,3\ne,6,8,2\nh,6,9,1\ng,7,8,6\n";
const COLLIDING: &str = "id,lower,upper,size,offset\na,0,4,8,0\nb,2,6,8,4\n";
const VALID: &str = "id,lower,upper,size,offset\na,0,4,8,0\nb,2,6,8,8\n";

/// A folder with these files, until it is dropped.
pub struct Place(PathBuf);

impl Place {
    pub fn new() -> Place {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("contracts-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let place = Place(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
        fs::create_dir_all(&place.0).expect("a folder for temporary files");
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let file = |path: &str| fs::read(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        for (name, contents) in [
            ("graph.json", GRAPH.as_bytes()),
            ("buffers.csv", BUFFERS.as_bytes()),
            ("larger.csv", LARGER.as_bytes()),
            ("colliding.csv", COLLIDING.as_bytes()),
            ("valid.csv", VALID.as_bytes()),
            ("broken.json", b"{"),
            ("fit.json", &file("tests/data/fit/tiny.json")),
            ("model.tflite", &file("tests/data/tflite/small_cnn_float32.tflite")),
            ("misread.pickle", &file("tests/import/cuda_snapshot/overlap.pickle")),
            ("program.pte", &file("tests/data/executorch/tiny_add_cat.pte")),
        ] {
            fs::write(place.0.join(name), contents).expect("a temporary file");
        }
        place
    }

    /// Runs a command whose words stand between spaces.
    pub fn run(&self, words: &str) -> Output {
        let program = crate::program().args(words.split(' ')).current_dir(&self.0).output();
        program.expect("the program starts")
    }

    /// The text of a file that a command wrote.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
