//! Tables of names: files have hundreds of thousands of them, and each is looked up a dozen times while a file is read.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// A table with a hash that is quick for short names, seeded anew in every run, so that no file can aim at collisions. Nothing
/// may depend on its order.
pub type Names<K, V> = HashMap<K, V, RandomState>;

/// Where names are in a list that keeps them: five bytes or so a name, however long it is. The list is handed to each call as
/// what it has at a position, and must not change where the table points.
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

    /// Adds the name that the list has, or will have, at a position, unless it is there already: then returns where.
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
