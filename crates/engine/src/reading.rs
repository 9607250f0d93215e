//! What was read of a file, where a page that is one HTML file has it in place of the file: how
//! such bytes begin.

/// Begins such bytes; the number of the build follows.
pub const MARK: &str = "memplan-read/";

/// Returns whether the bytes are what was read of a file, and not the file.
pub fn is_reading(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK.as_bytes())
}
