//! The walls inside the page. Its states form one layer: the state of the page is the sum of the
//! features' states, and each lies in the folder `state` of its feature. Above them, each folder of
//! views imports only from the folders below it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemFn};

use super::imports::{PAGE, Sources, Used};

/// The layer of all states.
const STATE: &str = "state";

/// The folders of the page and those that stand directly below each.
const FOLDERS: &[(&str, &[&str])] = &[
    (STATE, &[]),
    ("browser", &[STATE]),
    ("widgets", &["browser"]),
    ("context", &[STATE, "browser", "widgets"]),
    ("plan", &["context"]),
    // Features: each uses only those that stand in its row.
    ("open", &["context"]),
    ("edit", &["context"]),
    ("own", &["context"]),
    ("export", &["plan"]),
    ("planners", &["plan"]),
    ("present", &["plan", "own"]),
    ("step/transport", &["plan"]),
    ("step/panels", &["plan", "open", "own"]),
    ("step", &["step/transport", "step/panels"]),
    ("chrome", &["export", "planners"]),
    ("compare", &["chrome"]),
    // The same plots and charts, of two documents and of what fits.
    ("compare/diff", &["compare"]),
    ("fit", &["compare"]),
    ("embed", &["chrome", "step"]),
    ("learn/play", &["chrome"]),
    // Exercises of lessons move the same rows, and lead to games.
    ("learn/lessons", &["learn/play", "step"]),
    ("learn/exercise", &["learn/lessons"]),
    ("learn/teacher", &["learn/exercise"]),
    ("learn", &["learn/teacher"]),
    ("shell", &["edit", "compare/diff", "fit", "embed", "present", "learn"]),
];

/// Every folder below one, at any depth. What `browser` keeps and restores is not open to those
/// above it: widgets know nothing of memory.
fn below(folder: &str) -> BTreeSet<&'static str> {
    let direct = FOLDERS.iter().find(|(name, _)| *name == folder).map_or(&[][..], |(_, direct)| direct);
    let deeper = direct.iter().filter(|name| **name != "browser").flat_map(|name| below(name));
    deeper.chain(direct.iter().copied()).collect()
}

/// Files of `src` that belong to no folder: the roots, and what the tests of all folders share.
const ROOTS: [&str; 3] = ["lib", "main", "testing"];

/// The folder that a module of the page belongs to, given by the names from the root down; none for
/// the roots. The module `state` of a feature is in the layer of states; `step/panels/state` draws
/// the panel of that name.
fn part(names: &[&str]) -> Option<String> {
    let (first, rest) = names.split_first()?;
    if ROOTS.contains(first) {
        return None;
    }
    let inner = rest.first().map(|second| format!("{first}/{second}"));
    let inner = inner.filter(|inner| FOLDERS.iter().any(|(name, _)| name == inner));
    let (folder, rest) = match inner {
        Some(inner) => (inner, &rest[1..]),
        None => (first.to_string(), rest),
    };
    let is_state = rest.first() == Some(&STATE) && folder != "step/panels";
    Some(if is_state { STATE.to_string() } else { folder })
}

/// The same for a file.
fn part_of_file(file: &str) -> Option<String> {
    let path = file.strip_prefix("src/")?.strip_suffix(".rs")?;
    part(&path.strip_suffix("/mod").unwrap_or(path).split('/').collect::<Vec<_>>())
}

/// Every import between two folders of the page that does not lead down, and everything that lies
/// in none of the folders.
fn wrong_in(sources: &Sources) -> Vec<String> {
    let parts: BTreeSet<String> = sources.files().filter_map(part_of_file).collect();
    let wrong = |used: &Used| {
        let own = part_of_file(&used.file)?;
        let names: Vec<&str> = used.path.iter().map(String::as_str).collect();
        let named = match names.split_first()? {
            (&PAGE, named) => part(named)?,
            _ => return None,
        };
        let is_wrong = own != named && parts.contains(&named) && !below(&own).contains(&*named);
        is_wrong.then(|| format!("{}:{}: {own} uses {named}", used.file, used.line))
    };
    let mut found: Vec<String> = sources.used().iter().filter_map(wrong).collect();
    found.dedup();
    let lost = parts.iter().filter(|part| !FOLDERS.iter().any(|(name, _)| name == part));
    found.extend(lost.map(|part| format!("src/{part} is no folder of the page: give it a place in the table")));
    found
}

#[test]
fn folders_of_the_page_import_only_from_folders_below() {
    let wrong = wrong_in(Sources::of_workspace());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The policy of the page forbids the attribute `style`; the property of that name, which `~style`
/// sets, is no attribute.
#[test]
fn the_page_sets_styles_as_properties() {
    let mut wrong = Vec::new();
    for file in Sources::of_workspace().files().filter(|file| part_of_file(file).is_some()) {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(file);
        let text = fs::read_to_string(path).expect("a file of the page can be read");
        let lines = text.lines().enumerate();
        let attributes = lines.filter(|(_, line)| {
            line.contains(" style={") || line.contains(" {style}") || line.trim_start().starts_with("style={")
        });
        wrong.extend(attributes.map(|(number, _)| format!("{file}:{}: write ~style", number + 1)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::super::tree;
    use super::*;

    #[test]
    fn features_never_import_each_other() {
        let sources = tree(&[
            ("lib.rs", "mod compare; mod context; mod edit; mod widgets; use edit::Editor;"),
            ("context/mod.rs", "use super::widgets::Menu; pub struct Page(crate::edit::Editor);"),
            ("widgets/mod.rs", "mod menu; pub use menu::Menu;"),
            ("widgets/menu.rs", "use crate::context::Page; pub struct Menu;"),
            ("edit/mod.rs", "use crate::{compare::Table, context::Page, widgets}; pub struct Editor(widgets::Menu);"),
            ("compare/mod.rs", "pub struct Table; #[cfg(test)] mod tests { use crate::edit::Editor; }"),
        ]);
        let wrong = [
            "src/context/mod.rs:1: context uses edit",
            "src/edit/mod.rs:1: edit uses compare",
            "src/widgets/menu.rs:1: widgets uses context",
        ];
        assert_eq!(wrong_in(&sources), wrong);
    }

    #[test]
    fn states_form_one_layer_below_all_views() {
        let sources = tree(&[
            ("lib.rs", "mod edit; mod learn; mod shell;"),
            ("edit/mod.rs", "pub mod state; use crate::learn::play::state::Game; pub struct Editor;"),
            ("edit/state.rs", "use crate::shell::state::State; pub struct Draft(super::Editor);"),
            ("learn/mod.rs", "pub mod play;"),
            ("learn/play/mod.rs", "pub mod state; use crate::edit::Editor;"),
            ("learn/play/state/mod.rs", "use crate::edit::state::Draft; pub struct Game;"),
            ("shell/mod.rs", "pub mod state;"),
            ("shell/state.rs", "use crate::edit::state::Draft; pub struct State;"),
        ]);
        let wrong = ["src/edit/state.rs:1: state uses edit", "src/learn/play/mod.rs:1: learn/play uses edit"];
        assert_eq!(wrong_in(&sources), wrong);
    }

    #[test]
    fn a_folder_without_a_place_is_caught() {
        let sources = tree(&[("lib.rs", "mod attic;"), ("attic.rs", "")]);
        assert_eq!(wrong_in(&sources), ["src/attic is no folder of the page: give it a place in the table"]);
    }
}

/// Most lines of a file of the page: one that is longer has a part that stands by itself.
const MOST_LINES: usize = 350;

#[test]
fn files_of_the_page_are_short() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let long = |file: &&str| {
        let text = std::fs::read_to_string(root.join(file)).expect("a source file");
        text.lines().count() > MOST_LINES
    };
    let files: Vec<&str> = Sources::of_workspace().files().filter(|file| file.starts_with("src/")).collect();
    assert!(files.len() > 100, "{files:?}");
    assert_eq!(files.iter().filter(|file| long(file)).collect::<Vec<_>>(), Vec::<&&str>::new());
}

/// Most lines of a component: one that is longer decides something that can be a function with a
/// test of its own.
const MOST_LINES_OF_A_COMPONENT: usize = 80;

/// Every function under `#[component]` of a source text: its name and its lines, attributes aside.
fn components(text: &str) -> Vec<(String, usize)> {
    struct Components(Vec<(String, usize)>);

    impl<'ast> Visit<'ast> for Components {
        fn visit_item_fn(&mut self, item: &'ast ItemFn) {
            let is_named =
                |attribute: &Attribute| attribute.path().segments.last().is_some_and(|part| part.ident == "component");
            if item.attrs.iter().any(is_named) {
                let (first, last) =
                    (item.sig.fn_token.span.start().line, item.block.brace_token.span.close().end().line);
                self.0.push((item.sig.ident.to_string(), last - first + 1));
            }
            visit::visit_item_fn(self, item);
        }
    }

    let mut found = Components(Vec::new());
    found.visit_file(&syn::parse_file(text).expect("a source file"));
    found.0
}

#[test]
fn components_of_the_page_are_short() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut all = Vec::new();
    for file in Sources::of_workspace().files().filter(|file| file.starts_with("src/")) {
        let text = fs::read_to_string(root.join(file)).expect("a file of the page can be read");
        all.extend(components(&text).into_iter().map(|(name, lines)| (format!("{file}: {name}"), lines)));
    }
    assert!(all.len() > 50, "only {} components were found", all.len());
    all.retain(|(_, lines)| *lines > MOST_LINES_OF_A_COMPONENT);
    assert!(
        all.is_empty(),
        "components of more than {MOST_LINES_OF_A_COMPONENT} lines, split them by meaning: {all:?}"
    );
}

#[test]
fn lines_of_a_component_are_counted() {
    let text = "\
#[component]
pub fn Short() -> Html {
    html! {}
}

fn helper() {}

mod inner {
    #[yew::component(Named)]
    #[rustfmt::skip]
    fn named(
        props: &Props,
    ) -> Html { html! {} }
}
";
    assert_eq!(components(text), [("Short".to_string(), 3), ("named".to_string(), 3)]);
}

/// Whether a file of the page is compiled for browsers only, because a module on the way to it is.
fn is_for_browsers(file: &str, read: &dyn Fn(&str) -> String) -> bool {
    let Some((folder, name)) = file.rsplit_once('/') else { return false };
    // The file that declares the module, and the module's name.
    let (declaring, module) = match name.strip_suffix(".rs") {
        Some("lib") => return false,
        Some("mod") => match folder.rsplit_once('/') {
            Some((above, module)) => (above, module),
            None => return false,
        },
        Some(module) => (folder, module),
        None => return false,
    };
    let root = if declaring == "src" { "lib" } else { "mod" };
    let declaring = format!("{declaring}/{root}.rs");
    let cfg = |attribute: &Attribute| {
        let list = attribute.meta.require_list().ok().filter(|list| list.path.is_ident("cfg"));
        list.is_some_and(|list| list.tokens.to_string().replace(' ', "") == "target_arch=\"wasm32\"")
    };
    let declared = syn::parse_file(&read(&declaring)).expect("a source file").items;
    let is_here = |item: &Item| matches!(item, Item::Mod(item) if item.ident == module && item.attrs.iter().any(cfg));
    declared.iter().any(is_here) || is_for_browsers(&declaring, read)
}

#[test]
fn every_test_in_the_page_is_run() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let read = |file: &str| fs::read_to_string(root.join(file)).expect("a file of the page can be read");
    let sources = Sources::of_workspace();
    let tested = sources.files().filter(|file| file.starts_with("src/") && read(file).contains("#[cfg(test)]"));
    let (never, run): (Vec<&str>, Vec<&str>) = tested.partition(|file| is_for_browsers(file, &read));
    assert!(run.len() > 20, "{run:?}");
    assert!(
        never.is_empty(),
        "these tests are compiled for browsers only, where no test of the library runs: {never:?}"
    );
}

#[test]
fn a_module_for_browsers_is_told_by_those_above_it() {
    let read = |file: &str| {
        match file {
            "src/lib.rs" => {
                "#[cfg(target_arch = \"wasm32\")]\nmod plan;\n#[cfg(any(test, target_arch = \"wasm32\"))]\nmod widgets;"
            }
            "src/plan/mod.rs" => "mod axis;",
            "src/widgets/mod.rs" => "#[cfg(target_arch = \"wasm32\")]\nmod tabs;\nmod sorting;",
            _ => "",
        }
        .to_string()
    };
    let of = |file| is_for_browsers(file, &read);
    assert!(of("src/plan/mod.rs") && of("src/plan/axis.rs") && of("src/widgets/tabs.rs"));
    assert!(!of("src/widgets/sorting.rs") && !of("src/widgets/mod.rs"));
}
