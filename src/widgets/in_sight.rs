//! Which rows of a virtual list are drawn, and where keys and scrolling lead.

/// Rows drawn beyond each edge, so that fast scrolling shows no gap.
const MARGIN: usize = 8;

/// Rows assumed to be in sight before the list has been measured.
pub const FIRST: usize = 16;

/// Returns the first row in sight and the number of rows in sight, from the scroll position and the
/// height of the list in px. Both are rounded to multiples of the margin, so that scrolling by a
/// few pixels draws nothing.
pub fn measured(scrolled: f64, list: f64, row: f64) -> (usize, usize) {
    let (first, shown) = ((scrolled / row) as usize, (list / row).ceil() as usize + 1);
    (first / MARGIN * MARGIN, shown.div_ceil(MARGIN) * MARGIN + MARGIN)
}

/// The rows to draw, from and to: those in sight, as first row and number, with a margin on both
/// sides.
pub fn drawn((first, shown): (usize, usize), count: usize) -> (usize, usize) {
    (first.saturating_sub(MARGIN).min(count), (first + shown + MARGIN).min(count))
}

/// Returns the row that a key moves to from the current one; `None` if the key does not move.
/// `page` is the number of rows of the page keys, `last` the position of the last row.
pub fn moved(key: &str, current: Option<usize>, page: usize, last: usize) -> Option<usize> {
    match (key, current) {
        ("ArrowDown", Some(current)) => Some((current + 1).min(last)),
        ("ArrowUp", Some(current)) => Some(current.saturating_sub(1)),
        ("PageDown", Some(current)) => Some((current + page).min(last)),
        ("PageUp", Some(current)) => Some(current.saturating_sub(page)),
        ("ArrowDown" | "PageDown" | "ArrowUp" | "PageUp", None) | ("Home", _) => Some(0),
        ("End", _) => Some(last),
        _ => None,
    }
}

/// Returns the scroll position in px that shows a row in the middle; `None` if the whole row is in
/// sight. `view` is the present scroll position and the height of the list.
pub fn scroll_to(row: usize, height: f64, (from, room): (f64, f64)) -> Option<f64> {
    let (top, bottom) = (row as f64 * height, (row + 1) as f64 * height);
    (top < from || bottom > from + room).then(|| (top - (room - height) / 2.0).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_sight_changes_in_steps() {
        assert_eq!(measured(0.0, 220.0, 22.0), (0, 24));
        assert_eq!(measured(150.0, 220.0, 22.0), (0, 24));
        assert_eq!(measured(180.0, 220.0, 22.0), (8, 24));
    }

    #[test]
    fn keys_move_within_the_list() {
        assert_eq!(moved("ArrowDown", Some(8), 4, 9), Some(9));
        assert_eq!(moved("ArrowDown", Some(9), 4, 9), Some(9));
        assert_eq!(moved("ArrowUp", Some(0), 4, 9), Some(0));
        assert_eq!(moved("PageDown", Some(3), 4, 9), Some(7));
        assert_eq!(moved("PageUp", Some(3), 4, 9), Some(0));
        assert_eq!(moved("PageUp", None, 4, 9), Some(0));
        assert_eq!([moved("Home", Some(5), 4, 9), moved("End", None, 4, 9)], [Some(0), Some(9)]);
        assert_eq!(moved("Enter", Some(5), 4, 9), None);
    }

    #[test]
    fn rows_beside_those_in_sight_are_drawn() {
        assert_eq!(drawn((0, FIRST), 100), (0, FIRST + MARGIN));
        assert_eq!(drawn((40, 16), 100), (40 - MARGIN, 56 + MARGIN));
        assert_eq!(drawn((40, 16), 10), (10, 10), "the list became shorter");
    }

    #[test]
    fn a_row_out_of_sight_is_scrolled_to_the_middle() {
        assert_eq!(scroll_to(3, 20.0, (0.0, 100.0)), None);
        assert_eq!(scroll_to(5, 20.0, (0.0, 100.0)), Some(60.0));
        assert_eq!(scroll_to(0, 20.0, (50.0, 100.0)), Some(0.0));
    }
}
