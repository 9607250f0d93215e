//! The walls inside the page: each folder of `src/app` imports only from the folders below it.

use std::collections::BTreeSet;

use super::imports::{LIBRARY, Sources};

/// The folders of the page and those that stand directly below each.
const FOLDERS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("state", &["model"]),
    ("browser", &["model"]),
    ("widgets", &["browser"]),
    ("context", &["state", "browser", "widgets"]),
    ("plan", &["context"]),
    ("transport", &["plan"]),
    ("panels", &["plan"]),
    ("controls", &["plan"]),
    ("chrome", &["transport", "panels", "controls"]),
    // Features of their own.
    ("edit", &["chrome"]),
    ("compare", &["chrome"]),
    ("embed", &["chrome"]),
    ("shell", &["edit", "compare", "embed"]),
];

/// Folders that still import from one that is not below them, with that one. The list only ever shrinks.
const KNOWN: &[(&str, &str)] = &[
    ("chrome", "compare"),
    ("panels", "transport"),
    ("widgets", "context"),
    ("widgets", "model"),
    ("widgets", "state"),
];

/// Every folder below one, at any depth. What `browser` keeps and restores is not open to those above it: widgets know nothing
/// of memory.
fn below(folder: &str) -> BTreeSet<&'static str> {
    let direct = FOLDERS.iter().find(|(name, _)| *name == folder).map_or(&[][..], |(_, direct)| direct);
    let deeper = direct.iter().filter(|name| **name != "browser").flat_map(|name| below(name));
    deeper.chain(direct.iter().copied()).collect()
}

/// The folder or file of `src/app` that a file belongs to; none for other rooms and for the root.
fn part(file: &str) -> Option<&str> {
    let part = file.strip_prefix("app/")?.split(['/', '.']).next()?;
    (part != "mod").then_some(part)
}

/// Every import between two folders of the page that does not lead down and is not known, every known one that is gone, and
/// everything that lies in none of the folders.
fn wrong_in(sources: &Sources, known: &[(&str, &str)]) -> Vec<String> {
    let parts: BTreeSet<&str> = sources.files().filter_map(part).collect();
    let mut upward: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut wrong = Vec::new();
    let used = sources.used();
    for used in &used {
        let Some(own) = part(&used.file) else { continue };
        let named = match used.path.as_slice() {
            [library, room, named, ..] if library == LIBRARY && room == "app" => named.as_str(),
            _ => continue,
        };
        if own == named || !parts.contains(named) || below(own).contains(named) {
            continue;
        }
        upward.insert((own, named));
        if !known.contains(&(own, named)) {
            wrong.push(format!("{}:{}: {own} uses {named}", used.file, used.line));
        }
    }
    wrong.dedup();
    let gone = known.iter().filter(|pair| !upward.contains(pair));
    wrong.extend(gone.map(|(own, named)| format!("{own} no longer uses {named}: take it out of the list")));
    let lost = parts.iter().filter(|part| !FOLDERS.iter().any(|(name, _)| name == *part));
    wrong.extend(lost.map(|part| format!("app/{part} is no folder of the page: give it a place in the table")));
    wrong
}

#[test]
fn folders_of_the_page_import_only_from_folders_below() {
    let wrong = wrong_in(Sources::of_package(), KNOWN);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::super::tree;
    use super::*;

    #[test]
    fn features_never_import_each_other() {
        let sources = tree(&[
            ("lib.rs", "mod app;"),
            ("app/mod.rs", "mod compare; mod context; mod edit; mod widgets; use edit::Editor;"),
            ("app/context/mod.rs", "use super::widgets::Menu; pub struct Page(crate::app::edit::Editor);"),
            ("app/widgets/mod.rs", "mod menu; pub use menu::Menu;"),
            ("app/widgets/menu.rs", "use crate::app::context::Page; pub struct Menu;"),
            (
                "app/edit/mod.rs",
                "use crate::app::{compare::Table, context::Page, widgets}; pub struct Editor(widgets::Menu);",
            ),
            ("app/compare/mod.rs", "pub struct Table; #[cfg(test)] mod tests { use crate::app::edit::Editor; }"),
        ]);
        let upward = [
            "app/context/mod.rs:1: context uses edit",
            "app/edit/mod.rs:1: edit uses compare",
            "app/widgets/menu.rs:1: widgets uses context",
        ];
        assert_eq!(wrong_in(&sources, &[]), upward);
        assert_eq!(wrong_in(&sources, &[("context", "edit")]), upward[1..]);
        let gone = wrong_in(&sources, &[("context", "compare")]);
        assert_eq!(gone[3..], ["context no longer uses compare: take it out of the list"]);
    }

    #[test]
    fn a_folder_without_a_place_is_caught() {
        let sources = tree(&[("lib.rs", "mod app;"), ("app/mod.rs", "mod attic;"), ("app/attic.rs", "")]);
        assert_eq!(wrong_in(&sources, &[]), ["app/attic is no folder of the page: give it a place in the table"]);
    }
}
