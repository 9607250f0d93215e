use crate::text::Locale;

pub fn fragment() -> String {
    let location = web_sys::window().and_then(|window| window.location().hash().ok());
    location.unwrap_or_default().trim_start_matches('#').to_string()
}

pub fn browser_language() -> Locale {
    let tag = web_sys::window().and_then(|window| window.navigator().language());
    Locale::from_tag(&tag.unwrap_or_default())
}
