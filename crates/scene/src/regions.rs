//! Which of several ranges of addresses a point of the panel means.

use super::projection::Projection;
use memplan_core::plan::PoolId;

/// Free bytes from an address of a pool on; `u64::MAX` if nothing lies above them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// The pool.
    pub pool: PoolId,
    /// First byte, from the base of the pool.
    pub offset: u64,
    /// Bytes from there.
    pub room: u64,
}

impl Projection {
    /// Returns the place in the list of the region that is nearest to `y`: one that `y` lies in, of
    /// several of those the one that begins highest. Regions of pools that are folded away are
    /// never meant.
    pub fn nearest(&self, y: f64, regions: impl IntoIterator<Item = Region>) -> Option<usize> {
        let distance = |region: &Region| {
            let band = self.band(region.pool).filter(|band| !band.is_folded)?;
            // What has no end reaches as far as its pool is drawn; beyond that it is still the
            // nearest.
            let end = region.offset.saturating_add(region.room).min(band.bytes.max(region.offset));
            let (a, b) = (band.y(region.offset), band.y(end));
            Some((a.min(b) - y).max(y - a.max(b)).max(0.0))
        };
        let mut best: Option<(usize, f64, u64)> = None;
        for (number, region) in regions.into_iter().enumerate() {
            let Some(distance) = distance(&region) else { continue };
            let is_nearer =
                best.is_none_or(|(_, least, offset)| distance < least || distance == least && region.offset > offset);
            if is_nearer {
                best = Some((number, distance, region.offset));
            }
        }
        best.map(|(number, ..)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::run;
    use crate::{Index, Style, View};

    #[test]
    fn all_of_a_gap_means_the_gap_and_what_is_above_everything_the_top() {
        // Free: 0 to 96, 112 to 304, 336 to 368, and from 384 on.
        let run = run(&[(16, 0, 5, 0, 96), (32, 0, 5, 0, 304), (16, 0, 5, 0, 368), (96, 0, 1, 0, 384)]);
        let (index, size) = (Index::new(&run), (800.0, 600.0));
        let free = [(0, 96), (112, 192), (336, 32), (384, u64::MAX)];
        let regions = free.map(|(offset, room)| Region { pool: PoolId(0), offset, room });
        for up in [true, false] {
            let style = Style { axis_at_bottom: up, ..Style::default() };
            let projection = Projection::new(&index, &View::fit(&index, size, &style), size, &style);
            let at = |address: u64| {
                let half = if up { -0.5 } else { 0.5 } * projection.per_byte();
                projection.nearest(projection.address_to_y(PoolId(0), address).expect("a band") + half, regions)
            };
            assert_eq!([0, 50, 95].map(at), [Some(0); 3]);
            assert_eq!([112, 150, 303].map(at), [Some(1); 3], "the far end of a gap is no other gap");
            assert_eq!([336, 367, 384, 479].map(at), [Some(2), Some(2), Some(3), Some(3)]);
            assert_eq!([98, 108, 315, 330, 370, 382].map(at), [0, 1, 1, 2, 2, 3].map(Some), "the nearest of a box");
            let beyond = if up { projection.plot.y - 9.0 } else { projection.plot.bottom() + 9.0 };
            assert_eq!(projection.nearest(beyond, regions), Some(3), "above all that is drawn");
            // What is above the living may hold the top, too.
            let above = [(0, u64::MAX), (384, u64::MAX)].map(|(offset, room)| Region { offset, room, ..regions[0] });
            let y = |address| projection.address_to_y(PoolId(0), address).expect("a band");
            assert_eq!((projection.nearest(y(300), above), projection.nearest(y(400), above)), (Some(0), Some(1)));
        }
        assert_eq!(
            Projection::new(&index, &View::fit(&index, size, &Style::default()), size, &Style::default())
                .nearest(9.0, []),
            None
        );
    }
}
