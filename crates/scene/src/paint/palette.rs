//! Colour tokens → colours of a theme.
//!
//! The tables equal the custom properties of `www/styles/tokens.css`, so that pictures written
//! outside a browser look as on the page. In the page the properties themselves are read, once a
//! theme.

use crate::{Class, Color, Tone};
use memplan_core::base::decimal;

/// Light or dark.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Theme {
    /// Dark text on a light background.
    #[default]
    Light,
    /// Light text on a dark background.
    Dark,
}

/// A colour with its opacity.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rgba {
    /// 0 to 255, as the other two.
    pub red: u8,
    /// 0 to 255.
    pub green: u8,
    /// 0 to 255.
    pub blue: u8,
    /// Opacity, 0 to 1.
    pub alpha: f64,
}

/// The colours of one theme.
#[derive(Clone, PartialEq, Debug)]
pub struct Palette {
    colors: Vec<Rgba>,
}

/// Roles with their custom property and its value in light and dark.
const ROLES: [(Color, &str, [&str; 2]); 20] = [
    (Color::Background, "bg", ["#FFFFFF", "#14181D"]),
    (Color::Panel, "panel", ["#F5F7FA", "#1C2128"]),
    (Color::Sunk, "sunk", ["#EBEFF3", "#0E1115"]),
    (Color::Line, "line", ["#DDE2E8", "#2A313A"]),
    (Color::Line2, "line-2", ["#7C8691", "#6B7683"]),
    (Color::Text, "text", ["#14181D", "#F2F4F7"]),
    (Color::Muted, "muted", ["#55606B", "#9AA5B1"]),
    (Color::Faint, "faint", ["#68727D", "#77828F"]),
    (Color::Accent, "accent", ["#0B5CAD", "#6CB6FF"]),
    (Color::AccentSoft, "accent-soft", ["#E3EEF9", "#1D3146"]),
    (Color::Chosen, "chosen", ["#C2410C", "#FFA05C"]),
    (Color::ChosenSoft, "chosen-soft", ["#FDF0E9", "#3A2618"]),
    (Color::Reject, "reject", ["#6B7280", "#9AA5B1"]),
    (Color::Error, "error", ["#B3261E", "#FF8A80"]),
    (Color::Load, "load", ["#8A4B00", "#FFC46B"]),
    (Color::Bound, "bound", ["#7A3E9D", "#C9A0E6"]),
    (Color::Peak, "peak", ["#14181D", "#F2F4F7"]),
    (Color::NodeT, "node-t", ["#0B5CAD", "#6CB6FF"]),
    (Color::NodeS, "node-s", ["#9A3D86", "#F09AD8"]),
    (Color::Hatch, "hatch", ["rgba(20,24,29,.34)", "rgba(242,244,247,.30)"]),
];

/// Fill, border and text of the categories `--c1`, `--c1b`, `--c1t`, ….
const LIGHT_CATEGORIES: [[&str; 3]; 8] = [
    ["#6BADD2", "#005685", "#14181D"],
    ["#6BC7AE", "#007656", "#14181D"],
    ["#E7A26B", "#A04600", "#14181D"],
    ["#969A9E", "#383C42", "#14181D"],
    ["#E1B1CC", "#764661", "#14181D"],
    ["#F0C76B", "#855C00", "#14181D"],
    ["#9DD4F2", "#326887", "#14181D"],
    ["#F4EC7B", "#736D20", "#14181D"],
];

const DARK_CATEGORIES: [[&str; 3]; 8] = [
    ["#085079", "#4C9CC9", "#FFFFFF"],
    ["#086B52", "#4CBB9D", "#FFFFFF"],
    ["#8C430B", "#E28E4C", "#FFFFFF"],
    ["#353B42", "#80848A", "#FFFFFF"],
    ["#865473", "#DBA1C1", "#FFFFFF"],
    ["#966C0B", "#EEBC4C", "#FFFFFF"],
    ["#3D799B", "#89CBF0", "#FFFFFF"],
    ["#9C9634", "#F4EC7B", "#14181D"],
];

/// Least contrast of text.
const READABLE: f64 = 4.5;

/// Viridis from dark to bright.
const VIRIDIS: [Rgba; Class::STEPS as usize] = [
    Rgba::opaque(0x44, 0x01, 0x54),
    Rgba::opaque(0x44, 0x39, 0x83),
    Rgba::opaque(0x31, 0x68, 0x8E),
    Rgba::opaque(0x21, 0x91, 0x8C),
    Rgba::opaque(0x35, 0xB7, 0x79),
    Rgba::opaque(0x90, 0xD7, 0x43),
    Rgba::opaque(0xFD, 0xE7, 0x25),
];

impl Palette {
    /// The built-in colours of a theme.
    pub fn of(theme: Theme) -> Palette {
        Palette::from_css(theme, |_| String::new())
    }

    /// Colours read from CSS custom properties by name (`--bg`, `--c1`, …); the built-in one where
    /// a property is missing.
    pub fn from_css(theme: Theme, value: impl Fn(&str) -> String) -> Palette {
        let read = |name: &str, built_in: &str| {
            Rgba::parse(&value(&format!("--{name}"))).or_else(|| Rgba::parse(built_in)).unwrap_or(Rgba::opaque(0, 0, 0))
        };
        let share = |name: &str, built_in: f64| decimal(value(&format!("--{name}")).trim()).unwrap_or(built_in);
        let (categories, tint, tint_text) = match theme {
            Theme::Light => (&LIGHT_CATEGORIES, 0.30, "#55606B"),
            Theme::Dark => (&DARK_CATEGORIES, 0.42, "#B4BDC7"),
        };
        let mut colors: Vec<Rgba> =
            ROLES.iter().map(|(_, name, built_in)| read(name, built_in[theme as usize])).collect();
        let (background, text) = (colors[slot(Color::Background)], colors[slot(Color::Text)]);
        let (tint, tint_border) = (share("tint", tint), share("tint-b", 0.75));
        let tint_text = read("tint-t", tint_text);
        let mut class = |fill: Rgba, border: Rgba, label: Rgba| {
            let pale = fill.over(background, tint);
            colors.extend([fill, pale]);
            colors.extend([border, border.over(background, tint_border)]);
            colors.extend([label, if pale.contrast(tint_text) >= READABLE { tint_text } else { text }]);
        };
        for (number, [fill, border, label]) in (1..).zip(categories) {
            let part = |suffix: &str, built_in: &str| read(&format!("c{number}{suffix}"), built_in);
            class(part("", fill), part("b", border), part("t", label));
        }
        for step in 0..VIRIDIS.len() {
            // Much is dark on a light ground and bright on a dark one.
            let fill = VIRIDIS[if theme == Theme::Light { VIRIDIS.len() - 1 - step } else { step }];
            let (dark, bright) = (Rgba::opaque(0x14, 0x18, 0x1D), Rgba::opaque(0xFF, 0xFF, 0xFF));
            let label = if fill.contrast(dark) > fill.contrast(bright) { dark } else { bright };
            class(fill, fill.over(text, 0.4), label);
        }
        Palette { colors }
    }

    /// The colour of a token.
    pub fn color(&self, color: Color) -> Rgba {
        self.colors[slot(color)]
    }

    /// Colours of all tokens, in the order of `slot`.
    pub fn colors(&self) -> &[Rgba] {
        &self.colors
    }
}

/// The position of a token in a palette.
pub fn slot(color: Color) -> usize {
    let Color::Buffer(part, class, tone) = color else {
        return ROLES.iter().position(|(role, ..)| *role == color).unwrap_or(0);
    };
    let class = match class {
        Class::Category(number) => number % Class::CATEGORIES,
        Class::Step(step) => Class::CATEGORIES + step.min(Class::STEPS - 1),
    };
    ROLES.len() + 6 * class as usize + 2 * part as usize + (tone == Tone::Pale) as usize
}

impl Rgba {
    const fn opaque(red: u8, green: u8, blue: u8) -> Rgba {
        Rgba { red, green, blue, alpha: 1.0 }
    }

    /// Reads `#RRGGBB`, `#RGB`, `rgb(…)` and `rgba(…)`, the forms that style sheets of this page
    /// use.
    pub fn parse(text: &str) -> Option<Rgba> {
        let text = text.trim();
        if let Some(digits) = text.strip_prefix('#') {
            let digit = |index: usize| digits.get(index..=index).and_then(|digit| u8::from_str_radix(digit, 16).ok());
            let pair = |index: usize| digits.get(index..index + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
            return match digits.len() {
                3 => Some(Rgba::opaque(17 * digit(0)?, 17 * digit(1)?, 17 * digit(2)?)),
                6 => Some(Rgba::opaque(pair(0)?, pair(2)?, pair(4)?)),
                _ => None,
            };
        }
        let inside = text.strip_prefix("rgba(").or_else(|| text.strip_prefix("rgb("))?.strip_suffix(')')?;
        let parts: Vec<f64> = inside.split([',', ' ', '/']).filter_map(decimal).collect();
        let (&[red, green, blue], rest) = parts.split_first_chunk::<3>()?;
        let alpha = rest.first().copied().unwrap_or(1.0);
        Some(Rgba { alpha, ..Rgba::opaque(red as u8, green as u8, blue as u8) })
    }

    /// This much of the colour, the rest of the other.
    pub fn over(self, other: Rgba, share: f64) -> Rgba {
        let mix = |a: u8, b: u8| (a as f64 * share + b as f64 * (1.0 - share)).round() as u8;
        Rgba::opaque(mix(self.red, other.red), mix(self.green, other.green), mix(self.blue, other.blue))
    }

    /// `#rrggbb`, without the opacity.
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }

    /// A CSS colour with the opacity times `alpha`.
    pub fn css(self, alpha: f64) -> String {
        let alpha = self.alpha * alpha;
        if alpha >= 1.0 { self.hex() } else { format!("rgba({},{},{},{alpha:.3})", self.red, self.green, self.blue) }
    }

    /// The contrast ratio of WCAG 2, from 1 to 21.
    pub fn contrast(self, other: Rgba) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = part as f64 / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.red) + 0.7152 * linear(self.green) + 0.0722 * linear(self.blue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Part;

    /// Values of the custom properties in one block of a style sheet.
    fn properties(sheet: &str, selector: &str) -> Option<std::collections::BTreeMap<String, String>> {
        let block = sheet.split_once(&format!("{selector} {{"))?.1.split_once('}')?.0;
        let declarations =
            block.split(';').filter_map(|line| line.rsplit_once("*/").map_or(Some(line), |(_, line)| Some(line)));
        let pairs = declarations.filter_map(|line| line.trim().split_once(':'));
        Some(pairs.map(|(name, value)| (name.trim().to_string(), value.trim().to_string())).collect())
    }

    #[test]
    fn the_built_in_colours_equal_the_style_sheet() {
        let sheet = include_str!("../../../../www/styles/tokens.css");
        for (theme, selector) in [(Theme::Light, "[data-theme=\"light\"]"), (Theme::Dark, "[data-theme=\"dark\"]")] {
            let properties = properties(sheet, selector).expect("a block a theme");
            let value = |name: &str| properties.get(name).cloned().unwrap_or_else(|| panic!("{name} is missing"));
            assert_eq!(Palette::from_css(theme, value), Palette::of(theme));
        }
    }

    #[test]
    fn every_name_can_be_read_on_its_buffer() {
        for theme in [Theme::Light, Theme::Dark] {
            let palette = Palette::of(theme);
            let classes = (0..Class::CATEGORIES).map(Class::Category).chain((0..Class::STEPS).map(Class::Step));
            for class in classes {
                let part = |part, tone| palette.color(Color::Buffer(part, class, tone));
                let full = part(Part::Fill, Tone::Full).contrast(part(Part::Label, Tone::Full));
                assert!(full >= READABLE, "{theme:?} {class:?}: {full}");
                let pale = part(Part::Fill, Tone::Pale).contrast(part(Part::Label, Tone::Pale));
                assert!(pale >= READABLE, "{theme:?} {class:?} pale: {pale}");
            }
        }
    }

    #[test]
    fn reads_the_forms_of_css_colours() {
        assert_eq!(Rgba::parse(" #6BADD2 ").map(Rgba::hex).as_deref(), Some("#6badd2"));
        assert_eq!(Rgba::parse("#fff").map(Rgba::hex).as_deref(), Some("#ffffff"));
        let hatch = Rgba { alpha: 0.34, ..Rgba::opaque(20, 24, 29) };
        assert_eq!(Rgba::parse("rgba(20,24,29,.34)"), Some(hatch));
        assert_eq!(hatch.css(0.5), "rgba(20,24,29,0.170)");
        assert_eq!(Rgba::parse("none"), None);
    }
}
