//! How an instruction names its values: which it only reads, and which are results.
//!
//! A call does not state which of its arguments it writes. The emitter lists the arguments of the
//! operator's schema, then what the operator returns. A kernel is an out-variant, which returns its
//! last arguments: a single result is there twice, several results are there one by one and once
//! more as a list. An operator that works in place returns one of its operands.

use std::collections::BTreeSet;

use super::super::aten::{self, Argument};
use super::schema::{Call, ExecutionPlan, IntList, KernelCall, Tensor, Value};
use memplan_core::base::Message;
use memplan_core::graph::{Attr, Fault};

/// What an instruction does beside naming values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Runs a kernel whose results are known by their position.
    Kernel,
    /// Runs a kernel that may have a result: its last operand, if nothing has written that before.
    OpenKernel,
    /// Runs a kernel that writes one part of its first operand, in the first turn of a loop the
    /// first part.
    Part,
    /// Runs a delegate, whose operands begin with what it reads and end with its results.
    Delegate,
    /// Gives the bytes of its operand a second name.
    View,
    /// From then on the result is another name of the operand.
    Move,
    /// Goes on at the instruction of this number if the operand is false; `always` if it cannot be
    /// anything else.
    Jump { to: usize, always: bool },
    /// Anything else.
    Other,
}

/// The values of an instruction.
#[derive(Clone, Debug)]
pub struct Named {
    /// Name of the operator, or of what the instruction does.
    pub op: String,
    /// What the instruction does.
    pub form: Form,
    /// Tensors by value, in the order of the arguments.
    pub operands: Vec<usize>,
    /// Number of tensors at the end of the operands that directly precede the results.
    pub trailing: usize,
    /// Tensors that it writes as a whole.
    pub results: Vec<usize>,
    /// Operands that it writes.
    pub in_place: Vec<usize>,
    /// Window of a kernel that has one.
    pub window: Vec<(String, Attr)>,
}

/// The values of a program, to be looked up by index.
pub struct Values<'a> {
    all: Vec<Value<'a>>,
    /// Uses of values that are still allowed: lists named again and again may not multiply.
    left: usize,
}

/// Most numbers of a window: a pair for each of three extents.
const MOST_NUMBERS: usize = 6;

/// Most results that an operator returns one by one.
const MOST_RETURNED: usize = 64;

/// The operator that gives a value another shape without touching its bytes.
const VIEW: &str = "executorch_prim::et_view";

/// The operator that writes a part of its first argument, one part each time a loop goes round.
const COPY_INDEX: &str = "executorch_prim::et_copy_index";

impl<'a> Values<'a> {
    /// `limit` bounds how many values are named in all.
    pub fn new(plan: &ExecutionPlan<'a>, limit: usize) -> Values<'a> {
        Values { all: plan.values().into_iter().flatten().map(|value| value.get()).collect(), left: limit }
    }

    /// The tensor of each value.
    pub fn tensors(&self) -> Vec<Option<Tensor<'a>>> {
        let tensor = |value: &Value<'a>| if let Value::Tensor(tensor) = value { Some(*tensor) } else { None };
        self.all.iter().map(tensor).collect()
    }

    /// The tensors that a value is or lists.
    ///
    /// # Errors
    /// An index that leads nowhere, or too many uses in all.
    pub fn tensors_of(&mut self, path: &str, index: i32) -> Result<Vec<usize>, Fault> {
        let count = self.all.len();
        let lost = |index: i32| {
            Fault::new(path, Message::new("fault.flat-index").text("index", index.to_string()).count("count", count))
        };
        let find = |index: i32| usize::try_from(index).ok().filter(|&at| at < count).ok_or_else(|| lost(index));
        let at = find(index)?;
        let found = match &self.all[at] {
            Value::Tensor(_) => vec![at],
            Value::List(list) | Value::Optional(list) => {
                let items = list.items();
                let left = self.left.checked_sub(items.map_or(0, |items| items.len()));
                self.left = left.ok_or_else(|| Fault::new(path, Message::new("fault.pte-uses")))?;
                let present = items.into_iter().flatten().filter(|&item| item != -1);
                let items = present.map(find).collect::<Result<Vec<usize>, Fault>>()?;
                items.into_iter().filter(|&item| matches!(self.all[item], Value::Tensor(_))).collect()
            }
            _ => Vec::new(),
        };
        let left = self.left.checked_sub(1);
        self.left = left.ok_or_else(|| Fault::new(path, Message::new("fault.pte-uses")))?;
        Ok(found)
    }

    /// The instructions of all chains, in order. The destinations of jumps are counted through all
    /// chains, too.
    ///
    /// # Errors
    /// The first index that leads nowhere.
    pub fn instructions(&mut self, plan: &ExecutionPlan<'a>) -> Result<Vec<Named>, Fault> {
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
        // Numbers and flags that a kernel names may change while the program runs.
        let mut may_change = vec![false; self.all.len()];
        let (mut all, mut flags) = (Vec::new(), Vec::new());
        for chain in plan.chains().into_iter().flatten() {
            let first = all.len();
            for instruction in chain.instructions().into_iter().flatten() {
                let path = format!("instructions[{}]", all.len());
                let named = match instruction.get() {
                    Call::Kernel(call) => {
                        for arg in call.args().into_iter().flatten().filter_map(|arg| usize::try_from(arg).ok()) {
                            may_change.get_mut(arg).into_iter().for_each(|change| *change = true);
                        }
                        self.kernel(&path, &call, &operators)?
                    }
                    Call::Delegate(call) => {
                        let op = format!("delegate {}", listed(&path, &delegates, call.delegate_index())?);
                        let operands = self.flat(&path, call.args().into_iter().flatten())?;
                        Named { form: Form::Delegate, ..Named::reading(&op, operands.concat()) }
                    }
                    Call::Move(call) => {
                        let from = self.tensors_of(&path, call.move_from())?;
                        let results = self.tensors_of(&path, call.move_to())?;
                        let form = if from.len() == 1 && results.len() == 1 { Form::Move } else { Form::Other };
                        Named { form, results, ..Named::reading("move", from) }
                    }
                    Call::JumpFalse(call) => {
                        let to = usize::try_from(call.destination_instruction()).unwrap_or(usize::MAX);
                        let to = first.saturating_add(to);
                        flags.push((all.len(), call.cond_value_index()));
                        let operands = self.tensors_of(&path, call.cond_value_index())?;
                        Named { form: Form::Jump { to, always: false }, ..Named::reading("jump_false", operands) }
                    }
                    Call::Free(call) => Named::reading("free", self.tensors_of(&path, call.value_index())?),
                    Call::Other => Named::reading("unknown", Vec::new()),
                };
                all.push(named);
            }
        }
        for (at, flag) in flags {
            let flag = usize::try_from(flag).ok().filter(|&flag| !may_change[flag]);
            let is_false = |flag| matches!(&self.all[flag], Value::Flag(flag) if !flag.value());
            if let (Some(true), Form::Jump { always, .. }) = (flag.map(is_false), &mut all[at].form) {
                *always = true;
            }
        }
        Ok(all)
    }

    /// The tensors of each argument.
    fn flat(&mut self, path: &str, args: impl Iterator<Item = i32>) -> Result<Vec<Vec<usize>>, Fault> {
        args.map(|arg| self.tensors_of(path, arg)).collect()
    }

    fn kernel(&mut self, path: &str, call: &KernelCall, operators: &[String]) -> Result<Named, Fault> {
        let op = listed(path, operators, call.op_index())?.clone();
        let args: Vec<i32> = call.args().into_iter().flatten().collect();
        let flat = self.flat(path, args.iter().copied())?;
        let window = self.window(&op, &args);
        let mut named = split(&op, &args, &flat);
        named.window = window;
        let counter = args.get(2).and_then(|&arg| self.value(arg.into()));
        if named.form == Form::Part && !matches!(counter, Some(Value::Number(number)) if number.value() == 0) {
            named.form = Form::Kernel;
        }
        Ok(named)
    }

    /// The window of a kernel of ATen, whose arguments are those of its schema, all of them and in
    /// order.
    fn window(&self, op: &str, args: &[i32]) -> Vec<(String, Attr)> {
        let Some(name) = op.strip_prefix("aten::") else { return Vec::new() };
        let name = name.split_once('.').map_or(name, |(name, _)| name);
        aten::attributes(name, |position, _| self.stated(args.get(position).copied()))
    }

    fn value(&self, index: i64) -> Option<&Value<'a>> {
        self.all.get(usize::try_from(index).ok()?)
    }

    fn stated(&self, arg: Option<i32>) -> Argument {
        let json = |text: String| Argument::Stated(Attr::Json(text));
        match arg.and_then(|arg| self.value(arg.into())) {
            Some(Value::Number(number)) => json(number.value().to_string()),
            Some(Value::Flag(flag)) => json(flag.value().to_string()),
            Some(Value::Numbers(list)) => self.numbers(list).map_or(Argument::Open, json),
            Some(Value::Factor(factor)) => factors(std::iter::once(factor.value())).map_or(Argument::Open, json),
            Some(Value::Factors(list)) => factors(list.items().into_iter().flatten()).map_or(Argument::Open, json),
            // Null: it has its default.
            Some(Value::Other) => Argument::Default,
            _ => Argument::Open,
        }
    }

    /// A list of numbers as JSON; none if it is no size of a window.
    fn numbers(&self, list: &IntList) -> Option<String> {
        let items: Vec<i64> = list.items().into_iter().flatten().take(MOST_NUMBERS + 1).collect();
        let number =
            |&item: &i64| if let Some(Value::Number(number)) = self.value(item) { Some(number.value()) } else { None };
        let numbers: Vec<i64> = items.iter().map(number).collect::<Option<_>>()?;
        (numbers.len() <= MOST_NUMBERS).then(|| serde_json::to_string(&numbers).ok())?
    }
}

impl Named {
    fn reading(op: &str, operands: Vec<usize>) -> Named {
        Named {
            op: op.to_string(),
            form: Form::Other,
            operands,
            trailing: 0,
            results: Vec::new(),
            in_place: Vec::new(),
            window: Vec::new(),
        }
    }

    /// Every tensor that the instruction names, some of them more than once.
    pub fn tensors(&self) -> impl Iterator<Item = usize> + '_ {
        self.operands.iter().chain(&self.results).chain(&self.in_place).copied()
    }

    /// Whether the kernel replaces all bytes of its first operand.
    pub fn overwrites(&self) -> bool {
        base_of(&self.op) == "aten::copy_"
    }
}

/// The operator without its overload.
fn base_of(op: &str) -> &str {
    op.split_once('.').map_or(op, |(base, _)| base)
}

/// Parts the arguments of a kernel into operands and results. `flat` has the tensors of each.
fn split(op: &str, args: &[i32], flat: &[Vec<usize>]) -> Named {
    let (base, count) = (base_of(op), args.len());
    let operands = |end: usize| flat[..end].concat();
    let make = |end: usize, results: Vec<usize>, form: Form| {
        let tail = flat[..end].iter().rev().take_while(|tensors| tensors.len() == 1).count();
        Named { form, results, trailing: tail, ..Named::reading(op, operands(end)) }
    };
    if base.starts_with(VIEW) && count > 1 {
        return make(count - 1, flat[count - 1].clone(), Form::View);
    }
    if base.starts_with(COPY_INDEX) && count > 1 {
        return Named { form: Form::Part, in_place: flat[0].clone(), ..Named::reading(op, operands(count)) };
    }
    let Some(last) = flat.last().filter(|last| !last.is_empty()) else { return make(count, Vec::new(), Form::Kernel) };
    if base.ends_with('_') && count > 1 {
        return Named { in_place: last.clone(), ..make(count - 1, Vec::new(), Form::Kernel) };
    }
    let mirrored =
        (1..=MOST_RETURNED.min(count / 2)).find(|most| args[..count - most].ends_with(&args[count - most..]));
    if let Some(most) = mirrored {
        return make(count - 2 * most, flat[count - most..].concat(), Form::Kernel);
    }
    // Several results: one by one, or a list of them, and then the list.
    let mut before = count - 1;
    let mut missing = last.len();
    while before > 0 && missing >= flat[before - 1].len() && missing > 0 {
        before -= 1;
        missing -= flat[before].len();
    }
    if missing == 0 && flat[before..count - 1].concat() == *last {
        return make(before, last.clone(), Form::Kernel);
    }
    let earlier: BTreeSet<usize> = operands(count - 1).into_iter().collect();
    if last.iter().all(|result| earlier.contains(result)) {
        return Named { in_place: last.clone(), ..make(count - 1, Vec::new(), Form::Kernel) };
    }
    make(count, Vec::new(), if last.len() == 1 { Form::OpenKernel } else { Form::Kernel })
}

/// Factors as JSON; none if they are no factors of an image.
fn factors(factors: impl Iterator<Item = f64>) -> Option<String> {
    let factors: Vec<f64> = factors.take(MOST_NUMBERS + 1).collect();
    let is_plain = factors.len() <= MOST_NUMBERS && factors.iter().all(|factor| factor.is_finite());
    is_plain.then(|| serde_json::to_string(&factors).ok())?
}

fn listed<'n, T>(path: &str, names: &'n [T], index: i32) -> Result<&'n T, Fault> {
    let found = usize::try_from(index).ok().and_then(|index| names.get(index));
    found.ok_or_else(|| {
        let message = Message::new("fault.flat-index").text("index", index.to_string());
        Fault::new(path, message.count("count", names.len()))
    })
}
