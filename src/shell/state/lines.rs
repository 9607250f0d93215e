//! Lines of a table: rows under headings, where what the names of neighbours share stands once.

use std::ops::Range;
use std::rc::Rc;

use memplan_replay::headings;

/// A line of a table.
#[derive(Clone, PartialEq)]
pub enum Line {
    /// The path that the rows below share.
    Heading(Rc<str>),
    /// A row by its place in the list, and the path above it.
    Row(usize, Rc<str>),
}

/// All lines for the rows with these labels; no heading unless `grouped`, or where headings would
/// be many for few rows.
pub fn lines(labels: &[&str], grouped: bool) -> Vec<Line> {
    let found = if grouped { headings(labels) } else { Vec::new() };
    let mut above = found.into_iter().peekable();
    let mut path: Rc<str> = "".into();
    let mut lines = Vec::new();
    for row in 0..labels.len() {
        if let Some((_, text)) = above.next_if(|(at, _)| *at == row) {
            path = text.into();
            // Rows without a path need no heading at the top.
            if !path.is_empty() || row > 0 {
                lines.push(Line::Heading(path.clone()));
            }
        }
        lines.push(Line::Row(row, path.clone()));
    }
    lines
}

/// The line of a row.
pub fn line_of(lines: &[Line], row: usize) -> Option<usize> {
    // Rows are in order, and behind a heading there is one.
    let (mut from, mut to) = (row.min(lines.len()), lines.len());
    while from < to {
        let middle = (from + to) / 2;
        let at = lines[middle..].iter().find_map(|line| if let Line::Row(at, _) = line { Some(*at) } else { None });
        if at.is_some_and(|at| at < row) { from = middle + 1 } else { to = middle }
    }
    let is_row = |line: &Line| matches!(line, Line::Row(at, _) if *at == row);
    lines[from..].iter().take(2).position(is_row).map(|at| from + at)
}

/// The row that a key leads to: over a heading in the direction of the move.
pub fn row_at(lines: &[Line], wanted: usize, from: Option<usize>) -> Option<usize> {
    let row = |line: &Line| match line {
        Line::Row(row, _) => Some(*row),
        Line::Heading(_) => None,
    };
    let down = || lines.iter().skip(wanted).find_map(row);
    let up = || lines.iter().take(wanted + 1).rev().find_map(row);
    if from.is_some_and(|from| wanted < from) { up().or_else(down) } else { down().or_else(up) }
}

/// As many of these rows as there is room `left` for, which they take; none once there is none.
pub fn first<'a, T>(rows: &'a [T], left: &mut usize) -> Option<&'a [T]> {
    let shown = &rows[..rows.len().min(*left)];
    *left -= shown.len();
    (!shown.is_empty()).then_some(shown)
}

/// At most `most` of so many rows, with the present one in their middle where there are rows enough
/// on both sides.
pub fn around(count: usize, here: usize, most: usize) -> Range<usize> {
    let start = here.saturating_sub(most / 2).min(count.saturating_sub(most));
    start..(start + most).min(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_take_what_room_there_is() {
        let mut left = 5;
        let groups: [&[u8]; 4] = [&[1, 2, 3], &[4, 5, 6], &[7], &[]];
        let shown: Vec<_> = groups.iter().map_while(|group| first(group, &mut left)).collect();
        assert_eq!((shown, left), (vec![&[1u8, 2, 3][..], &[4, 5]], 0));
    }

    #[test]
    fn the_present_row_is_among_those_listed() {
        for (count, here, listed) in [
            (3, 2, 0..3),
            (200, 199, 0..200),
            (1_000, 0, 0..200),
            (1_000, 500, 400..600),
            (1_000, 950, 800..1_000),
            (0, 0, 0..0),
        ] {
            assert_eq!(around(count, here, 200), listed, "{here} of {count}");
        }
    }

    #[test]
    fn keys_step_over_headings() {
        let labels = ["in", "f.0/a", "f.0/b", "f.0/c", "f.0/d", "f.0/e", "g/x", "g/y", "g/z"];
        let lines = lines(&labels, true);
        assert_eq!(lines.len(), labels.len() + 2);
        for row in 0..=labels.len() {
            let found = lines.iter().position(|line| matches!(line, Line::Row(at, _) if *at == row));
            assert_eq!(line_of(&lines, row), found, "{row}");
        }
        assert_eq!((line_of(&lines, 0), line_of(&lines, 1), line_of(&lines, 6)), (Some(0), Some(2), Some(8)));
        assert_eq!((row_at(&lines, 1, Some(0)), row_at(&lines, 1, Some(2))), (Some(1), Some(0)));
        assert_eq!((row_at(&lines, 7, Some(6)), row_at(&lines, 99, None)), (Some(6), Some(8)));
        assert_eq!(super::lines(&labels, false).len(), labels.len());
    }
}
