//! Pickle without a machine: plain values only. Whatever would name or call something in Python
//! ends the reading.
//!
//! Values are small and `Copy`; lists and dicts lie in an arena and are referred to by number, so
//! that what a file shares stays shared. Only the keys of [`Key`] are kept. Opcodes: Python's
//! `Lib/pickletools.py`, protocols 2 to 5.

use super::arena::{Arena, Value};
use super::key::Key;
use memplan_core::base::Message;

/// Values on the stack at once. Python's own pickler puts no more than two thousand there a
/// container.
const MAX_STACK: usize = 1 << 20;

/// Open marks at once: nesting of containers.
const MAX_MARKS: usize = 64;

/// What a file of any length may hold; more only in step with its length.
const FREE: usize = 1 << 12;

/// Reads a pickle.
///
/// # Errors
/// What it would run, or at which byte it is broken.
pub fn read(bytes: &[u8]) -> Result<(Arena<'_>, Value), Message> {
    let arena = Arena { bytes, lists: Vec::new(), dicts: Vec::new() };
    let mut machine =
        Machine { arena, at: 0, stack: Vec::new(), marks: Vec::new(), memo: Vec::new(), containers: 0, items: 0 };
    loop {
        if let Some(top) = machine.step()? {
            return Ok((machine.arena, top));
        }
    }
}

struct Machine<'a> {
    arena: Arena<'a>,
    at: usize,
    stack: Vec<Value>,
    marks: Vec<usize>,
    memo: Vec<Value>,
    /// Lists and dicts made, and values put into them: bounded by the length of the file.
    containers: usize,
    items: usize,
}

impl<'a> Machine<'a> {
    /// Does one opcode; gives the value at the end of the pickle.
    fn step(&mut self) -> Result<Option<Value>, Message> {
        let start = self.at;
        let [opcode] = self.take()?;
        match opcode {
            // PROTO, FRAME: their values are not needed.
            0x80 => {
                let [version] = self.take()?;
                if version > 5 {
                    return Err(Message::new("fault.pickle-protocol").count("found", version));
                }
            }
            0x95 => _ = self.take::<8>()?,
            b'.' => return self.pop().map(Some),
            b'(' => {
                if self.marks.len() >= MAX_MARKS {
                    return Err(Message::new("fault.pickle-deep").count("limit", MAX_MARKS));
                }
                self.marks.push(self.stack.len());
            }
            // None, True, False and numbers.
            b'N' => self.push(Value::Other)?,
            0x88 | 0x89 => self.push(Value::Flag(opcode == 0x88))?,
            b'G' => {
                self.take::<8>()?;
                self.push(Value::Other)?;
            }
            b'J' => {
                let number = i32::from_le_bytes(self.take()?);
                self.push(Value::Int(number.into()))?;
            }
            b'K' => {
                let [number] = self.take()?;
                self.push(Value::Int(number.into()))?;
            }
            b'M' => {
                let number = u16::from_le_bytes(self.take()?);
                self.push(Value::Int(number.into()))?;
            }
            0x8a => {
                let [length] = self.take()?;
                self.long(length.into())?;
            }
            0x8b => {
                let length = u32::from_le_bytes(self.take()?);
                self.long(length.into())?;
            }
            // Texts: BINUNICODE, SHORT_BINUNICODE, BINUNICODE8, and the byte strings of Python 2.
            b'X' | b'T' => {
                let length = u32::from_le_bytes(self.take()?);
                self.text(length.into())?;
            }
            0x8c | b'U' => {
                let [length] = self.take()?;
                self.text(length.into())?;
            }
            0x8d => {
                let length = u64::from_le_bytes(self.take()?);
                self.text(length)?;
            }
            // BINBYTES, SHORT_BINBYTES, BINBYTES8, BYTEARRAY8.
            b'B' => {
                let length = u32::from_le_bytes(self.take()?);
                self.skip(length.into())?;
            }
            b'C' => {
                let [length] = self.take()?;
                self.skip(length.into())?;
            }
            0x8e | 0x96 => {
                let length = u64::from_le_bytes(self.take()?);
                self.skip(length)?;
            }
            b']' => self.new_list(Vec::new())?,
            b'}' => self.new_dict()?,
            // EMPTY_TUPLE, EMPTY_SET, and the ends of tuples and sets.
            b')' | 0x8f => self.push(Value::Other)?,
            0x85..=0x87 => {
                let mut items = Vec::new();
                for _ in 0x85..=opcode {
                    items.insert(0, self.pop()?);
                }
                self.count_items(items.len())?;
                self.new_list(items)?;
            }
            b't' | 0x91 => {
                self.above_mark()?;
                self.push(Value::Other)?;
            }
            0x90 => {
                self.above_mark()?;
                self.top()?;
            }
            b'l' => {
                let items = self.above_mark()?;
                self.count_items(items.len())?;
                self.new_list(items)?;
            }
            b'd' => {
                let items = self.above_mark()?;
                self.new_dict()?;
                self.set_items(&items)?;
            }
            b'a' => {
                let item = self.pop()?;
                self.append(&[item])?;
            }
            b'e' => {
                let items = self.above_mark()?;
                self.append(&items)?;
            }
            b's' => {
                let value = self.pop()?;
                let key = self.pop()?;
                self.set_items(&[key, value])?;
            }
            b'u' => {
                let items = self.above_mark()?;
                self.set_items(&items)?;
            }
            b'0' => _ = self.pop()?,
            b'1' => _ = self.above_mark()?,
            b'2' => {
                let top = self.top()?;
                self.push(top)?;
            }
            b'h' => {
                let [index] = self.take()?;
                self.recall(index.into())?;
            }
            b'j' => {
                let index = u32::from_le_bytes(self.take()?);
                self.recall(index)?;
            }
            b'q' => {
                let [index] = self.take()?;
                self.remember(index as usize)?;
            }
            b'r' => {
                let index = u32::from_le_bytes(self.take()?);
                self.remember(index as usize)?;
            }
            0x94 => self.remember(self.memo.len())?,
            _ => return Err(self.refusal(opcode, start)),
        }
        Ok(None)
    }

    /// The sentence for an opcode that would run something, or that does not exist.
    fn refusal(&mut self, opcode: u8, start: usize) -> Message {
        let what = match opcode {
            b'c' | b'i' => self.line().zip(self.line()).map(|(module, name)| format!("{module}.{name}")),
            0x93 => {
                let name = |value: Option<Value>| Some(words(self.arena.text(value?)?));
                let below = self.stack.len().checked_sub(2).and_then(|below| self.stack.get(below));
                name(below.copied())
                    .zip(name(self.stack.last().copied()))
                    .map(|(module, name)| format!("{module}.{name}"))
            }
            b'R' => Some("REDUCE".into()),
            b'b' => Some("BUILD".into()),
            b'o' => Some("OBJ".into()),
            0x81 => Some("NEWOBJ".into()),
            0x92 => Some("NEWOBJ_EX".into()),
            b'P' => self.line().map(|id| format!("PERSID {id}")),
            b'Q' => Some("BINPERSID".into()),
            0x82..=0x84 => Some("EXT".into()),
            _ => {
                return Message::new("fault.pickle-opcode")
                    .text("opcode", format!("{opcode:02X}"))
                    .count("at", start as u64);
            }
        };
        match what {
            Some(what) => Message::new("fault.pickle-runs").text("what", what),
            None => self.truncated(),
        }
    }

    fn truncated(&self) -> Message {
        Message::new("fault.pickle-truncated").count("length", self.arena.bytes.len() as u64)
    }

    fn broken(&self) -> Message {
        Message::new("fault.pickle-broken").count("at", self.at as u64)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Message> {
        let taken = self.arena.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()).copied();
        let taken = taken.ok_or_else(|| self.truncated())?;
        self.at += N;
        Ok(taken)
    }

    /// The next `length` bytes, given as where they begin.
    fn span(&mut self, length: u64) -> Result<usize, Message> {
        let from = self.at;
        let end = usize::try_from(length).ok().and_then(|length| from.checked_add(length));
        let end = end.filter(|end| *end <= self.arena.bytes.len()).ok_or_else(|| self.truncated())?;
        self.at = end;
        Ok(from)
    }

    /// The rest of a line, as the opcodes of protocol 0 write names.
    fn line(&mut self) -> Option<String> {
        let rest = self.arena.bytes.get(self.at..)?;
        let length = rest.iter().position(|&byte| byte == b'\n')?;
        self.at += length + 1;
        Some(words(&rest[..length]))
    }

    fn push(&mut self, value: Value) -> Result<(), Message> {
        if self.stack.len() >= MAX_STACK {
            return Err(Message::new("fault.pickle-too-large").count("limit", MAX_STACK));
        }
        self.stack.push(value);
        Ok(())
    }

    /// The topmost value above the last mark.
    fn top(&self) -> Result<Value, Message> {
        let base = self.marks.last().copied().unwrap_or(0);
        self.stack.get(base..).and_then(|above| above.last()).copied().ok_or_else(|| self.broken())
    }

    fn pop(&mut self) -> Result<Value, Message> {
        let top = self.top()?;
        self.stack.pop();
        Ok(top)
    }

    /// Takes off everything above the last mark.
    fn above_mark(&mut self) -> Result<Vec<Value>, Message> {
        let mark = self.marks.pop().filter(|mark| *mark <= self.stack.len()).ok_or_else(|| self.broken())?;
        Ok(self.stack.split_off(mark))
    }

    fn long(&mut self, length: u64) -> Result<(), Message> {
        let from = self.span(length)?;
        let digits = &self.arena.bytes[from..self.at];
        let mut number = [if digits.last().is_some_and(|last| last & 0x80 != 0) { 0xff } else { 0 }; 16];
        let value = match digits.len() {
            0..=16 => {
                number[..digits.len()].copy_from_slice(digits);
                let number = i128::from_le_bytes(number);
                let large = u64::try_from(number).map_or(Value::Other, Value::Large);
                i64::try_from(number).map_or(large, Value::Int)
            }
            _ => Value::Other,
        };
        self.push(value)
    }

    fn text(&mut self, length: u64) -> Result<(), Message> {
        let from = self.span(length)?;
        let position = u32::try_from(from).ok().zip(u32::try_from(length).ok());
        let (from, len) = position.ok_or_else(|| self.broken())?;
        self.push(Value::Text { from, len })
    }

    fn skip(&mut self, length: u64) -> Result<(), Message> {
        self.span(length)?;
        self.push(Value::Other)
    }

    fn new_container(&mut self) -> Result<(), Message> {
        self.containers += 1;
        // An event takes a dict and a list, and never less than some ten bytes.
        if self.containers > FREE + self.arena.bytes.len() / 4 {
            return Err(Message::new("fault.pickle-too-large").count("limit", self.containers as u64 - 1));
        }
        Ok(())
    }

    fn new_list(&mut self, items: Vec<Value>) -> Result<(), Message> {
        self.new_container()?;
        let number = self.arena.lists.len() as u32;
        self.arena.lists.push(items);
        self.push(Value::List(number))
    }

    fn new_dict(&mut self) -> Result<(), Message> {
        self.new_container()?;
        let number = self.arena.dicts.len() as u32;
        self.arena.dicts.push(Vec::new());
        self.push(Value::Dict(number))
    }

    fn count_items(&mut self, more: usize) -> Result<(), Message> {
        self.items += more;
        // What is worth putting into a container takes two bytes and more.
        if self.items > FREE + self.arena.bytes.len() / 2 {
            return Err(Message::new("fault.pickle-too-large").count("limit", self.items as u64 - 1));
        }
        Ok(())
    }

    fn append(&mut self, items: &[Value]) -> Result<(), Message> {
        self.count_items(items.len())?;
        match self.top()? {
            Value::List(list) => self.arena.lists[list as usize].extend_from_slice(items),
            _ => return Err(self.broken()),
        }
        Ok(())
    }

    fn set_items(&mut self, items: &[Value]) -> Result<(), Message> {
        let Value::Dict(dict) = self.top()? else { return Err(self.broken()) };
        if !items.len().is_multiple_of(2) {
            return Err(self.broken());
        }
        let known = |pair: &[Value]| Some((Key::of(self.arena.text(pair[0])?)?, pair[1]));
        let kept: Vec<(Key, Value)> = items.chunks_exact(2).filter_map(known).collect();
        self.count_items(kept.len())?;
        self.arena.dicts[dict as usize].extend(kept);
        Ok(())
    }

    fn recall(&mut self, index: u32) -> Result<(), Message> {
        let value = self.memo.get(index as usize).copied().ok_or_else(|| self.broken())?;
        self.push(value)
    }

    fn remember(&mut self, index: usize) -> Result<(), Message> {
        let top = self.top()?;
        // Picklers count up; a number above the position in the file is none of theirs.
        if index > self.at {
            return Err(self.broken());
        }
        if self.memo.len() <= index {
            self.memo.resize(index + 1, Value::Other);
        }
        self.memo[index] = top;
        Ok(())
    }
}

/// Text of a file for a sentence.
fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().take(80).collect()
}
