//! Ids, exact byte words, messages, small shared maths. Knows nothing of graphs or plans.

pub mod family;
pub mod fragment;
pub mod id;
pub mod math;
pub mod message;
pub mod names;
pub mod near;
pub mod owners;
pub mod parted;
pub mod shown;
pub mod sorted;
pub mod term;
pub mod undo;
pub mod units;

pub use family::Family;
pub use id::{Id, IdVec};
pub use math::{MAX_SAFE, align_up, decimal};
pub use message::{Arg, Message};
pub use names::{NameIndex, Names};
pub use near::{nearest, suggest};
pub use owners::{Owned, Owners};
pub use parted::PartedVec;
pub use sorted::SortedMap;
pub use term::Term;
pub use undo::Undo;
pub use units::{FEW, Sizes, Unit, exact};
