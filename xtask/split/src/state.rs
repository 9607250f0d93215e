//! What all functions share, and no function: memory with its data, tables, globals.

use wasm_encoder::reencode::{Reencode, RoundtripReencoder, utils};
use wasm_encoder::{DataSection, ExportKind, ExportSection, GlobalSection, MemorySection, Module, TableSection};
use wasmparser::{Parser, Payload, TableType};

use super::program::Program;
use super::{Plan, Refusal};

/// The name of the memory among the exports; those of the others begin with a letter of their kind.
pub const MEMORY: &str = "m";

pub fn table_name(number: usize) -> String {
    format!("t{number}")
}

pub fn global_name(number: usize) -> String {
    format!("g{number}")
}

/// The tables of the program with room for the functions that are called by their place.
pub fn tables(program: &Program, plan: &Plan) -> Vec<TableType> {
    let mut tables = program.tables.clone();
    if let Some(first) = tables.first_mut() {
        first.initial = plan.table;
        first.maximum = first.maximum.map(|most| most.max(plan.table));
    }
    tables
}

pub fn write(program: &Program, plan: &Plan) -> Result<Vec<u8>, Refusal> {
    let mut as_is = RoundtripReencoder;
    let mut tables = TableSection::new();
    let mut memories = MemorySection::new();
    let mut globals = GlobalSection::new();
    let mut exports = ExportSection::new();
    let mut data = DataSection::new();
    for (number, table) in self::tables(program, plan).into_iter().enumerate() {
        tables.table(as_is.table_type(table)?);
        exports.export(&table_name(number), ExportKind::Table, number as u32);
    }
    for payload in Parser::new(0).parse_all(program.bytes) {
        match payload? {
            Payload::MemorySection(section) => utils::parse_memory_section(&mut as_is, &mut memories, section)?,
            Payload::GlobalSection(section) => utils::parse_global_section(&mut as_is, &mut globals, section)?,
            Payload::DataSection(section) => utils::parse_data_section(&mut as_is, &mut data, section)?,
            _ => {}
        }
    }
    if program.memory.is_some() {
        exports.export(MEMORY, ExportKind::Memory, 0);
    }
    for number in 0..program.globals.len() {
        exports.export(&global_name(number), ExportKind::Global, number as u32);
    }
    let mut module = Module::new();
    module.section(&tables).section(&memories).section(&globals).section(&exports).section(&data);
    Ok(module.finish())
}
