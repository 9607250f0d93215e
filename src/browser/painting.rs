//! Scenes on a Canvas 2D context.
//!
//! Ten thousands of rectangles are painted while a pointer moves, so calls are few: a style is set
//! when it changes, and rectangles of one ink are traced into one path. Paths of a few hundred
//! rectangles on whole device pixels fill fastest.

use std::cell::RefCell;

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasPattern, CanvasRenderingContext2d, HtmlCanvasElement};

use memplan_scene::paint::{self, Rgba, Surface, Theme, Tile, draw, draw_wanted, reaches_into, slot, tile};
use memplan_scene::{Anchor, Color, Dash, Ink, Layer, Mark, Rect, Scene, Shape, Size, Stroke, Text, Texture};

/// Shapes in one path.
const BATCH: usize = 512;

/// The colours of a theme as the canvas takes them, with the patterns made of them. Make a new one
/// when the theme changes.
pub struct Palette {
    colors: paint::Palette,
    /// CSS text of each colour, by slot.
    css: Vec<String>,
    font: String,
    /// Patterns made so far, by texture, colour and device pixels per css pixel.
    patterns: RefCell<Vec<(Texture, Color, f64, CanvasPattern)>>,
}

impl Palette {
    /// Reads the custom properties (`--bg`, `--c1`, `--font`, …) once.
    pub fn from_css(theme: Theme, value: impl Fn(&str) -> String) -> Palette {
        let font = value("--font");
        let colors = paint::Palette::from_css(theme, value);
        Palette {
            css: colors.colors().iter().map(|color| color.css(1.0)).collect(),
            colors,
            font: if font.trim().is_empty() { paint::svg::FONT.to_string() } else { font.trim().to_string() },
            patterns: RefCell::default(),
        }
    }

    fn pattern(
        &self,
        ctx: &CanvasRenderingContext2d,
        texture: Texture,
        color: Color,
        dpr: f64,
    ) -> Option<CanvasPattern> {
        let mut patterns = self.patterns.borrow_mut();
        let wanted = |made: &&(Texture, Color, f64, CanvasPattern)| (made.0, made.1, made.2) == (texture, color, dpr);
        if let Some((.., pattern)) = patterns.iter().find(wanted) {
            return Some(pattern.clone());
        }
        let pattern = make_pattern(ctx, &tile(texture)?, self.colors.color(color), dpr)?;
        patterns.push((texture, color, dpr, pattern.clone()));
        Some(pattern)
    }
}

/// Makes a canvas empty and sets it up for css pixels of `dpr` canvas pixels.
pub fn clear(ctx: &CanvasRenderingContext2d, size: Size, dpr: f64) {
    reset(ctx, dpr);
    ctx.clear_rect(0.0, 0.0, size.0, size.1);
}

/// Paints a scene over what the canvas holds. One css pixel is `dpr` canvas pixels.
pub fn paint(ctx: &CanvasRenderingContext2d, scene: &Scene, palette: &Palette, dpr: f64) {
    reset(ctx, dpr);
    ctx.set_text_baseline("middle");
    draw(scene, &mut Canvas { ctx, palette, dpr, set: Setting::default() });
}

/// Paints the part of a scene that lies in some boxes over a canvas that holds another one. One css
/// pixel is `dpr` canvas pixels, of which the boxes have whole ones.
pub fn paint_inside(ctx: &CanvasRenderingContext2d, scene: &Scene, boxes: &[Rect], palette: &Palette, dpr: f64) {
    reset(ctx, dpr);
    ctx.save();
    ctx.begin_path();
    boxes.iter().for_each(|&Rect { x, y, w, h }| ctx.rect(x, y, w, h));
    ctx.clip();
    boxes.iter().for_each(|&Rect { x, y, w, h }| ctx.clear_rect(x, y, w, h));
    ctx.set_text_baseline("middle");
    draw_wanted(scene, &mut Canvas { ctx, palette, dpr, set: Setting::default() }, |mark| reaches_into(mark, boxes));
    ctx.restore();
}

fn reset(ctx: &CanvasRenderingContext2d, dpr: f64) {
    // Only a matrix that is not finite is refused.
    let _ = ctx.set_transform(dpr, 0.0, 0.0, dpr, 0.0, 0.0);
}

/// What the context is set to; nothing when that is not known.
#[derive(Default)]
struct Setting {
    fill: Option<Color>,
    stroke: Option<Color>,
    alpha: Option<f64>,
    line: Option<Stroke>,
    font: Option<(f64, bool)>,
    anchor: Option<Anchor>,
}

struct Canvas<'a> {
    ctx: &'a CanvasRenderingContext2d,
    palette: &'a Palette,
    dpr: f64,
    set: Setting,
}

impl Surface for Canvas<'_> {
    fn begin(&mut self, layer: &Layer) {
        self.ctx.save();
        self.set = Setting::default();
        if let Some(Rect { x, y, w, h }) = layer.clip {
            self.ctx.begin_path();
            self.ctx.rect(x, y, w, h);
            self.ctx.clip();
        }
    }

    fn run(&mut self, marks: &[Mark]) {
        let Some(first) = marks.first() else { return };
        if let Shape::Text(text) = &first.shape {
            return self.text(text, first.ink);
        }
        self.alpha(first.ink.alpha);
        match (first.ink.stroke, first.ink.texture, first.edge) {
            (Some(stroke), ..) => {
                self.stroke(first.ink.color, stroke);
                self.paths(marks, |ctx| ctx.stroke());
            }
            (None, Texture::Solid, Some(edge)) => self.bordered(marks, first.ink.color, edge),
            (None, Texture::Solid, None) if marks.iter().all(|mark| matches!(mark.shape, Shape::Rect(_))) => {
                self.fill(first.ink.color);
                self.boxes(marks, 0.0);
            }
            (None, Texture::Solid, None) => {
                self.fill(first.ink.color);
                self.paths(marks, |ctx| ctx.fill());
            }
            (None, texture, _) => self.textured(marks, first.ink, texture),
        }
    }

    fn end(&mut self) {
        self.ctx.restore();
        self.set = Setting::default();
    }
}

impl Canvas<'_> {
    fn paths(&self, marks: &[Mark], finish: impl Fn(&CanvasRenderingContext2d)) {
        for batch in marks.chunks(BATCH) {
            self.ctx.begin_path();
            batch.iter().for_each(|mark| self.trace(&mark.shape));
            finish(self.ctx);
        }
    }

    /// The border as the outer box and the fill as the inner one: two fills cost less than a fill
    /// and a stroke.
    fn bordered(&mut self, marks: &[Mark], fill: Color, edge: Color) {
        let width = self.dpr.round().max(1.0) / self.dpr;
        for batch in marks.chunks(BATCH) {
            for (color, inset) in [(edge, 0.0), (fill, width)] {
                self.fill(color);
                self.boxes(batch, inset);
            }
        }
    }

    /// Filled one by one: without a GPU the browser needs two thirds of the time that one path of
    /// them takes.
    fn boxes(&self, marks: &[Mark], inset: f64) {
        for mark in marks {
            if let Shape::Rect(rect) = &mark.shape {
                let Rect { x, y, w, h } = rect.inset(inset);
                self.ctx.fill_rect(x, y, w, h);
            }
        }
    }

    /// Patterns are made of device pixels, so they are filled without the scale of the context.
    fn textured(&mut self, marks: &[Mark], ink: Ink, texture: Texture) {
        let Some(pattern) = self.palette.pattern(self.ctx, texture, ink.color, self.dpr) else { return };
        self.ctx.set_fill_style_canvas_pattern(&pattern);
        self.set.fill = None;
        reset(self.ctx, 1.0);
        for batch in marks.chunks(BATCH) {
            self.ctx.begin_path();
            for mark in batch {
                if let Shape::Rect(Rect { x, y, w, h }) = mark.shape {
                    self.ctx.rect(x * self.dpr, y * self.dpr, w * self.dpr, h * self.dpr);
                }
            }
            self.ctx.fill();
        }
        reset(self.ctx, self.dpr);
    }

    fn trace(&self, shape: &Shape) {
        let ctx = self.ctx;
        match shape {
            Shape::Rect(Rect { x, y, w, h }) => ctx.rect(*x, *y, *w, *h),
            Shape::Round(rect, radius) => round(ctx, rect, *radius),
            Shape::Circle((x, y), radius) => {
                ctx.move_to(x + radius, *y);
                // Only a negative radius is refused.
                let _ = ctx.arc(*x, *y, radius.max(0.0), 0.0, std::f64::consts::TAU);
            }
            Shape::Lines(lines) => {
                for (from, to) in lines {
                    ctx.move_to(from.0, from.1);
                    ctx.line_to(to.0, to.1);
                }
            }
            Shape::Polyline(points) | Shape::Polygon(points) => {
                for (number, point) in points.iter().enumerate() {
                    if number == 0 { ctx.move_to(point.0, point.1) } else { ctx.line_to(point.0, point.1) }
                }
                if matches!(shape, Shape::Polygon(_)) {
                    ctx.close_path();
                }
            }
            Shape::Text(_) => {}
        }
    }

    fn text(&mut self, text: &Text, ink: Ink) {
        self.alpha(ink.alpha);
        if self.set.font != Some((text.size, text.bold)) {
            self.set.font = Some((text.size, text.bold));
            let weight = if text.bold { 600 } else { 400 };
            self.ctx.set_font(&format!("{weight} {}px {}", text.size, self.palette.font));
        }
        if self.set.anchor != Some(text.anchor) {
            self.set.anchor = Some(text.anchor);
            self.ctx.set_text_align(match text.anchor {
                Anchor::Start => "left",
                Anchor::Middle => "center",
                Anchor::End => "right",
            });
        }
        // Text is refused only where there is no memory left for it.
        if let Some((color, width)) = text.halo.filter(|_| !text.on_end) {
            self.stroke(color, Stroke { width, dash: Dash::Solid, round: true });
            let _ = self.ctx.stroke_text(&text.words, text.at.0, text.at.1);
        }
        self.fill(ink.color);
        if text.on_end {
            self.ctx.save();
            // Only numbers that are none are refused.
            let _ = self.ctx.translate(text.at.0, text.at.1);
            let _ = self.ctx.rotate(-std::f64::consts::FRAC_PI_2);
            let _ = self.ctx.fill_text(&text.words, 0.0, 0.0);
            self.ctx.restore();
            return;
        }
        let _ = self.ctx.fill_text(&text.words, text.at.0, text.at.1);
    }

    fn fill(&mut self, color: Color) {
        if self.set.fill != Some(color) {
            self.set.fill = Some(color);
            self.ctx.set_fill_style_str(&self.palette.css[slot(color)]);
        }
    }

    fn stroke(&mut self, color: Color, line: Stroke) {
        if self.set.stroke != Some(color) {
            self.set.stroke = Some(color);
            self.ctx.set_stroke_style_str(&self.palette.css[slot(color)]);
        }
        if self.set.line == Some(line) {
            return;
        }
        self.set.line = Some(line);
        self.ctx.set_line_width(line.width);
        self.ctx.set_line_join(if line.round { "round" } else { "miter" });
        let lengths: js_sys::Array = line.dash.lengths().iter().map(|&length| JsValue::from_f64(length)).collect();
        // Only negative lengths are refused.
        let _ = self.ctx.set_line_dash(&lengths);
    }

    fn alpha(&mut self, alpha: f64) {
        if self.set.alpha != Some(alpha) {
            self.set.alpha = Some(alpha);
            self.ctx.set_global_alpha(alpha);
        }
    }
}

fn round(ctx: &CanvasRenderingContext2d, rect: &Rect, radius: f64) {
    let (left, top, right, bottom) = (rect.x, rect.y, rect.right(), rect.bottom());
    ctx.move_to(left + radius, top);
    for (corner, end) in [
        ((right, top), (right, bottom - radius)),
        ((right, bottom), (left + radius, bottom)),
        ((left, bottom), (left, top + radius)),
        ((left, top), (left + radius, top)),
    ] {
        // Only a negative radius is refused.
        let _ = ctx.arc_to(corner.0, corner.1, end.0, end.1, radius.max(0.0));
        ctx.line_to(end.0, end.1);
    }
    ctx.close_path();
}

/// One tile drawn on a canvas of its own.
fn make_pattern(ctx: &CanvasRenderingContext2d, tile: &Tile, color: Rgba, dpr: f64) -> Option<CanvasPattern> {
    let document = ctx.canvas()?.owner_document()?;
    let canvas: HtmlCanvasElement = document.create_element("canvas").ok()?.dyn_into().ok()?;
    // A whole number of device pixels, so that tiles meet without seam.
    let side = (tile.side * dpr).round().max(1.0);
    canvas.set_width(side as u32);
    canvas.set_height(side as u32);
    let pen: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    let scale = side / tile.side;
    pen.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0).ok()?;
    let css = color.css(1.0);
    pen.set_fill_style_str(&css);
    pen.set_stroke_style_str(&css);
    pen.begin_path();
    for &[from_x, from_y, to_x, to_y] in &tile.lines {
        pen.move_to(from_x, from_y);
        pen.line_to(to_x, to_y);
    }
    pen.stroke();
    for &[x, y, radius] in &tile.dots {
        pen.begin_path();
        pen.arc(x, y, radius, 0.0, std::f64::consts::TAU).ok()?;
        pen.fill();
    }
    for &[x, y, side] in &tile.squares {
        pen.fill_rect(x, y, side, side);
    }
    ctx.create_pattern_with_html_canvas_element(&canvas, "repeat").ok()?
}
