//! Rows in another order, and what that gives: operators and their loads, or buffers that first fit
//! places one by one.

use serde::{Deserialize, Serialize};

use memplan_core::base::align_up;
use memplan_core::graph::{Graph, Kind, Node, TensorId};
use memplan_core::problem::{Buffer, Live, Problem};

/// What may be put in another order: operators with what they make and read, or buffers.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Operators {
    /// The rows in the order of the file.
    pub list: Vec<Operator>,
    /// Every storage of operators.
    pub stored: Vec<Stored>,
    /// The buffers, one for each row; empty where operators are put in order.
    pub blocks: Vec<Block>,
}

/// A buffer that is placed when its turn comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Its size in bytes.
    pub size: u64,
    /// Its live range.
    pub live: Live,
    /// Its alignment in bytes.
    pub align: u64,
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
        Operators { list: list.collect(), stored: stored.collect(), blocks: Vec::new() }
    }

    /// The buffers of a problem as rows: first fit places them in the order of the rows.
    pub fn of_buffers(problem: &Problem) -> Operators {
        let row = |name: &String| Operator { name: name.clone(), reads: Vec::new(), after: Vec::new() };
        let block = |buffer: &Buffer| Block { size: buffer.size, live: buffer.live, align: buffer.align };
        Operators {
            list: problem.buffers.iter().map(|buffer| row(&buffer.name)).collect(),
            stored: Vec::new(),
            blocks: problem.buffers.iter().map(block).collect(),
        }
    }

    /// Returns the first operator and what it makes, where every operator is named by the small
    /// letters of what it makes.
    pub fn letters(&self) -> Option<(&str, &str)> {
        let makes = |at: usize| {
            let name = &self.list[at].name;
            let is_made = |stored: &&Stored| stored.users.contains(&at) && *name == stored.name.to_lowercase();
            let made = self.stored.iter().find(is_made)?;
            (made.name != *name).then_some((name.as_str(), made.name.as_str()))
        };
        let all: Option<Vec<_>> = (0..self.list.len()).map(makes).collect();
        all?.first().copied()
    }

    /// Returns true if the rows are buffers that are placed.
    pub fn are_buffers(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Returns the offset of the buffer at each position of an order: the lowest address that is
    /// free during its whole life.
    pub fn offsets(&self, order: &[usize]) -> Vec<u64> {
        let mut taken: Vec<(u64, u64, Live)> = Vec::new();
        let place = |&row: &usize| {
            let Block { size, live, align } = self.blocks[row];
            let mut at = 0;
            // `taken` is in order of the offsets.
            for (from, to, _) in taken.iter().filter(|(.., other)| other.meets(live)) {
                if align_up(at, align) + size <= *from {
                    break;
                }
                at = at.max(*to);
            }
            let at = align_up(at, align);
            let next = taken.partition_point(|(from, ..)| *from <= at);
            taken.insert(next, (at, at + size, live));
            at
        };
        order.iter().map(place).collect()
    }

    /// Returns the load at each position of an order, or where each buffer ends, in bytes. `order`
    /// lists rows.
    pub fn loads(&self, order: &[usize]) -> Vec<u64> {
        if self.are_buffers() {
            let ends = order.iter().zip(self.offsets(order)).map(|(&row, at)| at + self.blocks[row].size);
            return ends.collect();
        }
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

    /// Returns the highest load of an order, or the peak, in bytes.
    pub fn highest(&self, order: &[usize]) -> u64 {
        self.loads(order).into_iter().max().unwrap_or(0)
    }

    /// Returns an operator that runs before one that it needs, and the one that it needs; none if
    /// the order is legal.
    pub fn fault(&self, order: &[usize]) -> Option<(usize, usize)> {
        order.iter().enumerate().find_map(|(at, &operator)| {
            let needed = self.list[operator].after.iter().find(|needed| !order[..at].contains(needed));
            needed.map(|&needed| (operator, needed))
        })
    }

    /// Returns the first of the legal orders of operators with the smallest highest load, and that
    /// load. Looks at all of them: for few operators.
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
            blocks: Vec::new(),
        }
    }

    #[test]
    fn the_load_follows_the_order() {
        assert_eq!(diamond().loads(&[0, 1, 2, 3]), [4, 6, 7, 4]);
        assert_eq!(diamond().loads(&[0, 2, 1, 3]), [4, 5, 7, 4]);
        assert_eq!(diamond().best(), (vec![0, 1, 2, 3], 7));
    }

    #[test]
    fn letters_are_told_where_all_nodes_have_them() {
        assert_eq!(diamond().letters(), Some(("a", "A")));
        let mut named = diamond();
        named.list[2].name = "conv".into();
        assert_eq!((named.letters(), Operators::default().letters()), (None, None));
    }

    #[test]
    fn buffers_are_placed_in_the_order_of_the_rows() {
        let buffer = |name: &str, size, start, end| Buffer::of(name, size, Live::new(start, end));
        // C does not fit below B where that lies on A.
        let buffers = [buffer("A", 80, 0, 1), buffer("B", 16, 0, 3), buffer("C", 96, 1, 2)];
        let rows = Operators::of_buffers(&Problem { buffers: buffers.to_vec().into(), steps: 3, ..Problem::default() });
        assert_eq!((rows.offsets(&[0, 1, 2]), rows.loads(&[0, 1, 2])), (vec![0, 80, 96], vec![80, 96, 192]));
        assert_eq!((rows.offsets(&[0, 2, 1]), rows.highest(&[0, 2, 1])), (vec![0, 0, 96], 112));
        assert_eq!(rows.fault(&[2, 1, 0]), None, "every order is legal");
        let mut aligned = rows.clone();
        aligned.blocks.iter_mut().for_each(|block| block.align = 64);
        assert_eq!(aligned.offsets(&[0, 2, 1]), [0, 0, 128]);
    }

    #[test]
    fn an_operator_before_one_that_it_needs_is_found() {
        assert_eq!(diamond().fault(&[0, 1, 2, 3]), None);
        assert_eq!(diamond().fault(&[0, 3, 1, 2]), Some((3, 1)));
        assert_eq!(diamond().fault(&[1, 0, 2, 3]), Some((1, 0)));
    }
}
