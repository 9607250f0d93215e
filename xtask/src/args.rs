//! What the user typed, as a value.

use std::ffi::OsString;

/// What `cargo xtask help` prints.
pub const USAGE: &str = "\
Usage: cargo xtask <command>

  serve [--port N] [--open] [--public-url PATH]
                      build the page and serve it at http://127.0.0.1:8080,
                      again after every change to the sources
  build [--public-url PATH] [--site URL]
                      build the page into dist/, for any static host; --site
                      is the address it will have, for search engines
  install [-- ARGS]   build the page and install a memplan that carries it;
                      ARGS are those of cargo install, such as --root DIR
  dist [--target T] [--tag V]
                      files of a release in target/dist, with checksums: a
                      program with the page inside and, without --target, the
                      page as an archive; --tag checks version and changelog
  test [--fast | --full | --nightly]
                      format, lints and tests, in about ten minutes; --fast
                      without a browser, --full with every detail, --nightly
                      what takes longest, on the page as it is published
  test NAME           the tests whose names contain NAME, of all tiers
  setup               only install what the other commands need
  screenshots         take the pictures in docs/images again
  bench [-- ARGS]     the native benchmarks
  fuzz [--minutes N]  damage stored files for N minutes, one unless told
                      otherwise, and print what was found
  fuzz TARGET [-- ARGS]
                      run one target by cargo-fuzz
  licenses            write www/licenses.html, after a library has changed
  audit [-- ARGS]     check the libraries by deny.toml, with cargo-deny
  finish              called by Trunk: wasm-opt, and a folder for the version
  help                this text";

/// The port `serve` uses when none is given.
pub const DEFAULT_PORT: u16 = 8080;

/// One command with its options.
#[derive(Debug, PartialEq, Eq)]
pub enum Task {
    /// Print the usage.
    Help,
    /// Install what is missing, nothing else.
    Setup,
    /// Build the static page.
    Build {
        /// Where the page will live, when not relative to itself.
        public_url: Option<String>,
        /// The address that the page will have.
        site: Option<String>,
    },
    /// Build the page and install the command line with the page inside.
    Install {
        /// Passed on to `cargo install`.
        arguments: Vec<String>,
    },
    /// Write the files of a release.
    Dist(DistOptions),
    /// Build the page and serve it on this machine.
    Serve(ServeOptions),
    /// Finish the page that Trunk has built; Trunk calls it.
    Finish,
    /// Run the checks and tests of a tier.
    Test(Tier),
    /// Run the tests whose names contain a text.
    TestOnly {
        /// The text.
        name: String,
    },
    /// Take the pictures of the documentation.
    Screenshots,
    /// Run the native benchmarks.
    Bench {
        /// Passed on to the benchmark program.
        arguments: Vec<String>,
    },
    /// Write the page of licenses.
    Licenses,
    /// Check the libraries.
    Audit {
        /// Passed on to cargo-deny, in place of everything that it checks.
        arguments: Vec<String>,
    },
    /// Damage stored files, or run a fuzz target.
    Fuzz {
        /// One target, run by cargo-fuzz; the project's own loop when absent.
        target: Option<String>,
        /// How long the loop runs.
        minutes: Option<u16>,
        /// Passed on to the fuzzer.
        arguments: Vec<String>,
    },
}

/// How much is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// What needs no browser.
    Fast,
    /// What everybody runs before a change lands.
    Default,
    /// All that is known to matter.
    Full,
    /// What takes longest, with the published page. It does not repeat `Full`.
    Nightly,
}

/// What is released.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DistOptions {
    /// The machine that the program is for, as Rust calls it; this one when absent.
    pub target: Option<String>,
    /// The tag that is released, which must fit version and changelog.
    pub tag: Option<String>,
}

/// How the page is served.
#[derive(Debug, PartialEq, Eq)]
pub struct ServeOptions {
    /// The port on 127.0.0.1.
    pub port: u16,
    /// Open the page in the user's browser.
    pub open: bool,
    /// The path the page is served under.
    pub public_url: Option<String>,
}

/// Reads the command line (without the program's name); the error is a sentence.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Task, String> {
    let mut words = Vec::new();
    for argument in arguments {
        words.push(argument.into_string().map_err(|argument| {
            format!("The argument {argument:?} is not valid UTF-8: type it in plain characters.")
        })?);
    }
    let Some((name, rest)) = words.split_first() else {
        return Err("No command was given: choose one of those below.".to_string());
    };
    let (own, passed_on) = match rest.iter().position(|word| word == "--") {
        Some(at) => (&rest[..at], rest[at + 1..].to_vec()),
        None => (rest, Vec::new()),
    };
    let mut options = Options::read(name, own)?;
    let takes_more = matches!(name.as_str(), "bench" | "fuzz" | "audit" | "install");
    if !takes_more && rest.len() != own.len() {
        return Err(format!("`{name}` takes nothing after `--`."));
    }

    let task = match name.as_str() {
        "help" | "--help" | "-h" => Task::Help,
        _ if options.help => Task::Help,
        "setup" => Task::Setup,
        "build" => Task::Build { public_url: options.public_url.take(), site: options.site.take() },
        "install" => Task::Install { arguments: passed_on },
        "dist" => Task::Dist(DistOptions { target: options.target.take(), tag: options.tag.take() }),
        "serve" => Task::Serve(ServeOptions {
            port: options.port.take().unwrap_or(DEFAULT_PORT),
            open: std::mem::take(&mut options.open),
            public_url: options.public_url.take(),
        }),
        "finish" => Task::Finish,
        "test" => {
            let chosen = [
                (std::mem::take(&mut options.fast), Tier::Fast),
                (std::mem::take(&mut options.full), Tier::Full),
                (std::mem::take(&mut options.nightly), Tier::Nightly),
            ];
            let mut tiers = chosen.iter().filter(|(is_chosen, _)| *is_chosen).map(|(_, tier)| *tier);
            match (tiers.next(), tiers.next(), options.word.take()) {
                (tier, None, None) => Task::Test(tier.unwrap_or(Tier::Default)),
                (None, None, Some(name)) => Task::TestOnly { name },
                _ => return Err("`test` takes one of `--fast`, `--full`, `--nightly` and a name.".to_string()),
            }
        }
        "screenshots" => Task::Screenshots,
        "bench" => Task::Bench { arguments: passed_on },
        "licenses" => Task::Licenses,
        "audit" => Task::Audit { arguments: passed_on },
        "fuzz" => {
            let (target, minutes) = (options.word.take(), options.minutes.take());
            if target.is_none() && !passed_on.is_empty() || target.is_some() && minutes.is_some() {
                return Err("`fuzz` takes `--minutes`, or a target and what follows `--`.".to_string());
            }
            Task::Fuzz { target, minutes, arguments: passed_on }
        }
        _ => return Err(format!("There is no command `{name}`.")),
    };
    match options.left_over() {
        Some(option) if task != Task::Help => Err(format!("`{name}` does not take {option}.")),
        _ => Ok(task),
    }
}

/// Every option any command takes; a command takes out what it understands,
/// and what is left over is an error.
#[derive(Default)]
struct Options {
    help: bool,
    port: Option<u16>,
    minutes: Option<u16>,
    open: bool,
    fast: bool,
    full: bool,
    nightly: bool,
    public_url: Option<String>,
    site: Option<String>,
    target: Option<String>,
    tag: Option<String>,
    word: Option<String>,
}

impl Options {
    fn read(command: &str, words: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (flag, attached) = match word.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_string())),
                _ => (word.as_str(), None),
            };
            let mut value = || {
                let value = attached.clone().or_else(|| words.next().cloned());
                value.ok_or_else(|| format!("`{flag}` needs a value after it."))
            };
            match flag {
                "--port" => options.port = Some(port(&value()?)?),
                "--minutes" => options.minutes = Some(minutes(&value()?)?),
                "--public-url" => options.public_url = Some(value()?),
                "--site" => options.site = Some(value()?),
                "--target" => options.target = Some(value()?),
                "--tag" => options.tag = Some(value()?),
                "--open" if attached.is_none() => options.open = true,
                "--fast" if attached.is_none() => options.fast = true,
                "--full" if attached.is_none() => options.full = true,
                "--nightly" if attached.is_none() => options.nightly = true,
                "--help" | "-h" if attached.is_none() => options.help = true,
                _ if flag.starts_with('-') || options.word.is_some() => {
                    return Err(format!("`{command}` does not take `{word}`."));
                }
                _ => options.word = Some(word.clone()),
            }
        }
        Ok(options)
    }

    fn left_over(&self) -> Option<String> {
        let flags = [
            (self.port.is_some(), "--port"),
            (self.minutes.is_some(), "--minutes"),
            (self.open, "--open"),
            (self.fast, "--fast"),
            (self.full, "--full"),
            (self.nightly, "--nightly"),
            (self.public_url.is_some(), "--public-url"),
            (self.site.is_some(), "--site"),
            (self.target.is_some(), "--target"),
            (self.tag.is_some(), "--tag"),
        ];
        let flag = flags.iter().find(|(given, _)| *given);
        flag.map(|(_, name)| format!("`{name}`")).or_else(|| self.word.as_ref().map(|word| format!("`{word}`")))
    }
}

fn port(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("`{text}` is not a port: give a number from 1 to 65535.")),
    }
}

fn minutes(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!("`{text}` is no number of minutes: give one from 1 to 65535.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Task, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn serve(port: u16, open: bool, public_url: Option<&str>) -> Result<Task, String> {
        Ok(Task::Serve(ServeOptions { port, open, public_url: public_url.map(str::to_string) }))
    }

    #[test]
    fn serve_has_defaults_and_takes_options_in_both_forms() {
        assert_eq!(read("serve"), serve(8080, false, None));
        assert_eq!(read("serve --port 9000 --open --public-url=/a/"), serve(9000, true, Some("/a/")));
        assert_eq!(read("serve --port=9000"), serve(9000, false, None));
    }

    #[test]
    fn a_bad_port_is_named() {
        for line in ["serve --port x", "serve --port 0", "serve --port 65536"] {
            let sentence = read(line).expect_err(line);
            assert!(sentence.contains("is not a port"), "{sentence}");
        }
        let sentence = read("serve --port").expect_err("no value");
        assert!(sentence.contains("needs a value"), "{sentence}");
    }

    #[test]
    fn options_of_other_commands_are_refused() {
        for line in [
            "build --fast",
            "test --open",
            "setup --port 1",
            "test words more",
            "test --fast words",
            "test --fast --full",
            "fuzz a b",
            "fuzz -- -runs=5",
            "fuzz onnx --minutes 2",
            "fuzz --minutes 0",
            "test --minutes 2",
            "build --target x",
            "dist --port 1",
            "bench a",
            "build --nonsense",
            "test --fast=yes",
            "build -- more",
        ] {
            assert!(read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn fuzz_and_bench_pass_on_what_follows_two_dashes() {
        assert_eq!(
            read("fuzz onnx -- -runs=5 --port"),
            Ok(Task::Fuzz {
                target: Some("onnx".to_string()),
                minutes: None,
                arguments: vec!["-runs=5".to_string(), "--port".to_string()],
            })
        );
        assert_eq!(read("fuzz --minutes=5"), Ok(Task::Fuzz { target: None, minutes: Some(5), arguments: vec![] }));
        assert_eq!(
            read("install -- --root /opt"),
            Ok(Task::Install { arguments: vec!["--root".to_string(), "/opt".to_string()] })
        );
        let (target, tag) = (Some("a-b".to_string()), Some("v1".to_string()));
        assert_eq!(read("dist --target a-b --tag=v1"), Ok(Task::Dist(DistOptions { target, tag })));
        assert_eq!(read("bench -- packing"), Ok(Task::Bench { arguments: vec!["packing".to_string()] }));
    }

    #[test]
    fn a_test_run_has_one_tier_or_a_name() {
        assert_eq!(read("test"), Ok(Task::Test(Tier::Default)));
        assert_eq!(read("test --fast"), Ok(Task::Test(Tier::Fast)));
        assert_eq!(read("test --full"), Ok(Task::Test(Tier::Full)));
        assert_eq!(read("test --nightly"), Ok(Task::Test(Tier::Nightly)));
        assert_eq!(read("test words::keys"), Ok(Task::TestOnly { name: "words::keys".to_string() }));
    }

    #[test]
    fn help_wins_and_unknown_commands_are_named() {
        assert_eq!(read("help"), Ok(Task::Help));
        assert_eq!(read("serve --help --port 1"), Ok(Task::Help));
        assert_eq!(read("biuld"), Err("There is no command `biuld`.".to_string()));
        assert!(read("").is_err());
    }
}
