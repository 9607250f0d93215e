//! Splits a WebAssembly program in two: the functions that ran when it started, and the rest.
//!
//! In goes a program; [`traced`] makes it tell which functions run, by their numbers. With those,
//! [`split`] makes two programs that share memory, table and globals ([`Parts`]). The first part
//! runs alone. Where it calls a function of the rest, it goes through the table, and until the rest
//! has written itself there, the place in the table holds an import of the module `placeholder`,
//! named after the place: it has to bring the rest and pass the call on.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod first;
mod program;
mod rest;
mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::{self, Display, Formatter};

use wasm_encoder::reencode;
use wasmparser::{BinaryReaderError, Validator};

use program::Program;

/// The module that the places of functions that are not there yet are imported from.
pub const PLACEHOLDER: &str = "placeholder";

/// The module that the rest imports everything from: the exports of the first part.
pub const FIRST: &str = "first";

/// The module of the one import of a traced program, `ran`: called with the number of a function
/// whenever one is entered.
pub const TRACE: &str = "trace";

/// The two parts of a program.
#[derive(Debug)]
pub struct Parts {
    /// Runs alone, but for the imports of [`PLACEHOLDER`].
    pub first: Vec<u8>,
    /// Has only imports of [`FIRST`].
    pub rest: Vec<u8>,
}

/// Why a program is not split.
#[derive(Debug)]
pub enum Refusal {
    /// It cannot be read.
    Damaged(BinaryReaderError),
    /// It has something that cannot be moved from one program to another.
    Unknown(&'static str),
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Damaged(error) => write!(f, "it cannot be read: {error}"),
            Refusal::Unknown(what) => write!(f, "it has {what}"),
        }
    }
}

impl Error for Refusal {}

impl From<BinaryReaderError> for Refusal {
    fn from(error: BinaryReaderError) -> Refusal {
        Refusal::Damaged(error)
    }
}

impl<E> From<reencode::Error<E>> for Refusal {
    fn from(error: reencode::Error<E>) -> Refusal {
        match error {
            reencode::Error::ParseError(error) => Refusal::Damaged(error),
            _ => Refusal::Unknown("a section that is not known"),
        }
    }
}

/// The same program, which calls `ran` of [`TRACE`] when a function is entered. Functions are
/// numbered as in `program`, imports first.
///
/// # Errors
/// What the program is or has that it is not changed for.
pub fn traced(program: &[u8]) -> Result<Vec<u8>, Refusal> {
    trace::write(&Program::read(program)?)
}

/// Splits a program: the first part gets its exports, and the functions with these numbers.
///
/// # Errors
/// What the program is or has that it is not split for.
pub fn split(program: &[u8], ran: &BTreeSet<u32>) -> Result<Parts, Refusal> {
    let program = Program::read(program)?;
    let plan = Plan::of(&program, ran);
    let parts = Parts { first: first::write(&program, &plan)?, rest: rest::write(&program, &plan)? };
    for part in [&parts.first, &parts.rest] {
        Validator::new().validate_all(part)?;
    }
    Ok(parts)
}

/// Which function goes where.
struct Plan {
    /// For each function of the program, whether it goes to the rest.
    late: Vec<bool>,
    /// The places in the table of the late functions that the first part may call. A direct call
    /// goes by the first one.
    places: BTreeMap<u32, Vec<u32>>,
    /// How many places the table has in the end.
    table: u64,
}

impl Plan {
    fn of(program: &Program, ran: &BTreeSet<u32>) -> Plan {
        let is_late =
            |function| !program.is_import(function) && !program.is_needed(function) && !ran.contains(&function);
        let late: Vec<bool> = (0..program.functions()).map(is_late).collect();
        let mut places: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &(place, function) in program.table.iter().filter(|(_, function)| late[*function as usize]) {
            places.entry(function).or_default().push(place);
        }
        let mut next = program.table_size();
        let first = (0..program.functions()).filter(|function| !late[*function as usize]);
        for called in first.flat_map(|function| program.calls(function)).filter(|called| late[**called as usize]) {
            places.entry(*called).or_insert_with(|| {
                next += 1;
                vec![next as u32 - 1]
            });
        }
        Plan { late, places, table: next }
    }

    fn is_late(&self, function: u32) -> bool {
        self.late[function as usize]
    }
}

#[cfg(test)]
mod tests;
