//! The rows of a table that is changed, in the order in which they are listed. Listing changes
//! nothing in the file.

/// Positions in the file, in the order of the rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listing(Vec<usize>);

impl Listing {
    /// Lists these positions; each is there once.
    pub fn new(order: Vec<usize>) -> Listing {
        Listing(order)
    }

    /// What is listed in a row.
    pub fn at(&self, row: usize) -> Option<usize> {
        self.0.get(row).copied()
    }

    /// The row of a position.
    pub fn row_of(&self, at: usize) -> Option<usize> {
        self.0.iter().position(|&other| other == at)
    }

    /// Whether the rows stand as in the file.
    pub fn is_as_filed(&self) -> bool {
        self.0.is_sorted()
    }

    /// What is listed so many rows further down, or up, or in the last row there.
    pub fn beside(&self, at: usize, rows: isize) -> usize {
        let last = self.0.len().saturating_sub(1);
        let to = self.row_of(at).map(|row| row.saturating_add_signed(rows).min(last));
        to.and_then(|row| self.at(row)).unwrap_or(at)
    }

    /// Returns what moves into the row of a position that is removed, as its position after that:
    /// the next row, or the row above for the last one.
    pub fn successor(&self, at: usize) -> Option<usize> {
        let row = self.row_of(at)?;
        let successor = self.at(row + 1).or_else(|| self.at(row.checked_sub(1)?))?;
        Some(if successor > at { successor - 1 } else { successor })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_gone_through_as_they_are_listed() {
        let listing = Listing::new(vec![2, 0, 3, 1]);
        assert!(!listing.is_as_filed() && Listing::new(vec![0, 1, 2]).is_as_filed());
        assert_eq!((listing.at(2), listing.row_of(1), listing.at(4)), (Some(3), Some(3), None));
        let beside = |at, rows| listing.beside(at, rows);
        assert_eq!([beside(0, 1), beside(0, -1), beside(2, -1), beside(1, 1), beside(2, 10)], [3, 2, 2, 1, 1]);
        assert_eq!(listing.beside(9, 1), 9, "what is not listed stays");
    }

    #[test]
    fn the_next_row_takes_the_place_of_one_that_goes() {
        let listing = Listing::new(vec![2, 0, 3, 1]);
        // Positions after it move down by one.
        assert_eq!(listing.successor(2), Some(0));
        assert_eq!(listing.successor(0), Some(2));
        assert_eq!(listing.successor(1), Some(2), "the last one: the row above");
        assert_eq!(Listing::new(vec![0]).successor(0), None);
        assert_eq!(Listing::new(vec![0, 1]).successor(1), Some(0));
        assert_eq!(Listing::new(vec![0, 1]).successor(0), Some(0));
    }
}
