//! What the commands refuse: an exit code, a sentence that names the place, and nothing written.

use super::*;

#[test]
fn what_has_no_form_in_the_other_format_is_refused() {
    let folder = Folder::new();
    let buffers = folder.file("seven.csv", BUFFERS);
    assert!(refused(&["convert", &buffers, "-o", &folder.path("out.json")]).contains("memplan plan"));
    assert!(refused(&["convert", &buffers, "-o", &folder.path("out.txt")]).contains(".csv"));
    assert_eq!(folder.names(), ["seven.csv"]);
}

#[test]
fn a_planner_that_needs_a_graph_refuses_buffers() {
    let folder = Folder::new();
    let buffers = folder.file("seven.csv", BUFFERS);
    let words = refused(&["plan", &buffers, "--planner", "inductor-tree", "-o", &folder.path("plan.json")]);
    assert!(words.contains("not applicable") && words.contains("graph"), "{words}");
    assert_eq!(folder.names(), ["seven.csv"], "nothing is written");
}

#[test]
fn every_fault_is_printed_with_its_place_and_nothing_is_written() {
    let folder = Folder::new();
    let faulty = folder.file("faulty.csv", "id,lower,upper,size\na,0,1,12k\nb,3,3,8\nb,0,1,-8\n");
    let words = refused(&["plan", &faulty, "--planner", "first-fit", "-o", &folder.path("plan.json")]);
    let places: Vec<&str> = words.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(places, ["row 2", "row 3", "row 4", "row 4"], "{words}");
    assert!(words.contains("`12k`"), "{words}");
    assert_eq!(folder.names(), ["faulty.csv"]);
    let words = refused(&["check", &folder.file("graph.json", GRAPH.replace("float32", "fp32"))]);
    assert!(words.lines().count() >= 4 && words.contains("tensors[0].dtype: "), "{words}");
    assert!(words.contains("float32"), "{words}");
    // What is beyond 64 bits is a number all the same, and told as one that is too large.
    let huge = GRAPH.replacen(
        "[",
        "[{\"name\":\"huge\",\"dtype\":\"int8\",\"shape\":[18446744073709551616],\"kind\":\"input\"},",
        1,
    );
    let words = refused(&["check", &folder.file("huge.json", huge)]);
    assert!(words.contains("tensors[0].shape[0]: the value exceeds 9007199254740991"), "{words}");
}

#[test]
fn what_is_for_two_folders_is_refused_for_files() {
    let folder = Folder::new();
    let (old, new) = (folder.file("old.json", GRAPH), folder.file("new.json", GRAPH));
    for (option, value) in [("--names", old.as_str()), ("--module", "train")] {
        let words = refused(&["diff", &old, &new, option, value]);
        assert!(words.contains(option) && words.contains(&old), "{words}");
    }
}

#[test]
fn of_several_files_the_faulty_one_is_named() {
    let folder = Folder::new();
    let (good, faulty) =
        (folder.file("good.json", GRAPH), folder.file("faulty.csv", "id,lower,upper,size\na,0,1,12k\n"));
    for arguments in [["compare", &good, &faulty], ["diff", &good, &faulty], ["diff", &faulty, &good]] {
        let words = refused(&arguments);
        assert!(words.starts_with(&format!("{faulty}: row 2: ")), "{words}");
    }
    assert!(refused(&["compare", &faulty]).starts_with("row 2: "), "one file needs no name");
    // Also a file that can be read, but not planned.
    let buffers = folder.file("seven.csv", BUFFERS);
    for pair in [[&good, &buffers], [&buffers, &good]] {
        let words = refused(&["diff", pair[0], pair[1], "--planner", "inductor-tree"]);
        assert!(words.starts_with(&format!("{buffers}: ")) && words.contains("not applicable"), "{words}");
    }
    let words = refused(&["compare", &buffers, &good, "--symbol", "s0=9007199254740991"]);
    assert!(words.starts_with(&format!("{good}: ")) && words.contains("2^53"), "{words}");
    // And one with a warning.
    let odd = folder.file("odd.json", GRAPH.replacen('{', r#"{"colour":1,"#, 1));
    let output = memplan(&["compare", &good, &odd, "--planners", "naive"]);
    assert!(stderr(&output).lines().any(|line| line.starts_with(&format!("warning: {odd}: "))), "{}", stderr(&output));
    let absent = folder.path("absent.json");
    assert!(refused(&["compare", &good, &absent]).starts_with(&format!("cannot read {absent}: ")));
}

#[test]
fn a_built_in_example_takes_no_plan() {
    let folder = Folder::new();
    let words = refused(&["write", "ex:teaching", "--planner", "exact", "-o", &folder.path("out.tflite")]);
    assert!(words.contains("ex:teaching names a built-in example") && words.contains(".tflite"), "{words}");
    assert!(folder.names().is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_told() {
    // Every write to this device fails: no space is left.
    let full = std::fs::File::create("/dev/full").expect("the device");
    let mut command = crate::program();
    let output = command.args(["list", "--json"]).stdout(full).output().expect("the program starts");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).starts_with("cannot write to standard output: "), "{}", stderr(&output));
}

#[test]
fn commands_that_make_no_sense_are_refused() {
    let folder = Folder::new();
    let graph = folder.file("tiny.json", GRAPH);
    assert!(refused(&["plan", &graph, "--planner", "magic"]).contains("first-fit"));
    assert!(refused(&["plan", &graph, "--planner", "first-fit", "--set", "speed=9"]).contains("tie"));
    assert!(refused(&["plan", &graph, "--planner", "first-fit", "--set", "tie=odd"]).contains("long"));
    assert!(refused(&["plan", &graph, "--planner", "first-fit", "--symbol", "s9=1"]).contains("s9"));
    assert!(refused(&["plan", &graph, "--planner", "first-fit", "--align", "3"]).contains("power of two"));
    assert!(refused(&["plan", &graph, "--planner", "first-fit", "--with", "all"]).contains("weights"));
    assert!(refused(&["plan", &graph, "--planner", "first-fit", "--symbol", "s0=9007199254740991"]).contains("2^53"));
    assert!(refused(&["plan", &folder.path("absent.json"), "--planner", "naive"]).contains("absent.json"));
    let nowhere = folder.path("no/such/folder/plan.json");
    assert!(refused(&["plan", &graph, "--planner", "naive", "-o", &nowhere]).contains("plan.json"));
}

#[test]
fn values_of_symbols_stay_within_the_range_of_the_file() {
    let folder = Folder::new();
    let graph = folder.file("bounded.json", GRAPH.replace(r#""min":1"#, r#""min":1,"max":64"#));
    for value in ["0", "65"] {
        let symbol = format!("s0={value}");
        let out = folder.path("out.json");
        for arguments in [
            ["plan", &graph, "--planner", "naive", "--symbol", &symbol],
            ["metrics", &graph, "--planner", "naive", "--symbol", &symbol],
            ["convert", &graph, "-o", &out, "--symbol", &symbol],
        ] {
            let words = refused(&arguments);
            assert!(words.contains("from 1 to 64") && words.contains("s0"), "{words}");
        }
    }
    assert_eq!(code(&memplan(&["plan", &graph, "--planner", "naive", "--symbol", "s0=64"])), 0);
    let open = folder.file("tiny.json", GRAPH);
    assert!(refused(&["plan", &open, "--planner", "naive", "--symbol", "s0=0"]).contains("at least 1"));
}

#[test]
fn one_buffer_that_does_not_fit_is_told_as_one() {
    let folder = Folder::new();
    let buffers = folder.file("seven.csv", BUFFERS);
    let output = memplan(&["plan", &buffers, "--planner", "exact", "--set", "capacity=5"]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("alone does not fit"), "{}", stderr(&output));
}

#[test]
fn every_option_that_is_refused_is_told() {
    let folder = Folder::new();
    let graph = folder.file("tiny.json", GRAPH);
    let set = ["--set", "tie=odd", "--set", "speed=9", "--set", "fixed=true", "--set", "tail=none", "--set", "fixed=2"];
    let words = refused(&[&["plan", &graph, "--planner", "first-fit"], &set[..]].concat());
    let lines: Vec<&str> = words.lines().collect();
    assert_eq!(lines.len(), 4, "{words}");
    for (line, part) in lines.iter().zip(["tie", "speed", "tail", "fixed"]) {
        assert!(line.contains(part), "{words}");
    }
    assert!(lines[0].contains("long") && lines[1].contains("branch_safe") && lines[2].contains("bounded"), "{words}");
    let words = refused(&["plan", &graph, "--planner", "lower-bound", "--set", "a=1", "--set", "b=2"]);
    assert_eq!(words.lines().count(), 2, "{words}");
}

#[test]
fn hostile_files_are_refused_in_words() {
    let folder = Folder::new();
    let deep = "[".repeat(200_000);
    let wide = format!("id,lower,upper,size\n{}", "a,0,18446744073709551615,18446744073709551615\n".repeat(3));
    let huge = format!(
        r#"{{"format":"memory-plan/1","pools":[{{"size":{0}}}],"buffers":[
        {{"name":"a","size":{0},"start":0,"end":1,"pool":0,"offset":{0}}}]}}"#,
        u64::MAX
    );
    let contents: [(&str, &[u8]); 8] = [
        ("empty", b""),
        ("png", b"\x89PNG\r\n\x1a\n"),
        ("truncated.json", &GRAPH.as_bytes()[..300]),
        ("deep.json", deep.as_bytes()),
        ("wide.csv", wide.as_bytes()),
        ("huge.json", huge.as_bytes()),
        ("cut.gz", b"\x1f\x8b\x08\x00\x00"),
        ("quotes.csv", b"id,lower,upper,size\n\"a,0,1,8\n"),
    ];
    for (name, contents) in contents {
        let path = folder.file(name, contents);
        for arguments in [vec!["check", &path], vec!["plan", &path, "--planner", "first-fit"]] {
            let words = refused(&arguments);
            assert!(!words.trim().is_empty() && !words.contains("panicked"), "{name}: {words}");
        }
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_fault() {
    let folder = Folder::new();
    let rows: String = (0..20_000).map(|row| format!("b{row},{row},{},8\n", row + 2)).collect();
    let input = folder.file("long.csv", format!("id,lower,upper,size\n{rows}"));
    let mut child = crate::program()
        .args(["plan", &input, "--planner", "first-fit", "--quiet"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
}

#[test]
fn sums_count_the_room_for_alignment() {
    let folder = Folder::new();
    // A thousand odd sizes, all alive together, of which the sum is just below the limit.
    let (count, limit) = (1000u64, (1u64 << 53) - 1);
    let each = (limit - 4000) / count / 2 * 2 - 1;
    let rows = (0..count).map(|index| format!("b{index},0,2,{each}"));
    let text = ["id,lower,upper,size".to_string()].into_iter().chain(rows).collect::<Vec<_>>().join("\n");
    let input = folder.file("edge.csv", text);
    let words = refused(&["plan", &input, "--planner", "tflm-greedy", "-o", &folder.path("plan.json")]);
    assert!(words.contains("2^53"), "{words}");
    assert_eq!(folder.names(), ["edge.csv"]);
    fine(&["plan", &input, "--planner", "first-fit", "-o", &folder.path("plan.json")]);
    fine(&["check", &folder.path("plan.json")]);
    // The limit itself is no sum past it.
    let one = folder.file("one.csv", format!("id,lower,upper,size\na,0,2,{limit}\n"));
    fine(&["plan", &one, "--planner", "first-fit"]);
    refused(&[
        "plan",
        &folder.file("two.csv", format!("id,lower,upper,size\na,0,2,{limit}\nb,3,4,1\n")),
        "--planner",
        "naive",
    ]);
}

#[test]
fn a_plan_that_keeps_colliding_positions_is_invalid() {
    let folder = Folder::new();
    let input = folder.file("bad.csv", "id,lower,upper,size,offset\na,0,4,8,0\nb,2,6,8,4\n");
    let out = folder.path("plan.json");
    let output = memplan(&["plan", &input, "--planner", "first-fit", "--set", "fixed=true", "-o", &out]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("a and b"), "{}", stderr(&output));
    fine(&["plan", &input, "--planner", "first-fit", "-o", &out]);
    fine(&["check", &out]);
}

#[test]
fn what_is_given_twice_or_for_nothing_is_refused() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    let model = "tests/data/tflite/small_cnn_int8.tflite";
    let out = folder.path("out");
    let told = |more: &[&str]| refused(&[&["plan", &*graph, "--planner", "naive", "-o", &*out], more].concat());
    assert!(told(&["--symbol", "s0=2", "--symbol", "s0=3"]).contains("--symbol: `s0` has two values, 2 and 3."));
    assert!(told(&["--symbol", "s0=-1"]).contains("`-1` is no whole number of 0 or more"));
    assert!(told(&["--symbol", "s0"]).contains("a name, `=` and a whole number"));
    let words = told(&["--shape", "y=100", "--shape", "y=200"]);
    assert!(words.contains("--shape: `y` has two values, 100 and 200."), "{words}");
    fine(&["plan", &graph, "--planner", "naive", "--symbol", "s0=2", "--symbol", "s0=2"]);
    let convert = refused(&["convert", &graph, "-o", &format!("{out}.json"), "--symbol", "s0=2", "--symbol", "s0=3"]);
    assert!(convert.contains("two values"), "{convert}");
    assert!(told(&["--model", "zz"]).contains("no model `zz`. Its models: tiny."), "{}", told(&["--model", "zz"]));
    fine(&["plan", &graph, "--planner", "naive", "--model", "tiny"]);
    assert!(refused(&["plan", model, "--planner", "naive", "--model", "zz"]).contains("Its models: "));
    assert!(refused(&["exercise", "--check", "-", "-"]).contains("only one of the files"));
    for (scratch, words) in [("99=16", "no operator at position 99"), ("7:0=16", "subgraph 7 has no operator")] {
        let told = refused(&["write", model, "--planner", "exact", "-o", &out, "--scratch", scratch]);
        assert!(told.contains(words), "{told}");
    }
    let copy = folder.path("copy.tflite");
    fs::copy(crate::top().join(model), &copy).expect("a copy");
    for more in [&[][..], &["--force"]] {
        let told = refused(&[&["fit", &copy, "--memory", "SRAM=1MiB", "--write", &copy], more].concat());
        assert!(told.contains("never overwritten") && !told.contains("--force"), "{told}");
    }
    assert_eq!(folder.names(), ["copy.tflite", "g.json"]);
}
