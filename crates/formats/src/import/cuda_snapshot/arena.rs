//! The values of a pickle and the containers they lie in.

use super::key::Key;

/// A value; containers by their number in [`Arena`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// None, fractions, bytes, long tuples, sets: nothing a snapshot is read for.
    Other,
    Flag(bool),
    Int(i64),
    /// A whole number above `i64::MAX`.
    Large(u64),
    /// Bytes `from..from + len` of the file.
    Text {
        from: u32,
        len: u32,
    },
    /// A list, or a tuple of one to three.
    List(u32),
    Dict(u32),
}

/// Values compared before two containers count as different: a file may refer to long ones often,
/// or to one within itself.
const MAX_COMPARED: u32 = 1000;

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

    pub fn flag(&self, dict: Value, key: Key) -> bool {
        self.get(dict, key) == Some(Value::Flag(true))
    }

    /// Whether two values say the same, as far as they are kept and a few comparisons show.
    pub fn same(&self, a: Option<Value>, b: Option<Value>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => self.are_equal(a, b, &mut { MAX_COMPARED }),
            _ => a.is_none() && b.is_none(),
        }
    }

    fn are_equal(&self, a: Value, b: Value, left: &mut u32) -> bool {
        if a == b {
            return true;
        }
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match (a, b) {
            (Value::Text { .. }, Value::Text { .. }) => self.text(a) == self.text(b),
            (Value::List(_), Value::List(_)) => {
                let (a, b) = (self.list(Some(a)), self.list(Some(b)));
                a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.are_equal(a, b, left))
            }
            (Value::Dict(a), Value::Dict(b)) => {
                let members = |dict: u32| self.dicts.get(dict as usize).map_or(&[][..], Vec::as_slice);
                let (a, b) = (members(a), members(b));
                let mut both = a.iter().zip(b);
                a.len() == b.len() && both.all(|(a, b)| a.0 == b.0 && self.are_equal(a.1, b.1, left))
            }
            _ => false,
        }
    }
}
