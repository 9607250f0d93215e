//! Work and memory depend on the buffers and bytes of a file, never on its steps, and a small file
//! never takes a large part of the machine. Memory is counted as the allocator is asked for it;
//! what takes steps shows in the same count.

use std::io::Write;
use std::rc::Rc;

use flate2::Compression;
use flate2::write::GzEncoder;
use memplan_core::plan::{at_step, causes, check, figures, metrics};
use memplan_core::problem::{Buffer, Fullest, Live, Memory, MemoryId, Problem, Scope, alive, lower_bound};
use memplan_core::text::Speech;
use memplan_core::trace::Recorder;
use memplan_formats::export;
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::{Info, OptionKind, REGISTRY, applicable, origin, run};
use memplan_replay::{Level, Run, record, why};
use memplan_scene::paint::{Theme, export_svg};

use crate::counting::counted;

/// The most bytes held at a time beyond those before, and all bytes asked for.
fn bytes_of<T>(work: impl FnOnce() -> T) -> (usize, usize, T) {
    let (counted, result) = counted(usize::MAX, work);
    (counted.most, counted.total, result)
}

const MIB: usize = 1 << 20;

/// As many buffers as memories, one of which lives from the first step to the last.
fn spread(count: u32, steps: u32) -> Problem {
    let buffer = |number: u32| Buffer {
        memory: MemoryId(number),
        ..Buffer::of(
            format!("b{number}"),
            64 + u64::from(number),
            if number == 0 { Live::new(0, steps) } else { Live::new(number, number + steps / 2) },
        )
    };
    let memory = |number: u32| Memory { device: format!("d{number}"), mem_id: None };
    Problem {
        name: "spread".into(),
        buffers: (0..count).map(buffer).collect(),
        memories: (0..count).map(memory).collect(),
        steps,
        ..Problem::default()
    }
}

/// Searches are short here.
fn budgets(info: &Info) -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = [("nodes", "200"), ("attempts", "3"), ("states", "30"), ("work", "1")];
    all.into_iter().filter(|(key, _)| {
        info.options.iter().any(|spec| spec.key == *key && matches!(spec.kind, OptionKind::Whole { .. }))
    })
}

/// All that is done with a list of buffers: plan, figures, check, frames, words, pictures, files.
fn go_through(problem: &Problem) {
    let problem = Rc::new(problem.clone());
    let fullest = Fullest::new(&problem);
    let step = fullest.step().expect("something has bytes");
    assert_eq!(alive(&problem, None, step).load, fullest.most);
    for id in problem.buffers.ids().take(3) {
        fullest.falls(&problem, id);
    }
    for planner in REGISTRY {
        let info = planner.info();
        if applicable(info, false).is_err() {
            continue;
        }
        let options = info.options(budgets(info)).expect("declared");
        let mut recorder = Recorder::default();
        let made = match run(*planner, &problem, None, &Scope::default(), &options, &mut recorder) {
            Ok(made) => made,
            Err(refused) => panic!("{}: {refused:?}", info.id),
        };
        let plan = made.plan;
        assert_eq!(check(&problem, &plan), if info.ranked { vec![] } else { check(&problem, &plan) }, "{}", info.id);
        assert!(metrics(&problem, &plan).peak >= lower_bound(&problem), "{}", info.id);
        figures(&problem, None, &plan, info.align);
        causes(&problem, &plan);
        at_step(&problem, &plan, step);
        let run = Run::new(problem.clone(), origin(info.id, info.align), plan.clone(), recorder.events);
        let last = run.timeline.frames(Level::Decisions) - 1;
        for number in [0, last / 2, last] {
            let frame = run.frame(run.timeline.events_at(Level::Decisions, number));
            why(&run, &frame);
            record(&run, Level::Decisions, number, Speech::default());
            let picture = export_svg(&run, &frame, (800.0, 500.0), Theme::Light, Speech::default());
            assert!(picture.len() < 4 * MIB, "{}: {}", info.id, picture.len());
        }
        for text in [
            export::csv(&problem, Some(&plan)),
            export::csv_times(&problem, Some(&plan)),
            export::trace(&problem, Some(&plan)),
            export::trace_by_step(&problem, Some(&plan), None).unwrap_or_default(),
        ] {
            assert!(text.len() < 2 * MIB, "{}", info.id);
        }
    }
}

#[test]
fn fifty_memories_and_sixteen_million_steps_take_no_more_than_fifty_buffers() {
    // Plans of so few steps that a number for each would not show.
    let (_, few, ()) = bytes_of(|| go_through(&spread(50, 110)));
    for steps in [(1 << 24) - 1, u32::MAX - 60] {
        let (most, asked, ()) = bytes_of(|| go_through(&spread(50, steps)));
        assert!(most < 16 * MIB, "{steps} steps: {most} bytes");
        assert!(asked < 2 * few, "{steps} steps: {asked} bytes after {few}");
    }
}

#[test]
fn five_hundred_memories_take_as_many_bytes_whatever_the_steps() {
    let bound_and_figures = |steps: u32| {
        let problem = spread(500, steps);
        let planner = memplan_planners::find("first-fit").expect("registered");
        let options = planner.info().defaults();
        let plan =
            run(planner, &problem, None, &Scope::default(), &options, &mut Recorder::default()).expect("plans").plan;
        figures(&problem, None, &plan, 1);
        causes(&problem, &plan).expect("buffers").load.live.len()
    };
    let (_, few, _) = bytes_of(|| bound_and_figures(1000));
    let (most, asked, live) = bytes_of(|| bound_and_figures(u32::MAX - 600));
    assert_eq!(live, 500);
    assert!(most < 16 * MIB && asked < 2 * few, "{most} at a time, {asked} after {few}");
}

#[test]
fn a_short_table_of_long_lives_is_opened_and_planned_within_a_few_megabytes() {
    let mut table = String::from("id,lower,upper,size,pool\n");
    for number in 0..50 {
        table += &format!("b{number},0,16777215,{},d{number}\n", 64 + number);
    }
    let (most, _, ()) = bytes_of(|| {
        let read = import::read(table.as_bytes(), Answers::default()).expect("a table");
        let Document::Buffers(problem) = read.document else { panic!("buffers") };
        assert_eq!((problem.steps, problem.memories.len()), (16_777_215, 50));
        go_through(&problem);
    });
    assert!(most < 16 * MIB, "{most} bytes");
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

#[test]
fn a_file_takes_at_most_forty_times_its_unpacked_size() {
    let many = |item: &str, bytes: usize| format!("{item},").repeat(bytes / (item.len() + 1)) + item;
    let buffer = r#"{"name":"","size":1}"#;
    for item in
        ["0", "[]", "[0]", "{}", r#"{"":0}"#, "[[[[[[[[[[0]]]]]]]]]]", r#"{"a":{"b":{"c":{}}}}"#, buffer, "\"\""]
    {
        for (head, tail) in [
            ("[", "]"),
            (r#"{"format":"memory-graph/1","tensors":["#, "]}"),
            (r#"{"format":"memory-graph/1","tensors":[{"name":["#, "]}]}"),
            (r#"{"format":"memory-plan/1","pools":[{"size":1}],"buffers":["#, "]}"),
            (r#"{"format":"memory-plan/1","pools":[{"size":1}],"buffers":[],"order":["#, "]}"),
            (r#"{"nodes":["#, r#"],"arg_nodes":[],"heads":[]}"#),
            (r#"{"traceEvents":["#, "]}"),
            (r#"{"graph_module":{"graph":{"nodes":["#, "]}}}"),
        ] {
            let text = format!("{head}{}{tail}", many(item, 500_000));
            let file = packed(&text);
            let (most, ..) = bytes_of(|| _ = import::read(&file, Answers::default()));
            assert!(most <= 40 * text.len(), "{head}{item}…: {} times", most / text.len());
        }
    }
}

#[test]
fn a_hundred_megabytes_of_zeros_is_refused_before_its_values_are_made() {
    let text = format!("{{\"format\":\"memory-graph/1\",\"tensors\":[{}0]}}", "0,".repeat(50 * MIB));
    let (most, _, refused) =
        bytes_of(|| import::read(text.as_bytes(), Answers::default()).expect_err("too many values"));
    assert_eq!(refused[0].message.key, "fault.json-too-large");
    assert!(most < MIB, "{most} bytes");
}
