//! `scripts/diff-models` in a repository of its own, with an event and a `gh` that are made up.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::{Folder, GRAPH, code, stderr};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/diff-models");

/// Writes down how it is called; knows one comment if the file `known` is there, and refuses
/// everything with `refuses`.
const GH: &str = r#"#!/bin/sh
printf '%s\n' "$*" >>"$GH_FOLDER/calls"
[ ! -e "$GH_FOLDER/refuses" ] || exit 1
case "$*" in *--paginate*) [ ! -e "$GH_FOLDER/known" ] || echo 77 ;; esac
"#;

/// A repository with two commits: the second has a wider output, and the base is the first.
struct Repository {
    folder: Folder,
    base: String,
}

impl Repository {
    fn new(second: &str) -> Repository {
        let folder = Folder::new();
        let repository = Repository { folder, base: String::new() };
        repository.git(&["init", "--quiet"]);
        repository.write("models/small net.json", GRAPH);
        repository.write("models/deep/other.json", GRAPH);
        repository.commit();
        let base = repository.git(&["rev-parse", "HEAD"]);
        repository.write("models/small net.json", second);
        repository.commit();
        repository.write("bin/gh", GH);
        let gh = repository.path("bin/gh");
        fs::set_permissions(gh, fs::Permissions::from_mode(0o755)).expect("allowed");
        Repository { base: base.trim().to_string(), ..repository }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.0.join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }

    fn git(&self, arguments: &[&str]) -> String {
        let who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").args(who).args(arguments).current_dir(&self.folder.0).output().expect("git");
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    fn commit(&self) {
        self.git(&["add", "models"]);
        self.git(&["commit", "--quiet", "-m", "models"]);
    }

    /// Runs the script as the action would, for a pull request with the number 12.
    fn run(&self, more: &[(&str, &str)]) -> Output {
        let event = format!(r#"{{"pull_request":{{"number":12,"base":{{"sha":"{}"}}}}}}"#, self.base);
        self.write("event.json", &event);
        let path = |name: &str| self.path(name).display().to_string();
        let found = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(SCRIPT);
        command.current_dir(&self.folder.0).env("PATH", format!("{}:{found}", path("bin")));
        command.env("MEMPLAN", env!("CARGO_BIN_EXE_memplan")).env("MEMPLAN_MODELS", "models/*.json\n");
        command.env("MEMPLAN_PLANNER", "first-fit").env("MEMPLAN_OUT", path("out")).env("MEMPLAN_COMMENT", "true");
        command.env("GITHUB_EVENT_PATH", path("event.json")).env("GITHUB_REPOSITORY", "someone/models");
        command.env("GITHUB_STEP_SUMMARY", path("summary.md")).env("GH_FOLDER", path("bin"));
        command.envs(more.iter().copied()).output().expect("the script starts")
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }
}

fn wider() -> String {
    GRAPH.replace(r#"[100],"kind":"output""#, r#"[1000],"kind":"output""#)
}

#[test]
fn a_rise_is_commented_and_fails_above_the_limit() {
    let repository = Repository::new(&wider());
    let output = repository.run(&[("MEMPLAN_FAIL_ABOVE", "3%")]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let comment = repository.read("out/comment.md").replace('\u{202f}', " ");
    assert!(
        comment.starts_with("<!-- memplan -->\n### Memory: models/small net.json +390.6 %, above the limit of 3%\n"),
        "{comment}"
    );
    assert!(
        comment.contains("| **models/small net.json** | 256 B | **1 256 B** | **+1 000 B, +390.6 %** |"),
        "{comment}"
    );
    assert!(!comment.contains("deep"), "a star stands for one folder: {comment}");
    assert_eq!(repository.read("summary.md"), repository.read("out/comment.md"));
    let calls = repository.read("bin/calls");
    assert_eq!(calls.lines().count(), 2, "{calls}");
    assert!(calls.contains("--method POST repos/someone/models/issues/12/comments -F body=@"), "{calls}");
}

#[test]
fn its_own_comment_is_edited() {
    let repository = Repository::new(&wider());
    repository.write("bin/known", "");
    let output = repository.run(&[("MEMPLAN_FAIL_ABOVE", "2KiB")]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let calls = repository.read("bin/calls");
    assert!(
        calls.contains("--method PATCH repos/someone/models/issues/comments/77 ") && !calls.contains("POST"),
        "{calls}"
    );
}

#[test]
fn without_a_change_there_is_no_new_comment() {
    let repository = Repository::new(&format!("{GRAPH}\n"));
    let output = repository.run(&[("MEMPLAN_MODELS", "models/**/*.json")]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(repository.read("summary.md").contains("### Memory: no change"));
    assert_eq!(repository.read("bin/calls").lines().count(), 1, "only the list of comments");
}

#[test]
fn without_permission_the_limit_holds_all_the_same() {
    let repository = Repository::new(&wider());
    repository.write("bin/refuses", "");
    let output = repository.run(&[("MEMPLAN_FAIL_ABOVE", "3%"), ("MEMPLAN_PAGE", "https://memplan.example/")]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("no permission"), "{}", stderr(&output));
    let comment = repository.read("out/comment.md");
    let link = format!("doc=url:https%3A%2F%2Fraw.githubusercontent.com%2Fsomeone%2Fmodels%2F{}", repository.base);
    assert!(comment.contains(&link) && comment.contains("small%20net.json"), "{comment}");
}

/// Names that git quotes, that no file system takes in one piece, and that would act on a log or a
/// comment.
#[test]
fn every_name_that_git_takes_is_compared() {
    let repository = Repository::new(&wider());
    let deep = format!("models/{}/net.json", ["d".repeat(120), "e".repeat(120), "f".repeat(120)].join("/"));
    let names =
        ["models/modèle.json", "models/a\"b\\.json", "models/two\n::error::lines.json", "models/@all#1?%.json", &deep];
    for name in names {
        repository.write(name, GRAPH);
    }
    repository.commit();
    let base = repository.git(&["rev-parse", "HEAD"]);
    for name in names {
        repository.write(name, &wider());
    }
    repository.commit();
    let repository = Repository { base: base.trim().to_string(), ..repository };
    let output = repository.run(&[("MEMPLAN_MODELS", "models/**/*.json"), ("MEMPLAN_FAIL_ABOVE", "3%")]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let comment = repository.read("out/comment.md").replace("&#8203;", "").replace('\\', "").replace('\u{202f}', " ");
    for name in names {
        let shown = name.replace('\n', " ").replace('\\', "");
        assert!(comment.contains(&format!("| **{shown}** | 256 B |")), "{shown}: {comment}");
    }
    let output = repository.run(&[("MEMPLAN_MODELS", "models/@*.json"), ("MEMPLAN_PAGE", "https://memplan.example/")]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(repository.read("out/comment.md").contains("%2Fmodels%2F%40all%25231%253F%2525.json"));
}

/// What a link leads to is outside the repository: neither its contents nor their absence may show.
#[test]
fn symbolic_links_are_left_out() {
    let repository = Repository::new(&wider());
    repository.write("secret.csv", "id,lower,upper,size\nsecret,0,2,8\n");
    std::os::unix::fs::symlink("../secret.csv", repository.path("models/link.json")).expect("a link");
    std::os::unix::fs::symlink("/dev/zero", repository.path("models/zero.json")).expect("a link");
    repository.commit();
    let output = repository.run(&[]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = stderr(&output);
    assert!(
        said.contains("symbolic link: models/link.json") && said.contains("symbolic link: models/zero.json"),
        "{said}"
    );
    let comment = repository.read("out/comment.md");
    assert!(comment.contains("**models/small net.json**") && !comment.contains("link.json"), "{comment}");
    assert!(!comment.contains("secret"), "{comment}");
}

/// A one for anything else would read as a peak above the limit.
#[test]
fn only_a_limit_has_exit_code_one() {
    let repository = Repository::new(&wider());
    repository.write("bin/fails", "#!/bin/sh\nexit 1\n");
    fs::set_permissions(repository.path("bin/fails"), fs::Permissions::from_mode(0o755)).expect("allowed");
    let fails = repository.path("bin/fails").display().to_string();
    for more in [
        ("MEMPLAN", fails.as_str()),
        ("MEMPLAN", "no-such-program"),
        ("MEMPLAN_BASE", "0123456789012345678901234567890123456789"),
        ("MEMPLAN_MODELS", ":(bad"),
        ("MEMPLAN_OUT", "/dev/null/out"),
    ] {
        let output = repository.run(&[more]);
        assert_eq!(code(&output), 2, "{more:?}: {}", stderr(&output));
        assert!(!stderr(&output).is_empty(), "{more:?}");
    }
}

#[test]
fn what_is_missing_is_said() {
    let repository = Repository::new(&wider());
    for (name, value, words) in [
        ("MEMPLAN_MODELS", "models/*.onnx", "No file of either commit"),
        ("MEMPLAN_MODELS", "", "names no models"),
        ("MEMPLAN_PLANNER", "magic", "magic"),
        ("MEMPLAN_FAIL_ABOVE", "a lot", "not a limit"),
    ] {
        let output = repository.run(&[(name, value)]);
        assert_eq!(code(&output), 2, "{name}={value}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{name}={value}: {}", stderr(&output));
    }
    assert_eq!(repository.read("bin/calls"), "");
}

#[test]
fn the_action_has_what_its_script_reads() {
    let action = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../action.yml")).expect("the action");
    let script = fs::read_to_string(SCRIPT).expect("the script");
    let given = action.lines().filter_map(|line| line.trim().split_once(':')).map(|(name, _)| name);
    for name in given.filter(|name| name.starts_with("MEMPLAN")) {
        assert!(script.contains(&format!("{name}:-")) || script.contains(&format!("${name}")), "{name}");
    }
    for file in ["scripts/diff-models", "scripts/get-memplan"] {
        assert!(action.contains(file), "{file}");
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(file);
        assert_eq!(fs::metadata(path).expect("a script").permissions().mode() & 0o111, 0o111, "{file} can be run");
    }
}
