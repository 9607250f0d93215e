//! The part that a program starts with.

use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, ExportSection, FunctionSection,
    ImportSection, Instruction, Module, TableSection,
};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, ElementSectionReader, ExportSectionReader, FunctionBody,
    FunctionSectionReader, ImportSectionReader, Operator, Parser, TableSectionReader,
};

use super::program::Program;
use super::{PLACEHOLDER, Plan, Refusal, rest};

type Written<T = ()> = Result<T, Error<Infallible>>;

pub fn write(program: &Program, plan: &Plan) -> Result<Vec<u8>, Refusal> {
    let mut numbers = vec![0; program.types.len()];
    let mut next = program.imports;
    for (number, &function) in plan.places.keys().enumerate() {
        numbers[function as usize] = program.imports + number as u32;
        next += 1;
    }
    for function in 0..program.functions() {
        if program.is_import(function) {
            numbers[function as usize] = function;
        } else if !plan.is_late(function) {
            numbers[function as usize] = next;
            next += 1;
        }
    }
    let mut module = Module::new();
    First { program, plan, numbers }.parse_core_module(&mut module, Parser::new(0), program.bytes)?;
    Ok(module.finish())
}

struct First<'a> {
    program: &'a Program<'a>,
    plan: &'a Plan,
    /// The new number of each function, or that of its placeholder.
    numbers: Vec<u32>,
}

impl First<'_> {
    fn kept(&self) -> impl Iterator<Item = u32> {
        (self.program.imports..self.program.functions()).filter(|function| !self.plan.is_late(*function))
    }
}

impl Reencode for First<'_> {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Written<u32> {
        Ok(self.numbers[function as usize])
    }

    fn parse_import_section(&mut self, imports: &mut ImportSection, section: ImportSectionReader<'_>) -> Written {
        wasm_encoder::reencode::utils::parse_import_section(self, imports, section)?;
        for (function, places) in &self.plan.places {
            imports.import(
                PLACEHOLDER,
                &places[0].to_string(),
                EntityType::Function(self.program.types[*function as usize]),
            );
        }
        Ok(())
    }

    fn parse_function_section(&mut self, functions: &mut FunctionSection, _: FunctionSectionReader<'_>) -> Written {
        for function in self.kept() {
            functions.function(self.program.types[function as usize]);
        }
        Ok(())
    }

    fn parse_table_section(&mut self, tables: &mut TableSection, _: TableSectionReader<'_>) -> Written {
        for table in rest::tables(self.program, self.plan) {
            tables.table(self.table_type(table)?);
        }
        Ok(())
    }

    fn parse_export_section(&mut self, exports: &mut ExportSection, section: ExportSectionReader<'_>) -> Written {
        wasm_encoder::reencode::utils::parse_export_section(self, exports, section)?;
        exports.export(rest::MEMORY, ExportKind::Memory, 0);
        for number in 0..self.program.tables.len() {
            exports.export(&rest::table_name(number), ExportKind::Table, number as u32);
        }
        for number in 0..self.program.globals.len() {
            exports.export(&rest::global_name(number), ExportKind::Global, number as u32);
        }
        for function in rest::imported(self.program, self.plan) {
            exports.export(&rest::function_name(function), ExportKind::Func, self.numbers[function as usize]);
        }
        Ok(())
    }

    fn parse_element_section(&mut self, elements: &mut ElementSection, section: ElementSectionReader<'_>) -> Written {
        wasm_encoder::reencode::utils::parse_element_section(self, elements, section)?;
        let mut added: Vec<(u32, u32)> =
            self.plan.places.iter().map(|(function, places)| (places[0], *function)).collect();
        added.retain(|(place, _)| u64::from(*place) >= self.program.table_size());
        added.sort_unstable();
        if let Some((place, _)) = added.first() {
            let functions = added.iter().map(|(_, function)| self.numbers[*function as usize]).collect();
            elements.active(None, &ConstExpr::i32_const(*place as i32), Elements::Functions(functions));
        }
        Ok(())
    }

    fn parse_code_section(&mut self, code: &mut CodeSection, section: CodeSectionReader<'_>) -> Written {
        for (number, body) in section.into_iter().enumerate() {
            if !self.plan.is_late(self.program.imports + number as u32) {
                self.parse_function_body(code, body?)?;
            }
        }
        Ok(())
    }

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Written {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        for operator in body.get_operators_reader()? {
            match operator? {
                Operator::Call { function_index } if self.plan.is_late(function_index) => {
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

    /// Names are of no use to a browser.
    fn parse_custom_section(&mut self, _: &mut Module, _: CustomSectionReader<'_>) -> Written {
        Ok(())
    }
}
