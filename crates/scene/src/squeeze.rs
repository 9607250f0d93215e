//! A broken axis of addresses. Where one buffer takes most of the height, the others are too low to
//! be read: a stretch of addresses at which no buffer begins or ends is drawn lower than to scale,
//! and the plan is cut open there.
//!
//! Plans beside each other lose the same number of bytes, each where it has them to lose, so that
//! their heights still compare.

use super::index::Index;
use memplan_core::plan::{Place, PoolId, PoolRole};
use memplan_replay::Run;

/// Addresses of a pool that are drawn lower than to scale.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Squeeze {
    /// The pool.
    pub pool: PoolId,
    /// The first address.
    pub from: u64,
    /// The first address after them.
    pub to: u64,
    /// The bytes to scale that would be as high as they are drawn.
    pub height: u64,
}

/// How much is taken out of every plan of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cut {
    /// Bytes that are drawn lower.
    bytes: u64,
    /// Bytes to scale that are as high, and that stay to scale on both sides.
    height: u64,
}

/// The addresses around the middle of the highest pool at which no buffer begins or ends, and the
/// height of all pools.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    pool: PoolId,
    from: u64,
    to: u64,
    extent: u64,
}

impl Stretch {
    /// Returns that of a run; none of storages, which have no addresses, and of a bare figure.
    pub fn of(run: &Run, index: &Index) -> Option<Stretch> {
        let pool = index.pools().iter().max_by_key(|pool| pool.extent)?;
        if !matches!(pool.role, PoolRole::Arena | PoolRole::Growing | PoolRole::Fixed) {
            return None;
        }
        // One of more than half of the height holds the middle, so that nothing has to be sorted.
        let middle = pool.extent / 2;
        let (mut from, mut to) = (0, pool.extent);
        for (id, place) in run.plan.places.enumerate() {
            let is_here = |place: &Place| place.pool == pool.id && run.problem.buffers[id].size > 0;
            let Some(place) = place.filter(is_here) else { continue };
            for edge in [place.offset, place.offset.saturating_add(run.problem.buffers[id].size)] {
                if edge <= middle { from = from.max(edge) } else { to = to.min(edge) }
            }
        }
        let extent = index.pools().iter().fold(0, |sum: u64, pool| sum.saturating_add(pool.extent));
        Some(Stretch { pool: pool.id, from, to, extent })
    }

    fn bytes(&self) -> u64 {
        self.to - self.from
    }
}

impl Cut {
    /// Returns a cut that all of these plans allow; none where it would not be worth it.
    fn of(stretches: &[Stretch]) -> Option<Cut> {
        let least = stretches.iter().map(Stretch::bytes).min()?;
        let rest = stretches.iter().map(|stretch| stretch.extent - stretch.bytes()).max()?;
        let highest = stretches.iter().map(|stretch| stretch.extent).max()?;
        // What is left beside the stretch and its ends, which stay to scale, is seen at twice the
        // height at least.
        let height = (rest / 6).max(1);
        let bytes = least.checked_sub(2 * height)?;
        (rest > 0 && bytes - bytes.min(height) >= highest / 2).then_some(Cut { bytes, height })
    }
}

impl Squeeze {
    /// Returns how each of some plans beside each other is drawn, in their order; none where one of
    /// them has no such stretch.
    pub fn beside(stretches: &[Option<Stretch>]) -> Option<Vec<Squeeze>> {
        let stretches: Vec<Stretch> = stretches.iter().copied().collect::<Option<_>>()?;
        let cut = Cut::of(&stretches)?;
        let squeeze = |stretch: &Stretch| {
            let from = stretch.from + (stretch.bytes() - cut.bytes) / 2;
            Squeeze { pool: stretch.pool, from, to: from + cut.bytes, height: cut.height }
        };
        Some(stretches.iter().map(squeeze).collect())
    }

    /// Returns how a plan alone is drawn.
    pub fn of(stretch: Option<Stretch>) -> Option<Squeeze> {
        Squeeze::beside(&[stretch])?.first().copied()
    }

    /// Bytes by which the plan is lower.
    pub fn saved(&self) -> u64 {
        self.to - self.from - self.height
    }

    /// Returns the bytes to scale from address 0 that are as high as an address is drawn.
    pub fn drawn(&self, address: u64) -> u64 {
        match address {
            _ if address <= self.from => address,
            _ if address >= self.to => address - self.saved(),
            _ => self.from + scaled(address - self.from, self.height, self.to - self.from),
        }
    }

    /// Returns the address that is drawn as high as so many bytes to scale.
    pub fn address(&self, drawn: u64) -> u64 {
        match drawn {
            _ if drawn <= self.from => drawn,
            _ if drawn >= self.from + self.height => drawn.saturating_add(self.saved()),
            _ => self.from + scaled(drawn - self.from, self.to - self.from, self.height),
        }
    }

    /// Returns true for an address that is drawn lower than to scale.
    pub fn holds(&self, address: u64) -> bool {
        self.from < address && address < self.to
    }
}

/// `value * by / of`, rounded down, for values up to `of`.
fn scaled(value: u64, by: u64, of: u64) -> u64 {
    (u128::from(value) * u128::from(by) / u128::from(of.max(1))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::run;
    use crate::{Projection, Style, View};

    fn stretch(run: &Run) -> Option<Stretch> {
        Stretch::of(run, &Index::new(run))
    }

    #[test]
    fn a_tall_buffer_is_cut_where_nothing_begins_or_ends() {
        // 10,000 B above three buffers of 100 B, another beside it of 300 B.
        let run = run(&[(100, 0, 3, 0, 0), (100, 0, 2, 0, 100), (10_000, 1, 4, 0, 200), (300, 4, 5, 0, 0)]);
        let squeeze = Squeeze::of(stretch(&run)).expect("a stretch");
        assert!(squeeze.from > 300 && squeeze.to < 10_200, "{squeeze:?}");
        for address in [0, 100, 200, 300, squeeze.from, squeeze.to, 10_200] {
            assert_eq!(squeeze.address(squeeze.drawn(address)), address);
        }
        let edges: Vec<u64> = (0..10_300).map(|address| squeeze.drawn(address)).collect();
        assert!(edges.is_sorted(), "addresses keep their order");
        let (index, size) = (Index::new(&run), (600.0, 400.0));
        let height = |style: &Style| {
            let projection = Projection::new(&index, &View::fit(&index, size, style), size, style);
            let y = |address| projection.address_to_y(PoolId(0), address).expect("a band");
            for address in [0, 150, 250, 10_160] {
                let found = projection.y_to_address(y(address) - 0.01).expect("inside").1;
                assert!(found.abs_diff(address) < 60, "{found} for {address}");
            }
            (y(100) - y(200)) / (y(0) - y(10_200))
        };
        let style = Style { squeeze: Some(squeeze), ..Style::default() };
        assert!(height(&style) > 10.0 * height(&Style::default()));
    }

    #[test]
    fn a_plan_of_even_buffers_stays_whole() {
        let even = run(&[(100, 0, 3, 0, 0), (100, 0, 2, 0, 100), (150, 1, 4, 0, 200)]);
        assert_eq!(Squeeze::of(stretch(&even)), None);
        let alone = run(&[(100, 0, 3, 0, 0)]);
        assert_eq!(Squeeze::of(stretch(&alone)), None, "nothing else is there to be seen");
        let two = run(&[(10_000, 0, 3, 1, 0), (100, 0, 2, 0, 0)]);
        let squeeze = Squeeze::of(stretch(&two)).expect("the second pool is cut");
        assert_eq!((squeeze.pool, squeeze.holds(5_000)), (PoolId(1), true));
    }

    #[test]
    fn plans_beside_each_other_lose_the_same_bytes() {
        let low = run(&[(100, 0, 3, 0, 0), (10_000, 0, 4, 0, 100)]);
        let high = run(&[(10_000, 0, 4, 0, 0), (100, 0, 3, 0, 10_400)]);
        let both = Squeeze::beside(&[stretch(&low), stretch(&high)]).expect("both have a stretch");
        assert_eq!(both[0].saved(), both[1].saved());
        assert!(both[1].to <= 10_000 && both[0].from >= 100);
        let even = run(&[(100, 0, 3, 0, 0), (100, 0, 2, 0, 100)]);
        assert_eq!(Squeeze::beside(&[stretch(&low), stretch(&even)]), None);
    }
}
