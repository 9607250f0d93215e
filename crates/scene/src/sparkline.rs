//! The load curve of an example, small.

use super::geometry::{Point, Size};
use super::ink::{Color, Ink};
use super::mark::{Layer, Scene, Shape};

/// A filled step curve over the whole size, each value as wide as the others, the largest as high
/// as the box less a pixel.
pub fn sparkline(values: &[u64], size: Size) -> Scene {
    let (Some(&largest), (width, height)) = (values.iter().max(), size) else { return Scene::new(size, Vec::new()) };
    let mut line: Vec<Point> = Vec::with_capacity(2 * values.len());
    for (number, &value) in values.iter().enumerate() {
        let x = |number: usize| width * number as f64 / values.len() as f64;
        let y = height - (height - 1.0) * value as f64 / largest.max(1) as f64;
        line.extend([(x(number), y), (x(number + 1), y)]);
    }
    let mut area = line.clone();
    area.extend([(width, height), (0.0, height)]);
    let mut layer = Layer::default();
    layer.push(Shape::Polygon(area), Ink::fill(Color::Load).alpha(0.18));
    layer.push(Shape::Polyline(line), Ink::line(Color::Load, 1.0));
    Scene::new(size, vec![layer])
}
