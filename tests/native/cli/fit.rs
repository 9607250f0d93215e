//! `memplan fit`: the cheapest changes that fit, in three forms, with exit codes and reports that
//! are checked.

use super::{Folder, code, fine, json, memplan, stderr, stdout};

const TINY: &str = include_str!("../../data/fit/tiny.json");

/// Two buffers of 10 bytes that are alive together lie 64 apart.
#[test]
fn the_least_found_is_the_peak_of_a_plan() {
    let folder = Folder::new();
    let tensor = |name: &str, kind: &str| format!(r#"{{"name":"{name}","dtype":"int8","shape":[10],"kind":"{kind}"}}"#);
    let graph = format!(
        r#"{{"format":"memory-graph/1","name":"two","tensors":[{},{}],
        "nodes":[{{"name":"n","op":"relu","inputs":["x"],"outputs":["y"]}}]}}"#,
        tensor("x", "input"),
        tensor("y", "output")
    );
    let input = folder.file("two.json", graph);
    for room in ["60", "70"] {
        let memory = format!("SRAM={room}B");
        let run = memplan(&["fit", &input, "--memory", &memory, "--align", "64", "--allow", "planner"]);
        let text = stdout(&run).replace('\u{202f}', " ");
        assert!(text.starts_with("does not fit: 74 B is the least found"), "{room}: {text}");
    }
}

#[test]
fn a_graph_is_made_to_fit_and_its_plan_passes_the_check() {
    let folder = Folder::new();
    let input = folder.file("tiny.json", TINY);
    let (graph, plan, report) = (folder.path("graph.json"), folder.path("plan.json"), folder.path("report.json"));
    let common = ["fit", &input, "--memory", "SRAM=32", "--scratch", "0", "--persistent", "0", "--allow", "all"];
    let with = |more: &[&str]| fine(&[&common[..], more].concat()).replace('\u{202f}', " ");
    let text = with(&["--graph", &graph, "--plan", &plan]);
    assert!(text.starts_with("fits: ") && text.contains("grow..join in "), "{text}");
    fine(&["check", &plan]);
    let again = fine(&["fit", &graph, "--memory", "SRAM=32", "--allow", "planner"]);
    assert!(again.starts_with("fits: "), "what was written fits as it is: {again}");
    let name_of = |path: &str| json(&std::fs::read_to_string(path).expect("a file"))["name"].clone();
    assert_eq!(name_of(&graph), "tiny, changed to fit 32 B", "it is not taken for the original");
    assert!(with(&["--format", "markdown"]).starts_with("### tiny\n\nfits: "));
    with(&["--format", "json", "--curve", "-o", &report]);
    let record = json(&std::fs::read_to_string(&report).expect("a report"));
    assert_eq!((&record["format"], &record["result"]), (&"fit/1".into(), &"fits".into()));
    // The middle convolution has a kernel of one: stripes down to one row cost nothing.
    assert_eq!(record["curve"], json("[[24,0,0]]"));
    // Nothing but weights that are read again is paid, and so it is told.
    assert!(record["price"]["weight_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{record}");
    assert!(text.contains("price: ") && text.contains(" B of weights read again; "), "{text}");
    assert!(!text.contains("price: nothing;"), "{text}");
    for format in ["text", "markdown"] {
        let curve = with(&["--curve", "--format", format]);
        assert!(curve.contains("Cheapest price by stripes alone, at every budget at which it changes:\n"), "{curve}");
    }
    // A graph that is compiled has no device that could not run it.
    assert!(text.contains("A plan alone does not give this answer: it runs grow..join in "), "{text}");
}

#[test]
fn what_the_fast_memory_has_for_tensors_is_told_and_what_is_not_stated_named() {
    let folder = Folder::new();
    let input = folder.file("tiny.json", TINY);
    let told = |more: &[&str]| {
        let text = stdout(&memplan(&[&["fit", &input, "--memory", "SRAM=1KiB"], more].concat()));
        text.replace('\u{202f}', " ")
    };
    let none = told(&[]);
    assert!(none.contains("tensors only: kernel scratch and persistent bytes are not stated"), "{none}");
    let persistent = told(&["--persistent", "24"]);
    assert!(persistent.contains("1 000 B of the 1 KiB of SRAM are left for tensors"), "{persistent}");
    assert!(persistent.contains("  kernel scratch is not stated and counts as 0"), "{persistent}");
    let scratch = told(&["--scratch", "8"]);
    assert!(scratch.contains("  persistent bytes are not stated and count as 0"), "{scratch}");
    let both = told(&["--scratch", "0", "--persistent", "0"]);
    assert!(!both.contains("stated") && !both.contains("left for tensors"), "{both}");
}

#[test]
fn bytes_in_another_memory_are_told_as_weighted() {
    let folder = Folder::new();
    let input = folder.file("tiny.json", TINY);
    let fit = ["fit", &input, "--memory", "SRAM=32", "--memory", "DRAM=1MiB@4", "--allow"];
    let plan = folder.path("plan.json");
    let banked = fine(&[&fit[..], &["planner,bank", "--plan", &plan]].concat()).replace('\u{202f}', " ");
    let pools = json(&std::fs::read_to_string(&plan).expect("a plan"))["pools"].to_string();
    assert!(pools.contains("SRAM") && pools.contains("DRAM"), "pools have the names of their memories: {pools}");
    assert!(banked.contains(" (moved bytes × cost); "), "{banked}");
    assert!(banked.contains("in DRAM"), "{banked}");
}

#[test]
fn a_file_that_is_no_report_is_refused_with_the_remedy() {
    let folder = Folder::new();
    let input = folder.file("tiny.json", TINY);
    let other = folder.file("other.json", "{}");
    let done = memplan(&["fit", &input, "--memory", "SRAM=1K", "--verify", &other]);
    assert_eq!(code(&done), 2);
    let told = stderr(&done);
    assert!(told.contains("is no report of memplan fit") && told.contains("--format json -o REPORT.json"), "{told}");
}

#[test]
fn the_help_says_what_each_lever_does() {
    let help = fine(&["fit", "--help"]);
    for lever in ["planner ", "order ", "inplace ", "views ", "bank ", "spill ", "recompute ", "stripes "] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(lever)), "{lever}: {help}");
    }
    for code in ["  0  success\n", "  3  it does not fit, which is proved\n", "  4  nothing was found that fits"] {
        assert!(help.contains(code), "{code}: {help}");
    }
}

#[test]
fn exit_codes_tell_proved_from_not_found_and_reports_are_checked() {
    let folder = Folder::new();
    let input = folder.file("tiny.json", TINY);
    let report = folder.path("report.json");
    let status = |arguments: &[&str]| memplan(arguments).status.code();
    let proved = ["fit", &input, "--memory", "SRAM=32", "--format", "json", "-o", &report];
    assert_eq!(status(&proved), Some(3));
    assert_eq!(status(&["fit", &input, "--memory", "SRAM=32", "--verify", &report]), Some(0));
    assert_eq!(status(&["fit", &input, "--memory", "SRAM=33", "--verify", &report]), Some(2));
    let small = memplan(&["fit", &input, "--memory", "SRAM=1", "--memory", "DRAM=2", "--allow", "all"]);
    assert_eq!(small.status.code(), Some(4));
    assert!(stdout(&small).contains("Too small for what was moved there: DRAM."), "{}", stdout(&small));
    assert!(!stdout(&small).replace('\u{202f}', " ").contains(" 0 B over"), "{}", stdout(&small));
    for wrong in [
        &["--memory", "SRAM=0"][..],
        &["--memory", "SRAM"],
        &["--memory", "SRAM=-4"],
        &["--memory", "SRAM=1K", "--memory", "SRAM=2K"],
        &["--memory", "SRAM=1K", "--allow", "magic"],
        &["--memory", "SRAM=1K", "--persistent", "2K"],
        &["--memory", "SRAM=1K", "--limit", "time=4"],
        &["--memory", "SRAM=1K", "--seconds", "soon"],
    ] {
        assert_eq!(status(&[&["fit", &input], wrong].concat()), Some(2), "{wrong:?}");
    }
    let scratch = folder.file("scratch.csv", "op,bytes\nnobody,4\n");
    assert_eq!(status(&["fit", &input, "--memory", "SRAM=1K", "--scratch", &scratch]), Some(2));
}

#[test]
fn reports_of_what_fits_in_stripes_are_checked_and_forged_ones_refused() {
    const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/tflite/small_cnn_int8.tflite");
    let folder = Folder::new();
    for memory in ["SRAM=10K", "SRAM=11K", "SRAM=12K", "SRAM=14K"] {
        let report = folder.path(&format!("{memory}.json"));
        let common = ["fit", MODEL, "--memory", memory, "--allow", "planner,order,stripes"];
        fine(&[&common[..], &["--format", "json", "-o", &report]].concat());
        let text = std::fs::read_to_string(&report).expect("a report");
        let record = json(&text);
        assert!(record["moves"].as_array().is_some_and(|moves| !moves.is_empty()), "{record}");
        assert!(record["search"]["seconds"].is_f64(), "{record}");
        assert_eq!(code(&memplan(&[&common[..], &["--verify", &report]].concat())), 0);
        let macs = record["price"]["macs"].as_u64().expect("a price");
        let forged = text.replacen(&format!(r#""price":{{"macs":{macs}"#), r#""price":{"macs":1"#, 1);
        let forged = folder.file("forged.json", &forged);
        let done = memplan(&[&common[..], &["--verify", &forged]].concat());
        assert_eq!(code(&done), 2);
        assert!(stderr(&done).contains(r#"price is {"macs":1,"#), "{}", stderr(&done));
        assert!(stderr(&done).contains(&format!(r#"in the report and {{"macs":{macs},"#)), "{}", stderr(&done));
    }
}

#[test]
fn a_model_takes_its_plan_along_if_nothing_but_plan_and_order_changes() {
    const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/tflite/small_cnn_int8.tflite");
    let folder = Folder::new();
    let (out, next) = (folder.path("out.tflite"), folder.path("next.tflite"));
    let fit = |memory: &str, allow: &str, out: &str| {
        let memory = format!("SRAM={memory}");
        memplan(&["fit", MODEL, "--memory", &memory, "--allow", allow, "--write", out])
    };
    let done = fit("20480", "planner,order", &out);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    let told = stderr(&done).replace('\u{202f}', " ");
    assert!(told.contains("the arena needs 20 KiB of 20 KiB with the plan, 22 KiB without"), "{told}");
    assert!(told.contains("takes the place of --scratch"), "{told}");
    assert!(fine(&["check", &out]).starts_with("valid: 13 buffers in 1 pool, peak 20480 bytes"));
    // Stripes are beyond what a plan in a model can express, and what does not fit is not written.
    let done = fit("12K", "planner,order,stripes", &next);
    assert_eq!(code(&done), 2, "{}", stderr(&done));
    let told = stderr(&done).replace('\u{202f}', " ");
    assert!(told.contains("TensorFlow Lite Micro cannot run this answer: it runs "), "{told}");
    assert!(told.contains("Planner and order alone need 20 KiB."), "{told}");
    let text = stdout(&done).replace('\u{202f}', " ");
    assert!(text.starts_with("fits"), "the answer is told before the refusal: {text}");
    assert!(text.contains("for example split by rows when it is exported. The changed graph shows which"), "{text}");
    assert_eq!(code(&fit("1K", "planner,order", &next)), 3);
    // What is no model is told before the search.
    let graph = folder.file("tiny.json", TINY);
    let done = memplan(&["fit", &graph, "--memory", "SRAM=1K", "--write", &next]);
    assert!(code(&done) == 2 && stdout(&done).is_empty(), "{}", stderr(&done));
    assert!(stderr(&done).contains("neither a TensorFlow Lite model"), "{}", stderr(&done));
    assert!(!std::path::Path::new(&next).exists());
    let done = fit("20480", "planner,order", &out);
    assert!(code(&done) == 2 && stderr(&done).contains("exists"), "{}", stderr(&done));
    assert!(stderr(&done).contains("--force"), "{}", stderr(&done));
    fine(&["fit", MODEL, "--memory", "SRAM=20480", "--allow", "planner,order", "--write", &out, "--force"]);
}

#[test]
fn bad_input_is_refused_in_a_sentence_with_the_remedy() {
    let folder = Folder::new();
    let input = folder.file("tiny.json", TINY);
    let scratch = folder.file("scratch.csv", "op,bytes\nnobody,4\n");
    let lines = folder.file("lines.csv", "op,bytes\ngrow 4\n");
    let twice = folder.file("twice.csv", "op,bytes\ngrow,4\nbend,4\ngrow,8\n");
    let list = folder.file("list.csv", "id,lower,upper,size\na,0,2,8\n");
    let told = |input: &str, arguments: &[&str]| {
        let done = memplan(&[&["fit", input], arguments].concat());
        assert_eq!((code(&done), stdout(&done).as_str()), (2, ""), "{arguments:?}");
        stderr(&done).replace('\u{202f}', " ")
    };
    for (arguments, sentence) in [
        (&["--memory", "SRAM=0"][..], "The memory SRAM has 0 bytes. State its size, such as 64 KiB."),
        (&["--memory", "SRAM=-4"], "SRAM=-4 is no memory: -4 is no size. Use a number and a unit (B, KiB, MiB, GiB)"),
        (&["--memory", "SRAM"], "SRAM is no memory. Use NAME=SIZE"),
        (&["--memory", "SRAM=9007199254740992"], "9007199254740992 is no size. Use a number and a unit"),
        (&["--memory", "SRAM=1e30"], "SRAM=1e30 is no memory: 1e30 is no size. Use a number"),
        (&["--memory", "SRAM=1K", "--memory", "DRAM=1M@-3"], "DRAM=1M@-3 is no memory. Use NAME=SIZE"),
        (&["--memory", "SRAM=1K", "--persistent", "2K"], "nothing is left for tensors. State a larger memory or less"),
        (&["--memory", "SRAM=1K", "--persistent=-4"], "-4 is no size. Use a number, with a point"),
        (&["--memory", "SRAM=1K", "--persistent", "3%"], "3% is no size. Use a number, with a point"),
        (&["--memory", "SRAM=1K", "--scratch", "9007199254740991"], "nothing is left for tensors."),
        (&["--memory", "SRAM=1K", "--scratch=-4"], "-4 is neither a size nor a file. Use a size such as 8KiB, or"),
        (
            &["--memory", "SRAM=1K", "--memory", "SRAM=2K"],
            "Two memories have the name SRAM. Give each a name of its own.",
        ),
        (
            &["--memory", "SRAM=1K", "--scratch", &scratch],
            "Scratch is stated for nobody, but no operator has that name. The operators are: grow, bend, join.",
        ),
        (
            &["--memory", "SRAM=1K", "--scratch", &lines],
            "line 2: grow 4 is not `op,bytes`. Write the name of an operator",
        ),
        (
            &["--memory", "SRAM=1K", "--scratch", &twice],
            "line 4: grow,8 states scratch for an operator that has it already.",
        ),
    ] {
        let told = told(&input, arguments);
        assert!(told.contains(sentence), "{arguments:?}: {told}");
    }
    let none = told(&list, &["--memory", "SRAM=1K"]);
    assert!(none.contains("a list of buffers without operators, which cannot be changed. Open the graph"), "{none}");
}

/// A loop, an operator that nobody knows, and one with two results.
#[test]
fn control_flow_and_custom_operators_are_named_with_the_remedy() {
    let folder = Folder::new();
    let graph = TINY
        .replace(r#""op":"silu","inputs":["a"]"#, r#""op":"while","inputs":["a"]"#)
        .replace(r#""op":"conv2d","inputs":["b","v"]"#, r#""op":"vendor.custom","inputs":["b","v"]"#);
    let input = folder.file("loop.json", graph);
    let fit = |more: &[&str]| memplan(&[&["fit", &input, "--memory", "SRAM=32"], more].concat());
    let done = fit(&["--allow", "planner,order,inplace,views,stripes"]);
    let text = stdout(&done).replace('\u{202f}', " ");
    assert_eq!(code(&done), 3, "{text}");
    assert!(text.contains("proved with 2 operators held whole"), "{text}");
    assert!(text.contains("no rule for their rows is known: bend, join. Replace them by operators"), "{text}");
    assert!(text.contains("No sequence of stripes gets past grow within the budget"), "{text}");
    let text = stdout(&fit(&["--allow", "planner,stripes", "--zh"]));
    assert!(text.contains("bend, join。请换成"), "{text}");
    // Nothing runs twice that may change more than its result.
    let done = fit(&["--allow", "all", "--memory", "DRAM=1M@4", "--format", "json"]);
    let record = json(&stdout(&done));
    let moves = record["moves"].as_array().expect("moves");
    assert!(record["result"] == "fits" && moves.iter().all(|one| one["lever"] != "recompute"), "{record}");
}

#[test]
fn a_program_takes_its_plan_along_if_nothing_else_changes() {
    const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/executorch/tiny_add_cat.pte");
    let folder = Folder::new();
    let (out, next) = (folder.path("out.pte"), folder.path("next.pte"));
    let fit = |memory: &str, more: &[&str], out: &str| {
        let memory = format!("SRAM={memory}");
        memplan(&[&["fit", PROGRAM, "--memory", &memory, "--write", out], more].concat())
    };
    let done = fit("1000", &["--allow", "planner"], &out);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    let told = stderr(&done).replace('\u{202f}', " ");
    assert!(told.contains("planned memory 896 B of 1 000 B with the plan, 896 B as it was"), "{told}");
    assert!(fine(&["check", &out]).starts_with("valid: 8 buffers in 1 pool, peak 896 bytes"));
    // It is what the same planner writes without a budget.
    let same = folder.path("same.pte");
    assert_eq!(code(&memplan(&["write", PROGRAM, "--planner", "best", "-o", &same])), 0);
    assert!(std::fs::read(&out).expect("there") == std::fs::read(&same).expect("there"));
    // Another memory is beyond what a plan in a program can express.
    let done = fit("880", &["--memory", "DRAM=1M@4", "--allow", "planner,bank"], &next);
    assert_eq!(code(&done), 2, "{}", stderr(&done));
    let told = stderr(&done).replace('\u{202f}', " ");
    assert!(told.contains("ExecuTorch cannot run this answer: the order of a program is fixed"), "{told}");
    assert!(told.contains("in DRAM. Export the program again") && told.contains("alone needs 896 B."), "{told}");
    assert!(stdout(&done).contains("fits"), "the answer is told before the refusal: {}", stdout(&done));
    assert_eq!(code(&fit("1K", &["--allow", "planner", "--scratch", "200"], &next)), 3);
    assert!(!std::path::Path::new(&next).exists());
    let done = fit("1000", &["--allow", "planner"], &out);
    assert!(code(&done) == 2 && stderr(&done).contains("exists"), "{}", stderr(&done));
}

/// 772 bytes are alive at once, but ExecuTorch gives each tensor a multiple of 16.
#[test]
fn a_program_fits_as_its_runtime_aligns_it() {
    const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/executorch/condseq.pte");
    let fit = |memory: &str| code(&memplan(&["fit", PROGRAM, "--memory", memory, "--allow", "planner"]));
    assert_eq!([fit("SRAM=772B"), fit("SRAM=2K")], [3, 0]);
}

#[test]
fn nothing_is_written_of_an_answer_that_does_not_fit_and_that_is_told() {
    let folder = Folder::new();
    let input = folder.file("tiny.json", TINY);
    let (graph, plan) = (folder.path("graph.json"), folder.path("plan.json"));
    let output = memplan(&["fit", &input, "--memory", "SRAM=1", "--graph", &graph, "--plan", &plan]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    for path in [&graph, &plan] {
        assert!(!std::path::Path::new(path).exists());
        assert!(stderr(&output).contains(&format!("{path} was not written")), "{}", stderr(&output));
    }
}

#[test]
fn json_is_asked_for_in_two_ways_and_a_report_is_no_graph() {
    let folder = Folder::new();
    let input = folder.file("tiny.json", TINY);
    let fit = ["fit", &input, "--memory", "SRAM=64", "--seconds", "1"];
    let [short, long] = [&["--json"][..], &["--format", "json"]].map(|form| json(&fine(&[&fit[..], form].concat())));
    assert_eq!((&short["format"], &short["price"]), (&"fit/1".into(), &long["price"]));
    // Thousands are never taken for more bytes than they are.
    let thousands = json(&fine(&["fit", &input, "--memory", "SRAM=64 kB", "--json"]));
    assert_eq!(thousands["budget"]["available"], 64_000);
    let report = folder.file("report.json", short.to_string());
    let reason = stderr(&memplan(&["plan", &report, "--planner", "first-fit"]));
    assert!(reason.contains("report of Fit") && reason.contains("Open the graph or the plan"), "{reason}");
}

/// Loads there are also without operators.
#[test]
fn a_graph_without_operators_has_an_answer() {
    let folder = Folder::new();
    let graph = |tensors: &str| {
        format!("{{\"format\":\"memory-graph/1\",\"name\":\"e\",\"tensors\":[{tensors}],\"nodes\":[]}}")
    };
    let input = r#"{"name":"x","dtype":"float32","shape":[4],"kind":"input"}"#;
    let (empty, one) = (folder.file("empty.json", graph("")), folder.file("one.json", graph(input)));
    for allow in ["planner,order,inplace,views", "all"] {
        for memory in [&["--memory", "SRAM=16"][..], &["--memory", "SRAM=16", "--memory", "DRAM=64@4"]] {
            let fit = |file: &str| fine(&[&["fit", file, "--allow", allow, "--curve"], memory].concat());
            assert!(fit(&empty).starts_with("fits: ") && fit(&one).starts_with("fits: "));
        }
        let small = memplan(&["fit", &one, "--memory", "SRAM=15", "--allow", allow]);
        // A proof names an operator, so that this is not proved.
        assert_eq!(code(&small), 4, "{}{}", stdout(&small), stderr(&small));
    }
    // The other memory has room.
    let fit = ["fit", &one, "--memory", "SRAM=15", "--memory", "DRAM=64@4", "--allow", "planner,bank"];
    assert!(fine(&fit).contains("DRAM"));
}
