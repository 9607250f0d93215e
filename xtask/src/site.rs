//! What search engines read: where each page of plain text stands, and a list of them. Both need
//! the address that the site will have, which a page that works anywhere does not know.

use std::fs;
use std::path::Path;

use crate::process::Outcome;

/// The folders of the lessons as plain text, in both languages, within the page.
const FOLDERS: [&str; 2] = ["learn", "learn/zh"];

/// An address as it was typed, with the slash that it ends with.
pub fn address(text: &str) -> Outcome<String> {
    let is_address =
        ["https://", "http://"].iter().any(|scheme| text.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()));
    let is_plain = !text.contains(|letter: char| letter.is_whitespace() || "\"'<>&#?".contains(letter));
    match is_address && is_plain {
        true => Ok(format!("{}/", text.trim_end_matches('/'))),
        false => Err(format!("`{text}` is no address: give --site one such as https://example.org/memplan/.")),
    }
}

/// Writes `sitemap.xml` into the folder of a page, and the whole address into each lesson.
pub fn map(folder: &Path, site: &str) -> Outcome {
    let mut pages = vec![String::new()];
    for lessons in FOLDERS {
        let found = fs::read_dir(folder.join(lessons)).map_err(|error| told(&folder.join(lessons), &error))?;
        let names = found.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".html")).collect();
        names.sort();
        for name in names {
            let (file, page) = (folder.join(lessons).join(&name), format!("{lessons}/{name}"));
            let text = fs::read_to_string(&file).map_err(|error| told(&file, &error))?;
            let placed = placed(&text, &name, &format!("{site}{page}"));
            let placed = placed.ok_or_else(|| format!("{} states no place of its own.", file.display()))?;
            fs::write(&file, placed).map_err(|error| told(&file, &error))?;
            pages.push(page);
        }
    }
    let entries: String = pages.iter().map(|page| format!("  <url><loc>{site}{page}</loc></url>\n")).collect();
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{entries}</urlset>\n"
    );
    let file = folder.join("sitemap.xml");
    fs::write(&file, text).map_err(|error| told(&file, &error))?;
    println!("{} lists {} pages of {site}.", file.display(), pages.len());
    Ok(())
}

/// A page with its whole address in place of its name; none if it does not state its name.
fn placed(text: &str, name: &str, address: &str) -> Option<String> {
    let link = |place: &str| format!("<link rel=\"canonical\" href=\"{place}\">");
    text.contains(&link(name)).then(|| text.replacen(&link(name), &link(address), 1))
}

fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{} could not be read or written ({error}).", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_ends_with_one_slash_and_can_stand_in_a_page() {
        for text in ["https://example.org/memplan", "https://example.org/memplan/", "https://example.org/memplan//"] {
            assert_eq!(address(text).as_deref(), Ok("https://example.org/memplan/"));
        }
        for text in ["", "/memplan/", "https://", "example.org", "https://a b", "https://a/?b", "https://a/\"b"] {
            assert!(address(text).is_err_and(|told| told.contains("--site")), "{text}");
        }
    }

    #[test]
    fn every_lesson_is_listed_and_knows_where_it_stands() {
        let folder = std::env::temp_dir().join(format!("memplan-site-{}", std::process::id()));
        fs::create_dir_all(folder.join("learn/zh")).expect("a folder");
        let page = |name: &str| format!("<head><link rel=\"canonical\" href=\"{name}\"></head>");
        for path in ["learn/02.html", "learn/01.html", "learn/zh/01.html"] {
            let name = path.rsplit('/').next().expect("a name");
            fs::write(folder.join(path), page(name)).expect("a file");
        }
        fs::write(folder.join("learn/lesson.css"), "a {}").expect("a file");
        map(&folder, "https://example.org/m/").expect("a map");
        let read = |path: &str| fs::read_to_string(folder.join(path)).expect("a file");
        assert_eq!(read("learn/zh/01.html"), page("https://example.org/m/learn/zh/01.html"));
        let listed: Vec<String> = read("sitemap.xml")
            .lines()
            .filter_map(|line| line.trim().strip_prefix("<url><loc>https://example.org/m/").map(str::to_string))
            .collect();
        let expected = ["", "learn/01.html", "learn/02.html", "learn/zh/01.html"];
        assert_eq!(listed, expected.map(|page| format!("{page}</loc></url>")));
        // Once more: the pages have their whole addresses already.
        assert!(map(&folder, "https://example.org/m/").is_err());
        fs::remove_dir_all(&folder).expect("removed");
    }
}
