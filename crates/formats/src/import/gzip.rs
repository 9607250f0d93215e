//! Gzip of any format, with limits, so that a small file cannot unpack without end.

use std::io::Read;

use flate2::read::MultiGzDecoder;

use memplan_core::base::Message;

/// Most bytes a gzip file may unpack to.
pub const MAX_UNPACKED: u64 = 512 << 20;

/// Beyond so many bytes unpacked, a file must not have shrunk by more than [`MAX_RATIO`]: models
/// and plans shrink ten to fiftyfold, a file made to fill the memory a thousandfold, and it would
/// take seconds to unpack. Limits are whole multiples.
const TRUSTED: u64 = 32 << 20;

const MAX_RATIO: u64 = 128;

/// Whether bytes begin as gzip files do.
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Unpacks a gzip file; of several members, all.
///
/// # Errors
/// Broken data, or more bytes than the limits allow.
pub fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Message> {
    let limit = MAX_UNPACKED.min((bytes.len() as u64 * MAX_RATIO).next_multiple_of(TRUSTED));
    let mut unpacked = Vec::new();
    let mut reader = MultiGzDecoder::new(bytes).take(limit + 1);
    reader.read_to_end(&mut unpacked).map_err(|error| Message::new("fault.gzip").text("reason", error.to_string()))?;
    if unpacked.len() as u64 > limit {
        let key = if limit < MAX_UNPACKED { "fault.gzip-ratio" } else { "fault.gzip-too-large" };
        return Err(Message::new(key).count("limit", limit >> 20).count("ratio", MAX_RATIO));
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
        assert_eq!(limit(&vec![b' '; 40 << 20]), Err(Some(memplan_core::base::Arg::Count(32))));
        let mut state = 1u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let mut mixed: Vec<u8> = (0..300 << 10).map(|_| noise()).collect();
        mixed.resize(70 << 20, b' ');
        assert_eq!(limit(&mixed), Err(Some(memplan_core::base::Arg::Count(64))), "a third of a MiB may unpack to 64");
    }
}
