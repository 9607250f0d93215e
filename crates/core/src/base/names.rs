//! Tables of names: files have hundreds of thousands of them, and each is looked up again and again
//! while a file is read.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// A map with a hash that is fast for short names. Its seed differs from run to run of the command
/// line, but not in the browser, where a file made for collisions is slow to read, and can be
/// cancelled. Nothing may depend on the order of the entries.
pub type Names<K, V> = HashMap<K, V, RandomState>;

/// An index from names to their positions in a list. It stores positions alone, about five bytes a
/// name. Each call gets `name_at`, which returns the name at a position; names that were added must
/// not change.
#[derive(Default)]
pub struct NameIndex {
    positions: HashTable<u32>,
    state: RandomState,
}

impl NameIndex {
    /// An empty table with room for a number of names.
    pub fn with_capacity(names: usize) -> NameIndex {
        NameIndex { positions: HashTable::with_capacity(names), state: RandomState::default() }
    }

    /// Where a name is in the list.
    pub fn find<'a>(&self, name: &str, name_at: impl Fn(u32) -> &'a str) -> Option<u32> {
        self.positions.find(self.state.hash_one(name), |&at| name_at(at) == name).copied()
    }

    /// Adds a name at a position. Returns none if it is new, otherwise the position that it has
    /// already. The list may receive the name after the call.
    pub fn add<'a>(&mut self, name: &str, position: u32, name_at: impl Fn(u32) -> &'a str) -> Option<u32> {
        let hash = |name: &str| self.state.hash_one(name);
        match self.positions.entry(hash(name), |&at| name_at(at) == name, |&at| hash(name_at(at))) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(entry) => {
                entry.insert(position);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_where_the_list_has_them() {
        let mut list: Vec<String> = Vec::new();
        let mut index = NameIndex::default();
        for number in 0..1000 {
            let name = format!("tensor {number}");
            assert_eq!(index.add(&name, number, |at| &list[at as usize]), None);
            list.push(name);
        }
        let name_at = |at: u32| list[at as usize].as_str();
        assert_eq!(index.add("tensor 7", 1000, name_at), Some(7), "the first one stays");
        assert_eq!(index.find("tensor 999", name_at), Some(999));
        assert_eq!(index.find("tensor 1000", name_at), None);
        assert_eq!(NameIndex::with_capacity(8).find("", name_at), None);
    }
}
