//! The functions of a program, all or those that it starts with.

use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType, FunctionSection, GlobalSection,
    ImportSection, Instruction, MemorySection, Module, TableSection,
};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, DataSectionReader, ElementSectionReader, FunctionBody,
    FunctionSectionReader, GlobalSectionReader, ImportSectionReader, MemorySectionReader, Operator, Parser,
    TableSectionReader,
};

use super::program::Program;
use super::{PLACEHOLDER, Plan, Refusal, STATE, state};

type Written<T = ()> = Result<T, Error<Infallible>>;

/// The functions that are not late, with placeholders of those that they call.
pub fn first(program: &Program, plan: &Plan) -> Result<Vec<u8>, Refusal> {
    let mut numbers: Vec<u32> = (0..program.functions()).collect();
    let placeholders = plan.places.keys().copied();
    let kept = (program.imports..program.functions()).filter(|function| !plan.is_late(*function));
    for (new, function) in (program.imports..).zip(placeholders.chain(kept)) {
        numbers[function as usize] = new;
    }
    Functions { program, plan, is_whole: false, numbers }.write()
}

/// All functions. Those that the first ones call by their place have it here too.
pub fn whole(program: &Program, plan: &Plan) -> Result<Vec<u8>, Refusal> {
    Functions { program, plan, is_whole: true, numbers: (0..program.functions()).collect() }.write()
}

struct Functions<'a> {
    program: &'a Program<'a>,
    plan: &'a Plan,
    is_whole: bool,
    /// The new number of each function, or that of its placeholder.
    numbers: Vec<u32>,
}

impl Functions<'_> {
    fn write(mut self) -> Result<Vec<u8>, Refusal> {
        let mut module = Module::new();
        self.parse_core_module(&mut module, Parser::new(0), self.program.bytes)?;
        Ok(module.finish())
    }

    fn has(&self, function: u32) -> bool {
        self.is_whole || !self.plan.is_late(function)
    }

    fn import_state(&mut self, imports: &mut ImportSection) -> Written {
        if let Some(memory) = self.program.memory {
            imports.import(STATE, state::MEMORY, EntityType::Memory(self.memory_type(memory)?));
        }
        for (number, table) in state::tables(self.program, self.plan).into_iter().enumerate() {
            imports.import(STATE, &state::table_name(number), EntityType::Table(self.table_type(table)?));
        }
        for (number, global) in self.program.globals.iter().enumerate() {
            imports.import(STATE, &state::global_name(number), EntityType::Global(self.global_type(*global)?));
        }
        Ok(())
    }
}

impl Reencode for Functions<'_> {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Written<u32> {
        Ok(self.numbers[function as usize])
    }

    fn parse_import_section(&mut self, imports: &mut ImportSection, section: ImportSectionReader<'_>) -> Written {
        utils::parse_import_section(self, imports, section)?;
        for (function, places) in self.plan.places.iter().filter(|(function, _)| !self.has(**function)) {
            let kind = self.program.types[*function as usize];
            imports.import(PLACEHOLDER, &places[0].to_string(), EntityType::Function(kind));
        }
        self.import_state(imports)
    }

    fn parse_function_section(&mut self, functions: &mut FunctionSection, _: FunctionSectionReader<'_>) -> Written {
        for function in (self.program.imports..self.program.functions()).filter(|function| self.has(*function)) {
            functions.function(self.program.types[function as usize]);
        }
        Ok(())
    }

    fn parse_element_section(&mut self, elements: &mut ElementSection, section: ElementSectionReader<'_>) -> Written {
        utils::parse_element_section(self, elements, section)?;
        let places = self.plan.places.iter().map(|(function, places)| (places[0], *function));
        let mut added: Vec<(u32, u32)> =
            places.filter(|(place, _)| u64::from(*place) >= self.program.table_size()).collect();
        added.sort_unstable();
        if let Some((place, _)) = added.first() {
            let functions = added.iter().map(|(_, function)| self.numbers[*function as usize]).collect();
            elements.active(None, &ConstExpr::i32_const(*place as i32), Elements::Functions(functions));
        }
        Ok(())
    }

    fn parse_code_section(&mut self, code: &mut CodeSection, section: CodeSectionReader<'_>) -> Written {
        for (function, body) in (self.program.imports..).zip(section) {
            let body = body?;
            if self.has(function) {
                self.parse_function_body(code, body)?;
            }
        }
        Ok(())
    }

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Written {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        for operator in body.get_operators_reader()? {
            match operator? {
                Operator::Call { function_index } if !self.has(function_index) => {
                    function.instruction(&Instruction::I32Const(self.plan.places[&function_index][0] as i32));
                    let type_index = self.program.types[function_index as usize];
                    function.instruction(&Instruction::CallIndirect { type_index, table_index: 0 });
                }
                operator => {
                    function.instruction(&self.instruction(operator)?);
                }
            }
        }
        code.function(&function);
        Ok(())
    }

    // The state is a program of its own.

    fn parse_table_section(&mut self, _: &mut TableSection, _: TableSectionReader<'_>) -> Written {
        Ok(())
    }

    fn parse_memory_section(&mut self, _: &mut MemorySection, _: MemorySectionReader<'_>) -> Written {
        Ok(())
    }

    fn parse_global_section(&mut self, _: &mut GlobalSection, _: GlobalSectionReader<'_>) -> Written {
        Ok(())
    }

    fn parse_data_section(&mut self, _: &mut DataSection, _: DataSectionReader<'_>) -> Written {
        Ok(())
    }

    fn data_count(&mut self, _: u32) -> Written<u32> {
        Ok(0)
    }

    /// Names are of no use to a browser.
    fn parse_custom_section(&mut self, _: &mut Module, _: CustomSectionReader<'_>) -> Written {
        Ok(())
    }
}
