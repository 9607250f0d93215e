//! Widths of words without measuring them, and names shortened to fit.

/// Advance widths of ASCII from the space on, in hundredths of the font size: those of a wide
/// system face, so that a name that fits here fits in all of them.
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

/// Fewest letters at each end of shortened words.
const ENDS: usize = 6;

/// Words that fit `room`: whole, or with an ellipsis in the middle that leaves at least six letters
/// at each end; else nothing. No more letters are measured than twice as many as fit, however long
/// the words are.
pub fn shortened(words: &str, room: f64, size: f64, bold: bool) -> Option<String> {
    shortened_by(words, room, size, bold, &mut advance)
}

fn shortened_by(words: &str, room: f64, size: f64, bold: bool, advance: &mut dyn FnMut(char) -> u32) -> Option<String> {
    let room = room * 100.0 / size / if bold { BOLD } else { 1.0 };
    let mut total = 0.0;
    let mut fits = |letter: char| {
        total += advance(letter) as f64;
        total <= room
    };
    if words.chars().all(&mut fits) {
        return Some(words.to_string());
    }
    let mut used = advance('…') as f64;
    let (mut head, mut tail) = (words.char_indices(), words.char_indices());
    let (mut kept, mut start, mut end) = (0, 0, words.len());
    loop {
        let next = if kept % 2 == 0 { head.next() } else { tail.next_back() };
        let Some((at, letter)) = next.filter(|(at, _)| *at >= start && *at < end) else { break };
        used += advance(letter) as f64;
        if used > room {
            break;
        }
        if kept % 2 == 0 {
            start = at + letter.len_utf8()
        } else {
            end = at
        }
        kept += 1;
    }
    // The head has as many letters as the tail, or one more.
    (kept >= 2 * ENDS).then(|| format!("{}…{}", &words[..start], &words[end..]))
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
        let short = shortened("layer4.1.relu_out_of_all", 100.0, 11.0, false).expect("room for some letters");
        assert!(short.starts_with("layer4") && short.ends_with("of_all") && short.contains('…'), "{short}");
        assert!(width(&short, 11.0, false) <= 100.0);
        assert_eq!(
            shortened("layer4.1.relu_out_of_all", 70.0, 11.0, false),
            None,
            "six letters at each end do not fit"
        );
        assert_eq!(shortened("abc", 1.0, 11.0, false), None);
        let squares = "缓冲区".repeat(20);
        let short = shortened(&squares, 200.0, 11.0, false).expect("room");
        assert!(width(&short, 11.0, false) <= 200.0 && short.chars().count() >= 13, "{short}");
        assert_eq!(shortened("", 0.0, 11.0, false).as_deref(), Some(""));
    }

    #[test]
    fn as_many_letters_are_measured_as_fit_and_not_as_there_are() {
        for name in ["a/".repeat(50_000), "i".repeat(100_000), "缓".repeat(100_000)] {
            let mut measured = 0;
            let short = shortened_by(&name, 200.0, 11.0, false, &mut |letter| {
                measured += 1;
                advance(letter)
            });
            let kept = short.expect("room for some letters").chars().count();
            assert!(measured <= 2 * kept + 8, "{measured} for {kept}");
        }
    }
}
