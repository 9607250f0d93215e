//! TVM Relay's `GraphPlanMemory` with its device collection, in three versions.

use std::collections::HashMap;

use memplan_core::base::IdVec;
use memplan_core::graph::Dtype;
use memplan_core::problem::{Branches, BufferId};
use memplan_core::trace::{Event, Note, Outcome, Recorder, Silent};
use memplan_planners::tvm_relay::Version;
use memplan_planners::tvm_relay::devices::devices;
use memplan_planners::tvm_relay::program::{
    Call, Entry, Operand, Order, Program, Texture, Value as Token, Visit, tensor_bytes, texture,
};
use memplan_planners::tvm_relay::run::{Planned, Setting, run as allocate};
use serde_json::{Map, Value, json};

pub fn run(case: &Value) -> Result<(), String> {
    for run in list(&case["runs"])? {
        for version in list(&run["versions"])? {
            let name = text(version)?;
            let version = Version::from_name(name).ok_or(format!("unknown version {name}"))?;
            check(case, version, &run["expected"]).map_err(|error| format!("{name}: {error}"))?;
        }
    }
    Ok(())
}

/// Plans the case as one version does and compares all that is recorded.
fn check(case: &Value, version: Version, expected: &Value) -> Result<(), String> {
    let function = match Function::new(case, version)? {
        Ok(function) => function,
        Err(error) => return same("error", &json!(error), &expected["error"]),
    };
    let program = &function.program;
    let Ok(devices) = devices(program, function.order, version, &mut Silent) else {
        return same("error", &json!("devices partly annotated"), &expected["error"]);
    };
    let visits = program.walk(function.order);
    let mut recorder = Recorder::default();
    let branches = Branches::default();
    let setting = Setting { version, match_range: function.match_range, branches: &branches };
    let planned = allocate(program, &visits, &devices, setting, &mut recorder).ok_or("stopped")?;

    let answer = function.answer(&visits, &devices, &planned, &recorder.events);
    for (key, theirs) in expected.as_object().ok_or("no answer")? {
        same(key, answer.get(key).unwrap_or(&Value::Null), theirs)?;
    }
    Ok(())
}

/// The function of a case, with the names of its values and calls.
struct Function {
    program: Program,
    order: Order,
    match_range: u64,
    names: Vec<String>,
    nodes: Vec<String>,
    /// Device type that the case gives each value, and its memory scope.
    scopes: Vec<String>,
}

impl Function {
    /// The inner error is the one that the planner stops with.
    fn new(case: &Value, version: Version) -> Result<Result<Function, &'static str>, String> {
        let graph = &case["graph"];
        let options = &case["options"];
        let order = if options["let"] == json!(true) { Order::Listed } else { Order::Dataflow };
        let mut function = Function {
            program: Program::default(),
            order,
            match_range: whole(&options["match_range"])?,
            names: vec![],
            nodes: vec![],
            scopes: vec![],
        };
        let mut maker: HashMap<&str, usize> = HashMap::new();
        for (index, node) in list(&graph["nodes"])?.iter().enumerate() {
            for output in list(&node["outputs"])? {
                maker.insert(text(output)?, index);
            }
        }
        let mut operands: HashMap<&str, Operand> = HashMap::new();
        let mut scopes: Vec<String> = vec![];
        for tensor in list(&graph["tensors"])? {
            let name = text(&tensor["name"])?;
            let Ok(token) = function.token(tensor, version, &mut scopes)? else {
                return Ok(Err("negative dimension"));
            };
            let value = function.program.values.push(token);
            let operand = Operand { value: Some(value), call: maker.get(name).copied() };
            let constant = options["weights_as"] == "constant" && tensor["kind"] == "weight";
            if operand.call.is_none() && !constant {
                function.program.parameters.push(value);
            }
            if tensor["kind"] == "output" {
                function.program.results.push(operand);
            }
            operands.insert(name, operand);
            function.names.push(name.to_string());
        }
        let operand = |name: &Value| operands.get(text(name)?).copied().ok_or(format!("unknown tensor {name}"));
        for (index, node) in list(&graph["nodes"])?.iter().enumerate() {
            let attr = |key: &str| node["attrs"][key].as_str();
            let device = |key: &str| attr(key).and_then(|device| device.parse().ok());
            function.program.calls.push(Call {
                node: index as u32,
                reads: list(&node["inputs"])?.iter().map(operand).collect::<Result<_, _>>()?,
                outputs: list(&node["outputs"])?.iter().filter_map(|name| operand(name).ok()?.value).collect(),
                copy: device("src_dev_type").zip(device("dst_dev_type")),
                reshape_only: attr("reshape_only") == Some("1"),
            });
            function.nodes.push(text(&node["name"])?.to_string());
        }
        Ok(Ok(function))
    }

    /// The token of a tensor; the inner error is a dimension below zero.
    fn token(
        &mut self,
        tensor: &Value,
        version: Version,
        scopes: &mut Vec<String>,
    ) -> Result<Result<Token, ()>, String> {
        let name = text(&tensor["dtype"])?;
        let dtype = Dtype::from_name(name).ok_or(format!("unknown dtype {name}"))?;
        let shape: Vec<i64> = list(&tensor["shape"])?
            .iter()
            .map(|extent| extent.as_i64().ok_or("no extent"))
            .collect::<Result<_, _>>()?;
        let Ok(size) = tensor_bytes(&shape, dtype) else { return Ok(Err(())) };
        let (device, scope) = match tensor["device"].as_str() {
            Some(device) => device.split_once(':').unwrap_or((device, "")),
            None => ("0", ""),
        };
        let domain = scopes.iter().position(|known| known == scope).unwrap_or_else(|| {
            scopes.push(scope.to_string());
            scopes.len() - 1
        });
        let extents: Vec<u64> = shape.iter().map(|&extent| extent.unsigned_abs()).collect();
        self.scopes.push(scope.to_string());
        Ok(Ok(Token {
            size,
            device: device.parse().map_err(|_| format!("no device type: {device}"))?,
            // Earlier versions do not look at the scope.
            domain: if version == Version::V0_19 { domain as u32 } else { 0 },
            texture: texture(scope, &extents, dtype),
        }))
    }

    /// All that a case can record of an answer.
    fn answer(
        &self,
        visits: &[Visit],
        devices: &IdVec<BufferId, u32>,
        planned: &Planned,
        events: &[Event],
    ) -> Map<String, Value> {
        let block_of = |value: BufferId| planned.storage[value].map(|id| &planned.blocks[id]);
        let each = |of: &dyn Fn(BufferId) -> Value| -> Value {
            let values = self.program.values.ids();
            values.map(|value| (self.names[value.0 as usize].clone(), of(value))).collect::<Map<_, _>>().into()
        };
        let met: Vec<&str> = visits
            .iter()
            .map(|visit| match visit.entry {
                Entry::Source(value) => self.names[value.0 as usize].as_str(),
                Entry::Call(call) => self.nodes[call].as_str(),
            })
            .collect();
        let plain = || planned.blocks.enumerate().filter(|(_, block)| block.texture.is_none());
        let block = |(id, block): (memplan_core::plan::PoolId, &memplan_planners::tvm_relay::blocks::Block)| json!({"id": id.0, "bytes": block.size, "device_type": block.device, "final_ref_count": block.refs});
        let textures = planned.blocks.enumerate().filter_map(|(id, block)| {
            let sides = block.texture?;
            let scope = &self.scopes[block.tenants.last()?.0 as usize];
            Some(json!({
                "id": id.0, "width": sides.width, "height": sides.height, "device_type": block.device, "scope": scope,
            }))
        });
        let reported = |value| match block_of(value) {
            Some(block) if block.texture.is_some() => json!(0),
            block => json!(block.map(|block| block.first_size)),
        };
        let device = each(&|value| json!(devices[value]));
        let answers = [
            ("visit_order", json!(met)),
            ("storage_id", each(&|value| json!(planned.storage[value].map(|id| id.0)))),
            ("device_type", device.clone()),
            ("collected_device", device),
            ("size_bytes", each(&reported)),
            ("blocks", plain().map(block).collect()),
            ("total_bytes", json!(plain().map(|(_, block)| block.size).sum::<u64>())),
            ("textures", textures.collect()),
            ("events", self.records(events)),
        ];
        answers.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
    }

    /// The events of the trace in the form of the case.
    fn records(&self, events: &[Event]) -> Value {
        let name = |buffer: BufferId| self.names[buffer.0 as usize].as_str();
        let mut records: Vec<Value> = vec![];
        let mut node = "";
        let mut pool_of: HashMap<BufferId, u32> = HashMap::new();
        let mut sizes: HashMap<u32, u64> = HashMap::new();
        let mut sides: Option<(u64, u64)> = None;
        let mut released = None;
        for (index, event) in events.iter().enumerate() {
            match *event {
                Event::Begin { buffer } => {
                    node = name(buffer);
                    sides = None;
                }
                Event::Note { note: Note::Node, subject, .. } => node = self.nodes[subject as usize].as_str(),
                Event::Note { note: Note::Texture, a, b, .. } => sides = Some((a, b)),
                Event::Place { outcome, buffer, pool, .. } => {
                    pool_of.insert(buffer, pool);
                    let token = &self.program.values[buffer];
                    let before = sizes.get(&pool).copied().unwrap_or(0);
                    let after = match events.get(index + 1) {
                        Some(Event::Grow { to, .. }) => *to,
                        _ => before,
                    };
                    let kind = match (outcome, sides) {
                        (Outcome::InPlace, _) => "alias",
                        (Outcome::NewStorage, None) => "new",
                        (Outcome::Reuse, None) => "reuse_larger",
                        (Outcome::Enlarge, None) => "reuse_smaller",
                        (Outcome::NewStorage, Some(_)) => "new_2d",
                        (Outcome::Reuse, Some(_)) => "reuse_2d",
                        _ => "grow_2d",
                    };
                    let mut entry = json!({"node": node, "event": kind, "id": pool, "tensor": name(buffer)});
                    match (kind, sides, token.texture) {
                        ("alias", ..) => {}
                        (_, Some((width, height)), Some(Texture { width: asked, height: tall, .. })) => {
                            entry["request"] = json!([asked, tall]);
                            entry["after"] = json!([width, height]);
                        }
                        _ => {
                            entry["request"] = json!(token.size);
                            entry["before"] = json!(before);
                            entry["after"] = json!(after);
                        }
                    }
                    records.push(entry);
                    sizes.insert(pool, after);
                }
                // After a reshape two values give back the same block.
                Event::Release { buffer } if released != Some(pool_of[&buffer]) => {
                    let pool = pool_of[&buffer];
                    released = Some(pool);
                    records.push(match self.program.values[buffer].texture {
                        Some(_) => json!({"node": node, "event": "release_2d", "id": pool}),
                        None => json!({"node": node, "event": "release", "id": pool, "bytes": sizes[&pool]}),
                    });
                    continue;
                }
                _ => {}
            }
            if !matches!(event, Event::Release { .. }) {
                released = None;
            }
        }
        records.into()
    }
}

fn same(what: &str, mine: &Value, theirs: &Value) -> Result<(), String> {
    if mine == theirs {
        return Ok(());
    }
    // In a list the first difference says more than the whole.
    if let (Some(mine), Some(theirs)) = (mine.as_array(), theirs.as_array()) {
        let at = mine.iter().zip(theirs).position(|(mine, theirs)| mine != theirs);
        let at = at.unwrap_or(mine.len().min(theirs.len()));
        return Err(format!("{what}[{at}]: {:?} instead of {:?}", mine.get(at), theirs.get(at)));
    }
    Err(format!("{what}: {mine} instead of {theirs}"))
}

fn list(value: &Value) -> Result<&Vec<Value>, String> {
    value.as_array().ok_or_else(|| format!("no list: {value}"))
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("no text: {value}"))
}

fn whole(value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| format!("no whole number: {value}"))
}
