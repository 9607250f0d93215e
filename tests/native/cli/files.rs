//! Which files are read and written: standard input, and the rule that no input is written over.

use std::io::Write;

use super::*;

/// Runs with text on standard input.
fn piped(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    let mut command = crate::program();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // A command that refuses its arguments does not read.
    let _ = child.stdin.take().expect("its input").write_all(input.as_ref());
    child.wait_with_output().expect("the program ends")
}

#[test]
fn a_dash_is_standard_input_in_every_command() {
    let folder = Folder::new();
    let file = folder.file("stdin.json", GRAPH);
    let out = folder.path("out.csv");
    for (before, after) in [
        (vec!["plan"], vec!["--planner", "first-fit"]),
        (vec!["compare"], vec!["--planner", "first-fit", "--format", "matrix"]),
        (vec!["chart"], vec!["--planner", "first-fit"]),
        (vec!["dependencies"], vec!["--planner", "first-fit"]),
        (vec!["frame"], vec!["--planner", "first-fit", "--at", "1"]),
        (vec!["frames"], vec!["--planner", "first-fit"]),
        (vec!["gap"], vec!["--planner", "first-fit"]),
        (vec!["metrics"], vec!["--planner", "first-fit"]),
        (vec!["svg"], vec!["--planner", "first-fit"]),
        (vec!["fit"], vec!["--memory", "SRAM=1MiB", "--json"]),
        (vec!["convert"], vec!["-o", "-", "--format", "csv"]),
        (vec!["worksheet"], vec!["--planner", "first-fit"]),
        (vec!["diff", &file], vec![]),
    ] {
        let of = |input: &'static str| [&before[..], &[if input == "-" { "-" } else { &*file }], &after[..]].concat();
        let (from_pipe, from_file) = (piped(&of("-"), GRAPH), memplan(&of("file")));
        assert_eq!(code(&from_pipe), 0, "{before:?}: {}", stderr(&from_pipe));
        let plain = |output: &Output| {
            let text = stdout(output);
            // Wall time is never the same, and the differences name their files.
            if before[0] == "fit" { json(&text)["result"].to_string() } else { text.replace(&*file, "-") }
        };
        assert_eq!(plain(&from_pipe), plain(&from_file), "{before:?}");
    }
    let plan = fine(&["plan", &file, "--planner", "naive"]);
    assert!(stdout(&piped(&["check", "-"], plan)).starts_with("valid: "));
    let model = fs::read(crate::top().join("tests/data/tflite/small_cnn_int8.tflite")).expect("a model");
    let written = piped(&["write", "-", "--planner", "exact", "-o", &out], &model);
    assert_eq!(code(&written), 0, "{}", stderr(&written));
    let to_pipe = memplan(&["write", "tests/data/tflite/small_cnn_int8.tflite", "--planner", "exact", "-o", "-"]);
    assert!(fs::read(&out).expect("written") == to_pipe.stdout, "the same bytes");
    let game = piped(&["exercise", "-", "--kind", "order", "--json"], BUFFERS);
    assert_eq!(json(&stdout(&game))["buffers"], 7, "{}", stderr(&game));
    // A list without a name of its own.
    let rows = json(&stdout(&piped(&["metrics", "-", "--planner", "naive", "--json"], BUFFERS)));
    assert_eq!(rows["rows"][0]["graph"], "stdin");
    for arguments in [["compare", "-", "-"], ["diff", "-", "-"]] {
        let output = piped(&arguments, GRAPH);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains("only one of the files"), "{}", stderr(&output));
    }
}

#[test]
fn no_command_writes_over_its_input() {
    let folder = Folder::new();
    let contents = GRAPH;
    let link = folder.path("link.json");
    let file = folder.file("g.json", contents);
    #[cfg(unix)]
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    #[cfg(not(unix))]
    fs::copy(&file, &link).expect("a copy");
    let other = folder.0.join(".").join("g.json").display().to_string();
    let commands = [
        vec!["plan", "FILE", "--planner", "naive"],
        vec!["compare", "FILE", "--planner", "naive"],
        vec!["compare", "ex:diamond", "FILE", "--planner", "naive"],
        vec!["chart", "FILE", "--planner", "naive"],
        vec!["convert", "FILE"],
        vec!["diff", "FILE", "FILE"],
        vec!["diff", "ex:diamond", "FILE", "--planner", "naive"],
        vec!["fit", "FILE", "--memory", "SRAM=1MiB"],
        vec!["frames", "FILE", "--planner", "naive"],
        vec!["metrics", "FILE", "--planner", "naive"],
        vec!["svg", "FILE", "--planner", "naive"],
        vec!["worksheet", "FILE", "--planner", "naive"],
    ];
    for command in &commands {
        let words: Vec<&str> = command.iter().map(|word| if *word == "FILE" { &*file } else { word }).collect();
        let mut outputs = vec![&file, &other];
        if cfg!(unix) {
            outputs.push(&link);
        }
        for output in outputs {
            let told = refused(&[&words[..], &["-o", output]].concat());
            assert!(told.contains("one of the files that this command reads"), "{words:?}: {told}");
            assert_eq!(fs::read_to_string(&file).expect("there"), contents, "{words:?}");
        }
        let forced = memplan(&[&words[..], &["-o", &file, "--force"]].concat());
        assert_eq!(code(&forced), 0, "{words:?}: {}", stderr(&forced));
        fs::write(&file, contents).expect("as before");
    }
    for more in [["--graph", &*file], ["--plan", &*file]] {
        let told = refused(&[&["fit", &*file, "--memory", "SRAM=1MiB"], &more[..]].concat());
        assert!(told.contains("one of the files"), "{told}");
    }
    let out = folder.path("out");
    let told = refused(&["fit", &file, "--memory", "SRAM=1MiB", "--graph", &out, "--plan", &out]);
    assert!(told.contains("named twice"), "{told}");
    // What is no input is written over, as ever.
    fine(&["plan", &file, "--planner", "naive", "-o", &out]);
    fine(&["plan", &file, "--planner", "first-fit", "-o", &out]);
    // The file with the plan is an input, too.
    let (model, plan) = ("tests/data/tflite/small_cnn_int8.tflite", folder.path("planned.tflite"));
    fine(&["write", model, "--planner", "exact", "-o", &plan]);
    let told = refused(&["write", model, "--plan", &plan, "-o", &plan]);
    assert!(told.contains("planned.tflite"), "{told}");
}

#[test]
fn a_dash_is_standard_output() {
    let folder = Folder::new();
    let file = folder.file("g.json", GRAPH);
    let plain = fine(&["plan", &file, "--planner", "naive"]);
    assert_eq!(fine(&["plan", &file, "--planner", "naive", "-o", "-"]), plain);
    assert!(!Path::new("-").exists());
}

#[test]
fn two_outputs_on_standard_output_are_refused() {
    let folder = Folder::new();
    let file = folder.file("g.json", GRAPH);
    let model = "tests/data/tflite/small_cnn_int8.tflite";
    for arguments in [
        vec!["diff", &*file, &*file, "--json", "--picture", "-"],
        vec!["diff", &*file, &*file, "-o", "-", "--picture", "-"],
        vec!["fit", &*file, "--memory", "SRAM=1MiB", "--graph", "-"],
        vec!["fit", &*file, "--memory", "SRAM=1MiB", "--json", "--plan", "-"],
        vec!["fit", model, "--memory", "SRAM=1MiB", "--write", "-"],
        vec!["write", model, "--planner", "exact", "-o", "-", "--json"],
        vec!["write", model, "--planner", "exact", "-o", "-", "--table", "-"],
    ] {
        let words = refused(&arguments);
        assert!(words.contains("Two outputs go to standard output"), "{arguments:?}: {words}");
    }
    let out = folder.path("out.json");
    let svg = fine(&["diff", &file, &file, "--json", "-o", &out, "--picture", "-"]);
    assert!(svg.starts_with("<svg") && json(&fs::read_to_string(&out).expect("there"))["format"] == "diff/1");
}

#[cfg(unix)]
#[test]
fn every_name_of_a_file_is_known() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    let (file, hard) = (folder.file("g.json", GRAPH), folder.path("hard.json"));
    fs::hard_link(&file, &hard).expect("a link");
    let words = refused(&["plan", &file, "--planner", "naive", "-o", &hard]);
    assert!(words.contains("one of the files that this command reads"), "{words}");
    // Standard input is a file, too.
    let piped = |out: &str| {
        let mut command = crate::program();
        command.args(["plan", "-", "--planner", "naive", "-o", out]);
        command.stdin(fs::File::open(&file).expect("a file")).output().expect("it starts")
    };
    assert_eq!((code(&piped(&file)), code(&piped(&hard))), (2, 2));
    assert_eq!(fs::read_to_string(&file).expect("there"), GRAPH);
    assert_eq!(code(&piped(&folder.path("other.json"))), 0);
    // A link to a file that is not there yet.
    let (out, link) = (folder.path("out"), folder.path("link"));
    symlink("out", &link).expect("a link");
    let model = "tests/data/tflite/small_cnn_int8.tflite";
    let words = refused(&["write", model, "--planner", "exact", "-o", &out, "--table", &link]);
    assert!(words.contains("named twice"), "{words}");
    // What is written goes where the link leads.
    fine(&["plan", &file, "--planner", "naive", "-o", &link]);
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink() && Path::new(&out).is_file());
    symlink("loop", folder.path("loop")).expect("a link");
    assert_eq!(code(&memplan(&["plan", &file, "--planner", "naive", "-o", &folder.path("loop/none")])), 2);
}
