//! The stacks of blocks: the frame that names a block, and all frames in words.

use super::arena::{Arena, Value};
use super::key::Key;
use crate::import::source::is_library;
use memplan_core::base::Names;
use memplan_core::problem::Stacks;

/// Longest part of a frame that is kept of each of its texts, in letters.
const MAX_NAME: usize = 80;

/// What is known of a stack: the name that it gives a block, and its number in [`Stacks`].
#[derive(Clone)]
pub struct Stack {
    pub name: String,
    pub number: u32,
}

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
    lists: Names<u32, Option<Stack>>,
    frames: Names<u32, u32>,
    files: Names<(u32, u32), File>,
}

impl Frames {
    /// Returns what a list of frames, the innermost first, says; none if it is empty.
    pub fn stack(&mut self, arena: &Arena, list: Option<Value>) -> Option<Stack> {
        let Some(Value::List(number)) = list else { return None };
        if let Some(known) = self.lists.get(&number) {
            return known.clone();
        }
        let stack = self.new_stack(arena, arena.list(list));
        self.lists.insert(number, stack.clone());
        stack
    }

    /// The block is named by the innermost frame in Python outside libraries, else by the innermost
    /// in Python, else by the innermost.
    fn new_stack(&mut self, arena: &Arena, frames: &[Value]) -> Option<Stack> {
        let (mut own, mut python) = (None, None);
        for &frame in frames {
            let file = self.file(arena, frame);
            if file.is_python {
                python = python.or(Some(frame));
                if !file.is_library {
                    own = Some(frame);
                    break;
                }
            }
        }
        let named = own.or(python).or(frames.first().copied())?;
        let named = self.frame(arena, named);
        let numbers = frames.iter().map(|&frame| self.frame(arena, frame)).collect();
        let name = self.stacks.frames[named as usize].clone();
        Some(Stack { name, number: self.stacks.add(numbers, named) })
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

/// The first letters of a text.
fn words(bytes: &[u8]) -> String {
    // No letter takes more than four bytes.
    let bytes = &bytes[..bytes.len().min(4 * MAX_NAME + 4)];
    String::from_utf8_lossy(bytes).chars().take(MAX_NAME).collect()
}
