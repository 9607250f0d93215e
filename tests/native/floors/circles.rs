//! No circle between files: a file never imports, over any way, a file that imports it, so each can
//! be read and tested with what lies below it alone. A module and its own submodules are one thing
//! and may import each other.

use std::collections::BTreeSet;

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use super::imports::Sources;

/// The file that sums up the states of the page's features. The type `State` has an `impl` in each
/// feature, so the sum and its parts are one thing, as a module and its submodules are.
const SUM: &str = "src/shell/state/mod.rs";

/// Circles that are still there. The list only ever shrinks: a file that is in no circle any more
/// is taken out.
const KNOWN: &[&[&str]] = &[];

/// The files of each circle, in order; the longest circle first.
fn circles(sources: &Sources) -> Vec<Vec<String>> {
    let mut graph: DiGraphMap<&str, ()> = DiGraphMap::new();
    let used = sources.used();
    for used in &used {
        let Some(definer) = sources.definer(&used.path) else { continue };
        let (own, other) = (sources.module(&used.file), sources.module(definer));
        let is_part = definer == SUM && used.file.starts_with("src/") && own.iter().any(|name| name == "state");
        if !is_part && !own.starts_with(other) && !other.starts_with(own) {
            graph.add_edge(&used.file, definer, ());
        }
    }
    let found = tarjan_scc(&graph).into_iter().filter(|files| files.len() > 1);
    let mut found: Vec<Vec<String>> = found.map(|files| files.into_iter().map(String::from).collect()).collect();
    found.iter_mut().for_each(|files| files.sort());
    found.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    found
}

/// Circles that are not known, and known files that are in no circle any more.
fn wrong_in(found: &[Vec<String>], known: &[&[&str]]) -> Vec<String> {
    let is_known = |files: &&Vec<String>| known.iter().any(|known| files.iter().all(|file| known.contains(&&**file)));
    let new = found.iter().filter(|files| !is_known(files)).map(|files| format!("a circle: {}", files.join(", ")));
    let still: BTreeSet<&str> = found.iter().flatten().map(|file| &**file).collect();
    let gone = known.iter().copied().flatten().filter(|file| !still.contains(*file));
    new.chain(gone.map(|file| format!("{file} is in no circle: take it out of the list"))).collect()
}

#[test]
fn no_circles_between_files() {
    let found = circles(Sources::of_workspace());
    let files: usize = found.iter().map(Vec::len).sum();
    println!("{} circles, {files} files in them", found.len());
    for circle in &found {
        println!("{} files: {}", circle.len(), circle.join(", "));
    }
    let wrong = wrong_in(&found, KNOWN);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::super::tree;
    use super::*;

    /// A room `scene` whose files have these texts; its root has the first.
    fn scene(root: &str, files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let mut all = vec![("lib.rs", "mod scene;"), ("scene/mod.rs", root)];
        all.extend(files);
        circles(&tree(&all))
    }

    #[test]
    fn a_circle_is_found_through_names_that_others_re_export() {
        let found = scene(
            "mod axes; mod mark; mod stage; mod view; pub use view::View; pub use stage::{Stage, stage}; pub use mark::Mark;",
            &[
                ("scene/axes.rs", "use super::Mark; pub fn axes(view: &super::View) {}"),
                ("scene/mark.rs", "pub struct Mark;"),
                ("scene/stage.rs", "use super::{axes, mark::Mark}; pub struct Stage; pub fn stage() { axes::axes() }"),
                ("scene/view.rs", "use crate::scene; pub struct View(scene::Stage);"),
            ],
        );
        assert_eq!(found, [["src/scene/axes.rs", "src/scene/stage.rs", "src/scene/view.rs"]]);
    }

    #[test]
    fn a_function_with_the_name_of_its_module_is_found() {
        let root = "mod legend; mod stage; pub use legend::legend;";
        let stage = ("scene/stage.rs", "use super::legend; pub struct Stage;");
        let found = scene(root, &[("scene/legend.rs", "use super::stage::Stage; pub fn legend() {}"), stage]);
        assert_eq!(found, [["src/scene/legend.rs", "src/scene/stage.rs"]]);
    }

    #[test]
    fn paths_in_macros_and_names_of_globs_count() {
        let root = "mod axes; mod view; mod list; use list::*;";
        let axes = ("scene/axes.rs", "pub fn axes() { println!(\"{}\", [1, super::VIEW]); }");
        let view = ("scene/view.rs", "use super::*; macro_rules! draw { () => { $crate::scene::axes::axes() } }");
        let list = ("scene/list.rs", "pub const VIEW: u32 = 1;");
        assert_eq!(scene(root, &[axes, view, list]), [[""; 0]; 0]);
        let list = ("scene/list.rs", "pub use super::view::VIEW;");
        let view =
            ("scene/view.rs", "pub const VIEW: u32 = 1; macro_rules! draw { () => { $crate::scene::axes::axes() } }");
        assert_eq!(scene(root, &[axes, view, list]), [["src/scene/axes.rs", "src/scene/view.rs"]]);
    }

    #[test]
    fn a_module_and_its_own_submodules_and_tests_are_no_circle() {
        let found = scene(
            "mod stage; mod view; pub struct Scene(view::View);",
            &[
                (
                    "scene/stage.rs",
                    "mod parts; #[cfg(test)] mod tests { use crate::scene::view::View; } pub struct Stage;",
                ),
                ("scene/stage/parts.rs", "use super::super::Scene; use super::Stage;"),
                ("scene/view.rs", "use super::{Scene, stage::Stage}; pub struct View; #[cfg(test)] mod tests;"),
                ("scene/view/tests.rs", "use super::super::stage::Stage;"),
            ],
        );
        assert_eq!(found, [[""; 0]; 0]);
    }

    #[test]
    fn a_circle_is_known_until_it_is_broken() {
        let circle = vec![vec!["a.rs".to_string(), "b.rs".into()]];
        assert_eq!(wrong_in(&circle, &[]), ["a circle: a.rs, b.rs"]);
        assert_eq!(wrong_in(&circle, &[&["a.rs", "b.rs"]]), [""; 0]);
        assert_eq!(wrong_in(&circle, &[&["a.rs", "b.rs", "c.rs"]]), ["c.rs is in no circle: take it out of the list"]);
        assert_eq!(wrong_in(&circle, &[&["a.rs"], &["b.rs"]]), ["a circle: a.rs, b.rs"]);
    }
}
