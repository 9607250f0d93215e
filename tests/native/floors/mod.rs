//! The rules of the source tree that Cargo cannot hold. Files do not import each other in circles
//! ([`circles`]), the features of the page do not import each other ([`page`]), one folder of the
//! page asks the window ([`globals`]), few files outside the planners' crate name a planner
//! ([`planners`]), and general words name one type each ([`words`]). Which crate may use which
//! stands in their manifests and in docs/architecture.md, which say the same ([`crates`]).

mod circles;
mod crates;
mod globals;
mod imports;
mod page;
mod planners;
mod words;

use imports::Sources;

/// A made-up page: texts by their paths from `src` down.
fn tree(files: &[(&str, &str)]) -> Sources {
    Sources::parse(&files.iter().map(|(file, text)| (format!("src/{file}"), text.to_string())).collect())
}

#[test]
#[should_panic(expected = "no module declares [\"src/plan/lost.rs\"]")]
fn a_file_outside_the_modules_is_caught() {
    tree(&[("lib.rs", "mod plan;"), ("plan/mod.rs", ""), ("plan/lost.rs", "")]);
}
