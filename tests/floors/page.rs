//! The walls inside the page: each folder of `src/app` imports only from the folders below it.

use std::collections::BTreeSet;

use super::imports::{LIBRARY, Sources};

/// The folders of the page and those that stand directly below each; a folder may import from every folder below.
const FOLDERS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("state", &["model"]),
    ("browser", &[]),
    ("widgets", &["browser"]),
    ("context", &["state", "widgets"]),
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

/// Every folder below one, at any depth.
fn below(folder: &str) -> BTreeSet<&'static str> {
    let direct = FOLDERS.iter().find(|(name, _)| *name == folder).map_or(&[][..], |(_, direct)| direct);
    direct.iter().flat_map(|name| below(name).into_iter().chain([*name])).collect()
}

/// The folder or file of `src/app` that a file belongs to; none for other rooms and for the root.
fn part(file: &str) -> Option<&str> {
    let part = file.strip_prefix("app/")?.split(['/', '.']).next()?;
    (part != "mod").then_some(part)
}

/// Every import between two folders of the page that does not lead down, and everything that lies in none of the folders.
fn wrong_in(sources: &Sources, outside: &[&str]) -> Vec<String> {
    let used = sources.used();
    let folders: BTreeSet<&str> = sources
        .files()
        .filter_map(|file| part(file).filter(|part| file.len() > part.len() + "app/.rs".len()))
        .collect();
    let is_folder = |part: &str| folders.contains(part) && FOLDERS.iter().any(|(name, _)| *name == part);
    let mut wrong = Vec::new();
    for used in &used {
        let named = match used.path.as_slice() {
            [library, room, named, ..] if library == LIBRARY && room == "app" => named.as_str(),
            _ => continue,
        };
        let Some(own) = part(&used.file).filter(|own| is_folder(own) && is_folder(named) && *own != named) else {
            continue;
        };
        if !below(own).contains(named) {
            wrong.push(format!("{}:{}: {own} uses {named}", used.file, used.line));
        }
    }
    wrong.dedup();
    let parts: BTreeSet<&str> = sources.files().filter_map(part).collect();
    let lost = parts.iter().filter(|part| !is_folder(part) && !outside.contains(part));
    wrong.extend(lost.map(|part| format!("app/{part} is no folder of the page")));
    let gone = outside.iter().filter(|part| !parts.contains(*part) || is_folder(part));
    wrong.extend(gone.map(|part| format!("app/{part} is gone: take it out of the list")));
    wrong
}

#[test]
fn folders_of_the_page_import_only_from_folders_below() {
    let wrong = wrong_in(Sources::of_package(), &[]);
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
            ("app/mod.rs", "mod compare; mod context; mod edit; mod widgets; mod old; use edit::Editor;"),
            ("app/old.rs", "use super::edit::Editor;"),
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
        assert_eq!(wrong_in(&sources, &["old"]), upward);
        assert_eq!(wrong_in(&sources, &[])[3..], ["app/old is no folder of the page"]);
        assert_eq!(wrong_in(&sources, &["old", "new"])[3..], ["app/new is gone: take it out of the list"]);
    }
}
