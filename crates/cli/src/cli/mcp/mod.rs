//! `memplan mcp`: a server of the Model Context Protocol on standard input and output, for agents.
//!
//! **From**: modelcontextprotocol.io, specification 2025-06-18: JSON-RPC 2.0, one message a line,
//! with tools and nothing else. Each call of a tool runs this program once more, so that a search
//! without an end or a hostile file ends with its call.

mod call;
mod folders;
mod tools;

use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use memplan_core::base::Message;
use serde_json::{Value, json};

use super::error::CliError;
use call::Caller;
use folders::Folders;

/// Versions of the protocol that are spoken, the newest first.
const VERSIONS: [&str; 3] = ["2025-06-18", "2025-03-26", "2024-11-05"];

/// Longest message that is read, in bytes.
const MAX_LINE: u64 = 1 << 20;

/// What the server tells the agent about itself.
const INSTRUCTIONS: &str = "memplan plans the memory of neural networks and explains plans. `open` a file first. \
    `peak` lists what is alive at the fullest step, `why` tells why a buffer lies where it lies, `diff` what made a \
    peak rise. Every lower bound is proved: no plan of the same buffers needs fewer bytes.";

/// Answer agents over the Model Context Protocol, on standard input and output
#[derive(Args)]
pub struct McpCommand {
    /// Folders whose files may be read, with all folders below them; the current one if absent
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,

    /// Seconds after which a call is ended
    #[arg(long, value_name = "N", default_value = "60")]
    seconds: u64,
}

/// A failure of the protocol: its code in JSON-RPC, and the sentence.
struct RpcError(i64, &'static str);

impl McpCommand {
    pub fn run(self) -> Result<(), CliError> {
        let here = [PathBuf::from(".")];
        let folders = Folders::open(if self.folders.is_empty() { &here } else { &self.folders })?;
        let caller = Caller::new(folders, Duration::from_secs(self.seconds))?;
        serve(&caller, io::stdin().lock(), io::stdout().lock())
    }
}

/// Answers until the input ends.
fn serve(caller: &Caller, mut input: impl BufRead, mut output: impl Write) -> Result<(), CliError> {
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        let unreadable = |error: io::Error| {
            CliError::because(&Message::new("cli.cannot-read").text("path", "-").text("reason", error.to_string()))
        };
        if read.map_err(unreadable)? == 0 {
            return Ok(());
        }
        let answer = if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
            rest_of_line(&mut input).map_err(unreadable)?;
            Some(failed(Value::Null, &RpcError(-32600, "The message is longer than 1 MiB.")))
        } else if line.trim_ascii().is_empty() {
            None
        } else {
            answer(caller, &line)
        };
        if let Some(answer) = answer {
            let written = writeln!(output, "{answer}").and_then(|()| output.flush());
            // An agent that has gone wants no more.
            if written.is_err() {
                return Ok(());
            }
        }
    }
}

/// Reads over the rest of a line that is too long.
fn rest_of_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (used, ends) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if ends {
            return Ok(());
        }
    }
}

/// The answer to one message; none to a notification.
fn answer(caller: &Caller, line: &[u8]) -> Option<Value> {
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        return Some(failed(Value::Null, &RpcError(-32700, "The line is not JSON.")));
    };
    let id = message.get("id").cloned();
    let Some(method) = message.get("method").and_then(Value::as_str) else {
        // An answer to a request, which this server never makes, or no message of the protocol.
        let is_answer = message.get("result").is_some() || message.get("error").is_some();
        let error = RpcError(-32600, "The message is no request: it has no `method`.");
        return (!is_answer).then(|| failed(id.unwrap_or(Value::Null), &error));
    };
    let id = id?;
    let parameters = message.get("params").cloned().unwrap_or_else(|| json!({}));
    Some(match result(caller, method, &parameters) {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => failed(id, &error),
    })
}

fn failed(id: Value, RpcError(code, words): &RpcError) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": words } })
}

fn result(caller: &Caller, method: &str, parameters: &Value) -> Result<Value, RpcError> {
    match method {
        "initialize" => {
            let asked = parameters.get("protocolVersion").and_then(Value::as_str);
            let version = VERSIONS.into_iter().find(|version| asked == Some(version)).unwrap_or(VERSIONS[0]);
            Ok(json!({
                "protocolVersion": version,
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "memplan", "version": env!("CARGO_PKG_VERSION") },
                "instructions": INSTRUCTIONS,
            }))
        }
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": tools::list() })),
        "tools/call" => {
            let name = parameters.get("name").and_then(Value::as_str).unwrap_or_default();
            let tool = tools::find(name).ok_or(RpcError(-32602, "There is no tool of this name."))?;
            let none = json!({});
            let arguments = parameters.get("arguments").unwrap_or(&none);
            Ok(match tool.call(caller, arguments) {
                Ok(content) => json!({ "content": content, "isError": false }),
                Err(refusal) => json!({ "content": [text(&refusal)], "isError": true }),
            })
        }
        _ => Err(RpcError(-32601, "This server has tools and nothing else.")),
    }
}

/// A piece of an answer in words.
fn text(words: &str) -> Value {
    json!({ "type": "text", "text": words })
}
