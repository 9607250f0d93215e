//! One word, one thing: names of types that are too general to stand for two things.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Ident, ItemEnum, ItemStruct, ItemTrait, ItemType};

use super::imports::Sources;

/// Names that one file of the workspace may give to a type, and no second one.
const WORDS: [&str; 9] = ["Desk", "Job", "Page", "State", "Step", "Walk", "Held", "Choice", "Choices"];

/// Names of all types and traits that a source text defines.
fn types(text: &str) -> Vec<String> {
    struct Types(Vec<String>);

    impl Types {
        fn push(&mut self, ident: &Ident) {
            self.0.push(ident.to_string());
        }
    }

    impl<'ast> Visit<'ast> for Types {
        fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
            self.push(&item.ident);
        }

        fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
            self.push(&item.ident);
        }

        fn visit_item_type(&mut self, item: &'ast ItemType) {
            self.push(&item.ident);
        }

        fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
            self.push(&item.ident);
            visit::visit_item_trait(self, item);
        }
    }

    let mut found = Types(Vec::new());
    found.visit_file(&syn::parse_file(text).expect("a source file"));
    found.0
}

/// Every word that names types in two files, with the files.
fn shared<'a>(files: impl Iterator<Item = (&'a str, String)>) -> Vec<(String, Vec<&'a str>)> {
    let mut users: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (file, text) in files {
        let mut names = types(&text);
        names.retain(|name| WORDS.contains(&name.as_str()));
        names.dedup();
        names.into_iter().for_each(|name| users.entry(name).or_default().push(file));
    }
    users.into_iter().filter(|(_, files)| files.len() > 1).collect()
}

#[test]
fn general_words_name_one_type_each() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let text = |file: &'static str| (file, fs::read_to_string(root.join(file)).expect("a source file"));
    let shared = shared(Sources::of_workspace().files().map(text));
    assert!(shared.is_empty(), "give each thing the field's own word: {shared:?}");
}

#[test]
fn a_second_type_of_one_word_is_caught() {
    let files = [
        ("a.rs", "/// struct Page;\npub struct State; fn walk() { enum Job {} }"),
        ("b.rs", "mod inner { type State<'a> = &'a str; } struct Pages; pub trait Job {}"),
        ("d.rs", "enum View { Page, Step } struct Page;"),
    ];
    let files = files.map(|(file, text)| (file, text.to_string())).into_iter();
    let expected = [("Job".to_string(), vec!["a.rs", "b.rs"]), ("State".to_string(), vec!["a.rs", "b.rs"])];
    assert_eq!(shared(files), expected);
}
