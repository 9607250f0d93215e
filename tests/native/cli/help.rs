//! Help and completions: every command has an example, and each example works.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::{Folder, fine, fs, memplan, refused};

/// The commands that `memplan help` lists.
fn commands() -> Vec<String> {
    let help = fine(&["help"]);
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list");
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    names.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help").map(str::to_string).collect()
}

/// The words of a command's example, without the program.
fn example(command: &str) -> Vec<String> {
    let help = fine(&["help", command]);
    assert_eq!(help, fine(&[command, "--help"]), "{command}");
    let line = help.split("\nExample:\n  memplan ").nth(1).unwrap_or_else(|| panic!("{command} has no example"));
    line.split_whitespace().map(str::to_string).collect()
}

#[test]
fn the_example_of_every_command_works() {
    let folder = Folder::new();
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    for (from, to) in [
        ("www/graphs/diamond.json", "old.json"),
        ("www/graphs/diamond.json", "net.json"),
        ("tests/data/tflite/small_cnn_int8.tflite", "net.tflite"),
        ("tests/golden/data/cuda_allocator/snapshots/plain.pickle.gz", "snapshot.pickle"),
    ] {
        fs::copy(root.join(from), folder.0.join(to)).expect("copied");
    }
    fs::create_dir(folder.0.join("page")).expect("a folder");
    folder.file("page/index.html", "");
    #[cfg(unix)]
    std::os::unix::fs::symlink(root.join("www"), folder.0.join("www")).expect("a link");
    let commands = commands();
    assert!(commands.len() > 15, "{commands:?}");
    for command in &commands {
        let words = example(command);
        assert_eq!(words.first(), Some(command), "an example of the command itself");
        let mut program = crate::program();
        program.args(&words).current_dir(&folder.0);
        if command == "view" {
            // This one does not end; it works if it prints its link.
            program.args(["--no-open", "--page", "page"]).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut running = program.spawn().expect("the program starts");
            let link = BufReader::new(running.stdout.take().expect("its output")).lines().next();
            running.kill().expect("ended");
            running.wait().expect("ended");
            assert!(link.expect("a link").expect("text").starts_with("http://127.0.0.1:"));
            continue;
        }
        let output = program.output().expect("the program starts");
        assert!(output.status.success(), "{words:?}: {}", super::stderr(&output));
    }
}

#[test]
fn completions_name_every_command_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = fine(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
        assert!(script.contains("no-open") && script.contains("fail-above"), "{shell}");
    }
    assert!(refused(&["completions", "cmd"]).contains("possible values"));
    assert_eq!(memplan(&["completions"]).status.code(), Some(2));
}

#[test]
fn every_built_in_example_is_read_by_its_name() {
    let names = fine(&["list", "--examples"]);
    let names: Vec<&str> = names.lines().collect();
    assert_eq!(names.first(), Some(&"ex:bert_base_seq128"));
    assert!(names.contains(&"ex:learn/nine-blocks") && names.contains(&"ex:fit/order"), "{names:?}");
    assert!(!names.contains(&"ex:index"), "the list of the page is no example");
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("www/graphs");
    for name in &names {
        let told = fine(&["plan", name, "--planner", "naive"]);
        let json = root.join(format!("{}.json", name.trim_start_matches("ex:")));
        let file = if json.exists() { json } else { json.with_extension("csv") };
        let of_file = fine(&["plan", &file.display().to_string(), "--planner", "naive"]);
        assert_eq!(told, of_file, "{name}");
    }
    for missing in ["ex:nothing", "ex:index", "ex:../index", "ex:"] {
        let reason = refused(&["plan", missing, "--planner", "naive"]);
        assert!(reason.contains("memplan list --examples"), "{missing}: {reason}");
    }
    assert!(fine(&["fit", "ex:mobilenet_v2", "--memory", "SRAM=16MiB"]).contains("fits"));
}
