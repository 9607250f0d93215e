//! The page inside another one: `?embed=1&controls=0&panel=state&loop=3..9` before the fragment
//! (docs/embedding.md).

/// How the page shows itself inside another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Embed {
    /// The stepper is there.
    pub controls: bool,
    /// The planner's state stands below the plan.
    pub state: bool,
    /// First and last frame of what is played again and again.
    pub lap: Option<(u32, u32)>,
}

/// Reads the query of an address, with or without `?`; nothing for a page of its own.
pub fn read(query: &str) -> Option<Embed> {
    let mut embed = Embed { controls: true, state: false, lap: None };
    let mut embedded = false;
    for part in query.trim_start_matches('?').split('&') {
        match part.split_once('=').unwrap_or((part, "")) {
            ("embed", value) => embedded = value == "1",
            ("controls", value) => embed.controls = value != "0",
            ("panel", value) => embed.state = value == "state",
            ("loop", value) => embed.lap = lap(value),
            _ => {}
        }
    }
    embedded.then_some(embed)
}

fn lap(text: &str) -> Option<(u32, u32)> {
    let (from, to) = text.split_once("..")?;
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    (from < to).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_says_how() {
        assert_eq!(read(""), None);
        assert_eq!(read("?embed=0&controls=0"), None);
        assert_eq!(read("?embed=1"), Some(Embed { controls: true, state: false, lap: None }));
        let all = read("?controls=0&embed=1&panel=state&loop=3..9");
        assert_eq!(all, Some(Embed { controls: false, state: true, lap: Some((3, 9)) }));
        for wrong in ["9..3", "3", "a..b", "3..3"] {
            assert_eq!(read(&format!("embed=1&loop={wrong}")).and_then(|embed| embed.lap), None, "{wrong}");
        }
    }
}
