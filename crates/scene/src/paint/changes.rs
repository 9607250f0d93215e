//! What a scene changes of the one that a canvas holds: only there it is painted anew. From one
//! step of a planner to the next a few marks of ten thousand differ.
//!
//! ```text
//! painted   a b c d e f         b is gone, x is new: their boxes are painted anew,
//! new       a c d x e f         with every mark that reaches into them
//! ```

use crate::{Layer, Mark, Rect, Scene, Shape, Stroke};

/// Marks that are looked through to find where two lists agree again.
const AHEAD: usize = 48;

/// Changed marks from which on everything is painted.
const MANY: usize = 400;

/// Boxes that are kept apart; more are joined.
const BOXES: usize = 6;

/// Share of the picture from which on everything is painted.
const MOST: f64 = 0.5;

/// What has to be painted so that a canvas shows another scene.
#[derive(Clone, PartialEq, Debug)]
pub enum Changes {
    /// Only what lies in these boxes, in css pixels; without a box, nothing.
    Inside(Vec<Rect>),
    /// Everything.
    Everywhere,
}

/// Compares a scene with the one that is painted. Boxes end at whole pixels of a canvas that has
/// `pixels` of them a css pixel.
pub fn changes(painted: &Scene, new: &Scene, pixels: f64) -> Changes {
    let alike = |(a, b): (&Layer, &Layer)| a.clip == b.clip;
    let layers = || painted.layers.iter().zip(&new.layers);
    if painted.size != new.size || painted.layers.len() != new.layers.len() || !layers().all(alike) {
        return Changes::Everywhere;
    }
    let mut boxes: Vec<Rect> = Vec::new();
    let mut left = MANY;
    for (a, b) in layers() {
        let Some(changed) = differing(&a.marks, &b.marks, left) else { return Changes::Everywhere };
        left -= changed.len();
        for mark in changed {
            let reach = reach(mark);
            let seen = a.clip.map_or(Some(reach), |clip| clip.cut(&reach));
            boxes.extend(seen.map(|seen| outward(seen, pixels)));
        }
    }
    let boxes = joined(boxes);
    let area: f64 = boxes.iter().map(Rect::area).sum();
    if area > MOST * new.size.0 * new.size.1 { Changes::Everywhere } else { Changes::Inside(boxes) }
}

/// Returns true if a mark has to be painted where the boxes are.
pub fn reaches_into(mark: &Mark, boxes: &[Rect]) -> bool {
    let reach = reach(mark);
    boxes.iter().any(|inside| inside.meets(&reach))
}

/// Returns the marks that only one of the lists has, at most `most` of them; none if there are
/// more.
fn differing<'a>(old: &'a [Mark], new: &'a [Mark], most: usize) -> Option<Vec<&'a Mark>> {
    let (mut a, mut b) = (old, new);
    let mut found = Vec::new();
    while found.len() <= most {
        let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        (a, b) = (&a[same..], &b[same..]);
        let (Some(first), Some(other)) = (a.first(), b.first()) else {
            found.extend(a.iter().chain(b));
            return (found.len() <= most).then_some(found);
        };
        // Where they agree again: after marks that are gone, or after marks that are new.
        let gone = a.iter().take(AHEAD).position(|mark| mark == other);
        let come = b.iter().take(AHEAD).position(|mark| mark == first);
        let (gone, come) = match (gone, come) {
            (Some(gone), Some(come)) if come < gone => (0, come),
            (Some(gone), _) => (gone, 0),
            (None, Some(come)) => (0, come),
            (None, None) => (1, 1),
        };
        found.extend(a[..gone].iter().chain(&b[..come]));
        (a, b) = (&a[gone..], &b[come..]);
    }
    None
}

/// A box that no pixel of a mark is outside of. Words may be wider than they are estimated to be.
fn reach(mark: &Mark) -> Rect {
    let shape = match &mark.shape {
        Shape::Rect(rect) | Shape::Round(rect, _) => *rect,
        Shape::Circle((x, y), radius) => Rect::new(x - radius, y - radius, 2.0 * radius, 2.0 * radius),
        Shape::Lines(lines) => around(lines.iter().flat_map(|(from, to)| [*from, *to])),
        Shape::Polyline(points) | Shape::Polygon(points) => around(points.iter().copied()),
        Shape::Text(text) => {
            let Rect { x, y, w, h } = text.bounds();
            let halo = text.halo.map_or(0.0, |(_, width)| width);
            // Arrows, dashes and other signs are estimated least well.
            let wider = if text.words.is_ascii() { 0.3 } else { 0.8 };
            let (aside, above) = match text.on_end {
                true => (0.3 * w + halo, wider * h + halo + 4.0),
                false => (wider * w + halo + 4.0, 0.3 * h + halo),
            };
            Rect::new(x - aside, y - above, w + 2.0 * aside, h + 2.0 * above)
        }
    };
    // Lines lie half outside of their shape; a sharp corner reaches out up to ten times as far.
    let sharp = matches!(mark.shape, Shape::Polyline(_) | Shape::Polygon(_));
    let out = |stroke: Stroke| stroke.width * if sharp && !stroke.round { 5.0 } else { 1.0 };
    let line = mark.ink.stroke.map_or(0.0, out) + 1.0;
    Rect::new(shape.x - line, shape.y - line, shape.w + 2.0 * line, shape.h + 2.0 * line)
}

fn around(points: impl Iterator<Item = (f64, f64)>) -> Rect {
    let start = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY);
    let (left, top, right, bottom) =
        points.fold(start, |(left, top, right, bottom), (x, y)| (left.min(x), top.min(y), right.max(x), bottom.max(y)));
    if left > right { Rect::default() } else { Rect::new(left, top, right - left, bottom - top) }
}

/// The smallest box of whole pixels around a box.
fn outward(rect: Rect, pixels: f64) -> Rect {
    let low = |at: f64| (at * pixels).floor() / pixels;
    let high = |at: f64| (at * pixels).ceil() / pixels;
    Rect::between((low(rect.x), low(rect.y)), (high(rect.right()), high(rect.bottom())))
}

/// Boxes of which none meets another, as few as are kept apart.
fn joined(boxes: Vec<Rect>) -> Vec<Rect> {
    let mut apart: Vec<Rect> = Vec::new();
    for mut rect in boxes {
        while let Some(at) = apart.iter().position(|other| other.meets(&rect)) {
            rect = both(&rect, &apart.swap_remove(at));
        }
        apart.push(rect);
        if apart.len() > BOXES {
            let all = apart.drain(..).reduce(|a, b| both(&a, &b));
            apart.extend(all);
        }
    }
    apart
}

fn both(a: &Rect, b: &Rect) -> Rect {
    let (x, y) = (a.x.min(b.x), a.y.min(b.y));
    Rect::between((x, y), (a.right().max(b.right()), a.bottom().max(b.bottom())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Anchor, Color, Ink, Text};

    fn square(x: f64, y: f64) -> Mark {
        Mark::new(Shape::Rect(Rect::new(x, y, 10.0, 10.0)), Ink::fill(Color::Text))
    }

    fn scene(marks: Vec<Mark>) -> Scene {
        Scene { size: (1000.0, 1000.0), layers: vec![Layer { clip: None, marks }] }
    }

    fn row(count: u32) -> Vec<Mark> {
        (0..count).map(|at| square(20.0 * f64::from(at % 40), 20.0 * f64::from(at / 40))).collect()
    }

    #[test]
    fn the_same_scene_changes_nothing() {
        assert_eq!(changes(&scene(row(900)), &scene(row(900)), 1.0), Changes::Inside(Vec::new()));
    }

    #[test]
    fn what_is_new_or_gone_is_painted_with_what_reaches_there() {
        let old = row(900);
        let mut new = old.clone();
        new.insert(100, square(905.0, 500.5));
        let gone = new.remove(3);
        let Changes::Inside(boxes) = changes(&scene(old), &scene(new.clone()), 1.0) else { panic!("a little") };
        assert_eq!(boxes.len(), 2);
        assert!(boxes.iter().any(|inside| inside.holds(&Rect::new(905.0, 500.5, 10.0, 10.0))));
        assert!(boxes.iter().any(|inside| matches!(&gone.shape, Shape::Rect(rect) if inside.holds(rect))));
        assert!(boxes.iter().all(|Rect { x, y, w, h }| [x, y, w, h].iter().all(|at| at.fract() == 0.0)));
        let painted = new.iter().filter(|mark| reaches_into(mark, &boxes));
        assert_eq!(painted.count(), 1, "what was beside stays as it is");
    }

    #[test]
    fn a_mark_that_changes_its_place_in_the_order_is_painted_anew() {
        let below = square(0.0, 0.0);
        let above = Mark::new(Shape::Rect(Rect::new(5.0, 5.0, 10.0, 10.0)), Ink::fill(Color::Load));
        let one = scene(vec![below.clone(), above.clone()]);
        let other = scene(vec![above, below]);
        let Changes::Inside(boxes) = changes(&one, &other, 2.0) else { panic!("a little") };
        assert!(boxes.iter().any(|inside| inside.holds(&Rect::new(5.0, 5.0, 5.0, 5.0))), "{boxes:?}");
    }

    #[test]
    fn words_have_room_for_wider_letters_and_their_halo() {
        let text = Text {
            at: (500.0, 500.0),
            anchor: Anchor::Middle,
            size: 12.0,
            bold: false,
            words: "activation".into(),
            halo: Some((Color::Background, 4.0)),
            on_end: false,
        };
        let mark = Mark::new(Shape::Text(Box::new(text.clone())), Ink::fill(Color::Text));
        let Changes::Inside(boxes) = changes(&scene(Vec::new()), &scene(Vec::new()), 1.0) else { panic!("nothing") };
        assert!(boxes.is_empty());
        let Changes::Inside(boxes) = changes(&scene(row(1)), &scene([row(1), vec![mark]].concat()), 1.0) else {
            panic!("a little")
        };
        assert!(boxes[0].holds(&text.bounds().inset(-4.0)));
    }

    #[test]
    fn another_size_other_layers_and_many_changes_are_painted_as_a_whole() {
        let old = scene(row(900));
        let small = Scene { size: (10.0, 10.0), ..old.clone() };
        let clipped = Layer { clip: Some(Rect::new(0.0, 0.0, 5.0, 5.0)), marks: row(900) };
        let two = Scene { layers: vec![clipped.clone(), clipped.clone()], ..old.clone() };
        let one = Scene { layers: vec![clipped], ..old.clone() };
        let moved = scene(row(900).iter().map(|_| square(1.0, 2.0)).collect());
        for new in [small, two, one, moved] {
            assert_eq!(changes(&old, &new, 1.0), Changes::Everywhere);
        }
        let large = Mark::new(Shape::Rect(Rect::new(0.0, 0.0, 900.0, 900.0)), Ink::fill(Color::Text));
        assert_eq!(changes(&old, &scene([row(900), vec![large]].concat()), 1.0), Changes::Everywhere);
    }
}
