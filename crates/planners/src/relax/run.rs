//! Both walks of the original: `StorageAllocatorInit` counts and leaves out, `StorageAllocator`
//! hands storages on.

use std::collections::BTreeMap;

use super::pool::{Pool, RANGE};
use super::program::{Argument, Binding, Block, Branches, Function, How, Tensor};
use super::size::Size;
use memplan_core::problem::{self, BufferId};
use memplan_core::trace::{Event, Note, Outcome, Probe, Verdict, in_the_way};

/// Why there is no plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// From outside.
    Cancelled,
    /// A tensor of another block stands twice in one argument: the original's check fails.
    Twice,
    /// A storage is given back more often than it was counted: the original's check fails.
    Uncounted,
}

impl Stopped {
    /// The check of the original that fails.
    pub fn check(self) -> &'static str {
        match self {
            Stopped::Cancelled => "",
            Stopped::Twice => "(it != this->token2block_.end()) is false",
            Stopped::Uncounted => "token->ref_counter > 0",
        }
    }
}

/// A storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Storage {
    /// Its final size.
    pub size: Size,
    /// The same at the values chosen for symbols.
    pub bytes: u64,
    /// The tensor that it was made for.
    pub first: BufferId,
    /// The branches in which it was made.
    path: Vec<(u32, usize)>,
    /// Tensors that it holds, or held last.
    holders: Vec<BufferId>,
    /// Number of its memory scope and element type.
    key: u32,
    /// Uses still to come.
    uses: u32,
}

/// Where a tensor lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    /// Its storage; none if it is left out of the plan.
    pub storage: Option<u32>,
    /// Whether the variable of the storage is not defined there, a fault of the original.
    pub is_out_of_scope: bool,
}

/// What the pass leaves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Planned {
    /// Storages in the order in which they are made.
    pub storages: Vec<Storage>,
    /// Tensors in the order in which they are allocated.
    pub tensors: Vec<(BufferId, Placed)>,
}

/// Plans a function. `memory_of`: the memory of each tensor, as events name it.
pub fn run(
    function: &Function,
    branches: &problem::Branches,
    memory_of: &dyn Fn(BufferId) -> u32,
    probe: &mut dyn Probe,
) -> Result<Planned, Stopped> {
    let mut init = Init { tokens: Vec::new(), of_buffer: BTreeMap::new(), values: values(function), blocks: 0 };
    init.count(&function.blocks)?;
    let result = init.value(&function.result);
    init.discard(&result);
    for (&buffer, &token) in &init.of_buffer {
        if init.tokens[token as usize].is_discarded {
            probe.event(Event::Note { note: Note::Discarded, subject: buffer.0, a: 0, b: 0 });
        }
    }
    let total = init.of_buffer.len() as u64;
    let mut allocator = Allocator {
        tokens: init.tokens,
        of_buffer: init.of_buffer,
        storage_of: Vec::new(),
        values: values(function),
        plans_dynamic_results: function.plans_dynamic_results,
        pools: BTreeMap::new(),
        planned: Planned::default(),
        path: Vec::new(),
        ifs: 0,
        branches,
        memory_of,
        decisions: 0,
        total,
        probe,
    };
    allocator.storage_of = vec![None; allocator.tokens.len()];
    allocator.blocks(&function.blocks)?;
    Ok(allocator.planned)
}

fn values(function: &Function) -> Vec<Value> {
    vec![Value::None; function.variables as usize]
}

/// What a variable stands for.
#[derive(Clone, Debug)]
enum Value {
    None,
    Token(u32),
    Tuple(Vec<Value>),
}

impl Value {
    /// The tokens in it, each as often as it stands there.
    fn tokens(&self) -> Vec<u32> {
        match self {
            Value::None => Vec::new(),
            Value::Token(token) => vec![*token],
            Value::Tuple(fields) => fields.iter().flat_map(Value::tokens).collect(),
        }
    }
}

/// The value of an argument.
fn value(values: &[Value], argument: &Argument) -> Value {
    match argument {
        Argument::Other => Value::None,
        Argument::Variable(variable) => values.get(*variable as usize).cloned().unwrap_or(Value::None),
        Argument::Tuple(fields) => Value::Tuple(fields.iter().map(|field| value(values, field)).collect()),
        Argument::Field(tuple, index) => match value(values, tuple) {
            Value::Tuple(fields) => fields.into_iter().nth(*index).unwrap_or(Value::None),
            _ => Value::None,
        },
    }
}

/// A tensor in the first walk.
#[derive(Debug)]
struct Token {
    /// How often calls are given it.
    uses: u32,
    /// The block in which it was allocated.
    block: u32,
    is_discarded: bool,
}

/// The first walk.
struct Init {
    tokens: Vec<Token>,
    of_buffer: BTreeMap<BufferId, u32>,
    values: Vec<Value>,
    blocks: u32,
}

impl Init {
    fn value(&self, argument: &Argument) -> Value {
        value(&self.values, argument)
    }

    /// The tokens of a value that are still planned.
    fn planned(&self, value: &Value) -> Vec<u32> {
        value.tokens().into_iter().filter(|&token| !self.tokens[token as usize].is_discarded).collect()
    }

    fn discard(&mut self, value: &Value) {
        value.tokens().into_iter().for_each(|token| self.tokens[token as usize].is_discarded = true);
    }

    fn count(&mut self, blocks: &[Block]) -> Result<(), Stopped> {
        for block in blocks {
            let here = self.blocks;
            self.blocks += 1;
            for binding in &block.bindings {
                self.bind(binding, here)?;
            }
        }
        Ok(())
    }

    fn bind(&mut self, binding: &Binding, here: u32) -> Result<(), Stopped> {
        match binding {
            Binding::Allocate { variable, tensor } => {
                let token = self.tokens.len() as u32;
                self.tokens.push(Token { uses: tensor.held, block: here, is_discarded: false });
                self.of_buffer.insert(tensor.buffer, token);
                self.values[*variable as usize] = Value::Token(token);
            }
            Binding::Name { variable, value } => self.values[*variable as usize] = self.value(value),
            Binding::Call { how: How::Counts, arguments, .. } => {
                arguments.iter().try_for_each(|argument| self.argument(&self.value(argument), here))?;
            }
            Binding::Call { how: How::CountsAsTuple, arguments, .. } => {
                let fields = arguments.iter().map(|argument| self.value(argument)).collect();
                self.argument(&Value::Tuple(fields), here)?;
            }
            Binding::Call { how: How::Discards, arguments, .. } => {
                for argument in arguments {
                    self.discard(&self.value(argument));
                }
            }
            Binding::If(both) => {
                let condition = self.value(&both.condition);
                for (blocks, result) in &both.branches {
                    self.count(blocks)?;
                    self.discard(&self.value(result));
                }
                self.discard(&condition);
            }
        }
        Ok(())
    }

    /// An argument of a call that counts.
    fn argument(&mut self, value: &Value, here: u32) -> Result<(), Stopped> {
        for token in self.planned(value) {
            let token = &mut self.tokens[token as usize];
            if token.is_discarded {
                return Err(Stopped::Twice);
            }
            token.is_discarded = token.block != here;
        }
        self.planned(value).into_iter().for_each(|token| self.tokens[token as usize].uses += 1);
        Ok(())
    }
}

/// The second walk.
struct Allocator<'a> {
    tokens: Vec<Token>,
    of_buffer: BTreeMap<BufferId, u32>,
    /// The storage that each token got.
    storage_of: Vec<Option<u32>>,
    values: Vec<Value>,
    plans_dynamic_results: bool,
    pools: BTreeMap<u32, Pool>,
    planned: Planned,
    /// The branches that the walk is in: number of the `if` and of the branch.
    path: Vec<(u32, usize)>,
    ifs: u32,
    branches: &'a problem::Branches,
    memory_of: &'a dyn Fn(BufferId) -> u32,
    decisions: u32,
    total: u64,
    probe: &'a mut dyn Probe,
}

impl Allocator<'_> {
    fn blocks(&mut self, blocks: &[Block]) -> Result<(), Stopped> {
        for binding in blocks.iter().flat_map(|block| &block.bindings) {
            match binding {
                Binding::Allocate { variable, tensor } => self.allocate(*variable, tensor)?,
                Binding::Name { variable, value } => self.values[*variable as usize] = self::value(&self.values, value),
                Binding::Call { step, arguments, .. } => self.call(*step, arguments)?,
                Binding::If(both) => self.both(both)?,
            }
        }
        Ok(())
    }

    fn both(&mut self, both: &Branches) -> Result<(), Stopped> {
        self.ifs += 1;
        let number = self.ifs;
        for (branch, (blocks, _)) in both.branches.iter().enumerate() {
            self.path.push((number, branch));
            self.blocks(blocks)?;
            self.path.pop();
        }
        Ok(())
    }

    fn allocate(&mut self, variable: u32, tensor: &Tensor) -> Result<(), Stopped> {
        let Some(&token) = self.of_buffer.get(&tensor.buffer) else { return Ok(()) };
        self.values[variable as usize] = Value::Token(token);
        if self.tokens[token as usize].is_discarded {
            let is_planned = self.plans_dynamic_results && tensor.is_symbolic;
            let storage = is_planned.then_some(self.planned.storages.len() as u32);
            if is_planned {
                self.begin(tensor)?;
                self.make(tensor, 0);
            }
            self.planned.tensors.push((tensor.buffer, Placed { storage, is_out_of_scope: false }));
            return Ok(());
        }
        self.begin(tensor)?;
        let uses = self.tokens[token as usize].uses;
        let storage = self.request(tensor, uses);
        self.storage_of[token as usize] = Some(storage);
        let made_in = &self.planned.storages[storage as usize].path;
        let is_out_of_scope = !self.path.starts_with(made_in);
        self.planned.tensors.push((tensor.buffer, Placed { storage: Some(storage), is_out_of_scope }));
        Ok(())
    }

    fn begin(&mut self, tensor: &Tensor) -> Result<(), Stopped> {
        if self.probe.pulse(self.decisions.into(), self.total.max(self.decisions.into())).is_break() {
            return Err(Stopped::Cancelled);
        }
        self.probe.event(Event::Begin { buffer: tensor.buffer });
        self.decisions += 1;
        Ok(())
    }

    fn note(&mut self, note: Note, subject: u32, a: u64, b: u64) {
        self.probe.event(Event::Note { note, subject, a, b });
    }

    /// `RequestReuse`, else a new storage. Returns its number.
    fn request(&mut self, tensor: &Tensor, uses: u32) -> u32 {
        if uses == 0 {
            return self.make(tensor, 0);
        }
        let found = match &tensor.size {
            Size::Bytes(bytes) => self.of_known_size(tensor, *bytes),
            Size::Symbolic(_) => self.of_symbolic_size(tensor),
        };
        let Some(number) = found else { return self.make(tensor, uses) };
        let storage = &mut self.planned.storages[number as usize];
        let before = storage.bytes;
        storage.bytes = before.max(tensor.bytes);
        if let (Size::Bytes(old), Size::Bytes(new)) = (&storage.size, &tensor.size)
            && new > old
        {
            storage.size = tensor.size.clone();
        }
        let after = storage.bytes;
        storage.uses = uses;
        storage.holders = vec![tensor.buffer];
        let outcome = if after > before { Outcome::Enlarge } else { Outcome::Reuse };
        self.place(tensor, number, outcome, (before, after), uses);
        number
    }

    fn of_known_size(&mut self, tensor: &Tensor, bytes: u64) -> Option<u32> {
        self.note(Note::Request, tensor.buffer.0, bytes, 0);
        let range = u32::try_from(RANGE).unwrap_or(u32::MAX);
        self.note(Note::Window, range, bytes / RANGE, bytes.saturating_mul(RANGE));
        let detail = self.probe.wants_detail(self.decisions - 1);
        let (mut taken, mut looks) = (None, Vec::new());
        if let Some(pool) = self.pools.get(&tensor.key) {
            for (key, storage) in pool.candidates(bytes) {
                let good = if taken.is_some() { Verdict::Fits } else { Verdict::Chosen };
                let verdict = if self.allowed(storage, tensor.buffer) { good } else { Verdict::Parallel };
                if verdict == Verdict::Chosen {
                    taken = Some((key, storage));
                }
                if detail {
                    looks.push((storage, key.0, verdict));
                }
                if taken.is_some() && !detail {
                    break;
                }
            }
            if detail {
                let outside = pool.outside(bytes).map(|(size, storage)| {
                    (storage, size, if size < bytes { Verdict::BelowRange } else { Verdict::AboveRange })
                });
                looks.extend(outside);
            }
        }
        if detail {
            let others = self.pools.iter().filter(|(key, _)| **key != tensor.key).flat_map(|(_, pool)| pool.known());
            looks.extend(others.map(|(size, storage)| (storage, size, Verdict::OtherKey)));
        }
        self.show(&looks, tensor.buffer);
        let (key, storage) = taken?;
        self.pools.entry(tensor.key).or_default().take(key);
        Some(storage)
    }

    fn of_symbolic_size(&mut self, tensor: &Tensor) -> Option<u32> {
        let pool = self.pools.get(&tensor.key)?;
        let storage = pool.equal(&tensor.size).find(|&storage| self.allowed(storage, tensor.buffer))?;
        if self.probe.wants_detail(self.decisions - 1) {
            let size = self.planned.storages[storage as usize].bytes;
            self.show(&[(storage, size, Verdict::Chosen)], tensor.buffer);
        }
        self.pools.entry(tensor.key).or_default().take_symbolic(storage);
        Some(storage)
    }

    fn show(&mut self, looks: &[(u32, u64, Verdict)], buffer: BufferId) {
        for &(storage, size, verdict) in looks {
            if verdict == Verdict::Parallel {
                let holders = self.planned.storages[storage as usize].holders.iter().copied();
                in_the_way(self.probe, holders.filter(|&holder| !self.branches.allow(holder, buffer)));
            }
            self.probe.event(Event::AskStorage { verdict, pool: storage, size });
        }
    }

    /// Whether branches allow a tensor in a storage. What held it before its last tensor was over
    /// before that was made.
    fn allowed(&self, storage: u32, buffer: BufferId) -> bool {
        let holders = &self.planned.storages[storage as usize].holders;
        holders.iter().all(|&holder| self.branches.allow(holder, buffer))
    }

    fn make(&mut self, tensor: &Tensor, uses: u32) -> u32 {
        let number = self.planned.storages.len() as u32;
        self.planned.storages.push(Storage {
            size: tensor.size.clone(),
            bytes: tensor.bytes,
            first: tensor.buffer,
            path: self.path.clone(),
            holders: vec![tensor.buffer],
            key: tensor.key,
            uses,
        });
        let memory = (self.memory_of)(tensor.buffer);
        self.probe.event(Event::OpenPool { pool: number, memory, growing: false });
        self.place(tensor, number, Outcome::NewStorage, (0, tensor.bytes), uses);
        number
    }

    fn place(&mut self, tensor: &Tensor, storage: u32, outcome: Outcome, (from, to): (u64, u64), uses: u32) {
        let buffer = tensor.buffer;
        self.probe.event(Event::Place { outcome, buffer, pool: storage, offset: 0 });
        if to > from {
            self.probe.event(Event::Grow { pool: storage, from, to });
        }
        self.probe.event(Event::Refs { buffer, from: 0, to: uses });
    }

    /// A call is over: everything that it was given is counted down.
    fn call(&mut self, step: u32, arguments: &[Argument]) -> Result<(), Stopped> {
        let mut is_named = false;
        for argument in arguments {
            for token in value(&self.values, argument).tokens() {
                let Some(number) = self.storage_of[token as usize] else { continue };
                if !std::mem::replace(&mut is_named, true) {
                    self.note(Note::Node, step, 0, 0);
                }
                self.count_down(number)?;
            }
        }
        Ok(())
    }

    fn count_down(&mut self, number: u32) -> Result<(), Stopped> {
        let storage = &mut self.planned.storages[number as usize];
        let from = storage.uses;
        storage.uses = from.checked_sub(1).ok_or(Stopped::Uncounted)?;
        let (to, holder) = (storage.uses, storage.holders.last().copied().unwrap_or(storage.first));
        self.probe.event(Event::Refs { buffer: holder, from, to });
        if to == 0 {
            let Storage { size, key, holders, .. } = &self.planned.storages[number as usize];
            self.pools.entry(*key).or_default().release(size, number);
            holders.iter().for_each(|&buffer| self.probe.event(Event::Release { buffer }));
        }
        Ok(())
    }
}
