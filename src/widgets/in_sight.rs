//! Which rows of a virtual list are drawn, and where keys and scrolling lead.

/// Rows drawn beyond each edge, so that fast scrolling shows no gap. Each costs style, layout and
/// painting at every step.
const MARGIN: usize = 4;

/// Rows assumed to be in sight before the list has been measured.
const FIRST: usize = 16;

/// Rows of a list that is drawn as a whole: rows that stay cost nothing at a step, and a step that
/// leads elsewhere would draw all others anew.
const WHOLE: usize = 64;

/// Where a list stands, as far as it knows without asking the browser, which would have to lay out
/// the page for the answer.
#[derive(Default, Debug)]
pub struct Sight {
    /// Scroll position and height in px, once they were measured.
    view: Option<(f64, f64)>,
    /// The row that was brought into sight last, and the number of rows then.
    shown: (Option<usize>, usize),
    /// Where the list is yet to be scrolled to, in px.
    to: Option<f64>,
    /// The rows that were drawn, from and to.
    drawn: (usize, usize),
}

impl Sight {
    /// Returns the rows to draw, from and to, when so many rows of one height, in px, are listed. A
    /// row that comes to be the current one is among them: the list is to be scrolled there.
    pub fn follow(&mut self, current: Option<usize>, count: usize, height: f64) -> (usize, usize) {
        let is_new = std::mem::replace(&mut self.shown, (current, count)) != self.shown;
        if is_new {
            self.show(height);
        }
        self.drawn = self.rows(count, height);
        self.drawn
    }

    /// Takes the scroll position and the height of the list in px, and returns whether other rows
    /// than those drawn are to be drawn. A list that has no height is not seen.
    pub fn measure(&mut self, view: (f64, f64), height: f64) -> bool {
        if view.1 <= 0.0 {
            return false;
        }
        if self.view.replace(view).is_none() {
            self.show(height);
        }
        self.rows(self.shown.1, height) != self.drawn
    }

    /// Whether the list has been measured.
    pub fn is_known(&self) -> bool {
        self.view.is_some()
    }

    /// Returns where the list is to be scrolled to, in px, once.
    pub fn take_scroll(&mut self) -> Option<f64> {
        self.to.take()
    }

    /// Brings the current row into sight.
    fn show(&mut self, height: f64) {
        let (current, count) = self.shown;
        let Some((current, view)) = current.zip(self.view) else { return };
        if let Some(to) = scroll_to(current, height, view) {
            // The browser goes no further than the end, which lies below the heading.
            self.view = Some((to.min((count as f64 * height - view.1).max(0.0)), view.1));
            self.to = Some(to);
        }
    }

    fn rows(&self, count: usize, height: f64) -> (usize, usize) {
        drawn(self.view.map_or((0, FIRST), |(top, room)| measured(top, room, height)), count)
    }
}

/// Returns the first row in sight and the number of rows in sight, from the scroll position and the
/// height of the list in px. Both are rounded to multiples of the margin, so that scrolling by a
/// few pixels draws nothing.
fn measured(scrolled: f64, list: f64, row: f64) -> (usize, usize) {
    let (first, shown) = ((scrolled / row) as usize, (list / row).ceil() as usize + 1);
    (first / MARGIN * MARGIN, shown.div_ceil(MARGIN) * MARGIN + MARGIN)
}

/// The rows to draw, from and to: those in sight, as first row and number, with a margin on both
/// sides. Of a short list all.
fn drawn((first, shown): (usize, usize), count: usize) -> (usize, usize) {
    if count <= WHOLE {
        return (0, count);
    }
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
fn scroll_to(row: usize, height: f64, (from, room): (f64, f64)) -> Option<f64> {
    let (top, bottom) = (row as f64 * height, (row + 1) as f64 * height);
    (top < from || bottom > from + room).then(|| (top - (room - height) / 2.0).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_sight_changes_in_steps() {
        assert_eq!(measured(0.0, 220.0, 22.0), (0, 16));
        assert_eq!(measured(80.0, 220.0, 22.0), (0, 16));
        assert_eq!(measured(90.0, 220.0, 22.0), (4, 16));
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
        assert_eq!(drawn((80, 16), 70), (70, 70), "the list became shorter");
        assert_eq!(drawn((40, 16), WHOLE), (0, WHOLE));
    }

    #[test]
    fn a_row_out_of_sight_is_scrolled_to_the_middle() {
        assert_eq!(scroll_to(3, 20.0, (0.0, 100.0)), None);
        assert_eq!(scroll_to(5, 20.0, (0.0, 100.0)), Some(60.0));
        assert_eq!(scroll_to(0, 20.0, (50.0, 100.0)), Some(0.0));
    }

    /// A list of a thousand rows of 20 px that shows ten of them.
    fn known() -> Sight {
        let mut sight = Sight::default();
        sight.follow(Some(0), 1000, 20.0);
        assert!(!sight.is_known() && sight.take_scroll().is_none());
        assert!(!sight.measure((0.0, 200.0), 20.0), "as many as were assumed");
        sight
    }

    #[test]
    fn rows_around_the_current_one_are_drawn_before_the_list_is_scrolled_there() {
        let mut sight = known();
        assert_eq!(sight.follow(Some(500), 1000, 20.0), (488, 512));
        assert_eq!(sight.take_scroll(), Some(9910.0));
        assert_eq!(sight.take_scroll(), None);
        assert!(!sight.measure((9910.0, 200.0), 20.0), "what the browser says draws nothing anew");
        assert_eq!(sight.follow(Some(999), 1000, 20.0), (984, 1000));
        assert_eq!(sight.take_scroll(), Some(19_890.0), "beyond the end, so that a heading hides no row");
    }

    #[test]
    fn a_row_in_sight_moves_nothing_and_the_reader_scrolls_away_from_it() {
        let mut sight = known();
        let drawn = sight.follow(Some(3), 1000, 20.0);
        assert_eq!((drawn, sight.take_scroll()), ((0, 20), None));
        assert!(sight.measure((4000.0, 200.0), 20.0));
        assert_eq!(sight.follow(Some(3), 1000, 20.0), (196, 220));
        assert_eq!(sight.take_scroll(), None);
        // The row is brought back when the list changes, as after a step.
        assert_eq!(sight.follow(Some(3), 1001, 20.0), (0, 20));
        assert_eq!(sight.take_scroll(), Some(0.0));
    }

    #[test]
    fn a_list_that_is_seen_for_the_first_time_goes_to_its_current_row() {
        let mut sight = Sight::default();
        assert_eq!(sight.follow(Some(500), 1000, 20.0), (0, 20));
        assert!(!sight.measure((0.0, 0.0), 20.0) && !sight.is_known(), "it is hidden");
        assert!(sight.measure((0.0, 200.0), 20.0));
        assert_eq!(sight.take_scroll(), Some(9910.0));
    }

    #[test]
    fn a_shorter_list_draws_the_rows_it_has() {
        let mut sight = known();
        sight.follow(Some(900), 1000, 20.0);
        assert_eq!(sight.follow(None, 100, 20.0), (100, 100), "until the browser has scrolled");
        assert!(sight.measure((1800.0, 200.0), 20.0));
        assert_eq!(sight.follow(None, 100, 20.0), (84, 100));
        assert_eq!(sight.follow(None, 7, 20.0), (0, 7));
    }
}
