//! TVM Relax's `StaticPlanBlockMemory`.

use std::collections::{BTreeMap, HashMap};

use memplan_core::graph::Expr;
use memplan_core::plan::faults;
use memplan_core::problem::{self, BufferId, Scope, lifetimes};
use memplan_core::trace::{Recorder, Silent};
use memplan_formats::import::{self, Answers, Document};
use memplan_planners::relax::Relax;
use memplan_planners::relax::program::{Argument, Binding, Block, Branches, Function, How, Tensor};
use memplan_planners::relax::run::{Planned, Stopped, run as plan};
use memplan_planners::relax::size::{Bounds, Extent, Size, element_bytes, is_same_above_0, size};
use memplan_planners::{self as planner, Planner};
use serde_json::{Value, json};

pub fn run(case: &Value) -> Result<(), String> {
    let expected = &case["expected"];
    let program = &case["program"];
    let mut error = None;
    for function in list(&program["functions"])? {
        let name = text(&function["name"])?;
        let made = Made::new(function, &program["vdevices"])?;
        let mut recorder = Recorder::default();
        match plan(&made.function, &problem::Branches::default(), &|_| 0, &mut recorder) {
            // Where the pass stops, nothing is recorded of the functions before.
            Ok(_) if !expected["error"].is_null() => {}
            Ok(planned) => made.check(&planned, &expected[name]).map_err(|error| format!("{name}: {error}"))?,
            Err(Stopped::Cancelled) => return Err("stopped".to_string()),
            Err(stopped) => error = Some(stopped.check()),
        }
        if error.is_some() {
            break;
        }
    }
    match (&expected["error"], error) {
        (Value::Null, None) => check_from_file(case),
        (Value::String(theirs), Some(ours)) if theirs.contains(ours) => Ok(()),
        (theirs, ours) => Err(format!("error: ours {ours:?}, theirs {theirs}")),
    }
}

/// A function of a case, with the names of its tensors.
struct Made {
    function: Function,
    /// Each tensor that is allocated: its name, scope, type and device.
    tensors: Vec<(String, String, String, u64)>,
}

/// Reads the bindings of a function.
struct Reader<'a> {
    variables: HashMap<String, u32>,
    keys: BTreeMap<(String, String), u32>,
    bounds: Bounds,
    vdevices: &'a Value,
    tensors: Vec<(String, String, String, u64)>,
    calls: u32,
}

impl Made {
    fn new(function: &Value, vdevices: &Value) -> Result<Made, String> {
        let attrs = &function["attrs"];
        let mut bounds = Bounds::new();
        for symbol in list(&function["symbols"])? {
            let name = text(symbol)?;
            if let Some(upper) = attrs["tir_var_upper_bound"][name].as_u64() {
                let lower = attrs["tir_var_lower_bound"][name].as_u64().unwrap_or(0);
                bounds.insert(name.to_string(), (lower, upper));
            } else if attrs["tir_var_lower_bound"][name].is_u64() {
                bounds.insert(name.to_string(), (0, u64::MAX));
            }
        }
        let mut reader = Reader {
            variables: HashMap::new(),
            keys: BTreeMap::new(),
            bounds,
            vdevices,
            tensors: Vec::new(),
            calls: 0,
        };
        let blocks = reader.blocks(&function["body"])?;
        let result = reader.argument(&function["result"])?;
        let flag = &attrs["relax.memory_plan_dynamic_func_output"];
        let plans_dynamic_results = flag.as_bool().unwrap_or(false) || flag.as_u64().is_some_and(|flag| flag > 0);
        let variables = reader.variables.len() as u32;
        let function = Function { variables, blocks, result, plans_dynamic_results };
        Ok(Made { function, tensors: reader.tensors })
    }

    fn check(&self, planned: &Planned, expected: &Value) -> Result<(), String> {
        let mut lies = BTreeMap::new();
        for &(BufferId(tensor), placed) in &planned.tensors {
            let mut place = json!({"storage": placed.storage});
            if placed.is_out_of_scope {
                place["out_of_scope"] = json!(true);
            }
            lies.insert(self.tensors[tensor as usize].0.as_str(), place);
        }
        same("tensors", &json!(lies), &expected["tensors"])?;
        let theirs = list(&expected["storages"])?;
        same("number of storages", &json!(planned.storages.len()), &json!(theirs.len()))?;
        for (number, (storage, theirs)) in planned.storages.iter().zip(theirs).enumerate() {
            let (_, scope, dtype, device) = &self.tensors[storage.first.0 as usize];
            let what = |key: &str| format!("{key} of storage {number}");
            same(&what("device"), &json!(device), &theirs["device"])?;
            same(&what("scope"), &json!(scope), &theirs["scope"])?;
            same(&what("dtype"), &json!(dtype), &theirs["dtype"])?;
            let is_equal = match (&storage.size, &theirs["bytes"]) {
                (Size::Bytes(bytes), theirs) => theirs.as_u64() == Some(*bytes),
                (Size::Symbolic(ours), Value::String(theirs)) => {
                    // Recorded without the choice that a bound makes by the sign of a symbol.
                    Expr::parse(theirs).is_ok_and(|theirs| is_same_above_0(ours, &theirs))
                }
                _ => false,
            };
            if !is_equal {
                return Err(format!("{}: ours {:?}, theirs {}", what("bytes"), storage.size, theirs["bytes"]));
            }
        }
        Ok(())
    }
}

impl Reader<'_> {
    fn variable(&mut self, name: &str) -> u32 {
        let next = self.variables.len() as u32;
        *self.variables.entry(name.to_string()).or_insert(next)
    }

    fn argument(&mut self, argument: &Value) -> Result<Argument, String> {
        if let Some(name) = argument.as_str() {
            return Ok(Argument::Variable(self.variable(name)));
        }
        if let Some(fields) = argument["tuple"].as_array() {
            return Ok(Argument::Tuple(fields.iter().map(|field| self.argument(field)).collect::<Result<_, _>>()?));
        }
        if let Some([tuple, index]) = argument["item"].as_array().map(Vec::as_slice) {
            let index = index.as_u64().ok_or("no index")? as usize;
            return Ok(Argument::Field(Box::new(self.argument(tuple)?), index));
        }
        Ok(Argument::Other)
    }

    fn blocks(&mut self, blocks: &Value) -> Result<Vec<Block>, String> {
        let mut made = Vec::new();
        for block in list(blocks)? {
            let bindings = list(&block["bindings"])?.iter().map(|binding| self.binding(binding));
            made.push(Block { bindings: bindings.collect::<Result<_, _>>()? });
        }
        Ok(made)
    }

    fn binding(&mut self, binding: &Value) -> Result<Binding, String> {
        let variable = self.variable(text(&binding["var"])?);
        Ok(match text(&binding["op"])? {
            "alloc" => Binding::Allocate { variable, tensor: self.tensor(binding)? },
            "view" => Binding::Name { variable, value: self.argument(&binding["args"][0])? },
            "expr" => Binding::Name { variable, value: self.argument(&binding["value"])? },
            "call" => {
                let how = match text(&binding["how"])? {
                    "tir" | "packed" => How::Counts,
                    "tir_dyn" => How::CountsAsTuple,
                    _ => How::Discards,
                };
                let arguments = list(&binding["args"])?.iter().map(|argument| self.argument(argument));
                let arguments = arguments.collect::<Result<_, _>>()?;
                self.calls += 1;
                Binding::Call { step: self.calls - 1, how, arguments }
            }
            "if" => {
                let condition = self.argument(&binding["cond"])?;
                let then = (self.blocks(&binding["then"])?, self.argument(&binding["then_result"])?);
                let other = (self.blocks(&binding["else"])?, self.argument(&binding["else_result"])?);
                Binding::If(Box::new(Branches { condition, branches: [then, other] }))
            }
            other => return Err(format!("unknown binding {other}")),
        })
    }

    fn tensor(&mut self, binding: &Value) -> Result<Tensor, String> {
        let (dtype, mut scope) = (text(&binding["dtype"])?.to_string(), text(&binding["scope"])?.to_string());
        let device = binding["device"].as_u64().ok_or("no device")?;
        let extent = |extent: &Value| match extent {
            Value::String(source) => Expr::parse(source).map(Extent::Symbolic).map_err(|error| error.to_string()),
            number => number.as_u64().map(Extent::Number).ok_or(format!("{number} is no extent")),
        };
        let shape: Vec<Extent> = list(&binding["shape"])?.iter().map(extent).collect::<Result<_, _>>()?;
        let of_device = &self.vdevices[device as usize];
        let is_texture = of_device["target"] == "opencl" && of_device["scope"] != "global";
        if is_texture {
            scope = text(&of_device["scope"])?.to_string();
        }
        let element = element_bytes(&dtype).ok_or(format!("unknown type {dtype}"))?;
        let size = size(&shape, element, &self.bounds, is_texture.then_some(scope.as_str())).ok_or("no size")?;
        let next = self.keys.len() as u32;
        let key = *self.keys.entry((scope.clone(), dtype.clone())).or_insert(next);
        let bytes = if let Size::Bytes(bytes) = size { bytes } else { 0 };
        let is_symbolic = shape.iter().any(|extent| matches!(extent, Extent::Symbolic(_)));
        let buffer = BufferId(self.tensors.len() as u32);
        self.tensors.push((text(&binding["var"])?.to_string(), scope, dtype, device));
        Ok(Tensor { size, bytes, key, is_symbolic, buffer, held: 0 })
    }
}

/// The planner as everybody runs it, on the graph read as any file: the same storages. Results of
/// symbolic shape have none there.
fn check_from_file(case: &Value) -> Result<(), String> {
    let function = &case["program"]["functions"][0];
    let plans_results = !function["attrs"]["relax.memory_plan_dynamic_func_output"].is_null();
    if case["graph"].is_null() || plans_results {
        return Ok(());
    }
    let expected = &case["expected"][text(&function["name"])?];
    let read = import::read(case["graph"].to_string().as_bytes(), Answers::default()).map(|read| read.document);
    let Ok(Document::Graph(graph)) = read else { return Err(format!("the graph is not read: {read:?}")) };
    let problem = lifetimes(&graph, &Scope::default()).map_err(|error| format!("{error:?}"))?;
    for branch_safe in ["false", "true"] {
        let options = Relax.info().options([("branch_safe", branch_safe)]).map_err(|error| error.to_string())?;
        let made = planner::run(&Relax, &problem, Some(&graph), &Scope::default(), &options, &mut Silent);
        let made = made.map_err(|error| format!("{error:?}"))?;
        same("faults", &json!(faults(&made.problem, &made.plan).len()), &json!(0))?;
        if branch_safe == "true" {
            continue;
        }
        let mut lies = BTreeMap::new();
        for (id, buffer) in made.problem.buffers.enumerate() {
            lies.insert(buffer.name.as_str(), made.plan.places[id].map(|place| place.pool.0));
        }
        for (name, theirs) in expected["tensors"].as_object().ok_or("no tensors")? {
            let ours = lies.get(name.as_str()).copied().flatten();
            same(&format!("storage of {name} from the file"), &json!(ours), &theirs["storage"])?;
        }
        for (number, theirs) in list(&expected["storages"])?.iter().enumerate().filter(|(_, s)| s["bytes"].is_u64()) {
            let ours = made.plan.pools.iter().nth(number).map(|pool| pool.size);
            same(&format!("bytes of storage {number} from the file"), &json!(ours), &theirs["bytes"])?;
        }
    }
    Ok(())
}

fn same(what: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}: ours {ours}, theirs {theirs}")) }
}

fn list(value: &Value) -> Result<&[Value], String> {
    value.as_array().map(Vec::as_slice).ok_or(format!("{value} is no list"))
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or(format!("{value} is no text"))
}
