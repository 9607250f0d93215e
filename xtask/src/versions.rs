//! Versions of the tools, and how programs report theirs.

/// The bundler of the page.
pub const TRUNK: &str = "0.21.14";

/// The npm package that carries `wasm-opt`.
pub const BINARYEN: &str = "132.0.0";

/// The oldest `wasm-opt` that understands what current Rust writes.
pub const OLDEST_WASM_OPT: u32 = 121;

/// The accessibility checker of the end-to-end suite.
pub const AXE: &str = "4.14.1";

/// The compiler that checks the types of the JavaScript module; the last line of it that is JavaScript itself.
pub const TYPESCRIPT: &str = "5.9.3";

/// SHA-512 of the axe-core archive in the npm registry, for downloads without npm.
pub const AXE_SHA512: &str = "1477dafa598d8d065f273d6af302aa203c02e83131707b7fa648cd41bd3d6b73\
                              4f8c22a0dab86ee6a6f64b8afbe804b214d36db85a2826965edfb3a0b9d546b5";

/// The version in a line such as `trunk 0.21.14` or `ChromeDriver 130.0.1 (abc)`.
pub fn reported(output: &str) -> Option<&str> {
    output
        .split_whitespace()
        .map(|word| word.strip_prefix('v').unwrap_or(word))
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
}

/// The first number of a version.
pub fn major(version: &str) -> Option<u32> {
    version.split(['.', '-']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_in_what_programs_print() {
        for (output, version) in [
            ("wasm-bindgen 0.2.130", "0.2.130"),
            ("wasm-bindgen 0.2.130 (c35cc9369 2026-01-01)\n", "0.2.130"),
            ("trunk 0.21.14\n", "0.21.14"),
            ("wasm-opt version 132 (version_132)", "132"),
            ("Chromium 130.0.6723.58 built on Debian GNU/Linux 12", "130.0.6723.58"),
            ("Google Chrome 130.0.6723.58 ", "130.0.6723.58"),
            ("v20.20.2", "20.20.2"),
        ] {
            assert_eq!(reported(output), Some(version), "{output}");
        }
        assert_eq!(reported("no version here"), None);
        assert_eq!(reported(""), None);
    }

    #[test]
    fn the_major_version_is_the_first_number() {
        assert_eq!(major("130.0.6723.58"), Some(130));
        assert_eq!(major("132"), Some(132));
        assert_eq!(major("nightly"), None);
    }

    #[test]
    fn the_pinned_digest_has_the_length_of_a_sha512() {
        assert_eq!(AXE_SHA512.len(), 128);
        assert!(AXE_SHA512.chars().all(|digit| digit.is_ascii_hexdigit()));
    }
}
