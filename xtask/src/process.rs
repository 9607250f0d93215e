//! Running other programs.
//!
//! Children stay in this program's process group and inherit its terminal, so
//! Ctrl-C reaches them directly and their output is shown unchanged.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A result whose error is a sentence for the user.
pub type Outcome<T = ()> = Result<T, String>;

/// Runs a command with its output shown; the error names `what` failed.
pub fn run(command: &mut Command, what: &str) -> Outcome {
    let status = command.status().map_err(|error| cannot_start(command, what, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{what} failed: `{}` ended with {status}, see its own lines above.", command_line(command)))
    }
}

/// Hands this process over to the command where the system can do that, so
/// that signals sent to this program reach it; returns only on failure.
pub fn become_command(command: &mut Command, what: &str) -> Outcome {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        let error = command.exec();
        Err(cannot_start(command, what, &error))
    }
    #[cfg(not(unix))]
    run(command, what)
}

/// What a command writes to its standard output, if it can be run and succeeds.
pub fn capture(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a command can be run and succeeds; its output is not shown.
pub fn succeeds(command: &mut Command) -> bool {
    capture(command).is_some()
}

/// The first program of this name on the PATH.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|directory| program_in(&directory, name)).find(|file| is_program(file))
}

/// Where a program of this name would be in a directory.
pub fn program_in(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

/// Whether the file is there and may be run.
pub fn is_program(file: &Path) -> bool {
    let Ok(metadata) = file.metadata() else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    metadata.is_file()
}

/// The Cargo that started this program, so that every step uses one toolchain.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The command as one could type it, good enough for a message.
pub fn command_line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_stem().unwrap_or(program.as_os_str());
    std::iter::once(name).chain(command.get_args()).map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

fn cannot_start(command: &Command, what: &str, error: &std::io::Error) -> String {
    format!("{what} failed: `{}` could not be started ({error}).", command.get_program().to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_without_the_folder_of_its_program() {
        let mut command = Command::new("/some/where/cargo");
        command.args(["test", "--release"]);
        assert_eq!(command_line(&command), "cargo test --release");
    }

    #[test]
    fn a_missing_program_is_named() {
        let sentence = run(&mut Command::new("no-such-program"), "The step").expect_err("missing");
        assert!(sentence.starts_with("The step failed: `no-such-program` could not be started"));
    }
}
