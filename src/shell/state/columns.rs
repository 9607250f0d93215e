//! Widths that the user gave to columns of tables, kept for the next visit.

/// Least and most width of a column, in px.
use std::collections::BTreeMap;

pub const COLUMN_WIDTH: (u32, u32) = (24, 1200);

/// Most columns kept.
const MOST: usize = 200;

/// Widths in px by table and column, counted from 0; columns as wide as usual are not in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ColumnWidths(BTreeMap<(String, usize), u32>);

impl ColumnWidths {
    /// The width of a column, if it was given one.
    pub fn of(&self, table: &str, column: usize) -> Option<u32> {
        self.0.get(&(table.to_string(), column)).copied()
    }

    /// Gives a column another width, or the usual one.
    pub fn set(&mut self, table: &str, column: usize, width: Option<u32>) {
        let key = (table.to_string(), column);
        match width {
            Some(width) if self.0.len() < MOST || self.0.contains_key(&key) => {
                self.0.insert(key, width.clamp(COLUMN_WIDTH.0, COLUMN_WIDTH.1));
            }
            _ => _ = self.0.remove(&key),
        }
    }

    /// Tracks of a grid: the widths given, and the usual ones for other columns.
    pub fn tracks(&self, table: &str, usual: &[&str]) -> String {
        let track = |(column, usual): (usize, &&str)| match self.of(table, column) {
            Some(width) => format!("{width}px"),
            None => usual.to_string(),
        };
        usual.iter().enumerate().map(track).collect::<Vec<_>>().join(" ")
    }

    /// All widths as a text to keep: `graph 1 120`, one line each.
    pub fn text(&self) -> String {
        self.0.iter().map(|((table, column), width)| format!("{table} {column} {width}\n")).collect()
    }

    /// Reads a kept text; leaves out lines that are none.
    pub fn read(text: &str) -> ColumnWidths {
        let mut widths = ColumnWidths::default();
        for line in text.lines() {
            if let [table, column, width] = line.split(' ').collect::<Vec<_>>()[..]
                && let (Ok(column), Ok(width)) = (column.parse(), width.parse())
            {
                widths.set(table, column, Some(width));
            }
        }
        widths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_kept_and_read_back() {
        let mut widths = ColumnWidths::default();
        widths.set("graph", 1, Some(120));
        widths.set("order", 0, Some(5));
        assert_eq!(widths.tracks("graph", &["34px", "1fr", "44px"]), "34px 120px 44px");
        assert_eq!(widths.of("order", 0), Some(COLUMN_WIDTH.0));
        assert_eq!(ColumnWidths::read(&widths.text()), widths);
        assert_eq!(ColumnWidths::read("graph\nx y z\ngraph 1 120 7"), ColumnWidths::default());
        widths.set("graph", 1, None);
        assert_eq!(widths.of("graph", 1), None);
    }
}
