//! Points and boxes in css pixels, y downwards.

/// A point in css pixels.
pub type Point = (f64, f64);

/// Width and height in css pixels.
pub type Size = (f64, f64);

/// A box with its left top corner.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Rect {
    /// The box with this left upper corner, width and height.
    pub const fn new(x: f64, y: f64, w: f64, h: f64) -> Rect {
        Rect { x, y, w, h }
    }

    /// The box between two corners, in whatever order they come.
    pub fn between(a: Point, b: Point) -> Rect {
        Rect::new(a.0.min(b.0), a.1.min(b.1), (a.0 - b.0).abs(), (a.1 - b.1).abs())
    }

    /// Returns the x of the right edge.
    pub fn right(&self) -> f64 {
        self.x + self.w
    }

    /// Returns the y of the lower edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.h
    }

    /// Returns the point in the middle.
    pub fn centre(&self) -> Point {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// Returns width times height; 0 for a box turned inside out.
    pub fn area(&self) -> f64 {
        self.w.max(0.0) * self.h.max(0.0)
    }

    /// Left and top edges belong to the box, right and bottom edges to its neighbours.
    pub fn contains(&self, point: Point) -> bool {
        self.x <= point.0 && point.0 < self.right() && self.y <= point.1 && point.1 < self.bottom()
    }

    /// Returns true if the boxes have an area in common.
    pub fn meets(&self, other: &Rect) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    /// Returns true if no part of another box is outside.
    pub fn holds(&self, other: &Rect) -> bool {
        let across = self.x <= other.x && other.right() <= self.right();
        across && self.y <= other.y && other.bottom() <= self.bottom()
    }

    /// The common part; nothing when the boxes only touch.
    pub fn cut(&self, other: &Rect) -> Option<Rect> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (right, bottom) = (self.right().min(other.right()), self.bottom().min(other.bottom()));
        (x < right && y < bottom).then(|| Rect::new(x, y, right - x, bottom - y))
    }

    /// The box moved in by `by` on every side; never of negative size.
    pub fn inset(&self, by: f64) -> Rect {
        let (w, h) = ((self.w - 2.0 * by).max(0.0), (self.h - 2.0 * by).max(0.0));
        Rect::new(self.x + (self.w - w) / 2.0, self.y + (self.h - h) / 2.0, w, h)
    }

    /// The four edges, so many pixels wide in all.
    pub fn edges(&self, width: f64) -> [Rect; 4] {
        let outer = self.inset(-width / 2.0);
        let (across, upright) = (Rect { h: width, ..outer }, Rect { w: width, ..outer });
        let (lower, right) = (self.bottom() - width / 2.0, self.right() - width / 2.0);
        [across, Rect { y: lower, ..across }, upright, Rect { x: right, ..upright }]
    }
}
