//! A scene: layers of marks in painting order, in css pixels.

use super::geometry::{Point, Rect, Size};
use super::ink::{Color, Ink};
use super::label;

/// Something to draw, back to front.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scene {
    /// Size of the picture.
    pub size: Size,
    /// Layers, back to front.
    pub layers: Vec<Layer>,
}

/// Marks that are cut off at one panel.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layer {
    /// Nothing of the layer is drawn outside; no clip draws everything.
    pub clip: Option<Rect>,
    /// Marks, back to front.
    pub marks: Vec<Mark>,
}

/// A shape with its ink.
#[derive(Clone, PartialEq, Debug)]
pub struct Mark {
    /// Where it is drawn.
    pub shape: Shape,
    /// What it is drawn with.
    pub ink: Ink,
    /// A border of 1 px inside the edge of a filled rectangle.
    pub edge: Option<Color>,
    /// What the mark stands for, in words.
    pub title: Option<Box<str>>,
}

/// The outline of a mark.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// A box.
    Rect(Rect),
    /// A rectangle with rounded corners of this radius.
    Round(Rect, f64),
    /// A disc or a circle around a point, with its radius.
    Circle(Point, f64),
    /// Separate straight lines.
    Lines(Vec<(Point, Point)>),
    /// A connected line.
    Polyline(Vec<Point>),
    /// A closed line, or the area inside it.
    Polygon(Vec<Point>),
    /// Words.
    Text(Box<Text>),
}

/// Words at a point; the point lies at half the height of the letters.
#[derive(Clone, PartialEq, Debug)]
pub struct Text {
    /// The point that the words are set to.
    pub at: Point,
    /// Which end of the words lies at the point.
    pub anchor: Anchor,
    /// Font size in css pixels.
    pub size: f64,
    /// Whether the letters are bold.
    pub bold: bool,
    /// What is written.
    pub words: String,
    /// Colour and width of a stroke behind the letters, where they lie over lines.
    pub halo: Option<(Color, f64)>,
    /// Whether the words run from below upwards; their end is then the upper one.
    pub on_end: bool,
}

/// Which end of the words lies at their point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Anchor {
    /// The words begin at the point.
    #[default]
    Start,
    /// Half of the words lies on each side.
    Middle,
    /// The words end at the point.
    End,
}

impl Mark {
    /// A mark without border and without title.
    pub const fn new(shape: Shape, ink: Ink) -> Mark {
        Mark { shape, ink, edge: None, title: None }
    }
}

impl Text {
    /// The same words in bold letters.
    #[must_use]
    pub fn bold(self) -> Text {
        Text { bold: true, ..self }
    }

    /// The same words with a stroke of a colour and a width behind the letters.
    #[must_use]
    pub fn halo(self, color: Color, width: f64) -> Text {
        Text { halo: Some((color, width)), ..self }
    }

    /// The box that the words take up.
    pub fn bounds(&self) -> Rect {
        let (length, height) = (label::width(&self.words, self.size, self.bold), self.size * 1.2);
        let before = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => length / 2.0,
            Anchor::End => length,
        };
        if self.on_end {
            return Rect::new(self.at.0 - height / 2.0, self.at.1 - (length - before), height, length);
        }
        Rect::new(self.at.0 - before, self.at.1 - height / 2.0, length, height)
    }
}

impl Layer {
    /// An empty layer that draws nothing outside a box.
    pub fn clipped(clip: Rect) -> Layer {
        Layer { clip: Some(clip), marks: Vec::new() }
    }

    /// Adds a shape on top.
    pub fn push(&mut self, shape: Shape, ink: Ink) {
        self.marks.push(Mark::new(shape, ink));
    }

    /// Adds a box on top.
    pub fn rect(&mut self, rect: Rect, ink: Ink) {
        self.push(Shape::Rect(rect), ink);
    }

    /// Adds a straight line on top.
    pub fn line(&mut self, from: Point, to: Point, ink: Ink) {
        self.push(Shape::Lines(vec![(from, to)]), ink);
    }

    /// Adds words on top.
    pub fn text(&mut self, text: Text, color: Color) {
        self.push(Shape::Text(Box::new(text)), Ink::fill(color));
    }
}

impl Scene {
    /// A scene of these layers; empty ones are left out.
    pub fn new(size: Size, layers: Vec<Layer>) -> Scene {
        Scene { size, layers: layers.into_iter().filter(|layer| !layer.marks.is_empty()).collect() }
    }

    /// The scene with every point elsewhere, in a picture of this size; `words` puts words there.
    #[must_use]
    pub fn mapped(self, size: Size, at: impl Fn(Point) -> Point, words: impl Fn(Text) -> Text) -> Scene {
        let rect = |rect: Rect| Rect::between(at((rect.x, rect.y)), at((rect.right(), rect.bottom())));
        let shape = |shape: Shape| match shape {
            Shape::Rect(old) => Shape::Rect(rect(old)),
            Shape::Round(old, radius) => Shape::Round(rect(old), radius),
            Shape::Circle(centre, radius) => Shape::Circle(at(centre), radius),
            Shape::Lines(lines) => Shape::Lines(lines.into_iter().map(|(from, to)| (at(from), at(to))).collect()),
            Shape::Polyline(points) => Shape::Polyline(points.into_iter().map(&at).collect()),
            Shape::Polygon(points) => Shape::Polygon(points.into_iter().map(&at).collect()),
            Shape::Text(text) => Shape::Text(Box::new(words(*text))),
        };
        let layer = |layer: Layer| Layer {
            clip: layer.clip.map(rect),
            marks: layer.marks.into_iter().map(|mark| Mark { shape: shape(mark.shape), ..mark }).collect(),
        };
        Scene { size, layers: self.layers.into_iter().map(layer).collect() }
    }

    /// The scene so many times as large: words and lines as well, dashes and patterns excepted.
    #[must_use]
    pub fn scaled(self, by: f64) -> Scene {
        let size = (self.size.0 * by, self.size.1 * by);
        let at = |(x, y): Point| (x * by, y * by);
        let mut scene = self.mapped(size, at, |text| Text { at: at(text.at), size: text.size * by, ..text });
        for mark in scene.layers.iter_mut().flat_map(|layer| &mut layer.marks) {
            match &mut mark.shape {
                Shape::Round(_, radius) | Shape::Circle(_, radius) => *radius *= by,
                _ => {}
            }
            if let Some(stroke) = &mut mark.ink.stroke {
                stroke.width *= by;
            }
        }
        scene
    }

    /// All marks, back to front.
    pub fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.layers.iter().flat_map(|layer| &layer.marks)
    }
}
