//! The tables of an ExecuTorch program that values, instructions and places need.
//!
//! **From**: pytorch/executorch, `schema/program.fbs` (00c328e3).

use flatbuffers::{ForwardsUOffset, Vector};

use crate::import::flat::{table, union};

table!(Program {
    version = 4: scalar u32,
    execution_plan = 6: offset Vector<'a, ForwardsUOffset<ExecutionPlan<'a>>>,
});

table!(ExecutionPlan {
    name = 4: offset &'a str,
    values = 8: offset Vector<'a, ForwardsUOffset<EValue<'a>>>,
    inputs = 10: offset Vector<'a, i32>,
    outputs = 12: offset Vector<'a, i32>,
    chains = 14: offset Vector<'a, ForwardsUOffset<Chain<'a>>>,
    operators = 16: offset Vector<'a, ForwardsUOffset<Operator<'a>>>,
    delegates = 18: offset Vector<'a, ForwardsUOffset<Delegate<'a>>>,
    non_const_buffer_sizes = 20: offset Vector<'a, i64>,
});

union!(
    /// What a value is, as far as it holds tensors, numbers or a flag.
    EValue as Value, 4, 6 {
        Number = 2: Int,
        Flag = 3: Bool,
        Factor = 4: Double,
        Tensor = 5: Tensor,
        Numbers = 7: IntList,
        Factors = 8: DoubleList,
        List = 10: Items,
        Optional = 11: Items,
    }
);

table!(Int { value = 4: scalar i64 });

table!(Double { value = 4: scalar f64 });

table!(DoubleList { items = 4: offset Vector<'a, f64> });

table!(Bool { value = 4: scalar bool });

table!(
    /// A list of whole numbers, each a value by index.
    IntList { items = 4: offset Vector<'a, i64> }
);

table!(
    /// A list of values by index, -1 for none.
    Items { items = 4: offset Vector<'a, i32> }
);

table!(Tensor {
    scalar_type = 4: scalar i8,
    sizes = 8: offset Vector<'a, i32>,
    data_buffer_idx = 14: scalar u32,
    allocation_info = 16: offset AllocationDetails<'a>,
    shape_dynamism = 20: scalar i8,
    extra_tensor_info = 22: offset ExtraTensorInfo<'a>,
});

table!(AllocationDetails {
    memory_id = 4: scalar u32,
    memory_offset_low = 6: scalar u32,
    memory_offset_high = 8: scalar u32,
});

table!(ExtraTensorInfo {
    fully_qualified_name = 6: offset &'a str,
    location = 8: scalar i8,
});

table!(Chain { instructions = 8: offset Vector<'a, ForwardsUOffset<Instruction<'a>>> });

union!(
    /// What an instruction does.
    Instruction as Call, 4, 6 {
        Kernel = 1: KernelCall,
        Delegate = 2: DelegateCall,
        Move = 3: MoveCall,
        JumpFalse = 4: JumpFalseCall,
        Free = 5: FreeCall,
    }
);

table!(KernelCall {
    op_index = 4: scalar i32,
    args = 6: offset Vector<'a, i32>,
});

table!(DelegateCall {
    delegate_index = 4: scalar i32,
    args = 6: offset Vector<'a, i32>,
});

table!(MoveCall {
    move_from = 4: scalar i32,
    move_to = 6: scalar i32,
});

table!(JumpFalseCall {
    cond_value_index = 4: scalar i32,
    destination_instruction = 6: scalar i32,
});

table!(FreeCall { value_index = 4: scalar i32 });

table!(Operator {
    name = 4: offset &'a str,
    overload = 6: offset &'a str,
});

table!(Delegate { id = 4: offset &'a str });

impl AllocationDetails<'_> {
    /// Bytes from the base of the memory.
    pub fn offset(&self) -> u64 {
        u64::from(self.memory_offset_high()) << 32 | u64::from(self.memory_offset_low())
    }
}

impl Tensor<'_> {
    /// Data of its own and no place in a planned memory, in the program or beside it (location 1).
    pub fn is_constant(&self) -> bool {
        let external = self.extra_tensor_info().is_some_and(|extra| extra.location() == 1);
        self.allocation_info().is_none() && (self.data_buffer_idx() > 0 || external)
    }

    /// Memory and offset, if the program states them.
    pub fn place(&self) -> Option<(u32, u64)> {
        self.allocation_info().map(|place| (place.memory_id(), place.offset()))
    }

    /// A planned place and contents to begin with: it outlives a run.
    pub fn has_initial_state(&self) -> bool {
        self.allocation_info().is_some() && self.data_buffer_idx() > 0
    }
}
