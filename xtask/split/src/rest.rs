//! The part that comes later: functions alone.

use std::collections::BTreeSet;
use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, EntityType, FunctionSection, ImportSection, Module, TypeSection,
};
use wasmparser::{Parser, Payload, TableType};

use super::program::Program;
use super::{FIRST, Plan, Refusal};

/// The name by which the first part exports its memory; those of the others begin with a letter of
/// their kind.
pub const MEMORY: &str = "m";

pub fn table_name(number: usize) -> String {
    format!("t{number}")
}

pub fn global_name(number: usize) -> String {
    format!("g{number}")
}

pub fn function_name(function: u32) -> String {
    format!("f{function}")
}

/// The tables of the program with room for the functions of the rest.
pub fn tables(program: &Program, plan: &Plan) -> Vec<TableType> {
    let mut tables = program.tables.clone();
    if let Some(first) = tables.first_mut() {
        first.initial = plan.table;
        first.maximum = first.maximum.map(|most| most.max(plan.table));
    }
    tables
}

/// The functions of the first part that the rest calls.
pub fn imported(program: &Program, plan: &Plan) -> BTreeSet<u32> {
    let late = (0..program.functions()).filter(|function| plan.is_late(*function));
    late.flat_map(|function| program.calls(function)).copied().filter(|called| !plan.is_late(*called)).collect()
}

pub fn write(program: &Program, plan: &Plan) -> Result<Vec<u8>, Refusal> {
    let imported = imported(program, plan);
    let late = (0..program.functions()).filter(|function| plan.is_late(*function));
    let mut numbers = vec![0; program.types.len()];
    for (number, function) in imported.iter().copied().chain(late.clone()).enumerate() {
        numbers[function as usize] = number as u32;
    }
    let mut rest = Rest { numbers };
    let mut module = Module::new();
    let mut code = CodeSection::new();
    let mut types = TypeSection::new();
    let mut function = program.imports;
    for payload in Parser::new(0).parse_all(program.bytes) {
        match payload? {
            Payload::TypeSection(section) => rest.parse_type_section(&mut types, section)?,
            Payload::CodeSectionEntry(body) => {
                if plan.is_late(function) {
                    rest.parse_function_body(&mut code, body)?;
                }
                function += 1;
            }
            _ => {}
        }
    }
    module.section(&types);
    module.section(&rest.imports(program, plan, &imported)?);
    let mut functions = FunctionSection::new();
    for function in late {
        functions.function(program.types[function as usize]);
    }
    module.section(&functions);
    module.section(&rest.elements(plan));
    module.section(&code);
    Ok(module.finish())
}

struct Rest {
    /// The new number of each function.
    numbers: Vec<u32>,
}

impl Rest {
    fn imports(&mut self, program: &Program, plan: &Plan, functions: &BTreeSet<u32>) -> Result<ImportSection, Refusal> {
        let mut imports = ImportSection::new();
        for function in functions {
            imports.import(FIRST, &function_name(*function), EntityType::Function(program.types[*function as usize]));
        }
        if let Some(memory) = program.memory {
            imports.import(FIRST, MEMORY, EntityType::Memory(self.memory_type(memory)?));
        }
        for (number, table) in tables(program, plan).into_iter().enumerate() {
            imports.import(FIRST, &table_name(number), EntityType::Table(self.table_type(table)?));
        }
        for (number, global) in program.globals.iter().enumerate() {
            imports.import(FIRST, &global_name(number), EntityType::Global(self.global_type(*global)?));
        }
        Ok(imports)
    }

    /// Writes its functions over their placeholders, neighbours in the table at once.
    fn elements(&self, plan: &Plan) -> ElementSection {
        let by_place = plan.places.iter().flat_map(|(function, places)| places.iter().map(|place| (*place, *function)));
        let mut places: Vec<(u32, u32)> = by_place.collect();
        places.sort_unstable();
        let mut elements = ElementSection::new();
        for neighbours in places.chunk_by(|(a, _), (b, _)| a + 1 == *b) {
            let functions = neighbours.iter().map(|(_, function)| self.numbers[*function as usize]).collect();
            elements.active(None, &ConstExpr::i32_const(neighbours[0].0 as i32), Elements::Functions(functions));
        }
        elements
    }
}

impl Reencode for Rest {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error<Infallible>> {
        Ok(self.numbers[function as usize])
    }
}
