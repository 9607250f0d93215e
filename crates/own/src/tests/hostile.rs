//! Programs without an end, too deep or too large end with a sentence.

use std::time::Instant;

use super::fault;

#[test]
fn hostile_programs_end_with_a_sentence() {
    let cases = [
        ("fn place(buffer, gaps) {\n  loop { }\n}", "Line 2", "Is there a loop without an end?"),
        ("fn plan(problem) { while true { problem.steps += 1; } }", "Line 1", "Is there a loop without an end?"),
        ("loop { }\nfn place(buffer, gaps) { 0 }", "Line 1", "Is there a loop without an end?"),
        ("fn place(buffer, gaps) { place(buffer, gaps) }", "Line 1", "deep."),
        ("fn place(buffer, gaps) { let a = []; a.pad(1000000000, 0); 0 }", "Line 1", "elements."),
        ("fn place(buffer, gaps) { let a = [1]; loop { a += a; } }", "Line 1", "elements."),
        ("fn place(buffer, gaps) { let t = \"x\"; loop { t += t; } }", "Line 1", "elements."),
        (
            "fn place(buffer, gaps) { let t = \"\"; t.pad(90000, 'x'); let u = t; t.replace(\"x\", u); 0 }",
            "Line 1",
            "elements.",
        ),
        (
            "fn place(buffer, gaps) { let t = \"\"; t.pad(90000, 'x'); let u = t; t.replace('x', u); 0 }",
            "Line 1",
            "elements.",
        ),
        (
            "fn place(buffer, gaps) { let m = #{ }; for i in 0..200000 { m[`k${i}`] = i; } 0 }",
            "Line 1",
            "Stopped after",
        ),
        ("fn plan(problem) { let t = \"\"; t.pad(90000, 'x'); loop { note(t); } }", "Line 1", "bytes in all."),
        ("fn plan(problem) { loop { note(\"again\"); } }", "Line 1", "notes and looks."),
    ];
    for (code, place, sentence) in cases {
        // The language is forty times as slow in a build with checks.
        if cfg!(debug_assertions) && sentence.starts_with(['S', 'I', 'n']) {
            continue;
        }
        let begun = Instant::now();
        let said = fault(code);
        assert!(said.starts_with(place) && said.ends_with(sentence) || said.contains(sentence), "{code}: {said}");
        println!("{:?}: {said}", begun.elapsed());
        assert!(begun.elapsed().as_secs() < 12, "{code}: {:?}", begun.elapsed());
    }
}

#[test]
fn nothing_outside_can_be_reached() {
    for code in [
        "import \"x\" as x;",
        "eval(\"1\");",
        "timestamp();",
        "sleep(1);",
        "open_file(\"x\");",
        "debug(system(\"ls\"));",
    ] {
        let said = fault(&format!("fn place(buffer, gaps) {{ {code} 0 }}"));
        assert!(said.starts_with("Line 1"), "{code}: {said}");
    }
}

/// Measured: prints the times of each classic with 10,000 buffers.
#[test]
#[cfg(not(debug_assertions))]
fn ten_thousand_buffers_take_two_seconds_at_most() {
    use memplan_core::plan::check;
    use memplan_core::problem::sample;
    let problem = sample(10_000, 7);
    // Sorting by a function of the program takes far longer than placing.
    for classic in crate::CLASSICS.iter().filter(|classic| !classic.code.contains("fn order(")) {
        let begun = Instant::now();
        let (plan, _) = super::run(classic.code, &problem);
        let elapsed = begun.elapsed();
        println!("{}: {elapsed:?}", classic.planner);
        assert!(check(&problem, &plan).is_empty(), "{}", classic.planner);
        // Other tests run beside this one.
        assert!(elapsed.as_secs() < 10, "{}: {elapsed:?}", classic.planner);
    }
}

/// Measured: prints the time of a plan whose helper goes through all that is placed, again and
/// again. Copies of arrays for each element made it take minutes.
#[test]
#[cfg(not(debug_assertions))]
fn helpers_may_filter_what_is_placed() {
    use memplan_core::plan::check;
    use memplan_core::problem::sample;
    let code = "fn hits(placed, buffer, offset) {
    let low = buffer.size;
    placed.filter(|p| p.at < offset + low && offset < p.at + p.buffer.size && p.buffer.meets(buffer))
}
fn plan(problem) {
    let placed = [];
    for buffer in problem.buffers {
        let offset = 0;
        let found = hits(placed, buffer, offset);
        while !found.is_empty() {
            offset = found[0].at + found[0].buffer.size;
            found = hits(placed, buffer, offset);
        }
        place(buffer, offset);
        placed.push(#{ buffer: buffer, at: offset });
    }
}";
    for (program, buffers) in [(code.to_string(), 219), (sorting(), 2_000)] {
        let problem = sample(buffers, 7);
        let begun = Instant::now();
        let (plan, _) = super::run(&program, &problem);
        println!("{buffers} buffers: {:?}", begun.elapsed());
        assert!(check(&problem, &plan).is_empty());
        // Other tests run beside this one.
        assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    }
}

/// Places by size, which a function of the program compares.
#[cfg(not(debug_assertions))]
fn sorting() -> String {
    let first = crate::CLASSICS.iter().find(|classic| !classic.code.contains("fn order(")).expect("a classic");
    format!("fn order(buffers) {{ buffers.sort(|a, b| b.size - a.size); buffers }}\n{}", first.code)
}

/// Measured: prints how long a loop without an end goes on before anything is placed.
#[test]
#[cfg(not(debug_assertions))]
fn loops_before_the_first_placement_end_soon() {
    let problem = memplan_core::problem::sample(286, 7);
    let first = "fn place(buffer, gaps) { gaps[-1].start }";
    for code in [
        "fn plan(problem) { while true { } }".to_string(),
        "fn plan(problem) { let n = 0; loop { n += 1; } }".into(),
        "fn plan(problem) { loop { for b in problem.buffers { let s = b.size; } } }".into(),
        format!("fn order(buffers) {{ loop {{ }} }}\n{first}"),
        format!("fn order(buffers) {{ let n = 0; loop {{ n = n + buffers[0].size; }} }}\n{first}"),
    ] {
        let own = crate::Own::of_code(super::ID, super::ID, code.clone()).map_err(super::words).expect("readable");
        let begun = Instant::now();
        let said = super::planned(&own, &problem).map(|(plan, _)| super::offsets(&plan)).expect_err("it never ends");
        let said = super::words(said.message());
        println!("{:?}: {said}", begun.elapsed());
        assert!(said.starts_with("mine.rhai: Line 1: Stopped after"), "{code}: {said}");
        // Other tests run beside this one.
        assert!(begun.elapsed().as_secs() < 12, "{code}: {:?}", begun.elapsed());
    }
}
