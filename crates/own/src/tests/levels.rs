use memplan_core::base::{Arg, Message, align_up};
use memplan_core::plan::check;
use memplan_core::trace::{Event, Note, Outcome, Silent, Verdict};
use memplan_planners::{Input, OptionKind, Planner};

use super::{ID, offsets, problem, run, three};
use crate::Own;

const FIRST_FIT: &str = "fn place(buffer, gaps) {
    for gap in gaps {
        if gap.size >= buffer.size { return gap.start; }
    }
}";

#[test]
fn place_chooses_a_gap_for_one_buffer_after_the_other() {
    let problem = three();
    let (plan, events) = run(FIRST_FIT, &problem);
    assert_eq!(offsets(&plan), [0, 4, 0]);
    assert!(check(&problem, &plan).is_empty());
    let line = plan.texts.iter().position(|text| text.contains("return gap.start")).expect("the line");
    let last = events.iter().rev().find_map(|event| match *event {
        Event::Note { note: Note::CodeLine, subject, a, .. } => Some((subject as usize, a)),
        _ => None,
    });
    assert_eq!(last, Some((line, 3)));
    let c: Vec<Event> =
        events.into_iter().skip_while(|event| !matches!(event, Event::Begin { buffer } if buffer.0 == 2)).collect();
    assert!(matches!(c[1], Event::Release { buffer } if buffer.0 == 0), "{c:?}");
    assert!(matches!(c[2], Event::Block { verdict: Verdict::Chosen, offset: 0, room: 4 }), "{c:?}");
    assert!(matches!(c[3], Event::Block { verdict: Verdict::Fits, offset: 6, room: u64::MAX }), "{c:?}");
    assert!(matches!(c[5], Event::Place { outcome: Outcome::Gap, .. }), "{c:?}");
}

#[test]
fn order_sets_who_comes_first() {
    let code = format!("fn order(buffers) {{ buffers.sort(|a, b| b.size - a.size); buffers }}\n{FIRST_FIT}");
    let (plan, events) = run(&code, &three());
    assert_eq!(offsets(&plan), [0, 4, 0]);
    let begun: Vec<u32> = events
        .iter()
        .filter_map(|event| if let Event::Begin { buffer } = event { Some(buffer.0) } else { None })
        .collect();
    assert_eq!(begun, [0, 2, 1]);
    assert!(!events.iter().any(|event| matches!(event, Event::Release { .. })), "nothing is dead for good");
}

#[test]
fn plan_places_looks_and_notes_itself() {
    let code = "fn plan(problem) {
    let top = 0;
    for buffer in problem.buffers {
        note(`next is ${buffer.name}`);
        look(buffer, 0, \"the bottom\");
        place(buffer, top);
        top += buffer.size;
    }
}";
    let (plan, events) = run(code, &three());
    assert_eq!(offsets(&plan), [0, 4, 6]);
    let text = |subject: u32| plan.texts[subject as usize].as_str();
    let said: Vec<(&str, u64)> = events
        .iter()
        .filter_map(|event| match *event {
            Event::Note { note: Note::OwnNote | Note::CodeLine | Note::OwnReason, subject, a, .. } => {
                Some((text(subject), a))
            }
            _ => None,
        })
        .skip(5)
        .take(5)
        .collect();
    let (note, look) = ("note(`next is ${buffer.name}`);", "look(buffer, 0, \"the bottom\");");
    assert_eq!(said, [(note, 4), ("next is b", 0), (look, 5), ("the bottom", 0), ("place(buffer, top);", 6)]);
    let b: Vec<&Event> =
        events.iter().skip_while(|event| !matches!(event, Event::Begin { buffer } if buffer.0 == 1)).collect();
    assert!(b.iter().any(|event| matches!(event, Event::Block { verdict: Verdict::Overlaps, offset: 0, room: 2 })));
    assert!(b.iter().any(|event| matches!(event, Event::InTheWay { buffer } if buffer.0 == 0)));
}

#[test]
fn gaps_of_a_plan_are_those_between_what_it_placed() {
    let code = "fn plan(problem) {
    for buffer in problem.buffers {
        for gap in gaps(buffer) {
            if gap.size >= buffer.size { place(buffer, gap.start); break; }
        }
    }
}";
    assert_eq!(offsets(&run(code, &three()).0), [0, 4, 0]);
}

#[test]
fn an_overlap_is_shown_and_the_check_names_it() {
    let problem = three();
    let (plan, events) = run("fn place(buffer, gaps) { 1 }", &problem);
    assert_eq!(offsets(&plan), [1, 1, 1]);
    assert_eq!(check(&problem, &plan).len(), 2);
    let outcomes: Vec<Outcome> = events
        .iter()
        .filter_map(|event| if let Event::Place { outcome, .. } = event { Some(*outcome) } else { None })
        .collect();
    assert_eq!(outcomes, [Outcome::NewPool, Outcome::Overlap, Outcome::Overlap]);
}

#[test]
fn options_of_a_program_are_those_of_the_planner() {
    let code = "const OPTIONS = #{ skip: 2, fast: true, name: \"x\" };
fn place(buffer, gaps) {
    if OPTIONS.fast && OPTIONS.name == \"x\" { gaps[-1].start + OPTIONS.skip } else { 0 }
}";
    let own = Own::of_code(ID, ID, code.into()).expect("readable");
    let keys: Vec<(&str, &str)> = own.info().options.iter().map(|spec| (spec.key, spec.default)).collect();
    assert_eq!(keys, [("fast", "true"), ("name", "x"), ("skip", "2"), ("branch_safe", "false")]);
    let problem = three();
    let input = Input { problem: &problem, graph: None };
    let options = own.info().options([("skip", "5")]).expect("an option");
    let plan = own.plan(input, &options, &mut Silent).expect("planned");
    assert_eq!(offsets(&plan), [5, 14, 21]);
    assert!(own.info().options([("skip", "much")]).is_err() && own.info().options([("skp", "1")]).is_err());
}

#[test]
fn an_option_may_state_its_limits() {
    let code = |options: &str| {
        format!(
            "const OPTIONS = #{{ {options} }};\nfn place(buffer, gaps) {{ gaps[-1].start + OPTIONS.k + OPTIONS.way.len() }}"
        )
    };
    let stated = code("k: #{ value: 2, min: 1, max: 3 }, way: #{ value: \"up\", of: [\"up\", \"down\"] }");
    let own = Own::of_code(ID, ID, stated).expect("readable");
    let kinds: Vec<&OptionKind> = own.info().options.iter().map(|spec| &spec.kind).collect();
    assert!(matches!(kinds[0], OptionKind::Whole { min: 1, max: 3 }));
    assert!(matches!(kinds[1], OptionKind::Choice(["up", "down"])));
    let problem = three();
    let input = Input { problem: &problem, graph: None };
    let options = own.info().options([("k", "3"), ("way", "down")]).expect("options");
    let offset = |options| offsets(&own.plan(input, options, &mut Silent).expect("planned"))[0];
    assert_eq!((offset(&own.info().defaults()), offset(&options)), (4, 7));
    assert!(own.info().options([("k", "4")]).is_err() && own.info().options([("way", "in")]).is_err());
    for wrong in
        ["k: #{ value: 9, max: 3 }", "k: #{ min: 1 }", "k: #{ value: \"a\", of: [\"b\"] }", "k: #{ value: 1, most: 2 }"]
    {
        let said = Own::of_code(ID, ID, code(wrong)).err().expect("refused");
        assert_eq!(inner_key(&said), "own-planner.option-limits", "{wrong}");
    }
}

fn inner_key(message: &Message) -> String {
    match message.arg("reason") {
        Some(Arg::Inner(inner)) => inner_key(inner),
        _ => message.key.to_string(),
    }
}

#[test]
fn state_is_kept_from_one_call_to_the_next() {
    let code = "const STATE = #{ next: 7 };
fn place(buffer, gaps) { let at = this.next; this.next += buffer.size; at }";
    assert_eq!(offsets(&run(code, &three()).0), [7, 11, 13]);
}

#[test]
fn gaps_are_aligned_and_padded_as_the_program_asks() {
    let mut problem = problem(&[("a", 5, 0, 2), ("b", 2, 0, 2)]);
    problem.buffers[memplan_core::problem::BufferId(0)].align = 4;
    let code = |constants: &str| format!("{constants}\n{FIRST_FIT}");
    assert_eq!(offsets(&run(&code(""), &problem).0), [0, 5]);
    assert_eq!(offsets(&run(&code("const PADDED = true;"), &problem).0), [0, 8]);
    assert_eq!(offsets(&run(&code("const ALIGN = 16;"), &problem).0), [0, 16]);
    let own = Own::of_code(ID, ID, code("const ALIGN = 16;")).expect("readable");
    assert_eq!(own.info().align, align_up(5, 16));
}

#[test]
fn a_program_reads_the_graph() {
    use memplan_core::problem::five_buffers;
    let code = "fn plan(problem) {
    let top = 0;
    for node in problem.nodes {
        for buffer in node.outputs {
            note(`${node.op} ${node.name} ${buffer.name} ${buffer.readers} ${buffer.kind}`);
            place(buffer, top);
            top += buffer.size;
        }
    }
}";
    let (graph, problem) = (five_buffers::graph(), five_buffers::problem());
    let own = Own::of_code(ID, ID, code.into()).expect("readable");
    let input = Input { problem: &problem, graph: Some(&graph) };
    let plan = own.plan(input, &own.info().defaults(), &mut Silent).expect("planned");
    assert!(plan.texts.contains(&"f make_b b [2, 3] intermediate".to_string()), "{:?}", plan.texts);
}

#[test]
fn the_same_run_is_the_same_twice() {
    for classic in crate::CLASSICS {
        let problem = memplan_core::problem::sample(40, 3);
        assert_eq!(run(classic.code, &problem), run(classic.code, &problem), "{}", classic.planner);
    }
}

#[test]
fn sorting_is_stable_and_ends_whatever_the_function_says() {
    let code = |compare: &str| {
        format!(
            "fn plan(problem) {{
    let numbers = [];
    for number in 0..60 {{ numbers.push((number * 37) % 10 * 100 + number); }}
    numbers.sort(|a, b| {compare});
    note(numbers);
    for buffer in problem.buffers {{ place(buffer, 0); }}
}}"
        )
    };
    let (plan, _) = run(&code("a / 100 - b / 100"), &three());
    let mut expected: Vec<u32> = (0..60).map(|number| number * 37 % 10 * 100 + number).collect();
    expected.sort_by_key(|number| number / 100);
    assert!(plan.texts.contains(&format!("{expected:?}")), "{:?}", plan.texts);
    run(&code("1"), &three());
    run(&code("if a % 3 == 0 { -1 } else { 1 }"), &three());
}

/// The programs of docs/own-planner.md, by the names of their files.
#[test]
fn every_program_of_the_documentation_runs() {
    let page = include_str!("../../../../docs/own-planner.md");
    let blocks: Vec<&str> = page.split("```rhai ").skip(1).collect();
    assert_eq!(blocks.len(), page.matches("```rhai").count());
    let problem = memplan_core::problem::sample(30, 5);
    let mut valid = Vec::new();
    for block in blocks {
        let (name, rest) = block.split_once('\n').expect("a name");
        let (plan, _) = run(rest.split("```").next().expect("a program"), &problem);
        valid.push((name, check(&problem, &plan).is_empty()));
    }
    // The last one overlaps on some networks, as the page states.
    valid.retain(|(name, _)| *name != "stack.rhai");
    let names = ["first_fit.rhai", "language.rhai", "next_fit.rhai", "large_first.rhai"];
    assert_eq!(valid, names.map(|name| (name, true)));
}
