//! What JavaScript is given: plain numbers and plain objects, and errors with a code and a place.

use crate::interface::{Replay, check, compare, plan, planners};
use js_sys::{Array, Error, Function, JSON, Number, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

const TEACHING: &str = include_str!("../../www/graphs/teaching.json");

fn parsed(text: &str) -> JsValue {
    JSON::parse(text).expect("JSON")
}

fn get(value: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(value.clone(), |value, key| Reflect::get(&value, &key.into()).expect("an object"))
}

fn none() -> JsValue {
    JsValue::UNDEFINED
}

/// Fails for anything below a value that JSON would not give back: a `BigInt`, a `Map`,
/// `undefined`.
fn assert_plain(value: &JsValue, path: &str) {
    if let Some(list) = value.dyn_ref::<Array>() {
        list.iter().enumerate().for_each(|(index, item)| assert_plain(&item, &format!("{path}[{index}]")));
    } else if value.is_object() {
        let object: &Object = value.unchecked_ref();
        let constructor = get(value, "constructor.name").as_string();
        assert_eq!(constructor.as_deref(), Some("Object"), "{path}");
        for pair in Object::entries(object).iter() {
            let pair: Array = pair.unchecked_into();
            assert_plain(&pair.get(1), &format!("{path}.{}", pair.get(0).as_string().unwrap_or_default()));
        }
    } else {
        let kind = value.js_typeof().as_string().unwrap_or_default();
        assert!(value.is_null() || ["number", "string", "boolean"].contains(&kind.as_str()), "{path} is a {kind}");
    }
}

#[wasm_bindgen_test]
fn everything_given_is_plain() {
    let id = "inductor-tree".into();
    let planned = plan(&TEACHING.into(), &id, &none(), &none()).expect("a plan");
    let replay = Replay::new(&TEACHING.into(), &id, &none(), &none()).expect("a run");
    let last = f64::from(replay.frames() - 1).into();
    for (name, value) in [
        ("planners", planners()),
        ("plan", Ok(planned.clone())),
        ("compare", compare(&TEACHING.into(), &none(), &none())),
        ("frame", replay.frame(&last, &none())),
        ("metrics", replay.metrics()),
        ("replay.plan", replay.plan()),
        ("check", check(&"id,lower,upper,size,offset\na,0,2,8,0\nb,1,3,8,4\n".into(), &none())),
    ] {
        assert_plain(&value.expect(name), name);
    }
    assert!(Number::is_safe_integer(&get(&planned, "metrics.peak")));
    assert_eq!(get(&planned, "metrics.peak").as_f64(), Some(1856.0));
    assert_eq!(get(&planned, "options.memory_pool").js_typeof().as_string().as_deref(), Some("string"));
    let svg = replay.svg(&last, &parsed(r#"{"width":640,"theme":"dark"}"#)).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.contains("640"), "{}", &svg[..200]);
}

#[wasm_bindgen_test]
fn large_sizes_stay_exact() {
    // 2^52 + 1 bytes: exact as a number, wrong by one as a 32-bit float or after a sum of halves.
    let list = "id,lower,upper,size\na,0,2,4503599627370497\n";
    let planned = plan(&list.into(), &"first-fit".into(), &none(), &none()).expect("a plan");
    assert_eq!(get(&planned, "metrics.peak").as_f64(), Some(4_503_599_627_370_497.0));
}

#[wasm_bindgen_test]
fn text_bytes_and_objects_are_the_same_graph() {
    let text = |graph: &JsValue| {
        let planned = plan(graph, &"first-fit".into(), &none(), &JsValue::NULL).expect("a plan");
        JSON::stringify(&planned).expect("plain").as_string()
    };
    let bytes = Uint8Array::from(TEACHING.as_bytes());
    let whole = text(&TEACHING.into());
    assert_eq!(text(&bytes.clone().into()), whole);
    assert_eq!(text(&bytes.buffer().into()), whole);
    assert_eq!(text(&parsed(TEACHING)), whole);
    // What comes out goes in.
    let planned = plan(&TEACHING.into(), &"first-fit".into(), &none(), &none()).expect("a plan");
    let found: Array = check(&planned, &none()).expect("a plan").unchecked_into();
    assert_eq!(found.length(), 0);
    assert!(plan(&planned, &"imported".into(), &none(), &none()).is_ok());
}

/// Code and path of what a call throws, which must be an `Error` with words.
fn thrown<T>(result: Result<T, JsValue>) -> (String, String) {
    let Err(error) = result else { panic!("nothing was thrown") };
    let error: Error = error.dyn_into().expect("an Error");
    assert!(String::from(error.message()).len() > 10);
    assert!(Array::is_array(&get(&error, "faults")));
    let text = |key: &str| get(&error, key).as_string().expect("text");
    (text("code"), text("path"))
}

#[wasm_bindgen_test]
fn errors_have_a_code_and_a_path() {
    crate::learn_words();
    let pair = |code: &str, path: &str| (code.to_string(), path.to_string());
    let first_fit: JsValue = "first-fit".into();
    let with = |options: JsValue, settings: JsValue| thrown(plan(&TEACHING.into(), &first_fit, &options, &settings));
    let wrong = TEACHING.replacen("uint8", "uint9", 1);
    assert_eq!(thrown(plan(&wrong.into(), &first_fit, &none(), &none())), pair("fault", "tensors[0].dtype"));
    assert_eq!(thrown(plan(&7.into(), &first_fit, &none(), &none())), pair("argument", "graph"));
    assert_eq!(thrown(plan(&TEACHING.into(), &none(), &none(), &none())), pair("planner", ""));
    assert_eq!(with(parsed(r#"{"tie":"x"}"#), none()), pair("option", "options.tie"));
    assert_eq!(with(none(), parsed(r#"{"alignment":1}"#)), pair("scope", "settings.alignment"));
    assert_eq!(with(Function::new_no_args("").into(), none()), pair("argument", "options"));
    let cycle = Object::new();
    Reflect::set(&cycle, &"self".into(), &cycle).expect("a field");
    assert_eq!(with(cycle.clone().into(), none()), pair("argument", "options"));
    assert_eq!(thrown(plan(&cycle, &first_fit, &none(), &none())), pair("argument", "graph"));
    assert_eq!(thrown(check(&TEACHING.into(), &none())), pair("no-plan", ""));
    let odd = Object::new();
    Reflect::set(&odd, &"capacity".into(), &f64::NAN.into()).expect("a field");
    assert_eq!(thrown(plan(&TEACHING.into(), &"exact".into(), &odd, &none())), pair("refused", ""));
    let replay = Replay::new(&TEACHING.into(), &first_fit, &none(), &none()).expect("a run");
    for k in [none(), 0.5.into(), f64::from(replay.frames()).into(), "1".into()] {
        assert_eq!(thrown(replay.frame(&k, &none())), pair("frame", "k"));
    }
    assert_eq!(thrown(replay.svg(&0.into(), &parsed(r#"{"theme":"blue"}"#))), pair("frame", "picture.theme"));
}

#[wasm_bindgen_test]
fn words_come_in_the_language_asked_for() {
    crate::learn_words();
    let message = |settings: &str| {
        let error = plan(&TEACHING.into(), &"magic".into(), &none(), &parsed(settings)).expect_err("no such planner");
        String::from(error.unchecked_into::<Error>().message())
    };
    assert!(message("{}").contains("Unknown planner `magic`"));
    assert!(message(r#"{"lang":"zh"}"#).contains("规划器"));
    assert!(message(r#"{"lang":"zh","align":3}"#).contains("允许"));
}
