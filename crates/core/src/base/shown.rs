//! Names come from files and may hold anything. Where text goes, some letters do something instead
//! of being shown: a terminal obeys escapes, a spreadsheet computes, Markdown becomes markup, a
//! mark for the direction of writing turns what follows it. Here names lose that effect and stay
//! what they are.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a letter acts on the text around it instead of being shown: a control character, a
/// separator of lines or paragraphs, or a mark for the direction of writing. Joiners count as
/// letters: words of some scripts need them.
pub fn acts(letter: char) -> bool {
    matches!(letter,
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
        || letter.is_control()
}

/// Text as one line of a terminal shows it: letters that act are written as escapes of JSON,
/// `\u001b`. What is between quotes in JSON stays the same string.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            // All letters that act have at most four digits.
            letter if acts(letter) => _ = write!(line, "\\u{:04x}", u32::from(letter)),
            letter => line.push(letter),
        }
    }
    Cow::Owned(line)
}

/// Letters that a terminal shows in two columns: those of Chinese, Japanese and Korean, their
/// punctuation, and emoji (Unicode Standard Annex 11, `W` and `F`, in whole blocks).
const WIDE: [(char, char); 16] = [
    ('\u{1100}', '\u{115f}'),
    ('\u{2e80}', '\u{303e}'),
    ('\u{3041}', '\u{4dbf}'),
    ('\u{4e00}', '\u{a4cf}'),
    ('\u{a960}', '\u{a97f}'),
    ('\u{ac00}', '\u{d7a3}'),
    ('\u{f900}', '\u{faff}'),
    ('\u{fe10}', '\u{fe19}'),
    ('\u{fe30}', '\u{fe6f}'),
    ('\u{ff01}', '\u{ff60}'),
    ('\u{ffe0}', '\u{ffe6}'),
    ('\u{16fe0}', '\u{18aff}'),
    ('\u{1b000}', '\u{1b2ff}'),
    ('\u{1f300}', '\u{1f64f}'),
    ('\u{1f680}', '\u{1faff}'),
    ('\u{20000}', '\u{3fffd}'),
];

/// Letters that a terminal shows on the one before: accents, and what chooses a form.
const NARROWEST: [(char, char); 5] = [
    ('\u{300}', '\u{36f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{20d0}', '\u{20ff}'),
    ('\u{3099}', '\u{309a}'),
    ('\u{fe00}', '\u{fe0f}'),
];

/// Returns the columns that a letter takes on a terminal.
pub fn column_count(letter: char) -> usize {
    let is_in = |ranges: &[(char, char)]| ranges.iter().any(|&(first, last)| (first..=last).contains(&letter));
    match letter {
        '\0'..'\u{300}' => 1,
        _ if is_in(&NARROWEST) => 0,
        _ if is_in(&WIDE) => 2,
        _ => 1,
    }
}

/// Returns the columns that a text takes on a terminal.
pub fn columns(text: &str) -> usize {
    text.chars().map(column_count).sum()
}

/// Returns a text with blanks after it, so that it takes `width` columns or more.
pub fn padded(text: &str, width: usize) -> String {
    text.to_string() + &" ".repeat(width.saturating_sub(columns(text)))
}

/// Returns a text with blanks before it, so that it takes `width` columns or more.
pub fn padded_before(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(columns(text))) + text
}

/// The same of text of several lines, the ends of which stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    if !text.contains(|letter| letter != '\n' && acts(letter)) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<_> = text.split('\n').map(visible).collect();
    Cow::Owned(lines.join("\n"))
}

/// A space of no width, as Markdown and HTML both write it.
const NO_SPACE: &str = "&#8203;";

/// Text as Markdown that shows it and does nothing: no markup, no HTML, no table cell of its own,
/// no link, and on GitHub no mention and no reference to an issue or a commit.
pub fn markdown(text: &str) -> String {
    let flat = text.replace(['\n', '\r'], " ");
    let line = visible(&flat);
    let mut safe = String::with_capacity(line.len());
    for (at, letter) in line.char_indices() {
        // Of an address, what makes a reader of Markdown take it for a link.
        let is_address = match letter {
            ':' => line[at..].starts_with("://"),
            '.' => line.get(at.saturating_sub(3)..at).is_some_and(|before| before.eq_ignore_ascii_case("www")),
            _ => false,
        };
        if is_address || "\\`*_|<>[]&~#!$".contains(letter) {
            safe.push('\\');
        }
        safe.push(letter);
        if refers(&line, at) {
            safe.push_str(NO_SPACE);
        }
    }
    safe
}

/// The same for text inside an element of HTML, where a backslash has no effect.
pub fn html(text: &str) -> String {
    let flat = text.replace(['\n', '\r'], " ");
    let line = visible(&flat);
    let mut safe = String::with_capacity(line.len());
    for (at, letter) in line.char_indices() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            letter => safe.push(letter),
        }
        if refers(&line, at) {
            safe.push_str(NO_SPACE);
        }
    }
    safe
}

/// Whether what ends with the letter at `at` would make GitHub mention somebody, or link to an
/// issue, a commit or an address, together with what follows. It looks for that after Markdown,
/// where backslashes are gone.
fn refers(line: &str, at: usize) -> bool {
    let bytes = line.as_bytes();
    let next = bytes.get(at + 1);
    let before = |count: usize| at.checked_sub(count).and_then(|at| bytes.get(at));
    match bytes[at] {
        b'@' => next.is_some_and(|next| !next.is_ascii_whitespace()),
        b'#' => next.is_some_and(u8::is_ascii_digit),
        b':' => line[at..].starts_with("://"),
        b'-' => {
            let is_gh = at >= 2 && bytes[at - 2..at].eq_ignore_ascii_case(b"gh");
            is_gh && !before(3).is_some_and(u8::is_ascii_alphanumeric) && next.is_some_and(u8::is_ascii_digit)
        }
        // Seven digits or more are a commit. Sizes in bytes have no letters.
        b if b.is_ascii_hexdigit() && !before(1).is_some_and(u8::is_ascii_alphanumeric) => {
            let word = bytes[at..].iter().take(41).take_while(|byte| byte.is_ascii_alphanumeric());
            let (count, letters, hex) = word.fold((0, 0, 0), |(count, letters, hex), byte| {
                let is_hex = byte.is_ascii_hexdigit();
                (count + 1, letters + usize::from(!byte.is_ascii_digit()), hex + usize::from(is_hex))
            });
            (7..=40).contains(&count) && hex == count && letters > 0
        }
        _ => false,
    }
}

/// What a cell of text begins with where spreadsheets compute: ordinary and wide signs.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Whether a cell of a CSV needs an apostrophe in front to stay the text that it is.
fn needs_apostrophe(text: &str) -> bool {
    // A cell that would be taken for one with an apostrophe gets another.
    let rest = text.trim_start_matches('\'');
    // Readers take white space off both ends of a cell, so that a sign behind it would come first.
    rest.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace) || rest.starts_with(FORMULA)
}

/// Text as a cell of a CSV, so that a spreadsheet shows it and does not compute it: with an
/// apostrophe in front if it begins with `=`, `+`, `-` or `@`, or begins or ends with white space.
/// [`from_cell`] takes it off again.
pub fn cell(text: &str) -> Cow<'_, str> {
    if needs_apostrophe(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// The text of a cell of a CSV: without the apostrophe that [`cell`] puts in front, or else without
/// white space at its ends. Other apostrophes are part of the text.
pub fn from_cell(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| needs_apostrophe(text)).unwrap_or_else(|| cell.trim())
}

/// A cell of text of a CSV (RFC 4180), in quotes if it needs them.
pub fn csv_field(text: &str) -> String {
    let text = cell(text);
    // Where spreadsheets divide cells by other marks, what follows one would begin a cell.
    let computes = text.split([';', '\t']).skip(1).any(|part| part.trim_start().starts_with(FORMULA));
    if computes || text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into_owned()
    }
}

/// A text as JSON, in quotes.
pub fn json_text(text: &str) -> String {
    // A text can always be written.
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_seen() {
        assert_eq!(visible("\u{1b}[31mred\u{7}\r\n\u{9b}2J\u{202e}"), "\\u001b[31mred\\u0007\\r\\n\\u009b2J\\u202e");
        assert_eq!(visible_lines("a\tb\n\u{1b}c\n"), "a\\tb\n\\u001bc\n");
        assert!(matches!(visible("conv 缓冲区 é 👩\u{200d}🚀 C:\\x"), Cow::Borrowed(_)));
        assert_eq!(
            serde_json::from_str::<String>(&visible("\"\u{7f}\u{9b}\u{202e}\"")).unwrap(),
            "\u{7f}\u{9b}\u{202e}"
        );
    }

    #[test]
    fn markup_of_markdown_is_text() {
        assert_eq!(markdown("<b>&amp;|`x`"), r"\<b\>\&amp;\|\`x\`");
        assert_eq!(
            markdown("![a](javascript:1) *b* _c_ ~~d~~ #1\n2"),
            r"\!\[a\](javascript:1) \*b\* \_c\_ \~\~d\~\~ \#&#8203;1 2"
        );
        assert_eq!(markdown("https://a.b www.c.d x:y"), r"https\:&#8203;//a.b www\.c.d x:y");
        assert_eq!(markdown("a\u{1b}b"), r"a\\u001bb");
    }

    #[test]
    fn names_mention_nobody_and_refer_to_nothing() {
        let seen =
            |text: &str| (markdown(text).replace(NO_SPACE, "·").replace('\\', ""), html(text).replace(NO_SPACE, "·"));
        for (text, expected) in [
            ("@torvalds @org/team", "@·torvalds @·org/team"),
            ("a@evil.example", "a@·evil.example"),
            ("user/repo#7 #x x@", "user/repo#·7 #x x@"),
            ("GH-12 gh-1 sigh-2 gh-x", "GH-·12 gh-·1 sigh-2 gh-x"),
            ("da39a3ee5e6b4b0d3255bfef95601890afd80709.", "d·a39a3ee5e6b4b0d3255bfef95601890afd80709."),
            ("da39a3e da39a3 1048576 defaced2x", "d·a39a3e da39a3 1048576 defaced2x"),
            ("https://a.b", "https:·//a.b"),
            ("é@é", "é@·é"),
        ] {
            assert_eq!(seen(text), (expected.to_string(), expected.to_string()));
        }
        assert_eq!(html("<img src=\"x\">&amp;"), "&lt;img src=&quot;x&quot;&gt;&amp;amp;");
    }

    #[test]
    fn a_cell_is_no_formula_and_numbers_and_apostrophes_stay() {
        for (text, written) in [
            ("=1+1", "'=1+1"),
            ("-x", "'-x"),
            ("＋x", "'＋x"),
            ("\tx", "'\tx"),
            (" ", "' "),
            ("a ", "'a "),
            ("'=1", "''=1"),
            ("it's", "it's"),
            ("'quoted'", "'quoted'"),
            ("", ""),
        ] {
            assert_eq!(cell(text), written);
            assert_eq!(from_cell(written), text);
        }
        assert_eq!(from_cell("  padded "), "padded");
        assert_eq!(csv_field("a,b\"c"), "\"a,b\"\"c\"");
        assert_eq!((&*csv_field("a; =b"), &*csv_field("beam;k=4")), ("\"a; =b\"", "beam;k=4"));
    }

    proptest! {
        #[test]
        fn every_cell_reads_back(text in r"['=+@ \t\r\n\-a]{0,6}|\PC{0,8}|.{0,8}") {
            let cell = cell(&text);
            prop_assert_eq!(from_cell(&cell), text.as_str());
            prop_assert!(!cell.trim_start().starts_with(FORMULA), "{:?}", cell);
        }

        #[test]
        fn nothing_visible_acts(text in any::<String>()) {
            prop_assert!(!visible(&text).contains(acts));
            let again = visible(&text).into_owned();
            prop_assert_eq!(visible(&again), again.as_str(), "twice is once");
        }
    }
}
