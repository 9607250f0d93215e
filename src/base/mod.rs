//! Floor 0: ids, exact byte words, messages, small shared maths. Knows nothing of graphs or plans.

pub mod arrange;
pub mod bytes;
pub mod family;
pub mod id;
pub mod math;
pub mod message;
pub mod names;
pub mod owners;

pub use arrange::{Arrange, gather};
pub use bytes::{Unit, exact};
pub use family::Family;
pub use id::{Id, IdVec};
pub use math::{MAX_SAFE, align_up, decimal};
pub use message::{Arg, Message};
pub use names::Names;
pub use owners::{Owned, Owners};
