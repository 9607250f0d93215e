use wasmparser::{Parser, Payload, Validator};

use super::*;

/// `run` (1) calls an early function (2), a late one (3), and what stands in the table.
const PROGRAM: &str = r#"(module
    (type $of_one (func (param i32) (result i32)))
    (import "env" "log" (func $log (param i32)))
    (table 4 funcref)
    (memory 1)
    (global $top (mut i32) (i32.const 64))
    (elem (i32.const 1) $early $late_in_table)
    (export "memory" (memory 0))
    (export "run" (func $run))
    (func $run (param i32) (result i32)
        local.get 0 call $early
        call $late
        i32.const 2 call_indirect (type $of_one))
    (func $early (type $of_one) local.get 0 call $log local.get 0 call $shared)
    (func $late (type $of_one) local.get 0 call $shared call $below_late)
    (func $late_in_table (type $of_one) global.get $top)
    (func $below_late (type $of_one) local.get 0 call $log local.get 0)
    (func $shared (type $of_one) local.get 0 i32.load)
    (data (i32.const 0) "abcd"))"#;

fn parts(program: &str, ran: &[u32]) -> Result<Parts, Refusal> {
    split(&wat::parse_str(program).expect("a program"), &ran.iter().copied().collect())
}

/// Modules and names of the imports, names of the exports, number of functions of a valid program.
fn outline(program: &[u8]) -> (Vec<String>, Vec<String>, u32) {
    Validator::new().validate_all(program).expect("a valid program");
    let (mut imports, mut exports, mut functions) = (Vec::new(), Vec::new(), 0);
    for payload in Parser::new(0).parse_all(program) {
        match payload.expect("read") {
            Payload::ImportSection(section) => {
                let all = section.into_imports().map(|import| import.expect("an import"));
                imports = all.map(|import| format!("{}.{}", import.module, import.name)).collect();
            }
            Payload::ExportSection(section) => {
                exports = section.into_iter().map(|export| export.expect("an export").name.to_string()).collect();
            }
            Payload::CodeSectionStart { count, .. } => functions = count,
            _ => {}
        }
    }
    (imports, exports, functions)
}

#[test]
fn functions_that_did_not_run_are_not_there_at_first() {
    let parts = parts(PROGRAM, &[1, 2, 6]).expect("parts");
    let (imports, exports, functions) = outline(&parts.first);
    // The place of a function that was in the table is kept; the other gets a new one.
    assert_eq!(imports, ["env.log", "placeholder.4", "placeholder.2", "state.m", "state.t0", "state.g0"]);
    assert_eq!(exports, ["memory", "run"]);
    assert_eq!(functions, 3, "run, early, shared");
    let (imports, exports, functions) = outline(&parts.whole);
    assert_eq!(imports, ["env.log", "state.m", "state.t0", "state.g0"]);
    assert_eq!(exports, ["memory", "run"]);
    assert_eq!(functions, 6);
}

#[test]
fn the_state_is_no_function() {
    let (imports, exports, functions) = outline(&parts(PROGRAM, &[1]).expect("parts").state);
    assert_eq!((imports.len(), exports, functions), (0, vec!["t0".into(), "m".into(), "g0".into()], 0));
}

#[test]
fn a_program_of_which_all_ran_keeps_all() {
    let parts = parts(PROGRAM, &[1, 2, 3, 4, 5, 6]).expect("parts");
    assert_eq!((outline(&parts.first).2, outline(&parts.whole).2), (6, 6));
}

#[test]
fn an_exported_function_stays_if_it_did_not_run() {
    let parts = parts(PROGRAM, &[]).expect("parts");
    let (imports, _, functions) = outline(&parts.first);
    assert_eq!((imports.len(), functions), (7, 1), "{imports:?}");
}

#[test]
fn a_traced_program_has_one_more_import() {
    let traced = traced(&wat::parse_str(PROGRAM).expect("a program")).expect("traced");
    assert_eq!(outline(&traced), (vec!["env.log".into(), "trace.ran".into()], vec!["memory".into(), "run".into()], 6));
}

#[test]
fn what_cannot_be_moved_is_refused() {
    for (program, what) in [
        ("(module (import \"env\" \"memory\" (memory 1)))", "imports that are no functions"),
        (
            "(module (func $a) (elem declare func $a) (func ref.func $a drop))",
            "elements of other tables than the first",
        ),
        ("(module (table 1 funcref) (func $a return_call $a) (elem (i32.const 0) $a))", "references to functions"),
        ("(module (func))", "no functions in a table"),
        ("(module (func $a) (start $a))", "a function that runs at once"),
        ("(module (tag))", "tags of exceptions"),
        ("(module (memory 1) (data $a \"x\"))", "passive data"),
    ] {
        let refusal = parts(program, &[]).expect_err(program);
        assert!(refusal.to_string().contains(what), "{refusal}");
    }
    assert!(matches!(split(b"no program", &BTreeSet::new()), Err(Refusal::Damaged(_))));
}
