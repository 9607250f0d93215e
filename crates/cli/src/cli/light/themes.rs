//! A picture in light and in dark colours as one: every colour becomes a custom property, which the
//! style sheet gives two values.

use std::fmt::Write;

/// What stands before the colour of an attribute. Names in a picture have no quotes.
const BEFORE: &str = "=\"#";

/// Letters of a colour after its `#`.
const LETTERS: usize = 6;

/// The tokens of the page: looks of the words around the picture.
const TOKENS: &str = include_str!("../../../../../www/styles/tokens.css");

/// The pairs of colours in use.
#[derive(Default)]
pub struct Colors {
    pairs: Vec<(String, String)>,
}

impl Colors {
    /// One picture of two that differ in colours alone; else the light one.
    pub fn joined(&mut self, light: &str, dark: &str) -> String {
        let (mut lights, mut darks) = (light.split(BEFORE), dark.split(BEFORE));
        if lights.clone().count() != darks.clone().count() {
            return light.to_string();
        }
        let mut text = lights.next().unwrap_or_default().to_string();
        darks.next();
        for (light, dark) in lights.zip(darks) {
            let (Some(of_light), Some(of_dark)) = (light.get(..LETTERS), dark.get(..LETTERS)) else {
                text += BEFORE;
                text += light;
                continue;
            };
            let number = self.number(of_light, of_dark);
            // Writing to a string cannot fail.
            let _ = write!(text, "=\"var(--k{number})");
            text += &light[LETTERS..];
        }
        text
    }

    fn number(&mut self, light: &str, dark: &str) -> usize {
        let same = |(a, b): &(String, String)| a == light && b == dark;
        self.pairs.iter().position(same).unwrap_or_else(|| {
            self.pairs.push((light.to_string(), dark.to_string()));
            self.pairs.len() - 1
        })
    }

    /// All colours: those of the page, and those of the pictures.
    pub fn css(&self) -> String {
        let of = |side: fn(&(String, String)) -> &String| -> String {
            let pairs = self.pairs.iter().enumerate();
            pairs.map(|(number, pair)| format!("--k{number}:#{};", side(pair))).collect()
        };
        let light = format!("{}{}", tokens("[data-theme=\"light\"] {"), of(|pair| &pair.0));
        let dark = format!("{}{}", tokens("[data-theme=\"dark\"] {"), of(|pair| &pair.1));
        format!(":root{{{light}}}\n@media (prefers-color-scheme: dark){{:root{{{dark}}}}}")
    }
}

/// The properties of a block of the tokens, without what is said about them.
fn tokens(begins: &str) -> String {
    let block = TOKENS.split_once(begins).map_or("", |(_, rest)| rest.split_once("\n}").map_or("", |(block, _)| block));
    let mut plain = String::new();
    let mut rest = block;
    while let Some((before, after)) = rest.split_once("/*") {
        plain += before;
        rest = after.split_once("*/").map_or("", |(_, rest)| rest);
    }
    plain += rest;
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
