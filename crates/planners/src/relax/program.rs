//! What the pass reads of a function: blocks of bindings that allocate tensors, name them and pass
//! them to calls.

use super::size::Size;
use memplan_core::problem::BufferId;

/// A function after results have become arguments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Function {
    /// Number of variables.
    pub variables: u32,
    /// Its body.
    pub blocks: Vec<Block>,
    /// What it returns.
    pub result: Argument,
    /// Whether results of symbolic shape get storages of their own
    /// (`relax.memory_plan_dynamic_func_output`).
    pub plans_dynamic_results: bool,
}

/// A binding block. A branch of an `if` has blocks of its own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// Its bindings in order.
    pub bindings: Vec<Binding>,
}

/// A tensor that is allocated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tensor {
    /// Its bytes.
    pub size: Size,
    /// The same at the values chosen for symbols.
    pub bytes: u64,
    /// Number of its memory scope and element type: only equal ones share a storage.
    pub key: u32,
    /// Whether its shape has symbols.
    pub is_symbolic: bool,
    /// Its number among all tensors that are allocated.
    pub buffer: BufferId,
    /// Uses beside those of the calls, which are never over.
    pub held: u32,
}

/// What a call does to the tensors that it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// A kernel or an external function: each argument counts by itself.
    Counts,
    /// The same with all arguments in one tuple (`vm.call_tir_dyn`).
    CountsAsTuple,
    /// Any other operator or function: what it is given is left out of the plan.
    Discards,
}

/// A binding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Binding {
    /// Memory for a tensor.
    Allocate {
        /// The variable.
        variable: u32,
        /// The tensor.
        tensor: Tensor,
    },
    /// A call that writes its results into arguments.
    Call {
        /// Step at which it runs.
        step: u32,
        /// What it does to tensors.
        how: How,
        /// Its arguments.
        arguments: Vec<Argument>,
    },
    /// A view or another name: the variable stands for the tensors of the value.
    Name {
        /// The variable.
        variable: u32,
        /// What it stands for.
        value: Argument,
    },
    /// A branch.
    If(Box<Branches>),
}

/// Both branches of an `if`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Branches {
    /// What decides.
    pub condition: Argument,
    /// The blocks of each branch, the true one first, and what it gives.
    pub branches: [(Vec<Block>, Argument); 2],
}

/// What a call is given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Argument {
    /// A constant, a shape: no tensor.
    #[default]
    Other,
    /// A variable.
    Variable(u32),
    /// A tuple.
    Tuple(Vec<Argument>),
    /// A field of a tuple.
    Field(Box<Argument>, usize),
}
