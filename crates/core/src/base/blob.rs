//! Bytes that travel as a whole.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes of a file. Serde takes a `Vec<u8>` apart into numbers, which for a large file takes a
/// quarter of a second.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Blob(pub Vec<u8>);

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Whole)
    }
}

struct Whole;

impl Visitor<'_> for Whole {
    type Value = Blob;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Blob, E> {
        Ok(Blob(bytes.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_as_they_were() {
        for blob in [Blob::default(), Blob((0..=255).collect())] {
            let written = postcard::to_stdvec(&blob).expect("plain values");
            assert_eq!(written, postcard::to_stdvec(&blob.0).expect("plain values"), "as a list of numbers is written");
            assert_eq!(postcard::from_bytes(&written), Ok(blob));
        }
    }
}
