//! Rows in which the live ranges of waiting buffers stand without touching each other.

use memplan_core::problem::Live;
use memplan_replay::Run;

/// Most buffers of a run whose waiting ones are boxes.
const MOST: usize = 16;

/// Rows of boxes that the waiting buffers of a run take at most; 0 if they are too many. One number
/// for all frames: the plot does not change its height while one steps.
pub fn rows_of(run: &Run) -> usize {
    let lives: Vec<Live> =
        run.timeline.decisions.iter().map(|decision| run.problem.buffers[decision.buffer].live).collect();
    let rows = |next: usize| pack(lives[next..].iter().copied()).into_iter().max().map_or(0, |row| row + 1);
    if lives.len() > MOST { 0 } else { (0..lives.len()).map(rows).max().unwrap_or(0) }
}

/// The row of each live range: the first one that is free for all of it.
pub fn pack(lives: impl Iterator<Item = Live>) -> Vec<usize> {
    let mut rows: Vec<Vec<Live>> = Vec::new();
    let place = |live: Live| {
        let is_free = |row: &Vec<Live>| row.iter().all(|other| live.end <= other.start || other.end <= live.start);
        let row = rows.iter().position(is_free).unwrap_or_else(|| {
            rows.push(Vec::new());
            rows.len() - 1
        });
        rows[row].push(live);
        row
    };
    lives.map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_that_wait_together_stand_in_rows() {
        let lives = [(0, 1), (1, 5), (2, 4), (3, 7), (4, 6), (5, 7)].map(|(start, end)| Live::new(start, end));
        assert_eq!(pack(lives.into_iter()), [0, 0, 1, 2, 1, 0]);
        assert_eq!(pack([].into_iter()), [0; 0]);
    }
}
