//! What the state panel's sections show for a planner of storages, on small graphs.

use std::rc::Rc;

use memplan_core::base::{Arg, Message};
use memplan_core::graph::Graph;
use memplan_core::plan::PoolId;
use memplan_core::problem::{Scope, lifetimes};
use memplan_core::text::Speech;
use memplan_core::trace::{Event, Note, Recorder};
use memplan_formats::import::{self, Document};
use memplan_planners::{self as planner, Input, origin};
use memplan_replay::panel::{Cell, Row, Ruler, Section, Table, View, filled_sections, sections};
use memplan_replay::{Frame, Level, Run, WhyRow, blocks, counted, why};

/// A chain of values of the sizes given, in elements of 4 bytes.
fn chain(sizes: &[u64]) -> Graph {
    let mut tensors = vec![r#"{"name":"t0","dtype":"float32","shape":[1],"kind":"input"}"#.to_string()];
    let mut nodes = Vec::new();
    for (own, size) in (1..).zip(sizes) {
        let kind = if own == sizes.len() { "output" } else { "intermediate" };
        tensors.push(format!(r#"{{"name":"t{own}","dtype":"float32","shape":[{size}],"kind":"{kind}"}}"#));
        let before = own - 1;
        nodes.push(format!(r#"{{"name":"n{own}","op":"f","inputs":["t{before}"],"outputs":["t{own}"]}}"#));
    }
    let (tensors, nodes) = (tensors.join(","), nodes.join(","));
    let text = format!(r#"{{"format":"memory-graph/1","name":"g","tensors":[{tensors}],"nodes":[{nodes}]}}"#);
    match import::read(text.as_bytes(), import::Answers::default()).map(|read| read.document) {
        Ok(Document::Graph(graph)) => graph,
        other => panic!("{other:?}"),
    }
}

fn run(graph: Graph, options: &[(&str, &str)]) -> Run {
    let problem = Rc::new(lifetimes(&graph, &Scope::default()).expect("sizes are known"));
    let planner = planner::find("nnvm").expect("registered");
    let mut recorder = Recorder::default();
    let options = planner.info().options(options.iter().copied()).expect("declared");
    let plan = planner.plan(Input { problem: &problem, graph: Some(&graph) }, &options, &mut recorder);
    let plan = plan.expect("applicable");
    Run::new(problem, origin("nnvm", 1), plan, recorder.events).with_graph(Some(Rc::new(graph)))
}

/// The moment after the decision with this number, counted from 1.
fn after(run: &Run, decision: u32) -> Frame {
    run.frame(run.timeline.events_at(Level::Decisions, decision))
}

fn section(run: &Run, frame: &Frame, id: &str) -> Option<View> {
    sections(run, frame).into_iter().find(|section: &Section| section.id == id).map(|section| section.view)
}

fn table(run: &Run, frame: &Frame, id: &str) -> Table {
    match section(run, frame, id) {
        Some(View::Table(table)) => table,
        other => panic!("{id}: {other:?}"),
    }
}

/// A row in words, with the word for what changed.
fn line(row: &Row) -> String {
    let cell = |cell: &Cell| match cell {
        Cell::Empty => "-".to_string(),
        Cell::Value(Arg::Bytes(value) | Arg::Count(value) | Arg::Address(value)) => value.to_string(),
        Cell::Value(Arg::Names(names)) => names.join(","),
        Cell::Value(Arg::Text(text) | Arg::Name(text)) => text.clone(),
        Cell::Value(Arg::Live(start, end)) => format!("{start}–{end}"),
        Cell::Value(other) => format!("{other:?}"),
        Cell::Say(message) => Speech::default().say(message),
        Cell::Change(from, to) | Cell::Grown(from, to) => format!("{from}→{to}"),
        Cell::Bar(share) => format!("{share:.2}"),
    };
    let changed = row.changed.iter().map(|word| format!(" ({})", Speech::default().say(word)));
    row.cells.iter().map(cell).collect::<Vec<_>>().join(" | ") + &changed.collect::<String>()
}

fn lines(table: &Table) -> Vec<String> {
    table.rows.iter().map(line).collect()
}

#[test]
fn storages_tell_who_is_in_them_and_what_this_decision_did() {
    let run = run(chain(&[16, 8, 32, 8]), &[]);
    // t3 enlarges the storage that t1 left; with it t2 is done.
    let frame = after(&run, 3);
    let shown = table(&run, &frame, "storages");
    let expected = ["0 | 128 | cpu | 0→1 | in use by t3 | t3,t1 (enlarged)", "1 | 32 | cpu | 1→0 | free | t2 (freed)"];
    assert_eq!(lines(&shown), expected);
    assert_eq!(shown.current, Some(0));
    let end = table(&run, &after(&run, 4), "storages");
    assert_eq!(lines(&end)[1], "1 | 32 | cpu | 0→1 | kept to the end for t4 | t4,t2 (taken over by t4)");
}

#[test]
fn a_storage_freed_for_the_next_buffer_is_taken_over() {
    let graph = chain(&[8, 8, 8]);
    let problem = Rc::new(lifetimes(&graph, &Scope::default()).expect("sizes are known"));
    let planner = planner::find("inductor-reuse").expect("registered");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
    let run = Run::new(problem, origin("inductor-reuse", 1), plan, recorder.events).with_graph(Some(Rc::new(graph)));
    // t1 is freed with the kernel of t2, and t3 takes its storage at once.
    let rows = lines(&table(&run, &after(&run, 3), "storages"));
    assert!(rows[0].ends_with("| t3,t1 (taken over by t3)"), "{rows:?}");
    let free: Vec<&String> = rows.iter().filter(|row| row.contains("(freed)")).collect();
    assert!(free.is_empty(), "{rows:?}");
    // It is the only free buffer: there are no older ones to speak of.
    let notes: Vec<String> = why(&run, &after(&run, 3)).notes.iter().map(|note| Speech::default().say(note)).collect();
    assert!(notes.iter().any(|note| note == "t1 is the only free buffer with this key."), "{notes:?}");
}

#[test]
fn the_ruler_shows_the_window_and_numbers_only_what_was_looked_at() {
    let run = run(chain(&[1000, 1000, 10, 10, 10]), &[("match_range", "16")]);
    // t5 finds the storages of t1 and t2 far above its window and takes that of t3.
    let Some(View::Ruler(Ruler { request, window, marks })) = section(&run, &after(&run, 5), "ruler") else {
        panic!("a ruler");
    };
    assert_eq!((request, window), (40, (2, 640)));
    let marks: Vec<_> = marks.iter().map(|mark| (mark.pool.0, mark.bytes, mark.number, mark.chosen)).collect();
    assert_eq!(marks, [(2, 40, Some(1), true), (0, 4000, None, false), (1, 4000, None, false)]);
    assert!(section(&run, &run.frame(0), "ruler").is_none());
}

#[test]
fn a_search_lists_its_tries_and_every_row_is_a_setting() {
    let run = run(chain(&[64, 64, 65]), &[("search", "true")]);
    let shown = table(&run, &after(&run, 1), "tries");
    let expected = ["1 | 772 | 1.00", "2 | 516 | 0.67 (kept)", "4 | 516 | 0.67", "8 | 516 | 0.67", "16 | 516 | 0.67"];
    assert_eq!(lines(&shown), expected);
    assert_eq!(shown.rows[0].settings, [("keep", "1".to_string())]);
    assert_eq!(shown.current, Some(1));
    assert!(section(&run, &run.frame(0), "tries").is_none(), "nothing is tried yet");
}

#[test]
fn a_try_that_is_chosen_is_kept_and_the_others_stay_listed() {
    let run = run(chain(&[64, 64, 65]), &[("search", "true"), ("keep", "1")]);
    let shown = table(&run, &after(&run, 1), "tries");
    let expected = ["1 | 772 | 1.00 (kept)", "2 | 516 | 0.67", "4 | 516 | 0.67", "8 | 516 | 0.67", "16 | 516 | 0.67"];
    assert_eq!(lines(&shown), expected);
    assert_eq!((shown.current, run.metrics.peak), (Some(0), 772));
}

/// The rows of the table of places: number where it was looked at, place and verdict.
fn places(run: &Run, frame: &Frame) -> Vec<String> {
    let say = |message: &Message| Speech::default().say(message);
    let row = |row: &WhyRow| {
        let number = if row.visited { row.number.to_string() } else { "-".into() };
        format!("{number} | {} | {}", say(&row.place), say(&row.verdict)).replace('\u{202f}', " ")
    };
    why(run, frame).rows.iter().map(row).collect()
}

#[test]
fn places_not_looked_at_have_no_number() {
    let run = run(chain(&[1000, 1000, 10, 10, 10]), &[("match_range", "16")]);
    let expected = [
        "1 | storage 2, 40 B | taken: exactly its size",
        "- | storage 0, 4 000 B | not examined: 4 000 B is above the largest size allowed",
        "- | storage 1, 4 000 B | not examined: 4 000 B is above the largest size allowed",
    ];
    assert_eq!(places(&run, &after(&run, 5)), expected);
    // t4 takes the one freed first of two that would do; the search ends there.
    let run = self::run(chain(&[8, 8, 8, 8]), &[]);
    assert_eq!(places(&run, &after(&run, 3)), ["1 | storage 0, 32 B | taken: exactly its size"]);
}

#[test]
fn storages_of_another_key_are_not_looked_at() {
    let Run { problem, graph, .. } = run(chain(&[8, 4, 4, 16]), &[]);
    let planner = planner::find("inductor-reuse").expect("registered");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: graph.as_deref() };
    let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
    let run = Run::new(problem, origin("inductor-reuse", 1), plan, recorder.events).with_graph(graph);
    let rows = places(&run, &after(&run, 4));
    assert!(!rows.is_empty() && rows.iter().all(|row| row.starts_with("- | storage ")), "{rows:?}");
    assert!(rows[0].ends_with("| not examined: its key differs"), "{rows:?}");
}

/// A run of a planner on buffers `(size, start, end)` without a graph.
fn run_on(id: &'static str, buffers: &[(u64, u32, u32)]) -> Run {
    let rows = buffers.iter().zip('a'..).map(|((size, start, end), name)| format!("{name},{start},{end},{size}\n"));
    let text = format!("id,lower,upper,size\n{}", rows.collect::<String>());
    let Ok(Document::Buffers(problem)) = import::read(text.as_bytes(), import::Answers::default()).map(|r| r.document)
    else {
        panic!("buffers")
    };
    let problem = Rc::new(problem);
    let planner = planner::find(id).expect("registered");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: None };
    let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
    Run::new(problem, origin(id, 1), plan, recorder.events)
}

#[test]
fn xlas_heap_shows_both_orders_and_the_ticks_of_each_buffer() {
    let run = run_on("xla-heap", &[(128, 0, 1), (64, 0, 2), (64, 1, 3), (128, 2, 3)]);
    let frame = after(&run, 4);
    let ways = lines(&table(&run, &frame, "ways"));
    assert_eq!(ways, ["spatial, tightest | 256 | 1.00 (kept)", "temporal, tightest | 256 | 1.00"]);
    let order = lines(&table(&run, &frame, "order"));
    // Two steps are four ticks: allocations and frees between them count.
    assert_eq!(order[2], "3 | b | 64 | 0–2 | 1–5");
    let words = format!("{:?}", why(&run, &frame));
    assert!(words.contains("note.ticks"), "{words}");
}

#[test]
fn shared_objects_in_order_tell_the_differences_of_sizes() {
    let run = run_on("shared-objects-in-order", &[(10, 0, 1), (4, 0, 1), (7, 0, 1), (1, 0, 4), (5, 1, 2), (6, 2, 3)]);
    let frame = after(&run, 5);
    let expected = [
        "1 | storage 0, 10 B | free, but its size differs by 5 B: another is closer in size",
        "2 | storage 1, 4 B | taken and enlarged by 1 B",
        "3 | storage 2, 7 B | free, but its size differs by 2 B: another is closer in size",
        "4 | storage 3, 1 B | not free: held by d",
    ];
    assert_eq!(places(&run, &frame), expected);
    // f: 5 and 7 differ equally, the large enough one is taken.
    let tie = "free, its size also differs by 1 B, but another wins the tie";
    assert_eq!(places(&run, &after(&run, 6))[1], format!("2 | storage 1, 5 B | {tie}"));
}

#[test]
fn the_order_has_the_keys_that_decided_it() {
    // Steps 0 to 2 have 12, 7 and 9 bytes alive.
    let buffers = [(8, 0, 1), (4, 0, 2), (3, 1, 3), (6, 2, 3)];
    for (id, columns, rows) in [
        (
            "usmp-greedy-by-conflicts",
            "number buffer bytes live conflicts",
            ["1 | b | 4 | 0–2 | 2", "2 | c | 3 | 1–3 | 2", "3 | a | 8 | 0–1 | 1", "4 | d | 6 | 2–3 | 1"],
        ),
        (
            "usmp-greedy-by-size",
            "number buffer bytes live conflicts",
            ["1 | a | 8 | 0–1 | 1", "2 | d | 6 | 2–3 | 1", "3 | b | 4 | 0–2 | 2", "4 | c | 3 | 1–3 | 2"],
        ),
        (
            "greedy-by-breadth",
            "number buffer bytes live step breadth",
            [
                "1 | a | 8 | 0–1 | 0 | 12",
                "2 | b | 4 | 0–2 | 0 | 12",
                "3 | d | 6 | 2–3 | 2 | 9",
                "4 | c | 3 | 1–3 | 2 | 9",
            ],
        ),
        (
            "shared-objects-by-breadth",
            "number buffer bytes live step breadth",
            [
                "1 | a | 8 | 0–1 | 0 | 12",
                "2 | b | 4 | 0–2 | 0 | 12",
                "3 | d | 6 | 2–3 | 2 | 9",
                "4 | c | 3 | 1–3 | 2 | 9",
            ],
        ),
        (
            "shared-objects-by-size-improved",
            "number buffer bytes live position",
            ["1 | a | 8 | 0–1 | 1", "2 | d | 6 | 2–3 | 1", "3 | b | 4 | 0–2 | 2", "4 | c | 3 | 1–3 | 2"],
        ),
        (
            "greedy-by-size",
            "number buffer bytes live",
            ["1 | a | 8 | 0–1", "2 | d | 6 | 2–3", "3 | b | 4 | 0–2", "4 | c | 3 | 1–3"],
        ),
    ] {
        let run = run_on(id, &buffers);
        let shown = table(&run, &after(&run, 2), "order");
        let titles: Vec<&str> =
            shown.columns.iter().filter_map(|column| column.title.key.strip_prefix("panel.column.")).collect();
        assert_eq!((titles.join(" ").as_str(), lines(&shown)), (columns, rows.map(String::from).to_vec()), "{id}");
    }
}

#[test]
fn an_object_enlarged_first_beats_one_that_fits() {
    let run = run_on("executorch-greedy-v0.5", &[(96, 0, 1), (304, 0, 1), (304, 1, 2)]);
    let reason =
        "free, its size differs by 0 B, but an earlier object was enlarged for this buffer and now differs least";
    assert_eq!(places(&run, &after(&run, 3))[1], format!("2 | 96–400 B | {reason}"));
}

#[test]
fn shared_objects_by_distance_tell_distance_and_position() {
    // a and b need an object each and come first; c is nearer to b; d makes a third entry among the
    // positional maxima.
    let run = run_on("shared-objects-by-size-improved", &[(8, 0, 1), (8, 0, 3), (2, 4, 5), (2, 0, 1)]);
    let frame = after(&run, 3);
    let expected = [
        "1 | storage 0, 8 B | free, but 4 steps from its nearest member: another is nearer",
        "2 | storage 1, 8 B | taken: 6 B left over; 2 steps from its nearest member, no free object is nearer",
    ];
    assert_eq!(places(&run, &frame), expected);
    let notes: Vec<String> = why(&run, &frame).notes.iter().map(|note| Speech::default().say(note)).collect();
    assert!(notes[0].starts_with("c has position 3:"), "{notes:?}");
    let tie = run_on("shared-objects-by-size-improved", &[(8, 0, 3), (8, 0, 3), (2, 4, 5), (2, 0, 1)]);
    let tie = &places(&tie, &after(&tie, 3))[1];
    assert_eq!(tie, "2 | storage 1, 8 B | free and as near (2 steps), but the first that came near wins");
}

#[test]
fn a_flow_tells_who_takes_over_from_whom_at_what_cost() {
    // c takes a's place, so that b, which could have had it for nothing, begins an object.
    let run = run_on("shared-objects-by-min-cost-flow", &[(10, 0, 1), (1, 1, 2), (12, 1, 2)]);
    let shown = table(&run, &after(&run, 3), "flow");
    assert_eq!(lines(&shown), ["a | none: a new object | 10", "b | none: a new object | 1", "c | a | 2"]);
    assert_eq!(shown.current, Some(2));
    assert_eq!(table(&run, &after(&run, 2), "flow").rows.len(), 2, "no more than has been placed");
    let notes: Vec<String> = why(&run, &after(&run, 3)).notes.iter().map(|note| Speech::default().say(note)).collect();
    assert_eq!(notes, ["In the flow, c takes over from a at a cost of 2\u{202f}B."]);
    assert_eq!(
        places(&run, &after(&run, 2)),
        ["1 | storage 0, 10 B | free, but this buffer does not take it over in the cheapest flow"]
    );
}

#[test]
fn colours_stand_along_the_nodes_and_mark_the_one_whose_turn_it_is() {
    let run = run(chain(&[8, 8, 8]), &[("num_temp", "2")]);
    let Some(View::Strip(chips)) = section(&run, &after(&run, 2), "colors") else { panic!("a strip") };
    let chips: Vec<_> = chips.iter().map(|chip| (chip.label.as_str(), chip.class, chip.current)).collect();
    assert_eq!(chips, [("n1", 0, false), ("n2", 0, true), ("n3", 0, false)]);
}

#[test]
fn the_run_time_pool_holds_variables_too() {
    let run = run(chain(&[16, 8, 32]), &[("runtime", "true")]);
    let shown = table(&run, &after(&run, 3), "runtime");
    assert_eq!(lines(&shown), ["0 | 128 | cpu | t1,t3", "1 | 32 | cpu | t2", "2 | 4 | cpu | t0"]);
    assert_eq!(shown.rows[2].pool, None);
    assert!(section(&run, &after(&run, 2), "runtime").is_none());
}

#[test]
fn planners_without_storages_have_no_such_sections() {
    let graph = chain(&[8, 8]);
    let problem = Rc::new(lifetimes(&graph, &Scope::default()).expect("sizes are known"));
    let planner = planner::find("first-fit").expect("registered");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
    let run = Run::new(problem, origin("first-fit", 1), plan, recorder.events);
    let ids: Vec<&str> = sections(&run, &after(&run, 2)).iter().map(|section| section.id).collect();
    assert!(ids.contains(&"order"), "{ids:?}");
    let of_storages = ["storages", "ruler", "tokens", "runtime"];
    assert!(!ids.iter().any(|id| of_storages.contains(id)), "{ids:?}");
}

#[test]
fn tinygrad_shows_the_bitmap_the_lists_and_the_blocks() {
    let run = run_on("tinygrad", &[(16640, 0, 2), (256, 1, 3), (16640, 2, 4)]);
    let at = after(&run, 2);
    let shown = |section: &str| lines(&table(&run, &at, section));
    let bits = |set: &[usize]| (0..32).map(|part| if set.contains(&part) { '■' } else { '□' }).collect::<String>();
    // The block of a is free again, but c asks for it from the next class on.
    let bitmap =
        [format!("cpu | 32768 | {} | 1 (changed)", bits(&[17])), format!("cpu | 16384 | {} | 1 (changed)", bits(&[0]))];
    assert_eq!(shown("size-classes"), bitmap);
    let lists =
        ["cpu | Span(50176, 51200) | 1 | 16896+50176 (changed)", "cpu | Span(16384, 16896) | 1 | 0+16640 (changed)"];
    assert_eq!(shown("class-lists"), lists);
    let blocks = [
        "cpu | Span(16896, 67072) | unused rest",
        "cpu | Span(16640, 16896) | in use by b",
        "cpu | Span(0, 16640) | free",
    ];
    assert_eq!(shown("block-list"), blocks);
}

#[test]
fn ggml_shows_free_blocks_and_what_buffers_wait_for() {
    let run = run_on("ggml", &[(160, 0, 1), (320, 0, 2), (256, 1, 3), (512, 2, 3)]);
    let at = after(&run, 3);
    let shown = |section: &str| lines(&table(&run, &at, section));
    assert_eq!(
        shown("chunks"),
        ["chunk 0 | from 736\u{202f}B | end block | 736 (changed)", "chunk 0 | Span(0, 480) | gap | 736 (changed)"]
    );
    let counts = ["a | 0 | 0 | free", "b | 0 | 0 | free (changed)", "c | 1 | 0 | holds its place (changed)"];
    assert_eq!(shown("counts"), counts);
    // The last buffer fits into no gap.
    let end = table(&run, &after(&run, 4), "chunks");
    assert_eq!(
        lines(&end),
        ["chunk 0 | from 0\u{202f}B | end block, 1\u{202f}248\u{202f}B below the highest end | 1248 (changed)"]
    );
}

#[test]
fn vela_shows_the_curve_of_attempts_and_what_the_highest_range_rests_on() {
    let run = run_on("vela-hill-climb", &[(300, 0, 2), (100, 0, 10), (250, 8, 11), (500, 9, 13)]);
    let end_of_first =
        run.timeline.events.iter().position(|event| matches!(event, Event::Note { note: Note::SwapBetter, .. }));
    let frame = run.frame(end_of_first.expect("a gain") as u32 + 1);
    assert_eq!(lines(&table(&run, &frame, "attempt-chain")), ["c | 874 | d", "d | - | b", "b | - | -"]);
    let curve = table(&run, &frame, "swaps");
    assert_eq!(curve.rows.len(), 1);
    assert!(curve.rows[0].changed.is_some() && !curve.rows[0].faded);
    let all = table(&run, &after(&run, 1), "swaps");
    // Recorded of the original: 500 attempts, the fourth of which was taken back.
    assert_eq!((all.rows.len(), all.rows[3].faded), (500, true));
}

#[test]
fn banks_show_what_each_answered() {
    let run = run_on("executorch-banked", &[(400, 0, 2), (300, 1, 3), (1 << 20, 2, 4)]);
    // The largest comes first and fills the fast bank.
    let rest = "2 | slow | 1099511627776 | 0 | 0.00 | -";
    let shared = lines(&table(&run, &after(&run, 2), "banks"));
    assert_eq!(shared, ["1 | fast | 1048576 | 1048576 | 1.00 | 0 (shared)", rest]);
    let spilled = lines(&table(&run, &after(&run, 3), "banks"));
    let rest = "2 | slow | 1099511627776 | 0→304 | 0.00 | 304 (taken)";
    assert_eq!(spilled, ["1 | fast | 1048576 | 1048576 | 1.00 | 304 (full)", rest]);
}

#[test]
fn the_load_of_those_that_wait_sinks_with_every_placement() {
    let run = run_on("glow", &[(64, 0, 3), (192, 0, 2), (128, 2, 4), (192, 3, 4)]);
    let first = after(&run, 1);
    let loads = ["0 | 256 | 0.80", "2 | 192 | 0.60", "3 | 320 | 1.00 (peak)"];
    assert_eq!(lines(&table(&run, &first, "waiting-load")), loads);
    assert_eq!(lines(&table(&run, &first, "waiting-peak")), ["d | 192 | 3–4 (taken)", "c | 128 | 2–4"]);
    let third = after(&run, 3);
    let loads = ["0 | 64 | 0.33", "2 | 192 | 1.00 (peak)", "3 | 128 | 0.67"];
    assert_eq!(lines(&table(&run, &third, "waiting-load")), loads);
    let ways = lines(&table(&run, &third, "ways"));
    assert_eq!(ways, ["size | 384 | 1.00 (kept)", "time | 384 | 1.00", "order | 384 | 1.00"]);
}

#[test]
fn open_slots_and_the_round_that_pushes_are_shown() {
    let run = run_on("triton-shared", &[(48, 0, 5), (64, 1, 3), (48, 3, 8), (64, 5, 7)]);
    let first = ["0 | 0–3 (new)", "0 | 1–8 (new)", "64 | 1–3 (new)"];
    assert_eq!(lines(&table(&run, &after(&run, 1), "open-slots")), first);
    let end = run.timeline.events.len() as u32;
    assert_eq!(lines(&table(&run, &run.frame(end), "push-rounds")), ["a | 1 | 0 | 64", "c | 1 | 1 | 64→112"]);
    let last = why(&run, &run.frame(end));
    assert_eq!((last.headline.key.as_ref(), last.notes.len()), ("note.rounds-over", 7));
}

/// Every section of every frame is in the list of the run: a tab that came and went would move the
/// others.
#[test]
fn the_parts_of_the_panel_are_the_same_at_every_frame() {
    for name in ["teaching", "two_branches"] {
        let path = format!("{}/www/graphs/{name}.json", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let file = std::fs::read(path).expect("an example");
        let Ok(Document::Graph(graph)) = import::read(&file, import::Answers::default()).map(|read| read.document)
        else {
            panic!("{name} is a graph")
        };
        let problem = Rc::new(lifetimes(&graph, &Scope::default()).expect("sizes are known"));
        let graph = Rc::new(graph);
        for planner in planner::REGISTRY {
            let mut recorder = Recorder::default();
            let input = Input { problem: &problem, graph: Some(&graph) };
            let id = planner.info().id;
            let Ok(plan) = planner.plan(input, &planner.info().defaults(), &mut recorder) else { continue };
            let run = Run::new(problem.clone(), origin(id, 1), plan, recorder.events).with_graph(Some(graph.clone()));
            let listed = filled_sections(&run);
            for level in Level::ALL {
                // Searches have thousands of frames.
                let frames = run.timeline.frames(level);
                for number in (0..frames).step_by((frames as usize / 60).max(1)) {
                    let frame = run.frame(run.timeline.events_at(level, number));
                    for section in sections(&run, &frame) {
                        let known = listed.iter().any(|part| part.id == section.id);
                        assert!(known, "{name}, {id}, {level:?} {number}: {} is not in {listed:?}", section.id);
                    }
                }
            }
        }
    }
}

/// Inductor keeps the size of what is left of a slot, but aligns where that begins.
#[test]
fn a_place_of_a_tree_that_ends_above_the_next_one_is_explained() {
    let text = include_bytes!("../../www/graphs/teaching.json");
    let Ok(Document::Graph(graph)) = import::read(text, import::Answers::default()).map(|read| read.document) else {
        panic!("a graph")
    };
    let problem = Rc::new(lifetimes(&graph, &Scope::default()).expect("sizes are known"));
    let planner = planner::find("inductor-tree").expect("registered");
    let mut recorder = Recorder::default();
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).expect("applicable");
    let origin = origin("inductor-tree", planner.info().align);
    let run = Run::new(problem, origin, plan, recorder.events).with_graph(Some(Rc::new(graph)));
    let is_explained: Vec<bool> = (1..=8).map(|decision| counted(&run, &after(&run, decision)).is_some()).collect();
    // C takes 0–1 000 B. H finds 640–1 040 B beside 1 024 B, D takes those beside B, E finds
    // 1 024–1 676 B below a top of 1 664 B, F finds 960–1 040 B; G goes on top.
    assert_eq!(is_explained, [false, false, false, true, true, true, true, false]);
}

#[test]
fn blocks_of_a_segment_end_where_it_ends() {
    const MIB: u64 = 1 << 20;
    let run = run_on("cuda-caching", &[(6 * MIB, 0, 2), (4 * MIB, 0, 2), (12 * MIB, 1, 3), (MIB, 2, 3)]);
    let sizes = |decision, pool| {
        let found = blocks(&run, &after(&run, decision), PoolId(pool));
        found.iter().map(|block| (block.bytes.map(|bytes| bytes / MIB), block.buffer.is_some())).collect::<Vec<_>>()
    };
    // A segment of 20 MiB, of which 10 are left, and one that is full.
    assert_eq!(sizes(2, 0), [(Some(6), true), (Some(4), true), (Some(10), false)]);
    assert_eq!(sizes(3, 1), [(Some(12), true)]);
    // The reason names the first segment, and leaves what the state panel shows to it.
    let why = why(&run, &after(&run, 1));
    let said = |message: &Message| Speech::default().say(message);
    assert!(said(&why.headline).ends_with("large segment 0."), "{}", said(&why.headline));
    assert!(why.notes.iter().all(|note| !matches!(&*note.key, "note.cache-enter" | "note.cache-look")));
}
