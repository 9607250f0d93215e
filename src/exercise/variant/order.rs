//! Operators whose order as written is not the best one.

use super::attempt::{Attempt, Found, Miss, Wish};
use super::instance::Facts;
use super::make;
use crate::exercise::operators::Operators;
use crate::import::Document;
use crate::problem::{Scope, lifetimes};

pub fn attempt(wish: &mut Wish) -> Attempt {
    let (count, percent) = wish.difficulty.of([(5, 100), (7, 90), (9, 85)]);
    let graph = make::operators(wish.dice, wish.name, count);
    let problem = lifetimes(&graph, &Scope::default()).map_err(|_| Miss::Another)?;
    let operators = Operators::of(&graph, &problem);
    let as_written: Vec<usize> = (0..operators.list.len()).collect();
    let written = operators.loads(&as_written).into_iter().max().unwrap_or(0);
    let (order, best) = operators.best();
    if best >= written || best > written * percent / 100 {
        return Err(Miss::Another);
    }
    let order = order.into_iter().map(|at| operators.list[at].name.clone()).collect();
    let facts = Facts::Order { written, best, order, operators };
    Ok(Found::new(Document::Graph(graph), problem, facts))
}
