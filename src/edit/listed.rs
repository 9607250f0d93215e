//! By what the tables of the editor are sorted. The graph keeps its order.

use std::cmp::Ordering;
use std::rc::Rc;

use yew::prelude::*;

use crate::context::Page;
use crate::edit::state::listing::Listing;
use crate::widgets::sorting::Sorting;

/// A table's order, and the rows in it.
#[derive(Clone, PartialEq)]
pub struct Listed {
    pub sorting: UseStateHandle<Sorting>,
    pub listing: Rc<Listing>,
}

/// Lists `count` rows. A row stays where it is while it is changed: only another order, another
/// document or another number of rows lists them anew.
#[hook]
pub fn use_listed<F: Fn(usize, usize, usize) -> Ordering>(page: &Page, count: usize, compare: F) -> Listed {
    let sorting = use_state_eq(Sorting::default);
    let document = page.state.document.open.as_ref().map(|document| document.key);
    let listing = use_memo((document, count, *sorting), |(_, count, sorting)| {
        let mut order: Vec<usize> = (0..*count).collect();
        sorting.sort(&mut order, |&a, &b, column| compare(a, b, column));
        Listing::new(order)
    });
    Listed { sorting, listing }
}
