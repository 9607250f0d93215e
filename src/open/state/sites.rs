//! Documents at addresses: which of them are fetched, which are asked about first, and which never.

use crate::open::state::link::{LinkPlace, Restored};

/// What is done with an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reach {
    /// A file in the folder of the page: it is fetched as the page itself was.
    Own,
    /// A file of this origin, which is not that folder: the user is asked first.
    Other(String),
    /// None of both: it is not fetched.
    Never,
}

/// A document that is fetched once the user agrees.
#[derive(Clone, PartialEq, Debug)]
pub struct Remote {
    /// Number of the visit to an address.
    pub number: u32,
    /// The address.
    pub address: String,
    /// The origin that is asked about; none for the folder of the page.
    pub origin: Option<String>,
    /// The rest of its link; none for an address that was pasted.
    pub link: Option<(Restored, LinkPlace)>,
    /// Whether the open document is to be compared with it.
    pub is_older: bool,
    /// Bytes received and, if the site states it, bytes in all; none until the user agrees.
    pub coming: Option<(u64, Option<u64>)>,
}

/// Why a file did not come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// The site did not answer, or does not let other pages read its files.
    Refused,
    /// The status with which it answered.
    Status(u16),
    /// It is larger than any file that is opened.
    Large,
    /// Nothing came for some time.
    Silent,
}

/// What happens to a document at an address.
#[derive(Clone, Debug)]
pub enum RemoteChange {
    /// A link or the user leads to it.
    Visit {
        /// The address.
        address: String,
        /// What is done with it.
        reach: Reach,
        /// The rest of the link.
        link: Option<Box<(Restored, LinkPlace)>>,
    },
    /// The user agrees that it is fetched.
    Agree,
    /// The user does not want it, or not any more.
    Drop,
    /// Some of it came.
    Progress {
        /// Number of the visit.
        number: u32,
        /// Bytes that are there.
        done: u64,
        /// Bytes in all.
        total: Option<u64>,
    },
    /// It does not come.
    Missing {
        /// Number of the visit.
        number: u32,
        /// Why.
        why: Missing,
    },
}

/// Returns what is done with an address. `page` is the address of the page, with or without query
/// and fragment.
///
/// Browsers accept many odd spellings. An address that a browser could read in another way than
/// this function is refused.
pub fn reach(address: &str, page: &str) -> Reach {
    // A browser removes line breaks and replaces a backslash by a slash.
    let is_doubtful = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '\\';
    if address.is_empty() || address.contains(is_doubtful) {
        return Reach::Never;
    }
    let own = path_of(page).rsplit_once('/').map_or("", |(folder, _)| folder);
    if let Some(inside) = address.strip_prefix(own).and_then(|rest| rest.strip_prefix('/'))
        && !own.is_empty()
        && stays_inside(inside)
    {
        return Reach::Own;
    }
    let path = path_of(address);
    match path.split_once(':') {
        Some((scheme, rest)) if !scheme.contains('/') => match rest.strip_prefix("//") {
            Some(rest) if scheme.eq_ignore_ascii_case("https") => {
                let host = rest.split('/').next().unwrap_or_default();
                // A user name could be mistaken for the host (`https://example.org@evil.example`),
                // and so could similar letters.
                let is_plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte));
                if is_plain && host.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[') {
                    Reach::Other(format!("https://{}", host.to_ascii_lowercase()))
                } else {
                    Reach::Never
                }
            }
            _ => Reach::Never,
        },
        _ if stays_inside(address) => Reach::Own,
        _ => Reach::Never,
    }
}

/// Returns true if a relative path stays in its folder, even if a server decodes it again.
pub fn stays_inside(path: &str) -> bool {
    let path = path_of(path);
    let is_inside = |part: &str| {
        let part = decoded(part);
        !part.is_empty() && !part.contains(['/', '\\', '%']) && part != "." && part != ".."
    };
    !path.contains('\\') && path.split('/').all(is_inside)
}

fn path_of(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default()
}

/// Decodes the escapes of a part of a path. An escape that is none stays.
fn decoded(part: &str) -> String {
    let mut pieces = part.split('%');
    let mut text = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        match piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if byte.is_ascii() => text.push(byte.into()),
            // Part of a letter beyond ASCII, and never of a separator.
            Some(_) => text.push('_'),
            None => {
                text.push('%');
                text.push_str(piece);
                continue;
            }
        }
        text.push_str(&piece[2..]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "https://example.org/memplan/index.html?embed=1#doc=url:x";

    #[test]
    fn files_in_the_folder_of_the_page_are_its_own() {
        for own in [
            "graphs/resnet18.json",
            "mine.onnx?version=2",
            "caf%C3%A9/mine.json",
            "..notes/a..b.json",
            "https://example.org/memplan/graphs/resnet18.json",
            "a/b:c.json",
        ] {
            assert_eq!(reach(own, PAGE), Reach::Own, "{own}");
        }
        // A page in the root of its site, and one that is developed.
        assert_eq!(reach("https://example.org/a.json", "https://example.org/#f=1"), Reach::Own);
        assert_eq!(reach("http://127.0.0.1:8080/a.json", "http://127.0.0.1:8080/"), Reach::Own);
    }

    #[test]
    fn other_sites_are_asked_about_by_their_origin() {
        for (address, origin) in [
            ("https://models.example/a/b.onnx", "https://models.example"),
            ("HTTPS://Models.Example:8443/a?b=../c", "https://models.example:8443"),
            ("https://[::1]/a", "https://[::1]"),
            ("https://xn--bcher-kva.example/a", "https://xn--bcher-kva.example"),
            ("https://models.example", "https://models.example"),
            // The same host, but not the folder of the page: on shared hosts that is somebody
            // else's.
            ("https://example.org/other/a.json", "https://example.org"),
            ("https://example.org/memplan/../other/a.json", "https://example.org"),
            ("https://example.org/memplan/%2e%2E/other/a.json", "https://example.org"),
            ("https://example.org/memplanner/a.json", "https://example.org"),
        ] {
            assert_eq!(reach(address, PAGE), Reach::Other(origin.into()), "{address}");
        }
    }

    #[test]
    fn whatever_leads_out_of_the_folder_by_another_way_is_not_fetched() {
        for never in [
            "",
            "../x.json",
            "graphs/../../x.json",
            "./x.json",
            "graphs/%2e%2e/%2e%2e/x.json",
            "graphs/.%2E/x",
            "graphs/%252e%252e/x",
            "graphs/..%2fx",
            "graphs/%5c..%5cx",
            "//evil.example/x",
            "/x.json",
            "\\\\evil.example\\x",
            "graphs\\..\\x",
            "graphs//x",
            "http://models.example/a.onnx",
            "http://example.org/memplan/a.json",
            "javascript:alert(1)",
            "data:text/plain,x",
            "blob:https://example.org/1",
            "file:///etc/passwd",
            "https:evil.example/x",
            "https:/evil.example/x",
            "https:///evil.example/x",
            "https://",
            "https://example.org@evil.example/x",
            "https://exa%6Dple.org/x",
            "https://bücher.example/x",
            "ht\ntps://evil.example/x",
            " https://evil.example/x",
        ] {
            assert_eq!(reach(never, PAGE), Reach::Never, "{never}");
        }
    }

    #[test]
    fn names_of_examples_stay_in_their_folder() {
        for name in ["resnet18", "cases/executorch-greedy-v0.5"] {
            assert!(stays_inside(name), "{name}");
        }
        for name in ["", "../index", "/x", "//host/x", "a/../../b", "%2e%2e/b", "%252e%252e/b", "a\\..\\b", ".", "a/"] {
            assert!(!stays_inside(name), "{name}");
        }
    }
}
