//! What one sees first.

use memplan_e2e::Page;

use crate::{Test, test};

pub const TESTS: &[Test] = &[test("begins_at_the_end_of_the_teaching_example", begins)];

fn begins(page: &mut Page) {
    page.open("");
    let facts = page.facts();
    println!("{facts:?}");
}
