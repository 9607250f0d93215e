//! MLIR as text, read without knowing its dialects: operations with their results, the values that
//! they name, their regions and blocks. What stands between is kept as text.
//!
//! Each dialect prints its operations in its own way. All of them begin with results and a name,
//! end at the end of a line outside of brackets, and have regions in braces. A brace opens a region
//! and no dictionary if what follows reads as an operation or a block.

use std::collections::BTreeMap;

use memplan_core::base::Message;
use memplan_core::graph::Fault;

/// Regions inside one another that are read.
const MAX_DEPTH: u32 = 100;

/// Operations of a file that are read.
pub const MAX_OPS: usize = 1 << 20;

/// A file: aliases of attributes and types, and the operations at the top.
#[derive(Debug, Default)]
pub struct Module<'t> {
    /// What stands behind `#name =` and `!name =`, by the name with its first letter.
    pub aliases: BTreeMap<&'t str, &'t str>,
    /// Operations outside of all others, in order.
    pub ops: Vec<Op<'t>>,
}

/// An operation.
#[derive(Debug)]
pub struct Op<'t> {
    /// Its line in the file, from 1.
    pub line: u32,
    /// Name with the dialect, such as `memref.alloc`.
    pub name: &'t str,
    /// Results, each with the number of values that it stands for.
    pub results: Vec<(&'t str, u32)>,
    /// The text behind the name, up to the first region.
    pub head: &'t str,
    /// Regions, each with the text that follows it.
    pub regions: Vec<(Region<'t>, &'t str)>,
}

/// A list of blocks.
#[derive(Debug, Default)]
pub struct Region<'t> {
    /// In order; the first one has no label unless the file gives one.
    pub blocks: Vec<Block<'t>>,
}

/// Operations in order.
#[derive(Debug, Default)]
pub struct Block<'t> {
    /// Its label, such as `^bb1`; empty for one without.
    pub label: &'t str,
    /// Names of its arguments.
    pub args: Vec<&'t str>,
    /// Its operations.
    pub ops: Vec<Op<'t>>,
}

impl<'t> Op<'t> {
    /// The text behind the last region, or all of it if there is none.
    pub fn tail(&self) -> &'t str {
        self.regions.last().map_or(self.head, |(_, text)| text)
    }

    /// The value of an attribute `key = value` in the text of the operation, up to the next comma
    /// or the end of the list.
    pub fn attribute(&self, key: &str) -> Option<&'t str> {
        let texts = [self.head].into_iter().chain(self.regions.iter().map(|(_, text)| *text));
        texts.into_iter().find_map(|text| field(text, key))
    }
}

/// The value behind `key =` in a list such as `{a = 1 : i32, b = [1, 2]}`, without its type.
pub fn field<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    for (at, found) in text.match_indices(key) {
        let is_part = |letter: char| letter.is_alphanumeric() || "_.$".contains(letter);
        let starts = !text[..at].ends_with(is_part);
        // A name with dots may stand in quotes.
        let rest = text[at + found.len()..].trim_start_matches('"').trim_start();
        let Some(value) = rest.strip_prefix('=').filter(|_| starts) else { continue };
        let value = value.trim_start();
        let mut depth = 0;
        let end = value.find(|letter: char| {
            match letter {
                '[' | '{' | '(' | '<' => depth += 1,
                ']' | '}' | ')' | '>' => depth -= 1,
                _ => {}
            }
            depth < 0 || depth == 0 && matches!(letter, ',' | ':' | '\n')
        });
        return Some(value[..end.unwrap_or(value.len())].trim());
    }
    None
}

/// A whole number as MLIR writes it.
pub fn whole(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// All values named in a text, such as `%arg0` or `%5#1`, in order; none inside of strings.
pub fn values(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(['%', '"']).map(|next| at + next) {
        if text[next..].starts_with('"') {
            at = next + string(&text[next..]);
            continue;
        }
        let end = next
            + 1
            + text[next + 1..].find(|letter| !is_name(letter) && letter != '#').unwrap_or(text.len() - next - 1);
        found.push(&text[next..end]);
        at = end;
    }
    found
}

fn is_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$' | '.' | '-')
}

/// Bytes of the string that a text begins with, both quotes included.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().enumerate().skip(1).find(|&(_, byte)| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// What a file of MLIR begins with.
const BEGINS: [&str; 9] =
    ["module", "builtin.module", "\"builtin.module\"", "func.func", "util.func", "tt.func", "#", "!", "//"];

/// What a line begins with that begins MLIR behind other text.
const LINES: [&str; 8] = [
    "module {",
    "module @",
    "module attributes {",
    "\"builtin.module\"(",
    "func.func ",
    "util.func ",
    "tt.func ",
    "// -----// IR Dump",
];

/// Where MLIR begins in a text: at its first letter, or at the first line that can be nothing else,
/// behind warnings and whatever else a program printed. Never in text that begins as JSON or a page
/// does.
pub fn begin(text: &str) -> Option<usize> {
    let start = text.trim_start();
    let mut at = text.len() - start.len();
    if BEGINS.iter().any(|word| start.starts_with(word)) {
        return Some(at);
    }
    if start.starts_with(['{', '[', '<']) {
        return None;
    }
    for line in start.split_inclusive('\n') {
        if LINES.iter().any(|word| line.starts_with(word)) || is_alias(line) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Whether a line gives an attribute or a type a name, as `#loc = loc(unknown)` does.
fn is_alias(line: &str) -> bool {
    line.starts_with(['#', '!'])
        && line.split_once(" = ").is_some_and(|(name, value)| {
            name[1..].chars().all(is_name) && ["#", "!", "loc(", "affine_"].iter().any(|word| value.starts_with(word))
        })
}

/// Reads a file, from where [MLIR begins](begin).
///
/// # Errors
/// The line at which a bracket is left open, or where regions lie too deep.
pub fn parse(text: &str) -> Result<Module<'_>, Vec<Fault>> {
    let at = begin(text).unwrap_or(0);
    let mut reader = TextReader { text, at, ops: 0, counted: (0, 1), module: Module::default() };
    let mut region = Region::default();
    reader.blocks(&mut region, 0)?;
    if reader.at < text.len() {
        return Err(reader.fault("fault.mlir-bracket"));
    }
    reader.module.ops = region.blocks.into_iter().flat_map(|block| block.ops).collect();
    Ok(reader.module)
}

struct TextReader<'t> {
    text: &'t str,
    at: usize,
    ops: usize,
    /// A place, and the line that it stands in.
    counted: (usize, u32),
    module: Module<'t>,
}

impl<'t> TextReader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The line that is read.
    fn line(&mut self) -> u32 {
        let (from, line) = self.counted;
        let at = self.at.min(self.text.len());
        let more = self.text.as_bytes()[from..at].iter().filter(|&&byte| byte == b'\n').count() as u32;
        self.counted = (at, line + more);
        line + more
    }

    fn fault(&mut self, key: &'static str) -> Vec<Fault> {
        vec![Fault::new(format!("line {}", self.line()), Message::new(key))]
    }

    /// Goes over blanks, line ends and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("{-#") {
                self.at += rest.find("#-}").map_or(rest.len(), |end| end + 3);
            } else {
                return;
            }
        }
    }

    /// Reads blocks up to the brace that closes their region, or to the end of the file.
    fn blocks(&mut self, region: &mut Region<'t>, depth: u32) -> Result<(), Vec<Fault>> {
        if depth > MAX_DEPTH {
            return Err(self.fault("fault.mlir-deep"));
        }
        loop {
            self.skip();
            let rest = self.rest();
            match rest.as_bytes().first() {
                None | Some(b'}') => return Ok(()),
                Some(b'^') => {
                    let end = self.balanced(|letter| letter == ':');
                    let header = &self.text[self.at..end];
                    let label = header.find(|letter: char| letter == '(' || letter.is_whitespace());
                    let (label, args) = header.split_at(label.unwrap_or(header.len()));
                    region.blocks.push(Block { label, args: arguments(args), ops: Vec::new() });
                    self.at = (end + 1).min(self.text.len());
                }
                Some(b'#' | b'!') if depth == 0 => {
                    let end = self.balanced(|letter| letter == '\n');
                    if let Some((name, value)) = self.text[self.at..end].split_once('=') {
                        self.module.aliases.insert(name.trim(), value.trim());
                    }
                    self.at = end;
                }
                Some(_) => {
                    let op = self.op(depth)?;
                    if region.blocks.is_empty() {
                        region.blocks.push(Block::default());
                    }
                    if let Some(block) = region.blocks.last_mut() {
                        block.ops.push(op);
                    }
                    if self.ops > MAX_OPS {
                        return Err(self.fault("fault.mlir-many"));
                    }
                }
            }
        }
    }

    /// The next place outside of brackets and strings at which `ends` holds, or the end of the
    /// file.
    fn balanced(&self, ends: impl Fn(char) -> bool) -> usize {
        let (mut depth, mut skipped) = (0u32, 0);
        for (at, letter) in self.rest().char_indices() {
            if at < skipped {
                continue;
            }
            match letter {
                '"' => skipped = at + string(&self.rest()[at..]),
                _ if depth == 0 && ends(letter) => return self.at + at,
                '(' | '[' | '{' | '<' => depth += 1,
                '>' if self.rest()[..at].ends_with(['-', '=']) => {}
                ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        self.text.len()
    }

    fn op(&mut self, depth: u32) -> Result<Op<'t>, Vec<Fault>> {
        self.ops += 1;
        let line = self.line();
        let mut results = Vec::new();
        if self.rest().starts_with('%') {
            let end = self.balanced(|letter| letter == '=' || letter == '\n');
            if self.text[end..].starts_with('=') {
                let listed = self.text[self.at..end].split(',').map(str::trim);
                results = listed
                    .map(|one| {
                        one.split_once(':').map_or((one, 1), |(name, count)| (name, count.trim().parse().unwrap_or(1)))
                    })
                    .collect();
                self.at = end + 1;
                self.skip();
            }
        }
        let rest = self.rest();
        let length = if rest.starts_with('"') {
            string(rest)
        } else {
            rest.find(|letter| !is_name(letter)).unwrap_or(rest.len())
        };
        // Something else than an operation takes one letter, so that every step goes on.
        let length = length.max(rest.chars().next().map_or(0, char::len_utf8));
        let name = rest[..length].trim_matches('"');
        self.at += length;
        let mut op = Op { line, name, results, head: "", regions: Vec::new() };
        let mut from = self.at;
        loop {
            let region_begins = self.statement();
            let text = self.text[from..self.at].trim();
            match op.regions.last_mut() {
                Some((_, after)) => *after = text,
                None => op.head = text,
            }
            if !region_begins {
                return Ok(op);
            }
            self.at += 1;
            let mut region = Region::default();
            self.blocks(&mut region, depth + 1)?;
            if !self.rest().starts_with('}') {
                return Err(self.fault("fault.mlir-bracket"));
            }
            self.at += 1;
            from = self.at;
            op.regions.push((region, ""));
        }
    }

    /// Goes to the end of an operation, or to the brace that opens its next region: then returns
    /// true.
    fn statement(&mut self) -> bool {
        // Brackets that are open; a region may stand inside of round ones.
        let mut open: Vec<u8> = Vec::new();
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.at += string(self.rest());
                    continue;
                }
                b'/' if self.rest().starts_with("//") => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                    continue;
                }
                b'{' if !open.contains(&b'{') && !open.contains(&b'<') && self.opens_region() => return true,
                b'(' | b'[' | b'{' | b'<' => open.push(byte),
                b'>' if matches!(bytes[self.at - 1], b'-' | b'=') => {}
                b'>' if open.last() == Some(&b'<') => drop(open.pop()),
                b'>' => {}
                // What closes nothing of its own closes what is around.
                b'}' if !open.contains(&b'{') => return false,
                b')' | b']' | b'}' => {
                    // An angle left open was a comparison.
                    while open.last() == Some(&b'<') {
                        open.pop();
                    }
                    open.pop();
                }
                b'\n' if open.is_empty() && !self.goes_on() => return false,
                _ => {}
            }
            self.at += 1;
        }
        false
    }

    /// Whether the operation goes on in the next line.
    fn goes_on(&self) -> bool {
        let before = self.text[..self.at].trim_end();
        if before.ends_with([',', ':', '=']) || before.ends_with("->") {
            return true;
        }
        let next = self.rest().trim_start();
        let word = &next[..next.find(|letter| !is_name(letter)).unwrap_or(next.len())];
        let is_partition =
            word.strip_prefix("partition").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        is_partition
            || matches!(word, "default" | "else" | "do" | "attributes" | "case")
            || next.starts_with([':', ',', '('])
            || next.starts_with("->")
    }

    /// Whether the brace here opens a region rather than a dictionary, or the size behind a type:
    /// `!stream.resource<transient>{%size}`.
    fn opens_region(&self) -> bool {
        if self.text[..self.at].ends_with('>') {
            return false;
        }
        let inside = &self.rest()[1..];
        let mut next = inside.trim_start();
        let is_own_line = inside[..inside.len() - next.len()].contains('\n');
        while next.starts_with("//") {
            next = next[next.find('\n').unwrap_or(next.len())..].trim_start();
        }
        let end = if next.starts_with('"') {
            string(next)
        } else {
            next.find(|letter| !is_name(letter)).unwrap_or(next.len())
        };
        let after = next[end..].trim_start();
        match next.as_bytes().first() {
            Some(b'^' | b'%') => true,
            Some(b'"') => after.starts_with('('),
            Some(b'}') => is_own_line,
            Some(first) if first.is_ascii_alphabetic() || *first == b'_' => match after.as_bytes().first() {
                Some(b'=' | b',') => false,
                Some(b'}') => is_own_line,
                _ => true,
            },
            _ => false,
        }
    }
}

/// Names of the arguments of a block or a function, each before its type: `(%a: i32, %b: f16)`.
pub fn arguments(text: &str) -> Vec<&str> {
    values(text).into_iter().filter(|value| !value.contains('#')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"#shared = #ttg.swizzled_shared<{vec = 1, order = [1, 0]}>
#loc = loc("a \"file\"":3:1)
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  tt.func public @f(%arg0: i32 {tt.divisibility = 16 : i32}, %arg1: i1) attributes {noinline = false} {
    %0:2 = "tt.reduce"(%arg0, %arg1) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      tt.reduce.return %a : f32
    }) : (i32, i1) -> (i32, i32)
    %1 = ttg.local_alloc {alignment = 32 : i32} : () -> !ttg.memdesc<16x16xf16, #shared, #smem, mutable> loc(#loc)
    ttg.warp_specialize(%1)
    default {
      ttg.warp_yield
    }
    partition0(%arg2: !ttg.memdesc<1xi8>) num_warps(4) {
      ttg.warp_return
    } : (!ttg.memdesc<1xi8>) -> ()
    cf.cond_br %arg1, ^bb1(%0#1 : i32), ^bb2
  ^bb1(%x: i32):  // pred: ^bb0
    cf.br ^bb2
  ^bb2:  // 2 preds
    %c = arith.cmpi slt, %arg0, %arg0 : i32 // a comment {
    tt.return
  } loc(#loc)
} loc(#loc)
"#;

    #[test]
    fn operations_regions_and_blocks_are_found() {
        let module = parse(FILE).expect("it is sound");
        assert_eq!(module.aliases["#shared"], "#ttg.swizzled_shared<{vec = 1, order = [1, 0]}>");
        let function = &module.ops[0].regions[0].0.blocks[0].ops[0];
        assert_eq!((function.name, function.line), ("tt.func", 4));
        let blocks = &function.regions[0].0.blocks;
        assert_eq!(blocks.iter().map(|block| block.label).collect::<Vec<_>>(), ["", "^bb1", "^bb2"]);
        assert_eq!(blocks[1].args, ["%x"]);
        let names: Vec<&str> = blocks[0].ops.iter().map(|op| op.name).collect();
        assert_eq!(names, ["tt.reduce", "ttg.local_alloc", "ttg.warp_specialize", "cf.cond_br"]);
        let [reduce, alloc, specialize, branch] = &blocks[0].ops[..] else { panic!("{names:?}") };
        assert_eq!(reduce.results, [("%0", 2)]);
        assert_eq!((reduce.regions.len(), &reduce.regions[0].0.blocks[0].args[..]), (1, &["%a", "%b"][..]));
        assert_eq!(alloc.attribute("alignment"), Some("32"));
        assert_eq!(specialize.regions.len(), 2);
        assert_eq!(specialize.regions[0].1, "partition0(%arg2: !ttg.memdesc<1xi8>) num_warps(4)");
        assert_eq!(values(branch.head), ["%arg1", "%0#1"]);
        assert_eq!(blocks[2].ops.len(), 2);
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = r#"{sub.offset = 3 : i32, "allocation.offset" = 128 : i32, order = [1, 0], offset = 7}"#;
        let fields = ["allocation.offset", "order", "offset", "off"].map(|key| field(text, key));
        assert_eq!(fields, [Some("128"), Some("[1, 0]"), Some("7"), None]);
    }

    #[test]
    fn brackets_left_open_and_deep_regions_are_faults() {
        let faults = |text: &str| parse(text).map(|_| ()).expect_err("a fault")[0].message.key.to_string();
        assert_eq!(faults("module {\n  a.b\n"), "fault.mlir-bracket");
        assert_eq!(faults("a.b\n}\n"), "fault.mlir-bracket");
        assert_eq!(faults(&"a.b {\n%x = c.d\n".repeat(200)), "fault.mlir-deep");
        for text in ["", "%", "\"", "^", "#a", "%a =", "a {", "((((", "<<<", "\u{feff}é { é }"] {
            let _ = parse(text);
        }
    }
}
