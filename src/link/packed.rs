//! A document as text in an address: deflate and base64url behind `z:`.

use std::io::{Read, Write};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// Longest document that a link carries, in characters.
pub const MAX_LINK: usize = 16_000;
/// Most bytes a link's document may unpack to.
const MAX_UNPACKED: u64 = 16 << 20;
/// Marks a packed document.
const MARK: &str = "z:";

/// The bytes as text, when it is short enough for a link.
pub fn pack(bytes: &[u8]) -> Option<String> {
    // Text deflates to a tenth at the best: what is far larger need not be tried.
    if bytes.len() > MAX_LINK * 12 {
        return None;
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).ok()?;
    let text = URL_SAFE_NO_PAD.encode(encoder.finish().ok()?);
    (text.len() <= MAX_LINK).then(|| format!("{MARK}{text}"))
}

/// Whether the bytes are a packed document, as no file begins.
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK.as_bytes())
}

/// The document in a packed text; nothing if it is damaged or unpacks to more than a link can mean.
pub fn unpack(text: &[u8]) -> Option<Vec<u8>> {
    let packed = URL_SAFE_NO_PAD.decode(text.strip_prefix(MARK.as_bytes())?).ok()?;
    let mut bytes = Vec::new();
    let read = DeflateDecoder::new(&packed[..]).take(MAX_UNPACKED + 1).read_to_end(&mut bytes).ok()?;
    (read as u64 <= MAX_UNPACKED).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_documents_travel_in_the_link() {
        let bytes = br#"{"format":"memory-graph/1"}"#.to_vec();
        let packed = pack(&bytes).expect("short");
        assert!(is_packed(packed.as_bytes()) && !is_packed(&bytes));
        assert_eq!(unpack(packed.as_bytes()), Some(bytes));
        assert_eq!(pack(&vec![7; 10 << 20]), None);
        for damaged in ["z:%%%", "z:AAAA", ""] {
            assert_eq!(unpack(damaged.as_bytes()), None, "{damaged}");
        }
    }
}
