//! By which column a table is sorted.

use std::cmp::Ordering;

/// The column, counted from 0, and whether its largest comes first; none = the table's own order.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sorting(pub Option<(usize, bool)>);

impl Sorting {
    /// The value of `aria-sort` for a column.
    pub fn of(self, column: usize) -> &'static str {
        match self.0 {
            Some((by, false)) if by == column => "ascending",
            Some((by, true)) if by == column => "descending",
            _ => "none",
        }
    }

    /// What a press on the heading of a column leads to: up, down, then the table's own order.
    pub fn pressed(self, column: usize) -> Sorting {
        Sorting(match self.0 {
            Some((by, false)) if by == column => Some((column, true)),
            Some((by, true)) if by == column => None,
            _ => Some((column, false)),
        })
    }

    /// Sorts rows; those that are equal stay in their order.
    pub fn sort<T>(self, rows: &mut [T], compare: impl Fn(&T, &T, usize) -> Ordering) {
        if let Some((column, down)) = self.0 {
            rows.sort_by(|a, b| if down { compare(b, a, column) } else { compare(a, b, column) });
        }
    }

    /// Sorts rows by what the first column shows, or by the values of another one: rows without a
    /// value come last either way.
    pub fn sort_by_value<T>(
        self,
        rows: &mut [T],
        first: impl Fn(&T, &T) -> Ordering,
        value: impl Fn(&T, usize) -> Option<f64>,
    ) {
        let Some((column @ 1.., down)) = self.0 else { return self.sort(rows, |a, b, _| first(a, b)) };
        rows.sort_by(|a, b| match (value(a, column), value(b, column)) {
            (Some(a), Some(b)) if down => b.total_cmp(&a),
            (Some(a), Some(b)) => a.total_cmp(&b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_sorts_up_then_down_then_not_at_all() {
        let up = Sorting::default().pressed(2);
        let down = up.pressed(2);
        assert_eq!([up, down, down.pressed(2)].map(|sorting| sorting.of(2)), ["ascending", "descending", "none"]);
        assert_eq!((up.of(1), down.pressed(0)), ("none", Sorting(Some((0, false)))));
    }

    #[test]
    fn rows_without_a_value_come_last_up_and_down() {
        let values = [None, Some(2.0), Some(1.0), None, Some(2.0)];
        let sorted = |down: bool| {
            let mut rows: Vec<usize> = (0..values.len()).collect();
            Sorting(Some((1, down))).sort_by_value(&mut rows, usize::cmp, |&row, _| values[row]);
            rows
        };
        assert_eq!((sorted(false), sorted(true)), (vec![2, 1, 4, 0, 3], vec![1, 4, 2, 0, 3]));
    }
}
