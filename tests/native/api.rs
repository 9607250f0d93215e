//! The programming interface without a browser: what JavaScript is given, and what it is refused.

use std::collections::BTreeMap;

use memplan_core::text::{Locale, Speech};
use memplan_engine::api::{self, ApiError, CallSettings, Code, ExerciseRecord, ExerciseSettings, PictureSettings};
use memplan_formats::export;
use memplan_formats::import::{self, Document};
use memplan_planners::INFOS;
use memplan_replay::{Level, Run, record};
use serde_json::{Value, json};

fn read(bytes: &[u8]) -> Document {
    import::read(bytes, Default::default()).expect("it can be read").document
}

fn teaching() -> Document {
    read(include_bytes!("../../www/graphs/teaching.json"))
}

fn buffers() -> Document {
    import::read(b"id,lower,upper,size\na,0,2,8\nb,1,3,8\n", Default::default()).expect("a buffer list").document
}

fn options(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

fn settings(value: Value) -> CallSettings {
    CallSettings::read(&value).unwrap_or_else(|refusal| panic!("{refusal:?}"))
}

fn run(id: &str) -> Run {
    api::replay(&teaching(), id, &options(&[]), &Default::default()).expect("it applies").0
}

#[test]
fn a_plan_is_the_one_of_the_run_and_reads_back() {
    for id in ["inductor-tree", "first-fit", "nnvm", "reorder"] {
        let ran = api::plan(&teaching(), id, &options(&[]), &Default::default()).expect("it applies");
        let run = run(id);
        assert_eq!(ran.file(), api::plan_file(&run.problem, &run.plan, id, ran.options.clone()), "{id}");
        let text = serde_json::to_vec(&ran.file()).expect("plain data");
        let read = import::read(&text, Default::default()).expect("it reads back").document;
        assert_eq!(api::verify(&read, Locale::En), Ok(vec![]), "{id}");
        let own = api::plan(&read, "imported", &options(&[]), &Default::default()).expect("it has a plan");
        assert_eq!(own.file().buffers, ran.file().buffers, "{id}");
        let (again, _) = api::replay(&read, "imported", &options(&[]), &Default::default()).expect("it has a plan");
        assert_eq!(again.timeline.frames(Level::Decisions) as usize, ran.file().buffers.len() + 1, "{id}");
    }
}

#[test]
fn settings_say_what_is_planned() {
    // An input of 2 × 3 floats, an output of 4 and one buffer of 8 between them.
    let graph = read(br#"{"format":"memory-graph/1","name":"g","tensors":[
        {"name":"x","dtype":"float32","shape":[2,3],"kind":"input"},
        {"name":"h","dtype":"float32","shape":[8],"kind":"intermediate"},
        {"name":"y","dtype":"float32","shape":[4],"kind":"output"}],
        "nodes":[{"name":"n","op":"f","inputs":["x"],"outputs":["h"]},{"name":"m","op":"f","inputs":["h"],"outputs":["y"]}]}"#);
    let peak = |value: Value| -> u64 {
        let ran = api::plan(&graph, "naive", &options(&[]), &settings(value).scope).expect("it applies");
        ran.plan.pools.iter().map(|pool| pool.size).sum()
    };
    let (all, inner) = (peak(json!(null)), peak(json!({ "inputs": false, "outputs": false, "align": null })));
    assert_eq!((all, inner), (24 + 32 + 16, 32));
    assert!(peak(json!({ "align": 4096 })) > all);
    let read = settings(json!({
        "views": "copy", "symbols": { "s0": 8 }, "exclusiveEnd": true, "parameters": "weights", "model": "m",
        "shapes": { "t": "4 B" }, "lang": "zh", "weights": true,
    }));
    assert_eq!(read.scope.symbols, BTreeMap::from([("s0".to_string(), 8)]));
    assert!(read.scope.weights && read.locale == Locale::Zh && read.choices.model == "m");
    assert_eq!(read.choices.shapes, options(&[("t", "4 B")]));
    let picture = PictureSettings::read(&json!({ "width": 64, "theme": "dark", "level": "all", "lang": "zh" }));
    let picture = picture.expect("all of it is taken");
    assert_eq!((picture.size, picture.level, picture.locale), ((64.0, 640.0), Level::All, Some(Locale::Zh)));
}

#[test]
fn options_are_texts_numbers_and_booleans() {
    let given =
        json!({ "k": 4.0, "tie": "size", "branch_safe": true, "seed": 9_007_199_254_740_991_u64, "gone": null });
    let read = api::option_values(&given).expect("all are taken");
    let expected = [("k", "4"), ("tie", "size"), ("branch_safe", "true"), ("seed", "9007199254740991")];
    assert_eq!(read, options(&expected));
    assert_eq!(api::option_values(&json!({ "k": 1.5 })), Ok(options(&[("k", "1.5")])));
}

/// The refusal of a plan of the teaching example.
fn refused(document: &Document, id: &str, given: &[(&str, &str)], scope: Value) -> ApiError {
    let planned = CallSettings::read(&scope).and_then(|read| api::plan(document, id, &options(given), &read.scope));
    planned.err().unwrap_or_else(|| panic!("{id} {given:?} {scope} is taken"))
}

#[test]
fn every_mistake_has_a_code_a_place_and_words() {
    let run = run("first-fit");
    let at = |k: f64| api::frame_number(&run, Level::Decisions, k).expect_err("there is none");
    let graph = teaching();
    let list = buffers();
    let symbols = json!({ "symbols": { "s9": 1 } });
    let cases = [
        (refused(&graph, "magic", &[], json!(null)), "planner", ""),
        (refused(&graph, "", &[], json!(null)), "planner", ""),
        (refused(&graph, "first-fit", &[("speed", "1")], json!(null)), "option", "options.speed"),
        (refused(&graph, "first-fit", &[("tie", "x")], json!(null)), "option", "options.tie"),
        (refused(&list, "nnvm", &[], json!(null)), "not-applicable", ""),
        (refused(&graph, "first-fit", &[], json!({ "alignment": 1 })), "scope", "settings.alignment"),
        (refused(&graph, "first-fit", &[], json!({ "my key": 1 })), "scope", "settings[\"my key\"]"),
        (refused(&graph, "first-fit", &[], json!({ "align": 3 })), "scope", "settings.align"),
        (refused(&graph, "first-fit", &[], json!({ "inputs": 1 })), "scope", "settings.inputs"),
        (refused(&graph, "first-fit", &[], json!({ "views": "both" })), "scope", "settings.views"),
        (refused(&graph, "first-fit", &[], json!({ "model": 1 })), "scope", "settings.model"),
        (refused(&graph, "first-fit", &[], json!({ "shapes": { "t": 4 } })), "scope", "settings.shapes.t"),
        (refused(&graph, "first-fit", &[], json!({ "symbols": { "s0": -1 } })), "scope", "settings.symbols.s0"),
        (refused(&graph, "first-fit", &[], json!([])), "scope", "settings"),
        (refused(&graph, "first-fit", &[], symbols.clone()), "scope", "settings.symbols"),
        (refused(&list, "first-fit", &[], symbols), "scope", "settings.symbols"),
        (refused(&graph, "imported", &[], json!(null)), "no-plan", ""),
        (refused(&graph, "imported", &[("tie", "x")], json!(null)), "option", "options.tie"),
        (api::verify(&graph, Locale::En).expect_err("no plan"), "no-plan", ""),
        (api::option_values(&json!({ "tie": [1] })).expect_err("a list"), "option", "options.tie"),
        (api::option_values(&json!(7)).expect_err("a number"), "option", "options"),
        (api::level(&json!("some")).expect_err("no level"), "frame", "level"),
        (PictureSettings::read(&json!({ "width": 1e9 })).expect_err("too wide"), "frame", "picture.width"),
        (PictureSettings::read(&json!({ "depth": 1 })).expect_err("no such key"), "frame", "picture.depth"),
        (at(9.0), "frame", "k"),
        (at(-1.0), "frame", "k"),
        (at(0.5), "frame", "k"),
        (at(f64::NAN), "frame", "k"),
        (api::compare(&graph, &json!("naive"), &CallSettings::default()).expect_err("no list"), "argument", "planners"),
        (api::compare(&graph, &json!([1]), &CallSettings::default()).expect_err("a number"), "argument", "planners[0]"),
        (
            api::compare(&graph, &json!([{ "planner": "naive", "opts": 1 }]), &CallSettings::default())
                .expect_err("opts"),
            "argument",
            "planners[0].opts",
        ),
    ];
    for (refusal, code, path) in cases {
        let (en, zh) = (refusal.record(Locale::En), refusal.record(Locale::Zh));
        assert_eq!((en.code, en.path.as_str()), (code, path), "{en:?}");
        assert!(en.message != zh.message && en.message.is_ascii(), "{en:?} {zh:?}");
        for record in [&en.message, &zh.message] {
            assert!(!record.contains('{') && !record.contains("api.") && !record.contains("fault."), "{record}");
        }
    }
}

#[test]
fn a_broken_graph_is_refused_with_every_fault() {
    let broken = br#"{"format":"memory-graph/1","name":"x","tensors":[
        {"name":"a","dtype":"float33","shape":[1],"kind":"input"},
        {"name":"b","dtype":"int8","shape":[-1],"kind":"input"}],"nodes":[]}"#;
    let refusal = ApiError::faults(import::read(broken, Default::default()).expect_err("two faults"));
    let record = refusal.record(Locale::En);
    assert_eq!((refusal.code, record.path.as_str()), (Code::Fault, "tensors[0].dtype"));
    assert!(record.message.starts_with("tensors[0].dtype: "), "{}", record.message);
    let places: Vec<&str> = record.faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(places, ["tensors[0].dtype", "tensors[1].shape[0]"]);
}

#[test]
fn rows_of_a_comparison_are_the_plans_asked_for() {
    let asked = json!(["naive", { "planner": "first-fit", "options": { "tie": "size" } },
        { "planner": "first-fit", "options": { "speed": 1 } }, "magic", "imported"]);
    let rows = api::compare(&teaching(), &asked, &CallSettings::default()).expect("a list of planners");
    let peak = |index: usize| rows[index].metrics.as_ref().map(|metrics| metrics.peak);
    assert_eq!(peak(0), Some(3580));
    let own = api::plan(&teaching(), "first-fit", &options(&[("tie", "size")]), &Default::default()).expect("applies");
    assert_eq!((peak(1), &rows[1].options), (Some(own.file().metrics.peak), &own.options));
    assert!(rows[0].valid && rows[1].valid && rows[2..].iter().all(|row| !row.valid && row.metrics.is_none()));
    let error = |index: usize| rows[index].error.as_ref().map(|record| (record.code, record.path.as_str()));
    assert_eq!(error(1), None);
    assert_eq!(error(2), Some(("option", "planners[2].options.speed")));
    assert_eq!(error(3), Some(("planner", "planners[3]")));
    assert_eq!(error(4), Some(("no-plan", "planners[4]")));
    let all = api::compare(&buffers(), &Value::Null, &CallSettings::default()).expect("all that apply");
    assert!(all.len() > 10 && all.len() < INFOS.len(), "some need a graph");
    assert!(all.iter().all(|row| row.error.is_none() && row.valid), "{all:?}");
}

#[test]
fn violations_name_their_buffers() {
    let csv = b"id,lower,upper,size,offset\na,0,2,8,0\nb,1,3,8,4\n";
    let document = import::read(csv, Default::default()).expect("a plan").document;
    let found = api::verify(&document, Locale::En).expect("a plan");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].quirk), ("overlap", false));
    assert_eq!(found[0].buffers, ["a", "b"]);
    let zh = api::verify(&document, Locale::Zh).expect("a plan");
    assert_ne!(zh[0].message, found[0].message);
}

/// Fields of an interface in the types for callers.
fn declared(interface: &str) -> Vec<&'static str> {
    let types = include_str!("../../www/memplan.d.ts");
    let start = format!("export interface {interface} {{\n");
    let body = types.split_once(start.as_str()).unwrap_or_else(|| panic!("no interface {interface}")).1;
    let body = body.split_once("\n}\n").expect("it ends").0;
    let field = |line: &'static str| {
        let line = line.strip_prefix("  ").filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))?;
        Some(line.split([':', '?']).next().unwrap_or_default())
    };
    body.lines().filter_map(field).collect()
}

#[test]
fn the_types_for_callers_have_the_fields_that_they_get() {
    let ran = api::plan(&teaching(), "reorder", &options(&[]), &Default::default()).expect("it applies");
    let run = run("inductor-tree");
    let last = run.timeline.frames(Level::Decisions) - 1;
    let frame = record(&run, Level::Decisions, last, Speech::default());
    let frame: Value = serde_json::from_str(&export::frame::frame(&frame)).expect("JSON");
    let plan = serde_json::to_value(ran.file()).expect("plain data");
    let sheet = api::sheet(INFOS[0]);
    let rows = api::compare(&teaching(), &json!(["magic"]), &CallSettings::default()).expect("a list");
    let csv = b"id,lower,upper,size,offset\na,0,2,8,0\nb,1,3,8,4\n";
    let clash = import::read(csv, Default::default()).expect("a plan").document;
    let found = serde_json::to_value(api::verify(&clash, Locale::En).expect("a plan")).expect("plain data");
    // Fields that only some plans have.
    let optional =
        ["order", "quirks", "align", "kind", "shares", "gaps", "proved_bound", "optimal", "held", "returned"];
    let csv = b"id,lower,upper,size,gaps\na,0,9,8,2-5\nb,2,5,8,\n";
    let gapped = import::read(csv, Default::default()).expect("a list").document;
    let searched = api::plan(&gapped, "exact", &options(&[]), &Default::default()).expect("it applies");
    let searched = serde_json::to_value(searched.file()).expect("plain data");
    let reused = api::plan(&teaching(), "inductor-reuse", &options(&[]), &Default::default()).expect("it applies");
    let reused = serde_json::to_value(reused.file()).expect("plain data");
    for (interface, value) in [
        ("Plan", &plan),
        ("Plan", &reused),
        ("Metrics", &reused["metrics"]),
        ("PlannedBuffer", &plan["buffers"][0]),
        ("PlannedBuffer", &searched["buffers"][0]),
        ("Metrics", &plan["metrics"]),
        ("Metrics", &searched["metrics"]),
        ("Frame", &frame),
        ("Candidate", &frame["candidates"][0]),
        ("TreeNode", &frame["tree"][0]),
        ("PlannerSheet", &sheet),
        ("OptionSheet", &sheet["options"][0]),
        ("ComparisonRow", &serde_json::to_value(&rows[0]).expect("plain data")),
        ("Violation", &found[0]),
    ] {
        let mut declared = declared(interface);
        let given = value.as_object().unwrap_or_else(|| panic!("{interface}: {value}"));
        declared.retain(|field| given.contains_key(*field) || !optional.contains(field));
        declared.sort_unstable();
        let mut given: Vec<&str> = given.keys().map(String::as_str).collect();
        given.sort_unstable();
        assert_eq!(declared, given, "{interface}");
    }
    assert_eq!(searched["buffers"][0]["gaps"], json!([[2, 5]]));
    assert_eq!((&searched["metrics"]["proved_bound"], &searched["metrics"]["optimal"]), (&json!(8), &json!(true)));
}

#[test]
fn an_instance_to_practise_on_is_the_one_of_the_command_line() {
    let wanted = |value: Value| ExerciseSettings::read(&value);
    let first = wanted(json!({ "kind": "pack", "planner": "first-fit", "seed": 7.0, "difficulty": 1, "lang": null }));
    let made = first.and_then(|wanted| api::exercise(&wanted)).expect("there is one");
    let record = serde_json::to_value(ExerciseRecord::new(&made, true, Locale::Zh)).expect("plain data");
    assert_eq!((&record["kind"], &record["seed"], &record["difficulty"]), (&json!("pack"), &json!(7), &json!(1)));
    assert_eq!(record["document"]["tensors"].as_array().map(Vec::len), Some(made.problem.buffers.len()));
    assert!(record["questions"][0]["answer"].as_str().is_some_and(|words| !words.is_ascii()));
    assert_eq!(record["facts"]["places"].as_array().map(Vec::len), Some(made.problem.buffers.len()));
    // The document plans as the facts say.
    let document = read(record["document"].to_string().as_bytes());
    let planned = api::plan(&document, "first-fit", &options(&[]), &Default::default()).expect("it applies");
    assert_eq!(json!(planned.plan.peak(&planned.problem)), record["facts"]["first_fit"]);

    // Figures have their values beside them.
    let number = wanted(json!({ "kind": "number", "planner": "first-fit", "seed": 7 }));
    let number = number.and_then(|wanted| api::exercise(&wanted)).expect("there is one");
    let record = serde_json::to_value(ExerciseRecord::new(&number, true, Locale::En)).expect("plain data");
    let planned =
        api::plan(&read(record["document"].to_string().as_bytes()), "first-fit", &options(&[]), &Default::default());
    let planned = planned.expect("it applies");
    let value = |figure: &str| {
        let figures = record["facts"]["figures"].as_array().expect("figures");
        figures.iter().find(|known| known["figure"] == figure).map(|known| known["value"].clone()).expect("asked")
    };
    assert_eq!(value("peak"), json!(planned.plan.peak(&planned.problem)));
    assert_eq!(value("bound"), json!(memplan_core::problem::lower_bound(&planned.problem)));
    assert_eq!(record["questions"].as_array().map(Vec::len), Some(5));

    let refused = |value: Value| {
        let refusal = wanted(value.clone()).and_then(|wanted| api::exercise(&wanted)).expect_err(&value.to_string());
        (
            refusal.code.name(),
            refusal.path.clone(),
            refusal.record(Locale::Zh).message != refusal.record(Locale::En).message,
        )
    };
    let of = |key: &str, value: Value| {
        let mut given = json!({ "kind": "pack", "planner": "first-fit", "seed": 7 });
        given[key] = value;
        given
    };
    for (given, code, path) in [
        (of("kind", json!("guess")), "argument", "wanted.kind"),
        (of("kind", json!(null)), "argument", "wanted.kind"),
        (of("kind", json!("break")), "argument", "kind"),
        (of("planner", json!(null)), "argument", "wanted.planner"),
        (of("planner", json!("magic")), "planner", ""),
        (of("seed", json!(-1)), "argument", "wanted.seed"),
        (of("seed", json!(0.5)), "argument", "wanted.seed"),
        (of("seed", json!(9_007_199_254_740_992_u64)), "argument", "wanted.seed"),
        (of("difficulty", json!(4)), "argument", "wanted.difficulty"),
        (of("difficulty", json!(0)), "argument", "wanted.difficulty"),
        (of("hard", json!(true)), "argument", "wanted.hard"),
        (json!([]), "argument", "wanted"),
        (json!({ "kind": "debug", "planner": "nnvm", "seed": 1 }), "refused", ""),
    ] {
        assert_eq!(refused(given.clone()), (code, path.to_string(), true), "{given}");
    }
}

#[test]
fn two_documents_are_compared() {
    let read = |text: &str| import::read(text.as_bytes(), Default::default()).expect("a valid file");
    let (old, new) = (read("id,lower,upper,size\na,0,2,4\nb,1,3,4\n"), read("id,lower,upper,size\na,0,2,4\nb,1,3,8\n"));
    let wanted = api::DiffSettings::read(&json!({"planner": "first-fit", "failAbove": "3%"})).expect("settings");
    let compared = api::diff_model((&old, &new), ["old", "new"], &CallSettings::default().scope, &wanted);
    let (model, planner) = compared.expect("both can be planned");
    let record = memplan_replay::diff::DiffRecord::new(vec![model], &planner, wanted.limit.as_deref());
    assert_eq!((record.planner.as_str(), record.failed), ("first-fit", true));
    let model = &record.models[0];
    assert_eq!((model.change_bytes, model.change_relative, model.blame), (4, Some(0.5), "graph"));
    let rows: Vec<_> = model.rows.iter().map(|row| (row.group, row.rule, row.bytes)).collect();
    assert_eq!(rows, [("size", Some("name_only"), 4), ("same", Some("name"), 4)]);
    for wrong in [json!([]), json!({"failAbove": "much"}), json!({"planer": "first-fit"}), json!({"withoutWeights": 1})]
    {
        assert_eq!(api::DiffSettings::read(&wrong).expect_err("refused").code, Code::Argument, "{wrong}");
    }
}

/// Two operators in a row, each of 256 floats: 2 KiB are alive at the second.
const CHAIN: &str = r#"{"format":"memory-graph/1","name":"chain","tensors":[
{"name":"a","dtype":"float32","shape":[256],"kind":"intermediate"},
{"name":"b","dtype":"float32","shape":[256],"kind":"intermediate"}],
"nodes":[{"name":"make","op":"fill","inputs":[],"outputs":["a"]},
{"name":"twice","op":"mul","inputs":["a"],"outputs":["b"],"inplace":[[0,0]]}]}"#;

#[test]
fn a_budget_is_met_or_out_of_reach() {
    let document = import::read(CHAIN.as_bytes(), Default::default()).expect("a graph").document;
    let fitted = |budget: Value| {
        let settings = api::FitSettings::read(&budget)?;
        api::fit(&document, &settings, &CallSettings::default().scope, &|| false, &|| false).map(|answer| answer.record)
    };
    let of = |size: Value, allow: Value| json!({ "memories": [{ "name": "SRAM", "size": size }], "allow": allow });
    let record = fitted(of(json!("1KiB"), Value::Null)).expect("an answer");
    assert_eq!((record.result.as_str(), record.required.after), ("fits", 1024), "b takes over the bytes of a");
    let record = fitted(of(json!(1024.0), json!(["planner"]))).expect("an answer");
    assert_eq!((record.result.as_str(), record.required.after), ("impossible", 2048));
    let refused = |budget: Value| {
        let error = fitted(budget.clone()).expect_err(&budget.to_string());
        (error.code, error.path)
    };
    let memories = |second: Value| json!({ "memories": [{ "name": "SRAM", "size": 4096 }, second] });
    for (budget, path) in [
        (json!({}), "budget"),
        (of(json!(0), Value::Null), "budget"),
        (of(json!(-1), Value::Null), "budget.memories[0].size"),
        (of(json!("much"), Value::Null), "budget.memories[0].size"),
        (of(json!(4096), json!(["magic"])), "budget.allow"),
        (memories(json!({ "name": "SRAM", "size": 1 })), "budget"),
        (memories(json!({ "size": 1 })), "budget.memories[1].name"),
        (memories(json!({ "name": "slow", "size": 1, "cost": 1.5 })), "budget.memories[1].cost"),
        (json!({ "memories": [{ "name": "SRAM", "size": 4096 }], "limits": { "time": 3 } }), "budget.limits.time"),
        (json!({ "memories": [{ "name": "SRAM", "size": 4096 }], "operators": { "none": 3 } }), "budget"),
        (json!({ "memories": [{ "name": "SRAM", "size": 4096 }], "persistent": 4096 }), "budget"),
    ] {
        assert_eq!(refused(budget.clone()), (Code::Argument, path.to_string()), "{budget}");
    }
    let list = import::read(b"id,lower,upper,size\na,0,2,4\n", Default::default()).expect("a list").document;
    let settings = api::FitSettings::read(&of(json!(64), Value::Null)).expect("settings");
    let error =
        api::fit(&list, &settings, &CallSettings::default().scope, &|| false, &|| false).expect_err("no operators");
    assert_eq!((error.code, error.path.as_str()), (Code::Argument, "graph"));
}

#[test]
fn a_board_on_which_a_planner_wastes_much_is_found_and_judged() {
    let worst = |value: Value| ExerciseSettings::read(&value).and_then(|wanted| api::worst_board(&wanted));
    let pin = "A.80.0.1_B.16.0.3_C.96.1.2_D.96.2.3";
    let given = json!({ "kind": "break", "planner": "first-fit", "seed": 1, "tries": 0, "board": pin });
    let judged = worst(given.clone()).expect("a plan");
    assert_eq!((judged.board.as_str(), judged.peak, judged.bound), (pin, 192 * 1024, 112 * 1024));
    assert_eq!(json!(judged)["ratio"], json!(192.0 / 112.0));
    let mut searched = given.clone();
    searched["tries"] = json!(2000);
    let found = worst(searched).expect("a plan");
    assert!(found.ratio > judged.ratio, "{found:?}");
    let code = |key: &str, value: Value| {
        let mut given = given.clone();
        given[key] = value;
        let refusal = worst(given).expect_err(key);
        (refusal.code.name(), refusal.path)
    };
    assert_eq!(code("board", json!("A.129.0.1")), ("argument", "wanted.board".into()));
    assert_eq!(code("planner", json!("magic")).0, "planner");
    assert_eq!(code("difficulty", json!(1)), ("argument", "wanted.difficulty".into()));
    assert_eq!(code("tries", json!(1_000_001)), ("argument", "wanted.tries".into()));
    let other = ExerciseSettings::read(&json!({ "kind": "pack", "planner": "first-fit", "seed": 1, "tries": 5 }));
    assert_eq!(other.expect_err("no search").path, "wanted.tries");
}
