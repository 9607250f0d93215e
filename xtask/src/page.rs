//! Building and serving the page.

use std::env;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::num::NonZeroU16;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::args::Serve;
use crate::browser;
use crate::finish;
use crate::imports;
use crate::lessons;
use crate::parts;
use crate::process::{self, Outcome};
use crate::setup::PageTools;
use crate::versions;
use crate::workspace::{self, Workspace};

/// The WebAssembly features that Rust's browser target uses; wasm-opt must be
/// told, because the stripped programs do not say.
const WASM_FEATURES: [&str; 7] = [
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// For the program that a reader waits for: the fewest bytes as they travel, compressed by gzip.
///
/// Repeated code is left repeated where gzip does it better than an inlined call or a saved local.
/// No access to memory states its alignment: that is a hint to machines which browsers do not run
/// on, and equal code is equal bytes without it. Functions stand by name, so that what is made of
/// one generic function stands together. As of [`SMALL`], nothing points below 1024.
const SMALLEST: [&str; 9] = [
    "-Oz",
    "--converge",
    "--low-memory-unused",
    "--one-caller-inline-max-function-size=0",
    "--skip-pass=local-cse",
    "--skip-pass=simplify-locals",
    "--dealign",
    "--reorder-functions-by-name",
    "--strip-producers",
];

/// For the program that computes: small, but not at the cost of time. Below 1024 lies the end of
/// the stack, where nothing points to.
const SMALL: [&str; 4] = ["-Os", "--low-memory-unused", "--reorder-functions-by-name", "--strip-producers"];

/// The profiles in `Cargo.toml` that the programs of the page are built in, as variables of Cargo
/// name them.
const PROFILES: [&str; 2] = ["WEB", "WORKER"];

/// The variable that names wasm-opt to [`mod@finish`].
const WASM_OPT: &str = "MEMPLAN_WASM_OPT";

/// The port that `serve` uses when none is given.
const DEFAULT_PORT: u16 = 8080;

/// The folder the finished page is in.
pub fn dist(workspace: &Workspace) -> PathBuf {
    workspace.root.join("dist")
}

/// Builds the page into `dist/`.
pub fn build(workspace: &Workspace, tools: &PageTools, public_url: Option<&str>) -> Outcome {
    build_with(workspace, tools, public_url, &Compiled::default())
}

/// Programs of the workspace that finish the page, where they are compiled already.
#[derive(Default)]
pub struct Compiled {
    /// `memplan` makes the lessons ready.
    pub memplan: Option<PathBuf>,
    /// `first_visit` finds what a first visit needs of the program.
    pub first_visit: Option<PathBuf>,
}

impl Compiled {
    fn tell(&self, command: &mut Command) {
        for (variable, program) in [(lessons::MEMPLAN, &self.memplan), (parts::FIRST_VISIT, &self.first_visit)] {
            command.envs(program.iter().map(|program| (variable, program)));
        }
    }
}

/// Builds the page with finished programs; the others are compiled.
pub fn build_with(workspace: &Workspace, tools: &PageTools, public_url: Option<&str>, compiled: &Compiled) -> Outcome {
    let found = process::capture(Command::new("rustc").arg("--version")).unwrap_or_default();
    if let Some(version) = versions::reported(&found).filter(|version| *version != versions::RUST) {
        println!("This is Rust {version}. The published page is built with {}; the bytes may differ.", versions::RUST);
    }
    let mut command = trunk(workspace, tools, "build");
    if let Some(url) = public_url {
        command.args(["--public-url", url]);
    }
    compiled.tell(&mut command);
    tell_browser(&mut command)?;
    if let Some(wasm_opt) = &tools.wasm_opt {
        // wasm-opt puts functions in the order of their names and then drops the names.
        command.env(WASM_OPT, wasm_opt);
        for profile in PROFILES {
            command.env(format!("CARGO_PROFILE_{profile}_STRIP"), "none");
        }
    }
    process::run(&mut command, "Building the page")?;
    let dist = dist(workspace);
    println!("The page is in {}: any static host can serve that folder.", dist.display());
    Ok(())
}

/// Tells [`mod@finish`] with which browser the program of the page is split.
fn tell_browser(command: &mut Command) -> Outcome {
    match browser::find()? {
        Some(found) => {
            command.env(parts::SPLIT, "yes").env("CHROME", found.program).env("CHROMEDRIVER", found.driver);
        }
        None => println!(
            "There is no browser with its driver, so the program of the page stays whole: a first visit takes longer."
        ),
    }
    Ok(())
}

/// What the page of the tests is built from, beside the versions of the tools.
const SOURCES: [&str; 10] = [
    "Cargo.lock",
    "Cargo.toml",
    "Trunk.toml",
    "crates",
    "index.html",
    "src",
    "tests/e2e/src/bin/first_visit.rs",
    "www",
    "xtask/split",
    "xtask/src/parts.rs",
];

/// The document that Trunk builds the page of the tests from; the paths in it begin at the root.
const TEST_DOCUMENT: &str = ".test-page.html";

/// Builds the page that the tests open, and returns its folder. It is the published page but for
/// time: all programs share one profile, so that their crates are compiled once, and wasm-opt has
/// no part in it. If the sources are those of the last time, it is kept.
pub fn for_tests(workspace: &Workspace, tools: &PageTools, compiled: &Compiled) -> Outcome<PathBuf> {
    let folder = workspace.root.join("target/test-page");
    let record = workspace.root.join("target/xtask/test-page");
    let digest = format!("{:016x}", digest_of_sources(workspace)?);
    if folder.join("index.html").is_file() && fs::read_to_string(&record).is_ok_and(|kept| kept == digest) {
        println!("The page of the last run is of the same sources.");
        return Ok(folder);
    }
    let document = workspace.root.join(TEST_DOCUMENT);
    let cannot_write = |error| format!("{} could not be written ({error}).", document.display());
    fs::write(&document, test_document(&workspace.read("index.html")?)?).map_err(cannot_write)?;
    let mut command = trunk(workspace, tools, "build");
    command.args(["--dist", "target/test-page", "--html-output", "index.html", TEST_DOCUMENT]);
    compiled.tell(&mut command);
    tell_browser(&mut command)?;
    let built = process::run(&mut command, "Building the page of the tests");
    // It is of no use to anybody else.
    let _ = fs::remove_file(&document);
    built?;
    workspace::make_folder(&workspace.root.join("target/xtask"))?;
    fs::write(&record, digest).map_err(|error| format!("{} could not be written ({error}).", record.display()))?;
    Ok(folder)
}

/// Returns the document of the page with another profile for its programs.
///
/// # Errors
/// A sentence if a program of the page states them in another way.
fn test_document(index: &str) -> Outcome<String> {
    let mut text = String::new();
    for (number, link) in index.split("<link").enumerate() {
        if number > 0 {
            text.push_str("<link");
        }
        if !link.contains("rel=\"rust\"") {
            text.push_str(link);
            continue;
        }
        let link = with_attribute(link, "data-cargo-profile", "web-test");
        text.push_str(&link.ok_or("A program in index.html names no profile: restore it.")?);
    }
    Ok(text)
}

/// Returns a tag with another value of an attribute that it has.
fn with_attribute(tag: &str, name: &str, value: &str) -> Option<String> {
    let (before, rest) = tag.split_once(&format!(" {name}=\""))?;
    let (_, after) = rest.split_once('"')?;
    Some(format!("{before} {name}=\"{value}\"{after}"))
}

/// The digest of all that the page of the tests depends on.
fn digest_of_sources(workspace: &Workspace) -> Outcome<u64> {
    let mut files: Vec<PathBuf> = SOURCES.iter().map(|name| workspace.root.join(name)).collect();
    let mut all: Vec<u8> = format!("{} {}", versions::RUST, versions::TRUNK).into_bytes();
    let mut found = Vec::new();
    while let Some(file) = files.pop() {
        let cannot_read = |error| format!("{} could not be read ({error}).", file.display());
        if file.is_dir() {
            for entry in fs::read_dir(&file).map_err(cannot_read)? {
                files.push(entry.map_err(cannot_read)?.path());
            }
        } else {
            found.push(file);
        }
    }
    found.sort();
    for file in found {
        let bytes = fs::read(&file).map_err(|error| format!("{} could not be read ({error}).", file.display()))?;
        // Neither a name nor a file can run into the next one.
        let name = file.to_string_lossy().into_owned().into_bytes();
        all.extend(name.into_iter().chain([0xff]).chain(bytes.len().to_le_bytes()).chain(bytes));
    }
    Ok(finish::long_digest(&all))
}

/// Finishes the page that Trunk has built and is about to put into its place.
pub fn finish() -> Outcome {
    let given = |name| env::var_os(name).filter(|value| !value.is_empty());
    let Some(folder) = given("TRUNK_STAGING_DIR").map(PathBuf::from) else {
        return Err("`finish` is a step of the build: use `cargo xtask build`.".to_string());
    };
    lessons::write(&Workspace::find()?.root, &folder)?;
    if let Some(wasm_opt) = given(WASM_OPT) {
        shrink_programs(&folder, Path::new(&wasm_opt))?;
    }
    if given(parts::SPLIT).is_some() {
        parts::split(&folder)?;
    }
    let public_url = given("TRUNK_PUBLIC_URL").unwrap_or_else(|| "./".into());
    finish::finish(&folder, &public_url.to_string_lossy())
}

/// Builds the page and serves it until interrupted, again after every change.
pub fn serve(workspace: &Workspace, tools: &PageTools, options: &Serve) -> Outcome {
    let port = options.port.map_or(DEFAULT_PORT, NonZeroU16::get);
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .map_err(|error| format!("Port {port} cannot be used ({error}): choose another one with `--port`."))?;
    let path = served_path(options.public_url.as_deref().unwrap_or_default())?;
    println!("Building the page, again after every change; it will be at http://127.0.0.1:{port}{path} (Ctrl-C ends).");

    let mut command = trunk(workspace, tools, "serve");
    command
        .args(["--address", "127.0.0.1", "--port", &port.to_string()])
        // A folder of its own: this page changes with the sources, the one in dist/ must not.
        .args(["--dist", "target/served-page"]);
    if path != "/" {
        command.args(["--public-url", &path]);
    }
    if options.open {
        command.arg("--open");
    }
    process::become_command(&mut command, "Serving the page")
}

/// A Trunk command; it must not look for tools in the network, they are set up.
fn trunk(workspace: &Workspace, tools: &PageTools, subcommand: &str) -> Command {
    let mut command = tools.command(workspace, "trunk");
    command.args([subcommand, "--release", "--offline"]);
    // By convention any value of NO_COLOR counts, but Trunk only takes `true`.
    if env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        command.env("NO_COLOR", "true");
    } else {
        command.env_remove("NO_COLOR");
    }
    command
}

/// The absolute path, with a slash at both ends, that the page is served under.
fn served_path(public_url: &str) -> Outcome<String> {
    if public_url.contains("://") {
        return Err(format!("`{public_url}` is an address: give `serve` only a path, such as /memplan/."));
    }
    let path = public_url.strip_prefix('.').unwrap_or(public_url);
    match path.trim_matches('/') {
        "" => Ok("/".to_string()),
        inner => Ok(format!("/{inner}/")),
    }
}

/// Replaces every program in the folder by what wasm-opt makes of it.
///
/// A program that wasm-opt refuses is kept as it is, since it works.
fn shrink_programs(dist: &Path, wasm_opt: &Path) -> Outcome {
    let cannot_read = |error| format!("{} could not be read ({error}).", dist.display());
    let mut programs = Vec::new();
    for entry in fs::read_dir(dist).map_err(cannot_read)? {
        let file = entry.map_err(cannot_read)?.path();
        if file.extension().is_some_and(|extension| extension == "wasm") {
            programs.push(file);
        }
    }
    // Each takes one processor a minute or two, unless its result was kept.
    thread::scope(|scope| {
        let shrinking: Vec<_> = programs.iter().map(|file| scope.spawn(move || shrink(file, wasm_opt))).collect();
        shrinking.into_iter().try_for_each(|program| program.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Replaces a program by what wasm-opt makes of it.
fn shrink(file: &Path, wasm_opt: &Path) -> Outcome {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let passes = if name.starts_with("engine") { SMALL.as_slice() } else { &SMALLEST };
    let smaller = match shrunk(file, wasm_opt, passes) {
        Ok(smaller) => smaller,
        Err(sentence) => {
            println!("{name} stays as it is. {sentence}");
            return Ok(());
        }
    };
    let before = kilobytes(file);
    fs::rename(&smaller, file).map_err(|error| format!("{} could not be replaced ({error}).", file.display()))?;
    shorten_names(file)?;
    println!("{name}: {before} kB, {} kB after wasm-opt", kilobytes(file));
    Ok(())
}

/// What wasm-opt makes of a program by these passes. It is kept for the next build, which most
/// programs come to unchanged.
fn shrunk(program: &Path, wasm_opt: &Path, passes: &[&str]) -> Outcome<PathBuf> {
    let optimised = program.with_extension("wasm-opt");
    let kept = kept_place(program, wasm_opt, passes)?;
    if fs::copy(&kept, &optimised).is_ok() {
        return Ok(optimised);
    }
    let mut command = Command::new(wasm_opt);
    command.args(WASM_FEATURES).args(passes).arg(program).arg("-o").arg(&optimised);
    let outcome = process::run(&mut command, "Shrinking a program");
    if outcome.is_err() {
        // Half a program is no program; if there is none, nothing is to be removed.
        let _ = fs::remove_file(&optimised);
    }
    outcome.map(|()| {
        // Without a copy, the next build takes longer, and nothing else.
        let _ = keep(&optimised, &kept);
        optimised
    })
}

/// Where the result for a program is kept: under its name, and a digest of all that the result
/// depends on.
fn kept_place(program: &Path, wasm_opt: &Path, passes: &[&str]) -> Outcome<PathBuf> {
    let bytes = fs::read(program).map_err(|error| format!("{} could not be read ({error}).", program.display()))?;
    // The path of the tool names its version.
    let how = format!("{} {WASM_FEATURES:?} {passes:?} ", wasm_opt.display());
    let digest = finish::long_digest(&[how.as_bytes(), &bytes].concat());
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    Ok(Workspace::find()?.root.join("target/xtask/shrunk").join(name.as_ref()).join(format!("{digest:016x}.wasm")))
}

/// Keeps a result in place of the one before.
fn keep(result: &Path, place: &Path) -> io::Result<()> {
    let folder = place.parent().unwrap_or(place);
    if folder.is_dir() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    // Under its name there is only ever a whole file.
    let part = place.with_extension("part");
    fs::copy(result, &part)?;
    fs::rename(part, place)
}

/// Gives the imports of a program short names, in it and in the script beside it.
fn shorten_names(program: &Path) -> Outcome {
    let script = program.to_string_lossy().replace("_bg.wasm", ".js");
    let cannot_read = |error| format!("{} and {script} could not be read ({error}).", program.display());
    let bytes = fs::read(program).map_err(cannot_read)?;
    let text = fs::read_to_string(&script).map_err(cannot_read)?;
    let Some((bytes, text)) = imports::shortened(&bytes, &text) else {
        return Err(format!("{} is no program that could be read.", program.display()));
    };
    let cannot_write = |error| format!("{} and {script} could not be written ({error}).", program.display());
    fs::write(program, bytes).and_then(|()| fs::write(&script, text)).map_err(cannot_write)
}

fn kilobytes(file: &Path) -> u64 {
    file.metadata().map_or(0, |metadata| metadata.len().div_ceil(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_served_path_has_a_slash_at_both_ends() {
        for (given, path) in [
            ("", "/"),
            ("/", "/"),
            (".", "/"),
            ("./", "/"),
            ("memplan", "/memplan/"),
            ("./memplan", "/memplan/"),
            ("/a/b", "/a/b/"),
            ("/a/b/", "/a/b/"),
        ] {
            assert_eq!(served_path(given).as_deref(), Ok(path), "{given}");
        }
        assert!(served_path("https://example.org/a/").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_did_not_change_is_shrunk_once() {
        use std::os::unix::fs::PermissionsExt;

        const TOOL: &str = "#!/bin/sh\necho run >> \"$0.log\"\nwhile [ \"$1\" != -o ]; do from=\"$1\"; shift; done\ncp \"$from\" \"$2\"\n";
        let folder = env::temp_dir().join(format!("memplan-shrunk-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let (tool, program) = (folder.join("tool"), folder.join(format!("test-{}.wasm", std::process::id())));
        fs::write(&tool, TOOL).expect("written");
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("may run");
        let runs = || fs::read_to_string(folder.join("tool.log")).unwrap_or_default().lines().count();
        for (bytes, passes, expected) in
            [("one", ["-Oz"], 1), ("one", ["-Oz"], 1), ("two", ["-Oz"], 2), ("two", ["-Os"], 3), ("two", ["-Os"], 3)]
        {
            fs::write(&program, bytes).expect("written");
            let made = shrunk(&program, &tool, &passes).expect("shrunk");
            assert_eq!((fs::read_to_string(made).expect("made"), runs()), (bytes.to_string(), expected));
        }
        let kept = kept_place(&program, &tool, &["-Os"]).expect("a place");
        fs::remove_dir_all(kept.parent().expect("a folder")).expect("removed");
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn every_page_has_the_policy_and_nothing_that_it_forbids() {
        const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'";
        // Opening by address: what is asked for first may come from any site.
        let opens = POLICY.replace("connect-src 'self'", "connect-src 'self' https:");
        let pages = [
            (include_str!("../../index.html"), opens.as_str()),
            (include_str!("../../www/api.html"), POLICY),
            (include_str!("../../www/bench.html"), POLICY),
            (include_str!("../../www/league.html"), POLICY),
            (include_str!("../../www/licenses.html"), POLICY),
            (include_str!("../../www/speaker.html"), POLICY),
        ];
        for (page, policy) in pages {
            let meta = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\" />");
            let before = page.split_once(&meta).expect("the policy").0;
            assert!(!before.contains("<link") && !before.contains("<script"), "{page}");
            let scripts = page.split("<script").skip(1).filter(|script| !script.contains(" src="));
            assert_eq!(
                (scripts.count(), page.contains("<style"), page.contains(" style=")),
                (0, false, false),
                "{page}"
            );
        }
        // What is served sends it, too; the page has its own beside it, so this one need not be
        // narrower for some files.
        let served = format!("Content-Security-Policy = \"{opens}\"");
        assert!(include_str!("../../Trunk.toml").contains(&served), "{served}");
    }

    #[test]
    fn the_page_of_the_tests_differs_in_the_profile_alone() {
        let index = include_str!("../../index.html");
        let text = test_document(index).expect("four programs");
        let changed: Vec<(&str, &str)> = index.lines().zip(text.lines()).filter(|(old, new)| old != new).collect();
        assert_eq!((changed.len(), text.lines().count()), (4, index.lines().count()));
        for (old, new) in changed {
            let bin =
                |line: &str| line.split(" data-bin=").nth(1).map(|rest| rest.split(' ').next().map(str::to_string));
            assert_eq!(bin(old), bin(new));
            assert!(new.contains("data-cargo-profile=\"web-test\""), "{new}");
        }
        assert!(test_document("<link data-trunk rel=\"rust\" />").is_err());
    }

    #[test]
    fn trunk_leaves_wasm_opt_to_this_program() {
        // Otherwise Trunk fails wherever wasm-opt is missing.
        let index = include_str!("../../index.html");
        for link in index.split("<link").filter(|link| link.contains("rel=\"rust\"")) {
            assert!(link.contains("data-wasm-opt=\"0\""), "missing in: {link}");
        }
    }
}
