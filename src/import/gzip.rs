//! Gzip of any format, with a limit, so that a small file cannot unpack without end.

use std::io::Read;

use flate2::read::MultiGzDecoder;

use crate::base::Message;

/// Most bytes a gzip file may unpack to.
pub const MAX_UNPACKED: u64 = 512 << 20;

pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

pub fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Message> {
    let mut unpacked = Vec::new();
    let mut reader = MultiGzDecoder::new(bytes).take(MAX_UNPACKED + 1);
    reader.read_to_end(&mut unpacked).map_err(|error| Message::new("fault.gzip").text("reason", error.to_string()))?;
    if unpacked.len() as u64 > MAX_UNPACKED {
        return Err(Message::new("fault.gzip-too-large").count("limit", MAX_UNPACKED >> 20));
    }
    Ok(unpacked)
}
