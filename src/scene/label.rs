//! Widths of words without measuring them, and names shortened to fit.

/// Advance widths of ASCII from the space on, in hundredths of the font size: those of a wide system face, so that a name
/// that fits here fits in all of them.
const ADVANCES: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 28, 39, 39, 50, 84, 32, 40, 32, 36, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 53, 100, 68, 69, 73, 77, 63, 58, 78, 75, 30, 50, 66, 56, 88, 76, 79, 62, 79, 70, 64, 63, 73, 68, 100, 69,
    66, 69, 39, 36, 39, 84, 50, 50, 61, 63, 57, 63, 61, 38, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 42, 53, 40, 63,
    59, 82, 59, 59, 54, 64, 34, 64, 84,
];

/// Bold letters are this much wider.
const BOLD: f64 = 1.09;

/// Estimated width of words at a font size.
pub fn width(words: &str, size: f64, bold: bool) -> f64 {
    let hundredths: u32 = words.chars().map(advance).sum();
    hundredths as f64 / 100.0 * size * if bold { BOLD } else { 1.0 }
}

fn advance(letter: char) -> u32 {
    match letter {
        ' '..='~' => ADVANCES[letter as usize - ' ' as usize] as u32,
        '\u{202f}' => 20,
        '…' => 90,
        '–' => 50,
        '·' => 32,
        // Scripts whose letters fill a square.
        '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}' | '\u{FE30}'..='\u{FE4F}' => 100,
        '\u{FF00}'..='\u{FF60}' | '\u{1F000}'..='\u{3FFFF}' => 100,
        _ => 64,
    }
}

/// Words that fit `room`: whole, or with an ellipsis in the middle that leaves at least four letters; else nothing.
pub fn shortened(words: &str, room: f64, size: f64, bold: bool) -> Option<String> {
    if width(words, size, bold) <= room {
        return Some(words.to_string());
    }
    let letters: Vec<char> = words.chars().collect();
    (4..letters.len()).rev().find_map(|kept| {
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        let start = letters[..head].iter();
        let shorter: String = start.chain(&['…']).chain(&letters[letters.len() - tail..]).collect();
        (width(&shorter, size, bold) <= room).then_some(shorter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_as_wide_as_the_font_is_large() {
        assert_eq!(width("缓冲区", 12.0, false), 36.0);
        assert!(width("缓冲区", 12.0, true) > 36.0);
        assert!(width("mmm", 11.0, false) > width("iii", 11.0, false));
    }

    #[test]
    fn names_are_cut_in_the_middle() {
        assert_eq!(shortened("relu", 40.0, 11.0, false).as_deref(), Some("relu"));
        let short = shortened("layer4.1.relu_out", 70.0, 11.0, false).expect("room for some letters");
        assert!(short.starts_with("lay") && short.ends_with("out") && short.contains('…'), "{short}");
        assert!(width(&short, 11.0, false) <= 70.0);
        assert_eq!(shortened("layer4.1.relu_out", 20.0, 11.0, false), None);
        assert_eq!(shortened("abc", 1.0, 11.0, false), None);
        assert_eq!(shortened("", 0.0, 11.0, false).as_deref(), Some(""));
    }
}
