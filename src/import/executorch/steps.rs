//! Instructions as steps: what each reads and what it makes.
//!
//! An instruction names its values without saying which it writes. Kernels are out-variants: what
//! they write stands among their arguments and once more at the end, as what they return. A value
//! is made where it is first written; an instruction that writes it again counts as reading it, so
//! that it lives on.

use super::super::aten::{self, Argument};
use super::schema::{Call, DelegateCall, ExecutionPlan, IntList, KernelCall, MoveCall, Tensor, Value};
use crate::base::{Arrange, Message};
use crate::graph::{Attr, Fault};

/// What a value is to the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Input,
    Constant,
    /// Read before it is written, or with contents to begin with: it outlives a run.
    State,
    Made,
}

#[derive(Debug, Default)]
pub struct Instruction {
    pub op: String,
    /// Values by index.
    pub inputs: Vec<usize>,
    pub outputs: Vec<usize>,
    /// The output is the first input under another name.
    pub is_view: bool,
    /// Window of a kernel that has one.
    pub window: Vec<(String, Attr)>,
}

pub struct Instructions<'a> {
    pub tensors: Vec<Option<Tensor<'a>>>,
    pub roles: Vec<Option<Role>>,
    pub steps: Vec<Instruction>,
    pub delegates: u64,
    pub jumps: u64,
    values: Vec<Value<'a>>,
    /// The step that makes each value, by index.
    made_at: Vec<usize>,
    /// Uses of values that are still allowed: lists named again and again may not multiply.
    left: usize,
}

/// Most numbers of a window: a pair for each of three extents.
const MOST_NUMBERS: usize = 6;

/// The operator that gives a value another shape without touching its bytes.
const VIEW: &str = "executorch_prim::et_view";

impl<'a> Instructions<'a> {
    /// Walks the instructions of all chains, in order. `limit` bounds how many values are named in
    /// all.
    ///
    /// # Errors
    /// The first index that leads nowhere.
    pub fn read(plan: &ExecutionPlan<'a>, limit: usize) -> Result<Instructions<'a>, Fault> {
        let values: Vec<Value> = plan.values().into_iter().flatten().map(|value| value.get()).collect();
        let tensor = |value: &Value<'a>| if let Value::Tensor(tensor) = value { Some(*tensor) } else { None };
        let tensors: Vec<Option<Tensor>> = values.iter().map(tensor).collect();
        let roles = vec![None; values.len()];
        let made_at = vec![usize::MAX; values.len()];
        let mut all =
            Instructions { tensors, roles, steps: Vec::new(), delegates: 0, jumps: 0, values, made_at, left: limit };
        for (at, index) in plan.inputs().into_iter().flatten().enumerate() {
            for value in all.tensors_of(&format!("inputs[{at}]"), index)? {
                all.roles[value] = Some(Role::Input);
            }
        }
        let operators: Vec<String> = plan
            .operators()
            .into_iter()
            .flatten()
            .map(|operator| {
                let name = operator.name().unwrap_or_default();
                operator.overload().filter(|text| !text.is_empty()).map_or(name.into(), |text| format!("{name}.{text}"))
            })
            .collect();
        let delegates: Vec<&str> =
            plan.delegates().into_iter().flatten().map(|delegate| delegate.id().unwrap_or_default()).collect();
        let chains = plan.chains().into_iter().flatten();
        let instructions = chains.flat_map(|chain| chain.instructions().into_iter().flatten());
        for (at, instruction) in instructions.enumerate() {
            let path = format!("instructions[{at}]");
            let step = match instruction.get() {
                Call::Kernel(call) => all.kernel(&path, &call, &operators)?,
                Call::Delegate(call) => all.delegate(&path, &call, &delegates)?,
                Call::Move(call) => all.moves(&path, &call)?,
                Call::JumpFalse(call) => {
                    all.jumps += 1;
                    all.reads(&path, "jump_false", call.cond_value_index())?
                }
                Call::Free(call) => all.reads(&path, "free", call.value_index())?,
                Call::Other => Instruction { op: "unknown".into(), ..Instruction::default() },
            };
            all.steps.push(step);
        }
        for (at, index) in plan.outputs().into_iter().flatten().enumerate() {
            for value in all.tensors_of(&format!("outputs[{at}]"), index)? {
                // An output that nothing makes is a constant or a state that is handed out.
                all.know(value);
            }
        }
        Ok(all)
    }

    /// The tensors that a value is or lists.
    pub fn tensors_of(&mut self, path: &str, index: i32) -> Result<Vec<usize>, Fault> {
        let count = self.values.len();
        let lost = |index: i32| {
            Fault::new(path, Message::new("fault.flat-index").text("index", index.to_string()).count("count", count))
        };
        let find = |index: i32| usize::try_from(index).ok().filter(|&at| at < count).ok_or_else(|| lost(index));
        let at = find(index)?;
        let found = match self.values[at] {
            Value::Tensor(_) => vec![at],
            Value::Number(_)
            | Value::Flag(_)
            | Value::Factor(_)
            | Value::Numbers(_)
            | Value::Factors(_)
            | Value::Other => Vec::new(),
            Value::List(list) | Value::Optional(list) => {
                let items = list.items();
                self.spend(path, items.map_or(0, |items| items.len()))?;
                let present = items.into_iter().flatten().filter(|&item| item != -1);
                let items = present.map(find).collect::<Result<Vec<usize>, Fault>>()?;
                items.into_iter().filter(|&item| self.tensors[item].is_some()).collect()
            }
        };
        self.spend(path, 1)?;
        Ok(found)
    }

    fn spend(&mut self, path: &str, uses: usize) -> Result<(), Fault> {
        let left = self.left.checked_sub(uses);
        self.left = left.ok_or_else(|| Fault::new(path, Message::new("fault.pte-uses")))?;
        Ok(())
    }

    /// What a value is known as, or by its own fields. A planned value without contents stays
    /// unknown until it is met.
    fn know(&mut self, value: usize) -> Option<Role> {
        if self.roles[value].is_none() {
            self.roles[value] = self.tensors[value].and_then(|tensor| {
                if tensor.is_constant() {
                    Some(Role::Constant)
                } else if tensor.has_initial_state() {
                    Some(Role::State)
                } else {
                    None
                }
            });
        }
        self.roles[value]
    }

    fn kernel(&mut self, path: &str, call: &KernelCall, operators: &[String]) -> Result<Instruction, Fault> {
        let op = named(path, operators, call.op_index())?.clone();
        let mut step = Instruction { op, ..Instruction::default() };
        let args: Vec<i32> = call.args().into_iter().flatten().collect();
        let mut sorted = args.clone();
        sorted.arrange();
        let repeats = |arg: i32| {
            let first = sorted.partition_point(|&other| other < arg);
            sorted.get(first + 1) == Some(&arg)
        };
        for (at, &arg) in args.iter().enumerate() {
            let returned = at + 1 == args.len() || repeats(arg);
            for value in self.tensors_of(path, arg)? {
                self.mention(&mut step, value, returned);
            }
        }
        if let Some(&last) = args.last()
            && args.len() > 1
            && repeats(last)
            && step.outputs.is_empty()
        {
            // An operand that is written in place stands there once as itself and once as the
            // result.
            let place =
                usize::try_from(last).ok().and_then(|last| step.inputs.iter().rposition(|&value| value == last));
            place.into_iter().for_each(|place| _ = step.inputs.remove(place));
        }
        step.is_view = step.op.starts_with(VIEW) && self.same_place(&step);
        step.window = self.window(&step.op, &args);
        Ok(step)
    }

    /// The window of a kernel of ATen, whose arguments are those of its schema, all of them and in
    /// order.
    fn window(&self, op: &str, args: &[i32]) -> Vec<(String, Attr)> {
        let Some(name) = op.strip_prefix("aten::") else { return Vec::new() };
        let name = name.split_once('.').map_or(name, |(name, _)| name);
        aten::attributes(name, |position, _| self.stated(args.get(position).copied()))
    }

    fn value(&self, index: i64) -> Option<&Value<'a>> {
        self.values.get(usize::try_from(index).ok()?)
    }

    fn stated(&self, arg: Option<i32>) -> Argument {
        let json = |text: String| Argument::Stated(Attr::Json(text));
        match arg.and_then(|arg| self.value(arg.into())) {
            Some(Value::Number(number)) => json(number.value().to_string()),
            Some(Value::Flag(flag)) => json(flag.value().to_string()),
            Some(Value::Numbers(list)) => self.listed(list).map_or(Argument::Open, json),
            Some(Value::Factor(factor)) => factors(std::iter::once(factor.value())).map_or(Argument::Open, json),
            Some(Value::Factors(list)) => factors(list.items().into_iter().flatten()).map_or(Argument::Open, json),
            // Null: it has its default.
            Some(Value::Other) => Argument::Default,
            _ => Argument::Open,
        }
    }

    /// A list of numbers as JSON; none if it is no size of a window.
    fn listed(&self, list: &IntList) -> Option<String> {
        let items: Vec<i64> = list.items().into_iter().flatten().take(MOST_NUMBERS + 1).collect();
        let number =
            |&item: &i64| if let Some(Value::Number(number)) = self.value(item) { Some(number.value()) } else { None };
        let numbers: Vec<i64> = items.iter().map(number).collect::<Option<_>>()?;
        (numbers.len() <= MOST_NUMBERS).then(|| serde_json::to_string(&numbers).ok())?
    }

    fn mention(&mut self, step: &mut Instruction, value: usize, returned: bool) {
        match self.know(value) {
            // What is returned is named twice, and its second mention is no read.
            Some(_) if self.made_at[value] == self.steps.len() => {}
            Some(_) => step.inputs.push(value),
            None if returned => {
                self.roles[value] = Some(Role::Made);
                self.made_at[value] = self.steps.len();
                step.outputs.push(value);
            }
            None => {
                self.roles[value] = Some(Role::State);
                step.inputs.push(value);
            }
        }
    }

    fn same_place(&self, step: &Instruction) -> bool {
        let place = |value: &usize| {
            let place = self.tensors[*value]?.allocation_info()?;
            Some((place.memory_id(), place.offset()))
        };
        let (from, to) = (step.inputs.first().and_then(place), step.outputs.first().and_then(place));
        step.outputs.len() == 1 && from.is_some() && from == to
    }

    fn delegate(&mut self, path: &str, call: &DelegateCall, delegates: &[&str]) -> Result<Instruction, Fault> {
        let id = named(path, delegates, call.delegate_index())?;
        self.delegates += 1;
        let mut step = Instruction { op: format!("delegate {id}"), ..Instruction::default() };
        for arg in call.args().into_iter().flatten() {
            for value in self.tensors_of(path, arg)? {
                self.mention(&mut step, value, true);
            }
        }
        Ok(step)
    }

    fn moves(&mut self, path: &str, call: &MoveCall) -> Result<Instruction, Fault> {
        let mut step = self.reads(path, "move", call.move_from())?;
        for value in self.tensors_of(path, call.move_to())? {
            if !step.inputs.contains(&value) {
                self.mention(&mut step, value, true);
            }
        }
        step.is_view = step.inputs.len() == 1 && step.outputs.len() == 1;
        Ok(step)
    }

    fn reads(&mut self, path: &str, op: &str, value: i32) -> Result<Instruction, Fault> {
        let mut step = Instruction { op: op.to_string(), ..Instruction::default() };
        for value in self.tensors_of(path, value)? {
            self.mention(&mut step, value, false);
        }
        Ok(step)
    }
}

/// Factors as JSON; none if they are no factors of an image.
fn factors(factors: impl Iterator<Item = f64>) -> Option<String> {
    let factors: Vec<f64> = factors.take(MOST_NUMBERS + 1).collect();
    let is_plain = factors.len() <= MOST_NUMBERS && factors.iter().all(|factor| factor.is_finite());
    is_plain.then(|| serde_json::to_string(&factors).ok())?
}

fn named<'n, T>(path: &str, names: &'n [T], index: i32) -> Result<&'n T, Fault> {
    let found = usize::try_from(index).ok().and_then(|index| names.get(index));
    found.ok_or_else(|| {
        let message = Message::new("fault.flat-index").text("index", index.to_string());
        Fault::new(path, message.count("count", names.len()))
    })
}
