//! The few facts needed from `Cargo.toml` and `Cargo.lock`.
//!
//! Both files are read line by line: Cargo writes the lock file in a fixed
//! form, and a TOML parser would have to be compiled before every command.

/// The version of a package in the text of a `Cargo.lock`.
pub fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let mut inside = false;
    for line in lock.lines() {
        if line.starts_with('[') {
            inside = false;
        } else if let Some(name) = string_value(line, "name") {
            inside = name == package;
        } else if inside && let Some(version) = string_value(line, "version") {
            return Some(version);
        }
    }
    None
}

/// The value of a line of the form `key = "value"`.
fn string_value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.trim().strip_prefix(key)?.trim_start();
    let rest = rest.strip_prefix('=')?.trim_start().strip_prefix('"')?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4

[[package]]
name = "wasm-bindgen"
version = "0.2.130"
source = "registry+https://github.com/rust-lang/crates.io-index"
dependencies = [
 "wasm-bindgen-macro",
]

[[package]]
name = "wasm-bindgen-macro"
version = "0.2.129"
"#;

    #[test]
    fn the_locked_version_is_that_of_the_exact_name() {
        assert_eq!(locked_version(LOCK, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked_version(LOCK, "wasm-bindgen-macro"), Some("0.2.129"));
        assert_eq!(locked_version(LOCK, "wasm"), None);
        assert_eq!(locked_version("", "wasm-bindgen"), None);
    }

    #[test]
    fn the_project_locks_wasm_bindgen() {
        let lock = include_str!("../../Cargo.lock");
        assert!(locked_version(lock, "wasm-bindgen").is_some());
    }
}
