//! Lower case for search. The browser knows it; the tables of the standard library are 5 kB of the
//! page after compression.

#[cfg(all(target_arch = "wasm32", feature = "app"))]
static BY_BROWSER: std::sync::OnceLock<fn(&str) -> String> = std::sync::OnceLock::new();

/// Takes the browser's function, before anything is searched.
#[cfg(all(target_arch = "wasm32", feature = "app"))]
pub fn lower_by(browser: fn(&str) -> String) {
    BY_BROWSER.get_or_init(|| browser);
}

/// Returns a text in lower case, as `str::to_lowercase` does.
#[cfg(all(target_arch = "wasm32", feature = "app"))]
pub fn lower(text: &str) -> String {
    match BY_BROWSER.get() {
        Some(browser) if !text.is_ascii() => browser(text),
        _ => text.to_ascii_lowercase(),
    }
}

/// Returns a text in lower case.
#[cfg(not(all(target_arch = "wasm32", feature = "app")))]
pub fn lower(text: &str) -> String {
    text.to_lowercase()
}
