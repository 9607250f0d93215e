//! A scripted agent: it asks the server line by line, as the protocol has it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::json;

use super::*;

struct Agent {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Agent {
    fn of(arguments: &[&str]) -> Agent {
        let mut command = Command::new(env!("CARGO_BIN_EXE_memplan"));
        command.arg("mcp").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().expect("the program runs");
        let output = BufReader::new(server.stdout.take().expect("a pipe"));
        Agent { input: server.stdin.take(), server, output, asked: 0 }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().expect("open"), "{line}").expect("the server reads");
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the server answers");
        json(&line)
    }

    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.asked += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": parameters }).to_string());
        let answer = self.answer();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(self.asked)), "{answer}");
        answer
    }

    /// The words of a tool's answer.
    fn call(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        let words = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_string();
        assert_eq!(result["isError"], false, "{tool}: {words}");
        assert!(words.len() <= 2000 && words.contains("The same: memplan "), "{tool}: {words}");
        words
    }

    fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().expect("words").to_string()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // The server ends with its input.
        drop(self.input.take());
        assert!(self.server.wait().expect("ended").success() || std::thread::panicking());
    }
}

/// A network of five operators whose sizes, types and uses a test changes.
fn network(change: impl Fn(&mut Value)) -> String {
    let tensor = |name: &str, kind: &str| json!({ "name": name, "dtype": "float16", "shape": [64, 64], "kind": kind });
    let node = |name: &str, op: &str, inputs: &[&str], outputs: &[&str]| json!({ "name": name, "op": op, "inputs": inputs, "outputs": outputs });
    let mut graph = json!({
        "format": "memory-graph/1", "name": "net",
        "tensors": [
            tensor("image", "input"), tensor("stem", "intermediate"), tensor("wide", "intermediate"),
            tensor("narrow", "intermediate"), tensor("sum", "intermediate"), tensor("logits", "output"),
        ],
        "nodes": [
            node("conv_stem", "conv2d", &["image"], &["stem"]),
            node("expand", "conv2d", &["stem"], &["wide"]),
            node("project", "conv2d", &["wide"], &["narrow"]),
            node("residual", "add", &["narrow", "narrow"], &["sum"]),
            node("head", "linear", &["sum"], &["logits"]),
        ],
    });
    change(&mut graph);
    graph.to_string()
}

#[test]
fn an_agent_opens_a_file_and_asks_on() {
    let folder = Folder::new();
    folder.file("net.json", network(|_| {}));
    let mut agent = Agent::of(&[&folder.path("")]);
    let hello = agent.ask("initialize", json!({ "protocolVersion": "2024-11-05", "capabilities": {} }));
    assert_eq!(hello["result"]["protocolVersion"], "2024-11-05");
    assert_eq!(hello["result"]["serverInfo"]["name"], "memplan");
    agent.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let tools = agent.ask("tools/list", json!({}));
    let names: Vec<&str> =
        tools["result"]["tools"].as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["open", "peak", "why", "compare", "diff", "fit", "check", "picture"]);
    let opened = agent.call("open", json!({ "file": "net.json" }));
    assert!(
        opened.starts_with("net: 6 buffers of 49152 B together; lower bound 16384 B.\nIt holds no plan"),
        "{opened}"
    );
    let peak = agent.call("peak", json!({ "file": "net.json", "planner": "naive" }));
    assert!(peak.starts_with("naive: peak 49152 B, lower bound 16384 B, 32768 B above it."), "{peak}");
    let why = agent.call("why", json!({ "file": "net.json", "planner": "first-fit", "buffer": "narrow" }));
    assert!(why.starts_with("narrow ("), "{why}");
    let compared = agent.call("compare", json!({ "file": "net.json", "planners": ["naive", "exact"] }));
    assert!(compared.contains("naive") && compared.contains("exact"), "{compared}");
    let fits = agent.call("fit", json!({ "file": "net.json", "memories": ["SRAM=64KiB"] }));
    assert!(fits.starts_with("fits: "), "{fits}");
}

#[test]
fn a_plan_below_the_bound_is_no_proof() {
    let folder = Folder::new();
    let small = |graph: &mut Value| {
        for tensor in [0, 1, 5] {
            graph["tensors"][tensor]["shape"] = json!([4]);
        }
        for node in [2, 3] {
            graph["nodes"][node]["op"] = json!("Relu");
        }
        graph["nodes"][3]["inputs"] = json!(["narrow"]);
    };
    folder.file("net.json", network(small));
    let mut agent = Agent::of(&[&folder.path("")]);
    let joined = agent.call("peak", json!({ "file": "net.json", "planner": "onnxsim" }));
    assert!(joined.contains("below the lower bound of the separate buffers, 16384 B."), "{joined}");
    let best = agent.call("peak", json!({ "file": "net.json" }));
    assert!(best.starts_with("best: peak 16384 B, equal to the lower bound"), "{best}");
}

/// Each regression, and what an agent must read of it.
#[test]
fn the_cause_of_a_regression_is_named() {
    let folder = Folder::new();
    folder.file("old.json", network(|_| {}));
    let mut agent = Agent::of(&[&folder.path("")]);
    let mut told = |name: &str, change: &dyn Fn(&mut Value)| {
        folder.file(name, network(change));
        agent.call("diff", json!({ "old": "old.json", "new": name, "planner": "exact" }))
    };
    let wider = told("wider.json", &|graph| graph["tensors"][2]["shape"] = json!([64, 256]));
    assert!(wider.contains("wide") && wider.contains("→"), "{wider}");
    let precise = told("precise.json", &|graph| {
        graph["tensors"][1]["dtype"] = json!("float32");
        graph["tensors"][2]["dtype"] = json!("float32");
    });
    assert!(precise.contains("stem") || precise.contains("wide"), "{precise}");
    let longer = told("longer.json", &|graph| graph["nodes"][4]["inputs"] = json!(["sum", "stem"]));
    assert!(longer.contains("stem"), "{longer}");
    let skipped = told("skipped.json", &|graph| graph["nodes"][3]["inputs"] = json!(["narrow", "image"]));
    assert!(skipped.contains("image"), "{skipped}");
    let more = told("more.json", &|graph| {
        let tensor = json!({ "name": "mask", "dtype": "float16", "shape": [64, 512], "kind": "intermediate" });
        graph["tensors"].as_array_mut().expect("a list").push(tensor);
        graph["nodes"][1]["outputs"] = json!(["wide", "mask"]);
        graph["nodes"][2]["inputs"] = json!(["wide", "mask"]);
    });
    assert!(more.contains("mask"), "{more}");
}

#[test]
fn files_elsewhere_are_neither_read_nor_written() {
    let (inside, outside) = (Folder::new(), Folder::new());
    inside.file("net.json", network(|_| {}));
    let secret = outside.file("secret.json", network(|_| {}));
    let mut agent = Agent::of(&[&inside.path("")]);
    for file in [secret.as_str(), "../secret.json", "absent.json", "", "-"] {
        let words = agent.refused("open", json!({ "file": file }));
        assert!(words.starts_with(&format!("There is no file `{file}` below ")), "{words}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&secret, inside.path("link.json")).expect("a link");
        assert!(agent.refused("open", json!({ "file": "link.json" })).starts_with("There is no file"));
    }
    let written = agent.call("picture", json!({ "file": "net.json", "planner": "first-fit", "to": "plan.svg" }));
    assert!(
        written.contains("Written: ")
            && fs::read_to_string(inside.path("plan.svg")).is_ok_and(|svg| svg.starts_with("<svg")),
        "{written}"
    );
    for to in ["plan.svg", "net.json", &outside.path("plan.svg"), "no/folder/plan.svg", ".."] {
        let words = agent.refused("picture", json!({ "file": "net.json", "to": to }));
        assert!(words.contains("cannot be written"), "{to}: {words}");
    }
}

#[test]
fn what_is_wrong_is_told_in_a_sentence() {
    let mut agent = Agent::of(&[]);
    assert!(agent.refused("peak", json!({})).contains("needs the argument `file`"));
    assert!(agent.refused("peak", json!({ "file": "ex:teaching", "plan": "x" })).contains("no argument `plan`"));
    assert!(agent.refused("compare", json!({ "file": "ex:teaching", "planners": "best" })).contains("wrong type"));
    let words = agent.refused("peak", json!({ "file": "ex:teaching", "planner": "frist-fit" }));
    assert!(words.ends_with("Did you mean `first-fit`?"), "{words}");
    assert_eq!(agent.ask("tools/call", json!({ "name": "plan" }))["error"]["code"], -32602);
    assert_eq!(agent.ask("resources/list", json!({}))["error"]["code"], -32601);
    agent.send("no JSON");
    assert_eq!(agent.answer()["error"]["code"], -32700);
    agent.send(r#"{"jsonrpc":"2.0","id":7}"#);
    assert_eq!(agent.answer()["error"]["code"], -32600);
    agent.send(&"x".repeat(3 << 20));
    assert_eq!(agent.answer()["error"]["code"], -32600);
    assert_eq!(agent.ask("ping", json!({}))["result"], json!({}));
}

#[test]
fn a_call_without_an_end_is_ended() {
    let folder = Folder::new();
    let mut agent = Agent::of(&["--seconds", "0", &folder.path("")]);
    assert!(agent.refused("peak", json!({ "file": "ex:resnet18" })).contains("longer than 0 s"));
    assert_eq!(agent.ask("ping", json!({}))["result"], json!({}));
}

#[test]
fn an_agent_starts_no_program_of_its_own() {
    let mut agent = Agent::of(&[]);
    for planner in ["exec:touch hacked", "mine.rhai", "answer:x"] {
        let words = agent.refused("why", json!({ "file": "ex:teaching", "buffer": "F", "planner": planner }));
        assert!(words.contains("is a planner of your own"), "{words}");
        let words = agent.refused("compare", json!({ "file": "ex:teaching", "planners": [planner] }));
        assert!(words.contains("is a planner of your own"), "{words}");
    }
}
