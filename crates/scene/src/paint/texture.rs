//! Patterns as tiles of lines, dots and squares, for both painters.

use crate::Texture;

/// One repeated square.
pub struct Tile {
    /// Side in css pixels.
    pub side: f64,
    /// Lines of 1 px.
    pub lines: Vec<[f64; 4]>,
    /// Centre and radius.
    pub dots: Vec<[f64; 3]>,
    /// Corner and side.
    pub squares: Vec<[f64; 3]>,
}

/// The tile of a texture; nothing for a plain fill.
pub fn tile(texture: Texture) -> Option<Tile> {
    let lines = |side: f64, lines: Vec<[f64; 4]>| Tile { side, lines, dots: Vec::new(), squares: Vec::new() };
    Some(match texture {
        Texture::Solid => return None,
        Texture::Dots => Tile { dots: vec![[1.75, 1.75, 0.9], [5.25, 5.25, 0.9]], ..lines(7.0, Vec::new()) },
        Texture::Vertical => lines(5.0, vec![[2.5, 0.0, 2.5, 5.0]]),
        Texture::Horizontal => lines(5.0, vec![[0.0, 2.5, 5.0, 2.5]]),
        Texture::Slash => lines(8.0, slash(8.0)),
        Texture::Backslash => lines(8.0, backslash(8.0)),
        Texture::Cross => lines(8.0, [slash(8.0), backslash(8.0)].concat()),
        Texture::Checks => Tile { squares: vec![[0.0, 0.0, 3.0], [3.0, 3.0, 3.0]], ..lines(6.0, Vec::new()) },
        Texture::Padding => lines(4.0, slash(4.0)),
        Texture::Gap => lines(6.0, slash(6.0)),
    })
}

/// The diagonal with what its neighbours put into the corners.
fn slash(side: f64) -> Vec<[f64; 4]> {
    vec![[0.0, side, side, 0.0], [-1.0, 1.0, 1.0, -1.0], [side - 1.0, side + 1.0, side + 1.0, side - 1.0]]
}

fn backslash(side: f64) -> Vec<[f64; 4]> {
    vec![[0.0, 0.0, side, side], [-1.0, side - 1.0, 1.0, side + 1.0], [side - 1.0, -1.0, side + 1.0, 1.0]]
}
