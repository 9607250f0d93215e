//! A flatbuffer read by hand: what is written back needs the positions of things, which readers of
//! a schema do not give.

use crate::tflm::Refusal;
use memplan_core::base::Message;

/// The bytes of a file; every read is checked.
#[derive(Clone, Copy)]
pub struct Bytes<'a>(pub &'a [u8]);

/// The refusal of a file that ends too early, or whose offsets lead out of it.
pub fn damaged() -> Refusal {
    Message::new("tflm.damaged")
}

impl<'a> Bytes<'a> {
    fn at<const N: usize>(self, position: usize) -> Result<[u8; N], Refusal> {
        let end = position.checked_add(N).ok_or_else(damaged)?;
        self.0.get(position..end).and_then(|bytes| bytes.try_into().ok()).ok_or_else(damaged)
    }

    pub fn u8(self, position: usize) -> Result<u8, Refusal> {
        Ok(self.at::<1>(position)?[0])
    }

    pub fn u16(self, position: usize) -> Result<usize, Refusal> {
        Ok(u16::from_le_bytes(self.at(position)?).into())
    }

    pub fn u32(self, position: usize) -> Result<usize, Refusal> {
        Ok(u32::from_le_bytes(self.at(position)?) as usize)
    }

    pub fn i32(self, position: usize) -> Result<i32, Refusal> {
        Ok(i32::from_le_bytes(self.at(position)?))
    }

    pub fn u64(self, position: usize) -> Result<u64, Refusal> {
        Ok(u64::from_le_bytes(self.at(position)?))
    }

    /// Position and length in bytes of the vtable of a table.
    fn vtable(self, table: usize) -> Result<(usize, usize), Refusal> {
        let distance = i64::from(self.i32(table)?);
        let position = (table as i64).checked_sub(distance).and_then(|position| usize::try_from(position).ok());
        let position = position.ok_or_else(damaged)?;
        Ok((position, self.u16(position)?))
    }

    /// Number of fields that the vtable of a table names.
    pub fn fields(self, table: usize) -> Result<usize, Refusal> {
        Ok(self.vtable(table)?.1.saturating_sub(4) / 2)
    }

    /// Position of a field; none if the table does not have it.
    pub fn field(self, table: usize, field: usize) -> Result<Option<usize>, Refusal> {
        let (vtable, length) = self.vtable(table)?;
        if 4 + 2 * field >= length {
            return Ok(None);
        }
        let offset = self.u16(vtable + 4 + 2 * field)?;
        Ok((offset != 0).then_some(table + offset))
    }

    /// Where a field that is an offset leads.
    pub fn target(self, table: usize, field: usize) -> Result<Option<usize>, Refusal> {
        let Some(position) = self.field(table, field)? else { return Ok(None) };
        Ok(Some(position.checked_add(self.u32(position)?).ok_or_else(damaged)?))
    }

    /// Position of the first element and number of elements of a vector, each of `size` bytes.
    pub fn vector(self, table: usize, field: usize, size: usize) -> Result<(usize, usize), Refusal> {
        let Some(position) = self.target(table, field)? else { return Ok((0, 0)) };
        let count = self.u32(position)?;
        let end = count.checked_mul(size).and_then(|bytes| bytes.checked_add(position + 4));
        if end.is_none_or(|end| end > self.0.len()) {
            return Err(damaged());
        }
        Ok((position + 4, count))
    }

    /// Positions of the tables of a vector.
    pub fn tables(self, table: usize, field: usize) -> Result<Vec<usize>, Refusal> {
        let (start, count) = self.vector(table, field, 4)?;
        (0..count).map(|at| Ok(start + 4 * at + self.u32(start + 4 * at)?)).collect()
    }

    /// A vector of `int32`.
    pub fn ints(self, table: usize, field: usize) -> Result<Vec<i32>, Refusal> {
        let (start, count) = self.vector(table, field, 4)?;
        (0..count).map(|at| self.i32(start + 4 * at)).collect()
    }

    /// The bytes of a string or of a vector of bytes; empty if there is none.
    pub fn data(self, table: usize, field: usize) -> Result<&'a [u8], Refusal> {
        let (start, count) = self.vector(table, field, 1)?;
        self.0.get(start..start + count).ok_or_else(damaged)
    }

    /// A field of 8, 32 or 64 bits, or its default.
    pub fn u8_of(self, table: usize, field: usize) -> Result<u8, Refusal> {
        self.field(table, field)?.map_or(Ok(0), |position| self.u8(position))
    }

    pub fn u32_of(self, table: usize, field: usize) -> Result<usize, Refusal> {
        self.field(table, field)?.map_or(Ok(0), |position| self.u32(position))
    }

    pub fn i32_of(self, table: usize, field: usize) -> Result<i32, Refusal> {
        self.field(table, field)?.map_or(Ok(0), |position| self.i32(position))
    }

    pub fn u64_of(self, table: usize, field: usize) -> Result<u64, Refusal> {
        self.field(table, field)?.map_or(Ok(0), |position| self.u64(position))
    }
}
