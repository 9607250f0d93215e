//! The tools that an agent may call.

use memplan_core::base::Message;
use memplan_planners::PORTFOLIO;
use memplan_teach::choices::WELCOME;
use serde_json::{Map, Value, json};

use super::call::{Caller, Printed, answer};
use super::text;
use crate::cli::error::say;

/// A tool: what it does, in words for agents, and what it takes.
pub struct Tool {
    name: &'static str,
    about: &'static str,
    /// Its arguments; the first `needed` are required.
    takes: &'static [Argument],
    needed: usize,
    work: fn(&Caller, &Given) -> Result<Vec<Value>, String>,
}

/// An argument of a tool.
struct Argument {
    name: &'static str,
    about: &'static str,
    is_list: bool,
}

const fn word(name: &'static str, about: &'static str) -> Argument {
    Argument { name, about, is_list: false }
}

const FILE: Argument =
    word("file", "Model, graph, plan or list of buffers: a path below the folders of this server, or ex:NAME");
const PLANNER: Argument = word(
    "planner",
    "Id of a planner, with options as in beam;k=4, or imported for the file's own plan; best if absent",
);
const PLANNERS: Argument =
    Argument { name: "planners", about: "Ids of planners; all quick ones that take the file if absent", is_list: true };

const TOOLS: [Tool; 8] = [
    Tool {
        name: "open",
        about: "What a file is: what the reader found and assumed, its buffers, the lower bound, the file's own plan",
        takes: &[FILE],
        needed: 1,
        work: |caller, given| {
            let file = given.file(caller, "file")?;
            let read = caller.run(&words(&["metrics", &file, &format!("--planner={WELCOME}"), "--format=json"]))?;
            let row = row(&read);
            let name = row["graph"].as_str().unwrap_or_default();
            let number = |key: &str| row[key].as_u64().unwrap_or_default();
            let told = format!(
                "{name}: {} buffers of {} B together; lower bound {} B.",
                number("buffers"),
                number("unshared"),
                number("lower_bound")
            );
            // Most files have no plan of their own, which is no failure.
            let own = caller.run(&words(&["metrics", &file, "--planner=imported", "--format=json", "--quiet"]));
            let own = own.map_or("It holds no plan of its own.".to_string(), |own| figures_of(&own));
            Ok(vec![text(&answer(&[&told, &own, &read.notes], &read.command))])
        },
    },
    Tool {
        name: "peak",
        about: "What the peak is made of: the buffers alive at the fullest step, or at another one, the largest first",
        takes: &[FILE, PLANNER, word("step", "A step, from 0; the fullest if absent")],
        needed: 1,
        work: |caller, given| {
            let file = given.file(caller, "file")?;
            let mut asked = words(&["alive", &file, &given.planner(), "--quiet"]);
            asked.extend(given.word("step").map(|step| format!("--step={step}")));
            let printed = caller.run(&asked)?;
            Ok(vec![text(&answer(&[&figures(caller, &file, given)?, &printed.out], &printed.command))])
        },
    },
    Tool {
        name: "why",
        about: "Why a buffer lies where it lies; without a buffer, the decisions that raised the peak above the bound",
        takes: &[FILE, PLANNER, word("buffer", "Name of a buffer or a tensor")],
        needed: 1,
        work: |caller, given| {
            let file = given.file(caller, "file")?;
            let Some(buffer) = given.word("buffer") else {
                let printed = caller.run(&words(&["gap", &file, &given.planner(), "--quiet"]))?;
                return Ok(vec![text(&answer(&[&figures(caller, &file, given)?, &printed.out], &printed.command))]);
            };
            let of = format!("--of={buffer}");
            let printed = caller.run(&words(&["frame", &file, &given.planner(), &of, "--quiet"]))?;
            Ok(vec![text(&answer(&[&reasons(&printed)], &printed.command))])
        },
    },
    Tool {
        name: "compare",
        about: "Peaks of planners on a file, beside the lower bound",
        takes: &[FILE, PLANNERS],
        needed: 1,
        work: |caller, given| {
            let file = given.file(caller, "file")?;
            let mut asked = words(&["compare", &file, "--quiet"]);
            asked.extend(given.list("planners").iter().map(|planner| format!("--planner={planner}")));
            one(caller, &asked)
        },
    },
    Tool {
        name: "diff",
        about: "What made the peak rise or fall between two versions of a model: buffers, operators, causes",
        takes: &[
            word("old", "The older version"),
            word("new", "The newer version"),
            word(
                "planner",
                "Id of a planner; the plans of the files if both have one, else what the page would choose",
            ),
        ],
        needed: 2,
        work: |caller, given| {
            let (old, new) = (given.file(caller, "old")?, given.file(caller, "new")?);
            let mut asked = words(&["diff", &old, &new, "--quiet"]);
            // Without one, the command takes the plans of the files if both have one.
            asked.extend(given.word("planner").map(|planner| format!("--planner={planner}")));
            one(caller, &asked)
        },
    },
    Tool {
        name: "fit",
        about: "The cheapest changes by which a graph fits into memories, or a proof that there are none",
        takes: &[
            FILE,
            Argument {
                name: "memories",
                about: "Such as SRAM=512KiB or DRAM=8MiB@4, the fast one first",
                is_list: true,
            },
            word("allow", "What may be changed, such as planner,order, or all"),
        ],
        needed: 2,
        work: |caller, given| {
            let mut asked = words(&["fit", &given.file(caller, "file")?, "--quiet"]);
            asked.extend(given.list("memories").iter().map(|memory| format!("--memory={memory}")));
            asked.extend(given.word("allow").map(|allow| format!("--allow={allow}")));
            one(caller, &asked)
        },
    },
    Tool {
        name: "check",
        about: "Whether the plan in a file is valid: every rule that it breaks, its peak and the lower bound",
        takes: &[FILE],
        needed: 1,
        work: |caller, given| {
            let printed = caller.run(&words(&["check", &given.file(caller, "file")?]))?;
            Ok(vec![text(&answer(&[&printed.out, &printed.notes], &printed.command))])
        },
    },
    Tool {
        name: "picture",
        about: "The plan as an SVG picture, addresses upwards and steps to the right; into a new file, if one is named",
        takes: &[FILE, PLANNER, word("to", "A new file below the folders of this server, such as plan.svg")],
        needed: 1,
        work: |caller, given| {
            let file = given.file(caller, "file")?;
            let mut asked = words(&["svg", &file, &given.planner(), "--plan-only", "--title", "--legend", "--quiet"]);
            let to = given.word("to").map(|to| caller.folders.place(&to)).transpose()?;
            asked.extend(to.iter().flat_map(|to| ["-o".to_string(), to.display().to_string()]));
            let printed = caller.run(&asked)?;
            let written = to.map(|to| format!("Written: {}", to.display())).unwrap_or_default();
            let mut content = vec![text(&answer(&[&figures(caller, &file, given)?, &written], &printed.command))];
            if written.is_empty() {
                let resource = json!({ "uri": "memplan:plan.svg", "mimeType": "image/svg+xml", "text": printed.out });
                content.push(json!({ "type": "resource", "resource": resource }));
            }
            Ok(content)
        },
    },
];

/// What an agent gave a tool.
struct Given<'a>(&'a Map<String, Value>);

impl Given<'_> {
    fn word(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::String(word) => Some(word.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    fn list(&self, name: &str) -> Vec<String> {
        let list = self.0.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_string).collect()
    }

    fn file(&self, caller: &Caller, name: &str) -> Result<String, String> {
        let path = caller.folders.find(&self.word(name).unwrap_or_default())?;
        Ok(path.display().to_string())
    }

    fn planner(&self) -> String {
        format!("--planner={}", self.word("planner").unwrap_or_else(|| PORTFOLIO.to_string()))
    }
}

impl Tool {
    /// Runs the tool.
    ///
    /// # Errors
    /// An argument is missing, unknown or of another type, or the sentence of the program.
    pub fn call(&self, caller: &Caller, arguments: &Value) -> Result<Vec<Value>, String> {
        let refusal =
            |key: &'static str, name: &str| say(&Message::new(key).text("name", name).text("tool", self.name));
        let none = Map::new();
        let given = arguments.as_object().unwrap_or(&none);
        for (name, value) in given {
            let argument = self.takes.iter().find(|argument| argument.name == name);
            let argument = argument.ok_or_else(|| refusal("mcp.unknown", name))?;
            let is_word = |value: &Value| value.is_string() || value.is_number();
            let fits = match value {
                Value::Array(list) => argument.is_list && list.iter().all(Value::is_string),
                other => !argument.is_list && is_word(other),
            };
            if !fits {
                return Err(refusal("mcp.type", name));
            }
        }
        let missing = self.takes[..self.needed].iter().find(|argument| !given.contains_key(argument.name));
        match missing {
            Some(argument) => Err(refusal("mcp.missing", argument.name)),
            None => (self.work)(caller, &Given(given)),
        }
    }

    fn record(&self) -> Value {
        let properties: Map<String, Value> = self
            .takes
            .iter()
            .map(|argument| {
                let schema = if argument.is_list {
                    json!({ "type": "array", "items": { "type": "string" }, "description": argument.about })
                } else {
                    json!({ "type": ["string", "integer"], "description": argument.about })
                };
                (argument.name.to_string(), schema)
            })
            .collect();
        let required: Vec<&str> = self.takes[..self.needed].iter().map(|argument| argument.name).collect();
        let schema = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        });
        json!({ "name": self.name, "description": self.about, "inputSchema": schema })
    }
}

/// All tools, as the protocol lists them.
pub fn list() -> Vec<Value> {
    TOOLS.iter().map(Tool::record).collect()
}

pub fn find(name: &str) -> Option<&'static Tool> {
    const { &TOOLS }.iter().find(|tool| tool.name == name)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

/// The answer of a command that is the answer of the tool.
fn one(caller: &Caller, asked: &[String]) -> Result<Vec<Value>, String> {
    let printed = caller.run(asked)?;
    Ok(vec![text(&answer(&[&printed.out, &printed.notes], &printed.command))])
}

/// Peak and bound of a plan, and what is proved of them.
fn figures(caller: &Caller, file: &str, given: &Given) -> Result<String, String> {
    let printed = caller.run(&words(&["metrics", file, &given.planner(), "--format=json", "--quiet"]))?;
    Ok(figures_of(&printed))
}

/// The first row of `memplan metrics`.
fn row(printed: &Printed) -> Value {
    let record: Value = serde_json::from_str(&printed.out).unwrap_or_default();
    record["rows"][0].clone()
}

fn figures_of(printed: &Printed) -> String {
    let row = row(printed);
    let planner = row["planner"].as_str().unwrap_or_default();
    let valid = row["violations"].as_u64() == Some(0);
    match row["peak"].as_u64().zip(row["placed_lower_bound"].as_u64()).filter(|_| valid) {
        Some((peak, bound)) if peak < bound => format!(
            "{planner}: peak {peak} B. It joins buffers that operators may overwrite, so it is below the lower bound \
             of the separate buffers, {bound} B."
        ),
        Some((peak, bound)) if peak == bound => {
            format!("{planner}: peak {peak} B, equal to the lower bound, so no plan of these buffers is smaller.")
        }
        Some((peak, bound)) => format!("{planner}: peak {peak} B, lower bound {bound} B, {} B above it.", peak - bound),
        None => format!("{planner}: no valid plan."),
    }
}

/// The sentences of a frame that say why.
fn reasons(printed: &Printed) -> String {
    let frame: Value = serde_json::from_str(&printed.out).unwrap_or_default();
    let why = &frame["why"];
    let sentence = |key: &str| why[key].as_str().map(str::to_string);
    let lists = ["candidates", "notes"].into_iter().flat_map(|key| why[key].as_array().into_iter().flatten());
    let listed = lists.filter_map(Value::as_str).map(|line| format!("- {line}"));
    let ends = ["rule", "effect", "source"].into_iter().filter_map(sentence);
    sentence("headline").into_iter().chain(ends).chain(listed).collect::<Vec<_>>().join("\n")
}
