//! `compare` and `chart`: the same figures as the page, as tables and pictures.

use super::*;

/// Records of `compare` as JSON for these planners.
fn compared(file: &str, planners: &str) -> Vec<Value> {
    let output = memplan(&["compare", file, "--planners", planners, "--format", "json"]);
    assert_eq!(code(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).expect("JSON").as_array().expect("a list").clone()
}

#[test]
fn compare_gives_the_figures_of_each_plan() {
    let folder = Folder::new();
    let file = folder.file("tiny.json", GRAPH);
    let records = compared(&file, "naive,first-fit,beam;k=4");
    let of = |planner: &str| records.iter().find(|record| record["planner"] == planner).expect("a record");
    // x 128, a (v shares it) 128, y 100: naive takes the sum, first fit the load of x and a, and of
    // a and y.
    assert_eq!((of("naive")["peak"].as_u64(), of("first-fit")["peak"].as_u64()), (Some(356), Some(256)));
    assert_eq!((of("first-fit")["lower_bound"].as_u64(), of("first-fit")["ratio"].as_f64()), (Some(256), Some(1.0)));
    assert_eq!((of("naive")["waste"].as_u64(), of("naive")["external"].as_u64()), (Some(100), Some(100)));
    assert_eq!((of("naive")["reuses"].as_u64(), of("first-fit")["reuses"].as_u64()), (Some(0), Some(1)));
    assert_eq!((of("beam")["options"]["k"].as_str(), of("beam")["valid"].as_bool()), (Some("4"), Some(true)));
    let plan = memplan(&["plan", &file, "--planner", "first-fit"]);
    let plan: Value = serde_json::from_slice(&plan.stdout).expect("a plan");
    assert_eq!(plan["metrics"]["peak"], of("first-fit")["peak"]);
}

#[test]
fn choices_hold_for_every_file_compared() {
    let folder = Folder::new();
    // The second buffer begins where the first one ends, if its end is exclusive.
    let text = "tensor_name,size,offset,start_time,end_time\na,8,,0,2\nb,8,,2,4\n";
    let files = [folder.file("one.csv", text), folder.file("two.csv", text)];
    for (flags, peak) in [(vec!["--exclusive-end"], 8), (vec![], 16)] {
        let rest = ["--planners", "first-fit", "--format", "json"];
        let given: Vec<&str> = ["compare", &files[0], &files[1]].into_iter().chain(flags).chain(rest).collect();
        let output = memplan(&given);
        let records: Vec<Value> = serde_json::from_slice(&output.stdout).expect("a list");
        let peaks: Vec<Option<u64>> = records.iter().map(|record| record["peak"].as_u64()).collect();
        assert_eq!(peaks, [Some(peak); 2]);
    }
}

#[test]
fn a_symbol_s_value_is_for_the_files_that_have_it() {
    let folder = Folder::new();
    let files = [folder.file("tiny.json", GRAPH), folder.file("buffers.csv", BUFFERS)];
    let given = |symbol| {
        let given = ["compare", &files[0], &files[1], "--planners", "naive", "--symbol", symbol, "--format", "json"];
        memplan(&given)
    };
    let records: Vec<Value> = serde_json::from_slice(&given("s0=8").stdout).expect("a list");
    let usual: Vec<Value> = serde_json::from_slice(&given("s0=2").stdout).expect("a list");
    let peak = |records: &[Value], at: usize| records[at]["peak"].as_u64().expect("a peak");
    assert!(peak(&records, 0) > peak(&usual, 0));
    assert_eq!(peak(&records, 1), peak(&usual, 1));
    assert_eq!(code(&given("s9=8")), 2, "no file has it");
}

#[test]
fn compare_prints_what_the_page_shows() {
    // The page asks the same of its worker.
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("www/graphs/mobilenet_v2.json");
    let document = import::read(&fs::read(&file).expect("an example"), Answers::default()).expect("a graph").document;
    let planners = ["inductor-tree", "tvm-relay", "greedy-by-size"];
    let task = Task::Compare(CompareTask::Ranking(planners.map(PlannerChoice::of).to_vec()));
    let request = Request { source: Source::Keep, scope: Scope::default(), task };
    let answer = Engine::with_document(document).answer(&request, &|| 0.0, &mut NoListener);
    let Ok(Answer::Compared(Comparison::Ranking(entries))) = answer else { panic!("a ranking") };
    let records = compared(&file.to_string_lossy(), &planners.join(","));
    for (entry, record) in entries.iter().zip(&records) {
        assert_eq!(record["planner"], entry.choice.planner);
        let found = entry.result.as_ref().expect("planned");
        for figure in FIGURES.iter().filter(|figure| figure.key != "time") {
            let expected = match figure.value(found) {
                FigureValue::Yes(yes) => Value::from(yes),
                FigureValue::Bytes(value) | FigureValue::Count(value) => Value::from(value),
                FigureValue::Ratio(value) | FigureValue::Share(value) | FigureValue::Millis(value) => {
                    // Reading a number back may change its last bit.
                    let read = record[figure.key].as_f64().expect("a number");
                    assert!((read - value).abs() < 1e-12, "{} of {}", figure.key, entry.choice.planner);
                    continue;
                }
                FigureValue::Unknown => Value::Null,
            };
            assert_eq!(record[figure.key], expected, "{} of {}", figure.key, entry.choice.planner);
        }
    }
}

#[test]
fn compare_writes_tables_of_one_file_or_several() {
    let folder = Folder::new();
    let (tiny, buffers) = (folder.file("tiny.json", GRAPH), folder.file("buffers.csv", BUFFERS));
    let table = memplan(&["compare", &tiny, "--planners", "first-fit,tvm-relay"]);
    let text = String::from_utf8(table.stdout).expect("text");
    assert!(text.starts_with("planner") && text.lines().count() == 3, "{text}");
    let csv = memplan(&["compare", &tiny, &buffers, "--format", "csv", "--planners", "first-fit,tvm-relay"]);
    let text = String::from_utf8(csv.stdout).expect("text");
    assert!(text.starts_with("graph,planner,peak,lower_bound,ratio,waste,padding,internal,external"), "{text}");
    assert_eq!(text.lines().count(), 5);
    assert!(text.lines().last().is_some_and(|line| line.contains("needs a graph")), "{text}");
    let output = folder.path("all.md");
    let all = memplan(&["compare", &tiny, "--format", "markdown", "-o", &output]);
    assert_eq!(code(&all), 0);
    let text = fs::read_to_string(&output).expect("written");
    assert!(text.starts_with("| planner |") && text.lines().count() > 12, "{text}");
    let wrong = memplan(&["compare", &tiny, "--planners", "magic"]);
    assert_eq!((code(&wrong), wrong.stdout.is_empty()), (2, true));
}

#[test]
fn planners_beside_each_other_change_no_byte_but_the_times() {
    let folder = Folder::new();
    let tiny = folder.file("tiny.json", GRAPH);
    let (one, two) = (folder.file("one.csv", BUFFERS), folder.file("two.csv", "id,lower,upper,size\na,0,2,8\n"));
    let broken = folder.file("broken.csv", "id,lower,upper,size\na,0,2,x\n");
    let rhai = folder.file("mine.rhai", "fn place(b, g) { g[-1].start }");
    let all = "first-fit,exact,best,tvm-relay,naive";
    let own = format!("{rhai},naive");
    let cases: [&[&str]; 6] = [
        &["ex:teaching"],
        &["ex:unet_512", "--planners", all],
        &[&tiny, &one, &two, "--planners", "exact"],
        &[&tiny, &one, &two, "--planners", all],
        &[&one, &tiny, "--planners", &own],
        &[&one, &broken, &two, "--planners", "naive"],
    ];
    for case in cases {
        let ran = |threads: &str| {
            let given = [&["compare"], case, &["--format", "csv", "--threads", threads]].concat();
            let ran = memplan(&given);
            let text = String::from_utf8(ran.stdout.clone()).expect("text");
            // The header names the column of the times.
            let time = text.lines().next().and_then(|head| head.split(',').position(|name| name == "time"));
            let without = |line: &str| {
                let kept = line.split(',').enumerate().filter(|(column, _)| Some(*column) != time);
                kept.map(|(_, cell)| cell).collect::<Vec<_>>().join(",")
            };
            (
                code(&ran),
                text.lines().map(without).collect::<Vec<_>>(),
                String::from_utf8(ran.stderr).expect("text"),
                time,
            )
        };
        let alone = ran("1");
        assert_eq!((alone.0, alone.3.is_some()), if case.contains(&broken.as_str()) { (2, false) } else { (0, true) });
        for threads in ["2", "7"] {
            assert_eq!(ran(threads), alone, "{threads} threads: {case:?}");
        }
    }
    assert_eq!(code(&memplan(&["compare", &one, "--threads", "0"])), 2);
}

#[test]
fn files_of_the_same_name_or_of_none_are_told_apart() {
    let folder = Folder::new();
    let (one, other) = (folder.file("one.1.csv", BUFFERS), folder.file("other.csv", "id,lower,upper,size\na,0,2,8\n"));
    let graphs = |files: &[&str], format: &str| {
        let ran = memplan(&[&["compare"], files, &["--planners", "naive", "--format", format]].concat());
        assert_eq!(code(&ran), 0, "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).expect("text")
    };
    let matrix = graphs(&[&one, &other], "matrix");
    assert_eq!(matrix.lines().next(), Some("| planner | one.1 | other |"));
    assert!(graphs(&[&one, &other], "table").starts_with("graph"));
    let csv = graphs(&[&one], "csv");
    assert!(csv.lines().nth(1).is_some_and(|line| line.starts_with("one.1,naive,")), "{csv}");
    // Two copies of a graph have its name.
    let (tiny, copy) = (folder.file("tiny.json", GRAPH), folder.file("copy.json", GRAPH));
    assert_eq!(graphs(&[&tiny, &copy], "matrix").lines().next(), Some("| planner | tiny | copy |"));
    let twice = graphs(&[&tiny, &tiny], "matrix");
    assert!(twice.lines().next().is_some_and(|line| line.ends_with("tiny.json (2) |")), "{twice}");
    let plan = memplan(&["plan", &one, "--planner", "naive"]);
    let plan: Value = serde_json::from_slice(&plan.stdout).expect("a plan");
    assert_eq!(plan["graph"], "one.1");
}

#[test]
fn a_table_shows_bound_frames_and_validity_and_a_unit_with_every_size() {
    let folder = Folder::new();
    let file = folder.file("overlap.csv", "tensor_name,size,offset,start_time,end_time\na,4,0,0,5\nb,4,2,3,8\n");
    let text = String::from_utf8(memplan(&["compare", &file, "--planners", "imported,naive"]).stdout).expect("text");
    let heads = text.lines().next().expect("a heading");
    assert!(["lower bound", "frames", "valid"].iter().all(|head| heads.contains(head)), "{heads}");
    assert_eq!(heads.matches("ms").count(), 1, "{heads}");
    let line = text.lines().find(|line| line.starts_with("imported")).expect("a line");
    assert!(text.lines().any(|line| line.starts_with("naive") && line.contains(" 8 B ")), "{text}");
    assert!(line.ends_with(" no") && text.contains("  1 violation\n") && !line.contains("0.75"), "{text}");
}

#[test]
fn a_table_fits_a_terminal() {
    let folder = Folder::new();
    let overlap = "tensor_name,size,offset,start_time,end_time\na,4,0,0,5\nb,4,2,3,8\n";
    let long = folder.file("a_list_with_a_name_that_is_longer_than_any_terminal_has_room_for.csv", overlap);
    let list = folder.file("list.csv", BUFFERS);
    let net = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/graphs/diamond.json");
    let many = "shared-objects-by-size-improved,tvm-relay,inductor-tree,naive,executorch-suite;algorithms=greedy,naive";
    for files in [vec![net], vec![&*long], vec![net, &*long, &*list]] {
        for more in [vec![], vec!["--planner", many]] {
            let output = memplan(&[&["compare"], &files[..], &more[..]].concat());
            let text = stdout(&output);
            assert!(text.lines().count() > 3, "{}", stderr(&output));
            let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
            assert_eq!(wide, [""; 0], "{text}");
            let head = text.lines().next().expect("a head");
            assert!(["peak", "lower bound", "ratio", "valid"].iter().all(|word| head.contains(word)), "{text}");
        }
    }
    // No reason is cut off.
    let text = fine(&["compare", net, &list, "--planner", "inductor-tree"]);
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains("needs a graph"), "{text}");
    let wide = fine(&["compare", net, "--planner", "naive", "--wide"]);
    let head = wide.lines().next().expect("a head");
    assert!(
        ["longest path with reuse", "utilisation", "plan time, ms"].iter().all(|word| head.contains(word)),
        "{wide}"
    );
}

#[test]
fn charts_are_pictures_of_figures() {
    let folder = Folder::new();
    let file = folder.file("tiny.json", GRAPH);
    for kind in ["memory", "peaks", "sizes", "lifetimes", "sweep", "growth"] {
        let output = memplan(&["chart", &file, "--kind", kind, "--planners", "first-fit,naive"]);
        let text = String::from_utf8(output.stdout.clone()).expect("text");
        assert_eq!(code(&output), 0, "{kind}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"), "{kind}: {text}");
        assert!(text.matches("<text").count() > 4, "{kind}: {text}");
    }
    let batch = memplan(&["chart", &file, "--kind", "sweep", "--vary", "@s0", "--figure", "waste", "--zh", "--dark"]);
    assert!(String::from_utf8_lossy(&batch.stdout).contains("浪费"));
    assert_eq!(code(&memplan(&["chart", &file, "--kind", "sweep", "--vary", "@none"])), 2);
    assert_eq!(code(&memplan(&["chart", &file, "--kind", "sweep", "--figure", "beauty"])), 2);
    // Without a single plan there is nothing to draw.
    let list = folder.file("list.csv", "name,size,start,end\na,8,0,1\n");
    assert_eq!(code(&memplan(&["chart", &list, "--kind", "peaks", "--planners", "inductor-tree"])), 2);
}

/// The columns of a terminal: letters of Chinese take two.
#[test]
fn names_of_wide_letters_leave_the_columns_aligned() {
    let folder = Folder::new();
    let files = [
        folder.file("plain.json", GRAPH),
        folder.file("wide.json", GRAPH.replace("\"tiny\"", "\"残差网络\"")),
        folder.file("long.json", GRAPH.replace("\"tiny\"", &format!("\"{}\"", "内存规划".repeat(12)))),
    ];
    let columns = |text: &str| text.chars().map(|letter| if letter.is_ascii() || letter == '…' { 1 } else { 2 }).sum();
    for more in [&["--planner", "naive"][..], &["--planner", "naive", "--wide"]] {
        let text = fine(&[&["compare", &files[0], &files[1], &files[2]], more].concat());
        let starts: Vec<usize> =
            text.lines().skip(1).filter_map(|line| Some(columns(&line[..line.find("naive")?]))).collect();
        assert!(starts.len() == 3 && starts.iter().all(|start| *start == starts[0]), "{text}");
        assert!(more.len() > 2 || text.lines().all(|line| columns(line) <= 80), "{text}");
    }
}
