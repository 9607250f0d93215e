//! The wire format of protobuf (protobuf.dev/programming-guides/encoding) read field by field,
//! without copying.

#[derive(Debug)]
pub enum Payload<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Fixed,
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
            1 => {
                self.take(tag, 8)?;
                Payload::Fixed
            }
            2 => {
                let length = self.varint().ok_or(Broken::Damaged)?;
                Payload::Bytes(self.take(tag, length)?)
            }
            5 => {
                self.take(tag, 4)?;
                Payload::Fixed
            }
            _ => return Err(Broken::Damaged),
        };
        Ok((tag, payload))
    }

    /// The number at the front; none if it is cut or too long.
    pub fn varint(&mut self) -> Option<u64> {
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
