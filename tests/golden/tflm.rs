//! TensorFlow Lite Micro: what a model asks for, where the greedy planner puts it, and the files
//! and tables with a plan.

use std::io::Read;
use std::path::{Path, PathBuf};

use memplan_formats::tflm::{Arena, Model, Request, Who, arena, c_table, check, read_back, reorder, write};
use serde_json::{Value, json};

/// Every variant of a model, and every plan that is wrong.
pub fn model(case: &Value) -> Result<(), String> {
    let folder = folder(case)?;
    let name = case["model"].as_str().ok_or("no model")?;
    let data = file(&folder, name)?.ok_or_else(|| format!("{name} is not there"))?;
    for variant in case["variants"].as_array().ok_or("no variants")? {
        let told = variant["name"].as_str().unwrap_or_default();
        run(&folder, &data, variant).map_err(|error| format!("{told}: {error}"))?;
    }
    for bad in case["bad"].as_array().into_iter().flatten() {
        wrong(&data, bad).map_err(|error| format!("bad {}: {error}", bad["name"]))?;
    }
    Ok(())
}

fn run(folder: &Path, data: &[u8], variant: &Value) -> Result<(), String> {
    let order = list(&variant["order"]);
    let subgraph = variant["order_subgraph"].as_u64().unwrap_or(0) as usize;
    let data = match &order {
        Some(order) => {
            let order: Vec<usize> = order.iter().map(|&at| at as usize).collect();
            reorder(data, subgraph, &order).map_err(told)?
        }
        None => data.to_vec(),
    };
    let model = Model::read(&data).map_err(told)?;
    let offsets: Option<Vec<i32>> = list(&variant["offsets"]).map(|list| list.iter().map(|&at| at as i32).collect());
    let written = match &offsets {
        Some(offsets) => write(&data, offsets).map_err(told)?,
        None => data.clone(),
    };
    same("header_bytes", &json!(written.len() - data.len()), &variant["header_bytes"])?;
    if !written.ends_with(&data) {
        return Err("the old bytes changed".into());
    }
    let kept = variant["file"].as_str().map(|name| file(folder, name)).transpose()?.flatten();
    if kept.is_some_and(|kept| kept != written) {
        return Err("the file differs".into());
    }
    if let Some(offsets) = &offsets {
        read_back(&data, &written, offsets).map_err(told)?;
        // Written a second time, the list is replaced where it stands.
        same("a second writing", &json!(write(&written, offsets).map_err(told)? == written), &json!(true))?;
    }
    let found = arena(&model, offsets.as_deref(), &|_, _| None).map_err(told)?;
    same("predicted_head", &json!(found.head), &variant["predicted_head"])?;
    if let Some(head) = variant["tflm"]["head"].as_u64() {
        same("head of TensorFlow Lite Micro", &json!(found.head), &json!(head))?;
    }
    if let Some(tail) = variant["tflm"]["tail"].as_u64() {
        same("tail of TensorFlow Lite Micro", &json!(found.tail.bytes), &json!(tail))?;
    }
    same("lower_bound", &json!(found.bound()), &variant["lower_bound"])?;
    let buffers: Vec<Value> = found.requests.iter().zip(&found.places).map(buffer).collect();
    same("buffers", &json!(buffers), &variant["buffers"])?;
    let is_valid = found.overlaps().is_empty() && found.places.iter().all(|place| place % 16 == 0);
    same("valid", &json!(is_valid), &variant["valid"])?;
    if let Some(offsets) = &offsets {
        let crashes = variant["tflm"]["status"] == "crash";
        same("a variable without bytes", &json!(!found.lost.is_empty()), &json!(crashes))?;
        // Variables that are planned on purpose are not what is written here.
        let own = variant["name"].as_str().unwrap_or_default();
        if !own.starts_with("variables") {
            let is_fine = check(&model, offsets, &|_, _| None).is_ok();
            same("check", &json!(is_fine), &json!(is_valid && !crashes))?;
        }
    }
    Ok(())
}

/// What the plans that are wrong come to here. The file of `two_entries` is not recorded.
fn wrong(data: &[u8], bad: &Value) -> Result<(), String> {
    let Some(words) = list(&bad["metadata"]) else { return Ok(()) };
    let model = Model::read(data).map_err(told)?;
    let offsets: Vec<i32> = words.iter().skip(3).map(|&word| word as i32).collect();
    let checked = check(&model, &offsets, &|_, _| None);
    match bad["name"].as_str().unwrap_or_default() {
        // The version and the number of subgraphs are written right whatever was given: the offsets
        // are those of a right plan.
        "version_9" | "subgraphs_0" => {
            same("check", &json!(checked.is_err()), &json!(bad["tflm"]["status"] == "crash"))
        }
        // Every address is possible, but the arena would be larger than without a plan, and
        // `memplan write` refuses that.
        "beyond_arena" => {
            let alone = arena(&model, None, &|_, _| None).map_err(told)?;
            same("larger", &json!(checked.is_ok_and(|found| found.head <= alone.head)), &json!(false))
        }
        _ => same("refused", &json!(checked.is_err()), &json!(true)),
    }
}

fn buffer((request, place): (&Request, &u64)) -> Value {
    let mut buffer = json!({
        "subgraph": request.subgraph, "first": request.first, "last": request.last, "size": request.size,
        "bytes": request.bytes, "offset": place, "fixed": request.fixed.is_some(),
    });
    let (kind, key, index) = match request.who {
        Who::Tensor(index) => ("tensor", "tensor", index),
        Who::Scratch(index) => ("scratch", "operator", index),
    };
    buffer["kind"] = kind.into();
    buffer[key] = index.into();
    buffer
}

/// The tables of C++, for the models that are there.
pub fn shim(case: &Value) -> Result<(), String> {
    let folder = folder(case)?;
    let mut count = 0;
    for table in case["cases"].as_array().ok_or("no cases")? {
        let name = table["case"].as_str().ok_or("no name")?;
        let Some(text) = file(&folder, &format!("{name}.json"))? else { continue };
        let text: Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        let data = file(&folder, text["model"].as_str().ok_or("no model")?)?.ok_or("no model")?;
        let variants = text["variants"].as_array().ok_or("no variants")?;
        let variant = variants.iter().find(|variant| variant["name"] == table["plan"]).ok_or("no plan")?;
        let offsets: Vec<i32> = list(&variant["offsets"]).ok_or("no offsets")?.iter().map(|&at| at as i32).collect();
        let model = Model::read(&data).map_err(told)?;
        let found: Arena = arena(&model, Some(&offsets), &|_, _| None).map_err(told)?;
        same("entries", &json!(found.places), &table["entries"])?;
        same("height", &json!(found.head), &table["height"])?;
        let kept = file(&folder, table["table"].as_str().ok_or("no table")?)?.ok_or("no table")?;
        if c_table(&found, "kOfflineNonPersistentBufferPlan").as_bytes() != kept {
            return Err(format!("{name}: the table differs"));
        }
        count += 1;
    }
    if count == 0 { Err("no model is there".into()) } else { Ok(()) }
}

fn folder(case: &Value) -> Result<PathBuf, String> {
    let path = Path::new(case["path"].as_str().ok_or("no path")?);
    Ok(path.parent().ok_or("no folder")?.to_path_buf())
}

/// A file as it is named, packed, or beside the case whatever folder is named; none if it is not
/// there.
fn file(folder: &Path, name: &str) -> Result<Option<Vec<u8>>, String> {
    let last = Path::new(name).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    for name in [name.to_string(), format!("{name}.gz"), format!("{last}.gz")] {
        let Ok(bytes) = std::fs::read(folder.join(&name)) else { continue };
        if !name.ends_with(".gz") {
            return Ok(Some(bytes));
        }
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut plain).map_err(|error| error.to_string())?;
        return Ok(Some(plain));
    }
    Ok(None)
}

fn list(value: &Value) -> Option<Vec<i64>> {
    value.as_array()?.iter().map(Value::as_i64).collect()
}

fn told(refusal: memplan_core::base::Message) -> String {
    format!("{refusal:?}")
}

fn same(what: &str, found: &Value, expected: &Value) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found}, not {expected}")) }
}
