//! What is done to the page after Trunk has built it: versions that cannot mix.
//!
//! All programs, their words and their looks go into one folder that is named after what it holds,
//! `build-<digest>`. They find each other there by relative names, so that a page and its worker
//! are of one version or do not run. What has an address of its own, such as `index.html` and
//! `memplan.js`, stays where it is and points there.

use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};

use fnv::FnvHasher;

use crate::process::Outcome;

/// What keeps its address from version to version: pages, data, and files that other sites name.
const STABLE: [&str; 16] = [
    "api.html",
    "api.js",
    "bench",
    "bench.html",
    "bench.js",
    "graphs",
    "icons",
    "index.html",
    "league",
    "league.html",
    "league.js",
    "learn",
    "licenses.html",
    "manifest.webmanifest",
    "memplan.d.ts",
    "service.js",
];

/// What a visitor needs without a network, beside the folder of the version; the first is the page.
const KEPT: [&str; 4] = ["", "graphs", "icons", "manifest.webmanifest"];

/// The list of what goes into a page that is one HTML file: programs and words by their path in the
/// folder of the version, examples by theirs beside the page.
const INSIDE: &str = "inside.json";

/// What such a page has no use for, beside what it is itself made of.
const NOT_INSIDE: [&str; 14] = [
    "api.css",
    "app_first.wasm",
    "bench.css",
    "first",
    "first.bin",
    "icon.svg",
    "league.css",
    "memplan.js",
    "speaker.css",
    "speaker.html",
    "speaker.js",
    "start.js",
    "worker.js",
    INSIDE,
];

/// Moves everything else into the folder of the version, makes what stays point there, and tells
/// `service.js` what to keep.
pub fn finish(folder: &Path, public_url: &str) -> Outcome {
    let version = format!("build-{:016x}", digest_of(folder)?);
    let home = folder.join(&version);
    fs::create_dir(&home).map_err(|error| told(&home, &error))?;
    let mut moved = Vec::new();
    for name in entries(folder)? {
        if name != version && !STABLE.contains(&name.as_str()) {
            fs::rename(folder.join(&name), home.join(&name)).map_err(|error| told(&folder.join(&name), &error))?;
            moved.push(name);
        }
    }
    let stub =
        format!("export * from \"./{version}/memplan.js\";\nexport {{ default }} from \"./{version}/memplan.js\";\n");
    write(&folder.join("memplan.js"), &stub)?;
    for name in entries(folder)?
        .iter()
        .filter(|name| name.ends_with(".html") || ["api.js", "bench.js", "league.js"].contains(&&***name))
    {
        let file = folder.join(name);
        let text = pointed(&read(&file)?, &moved, public_url, &version);
        write(&file, if name == "index.html" { published(&text) } else { text })?;
    }
    write(&home.join(INSIDE), &inside(folder, &home)?)?;
    let service = folder.join("service.js");
    write(&service, keeping(&read(&service)?, &version, &kept(folder, &version)?)?)
}

/// The files of a folder with their paths in it, in order.
fn files(folder: &Path, inside: &str) -> Outcome<Vec<(String, PathBuf)>> {
    let mut all = Vec::new();
    for name in entries(&folder.join(inside))? {
        let path = if inside.is_empty() { name } else { format!("{inside}/{name}") };
        let file = folder.join(&path);
        if file.is_dir() { all.extend(files(folder, &path)?) } else { all.push((path, file)) }
    }
    Ok(all)
}

/// The list of what goes into a page that is one HTML file.
fn inside(folder: &Path, home: &Path) -> Outcome<String> {
    let programs = files(home, "")?.into_iter().map(|(path, _)| path);
    let is_needed = |path: &String| !NOT_INSIDE.contains(&path.split('/').next().unwrap_or_default());
    let examples = files(folder, "graphs")?.into_iter().map(|(path, _)| path);
    let paths: Vec<String> = programs.filter(is_needed).chain(examples).chain(["licenses.html".into()]).collect();
    Ok(format!("{}\n", serde_json::json!(paths)))
}

fn entries(folder: &Path) -> Outcome<Vec<String>> {
    let entries = fs::read_dir(folder).map_err(|error| told(folder, &error))?;
    let names = entries.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.collect::<Result<_, _>>().map_err(|error| told(folder, &error))?;
    names.sort();
    Ok(names)
}

/// The digest of all files that change with the version, and of the page.
fn digest_of(folder: &Path) -> Outcome<u64> {
    let mut all = Vec::new();
    for (path, file) in files(folder, "")? {
        let bytes = fs::read(&file).map_err(|error| told(&file, &error))?;
        // Neither a name nor a file can run into the next one.
        all.extend(path.bytes().chain([0xff]).chain(bytes.len().to_le_bytes()).chain(bytes));
    }
    Ok(long_digest(&all))
}

/// FNV-1a in 64 bits.
pub fn long_digest(bytes: &[u8]) -> u64 {
    let mut hasher = FnvHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// A text whose references to moved files lead to the folder of the version.
fn pointed(text: &str, moved: &[String], public_url: &str, version: &str) -> String {
    let bases = if public_url == "./" { vec!["./"] } else { vec!["./", public_url] };
    let mut text = text.to_string();
    for (name, base) in moved.iter().flat_map(|name| bases.iter().map(move |base| (name, base))) {
        for quote in ["\"", "'", "`"] {
            for end in [quote, "/", "?"] {
                let from = format!("{quote}{base}{name}{end}");
                text = text.replace(&from, &format!("{quote}{base}{version}/{name}{end}"));
            }
        }
    }
    text
}

/// The page without the lines that only Trunk reads.
fn published(page: &str) -> String {
    page.lines().filter(|line| !line.contains("data-trunk")).map(|line| format!("{line}\n")).collect()
}

/// The files for visits without a network, each with the digest that `service.js` expects. The page
/// has none: hosts add to it.
fn kept(folder: &Path, version: &str) -> Outcome<Vec<(String, u32)>> {
    let mut all = Vec::new();
    for name in KEPT.into_iter().chain([version]) {
        let inside = if name.is_empty() {
            vec![(String::new(), None)]
        } else if folder.join(name).is_dir() {
            files(folder, name)?.into_iter().map(|(path, file)| (path, Some(file))).collect()
        } else {
            vec![(name.to_string(), Some(folder.join(name)))]
        };
        for (path, file) in inside {
            let digest =
                file.map(|file| fs::read(&file).map(|bytes| digest(&bytes)).map_err(|error| told(&file, &error)));
            all.push((path, digest.transpose()?.unwrap_or_default()));
        }
    }
    Ok(all)
}

/// FNV-1a in 32 bits, as `service.js` computes it.
fn digest(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// The service worker with its version and its files.
fn keeping(script: &str, version: &str, files: &[(String, u32)]) -> Outcome<String> {
    let list: String = files.iter().map(|(path, digest)| format!("  [\"{path}\", {digest}],\n")).collect();
    let mut script = script.to_string();
    for (name, empty, value) in [("VERSION", "\"\"", format!("\"{version}\"")), ("FILES", "[]", format!("[\n{list}]"))]
    {
        let line = format!("const {name} = {empty};");
        if !script.contains(&line) {
            return Err(format!("www/service.js lacks the line `{line}`: restore it."));
        }
        script = script.replacen(&line, &format!("const {name} = {value};"), 1);
    }
    Ok(script)
}

fn read(file: &Path) -> Outcome<String> {
    fs::read_to_string(file).map_err(|error| told(file, &error))
}

fn write(file: &Path, text: impl AsRef<str>) -> Outcome {
    fs::write(file, text.as_ref()).map_err(|error| told(file, &error))
}

fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{} could not be read or written ({error}).", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small page in a folder of its own, finished.
    fn finished(name: &str, program: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("memplan-finish-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        for inside in ["locales", "graphs/cases", "icons", "snippets/a"] {
            fs::create_dir_all(folder.join(inside)).expect("a folder");
        }
        for (path, text) in [
            (
                "index.html",
                "<head><link href=\"/sub/page.css\" />\n<link data-trunk rel=\"rust\" />\n<script src=\"./start.js\"></script></head>",
            ),
            (
                "bench.html",
                "import init from \"./engine.js\"; fetch(`./graphs/${name}.json`); fetch('./locales/en.json')",
            ),
            ("app.js", "import { a } from './snippets/a/b.js';\nnew URL('app_bg.wasm', import.meta.url)"),
            ("app_bg.wasm", "\0asm"),
            ("engine.js", program),
            ("start.js", "import(\"./app.js\")"),
            ("memplan.js", "import \"./engine.js\""),
            ("page.css", "a {}"),
            ("locales/en.json", "{}"),
            ("snippets/a/b.js", "b"),
            ("graphs/cases/x.json", "{}"),
            ("icons/icon.png", "png"),
            ("manifest.webmanifest", "{}"),
            ("service.js", include_str!("../../www/service.js")),
        ] {
            fs::write(folder.join(path), text).expect("a file");
        }
        finish(&folder, "/sub/").expect("a finished page");
        folder
    }

    fn version(folder: &Path) -> String {
        let names = entries(folder).expect("a folder");
        names.into_iter().find(|name| name.starts_with("build-")).expect("the folder of the version")
    }

    #[test]
    fn every_program_lies_in_a_folder_named_after_what_it_holds() {
        let (one, same, other) = (finished("one", "1"), finished("same", "1"), finished("other", "2"));
        assert_eq!(version(&one), version(&same));
        assert_ne!(version(&one), version(&other));
        let left = entries(&one).expect("a folder");
        let build = version(&one);
        let stable =
            ["bench.html", &build, "graphs", "icons", "index.html", "manifest.webmanifest", "memplan.js", "service.js"];
        assert_eq!(left, stable);
        let inside: Vec<String> = files(&one, &build).expect("a folder").into_iter().map(|(path, _)| path).collect();
        for name in ["app.js", "app_bg.wasm", "engine.js", "memplan.js", "locales/en.json", "snippets/a/b.js"] {
            assert!(inside.contains(&format!("{build}/{name}")), "{name} in {inside:?}");
        }
        [one, same, other].iter().for_each(|folder| fs::remove_dir_all(folder).expect("removed"));
    }

    #[test]
    fn what_stays_points_to_the_version() {
        let folder = finished("pointing", "1");
        let build = version(&folder);
        let page = read(&folder.join("index.html")).expect("the page");
        for wanted in [format!("href=\"/sub/{build}/page.css\""), format!("src=\"./{build}/start.js\"")] {
            assert!(page.contains(&wanted), "{wanted} in {page}");
        }
        assert!(!page.contains("data-trunk"), "{page}");
        let bench = read(&folder.join("bench.html")).expect("the page");
        assert!(bench.contains(&format!("\"./{build}/engine.js\"")) && bench.contains("`./graphs/"), "{bench}");
        assert!(bench.contains(&format!("'./{build}/locales/en.json'")), "{bench}");
        assert!(
            read(&folder.join("memplan.js")).expect("the module").contains(&format!("from \"./{build}/memplan.js\""))
        );
        let service = read(&folder.join("service.js")).expect("the service worker");
        assert!(service.contains(&format!("const VERSION = \"{build}\";")), "{service}");
        for (path, text) in [(format!("{build}/engine.js"), "1"), ("graphs/cases/x.json".into(), "{}")] {
            assert!(service.contains(&format!("[\"{path}\", {}]", digest(text.as_bytes()))), "{path} in {service}");
        }
        assert!(!service.contains("memplan.d.ts") && !service.contains("bench.html"), "{service}");
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn the_digests_are_fnv() {
        assert_eq!([long_digest(b""), long_digest(b"foobar")], [0xcbf2_9ce4_8422_2325, 0x8594_4171_f739_67e8]);
        assert_eq!([digest(b""), digest(b"a"), digest(b"foobar")], [0x811c_9dc5, 0xe40c_292c, 0xbf9c_f968]);
    }
}
