//! Gzip of any format, with limits, so that a small file cannot unpack without end.

use std::io::Read;

use flate2::read::MultiGzDecoder;

use crate::base::Message;

/// Most bytes a gzip file may unpack to.
pub const MAX_UNPACKED: u64 = 512 << 20;

/// Beyond so many bytes unpacked, a file must not have shrunk by more than [`MAX_RATIO`]: models and plans shrink ten to a
/// hundredfold, a file made to fill the memory a thousandfold, and it would take seconds to unpack.
const TRUSTED: u64 = 32 << 20;

const MAX_RATIO: u64 = 400;

pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

pub fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Message> {
    let limit = MAX_UNPACKED.min(TRUSTED.max(bytes.len() as u64 * MAX_RATIO));
    let mut unpacked = Vec::new();
    let mut reader = MultiGzDecoder::new(bytes).take(limit + 1);
    reader.read_to_end(&mut unpacked).map_err(|error| Message::new("fault.gzip").text("reason", error.to_string()))?;
    if unpacked.len() as u64 > limit {
        return Err(Message::new("fault.gzip-too-large").count("limit", limit >> 20));
    }
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn what_shrank_a_thousandfold_is_refused_before_it_is_unpacked() {
        let pack = |bytes: &[u8]| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(bytes).expect("memory takes it");
            encoder.finish().expect("memory takes it")
        };
        let limit = |bytes: &[u8]| unpack(&pack(bytes)).map_err(|message| message.arg("limit").cloned());
        assert_eq!(limit(&vec![b' '; 1 << 20]).map(|bytes| bytes.len()), Ok(1 << 20), "small ones may");
        assert_eq!(limit(&vec![b' '; 40 << 20]), Err(Some(crate::base::Arg::Count(32))));
    }
}
