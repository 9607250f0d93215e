//! Scenes on a Canvas 2D context.

use web_sys::CanvasRenderingContext2d;

use super::Theme;
use crate::scene::Scene;

/// The colours of a theme as the canvas takes them, with the patterns made of them.
pub struct Palette {
    colors: super::Palette,
}

impl Palette {
    /// Reads the custom properties (`--bg`, `--c1`, …) once; make a new palette when the theme changes.
    pub fn from_css(theme: Theme, value: impl Fn(&str) -> String) -> Palette {
        Palette { colors: super::Palette::from_css(theme, value) }
    }
}

/// Paints a scene over what the canvas holds. One css pixel is `dpr` canvas pixels.
pub fn paint(ctx: &CanvasRenderingContext2d, scene: &Scene, palette: &Palette, dpr: f64) {
    let _ = (ctx, scene, &palette.colors, dpr);
}
