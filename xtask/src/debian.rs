//! Installing packages on Debian and its relatives, where that needs no question.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process::{self, Outcome};

/// Whether this system installs packages with apt.
pub fn has_apt() -> bool {
    cfg!(target_os = "linux") && process::find_program("apt-get").is_some()
}

/// Whether this is Ubuntu, whose `chromium` package only installs a snap.
pub fn is_ubuntu() -> bool {
    fs::read_to_string("/etc/os-release").is_ok_and(|text| is_ubuntu_release(&text))
}

/// Whether the package lists of this system name a package.
pub fn has_package(name: &str) -> bool {
    has_apt() && process::succeeds(Command::new("apt-cache").args(["show", name]))
}

/// Installs packages, or says which command the user has to run.
pub fn install(packages: &[&str], what: &str) -> Outcome {
    let list = packages.join(" ");
    if !has_apt() {
        return Err(format!("Install {what} ({list}) and run the command again."));
    }
    let Some(rights) = Rights::find() else {
        return Err(format!(
            "Installing {what} takes an administrator: run `sudo apt-get install -y --no-install-recommends {list}` and then the command again."
        ));
    };
    println!("Setup: installing {what} with apt-get ({list}).");
    let install = || {
        let mut command = rights.apt_get();
        command.args(["install", "-y", "--no-install-recommends"]);
        process::run(command.args(packages), "Installing packages")
    };
    if has_package_lists() && install().is_ok() {
        return Ok(());
    }
    println!("Setup: the package lists are missing or old; fetching them.");
    process::run(rights.apt_get().arg("update"), "Fetching the package lists")
        .and_then(|()| install())
        .map_err(|sentence| format!("{sentence} Run `sudo apt-get update && sudo apt-get install {list}` to see why."))
}

/// How apt-get may be run without asking for a password.
enum Rights {
    Root,
    Sudo,
}

impl Rights {
    fn find() -> Option<Self> {
        let user = process::capture(Command::new("id").arg("-u"));
        if user.is_some_and(|number| number.trim() == "0") {
            Some(Self::Root)
        } else if process::succeeds(Command::new("sudo").args(["-n", "true"])) {
            Some(Self::Sudo)
        } else {
            None
        }
    }

    fn apt_get(&self) -> Command {
        let quiet = "DEBIAN_FRONTEND=noninteractive";
        let mut command = match self {
            Self::Root => Command::new("env"),
            Self::Sudo => {
                let mut sudo = Command::new("sudo");
                sudo.args(["-n", "env"]);
                sudo
            }
        };
        command.args([quiet, "apt-get"]);
        command
    }
}

/// New machines and container images come without package lists.
fn has_package_lists() -> bool {
    let lists = fs::read_dir(Path::new("/var/lib/apt/lists"));
    lists.is_ok_and(|mut entries| {
        entries.any(|entry| entry.is_ok_and(|entry| entry.file_name().to_string_lossy().contains("_Packages")))
    })
}

fn is_ubuntu_release(text: &str) -> bool {
    text.lines().filter_map(|line| line.strip_prefix("ID=")).any(|name| name.trim_matches('"') == "ubuntu")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ubuntu_is_told_from_its_relatives() {
        assert!(is_ubuntu_release("NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\n"));
        assert!(is_ubuntu_release("ID=\"ubuntu\"\n"));
        assert!(!is_ubuntu_release("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"));
        assert!(!is_ubuntu_release("ID=debian\n"));
    }
}
