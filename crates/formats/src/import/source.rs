//! The line of a user's program that an operation comes from, and the calls that led to it.

use memplan_core::graph::{Attr, Attrs};

/// Folders of code that the user of a program did not write.
const LIBRARIES: [&[u8]; 2] = [b"site-packages", b"dist-packages"];

/// Most calls that are kept of a stack: the innermost ones.
pub const MAX_CALLS: usize = 64;

/// Longest line of code that is kept, in letters.
const MAX_CODE: usize = 160;

/// One call of a stack.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Call<'a> {
    /// The file with its folders.
    pub path: &'a str,
    /// Line of the file, from 1; none if it is not known.
    pub line: Option<u64>,
    /// The function that it lies in; may be empty.
    pub function: &'a str,
    /// The text of the line; may be empty.
    pub code: &'a str,
}

impl Call<'_> {
    /// A file of this call with its line: `model.py:22`.
    fn at(&self, file: &str) -> String {
        self.line.map_or_else(|| file.to_string(), |line| format!("{file}:{line}"))
    }

    /// `forward model.py:22: x = self.conv(x)`, without the folders of the file.
    fn words(&self) -> String {
        let place = self.at(self.path.rsplit(['/', '\\']).next().unwrap_or_default());
        let code = short(self.code);
        let called = if self.function.is_empty() { place } else { format!("{} {place}", self.function) };
        if code.is_empty() { called } else { format!("{called}: {code}") }
    }
}

fn short(code: &str) -> String {
    code.trim().chars().take(MAX_CODE).collect()
}

/// Adds to an operation the line of the user's program: the innermost call outside libraries, else
/// the innermost. `calls` begin with the innermost.
pub fn state(attrs: &mut Attrs, calls: &[Call]) {
    let calls = &calls[..calls.len().min(MAX_CALLS)];
    let own = calls.iter().find(|call| !is_library(call.path.as_bytes())).or(calls.first());
    let Some(own) = own else { return };
    let mut add = |key: &str, text: String| {
        if !text.is_empty() {
            attrs.insert(key.to_string(), Attr::Text(text));
        }
    };
    add("source", own.at(own.path));
    add("code", short(own.code));
    if calls.len() > 1 {
        add("stack", calls.iter().map(Call::words).collect::<Vec<_>>().join("\n"));
    }
}

/// Reads a stack as Python prints it: the innermost call stands last.
pub fn python(trace: &str) -> Vec<Call<'_>> {
    let mut calls: Vec<Call> = Vec::new();
    for line in trace.lines().map(str::trim) {
        match heading(line) {
            Some(call) => calls.push(call),
            // Below the text of a line, Python marks a part of it by signs alone.
            None if line.chars().all(|letter| "~^".contains(letter)) => {}
            None => {
                calls.iter_mut().rev().take(1).filter(|call| call.code.is_empty()).for_each(|call| call.code = line)
            }
        }
    }
    // Code that torch.fx wrote: the user has never seen its lines.
    calls.retain(|call| !call.path.starts_with("<eval_with_key>"));
    calls.reverse();
    calls
}

/// `File "model.py", line 22, in forward`.
fn heading(line: &str) -> Option<Call<'_>> {
    let (path, rest) = line.strip_prefix("File \"")?.rsplit_once("\", line ")?;
    let (line, function) = rest.split_once(", in ").unwrap_or((rest, ""));
    Some(Call { path, line: Some(line.trim().parse().ok()?), function, code: "" })
}

/// Whether a file lies in an installed package or in Python's own library (`lib/python3.12`, on
/// Windows `Python312\Lib`). PyTorch shortens the paths of its own files to `torch/…`.
pub fn is_library(path: &[u8]) -> bool {
    let mut parts = path.split(|&byte| byte == b'/' || byte == b'\\');
    parts.next_back();
    let is_python = |folder: &[u8]| folder.get(..7).is_some_and(|start| start.eq_ignore_ascii_case(b"python3"));
    let is_lib = |folder: &[u8]| [&b"lib"[..], b"lib64"].iter().any(|lib| folder.eq_ignore_ascii_case(lib));
    if path.starts_with(b"torch/") {
        return true;
    }
    let mut before: &[u8] = &[];
    for folder in parts {
        let pair = is_lib(before) && is_python(folder) || is_python(before) && is_lib(folder);
        if pair || LIBRARIES.contains(&folder) {
            return true;
        }
        before = folder;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_libraries_are_known_on_every_system() {
        for library in [
            "/srv/env/lib/python3.14/site-packages/torch/nn/conv.py",
            "/usr/lib/python3/dist-packages/torch/a.py",
            "/usr/lib/python3.11/asyncio/a.py",
            "/opt/lib64/python3.9/a.py",
            "C:\\Python312\\Lib\\concurrent\\a.py",
            "torch/fx/passes/runtime_assert.py",
        ] {
            assert!(is_library(library.as_bytes()), "{library}");
        }
        let own =
            ["/srv/job/a.py", "/home/me/python3/job/a.py", "lib/model/a.py", "C:\\work\\site\\packages\\a.py", "a.py"];
        own.iter().for_each(|own| assert!(!is_library(own.as_bytes()), "{own}"));
    }

    #[test]
    fn lines_that_torch_wrote_are_none() {
        let trace = r#"File "<eval_with_key>.7 from /env/torch/fx/experimental/proxy_tensor.py:1968 in wrapped", line 7, in forward
    relu = torch.ops.aten.relu.default(convolution);  convolution = None"#;
        assert_eq!(python(trace).len(), 0);
        let mut attrs = Attrs::default();
        state(&mut attrs, &python(trace));
        assert_eq!(attrs, Attrs::default());
    }

    #[test]
    fn the_line_of_the_user_stands_for_the_calls_that_it_led_to() {
        let trace = r#"  File "/home/me/net.py", line 9, in forward
    x = self.conv(x)
        ^^^^^^^^^^^^
  File "/env/lib/python3.11/site-packages/torch/nn/conv.py", line 134, in forward
    return F.conv2d(x, self.weight)"#;
        let calls = python(trace);
        assert_eq!(calls.iter().map(|call| call.line).collect::<Vec<_>>(), [Some(134), Some(9)]);
        let mut attrs = Attrs::default();
        state(&mut attrs, &calls);
        let text = |key: &str| match attrs.get(key) {
            Some(Attr::Text(text)) => text.clone(),
            other => panic!("{key}: {other:?}"),
        };
        assert_eq!((&*text("source"), &*text("code")), ("/home/me/net.py:9", "x = self.conv(x)"));
        let stack = text("stack");
        let stack: Vec<&str> = stack.lines().collect();
        assert_eq!(
            stack,
            ["forward conv.py:134: return F.conv2d(x, self.weight)", "forward net.py:9: x = self.conv(x)"]
        );
    }

    #[test]
    fn what_is_no_stack_states_nothing() {
        for trace in ["", "no stack", "File \"a.py\", line x, in f", "File \"a.py"] {
            assert_eq!(python(trace), [], "{trace}");
        }
        let mut attrs = Attrs::default();
        state(&mut attrs, &[]);
        assert!(attrs.get("source").is_none());
    }
}
