//! Versions of the tools, and how programs report theirs.

/// The bundler of the page.
pub const TRUNK: &str = "0.21.14";

/// The builder of the Python wheel.
pub const MATURIN: &str = "1.16.0";

/// The oldest `wasm-opt` that understands what current Rust writes.
pub const OLDEST_WASM_OPT: u32 = 121;

/// The program that lists the licenses of the page's libraries.
pub const CARGO_ABOUT: &str = "0.9.3";

/// The program that checks licenses, sources and known faults of all libraries.
pub const CARGO_DENY: &str = "0.20.2";

/// The Rust that the published page is built with. The workflows install it; another one builds the
/// page too, perhaps to other bytes.
pub const RUST: &str = "1.95.0";

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
}
