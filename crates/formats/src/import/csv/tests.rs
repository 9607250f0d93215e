use super::*;
use memplan_core::base::Arg;
use memplan_core::graph::Kind;
use memplan_core::plan::{Plan, Violation, check};
use memplan_core::problem::{BufferId, Gap, Live, lower_bound};

fn read(text: &str) -> Parsed {
    read_csv(text, EndRule::Format).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn buffers(text: &str) -> Problem {
    match read(text).document {
        Document::Buffers(problem) => problem,
        other => panic!("{other:?}"),
    }
}

fn faults(text: &str) -> Vec<(String, String)> {
    let faults = read_csv(text, EndRule::Format).expect_err("a faulty file");
    faults.into_iter().map(|fault| (fault.path, fault.message.key.to_string())).collect()
}

fn fault_of(text: &str) -> (String, String) {
    let mut faults = faults(text);
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.remove(0)
}

fn row(path: &str, key: &str) -> (String, String) {
    (path.to_string(), key.to_string())
}

const SAMPLE: &str = "tensor_name,size,offset,start_time,end_time
conv1_weight,102400,0,1,10
layer1_activation,204800,102400,5,15
pool1_output,102400,102400,16,25
conv2_weight,204800,0,11,30
layer2_activation,409600,204800,20,35
output,102400,614400,36,40
";

#[test]
fn a_printed_plan_with_collisions_is_read_as_it_stands() {
    let read = read(SAMPLE);
    let Document::Plan(problem, plan) = read.document else { panic!("every row has an offset") };
    assert_eq!(problem.buffers[BufferId(0)].live, Live::new(1, 11));
    assert_eq!((problem.steps, plan.peak(&problem), lower_bound(&problem)), (41, 716_800, 716_800));
    let overlap = |a, b, steps, bytes| Violation::Overlap { a: BufferId(a), b: BufferId(b), steps, bytes };
    let expected = [overlap(1, 3, (11, 16), (102_400, 204_800)), overlap(2, 3, (16, 26), (102_400, 204_800))];
    assert_eq!(check(&problem, &plan), expected);
    let warnings: Vec<_> =
        read.warnings.iter().map(|warning| (&*warning.message.key, warning.message.arg("n"))).collect();
    assert_eq!(warnings, [("warning.plan-invalid", Some(&Arg::Count(2)))]);
    assert_eq!(read.facts[0].key, "fact.csv-end-inclusive", "both readings collide, so the usual one stays");
    let exclusive = read_csv(SAMPLE, EndRule::Exclusive).expect("it reads");
    let Document::Plan(problem, plan) = exclusive.document else { panic!("a plan") };
    let expected = [overlap(1, 3, (11, 15), (102_400, 204_800)), overlap(2, 3, (16, 25), (102_400, 204_800))];
    assert_eq!(check(&problem, &plan), expected);
}

#[test]
fn an_end_time_that_only_works_exclusively_is_read_so() {
    let text = "name,bytes,address,start_time,end_time\na,4,0,0,2\nb,4,0,2,4\n";
    let read_ = read(text);
    let Document::Plan(problem, plan) = read_.document else { panic!("a plan") };
    assert_eq!(check(&problem, &plan), []);
    assert_eq!(problem.steps, 4);
    assert_eq!(read_.warnings[0].message.key, "warning.csv-end-exclusive");
    let Document::Plan(problem, plan) = read(&text.replace("_time", "")).document else { panic!("a plan") };
    assert_eq!(check(&problem, &plan).len(), 1, "`end` is inclusive by its name");
    let asked = read_csv(&text.replace("_time", ""), EndRule::Exclusive).unwrap();
    assert_eq!((asked.document, asked.warnings), (Document::Plan(problem_of(text), plan_of(text)), vec![]));
}

fn problem_of(text: &str) -> Problem {
    match read(text).document {
        Document::Graph(_) | Document::Planned(..) => panic!("no graph"),
        Document::Buffers(problem) | Document::Plan(problem, _) => problem,
    }
}

fn plan_of(text: &str) -> Plan {
    match read(text).document {
        Document::Plan(_, plan) => plan,
        other => panic!("{other:?}"),
    }
}

#[test]
fn columns_are_found_by_name_in_any_spelling() {
    let problem = buffers("\u{feff}Size;ID;Upper;LOWER\r\n8;a;3;1\r\n\r\n16; b ;4;2\r\n;;;\r\n");
    let lives: Vec<(&str, u64, Live)> =
        problem.buffers.iter().map(|buffer| (buffer.name.as_str(), buffer.size, buffer.live)).collect();
    assert_eq!(lives, [("a", 8, Live::new(1, 3)), ("b", 16, Live::new(2, 4))]);
    assert_eq!(problem.steps, 4);
    assert_eq!(buffers("id\tlower\tend\tsize\na\t1\t3\t8").buffers[BufferId(0)].live, Live::new(1, 4));
    let quoted = "\"id\",\"lower\",\"upper\",\"size\"\n\"a, b\",0,1,8";
    assert!(looks_like_csv(quoted));
    assert_eq!(buffers(quoted).buffers[BufferId(0)].name, "a, b");
}

#[test]
fn optional_columns_are_kept() {
    let text = "id,lower,upper,size,alignment,hint,pool,kind,offset,note\n\
                a,0,2,8,16,3,gpu,Input,64,x\nb,0,2,8,,-1,1,,-1,y\nc,1,2,8,,,gpu/2,output,,\n";
    let read = read(text);
    let Document::Buffers(problem) = read.document else { panic!("rows without offsets") };
    let [a, b, c] = problem.buffers.as_slice() else { panic!("three buffers") };
    assert_eq!((a.align, a.kind, a.fixed), (16, Kind::Input, Some(64)));
    assert_eq!((b.align, b.kind, b.fixed), (1, Kind::Intermediate, None));
    assert_eq!((c.kind, c.fixed), (Kind::Output, None));
    let memories: Vec<(&str, Option<u32>)> =
        problem.memories.iter().map(|memory| (memory.device.as_str(), memory.mem_id)).collect();
    assert_eq!(memories, [("gpu", None), ("cpu", Some(1)), ("gpu", Some(2))]);
    let keys: Vec<&str> = read.warnings.iter().map(|warning| warning.message.key.as_ref()).collect();
    assert_eq!(keys, ["warning.csv-column", "warning.csv-some-offsets"]);
}

#[test]
fn pools_of_a_plan_follow_the_pool_column() {
    let text = "id,lower,upper,size,offset,pool\na,0,2,8,0,fast\nb,0,2,4,0,slow\nc,1,2,8,8,fast\n";
    let plan = plan_of(text);
    let pools: Vec<(&str, u64)> = plan.pools.iter().map(|pool| (pool.name.as_str(), pool.size)).collect();
    assert_eq!(pools, [("fast", 16), ("slow", 4)]);
    assert_eq!(check(&problem_of(text), &plan), []);
    assert_eq!(problem_of(text).buffers[BufferId(2)].fixed, Some(8));
}

#[test]
fn gaps_are_read_and_checked() {
    let text = "id,lower,upper,size,gaps\na,0,9,8,1-3 4-5@0:4\nb,0,2,8,\n";
    let read_ = read(text);
    assert_eq!(read_.warnings.len(), 1);
    let message = &read_.warnings[0].message;
    assert_eq!((message.key.as_ref(), message.arg("buffers")), ("warning.gaps-whole-range", Some(&Arg::Count(1))));
    assert_eq!(problem_of(text).buffers[BufferId(0)].live, Live::new(0, 9));
    let gap = |start, end, window| Gap { live: Live::new(start, end), window };
    let gaps = |text: &str| problem_of(text).buffers[BufferId(0)].gaps.clone();
    assert_eq!(gaps(text), [gap(1, 3, None), gap(4, 5, Some((0, 4)))]);
    // An inclusive life has inclusive gaps: 3-3 is one step, 0-8 the whole life.
    assert_eq!(gaps("id,lower,end,size,gaps\na,0,8,8,3-3 0-8\n"), [gap(3, 4, None), gap(0, 9, None)]);
    for wrong in ["3", "3-", "a-b", "1-2@4", "1-2@4:x"] {
        assert_eq!(fault_of(&format!("id,lower,upper,size,gaps\na,0,9,8,{wrong}\n")), row("row 2", "fault.csv-gap"));
    }
    for outside in ["3-3", "5-4", "8-10", "1-2@5:4", "1-2@0:9"] {
        let text = format!("id,lower,upper,size,gaps\na,0,9,8,{outside}\n");
        assert_eq!(fault_of(&text), row("row 2", "fault.csv-gap-outside"));
    }
}

#[test]
fn every_fault_is_reported_with_its_row() {
    let text = "id,lower,upper,size,alignment,kind\n\
                a,0,2,12k,1,\n\
                a,0,2,-4,1,\n\
                b,0,2,8,3,\n\
                \n\
                c,5,5,8,1,\n\
                d,0,2,8\n\
                e,0,4294967296,8,1,\n\
                f,0,1,99999999999999999999,1,\n\
                ,0,1,8,1,\n\
                g,0,1,,1,\n\
                h,0,1,8,1,scratch\n\
                i,0,16777217,8,0,\n";
    let expected = [
        ("row 2", "fault.csv-number"),
        ("row 3", "fault.csv-duplicate"),
        ("row 3", "fault.csv-negative"),
        ("row 4", "fault.alignment"),
        ("row 6", "fault.csv-life"),
        ("row 7", "fault.csv-fields"),
        ("row 8", "fault.csv-steps"),
        ("row 9", "fault.csv-too-large"),
        ("row 10", "fault.csv-empty-name"),
        ("row 11", "fault.csv-number"),
        ("row 12", "fault.kind"),
        ("row 13", "fault.csv-steps"),
        ("row 13", "fault.alignment"),
    ];
    assert_eq!(faults(text), expected.map(|(path, key)| row(path, key)));
    // As many steps as other formats have, so that their plans can be written.
    assert_eq!(buffers("id,lower,upper,size\na,16777215,16777216,8\n").steps, 1 << 24);
}

#[test]
fn other_rows_can_name_a_row_with_faults() {
    let text = "id,lower,upper,size,shares,quirks\n\
                a,0,x,8,,\n\
                a,0,2,8,b,same_contents:d\n\
                b,2,2,8,a,same_contents:c\n\
                d,0,2,8,,\n";
    let expected = [
        ("row 2", "fault.csv-number"),
        ("row 3", "fault.csv-duplicate"),
        ("row 4", "fault.plan-unknown-buffer"),
        ("row 4", "fault.csv-life"),
    ];
    assert_eq!(faults(text), expected.map(|(path, key)| row(path, key)));
}

#[test]
fn faults_of_lives_are_reported_until_those_of_cells_are_enough() {
    let lives = |rows: usize| (0..rows).map(|number| format!("l{number},1,1,8\n")).collect::<String>();
    let cells = |rows: usize| (0..rows).map(|number| format!("c{number},1,x,8\n")).collect::<String>();
    let count = |rows: String| {
        let faults = faults(&format!("id,lower,upper,size\n{rows}"));
        let of = |wanted: &str| faults.iter().filter(|(_, key)| key == wanted).count();
        (of("fault.csv-life"), of("fault.csv-number"), of("fault.more"))
    };
    assert_eq!(count(lives(2) + &cells(3)), (2, 3, 0));
    assert_eq!(count(lives(3000)), (499, 0, 1));
    assert_eq!(count(lives(3000) + &cells(MOST_FAULTS - 10)), (10, 489, 1));
    assert_eq!(count(lives(3000) + &cells(MOST_FAULTS)), (0, 499, 1));
}

#[test]
fn rows_are_counted_as_editors_do() {
    for line_end in ["\n", "\r\n"] {
        let lines = ["", "id,lower,upper,size", "\"a\nb\",0,1,8", "", "", "b,0,1,x", "c,0,1,x"];
        let rows: Vec<String> = faults(&lines.join(line_end)).into_iter().map(|(path, _)| path).collect();
        assert_eq!(rows, ["row 7", "row 8"]);
    }
}

#[test]
fn an_inclusive_life_may_last_one_step_but_not_less() {
    assert_eq!(buffers("id,start,end,size\na,5,5,8").buffers[BufferId(0)].live, Live::new(5, 6));
    assert_eq!(fault_of("id,start,end,size\na,5,4,8"), row("row 2", "fault.csv-life-inclusive"));
}

#[test]
fn a_header_must_name_each_column_once() {
    let missing = read_csv("name,begin,end\na,0,1\n", EndRule::Format).expect_err("no size");
    assert_eq!(missing[0].path, "row 1");
    assert_eq!(missing[0].message.key, "fault.csv-missing-column");
    assert_eq!(missing[0].message.arg("column"), Some(&Arg::Text("size".into())));
    assert_eq!(missing[0].message.arg("found"), Some(&Arg::Text("name, begin, end".into())));
    assert_eq!(fault_of("id,lower,upper,size,start\na,0,1,2,3"), row("row 1", "fault.csv-same-column"));
    assert_eq!(fault_of("id,lower,upper,end,size\na,0,1,2,3"), row("row 1", "fault.csv-same-column"));
    assert_eq!(faults("id,hint,hint\n").len(), 3, "what is ignored may repeat");
}

#[test]
fn sums_stay_exact() {
    let half = MAX_SAFE / 2;
    let text = format!("id,lower,upper,size\na,0,1,{half}\nb,0,1,{half}\nc,0,1,8\n");
    assert_eq!(fault_of(&text), row("", "fault.sum-too-large"));
    let text = format!("id,lower,upper,size,offset\na,0,1,8,{MAX_SAFE}\n");
    assert_eq!(fault_of(&text), row("", "fault.sum-too-large"));
}

#[test]
fn other_text_is_not_taken_for_a_csv() {
    assert!(looks_like_csv("id,lower,upper,size\n"));
    assert!(looks_like_csv("size;name"));
    assert!(!looks_like_csv("size"));
    assert!(!looks_like_csv("hello, world"));
    assert!(!looks_like_csv(""));
    assert_eq!(fault_of(""), row("", "fault.empty-file"));
}

#[test]
fn a_header_alone_is_no_buffers() {
    let read = read("id,lower,upper,size,offset\n");
    assert_eq!(read.warnings[0].message.key, "warning.csv-no-rows");
    assert!(matches!(read.document, Document::Buffers(problem) if problem.steps == 1));
}

#[test]
fn negative_offsets_other_than_minus_one_are_told() {
    let remarks = |offsets: [&str; 3]| {
        let rows: String = offsets.iter().enumerate().map(|(at, offset)| format!("b{at},0,3,8,{offset}\n")).collect();
        let read = read(&format!("id,lower,upper,size,offset\n{rows}"));
        let warnings = read.warnings.into_iter().map(|fault| fault.message);
        warnings.filter(|message| message.key == "warning.csv-negative-offset").collect::<Vec<_>>()
    };
    assert_eq!(remarks(["-1", "", "0"]), []);
    let found = remarks(["-4", "-1", "-9"]);
    assert_eq!((found[0].arg("n"), found[0].arg("found")), (Some(&Arg::Count(2)), Some(&Arg::Text("-4".into()))));
}
