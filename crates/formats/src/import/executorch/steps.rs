//! Instructions as steps: what each reads and what it makes.
//!
//! A value is made where it is first written; an instruction that writes it again counts as reading
//! it, so that it lives on. A value that an instruction reads before any has written it is one of
//! these:
//!
//! * another name of what was last written at its place, if that has the same size: a view, which
//!   the emitter leaves no instruction for. A step of its own is put before its first reader.
//! * working memory of a kernel: nothing else names it.
//! * a state, which holds its contents from run to run.

use super::calls::{Form, Named, Values};
use super::schema::{ExecutionPlan, Tensor};
use super::written::{Regions, Written};
use memplan_core::graph::{Attr, Fault};

/// What a value is to the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The caller provides it.
    Input,
    /// Data of the program, or nothing at all.
    Constant,
    /// Read before it is written, or with contents to begin with: it outlives a run.
    State,
    /// Written by an instruction, or another name of something.
    Made,
}

/// A step.
#[derive(Debug)]
pub struct Instruction {
    /// Name of the operator.
    pub op: String,
    /// Number of the instruction; none of a step without one, which is named by its first output.
    pub number: Option<usize>,
    /// Values by index.
    pub inputs: Vec<usize>,
    /// Values by index.
    pub outputs: Vec<usize>,
    /// What the instruction does.
    pub form: Form,
    /// The output is the first input under another name.
    pub is_view: bool,
    /// Inputs that it writes.
    pub in_place: Vec<usize>,
    /// Window of a kernel that has one.
    pub window: Vec<(String, Attr)>,
}

impl Instruction {
    /// A step that the program has no instruction for.
    fn without(op: &str) -> Instruction {
        Instruction {
            op: op.into(),
            number: None,
            inputs: Vec::new(),
            outputs: Vec::new(),
            form: Form::Other,
            is_view: false,
            in_place: Vec::new(),
            window: Vec::new(),
        }
    }
}

/// All that the instructions of a program do.
pub struct Instructions<'a> {
    /// The tensor of each value.
    pub tensors: Vec<Option<Tensor<'a>>>,
    /// Bytes of each value, without those of a type or shape that is not known.
    pub bytes: Vec<Option<u64>>,
    /// What each value is; none of what nothing names.
    pub roles: Vec<Option<Role>>,
    /// The steps in order.
    pub steps: Vec<Instruction>,
    /// The value whose bytes each value is another name of, or itself.
    pub roots: Vec<usize>,
    /// Number of views that have no instruction.
    pub views: u64,
    /// Number of values that are working memory of a kernel.
    pub scratch: u64,
    /// Number of calls of delegates.
    pub delegates: u64,
    /// Number of jumps.
    pub jumps: u64,
    /// The first step of each instruction.
    pub first_step: Vec<usize>,
    /// The step that makes each value, by index.
    pub made_at: Vec<usize>,
    written: Written,
    uses: Uses,
}

/// How often values are named.
#[derive(Debug, Default)]
struct Uses {
    /// Number of instructions that name each value, and the last of them.
    count: Vec<(usize, usize)>,
    is_output: Vec<bool>,
    /// Whether each value is a result by its position in some call.
    is_result: Vec<bool>,
    /// Values before this one come from placeholders, since inputs are the last of these.
    placeholders: usize,
}

impl<'a> Instructions<'a> {
    /// Walks the instructions of all chains, in order. `limit` bounds how many values are named in
    /// all; `bytes_of` returns the size of a tensor if it is known.
    ///
    /// # Errors
    /// The first index that leads nowhere.
    pub fn read(
        plan: &ExecutionPlan<'a>,
        limit: usize,
        bytes_of: impl Fn(&Tensor) -> Option<u64>,
    ) -> Result<Instructions<'a>, Fault> {
        let mut values = Values::new(plan, limit);
        let tensors = values.tensors();
        let count = tensors.len();
        let named = values.instructions(plan)?;
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for (at, index) in plan.inputs().into_iter().flatten().enumerate() {
            inputs.extend(values.tensors_of(&format!("inputs[{at}]"), index)?);
        }
        for (at, index) in plan.outputs().into_iter().flatten().enumerate() {
            outputs.extend(values.tensors_of(&format!("outputs[{at}]"), index)?);
        }
        let last = plan.inputs().into_iter().flatten().max().and_then(|last| usize::try_from(last).ok());
        let uses = Uses::of(&named, &outputs, count, last.unwrap_or(0));
        let mut all = Instructions {
            bytes: tensors.iter().map(|tensor| tensor.as_ref().and_then(&bytes_of)).collect(),
            tensors,
            roles: vec![None; count],
            steps: Vec::with_capacity(named.len()),
            roots: (0..count).collect(),
            views: 0,
            scratch: 0,
            delegates: 0,
            jumps: 0,
            first_step: Vec::with_capacity(named.len()),
            made_at: vec![usize::MAX; count],
            written: Written::default(),
            uses,
        };
        for &value in &inputs {
            all.roles[value] = Some(Role::Input);
            all.wrote(value, 0);
        }
        all.know_states();
        if !named.is_empty() {
            all.place_unread(&inputs);
        }
        let mut regions = Regions::of(&named);
        for (number, named) in named.into_iter().enumerate() {
            all.written.leave_out(regions.excluded(number));
            all.step(number, named);
        }
        all.written.leave_out(&[]);
        for &value in &outputs {
            // An output that nothing makes is a view, a constant or a state that is handed out.
            all.know(value, all.first_step.len());
        }
        all.return_inputs(&outputs);
        Ok(all)
    }

    /// What has contents to begin with, and what the emitter listed before the inputs without
    /// contents: buffers that the program changes.
    fn know_states(&mut self) {
        for value in 0..self.tensors.len() {
            let Some(tensor) = self.tensors[value].filter(|_| self.roles[value].is_none()) else { continue };
            let is_buffer = value < self.uses.placeholders
                && self.uses.count[value].0 > 0
                && tensor.place().is_some()
                && !self.uses.is_result[value];
            if tensor.has_initial_state() || is_buffer {
                self.roles[value] = Some(Role::State);
                self.wrote(value, 0);
            }
        }
    }

    /// The caller writes the inputs before the first instruction. Those that none reads take their
    /// places for that time alone, which is a step of its own.
    fn place_unread(&mut self, inputs: &[usize]) {
        let is_unread = |&value: &usize| self.uses.count[value].0 == 0 && !self.uses.is_output[value];
        let is_placed = |&value: &usize| self.tensors[value].is_some_and(|tensor| tensor.place().is_some());
        let unread: Vec<usize> = inputs.iter().copied().filter(|value| is_unread(value) && is_placed(value)).collect();
        if !unread.is_empty() {
            self.steps.push(Instruction { outputs: unread, ..Instruction::without("placeholder") });
        }
    }

    /// An input that is returned is read by the caller after the last instruction, which is a step
    /// of its own.
    fn return_inputs(&mut self, outputs: &[usize]) {
        let is_input = |&value: &usize| self.roles[value] == Some(Role::Input);
        let mut returned: Vec<usize> = outputs.iter().copied().filter(is_input).collect();
        returned.sort_unstable();
        returned.dedup();
        if !returned.is_empty() {
            self.steps.push(Instruction { inputs: returned, ..Instruction::without("output") });
        }
    }

    /// A value has bytes of its own from this instruction on.
    fn wrote(&mut self, value: usize, number: usize) {
        let root = self.roots[value];
        if let Some(place) = self.tensors[value].and_then(|tensor| tensor.place()) {
            self.written.push(place, number, root);
        }
    }

    /// Finds out what a value is that is read before an instruction has written it.
    fn know(&mut self, value: usize, number: usize) {
        let Some(tensor) = self.tensors[value].filter(|_| self.roles[value].is_none()) else { return };
        let is_nothing = tensor.place().is_none() && self.bytes[value] == Some(0);
        let role = if tensor.is_constant() || is_nothing {
            Role::Constant
        } else if let Some(root) = self.root_at(value) {
            self.roots[value] = root;
            self.views += 1;
            self.steps.push(Instruction {
                inputs: vec![root],
                outputs: vec![value],
                form: Form::View,
                is_view: true,
                ..Instruction::without("view")
            });
            Role::Made
        } else {
            self.wrote(value, number);
            Role::State
        };
        self.roles[value] = Some(role);
    }

    /// What was last written at the place of a value, if that has its size.
    fn root_at(&self, value: usize) -> Option<usize> {
        let root = self.written.last(self.tensors[value]?.place()?)?;
        let size = self.bytes[value].filter(|size| *size > 0)?;
        (self.bytes[root] == Some(size)).then_some(root)
    }

    /// Whether an operand that nothing has written is working memory: nothing else names it, it
    /// stands directly before the results of a kernel that is not one of ATen's, and it is not
    /// something that no instruction has read yet.
    fn is_scratch(&self, op: &str, value: usize) -> bool {
        let has_none = op.starts_with("aten::") || op.starts_with("executorch_prim::");
        let is_alone = self.uses.count[value].0 == 1 && !self.uses.is_output[value];
        let is_open = self.roles[value].is_none() && self.tensors[value].is_some_and(|tensor| !tensor.is_constant());
        let is_placed = self.tensors[value].is_some_and(|tensor| tensor.place().is_some());
        !has_none
            && is_alone
            && is_open
            && is_placed
            && self.root_at(value).is_none_or(|root| self.written.is_read(root))
    }

    fn step(&mut self, number: usize, named: Named) {
        self.first_step.push(self.steps.len());
        self.delegates += u64::from(named.form == Form::Delegate);
        self.jumps += u64::from(matches!(named.form, Form::Jump { .. }));
        let overwrites = named.overwrites();
        let Named { op, form, mut operands, trailing, mut results, in_place, window } = named;
        match form {
            Form::Delegate => results = operands.split_off(self.inputs_of_delegate(&operands)),
            // Nothing has written it, so that the call must.
            Form::OpenKernel if operands.last().is_some_and(|&last| self.is_open(last)) => {
                results.extend(operands.pop());
            }
            _ => {}
        }
        let mut scratch = Vec::new();
        let tail = operands.len() - trailing.min(operands.len());
        // The first operand is what the kernel works on.
        while operands.len() > tail.max(1) && operands.last().is_some_and(|&last| self.is_scratch(&op, last)) {
            scratch.extend(operands.pop());
        }
        scratch.reverse();
        self.scratch += scratch.len() as u64;
        let is_fresh = |all: &Self, value: usize| {
            // What a copy fills and others use later in the run is made there; a buffer that the
            // program changes is filled at the end.
            let is_used = all.uses.count[value].1 > number || all.uses.is_output[value];
            all.is_open(value) && (op.starts_with("executorch_prim::") || overwrites && is_used)
        };
        let made: Vec<usize> = in_place.iter().copied().filter(|&value| is_fresh(self, value)).collect();
        operands.retain(|operand| !made.contains(operand));
        for &operand in &operands {
            self.know(operand, number);
        }
        let at = self.steps.len();
        let mut step = Instruction {
            op,
            number: Some(number),
            inputs: operands,
            outputs: Vec::new(),
            form,
            is_view: false,
            in_place,
            window,
        };
        for &value in &step.inputs {
            self.written.read(self.roots[value]);
        }
        for value in results.into_iter().chain(made).chain(scratch) {
            self.make(&mut step, value, at);
        }
        step.is_view = match form {
            Form::View => self.may_share(&step),
            Form::Move => step.inputs.len() == 1 && step.outputs.len() == 1,
            _ => false,
        };
        if let (true, Form::View, [from], [to]) = (step.is_view, form, &step.inputs[..], &step.outputs[..]) {
            self.roots[*to] = self.roots[*from];
        }
        if !matches!(form, Form::View | Form::Move) {
            let written: Vec<usize> = step.outputs.iter().chain(&step.in_place).copied().collect();
            written.into_iter().for_each(|value| self.wrote(value, number));
        }
        self.steps.push(step);
    }

    /// Whether the program returns a value.
    pub fn is_output(&self, value: usize) -> bool {
        self.uses.is_output[value]
    }

    fn is_open(&self, value: usize) -> bool {
        self.roles[value].is_none() && self.tensors[value].is_some_and(|tensor| !tensor.is_constant())
    }

    /// A result: made here, or written again.
    fn make(&mut self, step: &mut Instruction, value: usize, at: usize) {
        if self.is_open(value) {
            self.roles[value] = Some(Role::Made);
            self.made_at[value] = at;
            step.outputs.push(value);
        } else if self.made_at[value] != at {
            self.know(value, at);
            step.inputs.push(value);
            step.in_place.push(value);
        }
    }

    /// Number of operands of a delegate that it reads. Its results follow: tensors that nothing has
    /// written. One of these is a view that it reads if it lies at something that nothing has read
    /// yet, or if nothing uses it afterwards.
    fn inputs_of_delegate(&self, operands: &[usize]) -> usize {
        let written = operands.iter().rposition(|&value| !self.is_open(value)).map_or(0, |at| at + 1);
        let is_view = |&value: &usize| {
            let is_used = self.uses.count[value].0 > 1 || self.uses.is_output[value];
            self.root_at(value).is_some_and(|root| !self.written.is_read(root) || !is_used)
        };
        let views = operands[written..].iter().rposition(is_view).map_or(0, |at| at + 1);
        // A delegate has at least one result.
        (written + views).min(operands.len().saturating_sub(1).max(written))
    }

    /// Whether a view lies where its source lies. The caller may provide either.
    fn may_share(&self, step: &Instruction) -> bool {
        let place = |value: &usize| self.tensors[*value].and_then(|tensor| tensor.place());
        let ([from], [to]) = (&step.inputs[..], &step.outputs[..]) else { return false };
        place(from).zip(place(to)).is_none_or(|(from, to)| from == to)
    }
}

impl Uses {
    fn of(named: &[Named], outputs: &[usize], count: usize, placeholders: usize) -> Uses {
        let mut uses = Uses {
            count: vec![(0, 0); count],
            is_output: vec![false; count],
            is_result: vec![false; count],
            placeholders,
        };
        for (number, named) in named.iter().enumerate() {
            for value in named.tensors() {
                let (times, last) = &mut uses.count[value];
                *times += usize::from(*times == 0 || *last != number);
                *last = number;
            }
            named.results.iter().for_each(|&value| uses.is_result[value] = true);
        }
        outputs.iter().for_each(|&value| uses.is_output[value] = true);
        uses
    }
}
