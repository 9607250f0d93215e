//! The stacks of blocks: the frame that names a block, and all frames in words.

use super::arena::{Arena, Value};
use super::key::Key;
use crate::import::source::is_library;
use memplan_core::base::Names;
use memplan_core::problem::Stacks;

/// Longest part of a frame that is kept of each of its texts, in letters.
const MAX_NAME: usize = 80;

/// Most frames of a stack that may tell it from others.
const MAX_OWN: usize = 64;

/// A file as frames name it.
#[derive(Clone)]
struct File {
    name: String,
    is_python: bool,
    is_library: bool,
}

/// Reads stacks. A file refers to a list of frames, a frame or a text from as many places as it
/// likes, so each is looked at once.
#[derive(Default)]
pub struct Frames {
    /// Every stack in words.
    pub stacks: Stacks,
    /// The frames of each stack that are of the user's program, the innermost first.
    own: Vec<Vec<u32>>,
    lists: Names<u32, Option<u32>>,
    frames: Names<u32, u32>,
    files: Names<(u32, u32), File>,
    /// Names of stacks without Python.
    natives: Names<String, u32>,
}

impl Frames {
    /// Returns the number of a list of frames, the innermost first, in [`Stacks`]; none if it is
    /// empty.
    pub fn stack(&mut self, arena: &Arena, list: Option<Value>) -> Option<u32> {
        let Some(Value::List(number)) = list else { return None };
        if let Some(known) = self.lists.get(&number) {
            return *known;
        }
        let stack = self.new_stack(arena, arena.list(list));
        self.lists.insert(number, stack);
        stack
    }

    /// A stack is named by the innermost frame in Python outside libraries, else by the innermost
    /// in Python, else by the node of the automatic gradient, else by the innermost that says
    /// something.
    fn new_stack(&mut self, arena: &Arena, frames: &[Value]) -> Option<u32> {
        let (mut own, mut python) = (Vec::new(), None);
        for &frame in frames {
            let file = self.file(arena, frame);
            if file.is_python {
                python = python.or(Some(frame));
                if !file.is_library && own.len() < MAX_OWN {
                    own.push(self.frame(arena, frame));
                }
            }
        }
        let named = match own.first() {
            Some(&named) => named,
            None => match python {
                Some(python) => self.frame(arena, python),
                None => self.native(arena, frames)?,
            },
        };
        let numbers = frames.iter().map(|&frame| self.frame(arena, frame)).collect();
        self.own.push(own);
        Some(self.stacks.add(numbers, named))
    }

    /// The frame that names a stack without Python, such as one of the thread that goes backward.
    fn native(&mut self, arena: &Arena, frames: &[Value]) -> Option<u32> {
        let name = |frame: &Value| native_name(arena, *frame);
        let node = frames.iter().find(|frame| is_node(name(frame)));
        let speaking = || frames.iter().find(|frame| !is_plumbing(name(frame)));
        let Some(&named) = node.or_else(speaking) else { return Some(self.frame(arena, *frames.first()?)) };
        let text = format!("{} {}", words(name(&named)), self.file(arena, named).name);
        if let Some(&known) = self.natives.get(&text) {
            return Some(known);
        }
        self.stacks.frames.push(text.clone());
        let number = self.stacks.frames.len() as u32 - 1;
        self.natives.insert(text, number);
        Some(number)
    }

    /// Where all stacks have the same innermost frame of the user's program, such as a helper that
    /// every layer calls, it tells nothing: they are named by the first frame in which they differ.
    /// To be called when all stacks are known.
    pub fn tell_apart(&mut self) {
        let words = |frame: u32| self.stacks.frames.get(frame as usize);
        let at = |own: &[u32], depth: usize| own.get(depth).copied().and_then(words);
        let deepest = self.own.iter().map(Vec::len).max().unwrap_or(0);
        let differs = |depth: &usize| self.own.windows(2).any(|pair| at(&pair[0], *depth) != at(&pair[1], *depth));
        let Some(depth) = (0..deepest).find(differs).filter(|&depth| depth > 0) else { return };
        for (named, own) in self.stacks.own.iter_mut().zip(&self.own) {
            if let Some(&frame) = own.get(depth).or(own.last()) {
                *named = frame;
            }
        }
    }

    /// The number of the words `function file:line` of a frame.
    fn frame(&mut self, arena: &Arena, frame: Value) -> u32 {
        let key = if let Value::Dict(number) = frame { Some(number) } else { None };
        if let Some(&known) = key.and_then(|key| self.frames.get(&key)) {
            return known;
        }
        let file = self.file(arena, frame).name;
        let line = arena.whole(frame, Key::Line).map_or_else(String::new, |line| format!(":{line}"));
        let name = arena.get(frame, Key::Name).and_then(|name| arena.text(name)).unwrap_or_default();
        self.stacks.frames.push(format!("{} {file}{line}", words(name)));
        let number = self.stacks.frames.len() as u32 - 1;
        if let Some(key) = key {
            self.frames.insert(key, number);
        }
        number
    }

    fn file(&mut self, arena: &Arena, frame: Value) -> File {
        let text = arena.get(frame, Key::Filename);
        let key = if let Some(Value::Text { from, len }) = text { (from, len) } else { (0, 0) };
        let path = text.and_then(|text| arena.text(text)).unwrap_or_default();
        let file = self.files.entry(key).or_insert_with(|| {
            let name = words(path.rsplit(|&byte| byte == b'/' || byte == b'\\').next().unwrap_or_default());
            File { name, is_python: path.ends_with(b".py"), is_library: is_library(path) }
        });
        file.clone()
    }
}

/// The name of a function of C++ without its parameters.
fn native_name<'a>(arena: &'a Arena, frame: Value) -> &'a [u8] {
    let name = arena.get(frame, Key::Name).and_then(|name| arena.text(name)).unwrap_or_default();
    name.split(|&byte| byte == b'(').next().unwrap_or_default()
}

/// Whether a function is the step of a node of the automatic gradient.
fn is_node(name: &[u8]) -> bool {
    name.starts_with(b"torch::autograd::") && name.ends_with(b"::apply")
}

/// Whether a function takes the stack, or is of the allocator and of the tensors that ask it: it
/// says nothing of the program.
fn is_plumbing(name: &[u8]) -> bool {
    let starts: [&[u8]; 5] = [b"torch::unwind", b"torch::CapturedTraceback", b"c10::", b"at::detail::", b"??"];
    name.is_empty() || starts.iter().any(|start| name.starts_with(start))
}

/// The first letters of a text.
fn words(bytes: &[u8]) -> String {
    // No letter takes more than four bytes.
    let bytes = &bytes[..bytes.len().min(4 * MAX_NAME + 4)];
    String::from_utf8_lossy(bytes).chars().take(MAX_NAME).collect()
}
