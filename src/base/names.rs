//! Tables of names: files have hundreds of thousands of them, and each is looked up a dozen times while a file is read.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// A table with a hash that is quick for short names, seeded anew in every run, so that no file can aim at collisions. Nothing
/// may depend on its order.
pub type Names<K, V> = HashMap<K, V, RandomState>;
