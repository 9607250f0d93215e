//! A program that tells which functions are entered.

use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{CodeSection, EntityType, ImportSection, Instruction, Module, TypeSection, ValType};
use wasmparser::{CodeSectionReader, ImportSectionReader, Parser, TypeSectionReader};

use super::program::Program;
use super::{Refusal, TRACE};

pub fn write(program: &Program) -> Result<Vec<u8>, Refusal> {
    let mut module = Module::new();
    let mut traced = Traced { imports: program.imports, kind: 0 };
    traced.parse_core_module(&mut module, Parser::new(0), program.bytes)?;
    Ok(module.finish())
}

struct Traced {
    /// How many imports the program has; the added one is the last.
    imports: u32,
    /// The number of the type of the added import.
    kind: u32,
}

impl Reencode for Traced {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error<Infallible>> {
        Ok(function + u32::from(function >= self.imports))
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: TypeSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        utils::parse_type_section(self, types, section)?;
        self.kind = types.len();
        types.ty().function([ValType::I32], []);
        Ok(())
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: ImportSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        utils::parse_import_section(self, imports, section)?;
        imports.import(TRACE, "ran", EntityType::Function(self.kind));
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        for (number, body) in section.into_iter().enumerate() {
            let body = body?;
            let mut function = self.new_function_with_parsed_locals(&body)?;
            function.instruction(&Instruction::I32Const((self.imports + number as u32) as i32));
            function.instruction(&Instruction::Call(self.imports));
            for operator in body.get_operators_reader()? {
                function.instruction(&self.instruction(operator?)?);
            }
            code.function(&function);
        }
        Ok(())
    }
}
