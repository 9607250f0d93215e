//! `www/memplan.d.ts`: every declaration that programs may use, member by member.

use std::collections::BTreeSet;

use crate::contract;

/// The text without comments, spaces as single ones.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        plain += &rest[..at];
        let end = if rest[at..].starts_with("/*") { "*/" } else { "\n" };
        rest = rest[at..].split_once(end).map_or("", |(_, rest)| rest);
        plain.push(' ');
    }
    plain += rest;
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Splits at a letter outside of brackets; brackets that close a declaration end it too.
fn parts(text: &str, at: char) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (place, letter) in text.char_indices() {
        match letter {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            _ => {}
        }
        let ends = letter == '}' && depth == 0 && text[place + 1..].trim_start().starts_with("export ");
        if depth == 0 && (letter == at || ends) {
            parts.push(text[start..place + usize::from(ends)].trim());
            start = place + 1;
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The lines of a declaration or member: what stands in braces becomes lines of its own.
fn lines(name: &str, text: &str, lines_of: &mut BTreeSet<String>) {
    let (mut outside, mut inside, mut depth) = (String::new(), Vec::new(), 0);
    for letter in text.chars() {
        match letter {
            '{' => {
                depth += 1;
                if depth == 1 {
                    outside.push('{');
                    inside.push(String::new());
                    continue;
                }
            }
            '}' => {
                depth -= 1;
                if depth == 0 {
                    outside.push('}');
                    continue;
                }
            }
            _ => {}
        }
        if depth == 0 {
            outside.push(letter);
        } else if let Some(last) = inside.last_mut() {
            last.push(letter);
        }
    }
    let outside = outside.trim().to_string();
    let kind_and_name = outside.trim_start_matches("export ").trim_start_matches("default ");
    let words: Vec<&str> = kind_and_name.split(|letter: char| " :?=(<".contains(letter)).collect();
    let is_kind = ["interface", "type", "class", "function"].contains(&words[0]) && name.is_empty();
    let own = if name.is_empty() && is_kind { words.get(1).unwrap_or(&"").to_string() } else { words[0].to_string() };
    let whole = if name.is_empty() { own } else { format!("{name}.{own}") };
    if is_kind && words[0] == "type" {
        // Every alternative by itself: more may come.
        let (head, value) = outside.split_once('=').unwrap_or((&outside, ""));
        for part in value.split('|').map(str::trim).filter(|part| !part.is_empty()) {
            lines_of.insert(format!("{} = … | {part}", head.trim()));
        }
    } else if name.is_empty() {
        lines_of.insert(outside);
    } else {
        lines_of.insert(format!("{name} . {outside}"));
    }
    for inner in inside {
        parts(&inner, ';').into_iter().for_each(|member| lines(&whole, member, lines_of));
    }
}

/// All declarations of the text.
fn declarations(text: &str) -> BTreeSet<String> {
    let plain = plain(text);
    let mut found = BTreeSet::new();
    for statement in parts(&plain, ';') {
        lines("", statement, &mut found);
    }
    found
}

#[test]
fn every_declaration_is_still_there() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/memplan.d.ts")).expect("declarations");
    contract::extends("declarations.txt", 200, &declarations(&text));
}

#[test]
fn members_and_alternatives_are_told_apart() {
    let text = "/** One. */\nexport interface A {\n  /** x; y */\n  x: { size: number; cost?: string }[];\n  y(k: number): B;\n}\n\
        export type B = \"b\" | \"c\";\nexport default function init(o?: { z?: 1 }): void;";
    let found = declarations(text);
    let wanted = [
        "A . x: {}[]",
        "A . y(k: number): B",
        "A.x . cost?: string",
        "A.x . size: number",
        "export default function init(o?: {}): void",
        "export interface A {}",
        "export type B = … | \"b\"",
        "export type B = … | \"c\"",
        "init . z?: 1",
    ];
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), wanted);
}
