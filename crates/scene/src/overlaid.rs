//! Boxes that lie over one another, as in a plan that breaks a rule: the smaller one is drawn over
//! the larger one.

use super::buffers::Shown;
use super::geometry::Rect;

/// Most boxes in sight that are compared with one another.
const MOST: usize = 500;

/// How far two boxes reach into each other at least, in px: neighbours only touch.
const INTO: f64 = 1.0;

/// How far inside another box one is drawn that has the same edges, in px.
const INSIDE: f64 = 4.0;

/// Marks the boxes that lie over larger ones. One with the edges of another is drawn inside it, so
/// that both are seen.
pub fn mark(shown: &mut [Shown]) {
    if shown.len() > MOST {
        return;
    }
    let boxes: Vec<Rect> = shown.iter().map(|shown| shown.rect).collect();
    for (at, own) in boxes.iter().enumerate() {
        // Of two boxes of one size, the later one lies over the other.
        let is_under = |(other, rect): (usize, &Rect)| (rect.area(), at) > (own.area(), other) && reach(own, rect);
        if boxes.iter().enumerate().any(is_under) {
            shown[at].is_over = true;
        }
        let is_same = |rect: &Rect| {
            let apart = [own.x - rect.x, own.y - rect.y, own.right() - rect.right(), own.bottom() - rect.bottom()];
            apart.iter().all(|apart| apart.abs() < INTO)
        };
        let count = boxes[..at].iter().filter(|rect| is_same(rect)).count() as f64;
        if count > 0.0 && own.w.min(own.h) > 3.0 * INSIDE * count {
            shown[at].rect = own.inset(INSIDE * count);
        }
    }
}

fn reach(a: &Rect, b: &Rect) -> bool {
    a.cut(b).is_some_and(|both| both.w > INTO && both.h > INTO)
}
