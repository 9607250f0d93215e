//! Programs that students write are judged on instances that nobody has seen: right ones pass, and
//! nothing else does.

use memplan_core::text::Locale;
use memplan_engine::{
    Answer, Engine, Failure, InstanceVerdict, JudgedProgram, NoListener, PictureLook, Request, Taught, TeachTask,
    use_writer,
};
use memplan_formats::import::{self, Answers, Document};
use memplan_own::CLASSICS;
use memplan_teach::choices::WITH_PROGRAM;

const FIRST_FIT: &str = "fn place(buffer, gaps) {\n    for gap in gaps {\n        if gap.size >= buffer.size { return gap.start; }\n    }\n}";

const BEST_FIT: &str = "fn place(buffer, gaps) {
    let best = gaps[-1];
    for gap in gaps {
        if gap.size >= buffer.size && gap.size < best.size { best = gap; }
    }
    best.start
}";

fn link(planner: &str) -> String {
    format!("#exercise=1&seed=7&plan={planner}&kind=write&of=12&bits=1")
}

fn asked(task: TeachTask) -> Result<Taught, Failure> {
    use_writer(memplan_own::answer_packed);
    match Engine::default().answer(&Request::teach(task), &|| 0.0, &mut NoListener)? {
        Answer::Taught(taught) => Ok(taught),
        other => panic!("{other:?}"),
    }
}

fn judge_of(link: &str, name: &str, code: &str) -> JudgedProgram {
    let (locale, look) = (Locale::En, PictureLook::default());
    let task = TeachTask::Judge { link: link.into(), name: name.into(), code: code.into(), locale, look, wanted: None };
    match asked(task).expect("a verdict") {
        Taught::Judged(judged) => judged,
        other => panic!("{other:?}"),
    }
}

fn judge(planner: &str, code: &str) -> JudgedProgram {
    judge_of(&link(planner), "Ann", code)
}

fn why(task: TeachTask) -> String {
    match asked(task) {
        Err(failure) => failure.message().key.into_owned(),
        Ok(other) => panic!("{other:?}"),
    }
}

#[test]
fn the_program_of_every_classic_planner_is_right() {
    for (id, _) in WITH_PROGRAM.iter().filter(|(_, options)| options.is_empty()) {
        let classic = CLASSICS.iter().find(|classic| classic.planner == *id).expect("a program");
        for difficulty in 1..=3 {
            let link = format!("{}&difficulty={difficulty}", link(id));
            let judged = judge_of(&link, "Li Lei", classic.code);
            assert_eq!((judged.right(), judged.failed), (12, None), "{id} {difficulty}");
        }
    }
    assert_eq!(judge("first-fit", FIRST_FIT).right(), 12);
    assert_eq!(judge("best-fit", BEST_FIT).right(), 12);
}

#[test]
fn a_program_with_another_rule_or_a_slip_fails() {
    let slips = [
        ("another rule", FIRST_FIT.to_string()),
        ("not the exact gap", BEST_FIT.replace(">=", ">")),
        ("the last of equal gaps", BEST_FIT.replace("< best.size", "<= best.size")),
        ("the largest gap", BEST_FIT.replace("gaps[-1]", "gaps[0]").replace("gap.size < best", "gap.size > best")),
        ("always on top", "fn place(buffer, gaps) { gaps[-1].start }".into()),
        ("one byte off", BEST_FIT.replace("best.start\n}", "best.start + 1\n}")),
        ("another order", format!("fn order(all) {{ all.sort(|a, b| b.size - a.size); all }}\n{BEST_FIT}")),
        ("aligned", format!("const ALIGN = 65536;\n{BEST_FIT}")),
    ];
    for name in ["Ann", "Bob", "李雷"] {
        for (slip, code) in &slips {
            let judged = judge_of(&link("best-fit"), name, code);
            assert!(judged.right() < 12 && judged.failed.is_some(), "{slip} of {name}: {:?}", judged.verdicts);
        }
    }
}

#[test]
fn the_first_failed_instance_shows_the_first_difference() {
    let judged = judge("best-fit", FIRST_FIT);
    let failed = judged.failed.as_ref().expect("first fit is not best fit");
    assert_eq!((failed.number, failed.why.key.as_ref()), (1, "write.differs"));
    let InstanceVerdict::Differs(at) = judged.verdicts[0] else { panic!("{:?}", judged.verdicts) };
    assert_eq!(failed.frame, at);
    assert!(judged.verdicts.iter().all(|verdict| matches!(verdict, InstanceVerdict::Differs(_))));
    // Every place before the difference is the same, so both pictures have as many buffers.
    assert!(failed.own.starts_with("<svg") && failed.planned.starts_with("<svg") && failed.own != failed.planned);
    assert!(failed.reason.as_ref().is_some_and(|reason| reason.key.starts_with("why.")), "{:?}", failed.reason);
    let read = import::read(&failed.document, Answers::default()).expect("a file");
    assert!(matches!(read.document, Document::Buffers(_)));
    assert!(judged.mistake().is_none());
}

#[test]
fn what_overlaps_is_broken_even_if_its_peak_is_small() {
    for link in [link("best-fit"), link("greedy-by-size") + "&most=1.08"] {
        let judged = judge_of(&link, "Ann", "fn place(buffer, gaps) { 0 }");
        assert_eq!(judged.right(), 0);
        assert!(judged.verdicts.iter().all(|verdict| *verdict == InstanceVerdict::Broken), "{:?}", judged.verdicts);
        assert_eq!(judged.failed.map(|failed| failed.why.key.into_owned()).as_deref(), Some("write.broken"));
    }
}

#[test]
fn a_program_that_stops_ends_the_judging_with_its_line() {
    for (code, line) in [
        ("fn place(buffer, gaps) {\n    loop { }\n}", 2),
        ("fn place(buffer, gaps) {\n    let a = 1;\n}", 0),
        ("fn place(buffer, gaps) {\n    gaps[0].sise\n}", 2),
        ("fn place(buffer, gaps) {\n    -1\n}", 0),
        ("fn plan(problem) { }", 0),
    ] {
        let judged = judge("best-fit", code);
        assert_eq!((judged.right(), judged.verdicts[0]), (0, InstanceVerdict::Stopped), "{code}");
        assert!(judged.verdicts[1..].iter().all(|verdict| *verdict == InstanceVerdict::Left), "{code}");
        let mistake = judged.mistake().expect("a mistake");
        assert!(line == 0 || mistake.line == line, "{code}: {mistake:?}");
        assert!(judged.failed.is_some_and(|failed| failed.own.is_empty() && !failed.document.is_empty()));
    }
    for code in ["", "fn place(buffer, gaps) {", "def place(buffer, gaps):\n    return 0"] {
        let judged = judge("best-fit", code);
        assert_eq!((judged.right(), judged.failed.as_ref().map(|failed| failed.number)), (0, Some(0)), "{code}");
        assert!(judged.mistake().is_some(), "{code}");
    }
}

/// A program that has the places of an instance in a table, and first fit for all others.
fn by_heart(document: &[u8]) -> String {
    let read = import::read(document, Answers::default()).expect("a file");
    let Document::Buffers(problem) = &read.document else { panic!("buffers") };
    let best = memplan_planners::find("best-fit").expect("registered");
    let input = memplan_planners::Input { problem, graph: None };
    let plan = best.plan(input, &best.info().defaults(), &mut memplan_core::trace::Silent).expect("a plan");
    let key = |buffer: &memplan_core::problem::Buffer| {
        format!("{} {} {} {}", buffer.name, buffer.size, buffer.live.start, buffer.live.end)
    };
    let rows = problem.buffers.enumerate().map(|(id, buffer)| {
        let offset = plan.places[id].expect("placed").offset;
        format!("\"{}\": {offset}", key(buffer))
    });
    let table = rows.collect::<Vec<_>>().join(", ");
    let first_fit = FIRST_FIT.replacen(
        "fn place(buffer, gaps) {",
        "fn place(buffer, gaps) {\n    let key = `${buffer.name} ${buffer.size} ${buffer.start} ${buffer.end}`;\n    \
         if key in KNOWN { return KNOWN[key]; }",
        1,
    );
    format!("const KNOWN = #{{ {table} }};\n{first_fit}")
}

#[test]
fn instances_that_were_seen_help_nobody() {
    let Ok(Taught::Made(shown)) = asked(TeachTask::Make { link: link("best-fit"), name: "Ann".into(), round: 0 })
    else {
        panic!("an instance to look at")
    };
    let mut judged = judge("best-fit", &by_heart(&shown));
    assert_eq!(judged.right(), 0, "the instance that is shown is none of the others");
    for _ in 0..4 {
        let failed = judged.failed.take().expect("it fails");
        judged = judge("best-fit", &by_heart(&failed.document));
        assert_eq!(judged.right(), 0, "each text of a program has instances of its own");
    }
}

#[test]
fn the_same_program_of_a_student_gets_the_same_verdict_and_others_other_instances() {
    let first = |name: &str, code: &str| judge_of(&link("best-fit"), name, code).failed.expect("it fails").document;
    assert_eq!(first("Ann", FIRST_FIT), first(" Ann ", FIRST_FIT));
    assert!(first("Ann", FIRST_FIT) != first("Bob", FIRST_FIT));
    assert!(first("Ann", FIRST_FIT) != first("Ann", &format!("{FIRST_FIT} ")));
}

#[test]
fn a_peak_that_is_asked_for_is_reached_by_the_planner_and_missed_by_first_fit() {
    let link = link("greedy-by-size") + "&most=1.08";
    let large_first = format!("fn order(all) {{ all.sort(|a, b| b.size - a.size); all }}\n{BEST_FIT}");
    let judged = judge_of(&link, "Ann", &large_first);
    assert_eq!((judged.right(), judged.failed), (12, None));
    let judged = judge_of(&link, "Ann", FIRST_FIT);
    assert!(judged.verdicts.iter().all(|verdict| *verdict == InstanceVerdict::Large), "{:?}", judged.verdicts);
    let failed = judged.failed.expect("it fails");
    assert_eq!((failed.why.key.as_ref(), failed.reason), ("write.large", None));
}

#[test]
fn a_right_program_gets_its_verdict_whatever_name_and_peak() {
    for most in ["1.00", "1.05", "1.10", "1.40"] {
        for name in ["Ann", "Bob", "Cy"] {
            let judged = judge_of(&format!("{}&most={most}", link("best-fit")), name, BEST_FIT);
            assert_eq!((judged.right(), judged.failed), (12, None), "{most} {name}");
        }
    }
}

#[test]
fn a_link_says_what_is_written() {
    let Ok(Taught::Read(read)) = asked(TeachTask::Read(link("best-fit"))) else { panic!("an exercise") };
    assert_eq!((read.kind.name(), read.of, read.most), ("write", 12, None));
    assert_eq!(read.template, "fn place(buffer, gaps) {\n    \n}\n");
    let with = |more: &str| TeachTask::Read(link("best-fit") + more);
    let Ok(Taught::Read(read)) = asked(with("&most=1.1&template=fn%20place")) else { panic!("an exercise") };
    assert_eq!((read.most, read.template.as_str()), (Some(110), "fn place"));
    assert_eq!(why(with("&most=0.5")), "link.value");
    assert_eq!(why(with(&format!("&template={}", "a".repeat(2_001)))), "link.value");
    assert_eq!(why(with("&ask=bound")), "link.unknown");
    assert_eq!(why(with("&opt=tie:size")), "link.value");
    let other = |from: &str, to: &str| TeachTask::Read(link("best-fit").replace(from, to));
    assert_eq!(why(other("seed=7", "doc=ex:teaching")), "link.value");
    assert_eq!(why(other("plan=best-fit", "plan=tvm-relay")), "write.no-addresses");
    assert_eq!(why(other("kind=write", "kind=predict&most=1.1")), "link.unknown");
    assert_eq!(why(other("kind=write", "kind=predict&template=x")), "link.unknown");
    let predict = link("best-fit").replace("kind=write", "kind=predict");
    let (locale, look, name) = (Locale::En, PictureLook::default(), String::new());
    assert_eq!(
        why(TeachTask::Judge { link: predict, name, code: FIRST_FIT.into(), locale, look, wanted: None }),
        "link.value"
    );
}
