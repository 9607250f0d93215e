//! Protobuf (protobuf.dev/programming-guides/encoding), for ONNX and XLA: the wire format field by
//! field without copying ([`Fields`]), and whole messages within a budget of memory ([`read`]).
//!
//! Why not a crate: two bytes of a file can be a message of a hundred, so a reader of files from
//! anywhere has to count what it makes while it makes it, and prost has no such bound. Most of a
//! model is read without decoding it in any case, in place, which takes [`Fields`].

use std::fmt;

/// Most bytes that the messages of any file may take in memory.
pub const MAX_BYTES: usize = 1 << 30;

/// Bytes in memory that the messages of an empty file may take, and more for each byte of a file:
/// dumps of XLA take four to seven, models of ONNX five to ten.
const FREE_BYTES: usize = 64 << 20;
const BYTES_EACH: usize = 12;

/// Deepest nesting of messages; tuples of tuples in XLA are the only ones that go deep.
pub const MAX_DEPTH: u32 = 100;

#[derive(Debug)]
pub enum Payload<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Four or eight bytes.
    Fixed(&'a [u8]),
}

pub enum Broken<'a> {
    /// The payload of this field has `needs` bytes, and only those left.
    Cut {
        tag: u32,
        needs: u64,
        left: &'a [u8],
    },
    Damaged,
}

/// The fields of one message in turn; ends after the first broken one.
pub struct Fields<'a> {
    pub rest: &'a [u8],
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Payload<'a>), Broken<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self) -> Result<(u32, Payload<'a>), Broken<'a>> {
        let key = self.varint().ok_or(Broken::Damaged)?;
        let tag = u32::try_from(key >> 3).ok().filter(|tag| *tag > 0).ok_or(Broken::Damaged)?;
        let payload = match key & 7 {
            0 => Payload::Number(self.varint().ok_or(Broken::Damaged)?),
            1 => Payload::Fixed(self.take(tag, 8)?),
            2 => {
                let length = self.varint().ok_or(Broken::Damaged)?;
                Payload::Bytes(self.take(tag, length)?)
            }
            5 => Payload::Fixed(self.take(tag, 4)?),
            _ => return Err(Broken::Damaged),
        };
        Ok((tag, payload))
    }

    /// The number at the front; none if it is cut or too long.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for (place, &byte) in self.rest.iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * place as u32);
            if byte < 0x80 {
                self.rest = self.rest.get(place + 1..)?;
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, tag: u32, needs: u64) -> Result<&'a [u8], Broken<'a>> {
        let cut = Broken::Cut { tag, needs, left: self.rest };
        let Some((taken, rest)) = usize::try_from(needs).ok().and_then(|needs| self.rest.split_at_checked(needs))
        else {
            return Err(cut);
        };
        self.rest = rest;
        Ok(taken)
    }
}

/// Appends a field of bytes.
pub fn put(to: &mut Vec<u8>, tag: u32, bytes: &[u8]) {
    put_varint(to, u64::from(tag) << 3 | 2);
    put_varint(to, bytes.len() as u64);
    to.extend_from_slice(bytes);
}

pub fn put_varint(to: &mut Vec<u8>, mut value: u64) {
    while value > 127 {
        to.push(value as u8 | 128);
        value >>= 7;
    }
    to.push(value as u8);
}

/// Why a message cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The file ends inside this message.
    Cut(&'static str),
    /// A field of this message has another wire type, or its bytes are no text.
    Damaged(&'static str),
    /// The messages take too much memory.
    TooMany,
    /// Messages are nested too deep.
    TooDeep,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refusal::Cut(name) => write!(f, "{name} is cut off"),
            Refusal::Damaged(name) => write!(f, "invalid field in {name}"),
            Refusal::TooMany => write!(f, "messages take too much memory"),
            Refusal::TooDeep => write!(f, "messages are nested too deep"),
        }
    }
}

/// A message that can be read field by field; [`messages`] declares them.
pub trait Message: Field {
    /// Name in the schema.
    const NAME: &'static str;

    /// Takes a field; unknown ones are skipped.
    fn take(&mut self, tag: u32, payload: Payload, budget: &mut Budget) -> Result<(), Refusal>;
}

/// What may still be read of a file.
pub struct Budget {
    bytes: usize,
    depth: u32,
}

impl Budget {
    fn spend(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Refusal::TooMany)?;
        Ok(())
    }

    /// Reads bytes into a message. One whose field comes twice is both of them merged.
    pub fn merge<M: Message>(&mut self, message: &mut M, bytes: &[u8]) -> Result<(), Refusal> {
        self.spend(size_of::<M>())?;
        self.depth = self.depth.checked_sub(1).ok_or(Refusal::TooDeep)?;
        for field in (Fields { rest: bytes }) {
            let (tag, payload) = field.map_err(|broken| match broken {
                Broken::Cut { .. } => Refusal::Cut(M::NAME),
                Broken::Damaged => Refusal::Damaged(M::NAME),
            })?;
            message.take(tag, payload, self)?;
        }
        self.depth += 1;
        Ok(())
    }
}

/// Reads a whole file, or a part of it, as one message.
///
/// # Errors
/// What is wrong with it.
pub fn read<M: Message>(bytes: &[u8]) -> Result<M, Refusal> {
    let most = bytes.len().saturating_mul(BYTES_EACH).saturating_add(FREE_BYTES).min(MAX_BYTES);
    let mut message = M::default();
    Budget { bytes: most, depth: MAX_DEPTH }.merge(&mut message, bytes)?;
    Ok(message)
}

/// What a field of a message can hold.
pub trait Field: Default {
    /// Memory of an item of a list, unless filling it counts that.
    const BYTES: usize = size_of::<Self>();

    /// Takes a payload of the field of the message `owner`.
    fn fill(&mut self, payload: Payload, owner: &'static str, budget: &mut Budget) -> Result<(), Refusal>;

    /// Takes a payload of a field that is a list of such.
    fn append(list: &mut Vec<Self>, payload: Payload, owner: &'static str, budget: &mut Budget) -> Result<(), Refusal> {
        budget.spend(Self::BYTES)?;
        let mut item = Self::default();
        item.fill(payload, owner, budget)?;
        list.push(item);
        Ok(())
    }
}

/// Numbers, whose lists are packed or one by one: each with the payload of one, and how one is cut
/// off the front of a packed list. A negative integer takes ten bytes at any width.
macro_rules! numbers {
    ($($type:ty: $payload:pat => $one:expr, $cut:expr;)*) => {$(
        impl Field for $type {
            fn fill(&mut self, payload: Payload, owner: &'static str, _: &mut Budget) -> Result<(), Refusal> {
                let one = match payload {
                    $payload => $one,
                    _ => None,
                };
                *self = one.ok_or(Refusal::Damaged(owner))?;
                Ok(())
            }

            fn append(
                list: &mut Vec<Self>,
                payload: Payload,
                owner: &'static str,
                budget: &mut Budget,
            ) -> Result<(), Refusal> {
                let Payload::Bytes(bytes) = payload else {
                    budget.spend(Self::BYTES)?;
                    let mut one = Self::default();
                    one.fill(payload, owner, budget)?;
                    list.push(one);
                    return Ok(());
                };
                let cut: fn(&mut Fields) -> Option<Self> = $cut;
                let mut packed = Fields { rest: bytes };
                while !packed.rest.is_empty() {
                    budget.spend(Self::BYTES)?;
                    list.push(cut(&mut packed).ok_or(Refusal::Damaged(owner))?);
                }
                Ok(())
            }
        }
    )*};
}

numbers! {
    i64: Payload::Number(number) => Some(number.cast_signed()), |packed| Some(packed.varint()?.cast_signed());
    i32: Payload::Number(number) => Some(number as i32), |packed| Some(packed.varint()? as i32);
    bool: Payload::Number(number) => Some(number != 0), |packed| Some(packed.varint()? != 0);
    f32: Payload::Fixed(bytes) => bytes.try_into().ok().map(f32::from_le_bytes), |packed| {
        Some(f32::from_le_bytes(packed.take(0, 4).ok()?.try_into().ok()?))
    };
    f64: Payload::Fixed(bytes) => bytes.try_into().ok().map(f64::from_le_bytes), |packed| {
        Some(f64::from_le_bytes(packed.take(0, 8).ok()?.try_into().ok()?))
    };
}

impl Field for String {
    fn fill(&mut self, payload: Payload, owner: &'static str, _: &mut Budget) -> Result<(), Refusal> {
        let Payload::Bytes(bytes) = payload else { return Err(Refusal::Damaged(owner)) };
        *self = std::str::from_utf8(bytes).map_err(|_| Refusal::Damaged(owner))?.to_string();
        Ok(())
    }
}

/// Bytes as they are.
impl Field for Vec<u8> {
    fn fill(&mut self, payload: Payload, owner: &'static str, _: &mut Budget) -> Result<(), Refusal> {
        let Payload::Bytes(bytes) = payload else { return Err(Refusal::Damaged(owner)) };
        *self = bytes.to_vec();
        Ok(())
    }
}

impl<F: Field> Field for Option<F> {
    fn fill(&mut self, payload: Payload, owner: &'static str, budget: &mut Budget) -> Result<(), Refusal> {
        self.get_or_insert_default().fill(payload, owner, budget)
    }
}

impl<F: Field> Field for Box<F> {
    fn fill(&mut self, payload: Payload, owner: &'static str, budget: &mut Budget) -> Result<(), Refusal> {
        (**self).fill(payload, owner, budget)
    }
}

impl<F: Field> Field for Vec<F> {
    fn fill(&mut self, payload: Payload, owner: &'static str, budget: &mut Budget) -> Result<(), Refusal> {
        F::append(self, payload, owner, budget)
    }
}

/// Declares messages: the number, name and type of each field that is read.
macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $tag:literal $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, PartialEq, Debug, Default)]
            pub struct $name {
                $($(#[$about])* pub $field: $type,)*
            }

            impl $crate::import::protobuf::Message for $name {
                const NAME: &'static str = stringify!($name);

                fn take(
                    &mut self,
                    tag: u32,
                    payload: $crate::import::protobuf::Payload,
                    budget: &mut $crate::import::protobuf::Budget,
                ) -> Result<(), $crate::import::protobuf::Refusal> {
                    use $crate::import::protobuf::Field;
                    match tag {
                        $($tag => self.$field.fill(payload, stringify!($name), budget),)*
                        _ => Ok(()),
                    }
                }
            }

            impl $crate::import::protobuf::Field for $name {
                const BYTES: usize = 0;

                fn fill(
                    &mut self,
                    payload: $crate::import::protobuf::Payload,
                    owner: &'static str,
                    budget: &mut $crate::import::protobuf::Budget,
                ) -> Result<(), $crate::import::protobuf::Refusal> {
                    let $crate::import::protobuf::Payload::Bytes(bytes) = payload else {
                        return Err($crate::import::protobuf::Refusal::Damaged(owner));
                    };
                    budget.merge(self, bytes)
                }
            }
        )*
    };
}

pub(crate) use messages;

#[cfg(test)]
mod tests {
    use super::*;

    messages! {
        Sample {
            1 one: f32,
            2 many: Vec<f32>,
            3 wide: Vec<f64>,
            4 narrow: i32,
            5 inner: Option<Box<Sample>>,
            6 texts: Vec<Vec<u8>>,
        }
    }

    #[test]
    fn numbers_of_fixed_width_are_packed_or_not() {
        let two = 2f32.to_le_bytes();
        let mut file = [&[0x0d][..], &two, &[0x15], &two].concat();
        put(&mut file, 2, &[two, two].concat());
        put(&mut file, 3, &0.5f64.to_le_bytes());
        put(&mut file, 6, b"ab");
        // A negative number of 32 bits has ten bytes.
        file.extend([&[0x20][..], &[0xff; 9], &[1]].concat());
        let read: Sample = read(&file).expect("readable");
        assert_eq!((read.one, read.many, read.wide), (2.0, vec![2.0; 3], vec![0.5]));
        assert_eq!((read.narrow, read.texts), (-1, vec![b"ab".to_vec()]));
    }

    #[test]
    fn a_packed_list_that_ends_inside_a_number_is_damaged() {
        let mut file = Vec::new();
        put(&mut file, 2, &[0; 7]);
        assert_eq!(read::<Sample>(&file), Err(Refusal::Damaged("Sample")));
        // Eight bytes in place of four.
        assert_eq!(read::<Sample>(&[&[0x09][..], &[0; 8]].concat()), Err(Refusal::Damaged("Sample")));
    }

    #[test]
    fn a_message_that_comes_twice_is_merged() {
        let (mut first, mut second, mut file) = (Vec::new(), Vec::new(), Vec::new());
        put(&mut first, 6, b"a");
        put(&mut second, 6, b"b");
        put(&mut file, 5, &first);
        put(&mut file, 5, &second);
        let inner = read::<Sample>(&file).expect("readable").inner.expect("a message");
        assert_eq!(inner.texts, [b"a", b"b"]);
    }
}
