//! Scenes as SVG text: exact to a hundredth of a pixel, and equal on every machine.

use std::fmt::Write;

use super::surface::{Surface, draw};
use super::texture::tile;
use super::{Palette, Theme};
use crate::{Anchor, Color, Ink, Layer, Mark, Point, Rect, Scene, Shape, Size, Text, Texture};
use maud::html;
use memplan_core::base::shown::acts;

/// The fonts of the page.
pub const FONT: &str =
    "system-ui, 'Segoe UI', Roboto, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif";

/// An SVG document of scenes on top of each other.
pub fn to_svg(scenes: &[&Scene], size: Size, theme: Theme, title: &str) -> String {
    let mut svg = Svg { palette: Palette::of(theme), body: String::new(), clips: Vec::new(), textures: Vec::new() };
    scenes.iter().for_each(|scene| draw(scene, &mut svg));
    let (width, height) = (number(size.0), number(size.1));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"{FONT}\" font-variant-numeric=\"tabular-nums\">\n<title>{}</title>\n",
        escaped(title)
    );
    svg.definitions(&mut text);
    text.push_str(&svg.body);
    text.push_str("</svg>\n");
    text
}

struct Svg {
    palette: Palette,
    body: String,
    clips: Vec<Rect>,
    textures: Vec<(Texture, Color)>,
}

impl Surface for Svg {
    fn begin(&mut self, layer: &Layer) {
        match layer.clip {
            Some(clip) => {
                let index = position(&mut self.clips, clip);
                put(&mut self.body, format_args!("<g clip-path=\"url(#clip{index})\">\n"));
            }
            None => self.body.push_str("<g>\n"),
        }
    }

    fn run(&mut self, marks: &[Mark]) {
        let Some(first) = marks.first() else { return };
        let paint = self.attributes(&first.ink, first.edge);
        if let [only] = marks {
            return self.mark(only, &paint);
        }
        put(&mut self.body, format_args!("<g{paint}>\n"));
        marks.iter().for_each(|mark| self.mark(mark, ""));
        self.body.push_str("</g>\n");
    }

    fn end(&mut self) {
        self.body.push_str("</g>\n");
    }
}

impl Svg {
    /// Fill and stroke of an ink.
    fn attributes(&mut self, ink: &Ink, edge: Option<Color>) -> String {
        let color = self.palette.color(ink.color);
        let alpha = color.alpha * ink.alpha;
        let opacity = |name: &str| if alpha < 1.0 { format!(" {name}=\"{}\"", number(alpha)) } else { String::new() };
        if let Some(stroke) = ink.stroke {
            let mut paint = format!(" fill=\"none\" stroke=\"{}\"", color.hex());
            if stroke.width != 1.0 {
                put(&mut paint, format_args!(" stroke-width=\"{}\"", number(stroke.width)));
            }
            let dashes: Vec<String> = stroke.dash.lengths().iter().map(|&length| number(length)).collect();
            if !dashes.is_empty() {
                put(&mut paint, format_args!(" stroke-dasharray=\"{}\"", dashes.join(" ")));
            }
            if stroke.round {
                paint.push_str(" stroke-linejoin=\"round\"");
            }
            return paint + &opacity("stroke-opacity");
        }
        let fill = match ink.texture {
            Texture::Solid => color.hex(),
            texture => format!("url(#texture{})", position(&mut self.textures, (texture, ink.color))),
        };
        let edge = edge.map(|edge| format!(" stroke=\"{}\"", self.palette.color(edge).hex())).unwrap_or_default();
        // A texture's own colour carries its opacity already.
        let alpha = if ink.texture == Texture::Solid { opacity("fill-opacity") } else { texture_opacity(ink.alpha) };
        format!(" fill=\"{fill}\"{edge}{alpha}")
    }

    fn mark(&mut self, mark: &Mark, paint: &str) {
        let body = &mut self.body;
        let (open, name) = match &mark.shape {
            Shape::Rect(rect) => {
                // A stroke straddles its path: half a pixel further in, its outer side is the edge
                // of the box.
                let rect = if mark.edge.is_some() { rect.inset(0.5) } else { *rect };
                (format!("rect{}{paint}", sides(&rect)), "rect")
            }
            Shape::Round(rect, radius) => (format!("rect{} rx=\"{}\"{paint}", sides(rect), number(*radius)), "rect"),
            Shape::Circle((x, y), radius) => (
                format!("circle cx=\"{}\" cy=\"{}\" r=\"{}\"{paint}", number(*x), number(*y), number(*radius)),
                "circle",
            ),
            Shape::Lines(lines) => {
                let path: String = lines.iter().map(|(from, to)| format!("M{}L{}", point(from), point(to))).collect();
                (format!("path d=\"{path}\"{paint}"), "path")
            }
            Shape::Polyline(points) => (format!("polyline points=\"{}\"{paint}", list(points)), "polyline"),
            Shape::Polygon(points) => (format!("polygon points=\"{}\"{paint}", list(points)), "polygon"),
            Shape::Text(text) => return put(body, format_args!("{}\n", words(text, paint, &self.palette))),
        };
        match &mark.title {
            Some(title) => put(body, format_args!("<{open}><title>{}</title></{name}>\n", escaped(title))),
            None => put(body, format_args!("<{open}/>\n")),
        }
    }

    /// Clips and patterns that the body refers to.
    fn definitions(&self, text: &mut String) {
        if self.clips.is_empty() && self.textures.is_empty() {
            return;
        }
        text.push_str("<defs>\n");
        for (index, clip) in self.clips.iter().enumerate() {
            put(text, format_args!("<clipPath id=\"clip{index}\"><rect{}/></clipPath>\n", sides(clip)));
        }
        for (index, &(texture, color)) in self.textures.iter().enumerate() {
            self.pattern(index, texture, color, text);
        }
        text.push_str("</defs>\n");
    }

    fn pattern(&self, index: usize, texture: Texture, color: Color, text: &mut String) {
        let Some(tile) = tile(texture) else { return };
        let color = self.palette.color(color);
        let (side, hex) = (number(tile.side), color.hex());
        put(text, format_args!("<pattern id=\"texture{index}\" width=\"{side}\" height=\"{side}\" "));
        put(
            text,
            format_args!("patternUnits=\"userSpaceOnUse\"><g fill=\"{hex}\" opacity=\"{}\">", number(color.alpha)),
        );
        for [x, y, radius] in &tile.dots {
            put(text, format_args!("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>", number(*x), number(*y), number(*radius)));
        }
        for [x, y, side] in &tile.squares {
            put(text, format_args!("<rect{}/>", sides(&Rect::new(*x, *y, *side, *side))));
        }
        if !tile.lines.is_empty() {
            let path: String =
                tile.lines.iter().map(|[a, b, c, d]| format!("M{}L{}", point(&(*a, *b)), point(&(*c, *d)))).collect();
            put(text, format_args!("<path d=\"{path}\" stroke=\"{hex}\"/>"));
        }
        text.push_str("</g></pattern>\n");
    }
}

fn texture_opacity(alpha: f64) -> String {
    if alpha < 1.0 { format!(" fill-opacity=\"{}\"", number(alpha)) } else { String::new() }
}

fn words(text: &Text, paint: &str, palette: &Palette) -> String {
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let weight = if text.bold { " font-weight=\"600\"" } else { "" };
    let halo = text.halo.map_or_else(String::new, |(color, width)| {
        let hex = palette.color(color).hex();
        format!(" stroke=\"{hex}\" stroke-width=\"{}\" stroke-linejoin=\"round\" paint-order=\"stroke\"", number(width))
    });
    let (x, y) = (number(text.at.0), number(text.at.1));
    let turn = if text.on_end { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
    format!(
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" dominant-baseline=\"central\"{anchor}{weight}{turn}{halo}{paint}>{}</text>",
        number(text.size),
        escaped(&text.words)
    )
}

/// Appends formatted text; writing to a string cannot fail.
fn put(text: &mut String, words: std::fmt::Arguments) {
    let _ = text.write_fmt(words);
}

/// Index of an item, which is added if it is new.
fn position<T: PartialEq>(items: &mut Vec<T>, item: T) -> usize {
    items.iter().position(|other| *other == item).unwrap_or_else(|| {
        items.push(item);
        items.len() - 1
    })
}

fn sides(rect: &Rect) -> String {
    let [x, y, w, h] = [rect.x, rect.y, rect.w, rect.h].map(number);
    format!(" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"")
}

fn point(point: &Point) -> String {
    format!("{} {}", number(point.0), number(point.1))
}

fn list(points: &[Point]) -> String {
    points.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect::<Vec<_>>().join(" ")
}

/// Two decimals at most, no trailing zeros.
fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    // No minus before zero.
    format!("{}", rounded + 0.0)
}

/// Names come from files and may hold anything: what acts on the text around it is replaced. Some
/// of it XML cannot hold, the rest turns or hides what stands beside it.
pub fn harmless(words: &str) -> String {
    let harmless = |letter| match letter {
        '\t' | '\n' | '\r' => ' ',
        letter if acts(letter) || matches!(letter, '\u{FFFE}' | '\u{FFFF}') => '\u{FFFD}',
        other => other,
    };
    words.chars().map(harmless).collect()
}

/// Harmless words with markup escaped.
fn escaped(words: &str) -> String {
    html! { (harmless(words)) }.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_place() {
        let mut layer = Layer::default();
        let words = "</text><script>\"&\u{0}\u{202e}".to_string();
        let text =
            Text { at: (1.0, 2.0), anchor: Anchor::End, size: 11.0, bold: false, words, halo: None, on_end: false };
        layer.text(text, Color::Text);
        let svg = to_svg(&[&Scene::new((10.0, 10.0), vec![layer])], (10.0, 10.0), Theme::Light, "a<b");
        assert!(svg.contains("&lt;/text&gt;&lt;script&gt;&quot;&amp;\u{FFFD}\u{FFFD}</text>"), "{svg}");
        assert!(svg.contains("<title>a&lt;b</title>"));
    }

    #[test]
    fn runs_of_one_ink_share_their_paint() {
        let mut layer = Layer::clipped(Rect::new(0.0, 0.0, 5.0, 5.0));
        for x in 0..3 {
            layer.rect(Rect::new(x as f64 / 3.0, 0.0, 0.25, 1.0), Ink::fill(Color::Accent));
        }
        let svg = to_svg(&[&Scene::new((5.0, 5.0), vec![layer])], (5.0, 5.0), Theme::Dark, "t");
        assert_eq!(svg.matches("#6cb6ff").count(), 1, "{svg}");
        assert!(svg.contains("<rect x=\"0.33\" y=\"0\" width=\"0.25\" height=\"1\"/>"), "{svg}");
        assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count());
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(1.005), "1");
        assert_eq!(number(12.5), "12.5");
    }
}
