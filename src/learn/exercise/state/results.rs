//! Results of exercises as they are kept: lines of a link, a name and a code, with tabs between.

/// Most results that are kept; the oldest one goes.
const MOST: usize = 50;

/// A result that was kept: name and code.
pub type Kept = (String, String);

/// The result of a link.
pub fn find(text: &str, link: &str) -> Option<Kept> {
    let line = |line: &str| {
        let (of, rest) = line.split_once('\t')?;
        rest.split_once('\t').filter(|_| of == link).map(|(name, code)| (name.into(), code.into()))
    };
    text.lines().find_map(line)
}

/// The text with this result of a link in place of the one before, or with none.
pub fn with(text: &str, link: &str, result: Option<&Kept>) -> String {
    let is_other = |line: &&str| line.split('\t').next() != Some(link);
    let own = result.map(|(name, code)| [link, &name.replace(char::is_control, " "), code].join("\t"));
    let mut lines: Vec<String> = text.lines().filter(is_other).map(str::to_string).chain(own).collect();
    lines.drain(..lines.len().saturating_sub(MOST));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_kept_in_place_of_the_one_before() {
        let result = |name: &str, code: &str| (name.to_string(), code.to_string());
        let text = with("", "a=1", Some(&result("Li\tLei", "MP1-1")));
        let text = with(&text, "b=2", Some(&result("Han", "MP1-2")));
        assert_eq!(find(&text, "a=1"), Some(result("Li Lei", "MP1-1")));
        let text = with(&text, "a=1", Some(&result("Li Lei", "MP1-3")));
        assert_eq!((find(&text, "a=1"), text.lines().count()), (Some(result("Li Lei", "MP1-3")), 2));
        let text = with(&text, "a=1", None);
        assert_eq!((find(&text, "a=1"), find(&text, "b=2")), (None, Some(result("Han", "MP1-2"))));
        let many = (0..60).fold(text, |text, at| with(&text, &format!("n={at}"), Some(&result("Han", "MP1-4"))));
        assert_eq!((many.lines().count(), find(&many, "b=2"), find(&many, "n=59").is_some()), (MOST, None, true));
    }
}
