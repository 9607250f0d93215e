//! Boxes that lie over one another, as in a plan that breaks a rule: the smaller one is drawn over
//! the larger one.

use super::geometry::Rect;

/// Most boxes in sight that are compared with one another.
const MOST: usize = 500;

/// How far two boxes reach into each other at least, in px: neighbours only touch.
const INTO: f64 = 1.0;

/// How far inside another box one is drawn that has the same edges, in px.
const INSIDE: f64 = 4.0;

/// Returns where boxes are drawn, each with whether it lies over a larger one. One with the edges
/// of another is drawn inside it, so that both are seen. Nothing for very many boxes.
pub fn arranged(boxes: &[Rect]) -> Vec<(Rect, bool)> {
    if boxes.len() > MOST {
        return Vec::new();
    }
    let arranged = |(at, own): (usize, &Rect)| {
        // Of two boxes of one size, the later one lies over the other.
        let is_under = |(other, rect): (usize, &Rect)| (rect.area(), at) > (own.area(), other) && reach(own, rect);
        let is_over = boxes.iter().enumerate().any(is_under);
        let is_same = |rect: &Rect| {
            let apart = [own.x - rect.x, own.y - rect.y, own.right() - rect.right(), own.bottom() - rect.bottom()];
            apart.iter().all(|apart| apart.abs() < INTO)
        };
        let count = boxes[..at].iter().filter(|rect| is_same(rect)).count() as f64;
        let has_room = count > 0.0 && own.w.min(own.h) > 3.0 * INSIDE * count;
        (if has_room { own.inset(INSIDE * count) } else { *own }, is_over)
    };
    boxes.iter().enumerate().map(arranged).collect()
}

fn reach(a: &Rect, b: &Rect) -> bool {
    a.cut(b).is_some_and(|both| both.w > INTO && both.h > INTO)
}
