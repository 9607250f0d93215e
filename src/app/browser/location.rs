use crate::text::Locale;

pub fn fragment() -> String {
    let location = web_sys::window().and_then(|window| window.location().hash().ok());
    location.unwrap_or_default().trim_start_matches('#').to_string()
}

pub fn browser_language() -> Locale {
    let tag = web_sys::window().and_then(|window| window.navigator().language());
    Locale::from_tag(&tag.unwrap_or_default())
}

/// Returns true if a page of another origin is around this one, or around one of those around it.
pub fn is_in_strange_page() -> bool {
    let Some(mut inner) = web_sys::window() else { return false };
    let own = inner.location().origin().ok();
    while let Some(outer) = inner.parent().ok().flatten().filter(|outer| *outer != inner) {
        // Another origin does not reveal its address.
        if own.is_none() || outer.location().origin().ok() != own {
            return true;
        }
        inner = outer;
    }
    false
}

/// Loads the page again.
pub fn reload() {
    if let Some(window) = web_sys::window() {
        // It fails only for a page that is already going.
        let _ = window.location().reload();
    }
}
