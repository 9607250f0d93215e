//! A program, with what has to be known of it before it is changed.

use wasmparser::{
    DataSectionReader, Element, ElementItems, ElementKind, ExternalKind, FunctionBody, GlobalType, MemoryType,
    Operator, Parser, Payload, TableType, TypeRef,
};

use super::Refusal;

/// A program, and who calls whom in it. Functions are known by their numbers, imports first.
pub struct Program<'a> {
    pub bytes: &'a [u8],
    /// The number of the type of each function.
    pub types: Vec<u32>,
    pub imports: u32,
    /// The functions of the first table with their places.
    pub table: Vec<(u32, u32)>,
    pub tables: Vec<TableType>,
    pub globals: Vec<GlobalType>,
    pub memory: Option<MemoryType>,
    /// The functions that each function calls.
    calls: Vec<Vec<u32>>,
    /// Exports: others know them by their numbers.
    needed: Vec<u32>,
}

impl<'a> Program<'a> {
    pub fn read(bytes: &'a [u8]) -> Result<Program<'a>, Refusal> {
        let mut program = Program {
            bytes,
            types: Vec::new(),
            imports: 0,
            table: Vec::new(),
            tables: Vec::new(),
            globals: Vec::new(),
            memory: None,
            calls: Vec::new(),
            needed: Vec::new(),
        };
        for payload in Parser::new(0).parse_all(bytes) {
            program.note(payload?)?;
        }
        if program.table.is_empty() {
            return Err(Refusal::Unknown("no functions in a table"));
        }
        program.needed.sort_unstable();
        Ok(program)
    }

    fn note(&mut self, payload: Payload<'a>) -> Result<(), Refusal> {
        match payload {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let TypeRef::Func(kind) = import?.ty else {
                        return Err(Refusal::Unknown("imports that are no functions"));
                    };
                    self.types.push(kind);
                }
                self.imports = self.types.len() as u32;
                self.calls = vec![Vec::new(); self.types.len()];
            }
            Payload::FunctionSection(functions) => {
                for kind in functions {
                    self.types.push(kind?);
                }
            }
            Payload::TableSection(tables) => {
                for table in tables {
                    self.tables.push(table?.ty);
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories {
                    self.memory = Some(memory?);
                }
            }
            Payload::GlobalSection(globals) => {
                for global in globals {
                    self.globals.push(global?.ty);
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    if export.kind == ExternalKind::Func {
                        self.needed.push(export.index);
                    }
                }
            }
            Payload::StartSection { .. } => return Err(Refusal::Unknown("a function that runs at once")),
            Payload::TagSection(_) => return Err(Refusal::Unknown("tags of exceptions")),
            Payload::ElementSection(elements) => {
                for element in elements {
                    self.note_element(element?)?;
                }
            }
            Payload::DataSection(data) => are_active(data)?,
            Payload::CodeSectionEntry(body) => self.calls.push(called(&body)?),
            _ => {}
        }
        Ok(())
    }

    /// Notes which functions an element of the table holds.
    fn note_element(&mut self, element: Element) -> Result<(), Refusal> {
        let ElementKind::Active { table_index: None | Some(0), offset_expr } = element.kind else {
            return Err(Refusal::Unknown("elements of other tables than the first"));
        };
        let Operator::I32Const { value } = offset_expr.get_operators_reader().read()? else {
            return Err(Refusal::Unknown("elements at places that are not constant"));
        };
        let ElementItems::Functions(functions) = element.items else {
            return Err(Refusal::Unknown("elements that are computed"));
        };
        for (number, function) in functions.into_iter().enumerate() {
            self.table.push((value as u32 + number as u32, function?));
        }
        Ok(())
    }

    pub fn functions(&self) -> u32 {
        self.types.len() as u32
    }

    pub fn table_size(&self) -> u64 {
        self.tables.first().map_or(0, |table| table.initial)
    }

    pub fn is_import(&self, function: u32) -> bool {
        function < self.imports
    }

    /// Whether a function is known by its number outside of the code and the table.
    pub fn is_needed(&self, function: u32) -> bool {
        self.needed.binary_search(&function).is_ok()
    }

    /// The functions that a function calls, each once.
    pub fn calls(&self, function: u32) -> &[u32] {
        &self.calls[function as usize]
    }
}

/// Data that the code copies would have to be in both files of functions.
fn are_active(data: DataSectionReader) -> Result<(), Refusal> {
    for data in data {
        if !matches!(data?.kind, wasmparser::DataKind::Active { .. }) {
            return Err(Refusal::Unknown("passive data"));
        }
    }
    Ok(())
}

/// The functions that a function calls.
fn called(body: &FunctionBody) -> Result<Vec<u32>, Refusal> {
    let mut called = Vec::new();
    for operator in body.get_operators_reader()? {
        match operator? {
            Operator::Call { function_index } => called.push(function_index),
            Operator::RefFunc { .. } | Operator::ReturnCall { .. } => {
                return Err(Refusal::Unknown("references to functions or tail calls"));
            }
            _ => {}
        }
    }
    called.sort_unstable();
    called.dedup();
    Ok(called)
}
