//! The recipes of docs/contributing.md change lines that are there. The tier `--full` compiles what
//! they make.

use crate::blocks::{Block, Files, apply, blocks, part, read_all};
use crate::top;

#[test]
fn recipes_change_lines_that_are_there() {
    let text = std::fs::read_to_string(top().join("docs/contributing.md")).expect("the recipes");
    let headings: Vec<&str> = text.split("\n## ").skip(1).filter_map(|below| below.lines().next()).collect();
    let blocks: Vec<Block> = headings.iter().flat_map(|heading| blocks(part(&text, heading))).collect();
    assert!(blocks.len() > 10, "{} blocks", blocks.len());
    let mut files = Files::new();
    read_all(top(), top(), &mut files);
    blocks.iter().for_each(|block| apply(block, &mut files));
}

#[test]
fn blocks_change_what_they_name() {
    let text = "```rust src/new.rs\nfn new() {}\n```\n```sh\ncargo test\n```\n```diff src/old.rs\n mod a;\n-mod b;\n+mod c;\n```\n\
        ```json crates/core/locales/en.json\n\"b\": \"two\",\n```\n";
    let mut files = Files::from([
        ("src/old.rs".to_string(), b"mod a;\nmod b;\nmod d;\n".to_vec()),
        ("crates/core/locales/en.json".to_string(), b"{\n\"a\": \"one\",\n\"c\": \"three\"\n}\n".to_vec()),
    ]);
    let blocks = blocks(text);
    assert_eq!(blocks.len(), 3);
    blocks.iter().for_each(|block| apply(block, &mut files));
    let text = |path: &str| String::from_utf8(files[path].clone()).expect("text");
    assert_eq!(text("src/new.rs"), "fn new() {}\n");
    assert_eq!(text("src/old.rs"), "mod a;\nmod c;\nmod d;\n");
    assert_eq!(text("crates/core/locales/en.json"), "{\n\"a\": \"one\",\n\"b\": \"two\",\n\"c\": \"three\"\n}\n");
}

#[test]
#[should_panic(expected = "has these lines once")]
fn a_change_of_lines_that_are_gone_is_caught() {
    let block = Block { language: "diff", path: "src/old.rs", lines: vec![" mod a;", "+mod b;"] };
    apply(&block, &mut Files::from([("src/old.rs".to_string(), b"mod z;\n".to_vec())]));
}
