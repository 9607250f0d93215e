//! What kind of operator a name means, in the spelling of any framework.

use super::Node;

/// The name of an operator in one spelling: lower case, without underscores and without what stands
/// before `::`.
pub fn plain_op(op: &str) -> String {
    let name = op.rsplit("::").next().unwrap_or(op);
    name.chars().filter(|letter| *letter != '_').collect::<String>().to_ascii_lowercase()
}

/// Names of concatenations.
const JOINS: [&str; 4] = ["cat", "concat", "concatenation", "concatenate"];

/// Names of operators that only read the storage that they name.
const VIEWS: [&str; 30] = [
    "view",
    "reshape",
    "squeeze",
    "unsqueeze",
    "expanddims",
    "bitcast",
    "transpose",
    "permute",
    "slice",
    "split",
    "expand",
    "select",
    "flatten",
    "identity",
    "detach",
    "alias",
    "t",
    "chunk",
    "unbind",
    "narrow",
    "getitem",
    "memory.view",
    "expandas",
    "viewas",
    "unflatten",
    "asstrided",
    "diagonal",
    "unfold",
    "numpyt",
    "movedim",
];

impl Node {
    /// Whether it puts its inputs side by side.
    pub fn is_concatenation(&self) -> bool {
        JOINS.contains(&plain_op(&self.op).as_str())
    }

    /// Whether it by its name only reads storage that its output names, too.
    pub fn is_view(&self) -> bool {
        VIEWS.contains(&plain_op(&self.op).as_str())
    }
}
