//! The command line: commands, options and their help.

use std::ffi::OsString;
use std::num::NonZeroU16;

xflags::xflags! {
    /// Build, test and serve memplan. Usage: cargo xtask <command>
    cmd xtask {
        /// Build the page and serve it at http://127.0.0.1:8080, again after every change to the
        /// sources.
        cmd serve {
            /// Another port on 127.0.0.1.
            optional --port number: NonZeroU16
            /// Open the page in the browser.
            optional --open
            /// The path that the page is served under, such as /memplan/.
            optional --public-url path: String
        }
        /// Build the page into dist/, for any static host.
        cmd build {
            /// Where the page will live, when not relative to itself.
            optional --public-url path: String
            /// The address that the page will have, for search engines.
            optional --site url: String
        }
        /// Build the page and install a memplan that carries it.
        cmd install {
            /// After `--`: those of cargo install, such as --root DIR.
            repeated arguments: String
        }
        /// Write the files of a release into target/dist, with checksums: a program with the page
        /// inside and, without --target, the page as an archive.
        cmd dist {
            /// The machine that the program is for, as Rust calls it; this one when absent.
            optional --target machine: String
            /// The tag that is released: version and changelog are checked.
            optional --tag tag: String
        }
        /// Build the Python wheel into target/wheels, with the page of dist/ inside, and test it in
        /// a fresh environment.
        cmd wheel {
            /// Without the page: sooner, and `memplan view` needs --page.
            optional --no-page
            /// The machine that the wheel is for, as Rust calls it; this one when absent.
            optional --target machine: String
            /// Packages of PyPI that the tests need besides pytest, such as `torch,jax,onnx`;
            /// tests of others are left out.
            optional --packages names: String
        }
        /// Write the JavaScript module as a package for npm into target/npm, from dist/, and test
        /// it in an empty project with Vite.
        cmd npm {}
        /// Publish the crates, and the module that `npm` has packed; called by the workflow of a
        /// release.
        cmd publish {
            /// Do all but the upload.
            optional --dry-run
            /// Only the crates.
            optional --crates
            /// Only the module.
            optional --npm
        }
        /// Check format and lints and run the tests, in about ten minutes.
        cmd test {
            /// Without a browser.
            optional --fast
            /// With every detail.
            optional --full
            /// What takes longest, on the page as it is published.
            optional --nightly
            /// Only the tests whose names contain this, of all tiers.
            optional name: String
        }
        /// Only install what the other commands need.
        cmd setup {}
        /// Take the pictures in docs/images again.
        cmd screenshots {}
        /// Run the native benchmarks.
        cmd bench {
            /// After `--`: passed on to the benchmark program.
            repeated arguments: String
        }
        /// Run all planners on the public instances and write the league: www/league and
        /// docs/league.md.
        cmd league {
            /// After `--`: passed on to `memplan league`, such as --instances DIR.
            repeated arguments: String
        }
        /// Damage stored files for some minutes and print what was found, or run one target by
        /// cargo-fuzz.
        cmd fuzz {
            /// Minutes of the project's own loop, one unless told otherwise.
            optional --minutes number: NonZeroU16
            /// The target of cargo-fuzz.
            optional target: String
            /// After `--`: passed on to the fuzzer.
            repeated arguments: String
        }
        /// Write www/licenses.html, after a library has changed.
        cmd licenses {}
        /// Check the libraries by deny.toml, with cargo-deny.
        cmd audit {
            /// After `--`: passed on to cargo-deny, in place of everything that it checks.
            repeated arguments: String
        }
        /// Called by Trunk: wasm-opt, and a folder for the version.
        cmd finish {}
        /// Print this text.
        cmd help {}
    }
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

/// Reads the command line (without the program's name).
pub fn parse(arguments: impl Iterator<Item = OsString>) -> xflags::Result<XtaskCmd> {
    let mut words = Vec::new();
    let mut is_own = true;
    for word in arguments {
        is_own &= word != "--";
        // Options in the form `--port=8080`, which xflags does not know.
        match word.to_str().filter(|_| is_own).and_then(|word| word.strip_prefix("--")?.split_once('=')) {
            Some((flag, value)) => words.extend([format!("--{flag}").into(), value.into()]),
            None => words.push(word),
        }
    }
    let command = Xtask::from_vec(words)?.subcommand;
    match &command {
        XtaskCmd::Help(_) => Xtask::from_vec(vec!["--help".into()]).map(|xtask| xtask.subcommand),
        XtaskCmd::Test(test) => test.tier().map(|_| command),
        XtaskCmd::Fuzz(fuzz) => fuzz.check().map(|()| command),
        _ => Ok(command),
    }
}

impl Test {
    /// Returns the chosen tier.
    ///
    /// # Errors
    /// More than one thing was chosen.
    pub fn tier(&self) -> xflags::Result<Tier> {
        match (self.fast, self.full, self.nightly, &self.name) {
            (false, false, false, _) => Ok(Tier::Default),
            (true, false, false, None) => Ok(Tier::Fast),
            (false, true, false, None) => Ok(Tier::Full),
            (false, false, true, None) => Ok(Tier::Nightly),
            _ => Err(xflags::Error::new("`test` takes one of `--fast`, `--full`, `--nightly` and a name.")),
        }
    }
}

impl Fuzz {
    fn check(&self) -> xflags::Result<()> {
        // What follows `--` counts as the target where there is none.
        let has_target = self.target.as_ref().is_some_and(|target| !target.starts_with('-'));
        match has_target == self.target.is_some() && !(has_target && self.minutes.is_some()) {
            true => Ok(()),
            false => Err(xflags::Error::new("`fuzz` takes `--minutes`, or a target and what follows `--`.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> xflags::Result<XtaskCmd> {
        parse(line.split_whitespace().map(OsString::from))
    }

    /// What a line is read as, as text.
    fn shown(line: &str) -> String {
        format!("{:?}", read(line).unwrap_or_else(|error| panic!("{line}: {error}")))
    }

    #[test]
    fn options_are_taken_in_both_forms() {
        assert_eq!(shown("serve"), "Serve(Serve { port: None, open: false, public_url: None })");
        for line in ["serve --port 9000 --open --public-url=/a/", "serve --port=9000 --public-url /a/ --open"] {
            assert_eq!(shown(line), "Serve(Serve { port: Some(9000), open: true, public_url: Some(\"/a/\") })");
        }
        assert_eq!(shown("dist --target a-b --tag=v1"), "Dist(Dist { target: Some(\"a-b\"), tag: Some(\"v1\") })");
    }

    #[test]
    fn what_a_command_does_not_take_is_refused() {
        for line in [
            "serve --port x",
            "serve --port 0",
            "serve --port 65536",
            "serve --port",
            "build --fast",
            "test --open",
            "setup --port 1",
            "test words more",
            "test --fast words",
            "test --fast --full",
            "fuzz -- -runs=5",
            "fuzz onnx --minutes 2",
            "fuzz --minutes 0",
            "test --minutes 2",
            "build --target x",
            "dist --port 1",
            "build --nonsense",
            "test --fast=yes",
            "build -- more",
            "biuld",
            "",
        ] {
            assert!(read(line).is_err_and(|error| !error.is_help() && !error.to_string().is_empty()), "{line}");
        }
    }

    #[test]
    fn what_follows_two_dashes_is_passed_on() {
        assert_eq!(
            shown("fuzz onnx -- -runs=5 --port=1"),
            "Fuzz(Fuzz { target: Some(\"onnx\"), arguments: [\"-runs=5\", \"--port=1\"], minutes: None })"
        );
        assert_eq!(shown("fuzz --minutes=5"), "Fuzz(Fuzz { target: None, arguments: [], minutes: Some(5) })");
        assert_eq!(shown("install -- --root /opt"), "Install(Install { arguments: [\"--root\", \"/opt\"] })");
        assert_eq!(shown("bench -- packing"), "Bench(Bench { arguments: [\"packing\"] })");
    }

    #[test]
    fn a_test_run_has_one_tier_or_a_name() {
        let tier = |line| match read(line) {
            Ok(XtaskCmd::Test(test)) => (test.tier().expect("one"), test.name),
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(tier("test"), (Tier::Default, None));
        assert_eq!(tier("test --fast"), (Tier::Fast, None));
        assert_eq!(tier("test --full"), (Tier::Full, None));
        assert_eq!(tier("test --nightly"), (Tier::Nightly, None));
        assert_eq!(tier("test words::keys"), (Tier::Default, Some("words::keys".to_string())));
    }

    #[test]
    fn help_wins_and_names_every_command() {
        for line in ["help", "--help", "-h", "serve --help --port 1"] {
            let help = read(line).expect_err("help");
            assert!(help.is_help() && help.to_string().contains("xtask screenshots"), "{line}");
        }
    }
}
