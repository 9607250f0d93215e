//! `memplan view`: who gets what from the server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use super::*;

const PAGE: &str = "<html><head><title>memplan</title></head></html>";

/// A running `memplan view`, ended with the test.
struct Viewer {
    program: Child,
    links: Vec<String>,
    host: String,
    /// The path of the page, with a slash at both ends.
    path: String,
}

impl Viewer {
    /// Starts it on a page that is a folder, and reads one link for each file.
    fn start(folder: &Folder, files: &[&str], options: &[&str]) -> Viewer {
        fs::create_dir_all(folder.0.join("page/build-1")).expect("a folder");
        folder.file("page/index.html", PAGE);
        folder.file("page/service.js", "keep();");
        folder.file("page/build-1/app.js", "start();");
        folder.file("secret.txt", "secret");
        let mut command = crate::program();
        command.args(["view", "--no-open", "--page", &folder.path("page")]).args(files).args(options);
        let mut program = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
        let mut lines = BufReader::new(program.stdout.take().expect("its output")).lines();
        let links: Vec<String> =
            (0..files.len().max(1)).map(|_| lines.next().expect("a link").expect("text")).collect();
        let (host, path) =
            links[0].strip_prefix("http://").and_then(|link| link.split_once('/')).expect("an address of this machine");
        let path = format!("/{}/", path.split('/').next().expect("a token"));
        Viewer { program, host: host.to_string(), path, links: links.clone() }
    }

    /// The status, headers and body of an answer. `target` is sent as it is.
    fn ask(&self, method: &str, target: &str, host: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(&self.host).expect("a connection");
        write!(stream, "{method} {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, head.to_string(), body.to_string())
    }

    /// The status and body of a path below the token.
    fn get(&self, path: &str) -> (u16, String) {
        let (status, _, body) = self.ask("GET", &format!("{}{path}", self.path), &self.host);
        (status, body)
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn view_serves_the_page_and_the_files_that_were_named() {
    let folder = Folder::new();
    let graph = folder.file("tiny graph.json", GRAPH);
    let buffers = folder.file("b.csv", BUFFERS);
    let viewer = Viewer::start(&folder, &[&graph, "ex:learn/pin", &buffers], &["--planner", "first-fit"]);
    let page = format!("http://{}{}", viewer.host, viewer.path);
    assert!(viewer.host.starts_with("127.0.0.1:") && viewer.path.len() == 34, "{page}");
    let rest: Vec<&str> = viewer.links.iter().filter_map(|link| link.strip_prefix(&*page)).collect();
    let expected = [
        "#doc=url:files/0/0/tiny_graph.json&plan=first-fit",
        "#doc=ex:learn/pin&plan=first-fit",
        "#doc=url:files/1/0/b.csv&plan=first-fit",
    ];
    assert_eq!(rest, expected);
    assert_eq!(viewer.get(""), (200, PAGE.to_string()));
    assert_eq!(viewer.get("index.html?embed=1"), (200, PAGE.to_string()));
    assert_eq!(viewer.get("build-1/app.js"), (200, "start();".to_string()));
    assert_eq!(viewer.get("files/0/0/tiny_graph.json"), (200, GRAPH.to_string()));
    assert_eq!(viewer.get("files/1/7/whatever"), (200, BUFFERS.to_string()));
    // What would outlive the program is not there, nor what only --watch needs.
    for path in
        ["service.js", "versions.json", "watch.js", "files/2/0/b.csv", "files/x", "files/", "build-1", "build-1/"]
    {
        assert_eq!(viewer.get(path), (404, String::new()), "{path}");
    }
    let (_, head, _) = viewer.ask("GET", &viewer.path, &viewer.host);
    let policy = include_str!("../../../Trunk.toml").split("Content-Security-Policy = \"").nth(1);
    let policy = policy.and_then(|rest| rest.split('"').next()).expect("the policy of the page");
    assert!(head.contains(&format!("\r\ncontent-security-policy: {policy}; frame-ancestors 'none'\r\n")), "{head}");
    assert!(head.contains("cache-control: no-store") && head.contains("content-type: text/html"), "{head}");
}

#[test]
fn view_refuses_who_does_not_have_the_link() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    let viewer = Viewer::start(&folder, &[&graph], &[]);
    let other_token = format!("/{}/", "0".repeat(32));
    for target in [
        "/",
        "/index.html",
        &other_token,
        &format!("{other_token}files/0/0/g.json"),
        "/files/0/0/g.json",
        &viewer.path[..33],
    ] {
        let (status, _, body) = viewer.ask("GET", target, &viewer.host);
        assert_eq!((status, &*body), (403, ""), "{target}");
    }
    let port = viewer.host.split(':').nth(1).expect("a port");
    for host in ["example.org", "127.0.0.1", "", &format!("localhost:{port}"), &format!("evil.example:{port}")] {
        let (status, _, body) = viewer.ask("GET", &viewer.path, host);
        assert_eq!((status, &*body), (403, ""), "{host}");
    }
    let twice = format!("{}\r\nHost: example.org", viewer.host);
    assert_eq!(viewer.ask("GET", &viewer.path, &twice).0, 403);
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        assert_eq!(viewer.ask(method, &viewer.path, &viewer.host).0, 405, "{method}");
    }
    assert_eq!(viewer.ask("HEAD", &viewer.path, &viewer.host).0, 200);
}

#[test]
fn view_reads_nothing_but_the_page_and_its_files() {
    let folder = Folder::new();
    let graph = folder.file("g.json", GRAPH);
    #[cfg(unix)]
    {
        fs::create_dir_all(folder.0.join("page")).expect("a folder");
        std::os::unix::fs::symlink("../secret.txt", folder.0.join("page/link.txt")).expect("a link");
    }
    let viewer = Viewer::start(&folder, &[&graph], &[]);
    for path in [
        "../secret.txt",
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "..\\secret.txt",
        "build-1/../../secret.txt",
        "//etc/passwd",
        "/etc/passwd",
        "files/../secret.txt",
        "files/0/../../../secret.txt/../g.json",
        "link.txt",
        "./index.html",
    ] {
        let (status, body) = viewer.get(path);
        assert!(status == 404 && body.is_empty() || body == GRAPH, "{path}: {status} {body}");
    }
    // A path without its token first is none at all.
    assert_eq!(viewer.ask("GET", &format!("/..{}", viewer.path), &viewer.host).0, 403);
    assert_eq!(viewer.ask("GET", &format!("http://{}{}", viewer.host, viewer.path), &viewer.host).0, 403);
}

#[test]
fn view_tells_the_page_when_a_file_has_changed() {
    let folder = Folder::new();
    let first = folder.file("a.csv", BUFFERS);
    let second = folder.file("b.csv", BUFFERS);
    let viewer = Viewer::start(&folder, &[&first, &second], &["--watch"]);
    let (status, page) = viewer.get("");
    assert!(status == 200 && page.contains("<script type=\"module\" src=\"./watch.js\"></script></head>"), "{page}");
    assert!(viewer.get("watch.js").1.contains("versions.json"));
    assert_eq!(viewer.get("versions.json"), (200, "[0, 0]".to_string()));
    folder.file("b.csv", "id,lower,upper,size\na,0,6,4\n");
    // It might still be written: two looks must find the same.
    assert_eq!(viewer.get("versions.json").1, "[0, 0]");
    assert_eq!(viewer.get("versions.json").1, "[0, 1]");
    assert_eq!(viewer.get("versions.json").1, "[0, 1]");
    assert_eq!(viewer.get("files/1/1/b.csv").1, "id,lower,upper,size\na,0,6,4\n");
    // A file that is away for a moment is no change.
    fs::remove_file(&second).expect("removed");
    assert_eq!(viewer.get("files/1/1/b.csv").0, 404);
    assert_eq!(viewer.get("versions.json").1, "[0, 1]");
}

#[test]
fn view_says_what_is_wrong_before_it_opens_anything() {
    let folder = Folder::new();
    let viewer = Viewer::start(&folder, &[], &[]);
    let page = folder.path("page");
    let port = viewer.host.split(':').nth(1).expect("a port");
    let graph = folder.file("g.json", GRAPH);
    let words = refused(&["view", "--no-open", "--page", &page, "--port", port]);
    assert!(words.contains(&format!("Port {port} cannot be used")), "{words}");
    assert!(refused(&["view", "--page", &page, &folder.path("none.csv")]).contains("cannot read"));
    assert!(refused(&["view", "--page", &page, &page]).contains("cannot read"));
    assert!(refused(&["view", "--page", &page, "--planner", "nonsense", &graph]).contains("Unknown planner"));
    assert!(refused(&["view", "--page", &folder.path("page/build-1")]).contains("index.html is missing"));
    if cfg!(not(page_is_built)) {
        assert!(refused(&["view", &graph]).contains("cargo xtask install"));
    }
}

#[test]
fn view_tells_what_the_readers_found_out() {
    let folder = Folder::new();
    let (graph, list) = (folder.file("g.json", GRAPH), folder.file("b.csv", BUFFERS));
    drop(Viewer::start(&folder, &[], &[]));
    let page = folder.path("page");
    let told = |arguments: &[&str]| {
        let mut command = crate::program();
        command.args(["view", "--no-open", "--page", &page]).args(arguments);
        let mut program = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut link = String::new();
        BufReader::new(program.stdout.take().expect("its output")).read_line(&mut link).expect("a link");
        program.kill().expect("ended");
        stderr(&program.wait_with_output().expect("the program ends"))
    };
    assert!(told(&[&graph]).contains("note: Value of the symbol: s0 = 2."));
    assert!(told(&[&graph, &list]).contains(&format!("note: {graph}: Value of the symbol: s0 = 2.")));
    assert!(!told(&[&graph, "-q"]).contains("note: "));
    let broken = folder.file("broken.json", "{");
    let words = refused(&["view", "--no-open", "--page", &page, &graph, &broken]);
    assert!(words.contains(&format!("{broken}: ")), "{words}");
    // A file that is watched may become one that can be read.
    assert!(told(&["--watch", &graph, &broken]).contains(&format!("{broken}: ")));
    let words = refused(&["view", "--no-open", "--page", &page, &list, "--planner", "imported"]);
    assert!(words.contains("no plan"), "{words}");
}
