//! Operators in another order, and the load that gives.

use serde::{Deserialize, Serialize};

use crate::graph::{Graph, Kind, Node, TensorId};
use crate::problem::Problem;

/// Operators that may be put in another order, and what they make and read.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Operators {
    /// In the order of the file.
    pub list: Vec<Operator>,
    /// Every storage.
    pub stored: Vec<Stored>,
}

/// An operator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Operator {
    /// Its name.
    pub name: String,
    /// Names of the storages that it reads.
    pub reads: Vec<String>,
    /// Operators that have to run before it, by their place in the list.
    pub after: Vec<usize>,
}

/// Bytes that some operators use.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stored {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Operators that write or read it, by their place in the list.
    pub users: Vec<usize>,
    /// Whether it is there before the first operator.
    pub from_the_start: bool,
    /// Whether it has to stay after the last one.
    pub to_the_end: bool,
}

impl Operators {
    /// The operators of a graph, whose storages are these buffers.
    pub fn of(graph: &Graph, problem: &Problem) -> Operators {
        let maker = |tensor: TensorId| graph.nodes.iter().position(|node| node.outputs.contains(&tensor));
        let list = graph.nodes.iter().map(|node| Operator {
            name: node.name.clone(),
            reads: node.inputs.iter().map(|&input| graph.tensors[input].name.clone()).collect(),
            after: node.inputs.iter().filter_map(|&input| maker(input)).collect(),
        });
        let stored = problem.buffers.iter().map(|buffer| {
            let uses =
                |node: &Node| node.inputs.iter().chain(&node.outputs).any(|tensor| buffer.tensors.contains(tensor));
            let is_made = buffer.tensors.iter().any(|&tensor| maker(tensor).is_some());
            Stored {
                name: buffer.name.clone(),
                size: buffer.size,
                users: graph.nodes.iter().enumerate().filter(|(_, node)| uses(node)).map(|(at, _)| at).collect(),
                from_the_start: !is_made,
                to_the_end: matches!(buffer.kind, Kind::Output | Kind::Weight),
            }
        });
        Operators { list: list.collect(), stored: stored.collect() }
    }

    /// Returns the load at each position of an order, in bytes. `order` lists places in [`Operators::list`].
    pub fn loads(&self, order: &[usize]) -> Vec<u64> {
        let position = |operator: usize| order.iter().position(|&at| at == operator);
        let mut loads = vec![0; order.len()];
        for stored in &self.stored {
            let used = || stored.users.iter().filter_map(|&user| position(user));
            let first = if stored.from_the_start { Some(0) } else { used().min() };
            let last = if stored.to_the_end { order.len().checked_sub(1) } else { used().max() };
            if let Some((first, last)) = first.zip(last) {
                loads[first..=last.max(first)].iter_mut().for_each(|load| *load += stored.size);
            }
        }
        loads
    }

    /// Returns an operator that runs before one that it needs, and the one that it needs; none if the order is legal.
    pub fn fault(&self, order: &[usize]) -> Option<(usize, usize)> {
        order.iter().enumerate().find_map(|(at, &operator)| {
            let needed = self.list[operator].after.iter().find(|needed| !order[..at].contains(needed));
            needed.map(|&needed| (operator, needed))
        })
    }

    /// Returns the first of the legal orders with the smallest highest load, and that load. Looks at all of them: for few
    /// operators.
    pub fn best(&self) -> (Vec<usize>, u64) {
        let mut best = (Vec::new(), u64::MAX);
        self.extend(&mut Vec::new(), &mut best);
        best
    }

    fn extend(&self, order: &mut Vec<usize>, best: &mut (Vec<usize>, u64)) {
        if order.len() == self.list.len() {
            let highest = self.loads(order).into_iter().max().unwrap_or(0);
            if highest < best.1 {
                *best = (order.clone(), highest);
            }
            return;
        }
        for operator in 0..self.list.len() {
            let is_ready = self.list[operator].after.iter().all(|needed| order.contains(needed));
            if is_ready && !order.contains(&operator) {
                order.push(operator);
                self.extend(order, best);
                order.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a` makes 4 B, `b` and `c` each read it and make 2 B and 1 B, `d` reads both.
    fn diamond() -> Operators {
        let operator = |name: &str, reads: &[&str], after: &[usize]| Operator {
            name: name.into(),
            reads: reads.iter().map(|name| name.to_string()).collect(),
            after: after.to_vec(),
        };
        let stored = |name: &str, size: u64, users: &[usize]| Stored {
            name: name.into(),
            size,
            users: users.to_vec(),
            from_the_start: false,
            to_the_end: name == "D",
        };
        Operators {
            list: vec![
                operator("a", &[], &[]),
                operator("b", &["A"], &[0]),
                operator("c", &["A"], &[0]),
                operator("d", &["B", "C"], &[1, 2]),
            ],
            stored: vec![
                stored("A", 4, &[0, 1, 2]),
                stored("B", 2, &[1, 3]),
                stored("C", 1, &[2, 3]),
                stored("D", 1, &[3]),
            ],
        }
    }

    #[test]
    fn the_load_follows_the_order() {
        assert_eq!(diamond().loads(&[0, 1, 2, 3]), [4, 6, 7, 4]);
        assert_eq!(diamond().loads(&[0, 2, 1, 3]), [4, 5, 7, 4]);
        assert_eq!(diamond().best(), (vec![0, 1, 2, 3], 7));
    }

    #[test]
    fn an_operator_before_one_that_it_needs_is_found() {
        assert_eq!(diamond().fault(&[0, 1, 2, 3]), None);
        assert_eq!(diamond().fault(&[0, 3, 1, 2]), Some((3, 1)));
        assert_eq!(diamond().fault(&[1, 0, 2, 3]), Some((1, 0)));
    }
}
