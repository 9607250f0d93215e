//! Windows that slide over images: convolution, pooling, and the way back.

use super::Extent;

use Extent::{Known, Open};

/// A sliding window along one axis.
pub struct Window {
    pub kernel: Extent,
    pub stride: i64,
    pub dilation: i64,
    /// Padding before and after.
    pub pads: (i64, i64),
}

/// What becomes of a window that does not fit as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// It is left out.
    Down,
    /// It counts.
    Up,
    /// It counts if it begins inside the input or the padding before it.
    UpInside,
    /// Every stride has one, whatever the padding.
    Same,
}

impl Window {
    /// Elements from the first to the last that a window covers.
    fn reach(&self) -> Extent {
        self.kernel.minus(&Known(1)).times(&Known(self.dilation)).plus(&Known(1))
    }

    /// Elements by which the first window can move.
    pub fn room(&self, extent: &Extent) -> Extent {
        extent.plus(&Known(self.pads.0)).plus(&Known(self.pads.1)).minus(&self.reach())
    }

    /// Number of windows along an axis.
    pub fn count(&self, extent: &Extent, rounding: Rounding) -> Extent {
        let stride = Known(self.stride);
        let room = self.room(extent);
        let steps = match rounding {
            Rounding::Same => return extent.over_up(&stride),
            Rounding::Down => room.over(&stride),
            Rounding::Up | Rounding::UpInside => room.over_up(&stride),
        };
        let begins_inside = match (steps.known(), extent.plus(&Known(self.pads.0)).known()) {
            (Some(steps), Some(end)) => steps.saturating_mul(self.stride) < end,
            _ => true,
        };
        let is_left_out = rounding == Rounding::UpInside && !begins_inside;
        let windows = if is_left_out { steps } else { steps.plus(&Known(1)) };
        if windows.known().is_some_and(|windows| windows < 0) { Open } else { windows }
    }

    /// The way back: the extent over which so many windows slide, and some `added` elements.
    pub fn slid_over(&self, windows: &Extent, added: &Extent) -> Extent {
        let pads = Known(self.pads.0).plus(&Known(self.pads.1));
        windows.minus(&Known(1)).times(&Known(self.stride)).plus(added).plus(&self.reach()).minus(&pads)
    }
}
