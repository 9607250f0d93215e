//! What the window has room for.

/// Classes of the layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// 1200 px and wider: panels on both sides.
    Wide,
    /// 768 to 1199 px: a rail and a drawer.
    Middle,
    /// Narrower than 768 px, or a phone on its side.
    Narrow,
}

/// What a window has room for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Room {
    /// The class of the layout.
    pub layout: Layout,
    /// Whether the drawer stands beside the plan: below it, the plan of a low window would have
    /// less than half the height.
    pub beside: bool,
    /// How many times larger a plan is drawn when it is presented: type and lines, not only shapes.
    pub magnification: f64,
}

/// How many times larger a plan is presented on a projector of 1920 × 1080 px.
const PRESENTED: f64 = 1.9;

impl Room {
    /// Returns what a window of this size in css px has room for. Zooming a page in makes its
    /// window smaller.
    pub fn of(width: f64, height: f64) -> Room {
        let layout = match width {
            width if width >= 1200.0 => Layout::Wide,
            // The header of the middle layout is wider than a phone on its side, and its stepper as
            // high as half the plan.
            width if width >= 768.0 && height >= 480.0 => Layout::Middle,
            _ => Layout::Narrow,
        };
        let is_low = height < 768.0 && width > height && width >= 560.0;
        // A small window shows less of it, a large screen is seen from as far away as any other.
        let (small, large) = ((width / 1280.0).min(height / 720.0), (width / 1920.0).min(height / 1080.0));
        let magnification = (PRESENTED * small.min(1.0) * large.max(1.0)).max(1.0);
        Room { layout, beside: layout != Layout::Wide && is_low, magnification: (magnification * 20.0).round() / 20.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_windows_have_the_drawer_beside_the_plan() {
        for (size, layout, beside) in [
            ((1440.0, 900.0), Layout::Wide, false),
            // The same window at 125, 150 and 200 %.
            ((1152.0, 720.0), Layout::Middle, true),
            ((960.0, 600.0), Layout::Middle, true),
            ((720.0, 450.0), Layout::Narrow, true),
            ((1024.0, 768.0), Layout::Middle, false),
            ((768.0, 1024.0), Layout::Middle, false),
            ((844.0, 390.0), Layout::Narrow, true),
            ((390.0, 844.0), Layout::Narrow, false),
            ((320.0, 640.0), Layout::Narrow, false),
        ] {
            let room = Room::of(size.0, size.1);
            assert_eq!((room.layout, room.beside), (layout, beside), "{size:?}");
        }
    }

    #[test]
    fn a_presented_plan_is_as_large_as_the_screen_allows() {
        let magnification = |width: f64, height: f64| Room::of(width, height).magnification;
        assert_eq!((magnification(1920.0, 1080.0), magnification(1280.0, 720.0)), (1.9, 1.9));
        assert_eq!((magnification(3840.0, 2160.0), magnification(390.0, 844.0)), (3.8, 1.0));
        assert!((1.0..1.9).contains(&magnification(960.0, 600.0)));
    }
}
