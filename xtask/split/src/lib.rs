//! Splits a WebAssembly program, so that it can start with the functions that run at first.
//!
//! In goes a program; [`traced`] makes it tell which functions run, by their numbers. With those,
//! [`split`] makes the state of the program (memory, tables, globals), its first functions, and all
//! of its functions ([`Parts`]). The state with all functions is the program. The state with the
//! first functions runs too: where one calls a function that is not there, it goes through the
//! table. The place in the table holds an import of the module `placeholder`, named after the
//! place: it has to bring all functions and pass the call on. All functions write themselves into
//! the table when they come, and do not call the first ones: nothing stays slower.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod functions;
mod program;
mod state;
mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::{self, Display, Formatter};

use wasm_encoder::reencode;
use wasmparser::{BinaryReaderError, Validator};

use program::Program;

/// The module that the places of functions that are not there yet are imported from.
pub const PLACEHOLDER: &str = "placeholder";

/// The module that functions import the state from.
pub const STATE: &str = "state";

/// The module of the one import of a traced program, `ran`: called with the number of a function
/// whenever one is entered.
pub const TRACE: &str = "trace";

/// The parts of a program.
#[derive(Debug)]
pub struct Parts {
    /// Memory with its data, tables, globals.
    pub state: Vec<u8>,
    /// The functions that run at first. Has the imports and exports of the program, and imports of
    /// [`STATE`] and [`PLACEHOLDER`].
    pub first: Vec<u8>,
    /// All functions. Has the imports and exports of the program, and imports of [`STATE`].
    pub whole: Vec<u8>,
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

/// Splits a program: its exports and the functions with these numbers are the first ones.
///
/// # Errors
/// What the program is or has that it is not split for.
pub fn split(program: &[u8], ran: &BTreeSet<u32>) -> Result<Parts, Refusal> {
    let program = Program::read(program)?;
    let plan = Plan::of(&program, ran);
    let parts = Parts {
        state: state::write(&program, &plan)?,
        first: functions::first(&program, &plan)?,
        whole: functions::whole(&program, &plan)?,
    };
    for part in [&parts.state, &parts.first, &parts.whole] {
        Validator::new().validate_all(part)?;
    }
    Ok(parts)
}

/// Which functions are the first ones.
struct Plan {
    /// For each function of the program, whether it is not there at first.
    late: Vec<bool>,
    /// The places in the table of the late functions that the first ones may call. A direct call
    /// goes by the first place.
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
