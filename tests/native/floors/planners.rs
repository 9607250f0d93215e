//! Planners are known in one place: but for one file of choices, and the list of those that are
//! also written in the language of users, no other crate names one.

use std::path::{Path, PathBuf};

/// What memplan chooses to show of the planners, and the planners that each program of a user's
/// language equals.
const CHOICES: [&str; 2] = ["crates/teach/src/choices.rs", "crates/own/src/classics.rs"];

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Every file of the page and the crates outside the planners that is no test, with its text.
fn other_crates() -> impl Iterator<Item = (PathBuf, String)> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut files = Vec::new();
    for folder in ["src", "crates"] {
        files_below(&root.join(folder), &mut files);
    }
    files.into_iter().filter_map(move |file| {
        let inside = file.strip_prefix(root).expect("below the top").to_path_buf();
        let is_test = inside.iter().any(|part| part == "tests" || part == "tests.rs");
        let is_other =
            !is_test && !inside.starts_with("crates/planners") && CHOICES.iter().all(|&file| inside != Path::new(file));
        is_other.then(|| (inside, std::fs::read_to_string(&file).expect("text")))
    })
}

/// String literals of a source text with their line numbers, outside comments and test modules.
fn literals(text: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = text.chars().collect();
    let starts = |at: usize, wanted: &str| wanted.chars().eq(chars[at..].iter().copied().take(wanted.chars().count()));
    let (mut found, mut line, mut depth, mut at) = (Vec::new(), 1, 0, 0);
    // A test module was announced; the depth of the one that is being skipped.
    let (mut announced, mut skipped) = (false, None);
    while at < chars.len() {
        let hashes = chars[at + 1..].iter().take_while(|&&char| char == '#').count();
        let is_raw = chars[at] == 'r' && chars.get(at + 1 + hashes) == Some(&'"');
        let (end, literal) = if starts(at, "//") {
            (chars[at..].iter().position(|&char| char == '\n').map_or(chars.len(), |length| at + length), None)
        } else if starts(at, "/*") {
            let close = (at + 2..chars.len()).find(|&close| starts(close, "*/"));
            (close.map_or(chars.len(), |close| close + 2), None)
        } else if is_raw {
            let (open, mark) = (at + 2 + hashes, format!("\"{}", "#".repeat(hashes)));
            let close = (open..chars.len()).find(|&close| starts(close, &mark)).unwrap_or(chars.len());
            (close + 1 + hashes, Some(chars[open..close].iter().collect::<String>()))
        } else if chars[at] == '"' {
            let mut close = at + 1;
            while close < chars.len() && chars[close] != '"' {
                close += if chars[close] == '\\' { 2 } else { 1 };
            }
            (close + 1, Some(chars[at + 1..close.min(chars.len())].iter().collect()))
        } else if chars[at] == '\'' && chars.get(at + 1) == Some(&'\\') {
            (chars[at + 3..].iter().position(|&char| char == '\'').map_or(chars.len(), |length| at + 4 + length), None)
        } else if chars[at] == '\'' && chars.get(at + 2) == Some(&'\'') {
            (at + 3, None)
        } else {
            match chars[at] {
                '{' => {
                    depth += 1;
                    if std::mem::take(&mut announced) && skipped.is_none() {
                        skipped = Some(depth);
                    }
                }
                '}' => {
                    skipped = skipped.filter(|&open| open != depth);
                    depth -= 1;
                }
                ';' => announced = false,
                '#' if starts(at, "#[cfg(test)]") => announced = true,
                _ => {}
            }
            (at + 1, None)
        };
        found.extend(literal.filter(|_| skipped.is_none()).map(|literal| (line, literal)));
        line += chars[at..end.min(chars.len())].iter().filter(|&&char| char == '\n').count();
        at = end;
    }
    found
}

/// Ids of planners that are words of other things, too, each with what else stands on such a line.
const WORDS: [(&str, &str); 6] = [
    ("exact", "Outcome::Exact =>"),
    ("exact", "Verdict::Exact =>"),
    ("naive", "Note::TriedNaive =>"),
    ("best", "then_some(\"best\")"),
    // The message of the worker that carries the best plan so far.
    ("best", "WorkerEvent::Best"),
    ("best", "send(self.port"),
];

#[test]
fn no_crate_but_the_planners_names_a_planner() {
    let ids: Vec<&str> = memplan_planners::INFOS.iter().map(|info| info.id).collect();
    let mut wrong = Vec::new();
    for (inside, text) in other_crates() {
        let lines: Vec<&str> = text.lines().collect();
        for (number, literal) in literals(&text).into_iter().filter(|(_, literal)| ids.contains(&literal.as_str())) {
            let line = lines[number - 1];
            if !WORDS.iter().any(|(word, context)| *word == literal && line.contains(context)) {
                wrong.push(format!("{}:{number}: {}", inside.display(), line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "planners named outside crates/planners:\n{}", wrong.join("\n"));
}

/// The module through which planners of users come in: it is none of a planner.
const OUTSIDE: &str = "outside";

/// What a line names behind `planner::` or the name of the crate: a module, if two more colons
/// follow.
fn modules_named(line: &str) -> impl Iterator<Item = &str> {
    let names = ["planner::", "memplan_planners::"].into_iter().flat_map(|name| line.split(name).skip(1));
    names.filter_map(|rest| rest.split_once("::")).map(|(name, _)| name).filter(|name| {
        !name.is_empty()
            && *name != OUTSIDE
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    })
}

#[test]
fn no_crate_but_the_planners_opens_the_module_of_one() {
    let mut wrong = Vec::new();
    for (inside, text) in other_crates() {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| modules_named(line).next().is_some()) {
            wrong.push(format!("{}:{}: {}", inside.display(), number + 1, line.trim()));
        }
    }
    assert!(wrong.is_empty(), "modules of planners used outside crates/planners:\n{}", wrong.join("\n"));
}

#[test]
fn modules_are_distinguished_from_items() {
    let named = |line: &'static str| modules_named(line).collect::<Vec<_>>();
    assert_eq!(named("use memplan_planners::executorch::Rules;"), ["executorch"]);
    assert_eq!(named("use memplan_planners::{PROVER, prepare};"), [""; 0]);
    assert_eq!(named("planner::Registry::new()"), [""; 0]);
}

#[test]
fn literals_are_read_to_the_end_of_a_file() {
    let text = "\
#[cfg(test)]
mod tests;

/* \"in a comment\" */
fn first<'a>(quote: char) -> &'a str {
    match quote { '\"' | '\\'' => \"one \\\" two\", _ => r#\"three \" four\"# }
}

#[cfg(test)]
mod checks {
    fn inner() { let skipped = \"skipped\"; }
}

const LAST: &str = \"last\"; // \"in a comment\"
";
    let expected = [(6, "one \\\" two"), (6, "three \" four"), (14, "last")];
    assert_eq!(literals(text), expected.map(|(line, literal)| (line, literal.to_string())));
}
