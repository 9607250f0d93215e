//! The values of a pickle and the containers they lie in.

use super::key::Key;

/// A value; containers by their number in [`Arena`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// None, flags, fractions, bytes, tuples, sets: nothing a snapshot is read for.
    Other,
    Int(i64),
    /// A whole number above `i64::MAX`.
    Large(u64),
    /// Bytes `from..from + len` of the file.
    Text {
        from: u32,
        len: u32,
    },
    List(u32),
    Dict(u32),
}

/// The containers of a file, and its bytes.
pub struct Arena<'a> {
    pub bytes: &'a [u8],
    pub(super) lists: Vec<Vec<Value>>,
    pub(super) dicts: Vec<Vec<(Key, Value)>>,
}

impl<'a> Arena<'a> {
    /// The member of a dict; the last one if the file repeats it.
    pub fn get(&self, dict: Value, key: Key) -> Option<Value> {
        let Value::Dict(dict) = dict else { return None };
        self.dicts.get(dict as usize)?.iter().rev().find(|(other, _)| *other == key).map(|(_, value)| *value)
    }

    pub fn list(&self, value: Option<Value>) -> &[Value] {
        match value {
            Some(Value::List(list)) => self.lists.get(list as usize).map_or(&[], Vec::as_slice),
            _ => &[],
        }
    }

    pub fn text(&self, value: Value) -> Option<&'a [u8]> {
        let Value::Text { from, len } = value else { return None };
        self.bytes.get(from as usize..)?.get(..len as usize)
    }

    /// A whole number that is not negative.
    pub fn whole(&self, dict: Value, key: Key) -> Option<u64> {
        match self.get(dict, key)? {
            Value::Int(number) => u64::try_from(number).ok(),
            Value::Large(number) => Some(number),
            _ => None,
        }
    }
}
