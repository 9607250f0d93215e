//! What kind of operator a name means, in the spelling of any framework.

use super::Node;

/// The name of an operator in one spelling: lower case, without underscores and without what stands
/// before `::`.
pub fn plain_op(op: &str) -> String {
    letters(op).collect()
}

/// The letters of that name. They are asked for again and again, of every operator, so nothing is
/// allocated here.
fn letters(op: &str) -> impl Iterator<Item = char> + Clone {
    let start = op.as_bytes().windows(2).rposition(|pair| pair == b"::").map_or(0, |at| at + 2);
    op[start..].chars().filter(|letter| *letter != '_').map(|letter| letter.to_ascii_lowercase())
}

fn is_one_of(op: &str, names: &[&str]) -> bool {
    let letters = letters(op);
    names.iter().any(|name| letters.clone().eq(name.chars()))
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
        is_one_of(&self.op, &JOINS)
    }

    /// Whether it by its name only reads storage that its output names, too.
    pub fn is_view(&self) -> bool {
        is_one_of(&self.op, &VIEWS)
    }
}
